// Sorts points by position in Z-order (G. M. Morton, 1966), and finds the distinct positions. Positions that are near
// each other in Z-order are near each other on the plane.

/**
 * @typedef {object} Leaves
 * @property {Uint32Array} xs X of each distinct position.
 * @property {Uint32Array} ys Y of each distinct position.
 * @property {Uint32Array} starts For each position, the offset in `rows` at which its rows begin; then the end of
 *   `rows`.
 * @property {Uint32Array} rows Rows ordered by position, and in ascending order at each position.
 */

/**
 * Sorts points by position.
 *
 * @param {Uint32Array} xs X of each row.
 * @param {Uint32Array} ys Y of each row.
 * @returns {Leaves}
 */
export function leavesOf(xs, ys) {
  const count = xs.length;
  /** Upper and lower half of each Z-order code, and the row of the code. */
  let [uppers, lowers, rows] = [new Uint32Array(count), new Uint32Array(count), new Uint32Array(count)];
  for (let row = 0; row < count; row++) {
    uppers[row] = (spread(xs[row] >>> 16) | (spread(ys[row] >>> 16) << 1)) >>> 0;
    lowers[row] = (spread(xs[row] & 0xffff) | (spread(ys[row] & 0xffff) << 1)) >>> 0;
    rows[row] = row;
  }
  /** @type {[Uint32Array, Uint32Array, Uint32Array]} */
  let spare = [new Uint32Array(count), new Uint32Array(count), new Uint32Array(count)];
  const starts = new Uint32Array(1 << 11);
  for (let digit = 0; digit < 6; digit++) {
    const keys = digit < 3 ? lowers : uppers;
    const shift = (digit % 3) * 11;
    starts.fill(0);
    for (let i = 0; i < count; i++) starts[(keys[i] >>> shift) & 2047]++;
    if (count && starts[(keys[0] >>> shift) & 2047] === count) continue;
    for (let value = 0, start = 0; value < 2048; value++) {
      const size = starts[value];
      starts[value] = start;
      start += size;
    }
    const [newUppers, newLowers, newRows] = spare;
    for (let i = 0; i < count; i++) {
      const place = starts[(keys[i] >>> shift) & 2047]++;
      newUppers[place] = uppers[i];
      newLowers[place] = lowers[i];
      newRows[place] = rows[i];
    }
    spare = [uppers, lowers, rows];
    [uppers, lowers, rows] = [newUppers, newLowers, newRows];
  }
  // The spare arrays are reused for the positions.
  const [leafXs, leafYs, leafStarts] = spare;
  let leaves = 0;
  for (let i = 0; i < count; i++) {
    if (i > 0 && lowers[i] === lowers[i - 1] && uppers[i] === uppers[i - 1]) continue;
    leafXs[leaves] = xs[rows[i]];
    leafYs[leaves] = ys[rows[i]];
    leafStarts[leaves++] = i;
  }
  const ends = new Uint32Array(leaves + 1);
  ends.set(leafStarts.subarray(0, leaves));
  ends[leaves] = count;
  return { xs: leafXs.subarray(0, leaves), ys: leafYs.subarray(0, leaves), starts: ends, rows };
}

/**
 * Inserts a zero above each of 16 bits.
 *
 * @param {number} value
 */
function spread(value) {
  value = (value | (value << 8)) & 0x00ff00ff;
  value = (value | (value << 4)) & 0x0f0f0f0f;
  value = (value | (value << 2)) & 0x33333333;
  return (value | (value << 1)) & 0x55555555;
}
