import Treeline

/// Corrects a history of merges, level by level, at the places where it is wrong. *Merging in parts* in Research.md
/// proves that the result is the history of merging all clusters together.
///
/// In each level, all clusters in an area are merged again, and these merges are the new history of the area. The area
/// surrounds the places where the old history is wrong. Clusters and merges that occur in only one of the two
/// histories form connected groups. Some groups involve clusters outside the area, which are not in the new history.
/// Such a group is taken from the old history. All other groups are taken from the new history. The area was too small
/// if a group that is taken from the old history is at a place where the old history is wrong. The area was also too
/// small if a cluster that is taken from one history could be merged with a cluster that is taken from the other
/// history.
package struct MergeRevision {
  /// Wrong merges of the old history. `added` contains the merges that replace them, in the order of merging.
  private(set) var removed: [UInt32] = []
  private(set) var added: [Merge] = []
  /// `gone`: clusters that only the old history has at this level. `here`: clusters that only the corrected history
  /// has at this level.
  private(set) var gone: Set<UInt32>
  private(set) var here: [UInt32: MergeCluster]

  private let tree: MergeTree
  private let curve: BadgeCurve
  private let anchor: ClusterAnchor
  private let crossesSeam: Bool
  private let border: MergeBorder?
  private let mostClusters: Int
  private let monitor: BuildMonitor

  /// Whether more clusters were merged again than allowed. Then the history is not corrected.
  var gaveUp: Bool { counts.clusters > mostClusters }

  /// Amount of work.
  private(set) var counts = Counts()

  package struct Counts: Sendable {
    /// Number of areas in which clusters were merged again.
    package var areas = 0
    /// Number of times that an area was too small.
    package var retries = 0
    /// Number of clusters in all areas.
    package var clusters = 0

    static func += (a: inout Counts, b: Counts) {
      a = Counts(areas: a.areas + b.areas, retries: a.retries + b.retries, clusters: a.clusters + b.clusters)
    }
  }

  /// - Parameters:
  ///   - border: Line between two parts of the plane. No merge of the old history crosses this line.
  ///   - gone: Leaves of the old history that do not exist any more.
  ///   - here: Leaves that the old history lacks.
  ///   - mostClusters: The revision gives up when it has merged more clusters again.
  init(
    _ tree: MergeTree, _ curve: BadgeCurve, _ anchor: ClusterAnchor, crossesSeam: Bool, border: MergeBorder? = nil,
    gone: Set<UInt32> = [], here: [UInt32: MergeCluster] = [:], mostClusters: Int = .max,
    _ monitor: BuildMonitor
  ) {
    (self.tree, self.curve, self.anchor, self.crossesSeam) = (tree, curve, anchor, crossesSeam)
    (self.border, self.gone, self.here, self.monitor) = (border, gone, here, monitor)
    self.mostClusters = mostClusters
  }

  /// Replaces the old merges in the tree by the new merges.
  func apply() {
    tree.remove(removed)
    for merge in added { tree.add(merge) }
  }

  /// Merges the clusters in an area again, for a range of bands. The area surrounds the places where the old history
  /// is wrong. It grows until it is large enough.
  ///
  /// - Parameters:
  ///   - bands: Bands of this level. They come directly after the bands of the previous call.
  ///   - greatestDiameter: Upper bound of badge diameters in these bands of the old history.
  ///   - candidates: Returns nodes and merges of the old history. The nodes are all nodes in the area when these
  ///     bands begin. The merges include each merge of these bands that is in the area, or that merges a cluster in
  ///     the area. Every merge comes after the merges below it.
  /// - Returns: an upper bound of the badge diameters in both histories, in these bands.
  mutating func revise(
    _ bands: ClosedRange<UInt8>, greatestDiameter: UInt16,
    _ candidates: (MergeArea) -> (nodes: [UInt32], merges: [UInt32])
  ) -> UInt16 {
    var greatest = greatestDiameter
    while true {
      var area = MergeArea(border, isCyclic: crossesSeam, reach: curve.reach(bands.upperBound, greatest))
      for node in gone { area.add(around: tree.place(node).position, margin: 2) }
      for cluster in here.values { area.add(around: cluster.position, margin: 2) }
      var margin = 2
      while let uncovered = revise(bands, area, &greatest, candidates(area)) {
        counts.retries += 1
        if uncovered.isEmpty || gaveUp { break }
        margin *= 2
        if margin == 4 || border == nil {
          for position in uncovered { area.add(around: position, margin: margin) }
        } else {
          area.widen(to: margin)
        }
      }
      if monitor.isCancelled || gaveUp || area.squareWidth >= curve.reach(bands.upperBound, greatest) {
        return greatest
      }
    }
  }

  /// - Returns: nil if the area was large enough. Otherwise no merges have been corrected, and the result lists
  ///   positions around which the area must grow. The area consists of squares. If the result is empty, the area needs
  ///   wider squares, because clusters may be merged over distances greater than the width of a square.
  private mutating func revise(
    _ bands: ClosedRange<UInt8>, _ area: MergeArea, _ greatestDiameter: inout UInt16,
    _ old: (nodes: [UInt32], merges: [UInt32])
  ) -> [PlanePoint]? {
    var inputs: [MergeCluster] = []
    for block in old.nodes.indices.blocks(of: 256) {
      for node in old.nodes[block] where !gone.contains(node) {
        inputs.append(crossesSeam ? tree.clusterAroundTheWorld(node) : tree.cluster(node))
      }
      monitor.noteWork(onScattered: block.count)
    }
    inputs += here.values
    if inputs.count < 2 && old.merges.isEmpty {
      // In this area, neither history merges anything.
      counts.areas += 1
      greatestDiameter = max(greatestDiameter, inputs.first.map { curve.units(of: $0.sums.count) } ?? 0)
      return curve.reach(bands.upperBound, greatestDiameter) > area.squareWidth ? [] : nil
    }
    inputs.sort { tree.leaves.precedes($0.leastMember, $1.leastMember) }
    var merging = TouchMerging(
      inputs.count, curve: curve, anchor: anchor, crossesSeam: crossesSeam, leafCount: tree.leafCount, reports: false,
      monitor
    ) { inputs[$0] }
    merging.run(bands)
    counts.areas += 1
    counts.clusters += inputs.count
    if monitor.isCancelled { return nil }
    greatestDiameter = max(greatestDiameter, merging.greatestDiameter)
    if curve.reach(bands.upperBound, greatestDiameter) > area.squareWidth { return [] }
    var comparison = MergeComparison(tree, bands, inputs, merging.merges, here: here)
    comparison.compare(gone: gone, old.merges, area)
    let uncovered = self.uncovered(&comparison, bands, area, greatestDiameter)
    if !uncovered.isEmpty { return uncovered }
    take(&comparison, bands)
    return nil
  }

  /// Returns the positions around which the area must grow. The result is empty if the area is large enough.
  private func uncovered(
    _ comparison: inout MergeComparison, _ bands: ClosedRange<UInt8>, _ area: MergeArea, _ greatestDiameter: UInt16
  ) -> [PlanePoint] {
    typealias Badge = (position: PlanePoint, diameter: UInt16)
    var (uncovered, new, old) = ([PlanePoint](), [Badge](), [Badge]())
    for element in comparison.differing {
      let (cluster, isNew, isOld) = comparison.cluster(element)
      let badge = (cluster.position, curve.units(of: cluster.count))
      switch comparison.side(element) {
      case .both: uncovered.append(cluster.position)
      case .beyond: if isOld { old.append(badge) }
      case .within:
        if isNew { new.append(badge) }
        if !area.surrounds(cluster.position) { uncovered.append(cluster.position) }
      }
    }
    if let border {
      // The old history merges nothing across the border. So it may lack a merge of an old cluster with a cluster
      // beyond the border.
      for (position, diameter) in old
      where Double(border.distance(position)) <= curve.reach(bands.upperBound, diameter, greatestDiameter) {
        uncovered.append(position)
      }
    }
    new.sort { $0.position.y < $1.position.y }
    let reach = curve.reach(bands.upperBound, greatestDiameter)
    for (position, diameter) in old {
      let (top, bottom) = (Double(position.y) - reach, Double(position.y) + reach)
      for other in new[firstIndex(in: new.indices) { Double(new[$0].position.y) >= top }...] {
        if Double(other.position.y) > bottom { break }
        let squaredDistance = (crossesSeam ? .webMercator : Plane.Projection.planar).squaredDistance(
          position, other.position)
        let scaledDistance = BadgeCurve.scaled(squaredDistance, width: curve.width(diameter, other.diameter))
        if scaledDistance <= DistanceBands.greatest(of: bands.upperBound) { uncovered.append(position) }
      }
    }
    return uncovered
  }

  private mutating func take(_ comparison: inout MergeComparison, _ bands: ClosedRange<UInt8>) {
    var (gone, here) = (Set<UInt32>(), [UInt32: MergeCluster]())
    for element in comparison.differing where comparison.side(element) == .within {
      if let merge = comparison.newMerge(element) { added.append(merge) }
      if let merge = comparison.oldMerge(element) { removed.append(merge) }
      let (node, isThere, wasThere) = comparison.end(element)
      if wasThere && !isThere { gone.insert(node) }
      if isThere && !wasThere { here[node] = comparison.newCluster(element) }
    }
    (self.gone, self.here) = (gone, here)
  }
}

/// Comparison of an old and a new history of merges in some bands.
///
/// The elements are clusters. They are the initial clusters of the new history, the clusters that the new history
/// makes by merging, and the clusters that only the old history has.
private struct MergeComparison {
  /// Where a group of connected clusters lies, compared with the area in which clusters are merged again. If no
  /// cluster of the group lies outside the area (`within`), the group is taken from the new history. If the group
  /// reaches beyond the area (`beyond`), it is taken from the old history. If such a group also lies at a place where
  /// the old history is wrong (`both`), the area is too small.
  enum Side { case within, beyond, both }

  private let tree: MergeTree
  private let bands: ClosedRange<UInt8>
  private let inputs: [MergeCluster]
  private let merges: MergeList
  /// For each node of the new history, the index of its element. The elements are the clusters that are compared.
  private var numbers: NodeNumbers
  /// For each cluster of the new history, whether the old history has this cluster, too.
  private var isCommon: [Bool]
  /// For each cluster of the new history, whether the new history merges this cluster.
  private var isMerged: [Bool]
  /// Nodes that only the old history has.
  private var olds: [(node: UInt32, isMerge: Bool)] = []
  /// For each element, its parent in a union-find forest. Connected elements have the same root.
  private var parents: [Int32]
  private var isWithin: [Bool]
  private var isBeyond: [Bool]
  private var isDifferent: [Bool]

  init(
    _ tree: MergeTree, _ bands: ClosedRange<UInt8>, _ inputs: [MergeCluster], _ merges: MergeList,
    here: [UInt32: MergeCluster]
  ) {
    (self.tree, self.bands, self.inputs, self.merges) = (tree, bands, inputs, merges)
    let count = inputs.count + merges.count
    numbers = NodeNumbers(capacity: count)
    (isCommon, isMerged) = (Array(repeating: true, count: count), Array(repeating: false, count: count))
    parents = (0..<Int32(count)).map { $0 }
    isWithin = Array(repeating: false, count: count)
    (isBeyond, isDifferent) = (isWithin, isWithin)
    for (number, input) in inputs.enumerated() {
      numbers[input.node] = number
      if here[input.node] != nil {
        isCommon[number] = false
        mark(number)
      }
    }
  }

  mutating func compare(gone: Set<UInt32>, _ oldMerges: [UInt32], _ area: MergeArea) {
    for (index, merge) in merges.enumerated() {
      let (number, left, right) = (inputs.count + index, numbers[merge.left]!, numbers[merge.right]!)
      numbers[merge.cluster.node] = number
      (isMerged[left], isMerged[right]) = (true, true)
      let old = tree[merge.cluster.node]
      if isCommon[left] && isCommon[right] && old.left == merge.left && old.right == merge.right
        && tree.place(merge.cluster.node).band == merge.band
      {
        continue
      }
      isCommon[number] = false
      unite(number, left)
      unite(number, right)
    }
    var oldNumbers = NodeNumbers(capacity: gone.count + oldMerges.count)
    for node in gone {
      let number = addOld(node, isMerge: false)
      oldNumbers[node] = number
      mark(number)
    }
    for node in oldMerges {
      if let number = numbers[node], isCommon[number], number >= inputs.count { continue }
      let parts = [tree[node].left, tree[node].right].map { part in
        oldNumbers[part] ?? numbers[part].flatMap { isCommon[$0] ? $0 : nil }
      }
      // If both clusters of a merge lie beyond the area, the merge matters only if their union is in the area.
      if parts[0] == nil && parts[1] == nil && !area.contains(tree.place(node).position) { continue }
      let number = addOld(node, isMerge: true)
      oldNumbers[node] = number
      for part in parts {
        if let part { unite(number, part) } else { isBeyond[root(number)] = true }
      }
    }
  }

  private mutating func addOld(_ node: UInt32, isMerge: Bool) -> Int {
    olds.append((node, isMerge))
    parents.append(Int32(parents.count))
    isWithin.append(false)
    isBeyond.append(false)
    isDifferent.append(true)
    return parents.count - 1
  }

  /// Marks an element that lies at a place where the old history is wrong.
  private mutating func mark(_ number: Int) {
    isDifferent[number] = true
    isWithin[number] = true
  }

  private mutating func root(_ number: Int) -> Int {
    var number = number
    while parents[number] != Int32(number) {
      parents[number] = parents[Int(parents[number])]
      number = Int(parents[number])
    }
    return number
  }

  private mutating func unite(_ a: Int, _ b: Int) {
    (isDifferent[a], isDifferent[b]) = (true, true)
    let (a, b) = (root(a), root(b))
    if a == b { return }
    parents[b] = Int32(a)
    isWithin[a] = isWithin[a] || isWithin[b]
    isBeyond[a] = isBeyond[a] || isBeyond[b]
  }

  /// Elements that only one history has, and elements that the two histories merge differently. The elements of the new
  /// history are in the order of merging.
  var differing: [Int] { parents.indices.filter { isDifferent[$0] } }

  mutating func side(_ element: Int) -> Side {
    let root = root(element)
    return isBeyond[root] ? isWithin[root] ? .both : .beyond : .within
  }

  private func isNew(_ element: Int) -> Bool { element < inputs.count + merges.count }

  func newCluster(_ element: Int) -> MergeCluster {
    element < inputs.count ? inputs[element] : merges[element - inputs.count].cluster
  }

  func cluster(_ element: Int) -> (cluster: (position: PlanePoint, count: UInt32), isNew: Bool, isOld: Bool) {
    if isNew(element) {
      let cluster = newCluster(element)
      return ((cluster.position, cluster.sums.count), true, isCommon[element])
    }
    let node = olds[element - inputs.count - merges.count].node
    return ((tree.place(node).position, tree.count(of: node)), false, true)
  }

  /// Returns the merge that made an element. Returns nil if no merge made it, or if the old history also has this
  /// merge.
  func newMerge(_ element: Int) -> Merge? {
    isNew(element) && element >= inputs.count && !isCommon[element] ? merges[element - inputs.count] : nil
  }

  /// Returns the merge that made an element. Returns nil if no merge made it, or if the new history also has this
  /// merge.
  func oldMerge(_ element: Int) -> UInt32? {
    guard !isNew(element) else { return nil }
    let old = olds[element - inputs.count - merges.count]
    return old.isMerge ? old.node : nil
  }

  /// Returns the node of an element. Also returns whether this node exists after these bands in the new history
  /// (`isThere`) and in the old history (`wasThere`).
  func end(_ element: Int) -> (node: UInt32, isThere: Bool, wasThere: Bool) {
    let node = isNew(element) ? newCluster(element).node : olds[element - inputs.count - merges.count].node
    let isOld = !isNew(element) || isCommon[element]
    return (node, isNew(element) && !isMerged[element], isOld && !bands.contains(tree.place(node).endBand))
  }
}

/// A hash table of numbers by node. A `Dictionary` took a tenth of the time of joining parts.
private struct NodeNumbers {
  private var entries: [(node: UInt32, number: Int32)]
  private let shift: UInt64
  private static var none: Int32 { -1 }

  /// - Parameter capacity: Greatest number of nodes.
  init(capacity: Int) {
    let bits = Int.bitWidth - (2 * capacity).leadingZeroBitCount
    entries = Array(repeating: (0, Self.none), count: 1 << bits)
    shift = UInt64(UInt64.bitWidth - bits)
  }

  /// Nodes cannot be removed.
  subscript(_ node: UInt32) -> Int? {
    get {
      let number = entries[index(of: node)].number
      return number == Self.none ? nil : Int(number)
    }
    set { entries[index(of: node)] = (node, Int32(newValue!)) }
  }

  /// Index of the entry of a node, or of the entry where the node would be stored.
  private func index(of node: UInt32) -> Int {
    var index = Int((UInt64(node) &* 0x9E37_79B9_7F4A_7C15) >> shift)
    while entries[index].number != Self.none && entries[index].node != node {
      index = (index + 1) & (entries.count - 1)
    }
    return index
  }
}
