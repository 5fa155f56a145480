import Treeline

/// Writes the changes between two answers as JSON, for a client that draws the changes.
///
/// `kept`, `entered` and `left` are lists of clusters. Each element of `splits` and `merges` has a `whole`, its
/// `parts`, and `hidden_point_count`, the number of points of the whole that are in no part. A part of a split moves
/// from the coordinates of the whole to its own coordinates. A part of a merge moves from its own coordinates to the
/// coordinates of the whole.
///
/// If the answers have different filters, each split and merge has two more numbers. `filtered_out_point_count` is the
/// number of points that pass only the first filter. `filtered_in_point_count` is the number of points that pass only
/// the second filter. A kept cluster also has these two numbers, and `from_point_count`, the number of its points in
/// the first answer. If both of the two numbers are 0, they and `from_point_count` are left out. The numbers add up:
///
/// - split: whole = parts - filtered in + filtered out + hidden
/// - merge: whole = parts - filtered out + filtered in + hidden
public struct TransitionWriter: Sendable {
  private let format: CoordinateFormat

  /// - Parameter plane: Plane of the clusters. It determines the number of decimals.
  public init(plane: Plane) { format = CoordinateFormat(of: plane) }

  /// Returns the coordinate at which a cluster is shown.
  public typealias Position = (Cluster) throws -> Coordinate

  /// Returns the diameter of a cluster's badge in pixels; nil if the cluster has no badge. See
  /// `ClusterTree.badgeDiameter`.
  public typealias Diameter = (Cluster) -> Double?

  /// Returns a JSON object, with one cluster or change per line.
  ///
  /// - Parameters:
  ///   - transition: The changes.
  ///   - first: Returns where a cluster of the first answer is shown. A kept cluster that moves has `from_coordinates`.
  ///   - second: Returns where a cluster of the second answer is shown.
  ///   - diameters: Functions that return the diameters of clusters in the first and in the second answer, for
  ///     `badge_px`. A kept cluster whose diameter changes also has `from_badge_px`.
  public func text(
    _ transition: ClusterTransition, from first: Position, to second: Position,
    diameters: (from: Diameter, to: Diameter)? = nil
  ) rethrows -> String {
    var bytes = OutputBytes()
    bytes.append("{")
    try appendMembers(of: transition, from: first, to: second, diameters: diameters, into: &bytes)
    bytes.append("}\n")
    return bytes.text
  }

  /// Appends the members of the JSON object that describes a transition, without the braces of the object. The caller
  /// may add other members to this object.
  @_spi(Server) public func appendMembers(
    of transition: ClusterTransition, from first: Position, to second: Position,
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

  /// The position and the badge diameter of a cluster in one of the answers.
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
    _ change: ClusterTransition.Replacement, whole: (Cluster) throws -> Look, parts: (Cluster) throws -> Look,
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

  /// The number of points that pass only the first filter, and the number of points that pass only the second filter.
  private struct FilterChange {
    let filteredOut, filteredIn: Int
    /// For a kept cluster, the number of its points in the first answer.
    let pointCountBefore: Int?

    init(_ counts: (out: Int, in: Int), from count: Int? = nil) {
      (filteredOut, filteredIn, pointCountBefore) = (counts.out, counts.in, count)
    }

    /// Writes all numbers of this struct as members of a JSON object. Writes nothing if every point passes both
    /// filters or neither of them.
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

  /// Appends a cluster at its default position, with the box around its points.
  @_spi(Server) public func append(_ cluster: Cluster, to bytes: inout OutputBytes) {
    append(cluster, Look(cluster.coordinate, nil), hasBox: true, to: &bytes)
  }

  /// Appends a cluster.
  ///
  /// - Parameters:
  ///   - start: Position and badge diameter that a kept cluster has in the first answer.
  ///   - change: How many of the cluster's points pass only the first filter, and how many pass only the second
  ///     filter.
  private func append(
    _ cluster: Cluster, _ look: Look, from start: Look? = nil, _ change: FilterChange? = nil, hasBox: Bool = false,
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
    if hasBox {
      format.append(cluster.bounds, to: &bytes)
      if cluster.isStack { bytes.append(",\"stack\":true") }
    }
    bytes.append("}")
  }

  private func append(_ position: Coordinate, to bytes: inout OutputBytes) {
    bytes.append("[")
    format.append(position.longitude, position.latitude, to: &bytes)
    bytes.append("]")
  }
}
