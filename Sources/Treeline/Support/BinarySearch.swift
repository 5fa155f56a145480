/// The first index of a range at or after some point, by binary search; the range's upper bound if there is none.
///
/// - Parameter isAtOrAfter: false for indices before the point, true for all others.
/// - Complexity: O(log n) calls
@inlinable @inline(__always) package func firstIndex<Failure: Error>(
  in range: Range<Int>, where isAtOrAfter: (Int) throws(Failure) -> Bool
) throws(Failure) -> Int {
  var (low, high) = (range.lowerBound, range.upperBound)
  while low < high {
    let middle = (low + high) / 2
    if try isAtOrAfter(middle) { high = middle } else { low = middle + 1 }
  }
  return low
}
