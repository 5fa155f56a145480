// Columns of an index. A column has a value for each point, in tree order.

import { isoTime } from "./time.js";

/** @typedef {import("./index-file.js").Bytes} Bytes */
/** @typedef {null | boolean | number | string} Value */

/**
 * @typedef {object} Column
 * @property {string} name
 * @property {"number" | "category" | "boolean" | "time" | "text" | "any"} kind
 * @property {(index: number) => Value} value Returns a point's value for filters and aggregates; null if the value is
 *   missing. A time is in seconds since the beginning of 1970.
 * @property {(index: number) => bigint | null | undefined} [instant] Returns a point's time in nanoseconds since the
 *   beginning of 1970, which aggregates compare exactly; null or undefined if the value is not a time.
 * @property {number} [digits] Number of decimals of a column whose numbers or times are stored as integers; otherwise
 *   undefined.
 * @property {boolean} [isDates] Whether all times of the column are dates.
 * @property {(index: number) => any} output Returns a point's value for features; undefined if the point has no value.
 */

/** Upper word of the NaN that stands for a missing value. The lower word is `ABSENT` if the property is absent. */
const QUIET_NAN = 0x7ff80000;
const ABSENT = 1;

const KINDS = /** @type {const} */ (["", "number", "category", "boolean", "time", "text"]);

/** @param {number} length */
const aligned = (length) => Math.ceil(length / 8) * 8;

/**
 * Reads a section of kind *attribute*.
 *
 * @param {Bytes} bytes
 * @param {number} offset
 * @param {number} length
 * @param {number} pointCount
 * @returns {Column}
 */
export function attributeColumn(bytes, offset, length, pointCount) {
  bytes.require(length >= 16, offset, "an attribute of 16 bytes or more", length);
  const [encoding, nameLength, entryCount] = [bytes.u32(offset), bytes.u32(offset + 4), bytes.u32(offset + 8)];
  bytes.require(encoding === 1 || encoding === 2, offset, "attribute encoding 1 or 2", encoding);
  const body = aligned(16 + nameLength);
  bytes.require(body <= length, offset + 4, "a name that ends within the section", `${nameLength} bytes`);
  const needed = encoding === 1 ? 8 * pointCount : aligned(4 * pointCount) + 8 * (entryCount + 1);
  bytes.require(length - body >= needed, offset + 8, `${needed} bytes for ${pointCount} points and ${entryCount} entries`, length - body);
  const name = bytes.text(offset + 16, nameLength);
  const start = offset + body;
  if (encoding === 1) {
    /** @param {number} index */
    const output = (index) => {
      const number = bytes.f64(start + 8 * index);
      if (Number.isFinite(number)) return number;
      return bytes.u32(start + 8 * index + 4) === QUIET_NAN && bytes.u32(start + 8 * index) === ABSENT ? undefined : null;
    };
    return { name, kind: "number", output, value: (index) => output(index) ?? null };
  }
  const table = start + aligned(4 * pointCount);
  const entries = new Entries(bytes, table, entryCount, offset + length);
  return {
    name, kind: "text",
    output: (index) => entries.output(bytes.u32(start + 4 * index)),
    value: (index) => entries.value(bytes.u32(start + 4 * index)),
  };
}

/**
 * Reads a section of kind *column*.
 *
 * @param {Bytes} bytes
 * @param {number} offset
 * @param {number} length
 * @param {number} pointCount
 * @returns {Column}
 */
export function typedColumn(bytes, offset, length, pointCount) {
  bytes.require(length >= 24, offset, "a column of 24 bytes or more", length);
  const [number, encoding, width, digits, isDates] = new Uint8Array(bytes.buffer, offset, 5);
  bytes.require(number >= 1 && number <= 5, offset, "a column kind from 1 to 5", number);
  const kind = KINDS[number];
  const suits = encoding === 1 ? [1, 3, 4] : encoding === 2 ? [1] : encoding === 3 ? [2, 5] : [];
  bytes.require(suits.includes(number), offset + 1, `an encoding that suits a column of kind ${kind}`, encoding);
  bytes.require(encoding === 2 ? width === 8 : [1, 2, 4, 8].includes(width), offset + 2, "a width of 1, 2, 4 or 8 bytes", width);
  const mostDigits = kind === "time" ? 9 : kind === "number" && encoding === 1 ? 18 : 0;
  bytes.require(digits <= mostDigits, offset + 3, `at most ${mostDigits} digits`, digits);
  const [nameLength, entryCount] = [bytes.u32(offset + 8), bytes.u32(offset + 12)];
  const body = aligned(24 + nameLength);
  bytes.require(body <= length, offset + 8, "a name that ends within the section", `${nameLength} bytes`);
  const end = aligned(width * pointCount);
  const needed = end + (encoding === 3 ? 8 * (entryCount + 1) : 0);
  bytes.require(length - body >= needed, offset + body, `${needed} bytes for ${pointCount} points and ${entryCount} entries`, length - body);
  const name = bytes.text(offset + 24, nameLength);
  const start = offset + body;
  if (encoding === 3) {
    const entries = new Entries(bytes, start + end, entryCount, offset + length);
    const code = codes(bytes, start, width);
    /** @param {number} index */
    const output = (index) => (code(index) < entryCount ? entries.output(code(index)) : null);
    return { name, kind: kind === "text" ? "text" : "category", output, value: (index) => entries.value(code(index)) };
  }
  /** @type {(index: number) => number | null} */
  const numeric = encoding === 2
    ? (index) => finite(bytes.f64(start + 8 * index)) : integers(bytes, start, width, bytes.view.getBigInt64(offset + 16, true), digits);
  if (kind === "boolean") {
    /** @param {number} index */
    const value = (index) => (numeric(index) === null ? null : numeric(index) !== 0);
    return { name, kind, value, output: value };
  }
  if (kind !== "time") return { name, kind: "number", value: numeric, output: numeric, ...(encoding === 1 && { digits }) };
  const ticks = exactIntegers(bytes, start, width, bytes.view.getBigInt64(offset + 16, true));
  const unit = 10n ** BigInt(9 - digits);
  return {
    name, kind, digits, isDates: isDates === 1, value: numeric, output: (index) => isoTime(ticks(index), digits, isDates === 1),
    instant: (index) => {
      const own = ticks(index);
      return own === null ? null : own * unit;
    },
  };
}

/** @param {number} number */
const finite = (number) => (Number.isFinite(number) ? number : null);

/**
 * @param {Bytes} bytes
 * @param {number} start
 * @param {number} width
 * @returns {(index: number) => number}
 */
function codes({ view }, start, width) {
  if (width === 1) return (index) => view.getUint8(start + index);
  if (width === 2) return (index) => view.getUint16(start + 2 * index, true);
  if (width === 4) return (index) => view.getUint32(start + 4 * index, true);
  return (index) => Number(view.getBigUint64(start + 8 * index, true));
}

/**
 * Returns a function that reads decimal numbers. Missing values are null.
 *
 * @param {Bytes} bytes
 * @param {number} start
 * @param {number} width
 * @param {bigint} base
 * @param {number} digits
 * @returns {(index: number) => number | null}
 */
function integers(bytes, start, width, base, digits) {
  const missing = 2 ** (8 * width) - 1;
  const divisor = 10 ** digits;
  const least = Number(base);
  if (width < 8 && Math.abs(least) < 2 ** 52) {
    const code = codes(bytes, start, width);
    return (index) => {
      const own = code(index);
      return own === missing ? null : (least + own) / divisor;
    };
  }
  const exact = exactIntegers(bytes, start, width, base);
  return (index) => {
    const integer = exact(index);
    return integer === null ? null : Number(`${integer}e-${digits}`);
  };
}

/**
 * Returns a function that reads integers. Missing values are null.
 *
 * @param {Bytes} bytes
 * @param {number} start
 * @param {number} width
 * @param {bigint} base
 * @returns {(index: number) => bigint | null}
 */
function exactIntegers(bytes, start, width, base) {
  const missing = (1n << BigInt(8 * width)) - 1n;
  const code = codes(bytes, start, width);
  return (index) => {
    const own = width < 8 ? BigInt(code(index)) : bytes.view.getBigUint64(start + 8 * index, true);
    return own === missing ? null : base + own;
  };
}

/** Distinct values of a column. Each value is stored as a text and a tag that says the type of the value. */
class Entries {
  /** @type {Map<number, any>} */
  #read = new Map();

  /**
   * @param {Bytes} bytes
   * @param {number} table Offset of a table with the start and the end of each entry.
   * @param {number} count
   * @param {number} end End of the section.
   */
  constructor(bytes, table, count, end) {
    this.bytes = bytes;
    this.table = table;
    this.count = count;
    this.text = table + 8 * (count + 1);
    this.length = end - this.text;
  }

  /**
   * Returns the value of an entry: undefined if the value is absent, null if the value is null or invalid.
   *
   * @param {number} entry
   */
  output(entry) {
    if (!this.#read.has(entry)) this.#read.set(entry, this.#value(entry));
    return this.#read.get(entry);
  }

  /**
   * @param {number} entry
   * @returns {Value}
   */
  value(entry) {
    const value = this.output(entry);
    return value === undefined ? null : typeof value === "object" && value !== null ? JSON.stringify(value) : value;
  }

  /** @param {number} entry */
  #value(entry) {
    const { bytes, table } = this;
    if (entry >= this.count) return null;
    const [start, end] = [bytes.u64(table + 8 * entry), bytes.u64(table + 8 * entry + 8)];
    if (start >= end || end > this.length) return null;
    const tag = bytes.view.getUint8(this.text + start);
    const text = bytes.text(this.text + start + 1, end - start - 1);
    if (tag === 1 || tag === 2) return tag === 2;
    if (tag === 4) return text;
    if (tag === 6) return undefined;
    if (tag !== 3 && tag !== 5) return null;
    try {
      const value = JSON.parse(text);
      return (tag === 3) === (typeof value === "number") ? value : null;
    } catch {
      return null;
    }
  }
}
