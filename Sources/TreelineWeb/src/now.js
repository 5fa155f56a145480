// Builds trees before it returns, for those who cannot wait: tests, command lines, workers of their own.

import { build } from "./build.js";
import * as language from "./language.js";
import { coordinatesOf, treeOfBuilt } from "./points.js";

/** @typedef {import("./points.js").Points} Points */
/** @typedef {import("./points.js").BuildOptions} BuildOptions */

/**
 * The tree of some points.
 *
 * @param {Points} points
 * @param {BuildOptions} [options]
 */
export function buildNow(points, options = {}) {
  const { coordinates, rows } = coordinatesOf(points, options);
  const tree = treeOfBuilt(build(coordinates, rows, options), points, options);
  tree.language = language;
  return tree;
}
