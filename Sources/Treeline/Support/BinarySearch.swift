/// Returns the first number of a range at or after some point, by binary search; the range's upper bound if no number
/// is.
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
