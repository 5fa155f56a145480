// Finds nodes with a point in view. A point is in view if it is inside a window and passes the filter. Without a
// filter, all points pass.

/** @typedef {import("./hierarchy.js").Hierarchy} Hierarchy */
/** @typedef {import("./plane.js").Window} Window */
/** @typedef {import("./selection.js").Selection} Selection */

/** Visibility of a node, judged by its box. No point, maybe some points, or all points are inside the window. */
export const OUTSIDE = 0;
export const PARTIAL = 1;
export const INSIDE = 2;

/**
 * Returns the visibility of a node, judged only by its box.
 *
 * @param {Uint32Array} nodes
 * @param {number} at Offset of the box.
 * @param {number} left
 * @param {number} width
 * @param {number} top
 * @param {number} bottom
 */
export function boxVisibility(nodes, at, left, width, top, bottom) {
  const north = nodes[at + 1];
  const south = nodes[at + 3];
  if (north > bottom || south < top) return OUTSIDE;
  const west = nodes[at];
  const from = (west - left) >>> 0;
  const size = (nodes[at + 2] - west) >>> 0;
  if (from > width) return (left - west) >>> 0 > size ? OUTSIDE : PARTIAL;
  return size <= width - from && north >= top && south <= bottom ? INSIDE : PARTIAL;
}

export class InView {
  /**
   * @param {Hierarchy} tree
   * @param {Window} window
   * @param {Selection | null} selection The points that pass a filter.
   */
  constructor(tree, window, selection) {
    this.tree = tree;
    this.window = window;
    this.selection = selection;
    this.x = window.x;
    this.width = window.width;
    this.minY = window.minY;
    this.maxY = window.maxY;
    if (tree.pages) tree.pages.view = this;
  }

  /**
   * Returns the visibility of a node, judged by its box. A bucket is a node without stored children; all its parts
   * share the box of the bucket.
   *
   * @param {number} record
   */
  ofBox(record) {
    return boxVisibility(this.tree.nodes, record * 6, this.x, this.width, this.minY, this.maxY);
  }

  /**
   * Whether a whole side of a record's box is inside the window. If so, the window contains a point, because a point
   * lies on each side of a box.
   *
   * @param {number} record
   */
  hasSideInside(record) {
    const { nodes } = this.tree;
    const at = record * 6;
    const start = (nodes[at] - this.x) >>> 0;
    const end = (nodes[at + 2] - this.x) >>> 0;
    const isNorthInside = nodes[at + 1] >= this.minY;
    const isSouthInside = nodes[at + 3] <= this.maxY;
    if (isNorthInside && isSouthInside) return start <= this.width || end <= this.width;
    return (isNorthInside || isSouthInside) && start <= end && end <= this.width;
  }

  /** @param {number} index */
  contains(index) {
    const { points } = this.tree;
    const at = this.tree.place(index) * 2;
    const y = points[at + 1];
    const isInside = (points[at] - this.x) >>> 0 <= this.width && this.minY <= y && y <= this.maxY;
    return isInside && (!this.selection || this.selection.passes(index));
  }

  /**
   * Returns the number of points of a node. Under a filter, counts only the points that pass.
   *
   * @param {number} first
   * @param {number} count
   */
  count(first, count) {
    return this.selection ? this.selection.count(first, count) : count;
  }

  /**
   * Whether a node has a point in view.
   *
   * @param {number} first
   * @param {number} count
   * @param {number} record
   * @param {number} levels
   * @param {number} visibility Visibility of the node, judged by its box.
   * @returns {boolean}
   */
  has(first, count, record, levels, visibility) {
    const { tree, selection } = this;
    if (selection && !selection.count(first, count)) return false;
    if (visibility !== PARTIAL) return visibility === INSIDE;
    if (!selection && levels < 1024 && this.hasSideInside(record)) return true;
    const isSeen = tree.pages?.isInView(record, this) ?? null;
    if (isSeen !== null) return isSeen;
    if (tree.pages?.isMissing(record)) return true;
    if (tree.isStored(record)) {
      const left = tree.leftCount(first, count, record, levels);
      const child = tree.leftRecord(record);
      const [ofLeft, ofRight] = [this.ofBox(child), this.ofBox(child + 1)];
      if (!selection && (ofLeft === INSIDE || ofRight === INSIDE)) return true;
      return this.has(first, left, child, levels + 1, ofLeft)
        || this.has(first + left, count - left, child + 1, levels + 1, ofRight);
    }
    // Either all points of a stack are inside the window, or no point is inside.
    if (tree.isPoint(record)) return this.ofBox(record) === INSIDE;
    tree.checkBucket(count, record);
    for (let i = first; i < first + count; i++) if (this.contains(i)) return true;
    return false;
  }
}
