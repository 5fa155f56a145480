// The live clusters by position, in square tiles. Only tiles with clusters exist.
//
// A tile is several times as wide as searches reach, and its clusters lie behind each other: so a search reads a tile
// or a few from end to end.

import { AGE, RADIUS, SLOT, STRIDE_BITS, X, Y } from "./merging.js";

/** A tile is its column and row, its first slot, and how many slots it uses and has. */
const TILE_BITS = 3;
const [COLUMN, ROW, START, COUNT, CAPACITY] = [0, 1, 2, 3, 4];

/** A slot has of a cluster all that a search looks at, in eight words: half a cache line. */
const SLOT_BITS = 3;
const [SLOT_X, SLOT_Y, SLOT_RADIUS, SLOT_AGE, SLOT_NUMBER] = [0, 1, 2, 3, 4];
const FREE = -1;
const WORLD = 2 ** 32;

export class Tiles {
  /**
   * @param {Int32Array} live
   * @param {number} count Clusters, most of them near the one before; none is gone.
   * @param {number} shift Tiles are 2^shift units wide.
   * @param {boolean} isCyclic
   */
  constructor(live, count, shift, isCyclic) {
    this.live = live;
    this.shift = shift;
    this.size = 2 ** shift;
    this.last = WORLD / this.size - 1;
    this.isCyclic = isCyclic;
    /** A hash table with open addressing, at most half full. */
    this.table = new Int32Array(0);
    this.tableShift = 0;
    this.tileCount = 0;
    let changes = 0;
    for (let number = 0, column = -1, row = -1; number < count; number++) {
      const at = number << STRIDE_BITS;
      const [ownColumn, ownRow] = [live[at + X] >>> shift, live[at + Y] >>> shift];
      if (ownColumn !== column || ownRow !== row) changes++;
      [column, row] = [ownColumn, ownRow];
    }
    this.#resize(changes);
    this.slots = new Int32Array((count + changes + (count >> 3) + 64) << SLOT_BITS);
    this.slotCount = 0;
    for (let number = 0; number < count; number++) {
      const tile = this.#tileOf(number);
      this.table[tile + CAPACITY]++;
    }
    for (let number = 0; number < count; number++) {
      const tile = this.#tileOf(number);
      if (this.table[tile + COUNT] === 0) this.#reserve(tile, this.table[tile + CAPACITY]);
      this.#add(number, tile);
    }
  }

  /** @param {number} tiles */
  #resize(tiles) {
    const bits = Math.max(33 - Math.clz32(tiles), 6);
    const old = this.table;
    this.table = new Int32Array(1 << (bits + TILE_BITS));
    this.tableShift = 36 - bits;
    for (let tile = 0; tile < old.length; tile += 1 << TILE_BITS) {
      if (!old[tile + CAPACITY]) continue;
      this.table.set(old.subarray(tile, tile + 5), this.#place(old[tile + COLUMN], old[tile + ROW]));
    }
  }

  /**
   * Where a tile is in the table, or where it would be.
   *
   * @param {number} column
   * @param {number} row
   */
  #place(column, row) {
    const { table } = this;
    // Sixteen neighbours are next to each other in the table.
    const hash = Math.imul(column >>> 2, 0x9e3779b1) + Math.imul(row >>> 2, 0x85ebca6b);
    const block = Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d) >>> this.tableShift;
    let tile = ((block << 4) | ((row & 3) << 2) | (column & 3)) << TILE_BITS;
    while (table[tile + CAPACITY] && (table[tile + COLUMN] !== column || table[tile + ROW] !== row)) {
      tile += 1 << TILE_BITS;
      if (tile === table.length) tile = 0;
    }
    return tile;
  }

  /**
   * Where the tile of a cluster is in the table. It is added if there is none.
   *
   * @param {number} number
   */
  #tileOf(number) {
    const at = number << STRIDE_BITS;
    const [column, row] = [(this.live[at + X] >>> this.shift) | 0, (this.live[at + Y] >>> this.shift) | 0];
    let tile = this.#place(column, row);
    if (this.table[tile + CAPACITY]) return tile;
    if (this.tileCount * 2 >= this.table.length >> TILE_BITS) {
      this.#resize(this.tileCount * 2);
      tile = this.#place(column, row);
    }
    this.tileCount++;
    this.table[tile + COLUMN] = column;
    this.table[tile + ROW] = row;
    return tile;
  }

  /**
   * Gives a tile slots at the end of the list.
   *
   * @param {number} tile
   * @param {number} capacity
   */
  #reserve(tile, capacity) {
    const end = this.slotCount + capacity;
    if (end << SLOT_BITS > this.slots.length) {
      const slots = new Int32Array((end + (end >> 1)) << SLOT_BITS);
      slots.set(this.slots.subarray(0, this.slotCount << SLOT_BITS));
      this.slots = slots;
    }
    for (let slot = this.slotCount; slot < end; slot++) this.slots[(slot << SLOT_BITS) + SLOT_NUMBER] = FREE;
    this.table[tile + START] = this.slotCount;
    this.table[tile + CAPACITY] = capacity;
    this.slotCount += capacity;
  }

  /**
   * Adds a cluster to a tile with room for it.
   *
   * @param {number} number
   * @param {number} tile
   */
  #add(number, tile) {
    const slot = this.table[tile + START] + this.table[tile + COUNT]++;
    this.live[(number << STRIDE_BITS) + SLOT] = slot;
    this.#write(number, slot);
  }

  /**
   * @param {number} number
   * @param {number} slot
   */
  #write(number, slot) {
    const { live, slots } = this;
    const at = number << STRIDE_BITS;
    const to = slot << SLOT_BITS;
    slots[to + SLOT_X] = live[at + X];
    slots[to + SLOT_Y] = live[at + Y];
    slots[to + SLOT_RADIUS] = live[at + RADIUS];
    slots[to + SLOT_AGE] = live[at + AGE];
    slots[to + SLOT_NUMBER] = number;
  }

  /**
   * Takes out a cluster.
   *
   * @param {number} number
   */
  remove(number) {
    const { live, slots, table, shift } = this;
    const slot = live[(number << STRIDE_BITS) + SLOT];
    const at = slot << SLOT_BITS;
    const tile = this.#place((slots[at + SLOT_X] >>> shift) | 0, (slots[at + SLOT_Y] >>> shift) | 0);
    const last = table[tile + START] + --table[tile + COUNT];
    const lastAt = last << SLOT_BITS;
    if (slot !== last) {
      for (let word = 0; word <= SLOT_NUMBER; word++) slots[at + word] = slots[lastAt + word];
      live[(slots[at + SLOT_NUMBER] << STRIDE_BITS) + SLOT] = slot;
    }
    slots[lastAt + SLOT_NUMBER] = FREE;
  }

  /**
   * Moves a cluster to its new position; its radius may have changed, too.
   *
   * @param {number} number
   */
  move(number) {
    const { live, slots, shift } = this;
    const at = number << STRIDE_BITS;
    const slot = live[at + SLOT];
    const from = slot << SLOT_BITS;
    if (((slots[from + SLOT_X] ^ live[at + X]) | (slots[from + SLOT_Y] ^ live[at + Y])) >>> shift === 0) {
      this.#write(number, slot);
      return;
    }
    this.remove(number);
    const tile = this.#tileOf(number);
    const count = this.table[tile + COUNT];
    if (count === this.table[tile + CAPACITY]) {
      const start = this.table[tile + START];
      this.#reserve(tile, count + (count >> 1) + 4);
      const target = this.table[tile + START];
      this.slots.copyWithin(target << SLOT_BITS, start << SLOT_BITS, (start + count) << SLOT_BITS);
      for (let offset = 0; offset < count; offset++) {
        this.slots[((start + offset) << SLOT_BITS) + SLOT_NUMBER] = FREE;
        live[(this.slots[((target + offset) << SLOT_BITS) + SLOT_NUMBER] << STRIDE_BITS) + SLOT] = target + offset;
      }
    }
    this.#add(number, tile);
  }

  /**
   * Has a cluster take all others that may be the nearest to it.
   *
   * @param {import("./merging.js").Merging} merging
   * @param {number} number
   * @param {number} reach How far away those are at most.
   * @param {number} width The greatest sum of two radii.
   * @param {number} bound Scaled distances are no more than this.
   */
  search(merging, number, reach, width, bound) {
    const { live, table, size, last } = this;
    const at = number << STRIDE_BITS;
    const x = live[at + X] >>> 0;
    const y = live[at + Y] >>> 0;
    const ownColumn = live[at + X] >>> this.shift;
    const ownRow = live[at + Y] >>> this.shift;
    merging.limit = limitOf(bound);
    // What is nearest is mostly in the same tile, and often nothing beyond it is in reach.
    const own = this.#place(ownColumn | 0, ownRow | 0);
    this.#scan(merging, at, number, table[own + START], table[own + COUNT]);
    const left = x - ownColumn * size;
    const above = y - ownRow * size;
    const within = Math.min(reach, Math.sqrt(merging.limit) * width + 1);
    if (left >= within && size - left > within && above >= within && size - above > within) return;
    let minColumn = Math.floor((x - reach) / size);
    let maxColumn = Math.floor((x + reach) / size);
    const minRow = Math.max(Math.floor((y - reach) / size), 0);
    const maxRow = Math.min(Math.floor((y + reach) / size), last);
    if (!this.isCyclic) {
      minColumn = Math.max(minColumn, 0);
      maxColumn = Math.min(maxColumn, last);
    }
    if (maxColumn - minColumn >= last) {
      minColumn = 0;
      maxColumn = last;
    }
    if ((maxColumn - minColumn) * (maxRow - minRow) > this.tileCount) {
      this.#scan(merging, at, number, 0, this.slotCount);
      return;
    }
    const square = width * width;
    for (let row = minRow; row <= maxRow; row++) {
      const dy = row < ownRow ? y - row * size - (size - 1) : row > ownRow ? row * size - y : 0;
      for (let column = minColumn; column <= maxColumn; column++) {
        if (column === ownColumn && row === ownRow) continue;
        const dx = column < ownColumn ? x - column * size - (size - 1) : column > ownColumn ? column * size - x : 0;
        if (dx * dx + dy * dy > square * merging.limit) continue;
        const tile = this.#place(column & last, row | 0);
        if (table[tile + COUNT]) this.#scan(merging, at, number, table[tile + START], table[tile + COUNT]);
      }
    }
  }

  /**
   * @param {import("./merging.js").Merging} merging
   * @param {number} at Where the cluster is.
   * @param {number} number
   * @param {number} start
   * @param {number} count
   */
  #scan(merging, at, number, start, count) {
    const { live, slots } = this;
    const x = live[at + X];
    const y = live[at + Y];
    const radius = live[at + RADIUS];
    const age = live[at + AGE];
    const { leafCount } = merging;
    const isLeaf = age < leafCount;
    const end = (start + count) << SLOT_BITS;
    let { limit } = merging;
    for (let slot = start << SLOT_BITS; slot < end; slot += 1 << SLOT_BITS) {
      // The shorter way around, also on planes without a seam, where the real difference may be longer.
      const dx = (slots[slot + SLOT_X] - x) | 0;
      const dy = (slots[slot + SLOT_Y] - y) | 0;
      const otherRadius = slots[slot + SLOT_RADIUS];
      const width = otherRadius + radius;
      if (dx * dx + dy * dy > width * width * limit) continue;
      const otherAge = slots[slot + SLOT_AGE];
      // One cluster of each pair looks for the other: the younger one, of leaves the larger one.
      if (isLeaf ? otherAge >= leafCount || otherRadius > radius || (otherRadius === radius && otherAge >= age) : otherAge >= age) continue;
      const other = slots[slot + SLOT_NUMBER];
      if (other !== FREE && merging.take(number, other, slots[slot + SLOT_X], slots[slot + SLOT_Y], otherRadius)) limit = limitOf(merging.distance);
    }
    merging.limit = limit;
  }
}

/**
 * Squares of distances whose scaled ones are no more than a number are at most this times the square of the width.
 *
 * @param {number} scaled
 */
const limitOf = (scaled) => (scaled + 1) * (2 ** -20 * (1 + 2 ** -40));
