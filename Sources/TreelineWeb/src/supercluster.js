// The interface of supercluster, over typed arrays. It has the calls and the options of supercluster, and its answers
// have the same clusters as the answers of supercluster.
//
// Like supercluster, this class begins at the greatest zoom. At each zoom it visits one point after the other, and
// merges each visited point with all unmerged points within the radius. `SpacedSupercluster` also has the calls of
// supercluster, but answers them from a tree of Treeline.

import { asText } from "./errors.js";
import { found, PositionTree } from "./position-tree.js";
import { checkFeatures, checkZooms } from "./supercluster-options.js";

/**
 * @typedef {object} SuperclusterOptions
 * @property {number} [minZoom] Least zoom. A query for a lower zoom gets the answer for the least zoom.
 * @property {number} [maxZoom] Greatest zoom with clusters, at most 30.
 * @property {number} [minPoints] Least number of points of a cluster.
 * @property {number} [radius] Distance up to which points are merged, in units. A tile is `extent` units wide.
 * @property {number} [extent] Width of a tile in the unit of `radius`.
 * @property {number} [nodeSize] Number of points in a leaf of the search tree. The order of the features in answers
 *   depends on this number.
 * @property {boolean} [log] Prints how long each zoom takes.
 * @property {boolean} [generateId] Whether the `id` of a point in tiles is its row.
 * @property {(properties: any) => any} [map] Converts the properties of a point to the properties that are passed to
 * `reduce`.
 * @property {((accumulated: any, properties: any) => void) | null} [reduce] Adds the properties of a point or cluster
 *   to the properties of the cluster that contains it.
 */

const DEFAULTS = {
  minZoom: 0, maxZoom: 16, minPoints: 2, radius: 40, extent: 512, nodeSize: 64, log: false, generateId: false, reduce: null,
  map: (/** @type {any} */ properties) => properties,
};

/** The clusters and single points of one zoom, which are called items. */
class Level {
  /**
   * @param {Float64Array} xs
   * @param {Float64Array} ys
   * @param {Uint32Array} ids The row of a point, or the id of a cluster.
   * @param {Uint32Array} counts
   * @param {any[] | null} reduced Results of `reduce`.
   * @param {number} nodeSize
   */
  constructor(xs, ys, ids, counts, reduced, nodeSize) {
    this.xs = xs;
    this.ys = ys;
    this.counts = counts;
    this.reduced = reduced;
    this.items = ids;
    /**
     * For each item, the id of the cluster that contains the item at the next lower zoom; 0 if no cluster contains it.
     */
    this.parents = new Uint32Array(xs.length);
    this.tree = new PositionTree(xs, ys, nodeSize);
  }

  /** Numbers of the items, in the order of the search tree. */
  get ids() {
    return this.tree.ids;
  }
}

export class Supercluster {
  /** @param {SuperclusterOptions} [options] */
  constructor(options) {
    this.options = { ...DEFAULTS, ...options };
    /** Level of each zoom. */
    /** @type {Level[]} */
    this.trees = [];
    /** @type {any[]} */
    this.points = [];
  }

  /**
   * Clusters points, which replace the points of an earlier call.
   *
   * @param {any[]} points GeoJSON features. Features without a position are left out.
   */
  load(points) {
    const { minZoom, maxZoom, nodeSize, reduce, log } = this.options;
    checkZooms(this.options);
    checkFeatures(points);
    const timer = `${points.length} points`;
    if (log) console.time(timer);
    this.points = points;
    const [xs, ys, rows] = [new Float64Array(points.length), new Float64Array(points.length), new Uint32Array(points.length)];
    let count = 0;
    for (let row = 0; row < points.length; row++) {
      const coordinates = points[row].geometry?.coordinates;
      const x = coordinates ? worldX(coordinates[0]) : NaN;
      const y = coordinates ? worldY(coordinates[1]) : NaN;
      if (!(x - x === 0 && y - y === 0)) continue;
      xs[count] = Math.fround(x);
      ys[count] = Math.fround(y);
      rows[count++] = row;
    }
    this.trees = [];
    let level = new Level(
      xs.subarray(0, count), ys.subarray(0, count), rows.subarray(0, count), new Uint32Array(count).fill(1), reduce ? [] : null, nodeSize);
    this.trees[maxZoom + 1] = level;
    for (let zoom = maxZoom; zoom >= minZoom; zoom--) {
      const start = Date.now();
      level = this.trees[zoom] = this.#merged(level, zoom);
      if (log) console.log("z%d: %d clusters in %dms", zoom, level.items.length, Date.now() - start);
    }
    if (log) console.timeEnd(timer);
    return this;
  }

  /**
   * Returns the clusters and points whose center is in a box.
   *
   * @param {ArrayLike<number>} bbox
   * @param {number} zoom
   * @returns {any[]}
   */
  getClusters(bbox, zoom) {
    const level = this.trees[this.#limitZoom(zoom)];
    if (!level) return [];
    const [south, north] = [bbox[1], bbox[3]].map((latitude) => worldY(Math.max(-90, Math.min(90, latitude))));
    const isAround = bbox[2] - bbox[0] >= 360;
    const west = isAround ? -180 : wrapped(bbox[0]);
    const east = isAround || bbox[2] === 180 ? 180 : wrapped(bbox[2]);
    /** @type {any[]} */
    const features = [];
    /** @param {number} from @param {number} to */
    const add = (from, to) => {
      for (const item of level.tree.inBox(from / 360 + 0.5, north, to / 360 + 0.5, south)) features.push(this.#feature(level, item));
    };
    if (west > east) {
      add(west, 180);
      add(-180, east);
    } else {
      add(west, east);
    }
    return features;
  }

  /**
   * Returns the features in a tile, and the features within the radius of the tile's edges. Returns null if there are
   * no features.
   *
   * @param {number} z
   * @param {number} x
   * @param {number} y
   */
  getTile(z, x, y) {
    const level = this.trees[this.#limitZoom(z)];
    if (!level) return null;
    const { radius, extent } = this.options;
    const [size, buffer] = [2 ** z, radius / extent];
    const [top, bottom] = [(y - buffer) / size, (y + 1 + buffer) / size];
    /** @type {any[]} */
    const features = [];
    /** @param {number} from @param {number} to @param {number} column */
    const add = (from, to, column) => {
      for (const item of level.tree.inBox(from, top, to, bottom)) features.push(this.#tileFeature(level, item, size, column, y));
    };
    add((x - buffer) / size, (x + 1 + buffer) / size, x);
    // A tile next to the antimeridian also shows features on the other side of the antimeridian.
    if (x === 0) add(1 - buffer / size, 1, size);
    if (x === size - 1) add(0, buffer / size, -1);
    return features.length ? { features } : null;
  }

  /**
   * Returns the parts of a cluster at the next higher zoom.
   *
   * @param {number} id
   * @returns {any[]}
   */
  getChildren(id) {
    const zoom = this.#originZoom(id);
    const level = this.trees[zoom];
    const origin = (id - this.points.length) >> 5;
    const parts = [];
    if (level && origin >= 0 && origin < level.items.length) {
      const { radius, extent } = this.options;
      const count = level.tree.near(level.xs[origin], level.ys[origin], radius / (extent * 2 ** (zoom - 1)));
      for (const item of found.slice(0, count)) if (level.parents[item] === id) parts.push(this.#feature(level, item));
    }
    if (!parts.length) throw new Error("No cluster with the specified id.");
    return parts;
  }

  /**
   * Returns the points of a cluster.
   *
   * @param {number} id
   * @param {number} [limit] The default is 10.
   * @param {number} [offset]
   * @returns {any[]}
   */
  getLeaves(id, limit, offset) {
    /** @type {any[]} */
    const leaves = [];
    this.#addLeaves(leaves, id, limit || 10, offset || 0);
    return leaves;
  }

  /**
   * Returns the least zoom at which a cluster is replaced by several clusters or points.
   *
   * @param {number} id
   * @returns {number}
   */
  getClusterExpansionZoom(id) {
    let zoom = this.#originZoom(id) - 1;
    for (let own = id; zoom <= this.options.maxZoom; ) {
      const parts = this.getChildren(own);
      zoom++;
      if (parts.length !== 1) break;
      own = parts[0].properties.cluster_id;
    }
    return zoom;
  }

  /**
   * Adds points of a cluster to `leaves` up to a limit. Returns how many points must still be skipped.
   *
   * @param {any[]} leaves
   * @param {number} id
   * @param {number} limit
   * @param {number} offset
   * @returns {number}
   */
  #addLeaves(leaves, id, limit, offset) {
    for (const part of this.getChildren(id)) {
      const { properties } = part;
      if (properties?.cluster) {
        if (properties.point_count <= offset) offset -= properties.point_count;
        else offset = this.#addLeaves(leaves, properties.cluster_id, limit, offset);
      } else if (offset > 0) {
        offset--;
      } else {
        leaves.push(part);
      }
      if (leaves.length >= limit) break;
    }
    return offset;
  }

  /** @param {number} id */
  #originZoom(id) {
    return (id - this.points.length) % 32;
  }

  /** @param {number} zoom */
  #limitZoom(zoom) {
    const { minZoom, maxZoom } = this.options;
    if (!(+zoom === +zoom)) throw new RangeError(`Expected a number as the zoom, found ${asText(zoom)}`);
    return Math.max(minZoom, Math.min(Math.floor(+zoom), maxZoom + 1));
  }

  /**
   * Returns the level of the next lower zoom. Takes the items in order. Merges an unmerged item with all unmerged items
   * within the radius, if these items have enough points together.
   *
   * @param {Level} level
   * @param {number} zoom
   */
  #merged(level, zoom) {
    const { radius, extent, reduce, minPoints, nodeSize } = this.options;
    const { xs, ys, items, counts, parents, reduced, tree } = level;
    const distance = radius / (extent * 2 ** zoom);
    const size = items.length;
    const isDone = new Uint8Array(size);
    const [newXs, newYs, newItems, newCounts] = [new Float64Array(size), new Float64Array(size), new Uint32Array(size), new Uint32Array(size)];
    /** @type {any[] | null} */
    const newReduced = reduce ? [] : null;
    let length = 0;
    /** @param {number} item */
    const keep = (item) => {
      newXs[length] = xs[item];
      newYs[length] = ys[item];
      newItems[length] = items[item];
      newCounts[length] = counts[item];
      if (newReduced && reduced) newReduced[length] = reduced[item];
      length++;
    };
    for (let item = 0; item < size; item++) {
      if (isDone[item]) continue;
      isDone[item] = 1;
      const own = counts[item];
      let count = own;
      const neighbors = tree.near(xs[item], ys[item], distance);
      // A search within `reduce` would overwrite `found`.
      const near = reduce ? found.slice(0, neighbors) : found;
      for (let i = 0; i < neighbors; i++) if (!isDone[near[i]]) count += counts[near[i]];
      const isCluster = count > own && count >= minPoints;
      if (!isCluster) keep(item);
      if (count === own) continue;
      const id = item * 32 + zoom + 1 + this.points.length;
      let x = xs[item] * own;
      let y = ys[item] * own;
      let properties;
      for (let i = 0; i < neighbors; i++) {
        const other = near[i];
        if (isDone[other]) continue;
        isDone[other] = 1;
        if (!isCluster) {
          keep(other);
          continue;
        }
        x += xs[other] * counts[other];
        y += ys[other] * counts[other];
        parents[other] = id;
        if (reduce) {
          properties ??= { ...this.#mapped(level, item) };
          reduce(properties, this.#mapped(level, other));
        }
      }
      if (!isCluster) continue;
      parents[item] = id;
      newXs[length] = x / count;
      newYs[length] = y / count;
      newItems[length] = id;
      newCounts[length] = count;
      if (newReduced) newReduced[length] = properties;
      length++;
    }
    return new Level(newXs.slice(0, length), newYs.slice(0, length), newItems.slice(0, length), newCounts.slice(0, length), newReduced, nodeSize);
  }

  /**
   * Returns the properties of an item in the form that `reduce` gets.
   *
   * @param {Level} level
   * @param {number} item
   */
  #mapped(level, item) {
    return level.counts[item] > 1 ? level.reduced?.[item] : this.options.map(this.points[level.items[item]].properties);
  }

  /**
   * @param {Level} level
   * @param {number} item
   */
  #properties({ items, counts, reduced }, item) {
    const count = counts[item];
    const short = count >= 10000 ? `${Math.round(count / 1000)}k` : count >= 1000 ? `${Math.round(count / 100) / 10}k` : count;
    return { ...reduced?.[item], cluster: true, cluster_id: items[item], point_count: count, point_count_abbreviated: short };
  }

  /**
   * Returns GeoJSON of a cluster, or the feature of a point.
   *
   * @param {Level} level
   * @param {number} item
   */
  #feature(level, item) {
    if (level.counts[item] === 1) return this.points[level.items[item]];
    const longitude = (level.xs[item] - 0.5) * 360;
    const latitude = (360 * Math.atan(Math.exp(((180 - level.ys[item] * 360) * Math.PI) / 180))) / Math.PI - 90;
    return {
      type: "Feature", id: level.items[item], properties: this.#properties(level, item),
      geometry: { type: "Point", coordinates: [longitude, latitude] },
    };
  }

  /**
   * @param {Level} level
   * @param {number} item
   * @param {number} size Width of the world in tiles.
   * @param {number} column Column of the tile.
   * @param {number} row
   */
  #tileFeature(level, item, size, column, row) {
    const { extent, generateId } = this.options;
    const isCluster = level.counts[item] > 1;
    const point = this.points[level.items[item]];
    const [x, y] = isCluster ? [level.xs[item], level.ys[item]] : [worldX(point.geometry.coordinates[0]), worldY(point.geometry.coordinates[1])];
    const id = isCluster || generateId ? level.items[item] : point.id;
    return {
      type: 1, geometry: [[Math.round(extent * (x * size - column)), Math.round(extent * (y * size - row))]],
      tags: isCluster ? this.#properties(level, item) : point.properties, ...(id === undefined ? {} : { id }),
    };
  }
}

export default Supercluster;

/** @param {number} longitude */
const wrapped = (longitude) => ((((longitude + 180) % 360) + 360) % 360) - 180;

/**
 * Returns the x of a longitude in the world, from 0 in the west to 1 in the east.
 *
 * @param {unknown} longitude
 */
function worldX(longitude) {
  if (typeof longitude !== "number") return NaN;
  return (Math.abs(longitude) <= 180 ? longitude : wrapped(longitude)) / 360 + 0.5;
}

/**
 * Returns the y of a latitude in the world, from 0 in the north to 1 in the south.
 *
 * @param {unknown} latitude
 */
function worldY(latitude) {
  if (typeof latitude !== "number" || !Number.isFinite(latitude)) return NaN;
  const sine = Math.sin((Math.min(Math.max(latitude, -90), 90) * Math.PI) / 180);
  const y = 0.5 - (0.25 * Math.log((1 + sine) / (1 - sine))) / Math.PI;
  return y < 0 ? 0 : y > 1 ? 1 : y;
}
