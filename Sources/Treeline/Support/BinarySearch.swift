/// The first index of a range where a condition holds that holds of all behind it, too; the range's end if it holds of
/// none.
///
/// - Complexity: O(log n)
@inline(__always)
package func firstIndex<Failure: Error>(
  in range: Range<Int>, where isAtOrAfter: (Int) throws(Failure) -> Bool
) throws(Failure) -> Int {
  var (low, high) = (range.lowerBound, range.upperBound)
  while low < high {
    let middle = low + (high - low) / 2
    if try isAtOrAfter(middle) { high = middle } else { low = middle + 1 }
  }
  return low
}
