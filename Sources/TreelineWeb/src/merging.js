// Merges clusters. The next pair to merge is the pair with the least scaled distance. If all badges grew, the badges of
// this pair would touch first. Ties are broken by the least members of both clusters.
//
// The position of a cluster is the mean of its points, rounded to whole units, or one of its points. The least
// member of a cluster is the first of its points in Z-order. So the tree depends only on the set of points.
//
// Only one cluster of a pair searches for the other: the younger cluster. The younger cluster was merged later. Of two
// leaves the larger leaf searches. Of two equally large leaves the leaf with the greater least member searches. The
// older cluster existed when the younger cluster searched. So no pair is missed, even if the nearest neighbour of a
// cluster is merged. Each cluster keeps the first of its pairs. So either the first of all pairs is known, or the
// cluster that must find it had an earlier pair and will search again. A round is a range of distances. In each round,
// a cluster searches only if it may have a pair in this range.

import { EDGES, join } from "./box.js";
import { codeOf, endOfRound, LAST_ROUND, roundOf, scaled } from "./exact.js";
import { AGE, COUNT, EAST, MEMBER, NEAREST, NODE, RADIUS, SCALE, SLOT, STRIDE, STRIDE_BITS, WEST, X, Y } from "./live.js";
import { Tiles } from "./tiles.js";

/** @typedef {import("./badges.js").BadgeCurve} BadgeCurve */
/** @typedef {import("./leaves.js").Leaves} Leaves */

/** A merge takes eight words, half a cache line. */
const MERGE_BITS = 3;
export const LEFT = 0;
export const RIGHT = 1;
export const POINTS = 2;
export const RECORDS = 3;
export const HEIGHT = 4;
export const CODE = 5;
export const ANCHORS_RIGHT = 6;

/**
 * A binary tree of merges. Leaves are numbered from 0, and the numbers of merges follow. Each part of a merge has a
 * least member. The number of the merge is the number of leaves plus the greater of these two members. No two merges
 * have equal numbers.
 */
export class MergeTree {
  /** @param {Leaves} leaves */
  constructor(leaves) {
    this.leaves = leaves;
    this.leafCount = leaves.xs.length;
    /**
     * Seven numbers for each merge: the part with the smaller least member, the other part, the number of points, the
     * number of records below the merge in a stored tree, the height, the code of the scale, and whether the cluster
     * has the position of its right part. The scale of a merge is never less than the scales of its parts.
     */
    this.merges = new Int32Array(this.leafCount << MERGE_BITS);
    this.root = 0;
  }

  /**
   * Returns the offset of a merge in `merges`.
   *
   * @param {number} node
   */
  at(node) {
    return (node - this.leafCount) << MERGE_BITS;
  }

  /** @param {number} node */
  count(node) {
    const { starts } = this.leaves;
    return node < this.leafCount ? starts[node + 1] - starts[node] : this.merges[this.at(node) + POINTS];
  }

  /** @param {number} node */
  recordsBelow(node) {
    return node < this.leafCount ? 0 : this.merges[this.at(node) + RECORDS];
  }

  /** @param {number} node */
  height(node) {
    return node < this.leafCount ? 0 : this.merges[this.at(node) + HEIGHT];
  }

  /**
   * Computes heights and numbers of records, one level of the tree after the other. If the merges were visited in the
   * order of merging, each access would miss the cache.
   */
  measure() {
    const { leafCount, merges } = this;
    const order = new Int32Array(leafCount);
    let length = 0;
    if (leafCount > 1) order[length++] = this.root;
    for (let i = 0; i < length; i++) {
      const at = this.at(order[i]);
      const left = merges[at + LEFT];
      const right = merges[at + RIGHT];
      if (left >= leafCount) order[length++] = left;
      if (right >= leafCount) order[length++] = right;
    }
    for (let i = length - 1; i >= 0; i--) {
      const at = this.at(order[i]);
      const left = merges[at + LEFT];
      const right = merges[at + RIGHT];
      merges[at + RECORDS] = merges[at + POINTS] > 16 ? this.recordsBelow(left) + this.recordsBelow(right) + 2 : 0;
      merges[at + HEIGHT] = Math.max(this.height(left), this.height(right)) + 1;
    }
    return this;
  }

  /**
   * @param {number} node Number of the merge.
   * @param {number} left
   * @param {number} right
   * @param {number} count
   * @param {number} code
   * @param {boolean} anchorsRight
   */
  add(node, left, right, count, code, anchorsRight) {
    const { merges } = this;
    const at = this.at(node);
    merges[at + LEFT] = left;
    merges[at + RIGHT] = right;
    merges[at + POINTS] = count;
    merges[at + CODE] = code;
    merges[at + ANCHORS_RIGHT] = anchorsRight ? 1 : 0;
    this.root = node;
  }
}

const MIDDLE = 2 ** 31;
const WORLD = 2 ** 32;

/** The round that is stored for a number that no cluster has any more. */
const GONE = 255;
const NONE = -1;

/**
 * `NEW_REACHES` is the width of new tiles. `LEAST_REACHES` is the width below which tiles are replaced. Both widths are
 * in units of the search radius. The widest tile is an eighth of the world.
 */
const NEW_REACHES = 3;
const LEAST_REACHES = 1;
const GREATEST_SHIFT = 29;

/** A search with a greater radius than this reads all clusters. Few clusters are left when radii are so great. */
const WIDE_REACH = 2 ** 27;

/** Number of searches from one report to the next. These searches take about 0.1 s. */
const LOOKS = 1 << 17;

/** Average number of clusters that a cluster finds in its own tile. */
const IN_TILE = 16;

export class Merging {
  /**
   * @param {Leaves} leaves
   * @param {BadgeCurve} curve
   * @param {{anchorsAtMembers: boolean, crossesSeam: boolean}} options With `anchorsAtMembers` the position of a
   *   cluster is one of its points. With `crossesSeam` clusters may be merged across the seam, the meridian at which
   *   the plane begins and ends.
   * @param {() => void} [report] Called again and again, about every 0.1 s.
   */
  constructor(leaves, curve, { anchorsAtMembers, crossesSeam }, report = () => {}) {
    this.report = report;
    this.looks = 0;
    const { xs, ys, starts } = leaves;
    const count = xs.length;
    this.tree = new MergeTree(leaves);
    this.curve = curve;
    this.anchorsAtMembers = anchorsAtMembers;
    this.crossesSeam = crossesSeam;
    /** Number of leaves. The age of a leaf is less than this number. */
    this.leafCount = count;
    /**
     * Clusters are numbered in the order of their least members. `numbers` is the number of these numbers in use,
     * `liveCount` the number of live clusters.
     */
    this.numbers = count;
    this.liveCount = count;
    this.nextAge = count;
    this.live = new Int32Array(count << STRIDE_BITS);
    this.sums = new Float64Array(this.live.buffer);
    /** For each cluster across the seam, the number of its points east of the seam. */
    this.beyond = crossesSeam ? new Uint32Array(count) : null;
    /** The round in which each cluster searches again. All pairs of the cluster in earlier rounds are known. */
    this.rounds = new Uint8Array(count);
    /**
     * For each 64 consecutive numbers of clusters, a lower bound of the rounds of these clusters. Clusters with a
     * queued pair are ignored.
     */
    this.dues = new Uint8Array((count + 63) >> 6);
    /** The greatest radius of all clusters. */
    this.greatestRadius = 0;
    /** The upper bound of the scaled distances that are merged in this round. */
    this.end = 0;
    this.round = 0;
    /** Least radius of a search, in units of the plane. */
    this.horizon = 0;
    /** @type {Tiles | null} */
    this.tiles = null;
    this.queue = new PairQueue();
    /** The nearest cluster that the current search has found so far, and the scaled distance of this cluster. */
    this.nearest = NONE;
    this.distance = Infinity;
    this.rest = 0;
    /**
     * A cluster can be nearer than `nearest` only if its squared distance is at most `limit` times the square of the
     * sum of both radii.
     */
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
   * Returns the radius of a cluster. A scaled distance divides the distance by the sum of both radii.
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
      this.queue.sort();
      this.mergeAll();
      this.round++;
    }
    return this.tree;
  }

  /**
   * Returns the first round in which a cluster may search again. The result is not before a given round.
   *
   * @param {number} round
   */
  nextRound(round) {
    const { dues } = this;
    let least = LAST_ROUND;
    for (let block = 0; block << 6 < this.numbers; block++) {
      if (dues[block] <= round) return round;
      if (dues[block] < least) least = dues[block];
    }
    return least;
  }

  placeIfNeeded() {
    const reach = reachOf(this.end, 2 * this.greatestRadius);
    if (this.tiles && (this.tiles.shift === GREATEST_SHIFT || reach * LEAST_REACHES <= 2 ** this.tiles.shift)) return;
    if (this.liveCount < this.numbers) this.renumber();
    const width = Math.min(reach * NEW_REACHES, 2 ** GREATEST_SHIFT);
    const least = Math.min(32 - Math.clz32(Math.ceil(width) - 1), GREATEST_SHIFT);
    const shift = Math.max(least, this.widestShift());
    this.tiles = new Tiles(this.live, this.numbers, shift, this.crossesSeam);
    this.horizon = 2 ** shift / LEAST_REACHES;
  }

  /**
   * Returns the greatest tile width for which a tile has few clusters on average. The result is the exponent of the
   * width, which is a power of 2.
   */
  widestShift() {
    const { live, numbers } = this;
    // For each width, counts the pairs of clusters that share a tile of this width, but no tile of half the width.
    // Numbers follow the Z-order, so the clusters of a tile are consecutive. A run is a sequence of clusters that share
    // a tile. `sizes` is a stack with the lengths of the runs that are not finished yet. `ends` has, for each run, the
    // width of the tile that joins the run to the next clusters.
    const pairs = new Float64Array(34);
    const sizes = new Float64Array(35);
    const ends = new Uint8Array(35);
    let depth = 0;
    for (let number = 1; number <= numbers; number++) {
      const at = number << STRIDE_BITS;
      const width = number < numbers ? 32 - Math.clz32((live[at - STRIDE + X] ^ live[at + X]) | (live[at - STRIDE + Y] ^ live[at + Y])) : 33;
      let size = 1;
      while (depth > 0 && ends[depth] <= width) {
        pairs[ends[depth]] += sizes[depth] * size;
        size += sizes[depth--];
      }
      ends[++depth] = width;
      sizes[depth] = size;
    }
    let squares = numbers;
    let shift = 0;
    while (shift < GREATEST_SHIFT && (squares += 2 * pairs[shift + 1]) <= IN_TILE * numbers) shift++;
    return shift;
  }

  /** Renumbers the live clusters from 0, in the same order. Must be called between two rounds. */
  renumber() {
    const { live, rounds, beyond, numbers } = this;
    let next = 0;
    // Clusters get new slots later. Until then, the word for the slot holds the new number.
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
    this.dues.fill(0);
  }

  /**
   * Returns the neighbour that a cluster waits for, or `NONE` if the neighbour has been merged since then. After a
   * merge, the union has the neighbour's number and is younger than the waiting cluster. So the age of the cluster with
   * this number shows whether the neighbour was merged. Leaves wait only for leaves.
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

  /**
   * Searches for a pair for each cluster that may have a pair in this round. Must be called before any pair is merged.
   */
  lookAtDue() {
    const { rounds, dues, round, numbers } = this;
    for (let block = 0; block << 6 < numbers; block++) {
      if (dues[block] > round) continue;
      let least = GONE;
      const end = Math.min((block + 1) << 6, numbers);
      for (let number = block << 6; number < end; number++) {
        if (rounds[number] <= round) this.look(number);
        if (rounds[number] > round && rounds[number] < least) least = rounds[number];
      }
      dues[block] = least;
    }
  }

  /** Merges all pairs of the round in their order. */
  mergeAll() {
    const { queue, live, rounds } = this;
    for (let pair; (pair = queue.pop()) >= 0; ) {
      const { words } = queue;
      const cluster = words[pair * PAIR + 1];
      const nearest = words[pair * PAIR + 2];
      if (rounds[cluster] === GONE || live[(cluster << STRIDE_BITS) + AGE] !== words[pair * PAIR + 3]) continue;
      let next = cluster;
      if (rounds[nearest] !== GONE && live[(nearest << STRIDE_BITS) + AGE] === words[pair * PAIR + 4]) {
        next = Math.min(cluster, nearest);
        this.join(next, Math.max(cluster, nearest), queue.distances[pair]);
      }
      const found = this.look(next);
      if (found >= 0) queue.insert(found);
    }
    queue.clear();
  }

  /**
   * Merges two clusters. The first cluster becomes the union, and the number of the second cluster becomes free.
   *
   * @param {number} first
   * @param {number} second
   * @param {number} distance Scaled distance of the two clusters.
   */
  join(first, second, distance) {
    const { live, sums, beyond } = this;
    const a = first << STRIDE_BITS;
    const b = second << STRIDE_BITS;
    const count = live[a + COUNT] + live[b + COUNT];
    const sumX = sums[first * 8] + sums[second * 8];
    const sumY = sums[first * 8 + 1] + sums[second * 8 + 1];
    let sideBySide = sumX;
    let isAcross = false;
    if (beyond) {
      join(live[a + WEST] >>> 0, live[a + EAST] >>> 0, live[b + WEST] >>> 0, live[b + EAST] >>> 0);
      const west = EDGES[0];
      const east = EDGES[1];
      isAcross = west > east;
      if (isAcross) {
        beyond[first] = this.countBeyond(first, west) + this.countBeyond(second, west);
        sideBySide += beyond[first] * WORLD - count * MIDDLE;
      }
      live[a + WEST] = west;
      live[a + EAST] = east;
    }
    // For a cluster across the seam, `sideBySide` was computed with 2^32 subtracted from each x, not 2^31. So 2^32 is
    // subtracted from the mean, too.
    let x = roundedQuotient(sideBySide, count) + (isAcross ? 0 : MIDDLE);
    let y = roundedQuotient(sumY, count) + MIDDLE;
    let anchorsRight = false;
    if (this.anchorsAtMembers) {
      anchorsRight = isNearer(x >>> 0, y, live[b + X] >>> 0, live[b + Y] >>> 0, live[a + X] >>> 0, live[a + Y] >>> 0, isAcross);
      const anchor = anchorsRight ? b : a;
      x = live[anchor + X];
      y = live[anchor + Y];
    }
    const scale = Math.max(codeOf(distance), live[a + SCALE], live[b + SCALE]);
    const node = this.leafCount + live[b + MEMBER];
    this.tree.add(node, live[a + NODE], live[b + NODE], count, scale, anchorsRight);
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
   * Returns the number of points of a cluster that lie east of the seam. If the cluster becomes part of a cluster
   * across the seam, the width of the world is added to the x of these points.
   *
   * @param {number} number
   * @param {number} west West edge of the union.
   */
  countBeyond(number, west) {
    const { live, beyond } = this;
    const at = number << STRIDE_BITS;
    const own = live[at + WEST] >>> 0;
    if (own > live[at + EAST] >>> 0) return /** @type {Uint32Array} */ (beyond)[number];
    return own < west ? live[at + COUNT] : 0;
  }

  /**
   * Finds the first pair of a cluster, in the order of merging. If the pair belongs to this round, adds it to the queue
   * and returns its number in the queue. If the pair belongs to a later round, stores the later round, in which the
   * cluster must search again, and returns -1.
   *
   * @param {number} number
   */
  look(number) {
    if (++this.looks % LOOKS === 0) this.report();
    const { live } = this;
    const at = number << STRIDE_BITS;
    this.nearest = NONE;
    this.distance = Infinity;
    this.rest = 0;
    let bound = Infinity;
    const awaited = this.awaited(number);
    if (awaited >= 0) {
      this.takeNumber(number, awaited);
    } else {
      // Leaves search only for leaves that are not larger than they are.
      const radius = live[at + RADIUS];
      const width = radius + (live[at + AGE] < this.leafCount ? radius : this.greatestRadius);
      const needed = reachOf(this.end, width);
      if (needed > WIDE_REACH) {
        for (let other = 0; other < this.numbers; other++) {
          if (this.rounds[other] !== GONE && this.looksFor(number, other)) this.takeNumber(number, other);
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
      return this.queue.add(this.distance, this.rest, number, this.nearest, live[at + AGE], nearestAge);
    }
    const next = Math.min(Math.max(roundOf(Math.min(this.distance, bound)), this.round + 1), LAST_ROUND);
    this.rounds[number] = next;
    if (next < this.dues[number >> 6]) this.dues[number >> 6] = next;
    live[at + NEAREST] = hasNearest && this.distance <= bound ? this.nearest : NONE;
    return -1;
  }

  /**
   * Whether a cluster searches for another cluster. Of two clusters, the younger cluster searches. Of two leaves, the
   * larger leaf searches.
   *
   * @param {number} own
   * @param {number} other
   */
  looksFor(own, other) {
    const { live, leafCount } = this;
    const a = own << STRIDE_BITS;
    const b = other << STRIDE_BITS;
    if (live[a + AGE] >= leafCount) return live[b + AGE] < live[a + AGE];
    const isSmaller = live[b + RADIUS] < live[a + RADIUS] || (live[b + RADIUS] === live[a + RADIUS] && live[b + AGE] < live[a + AGE]);
    return live[b + AGE] < leafCount && isSmaller;
  }

  /**
   * @param {number} own
   * @param {number} other
   */
  takeNumber(own, other) {
    const at = other << STRIDE_BITS;
    this.take(own, other, this.live[at + X], this.live[at + Y], this.live[at + RADIUS]);
  }

  /**
   * Stores a cluster as the nearest cluster if it is nearer than the nearest cluster so far. Returns whether the
   * cluster was stored.
   *
   * @param {number} own
   * @param {number} other
   * @param {number} x Position of the other cluster.
   * @param {number} y
   * @param {number} radius
   */
  take(own, other, x, y, radius) {
    const { live } = this;
    const at = own << STRIDE_BITS;
    let dx = Math.abs((live[at + X] >>> 0) - (x >>> 0));
    const dy = Math.abs((live[at + Y] >>> 0) - (y >>> 0));
    if (dx > MIDDLE && this.beyond && !this.isTooWide(at, other << STRIDE_BITS)) dx = WORLD - dx;
    const width = radius + live[at + RADIUS];
    // A rounded comparison excludes most clusters.
    if ((dx * dx + dy * dy) * 2 ** 20 > (this.distance + 1) * (width * width) * (1 + 2 ** -40)) return false;
    const distance = scaled(dx, dy, width);
    if (distance > this.distance) return false;
    if (distance === this.distance && this.nearest >= 0) {
      if (scaled.rest > this.rest) return false;
      if (scaled.rest === this.rest && !isBefore(own, other, own, this.nearest)) return false;
    }
    this.nearest = other;
    this.distance = distance;
    this.rest = scaled.rest;
    return true;
  }

  /**
   * Whether the union of two clusters is half a world wide or more. Clusters with such a wide union are not merged
   * across the seam.
   *
   * @param {number} a Offset of the first in `live`.
   * @param {number} b
   */
  isTooWide(a, b) {
    const { live } = this;
    join(live[a + WEST] >>> 0, live[a + EAST] >>> 0, live[b + WEST] >>> 0, live[b + EAST] >>> 0);
    return EDGES[0] <= EDGES[1] && EDGES[1] - EDGES[0] >= MIDDLE;
  }
}

/**
 * Returns the greatest distance, in units of the plane, of two clusters whose scaled distance is below `end`.
 *
 * @param {number} end
 * @param {number} width
 */
function reachOf(end, width) {
  return (Math.sqrt(end) * width) / 1024 + 1;
}

/**
 * Whether a pair of least members comes before another pair. Compares the smaller members of both pairs first.
 *
 * @param {number} a
 * @param {number} b
 * @param {number} c
 * @param {number} d
 */
function isBefore(a, b, c, d) {
  const first = Math.min(a, b);
  const other = Math.min(c, d);
  return first < other || (first === other && Math.max(a, b) < Math.max(c, d));
}

/**
 * Returns a quotient rounded to the nearest whole number, halves up.
 *
 * @param {number} sum At most 2^53 in magnitude.
 * @param {number} count
 */
function roundedQuotient(sum, count) {
  let quotient = Math.floor(sum / count);
  let remainder = sum - quotient * count;
  // The division may have rounded the quotient up to the next whole number.
  if (remainder < 0) {
    quotient--;
    remainder += count;
  }
  return 2 * remainder >= count ? quotient + 1 : quotient;
}

/**
 * Whether the first of two positions is nearer to a mean than the second. For a cluster across the seam, distances are
 * measured the shorter way around the world.
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
  // With a width of 2^10 a scaled distance is the square of the distance.
  const first = scaled(dx1, Math.abs(y - y1), 1024);
  const rest = scaled.rest;
  const second = scaled(dx2, Math.abs(y - y2), 1024);
  return first < second || (first === second && rest < scaled.rest);
}

/**
 * Number of words of a pair: the rest of the scaled distance, the cluster that found the pair, its neighbour, and the
 * ages of both clusters.
 */
const PAIR = 5;

/**
 * The pairs of a round, in the order of merging. Pairs that are found before the first merge of the round are in a
 * sorted list. Later pairs are in a binary heap.
 */
class PairQueue {
  constructor() {
    /** Scaled distance and words of each pair, indexed by the number of the pair. */
    this.distances = new Float64Array(1 << 10);
    this.words = new Int32Array(PAIR << 10);
    this.pairCount = 0;
    /**
     * The pairs in the order of merging, the length of this list, and the number of pairs that were removed from the
     * start of the list.
     */
    this.list = new Int32Array(0);
    this.listCount = 0;
    this.taken = 0;
    this.heap = new Int32Array(1 << 10);
    this.heapCount = 0;
  }

  clear() {
    this.pairCount = this.listCount = this.taken = 0;
  }

  /**
   * Stores a pair, and returns its number. The pair is not in the list or in the heap yet.
   *
   * @param {number} distance
   * @param {number} rest
   * @param {number} cluster
   * @param {number} nearest
   * @param {number} age
   * @param {number} nearestAge
   */
  add(distance, rest, cluster, nearest, age, nearestAge) {
    if (this.pairCount === this.distances.length) {
      this.distances = grown(this.distances, Float64Array);
      this.words = grown(this.words, Int32Array);
    }
    const pair = this.pairCount++;
    const { words } = this;
    this.distances[pair] = distance;
    words[pair * PAIR] = rest;
    words[pair * PAIR + 1] = cluster;
    words[pair * PAIR + 2] = nearest;
    words[pair * PAIR + 3] = age;
    words[pair * PAIR + 4] = nearestAge;
    return pair;
  }

  /** Sorts all pairs: first by the highest bits that differ within a round, then by insertion sort. */
  sort() {
    const count = this.pairCount;
    if (this.list.length < count) this.list = new Int32Array(count + (count >> 1));
    const { list, distances } = this;
    const keys = new Uint32Array(distances.buffer);
    const bits = Math.min(33 - Math.clz32(count), ROUND_BITS);
    const shift = ROUND_BITS - bits;
    const mask = (1 << bits) - 1;
    const starts = new Uint32Array(mask + 2);
    for (let pair = 0; pair < count; pair++) starts[((keys[pair * 2 + 1] >>> shift) & mask) + 1]++;
    for (let key = 0; key <= mask; key++) starts[key + 1] += starts[key];
    for (let pair = 0; pair < count; pair++) list[starts[(keys[pair * 2 + 1] >>> shift) & mask]++] = pair;
    for (let place = 1; place < count; place++) {
      const pair = list[place];
      let to = place;
      for (; to > 0 && this.isFirst(pair, list[to - 1]); to--) list[to] = list[to - 1];
      list[to] = pair;
    }
    this.listCount = count;
  }

  /**
   * Whether the first of two pairs is merged before the second.
   *
   * @param {number} a
   * @param {number} b
   */
  isFirst(a, b) {
    const { distances, words } = this;
    if (distances[a] !== distances[b]) return distances[a] < distances[b];
    const [i, j] = [a * PAIR, b * PAIR];
    if (words[i] !== words[j]) return words[i] < words[j];
    return isBefore(words[i + 1], words[i + 2], words[j + 1], words[j + 2]);
  }

  /**
   * Inserts a pair into the heap.
   *
   * @param {number} pair
   */
  insert(pair) {
    if (this.heapCount === this.heap.length) this.heap = grown(this.heap, Int32Array);
    const { heap } = this;
    let place = this.heapCount++;
    for (; place > 0; ) {
      const parent = (place - 1) >> 1;
      if (!this.isFirst(pair, heap[parent])) break;
      heap[place] = heap[parent];
      place = parent;
    }
    heap[place] = pair;
  }

  /** Removes the first pair and returns its number. Returns -1 if there is no pair. */
  pop() {
    if (!this.heapCount) return this.taken < this.listCount ? this.list[this.taken++] : -1;
    const { heap } = this;
    const first = heap[0];
    if (this.taken < this.listCount && this.isFirst(this.list[this.taken], first)) return this.list[this.taken++];
    const count = --this.heapCount;
    const last = heap[count];
    let place = 0;
    for (let child = 1; child < count; child = 2 * place + 1) {
      if (child + 1 < count && this.isFirst(heap[child + 1], heap[child])) child++;
      if (!this.isFirst(heap[child], last)) break;
      heap[place] = heap[child];
      place = child;
    }
    heap[place] = last;
    return first;
  }
}

/**
 * Number of bits in the upper half of a distance that may differ within a round. All higher bits are equal within a
 * round.
 */
const ROUND_BITS = 18;

/**
 * Returns a copy of a list with twice the length.
 *
 * @template {Float64Array | Int32Array} List
 * @param {List} list
 * @param {{new (length: number): List}} type
 */
function grown(list, type) {
  const longer = new type(list.length * 2);
  longer.set(list);
  return longer;
}
