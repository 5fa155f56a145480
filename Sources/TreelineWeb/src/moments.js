// Exact moments of the points of a node: the sums Σx, Σy, Σxx, Σxy and Σyy, measured from the corner of the node's
// box. Moments are stored as eight numbers: one number each for Σx and Σy, and two numbers each for Σxx, Σxy and Σyy.

import { addProduct, scatterOf } from "./exact.js";

export const MOMENTS = 8;

/**
 * Adds a point.
 *
 * @param {Float64Array} moments
 * @param {number} at Offset at which the sums begin.
 * @param {number} dx X of the point, measured from the corner.
 * @param {number} dy
 */
export function addPoint(moments, at, dx, dy) {
  moments[at] += dx;
  moments[at + 1] += dy;
  addProduct(moments, at + 2, dx, dx);
  addProduct(moments, at + 4, dx, dy);
  addProduct(moments, at + 6, dy, dy);
}

/**
 * Adds the moments of other points. These moments were measured from another corner, which lies farther east and south.
 *
 * @param {Float64Array} moments
 * @param {number} at
 * @param {number} other Offset at which the added sums begin.
 * @param {number} count Number of points of the added sums.
 * @param {number} dx Distance eastward from the corner of the first sums to the corner of the added sums.
 * @param {number} dy
 */
export function addMoved(moments, at, other, count, dx, dy) {
  const [x, y] = [moments[other], moments[other + 1]];
  const [movedX, movedY] = [x + count * dx, y + count * dy];
  moments[at] += movedX;
  moments[at + 1] += movedY;
  for (let i = 2; i < MOMENTS; i++) moments[at + i] += moments[other + i];
  // Σ(x + dx)² is Σx² + (Σx + Σ(x + dx)) dx, and so on.
  addProduct(moments, at + 2, x, dx);
  addProduct(moments, at + 2, movedX, dx);
  addProduct(moments, at + 4, x, dy);
  addProduct(moments, at + 4, movedY, dx);
  addProduct(moments, at + 6, y, dy);
  addProduct(moments, at + 6, movedY, dy);
}

/**
 * Writes the covariance: xx, xy and yy, rounded to single precision.
 *
 * @param {Float64Array} moments
 * @param {number} at
 * @param {number} count
 * @param {Float64Array | Float32Array} result
 * @param {number} to Offset in `result` at which the covariance is written.
 */
export function writeSpread(moments, at, count, result, to) {
  const [x, y] = [moments[at], moments[at + 1]];
  const square = count * count;
  result[to] = Math.fround(scatterOf(count, moments[at + 2], moments[at + 3], x, x) / square);
  result[to + 1] = Math.fround(scatterOf(count, moments[at + 4], moments[at + 5], x, y) / square);
  result[to + 2] = Math.fround(scatterOf(count, moments[at + 6], moments[at + 7], y, y) / square);
}
