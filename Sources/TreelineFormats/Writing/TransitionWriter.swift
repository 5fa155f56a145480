import Treeline

/// Writes what changes between two answers as JSON, for a client that draws it.
///
/// `kept`, `entered` and `left` are lists of clusters; `splits` and `merges` of a `whole`, its `parts`, and the
/// `hidden_point_count` of its points that no part has. A part of a split moves from the whole's coordinates to its
/// own, a part of a merge from its own to the whole's.
///
/// Between answers under two filters a change has `filtered_out_point_count` and `filtered_in_point_count`, and so has
/// a kept cluster, with its `from_point_count`. All of them add up: what a split whole has are its parts, less those
/// filtered in, with those filtered out and hidden; of a merge the parts are less those filtered out, with those
/// filtered in and hidden.
public struct TransitionWriter: Sendable {
  private let format: CoordinateFormat

  /// - Parameter plane: On which the clusters lie, which says how many decimals are written.
  public init(plane: Plane) { format = CoordinateFormat(of: plane) }

  /// Where a cluster is shown.
  public typealias Position = (Cluster) throws -> Coordinate

  /// With what diameter a cluster is drawn, in pixels, if that is known: `ClusterTree.badgeDiameter` knows.
  public typealias Diameter = (Cluster) -> Double?

  /// One JSON object, one cluster or one change a line.
  ///
  /// - Parameters:
  ///   - transition: What changes.
  ///   - first: Where clusters of the first answer are shown. A kept one that moves has `from_coordinates`.
  ///   - second: Where those of the second are.
  ///   - diameters: Of clusters of the first answer and of the second, which have them as `badge_px`; a kept one that
  ///     grows or shrinks has `from_badge_px`, too.
  public func text(
    _ transition: Transition, from first: Position, to second: Position,
    diameters: (from: Diameter, to: Diameter)? = nil
  ) rethrows -> String {
    var bytes = OutputBytes()
    bytes.append("{")
    try appendMembers(of: transition, from: first, to: second, diameters: diameters, into: &bytes)
    bytes.append("}\n")
    return bytes.text
  }

  /// The members of that object, for one that has others besides.
  @_spi(Server) public func appendMembers(
    of transition: Transition, from first: Position, to second: Position,
    diameters: (from: Diameter, to: Diameter)? = nil, into bytes: inout OutputBytes
  ) rethrows {
    func before(_ cluster: Cluster) throws -> Look { Look(try first(cluster), diameters?.from(cluster)) }
    func after(_ cluster: Cluster) throws -> Look { Look(try second(cluster), diameters?.to(cluster)) }
    try append("\"kept\":[", transition.kept.indices, to: &bytes) { index, bytes in
      let (cluster, old) = (transition.kept[index], transition.keptBefore[index])
      let change = FilterChange(transition.filteredPointCounts(in: cluster.range), from: old.pointCount)
      append(cluster, try after(cluster), from: try before(old), change, to: &bytes)
    }
    try append(",\"splits\":[", transition.splits, to: &bytes) { try append($0, whole: before, parts: after, to: &$1) }
    try append(",\"merges\":[", transition.merges, to: &bytes) { try append($0, whole: after, parts: before, to: &$1) }
    try append(",\"entered\":[", transition.entered, to: &bytes) { append($0, try after($0), to: &$1) }
    try append(",\"left\":[", transition.exited, to: &bytes) { append($0, try before($0), to: &$1) }
  }

  /// How a cluster of one answer is drawn.
  private struct Look {
    let coordinate: Coordinate
    let diameter: Double?

    init(_ coordinate: Coordinate, _ diameter: Double?) { (self.coordinate, self.diameter) = (coordinate, diameter) }
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
    _ change: Transition.Replacement, whole: (Cluster) throws -> Look, parts: (Cluster) throws -> Look,
    to bytes: inout OutputBytes
  ) rethrows {
    bytes.append("{\"whole\":")
    append(change.whole, try whole(change.whole), to: &bytes)
    bytes.append(",\"parts\":[")
    for (number, part) in change.parts.enumerated() {
      if number > 0 { bytes.append(",") }
      append(part, try parts(part), to: &bytes)
    }
    bytes.append("],\"hidden_point_count\":")
    bytes.append(change.hiddenPointCount)
    FilterChange((change.filteredOutPointCount, change.filteredInPointCount)).write(to: &bytes)
    bytes.append("}")
  }

  /// How many points pass one filter alone.
  private struct FilterChange {
    let filteredOut, filteredIn: Int
    /// Of a kept cluster, how many it had.
    let pointCountBefore: Int?

    init(_ counts: (out: Int, in: Int), from count: Int? = nil) {
      (filteredOut, filteredIn, pointCountBefore) = (counts.out, counts.in, count)
    }

    /// Nothing where no point does.
    func write(to bytes: inout OutputBytes) {
      guard filteredOut + filteredIn > 0 else { return }
      if let pointCountBefore {
        bytes.append(",\"from_point_count\":")
        bytes.append(pointCountBefore)
      }
      bytes.append(",\"filtered_out_point_count\":")
      bytes.append(filteredOut)
      bytes.append(",\"filtered_in_point_count\":")
      bytes.append(filteredIn)
    }
  }

  /// A cluster and where it stands.
  @_spi(Server) public func append(_ cluster: Cluster, to bytes: inout OutputBytes) {
    append(cluster, Look(cluster.coordinate, nil), to: &bytes)
  }

  /// - Parameters:
  ///   - start: How the same cluster was drawn before, where it is kept.
  ///   - change: What another filter changed of its points.
  private func append(
    _ cluster: Cluster, _ look: Look, from start: Look? = nil, _ change: FilterChange? = nil,
    to bytes: inout OutputBytes
  ) {
    bytes.append("{\"cluster_id\":")
    bytes.append(cluster.id.rawValue)
    bytes.append(",\"point_count\":")
    bytes.append(cluster.pointCount)
    change?.write(to: &bytes)
    if let diameter = look.diameter {
      bytes.append(",\"badge_px\":")
      bytes.append(json: diameter)
    }
    if let diameter = start?.diameter, diameter != look.diameter {
      bytes.append(",\"from_badge_px\":")
      bytes.append(json: diameter)
    }
    bytes.append(",\"coordinates\":")
    append(look.coordinate, to: &bytes)
    if let start, start.coordinate != look.coordinate {
      bytes.append(",\"from_coordinates\":")
      append(start.coordinate, to: &bytes)
    }
    bytes.append("}")
  }

  private func append(_ position: Coordinate, to bytes: inout OutputBytes) {
    bytes.append("[")
    format.append(position.longitude, position.latitude, to: &bytes)
    bytes.append("]")
  }
}
