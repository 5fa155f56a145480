/// Returns the first number of a range that is at or after some point, by binary search. If all numbers are before the
/// point, returns the range's upper bound.
///
/// - Parameter isAtOrAfter: Returns false for numbers before the point, true for all other numbers.
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
