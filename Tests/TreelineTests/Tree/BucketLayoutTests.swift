import Testing

@testable import Treeline

/// Numbers that must be changed together with the greatest number of points in a bucket.
struct BucketLayoutTests {
  private let capacity = UInt32(NodeRecord.bucketCapacity)

  /// Checks that one word holds the gaps of a bucket. The gap after the last point has no meaning, but the first gap
  /// may begin in the upper half of a byte.
  @Test func gapsOfABucketFitOneWord() {
    #expect(4 * capacity <= UInt64.bitWidth)
    #expect(Bucket.highBitOfEachGap == Bucket.lowBitOfEachGap << 3)
  }

  /// If the points of a bucket are split off one by one, its last split is at depth `capacity - 2`. Checks that this
  /// depth differs from the code for no split.
  @Test func gapsTellEveryLevelFromNone() { #expect(capacity - 2 < Gap.none && Gap.none <= 15) }

  @Test func levelsAndDepthsInABucketDoNotOverlap() {
    #expect(TreeStorage.maximumLevel < 1 << Bucket.bitsOfLevel)
    #expect(capacity - 1 < 1 << Bucket.bitsOfDepth)
    #expect(Bucket.bitsOfLevel == ClusterID.levelBits)
    var node = Node(first: 0, count: capacity, record: 0, levels: UInt32(Bucket.maximumLevel))
    for depth in 1..<capacity {
      node.levels += Bucket.oneDown
      #expect(node.depthInBucket == depth && Int(node.level) == Bucket.maximumLevel + Int(depth))
    }
    #expect(Int(node.level) == TreeStorage.maximumLevel)
  }

  /// Checks the bits above the levels: one bit for each point, and two bits on top that say whether the node is partly
  /// visible, wholly visible or finished.
  @Test func visibilityOfABucketFitsAboveTheLevels() {
    #expect(Bucket.shiftOfVisibility == Bucket.bitsOfLevel + Bucket.bitsOfDepth)
    #expect(UInt64(1) << (Bucket.shiftOfVisibility + capacity) <= UInt64(Bucket.partlyVisible))
    #expect(Bucket.partlyVisible < Bucket.whollyVisible && Bucket.partlyVisible & Bucket.whollyVisible == 0)
    #expect(Visibility.finished.bits > Visibility.whole.bits && Visibility.whole.bits > Visibility.partial.bits)
    #expect(Visibility.allBits == UInt32.max << Bucket.shiftOfVisibility)
  }

  /// Checks that a query unpacks gaps in the way in which the builder packs them.
  @Test func gapsLieTwoInAByte() {
    #expect(Gap.byteCount(ofPoints: 0) == 0 && Gap.byteCount(ofPoints: 1) == 1 && Gap.byteCount(ofPoints: 16) == 8)
    for (even, odd) in [(0, 15), (3, 9), (15, 0)] as [(UInt8, UInt8)] {
      let byte = Gap.byte(even: even, odd: odd)
      #expect(Gap.gap(in: byte, after: 6) == even && Gap.gap(in: byte, after: 7) == odd)
    }
  }
}
