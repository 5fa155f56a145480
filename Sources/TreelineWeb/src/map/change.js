// Describes how the shown clusters change, by the ids of the clusters.

/**
 * Returns a transition in the form in which the server writes it.
 *
 * @param {ReturnType<typeof import("../transition.js").transitionOf>} transition
 * @param {ArrayLike<number>} from Ids of the clusters of the previous answer.
 * @param {ArrayLike<number>} to Ids of the clusters of the new answer.
 * @returns {import("./scene.js").Change}
 */
export function changeOf({ kept, splits, merges, entered, exited }, from, to) {
  /** @param {ArrayLike<number>} ids @param {number} i */
  const named = (ids, i) => ({ cluster_id: ids[i] });
  /** @param {ArrayLike<number>} wholes @param {ArrayLike<number>} parts */
  const forkOf = (wholes, parts) => (/** @type {import("../transition.js").Fork} */ { whole, start, end }) => ({
    whole: named(wholes, whole), parts: Array.from({ length: end - start }, (_, i) => named(parts, start + i)),
  });
  return {
    kept: kept.map(([, i]) => named(to, i)), splits: splits.map(forkOf(from, to)), merges: merges.map(forkOf(to, from)),
    entered: entered.map((i) => named(to, i)), left: exited.map((i) => named(from, i)),
  };
}
