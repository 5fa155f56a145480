/// How far a verification is.
public struct VerificationProgress: Hashable, Sendable {
  /// What a verification does, in this order.
  public enum Stage: String, Hashable, Sendable {
    /// Nodes are checked against their points.
    case hierarchy
    /// The distances are checked at which nodes give way to their children.
    case separations
  }

  /// What it does now.
  public let stage: Stage

  /// How much of the stage is done, from 0 to 1; it never falls.
  public let fraction: Double

  /// Of the whole index.
  public let pointCount: Int
}

/// Reports the progress of a stage at every hundredth.
struct VerificationMonitor {
  typealias Report = (VerificationProgress) -> Void

  let stage: VerificationProgress.Stage
  let pointCount: Int
  let report: Report?
  var toldPercent = -1

  /// - Parameter done: Of all points, 1 or more.
  mutating func tell(_ done: Int) {
    guard let report, done * 100 / pointCount > toldPercent else { return }
    toldPercent = done * 100 / pointCount
    report(
      VerificationProgress(stage: stage, fraction: min(Double(done) / Double(pointCount), 1), pointCount: pointCount))
  }
}
