import Treeline

/// The reason why a map cannot be edited. Keys are given as the texts that Swift prints for them.
public enum EditError: Error, Hashable, Sendable {
  /// The map was made for an existing tree. So it is not known how this tree was built from the values.
  case notBuilt
  /// The map has groups.
  case grouped
  /// A key that does not equal itself, such as NaN.
  case unequalKey
  /// Two values of the map have the same key.
  case sharedKey(String)
  /// An edit names a key twice.
  case keyTwice(String)
  /// A value to insert has the same key as a value of the map.
  case keyExists(String)
  /// An edit removes or moves a key that no value of the map has.
  case noSuchKey(String)
  /// The coordinate of a value is outside the sphere or the plane.
  case invalidCoordinate(key: String, found: Coordinate, projection: Plane.Projection)
  /// A column cannot store its value of the value with this key. The column was made from a property of the values.
  case unsuitableValue(key: String, column: String, expected: String, found: String, remedy: String)
}

extension EditError: CustomStringConvertible {
  public var description: String {
    switch self {
    case .notBuilt:
      "expected a map that was built from values, found a map that uses an existing tree; "
        + "build the map from values, with 'ClusterMap(values, at: \\.coordinate)'"
    case .grouped: "expected a map without groups, found a map with groups; build the map again with the changed values"
    case .unequalKey:
      "expected keys that have an order, found a key that does not equal itself, such as NaN; "
        + "give the value another key"
    case .sharedKey(let key): "expected values with different keys, found two values with the key \(key)"
    case .keyTwice(let key): "expected each key once in an edit, found \(key) twice"
    case .keyExists(let key):
      "expected a new key, found \(key), which is on the map; to change a value, pass the value in 'moving'"
    case .noSuchKey(let key): "expected the key of a value on the map, found the unknown key \(key)"
    case .invalidCoordinate(let key, let found, let projection):
      "value \(key): " + BuildError.expectation(of: projection, found)
    case .unsuitableValue(let key, let column, let expected, let found, let remedy):
      "value \(key), column \(column.debugDescription): expected \(expected), found \(found); \(remedy)"
    }
  }
}
