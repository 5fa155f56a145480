// The points that pass a filter, called passing points. Computes boxes, means and covariances of a node's passing
// points.

import { boxAround } from "./box.js";
import { writeSpreadOf } from "./hierarchy.js";
import { addMoved, addPoint, MOMENTS, writeSpread } from "./moments.js";

/** @typedef {import("./hierarchy.js").Hierarchy} Hierarchy */

export class Selection {
  /** @type {Summaries | null} Computed at first use. */
  #summaries = null;

  /**
   * @param {Hierarchy} tree
   * @param {(index: number) => boolean} test Returns whether the point at an index in tree order passes.
   */
  constructor(tree, test) {
    this.tree = tree;
    /** Number of passing points before each point in tree order. */
    this.before = new Uint32Array(tree.pointCount + 1);
    for (let i = 0; i < tree.pointCount; i++) this.before[i + 1] = this.before[i] + (test(i) ? 1 : 0);
  }

  /** @param {number} index */
  passes(index) {
    return this.before[index + 1] > this.before[index];
  }

  /**
   * Returns the number of passing points in a range.
   *
   * @param {number} first
   * @param {number} count
   */
  count(first, count) {
    return this.before[first + count] - this.before[first];
  }

  /**
   * Returns the tree index of the passing point with a given number. Passing points are numbered from 0 in tree order.
   *
   * @param {number} number
   */
  indexOf(number) {
    let [low, high] = [0, this.tree.pointCount];
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      if (this.before[middle] <= number) low = middle;
      else high = middle;
    }
    return low;
  }

  /**
   * Writes the mean of a node's passing points. The node must have at least one passing point.
   *
   * @param {number} first
   * @param {number} count
   * @param {number} record
   * @param {Float64Array} result
   * @param {number} [to] Offset in `result` at which the mean is written.
   */
  mean(first, count, record, result, to = 0) {
    const passing = this.count(first, count);
    if (passing === count) return this.tree.mean(first, count, record, result, to);
    const { box, sumX, sumY } = this.#summary(first, count, record);
    const x = box[0] + sumX / passing;
    result[to] = x < 2 ** 32 ? x : x - 2 ** 32;
    result[to + 1] = box[1] + sumY / passing;
  }

  /**
   * Writes the covariance of a node's passing points.
   *
   * @param {number} first
   * @param {number} count
   * @param {number} record
   * @param {Float64Array} result
   */
  spread(first, count, record, result) {
    const passing = this.count(first, count);
    if (passing === count) return this.tree.spread(first, count, record, result);
    result.fill(0);
    if (passing > 1) this.#summary(first, count, record).spread(result);
  }

  /**
   * Returns the smallest box around a node's passing points. The node must have at least one passing point.
   *
   * @param {number} first
   * @param {number} count
   * @param {number} record
   * @returns {ArrayLike<number>}
   */
  box(first, count, record) {
    return this.count(first, count) === count
      ? this.tree.box(first, count, record) : this.#summary(first, count, record).box;
  }

  /**
   * Writes Σ(x - min x) and Σ(y - min y) of a node's passing points.
   *
   * @param {number} first
   * @param {number} count
   * @param {number} record
   * @param {ArrayLike<number>} box Box around the passing points.
   * @param {Float64Array} result
   */
  sumsOf(first, count, record, box, result) {
    if (this.count(first, count) === count) return this.tree.sumsOf(first, count, record, box, result);
    const { sumX, sumY } = this.#summary(first, count, record);
    [result[0], result[1]] = [sumX, sumY];
  }

  /**
   * @param {number} first
   * @param {number} count
   * @param {number} record
   */
  #summary(first, count, record) {
    const { tree } = this;
    if (count === tree.nodes[record * 6 + 4] && tree.isStored(record)) {
      this.#summaries ??= new Summaries(this);
      return this.#summaries.of(record);
    }
    const own = this.#passing(first, count);
    const outer = tree.box(first, count, record);
    const box = boxAround(own, 0, own.length / 2, tree.mayCross(outer[0], outer[2]));
    let [sumX, sumY] = [0, 0];
    for (let i = 0; i < own.length; i += 2) {
      sumX += (own[i] - box[0]) >>> 0;
      sumY += own[i + 1] - box[1];
    }
    /** @param {Float64Array} result Receives the covariance, which is computed as in a node without stored children. */
    const spread = (result) => writeSpreadOf(own, 0, own.length / 2, box, sumX, sumY, result);
    return { box, sumX, sumY, spread };
  }

  /**
   * Returns the positions of the passing points in a range.
   *
   * @param {number} first
   * @param {number} count
   */
  #passing(first, count) {
    const { points } = this.tree;
    const passing = new Uint32Array(2 * this.count(first, count));
    for (let i = first, to = 0; i < first + count; i++) {
      if (!this.passes(i)) continue;
      passing[to++] = points[i * 2];
      passing[to++] = points[i * 2 + 1];
    }
    return passing;
  }
}

/** The box and the moments of each record's passing points. */
class Summaries {
  /** @param {Selection} selection */
  constructor(selection) {
    const { tree } = selection;
    const { nodes, nodeCount } = tree;
    this.selection = selection;
    this.firsts = new Uint32Array(nodeCount);
    this.boxes = new Uint32Array(nodeCount * 4);
    this.moments = new Float64Array(nodeCount * MOMENTS);
    /** Whether a record belongs to a node of the tree. In a damaged file, some records may belong to no node. */
    const isNode = new Uint8Array(nodeCount);
    const waiting = [0, tree.pointCount, 0, 0];
    while (waiting.length) {
      const [first, count, record, levels] = waiting.splice(-4);
      this.firsts[record] = first;
      isNode[record] = 1;
      if (tree.isStored(record)) waiting.push(...tree.childrenOf(first, count, record, levels));
    }
    for (let record = nodeCount - 1; record >= 0; record--) {
      if (isNode[record]) this.#sum(record, nodes[record * 6 + 4]);
    }
  }

  /**
   * @param {number} record
   * @param {number} count
   */
  #sum(record, count) {
    const { selection: { tree }, selection, firsts, boxes, moments } = this;
    const { nodes, points } = tree;
    const first = firsts[record];
    if (!selection.count(first, count)) return;
    const box = nodes.subarray(record * 6, record * 6 + 4);
    const left = tree.isStored(record) ? tree.leftRecord(record) : 0;
    const isAcross = (/** @type {number} */ record) => nodes[record * 6] > nodes[record * 6 + 2];
    if (left && (isAcross(record) || !(isAcross(left) || isAcross(left + 1)))) {
      for (const child of [left, left + 1]) {
        const passing = selection.count(firsts[child], nodes[child * 6 + 4]);
        const dx = (nodes[child * 6] - box[0]) >>> 0;
        if (passing) addMoved(moments, record * MOMENTS, child * MOMENTS, passing, dx, nodes[child * 6 + 1] - box[1]);
      }
      this.#unite(record, [left, left + 1].filter((child) => selection.count(firsts[child], nodes[child * 6 + 4])));
      return;
    }
    const own = [];
    for (let i = first; i < first + count; i++) {
      if (!selection.passes(i)) continue;
      addPoint(moments, record * MOMENTS, (points[i * 2] - box[0]) >>> 0, points[i * 2 + 1] - box[1]);
      own.push(points[i * 2], points[i * 2 + 1]);
    }
    boxes.set(boxAround(Uint32Array.from(own), 0, own.length / 2, tree.mayCross(box[0], box[2])), record * 4);
  }

  /**
   * Writes the box around the boxes of one or two children.
   *
   * @param {number} record
   * @param {number[]} children
   */
  #unite(record, children) {
    const { boxes, selection: { tree: { nodes } } } = this;
    const west = nodes[record * 6];
    // Distances eastward from the west edge of the record's box. No child's box reaches farther west.
    const starts = children.map((child) => (boxes[child * 4] - west) >>> 0);
    const ends = children.map((child) => (boxes[child * 4 + 2] - west) >>> 0);
    boxes[record * 4] = Math.min(...starts) + west;
    boxes[record * 4 + 1] = Math.min(...children.map((child) => boxes[child * 4 + 1]));
    boxes[record * 4 + 2] = Math.max(...ends) + west;
    boxes[record * 4 + 3] = Math.max(...children.map((child) => boxes[child * 4 + 3]));
  }

  /** @param {number} record */
  of(record) {
    const { selection, moments } = this;
    const { nodes } = selection.tree;
    const at = record * MOMENTS;
    const passing = selection.count(this.firsts[record], nodes[record * 6 + 4]);
    const box = this.boxes.subarray(record * 4, record * 4 + 4);
    return {
      box,
      sumX: moments[at] - passing * ((box[0] - nodes[record * 6]) >>> 0),
      sumY: moments[at + 1] - passing * (box[1] - nodes[record * 6 + 1]),
      /** @param {Float64Array} result */
      spread: (result) => writeSpread(moments, at, passing, result, 0),
    };
  }
}
