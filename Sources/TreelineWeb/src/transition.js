// What changes between two answers over one tree. The clusters of an answer are ranges of points, so a cluster of one
// is the same as one of the other, or contains some of them, or lies in one, or has nothing to do with any.

/**
 * @typedef {object} Ranges An answer, as far as transitions look at it.
 * @property {number} length
 * @property {ArrayLike<number>} firsts Where the points of each cluster begin, in tree order.
 * @property {ArrayLike<number>} sizes Number of points of each, including points that fail a filter.
 * @property {ArrayLike<number>} counts
 *
 * @typedef {object} Fork One cluster on one side, and the clusters within it on the other.
 * @property {number} whole Its number in its answer.
 * @property {number} start The numbers of its parts in the other answer: from this one
 * @property {number} end to the one before this.
 * @property {number} hidden How many of its points are in none of the parts.
 */

/**
 * Each cluster of both answers occurs once.
 *
 * @template {Ranges} Answer
 * @param {Answer} from
 * @param {Answer} to
 */
export function transitionOf(from, to) {
  /** @type {[number, number][]} */
  const kept = [];
  /** @type {Fork[]} */
  const splits = [];
  /** @type {Fork[]} */
  const merges = [];
  /** @type {number[]} */
  const entered = [];
  /** @type {number[]} */
  const exited = [];
  let [o, n] = [0, 0];
  while (o < from.length && n < to.length) {
    const [a, b] = [from.firsts[o], to.firsts[n]];
    const [aEnd, bEnd] = [a + from.sizes[o], b + to.sizes[n]];
    if (a === b && aEnd === bEnd) kept.push([o++, n++]);
    else if (aEnd <= b) exited.push(o++);
    else if (bEnd <= a) entered.push(n++);
    else if (aEnd - a > bEnd - b) {
      splits.push(forkOf(from, o++, to, n, aEnd));
      n = splits[splits.length - 1].end;
    } else {
      merges.push(forkOf(to, n++, from, o, bEnd));
      o = merges[merges.length - 1].end;
    }
  }
  while (o < from.length) exited.push(o++);
  while (n < to.length) entered.push(n++);
  return { from, to, kept, splits, merges, entered, exited };
}

/**
 * @param {Ranges} answer
 * @param {number} whole
 * @param {Ranges} other
 * @param {number} start The first part.
 * @param {number} wholeEnd Where the points of the whole end.
 * @returns {Fork}
 */
function forkOf(answer, whole, other, start, wholeEnd) {
  let [end, count] = [start, 0];
  while (end < other.length && other.firsts[end] < wholeEnd) count += other.counts[end++];
  return { whole, start, end, hidden: Math.max(answer.counts[whole] - count, 0) };
}
