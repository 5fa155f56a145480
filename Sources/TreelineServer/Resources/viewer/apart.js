// Keeps badges apart while they move. When badges split from one badge or merge into one badge, they would cover each
// other in a heap. So a badge is drawn smaller while a badge with more points is too near. The smaller badge grows as
// the two badges part.

/** Overlap in pixels up to which no badge is made smaller. */
const TOLERANCE = 0.5;

/**
 * Whether a sprite belongs to the shown answer. Such a sprite is at its place in the answer, or on its way to this
 * place.
 */
const isShown = ({ labelUntil }) => labelUntil === Infinity;

/**
 * Whether two sprites may come as close as their targets are. Returns false for sprites that merge, because they have
 * one target. Returns false for sprites that split, because they have stopped on their way.
 */
const mayTouch = (a, b) => (isShown(a) && (isShown(b) || b.isOver)) || (isShown(b) && a.isOver);

/** Returns a moving scene whose badges do not cover each other. Badges may cover each other if their targets do. */
export function apart(scene, camera, now) {
  const drawn = scene.sprites.filter((sprite) => sprite.alpha > 0.01 && !sprite.isForming(now)).map((sprite) => {
    const { cluster, size, toX, toY } = sprite;
    const zoom = cluster.scale ? Math.min(camera.scale / cluster.scale, 1) : 1;
    return { sprite, ...camera.point(sprite.x, sprite.y), target: camera.point(toX, toY), radius: cluster.radius * size * zoom };
  });
  drawn.sort(({ sprite: { cluster: a } }, { sprite: { cluster: b } }) => b.count - a.count || a.id - b.id);
  const cell = Math.max(2 * drawn.reduce((most, { radius }) => Math.max(most, radius), 0), 1);
  const cells = new Map();
  const smaller = new Map();
  for (const badge of drawn) {
    const { sprite, target, x, y } = badge;
    const [column, row] = [Math.floor(x / cell), Math.floor(y / cell)];
    let room = badge.radius;
    for (let place = 0; place < 9; place++) {
      for (const other of cells.get(`${column + (place % 3) - 1} ${row + Math.floor(place / 3) - 1}`) ?? []) {
        let distance = Math.hypot(x - other.x, y - other.y);
        if (distance >= badge.radius + other.radius) continue;
        if (mayTouch(sprite, other.sprite)) {
          const end = Math.hypot(target.x - other.target.x, target.y - other.target.y);
          distance *= Math.max((badge.radius + other.radius) / Math.max(end, 1e-9), 1);
        }
        room = Math.min(room, distance - other.radius);
      }
    }
    if (room < badge.radius - TOLERANCE) {
      smaller.set(sprite, (sprite.size * Math.max(room, 0)) / badge.radius);
      badge.radius = Math.max(room, 0);
    }
    const key = `${column} ${row}`;
    if (cells.has(key)) cells.get(key).push(badge);
    else cells.set(key, [badge]);
  }
  const resized = (sprite) => (smaller.has(sprite) ? Object.create(sprite, { size: { value: smaller.get(sprite) } }) : sprite);
  return {
    sprites: scene.sprites.map(resized),
    spritesByTone: scene.spritesByTone,
    clusters: scene.clusters,
    sprite: (id) => scene.sprite(id),
  };
}
