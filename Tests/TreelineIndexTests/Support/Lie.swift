import PointSets
import Treeline
import TreelineBuilder

/// A false statement in an index, and the problems that verification must report for it.
struct Lie: Sendable, CustomStringConvertible {
  let damage: Damage
  let problems: [String]

  var description: String { damage.description }

  init(
    _ description: String, _ index: TestIndex, problems: [String],
    _ change: @escaping @Sendable (inout IndexEditor) -> Void
  ) {
    damage = Damage(description, index, change)
    self.problems = problems
  }
}

extension Lie {
  static let all = sphere + squares + sections + separations

  static let sphere = [
    Lie(
      "clipped points that do not lie on the edge", .tiny,
      problems: [
        "header, byte 64: expected at most as many clipped points as points on the edge of the plane (0), found 1"
      ]
    ) { $0.store(UInt32(1), at: 64) },
    Lie(
      "seam off the first point", .nodes,
      problems: [
        "header, byte 36: expected the seam 3875596176, the east end of the widest gap between points, found 3875595176"
      ]
    ) {
      $0.movePoints { ($0 + 1000, $1) }
      $0.store($0.header.plane.seam &- 1000, at: 36)
    },
    Lie(
      "seam behind a lesser gap", TestIndex("a quarter apart", [(0, 0), (90, 0)]),
      problems: [
        "header, byte 36: expected the seam 1073741824, the east end of the widest gap between points, found 2147483648"
      ]
    ) { $0.movePoints { ($0 * 3, $1) } },
    // If several gaps are equally wide, the seam is behind the first of them, counted eastwards from longitude -180.
    Lie(
      "seam behind the second of two equal gaps", TestIndex("half apart", [(-90, 0), (90, 0)]),
      problems: [
        "header, byte 36: expected the seam 1073741824, the east end of the widest gap between points, found 3221225472"
      ]
    ) { $0.store(UInt32(3 << 30), at: 36) },
    Lie(
      "seam of no points", .none,
      problems: ["header, byte 36: expected the seam 0, because there are no points, found 1"]
    ) { $0.store(UInt32(1), at: 36) },
  ]

  private static func plain(_ coordinates: [(Double, Double)]) -> TestIndex {
    TestIndex(
      name: "plain \(coordinates)",
      set: PointSet("plain", coordinates.map { Coordinate(x: $0.0, y: $0.1) }, as: .planar))
  }

  static let squares = [
    Lie(
      "square off its points", plain([(0, 0), (4, 2)]),
      problems: [
        "points: expected 0 as the least x and as the least y, found x 5 and y 7",
        "points: expected 4294967295 as the greatest x or y, found x 2147483652 and y 1073741831",
      ]
    ) { $0.movePoints { ($0 / 2 + 5, $1 / 2 + 7) } },
    Lie(
      "square without a side", .planar,
      problems: ["header, byte 56: expected a side above 0, because the points have several positions, found 0.0"]
    ) { $0.store(0.0.bitPattern, at: 56) },
    Lie(
      "side around one position", plain([(3, 4)]),
      problems: ["header, byte 56: expected a side of 0, because all points have one position, found 2.0"]
    ) { $0.store(2.0.bitPattern, at: 56) },
    Lie(
      "square of no points", plain([]),
      problems: ["header, byte 48: expected 0, because there are no points, found 1.5"]
    ) { $0.store(1.5.bitPattern, at: 48) },
    // -0 equals 0. Only its bits show that no build has written it.
    Lie(
      "zero with a sign", plain([(0, 1), (1, 0)]), problems: ["header, byte 40: expected 0 without a sign, found -0.0"]
    ) { $0.store((-0.0).bitPattern, at: 40) },
  ]

  static let sections = [
    Lie(
      "section of a later version", .columns,
      problems: [
        "section table, byte 320: expected a kind of section that version 1.0 has, or a private kind from 2^31 on, "
          + "found 17"
      ]
    ) { $0.store(UInt32(17), at: 320) },
    Lie(
      "flags of other kinds", .columns,
      problems: [
        "section table, byte 132: expected the flag 1, because the section is of kind 'points', found 0",
        "section table, byte 356: expected the flag 0, because the section is of kind 'attribute', found 1",
      ]
    ) {
      $0.store(UInt32(0), at: 132)
      $0.store(UInt32(1), at: 356)
    },
    Lie(
      "more space than it takes", .tiny,
      problems: ["section table, byte 296: expected offset 512, the next multiple of 64, found 576"]
    ) {
      $0.insertZeros(64, at: 512)
      $0.store(UInt64(576), at: 296)
    },
    Lie(
      "name of two attributes",
      TestIndex(
        name: "bay, day", set: TestIndex.tiny.set,
        attributes: ["bay", "day", "ice"].map { IndexAttribute(name: $0) { _ in .null } }),
      problems: ["attribute \"bay\": expected a name that no other attribute has, found a duplicate"]
    ) { $0.store(UInt8(ascii: "b"), at: Int($0.header.sections[7].offset) + 16) },
  ]
}

extension Lie {
  private static let stacked = TestIndex(name: "tiny and spaced", set: TestIndex.tiny.set, hasSeparations: true)

  /// The points 0, 10, 11 and 21 on a line. The first two points form one node, and the last two points form another
  /// node. The nodes block each other until the first node is split, at a distance of 6 units. Then the point 10 blocks
  /// the second node down to a distance of 1 unit.
  private static let line = TestIndex(
    name: "line", set: PointSet("line", [0, 10, 11, 21].map { Coordinate(x: $0, y: 0) }, as: .planar),
    hasSeparations: true)

  static let separations = [
    Lie(
      "separation within a stack", stacked,
      problems: ["separation 3: expected 0, because no node is split here, found 7"]
    ) {
      $0.setSeparation(7, of: 3)
    },
    Lie(
      "separation greater than that of the parent", stacked,
      problems: [
        "separation 1: expected at most 44051, the separation of the parent, found 45072",
        "separation 1: expected at most 37037, because of the distance between the node's children and the scatter of the node's "
          + "points, found 45072",
      ]
    ) { $0.setSeparation(45_072, of: 1) },
    Lie(
      "separation greater than the distance between children", stacked,
      problems: [
        "separation 2: expected at most 44051, because of the distance between the node's children and the scatter of the node's "
          + "points, found 45072"
      ]
    ) { $0.setSeparation(45_072, of: 2) },
    Lie(
      "separation at which nodes are too near", line,
      problems: [
        "separation 1: expected at most 47268, because of the distance to another node, found 52537",
        "separation 3: expected at most 47268, because of the distance to another node, found 52537",
      ]
    ) { $0.setSeparation(52_537, of: 3) },
    Lie(
      "separation less than it could be", line,
      problems: [
        "separation 1: expected at least 52537, because no other node blocks the split, found 52536",
        "separation 3: expected at least 52537, because no other node blocks the split, found 47268",
      ]
    ) { $0.setSeparation(52_536, of: 1) },
    Lie(
      "flag of separations", line,
      problems: ["section table, byte 292: expected the flag 0, because the section is of kind 'separations', found 1"]
    ) { $0.store(UInt32(1), at: 292) },
  ]
}
