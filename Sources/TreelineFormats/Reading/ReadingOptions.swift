import Treeline

/// Options for reading points.
public struct ReadingOptions: Hashable, Sendable {
  /// The CSV columns of the coordinates.
  public var columns: ColumnChoice
  /// Whether rows without a valid position are counted and listed. If not, reading stops at the first such row.
  public var skipsInvalid: Bool
  /// Whether each point's other columns (CSV) or `properties` (GeoJSON) are kept in memory.
  public var keepsColumns: Bool
  /// Whether positions lie on a plain plane instead of the sphere.
  ///
  /// If `nil`, the columns decide in CSV; GeoJSON is on the sphere (RFC 7946, section 4).
  public var isPlanar: Bool?
  /// Decimal separator of a CSV file's numbers. GeoJSON always has points; requesting commas for it is an error.
  public var decimal: DecimalSeparator

  /// Creates options. By default nothing is skipped, and no columns are kept.
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

/// The decimal separator of a number. The other sign may separate thousands if the number also has decimals: `1.234,56`
/// with decimal commas, `1,234.56` with decimal points.
public enum DecimalSeparator: String, Hashable, Sendable, CaseIterable {
  /// A point, as in `48.85`.
  case point
  /// A comma, as in `48,85`. A number with a point and no comma is refused, because it could be a thousand times
  /// larger.
  case comma

  var mark: DecimalMark { self == .comma ? .comma : .point }
}

/// The CSV columns of the coordinates. GeoJSON has no columns to choose, so choosing is an error.
///
/// Longitudes and latitudes may be written as angles, too: `48°51'24"N`, `48 51 24 N`, `-2:21:03`, `2.35 W`.
///
/// A column is given by its name, or by its position as a decimal number counted from 1. An exact name takes precedence
/// over a name that differs in case.
public enum ColumnChoice: Hashable, Sendable {
  /// The columns that are found first, in this order:
  /// 1. common names: `longitude`/`latitude`, `lon`/`lat`, `lng`/`lat`, `x`/`y` and the like, in any case;
  /// 2. common names with a unit or a datum: `Longitude (deg)`, `lat_wgs84`;
  /// 3. names of the coordinates of a place: `stop_lat`, `start_lng`;
  /// 4. common names of a column of well-known text: `wkt`, `geom`, `geometry` and the like;
  /// 5. common names of a column of both coordinates, if the first row has two numbers there: `location`, `latlon` and
  ///    the like.
  ///
  /// In a file without a header, columns 1 and 2.
  case automatic
  /// Longitudes and latitudes in degrees.
  case sphere(longitude: String, latitude: String)
  /// Positions on a plain plane.
  case plane(x: String, y: String)
  /// Points as well-known text, such as `POINT (2.35 48.85)`, or as well-known binary in hexadecimal digits, with
  /// longitude and latitude in degrees. `Z` and `M` are ignored. An SRID, which PostGIS may write, must be 4326.
  case wkt(String)
  /// Two coordinates in one cell, the latitude first, such as `48.85, 2.35`. Letters, as in `2.35° E, 48.85° N`, take
  /// precedence over the order.
  case latitudeLongitude(String)
  /// Two coordinates in one cell, the longitude first.
  case longitudeLatitude(String)

  /// Whether the choice names one column.
  var isOne: Bool {
    switch self {
    case .automatic, .sphere, .plane: false
    case .wkt, .latitudeLongitude, .longitudeLatitude: true
    }
  }
}

/// Limits of reading, in bytes.
struct ReadingLimits {
  /// Number of bytes read from the input at once.
  var chunk = 512 << 10
  /// Maximum length of a record, which limits the memory if a quote is never closed.
  var record = 64 << 20
}
