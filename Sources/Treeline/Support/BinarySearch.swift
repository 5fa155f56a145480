/// Finds the first number in a range that meets a condition, by binary search. Returns the range's upper bound if no
/// number in the range meets the condition.
///
/// - Parameter isAtOrAfter: The condition. If a number meets it, all later numbers in the range must meet it, too.
/// - Complexity: O(log n) calls
@inlinable @inline(__always) package func firstIndex<Index: FixedWidthInteger, Failure: Error>(
  in range: Range<Index>, where isAtOrAfter: (Index) throws(Failure) -> Bool
) throws(Failure) -> Index {
  var (low, high) = (range.lowerBound, range.upperBound)
  while low < high {
    let middle = low + (high - low - 1) / 2
    if try isAtOrAfter(middle) { high = middle } else { low = middle + 1 }
  }
  return low
}
