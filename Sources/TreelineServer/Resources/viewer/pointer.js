// Finds what is under the pointer: a cluster of one of the sides, or a member of an opened stack.

import { spreadOffset } from "./badge.js";
import { SPREAD_SPACING } from "./constants.js";

/** Pixels around a badge that still belong to it; fingers are wider than a mouse pointer. */
const SLACK = { mouse: 3, touch: 10 };

/** Returns the cluster of a scene at a position on the screen, the nearest of several. */
export function clusterAt(scene, camera, x, y, kind = "mouse") {
  let found = null;
  let nearest = 0;
  for (const cluster of scene.clusters) {
    const distance = Math.hypot(camera.screenX(cluster.x) - x, camera.screenY(cluster.y) - y);
    const within = cluster.radius + SLACK[kind] - distance;
    if (within > nearest) [found, nearest] = [cluster, within];
  }
  return found;
}

/** Returns the index of the member at a position, -1 if there is none. */
export function memberAt(spread, camera, x, y) {
  if (!spread) return -1;
  const [left, top] = [camera.screenX(spread.cluster.x), camera.screenY(spread.cluster.y)];
  for (let i = 0; i < spread.count; i++) {
    const offset = spreadOffset(i, spread.count);
    if (Math.hypot(left + offset.x - x, top + offset.y - y) < SPREAD_SPACING / 2) return i;
  }
  return -1;
}

/** Milliseconds after which a resting finger is a hold, and the number of pixels that it may stray. */
const HOLD = 450;
const STRAY = 10;

/** Calls `held` with the position on a map where one finger rests, or where the secondary mouse button is pressed. */
export function onHold(map, held) {
  let timer = 0;
  let start = null;
  let last = -Infinity;
  const end = () => clearTimeout(timer);
  const hold = (point) => {
    // Some browsers report a hold themselves, as a `contextmenu` event.
    if (performance.now() < last + 2 * HOLD) return;
    last = performance.now();
    held(point);
  };
  map.on("touchstart", ({ point, points }) => {
    end();
    if (points.length !== 1) return;
    start = point;
    timer = setTimeout(() => hold(point), HOLD);
  });
  map.on("touchmove", ({ point }) => {
    if (start && point.dist(start) > STRAY) end();
  });
  map.on("touchend", end);
  map.on("touchcancel", end);
  map.on("contextmenu", ({ point, originalEvent }) => {
    end();
    originalEvent.preventDefault();
    hold(point);
  });
}
