// The clusters that one side of the map shows, and how they move when the answer changes.
//
// A sprite is a cluster as it is drawn. Its position is a position in the world, so the map may move meanwhile. A
// change starts from where the sprites are drawn at that moment, so it may come in the middle of another change.
//
// The rules are those on the page MapAnimation of the documentation. The module TreelineMap follows them, too: one test
// plays the same changes to both. Points are never counted twice: at any moment either a whole or its parts have
// labels, and the labels change over at one moment. 2 and 3 that leave 5 never look like 10. Parts that merge keep
// their labels until they arrive, and the whole appears at that moment, so that moving numbers can be read.

import { bounce, glide, linear, pop, settle } from "./easing.js";
import { difference } from "./mercator.js";

/** Lengths of animations, in milliseconds. */
const MOVE = 380;
const APPEAR = 600;
const FADE = 160;

/**
 * Milliseconds in which clusters enter an empty view, one after the other in tree order, in which neighbours are close.
 */
const WAVE = 420;

/** Moment at which the labels of parts appear, as a share of the move. */
const PART_LABELS = 0.38;

/** Size of parts when they arrive, size of a whole when it replaces them, and milliseconds in which it grows. */
const ARRIVING = 0.86;
const FORMED = 0.9;
const GROW = 140;

class Sprite {
  constructor(cluster) {
    this.cluster = cluster;
    /** State at the last `advance`. The drawn radius is the radius of the badge times `size`. */
    this.x = cluster.x;
    this.y = cluster.y;
    this.size = 1;
    this.alpha = 1;
    /** The label is shown from the first moment until the second. */
    this.labelFrom = -Infinity;
    this.labelUntil = Infinity;
    /** The sprite is not drawn before this moment, when its parts have arrived. */
    this.appearsAt = -Infinity;
    /** Whether the sprite is drawn above the sprites that are not leaving. */
    this.isOver = false;
    this.#rest();
  }

  /** Starts to move from where the sprite is drawn now. */
  go(target, start, length, { easing = glide, sizeEasing = settle } = {}) {
    this.fromX = this.x;
    this.fromY = this.y;
    this.fromSize = this.size;
    this.fromAlpha = this.alpha;
    this.toX = this.x + difference(this.x, target.x ?? this.x);
    this.toY = target.y ?? this.y;
    this.toSize = target.size ?? 1;
    this.toAlpha = target.alpha ?? 1;
    this.start = start;
    this.length = length;
    this.easing = easing;
    this.sizeEasing = sizeEasing;
    this.hasArrived = false;
    return this;
  }

  #rest() {
    this.go({}, 0, 0);
  }

  get end() {
    return this.start + this.length;
  }

  advance(now) {
    if (this.hasArrived) return;
    const p = this.length > 0 ? Math.min(Math.max((now - this.start) / this.length, 0), 1) : now < this.start ? 0 : 1;
    const share = this.easing(p);
    this.x = this.fromX + (this.toX - this.fromX) * share;
    this.y = this.fromY + (this.toY - this.fromY) * share;
    this.size = this.fromSize + (this.toSize - this.fromSize) * this.sizeEasing(p);
    this.alpha = this.fromAlpha + (this.toAlpha - this.fromAlpha) * linear(p);
    this.hasArrived = p === 1;
  }

  /** Returns whether the parts of the sprite are still on their way to it. */
  isForming(now) {
    return now < this.appearsAt;
  }

  showsLabel(now) {
    return this.labelFrom <= now && now < this.labelUntil;
  }

  /** Returns whether the sprite has a label now or will get one. */
  willShowLabel(now) {
    return now < this.labelUntil && this.labelFrom < this.labelUntil;
  }

  /** Gives the sprite its label now if it would get it later. */
  takeOver(now) {
    if (this.labelFrom <= now) return;
    this.labelFrom = now;
    if (this.isForming(now)) this.start = this.appearsAt = now;
  }

  /** Moves the sprite to its target at once. */
  settle() {
    Object.assign(this, { x: this.toX, y: this.toY, size: this.toSize, alpha: this.toAlpha });
    Object.assign(this, { labelFrom: -Infinity, labelUntil: Infinity, appearsAt: -Infinity });
    this.#rest();
  }
}

// A cluster is a range of points, so of two clusters one contains the other, or they share no point. Clusters of a grid
// have no `first` and share no points. Under a filter `count` is the number of points that pass, so the range may end
// too early.

const endOf = ({ first, count }) => first + count;
const holds = (outer, inner) => outer.first <= inner.first && endOf(inner) <= endOf(outer);
const overlaps = (a, b) => a.first < endOf(b) && b.first < endOf(a);

export class Scene {
  /** Sprites of the answer by id, in the order of the answer. */
  #shown = new Map();
  /** Sprites that are leaving. */
  #leaving = new Set();
  /** The latest leaving sprite of each id, while an answer is applied. */
  #leavingByID = new Map();
  /** Leaving sprites that had labels or were to get them when the answer came. */
  #counting = [];
  #until = 0;
  #pace = 1;
  /** Results of `sprites` and `spritesByTone`, until other sprites come or go. */
  #ordered = null;
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
   * All sprites to draw, from the bottom up: leaving sprites, shown sprites, and wholes that leave over their parts.
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

  isMoving(now) {
    return now < this.#until || this.#leaving.size > 0;
  }

  sprite(id) {
    return this.#shown.get(id);
  }

  clear() {
    this.#shown.clear();
    this.#leaving.clear();
    this.#reorder();
  }

  /** Moves all sprites to where they are drawn at a moment. */
  advance(now) {
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
   * @param change What becomes of the shown clusters: the server's kept, splits, merges, entered and left.
   * @param clusters The new answer.
   * @param isInstant Whether nothing moves, for example because reduced motion is preferred.
   */
  apply(change, clusters, now, isInstant = false) {
    this.advance(now);
    this.#pace = isInstant ? 0 : 1;
    if (isInstant) this.#settle();
    const before = this.#shown;
    this.#shown = new Map();
    this.#leavingByID = new Map(Array.from(this.#leaving, (sprite) => [sprite.cluster.id, sprite]));
    this.#counting = [...this.#leaving].filter((sprite) => sprite.willShowLabel(now));
    const sprites = new Map();
    const fresh = new Map(clusters.map((cluster) => [cluster.id, cluster]));

    for (const { cluster_id: id } of change.entered) this.#handOver(fresh.get(id), before, now);
    for (const { cluster_id: id } of change.kept) {
      sprites.set(id, this.#keep(before.get(id), fresh.get(id), now));
    }
    for (const { whole, parts } of change.splits) {
      const ids = parts.map((part) => part.cluster_id);
      this.#split(before.get(whole.cluster_id), ids, fresh, now).forEach((sprite) => sprites.set(sprite.cluster.id, sprite));
    }
    for (const { whole, parts } of change.merges) {
      const sprite = this.#merge(fresh.get(whole.cluster_id), parts.map((part) => before.get(part.cluster_id)), now);
      sprites.set(whole.cluster_id, sprite);
    }
    for (const { cluster_id: id } of change.left) this.#exit(before.get(id), now);

    const wave = before.size === 0 ? WAVE / clusters.length : 0;
    clusters.forEach((cluster, at) => {
      const sprite = sprites.get(cluster.id) ?? this.#enter(cluster, now, at * wave);
      sprite.cluster = cluster;
      this.#shown.set(cluster.id, sprite);
    });
    this.#reorder();
    // The start values apply from this moment on, not from the next frame.
    this.advance(now);
  }

  /** Moves all sprites to their targets at once. */
  #settle() {
    this.#leaving.clear();
    for (const sprite of this.#shown.values()) sprite.settle();
  }

  /** Returns the sprite of a kept cluster. Under another filter the cluster may have another position. */
  #keep(sprite, cluster, now) {
    const isSame = sprite.cluster.x === cluster.x && sprite.cluster.y === cluster.y;
    return isSame ? sprite : this.#move(sprite, cluster, now);
  }

  #split(whole, ids, fresh, now) {
    // A whole that has no label yet never gets one: its parts take over from the sprites that it was to take over from.
    const hasLabel = whole.labelFrom <= now;
    const takeover = hasLabel ? now + this.#pace * MOVE * PART_LABELS : whole.labelFrom;
    if (hasLabel) {
      whole.labelUntil = takeover;
      whole.isOver = true;
      this.#leave(whole, { size: 0.86 }, now, MOVE * PART_LABELS, { sizeEasing: linear });
    }
    return ids.map((id) => {
      const cluster = fresh.get(id);
      const sprite = this.#resume(cluster, takeover, now) ?? startingIn(whole, cluster);
      if (sprite.labelUntil < Infinity) sprite.labelFrom = takeover;
      sprite.labelUntil = Infinity;
      return this.#move(sprite, cluster, now);
    });
  }

  #merge(cluster, parts, now) {
    const counting = this.#counting.filter((sprite) => sprite.willShowLabel(now) && overlaps(sprite.cluster, cluster));
    const around = counting.filter((sprite) => sprite.labelUntil < Infinity && holds(sprite.cluster, cluster));
    if (around.length > 0) return this.#callBack(cluster, parts, counting, around, now);
    const takeover = now + this.#pace * MOVE;
    // A leaving sprite within the whole that is not on its way into another one goes to the whole, with its label.
    // Sprites that were to take over from it never do.
    const joining = this.#joining(cluster, parts, counting);
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
   * Returns the sprites within a whole that count its points, unless a sprite that contains them takes over from them.
   */
  #joining(cluster, parts, counting) {
    const within = counting.filter((sprite) => holds(cluster, sprite.cluster));
    return within.filter((sprite) => ![...within, ...parts].some((other) =>
      other !== sprite && other.labelFrom === sprite.labelUntil && holds(other.cluster, sprite.cluster)));
  }

  /**
   * Shows a whole that comes back, or comes out of a larger one, before its parts have labels. The parts never get
   * labels.
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

  /** Fades a sprite into a whole. It never gets a label. */
  #withdraw(sprite, { x, y }, now) {
    if (sprite.isForming(now)) {
      this.#leaving.delete(sprite);
      return;
    }
    sprite.labelFrom = Infinity;
    this.#leave(sprite, { x, y, size: 0.6, alpha: 0 }, now, MOVE);
  }

  /**
   * Moves a part to its whole, with its label until it arrives. A part that is still forming starts once its own parts
   * have arrived.
   */
  #arrive(part, { x, y }, now, takeover) {
    const start = part.isForming(now) ? part.appearsAt : now;
    part.labelUntil = takeover;
    part.isOver = false;
    this.#leaving.add(part.go({ x, y, size: ARRIVING }, start, takeover - start));
  }

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
   * Ends labels that count points of an entering cluster. They end at once, and all sprites that take over from them
   * get their labels.
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

  #exit(sprite, now) {
    if (sprite.labelFrom > now) {
      // The sprite never gets its label. Parts that are on their way to it have nothing to go to.
      for (const part of this.#counting) {
        if (part.labelUntil === sprite.labelFrom && holds(sprite.cluster, part.cluster)) this.#fade(part, now);
      }
      sprite.labelUntil = -Infinity;
      if (sprite.isForming(now)) return;
    }
    this.#fade(sprite, now);
  }

  #fade(sprite, now) {
    this.#leave(sprite, { size: 0.4, alpha: 0 }, now, FADE);
  }

  #move(sprite, cluster, now) {
    const length = this.#pace * MOVE;
    this.#until = Math.max(this.#until, now + length);
    return sprite.go({ x: cluster.x, y: cluster.y }, now, length);
  }

  #leave(sprite, target, now, length, easing) {
    this.#leaving.add(sprite.go({ alpha: 1, ...target }, now, this.#pace * length, easing));
  }

  /**
   * Returns the sprite of a cluster that is still leaving. It comes back from where it is, so that nothing jumps. If it
   * has its label just until the takeover, it keeps the label. If other sprites take over from it at another moment, it
   * goes on leaving, and another sprite starts in its place.
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

  #takeBack(sprite) {
    this.#leaving.delete(sprite);
    sprite.isOver = false;
    return sprite;
  }
}

/** Returns a sprite for a cluster that comes out of another, without a label yet. */
function startingIn(whole, cluster) {
  const sprite = new Sprite(cluster);
  sprite.x = whole.x;
  sprite.y = whole.y;
  sprite.size = Math.min(1, (0.8 * whole.cluster.radius * whole.size) / cluster.radius);
  sprite.labelUntil = -Infinity;
  return sprite;
}

/**
 * Returns the change between two answers without a common hierarchy, such as those from a grid. A cluster with the same
 * id and count is kept; all others leave or enter.
 */
export function changeWithoutHierarchy(before, after) {
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
