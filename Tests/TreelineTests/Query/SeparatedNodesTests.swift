import PointSets
import TestSupport
import Testing
import TreelineBuilder

@_spi(Server) @testable import Treeline

/// Checks the search for the nodes that are shown at a required distance against its definition.
@Suite struct SeparatedNodesTests {
  @Test(arguments: PointSet.nasty) func areThoseOfTheDefinition(_ set: PointSet) throws {
    try check(set, seed: 91, windows: Trials.count(40))
  }

  @Test(arguments: Trials.seeds(80, from: 400).map { PointSet.random(seed: $0) })
  func areThoseOfTheDefinitionOverRandomPoints(
    _ set: PointSet
  ) throws { try check(set, seed: 92, windows: 20) }

  private func check(_ set: PointSet, seed: UInt64, windows count: Int) throws {
    let outline = try set.outline()
    let codes = try SeparationByDefinition(outline.tree).codes
    var random = SplitMix64(seed: seed)
    for window in [.everything] + (0..<count).map({ _ in PlaneWindow.random(over: outline.tree, &random) }) {
      let oracle = QueryOracle(outline, window)
      for required in [SeparationCode(rawValue: 1), .beyondAll, Self.code(&random, codes), Self.code(&random, codes)] {
        let expected = shown(outline, codes, required).filter { oracle.isVisible($0.range) }
        #expect(try outline.tree.nodes(required, codes, in: window) == expected.map(\.id), "\(window)")
      }
    }
  }

  /// Checks that a closer zoom only refines the answer, in any part of the map, and that a pan does not change the
  /// answer.
  @Test(arguments: [PointSet.cities(1500, seed: 93), .antimeridian(800, seed: 94), .uniformWorld(1500, seed: 95)])
  func areNestedOverZoomsAndTheSameInAnyWindow(_ set: PointSet) throws {
    let tree = try set.tree()
    let codes = try SeparationByDefinition(tree).codes
    var random = SplitMix64(seed: 96)
    var coarser: [Range<Int>] = []
    for zoom in stride(from: 0.0, to: 24, by: 0.37) {
      let required = SeparationCode(atLeast: 44 * Plane.unitsPerPixel(zoom: zoom))
      let all = try tree.nodes(required, codes, in: .everything)
      let ranges = try all.map { try tree.cluster($0).range }
      #expect(coarser.isEmpty || ranges.allSatisfy { range in coarser.contains { $0.contains(range) } })
      coarser = ranges
      let window = PlaneWindow.random(over: tree, &random)
      #expect(Set(try tree.nodes(required, codes, in: window)).isSubset(of: all))
    }
  }

  /// A damaged file may contain separations that grow from parent to child. Even then, each point must be in exactly
  /// one node.
  @Test(arguments: Trials.seeds(20)) func holdEveryPointOnceWhateverTheSeparations(seed: UInt64) throws {
    let tree = try PointSet.cities(700, seed: 97).tree()
    var random = SplitMix64(seed: seed)
    let codes = ContiguousArray((0..<tree.pointCount).map { _ in UInt16(truncatingIfNeeded: random.next()) })
    let nodes = try tree.nodes(Self.code(&random, codes), codes, in: .everything)
    let ranges = try nodes.map { try tree.cluster($0).range }
    #expect(ranges.first?.lowerBound == 0 && ranges.last?.upperBound == tree.pointCount)
    #expect(zip(ranges, ranges.dropFirst()).allSatisfy { $0.upperBound == $1.lowerBound })
  }

  private static func code(_ random: inout SplitMix64, _ codes: ContiguousArray<UInt16>) -> SeparationCode {
    guard !codes.isEmpty, random.index(below: 4) > 0 else {
      return SeparationCode(rawValue: UInt16(1 + random.index(below: 56_000)))
    }
    let code = Int(codes[random.index(below: codes.count)]) + random.index(below: 3) - 1
    return SeparationCode(rawValue: UInt16(min(max(code, 1), Int(UInt16.max))))
  }

  private func shown(_ outline: TreeOutline, _ codes: ContiguousArray<UInt16>, _ required: SeparationCode) -> [Cluster]
  {
    func isSplit(_ entry: TreeOutline.Entry) -> Bool {
      guard let right = entry.children.last else { return false }
      return codes[outline.entries[right].cluster.range.lowerBound] >= required.rawValue
    }
    return outline.entries.filter { entry in
      !isSplit(entry) && entry.parent.map { isSplit(outline.entries[$0]) } ?? true
    }.map(\.cluster)
  }
}

extension ClusterTree {
  fileprivate func nodes(_ required: SeparationCode, _ codes: ContiguousArray<UInt16>, in window: PlaneWindow) throws
    -> [ClusterID]
  {
    try codes.withUnsafeBufferPointer { codes in
      guard let start = codes.baseAddress else { return [] }
      return try withStorage { storage in
        let scale = PixelScale(storage: storage, coarseness: .separation(start), criterion: .spacing, pixels: 1)
        return try storage.scaleCut(
          in: PointsInView(edges: storage.edges(of: window), counted: AllPoints()), scale: scale,
          greatest: Double(required.rawValue) - 1, limit: .max
        ).map(
          \.id)
      }
    }
  }
}

extension Range<Int> {
  fileprivate func contains(_ other: Range) -> Bool { lowerBound <= other.lowerBound && other.upperBound <= upperBound }
}
