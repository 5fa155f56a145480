// The live clusters by position, in square tiles. Only tiles with clusters exist.
//
// A tile is several times as wide as searches reach, and its clusters lie behind each other: so a search reads a tile
// or a few from end to end.

import { RADIUS, SLOT, STRIDE_BITS, X, Y } from "./merging.js";

/** A tile is its column and row, its first slot, and how many slots it uses and has. */
const TILE_BITS = 3;
const [COLUMN, ROW, START, COUNT, CAPACITY] = [0, 1, 2, 3, 4];

/** A slot is x, y, radius and number of a cluster. */
const [SLOT_X, SLOT_Y, SLOT_RADIUS, SLOT_NUMBER] = [0, 1, 2, 3];
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
    this.slots = new Int32Array((count + changes + (count >> 3) + 64) * 4);
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
    const bits = Math.max(33 - Math.clz32(tiles), 4);
    const old = this.table;
    this.table = new Int32Array(1 << (bits + TILE_BITS));
    this.tableShift = 32 - bits;
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
    const hash = Math.imul(column, 0x9e3779b1) + Math.imul(row, 0x85ebca6b);
    let tile = (Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d) >>> this.tableShift) << TILE_BITS;
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
    if ((this.slotCount + capacity) * 4 > this.slots.length) {
      const slots = new Int32Array(Math.max((this.slotCount + capacity) * 4, this.slots.length * 1.5) & ~3);
      slots.set(this.slots.subarray(0, this.slotCount * 4));
      this.slots = slots;
    }
    this.slots.fill(FREE, this.slotCount * 4, (this.slotCount + capacity) * 4);
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
    slots[slot * 4 + SLOT_X] = live[at + X];
    slots[slot * 4 + SLOT_Y] = live[at + Y];
    slots[slot * 4 + SLOT_RADIUS] = live[at + RADIUS];
    slots[slot * 4 + SLOT_NUMBER] = number;
  }

  /**
   * Takes out a cluster.
   *
   * @param {number} number
   */
  remove(number) {
    const { live, slots, table, shift } = this;
    const slot = live[(number << STRIDE_BITS) + SLOT];
    const tile = this.#place((slots[slot * 4 + SLOT_X] >>> shift) | 0, (slots[slot * 4 + SLOT_Y] >>> shift) | 0);
    const last = table[tile + START] + --table[tile + COUNT];
    if (slot !== last) {
      slots.copyWithin(slot * 4, last * 4, last * 4 + 4);
      live[(slots[slot * 4 + SLOT_NUMBER] << STRIDE_BITS) + SLOT] = slot;
    }
    slots[last * 4 + SLOT_NUMBER] = FREE;
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
    if (((slots[slot * 4 + SLOT_X] ^ live[at + X]) | (slots[slot * 4 + SLOT_Y] ^ live[at + Y])) >>> shift === 0) {
      this.#write(number, slot);
      return;
    }
    this.remove(number);
    const tile = this.#tileOf(number);
    const [start, count] = [this.table[tile + START], this.table[tile + COUNT]];
    if (count === this.table[tile + CAPACITY]) {
      this.#reserve(tile, count + (count >> 1) + 4);
      const target = this.table[tile + START];
      this.slots.copyWithin(target * 4, start * 4, (start + count) * 4);
      this.slots.fill(FREE, start * 4, (start + count) * 4);
      for (let offset = 0; offset < count; offset++) {
        live[(this.slots[(target + offset) * 4 + SLOT_NUMBER] << STRIDE_BITS) + SLOT] = target + offset;
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
    const { live, table, shift } = this;
    const at = number << STRIDE_BITS;
    const [x, y] = [live[at + X] >>> 0, live[at + Y] >>> 0];
    const size = 2 ** shift;
    const last = WORLD / size - 1;
    let [minColumn, maxColumn] = [Math.floor((x - reach) / size), Math.floor((x + reach) / size)];
    const minRow = Math.max(Math.floor((y - reach) / size), 0);
    const maxRow = Math.min(Math.floor((y + reach) / size), last);
    if (!this.isCyclic) [minColumn, maxColumn] = [Math.max(minColumn, 0), Math.min(maxColumn, last)];
    if (maxColumn - minColumn >= last) [minColumn, maxColumn] = [0, last];
    merging.limit = limitOf(bound);
    if ((maxColumn - minColumn) * (maxRow - minRow) > this.tileCount) {
      this.#scan(merging, number, 0, this.slotCount);
      return;
    }
    const [ownColumn, ownRow] = [Math.floor(x / size), Math.floor(y / size)];
    // What is nearest is mostly in the same tile.
    const own = this.#place(ownColumn | 0, ownRow | 0);
    this.#scan(merging, number, table[own + START], table[own + COUNT]);
    const square = width * width;
    for (let row = minRow; row <= maxRow; row++) {
      const dy = Math.max(row * size - y, y - row * size - (size - 1), 0);
      for (let column = minColumn; column <= maxColumn; column++) {
        if (column === ownColumn && row === ownRow) continue;
        const dx = Math.max(column * size - x, x - column * size - (size - 1), 0);
        if (dx * dx + dy * dy > square * merging.limit) continue;
        const tile = this.#place(column & last, row | 0);
        if (table[tile + COUNT]) this.#scan(merging, number, table[tile + START], table[tile + COUNT]);
      }
    }
  }

  /**
   * @param {import("./merging.js").Merging} merging
   * @param {number} number
   * @param {number} start
   * @param {number} count
   */
  #scan(merging, number, start, count) {
    const { live, slots } = this;
    const at = number << STRIDE_BITS;
    const [x, y, radius] = [live[at + X], live[at + Y], live[at + RADIUS]];
    let { limit } = merging;
    for (let slot = start * 4, end = (start + count) * 4; slot < end; slot += 4) {
      // The shorter way around, also on planes without a seam, where the real difference may be longer.
      const dx = (slots[slot + SLOT_X] - x) | 0;
      const dy = (slots[slot + SLOT_Y] - y) | 0;
      const width = slots[slot + SLOT_RADIUS] + radius;
      if (dx * dx + dy * dy > width * width * limit) continue;
      const other = slots[slot + SLOT_NUMBER];
      if (other === FREE || other === number) continue;
      merging.take(number, other);
      if (merging.nearest >= 0) limit = Math.min(limit, limitOf(merging.distance));
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
