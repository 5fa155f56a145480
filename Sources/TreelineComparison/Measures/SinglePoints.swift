import Treeline

extension ViewMeasure {
  /// From 0 to 1; nil where no point is in view.
  static var singleShare: Self {
    Self(
      key: "single_share", title: "Points shown by themselves",
      explanation: "How many of the points in view no badge hides: share of those whose badge has one point.",
      unit: .smallShare, direction: .more
    ) { $0.singles.share }
  }

  /// From 0 to 1; nil where no point in view is lone.
  static var lonePointsKept: Self {
    Self(
      key: "lone_points_kept", title: "Lone points kept",
      explanation:
        "Of the points in view with no other one within \(shortest(SinglePoints.loneliness)) px, on screen or off: the "
        + "share of those shown by themselves, where they are.", unit: .share, direction: .more
    ) { $0.singles.loneShare }
  }
}

/// How many points of a view are shown by themselves.
struct SinglePoints: Sendable {
  /// See `ViewMeasure.singleShare` and `lonePointsKept`.
  private(set) var share: Double?
  private(set) var loneShare: Double?

  /// A point with no other this near is lone, in pixels: there is room for the badges of both, and for one between.
  static let loneliness = 3 * PixelCriterion.spacing.standard

  /// A lone point shown farther from where it is, in pixels, is not kept. Methods round positions in ways of their own.
  private static let tolerance = 0.5

  init() {}

  /// - Parameter lonePoints: By their tree indices: those in view with no other within `loneliness`.
  init(
    of clusters: [ShownCluster], _ points: ViewPoints, lonePoints: [Int], in membership: Membership,
    of tree: ClusterTree,
    view: ComparisonView
  ) {
    func single(_ treeIndex: Int) -> ShownCluster? {
      let owner = Int(membership.owners[treeIndex])
      return owner >= 0 && clusters[owner].pointCount == 1 ? clusters[owner] : nil
    }
    let kept = lonePoints.count { index in
      let position = view.pixel(of: tree.position(atTreeIndex: index))
      let distance = single(index)?.position.squaredDistance(to: position, turn: view.turn)
      return distance.map { $0 <= Self.tolerance * Self.tolerance } ?? false
    }
    share = points.count > 0 ? Double(points.treeIndices.count { single($0) != nil }) / Double(points.count) : nil
    loneShare = lonePoints.isEmpty ? nil : Double(kept) / Double(lonePoints.count)
  }
}

extension ClusterTree {
  /// The tree indices of the points in a view that have no other within `SinglePoints.loneliness`, in rising order.
  func lonePoints(in view: ComparisonView) throws -> [Int] {
    try lonePoints(in: view.window, within: SinglePoints.loneliness * view.unitsPerPixel)
  }

  /// Those in a window that have no other, in it or not, within a distance.
  ///
  /// - Complexity: O(log n) for each point of a bucket that is wider than the distance, which are few however many
  ///   points are in the window: all points of a smaller node have each other.
  func lonePoints(in window: PlaneWindow, within distance: Double) throws -> [Int] {
    try withStorage { storage in
      var lonePoints: [Int] = []
      var stack = storage.root.map { [$0] } ?? []
      while let node = stack.popLast() {
        let box = storage.box(of: node)
        let isCrowded = node.count > 1 && squaredLength(Double(box.width), Double(box.height)) <= distance * distance
        guard !isCrowded, window.intersects(box) else { continue }
        if node.count > Self.scannedCount, let (left, right) = try storage.children(of: node) {
          stack.append(right)
          stack.append(left)
          continue
        }
        for index in node.range {
          let point = position(atTreeIndex: index)
          guard window.contains(point) else { continue }
          // The point itself counts.
          let count = try pointCount(within: distance, ofX: Double(point.x), Double(point.y), upTo: 2)
          if count < 2 { lonePoints.append(index) }
        }
      }
      return lonePoints
    }
  }
}
