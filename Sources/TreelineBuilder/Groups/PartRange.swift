/// Trees that lie one behind the other below one node: half of them below each child, the odd one on the left.
struct PartRange: Sendable {
  let parts: Range<Int>
  /// Of the node; of one part it is the root of its tree.
  let level: Int

  /// All of so many, one at least, below the root.
  init(partCount: Int) { self.init(parts: 0..<partCount, level: 0) }

  private init(parts: Range<Int>, level: Int) { (self.parts, self.level) = (parts, level) }

  /// What lies below its children; nil for one part.
  var halves: (left: PartRange, right: PartRange)? {
    if parts.count == 1 { return nil }
    let middle = parts.lowerBound + (parts.count + 1) / 2
    return (
      PartRange(parts: parts.lowerBound..<middle, level: level + 1),
      PartRange(parts: middle..<parts.upperBound, level: level + 1)
    )
  }
}
