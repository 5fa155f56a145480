// Moves badges of a filtered answer off each other. Clusters of a spacing or of badges keep apart at the means of all
// their points. At the means of the points that pass a filter, their badges may cover each other.

/** Lengths in pixels: the distance between two rings of tried places, the radius of the last ring, and a gap. */
const STEP = 6;
const FARTHEST = 120;
const GAP = 1;

/** The tried places, the nearest first: offsets in pixels on rings around the mean. */
const OFFSETS = Array.from({ length: 1 + FARTHEST / STEP }, (_, ring) => (
  Array.from({ length: Math.max(6 * ring, 1) }, (_, at) => {
    const angle = (2 * Math.PI * at) / Math.max(6 * ring, 1);
    return [STEP * ring * Math.cos(angle), STEP * ring * Math.sin(angle)];
  }))).flat();

/**
 * Moves each cluster to the free place nearest to its position. Clusters with more points choose first. A cluster stays
 * if no place near its position is free.
 *
 * @param scale Width of the world in pixels.
 */
export function dodge(clusters, scale) {
  const cell = Math.max(...clusters.map(({ radius }) => 2 * radius), 1) + GAP;
  const cells = new Map();
  const keyOf = (x, y) => `${Math.floor(x / cell)} ${Math.floor(y / cell)}`;
  const isFree = (x, y, radius) => {
    for (let place = 0; place < 9; place++) {
      const near = cells.get(keyOf(x + ((place % 3) - 1) * cell, y + (Math.floor(place / 3) - 1) * cell));
      if (near?.some((other) => Math.hypot(x - other.x, y - other.y) < radius + other.radius + GAP)) return false;
    }
    return true;
  };
  for (const cluster of [...clusters].sort((a, b) => b.count - a.count || a.id - b.id)) {
    const { radius } = cluster;
    const [x, y] = [cluster.x * scale, cluster.y * scale];
    const [right, down] = OFFSETS.find(([right, down]) => isFree(x + right, y + down, radius)) ?? [0, 0];
    cluster.x += right / scale;
    cluster.y += down / scale;
    const key = keyOf(x + right, y + down);
    const circle = { x: x + right, y: y + down, radius };
    if (cells.has(key)) cells.get(key).push(circle);
    else cells.set(key, [circle]);
  }
}
