import Treeline

/// Checks the conditions that hold for every tree, by computing its values again from the points.
///
/// `violations` is empty for a sound tree. Each message names a cluster and the condition that it breaks.
public struct TreeInvariants {
  private let outline: TreeOutline
  private let coordinates: [Coordinate]
  private let principalLevels: Int
  private let positions: [PlanePoint]
  private let faults = Faults()

  public var violations: [String] { faults.messages }

  /// - Parameters:
  ///   - coordinates: Coordinates from which the tree was built.
  ///   - principalLevels: Number of levels whose clusters must be split across their principal axis. Deeper clusters
  ///     may be split otherwise.
  public init(_ outline: TreeOutline, of coordinates: [Coordinate], principalLevels: Int = .max) {
    self.outline = outline
    self.coordinates = coordinates
    self.principalLevels = principalLevels
    positions = (0..<outline.tree.pointCount).map { outline.tree.position(atTreeIndex: $0) }
    checkRoot()
    for entry in outline.entries { check(entry) }
    checkRows()
    checkLeaves()
  }

  private final class Faults { var messages: [String] = [] }

  private func expect(_ isSound: Bool, _ message: @autoclosure () -> String) {
    if !isSound { faults.messages.append(message()) }
  }

  private func checkRoot() {
    expect(
      positions.count == coordinates.count,
      "the tree has \(positions.count) points, but was built from \(coordinates.count)")
    expect(
      outline.tree.root?.range == (coordinates.isEmpty ? nil : 0..<coordinates.count),
      "the root is \(String(describing: outline.tree.root?.range)), not all of \(coordinates.count) points")
    expect(outline.depth <= TreeStorage.maximumLevel, "the tree is \(outline.depth) levels deep")
  }

  private func check(_ entry: TreeOutline.Entry) {
    let cluster = entry.cluster
    let name = "cluster \(cluster.range) at level \(entry.level)"
    let members = positions[cluster.range]
    var box = PlaneRect(members.first!)
    for point in members { box.formUnion(point) }
    expect(cluster.rect == box, "\(name): its box is \(cluster.rect), but the box around its points is \(box)")
    checkMean(of: members, cluster, name)
    expect(
      cluster.row == (members.count == 1 ? outline.tree.members(of: cluster)[0] : nil),
      "\(name): its index is \(String(describing: cluster.row))")
    guard !entry.children.isEmpty else {
      return expect(box.isPoint, "\(name): it has several positions and no children")
    }
    expect(entry.children.count == 2, "\(name): it has \(entry.children.count) children")
    expect(!box.isPoint, "\(name): it has a single position, but also children")
    let (left, right) = (outline.entries[entry.children[0]].cluster, outline.entries[entry.children[1]].cluster)
    expect(!left.range.isEmpty && !right.range.isEmpty, "\(name): \(left.range) or \(right.range) is empty")
    expect(
      left.range.lowerBound == cluster.range.lowerBound && left.range.upperBound == right.range.lowerBound
        && right.range.upperBound == cluster.range.upperBound,
      "\(name): its children \(left.range) and \(right.range) do not cover it exactly")
    if entry.level < principalLevels {
      faults.messages += PrincipalSplit(of: members).faults(left: left.range, by: outline.tree.splitRule!).map {
        "\(name): \($0)"
      }
    }
  }

  /// Sums of integers are exact. So the mean may be wrong by the rounding of one or two doubles, but not by a whole
  /// point.
  private func checkMean(of members: ArraySlice<PlanePoint>, _ cluster: Cluster, _ name: String) {
    let count = Int64(members.count)
    for (found, sum) in [
      (cluster.meanX, members.reduce(0) { $0 + Int64($1.x) }), (cluster.meanY, members.reduce(0) { $0 + Int64($1.y) }),
    ] {
      let (whole, rest) = sum.quotientAndRemainder(dividingBy: count)
      let exact = Double(whole) + Double(rest) / Double(count)
      expect(abs(found - exact) <= 0x1p-19, "\(name): its mean is at \(found), but its points have the mean \(exact)")
    }
  }

  private func checkRows() {
    guard let root = outline.tree.root else { return }
    let rows = Array(outline.tree.members(of: root))
    guard rows.sorted() == Array(coordinates.indices) else {
      return expect(false, "the rows of the tree are not a permutation of 0 ..< \(coordinates.count)")
    }
    for (index, row) in rows.enumerated() {
      let position = outline.tree.plane.point(at: coordinates[row])
      expect(position == positions[index], "row \(row) lies at \(positions[index]), but is projected to \(position)")
      if index > 0, positions[index] == positions[index - 1] {
        expect(rows[index - 1] < row, "rows \(rows[index - 1]) and \(row) of one position are out of order")
      }
    }
  }

  private func checkLeaves() {
    let leaves = outline.leaves.map { positions[$0.cluster.range.lowerBound] }
    expect(
      leaves.count == Set(positions).count && Set(leaves) == Set(positions),
      "there are \(leaves.count) leaves for \(Set(positions).count) distinct positions")
  }
}
