/// Something in an index that is not as it was written.
public struct IndexProblem: Hashable, Sendable {
  /// Where: a section, a byte, a node record or a point.
  public var place: String
  public var expected: String
  public var found: String
}

extension IndexProblem: CustomStringConvertible {
  public var description: String { "\(place): expected \(expected), found \(found)" }
}

/// The problems found so far, up to as many as anybody reads.
struct ProblemList {
  private(set) var problems: [IndexProblem] = []

  static let capacity = 100
  var isFull: Bool { problems.count >= Self.capacity }

  mutating func add(_ place: @autoclosure () -> String, expected: String, found: @autoclosure () -> String) {
    if !isFull { problems.append(IndexProblem(place: place(), expected: expected, found: found())) }
  }
}
