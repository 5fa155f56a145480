@_spi(Server) import Treeline

extension ViewMeasure {
  /// Share, from 0 to 1, of the points in view that are shown as single points. nil if no point is in view.
  static var singleShare: Self {
    Self(
      key: "single_share", title: "Points shown unclustered",
      explanation: "Share of the points in view that are shown alone, so that no badge hides them.",
      unit: .smallShare, direction: .more
    ) { $0.singles.share }
  }

  /// Share, from 0 to 1, of the lone points in view that are shown as single points at their own position. A point is
  /// lone if no other point is near it, see `SinglePoints.loneliness`. nil if no point in view is lone.
  static var lonePointsKept: Self {
    Self(
      key: "lone_points_kept", title: "Lone points kept",
      explanation:
        "Share of lone points that are shown as single points at their position. A point in view is lone if no other "
        + "point, on screen or off, is within \(shortest(SinglePoints.loneliness)) px.", unit: .share, direction: .more
    ) { $0.singles.loneShare }
  }
}

/// The shares of points in view that are shown as single points.
struct SinglePoints: Sendable {
  /// The values of `ViewMeasure.singleShare` and `ViewMeasure.lonePointsKept`.
  private(set) var share: Double?
  private(set) var loneShare: Double?

  /// A point is lone if no other point is within this distance, in pixels. Two points at this distance leave room for
  /// a third badge between their own badges.
  static let loneliness = 3 * PixelCriterion.spacing.standard

  /// Maximum distance, in pixels, from a lone point to its badge. Up to this distance, the point counts as shown at
  /// its own position. The distance is greater than 0, because some methods round positions differently.
  private static let tolerance = 0.5

  init() {}

  /// - Parameter lonePoints: Tree indices of the lone points in view.
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
  /// Returns the tree indices (places in the tree) of the lone points in a view, in ascending order.
  func lonePoints(in view: ComparisonView) throws -> [Int] {
    try lonePoints(in: view.window, within: SinglePoints.loneliness * view.unitsPerPixel)
  }

  /// Returns the tree indices of the lone points in a window. A point is lone if every other point, inside or outside
  /// the window, is farther away than `distance`.
  ///
  /// - Complexity: O(log n) for each point in a bucket (a node of few points) that is wider than the distance. Few
  ///   points lie in such buckets. A narrower node of several points is skipped: no two of its points are farther
  ///   apart than the distance, so none of them is lone.
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
          // The count includes the point itself.
          let count = try pointCount(within: distance, ofX: Double(point.x), Double(point.y), upTo: 2)
          if count < 2 { lonePoints.append(index) }
        }
      }
      return lonePoints
    }
  }
}
