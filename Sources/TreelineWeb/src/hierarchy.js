// The stored hierarchy of a tree: nodes with their points and positions.
//
// A node is four numbers. `first` and `count` are its range of points in tree order. `record` is the number of its
// record, which stores its box and the offset of its children. The lowest 10 bits of `levels` are its level below the
// root. A node without stored children is called a bucket; the parts of a bucket share its record. The other bits of
// `levels` are the level of a part below its bucket. Lists of nodes have these four numbers for each node.

import { IndexError } from "./errors.js";
import { boxAround } from "./box.js";

/** @typedef {import("./layout.js").StoredTree} StoredTree */
/** @typedef {import("./plane.js").Plane} Plane */
/** @typedef {import("./badges.js").BadgeCurve} BadgeCurve */

/**
 * @typedef {object} TreeFacts Facts about a tree that are not in its arrays.
 * @property {Plane} plane
 * @property {string} growth How the tree was made, for example `merge:badges`.
 * @property {BadgeCurve | null} curve Badge curve of a tree that was merged for badges.
 * @property {number} clippedPointCount Number of points beyond Web Mercator's latitudes, which were moved to the edge
 *   of the map.
 * @property {string} [file] Name of the index in errors.
 * @property {number} [nodesOffset] Offset of the records in the file.
 */

const LEVEL_BITS = 10;
const LEVEL = (1 << LEVEL_BITS) - 1;
/**
 * The `levels` of a child in a bucket minus the `levels` of its parent. A child is one level deeper below the root and
 * below the bucket.
 */
const DOWN_IN_BUCKET = (1 << LEVEL_BITS) + 1;
const BUCKET = 16;
/**
 * Greatest level of a record. Parts of a bucket may be 15 levels deeper than its record, and ids have room for levels
 * up to 1023.
 */
const GREATEST_STORED_LEVEL = 1008;
const WORLD = 2 ** 32;

/** @param {number} levels */
export const levelOf = (levels) => levels & LEVEL;

/**
 * Writes the covariance of a few points: xx, xy and yy.
 *
 * @param {Uint32Array} points
 * @param {number} first
 * @param {number} count
 * @param {ArrayLike<number>} box Box around the points.
 * @param {number} sumX Σ(x - min x)
 * @param {number} sumY
 * @param {Float64Array} result
 */
export function writeSpreadOf(points, first, count, box, sumX, sumY, result) {
  const [meanX, meanY] = [sumX / count, sumY / count];
  let [xx, xy, yy] = [0, 0, 0];
  for (let i = first; i < first + count; i++) {
    const dx = ((points[i * 2] - box[0]) >>> 0) - meanX;
    const dy = ((points[i * 2 + 1] - box[1]) >>> 0) - meanY;
    xx += dx * dx;
    xy += dx * dy;
    yy += dy * dy;
  }
  result[0] = Math.fround(xx / count);
  result[1] = Math.fround(xy / count);
  result[2] = Math.fround(yy / count);
}

export class Hierarchy {
  /**
   * @param {StoredTree} stored
   * @param {TreeFacts} facts
   */
  constructor(stored, facts) {
    const { points, rows, gaps, nodes, sums, spreads, codes, anchors, isAcrossSeam } = stored;
    this.points = points;
    this.rows = rows;
    this.gaps = gaps;
    this.nodes = nodes;
    this.sums = sums;
    this.spreads = spreads;
    this.codes = codes;
    this.anchors = anchors;
    this.isAcrossSeam = isAcrossSeam;
    this.pointCount = points.length / 2;
    this.nodeCount = nodes.length / 6;
    this.plane = facts.plane;
    this.growth = facts.growth;
    this.curve = facts.curve;
    this.clippedPointCount = facts.clippedPointCount;
    this.file = facts.file ?? "memory";
    this.nodesOffset = facts.nodesOffset ?? 0;
    /** This tree, if only some of its pages are in memory; otherwise null. */
    /** @type {import("./pages/hierarchy.js").PagedHierarchy | null} */
    this.pages = null;
  }

  /**
   * Returns the index of a point in the arrays `points`, `gaps`, `codes` and `anchors`.
   *
   * @param {number} index Index of the point in tree order.
   */
  place(index) {
    return index;
  }

  /**
   * Returns the code at which a node is split.
   *
   * @param {number} first
   * @param {number} left The number of points in its left child.
   * @param {number} record
   */
  code(first, left, record) {
    return /** @type {Uint16Array} */ (this.codes)[this.place(first + left)];
  }

  /**
   * Returns the number of points in the left child. Returns 0 if all points have one position, because the node then
   * has no children.
   *
   * @param {number} first
   * @param {number} count
   * @param {number} record
   * @param {number} levels
   */
  leftCount(first, count, record, levels) {
    const { nodes, gaps } = this;
    const at = record * 6;
    if (nodes[at + 5]) {
      const left = this.leftRecord(record);
      if (levels >= GREATEST_STORED_LEVEL) throw this.damage(record, "a tree of at most 1023 levels", `children at level ${levels + 1}`);
      const [own, other] = [nodes[left * 6 + 4], nodes[left * 6 + 10]];
      if (own < 1 || own >= count || other !== count - own) {
        throw this.damage(record, "children that together have the points of the node", `${own} and ${other} of ${count}`);
      }
      return own;
    }
    if (count <= 1) return 0;
    if (count > BUCKET) {
      this.checkBucket(count, record);
      return 0;
    }
    const depth = levels >> LEVEL_BITS;
    if (depth > 14) return 0;
    const start = this.place(first);
    for (let i = start; i < start + count - 1; i++) {
      if (((gaps[i >> 1] >> ((i & 1) << 2)) & 15) === depth) return i + 1 - start;
    }
    return 0;
  }

  /**
   * Returns the record of the left child of a node with stored children. The next record belongs to the right child.
   *
   * @param {number} record
   */
  leftRecord(record) {
    const left = record + this.nodes[record * 6 + 5];
    if (left % 2 === 1 && left + 1 < this.nodeCount) return left;
    const found = `child offset ${left - record} among ${this.nodeCount} records`;
    throw this.damage(record, "children within the node section, with the left child at an odd record", found);
  }

  /** @param {number} record */
  isStored(record) {
    return this.nodes[record * 6 + 5] !== 0;
  }

  /** @param {number} record */
  isPoint(record) {
    const { nodes } = this;
    return nodes[record * 6] === nodes[record * 6 + 2] && nodes[record * 6 + 1] === nodes[record * 6 + 3];
  }

  /**
   * Checks that a node without stored children has at most 16 points, or has all its points at one position.
   *
   * @param {number} count
   * @param {number} record
   */
  checkBucket(count, record) {
    if (count <= BUCKET || this.isPoint(record)) return;
    throw this.damage(record, "a bucket of at most 16 points (any number if all are at one position)", `${count} points`);
  }

  /**
   * @param {number} record
   * @param {string} expected
   * @param {string} found
   */
  damage(record, expected, found) {
    return IndexError.damaged(this.file, this.nodesOffset + record * 24, expected, found);
  }

  /**
   * Returns the box around the points of a node: min x, min y, max x and max y.
   *
   * @param {number} first
   * @param {number} count
   * @param {number} record
   * @returns {ArrayLike<number>}
   */
  box(first, count, record) {
    const { nodes } = this;
    const at = record * 6;
    return count === nodes[at + 4] ? nodes.subarray(at, at + 4) : boxAround(this.points, this.place(first), count, this.mayCross(nodes[at], nodes[at + 2]));
  }

  /**
   * Whether a part of a node may lie across the seam, the meridian at which the plane is cut open.
   *
   * @param {number} west West edge of the node's box.
   * @param {number} east
   */
  mayCross(west, east) {
    return west > east || (this.isAcrossSeam && east - west >= 2 ** 31);
  }

  /**
   * Writes Σ(x - min x) and Σ(y - min y) of a node's points.
   *
   * @param {number} first
   * @param {number} count
   * @param {number} record
   * @param {ArrayLike<number>} box
   * @param {Float64Array} result
   */
  sumsOf(first, count, record, box, result) {
    const { points, sums } = this;
    result[0] = result[1] = 0;
    if (box[0] === box[2] && box[1] === box[3]) return;
    if (this.isStored(record)) {
      const pair = ((this.leftRecord(record) - 1) >> 1) * 4;
      result[0] = sums[pair + 1] * WORLD + sums[pair];
      result[1] = sums[pair + 3] * WORLD + sums[pair + 2];
    } else {
      this.checkBucket(count, record);
      const start = this.place(first);
      for (let i = start; i < start + count; i++) {
        result[0] += (points[i * 2] - box[0]) >>> 0;
        result[1] += (points[i * 2 + 1] - box[1]) >>> 0;
      }
    }
    // Limits the sums, so that the mean is in the box even if the file is damaged.
    result[0] = Math.min(result[0], count * ((box[2] - box[0]) >>> 0));
    result[1] = Math.min(result[1], count * ((box[3] - box[1]) >>> 0));
  }

  /**
   * Writes the mean of a node's points.
   *
   * @param {number} first
   * @param {number} count
   * @param {number} record
   * @param {Float64Array} result
   * @param {number} [to] Offset in `result` at which the mean is written.
   */
  mean(first, count, record, result, to = 0) {
    const { points, nodes, sums } = this;
    const own = record * 6;
    if (nodes[own + 5]) {
      const pair = ((this.leftRecord(record) - 1) >> 1) * 4;
      this.writeMean(
        nodes[own], nodes[own + 1], nodes[own + 2], nodes[own + 3], sums[pair + 1] * WORLD + sums[pair], sums[pair + 3] * WORLD + sums[pair + 2],
        count, result, to);
    } else if (count === 1) {
      const at = this.place(first) * 2;
      result[to] = points[at];
      result[to + 1] = points[at + 1];
    } else {
      this.#writeBucketMean(first, count, record, result, to);
    }
  }

  /**
   * Writes the mean of the points in a bucket, or in a part of a bucket.
   *
   * @param {number} first
   * @param {number} count
   * @param {number} record
   * @param {Float64Array} result
   * @param {number} to
   */
  #writeBucketMean(first, count, record, result, to) {
    const { points, nodes } = this;
    const own = record * 6;
    let minX = nodes[own];
    let minY = nodes[own + 1];
    let maxX = nodes[own + 2];
    let maxY = nodes[own + 3];
    let sumX = 0;
    let sumY = 0;
    if (minX !== maxX || minY !== maxY) {
      if (count > BUCKET) this.checkBucket(count, record);
      const start = this.place(first) * 2;
      const end = start + count * 2;
      if (count !== nodes[own + 4]) {
        if (this.mayCross(minX, maxX)) {
          [minX, minY, maxX, maxY] = boxAround(points, start / 2, count, true);
        } else {
          minX = maxX = points[start];
          minY = maxY = points[start + 1];
          for (let i = start + 2; i < end; i += 2) {
            const x = points[i];
            const y = points[i + 1];
            if (x < minX) minX = x;
            if (x > maxX) maxX = x;
            if (y < minY) minY = y;
            if (y > maxY) maxY = y;
          }
        }
      }
      for (let i = start; i < end; i += 2) {
        sumX += (points[i] - minX) >>> 0;
        sumY += (points[i + 1] - minY) >>> 0;
      }
    }
    this.writeMean(minX, minY, maxX, maxY, sumX, sumY, count, result, to);
  }

  /**
   * Writes a mean, computed from the sums of distances to the corner of a box. The mean is in the box even if the file
   * is damaged.
   *
   * @param {number} minX
   * @param {number} minY
   * @param {number} maxX
   * @param {number} maxY
   * @param {number} sumX
   * @param {number} sumY
   * @param {number} count
   * @param {Float64Array} result
   * @param {number} to
   */
  writeMean(minX, minY, maxX, maxY, sumX, sumY, count, result, to) {
    const x = minX + Math.min(sumX, count * ((maxX - minX) >>> 0)) / count;
    result[to] = x < WORLD ? x : x - WORLD;
    result[to + 1] = minY + Math.min(sumY, count * ((maxY - minY) >>> 0)) / count;
  }

  /**
   * Returns the tree index of the point at which a node is shown; -1 if the node is shown at its mean.
   *
   * @param {number} first
   * @param {number} count
   * @param {number} record
   * @param {number} levels
   */
  anchorIndex(first, count, record, levels) {
    const { anchors } = this;
    if (!anchors) return -1;
    for (let left; (left = this.leftCount(first, count, record, levels)); ) {
      const second = first + left;
      const at = this.place(second);
      const goesRight = ((anchors[at >> 3] >> (at & 7)) & 1) === 1;
      if (this.isStored(record)) {
        record = this.leftRecord(record) + (goesRight ? 1 : 0);
        levels++;
      } else {
        levels += DOWN_IN_BUCKET;
      }
      [first, count] = goesRight ? [second, count - left] : [first, left];
    }
    return first;
  }

  /**
   * Writes the covariance of a node's points: xx, xy and yy.
   *
   * @param {number} first
   * @param {number} count
   * @param {number} record
   * @param {Float64Array} result
   */
  spread(first, count, record, result) {
    const { points, spreads } = this;
    result.fill(0);
    const box = this.box(first, count, record);
    if (box[0] === box[2] && box[1] === box[3]) return;
    if (this.isStored(record)) {
      const pair = ((this.leftRecord(record) - 1) >> 1) * 3;
      for (let i = 0; i < 3; i++) result[i] = spreads[pair + i];
      return;
    }
    this.sumsOf(first, count, record, box, result);
    writeSpreadOf(points, this.place(first), count, box, result[0], result[1], result);
  }

  /**
   * Returns the children of a node, the left child first. Returns an empty list if the node has no children.
   *
   * @param {number} first
   * @param {number} count
   * @param {number} record
   * @param {number} levels
   * @returns {number[]}
   */
  childrenOf(first, count, record, levels) {
    const left = this.leftCount(first, count, record, levels);
    if (!left) return [];
    const isStored = this.isStored(record);
    const child = isStored ? this.leftRecord(record) : record;
    const below = levels + (isStored ? 1 : DOWN_IN_BUCKET);
    return [first, left, child, below, first + left, count - left, isStored ? child + 1 : child, below];
  }

  /**
   * Returns the nodes on the path from the root to a point, down to a level.
   *
   * @param {number} index Index of the point in tree order.
   * @param {number} level
   */
  path(index, level = Infinity) {
    const path = [0, this.pointCount, 0, 0];
    for (;;) {
      const [first, count, record, levels] = path.slice(-4);
      const children = levelOf(levels) < level ? this.childrenOf(first, count, record, levels) : [];
      if (!children.length) return path;
      path.push(...(index < children[4] ? children.slice(0, 4) : children.slice(4)));
    }
  }
}
