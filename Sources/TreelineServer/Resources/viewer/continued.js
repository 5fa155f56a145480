// Finds the badges that stay on the map when an index is replaced. Ids of two versions of an index have nothing in
// common, so clusters are compared by their places and their numbers of points.

/** If one cluster may continue another, the smaller of the two has at least this share of the points of the larger. */
const LEAST_SHARE = 0.5;

/**
 * Returns the ids of new clusters, each with the id of the old cluster that it seems to continue. Both clusters are
 * nearer to each other than to all other clusters, one badge covers the center of the other badge, and their numbers of
 * points are similar. Clusters that are the same in both versions are left out.
 *
 * @param scale Width of the world in pixels.
 */
export function continuedByPlace(before, after, scale) {
  const look = ({ x, y, count }) => `${x} ${y} ${count}`;
  const others = (clusters, same) => {
    const looks = new Set(same.map(look));
    return clusters.filter((cluster) => !looks.has(look(cluster)));
  };
  const [old, fresh] = [others(before, after), others(after, before)];
  const nearest = (cluster, clusters) => {
    let [found, least] = [null, Infinity];
    for (const other of clusters) {
      const dx = other.x - cluster.x - Math.round(other.x - cluster.x);
      const distance = Math.hypot(dx, other.y - cluster.y) * scale;
      if (distance < least) [found, least] = [other, distance];
    }
    return least <= Math.max(cluster.radius, found?.radius ?? 0) ? found : null;
  };
  const continued = new Map();
  for (const cluster of fresh) {
    const other = nearest(cluster, old);
    if (!other || nearest(other, fresh) !== cluster) continue;
    if (Math.min(cluster.count, other.count) > LEAST_SHARE * Math.max(cluster.count, other.count)) continued.set(cluster.id, other.id);
  }
  return continued;
}
