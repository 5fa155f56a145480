// The keys of points, by which edits refer to points. A page without keys does not load this module.

import { asText, BuildError } from "./errors.js";

/** @typedef {import("./points.js").Key} Key */

/**
 * Returns a function that returns the key of a point.
 *
 * @param {string | ((point: any) => Key) | undefined} key The option `key` of a build.
 * @returns {(point: any) => Key}
 */
export function keyFunction(key) {
  if (typeof key === "function") return key;
  if (key === undefined) return (point) => point?.id;
  return (point) => {
    const properties = point?.properties;
    return properties && Object.hasOwn(properties, key) ? properties[key] : undefined;
  };
}

/**
 * @param {any} point
 * @param {(point: any) => Key} keyOf
 * @param {string} [type] Type of the other keys.
 * @returns {Key}
 */
export function keyOfPoint(point, keyOf, type) {
  const key = keyOf(point);
  if (typeof key !== "string" && !Number.isFinite(key)) {
    throw new BuildError(`Expected a text or a finite number as the key of a point, found ${asText(key)}`);
  }
  if (type !== undefined && typeof key !== type) {
    throw new BuildError(`Expected a ${type} as a key, like the other keys, found ${asText(key)}`);
  }
  return key;
}

/**
 * Sorts points by their keys. Throws an error if a key is missing, of another type than the other keys, or not unique.
 *
 * @param {ArrayLike<any>} points
 * @param {(point: any) => Key} keyOf
 */
export function sorted(points, keyOf) {
  /** @type {Key[]} */
  const keys = new Array(points.length);
  let isSorted = true;
  for (let row = 0; row < points.length; row++) {
    keys[row] = keyOfPoint(points[row], keyOf, row ? typeof keys[0] : undefined);
    if (row && !(keys[row - 1] < keys[row])) isSorted = false;
  }
  if (isSorted) return { points, keys, order: null };
  const order = Uint32Array.from(keys, (_, row) => row);
  order.sort((a, b) => (keys[a] < keys[b] ? -1 : keys[a] > keys[b] ? 1 : 0));
  for (let i = 1; i < order.length; i++) {
    const key = keys[order[i]];
    if (keys[order[i - 1]] === key) throw new BuildError(`Expected different keys, found the key ${asText(key)} twice`);
  }
  return { points: Array.from(order, (row) => points[row]), keys: Array.from(order, (row) => keys[row]), order };
}

/**
 * Sorts the points of a tree that was built with the option `key`, so that an invalid key is an error of the build and
 * not of the first edit.
 *
 * @param {import("./tree.js").Tree} tree
 */
export function sortByKey({ origin }) {
  // Rows without a position need no key. They are known only after an edit has read all rows.
  if (!origin || ArrayBuffer.isView(origin.points) || origin.options.skipInvalid) return;
  origin.sorted = sorted(origin.points, keyFunction(origin.options.key));
}
