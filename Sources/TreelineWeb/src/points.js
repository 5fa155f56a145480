// A build has three steps: read the points, merge them, and make a tree of the result. This file has the first and the
// last step, which run in the page. The merging may run in a worker.

import { standardCurve } from "./badges.js";
import { rowColumn } from "./column-named.js";
import { asText, BuildError } from "./errors.js";
import { refuseUnknown } from "./options.js";
import { Plane } from "./plane.js";
import { Tree } from "./tree.js";

/** @typedef {import("./layout.js").StoredTree} StoredTree */

/**
 * @typedef {{type: "Feature", id?: any, geometry: {type: string, coordinates: any} | null, properties?: any}} Feature
 *
 * @typedef {Float64Array | Float32Array | ArrayLike<ArrayLike<number>> | ArrayLike<Feature> | {features:
 *   ArrayLike<Feature>}} Points GeoJSON features, pairs of a longitude and a latitude, or an array in which longitudes
 *   and latitudes alternate. The row of a point is its index among the points.
 *
 * @typedef {string | number} Key All keys of a tree are texts, or all are numbers.
 *
 * @typedef {object} BuildOptions
 * @property {"badges" | "spacing"} [for] The cut for which the tree is built. With the default, `badges`, badges do not
 *   touch.
 * @property {"mercator" | "plane"} [projection] Whether the coordinates are longitudes and latitudes, or x and y of a
 *   plane.
 * @property {"mean" | "member"} [anchor] Where clusters are shown: at the mean of their points, or at one of the
 *   points.
 * @property {number} [badgeGap] Pixels between two badges, 0 to 128. Only for `badges`.
 * @property {Record<string, ArrayLike<any>>} [columns] Columns with a value for each row, for filters, aggregates and
 *   features. Properties of GeoJSON features are columns, too.
 * @property {string | ((point: any) => Key)} [key] Key of each point, for `update`: a property of the features, or a
 *   function that is called with a feature or a pair. The default is the `id` of the features.
 * @property {boolean} [skipInvalid] Leaves out points without a valid position. By default, such a point is an error.
 * @property {AbortSignal} [signal] Stops a build in a worker.
 * @property {boolean | (() => any)} [worker] Whether to build in a worker. May also be a function that returns a
 *   `Worker`, or a promise of a `Worker`. This worker must run `worker.js` of this package.
 */

/**
 * @typedef {object} Built A tree in the form that a worker sends. Features and columns are missing, because only the
 *   page has them.
 * @property {StoredTree} stored
 * @property {number[]} plane
 * @property {number} clippedPointCount
 */

/** Greatest length of an array of points that is read. A page can build a tree only from far fewer points. */
const MOST_NUMBERS = 2 ** 26;

/** Names of the options of a build. */
const OPTIONS = ["for", "projection", "anchor", "badgeGap", "columns", "key", "skipInvalid", "signal", "worker"];

/** Greatest magnitude of a coordinate on a plain plane. */
const GREATEST = 1e300;

/**
 * Returns the longitudes and latitudes of points, alternating. If points are left out, also returns the row of each
 * remaining point.
 *
 * @param {Points} points
 * @param {BuildOptions} options
 * @param {string} [name] Name of the only point, for the message about an invalid point.
 * @returns {{coordinates: Float64Array, rows: Uint32Array | null}}
 */
export function coordinatesOf(points, options, name) {
  refuseUnknown(options, OPTIONS, "build", BuildError);
  const { projection = "mercator", skipInvalid = false, columns = {} } = options;
  if (points === null || typeof points !== "object") throw new BuildError(`Expected points as an array, found ${asText(points)}`);
  const list = "features" in points ? points.features : points;
  const isFlat = ArrayBuffer.isView(list) && !(list instanceof DataView);
  if (!(Number.isInteger(list?.length) && list.length >= 0 && list.length <= MOST_NUMBERS)) {
    throw new BuildError(`Expected points as an array of valid length, found the length ${asText(list?.length)}`);
  }
  if (isFlat && list.length % 2) throw new BuildError(`Expected an even number of coordinates, found ${list.length}`);
  const [greatestX, greatestY] = projection === "mercator" ? [180, 90] : [GREATEST, GREATEST];
  const count = isFlat ? list.length / 2 : list.length;
  for (const [name, values] of Object.entries(columns)) {
    if (!(values?.length >= count)) throw new BuildError(`Expected ${count} values in the column '${name}', found ${values ? values.length : values}`);
  }
  const coordinates = new Float64Array(2 * count);
  const rows = new Uint32Array(skipInvalid ? count : 0);
  let kept = 0;
  for (let row = 0; row < count; row++) {
    const point = isFlat ? null : positionOf(list[row]);
    const x = isFlat ? list[2 * row] : point?.[0];
    const y = isFlat ? list[2 * row + 1] : point?.[1];
    // A comparison with NaN is false, so NaN counts as invalid.
    if (typeof x === "number" && typeof y === "number" && Math.abs(x) <= greatestX && Math.abs(y) <= greatestY) {
      coordinates[2 * kept] = x;
      coordinates[2 * kept + 1] = y;
      if (skipInvalid) rows[kept] = row;
      kept++;
    } else if (!skipInvalid) {
      const expected = projection === "mercator" ? "a longitude from -180 to 180 and a latitude from -90 to 90" : "two finite numbers";
      const remedy = name ? "" : "; use skipInvalid to leave such points out";
      throw new BuildError(`Expected ${expected} as ${name ?? `point ${row}`}, found ${asText(x)} and ${asText(y)}${remedy}`);
    }
  }
  return { coordinates: coordinates.subarray(0, 2 * kept), rows: kept < count ? rows.subarray(0, kept) : null };
}

/**
 * @param {any} point A pair, or a feature.
 * @returns {ArrayLike<number> | undefined}
 */
function positionOf(point) {
  const geometry = point?.geometry;
  return geometry ? (geometry.type === "Point" ? geometry.coordinates : undefined) : point?.type === "Feature" ? undefined : point;
}

/**
 * Makes a tree from arrays that were built in this thread or in a worker.
 *
 * @param {Built} built
 * @param {Points} points
 * @param {BuildOptions} options
 */
export function treeOfBuilt({ stored, plane, clippedPointCount }, points, options) {
  const isForBadges = (options.for ?? "badges") === "badges";
  const facts = {
    plane: new Plane(plane[0] === 1, plane[1], plane[2], plane[3], plane[4]), growth: isForBadges ? "merge:badges" : "merge:distance",
    curve: isForBadges ? standardCurve(options.badgeGap) : null, clippedPointCount,
  };
  const features = featuresOf(points);
  const columns = Object.entries(options.columns ?? {}).map(([name, values]) => rowColumn(name, (row) => values[row], stored.rows));
  const tree = new Tree(stored, facts, columns);
  tree.features = features;
  if (features || options.key) tree.origin = { points: features ?? points, options };
  return tree;
}

/**
 * @param {Points} points
 * @returns {ArrayLike<Feature> | null}
 */
function featuresOf(points) {
  if (points && typeof points === "object" && "features" in points) return points.features;
  const first = ArrayBuffer.isView(points) ? undefined : /** @type {ArrayLike<any>} */ (points)[0];
  return first && typeof first === "object" && first.type === "Feature" ? /** @type {ArrayLike<Feature>} */ (points) : null;
}
