/// Returns the first number of a range for which a condition holds, by binary search. Returns the range's upper bound
/// if the condition holds for no number of the range.
///
/// - Parameter isAtOrAfter: The condition. If it holds for a number, it must hold for all later numbers of the range.
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
