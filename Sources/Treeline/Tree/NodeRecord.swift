/// A stored node, as it lies in memory and in a file: 24 bytes, little-endian.
///
/// The two children of a node lie side by side, so one offset finds both; the nodes below the left child follow them,
/// then those below the right child. Offsets are relative, so a subtree is the same bytes wherever it lies.
package struct NodeRecord {
  package var box: PlaneRect
  package var count: UInt32
  /// From this record to its left child's, in records; 0 where no child is stored: a bucket.
  package var childOffset: UInt32

  package init(box: PlaneRect, count: UInt32, childOffset: UInt32) {
    self.box = box
    self.count = count
    self.childOffset = childOffset
  }

  /// Up to this many points the nodes below a node are not stored: the gaps between its points tell their shape.
  package static let bucketCapacity = 16
}

/// The sums of a stored node's coordinates, measured from the top left corner of its box.
///
/// Kept for nodes with stored children only; those of a bucket follow from its few points. The sums of the node whose
/// children are the records 1 + 2i and 2 + 2i are entry i.
package struct NodeSums {
  package var x: UInt64
  package var y: UInt64

  package init(x: UInt64, y: UInt64) {
    self.x = x
    self.y = y
  }
}

/// The covariance matrix of a node's points in plane units squared; entries as those of `NodeSums`.
package struct NodeSpread: Hashable, Sendable {
  package var xx: Float
  package var xy: Float
  package var yy: Float

  package init(xx: Float, xy: Float, yy: Float) {
    self.xx = xx
    self.xy = xy
    self.yy = yy
  }
}

/// What lies between two neighbouring points of a bucket: four bits a point, the even point in the low half of a byte.
///
/// 0 ... 14 is the level, below the bucket's own, of the node that is split there; of a node's gaps the one with the
/// least level is its split. The gap behind a bucket's last point is written as 0 and means nothing.
package enum Gap {
  /// No split: both points have one position.
  package static let none: UInt8 = 15
}
