// The clusters of an answer and the points of a cluster, as typed arrays and as GeoJSON.

import { INSIDE, InView, OUTSIDE } from "./view.js";

/** @typedef {import("./tree.js").Tree} Tree */
/** @typedef {import("./plane.js").Window} Window */

/**
 * Names of the properties that this module gives to clusters. A column with one of these names gets a different name.
 */
const OWN = [
  "cluster", "cluster_id", "point_count", "point_count_abbreviated", "point_count_in_view", "stack", "badge_px", "ellipse",
  "ellipse_meters", "ellipse_units", "hull", "shown_index", "index", "members", "tree_range", "area_km2", "area_px", "cluster_group",
];

/**
 * @typedef {object} ClustersOptions
 * @property {number} [scale] Scale of badges; 1 for full size.
 * @property {boolean} [isAnswer] Whether the clusters answer a query for a view.
 * @property {boolean} [isAnchored] Whether clusters keep their positions under a filter.
 * @property {"mean" | "member"} [position]
 * @property {Window | null} [window] A cluster outside this window is shown at one of its points inside the window, if
 *   it has one.
 * @property {string} [aggregate]
 * @property {boolean} [ellipses] Whether GeoJSON has the ellipses of the clusters.
 */

/** Doubles per cluster in the shared buffer: an id, a longitude, a latitude, a diameter and a count. */
const COLUMNS = 5;

/** Clusters in tree order, which is the order of their ids. Each array is computed when it is first used. */
export class Clusters {
  /** @type {Int32Array | null} */
  #members = null;
  /** @type {ArrayBuffer | null} */
  #buffer = null;
  /** @type {Float64Array | null} */
  #ids = null;
  /** @type {Uint32Array | null} */
  #counts = null;
  /** @type {Float64Array | null} */
  #coordinates = null;
  /** @type {Float64Array | null} */
  #world = null;
  /** @type {Float64Array | null} */
  #diameters = null;
  /** @type {Float64Array | null} */
  #rows = null;
  /** @type {Record<string, any[]> | null} */
  #values = null;

  /**
   * @param {Tree} tree
   * @param {ArrayLike<number>} nodes Four numbers for each cluster; see hierarchy.js.
   * @param {ClustersOptions} [options]
   */
  constructor(tree, nodes, options = {}) {
    this.tree = tree;
    this.nodes = nodes instanceof Uint32Array ? nodes : Uint32Array.from(nodes);
    this.length = nodes.length / 4;
    this.options = options;
  }

  /**
   * Returns one of the arrays of doubles. All arrays share one buffer, because allocating a small buffer takes as long
   * as filling it.
   *
   * @param {number} column Number of doubles per cluster before the array.
   * @param {number} width Number of doubles per cluster.
   */
  #doubles(column, width) {
    this.#buffer ??= new ArrayBuffer(this.length * 8 * COLUMNS);
    return new Float64Array(this.#buffer, this.length * 8 * column, this.length * width);
  }

  /** Id of each cluster, a number below 2^53. A cluster has the same id in every answer of its tree. */
  get ids() {
    if (this.#ids) return this.#ids;
    const { nodes, length } = this;
    const ids = this.#doubles(0, 1);
    for (let i = 0; i < length; i++) ids[i] = nodes[4 * i] * 1024 + (nodes[4 * i + 3] & 1023);
    return (this.#ids = ids);
  }

  /** Number of points of each cluster. Under a filter, counts only the points that pass. */
  get counts() {
    if (this.#counts) return this.#counts;
    const { nodes, length, tree: { selection } } = this;
    const counts = new Uint32Array(this.#doubles(COLUMNS - 1, 1).buffer, length * 8 * (COLUMNS - 1), length);
    for (let i = 0; i < length; i++) counts[i] = selection ? selection.count(nodes[4 * i], nodes[4 * i + 1]) : nodes[4 * i + 1];
    return (this.#counts = counts);
  }

  /** Tree index of the first point of each cluster. */
  get firsts() {
    return this.#numbers(0);
  }

  /** Number of points of each cluster, including points that fail a filter. */
  get sizes() {
    return this.#numbers(1);
  }

  /**
   * Returns one of the four numbers of each node.
   *
   * @param {number} which
   */
  #numbers(which) {
    const numbers = new Uint32Array(this.length);
    for (let i = 0; i < this.length; i++) numbers[i] = this.nodes[4 * i + which];
    return numbers;
  }

  /** Longitude and latitude at which each cluster is shown. */
  get coordinates() {
    if (this.#coordinates) return this.#coordinates;
    const { plane } = this.tree.hierarchy;
    const coordinates = this.#doubles(1, 2);
    this.#place(coordinates);
    for (let i = 0; i < coordinates.length; i += 2) {
      coordinates[i] = plane.longitude(coordinates[i]);
      coordinates[i + 1] = plane.latitude(coordinates[i + 1]);
    }
    return (this.#coordinates = coordinates);
  }

  /**
   * X and y of each cluster as fractions of the world's width, or of the side of a plain plane. X is 0 at the west
   * edge, y at the north edge.
   */
  get world() {
    if (this.#world) return this.#world;
    const { seam } = this.tree.hierarchy.plane;
    const world = new Float64Array(this.length * 2);
    this.#place(world);
    for (let i = 0; i < world.length; i++) {
      const turns = (world[i] + (i & 1 ? 0 : seam)) / 2 ** 32;
      world[i] = turns < 1 ? turns : turns - 1;
    }
    return (this.#world = world);
  }

  /** Diameter of each badge in pixels, such that no two badges touch. Null if the cut was not by badges. */
  get diameters() {
    const { curve } = this.tree.hierarchy;
    const { scale } = this.options;
    if (this.#diameters || scale === undefined || !curve) return this.#diameters;
    const { counts } = this;
    const diameters = this.#doubles(3, 1);
    for (let i = 0; i < counts.length; i++) diameters[i] = (curve.units(counts[i]) / 64) * scale;
    return (this.#diameters = diameters);
  }

  /** Row of each single point; -1 for clusters. */
  get rows() {
    if (this.#rows) return this.#rows;
    const { nodes, length, tree: { hierarchy } } = this;
    const rows = new Float64Array(length);
    for (let i = 0; i < length; i++) {
      const index = this.#singleIndex(nodes[4 * i], nodes[4 * i + 1]);
      rows[i] = index < 0 ? -1 : hierarchy.rows[index];
    }
    return (this.#rows = rows);
  }

  /** Aggregates of each cluster, by name. */
  get values() {
    this.#values ??= this.options.aggregate === undefined ? {} : this.tree.words.valuesOf(this, this.options.aggregate);
    return this.#values;
  }

  /**
   * Whether a cluster consists of several points at one position.
   *
   * @param {number} i
   */
  isStack(i) {
    const box = this.#box(i);
    return box[0] === box[2] && box[1] === box[3] && this.#count(i) > 1;
  }

  /**
   * Returns the bounding box of a cluster's points: west, south, east and north.
   *
   * @param {number} i
   */
  bounds(i) {
    return this.tree.hierarchy.plane.bounds(this.#box(i));
  }

  /**
   * Returns the standard deviations of a cluster's points along both principal axes, in fractions of the world, and the
   * angle of the longer axis, in degrees from east towards north.
   *
   * @param {number} i
   */
  ellipse(i) {
    const [first, count, record] = this.nodes.subarray(4 * i);
    const spread = new Float64Array(3);
    (this.tree.selection ?? this.tree.hierarchy).spread(first, count, record, spread);
    const [xx, xy, yy] = spread;
    const [mean, half] = [(xx + yy) / 2, (xx - yy) / 2];
    const radius = Math.sqrt(half * half + xy * xy);
    return {
      major: Math.sqrt(mean + radius) / 2 ** 32,
      minor: Math.sqrt(Math.max(mean - radius, 0)) / 2 ** 32,
      degrees: (-Math.atan2(xy, half) * 90) / Math.PI,
    };
  }

  /**
   * Returns the index of the cluster that contains a point; -1 if no cluster contains it.
   *
   * @param {number} index Index of the point in tree order.
   */
  indexContaining(index) {
    for (let i = 0; i < this.length; i++) {
      if (this.nodes[4 * i] <= index && index < this.nodes[4 * i] + this.nodes[4 * i + 1]) return i;
    }
    return -1;
  }

  /** GeoJSON of all clusters, in the form that the tool and the server write. */
  toGeoJSON() {
    const features = [];
    for (let i = 0; i < this.length; i++) features.push(this.feature(i));
    return { type: /** @type {const} */ ("FeatureCollection"), features };
  }

  /**
   * Returns GeoJSON of one cluster. A single point also has the values of its columns.
   *
   * @param {number} i
   */
  feature(i) {
    const { tree, nodes, options } = this;
    const [first, count, , levels] = nodes.subarray(4 * i);
    const id = first * 1024 + (levels & 1023);
    const points = this.#count(i);
    const index = this.#singleIndex(first, count);
    /** @type {Record<string, any>} */
    const properties = { cluster: points > 1, cluster_id: id, point_count: points };
    if (points > 1) properties.point_count_abbreviated = abbreviated(points);
    if (this.isStack(i)) properties.stack = true;
    if (options.scale !== undefined && tree.hierarchy.curve) {
      properties.badge_px = (tree.hierarchy.curve.units(points) / 64) * options.scale;
    }
    if (options.ellipses) Object.assign(properties, this.#ellipseProperties(i));
    const coordinates = Array.from(this.coordinates.subarray(2 * i, 2 * i + 2));
    const member = this.#members?.[i] ?? -1;
    if (points > 1 && member >= 0 && options.isAnswer) properties.shown_index = tree.hierarchy.rows[member];
    if (index >= 0) properties.index = tree.hierarchy.rows[index];
    for (const [name, values] of Object.entries(this.values)) properties[name] = values[i];
    if (index >= 0) addColumns(properties, tree, index);
    return feature(id, this.bounds(i), coordinates, properties);
  }

  /**
   * Returns the properties for the ellipse of a cluster; none if all points are at one position.
   *
   * @param {number} i
   */
  #ellipseProperties(i) {
    const { major, minor, degrees } = this.ellipse(i);
    if (major === 0) return {};
    const { isMercator, side } = this.tree.hierarchy.plane;
    const angle = Math.round(-degrees * 10) / 10;
    const ellipse = [Math.round(major * 2 ** 32), Math.round(minor * 2 ** 32), angle <= -90 ? angle + 180 : angle];
    if (!isMercator) return { ellipse, ellipse_units: [major * side, minor * side] };
    // Uses the scale at the cluster's own position, even if the cluster is shown elsewhere.
    const { isAnchored } = this.options;
    const [, latitude] = new Clusters(this.tree, this.nodes.subarray(4 * i, 4 * i + 4), { isAnchored }).coordinates;
    const meters = 2 * Math.PI * 6_378_137 * Math.cos((latitude * Math.PI) / 180);
    return { ellipse, ellipse_meters: [major, minor].map((length) => Math.round(length * meters * 10) / 10) };
  }

  /** @param {number} i */
  #count(i) {
    const { nodes, tree: { selection } } = this;
    return selection ? selection.count(nodes[4 * i], nodes[4 * i + 1]) : nodes[4 * i + 1];
  }

  /** @param {number} i */
  #box(i) {
    const { tree, nodes } = this;
    return (tree.selection ?? tree.hierarchy).box(nodes[4 * i], nodes[4 * i + 1], nodes[4 * i + 2]);
  }

  /**
   * Returns the tree index of a node's only point. Under a filter, points that fail are ignored. Returns -1 if the node
   * has several points.
   *
   * @param {number} first
   * @param {number} count
   */
  #singleIndex(first, count) {
    const { selection } = this.tree;
    if (!selection) return count === 1 ? first : -1;
    return selection.count(first, count) === 1 ? selection.indexOf(selection.before[first]) : -1;
  }

  /**
   * Writes the position of each cluster on the plane. Also stores the tree index of the point at that position, or -1
   * if the position is a mean.
   *
   * @param {Float64Array} places
   */
  #place(places) {
    const { tree: { hierarchy, selection }, nodes, options } = this;
    const { position, window } = options;
    if (!hierarchy.anchors && !selection && position !== "member" && !window) {
      for (let i = 0; i < nodes.length; i += 4) hierarchy.mean(nodes[i], nodes[i + 1], nodes[i + 2], places, i >> 1);
      return;
    }
    const { points } = hierarchy;
    const members = this.#members = new Int32Array(this.length).fill(-1);
    for (let i = 0; i < this.length; i++) {
      const [first, count, record, levels] = nodes.subarray(4 * i);
      /** @param {number} member Index of the point at which the cluster is shown; -1 for the mean. */
      const anchor = (member) => {
        if (member < 0) return;
        const at = 2 * hierarchy.place(member);
        places.set(points.subarray(at, at + 2), 2 * i);
        members[i] = member;
      };
      const isOfAll = !selection || (!position && options.isAnchored);
      if (position === "member") anchor(this.#nearest(i, null));
      else if (!position && isOfAll) anchor(hierarchy.anchorIndex(first, count, record, levels));
      if (members[i] < 0) (isOfAll ? hierarchy : selection).mean(first, count, record, places, 2 * i);
      if (window && !window.contains(places[2 * i], places[2 * i + 1])) anchor(this.#nearest(i, window));
    }
  }

  /**
   * Returns the tree index of the point nearest to a cluster's mean. Of equally near points, returns the first. With a
   * window, considers only points inside the window, and returns -1 if no point is inside. Searches depth first, and
   * skips nodes whose box is farther away than the nearest point so far (doi:10.1145/223784.223794).
   *
   * @param {number} i
   * @param {Window | null} window
   */
  #nearest(i, window) {
    const { tree: { hierarchy, selection }, nodes } = this;
    const [first, count, record, levels] = nodes.subarray(4 * i);
    const { points } = hierarchy;
    const view = window ? new InView(hierarchy, window, selection) : null;
    const box = this.#box(i);
    const size = this.#count(i);
    const sums = new Float64Array(2);
    (selection ?? hierarchy).sumsOf(first, count, record, box, sums);
    // Offsets from the mean are multiplied by the number of points, so that the offsets are whole numbers.
    const [sumX, sumY] = sums;
    /** @param {number} x @param {number} y */
    const offsets = (x, y) => [((x - box[0]) >>> 0) * size - sumX, (y - box[1]) * size - sumY];
    let [best, least] = [-1, Infinity];
    /** @param {number} index */
    const take = (index) => {
      const at = 2 * hierarchy.place(index);
      const [dx, dy] = offsets(points[at], points[at + 1]);
      const square = dx * dx + dy * dy;
      if (square > least * (1 + 2 ** -48) || (square >= least * (1 - 2 ** -48) && !isCloser(index))) return;
      [best, least] = [index, square];
    };
    /** @param {number} index A point at the least distance so far, except for rounding errors. */
    const isCloser = (index) => {
      const [own, other] = [index, best].map((one) => {
        const at = 2 * hierarchy.place(one);
        return offsets(points[at], points[at + 1]).map(BigInt);
      });
      const difference = own[0] * own[0] + own[1] * own[1] - other[0] * other[0] - other[1] * other[1];
      return difference < 0n || (difference === 0n && index < best);
    };
    const waiting = [first, count, record, levels];
    while (waiting.length) {
      const [f, c, r, l] = waiting.splice(-4);
      if (selection && !selection.count(f, c)) continue;
      if (view && view.ofBox(r) === OUTSIDE) continue;
      if (hierarchy.pages?.isMissing(r)) continue;
      if (hierarchy.isStored(r)) {
        if (this.#gap(r, box, [sumX / size, sumY / size]) * size * size > least * (1 + 2 ** -40)) continue;
        waiting.push(...hierarchy.childrenOf(f, c, r, l));
      } else {
        const end = hierarchy.isPoint(r) ? f + 1 : f + c;
        if (end > f + 1) hierarchy.checkBucket(c, r);
        if (hierarchy.isPoint(r) && (!view || view.ofBox(r) === INSIDE)) take(selection ? selection.indexOf(selection.before[f]) : f);
        else for (let index = f; index < end; index++) if (view ? view.contains(index) : !selection || selection.passes(index)) take(index);
      }
    }
    return best;
  }

  /**
   * Returns the squared distance from a mean to the box of a record. The mean is measured from the corner of `box`.
   *
   * @param {number} record
   * @param {ArrayLike<number>} box
   * @param {number[]} mean
   */
  #gap(record, box, [x, y]) {
    const { nodes } = this.tree.hierarchy;
    const [west, north, east, south] = nodes.subarray(record * 6);
    const [minX, maxX] = [(west - box[0]) >>> 0, (east - box[0]) >>> 0];
    const dx = minX > maxX ? 0 : Math.max(minX - x, x - maxX, 0);
    const dy = Math.max(north - box[1] - y, y - (south - box[1]), 0);
    return dx * dx + dy * dy;
  }
}

/** One page of the list of a cluster's points. */
export class Members {
  /**
   * @param {Tree} tree
   * @param {Uint32Array} indices In tree order.
   * @param {number} total Number of points of the cluster.
   * @param {number} offset
   */
  constructor(tree, indices, total, offset) {
    this.tree = tree;
    this.indices = indices;
    this.total = total;
    this.offset = offset;
    this.length = indices.length;
  }

  /** Row of each point. */
  get rows() {
    return Float64Array.from(this.indices, (index) => this.tree.hierarchy.rows[index]);
  }

  /** Longitude and latitude of each point. */
  get coordinates() {
    const { hierarchy, hierarchy: { points, plane } } = this.tree;
    return Float64Array.from({ length: 2 * this.length }, (_, i) => {
      const at = 2 * hierarchy.place(this.indices[i >> 1]);
      return i % 2 ? plane.latitude(points[at + 1]) : plane.longitude(points[at]);
    });
  }

  toGeoJSON() {
    const { tree, indices, coordinates } = this;
    const features = Array.from(indices, (index, i) => {
      const [first, , record, levels] = tree.hierarchy.path(index).slice(-4);
      const id = first * 1024 + (levels & 1023);
      /** @type {Record<string, any>} */
      const properties = { cluster: false, cluster_id: id, point_count: 1, index: tree.hierarchy.rows[index] };
      addColumns(properties, tree, index);
      const box = tree.hierarchy.box(index, 1, record);
      return feature(id, tree.hierarchy.plane.bounds(box), Array.from(coordinates.subarray(2 * i, 2 * i + 2)), properties);
    });
    return { total: this.total, offset: this.offset, type: /** @type {const} */ ("FeatureCollection"), features };
  }
}

/**
 * @param {number} id
 * @param {number[]} bbox
 * @param {number[]} coordinates
 * @param {Record<string, any>} properties
 */
function feature(id, bbox, coordinates, properties) {
  return { type: /** @type {const} */ ("Feature"), id, bbox, geometry: { type: /** @type {const} */ ("Point"), coordinates }, properties };
}

/**
 * Adds the values of a point's columns to the properties of its cluster. A column whose name is in use gets another
 * name.
 *
 * @param {Record<string, any>} properties
 * @param {Tree} tree
 * @param {number} index
 */
function addColumns(properties, tree, index) {
  const taken = new Set([...OWN, ...Object.keys(properties)]);
  /** @param {string} name @param {any} value */
  const add = (name, value) => {
    if (value === undefined) return;
    while (taken.has(name.normalize())) name += "_";
    taken.add(name.normalize());
    // An assignment to a property called `__proto__` would change the prototype instead.
    Object.defineProperty(properties, name, { value, writable: true, enumerable: true, configurable: true });
  };
  for (const { name, output } of tree.columns) add(name, output(index));
  const own = tree.features?.[tree.hierarchy.rows[index]]?.properties;
  if (own) for (const [name, value] of Object.entries(own)) add(name, value);
}

/**
 * Returns a short form of a count: 999, 1.2k, 12k, 3.4M.
 *
 * @param {number} count
 */
export function abbreviated(count) {
  if (count < 1000) return String(count);
  let [unit, letter] = [1000, 0];
  /** @param {number} unit */
  const rounded = (unit) => Math.floor(count / unit) + (count % unit >= unit - Math.floor(unit / 2) ? 1 : 0);
  while (letter < 3 && rounded(unit) >= 1000) [unit, letter] = [unit * 1000, letter + 1];
  const tenths = rounded(unit / 10);
  return `${tenths < 100 ? tenths / 10 : rounded(unit)}${"kMBT"[letter]}`;
}
