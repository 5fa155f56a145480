// An excerpt of a tree, and the cuts of the excerpt. A page contains an excerpt instead of an index.
//
// An excerpt is a row of leaves in tree order. A leaf is a point or a stack. If a page cannot hold all points, a leaf
// may also be a node whose parts are omitted. Between any two neighboring leaves lies the split of one node. Each split
// has a level. On each side of its split, a node consists of the leaves up to the next split that is at the same level
// or above. Counts, means, boxes and extents of nodes are computed from the leaves.

import { Window } from "./plane.js";

/** An id has the level of a node in its lowest bits, and the first point of the node in the bits above. */
const LEVELS = 2 ** 10;
const WORLD = 2 ** 32;
export const EVERYTHING = new Window(0, WORLD - 1, 0, WORLD - 1);

/** @typedef {{minX: number, minY: number, maxX: number, maxY: number}} Box A box of the plane. */

/**
 * Each node has a number. Split i lies before leaf i. The node that is split between leaf i - 1 and leaf i has the
 * number i. Leaf i has the number -1 - i. If there is only one leaf, the leaf is the root.
 */
export class Excerpt {
  /**
   * @param {Record<string, any>} table Arrays of three kinds:
   *   - For the split before each leaf: `levels`, `codes`, and `anchors`, which says whether the split node has the
   *     position of its right child.
   *   - For each leaf: `counts`, and the top left corner `x` and `y` of the leaf's box.
   *   - For each leaf that is neither a point nor a stack: the index of the leaf in `parts`, the size of its box in
   *     `widths` and `heights`, its covariance in `xx`, `xy` and `yy`, its code in `partCodes`, and its mean, measured
   *     from the corner of the box. `meansX` and `meansY` are the mean in whole units, rounded down. `restsX` and
   *     `restsY` are the remainders of the division by the number of points. If clusters are shown at members, the
   *     leaf's position is in `anchorsX` and `anchorsY`.
   * @param {boolean} crossesSeam Whether a node may lie across the edge of the plane. A node lies there if its box is
   *   then narrower.
   */
  constructor(table, crossesSeam) {
    const { levels, codes, anchors, counts, x, y, parts, partCodes } = table;
    this.table = table;
    /** @type {ArrayLike<number>} */
    this.levels = levels;
    /** @type {Uint16Array} */
    this.codes = codes;
    /** @type {ArrayLike<number> | undefined} */
    this.anchors = anchors;
    /** @type {ArrayLike<number>} */
    this.counts = counts;
    /** @type {ArrayLike<number>} */
    this.x = x;
    /** @type {ArrayLike<number>} */
    this.y = y;
    /** @type {Uint32Array} */
    this.parts = parts;
    /** @type {Uint16Array} */
    this.partCodes = partCodes;
    this.crossesSeam = crossesSeam;
    this.leafCount = counts.length;
    this.root = 0;
    this.starts = new Float64Array(this.leafCount);
    /** @type {Map<number, number>} */
    this.partOf = new Map(Array.from(this.parts, (leaf, part) => [leaf, part]));
    this.left = new Int32Array(this.leafCount);
    this.right = new Int32Array(this.leafCount);
    this.firstLeaves = new Uint32Array(this.leafCount);
    const slots = 2 * this.leafCount;
    this.parents = new Int32Array(slots);
    this.minX = new Float64Array(slots);
    this.minY = new Float64Array(slots);
    this.maxX = new Float64Array(slots);
    this.maxY = new Float64Array(slots);
    this.sumX = new Float64Array(slots);
    this.sumY = new Float64Array(slots);
    this.size = new Float64Array(slots);
    this.m2xx = new Float64Array(slots);
    this.m2xy = new Float64Array(slots);
    this.m2yy = new Float64Array(slots);
    this.#layLeaves();
    this.#grow();
    this.#sumUp();
  }

  /** @param {number} node */
  count(node) {
    return this.size[this.#slot(node)];
  }

  /** @param {number} node */
  first(node) {
    return this.starts[this.#firstLeaf(node)];
  }

  /**
   * Returns the id that a node also has in the tree.
   *
   * @param {number} node
   */
  id(node) {
    return this.first(node) * LEVELS + this.level(node);
  }

  /**
   * @param {number} node
   * @returns {number}
   */
  level(node) {
    if (node >= 0) return this.levels[node];
    const parent = this.parents[this.#slot(node)];
    return parent === 0 ? 0 : this.levels[parent] + 1;
  }

  /**
   * @param {number} node
   * @returns {Box}
   */
  box(node) {
    const at = this.#slot(node);
    return { minX: this.minX[at], minY: this.minY[at], maxX: this.maxX[at], maxY: this.maxY[at] };
  }

  /**
   * Returns the position of a node on the plane.
   *
   * @param {number} node
   */
  position(node) {
    const at = this.#slot(node);
    if (this.anchors) return this.#anchor(node);
    const x = this.minX[at] + this.sumX[at] / this.size[at];
    return { x: x < WORLD ? x : x - WORLD, y: this.minY[at] + this.sumY[at] / this.size[at] };
  }

  /** @param {number} node */
  #anchor(node) {
    let at = node;
    while (at >= 0) at = this.anchors?.[at] ? this.right[at] : this.left[at];
    const leaf = -1 - at;
    const part = this.partOf.get(leaf);
    return part === undefined
      ? { x: this.x[leaf], y: this.y[leaf] } : { x: this.table.anchorsX[part], y: this.table.anchorsY[part] };
  }

  /**
   * Returns the covariance of a node's points.
   *
   * @param {number} node
   */
  spread(node) {
    const at = this.#slot(node);
    const count = this.size[at];
    return { xx: this.m2xx[at] / count, xy: this.m2xy[at] / count, yy: this.m2yy[at] / count };
  }

  /** @param {number} node */
  isPosition(node) {
    const { minX, minY, maxX, maxY } = this.box(node);
    return minX === maxX && minY === maxY;
  }

  /**
   * Returns the nodes that a window shows, in tree order. Nodes whose code is at least `least` are split.
   *
   * @param {Window} window
   * @param {number} least The smallest code of a node that is split.
   */
  cut(window, least) {
    /** @type {number[]} */
    const shown = [];
    // A stack with the right children that must still be visited, then the current node.
    const waiting = this.leafCount > 0 ? [this.root] : [];
    while (waiting.length > 0) {
      const node = /** @type {number} */ (waiting.pop());
      if (!this.hasPointIn(window, node)) continue;
      if (node >= 0 && this.codes[node] >= least) waiting.push(this.right[node], this.left[node]);
      else shown.push(node);
    }
    return shown;
  }

  /**
   * Returns about `most` nodes. Splits the nodes with the greatest codes, because their parts are farthest apart.
   *
   * @param {number} most
   */
  overview(most) {
    const codes = this.codes.slice(1).sort().reverse();
    const least = Math.max((codes[most - 1] ?? 0) + 1, 1);
    return this.cut(EVERYTHING, least);
  }

  /**
   * Returns whether a node has a point in a window. If the parts of a leaf are omitted, only the box of the leaf is
   * known. So the result may be true although no point is in the window.
   *
   * @param {Window} window
   * @param {number} node
   */
  hasPointIn(window, node) {
    const waiting = [node];
    while (waiting.length > 0) {
      const next = /** @type {number} */ (waiting.pop());
      const at = this.#slot(next);
      const [minY, maxY] = [this.minY[at], this.maxY[at]];
      if (minY > window.maxY || maxY < window.minY) continue;
      const start = eastward(window.x, this.minX[at]);
      const width = eastward(this.minX[at], this.maxX[at]);
      const startsInside = start <= window.width;
      if (!startsInside && eastward(this.minX[at], window.x) > width) continue;
      const isInside = startsInside && width <= window.width - start && minY >= window.minY && maxY <= window.maxY;
      if (isInside || next < 0) return true;
      waiting.push(this.right[next], this.left[next]);
    }
    return false;
  }

  /**
   * Returns the node with an id; null if no node has the id.
   *
   * @param {number} id
   */
  node(id) {
    const [first, level] = [Math.floor(id / LEVELS), id % LEVELS];
    let [low, high] = [0, this.leafCount - 1];
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (this.starts[middle] <= first) low = middle;
      else high = middle - 1;
    }
    let node = -1 - low;
    while (this.level(node) > level && this.parents[this.#slot(node)] !== 0) node = this.parents[this.#slot(node)];
    return this.first(node) === first && this.level(node) === level ? node : null;
  }

  /**
   * Returns the code at which a node is split; 0 if the node is never split.
   *
   * @param {number} node
   */
  code(node) {
    if (node >= 0) return this.codes[node];
    const part = this.partOf.get(-1 - node);
    return part === undefined ? 0 : this.partCodes[part];
  }

  /**
   * Returns the index of the first leaf of a node, and one past the index of the last leaf.
   *
   * @param {number} node
   */
  leaves(node) {
    const first = this.#firstLeaf(node);
    const end = this.first(node) + this.count(node);
    let last = first;
    while (last < this.leafCount && this.starts[last] < end) last++;
    return { first, end: last };
  }

  // The slot of a split is its number. The slots of leaves come after the slots of splits.

  /** @param {number} node */
  #slot(node) {
    return node >= 0 ? node : this.leafCount - 1 - node;
  }

  /** @param {number} node */
  #firstLeaf(node) {
    return node >= 0 ? this.firstLeaves[node] : -1 - node;
  }

  #layLeaves() {
    const { leafCount, counts } = this;
    for (let leaf = 1; leaf < leafCount; leaf++) this.starts[leaf] = this.starts[leaf - 1] + counts[leaf - 1];
  }

  /** Finds the children of each split. A stack holds the splits on the way down to the current leaf. */
  #grow() {
    const { leafCount, levels } = this;
    /** @type {number[]} */
    const path = [];
    for (let split = 1; split < leafCount; split++) {
      let left = -split;
      while (path.length > 0 && levels[path[path.length - 1]] >= levels[split]) {
        const done = /** @type {number} */ (path.pop());
        this.#adopt(done, this.right, left);
        left = done;
      }
      this.#adopt(split, this.left, left);
      this.firstLeaves[split] = this.#firstLeaf(left);
      path.push(split);
    }
    let node = -leafCount;
    while (path.length > 0) {
      const done = /** @type {number} */ (path.pop());
      this.#adopt(done, this.right, node);
      node = done;
    }
    this.root = node;
  }

  /**
   * @param {number} split
   * @param {Int32Array} children
   * @param {number} child
   */
  #adopt(split, children, child) {
    children[split] = child;
    this.parents[this.#slot(child)] = split;
  }

  #sumUp() {
    const { leafCount, table } = this;
    for (let leaf = 0; leaf < leafCount; leaf++) {
      const at = leafCount + leaf;
      this.size[at] = this.counts[leaf];
      this.minX[at] = this.maxX[at] = this.x[leaf];
      this.minY[at] = this.maxY[at] = this.y[leaf];
    }
    this.parts.forEach((leaf, part) => {
      const at = leafCount + leaf;
      this.maxX[at] = (this.x[leaf] + table.widths[part]) % 2 ** 32;
      this.maxY[at] = this.y[leaf] + table.heights[part];
      this.sumX[at] = table.meansX[part] * this.counts[leaf] + table.restsX[part];
      this.sumY[at] = table.meansY[part] * this.counts[leaf] + table.restsY[part];
      this.m2xx[at] = table.xx[part] * this.counts[leaf];
      this.m2xy[at] = table.xy[part] * this.counts[leaf];
      this.m2yy[at] = table.yy[part] * this.counts[leaf];
    });
    // The splits are visited from the bottom up. This order works, because children have deeper levels than their
    // parents.
    const splits = Uint32Array.from({ length: Math.max(leafCount - 1, 0) }, (_, at) => at + 1);
    splits.sort((a, b) => this.levels[b] - this.levels[a]);
    for (const split of splits) this.#unite(split);
  }

  /** @param {number} split */
  #unite(split) {
    const [a, b] = [this.#slot(this.left[split]), this.#slot(this.right[split])];
    this.size[split] = this.size[a] + this.size[b];
    [this.minX[split], this.maxX[split]] = this.#edges(a, b);
    this.minY[split] = Math.min(this.minY[a], this.minY[b]);
    this.maxY[split] = Math.max(this.maxY[a], this.maxY[b]);
    /** @param {number} at */
    const sum = (at) => ({
      x: this.sumX[at] + this.size[at] * eastward(this.minX[split], this.minX[at]),
      y: this.sumY[at] + this.size[at] * (this.minY[at] - this.minY[split]),
    });
    const [one, other] = [sum(a), sum(b)];
    this.sumX[split] = one.x + other.x;
    this.sumY[split] = one.y + other.y;
    // Computes the sums of squares about the common mean from the sums about the mean of each child.
    const dx = one.x / this.size[a] - other.x / this.size[b];
    const dy = one.y / this.size[a] - other.y / this.size[b];
    const weight = (this.size[a] * this.size[b]) / this.size[split];
    this.m2xx[split] = this.m2xx[a] + this.m2xx[b] + weight * dx * dx;
    this.m2xy[split] = this.m2xy[a] + this.m2xy[b] + weight * dx * dy;
    this.m2yy[split] = this.m2yy[a] + this.m2yy[b] + weight * dy * dy;
  }

  /**
   * Returns the western and eastern edge of the box around two boxes. The box lies across the edge of the plane only if
   * it is then narrower than half of the plane.
   *
   * @param {number} a
   * @param {number} b
   * @returns {number[]}
   */
  #edges(a, b) {
    const isAcross = this.minX[a] > this.maxX[a] || this.minX[b] > this.maxX[b];
    const plain = [Math.min(this.minX[a], this.minX[b]), Math.max(this.maxX[a], this.maxX[b])];
    if (!this.crossesSeam || (!isAcross && plain[1] - plain[0] < 2 ** 31)) return plain;
    const around = [[a, b], [b, a]].map(([west, east]) => {
      const [own, between] = [eastward(this.minX[west], this.maxX[west]), eastward(this.minX[west], this.minX[east])];
      const width = Math.max(own, between + eastward(this.minX[east], this.maxX[east]));
      return { width, edges: [this.minX[west], (this.minX[west] + width) % WORLD] };
    });
    const narrower = around[0].width <= around[1].width ? around[0] : around[1];
    return narrower.width < 2 ** 31 ? narrower.edges : isAcross ? [0, WORLD - 1] : plain;
  }
}

/**
 * Returns the eastward distance from one x to another x.
 *
 * @param {number} from
 * @param {number} to
 */
const eastward = (from, to) => (to >= from ? to - from : to - from + WORLD);
