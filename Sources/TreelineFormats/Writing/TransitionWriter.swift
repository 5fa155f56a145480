import Treeline

/// Writes what changes between two answers as JSON, for a client that draws it.
///
/// `kept`, `entered` and `left` are lists of clusters; `splits` and `merges` of a `whole`, its `parts`, and the
/// `hidden_point_count` of its points that no part has. A part of a split moves from the whole's coordinates to its own,
/// a part of a merge from its own to the whole's.
public struct TransitionWriter {
  private let format: CoordinateFormat

  public init(plane: Plane) {
    format = CoordinateFormat(of: plane)
  }

  /// One JSON object, one cluster or one change a line.
  public func text(_ transition: Transition) -> String {
    var text = "{"
    append("kept", transition.kept.map { Self.text($0, format) }, to: &text)
    text += ","
    append("splits", transition.splits.map(self.text), to: &text)
    text += ","
    append("merges", transition.merges.map(self.text), to: &text)
    text += ","
    append("entered", transition.entered.map { Self.text($0, format) }, to: &text)
    text += ","
    append("left", transition.left.map { Self.text($0, format) }, to: &text)
    return text + "}\n"
  }

  private func append(_ name: String, _ lines: [String], to text: inout String) {
    text += "\"\(name)\":[" + lines.map { "\n" + $0 }.joined(separator: ",") + (lines.isEmpty ? "]" : "\n]")
  }

  private func text(_ fork: Transition.Fork) -> String {
    let parts = fork.parts.map { Self.text($0, format) }.joined(separator: ",")
    return "{\"whole\":\(Self.text(fork.whole, format)),\"parts\":[\(parts)],"
      + "\"hidden_point_count\":\(fork.hiddenPointCount)}"
  }

  private static func text(_ cluster: Cluster, _ format: CoordinateFormat) -> String {
    let place = cluster.coordinate
    return "{\"cluster_id\":\(cluster.id),\"point_count\":\(cluster.pointCount),\"coordinates\":["
      + "\(format.string(place.longitude)),\(format.string(place.latitude))]}"
  }
}
