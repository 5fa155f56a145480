// Merges points into a tree, in the page, in Node or in a worker.

import { DISTANCES, standardCurve } from "./badges.js";
import { asText, BuildError } from "./errors.js";
import { layOut } from "./layout.js";
import { leavesOf } from "./leaves.js";
import { Merging } from "./merging.js";
import { mercatorX, mercatorY, Plane, seamOf, squareAround } from "./plane.js";

/** @typedef {import("./layout.js").StoredTree} StoredTree */
/** @typedef {import("./points.js").BuildOptions} BuildOptions */
/** @typedef {import("./points.js").Built} Built */

/** Greatest number of points whose sums of coordinates are exact in a double. */
const MOST_POINTS = 2 ** 21;

/**
 * Returns the tree of some points. The tree depends only on the set of points, and equals the tree that the Swift
 * library builds.
 *
 * @param {Float64Array} coordinates Longitude and latitude of each point, alternating.
 * @param {Uint32Array | null} rows The row of each point; null if rows are numbered from 0.
 * @param {BuildOptions} options
 * @param {() => void} [report] Called again and again during the build, to show that the build still runs.
 * @returns {Built}
 */
export function build(coordinates, rows, options, report = () => {}) {
  report();
  const { for: purpose = "badges", projection = "mercator", anchor = "mean", badgeGap } = options;
  for (const [name, value, values] of /** @type {[string, unknown, unknown[]][]} */ ([
    ["for", purpose, ["badges", "spacing"]], ["projection", projection, ["mercator", "plane"]], ["anchor", anchor, ["mean", "member"]]])) {
    if (!values.includes(value)) throw new BuildError(`Expected ${values.map((value) => `'${value}'`).join(" or ")} as the option '${name}', found ${asText(value)}`);
  }
  if (purpose === "spacing" && badgeGap !== undefined) throw new BuildError(`Expected no badgeGap in a build for 'spacing', which has no badges, found ${asText(badgeGap)}`);
  const curve = purpose === "badges" ? standardCurve(badgeGap) : DISTANCES;
  const count = coordinates.length / 2;
  if (count > MOST_POINTS) {
    throw new BuildError(`Expected at most ${MOST_POINTS} points, found ${count}; if you have more points, build an index with 'treelinemap build' and open the index`);
  }
  const isMercator = projection === "mercator";
  const [xs, ys] = [new Uint32Array(count), new Uint32Array(count)];
  let plane = new Plane(true);
  let clippedPointCount = 0;
  if (isMercator) {
    for (let i = 0; i < count; i++) {
      xs[i] = mercatorX(coordinates[2 * i]);
      ys[i] = mercatorY(coordinates[2 * i + 1]);
      if (Math.abs(coordinates[2 * i + 1]) > 85.0511287798066) clippedPointCount++;
    }
    plane = new Plane(true, seamOf(xs));
    for (let i = 0; i < count; i++) xs[i] -= plane.seam;
  } else {
    plane = squareAround(coordinates);
    for (let i = 0; i < count; i++) {
      xs[i] = plane.x(coordinates[2 * i]);
      ys[i] = plane.y(coordinates[2 * i + 1]);
    }
  }
  let east = 0;
  for (let i = 0; i < count; i++) if (xs[i] > east) east = xs[i];
  // The seam, where x is 0, lies in the widest gap between longitudes. A cluster across the seam is less than half a
  // world wide, so it has a point on each half of the plane. If the eastern half has no points, no cluster crosses the
  // seam.
  const layout = { anchorsAtMembers: anchor === "member", crossesSeam: isMercator && east >= 2 ** 31 };
  const merging = new Merging(leavesOf(xs, ys), curve, layout, report);
  const tree = merging.run();
  report();
  const stored = layOut(tree, layout);
  if (rows) stored.rows = stored.rows.map((row) => rows[row]);
  return { stored, plane: [isMercator ? 1 : 0, plane.seam, plane.left, plane.top, plane.side], clippedPointCount };
}

/**
 * Returns the buffers of a tree. A worker transfers these buffers to the page instead of copying them.
 *
 * @param {StoredTree} stored
 * @returns {ArrayBuffer[]}
 */
export function buffersOf({ points, rows, gaps, nodes, sums, spreads, codes, anchors }) {
  return [points, rows, gaps, nodes, sums, spreads, codes, anchors].flatMap((array) => (array ? [/** @type {ArrayBuffer} */ (array.buffer)] : []));
}
