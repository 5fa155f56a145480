import Treeline

/// Writes the changes between two answers as JSON, for a client that draws them.
///
/// `kept`, `entered` and `left` are lists of clusters. `splits` and `merges` have a `whole`, its `parts`, and
/// `hidden_point_count`, the number of the whole's points that are in no part. A part of a split moves from the
/// coordinates of the whole to its own coordinates. A part of a merge moves from its own coordinates to the coordinates
/// of the whole.
///
/// Between answers with two filters a change has `filtered_out_point_count` and `filtered_in_point_count`. A kept
/// cluster has both members, too, and a `from_point_count`. The numbers add up. The points of a split's whole are the
/// points of its parts, less the points filtered in, plus the points filtered out and the hidden points. The points of
/// a merge's whole are the points of its parts, less the points filtered out, plus the points filtered in and the
/// hidden points.
public struct TransitionWriter: Sendable {
  private let format: CoordinateFormat

  /// - Parameter plane: Plane of the clusters, which determines the number of decimals.
  public init(plane: Plane) { format = CoordinateFormat(of: plane) }

  /// Returns where a cluster is shown.
  public typealias Position = (Cluster) throws -> Coordinate

  /// Returns the diameter of a cluster's badge in pixels, if it has one: see `ClusterTree.badgeDiameter`.
  public typealias Diameter = (Cluster) -> Double?

  /// Returns a JSON object, with one cluster or one change per line.
  ///
  /// - Parameters:
  ///   - transition: The changes.
  ///   - first: Returns where clusters of the first answer are shown. A kept cluster that moves has `from_coordinates`.
  ///   - second: Returns where clusters of the second answer are shown.
  ///   - diameters: Return the diameters of clusters in the first and in the second answer, for `badge_px`. A kept
  ///     cluster that grows or shrinks also has `from_badge_px`.
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

  /// Appends the members of the object that describes a transition, for an object that has other members, too.
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

  /// The position and the diameter of the badge with which one answer shows a cluster.
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

  /// Numbers of points that pass only one of the filters.
  private struct FilterChange {
    let filteredOut, filteredIn: Int
    /// Point count of a kept cluster in the first answer.
    let pointCountBefore: Int?

    init(_ counts: (out: Int, in: Int), from count: Int? = nil) {
      (filteredOut, filteredIn, pointCountBefore) = (counts.out, counts.in, count)
    }

    /// Writes the numbers, or nothing if both are 0.
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

  /// Appends a cluster at its own position.
  @_spi(Server) public func append(_ cluster: Cluster, to bytes: inout OutputBytes) {
    append(cluster, Look(cluster.coordinate, nil), to: &bytes)
  }

  /// - Parameters:
  ///   - start: The look of a kept cluster in the first answer.
  ///   - change: Numbers of the cluster's points that pass only one of the filters.
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
