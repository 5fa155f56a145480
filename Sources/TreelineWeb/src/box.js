// Boxes around points of the plane.

const HALF_WORLD = 2 ** 31;

/**
 * Returns the smallest box around some points. The seam is the meridian at which the plane begins and ends. If a box
 * across the seam is allowed and is narrower than half the world, returns this box. The west of this box is greater
 * than its east.
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

/** The result of `join`: the west edge and the east edge. */
export const EDGES = new Uint32Array(2);

/**
 * Writes the west edge and the east edge of the union of two clusters to `EDGES`. If a box across the seam contains
 * both clusters and is narrower than half the world, writes the edges of this box. The west of this box is greater than
 * its east. Otherwise writes the edges of the box that does not cross the seam.
 *
 * @param {number} west1
 * @param {number} east1
 * @param {number} west2
 * @param {number} east2
 */
export function join(west1, east1, west2, east2) {
  const isAnyAcross = west1 > east1 || west2 > east2;
  let west = west1 < west2 ? west1 : west2;
  let east = east1 > east2 ? east1 : east2;
  if (isAnyAcross || east - west >= HALF_WORLD) {
    const isWide = (west1 <= east1 && east1 - west1 >= HALF_WORLD) || (west2 <= east2 && east2 - west2 >= HALF_WORLD);
    // Tries both orders of the two clusters along the circle of longitudes.
    const [width1, width2] = [(east1 - west1) >>> 0, (east2 - west2) >>> 0];
    const [start, otherStart] = [(west2 - west1) >>> 0, (west1 - west2) >>> 0];
    const [width, otherWidth] = [Math.max(width1, start + width2), Math.max(width2, otherStart + width1)];
    if (!isWide && start < HALF_WORLD && width < HALF_WORLD) [west, east] = [west1, west1 + width];
    else if (!isWide && otherStart < HALF_WORLD && otherWidth < HALF_WORLD) [west, east] = [west2, west2 + otherWidth];
    else if (isAnyAcross) [west, east] = [0, 2 ** 32 - 1];
  }
  EDGES[0] = west;
  EDGES[1] = east;
}
