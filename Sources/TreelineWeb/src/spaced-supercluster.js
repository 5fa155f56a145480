// The interface of supercluster over a tree that was merged by distance. The calls and the GeoJSON are the same as in
// supercluster. But no two clusters are closer than the radius, and the order of the points does not matter.

import { build } from "./build.js";
import { CutSearch } from "./cuts.js";
import { asText } from "./errors.js";
import { Window } from "./plane.js";
import { treeOfBuilt } from "./points.js";
import { checkFeatures, checkZooms } from "./supercluster-options.js";
import { InView } from "./view.js";

/** @typedef {import("./tree.js").Tree} Tree */

/**
 * @typedef {object} SuperclusterOptions
 * @property {number} [minZoom] Least zoom. A query for a lower zoom gets the answer for the least zoom.
 * @property {number} [maxZoom] Greatest zoom with clusters.
 * @property {number} [minPoints] Least number of points of a cluster.
 * @property {number} [radius] Least distance of two clusters, in units. A tile is `extent` units wide.
 * @property {number} [extent] Width of a tile in the unit of `radius`.
 * @property {boolean} [generateId] Whether the `id` of a point in tiles is its row.
 * @property {(properties: any) => any} [map] Makes the properties that `reduce` gets from the properties of a point.
 * @property {((accumulated: any, properties: any) => void) | null} [reduce] Adds the properties of a point or cluster
 *   to the properties of the cluster that contains it.
 *
 * @typedef {import("./points.js").Feature} Feature
 */

const DEFAULTS = {
  minZoom: 0, maxZoom: 16, minPoints: 2, radius: 40, extent: 512, generateId: false, reduce: null,
  map: (/** @type {any} */ properties) => properties,
};
const EVERYTHING = new Window(0, 2 ** 32 - 1, 0, 2 ** 32 - 1);

export class SpacedSupercluster {
  /** @type {Tree | null} */
  #tree = null;
  /** Results of `reduce`, by record of the tree. */
  /** @type {any[]} */
  #reduced = [];

  /** @param {SuperclusterOptions} [options] */
  constructor(options = {}) {
    const given = Object.entries(options).filter(([, value]) => value !== undefined);
    this.options = { ...DEFAULTS, .../** @type {SuperclusterOptions} */ (Object.fromEntries(given)) };
    /** @type {any[]} */
    this.points = [];
  }

  /**
   * Clusters points, which replace the points of an earlier call.
   *
   * @param {any[]} points GeoJSON features. Features without a geometry are left out.
   */
  load(points) {
    checkZooms(this.options);
    checkFeatures(points);
    this.points = points;
    const [coordinates, rows] = [new Float64Array(points.length * 2), new Uint32Array(points.length)];
    let count = 0;
    points.forEach((point, row) => {
      const [longitude, latitude] = point.geometry?.coordinates ?? [];
      if (!Number.isFinite(longitude) || !Number.isFinite(latitude)) return;
      coordinates[2 * count] = Math.abs(longitude) <= 180 ? longitude : wrapped(longitude);
      coordinates[2 * count + 1] = Math.min(Math.max(latitude, -90), 90);
      rows[count++] = row;
    });
    const built = build(coordinates.subarray(0, 2 * count), rows.subarray(0, count), { for: "spacing" });
    this.#tree = treeOfBuilt(built, [], { for: "spacing" });
    this.#reduced = [];
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
    const [west, east] = bbox[2] - bbox[0] >= 360 ? [-180, 180] : [wrapped(bbox[0]), bbox[2] === 180 ? 180 : wrapped(bbox[2])];
    const [south, north] = [Math.max(-90, Math.min(90, bbox[1])), Math.max(-90, Math.min(90, bbox[3]))];
    if (!this.#tree || !(south <= north) || !Number.isFinite(west + east + south + north)) return [];
    const window = this.#tree.hierarchy.plane.window([west, south, east, north]);
    return window ? this.#items(this.#shown(window, zoom), zoom).map((item) => this.#feature(item)) : [];
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
    if (!this.#tree) return null;
    const { radius, extent, generateId } = this.options;
    const [size, buffer] = [2 ** z, radius / extent];
    const units = 2 ** 32 / size;
    const west = (x - buffer) * units - this.#tree.hierarchy.plane.seam;
    const window = new Window(
      Math.floor(west) - Math.floor(west / 2 ** 32) * 2 ** 32, Math.min(Math.ceil(units * (1 + 2 * buffer)), 2 ** 32 - 1),
      Math.max(Math.floor((y - buffer) * units), 0), Math.min(Math.ceil((y + 1 + buffer) * units), 2 ** 32 - 1));
    const features = [];
    for (const item of this.#items(this.#shown(window, z), z)) {
      const feature = this.#feature(item);
      const [longitude, latitude] = feature.geometry.coordinates;
      const tileY = mercator(latitude) * size - y;
      // A tile next to the antimeridian also shows features on the other side of the antimeridian.
      for (const turn of [0, 1, -1]) {
        const tileX = (longitude / 360 + 0.5 + turn) * size - x;
        if (Math.max(-tileX, tileX - 1, -tileY, tileY - 1) > buffer) continue;
        const id = typeof item === "number" && generateId ? item : feature.id;
        const geometry = [[Math.round(extent * tileX), Math.round(extent * tileY)]];
        features.push({ type: 1, geometry, tags: feature.properties, ...(id === undefined ? {} : { id }) });
      }
    }
    return features.length ? { features } : null;
  }

  /**
   * Returns the parts of a cluster at its expansion zoom.
   *
   * @param {number} id
   * @returns {any[]}
   */
  getChildren(id) {
    const node = this.#node(id);
    const zoom = this.getClusterExpansionZoom(id);
    return this.#items(this.#search(EVERYTHING, zoom).centered(node), zoom).map((item) => this.#feature(item));
  }

  /**
   * Returns the points of a cluster.
   *
   * @param {number} id
   * @param {number} [limit]
   * @param {number} [offset]
   * @returns {any[]}
   */
  getLeaves(id, limit = 10, offset = 0) {
    const [first, count] = this.#node(id);
    const start = first + Math.min(offset || 0, count);
    const { rows } = this.#loaded.hierarchy;
    return Array.from(rows.subarray(start, Math.min(start + (limit || 10), first + count)), (row) => this.points[row]);
  }

  /**
   * Returns the least zoom at which a cluster is replaced by several clusters or points.
   *
   * @param {number} id
   * @returns {number}
   */
  getClusterExpansionZoom(id) {
    const { minZoom, maxZoom } = this.options;
    if (this.#node(id)[1] < this.options.minPoints) return minZoom;
    const zoom = this.#loaded.expansionZoom(id, { cut: { spacing: this.#spacing } });
    // Clusters that are at most one unit of the plane apart are never shown separately.
    return zoom === null ? maxZoom + 1 : Math.max(Math.min(Math.ceil(zoom), maxZoom + 1), minZoom);
  }

  /**
   * One object for each zoom. The length of its array `ids` is the number of features, and some programs use this
   * length to count features.
   */
  get trees() {
    return Array.from({ length: this.options.maxZoom + 2 }, (_, zoom) => {
      const shown = () => this.#items(this.#shown(EVERYTHING, zoom), zoom).map((_, i) => i);
      return { get ids() { return shown(); } };
    });
  }

  get #loaded() {
    if (!this.#tree) throw new Error("No points are loaded.");
    return this.#tree;
  }

  /** The radius in pixels of 512 px tiles. */
  get #spacing() {
    return (this.options.radius * 512) / this.options.extent;
  }

  /** @param {number} zoom */
  #limitZoom(zoom) {
    const { minZoom, maxZoom } = this.options;
    if (!(+zoom === +zoom)) throw new RangeError(`Expected a number as the zoom, found ${asText(zoom)}`);
    return Math.max(minZoom, Math.min(Math.floor(+zoom), maxZoom + 1));
  }

  /**
   * @param {Window} window
   * @param {number} zoom
   */
  #search(window, zoom) {
    const { minPoints, maxZoom } = this.options;
    const cut = { spacing: this.#spacing, minPoints };
    return new CutSearch(new InView(this.#loaded.hierarchy, window, null), cut, this.#limitZoom(zoom) + 1, maxZoom + 2);
  }

  /**
   * Returns the nodes that a cut at the zoom shows, if their position is in a window.
   *
   * @param {Window} window
   * @param {number} zoom
   */
  #shown(window, zoom) {
    return this.#search(window, zoom).centered();
  }

  /**
   * Returns the rows of single points, and the nodes of clusters. The points of a node become rows if the node has too
   * few points, or if the zoom is above the greatest zoom.
   *
   * @param {ArrayLike<number>} nodes
   * @param {number} zoom
   * @returns {(number | number[])[]}
   */
  #items(nodes, zoom) {
    const { minPoints, maxZoom } = this.options;
    const { rows } = this.#loaded.hierarchy;
    /** @type {(number | number[])[]} */
    const items = [];
    for (let i = 0; i < nodes.length; i += 4) {
      const [first, count] = [nodes[i], nodes[i + 1]];
      if (count > 1 && count >= minPoints && this.#limitZoom(zoom) <= maxZoom) items.push([first, count, nodes[i + 2], nodes[i + 3]]);
      else for (let index = first; index < first + count; index++) items.push(rows[index]);
    }
    return items;
  }

  /** @param {number} id */
  #node(id) {
    try {
      return this.#loaded.cluster(id).nodes;
    } catch {
      throw new Error("No cluster with the specified id.");
    }
  }

  /** @param {number | number[]} item */
  #feature(item) {
    if (typeof item === "number") return this.points[item];
    const [first, count, record, levels] = item;
    const { hierarchy } = this.#loaded;
    const mean = new Float64Array(2);
    hierarchy.mean(first, count, record, mean);
    const id = first * 1024 + (levels & 1023);
    const short = count >= 10000 ? `${Math.round(count / 1000)}k` : count >= 1000 ? `${Math.round(count / 100) / 10}k` : count;
    const reduced = this.options.reduce ? this.#properties(first, count, record, levels) : {};
    return {
      type: "Feature", id,
      properties: { ...reduced, cluster: true, cluster_id: id, point_count: count, point_count_abbreviated: short },
      geometry: { type: "Point", coordinates: [hierarchy.plane.longitude(mean[0]), hierarchy.plane.latitude(mean[1])] },
    };
  }

  /**
   * Returns the result of `reduce` over the points of a node, in tree order. Results of nodes with their own record are
   * kept.
   *
   * @param {number} first
   * @param {number} count
   * @param {number} record
   * @param {number} levels
   * @returns {any}
   */
  #properties(first, count, record, levels) {
    const { hierarchy } = this.#loaded;
    const { map } = this.options;
    const reduce = /** @type {(accumulated: any, properties: any) => void} */ (this.options.reduce);
    const isRecord = levels < 1024;
    if (isRecord && this.#reduced[record]) return this.#reduced[record];
    let result;
    if (hierarchy.isStored(record)) {
      const left = hierarchy.leftCount(first, count, record, levels);
      const child = hierarchy.leftRecord(record);
      result = { ...this.#properties(first, left, child, levels + 1) };
      reduce(result, this.#properties(first + left, count - left, child + 1, levels + 1));
    } else {
      result = { ...map(this.points[hierarchy.rows[first]].properties) };
      for (let index = first + 1; index < first + count; index++) reduce(result, map(this.points[hierarchy.rows[index]].properties));
    }
    if (isRecord) this.#reduced[record] = result;
    return result;
  }
}

export default SpacedSupercluster;

/** @param {number} longitude */
const wrapped = (longitude) => ((((longitude + 180) % 360) + 360) % 360) - 180;

/**
 * Returns the y of a latitude in the world, from 0 in the north to 1 in the south.
 *
 * @param {number} latitude
 */
function mercator(latitude) {
  const sine = Math.sin((latitude * Math.PI) / 180);
  return Math.min(Math.max(0.5 - (0.25 * Math.log((1 + sine) / (1 - sine))) / Math.PI, 0), 1);
}
