import Treeline

/// Writes what changes between two answers as JSON, for a client that draws it.
///
/// `kept`, `entered` and `left` are lists of clusters; `splits` and `merges` of a `whole`, its `parts`, and the
/// `hidden_point_count` of its points that no part has. A part of a split moves from the whole's coordinates to its
/// own, a part of a merge from its own to the whole's.
public struct TransitionWriter: Sendable {
  private let format: CoordinateFormat

  /// - Parameter plane: On which the clusters lie, which says how many decimals are written.
  public init(plane: Plane) { format = CoordinateFormat(of: plane) }

  /// Where a cluster is shown.
  public typealias Position = (Cluster) throws -> Coordinate

  /// One JSON object, one cluster or one change a line, given where clusters of the first answer and those of the
  /// second are shown. A kept one that moves has `from_coordinates`, too.
  public func text(_ transition: Transition, from first: Position, to second: Position) rethrows -> String {
    var bytes = OutputBytes()
    bytes.append("{")
    try appendMembers(of: transition, from: first, to: second, into: &bytes)
    bytes.append("}\n")
    return bytes.text
  }

  /// The members of that object, for one that has others besides.
  @_spi(Server) public func appendMembers(
    of transition: Transition, from first: Position, to second: Position, into bytes: inout OutputBytes
  ) rethrows {
    try append("\"kept\":[", transition.kept, to: &bytes) { cluster, bytes in
      let (start, end) = (try first(cluster), try second(cluster))
      append(cluster, at: end, from: start == end ? nil : start, to: &bytes)
    }
    try append(",\"splits\":[", transition.splits, to: &bytes) { try append($0, whole: first, parts: second, to: &$1) }
    try append(",\"merges\":[", transition.merges, to: &bytes) { try append($0, whole: second, parts: first, to: &$1) }
    try append(",\"entered\":[", transition.entered, to: &bytes) { append($0, at: try second($0), to: &$1) }
    try append(",\"left\":[", transition.exited, to: &bytes) { append($0, at: try first($0), to: &$1) }
  }

  private func append<Elements: RandomAccessCollection>(
    _ opening: StaticString, _ elements: Elements, to bytes: inout OutputBytes,
    each appendElement: (Elements.Element, inout OutputBytes) throws -> Void
  ) rethrows {
    bytes.append(opening)
    for (number, element) in elements.enumerated() {
      if number > 0 { bytes.append(",\n") } else { bytes.append("\n") }
      try appendElement(element, &bytes)
    }
    if elements.isEmpty { bytes.append("]") } else { bytes.append("\n]") }
  }

  private func append(
    _ change: Transition.Replacement, whole: Position, parts: Position, to bytes: inout OutputBytes
  ) rethrows {
    bytes.append("{\"whole\":")
    append(change.whole, at: try whole(change.whole), to: &bytes)
    bytes.append(",\"parts\":[")
    for (number, part) in change.parts.enumerated() {
      if number > 0 { bytes.append(",") }
      append(part, at: try parts(part), to: &bytes)
    }
    bytes.append("],\"hidden_point_count\":")
    bytes.append(change.hiddenPointCount)
    bytes.append("}")
  }

  /// A cluster and where it stands.
  @_spi(Server) public func append(_ cluster: Cluster, to bytes: inout OutputBytes) {
    append(cluster, at: cluster.coordinate, to: &bytes)
  }

  private func append(
    _ cluster: Cluster, at position: Coordinate, from start: Coordinate? = nil, to bytes: inout OutputBytes
  ) {
    bytes.append("{\"cluster_id\":")
    bytes.append(cluster.id.rawValue)
    bytes.append(",\"point_count\":")
    bytes.append(cluster.pointCount)
    bytes.append(",\"coordinates\":")
    append(position, to: &bytes)
    if let start {
      bytes.append(",\"from_coordinates\":")
      append(start, to: &bytes)
    }
    bytes.append("}")
  }

  private func append(_ position: Coordinate, to bytes: inout OutputBytes) {
    bytes.append("[")
    format.append(position.longitude, position.latitude, to: &bytes)
    bytes.append("]")
  }
}
