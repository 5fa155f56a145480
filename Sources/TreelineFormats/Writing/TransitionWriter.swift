import Treeline

/// Writes what changes between two answers as JSON, for a client that draws it.
///
/// `kept`, `entered` and `left` are lists of clusters; `splits` and `merges` of a `whole`, its `parts`, and the
/// `hidden_point_count` of its points that no part has. A part of a split moves from the whole's coordinates to its own,
/// a part of a merge from its own to the whole's.
public struct TransitionWriter: Sendable {
  private let format: CoordinateFormat

  public init(plane: Plane) {
    format = CoordinateFormat(of: plane)
  }

  /// One JSON object, one cluster or one change a line.
  public func text(_ transition: Transition) -> String {
    var bytes = OutputBytes()
    bytes.append("{")
    appendMembers(of: transition, to: &bytes)
    bytes.append("}\n")
    return bytes.text
  }

  /// The members of that object, for one that has others besides.
  public func appendMembers(of transition: Transition, to bytes: inout OutputBytes) {
    append("\"kept\":[", transition.kept, to: &bytes)
    append(",\"splits\":[", transition.splits, to: &bytes)
    append(",\"merges\":[", transition.merges, to: &bytes)
    append(",\"entered\":[", transition.entered, to: &bytes)
    append(",\"left\":[", transition.left, to: &bytes)
  }

  private func append(_ opening: StaticString, _ clusters: Clusters, to bytes: inout OutputBytes) {
    bytes.append(opening)
    for number in clusters.indices {
      if number > 0 { bytes.append(",\n") } else { bytes.append("\n") }
      append(clusters[number], to: &bytes)
    }
    close(isEmpty: clusters.isEmpty, to: &bytes)
  }

  private func append(_ opening: StaticString, _ forks: [Transition.Fork], to bytes: inout OutputBytes) {
    bytes.append(opening)
    for (number, fork) in forks.enumerated() {
      if number > 0 { bytes.append(",\n") } else { bytes.append("\n") }
      append(fork, to: &bytes)
    }
    close(isEmpty: forks.isEmpty, to: &bytes)
  }

  private func close(isEmpty: Bool, to bytes: inout OutputBytes) {
    if isEmpty { bytes.append("]") } else { bytes.append("\n]") }
  }

  private func append(_ fork: Transition.Fork, to bytes: inout OutputBytes) {
    bytes.append("{\"whole\":")
    append(fork.whole, to: &bytes)
    bytes.append(",\"parts\":[")
    for number in fork.parts.indices {
      if number > 0 { bytes.append(",") }
      append(fork.parts[number], to: &bytes)
    }
    bytes.append("],\"hidden_point_count\":")
    bytes.append(fork.hiddenPointCount)
    bytes.append("}")
  }

  /// A cluster and where it stands.
  public func append(_ cluster: Cluster, to bytes: inout OutputBytes) {
    bytes.append("{\"cluster_id\":")
    bytes.append(cluster.id.rawValue)
    bytes.append(",\"point_count\":")
    bytes.append(cluster.pointCount)
    bytes.append(",\"coordinates\":[")
    let place = cluster.coordinate
    format.append(place.longitude, to: &bytes)
    bytes.append(",")
    format.append(place.latitude, to: &bytes)
    bytes.append("]}")
  }
}
