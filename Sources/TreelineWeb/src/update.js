// Edits of trees that were built from points with keys, and transitions between the answers of two of these trees.
// `VersionTransition` in Swift has the same rules, and a test compares the results of both.

import { asText, BuildError, notEditable, QueryError } from "./errors.js";
import { keyFunction, keyOfPoint, sorted } from "./keys.js";
import { checkSignal, refuseUnknown } from "./options.js";
import { coordinatesOf, treeOfBuilt } from "./points.js";

/** @typedef {import("./tree.js").Tree} Tree */
/** @typedef {import("./answer.js").Clusters} Clusters */
/** @typedef {import("./points.js").Key} Key */

/**
 * @typedef {object} Edit An edit of the points. No key may occur twice in an edit.
 * @property {ArrayLike<any>} [insert] Points to add. Their keys must not be in the tree.
 * @property {ArrayLike<Key>} [remove] Keys of points to remove.
 * @property {ArrayLike<any>} [move] New points for keys of the tree. The new points replace the points with these keys.
 *   The position and other properties may change.
 *
 * @typedef {object} Version An edit, described by row numbers before and after the edit.
 * @property {WeakRef<import("./hierarchy.js").Hierarchy>} before Hierarchy of the tree before the edit.
 * @property {number} count Number of rows after the edit.
 * @property {number[]} removed Rows of the removed points in the tree before the edit, in ascending order.
 * @property {number[]} inserted Rows of the inserted points in the tree after the edit, in ascending order.
 * @property {Uint32Array | null} order Null if the rows before the edit were sorted by key. Otherwise the original row
 *   of each sorted row. In this case `removed` has sorted rows.
 * @property {Version | null} earlier
 * @property {number} age Number of earlier versions.
 */

/** Greatest number of earlier versions that a tree remembers. */
const MOST_VERSIONS = 256;

/**
 * Returns the tree after an edit. The new tree equals a tree that is built from the resulting points, sorted by key.
 *
 * @param {Tree} tree
 * @param {Edit} edit
 * @param {{signal?: AbortSignal}} call
 * @returns {Promise<Tree>}
 */
export async function updated(tree, edit, call = {}) {
  refuseUnknown(edit, ["insert", "remove", "move"], "an edit");
  checkSignal(call, "update");
  const { signal } = call;
  signal?.throwIfAborted();
  const { origin } = tree;
  if (!origin || ArrayBuffer.isView(origin.points) || origin.options.columns) throw notEditable();
  // An edit ignores the signal of the first build.
  const options = { ...origin.options, signal: undefined };
  const keyOf = keyFunction(options.key);
  const { points, keys, order } = (origin.sorted ??= sorted(origin.points, keyOf));
  const changes = changesOf(edit, points, keys, options, keyOf);
  const next = applied(points, keys, changes);
  const { coordinates, rows } = coordinatesOf(next.points, options);
  const built = options.worker
    ? await builtByKeptWorker(coordinates, rows, { ...options, signal })
    : (await import("./build.js")).build(coordinates, rows, options);
  const result = treeOfBuilt(built, next.points, options);
  result.origin = { points: next.points, options, sorted: { ...next, order: null } };
  if (result.features) result.language = tree.language ?? (await import("./language.js"));
  const earlier = tree.version && tree.version.age < MOST_VERSIONS - 1 ? tree.version : forgetting(tree.version);
  result.version = {
    before: new WeakRef(tree.hierarchy), count: next.points.length, order, removed: changes.removed, inserted: next.inserted,
    earlier, age: earlier ? earlier.age + 1 : 0,
  };
  return result;
}

// The worker

/**
 * Milliseconds for which a worker waits for the next edit. The first build of a new worker takes three times as long as
 * later builds.
 */
const IDLE = 30000;

/** @type {{factory: unknown, worker: any, timer: any} | null} */
let idle = null;

/**
 * Builds in a worker, which is kept for the next edit.
 *
 * @param {Float64Array} coordinates
 * @param {Uint32Array | null} rows
 * @param {import("./points.js").BuildOptions} options
 */
async function builtByKeptWorker(coordinates, rows, options) {
  const { builtByWorker, newWorker } = await import("./worker-client.js");
  const factory = options.worker;
  return builtByWorker(coordinates, rows, { ...options, worker: async () => keeping(await takeIdle(factory, newWorker), factory) });
}

/**
 * @param {import("./points.js").BuildOptions["worker"]} factory
 * @param {() => Promise<any>} newWorker
 */
function takeIdle(factory, newWorker) {
  if (!idle || idle.factory !== factory) return typeof factory === "function" ? factory() : newWorker();
  const { worker, timer } = idle;
  idle = null;
  clearTimeout(timer);
  worker.ref?.();
  return worker;
}

/**
 * Returns a substitute for a worker. After a build, `terminate` does not end the worker, but keeps the worker for the
 * next edit.
 *
 * @param {any} worker
 * @param {unknown} factory
 */
function keeping(worker, factory) {
  if (!worker?.terminate) return worker;
  let isDone = false;
  /** @type {[string, (value: any) => void][]} */
  const listeners = [];
  const [add, remove] = worker.on ? ["on", "off"] : ["addEventListener", "removeEventListener"];
  return {
    postMessage: (/** @type {any[]} */ ...message) => worker.postMessage(...message),
    [add](/** @type {string} */ name, /** @type {(value: any) => void} */ call) {
      const listener = (/** @type {any} */ value) => {
        if (name === "message" && (value?.data ?? value)?.built) isDone = true;
        call(value);
      };
      listeners.push([name, listener]);
      worker[add](name, listener);
    },
    terminate() {
      for (const [name, listener] of listeners) worker[remove](name, listener);
      if (!isDone) {
        worker.terminate();
        return;
      }
      if (idle) {
        clearTimeout(idle.timer);
        idle.worker.terminate();
      }
      // In Node, a worker that waits must not keep the process alive.
      worker.unref?.();
      const timer = /** @type {any} */ (setTimeout(() => {
        idle = null;
        worker.terminate();
      }, IDLE));
      timer.unref?.();
      idle = { factory, worker, timer };
    },
  };
}

/**
 * Returns a chain of versions without its older half.
 *
 * @param {Version | null} version
 * @returns {Version | null}
 */
function forgetting(version) {
  const kept = [];
  for (let at = version; at && kept.length < MOST_VERSIONS / 2; at = at.earlier) kept.push(at);
  return kept.reduceRight((/** @type {Version | null} */ earlier, at) => ({ ...at, earlier, age: earlier ? earlier.age + 1 : 0 }), null);
}

// Edits

/**
 * Returns the number of keys that are less than a key.
 *
 * @param {Key[]} keys
 * @param {Key} key
 */
function placeOf(keys, key) {
  let [low, high] = [0, keys.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (keys[middle] < key) low = middle + 1;
    else high = middle;
  }
  return low;
}

/**
 * Checks an edit, and finds the rows that it changes.
 *
 * @param {Edit} edit
 * @param {ArrayLike<any>} points
 * @param {Key[]} keys
 * @param {import("./points.js").BuildOptions} options
 * @param {(point: any) => Key} keyOf
 */
function changesOf({ insert = [], remove = [], move = [] }, points, keys, options, keyOf) {
  for (const [name, list] of Object.entries({ insert, remove, move })) {
    if (typeof list !== "object" || !(list?.length >= 0)) throw new BuildError(`Expected an array as '${name}' of an update, found ${asText(list)}`);
  }
  const seen = new Set();
  let type = keys.length ? typeof keys[0] : undefined;
  /** @param {Key} key */
  const once = (key) => {
    if (seen.has(key)) throw new BuildError(`Expected each key once in an update, found the key ${asText(key)} twice`);
    seen.add(key);
    return key;
  };
  /** @param {Key} key */
  const rowOf = (key) => {
    const row = placeOf(keys, once(key));
    if (keys[row] !== key) throw new BuildError(`No point has the key ${asText(key)}; use 'insert' for new points`);
    return row;
  };
  /** @param {any} point */
  const checked = (point) => {
    const key = keyOfPoint(point, keyOf, type);
    type ??= typeof key;
    coordinatesOf([point], { ...options, columns: {} }, `the point with the key ${asText(key)}`);
    return key;
  };
  const removed = Array.from(remove, rowOf).sort((a, b) => a - b);
  const moved = Array.from(move, (point) => ({ row: rowOf(checked(point)), point }));
  const inserted = Array.from(insert, (point) => {
    const key = once(checked(point));
    const row = placeOf(keys, key);
    if (keys[row] === key) throw new BuildError(`A point already has the key ${asText(key)}; use 'move' to change this point`);
    return { row, key, point };
  }).sort((a, b) => (a.key < b.key ? -1 : 1));
  return { removed, moved, inserted };
}

/**
 * Returns the points after an edit, sorted by key, and the rows of the inserted points among them.
 *
 * @param {ArrayLike<any>} points
 * @param {Key[]} keys
 * @param {ReturnType<typeof changesOf>} changes
 */
function applied(points, keys, { removed, moved, inserted }) {
  const nextPoints = [];
  /** @type {Key[]} */
  const nextKeys = [];
  const rows = [];
  const replaced = new Map(moved.map(({ row, point }) => [row, point]));
  let [removal, insertion] = [0, 0];
  for (let row = 0; row <= points.length; row++) {
    while (insertion < inserted.length && inserted[insertion].row === row) {
      const { key, point } = inserted[insertion++];
      rows.push(nextPoints.length);
      nextPoints.push(point);
      nextKeys.push(key);
    }
    if (row === points.length) break;
    if (removed[removal] === row) {
      removal++;
      continue;
    }
    nextPoints.push(replaced.size && replaced.has(row) ? replaced.get(row) : points[row]);
    nextKeys.push(keys[row]);
  }
  return { points: nextPoints, keys: nextKeys, inserted: rows };
}

// Changes from one version to a later version

/**
 * Returns whether a tree was made from another tree by one or more edits.
 *
 * @param {Tree} from
 * @param {Tree} to
 */
export const isEditOf = (from, to) => versionsSince(from, to) !== null;

/** An edited tree keeps its colours on a map as long as its number of points has changed by at most this share. */
const MOST_CHANGED = 0.1;

/**
 * Returns whether a tree is an edit of another tree and whether it still has about as many points as the tree for which
 * the colours were chosen.
 *
 * @param {any} from
 * @param {any} to
 * @param {{pointCount: number} | null} tones
 */
export const isSmallEdit = (from, to, tones) =>
  tones !== null && isEditOf(from, to) && Math.abs(to.pointCount - tones.pointCount) <= MOST_CHANGED * tones.pointCount;

/**
 * Returns the edits that turn one tree into another, the latest first; null if no such edits are known.
 *
 * @param {Tree} from
 * @param {Tree} to
 */
function versionsSince(from, to) {
  /** @type {Version[]} */
  const versions = [];
  if (from.hierarchy === to.hierarchy) return versions;
  for (let version = to.version; version; version = version.earlier) {
    versions.push(version);
    const before = version.before.deref();
    if (before && before === from.hierarchy) return versions;
  }
  return null;
}

/**
 * Returns, for each row of a tree, the row of the same point in an earlier version; -1 for an inserted point.
 *
 * @param {Version[]} versions The edits, the latest first.
 * @param {number} count Number of rows of the later tree, if there are no edits.
 */
function rowsBefore(versions, count) {
  const rows = new Int32Array(versions[0]?.count ?? count);
  for (let row = 0; row < rows.length; row++) rows[row] = row;
  for (const { count, removed, inserted, order } of versions) {
    const before = new Int32Array(count);
    let [old, removal, insertion] = [0, 0, 0];
    for (let row = 0; row < count; row++) {
      if (inserted[insertion] === row) {
        before[row] = -1;
        insertion++;
        continue;
      }
      while (removed[removal] === old) {
        removal++;
        old++;
      }
      before[row] = order ? order[old] : old;
      old++;
    }
    for (let row = 0; row < rows.length; row++) if (rows[row] >= 0) rows[row] = before[rows[row]];
  }
  return rows;
}

/**
 * Returns, for each row of a tree, the row of the same point in another tree; -1 for points that the other tree does
 * not have. If no edits turn one of the trees into the other, both trees must have been built from points with keys.
 *
 * @param {Tree} from
 * @param {Tree} to
 */
function rowsIn(from, to) {
  const versions = versionsSince(from, to);
  if (versions) return rowsBefore(versions, rowCount(to));
  /** @param {(set: (row: number, other: number) => void) => void} fill */
  const filled = (fill) => {
    const rows = new Int32Array(rowCount(to)).fill(-1);
    fill((row, other) => { rows[row] = other; });
    return rows;
  };
  const later = versionsSince(to, from);
  if (later) return filled((set) => rowsBefore(later, rowCount(from)).forEach((row, other) => { if (row >= 0) set(row, other); }));
  const [known, keys] = [keysOf(from), keysOf(to)];
  const rows = new Map(known.map((key, row) => [key, row]));
  return filled((set) => keys.forEach((key, row) => {
    const other = rows.get(key);
    // If several points have the same key, only one of these points is matched.
    if (other !== undefined && rows.delete(key)) set(row, other);
  }));
}

/**
 * Returns a number that is greater than all rows of a tree.
 *
 * @param {Tree} tree
 */
function rowCount({ hierarchy: { rows } }) {
  let most = -1;
  for (const row of rows) if (row > most) most = row;
  return most + 1;
}

/** @param {Tree} tree */
function keysOf({ origin }) {
  if (!origin || ArrayBuffer.isView(origin.points)) throw new QueryError("Expected an answer of a tree that was built in this page from points with keys, found another answer");
  const keyOf = keyFunction(origin.options.key);
  return Array.from(/** @type {ArrayLike<any>} */ (origin.points), (point) => keyOfPoint(point, keyOf));
}

/**
 * Calls a function with the row of each point of a cluster that passes the filter.
 *
 * @param {Clusters} answer
 * @param {number} i
 * @param {(row: number) => void} call
 */
function forEachRow({ tree, firsts, sizes }, i, call) {
  const { hierarchy: { rows }, selection } = tree;
  for (let index = firsts[i], end = index + sizes[i]; index < end; index++) {
    if (!selection || selection.passes(index)) call(rows[index]);
  }
}

/**
 * @typedef {object} Pair A cluster of each answer, by the index in its answer. The two clusters have points in common.
 * @property {number} before
 * @property {number} after
 * @property {number} count Number of common points.
 */

/**
 * Returns the pairs of clusters with points in common. Also returns how many points of each cluster of `from` were
 * removed, and how many points of each cluster of `to` were inserted.
 *
 * @param {Clusters} from
 * @param {Clusters} to
 */
function pairsOf(from, to) {
  const before = rowsIn(from.tree, to.tree);
  const count = rowCount(from.tree);
  const stays = new Uint8Array(count);
  for (const row of before) if (row >= 0) stays[row] = 1;
  // The number of the cluster that contained each row.
  const numbers = new Int32Array(count).fill(-1);
  const removed = new Array(from.length).fill(0);
  const inserted = new Array(to.length).fill(0);
  for (let i = 0; i < from.length; i++) {
    forEachRow(from, i, (row) => {
      if (stays[row]) numbers[row] = i;
      else removed[i]++;
    });
  }
  /** @type {Pair[]} */
  const pairs = [];
  const counts = new Uint32Array(from.length);
  for (let i = 0; i < to.length; i++) {
    /** @type {number[]} */
    const found = [];
    forEachRow(to, i, (row) => {
      const old = before[row];
      if (old < 0) inserted[i]++;
      else if (numbers[old] >= 0 && counts[numbers[old]]++ === 0) found.push(numbers[old]);
    });
    for (const number of found) {
      pairs.push({ before: number, after: i, count: counts[number] });
      counts[number] = 0;
    }
  }
  return { pairs, removed, inserted };
}

/**
 * Returns which clusters of `to` continue which clusters of `from`, an answer of an earlier version. A cluster
 * continues another cluster if more than half of the points of each of the two clusters are shared points. Shared
 * points may have moved. The result maps ids of `to` to ids of `from`. The result is empty if the answers are not from
 * versions of one tree.
 *
 * @param {Clusters} from
 * @param {Clusters} to
 * @returns {Map<number, number>}
 */
export function continuedClusters(from, to) {
  if (!isEditOf(from.tree, to.tree)) return new Map();
  const { pairs } = pairsOf(from, to);
  const continuing = pairs.filter(({ before, after, count }) => 2 * count > from.counts[before] && 2 * count > to.counts[after]);
  return new Map(continuing.map(({ before, after }) => [to.ids[after], from.ids[before]]));
}

/**
 * @typedef {object} VersionChange Clusters of the first answer, and the clusters of the second answer that take their
 *   points. At least one of the two lists has exactly one cluster. A change with several clusters in `after` is a
 *   split. A change with several clusters in `before` is a merge.
 * @property {number[]} before Indices of clusters in the first answer, in ascending order.
 * @property {number[]} after Indices of clusters in the second answer, in ascending order.
 * @property {number} common Number of points that were in a cluster of `before` and are in a cluster of `after`.
 * @property {number} removed Number of points of `before` that the edits removed.
 * @property {number} inserted Number of points of `after` that the edits inserted.
 * @property {number} left Number of points of `before` that are now in clusters of other changes or in no cluster.
 * @property {number} joined Number of points of `after` that were in clusters of other changes or in no cluster. The
 *   clusters of `before` have `common` + `removed` + `left` points together. The clusters of `after` have `common` +
 *   `inserted` + `joined` points together.
 */

/**
 * Returns the changes from an answer to an answer of another version of the tree, or of any other tree of points with
 * keys. Points with the same key are the same point, even if the point has moved. Each cluster of both answers occurs
 * once.
 *
 * @param {Clusters} from
 * @param {Clusters} to
 * @returns {{kept: [number, number][], changes: VersionChange[], entered: number[], exited: number[]}} Indices of
 *   clusters in their answers. Kept clusters have exactly the same points in both answers.
 */
export function versionTransition(from, to) {
  const { pairs, removed, inserted } = pairsOf(from, to);
  // Pairs with more points in common come first.
  pairs.sort((a, b) => b.count - a.count || a.after - b.after || a.before - b.before);
  /** @type {{before: number[], after: number[], common: number}[]} */
  const stars = [];
  const [starsBefore, starsAfter] = [new Int32Array(from.length).fill(-1), new Int32Array(to.length).fill(-1)];
  for (const { before, after, count } of pairs) {
    const [a, b] = [starsBefore[before], starsAfter[after]];
    if (a < 0 && b < 0) {
      starsBefore[before] = starsAfter[after] = stars.length;
      stars.push({ before: [before], after: [after], common: count });
    } else if (a < 0 && stars[b].after.length === 1) {
      starsBefore[before] = b;
      stars[b].before.push(before);
      stars[b].common += count;
    } else if (b < 0 && stars[a].before.length === 1) {
      starsAfter[after] = a;
      stars[a].after.push(after);
      stars[a].common += count;
    }
  }
  const [fromCounts, toCounts] = [from.counts, to.counts];
  /** @param {number[]} numbers @param {ArrayLike<number>} counts */
  const sum = (numbers, counts) => numbers.reduce((total, i) => total + counts[i], 0);
  /** @type {[number, number][]} */
  const kept = [];
  /** @type {VersionChange[]} */
  const changes = [];
  for (const { before, after, common } of stars) {
    const [total, newTotal] = [sum(before, fromCounts), sum(after, toCounts)];
    if (before.length === 1 && after.length === 1 && common === total && common === newTotal) {
      kept.push([before[0], after[0]]);
      continue;
    }
    const change = { before: before.sort((a, b) => a - b), after: after.sort((a, b) => a - b), common, removed: sum(before, removed), inserted: sum(after, inserted) };
    changes.push({ ...change, left: total - common - change.removed, joined: newTotal - common - change.inserted });
  }
  const numbersOf = (/** @type {Int32Array} */ stars) => Array.from(stars.keys()).filter((i) => stars[i] < 0);
  return {
    kept: kept.sort((a, b) => a[1] - b[1]), changes: changes.sort((a, b) => a.after[0] - b.after[0]),
    entered: numbersOf(starsAfter), exited: numbersOf(starsBefore),
  };
}
