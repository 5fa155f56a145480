/// How far a build is.
public struct BuildProgress: Hashable, Sendable {
  public enum Stage: String, Hashable, Sendable {
    /// Places become positions on the plane.
    case projecting
    /// Points come into tree order.
    case splitting
    /// It is found at what distance each node gives way to its children.
    case separating
  }

  public let stage: Stage

  /// How much of the stage is done, from 0 to 1, never less than was told before.
  public let fraction: Double
}
