// Finds the cluster under the pointer.

/** Distance in pixels at which the pointer still hits a badge. A finger is less exact than a mouse pointer. */
const SLACK = { mouse: 3, touch: 10 };

/**
 * Returns the cluster of a scene under a position on the screen. If several clusters are there, returns the nearest
 * cluster.
 *
 * @param {import("./scene.js").Scene} scene
 * @param {import("./mercator.js").Camera} camera
 * @param {number} x
 * @param {number} y
 * @param {"mouse" | "touch"} kind
 */
export function clusterAt(scene, camera, x, y, kind = "mouse") {
  /** @type {import("./scene.js").Drawn | null} */
  let found = null;
  let nearest = 0;
  for (const cluster of scene.clusters) {
    const at = camera.point(cluster.x, cluster.y);
    const within = cluster.radius + SLACK[kind] - Math.hypot(at.x - x, at.y - y);
    if (within > nearest) [found, nearest] = [cluster, within];
  }
  return found;
}
