// What one side of the map shows, and how it moves when the answer changes.
//
// A sprite is a cluster on its way. Its position is a place of the world, so the map may move meanwhile. A change starts
// from where things are drawn at that moment, so one that comes in the middle of another goes on from there.
//
// Labels are never drawn twice over: of a whole and its parts either the whole or the parts tell their number, and they
// take over from each other at one moment. 2 and 3 on their way out of 5 never look like 10.

import { bounce, glide, linear, pop, settle } from "./easing.js";
import { turn } from "./mercator.js";

/** Milliseconds. */
const MOVE = 380;
const APPEAR = 600;
const FADE = 160;

/** Clusters that come into an empty view come one after the other in tree order, which leads from neighbour to neighbour. */
const WAVE = 420;

/** When, as a share of the move, parts begin to tell their own numbers, and a whole tells that of its parts. */
const PARTS_SPEAK = 0.38;
const WHOLE_SPEAKS = 0.6;

class Sprite {
  constructor(cluster) {
    this.cluster = cluster;
    /** As it is drawn at the moment of the last `advance`; the radius is that of the badge times `size`. */
    this.x = cluster.x;
    this.y = cluster.y;
    this.size = 1;
    this.alpha = 1;
    /** The label is shown from the one moment to the other. */
    this.speaksFrom = -Infinity;
    this.speaksUntil = Infinity;
    /** Drawn above what is not leaving. */
    this.isOver = false;
    this.#rest();
  }

  /** Starts moving from where it is drawn now. */
  go(target, start, length, { along = glide, swelling = settle } = {}) {
    this.fromX = this.x;
    this.fromY = this.y;
    this.fromSize = this.size;
    this.fromAlpha = this.alpha;
    this.toX = this.x + turn(this.x, target.x ?? this.x);
    this.toY = target.y ?? this.y;
    this.toSize = target.size ?? 1;
    this.toAlpha = target.alpha ?? 1;
    this.start = start;
    this.length = length;
    this.along = along;
    this.swelling = swelling;
    this.isThere = false;
    return this;
  }

  #rest() {
    this.go({}, 0, 0);
  }

  get end() {
    return this.start + this.length;
  }

  advance(now) {
    if (this.isThere) return;
    const p = this.length > 0 ? Math.min(Math.max((now - this.start) / this.length, 0), 1) : now < this.start ? 0 : 1;
    const way = this.along(p);
    this.x = this.fromX + (this.toX - this.fromX) * way;
    this.y = this.fromY + (this.toY - this.fromY) * way;
    this.size = this.fromSize + (this.toSize - this.fromSize) * this.swelling(p);
    this.alpha = this.fromAlpha + (this.toAlpha - this.fromAlpha) * linear(p);
    this.isThere = p === 1;
  }

  speaks(now) {
    return this.speaksFrom <= now && now < this.speaksUntil;
  }
}

export class Scene {
  /** The sprites of the answer, by id, in the order of the answer. */
  #shown = new Map();
  /** Those on their way out. */
  #leaving = new Set();
  /** The latest of these by id, while an answer is applied. */
  #ghosts = new Map();
  #until = 0;
  #pace = 1;
  /** What `sprites` and `spritesByTone` return, until other sprites come or go. */
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

  /** All that is to be drawn: what goes, what is there, and what tells the number of those beneath it. */
  get sprites() {
    const leaving = () => [...this.#leaving];
    this.#ordered ??= [
      ...leaving().filter((sprite) => !sprite.isOver), ...this.#shown.values(), ...leaving().filter((sprite) => sprite.isOver)];
    return this.#ordered;
  }

  /** The same so that those of one colour come together. */
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

  /** Brings everything to where it is drawn at a moment. */
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
   * @param change What becomes of the clusters that are shown: the server's kept, splits, merges, entered and left.
   * @param clusters The new answer.
   * @param isStill Whether to be there at once, for whoever asks for reduced motion.
   */
  apply(change, clusters, now, isStill = false) {
    this.advance(now);
    this.#pace = isStill ? 0 : 1;
    const before = this.#shown;
    this.#shown = new Map();
    this.#ghosts = new Map(Array.from(this.#leaving, (sprite) => [sprite.cluster.id, sprite]));
    const sprites = new Map();
    const fresh = new Map(clusters.map((cluster) => [cluster.id, cluster]));

    for (const { cluster_id: id } of change.kept) {
      sprites.set(id, before.get(id));
    }
    for (const { whole, parts } of change.splits) {
      const ids = parts.map((part) => part.cluster_id);
      this.#split(before.get(whole.cluster_id), ids, fresh, now).forEach((sprite) => sprites.set(sprite.cluster.id, sprite));
    }
    for (const { whole, parts } of change.merges) {
      const sprite = this.#merge(fresh.get(whole.cluster_id), parts.map((part) => before.get(part.cluster_id)), now);
      sprites.set(whole.cluster_id, sprite);
    }
    for (const { cluster_id: id } of change.left) {
      this.#leave(before.get(id), { size: 0.4, alpha: 0 }, now, FADE);
    }

    const wave = before.size === 0 ? WAVE / clusters.length : 0;
    clusters.forEach((cluster, at) => {
      const sprite = sprites.get(cluster.id) ?? this.#enter(cluster, now, at * wave);
      sprite.cluster = cluster;
      this.#shown.set(cluster.id, sprite);
    });
    this.#reorder();
    // Start values hold from this moment on, not from the next frame.
    this.advance(now);
  }

  #split(whole, ids, fresh, now) {
    // A whole that does not tell its number yet never will: its parts take over from what it was to take over from.
    const isForming = whole.speaksFrom > now;
    const takeover = isForming ? whole.speaksFrom : now + this.#pace * MOVE * PARTS_SPEAK;
    if (!isForming) {
      whole.speaksUntil = takeover;
      whole.isOver = true;
      this.#leave(whole, { size: 0.86 }, now, MOVE * PARTS_SPEAK, { swelling: linear });
    }
    return ids.map((id) => {
      const cluster = fresh.get(id);
      const sprite = this.#resume(cluster, takeover, now) ?? startingIn(whole, cluster);
      if (sprite.speaksUntil < Infinity) sprite.speaksFrom = takeover;
      sprite.speaksUntil = Infinity;
      return this.#move(sprite, cluster, now);
    });
  }

  #merge(cluster, parts, now) {
    const ghost = this.#ghosts.get(cluster.id);
    if (ghost?.speaks(now) && parts.every((part) => part.speaksFrom === ghost.speaksUntil)) {
      // Its parts have not told their numbers yet, and never will.
      for (const part of parts) {
        part.speaksFrom = Infinity;
        this.#leave(part, { x: cluster.x, y: cluster.y, size: 0.6, alpha: 0 }, now, MOVE);
      }
      this.#leaving.delete(ghost);
      ghost.isOver = false;
      ghost.speaksUntil = Infinity;
      return this.#move(ghost, cluster, now);
    }
    const takeover = now + this.#pace * MOVE * WHOLE_SPEAKS;
    for (const part of parts) {
      part.speaksUntil = takeover;
      this.#leave(part, { x: cluster.x, y: cluster.y, size: 0.5, alpha: Math.min(part.alpha, 0.4) }, now, MOVE);
    }
    const whole = this.#resume(cluster, takeover, now) ?? new Sprite(cluster);
    whole.speaksFrom = takeover;
    whole.speaksUntil = Infinity;
    whole.alpha = 0;
    whole.size = 0;
    const length = this.#pace * MOVE * (1 - WHOLE_SPEAKS) * 1.6;
    this.#until = Math.max(this.#until, takeover + length);
    return whole.go({ x: cluster.x, y: cluster.y }, takeover, length, { swelling: pop });
  }

  #enter(cluster, now, delay) {
    const resumed = this.#resume(cluster, Infinity, now);
    if (resumed) {
      if (resumed.speaksUntil < Infinity) resumed.speaksFrom = now;
      resumed.speaksUntil = Infinity;
      return this.#move(resumed, cluster, now);
    }
    const sprite = new Sprite(cluster);
    sprite.size = 0;
    const start = now + this.#pace * delay;
    const length = this.#pace * APPEAR;
    this.#until = Math.max(this.#until, start + length);
    return sprite.go({}, start, length, { swelling: bounce });
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
   * A sprite for a cluster that is still on its way out: it turns round, so that nothing jumps. If it tells its number just
   * until the takeover, it goes on telling it, and has no end; if it is to fall silent sooner, because others take over from
   * it, it is left to that, and another starts where it is.
   */
  #resume(cluster, takeover, now) {
    const ghost = this.#ghosts.get(cluster.id);
    if (!ghost) return undefined;
    const willSpeak = now < ghost.speaksUntil && ghost.speaksFrom < ghost.speaksUntil;
    if (willSpeak && ghost.speaksUntil !== takeover) {
      const sprite = startingIn(ghost, cluster);
      sprite.size = ghost.size;
      sprite.alpha = ghost.alpha;
      return sprite;
    }
    this.#leaving.delete(ghost);
    ghost.isOver = false;
    ghost.speaksUntil = willSpeak ? Infinity : -Infinity;
    return ghost;
  }
}

/** A sprite for a cluster that comes out of another, and does not tell its number yet. */
function startingIn(whole, cluster) {
  const sprite = new Sprite(cluster);
  sprite.x = whole.x;
  sprite.y = whole.y;
  sprite.size = Math.min(1, (0.8 * whole.cluster.radius * whole.size) / cluster.radius);
  sprite.speaksUntil = -Infinity;
  return sprite;
}

/**
 * The change between two answers that share no hierarchy, as those of a grid: a cluster is the same where its id and its
 * count are, and anything else goes or comes.
 */
export function replacement(before, after) {
  const place = (cluster) => ({ cluster_id: cluster.id });
  const counts = new Map(before.map((cluster) => [cluster.id, cluster.count]));
  const kept = after.filter((cluster) => counts.get(cluster.id) === cluster.count);
  const keptIDs = new Set(kept.map((cluster) => cluster.id));
  return {
    kept: kept.map(place),
    splits: [],
    merges: [],
    entered: after.filter((cluster) => !keptIDs.has(cluster.id)).map(place),
    left: before.filter((cluster) => !keptIDs.has(cluster.id)).map(place),
  };
}
