// A grid of square tiles that finds the clusters near a position. Only tiles with clusters are stored.
//
// A tile is several times as wide as the radius of a search. The clusters of a tile are contiguous in memory, so a
// search reads a few ranges from end to end.

import { AGE, RADIUS, SLOT, STRIDE_BITS, X, Y } from "./live.js";

/**
 * Each tile has eight words. Five words are used: column, row, first slot, number of slots in use, and number of all
 * slots.
 */
const TILE_BITS = 3;
const COLUMN = 0;
const ROW = 1;
const START = 2;
const COUNT = 3;
const CAPACITY = 4;

/**
 * Words of a slot. They contain the data of a cluster that a search reads, the number of the cluster, and the cluster's
 * tile.
 */
const SLOT_WORDS = 6;
const SLOT_X = 0;
const SLOT_Y = 1;
const SLOT_RADIUS = 2;
const SLOT_AGE = 3;
const SLOT_NUMBER = 4;
const SLOT_TILE = 5;
const FREE = -1;
const WORLD = 2 ** 32;

export class Tiles {
  /**
   * @param {Int32Array} live
   * @param {number} count Number of clusters. Clusters with neighbouring numbers should be near each other.
   * @param {number} shift Tiles are 2^shift units wide.
   * @param {boolean} isCyclic
   */
  constructor(live, count, shift, isCyclic) {
    this.live = live;
    this.shift = shift;
    this.size = 2 ** shift;
    this.last = WORLD / this.size - 1;
    this.isCyclic = isCyclic;
    let changes = 0;
    for (let number = 0, column = -1, row = -1; number < count; number++) {
      const at = number << STRIDE_BITS;
      const ownColumn = live[at + X] >>> shift;
      const ownRow = live[at + Y] >>> shift;
      if (ownColumn !== column || ownRow !== row) changes++;
      column = ownColumn;
      row = ownRow;
    }
    /** Tiles by number, from 1. Tile 0 has no slots. */
    this.tiles = new Int32Array((changes + 2) << TILE_BITS);
    this.tileCount = 0;
    /** A hash table of tiles with open addressing. At most half of its places are taken. */
    this.table = new Int32Array(0);
    this.tableShift = 0;
    this.#resize(changes);
    this.slots = new Int32Array((count + changes + (count >> 3) + 64) * SLOT_WORDS);
    this.slotCount = 0;
    // The slot of a cluster is set later. Until then, the word for the slot holds the number of the cluster's tile.
    for (let number = 0, tile = 0; number < count; number++) {
      const at = number << STRIDE_BITS;
      const own = tile << TILE_BITS;
      if (live[at + X] >>> shift !== this.tiles[own + COLUMN] || live[at + Y] >>> shift !== this.tiles[own + ROW] || tile === 0) tile = this.#tileOf(number);
      this.tiles[(tile << TILE_BITS) + CAPACITY]++;
      live[at + SLOT] = tile;
    }
    for (let number = 0; number < count; number++) {
      const tile = live[(number << STRIDE_BITS) + SLOT];
      const at = tile << TILE_BITS;
      if (this.tiles[at + COUNT] === 0) this.#reserve(tile, this.tiles[at + CAPACITY]);
      this.#add(number, tile);
    }
  }

  /** @param {number} count Number of tiles that must fit. */
  #resize(count) {
    const bits = Math.max(33 - Math.clz32(count), 6);
    const { tiles } = this;
    this.table = new Int32Array(1 << bits);
    this.tableShift = 36 - bits;
    for (let tile = 1; tile <= this.tileCount; tile++) {
      this.table[this.#place(tiles[(tile << TILE_BITS) + COLUMN], tiles[(tile << TILE_BITS) + ROW])] = tile;
    }
  }

  /**
   * Returns the place of a tile in the table. If the tile is not in the table, returns the empty place for it.
   *
   * @param {number} column
   * @param {number} row
   */
  #place(column, row) {
    const { table, tiles } = this;
    let place = placeOf(column, row, this.tableShift);
    for (let tile; (tile = table[place]) !== 0; ) {
      if (tiles[(tile << TILE_BITS) + COLUMN] === column && tiles[(tile << TILE_BITS) + ROW] === row) break;
      if (++place === table.length) place = 0;
    }
    return place;
  }

  /**
   * Returns the tile of a cluster. Adds the tile if it does not exist.
   *
   * @param {number} number
   */
  #tileOf(number) {
    const at = number << STRIDE_BITS;
    const column = (this.live[at + X] >>> this.shift) | 0;
    const row = (this.live[at + Y] >>> this.shift) | 0;
    let place = this.#place(column, row);
    if (this.table[place]) return this.table[place];
    if (this.tileCount * 2 >= this.table.length) {
      this.#resize(this.tileCount * 2);
      place = this.#place(column, row);
    }
    const tile = ++this.tileCount;
    if ((tile + 1) << TILE_BITS > this.tiles.length) this.tiles = longer(this.tiles);
    this.table[place] = tile;
    this.tiles[(tile << TILE_BITS) + COLUMN] = column;
    this.tiles[(tile << TILE_BITS) + ROW] = row;
    return tile;
  }

  /**
   * Reserves slots for a tile, after the slots of all other tiles.
   *
   * @param {number} tile
   * @param {number} capacity
   */
  #reserve(tile, capacity) {
    const end = this.slotCount + capacity;
    if (end * SLOT_WORDS > this.slots.length) this.slots = longer(this.slots, end * SLOT_WORDS);
    for (let slot = this.slotCount; slot < end; slot++) this.slots[slot * SLOT_WORDS + SLOT_NUMBER] = FREE;
    this.tiles[(tile << TILE_BITS) + START] = this.slotCount;
    this.tiles[(tile << TILE_BITS) + CAPACITY] = capacity;
    this.slotCount += capacity;
  }

  /**
   * Adds a cluster to a tile that has a free slot.
   *
   * @param {number} number
   * @param {number} tile
   */
  #add(number, tile) {
    const at = tile << TILE_BITS;
    const slot = this.tiles[at + START] + this.tiles[at + COUNT]++;
    this.live[(number << STRIDE_BITS) + SLOT] = slot;
    this.slots[slot * SLOT_WORDS + SLOT_TILE] = tile;
    this.#write(number, slot);
  }

  /**
   * @param {number} number
   * @param {number} slot
   */
  #write(number, slot) {
    const { live, slots } = this;
    const at = number << STRIDE_BITS;
    const to = slot * SLOT_WORDS;
    slots[to + SLOT_X] = live[at + X];
    slots[to + SLOT_Y] = live[at + Y];
    slots[to + SLOT_RADIUS] = live[at + RADIUS];
    slots[to + SLOT_AGE] = live[at + AGE];
    slots[to + SLOT_NUMBER] = number;
  }

  /**
   * Removes a cluster.
   *
   * @param {number} number
   */
  remove(number) {
    const { live, slots, tiles } = this;
    const slot = live[(number << STRIDE_BITS) + SLOT];
    const at = slot * SLOT_WORDS;
    const tile = slots[at + SLOT_TILE] << TILE_BITS;
    const last = tiles[tile + START] + --tiles[tile + COUNT];
    const lastAt = last * SLOT_WORDS;
    if (slot !== last) {
      for (let word = 0; word <= SLOT_NUMBER; word++) slots[at + word] = slots[lastAt + word];
      live[(slots[at + SLOT_NUMBER] << STRIDE_BITS) + SLOT] = slot;
    }
    slots[lastAt + SLOT_NUMBER] = FREE;
  }

  /**
   * Moves a cluster to its new position, and updates its radius and age.
   *
   * @param {number} number
   */
  move(number) {
    const { live, shift } = this;
    const at = number << STRIDE_BITS;
    const slot = live[at + SLOT];
    const from = slot * SLOT_WORDS;
    if (((this.slots[from + SLOT_X] ^ live[at + X]) | (this.slots[from + SLOT_Y] ^ live[at + Y])) >>> shift === 0) {
      this.#write(number, slot);
      return;
    }
    this.remove(number);
    const tile = this.#tileOf(number);
    const own = tile << TILE_BITS;
    const count = this.tiles[own + COUNT];
    if (count === this.tiles[own + CAPACITY]) {
      const start = this.tiles[own + START];
      this.#reserve(tile, count + (count >> 1) + 4);
      const target = this.tiles[own + START];
      const { slots } = this;
      slots.copyWithin(target * SLOT_WORDS, start * SLOT_WORDS, (start + count) * SLOT_WORDS);
      for (let offset = 0; offset < count; offset++) {
        slots[(start + offset) * SLOT_WORDS + SLOT_NUMBER] = FREE;
        live[(slots[(target + offset) * SLOT_WORDS + SLOT_NUMBER] << STRIDE_BITS) + SLOT] = target + offset;
      }
    }
    this.#add(number, tile);
  }

  /**
   * Finds the nearest neighbour of a cluster, and stores it in `merging`.
   *
   * The loops call a function only for a very great distance, or for a scaled distance that is a whole number. So the
   * compiler can keep the variables of the loops in registers.
   *
   * @param {import("./merging.js").Merging} merging
   * @param {number} number
   * @param {number} reach Radius of the search, in units of the plane.
   * @param {number} width The greatest sum of two radii.
   * @param {number} bound Greatest scaled distance to find.
   */
  search(merging, number, reach, width, bound) {
    const { live, slots, table, tiles, shift, size, tableShift } = this;
    const { leafCount } = merging;
    const at = number << STRIDE_BITS;
    const x = live[at + X];
    const y = live[at + Y];
    const radius = live[at + RADIUS];
    const age = live[at + AGE];
    const isLeaf = age < leafCount;
    const ownColumn = x >>> shift;
    const ownRow = y >>> shift;
    const mask = table.length - 1;
    const last = this.last | 0;
    let nearest = merging.nearest;
    let distance = merging.distance;
    let limit = limitOf(bound);
    // The range of tiles to search is computed after the first tile, which is the cluster's own tile.
    let isRangeKnown = false;
    let [minColumn, maxColumn, maxRow, column, row] = [0, 0, 0, 0, 0];
    const square = width * width;
    const left = x & (size - 1);
    const above = y & (size - 1);
    let tile = slots[live[at + SLOT] * SLOT_WORDS + SLOT_TILE] << TILE_BITS;
    let slot = tiles[tile + START] * SLOT_WORDS;
    let end = slot + tiles[tile + COUNT] * SLOT_WORDS;
    for (;;) {
      for (; slot < end; slot = (slot + SLOT_WORDS) | 0) {
        // The difference of x, measured the shorter way around the world. On a plane without a seam, |dx| is only a
        // lower bound of the difference.
        const dx = (slots[slot] - x) | 0;
        const dy = (slots[(slot + SLOT_Y) | 0] - y) | 0;
        const otherRadius = slots[(slot + SLOT_RADIUS) | 0];
        const sum = (otherRadius + radius) | 0;
        const far = dx * dx + dy * dy;
        if (far > sum * sum * limit) continue;
        const otherAge = slots[(slot + SLOT_AGE) | 0];
        // Only one cluster of each pair searches for the other: the younger cluster, or the larger of two leaves.
        if (isLeaf ? otherAge >= leafCount || otherRadius > radius || (otherRadius === radius && otherAge >= age) : otherAge >= age) continue;
        const other = slots[(slot + SLOT_NUMBER) | 0];
        if (other === FREE) continue;
        // Usually the scaled distance can be computed from two rounded numbers.
        const quotient = (far * 2 ** 20) / (sum * sum);
        const whole = Math.floor(quotient);
        if (whole === quotient || whole === distance || far >= FAR || quotient >= FAR) {
          merging.nearest = nearest;
          merging.distance = distance;
          merging.take(number, other, slots[slot], slots[slot + SLOT_Y], otherRadius);
          nearest = merging.nearest;
          distance = merging.distance;
        } else if (whole < distance) {
          nearest = other;
          distance = whole;
        }
        if (distance !== Infinity) limit = limitOf(distance);
      }
      if (!isRangeKnown) {
        isRangeKnown = true;
        const within = Math.ceil(Math.min(reach, Math.sqrt(limit) * width + 1)) | 0;
        // Often no other tile is near enough, so the search ends.
        if (left >= within && size - left > within && above >= within && size - above > within) break;
        minColumn = within > left ? ownColumn - ((within - left - 1) >> shift) - 1 : ownColumn;
        maxColumn = ownColumn + ((left + within) >> shift);
        row = within > above ? ownRow - ((within - above - 1) >> shift) - 1 : ownRow;
        maxRow = ownRow + ((above + within) >> shift);
        if (row < 0) row = 0;
        if (maxRow > last) maxRow = last;
        if (!this.isCyclic) {
          if (minColumn < 0) minColumn = 0;
          if (maxColumn > last) maxColumn = last;
        }
        if (maxColumn - minColumn >= last) {
          minColumn = 0;
          maxColumn = last;
        }
        column = minColumn;
      }
      // Finds the next tile that may contain a nearer cluster.
      tile = 0;
      for (; row <= maxRow; row++, column = minColumn) {
        const dy = row < ownRow ? above + ((ownRow - row - 1) << shift) + 1 : row > ownRow ? ((row - ownRow) << shift) - above : 0;
        for (; tile === 0 && column <= maxColumn; column++) {
          if (column === ownColumn && row === ownRow) continue;
          const dx = column < ownColumn ? left + ((ownColumn - column - 1) << shift) + 1 : column > ownColumn ? ((column - ownColumn) << shift) - left : 0;
          if (dx * dx + dy * dy > square * limit) continue;
          const wrapped = column & last;
          let place = placeOf(wrapped, row, tableShift);
          while ((tile = table[place]) !== 0 && (tiles[tile << TILE_BITS] !== wrapped || tiles[(tile << TILE_BITS) + ROW] !== row)) place = (place + 1) & mask;
        }
        if (tile !== 0) break;
      }
      if (tile === 0) break;
      slot = tiles[(tile << TILE_BITS) + START] * SLOT_WORDS;
      end = slot + tiles[(tile << TILE_BITS) + COUNT] * SLOT_WORDS;
    }
    merging.nearest = nearest;
    merging.distance = distance;
    if (distance < FAR) merging.rest = 0;
  }
}

/** From this number on, a double may not hold a scaled distance or a square exactly. */
const FAR = 2 ** 53;

/**
 * Returns the place in the table where the search for a tile begins. A block of 4 by 4 neighbouring tiles shares one
 * cache line of the table.
 *
 * @param {number} column
 * @param {number} row
 * @param {number} tableShift
 */
function placeOf(column, row, tableShift) {
  const hash = Math.imul(column >>> 2, 0x9e3779b1) + Math.imul(row >>> 2, 0x85ebca6b);
  const block = Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d) >>> tableShift;
  return (block << 4) | ((row & 3) << 2) | (column & 3);
}

/**
 * Returns a factor for a scaled distance. If two clusters have at most this scaled distance, the square of their
 * distance is at most the factor times the square of the sum of their radii.
 *
 * @param {number} scaled
 */
const limitOf = (scaled) => (scaled + 1) * (2 ** -20 * (1 + 2 ** -40));

/**
 * Returns a copy of a list that is at least one and a half times as long.
 *
 * @param {Int32Array} list
 * @param {number} [needed]
 */
function longer(list, needed = list.length) {
  const copy = new Int32Array(needed + (needed >> 1));
  copy.set(list);
  return copy;
}
