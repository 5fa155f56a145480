// The hierarchy that a page holds, and the answers that follow from it.
//
// It is a row of leaves in tree order: points, stacks, and, where there are too many points for a page, nodes whose
// parts are left out. Between any two neighbours lies the split of one node, and its level; so a node is the leaves
// around a split as far as the splits between them lie deeper. Counts, means, boxes and extents of nodes are summed
// up from the leaves.

import { firstPoint } from "./cluster.js";
import { idOf, levelOf } from "./ids.js";
import { eastward, everything } from "./plane.js";

/**
 * A node is named by a number: split i, which lies before leaf i, by i itself, and leaf i by -1 - i. The root of a
 * single leaf is that leaf.
 */
export class Hierarchy {
  /**
   * @param table Arrays over the leaves. Of the split before each leaf: `levels`, `codes`, and where its node stands at
   *   its right child, `stands`. Of leaves: `counts`, `x` and `y`, the top left corner of their boxes. Of those that
   *   are no points or stacks, at the places `parts` lists: `widths`, `heights`, the means from that corner, whole in
   *   `meansX` and `meansY` with `restsX` and `restsY` left over for all points, `xx`, `xy`, `yy`, `partCodes`, and
   *   where clusters stand at members `standsX` and `standsY`.
   * @param crossesSeam Whether nodes may lie across the plane's end, the shorter way round.
   */
  constructor(table, crossesSeam) {
    Object.assign(this, table);
    this.crossesSeam = crossesSeam;
    this.leafCount = table.counts.length;
    this.#layLeaves();
    this.#grow();
    this.#sumUp();
  }

  count(node) {
    return this.size[this.#slot(node)];
  }

  first(node) {
    return this.starts[this.#firstLeaf(node)];
  }

  /** Names a node as the tree does. */
  id(node) {
    return idOf(this.first(node), this.level(node));
  }

  level(node) {
    if (node >= 0) return this.levels[node];
    const parent = this.parents[this.#slot(node)];
    return parent === 0 ? 0 : this.levels[parent] + 1;
  }

  box(node) {
    const at = this.#slot(node);
    return { minX: this.minX[at], minY: this.minY[at], maxX: this.maxX[at], maxY: this.maxY[at] };
  }

  /** Where a node stands, on the plane. */
  position(node) {
    const at = this.#slot(node);
    if (this.stands) return this.#stand(node);
    const x = this.minX[at] + this.sumX[at] / this.size[at];
    return { x: x < 2 ** 32 ? x : x - 2 ** 32, y: this.minY[at] + this.sumY[at] / this.size[at] };
  }

  #stand(node) {
    let at = node;
    while (at >= 0) at = this.stands[at] ? this.right[at] : this.left[at];
    const leaf = -1 - at;
    const part = this.partOf.get(leaf);
    return part === undefined
      ? { x: this.x[leaf], y: this.y[leaf] } : { x: this.standsX[part], y: this.standsY[part] };
  }

  /** The covariance of a node's points. */
  spread(node) {
    const at = this.#slot(node);
    const count = this.size[at];
    return { xx: this.m2xx[at] / count, xy: this.m2xy[at] / count, yy: this.m2yy[at] / count };
  }

  isPosition(node) {
    const { minX, minY, maxX, maxY } = this.box(node);
    return minX === maxX && minY === maxY;
  }

  /**
   * The nodes that are shown in a window where those of some separation or more give way, in tree order.
   *
   * @param least The least code of a node that gives way.
   */
  cut(window, least) {
    const shown = [];
    // The right parts on the way down to the node that is looked at.
    const waiting = this.leafCount > 0 ? [this.root] : [];
    while (waiting.length > 0) {
      const node = waiting.pop();
      if (!this.hasPointIn(window, node)) continue;
      if (node >= 0 && this.codes[node] >= least) waiting.push(this.right[node], this.left[node]);
      else shown.push(node);
    }
    return shown;
  }

  /** About so many nodes, those that give way at the greatest distances giving way. */
  overview(most) {
    const codes = this.codes.slice(1).sort().reverse();
    const least = Math.max((codes[most - 1] ?? 0) + 1, 1);
    return this.cut(everything, least);
  }

  /** Whether a node has a point in a window; of parts that are left out, whether it may have. */
  hasPointIn(window, node) {
    const waiting = [node];
    while (waiting.length > 0) {
      const next = waiting.pop();
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

  /** The node of an id; null if there is none. */
  node(id) {
    const [first, level] = [firstPoint(id), levelOf(id)];
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

  /** The code at which a node gives way; 0 if it never does. */
  code(node) {
    if (node >= 0) return this.codes[node];
    const part = this.partOf.get(-1 - node);
    return part === undefined ? 0 : this.partCodes[part];
  }

  /** The leaves of a node, from the first up to the end. */
  leaves(node) {
    const first = this.#firstLeaf(node);
    const end = this.first(node) + this.count(node);
    let last = first;
    while (last < this.leafCount && this.starts[last] < end) last++;
    return { first, end: last };
  }

  // Splits have the slots of their numbers, and leaves those behind.

  #slot(node) {
    return node >= 0 ? node : this.leafCount - 1 - node;
  }

  #firstLeaf(node) {
    return node >= 0 ? this.firstLeaves[node] : -1 - node;
  }

  #layLeaves() {
    const { leafCount, counts } = this;
    this.starts = new Float64Array(leafCount);
    for (let leaf = 1; leaf < leafCount; leaf++) this.starts[leaf] = this.starts[leaf - 1] + counts[leaf - 1];
    this.partOf = new Map(Array.from(this.parts, (leaf, part) => [leaf, part]));
  }

  /** Finds the children of each split: a stack holds the splits on the way down to the leaf in hand. */
  #grow() {
    const { leafCount, levels } = this;
    this.left = new Int32Array(leafCount);
    this.right = new Int32Array(leafCount);
    this.firstLeaves = new Uint32Array(leafCount);
    this.parents = new Int32Array(2 * leafCount);
    const path = [];
    for (let split = 1; split < leafCount; split++) {
      let left = -split;
      while (path.length > 0 && levels[path.at(-1)] >= levels[split]) {
        const done = path.pop();
        this.#adopt(done, this.right, left);
        left = done;
      }
      this.#adopt(split, this.left, left);
      this.firstLeaves[split] = this.#firstLeaf(left);
      path.push(split);
    }
    let node = -leafCount;
    while (path.length > 0) {
      const done = path.pop();
      this.#adopt(done, this.right, node);
      node = done;
    }
    this.root = node;
  }

  #adopt(split, children, child) {
    children[split] = child;
    this.parents[this.#slot(child)] = split;
  }

  #sumUp() {
    const { leafCount } = this;
    const slots = 2 * leafCount;
    for (const name of ["minX", "minY", "maxX", "maxY", "sumX", "sumY", "size", "m2xx", "m2xy", "m2yy"]) {
      this[name] = new Float64Array(slots);
    }
    for (let leaf = 0; leaf < leafCount; leaf++) {
      const at = leafCount + leaf;
      this.size[at] = this.counts[leaf];
      this.minX[at] = this.maxX[at] = this.x[leaf];
      this.minY[at] = this.maxY[at] = this.y[leaf];
    }
    this.parts.forEach((leaf, part) => {
      const at = leafCount + leaf;
      this.maxX[at] = (this.x[leaf] + this.widths[part]) % 2 ** 32;
      this.maxY[at] = this.y[leaf] + this.heights[part];
      this.sumX[at] = this.meansX[part] * this.counts[leaf] + this.restsX[part];
      this.sumY[at] = this.meansY[part] * this.counts[leaf] + this.restsY[part];
      for (const moment of ["xx", "xy", "yy"]) this[`m2${moment}`][at] = this[moment][part] * this.counts[leaf];
    });
    // From the bottom up: children lie deeper than their parents.
    const splits = Uint32Array.from({ length: Math.max(leafCount - 1, 0) }, (_, at) => at + 1);
    splits.sort((a, b) => this.levels[b] - this.levels[a]);
    for (const split of splits) this.#unite(split);
  }

  #unite(split) {
    const [a, b] = [this.#slot(this.left[split]), this.#slot(this.right[split])];
    this.size[split] = this.size[a] + this.size[b];
    [this.minX[split], this.maxX[split]] = this.#edges(a, b);
    this.minY[split] = Math.min(this.minY[a], this.minY[b]);
    this.maxY[split] = Math.max(this.maxY[a], this.maxY[b]);
    const sum = (at) => ({
      x: this.sumX[at] + this.size[at] * eastward(this.minX[split], this.minX[at]),
      y: this.sumY[at] + this.size[at] * (this.minY[at] - this.minY[split]),
    });
    const [one, other] = [sum(a), sum(b)];
    this.sumX[split] = one.x + other.x;
    this.sumY[split] = one.y + other.y;
    // Of the squares about the mean of both, from those about their own.
    const dx = one.x / this.size[a] - other.x / this.size[b];
    const dy = one.y / this.size[a] - other.y / this.size[b];
    const weight = (this.size[a] * this.size[b]) / this.size[split];
    this.m2xx[split] = this.m2xx[a] + this.m2xx[b] + weight * dx * dx;
    this.m2xy[split] = this.m2xy[a] + this.m2xy[b] + weight * dx * dy;
    this.m2yy[split] = this.m2yy[a] + this.m2yy[b] + weight * dy * dy;
  }

  /**
   * The western and eastern edge of the box around two, across the plane's end only where it is narrower than half of
   * it.
   */
  #edges(a, b) {
    const isAcross = this.minX[a] > this.maxX[a] || this.minX[b] > this.maxX[b];
    const plain = [Math.min(this.minX[a], this.minX[b]), Math.max(this.maxX[a], this.maxX[b])];
    if (!this.crossesSeam || (!isAcross && plain[1] - plain[0] < 2 ** 31)) return plain;
    const around = [[a, b], [b, a]].map(([west, east]) => {
      const [own, between] = [eastward(this.minX[west], this.maxX[west]), eastward(this.minX[west], this.minX[east])];
      const width = Math.max(own, between + eastward(this.minX[east], this.maxX[east]));
      return { width, edges: [this.minX[west], (this.minX[west] + width) % 2 ** 32] };
    });
    const narrower = around[0].width <= around[1].width ? around[0] : around[1];
    return narrower.width < 2 ** 31 ? narrower.edges : isAcross ? [0, 2 ** 32 - 1] : plain;
  }
}
