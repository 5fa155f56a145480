/// How points are to be read.
public struct ReadingOptions: Hashable, Sendable {
  /// Which columns of a CSV file hold the coordinates.
  public var columns: ColumnChoice
  /// Counts and lists rows without a valid position instead of stopping at the first.
  public var skipsInvalid: Bool
  /// Keeps the other columns (CSV) or the `properties` (GeoJSON) of each point, at the cost of their bytes in memory.
  public var keepsColumns: Bool
  /// Whether positions lie on a plain plane instead of the sphere.
  ///
  /// `nil` leaves it to the columns in CSV; GeoJSON is on the sphere (RFC 7946, section 4) unless told.
  public var isPlanar: Bool?
  /// What stands before the decimals of a CSV file's numbers. GeoJSON has points, and asking for commas is an error.
  public var decimal: DecimalSeparator

  /// All that is read as it is found, unless told otherwise.
  public init(
    columns: ColumnChoice = .automatic, skipsInvalid: Bool = false, keepsColumns: Bool = false, isPlanar: Bool? = nil,
    decimal: DecimalSeparator = .point
  ) {
    self.columns = columns
    self.skipsInvalid = skipsInvalid
    self.keepsColumns = keepsColumns
    self.isPlanar = isPlanar
    self.decimal = decimal
  }
}

/// What stands before the decimals of a number; nothing stands between its thousands.
public enum DecimalSeparator: String, Hashable, Sendable, CaseIterable {
  /// As in `48.85`.
  case point
  /// As in `48,85`; a number with a point is refused, for it may be a thousand times as much.
  case comma
}

/// Which columns of a CSV file hold the coordinates. GeoJSON has none to choose from, and choosing is an error.
///
/// A column is given by its name, or by its position as a decimal number that counts from 1. An exact name is
/// preferred to one that differs in case.
public enum ColumnChoice: Hashable, Sendable {
  /// By common names (`longitude`/`latitude`, `lon`/`lat`, `lng`/`lat`, `x`/`y` and the like, in any case), then by
  /// such names with a unit or a datum around them (`Longitude (deg)`, `lat_wgs84`), then by the common names of a
  /// column of well-known text (`wkt`, `geom`, `geometry` and the like); in a file without a header, columns 1 and 2.
  case automatic
  /// Longitudes and latitudes in degrees.
  case sphere(longitude: String, latitude: String)
  /// Positions on a plain plane.
  case plane(x: String, y: String)
  /// Points as well-known text, such as `POINT (2.35 48.85)`, or as well-known binary in hexadecimal digits: longitude
  /// and latitude in degrees. `Z` and `M` are passed over. An SRID within it, as PostGIS writes it, must be 4326.
  case wkt(String)
}

/// Sizes in bytes.
struct ReadingLimits {
  /// How much is read from the input at once.
  var chunk = 512 << 10
  /// The longest record, which bounds the memory when a quote is never closed.
  var record = 64 << 20
}
