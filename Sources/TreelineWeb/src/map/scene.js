// The clusters that a map shows, and how they move when the answer changes.
//
// A sprite is a drawn cluster. Its position is a position in the world, so the map can move during an animation. A
// change starts from the current positions of the sprites, so a change may interrupt an earlier change.
//
// The rules are on the page MapAnimation of the documentation. The module TreelineMap follows the same rules, and a
// test plays the same changes in both modules. If a cluster splits or merges, the larger cluster is called the whole
// and the smaller clusters its parts. No point is counted twice: at any moment labels are on the whole or on its parts,
// never on both. All labels switch at the same moment. When a cluster of 5 splits into 2 and 3, the numbers on the map
// never add up to 10. Parts that merge keep their labels until they arrive. Then the whole appears. So a user can read
// the numbers while they move.

import { bounce, glide, linear, settle } from "./easing.js";

/**
 * @typedef {object} Drawn A cluster with everything that drawing needs.
 * @property {number} id
 * @property {number} count Number of points. Under a filter, counts only the points that pass.
 * @property {number} [first] Index of the cluster's first point in tree order. Clusters of a grid have no such index,
 *   and two clusters of a grid share no points.
 * @property {number} [size] Number of points, including points that fail a filter, if this number is known.
 * @property {number} x Position as a fraction of the world's width. `y` has the same unit.
 * @property {number} y
 * @property {number} longitude
 * @property {number} latitude
 * @property {number} radius In pixels.
 * @property {number} [scale] Width of the world in pixels at the zoom of the answer.
 * @property {string} label
 * @property {number} tone Index of the cluster's colour on the ramp; -1 for a single point.
 * @property {number[] | null} parts Number of points in each category, if badges are donuts.
 * @property {(string | null)[]} [categories] The categories of `parts`.
 * @property {boolean} stack Whether all points of the cluster have one position.
 * @property {import("./mercator.js").Box | null} [bbox]
 * @property {import("./mercator.js").Ellipse | null} [ellipse]
 *
 * @typedef {{cluster_id: number}} Named
 * @typedef {{whole: Named, parts: Named[]}} Fork
 *
 * @typedef {object} Change The changes from one answer to the next, in the form in which the server sends them. Each
 *   cluster of both answers occurs once.
 * @property {Named[]} kept
 * @property {Fork[]} splits
 * @property {Fork[]} merges
 * @property {Named[]} entered
 * @property {Named[]} left
 *
 * @typedef {{x?: number, y?: number, size?: number, alpha?: number}} Target
 * @typedef {{easing?: import("./easing.js").Easing, sizeEasing?: import("./easing.js").Easing}} Easings
 */

/** Lengths of animations, in milliseconds. */
const MOVE = 380;
const APPEAR = 600;
const FADE = 160;

/**
 * Milliseconds in which clusters enter an empty view. Clusters enter in tree order, so that neighbours enter at about
 * the same time.
 */
const WAVE = 420;

/** Time at which the labels of parts appear, as a share of the duration of the move. */
const PART_LABELS = 0.38;

/**
 * `ARRIVING` is the relative size of parts when they arrive. `FORMED` is the relative size of the whole when it
 * replaces the parts. `GROW` is the time in milliseconds in which the whole then grows to its full size.
 */
const ARRIVING = 0.86;
const FORMED = 0.9;
const GROW = 140;

export class Sprite {
  /** @param {Drawn} cluster */
  constructor(cluster) {
    this.cluster = cluster;
    /** State after the last call of `advance`. The drawn radius is the radius of the badge times `size`. */
    this.x = cluster.x;
    this.y = cluster.y;
    this.size = 1;
    this.alpha = 1;
    /** The label is shown from `labelFrom` until `labelUntil`. */
    this.labelFrom = -Infinity;
    this.labelUntil = Infinity;
    /** Time before which the sprite is not drawn. At this time the parts of the sprite have arrived. */
    this.appearsAt = -Infinity;
    /** Whether the sprite fades out above the shown sprites. */
    this.isOver = false;
    this.fromX = this.toX = this.x;
    this.fromY = this.toY = this.y;
    this.fromSize = this.toSize = this.fromAlpha = this.toAlpha = 1;
    this.start = 0;
    this.length = 0;
    this.easing = glide;
    this.sizeEasing = settle;
    this.hasArrived = false;
  }

  /**
   * Starts a movement from the current state of the sprite to a target.
   *
   * @param {Target} target
   * @param {number} start
   * @param {number} length
   * @param {Easings} easings
   */
  go(target, start, length, { easing = glide, sizeEasing = settle } = {}) {
    this.fromX = this.x;
    this.fromY = this.y;
    this.fromSize = this.size;
    this.fromAlpha = this.alpha;
    // The world repeats, so the sprite moves to the nearest copy of the target.
    const { x = this.x, y = this.y } = target;
    this.toX = x - Math.round(x - this.x);
    this.toY = y;
    this.toSize = target.size ?? 1;
    this.toAlpha = target.alpha ?? 1;
    this.start = start;
    this.length = length;
    this.easing = easing;
    this.sizeEasing = sizeEasing;
    this.hasArrived = false;
    return this;
  }

  get end() {
    return this.start + this.length;
  }

  /** @param {number} now */
  advance(now) {
    if (this.hasArrived) return;
    // The target is assigned, not computed from the start, because a sum of rounded numbers may differ from the target
    // by one bit.
    if (now >= this.end) return this.#reach();
    const p = Math.max((now - this.start) / this.length, 0);
    const share = this.easing(p);
    this.x = this.fromX + (this.toX - this.fromX) * share;
    this.y = this.fromY + (this.toY - this.fromY) * share;
    this.size = this.fromSize + (this.toSize - this.fromSize) * this.sizeEasing(p);
    this.alpha = this.fromAlpha + (this.toAlpha - this.fromAlpha) * linear(p);
  }

  #reach() {
    Object.assign(this, { x: this.toX, y: this.toY, size: this.toSize, alpha: this.toAlpha, hasArrived: true });
  }

  /**
   * Returns whether parts are still moving to the place where the sprite will appear.
   *
   * @param {number} now
   */
  isForming(now) {
    return now < this.appearsAt;
  }

  /** @param {number} now */
  showsLabel(now) {
    return this.labelFrom <= now && now < this.labelUntil;
  }

  /**
   * Returns whether the sprite has a label now or will get a label.
   *
   * @param {number} now
   */
  willShowLabel(now) {
    return now < this.labelUntil && this.labelFrom < this.labelUntil;
  }

  /**
   * Shows the sprite's label now if the label is to appear later.
   *
   * @param {number} now
   */
  takeOver(now) {
    if (this.labelFrom <= now) return;
    this.labelFrom = now;
    if (this.isForming(now)) this.start = this.appearsAt = now;
  }

  /** Moves the sprite to its target at once. */
  settle() {
    this.#reach();
    Object.assign(this, { labelFrom: -Infinity, labelUntil: Infinity, appearsAt: -Infinity });
    this.go({}, 0, 0);
  }
}

// A cluster is a range of points. If two clusters share a point, one of them contains the other. Clusters of a grid
// share no points. Under a filter the size of a cluster may be unknown. In this case the end of its range may be too
// low.

/** @param {Drawn} cluster */
const startOf = ({ first = NaN }) => first;
/** @param {Drawn} cluster */
const endOf = (cluster) => startOf(cluster) + (cluster.size ?? cluster.count);
/** @param {Drawn} outer @param {Drawn} inner */
const holds = (outer, inner) => startOf(outer) <= startOf(inner) && endOf(inner) <= endOf(outer);
/** @param {Drawn} a @param {Drawn} b */
const overlaps = (a, b) => startOf(a) < endOf(b) && startOf(b) < endOf(a);

export class Scene {
  /**
   * Sprites of the shown answer by id, in the order of the answer.
   *
   * @type {Map<number, Sprite>}
   */
  #shown = new Map();
  /**
   * Sprites that are leaving.
   *
   * @type {Set<Sprite>}
   */
  #leaving = new Set();
  /**
   * The latest leaving sprite of each id. Used only while an answer is applied.
   *
   * @type {Map<number, Sprite>}
   */
  #leavingByID = new Map();
  /**
   * Sprites that were already leaving when the answer came. Each of these sprites had a label or would have got a
   * label.
   *
   * @type {Sprite[]}
   */
  #counting = [];
  #until = 0;
  /** Moment of the last call of `advance`. */
  #now = 0;
  #pace = 1;
  // Cached results of `sprites` and `spritesByTone`. The caches are null after sprites were added or removed.
  /** @type {Sprite[] | null} */
  #ordered = null;
  /** @type {Sprite[] | null} */
  #orderedByTone = null;

  get clusters() {
    return Array.from(this.#shown.values(), (sprite) => sprite.cluster);
  }

  get ids() {
    return [...this.#shown.keys()];
  }

  get size() {
    return this.#shown.size;
  }

  /**
   * All sprites to draw, from bottom to top: leaving sprites, shown sprites, then wholes that fade out above their
   * parts.
   */
  get sprites() {
    const leaving = () => [...this.#leaving];
    this.#ordered ??= [
      ...leaving().filter((sprite) => !sprite.isOver), ...this.#shown.values(), ...leaving().filter((sprite) => sprite.isOver)];
    return this.#ordered;
  }

  /** All sprites to draw, sorted by color. */
  get spritesByTone() {
    this.#orderedByTone ??= [...this.sprites].sort((a, b) => a.cluster.tone - b.cluster.tone);
    return this.#orderedByTone;
  }

  #reorder() {
    this.#ordered = null;
    this.#orderedByTone = null;
  }

  /** Whether any sprite had not reached its target when the scene was last drawn. */
  get isMoving() {
    return this.#now < this.#until || this.#leaving.size > 0;
  }

  /** @param {number} id */
  sprite(id) {
    return this.#shown.get(id);
  }

  clear() {
    this.#shown.clear();
    this.#leaving.clear();
    this.#reorder();
  }

  /**
   * Moves all sprites to their states at a given time.
   *
   * @param {number} now
   */
  advance(now) {
    this.#now = now;
    for (const sprite of this.#shown.values()) sprite.advance(now);
    for (const sprite of this.#leaving) {
      sprite.advance(now);
      if (now < sprite.end) continue;
      this.#leaving.delete(sprite);
      this.#reorder();
    }
  }

  /**
   * Shows another answer.
   *
   * @param {Change} change
   * @param {Drawn[]} clusters The new answer, in tree order.
   * @param {number} now In milliseconds.
   * @param {boolean} isInstant Whether sprites jump to their targets, for example because reduced motion is preferred.
   */
  apply(change, clusters, now, isInstant = false) {
    this.advance(now);
    this.#pace = isInstant ? 0 : 1;
    if (isInstant) this.#settle();
    const before = this.#shown;
    this.#shown = new Map();
    this.#leavingByID = new Map(Array.from(this.#leaving, (sprite) => [sprite.cluster.id, sprite]));
    this.#counting = [...this.#leaving].filter((sprite) => sprite.willShowLabel(now));
    /** @type {Map<number, Sprite>} */
    const sprites = new Map();
    const fresh = new Map(clusters.map((cluster) => [cluster.id, cluster]));
    /** @param {Named} named */
    const old = ({ cluster_id: id }) => /** @type {Sprite} */ (before.get(id));
    /** @param {Named} named */
    const renewed = ({ cluster_id: id }) => /** @type {Drawn} */ (fresh.get(id));

    for (const named of change.entered) this.#handOver(renewed(named), before, now);
    for (const named of change.kept) sprites.set(named.cluster_id, this.#keep(old(named), renewed(named), now));
    for (const { whole, parts } of change.splits) {
      for (const sprite of this.#split(old(whole), parts.map(renewed), now)) sprites.set(sprite.cluster.id, sprite);
    }
    for (const { whole, parts } of change.merges) {
      sprites.set(whole.cluster_id, this.#merge(renewed(whole), parts.map(old), now));
    }
    for (const named of change.left) this.#exit(old(named), now);

    const wave = before.size === 0 ? WAVE / clusters.length : 0;
    clusters.forEach((cluster, at) => {
      const sprite = sprites.get(cluster.id) ?? this.#enter(cluster, now, at * wave);
      sprite.cluster = cluster;
      this.#shown.set(cluster.id, sprite);
    });
    this.#reorder();
    // Sets the start values now, not only in the next frame.
    this.advance(now);
  }

  /**
   * Shows an answer of another tree. A badge with the position and the number of points of a new cluster becomes the
   * badge of this cluster. The badge of a continued cluster moves to the new position, and shows the new number of
   * points at once. All other badges lose their numbers at once and fade, because their points may be in other clusters
   * of the new tree.
   *
   * @param {Drawn[]} clusters
   * @param {number} now
   * @param {boolean} isInstant
   * @param {Map<number, number>} [continued] Map from the id of a new cluster to the id of the cluster that it
   *   continues in the previous tree.
   */
  replace(clusters, now, isInstant = false, continued = new Map()) {
    this.advance(now);
    /** @param {Drawn} cluster */
    const look = ({ x, y, count }) => `${Math.round(x * 2 ** 32) % 2 ** 32} ${Math.round(y * 2 ** 32)} ${count}`;
    const stay = new Map([...this.#shown.values()].filter((sprite) => sprite.labelFrom <= now).map((sprite) => [look(sprite.cluster), sprite]));
    /** @type {Map<number, Sprite>} */
    const adopted = new Map();
    for (const cluster of clusters) {
      const sprite = stay.get(look(cluster));
      if (!sprite || !stay.delete(look(cluster))) continue;
      sprite.cluster = cluster;
      adopted.set(cluster.id, sprite);
    }
    const free = new Set(stay.values());
    for (const { id } of clusters) {
      const sprite = this.#shown.get(/** @type {any} */ (continued.get(id)));
      // The sprite still has its old cluster, so the sprite moves from the old position.
      if (sprite && !adopted.has(id) && free.delete(sprite)) adopted.set(id, sprite);
    }
    const staying = new Set(adopted.values());
    const others = [...this.#leaving, ...[...this.#shown.values()].filter((sprite) => !staying.has(sprite))];
    this.#pace = isInstant ? 0 : 1;
    this.#leaving = new Set();
    for (const sprite of others) {
      sprite.labelUntil = Math.min(sprite.labelUntil, now);
      // Ids and ranges of points of the previous tree mean nothing in the new tree.
      sprite.cluster = { ...sprite.cluster, id: NaN, first: NaN };
      // A sprite that is not drawn yet is never drawn.
      if (!sprite.isForming(now)) this.#fade(sprite, now);
    }
    this.#shown = adopted;
    const isNew = (/** @type {Drawn} */ { id }) => !adopted.has(id);
    const named = (/** @type {Drawn} */ { id }) => ({ cluster_id: id });
    const kept = clusters.filter((cluster) => !isNew(cluster));
    this.apply({ kept: kept.map(named), splits: [], merges: [], entered: clusters.filter(isNew).map(named), left: [] }, clusters, now, isInstant);
  }

  /** Moves all sprites to their targets at once. */
  #settle() {
    this.#leaving.clear();
    for (const sprite of this.#shown.values()) sprite.settle();
  }

  /**
   * Returns the sprite of a kept cluster. With a new filter the cluster may have a new position.
   *
   * @param {Sprite} sprite
   * @param {Drawn} cluster
   * @param {number} now
   */
  #keep(sprite, cluster, now) {
    const isSame = sprite.cluster.x === cluster.x && sprite.cluster.y === cluster.y;
    return isSame ? sprite : this.#move(sprite, cluster, now);
  }

  /**
   * @param {Sprite} whole
   * @param {Drawn[]} parts
   * @param {number} now
   */
  #split(whole, parts, now) {
    // A whole without a label never gets a label. The whole should have replaced other sprites. Its parts now replace
    // these sprites instead.
    const hasLabel = whole.labelFrom <= now;
    const takeover = hasLabel ? now + this.#pace * MOVE * PART_LABELS : whole.labelFrom;
    if (hasLabel) {
      whole.labelUntil = takeover;
      whole.isOver = true;
      this.#leave(whole, { size: 0.86 }, now, MOVE * PART_LABELS, { sizeEasing: linear });
    }
    return parts.map((cluster) => {
      const sprite = this.#resume(cluster, takeover, now) ?? startingIn(whole, cluster);
      if (sprite.labelUntil < Infinity) sprite.labelFrom = takeover;
      sprite.labelUntil = Infinity;
      return this.#move(sprite, cluster, now);
    });
  }

  /**
   * @param {Drawn} cluster
   * @param {Sprite[]} parts
   * @param {number} now
   */
  #merge(cluster, parts, now) {
    const counting = this.#counting.filter((sprite) => sprite.willShowLabel(now) && overlaps(sprite.cluster, cluster));
    const around = counting.filter((sprite) => sprite.labelUntil < Infinity && holds(sprite.cluster, cluster));
    if (around.length > 0) return this.#callBack(cluster, parts, counting, around, now);
    const takeover = now + this.#pace * MOVE;
    // A leaving sprite whose points are in the whole moves to the whole and keeps its label. But a sprite that already
    // moves into another sprite continues to move there. The sprites that would have replaced the leaving sprite never
    // get labels.
    const joining = this.#joining(cluster, parts, counting);
    /** @param {Sprite} sprite */
    const isReplaced = (sprite) => joining.some((other) =>
      other !== sprite && holds(other.cluster, sprite.cluster) && other.labelUntil <= sprite.labelFrom);
    const replaced = [...counting, ...parts].filter((sprite) => holds(cluster, sprite.cluster) && isReplaced(sprite));
    for (const sprite of new Set([...joining, ...parts])) {
      if (!replaced.includes(sprite)) this.#arrive(sprite, cluster, now, takeover);
    }
    for (const sprite of replaced) this.#withdraw(sprite, cluster, now);
    const whole = new Sprite(cluster);
    whole.labelFrom = takeover;
    whole.appearsAt = takeover;
    whole.size = FORMED;
    const length = this.#pace * GROW;
    this.#until = Math.max(this.#until, takeover + length);
    return whole.go({}, takeover, length);
  }

  /**
   * Returns the sprites within a whole whose labels count points of the whole. Leaves out a sprite if a larger sprite
   * that contains it will replace it.
   *
   * @param {Drawn} cluster
   * @param {Sprite[]} parts
   * @param {Sprite[]} counting
   */
  #joining(cluster, parts, counting) {
    const within = counting.filter((sprite) => holds(cluster, sprite.cluster));
    return within.filter((sprite) => ![...within, ...parts].some((other) =>
      other !== sprite && other.labelFrom === sprite.labelUntil && holds(other.cluster, sprite.cluster)));
  }

  /**
   * Shows a whole whose parts have no labels yet. The parts never get labels. The whole was shown before and comes
   * back, or the whole is a part of a larger cluster that splits.
   *
   * @param {Drawn} cluster
   * @param {Sprite[]} parts
   * @param {Sprite[]} counting
   * @param {Sprite[]} around The sprites that contain the cluster.
   * @param {number} now
   */
  #callBack(cluster, parts, counting, around, now) {
    const last = around.reduce((last, sprite) => (sprite.labelUntil > last.labelUntil ? sprite : last));
    const takeover = last.labelUntil;
    for (const sprite of counting) {
      if (sprite !== last && holds(cluster, sprite.cluster) && sprite.labelFrom >= takeover) this.#withdraw(sprite, cluster, now);
    }
    for (const part of parts) this.#withdraw(part, cluster, now);
    if (last.cluster.id === cluster.id) {
      last.labelUntil = Infinity;
      return this.#move(this.#takeBack(last), cluster, now);
    }
    const sprite = this.#resume(cluster, takeover, now) ?? startingIn(last, cluster);
    if (sprite.labelUntil < Infinity) sprite.labelFrom = takeover;
    sprite.labelUntil = Infinity;
    return this.#move(sprite, cluster, now);
  }

  /**
   * Fades a sprite into a whole. The sprite never gets a label.
   *
   * @param {Sprite} sprite
   * @param {Drawn} cluster
   * @param {number} now
   */
  #withdraw(sprite, { x, y }, now) {
    if (sprite.isForming(now)) {
      this.#leaving.delete(sprite);
      return;
    }
    sprite.labelFrom = Infinity;
    this.#leave(sprite, { x, y, size: 0.6, alpha: 0 }, now, MOVE);
  }

  /**
   * Moves a part to its whole. The part keeps its label until it arrives. If other sprites are still merging into the
   * part, the part starts to move when these sprites have arrived.
   *
   * @param {Sprite} part
   * @param {Drawn} cluster
   * @param {number} now
   * @param {number} takeover
   */
  #arrive(part, { x, y }, now, takeover) {
    const start = part.isForming(now) ? part.appearsAt : now;
    part.labelUntil = takeover;
    part.isOver = false;
    this.#leaving.add(part.go({ x, y, size: ARRIVING }, start, takeover - start));
  }

  /**
   * @param {Drawn} cluster
   * @param {number} now
   * @param {number} delay
   */
  #enter(cluster, now, delay) {
    const leaving = this.#leavingByID.get(cluster.id);
    if (leaving) {
      if (!leaving.showsLabel(now)) leaving.labelFrom = now;
      leaving.labelUntil = Infinity;
      leaving.appearsAt = Math.min(leaving.appearsAt, now);
      return this.#move(this.#takeBack(leaving), cluster, now);
    }
    const sprite = new Sprite(cluster);
    sprite.size = 0;
    const start = now + this.#pace * delay;
    const length = this.#pace * APPEAR;
    this.#until = Math.max(this.#until, start + length);
    return sprite.go({}, start, length, { sizeEasing: bounce });
  }

  /**
   * Makes labels consistent with an entering cluster. Labels that count points of this cluster end at once. The sprites
   * that would have replaced these labels later get their own labels now.
   *
   * @param {Drawn} cluster
   * @param {Map<number, Sprite>} before
   * @param {number} now
   */
  #handOver(cluster, before, now) {
    const counting = this.#counting.filter((sprite) => sprite.willShowLabel(now));
    const sharing = counting.filter((sprite) => overlaps(sprite.cluster, cluster));
    if (sharing.length === 0) return;
    const outermost = sharing.reduce((outer, { cluster: other }) => (other.count > outer.count ? other : outer), cluster);
    for (const sprite of counting) {
      if (!holds(outermost, sprite.cluster)) continue;
      sprite.labelUntil = Math.min(sprite.labelUntil, now);
      this.#fade(sprite, now);
    }
    for (const sprite of before.values()) if (holds(outermost, sprite.cluster)) sprite.takeOver(now);
  }

  /**
   * @param {Sprite} sprite
   * @param {number} now
   */
  #exit(sprite, now) {
    if (sprite.labelFrom > now) {
      // The sprite never gets its label. The parts that were moving to this sprite have no target any more, so they
      // fade.
      for (const part of this.#counting) {
        if (part.labelUntil === sprite.labelFrom && holds(sprite.cluster, part.cluster)) this.#fade(part, now);
      }
      sprite.labelUntil = -Infinity;
      if (sprite.isForming(now)) return;
    }
    this.#fade(sprite, now);
  }

  /**
   * @param {Sprite} sprite
   * @param {number} now
   */
  #fade(sprite, now) {
    this.#leave(sprite, { size: 0.4, alpha: 0 }, now, FADE);
  }

  /**
   * @param {Sprite} sprite
   * @param {Drawn} cluster
   * @param {number} now
   */
  #move(sprite, cluster, now) {
    const length = this.#pace * MOVE;
    this.#until = Math.max(this.#until, now + length);
    return sprite.go({ x: cluster.x, y: cluster.y }, now, length);
  }

  /**
   * @param {Sprite} sprite
   * @param {Target} target
   * @param {number} now
   * @param {number} length
   * @param {Easings} [easings]
   */
  #leave(sprite, target, now, length, easings) {
    this.#leaving.add(sprite.go({ alpha: 1, ...target }, now, this.#pace * length, easings));
  }

  /**
   * Returns a sprite for a cluster whose old sprite is still leaving. The old sprite comes back from its current
   * position, so nothing jumps. The old sprite keeps its label if the label would have ended at the takeover, the time
   * at which labels switch. If the label ends at another time, the old sprite continues to leave, and a new sprite
   * starts at the same position.
   *
   * @param {Drawn} cluster
   * @param {number} takeover
   * @param {number} now
   */
  #resume(cluster, takeover, now) {
    const leaving = this.#leavingByID.get(cluster.id);
    if (!leaving) return undefined;
    const willShowLabel = leaving.willShowLabel(now);
    if (willShowLabel && leaving.labelUntil !== takeover) {
      const sprite = startingIn(leaving, cluster);
      sprite.size = leaving.size;
      sprite.alpha = leaving.alpha;
      return sprite;
    }
    leaving.labelUntil = willShowLabel ? Infinity : -Infinity;
    return this.#takeBack(leaving);
  }

  /** @param {Sprite} sprite */
  #takeBack(sprite) {
    this.#leaving.delete(sprite);
    sprite.isOver = false;
    return sprite;
  }
}

/**
 * Returns a sprite for a cluster that comes out of another cluster. The sprite has no label yet.
 *
 * @param {Sprite} whole
 * @param {Drawn} cluster
 */
function startingIn(whole, cluster) {
  const sprite = new Sprite(cluster);
  sprite.x = whole.x;
  sprite.y = whole.y;
  sprite.size = Math.min(1, (0.8 * whole.cluster.radius * whole.size) / cluster.radius);
  sprite.labelUntil = -Infinity;
  return sprite;
}

/**
 * Returns the change between two answers whose clusters have no common hierarchy, such as answers from a grid. A
 * cluster is kept if both answers have a cluster with its id and its count. All other clusters leave or enter.
 *
 * @param {Drawn[]} before
 * @param {Drawn[]} after
 * @returns {Change}
 */
export function changeWithoutHierarchy(before, after) {
  /** @param {Drawn} cluster */
  const idOf = (cluster) => ({ cluster_id: cluster.id });
  const counts = new Map(before.map((cluster) => [cluster.id, cluster.count]));
  const kept = after.filter((cluster) => counts.get(cluster.id) === cluster.count);
  const keptIDs = new Set(kept.map((cluster) => cluster.id));
  return {
    kept: kept.map(idOf),
    splits: [],
    merges: [],
    entered: after.filter((cluster) => !keptIDs.has(cluster.id)).map(idOf),
    left: before.filter((cluster) => !keptIDs.has(cluster.id)).map(idOf),
  };
}
