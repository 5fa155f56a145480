// Merges clusters, always the pair that touches first as badges grow: the pair of the least scaled distance, of several
// such pairs the one with the lesser least members.
//
// A cluster's position is the mean of its points, rounded to whole units, or one of its points, and its least member
// the first of its positions in Z-order. So the tree is a function of the set of points.
//
// Only one cluster of each pair looks for the other: the younger one, which was merged later. Of two that there were at
// the start, that is the larger, and of equal ones the one with the greater least member. When it looked, the other was
// there already; so a cluster whose nearest is gone never misses a younger one. Each cluster keeps the first of its
// pairs. So the first of all pairs always belongs to a cluster that knows it, or to one that is to look again and had an
// earlier pair before. In each round only those clusters look that may have a pair in it.

import { codeOf, endOfRound, LAST_ROUND, roundOf, scaled } from "./exact.js";
import { commonShift } from "./leaves.js";
import { Tiles } from "./tiles.js";

/** @typedef {import("./badges.js").BadgeCurve} BadgeCurve */
/** @typedef {import("./leaves.js").Leaves} Leaves */

/** A binary tree of merges. Leaves are numbered from 0; the merge that ends a cluster has its least member's number
 * behind all leaves, for no other merge ends it. */
export class MergeTree {
  /** @param {Leaves} leaves */
  constructor(leaves) {
    const count = leaves.xs.length;
    this.leaves = leaves;
    this.leafCount = count;
    /** The part with the lesser least member, and the other, by merge. */
    this.lefts = new Uint32Array(count);
    this.rights = new Uint32Array(count);
    /** Numbers of points. */
    this.counts = new Uint32Array(count);
    /** Records of a stored tree below each merge. */
    this.records = new Uint32Array(count);
    this.heights = new Uint32Array(count);
    /** Codes, never below that of a part. */
    this.scales = new Uint16Array(count);
    /** Whether each stands where its right part does. */
    this.standsRight = new Uint8Array(count);
    this.root = 0;
  }

  /** @param {number} node */
  count(node) {
    const { starts } = this.leaves;
    return node < this.leafCount ? starts[node + 1] - starts[node] : this.counts[node - this.leafCount];
  }

  /** @param {number} node */
  recordsBelow(node) {
    return node < this.leafCount ? 0 : this.records[node - this.leafCount];
  }

  /** @param {number} node */
  height(node) {
    return node < this.leafCount ? 0 : this.heights[node - this.leafCount];
  }

  /**
   * @param {number} node Of the merge.
   * @param {number} left
   * @param {number} right
   * @param {number} count
   * @param {number} scale
   * @param {boolean} standsRight
   */
  add(node, left, right, count, scale, standsRight) {
    const merge = node - this.leafCount;
    this.lefts[merge] = left;
    this.rights[merge] = right;
    this.counts[merge] = count;
    this.records[merge] = count > 16 ? this.recordsBelow(left) + this.recordsBelow(right) + 2 : 0;
    this.heights[merge] = Math.max(this.height(left), this.height(right)) + 1;
    this.scales[merge] = scale;
    this.standsRight[merge] = standsRight ? 1 : 0;
    this.root = node;
  }
}

// A live cluster: 16 words, one cache line. Its sums are two doubles, of coordinates less 2^31 so that those of 2^21
// points and more are exact.
const STRIDE_BITS = 4;
const [X, Y, COUNT, NODE, MEMBER, AGE, RADIUS, SCALE, SLOT, NEAREST, WEST, EAST] = [4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15];
const MIDDLE = 2 ** 31;
const WORLD = 2 ** 32;

/** The round of a number that is free, and of no cluster. */
const GONE = 255;
const NONE = -1;

/** The width of new tiles and the least width of tiles, in reaches of a search; and the widest, an eighth of the world. */
const [NEW_REACHES, LEAST_REACHES, GREATEST_SHIFT] = [6, 4, 29];

/** Farther than this a search looks at all clusters: there are a thousand at most, and the world is round. */
const WIDE_REACH = 2 ** 27;

/** Clusters in the tile of a cluster, on average. */
const IN_TILE = 24;

export class Merging {
  /**
   * @param {Leaves} leaves
   * @param {BadgeCurve} curve
   * @param {{standsAtMembers: boolean, crossesSeam: boolean}} options Whether clusters stand at one of their points, and
   *   whether they may be merged across the seam.
   */
  constructor(leaves, curve, { standsAtMembers, crossesSeam }) {
    const { xs, ys, starts } = leaves;
    const count = xs.length;
    this.tree = new MergeTree(leaves);
    this.curve = curve;
    this.standsAtMembers = standsAtMembers;
    this.crossesSeam = crossesSeam;
    /** Of leaves; merged clusters are older than no leaf. */
    this.leafCount = count;
    /** Numbers in use, in the order of least members, and clusters that there are. */
    this.numbers = count;
    this.liveCount = count;
    this.nextAge = count;
    this.live = new Int32Array(count << STRIDE_BITS);
    this.sums = new Float64Array(this.live.buffer);
    /** Points of each cluster that lie west of the seam's other side. */
    this.beyond = crossesSeam ? new Uint32Array(count) : null;
    /** The round in which each cluster looks again: before it, it has no pair that it would have to find. */
    this.rounds = new Uint8Array(count);
    /** No badge has a greater radius. */
    this.greatestRadius = 0;
    /** Scaled distances of pairs that are merged in the round are below this. */
    this.end = 0;
    this.round = 0;
    /** How far searches look at least, in units. */
    this.horizon = 0;
    /** @type {Tiles | null} */
    this.tiles = null;
    this.queue = new PairQueue();
    /** The nearest that a search has found so far, and its scaled distance. */
    this.nearest = NONE;
    this.distance = Infinity;
    this.rest = 0;
    /** Squares of distances of what may be nearer are at most this times the square of the sum of radii. */
    this.limit = Infinity;
    for (let number = 0; number < count; number++) {
      const points = starts[number + 1] - starts[number];
      const radius = this.radius(points);
      if (radius > this.greatestRadius) this.greatestRadius = radius;
      this.sums[number * 8] = (xs[number] - MIDDLE) * points;
      this.sums[number * 8 + 1] = (ys[number] - MIDDLE) * points;
      const at = number << STRIDE_BITS;
      this.live[at + X] = this.live[at + WEST] = this.live[at + EAST] = xs[number];
      this.live[at + Y] = ys[number];
      this.live[at + COUNT] = points;
      this.live[at + NODE] = this.live[at + MEMBER] = this.live[at + AGE] = number;
      this.live[at + RADIUS] = radius;
      this.live[at + NEAREST] = NONE;
    }
  }

  /**
   * The sum of the radii of two badges is the width that scaled distances go by.
   *
   * @param {number} count
   */
  radius(count) {
    return this.curve.units(count) + this.curve.gap;
  }

  /**
   * Merges until one cluster is left.
   *
   * @returns {MergeTree}
   */
  run() {
    while (this.liveCount > 1) {
      this.round = this.nextRound(this.round);
      this.end = endOfRound(this.round);
      this.placeIfNeeded();
      this.lookAtDue();
      this.mergeAll();
      this.round++;
    }
    return this.tree;
  }

  /**
   * The first round, no earlier than one, in which any cluster looks again.
   *
   * @param {number} round
   */
  nextRound(round) {
    const { rounds, numbers } = this;
    let least = LAST_ROUND;
    for (let number = 0; number < numbers; number++) {
      const own = rounds[number];
      if (own < least) {
        if (own <= round) return round;
        least = own;
      }
    }
    return least;
  }

  placeIfNeeded() {
    const reach = reachOf(this.end, 2 * this.greatestRadius);
    if (this.tiles && (this.tiles.shift === GREATEST_SHIFT || reach * LEAST_REACHES <= 2 ** this.tiles.shift)) return;
    if (this.liveCount < this.numbers) this.renumber();
    const width = Math.min(reach * NEW_REACHES, 2 ** GREATEST_SHIFT);
    let shift = Math.min(32 - Math.clz32(Math.ceil(width) - 1), GREATEST_SHIFT);
    if (!this.tiles) shift = Math.max(shift, this.firstShift());
    this.tiles = new Tiles(this.live, this.numbers, shift, this.crossesSeam);
    this.horizon = 2 ** shift / LEAST_REACHES;
  }

  /** For tiles of leaves as wide as they can be so that few clusters in one have to be looked at on average. */
  firstShift() {
    const { xs, ys } = this.tree.leaves;
    // For each width the sum of the squared numbers of clusters in tiles, which are runs in Z-order.
    const [squares, starts] = [new Float64Array(34), new Uint32Array(34)];
    for (let number = 1; number <= xs.length; number++) {
      const widths = number < xs.length ? commonShift(xs[number - 1], ys[number - 1], xs[number], ys[number]) : 33;
      for (let width = 0; width < widths; width++) {
        const size = number - starts[width];
        squares[width] += size * size;
        starts[width] = number;
      }
    }
    let shift = 28;
    while (shift > 0 && squares[shift] > IN_TILE * xs.length) shift--;
    return shift;
  }

  /** Gives the live clusters the first numbers, in the same order. No round is going on. */
  renumber() {
    const { live, rounds, beyond, numbers } = this;
    let next = 0;
    // Slots are of no use from here on: new numbers are kept there until clusters have moved.
    for (let number = 0; number < numbers; number++) {
      if (rounds[number] !== GONE) live[(number << STRIDE_BITS) + SLOT] = next++;
    }
    for (let number = 0; number < numbers; number++) {
      if (rounds[number] === GONE) continue;
      const awaited = this.awaited(number);
      live[(number << STRIDE_BITS) + NEAREST] = awaited < 0 ? NONE : live[(awaited << STRIDE_BITS) + SLOT];
    }
    for (let number = 0; number < numbers; number++) {
      if (rounds[number] === GONE) continue;
      const target = live[(number << STRIDE_BITS) + SLOT];
      if (target === number) continue;
      live.copyWithin(target << STRIDE_BITS, number << STRIDE_BITS, (number + 1) << STRIDE_BITS);
      rounds[target] = rounds[number];
      if (beyond) beyond[target] = beyond[number];
    }
    this.numbers = next;
  }

  /**
   * The cluster that one waits for, if that is still what it was; `NONE` otherwise. What was merged since is younger
   * than all that there was, and leaves wait only for each other.
   *
   * @param {number} number
   */
  awaited(number) {
    const { live } = this;
    const nearest = live[(number << STRIDE_BITS) + NEAREST];
    if (nearest < 0 || this.rounds[nearest] === GONE) return NONE;
    const age = live[(nearest << STRIDE_BITS) + AGE];
    return age < this.leafCount || age < live[(number << STRIDE_BITS) + AGE] ? nearest : NONE;
  }

  lookAtDue() {
    const { rounds, round, numbers } = this;
    for (let number = 0; number < numbers; number++) {
      if (rounds[number] <= round) this.look(number);
    }
  }

  /** Merges all pairs that belong to the round, the first of them first. */
  mergeAll() {
    const { queue, live, rounds } = this;
    while (queue.pop()) {
      const { cluster, nearest, distance } = queue;
      if (rounds[cluster] === GONE || live[(cluster << STRIDE_BITS) + AGE] !== queue.age) continue;
      if (rounds[nearest] === GONE || live[(nearest << STRIDE_BITS) + AGE] !== queue.nearestAge) {
        this.look(cluster);
      } else {
        const first = Math.min(cluster, nearest);
        this.join(first, Math.max(cluster, nearest), distance);
        this.look(first);
      }
    }
    queue.clear();
  }

  /**
   * Makes the first of two clusters both together, and the second's number free.
   *
   * @param {number} first
   * @param {number} second
   * @param {number} distance Scaled, between them.
   */
  join(first, second, distance) {
    const { live, sums, beyond } = this;
    const [a, b] = [first << STRIDE_BITS, second << STRIDE_BITS];
    const count = live[a + COUNT] + live[b + COUNT];
    const sumX = sums[first * 8] + sums[second * 8];
    const sumY = sums[first * 8 + 1] + sums[second * 8 + 1];
    let sideBySide = sumX;
    let isAcross = false;
    if (beyond) {
      const [west, east] = joined(live[a + WEST], live[a + EAST], live[b + WEST], live[b + EAST]);
      isAcross = west > east;
      if (isAcross) {
        beyond[first] = this.countBeyond(first, west) + this.countBeyond(second, west);
        sideBySide += beyond[first] * WORLD - count * MIDDLE;
      }
      live[a + WEST] = west;
      live[a + EAST] = east;
    }
    // Across the seam sums are of coordinates less 2^32, and the mean is so, too.
    let x = roundedQuotient(sideBySide, count) + (isAcross ? 0 : MIDDLE);
    let y = roundedQuotient(sumY, count) + MIDDLE;
    let standsRight = false;
    if (this.standsAtMembers) {
      standsRight = isNearer(x >>> 0, y, live[b + X] >>> 0, live[b + Y] >>> 0, live[a + X] >>> 0, live[a + Y] >>> 0, isAcross);
      const stand = standsRight ? b : a;
      [x, y] = [live[stand + X], live[stand + Y]];
    }
    const scale = Math.max(codeOf(distance), live[a + SCALE], live[b + SCALE]);
    const node = this.leafCount + live[b + MEMBER];
    this.tree.add(node, live[a + NODE], live[b + NODE], count, scale, standsRight);
    const radius = this.radius(count);
    if (radius > this.greatestRadius) this.greatestRadius = radius;
    const tiles = /** @type {Tiles} */ (this.tiles);
    tiles.remove(second);
    this.rounds[second] = GONE;
    sums[first * 8] = sumX;
    sums[first * 8 + 1] = sumY;
    live[a + X] = x;
    live[a + Y] = y;
    live[a + COUNT] = count;
    live[a + NODE] = node;
    live[a + AGE] = this.nextAge++;
    live[a + RADIUS] = radius;
    live[a + SCALE] = scale;
    live[a + NEAREST] = NONE;
    this.rounds[first] = 0;
    tiles.move(first);
    this.liveCount--;
  }

  /**
   * Points of a cluster to whose x a world is added where it is part of one that lies across the seam.
   *
   * @param {number} number
   * @param {number} west Of the other.
   */
  countBeyond(number, west) {
    const { live, beyond } = this;
    const at = number << STRIDE_BITS;
    const own = live[at + WEST] >>> 0;
    if (own > live[at + EAST] >>> 0) return /** @type {Uint32Array} */ (beyond)[number];
    return own < west ? live[at + COUNT] : 0;
  }

  /**
   * Looks for the first pair of a cluster, and puts it into the queue. If it belongs to a later round, notes the round
   * in which the cluster looks again.
   *
   * @param {number} number
   */
  look(number) {
    const { live } = this;
    const at = number << STRIDE_BITS;
    this.nearest = NONE;
    this.distance = Infinity;
    this.rest = 0;
    let bound = Infinity;
    const awaited = this.awaited(number);
    if (awaited >= 0) {
      this.take(number, awaited);
    } else {
      // Leaves look for others that are no larger.
      const radius = live[at + RADIUS];
      const width = radius + (live[at + AGE] < this.leafCount ? radius : this.greatestRadius);
      const needed = reachOf(this.end, width);
      if (needed > WIDE_REACH) {
        for (let other = 0; other < this.numbers; other++) {
          if (this.rounds[other] !== GONE) this.take(number, other);
        }
      } else {
        const reach = Math.max(this.horizon, needed);
        bound = Math.floor(((reach * reach * 2 ** 20) / (width * width)) * (1 - 2 ** -40));
        /** @type {Tiles} */ (this.tiles).search(this, number, reach + 2, width, bound);
      }
    }
    const hasNearest = this.nearest >= 0;
    if (hasNearest && this.distance < this.end) {
      const nearestAge = live[(this.nearest << STRIDE_BITS) + AGE];
      this.queue.push(this.distance, this.rest, number, this.nearest, live[at + AGE], nearestAge);
    } else {
      const next = Math.max(roundOf(Math.min(this.distance, bound)), this.round + 1);
      this.rounds[number] = Math.min(next, LAST_ROUND);
      live[at + NEAREST] = hasNearest && this.distance <= bound ? this.nearest : NONE;
    }
  }

  /**
   * Takes another cluster as the nearest if it is nearer than that and has to be known of.
   *
   * @param {number} own
   * @param {number} other
   */
  take(own, other) {
    const { live, leafCount } = this;
    const [a, b] = [own << STRIDE_BITS, other << STRIDE_BITS];
    const [age, otherAge] = [live[a + AGE], live[b + AGE]];
    const [radius, otherRadius] = [live[a + RADIUS], live[b + RADIUS]];
    const isOlder = age >= leafCount
      ? otherAge < age
      : otherAge < leafCount && (otherRadius < radius || (otherRadius === radius && otherAge < age));
    if (!isOlder) return;
    let dx = Math.abs((live[a + X] >>> 0) - (live[b + X] >>> 0));
    const dy = Math.abs((live[a + Y] >>> 0) - (live[b + Y] >>> 0));
    if (this.beyond && dx > MIDDLE) {
      // Across the seam only those are close that are less than half a world wide together.
      const [west, east] = joined(live[a + WEST], live[a + EAST], live[b + WEST], live[b + EAST]);
      if (west > east || east - west < MIDDLE) dx = WORLD - dx;
    }
    const distance = scaled(dx, dy, radius + otherRadius);
    if (distance > this.distance) return;
    if (distance === this.distance && this.nearest >= 0) {
      if (scaled.rest > this.rest) return;
      if (scaled.rest === this.rest && !isBefore(own, other, own, this.nearest)) return;
    }
    this.nearest = other;
    this.distance = distance;
    this.rest = scaled.rest;
  }
}

/**
 * How far apart two clusters are at most whose scaled distance is below a number, in units.
 *
 * @param {number} end
 * @param {number} width
 */
function reachOf(end, width) {
  return (Math.sqrt(end) * width) / 1024 + 1;
}

/**
 * Whether a pair of clusters has the lesser least members, the lesser of both first.
 *
 * @param {number} a
 * @param {number} b
 * @param {number} c
 * @param {number} d
 */
function isBefore(a, b, c, d) {
  const [first, other] = [Math.min(a, b), Math.min(c, d)];
  return first < other || (first === other && Math.max(a, b) < Math.max(c, d));
}

/**
 * To the nearest whole number, halves up.
 *
 * @param {number} sum Of a magnitude of 2^53 at most.
 * @param {number} count
 */
function roundedQuotient(sum, count) {
  let quotient = Math.floor(sum / count);
  let remainder = sum - quotient * count;
  // The quotient was rounded before it was rounded down.
  if (remainder < 0) [quotient, remainder] = [quotient - 1, remainder + count];
  return 2 * remainder >= count ? quotient + 1 : quotient;
}

/**
 * Whether the first of two positions is nearer to a mean, the shorter way round for a cluster across the seam.
 *
 * @param {number} x
 * @param {number} y
 * @param {number} x1
 * @param {number} y1
 * @param {number} x2
 * @param {number} y2
 * @param {boolean} isAcross
 */
function isNearer(x, y, x1, y1, x2, y2, isAcross) {
  let [dx1, dx2] = [Math.abs(x - x1), Math.abs(x - x2)];
  if (isAcross) [dx1, dx2] = [Math.min(dx1, WORLD - dx1), Math.min(dx2, WORLD - dx2)];
  // With a width of 2^10 scaled distances are the squares themselves.
  const first = scaled(dx1, Math.abs(y - y1), 1024);
  const rest = scaled.rest;
  const second = scaled(dx2, Math.abs(y - y2), 1024);
  return first < second || (first === second && rest < scaled.rest);
}

/**
 * How far two clusters together reach along the circle of longitudes: across the seam if all fits into less than half of
 * the world so, otherwise as they lie on the plane. West is then above east.
 *
 * @param {number} west1
 * @param {number} east1
 * @param {number} west2
 * @param {number} east2
 * @returns {[number, number]}
 */
export function joined(west1, east1, west2, east2) {
  [west1, east1, west2, east2] = [west1 >>> 0, east1 >>> 0, west2 >>> 0, east2 >>> 0];
  const isAnyAcross = west1 > east1 || west2 > east2;
  const [west, east] = [Math.min(west1, west2), Math.max(east1, east2)];
  const isWide = (west1 <= east1 && east1 - west1 >= MIDDLE) || (west2 <= east2 && east2 - west2 >= MIDDLE);
  if (!isWide) {
    if (!isAnyAcross && east - west < MIDDLE) return [west, east];
    // Laid side by side, the one that reaches farther east from its own west edge first.
    const [width1, width2] = [(east1 - west1) >>> 0, (east2 - west2) >>> 0];
    const start = (west2 - west1) >>> 0;
    const width = Math.max(width1, start + width2);
    if (start < MIDDLE && width < MIDDLE) return [west1, (west1 + width) >>> 0];
    const otherStart = (west1 - west2) >>> 0;
    const otherWidth = Math.max(width2, otherStart + width1);
    if (otherStart < MIDDLE && otherWidth < MIDDLE) return [west2, (west2 + otherWidth) >>> 0];
  }
  return isAnyAcross ? [0, WORLD - 1] : [west, east];
}

/** A binary heap of the pairs of a round, the first to be merged first. */
class PairQueue {
  constructor() {
    this.count = 0;
    /** By place in the heap: the scaled distance, and which entry. */
    this.keys = new Float64Array(1 << 10);
    this.places = new Int32Array(1 << 10);
    /** Five numbers an entry: the rest of the distance, cluster, nearest and their ages. */
    this.entries = new Int32Array(5 << 10);
    this.entryCount = 0;
    /** The pair that came last out of the queue. */
    this.distance = 0;
    this.cluster = 0;
    this.nearest = 0;
    this.age = 0;
    this.nearestAge = 0;
  }

  clear() {
    this.entryCount = 0;
  }

  /**
   * @param {number} distance
   * @param {number} rest
   * @param {number} cluster
   * @param {number} nearest
   * @param {number} age
   * @param {number} nearestAge
   */
  push(distance, rest, cluster, nearest, age, nearestAge) {
    if (this.entryCount === this.keys.length) this.#grow();
    const entry = this.entryCount++;
    const { entries, keys, places } = this;
    const at = entry * 5;
    entries[at] = rest;
    entries[at + 1] = cluster;
    entries[at + 2] = nearest;
    entries[at + 3] = age;
    entries[at + 4] = nearestAge;
    let place = this.count++;
    while (place > 0) {
      const parent = (place - 1) >> 1;
      const key = keys[parent];
      if (key < distance || (key === distance && !this.#isFirst(entry, places[parent]))) break;
      keys[place] = key;
      places[place] = places[parent];
      place = parent;
    }
    keys[place] = distance;
    places[place] = entry;
  }

  #grow() {
    const { keys, places, entries } = this;
    this.keys = new Float64Array(keys.length * 2);
    this.places = new Int32Array(keys.length * 2);
    this.entries = new Int32Array(entries.length * 2);
    this.keys.set(keys);
    this.places.set(places);
    this.entries.set(entries);
  }

  /**
   * Of two entries of one distance.
   *
   * @param {number} a
   * @param {number} b
   */
  #isFirst(a, b) {
    const { entries } = this;
    [a, b] = [a * 5, b * 5];
    if (entries[a] !== entries[b]) return entries[a] < entries[b];
    return isBefore(entries[a + 1], entries[a + 2], entries[b + 1], entries[b + 2]);
  }

  /** Takes out the first pair, if there is one. */
  pop() {
    if (!this.count) return false;
    const { keys, places, entries } = this;
    const first = places[0] * 5;
    this.distance = keys[0];
    this.cluster = entries[first + 1];
    this.nearest = entries[first + 2];
    this.age = entries[first + 3];
    this.nearestAge = entries[first + 4];
    const count = --this.count;
    const [key, entry] = [keys[count], places[count]];
    let place = 0;
    for (let child = 1; child < count; child = 2 * place + 1) {
      const other = child + 1;
      if (other < count && (keys[other] < keys[child] || (keys[other] === keys[child] && this.#isFirst(places[other], places[child])))) {
        child = other;
      }
      if (key < keys[child] || (key === keys[child] && !this.#isFirst(places[child], entry))) break;
      keys[place] = keys[child];
      places[place] = places[child];
      place = child;
    }
    keys[place] = key;
    places[place] = entry;
    return true;
  }
}

export { X, Y, RADIUS, SLOT, STRIDE_BITS };
