// Builds trees without promises. Use this module in tests, command lines and your own workers.

import { build } from "./build.js";
import { sortByKey } from "./keys.js";
import * as language from "./language.js";
import { coordinatesOf, treeOfBuilt } from "./points.js";

/** @typedef {import("./points.js").Points} Points */
/** @typedef {import("./points.js").BuildOptions} BuildOptions */

/**
 * Returns a tree of points.
 *
 * @param {Points} points
 * @param {BuildOptions} [options]
 */
export function buildNow(points, options = {}) {
  const { coordinates, rows } = coordinatesOf(points, options);
  const tree = treeOfBuilt(build(coordinates, rows, options), points, options);
  if (options.key !== undefined) sortByKey(tree);
  tree.language = language;
  return tree;
}
