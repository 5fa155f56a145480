import Testing

@testable import Treeline

/// Whoever changes how many points a bucket may have finds here which numbers must follow.
struct BucketLayoutTests {
  private let capacity = UInt32(NodeRecord.bucketCapacity)

  /// The last gap is behind the last point and means nothing, but the first may be the upper half of a byte.
  @Test func gapsOfABucketFitOneWord() {
    #expect(4 * capacity <= UInt64.bitWidth)
    #expect(Bucket.highBitOfEachGap == Bucket.lowBitOfEachGap << 3)
  }

  /// A bucket of points that are split off one by one has its last split that deep.
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

  /// A bit for each point, and the two highest for what is seen in part, whole or finished.
  @Test func visibilityOfABucketFitsAboveTheLevels() { #expect(Bucket.shiftOfVisibility + capacity <= 30) }
}
