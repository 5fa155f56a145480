// Boxes around points of the plane.

const HALF_WORLD = 2 ** 31;

/**
 * Returns the smallest box around some points. If they may lie across the seam, and a box across the seam is narrower
 * than half the world, returns the box across the seam. Its west is greater than its east.
 *
 * @param {Uint32Array} points
 * @param {number} first
 * @param {number} count
 * @param {boolean} mayCrossSeam
 * @returns {[number, number, number, number]} Min x, min y, max x and max y.
 */
export function boxAround(points, first, count, mayCrossSeam) {
  let minX = 2 ** 32 - 1;
  let minY = minX;
  let maxX = 0;
  let maxY = 0;
  // The least x in the eastern half of the plane, and the greatest x in the western half.
  let east = minX;
  let west = 0;
  for (let i = first * 2; i < (first + count) * 2; i += 2) {
    const x = points[i];
    const y = points[i + 1];
    if (x < minX) minX = x;
    if (x > maxX) maxX = x;
    if (y < minY) minY = y;
    if (y > maxY) maxY = y;
    if (x >= HALF_WORLD) {
      if (x < east) east = x;
    } else if (x > west) {
      west = x;
    }
  }
  const isAcross = mayCrossSeam && maxX - minX >= HALF_WORLD && (west - east) >>> 0 < HALF_WORLD;
  return isAcross ? [east, minY, west, maxY] : [minX, minY, maxX, maxY];
}
