// Finds the badges that stay on the map when an index is replaced. A new version of an index has new ids, so clusters
// are compared by their places and their numbers of points.

/** A cluster continues another one only if the smaller has more than this share of the points of the larger. */
const LEAST_SHARE = 0.5;

/**
 * Returns a map from ids of new clusters to ids of the old clusters that they seem to continue. Two clusters are
 * matched if three conditions are met: each is the cluster nearest to the other, one of the badges covers the center of
 * the other badge, and the numbers of points are similar. Leaves out clusters that look the same in both versions.
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
