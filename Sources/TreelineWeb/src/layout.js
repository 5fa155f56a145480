// Lays out a tree of merges in the arrays of an index. The arrays hold points in tree order, gaps, records, and the
// sums and covariances of the points of each record. The page IndexFormat describes each array.

import { CODE, LEFT, MergeTree, POINTS, RIGHT, ANCHORS_RIGHT } from "./merging.js";
import { StoredRecords } from "./records.js";

/** Greatest depth of a leaf. A deeper tree is made again, with distances that are rounded to coarser steps. */
const GREATEST_DEPTH = 511;

/**
 * @typedef {object} StoredTree The arrays of a tree, like the sections of an index.
 * @property {Uint32Array} points X and y of each point, alternating.
 * @property {Uint32Array | Float64Array} rows
 * @property {Uint8Array} gaps
 * @property {Uint32Array} nodes
 * @property {Uint32Array} sums
 * @property {Float32Array} spreads
 * @property {Uint16Array | null} codes Codes of separations or of badge scales.
 * @property {Uint8Array | null} anchors
 * @property {boolean} isAcrossSeam Whether the box of any node lies across the seam.
 */

/**
 * @param {MergeTree} tree
 * @param {{anchorsAtMembers: boolean, crossesSeam: boolean}} options
 * @param {number} greatestDepth
 * @returns {StoredTree & {isCoarse: boolean}}
 */
export function layOut(tree, options, greatestDepth = GREATEST_DEPTH) {
  const isCoarse = tree.measure().height(tree.root) > greatestDepth;
  return { ...new Layout(isCoarse ? withCoarseScales(tree).measure() : tree, options).run(), isCoarse };
}

class Layout extends StoredRecords {
  /**
   * @param {MergeTree} tree
   * @param {{anchorsAtMembers: boolean, crossesSeam: boolean}} options
   */
  constructor(tree, { anchorsAtMembers, crossesSeam }) {
    const count = tree.leaves.rows.length;
    const records = count ? tree.recordsBelow(tree.root) + 1 : 0;
    super(count, records, crossesSeam);
    this.tree = tree;
    this.records = records;
    this.rows = new Uint32Array(count);
    this.codes = new Uint16Array(count);
    this.anchors = anchorsAtMembers ? new Uint8Array((count + 7) >> 3) : null;
  }

  /** @returns {StoredTree} */
  run() {
    if (this.records) {
      this.#place();
      // Children have greater record numbers than their parent.
      for (let record = this.records - 1; record >= 0; record--) this.describe(record);
    }
    const { points, rows, gaps, nodes, sums, spreads, codes, anchors, isAcrossSeam } = this;
    return { points, rows, gaps, nodes, sums, spreads, codes, anchors, isAcrossSeam };
  }

  /**
   * Writes points, gaps, codes, and records without their boxes. Begins at the root and visits left children before
   * right children.
   *
   * The root's left child has record 1. The records of a pair of children are followed by the records below the left
   * child, then by the records below the right child.
   */
  #place() {
    const { tree, nodes, codes, anchors, firsts } = this;
    const { leafCount, merges } = tree;
    // A stack with five numbers for each node: the node, its first point, its record, the first record below the node,
    // and the level of the node in its bucket. A bucket is a node without stored children. The stack holds one node for
    // each level, and both parts of the last node.
    const waiting = new Int32Array(5 * (tree.height(tree.root) + 2));
    waiting[0] = tree.root;
    waiting[3] = 1;
    let end = 5;
    /** @param {number} node @param {number} first @param {number} record @param {number} below @param {number} level */
    const wait = (node, first, record, below, level) => {
      waiting[end] = node;
      waiting[end + 1] = first;
      waiting[end + 2] = record;
      waiting[end + 3] = below;
      waiting[end + 4] = level;
      end += 5;
    };
    while (end > 0) {
      end -= 5;
      const node = waiting[end];
      const first = waiting[end + 1];
      const record = waiting[end + 2];
      const below = waiting[end + 3];
      const level = waiting[end + 4];
      if (level === 0) {
        firsts[record] = first;
        nodes[record * 6 + 4] = tree.count(node);
        nodes[record * 6 + 5] = tree.recordsBelow(node) ? below - record : 0;
      }
      if (node < leafCount) {
        this.#writeLeaf(node, first);
        continue;
      }
      const merge = tree.at(node);
      const left = merges[merge + LEFT];
      const right = merges[merge + RIGHT];
      const second = first + tree.count(left);
      codes[second] = merges[merge + CODE];
      if (anchors && merges[merge + ANCHORS_RIGHT]) anchors[second >> 3] |= 1 << (second & 7);
      if (merges[merge + POINTS] > 16) {
        wait(right, second, below + 1, below + 2 + tree.recordsBelow(left), 0);
        wait(left, first, below, below + 2, 0);
      } else {
        this.gaps[(second - 1) >> 1] |= level << (((second - 1) & 1) * 4);
        wait(right, second, record, 0, level + 1);
        wait(left, first, record, 0, level + 1);
      }
    }
  }

  /**
   * @param {number} leaf
   * @param {number} first
   */
  #writeLeaf(leaf, first) {
    const { points, rows, gaps } = this;
    const { xs, ys, starts, rows: all } = this.tree.leaves;
    const start = starts[leaf];
    const count = starts[leaf + 1] - start;
    for (let i = 0; i < count; i++) {
      points[(first + i) * 2] = xs[leaf];
      points[(first + i) * 2 + 1] = ys[leaf];
      rows[first + i] = all[start + i];
      if (i < count - 1) gaps[(first + i) >> 1] |= 15 << (((first + i) & 1) * 4);
    }
  }
}

// Depth

/**
 * Rounds the scales of merges down to four steps for each doubling of the distance. The rounding bounds the depth of
 * the tree. Without rounding, a chain of merges could be as deep as the number of points.
 *
 * Clusters that are merged at one step become a balanced tree. A run of neighbours in tree order is divided so that
 * about half of the points are on each side.
 *
 * @param {MergeTree} tree
 */
function withCoarseScales(tree) {
  const { leafCount, merges: all } = tree;
  const coarse = new MergeTree(tree.leaves);
  /** @param {number} node */
  const scale = (node) => coarseCode(all[tree.at(node) + CODE]);
  // The merges in preorder. For each merge, `isTop` says whether its parent has another scale, and `news` has its node
  // in the new tree.
  const merges = [];
  const isTop = new Uint8Array(leafCount).fill(1);
  const news = new Uint32Array(leafCount);
  const least = new Uint32Array(leafCount);
  for (let waiting = [tree.root]; waiting.length; ) {
    const node = /** @type {number} */ (waiting.pop());
    merges.push(node);
    for (const part of all.subarray(tree.at(node), tree.at(node) + 2)) {
      if (part < leafCount) continue;
      isTop[part - leafCount] = scale(part) === scale(node) ? 0 : 1;
      waiting.push(part);
    }
  }
  for (const merge of merges.reverse()) {
    if (!isTop[merge - leafCount]) continue;
    /** @param {number} node */
    const isWithin = (node) => node >= leafCount && (node === merge || !isTop[node - leafCount]);
    let anchor = merge;
    while (isWithin(anchor)) {
      anchor = all[tree.at(anchor) + (all[tree.at(anchor) + ANCHORS_RIGHT] ? RIGHT : LEFT)];
    }
    // The clusters that are merged at this scale, in tree order, and the number of points before each cluster.
    const [parts, starts] = [/** @type {number[]} */ ([]), [0]];
    let anchorIndex = 0;
    for (let waiting = [merge]; waiting.length; ) {
      const node = /** @type {number} */ (waiting.pop());
      if (isWithin(node)) {
        waiting.push(all[tree.at(node) + RIGHT], all[tree.at(node) + LEFT]);
      } else {
        if (node === anchor) anchorIndex = parts.length;
        parts.push(node < leafCount ? node : news[node - leafCount]);
        starts.push(starts[starts.length - 1] + tree.count(node));
      }
    }
    news[merge - leafCount] = addBalanced(coarse, least, parts, starts, 0, parts.length, scale(merge), anchorIndex);
  }
  coarse.root = news[tree.root - leafCount];
  return coarse;
}

/**
 * Merges neighbours at one scale. The recursion is as deep as the resulting tree.
 *
 * @param {MergeTree} tree
 * @param {Uint32Array} least The least member of each merge.
 * @param {number[]} parts
 * @param {number[]} starts Number of points before each part, then the number of all points.
 * @param {number} start
 * @param {number} end
 * @param {number} scale
 * @param {number} anchor The part whose position the merged cluster takes. This part may be outside the range from
 *   `start` to `end`.
 * @returns {number}
 */
function addBalanced(tree, least, parts, starts, start, end, scale, anchor) {
  if (end - start === 1) return parts[start];
  const middle = Math.floor((starts[start] + starts[end]) / 2);
  let [low, high] = [start + 1, end - 1];
  // Finds the part that begins nearest to the middle.
  while (low < high) {
    const index = (low + high) >> 1;
    if (starts[index] < middle) low = index + 1;
    else high = index;
  }
  if (low > start + 1 && starts[low] > middle && middle - starts[low - 1] <= starts[low] - middle) low--;
  const left = addBalanced(tree, least, parts, starts, start, low, scale, anchor);
  const right = addBalanced(tree, least, parts, starts, low, end, scale, anchor);
  /** @param {number} node */
  const member = (node) => (node < tree.leafCount ? node : least[node - tree.leafCount]);
  const node = tree.leafCount + Math.max(member(left), member(right));
  least[node - tree.leafCount] = Math.min(member(left), member(right));
  tree.add(node, left, right, starts[end] - starts[start], scale, low <= anchor && anchor < end);
  return node;
}

/**
 * Rounds a code down, so that its square has two significant bits.
 *
 * @param {number} code
 */
function coarseCode(code) {
  const bits = code < 2048 ? Math.max(30 - Math.clz32(code), 0) : 9;
  return (code >> bits) << bits;
}
