// The distances at which nodes split into their children, in 16 bits: `SeparationCode` of the library.

/** Greater than the code of any distance on the plane. */
const BEYOND_ALL = 55 << 10;

/** Returns the square of a code's distance, which has 11 significant bits. */
export function squaredDistance(code) {
  const exponent = Math.max(code >> 10, 1) - 1;
  return (code - (exponent << 10)) * 2 ** exponent;
}

/** Returns the smallest code whose distance is at least the given one. */
export function codeAtLeast(distance) {
  if (distance >= 2 ** 32) return BEYOND_ALL;
  const square = distance * distance;
  const isShort = squareError(distance, square) > 0;
  let [low, high] = [0, BEYOND_ALL];
  while (low < high) {
    const middle = (low + high) >> 1;
    const found = squaredDistance(middle);
    if (found > square || (found === square && !isShort)) high = middle;
    else low = middle + 1;
  }
  return low;
}

/**
 * Returns by how much the square of a number exceeds its rounded value.
 *
 * Source: T. J. Dekker, A floating-point technique for extending the available precision (1971),
 * https://doi.org/10.1007/BF01397083.
 */
function squareError(number, square) {
  const split = number * 134217729;
  const high = split - (split - number);
  const low = number - high;
  return high * high - square + 2 * high * low + low * low;
}
