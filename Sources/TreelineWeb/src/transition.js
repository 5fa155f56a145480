// Compares two answers of one tree. A cluster is a range of points. So there are four cases for a cluster of one
// answer. The cluster equals a cluster of the other answer, contains one or more clusters of the other answer, lies in
// a cluster of the other answer, or shares no point with the other answer.

/**
 * @typedef {object} Ranges The part of an answer that transitions need.
 * @property {number} length
 * @property {ArrayLike<number>} firsts Tree index of the first point of each cluster.
 * @property {ArrayLike<number>} sizes Number of points of each cluster, including points that fail a filter.
 * @property {ArrayLike<number>} counts
 *
 * @typedef {object} Fork A cluster of one answer, called the whole, and its parts: the clusters of the other answer
 *   that lie in the whole.
 * @property {number} whole Index of the whole in its answer.
 * @property {number} start Index of the first part in the other answer.
 * @property {number} end One past the index of the last part.
 * @property {number} hidden Number of points of the whole that are in none of its parts.
 */

/**
 * Returns the changes from one answer to another. Each cluster of both answers occurs once.
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
 * @param {number} start Index of the first part.
 * @param {number} wholeEnd One past the last point of the whole.
 * @returns {Fork}
 */
function forkOf(answer, whole, other, start, wholeEnd) {
  let [end, count] = [start, 0];
  while (end < other.length && other.firsts[end] < wholeEnd) count += other.counts[end++];
  return { whole, start, end, hidden: Math.max(answer.counts[whole] - count, 0) };
}
