// Finds the badges that stay on the map when an index is replaced. The ids of clusters differ between versions, so ids
// cannot be compared. Single points of a live index are compared by their keys. All other clusters are compared by
// their positions and their numbers of points.

import { keyOf, LEAST_SHARE } from "./kept.js";

const look = ({ x, y, count }) => `${x} ${y} ${count}`;

/**
 * Returns the ids of new clusters, each with the id of the old cluster that the new cluster seems to continue. A new
 * point continues an old point with the same key. A new cluster continues an old cluster if three conditions hold. The
 * two clusters are nearer to each other than to all other clusters. One badge covers the center of the other badge. The
 * numbers of points are similar. Clusters that look the same in both versions are left out.
 *
 * @param index The new version of the index.
 * @param scale Width of the world in pixels.
 */
export function continuedClusters(before, after, index, scale) {
  const continued = new Map();
  const key = ({ count, properties }) => (count === 1 ? keyOf(index, properties) : undefined);
  const others = (clusters, same) => {
    const looks = new Set(same.map(look));
    return clusters.filter((cluster) => !looks.has(look(cluster)));
  };
  let [old, fresh] = [others(before, after), others(after, before)];
  const keyed = new Map(old.filter((cluster) => key(cluster) !== undefined).map((cluster) => [key(cluster), cluster]));
  for (const cluster of fresh) if (keyed.has(key(cluster))) continued.set(cluster.id, keyed.get(key(cluster)).id);
  // Points with different keys are different points, even at one position.
  [old, fresh] = [old, fresh].map((clusters) => clusters.filter((cluster) => key(cluster) === undefined));
  const nearest = (cluster, clusters) => {
    let [found, least] = [null, Infinity];
    for (const other of clusters) {
      const dx = other.x - cluster.x - Math.round(other.x - cluster.x);
      const distance = Math.hypot(dx, other.y - cluster.y) * scale;
      if (distance < least) [found, least] = [other, distance];
    }
    return least <= Math.max(cluster.radius, found?.radius ?? 0) ? found : null;
  };
  for (const cluster of fresh) {
    const other = nearest(cluster, old);
    if (!other || nearest(other, fresh) !== cluster) continue;
    if (Math.min(cluster.count, other.count) > LEAST_SHARE * Math.max(cluster.count, other.count)) continued.set(cluster.id, other.id);
  }
  return continued;
}

/**
 * Returns the new clusters that continue old clusters or look like old clusters, by the ids of the old clusters.
 *
 * @param continued Result of `continuedClusters`.
 */
export function successorsOf(before, after, continued) {
  const looks = new Map(after.map((cluster) => [look(cluster), cluster]));
  const successors = new Map(before.filter((old) => looks.has(look(old))).map((old) => [old.id, looks.get(look(old))]));
  for (const cluster of after) if (continued.has(cluster.id)) successors.set(continued.get(cluster.id), cluster);
  return successors;
}
