@_spi(Server) import Treeline

/// The part of the plane that a screen of 1024 by 768 pixels shows at a zoom, cut at the edge of the plane.
public struct Screen: Hashable, Sendable {
  package let window: PlaneWindow
  public let zoom: Double

  /// Position of the middle of the screen on the plane. This may be a copy of the position, a full turn around the
  /// world away.
  let x: Double
  let y: Double

  static let width = 1024.0
  static let height = 768.0

  init(x: Double, y: Double, zoom: Double, on plane: Plane) {
    self.zoom = zoom
    (self.x, self.y) = (x, y)
    let units = Plane.unitsPerPixel(zoom: zoom)
    let (halfWidth, halfHeight) = (Self.width / 2 * units, Self.height / 2 * units)
    func onPlane(_ y: Double) -> UInt32 { UInt32(min(max(y, 0), 0x1p32 - 1)) }
    let (minY, maxY) = (onPlane(y - halfHeight), onPlane(y + halfHeight))
    if plane.projection == .planar {
      let (minX, maxX) = (onPlane(x - halfWidth), onPlane(x + halfWidth))
      window = PlaneWindow(x: minX, width: maxX - minX, minY: minY, maxY: maxY)
    } else if 2 * halfWidth >= 0x1p32 - 1 {
      window = PlaneWindow(x: 0, width: .max, minY: minY, maxY: maxY)
    } else {
      let (west, east) = ((x - halfWidth).rounded(.down), (x + halfWidth).rounded(.down))
      window = PlaneWindow(
        x: UInt32(truncatingIfNeeded: Int64(west)), width: UInt32(east - west), minY: minY, maxY: maxY)
    }
  }

  /// Returns whether the position of a cluster is inside the screen.
  public func shows(_ cluster: Cluster) -> Bool {
    // If a cluster lies across the seam, its mean may be greater than the last unit of the plane.
    window.contains(PlanePoint(x: UInt32(truncatingIfNeeded: Int64(cluster.meanX)), y: UInt32(cluster.meanY)))
  }
}

/// Makes random screens over a tree: around its points, inside other screens, and next to other screens.
public struct ScreenMaker {
  private let tree: ClusterTree
  private let leastZoom: Double
  private var random: SplitMix64

  /// - Precondition: The tree has a point.
  public init(over tree: ClusterTree, seed: UInt64) {
    self.tree = tree
    let rect = tree.root!.rect
    let size = Viewport.Size(width: Screen.width, height: Screen.height)
    leastZoom = min(Plane.zoom(fittingWidth: Double(rect.width), height: Double(rect.height), into: size), 18) - 1
    random = SplitMix64(seed: seed)
  }

  /// Returns a screen that contains a point of the tree. Its zoom is from `leastZoom` to `leastZoom` + 12. At
  /// `leastZoom`, all points fit into half of the screen's width and height.
  public mutating func next() -> Screen {
    let point = tree.position(atTreeIndex: random.index(below: tree.pointCount))
    let zoom = leastZoom + random.number(from: 0, to: 12)
    let units = Plane.unitsPerPixel(zoom: zoom)
    return Screen(
      x: Double(point.x) + random.number(from: -0.5, to: 0.5) * Screen.width * units,
      y: Double(point.y) + random.number(from: -0.5, to: 0.5) * Screen.height * units, zoom: zoom, on: tree.plane)
  }

  /// Returns a screen inside another screen, up to three zoom levels closer.
  public mutating func inside(_ screen: Screen) -> Screen {
    let closer = random.number(from: 0.001, to: 3)
    let zoom = screen.zoom + closer
    // Distance by which the middle of the inner screen may move, for each pixel of a side of the screen. At least one
    // unit remains at each edge.
    let room = (Plane.unitsPerPixel(zoom: screen.zoom) - Plane.unitsPerPixel(zoom: zoom)) / 2
    func off(_ side: Double) -> Double { random.number(from: -1, to: 1) * max(side * room - 2, 0) }
    return Screen(x: screen.x + off(Screen.width), y: screen.y + off(Screen.height), zoom: zoom, on: tree.plane)
  }

  /// Returns a screen at the same zoom, moved by a tenth of the screen in a random direction.
  public mutating func beside(_ screen: Screen) -> Screen {
    let units = Plane.unitsPerPixel(zoom: screen.zoom)
    let sides = [(0.1, 0.0), (-0.1, 0), (0, 0.1), (0, -0.1), (0.1, 0.1), (-0.1, 0.1), (0.1, -0.1), (-0.1, -0.1)]
    let (right, down) = sides[random.index(below: sides.count)]
    return Screen(
      x: screen.x + right * Screen.width * units, y: screen.y + down * Screen.height * units, zoom: screen.zoom,
      on: tree.plane)
  }

  public mutating func number(below bound: Int) -> Int { random.index(below: bound) }

  /// Returns a cut of a given kind, with random numbers.
  public mutating func cut(_ kind: ScreenCut.Kind) -> ScreenCut {
    let limit = 1 + random.index(below: 250)
    let pixels = random.number(from: 10, to: 80)
    let unclustered =
      kind.hasUnclusteredPoints
      ? UnclusteredPoints(
        leastMembers: 2 + random.index(below: 30),
        // At lower zooms, an answer would contain all points of the largest sets.
        fromZoom: leastZoom + random.number(from: 9, to: 18)) : .none
    return ScreenCut(kind: kind, cut: kind.cut(limit: limit, pixels: pixels, unclustered))
  }

  /// Returns a random cut of a random kind that the tree supports.
  public mutating func cut() -> ScreenCut {
    let kinds = ScreenCut.Kind.all(of: tree)
    return cut(kinds[random.index(below: kinds.count)])
  }
}

/// A cut: its kind and its numbers.
public struct ScreenCut: Hashable, Sendable {
  /// The kind of a cut, without its numbers.
  public struct Kind: Hashable, Sendable, CaseIterable, CustomStringConvertible {
    /// Criterion of the cut, if it is a cut by pixels; nil for a limit.
    let criterion: PixelCriterion?
    private var order = ExpansionOrder.breadthFirst
    private var isContinuing = false
    fileprivate var hasUnclusteredPoints = false
    private var isCapped = false

    private init(_ order: ExpansionOrder, isContinuing: Bool = false) {
      (criterion, self.order, self.isContinuing) = (nil, order, isContinuing)
    }

    private init(_ criterion: PixelCriterion, hasUnclusteredPoints: Bool, isCapped: Bool) {
      (self.criterion, self.hasUnclusteredPoints, self.isCapped) = (criterion, hasUnclusteredPoints, isCapped)
    }

    public static let breadthFirst = Kind(.breadthFirst)
    public static let continuing = Kind(.widestFirst, isContinuing: true)

    public static let allCases: [Kind] =
      ExpansionOrder.allCases.map { Kind($0) } + [continuing]
      + PixelCriterion.allCases.flatMap { criterion in
        [false, true].flatMap { alone in
          [false, true].map { Kind(criterion, hasUnclusteredPoints: alone, isCapped: $0) }
        }
        .filter { !$0.hasUnclusteredPoints || criterion != .badges }
      }

    /// Returns the kinds that a tree supports.
    public static func all(of tree: ClusterTree) -> [Kind] {
      allCases.filter { $0.criterion.map { tree.supports(Cut($0, pixels: 1)) } ?? true }
    }

    /// Whether a pan changes clusters only at the edge of the screen.
    public var isFixedOnPans: Bool { criterion != nil && !isCapped }

    fileprivate func cut(limit: Int, pixels: Double, _ unclustered: UnclusteredPoints) -> Cut {
      guard let criterion else {
        return .limit(limit, order: order, continuity: isContinuing ? .continuing : .independent)
      }
      // Badges have a scale of at most 2 instead of pixels.
      return Cut(criterion, pixels: criterion == .badges ? pixels / 40 : pixels).atMost(isCapped ? limit : .max)
        .unclustered(unclustered)
    }

    /// Words such as `spacing, points alone, capped`.
    public var description: String {
      guard let criterion else { return isContinuing ? "continuing" : order.rawValue }
      return criterion.rawValue + (hasUnclusteredPoints ? ", points alone" : "") + (isCapped ? ", capped" : "")
    }
  }

  let kind: Kind
  let cut: Cut

  var limit: Int { cut.limit }

  /// - Parameter previous: The previous answer. Only cuts that continue use it.
  public func answer(of tree: ClusterTree, on screen: Screen, after previous: Clusters? = nil) throws -> Clusters {
    try tree.clusters(cut, in: screen.window, zoom: screen.zoom, after: previous)
  }
}
