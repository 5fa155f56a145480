// Keeps badges apart while they move, and while the map zooms out before an answer arrives. Without these rules badges
// would cover each other in a heap. A badge is drawn smaller while a badge with more points is too near. If less than
// half of the badge's size has room, the other badge takes its points: only the other badge is drawn, with the sum of
// both numbers. So each drawn badge has a number, and the numbers count each point once.

import { short } from "./text.js";
import { badgeRadius } from "./vendor/treeline/map/badge.js";

/** Overlap in pixels up to which no badge is made smaller. */
const TOLERANCE = 0.5;

/** Least size of a badge with a number, as a share of its usual size. */
const LEAST = 0.5;

/** Difference in scale from which the map counts as zoomed out. A smaller difference comes from rounded zooms. */
const ZOOMED = 1.005;

/** Whether the map shows a lower zoom than the zoom of the shown answer. */
export const isZoomedOut = ({ sprites: [sprite] }, camera) => sprite?.cluster.scale > camera.scale * ZOOMED;

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

/** The group of a cluster. Clusters of different groups never mix, and their badges may cover each other. */
const groupOf = ({ properties }) => properties?.cluster_group;

/** A badge to draw. `taken` has the badges whose points it takes. */
class Drawn {
  taken = [];

  constructor(sprite, camera, now) {
    const { cluster, size, x, y, toX, toY } = sprite;
    this.sprite = sprite;
    Object.assign(this, camera.point(x, y));
    this.target = camera.point(toX, toY);
    /** Factor by which distances have shrunk since the answer of the cluster. */
    this.zoom = cluster.scale ? Math.min(camera.scale / cluster.scale, 1) : 1;
    this.full = this.radius = cluster.radius * size;
    this.count = cluster.count;
    this.hasNumber = sprite.showsLabel(now);
    // A badge that leaves the map does not take part in sums.
    this.isLeaving = sprite.toAlpha === 0;
  }

  /** Returns the largest radius with which this badge does not cover another badge. */
  room(other) {
    let distance = Math.hypot(this.x - other.x, this.y - other.y);
    if (distance >= this.full + other.radius) return this.full;
    if (mayTouch(this.sprite, other.sprite)) {
      const end = Math.hypot(this.target.x - other.target.x, this.target.y - other.target.y) / Math.min(this.zoom, other.zoom);
      distance *= Math.max((this.full + other.radius) / Math.max(end, 1e-9), 1);
    }
    return distance - other.radius;
  }

  /** Takes the points of another badge, and the points that the other badge has taken. */
  take(other) {
    const given = [other, ...other.taken].filter(({ isLeaving }) => !isLeaving);
    this.taken.push(...given);
    if (this.count === 1 && given.length > 0) this.full = badgeRadius(1 + this.taken.length);
    other.taken = [];
  }

  /** Returns the sprite with the drawn size and the sum of all numbers. */
  get resized() {
    const { sprite, taken, radius, full, zoom } = this;
    const { cluster } = sprite;
    const size = radius < full ? (sprite.size * radius) / full : sprite.size;
    if (taken.length === 0 && zoom === 1) return size === sprite.size ? sprite : Object.create(sprite, { size: { value: size } });
    const all = [cluster, ...taken.map((other) => other.sprite.cluster)];
    const sum = (of) => all.reduce((total, each) => total + of(each), 0);
    const whole = {
      // Without a scale, badges do not shrink with the map.
      ...cluster, scale: 0,
      ...(taken.length > 0 && { count: sum(({ count }) => count), label: short(sum(({ value, count }) => value ?? count)), radius: full / sprite.size }),
      ...(taken.length > 0 && all.every(({ parts }) => parts) && { parts: cluster.parts.map((_, at) => sum(({ parts }) => parts[at])) }),
    };
    return Object.create(sprite, { size: { value: size }, cluster: { value: whole } });
  }
}

/**
 * Returns a moving scene whose badges do not cover each other. Badges may cover each other as much as their targets do.
 */
export function apart(scene, camera, now) {
  // A badge that has lost its number is not drawn, because another badge counts its points. A badge that is too small
  // for its number is not drawn yet.
  const isDrawn = (sprite) => sprite.alpha > 0.01 && !sprite.isForming(now)
    && (sprite.cluster.count === 1 || (sprite.size >= LEAST && sprite.willShowLabel(now)));
  let badges = scene.sprites.filter(isDrawn).map((sprite) => new Drawn(sprite, camera, now));
  // A dot that takes points becomes a larger badge, so the badges are placed again. This ends, because each time a
  // badge gives its points away.
  for (let hasGrown = true; hasGrown;) ({ placed: badges, hasGrown } = place(badges));
  const drawn = new Map(badges.map((badge) => [badge.sprite, badge]));
  return {
    sprites: scene.sprites.filter((sprite) => drawn.has(sprite)).map((sprite) => drawn.get(sprite).resized),
    spritesByTone: scene.spritesByTone,
    clusters: scene.clusters,
    sprite: (id) => scene.sprite(id),
  };
}

/** Places badges, those with the most points first. Returns the badges that have room. */
function place(badges) {
  const total = (badge) => badge.taken.reduce((sum, { count }) => sum + count, badge.count);
  const sorted = badges.map((badge) => [total(badge), badge]).sort(([a, one], [b, other]) => b - a || one.sprite.cluster.id - other.sprite.cluster.id);
  const cell = Math.max(2 * sorted.reduce((most, [, { full }]) => Math.max(most, full), 0), 1);
  const cells = new Map();
  const placed = [];
  let hasGrown = false;
  for (const [, badge] of sorted) {
    const [column, row] = [Math.floor(badge.x / cell), Math.floor(badge.y / cell)];
    let [room, nearest] = [badge.full, null];
    for (let at = 0; at < 9; at++) {
      for (const other of cells.get(`${column + (at % 3) - 1} ${row + Math.floor(at / 3) - 1}`) ?? []) {
        if (groupOf(badge.sprite.cluster) !== groupOf(other.sprite.cluster)) continue;
        const own = badge.room(other);
        if (own < room) [room, nearest] = [own, other];
      }
    }
    if (badge.hasNumber && room < LEAST * badge.full) {
      if (nearest.hasNumber && !nearest.isLeaving) {
        const { full } = nearest;
        nearest.take(badge);
        hasGrown ||= nearest.full > full;
      }
      continue;
    }
    badge.radius = room < badge.full - TOLERANCE ? Math.max(room, 0) : badge.full;
    placed.push(badge);
    const key = `${column} ${row}`;
    if (cells.has(key)) cells.get(key).push(badge);
    else cells.set(key, [badge]);
  }
  return { placed, hasGrown };
}
