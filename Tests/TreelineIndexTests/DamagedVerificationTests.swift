import PointSets
import Testing
import Treeline
import TreelineBuilder

/// Damages indexes of every kind at several places at once, and repairs their checksums. Verification and queries must
/// end in an answer or in a typed error.
@Suite struct DamagedVerificationTests {
  private static let trialCount = 60

  private static func tree(_ set: PointSet, _ growth: Growth, _ anchor: ClusterAnchor = .mean) throws -> ClusterTree {
    try ClusterTree(
      set.coordinates, as: set.projection,
      options: BuildOptions(growth: growth, threads: 1, anchor: anchor)
    ).withSeparations()
  }

  static let kinds: [(String, @Sendable () throws -> [UInt8])] = [
    ("split", { try tree(.cities(400, seed: 1), .splitting(.standard)).indexBytes() }),
    ("gamma", { try tree(.planar(300, x: 0...4, y: 0...1, seed: 2), .splitting(.gamma(2))).indexBytes() }),
    ("distance", { try tree(.antimeridian(300, seed: 3), .merging(by: .distance), .member).indexBytes() }),
    ("badges", { try tree(.cities(300, seed: 4), .merging(by: .badges), .member).indexBytes() }),
    ("scatter", { try tree(.cities(300, seed: 5), .merging(by: .scatter)).indexBytes() }),
    ("columns", { try TestIndex.typed.bytes() }),
    ("attributes", { try TestIndex.uneven.bytes() }),
    (
      "groups",
      {
        let set = PointSet.nullIsland(stack: 40, noise: 200, seed: 6)
        let groups = try PointGroups(
          set.coordinates.indices.map { $0 % 9 == 0 ? .neverClustered : .named("\($0 % 5)") })
        return try ClusterTree(set.coordinates, groupedBy: groups, options: BuildOptions(threads: 1))
          .withSeparations().indexBytes()
      }
    ),
  ]

  @Test(arguments: kinds.indices) func damagedIndexesEndInAnAnswer(_ kind: Int) throws {
    let (name, make) = Self.kinds[kind]
    let bytes = try make()
    #expect(try IndexBytes(bytes).problems() == [])
    var (reported, refused) = (0, 0)
    for trial in 0..<Self.trialCount {
      var random = SplitMix64(seed: UInt64(1000 * kind + trial))
      var damaged = bytes
      for _ in 0...random.index(below: 4) {
        let place = random.index(below: bytes.count)
        switch random.index(below: 4) {
        case 0: damaged[place] ^= 1 << UInt8(random.index(below: 8))
        case 1: damaged[place] = UInt8(random.index(below: 256))
        case 2: for byte in place..<min(place + 8, bytes.count) { damaged[byte] = 0xFF }
        default: for byte in place..<min(place + 64, bytes.count) { damaged[byte] = 0 }
        }
      }
      damaged.withUnsafeMutableBytes { ChecksumRepair.repair($0) }
      let index = IndexBytes(damaged)
      let exercise = IndexExercise(index, queries: 5)
      if exercise.answers == 0 { refused += 1 }
      if let found = try? index.problems(), !found.isEmpty { reported += 1 }
    }
    print("\(name): \(Self.trialCount) damaged, \(refused) refused, \(reported) reported")
    #expect(refused + reported > Self.trialCount / 2)
  }
}
