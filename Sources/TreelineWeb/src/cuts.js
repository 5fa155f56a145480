// Cuts the tree into the clusters that represent the points in view. The page IndexFormat defines each answer.
//
// A list of nodes has four numbers for each node, see hierarchy.js. Some lists also have the visibility of each node as
// a fifth number. The visibility says whether none, some or all points of the node are in view.

import { checkPurpose, criterionOf, PIXEL_CRITERIA, pixelCriterionOf } from "./criterion.js";
import { BEYOND_ALL, leastCode } from "./exact.js";
import { levelOf } from "./hierarchy.js";
import { exp2, noZoom } from "./plane.js";
import { boxVisibility, INSIDE, OUTSIDE } from "./view.js";

/** @typedef {import("./criterion.js").Criterion} Criterion */
/** @typedef {import("./criterion.js").Cut} Cut */
/** @typedef {import("./hierarchy.js").Hierarchy} Hierarchy */
/** @typedef {import("./view.js").InView} InView */

/**
 * Checks that a tree has the stored distances, called codes, that a criterion needs.
 *
 * @param {Hierarchy} tree
 * @param {Criterion} criterion
 */
function checkScale(tree, criterion) {
  checkPurpose(criterion, tree.codes && (tree.curve ? "badges" : "spacing"));
}

/**
 * Returns the coarseness above which a node is split. If the criterion needs no tree that was built for it, the
 * coarseness of a node is the mean square distance of its points to their mean. Otherwise the coarseness is the code of
 * the distance at which the node splits.
 *
 * @param {Hierarchy} tree
 * @param {Criterion} criterion
 * @param {number} pixels
 * @param {number} zoom Of 256 px tiles.
 */
function greatestCoarseness(tree, { purpose }, pixels, zoom) {
  const units = pixels === 0 ? 0 : pixels * exp2(24 - zoom);
  if (!purpose) return units * units;
  const { curve } = tree;
  const distance = curve ? curve.distance(units) : units + 2;
  // For a tiny number of pixels, `distance` may round to the distance for 0 pixels. But it must be greater than this
  // distance.
  const isLost = pixels > 0 && distance === (curve ? curve.distance(0) : 2);
  return (distance === Infinity ? BEYOND_ALL : leastCode(isLost ? next(distance) : distance)) - 1;
}

/**
 * Returns the next greater double.
 *
 * @param {number} number Above 0 and far below the greatest double.
 */
function next(number) {
  const bits = new BigUint64Array(new Float64Array([number]).buffer);
  bits[0]++;
  return new Float64Array(bits.buffer)[0];
}

/**
 * Writes a node and its visibility to a list, and returns the offset of the next node.
 *
 * @param {Uint32Array} list
 * @param {number} at
 * @param {number} first
 * @param {number} count
 * @param {number} record
 * @param {number} levels
 * @param {number} visibility
 */
function put(list, at, first, count, record, levels, visibility) {
  list[at] = first;
  list[at + 1] = count;
  list[at + 2] = record;
  list[at + 3] = levels;
  list[at + 4] = visibility;
  return at + 5;
}

// Memory that all cuts share. Cuts can share it, because a cut ends before the next cut begins.
const SCRATCH = new Float64Array(3);
/**
 * The stack of nodes to visit, with five numbers for each. The stack holds at most one node of each level, and both
 * children of the deepest node.
 */
let stack = new Uint32Array(5 * 1100);

/**
 * Returns the stack with room for further nodes, in addition to one node of each level.
 *
 * @param {number} end Offset of the end of the stack.
 * @param {number} count
 */
function stackWithRoom(end, count) {
  const length = end + 5 * (count + 1100);
  if (stack.length >= length) return stack;
  const longer = new Uint32Array(2 * length);
  longer.set(stack);
  return (stack = longer);
}

/**
 * Memory that all answers share, and the offset at which the next answer begins. Making an array over this memory takes
 * only a tenth of the time that allocating a new array takes.
 */
let room = new Uint32Array(1 << 14);
let roomStart = 0;

/**
 * Makes room for 16 more nodes of the current answer. The answer may then be in new memory. Returns the offset of the
 * end of the answer in this memory.
 *
 * @param {number} end Offset of the end of the answer before the call.
 */
function reserved(end) {
  if (end + 64 <= room.length) return end;
  const size = end - roomStart;
  const wider = new Uint32Array(Math.max(2 * size, 1 << 14));
  wider.set(room.subarray(roomStart, end));
  room = wider;
  roomStart = 0;
  return size;
}

/**
 * Ends the current answer, and returns its nodes.
 *
 * @param {number} end Offset of the end of the answer.
 */
function written(end) {
  const nodes = new Uint32Array(room.buffer, roomStart * 4, end - roomStart);
  roomStart = end;
  // A small answer must not keep the memory of a large one alive.
  if (room.length > 1 << 14) {
    room = new Uint32Array(1 << 14);
    roomStart = 0;
  }
  return nodes;
}

/** Computes the clusters of one cut in one view. */
export class CutSearch {
  /**
   * @param {InView} view
   * @param {Cut} cut
   * @param {number} zoom Zoom of 256 px tiles; NaN if the view has no zoom.
   * @param {number} aloneFromZoom Zoom of 256 px tiles.
   */
  constructor(view, cut, zoom, aloneFromZoom = Infinity) {
    this.view = view;
    this.tree = view.tree;
    this.cut = cut;
    const name = criterionOf(cut);
    this.name = name;
    this.limit = cut.limit ?? (name === "limit" ? 100 : Infinity);
    this.minPoints = cut.minPoints ?? 2;
    this.greatest = 0;
    this.isAlone = false;
    /** The codes that decide splits; null if the spread of points decides. */
    this.codes = this.tree.codes;
    if (name !== "limit") {
      const criterion = PIXEL_CRITERIA[name];
      checkScale(this.tree, criterion);
      if (Number.isNaN(zoom)) throw noZoom(criterion.noun);
      this.greatest = greatestCoarseness(this.tree, criterion, cut[name] ?? 0, zoom);
      this.isAlone = zoom >= aloneFromZoom;
      if (!criterion.purpose) this.codes = null;
    }
    this.scratch = SCRATCH;
  }

  /**
   * Returns the nodes of the answer in tree order.
   *
   * @returns {ArrayLike<number>}
   */
  run() {
    const { tree, view } = this;
    if (!tree.pointCount) return [];
    if (this.name !== "limit") return this.#byPixels();
    if (!view.has(0, tree.pointCount, 0, 0, view.ofBox(0))) return [];
    const fresh = this.cut.order && this.cut.order !== "breadth-first" ? this.#bestFirst() : this.#breadthFirst();
    const previous = /** @type {{nodes: Uint32Array} | undefined} */ (this.cut.continuing);
    return previous ? continued(this, fresh, previous.nodes) : fresh;
  }

  // By pixels

  #byPixels() {
    const { limit, tree, view, codes } = this;
    if (codes && !tree.pages && !view.selection && this.minPoints <= 2 && !this.isAlone) {
      const nodes = splitByCodes(view, codes, this.greatest, limit);
      if (nodes) return nodes;
    }
    let [minPoints, isAlone] = [this.minPoints, this.isAlone];
    for (;;) {
      const nodes = this.#shown(this.greatest, isAlone ? Infinity : minPoints, limit);
      if (nodes.length <= limit * 4) return nodes;
      if (isAlone) isAlone = false;
      else if (view.count(0, tree.pointCount) < minPoints) minPoints = 0;
      // In a damaged file, codes may contradict each other. The limit must hold even then.
      else return this.#shown(this.#coarsenessAtLimit(minPoints), minPoints, Infinity).slice(0, limit * 4);
    }
  }

  /**
   * Returns the clusters whose position is in the window, even if none of their points is in the window. So each
   * cluster is in exactly one tile. Works only for cuts by pixels. Ignores the limit of the cut.
   *
   * @param {ArrayLike<number>} [start] A node. Only clusters below this node are returned.
   * @returns {ArrayLike<number>}
   */
  centered(start = [0, this.tree.pointCount, 0, 0]) {
    if (!start[1]) return [];
    return this.#shown(this.greatest, this.isAlone ? Infinity : this.minPoints, Infinity, start, true);
  }

  /**
   * Follows each path from the root to the first node that is fine enough. Returns the found nodes that are in view.
   * Stops soon after the number of nodes exceeds the limit.
   *
   * @param {number} greatest Coarseness above which a node is split.
   * @param {number} minPoints
   * @param {number} limit
   * @param {ArrayLike<number>} start Node at which the paths begin.
   * @param {boolean} isCentered Whether a cluster is in view if its position is in the window.
   */
  #shown(greatest, minPoints, limit, start = [0, this.tree.pointCount, 0, 0], isCentered = false) {
    const { tree, view, codes } = this;
    const { nodes } = tree;
    const { selection } = view;
    let waiting = stack;
    let length = roomStart;
    let end = put(waiting, 0, start[0], start[1], start[2], start[3], view.ofBox(start[2]));
    while (end > 0) {
      end -= 5;
      const first = waiting[end];
      const count = waiting[end + 1];
      const record = waiting[end + 2];
      const levels = waiting[end + 3];
      const visibility = waiting[end + 4];
      if (visibility === OUTSIDE || (selection && !selection.count(first, count))) continue;
      const isKnown = codes && minPoints <= 2 && tree.pages?.isFine(count, record, greatest);
      const below = codes && minPoints <= 2 && !isKnown && tree.pages?.nodesBelow(first, count, record);
      if (below) {
        waiting = stackWithRoom(end, below.length / 4);
        for (let i = below.length - 4; i >= 0; i -= 4) {
          end = put(waiting, end, below[i], below[i + 1], below[i + 2], below[i + 3], view.ofBox(below[i + 2]));
        }
        continue;
      }
      const left = count > 1 && !isKnown ? tree.leftCount(first, count, record, levels) : 0;
      const isSplit = left && ((minPoints > 2 && view.count(first, count) < minPoints)
        || (codes ? tree.code(first, left, record) : traceOf(view, first, count, record)) > greatest);
      if (isSplit) {
        const isStored = nodes[record * 6 + 5] !== 0;
        const child = isStored ? (record + nodes[record * 6 + 5]) >>> 0 : record;
        const isLooked = isStored && visibility !== INSIDE;
        const below = levels + (isStored ? 1 : 1025);
        const other = isStored ? child + 1 : child;
        end = put(waiting, end, first + left, count - left, other, below, isLooked ? view.ofBox(other) : visibility);
        end = put(waiting, end, first, left, child, below, isLooked ? view.ofBox(child) : visibility);
        continue;
      }
      const isSeen = visibility === INSIDE
        || (isCentered ? this.#isAnchoredInside(first, count, record, levels) : view.has(first, count, record, levels, visibility));
      if (!isSeen) continue;
      length = reserved(length);
      room[length] = first;
      room[length + 1] = count;
      room[length + 2] = record;
      room[length + 3] = levels;
      length += 4;
      if (length - roomStart > limit * 4) break;
    }
    return written(length);
  }

  /**
   * @param {number} first
   * @param {number} count
   * @param {number} record
   * @param {number} levels
   */
  #isAnchoredInside(first, count, record, levels) {
    const { tree, view, scratch } = this;
    const index = tree.anchorIndex(first, count, record, levels);
    if (index >= 0) {
      const at = 2 * tree.place(index);
      return view.window.contains(tree.points[at], tree.points[at + 1]);
    }
    ((this.codes === null && view.selection) || tree).mean(first, count, record, scratch);
    return view.window.contains(scratch[0], scratch[1]);
  }

  /**
   * Returns the least coarseness at which the number of shown clusters does not exceed the limit. Expands the coarsest
   * nodes first. A node that is coarser than its parent is treated as if it had the coarseness of its parent.
   *
   * @param {number} minPoints
   */
  #coarsenessAtLimit(minPoints) {
    const { tree, view, codes } = this;
    const heap = new NodeHeap();
    /**
     * @param {number} first
     * @param {number} count
     * @param {number} record
     * @param {number} levels
     * @param {number} visibility
     * @param {number} bound
     */
    const wait = (first, count, record, levels, visibility, bound) => {
      const left = tree.leftCount(first, count, record, levels);
      if (!left) return;
      const own = view.count(first, count) < minPoints
        ? bound : codes ? tree.code(first, left, record) : traceOf(view, first, count, record);
      heap.push(own < bound ? own : bound, first, count, record, levels, visibility);
    };
    let shown = 1;
    wait(0, tree.pointCount, 0, 0, view.ofBox(0), Infinity);
    for (let node; (node = heap.pop()); ) {
      const children = this.#childrenInView(node);
      shown += children.length / 5 - 1;
      if (shown > this.limit) return node.worth;
      for (let i = 0; i < children.length; i += 5) {
        wait(children[i], children[i + 1], children[i + 2], children[i + 3], children[i + 4], node.worth);
      }
    }
    return Infinity;
  }

  // By a limit

  /**
   * Returns the children of a node that are in view, with five numbers for each child.
   *
   * @param {{first: number, count: number, record: number, levels: number, visibility: number}} node
   */
  #childrenInView({ first, count, record, levels, visibility }) {
    const { tree, view } = this;
    /** @type {number[]} */
    const seen = [];
    const children = tree.childrenOf(first, count, record, levels);
    for (let i = 0; i < children.length; i += 4) {
      const [f, c, r, l] = children.slice(i, i + 4);
      const own = visibility === INSIDE || r === record ? visibility : view.ofBox(r);
      if (view.has(f, c, r, l, own)) seen.push(f, c, r, l, own);
    }
    return seen;
  }

  #breadthFirst() {
    const { tree, view, limit } = this;
    /** Nodes in tree order, with five numbers for each. */
    let answer = [0, tree.pointCount, 0, 0, view.ofBox(0)];
    for (let level = 0, isMore = true; isMore; level++) {
      /** @type {number[]} */
      const nextAnswer = [];
      let shown = answer.length / 5;
      isMore = false;
      for (let i = 0; i < answer.length; i += 5) {
        const [first, count, record, levels, visibility] = answer.slice(i, i + 5);
        // If a node is inside the view, both of its children are in view. So a split of this node needs room for one
        // more cluster.
        const isTried = levelOf(levels) === level && count > 1
          && (shown < limit || visibility !== INSIDE || view.selection !== null);
        const children = isTried ? this.#childrenInView({ first, count, record, levels, visibility }) : [];
        if (children.length === 0 || (children.length === 10 && shown >= limit)) {
          nextAnswer.push(first, count, record, levels, visibility);
        } else {
          nextAnswer.push(...children);
          shown += children.length / 5 - 1;
          isMore = true;
        }
      }
      answer = nextAnswer;
    }
    return answer.filter((_, i) => i % 5 !== 4);
  }

  #bestFirst() {
    const { tree, view, limit } = this;
    const isSteepest = this.cut.order === "steepest-first";
    const heap = new NodeHeap();
    /**
     * @type {Map<number, number[]>} Nodes by their first point. Clusters are disjoint, so no two clusters begin with
     *   the same point.
     */
    const answer = new Map();
    /**
     * @param {number} first
     * @param {number} count
     * @param {number} record
     * @param {number} levels
     * @param {number} visibility
     * @param {number} bound
     */
    const show = (first, count, record, levels, visibility, bound) => {
      answer.set(first, [first, count, record, levels]);
      const children = tree.childrenOf(first, count, record, levels);
      if (!children.length) return;
      let worth = this.scatter(first, count, record);
      if (isSteepest) {
        const [f, c, r, , f2, c2, r2] = children;
        worth -= this.scatter(f, c, r) + this.scatter(f2, c2, r2);
      }
      heap.push(worth < bound ? worth : bound, first, count, record, levels, visibility);
    };
    show(0, tree.pointCount, 0, 0, view.ofBox(0), Infinity);
    for (let node; (node = heap.pop()); ) {
      const children = this.#childrenInView(node);
      if (!children.length || (children.length === 10 && answer.size >= limit)) continue;
      answer.delete(node.first);
      for (let i = 0; i < children.length; i += 5) {
        const [first, count, record, levels, visibility] = children.slice(i, i + 5);
        show(first, count, record, levels, visibility, node.worth);
      }
    }
    return [...answer.values()].sort((a, b) => a[0] - b[0]).flat();
  }

  /**
   * Returns the sum of the squared distances of a node's points to their mean.
   *
   * @param {number} first
   * @param {number} count
   * @param {number} record
   */
  scatter(first, count, record) {
    return count === 1 ? 0 : this.view.count(first, count) * traceOf(this.view, first, count, record);
  }
}

/** The `levels` of a child in a bucket minus the `levels` of its parent. */
const LEVEL_IN_BUCKET = 1025;

/**
 * Follows each path from the root to the first node whose code is at most `greatest`. Returns the found nodes that are
 * in view, or null if there are more of these nodes than the limit. Works only without a filter. Codes never rise on a
 * path. So a bucket (a node without stored children) is split at every point with a greater code, and one pass finds
 * the parts.
 *
 * @param {InView} view
 * @param {Uint16Array} codes
 * @param {number} greatest
 * @param {number} limit
 */
function splitByCodes(view, codes, greatest, limit) {
  const { tree } = view;
  const { nodes, gaps, points, nodeCount } = tree;
  const left = view.x >>> 0;
  const width = view.width >>> 0;
  const top = view.minY >>> 0;
  const bottom = view.maxY >>> 0;
  const waiting = stack;
  let length = roomStart;
  let end = put(waiting, 0, 0, tree.pointCount, 0, 0, boxVisibility(nodes, 0, left, width, top, bottom));
  if (waiting[4] === OUTSIDE) end = 0;
  while (end > 0) {
    end -= 5;
    let first = waiting[end];
    let count = waiting[end + 1];
    let record = waiting[end + 2];
    let level = waiting[end + 3];
    let visibility = waiting[end + 4];
    let offset;
    while ((offset = nodes[record * 6 + 5]) > 0) {
      const child = record + offset;
      // This call throws an error, because the file is damaged.
      if ((child & 1) === 0 || child + 1 >= nodeCount) tree.leftRecord(record);
      const size = nodes[child * 6 + 4];
      const rest = count - size;
      if (size < 1 || rest < 1 || nodes[child * 6 + 10] !== rest || level > 1000) tree.leftCount(first, count, record, level);
      if (codes[first + size] <= greatest) break;
      level++;
      let ofOther = INSIDE;
      if (visibility !== INSIDE) {
        visibility = boxVisibility(nodes, child * 6, left, width, top, bottom);
        ofOther = boxVisibility(nodes, child * 6 + 6, left, width, top, bottom);
      }
      if (visibility !== OUTSIDE) {
        if (ofOther !== OUTSIDE) end = put(waiting, end, first + size, rest, child + 1, level, ofOther);
        count = size;
        record = child;
      } else {
        first += size;
        count = rest;
        record = child + 1;
        visibility = ofOther;
        if (visibility === OUTSIDE) break;
      }
    }
    if (visibility === OUTSIDE) continue;
    length = reserved(length);
    const answer = room;
    if (offset > 0 || count > 16) {
      if (offset === 0) tree.checkBucket(count, record);
      if (visibility !== INSIDE && !view.has(first, count, record, level, visibility)) continue;
      answer[length] = first;
      answer[length + 1] = count;
      answer[length + 2] = record;
      answer[length + 3] = level;
      length += 4;
    } else {
      const last = first + count;
      // The level of the split before `first`, and whether the part that begins at `first` is in view.
      let before = -1;
      let isSeen = visibility === INSIDE;
      for (let index = first; index < last; ) {
        if (!isSeen) {
          const y = points[2 * index + 1];
          isSeen = (points[2 * index] - left) >>> 0 <= width && top <= y && y <= bottom;
        }
        const gap = (gaps[index >> 1] >> ((index & 1) << 2)) & 15;
        index++;
        if (index < last && (gap === 15 || codes[index] <= greatest)) continue;
        const after = index < last ? gap : -1;
        if (isSeen) {
          answer[length] = first;
          answer[length + 1] = index - first;
          answer[length + 2] = record;
          answer[length + 3] = level + LEVEL_IN_BUCKET * ((before > after ? before : after) + 1);
          length += 4;
        }
        first = index;
        before = after;
        isSeen = visibility === INSIDE;
      }
    }
    if (length - roomStart > limit * 4) return null;
  }
  return written(length);
}

/**
 * Returns the least zoom of 256 px tiles at which a cut shows the parts of a node instead of the node. The zoom is
 * exact to the last bit and found by bisection. Returns null if no zoom shows the parts, and -Infinity if every zoom
 * shows the parts.
 *
 * @param {Hierarchy} tree
 * @param {Cut} cut
 * @param {number} coarseness Coarseness of the node, from `coarsenessOf`.
 */
export function leastZoom(tree, cut, coarseness) {
  const name = pixelCriterionOf(cut);
  const criterion = PIXEL_CRITERIA[name];
  checkScale(tree, criterion);
  const pixels = cut[name] ?? 0;
  /** @param {number} zoom */
  const isSplit = (zoom) => coarseness > greatestCoarseness(tree, criterion, pixels, zoom);
  if (pixels === 0) return isSplit(0) ? -Infinity : null;
  if (!isSplit(1200)) return null;
  // Bisects the bit patterns of doubles. Bit patterns of positive doubles have the same order as the doubles.
  const ranks = new BigInt64Array(1);
  const zooms = new Float64Array(ranks.buffer);
  /** @param {bigint} rank */
  const zoomOf = (rank) => {
    ranks[0] = rank < 0n ? -rank : rank;
    return rank < 0n ? -zooms[0] : zooms[0];
  };
  zooms[0] = 1200;
  let [low, high] = [-ranks[0], ranks[0]];
  while (high - low > 1n) {
    const middle = (low + high) >> 1n;
    if (isSplit(zoomOf(middle))) high = middle;
    else low = middle;
  }
  return zoomOf(high);
}

/**
 * Returns the coarseness of a node: the code of the node, if the tree has codes and the cut uses them. Otherwise the
 * mean square distance of its points.
 *
 * @param {InView} view
 * @param {Cut} cut
 * @param {ArrayLike<number>} node
 * @param {number} left Number of points in the left child of the node.
 */
export function coarsenessOf(view, cut, node, left) {
  const { tree } = view;
  const name = criterionOf(cut);
  const usesCodes = name === "limit" || PIXEL_CRITERIA[name].purpose;
  return usesCodes && tree.codes ? tree.code(node[0], left, node[2]) : traceOf(view, node[0], node[1], node[2]);
}

/**
 * Returns the mean square distance of a node's points to their mean, in square units of the plane.
 *
 * @param {InView} view
 * @param {number} first
 * @param {number} count
 * @param {number} record
 */
function traceOf({ tree, selection }, first, count, record) {
  (selection ?? tree).spread(first, count, record, SCRATCH);
  const trace = SCRATCH[0] + SCRATCH[2];
  return trace > 0 ? trace : 0;
}

/**
 * A heap of nodes. The node with the greatest worth comes first. If several nodes have the same worth, the node on the
 * upper level comes first. On one level, the first node in tree order comes first.
 */
class NodeHeap {
  /**
   * @typedef {{worth: number, first: number, count: number, record: number, levels: number, visibility: number}}
   *   Waiting
   */
  /** @type {Waiting[]} */
  #nodes = [];

  /**
   * @param {number} worth
   * @param {number} first
   * @param {number} count
   * @param {number} record
   * @param {number} levels
   * @param {number} visibility
   */
  push(worth, first, count, record, levels, visibility) {
    const nodes = this.#nodes;
    const node = { worth, first, count, record, levels, visibility };
    let place = nodes.length;
    for (; place > 0; ) {
      const parent = (place - 1) >> 1;
      if (!isBefore(node, nodes[parent])) break;
      nodes[place] = nodes[parent];
      place = parent;
    }
    nodes[place] = node;
  }

  pop() {
    const nodes = this.#nodes;
    const first = nodes[0];
    const last = nodes.pop();
    if (!last || !nodes.length) return last;
    let place = 0;
    for (let child = 1; child < nodes.length; child = 2 * place + 1) {
      if (child + 1 < nodes.length && isBefore(nodes[child + 1], nodes[child])) child++;
      if (!isBefore(nodes[child], last)) break;
      nodes[place] = nodes[child];
      place = child;
    }
    nodes[place] = last;
    return first;
  }
}

/**
 * @param {Waiting} a
 * @param {Waiting} b
 */
function isBefore(a, b) {
  if (a.worth !== b.worth) return a.worth > b.worth;
  const [level, other] = [levelOf(a.levels), levelOf(b.levels)];
  return level !== other ? level < other : a.first < b.first;
}

// Cuts that continue an answer

/**
 * @typedef {object} Entry A node that an answer may contain.
 * @property {ArrayLike<number>} node
 * @property {number} scatter
 * @property {boolean} isPrevious
 * @property {Entry[]} parts
 * @property {number} excess Scatter of the node minus the scatter of the entries below it.
 */

/**
 * Returns the answer that keeps the most clusters of a previous answer. If several answers keep the same number of
 * clusters, returns the answer with the least scatter. See *A limit that continues* on the page IndexFormat.
 *
 * @param {CutSearch} search
 * @param {number[]} fresh
 * @param {Uint32Array} previous
 */
function continued(search, fresh, previous) {
  const { view } = search;
  let mostScatter = 0;
  for (let i = 0; i < fresh.length; i += 4) mostScatter += search.scatter(fresh[i], fresh[i + 1], fresh[i + 2]);
  mostScatter *= 1.5625;
  const kept = [];
  for (let i = 0; i < previous.length; i += 4) {
    const [first, count, record, levels] = lowest(view, previous.subarray(i, i + 4));
    if (view.has(first, count, record, levels, view.ofBox(record))) kept.push(first, count, record, levels);
  }
  const entries = entriesOf(search, kept, fresh);
  /** @param {number} weight */
  const plan = (weight) => {
    const shown = planOf(entries, search.limit, weight);
    if (!shown) return null;
    let scatter = 0;
    for (const entry of shown) scatter += entry.scatter;
    return scatter <= mostScatter ? shown : null;
  };
  let best = plan(Infinity);
  if (!best) {
    const weights = entries.map(({ excess }) => excess).filter((excess) => excess > 0);
    for (let i = 0; i < 40; i++) weights.push(mostScatter * 2 ** -i);
    weights.sort((a, b) => b - a);
    weights.unshift(Infinity);
    weights.push(0);
    for (let low = 0, high = weights.length; high - low > 1; ) {
      const middle = (low + high) >> 1;
      const found = plan(weights[middle]);
      if (found) [best, high] = [found, middle];
      else low = middle;
    }
  }
  return best ? best.flatMap(({ node }) => Array.from(node)) : fresh;
}

/**
 * Returns the lowest node that contains the same passing points as a given node. Points that pass the filter are
 * passing points.
 *
 * @param {InView} view
 * @param {ArrayLike<number>} node
 */
export function lowest(view, node) {
  const { tree } = view;
  for (let current = node; ; ) {
    const [first, count, record, levels] = [current[0], current[1], current[2], current[3]];
    const all = view.count(first, count);
    const children = all === count ? [] : tree.childrenOf(first, count, record, levels);
    const ofLeft = view.count(first, children[1]);
    if (!children.length || (ofLeft > 0 && ofLeft < all)) return [first, count, record, levels];
    current = ofLeft ? children.slice(0, 4) : children.slice(4);
  }
}

/**
 * Returns the nodes that an answer may contain, in preorder.
 *
 * @param {CutSearch} search
 * @param {number[]} previous
 * @param {number[]} fresh
 */
function entriesOf(search, previous, fresh) {
  const { tree, view } = search;
  /** @type {Entry[]} */
  const entries = [];
  /** @param {number[]} list @param {number} start @param {number} end */
  const within = (list, start, end) => {
    let [from, to] = [0, 0];
    while (from < list.length && list[from] < start) from += 4;
    for (to = from; to < list.length && list[to] < end; ) to += 4;
    return list.slice(from, to);
  };
  /**
   * @typedef {{node: number[], previous: number[], fresh: number[], isWithinFresh: boolean, parent: Entry | null}} Part
   */
  /** @type {Part[]} */
  const waiting = [{ node: [0, tree.pointCount, 0, 0], previous, fresh, isWithinFresh: false, parent: null }];
  for (let part; (part = waiting.pop()); ) {
    const { node } = part;
    const [first, count, record, levels] = node;
    /** @param {number[]} list */
    const isIn = (list) => list.length > 0 && list[0] === first && list[1] === count;
    let { isWithinFresh, parent } = part;
    if (isIn(part.fresh)) [isWithinFresh, part.fresh] = [true, []];
    const isPrevious = isIn(part.previous);
    if (isPrevious) part.previous = [];
    /** @type {Part[]} */
    const parts = [];
    if (part.previous.length || part.fresh.length) {
      const children = tree.childrenOf(first, count, record, levels);
      for (let i = 0; i < children.length; i += 4) {
        const child = children.slice(i, i + 4);
        const [f, c, r, l] = child;
        const [own, others] = [within(part.previous, f, f + c), within(part.fresh, f, f + c)];
        if (own.length || others.length || (isWithinFresh && view.has(f, c, r, l, view.ofBox(r)))) {
          parts.push({ node: child, previous: own, fresh: others, isWithinFresh, parent });
        }
      }
    }
    if (!parts.length || isPrevious || parts.length === 2) {
      const own = lowest(view, node);
      /** @type {Entry} */
      const entry = { node: own, scatter: search.scatter(own[0], own[1], own[2]), isPrevious, parts: [], excess: 0 };
      entries.push(entry);
      parent?.parts.push(entry);
      parent = entry;
    }
    for (const below of parts.reverse()) waiting.push({ ...below, parent });
  }
  /** @type {Map<Entry, number>} */
  const finest = new Map();
  for (const entry of entries.slice().reverse()) {
    let sum = 0;
    for (const part of entry.parts) sum += /** @type {number} */ (finest.get(part));
    finest.set(entry, entry.parts.length ? sum : entry.scatter);
    if (entry.isPrevious && entry.parts.length) entry.excess = Math.max(entry.scatter - sum, 0);
  }
  return entries;
}

/**
 * Returns the entries to show. Each lost cluster of the previous answer costs `weight` units of scatter. Returns null
 * if every choice of entries exceeds the limit.
 *
 * @param {Entry[]} entries
 * @param {number} limit
 * @param {number} weight
 */
function planOf(entries, limit, weight) {
  /** @param {Entry} entry */
  const isClosed = ({ parts, isPrevious, excess }) => !parts.length || (isPrevious && (excess === 0 || excess < weight));
  const reached = [];
  for (let waiting = [entries[0]]; waiting.length; ) {
    const entry = /** @type {Entry} */ (waiting.pop());
    reached.push(entry);
    if (!isClosed(entry)) waiting.push(...entry.parts.slice().reverse());
  }
  const closed = reached.filter(isClosed);
  const excess = closed.length - limit;
  if (excess <= 0) return closed;

  /** @typedef {[lost: number, scatter: number]} Cost */
  /** @param {Cost} a @param {Cost | undefined} b */
  const isLess = (a, b) => {
    if (!b) return true;
    if (weight === Infinity) return a[0] < b[0] || (a[0] === b[0] && a[1] < b[1]);
    const [own, other] = [a[0] * weight + a[1], b[0] * weight + b[1]];
    return own < other || (own === other && a[0] < b[0]);
  };
  /**
   * @typedef {{costs: (Cost | undefined)[], choices: ([number, number] | undefined)[], closed: number, previous:
   *   number}} Plan
   */
  /**
   * @type {Map<Entry, Plan>} `costs[n]` is the least cost at which the entries below save n clusters. `choices[n]` says
   *   how many of these n clusters each part saves.
   */
  const plans = new Map();
  for (const entry of reached.slice().reverse()) {
    const loss = entry.isPrevious ? 1 : 0;
    if (isClosed(entry)) {
      plans.set(entry, { costs: [[0, entry.scatter]], choices: [undefined], closed: 1, previous: loss });
      continue;
    }
    const parts = entry.parts.map((part) => /** @type {Plan} */ (plans.get(part)));
    const closedBelow = parts.reduce((sum, part) => sum + part.closed, 0);
    const previousBelow = parts.reduce((sum, part) => sum + part.previous, 0);
    const end = Math.min(excess, closedBelow - 1);
    /** @type {Plan} */
    const plan = { costs: new Array(end + 1), choices: new Array(end + 1), closed: closedBelow, previous: loss + previousBelow };
    /** @type {(Cost | undefined)[]} */
    const rights = parts[1]?.costs ?? [[0, 0]];
    parts[0].costs.forEach((left, l) => rights.forEach((right, r) => {
      if (!left || !right) return;
      const saved = Math.min(l + r, end);
      /** @type {Cost} */
      const cost = [left[0] + right[0] + loss, left[1] + right[1]];
      if (isLess(cost, plan.costs[saved])) [plan.costs[saved], plan.choices[saved]] = [cost, [l, r]];
    }));
    if (!entry.isPrevious) {
      /** @type {Cost} */
      const cost = [plan.previous, entry.scatter];
      if (isLess(cost, plan.costs[end])) [plan.costs[end], plan.choices[end]] = [cost, undefined];
    }
    plans.set(entry, plan);
  }
  if (!plans.get(entries[0])?.costs[excess]) return null;
  const shown = [];
  /** @type {[Entry, number][]} */
  const waiting = [[entries[0], excess]];
  for (let item; (item = waiting.pop()); ) {
    const [entry, saved] = item;
    const choice = plans.get(entry)?.choices[saved];
    if (!choice) shown.push(entry);
    else for (let i = entry.parts.length - 1; i >= 0; i--) waiting.push([entry.parts[i], choice[i]]);
  }
  return shown;
}
