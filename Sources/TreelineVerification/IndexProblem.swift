/// Something in an index that is not as it was written.
public struct IndexProblem: Hashable, Sendable {
  /// Where: a section, a byte, a node record or a point.
  public var location: String
  /// What should be there.
  public var expected: String
  /// What is there.
  public var found: String
}

extension IndexProblem: CustomStringConvertible {
  public var description: String { "\(location): expected \(expected), found \(found)" }
}

/// The problems found so far, up to as many as anybody reads.
final class ProblemList {
  private(set) var problems: [IndexProblem] = []

  static let capacity = 100
  var count: Int { problems.count }
  var isFull: Bool { count >= Self.capacity }

  func add(_ location: @autoclosure () -> String, expected: @autoclosure () -> String, found: @autoclosure () -> String)
  { if !isFull { problems.append(IndexProblem(location: location(), expected: expected(), found: found())) } }

  func check(
    _ condition: Bool, _ location: @autoclosure () -> String, expected: @autoclosure () -> String,
    found: @autoclosure () -> String
  ) { if !condition { add(location(), expected: expected(), found: found()) } }
}
