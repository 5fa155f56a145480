/// How far a verification is.
public struct VerificationProgress: Hashable, Sendable {
  public enum Stage: String, Hashable, Sendable {
    /// Nodes are held against their points.
    case hierarchy
    /// It is checked at what distance each node gives way to its children.
    case separations
  }

  public let stage: Stage

  /// How much of the stage is done, from 0 to 1, never less than was told before.
  public let fraction: Double

  /// How many points the index has.
  public let pointCount: Int
}

/// Tells of a stage's progress each time that another hundredth of it is done.
struct VerificationMonitor {
  typealias Report = (VerificationProgress) -> Void

  private let stage: VerificationProgress.Stage
  private let pointCount: Int
  private let report: Report?
  private var toldPercent = -1

  init(_ stage: VerificationProgress.Stage, pointCount: Int, _ report: Report?) {
    (self.stage, self.pointCount, self.report) = (stage, pointCount, report)
  }

  /// - Parameter done: Of all points, 1 or more.
  mutating func tell(_ done: Int) {
    guard let report, done * 100 / pointCount > toldPercent else { return }
    toldPercent = done * 100 / pointCount
    report(
      VerificationProgress(stage: stage, fraction: min(Double(done) / Double(pointCount), 1), pointCount: pointCount))
  }
}
