import Treeline

/// Options for reading points.
public struct ReadingOptions: Hashable, Sendable {
  /// The CSV columns that contain the coordinates.
  public var columns: ColumnChoice
  /// Whether rows without a valid position are skipped, counted and listed. If false, a row without a valid position
  /// is an error.
  public var skipsInvalid: Bool
  /// Whether the other data of each point are kept in memory along with its position. In CSV, the other data are all
  /// columns except the coordinates. In GeoJSON, they are the `properties`.
  public var keepsColumns: Bool
  /// Whether positions are x and y on a plane without a map projection, instead of longitudes and latitudes.
  ///
  /// If nil, the names of the columns decide for CSV, and positions in GeoJSON are longitudes and latitudes (RFC 7946,
  /// section 4).
  public var isPlanar: Bool?
  /// Decimal separator of numbers in a CSV file. GeoJSON always has decimal points, so the choice of a comma is an
  /// error for GeoJSON.
  public var decimal: DecimalSeparator

  /// Creates options. By default no rows are skipped and no columns are kept.
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

/// The decimal separator of numbers. A number with decimals may also have thousands separators: `1,234.56` with
/// decimal points, `1.234,56` with decimal commas.
public enum DecimalSeparator: String, Hashable, Sendable, CaseIterable {
  /// A point, as in `48.85`.
  case point
  /// A comma, as in `48,85`. A number with a point but without a comma is refused, because the point might separate
  /// thousands.
  case comma

  var mark: DecimalMark { self == .comma ? .comma : .point }
}

/// The CSV columns that contain the coordinates. For GeoJSON, which has no columns, any choice other than `automatic`
/// is an error.
///
/// Longitudes and latitudes may also be angles, such as `48°51'24"N`, `48 51 24 N`, `-2:21:03` or `2.35 W`.
///
/// A column is chosen by its name, or by its number counted from 1. If no column has exactly this name, case is
/// ignored.
public enum ColumnChoice: Hashable, Sendable {
  /// The first columns in this list that exist:
  /// 1. common names: `longitude`/`latitude`, `lon`/`lat`, `lng`/`lat`, `x`/`y` and the like, in any case;
  /// 2. common names with a unit or a datum: `Longitude (deg)`, `lat_wgs84`;
  /// 3. common names with a word for a kind of place: `stop_lat`, `start_lng`;
  /// 4. common names of a column with well-known text: `wkt`, `geom`, `geometry` and the like;
  /// 5. common names of a column with both coordinates: `location`, `latlon` and the like. The first row below the
  ///    header must have two numbers in this column.
  ///
  /// If the file has no header, columns 1 and 2 are chosen.
  case automatic
  /// Longitudes and latitudes in degrees.
  case sphere(longitude: String, latitude: String)
  /// Coordinates x and y on a plane, without a map projection.
  case plane(x: String, y: String)
  /// Points as well-known text, such as `POINT (2.35 48.85)`, or as well-known binary in hexadecimal digits. The points
  /// contain longitude and latitude in degrees. `Z` and `M` are ignored. An SRID, which PostGIS may write, must be
  /// 4326.
  case wkt(String)
  /// Both coordinates in one cell, the latitude first, such as `48.85, 2.35`. If there are letters, as in `2.35° E,
  /// 48.85° N`, the letters decide the order.
  case latitudeLongitude(String)
  /// Both coordinates in one cell, the longitude first.
  case longitudeLatitude(String)

  /// Whether the choice consists of a single column.
  var isOne: Bool {
    switch self {
    case .automatic, .sphere, .plane: false
    case .wkt, .latitudeLongitude, .longitudeLatitude: true
    }
  }
}

/// Limits for reading, in bytes.
struct ReadingLimits {
  /// Number of bytes that are read from the input at once.
  var chunk = 512 << 10
  /// Maximum length of a record. The limit bounds the memory if a quote is never closed.
  var record = 64 << 20
}
