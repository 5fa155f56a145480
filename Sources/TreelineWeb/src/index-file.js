// Opens an index and reads its sections in place. Makes the checks that the page IndexFormat requires when an index is
// opened.

import { BadgeCurve } from "./badges.js";
import { attributeColumn, typedColumn } from "./columns.js";
import { asText, IndexError } from "./errors.js";
import { Plane } from "./plane.js";
import { Tree } from "./tree.js";

const MAGIC = [0x89, 0x54, 0x52, 0x4c, 0x0d, 0x0a, 0x1a, 0x0a];
const FIXED_LENGTH = 128;
const ENTRY_LENGTH = 32;
const GROWTHS = ["", "mean", "least-scatter", "gamma", "merge:distance", "merge:badges", "merge:scatter"];

const POINTS = 1;
const ROWS = 2;
const GAPS = 3;
const NODES = 4;
const SUMS = 5;
const SPREADS = 6;
const SEPARATIONS = 7;
const SCALES = 8;
const CURVE = 9;
const ANCHORS = 10;
const ATTRIBUTE = 16;
const DESCRIPTION = 17;
const COLUMN = 18;
const GROUPS = 21;
const WIDE_ROWS = 22;
/** For each kind of section, the first minor version of the format that contains this kind. */
/** @type {Record<number, number>} */
const VERSIONS = { 1: 0, 2: 0, 3: 0, 4: 0, 5: 0, 6: 0, 7: 0, 8: 2, 9: 2, 10: 2, 16: 0, 17: 1, 18: 3, 19: 3, 20: 3, 22: 4, 23: 5 };

/** The bytes of a file, and the name of the file for errors. */
export class Bytes {
  /**
   * @param {ArrayBuffer} buffer
   * @param {string} file
   */
  constructor(buffer, file) {
    this.buffer = buffer;
    this.file = file;
    this.view = new DataView(buffer);
    this.length = buffer.byteLength;
  }

  /** @param {number} offset */
  u16(offset) {
    return this.view.getUint16(offset, true);
  }

  /** @param {number} offset */
  u32(offset) {
    return this.view.getUint32(offset, true);
  }

  /**
   * Returns a number of 64 bits as a double. Numbers above 2^53 are rounded. No offset of a valid file is so great.
   *
   * @param {number} offset
   */
  u64(offset) {
    return this.u32(offset + 4) * 2 ** 32 + this.u32(offset);
  }

  /** @param {number} offset */
  f64(offset) {
    return this.view.getFloat64(offset, true);
  }

  /**
   * @param {number} offset
   * @param {number} length
   */
  text(offset, length) {
    return new TextDecoder().decode(new Uint8Array(this.buffer, offset, length));
  }

  /**
   * @param {boolean} condition
   * @param {number} offset
   * @param {string} expected
   * @param {unknown} found
   */
  require(condition, offset, expected, found) {
    if (!condition) throw IndexError.damaged(this.file, offset, expected, found);
  }
}

/**
 * Returns the tree of an index from an address, a file or bytes.
 *
 * @param {string | URL | Blob | ArrayBuffer | ArrayBufferView} source
 * @param {AbortSignal} [signal]
 * @param {boolean} [verify] Whether the checksums of all sections are checked.
 */
export async function openIndex(source, signal, verify = true) {
  if (source instanceof ArrayBuffer) return treeOf(source, "the index", verify);
  // Sections are read in place, so the bytes must begin at a multiple of 8.
  if (ArrayBuffer.isView(source)) {
    const { buffer, byteOffset, byteLength } = source;
    return treeOf(/** @type {ArrayBuffer} */ (buffer).slice(byteOffset, byteOffset + byteLength), "the index", verify);
  }
  if (source instanceof Blob) return treeOf(await source.arrayBuffer(), /** @type {File} */ (source).name ?? "the index", verify);
  if (typeof source !== "string" && !(source instanceof URL)) {
    throw new IndexError(`Expected the address, the file or the bytes of an index, found ${asText(source)}`);
  }
  if (typeof location === "undefined" && !/^(?!file:)[a-z][a-z\d+.-]+:/i.test(String(source))) return treeOf(await fileOf(source), String(source), verify);
  const response = await fetch(source, { signal }).catch((error) => {
    if (signal?.aborted) throw error;
    throw new IndexError(`${source}: the index cannot be loaded: ${error.message}`);
  });
  if (!response.ok) throw new IndexError(`${source}: expected an index, found the status ${response.status}`);
  return treeOf(await response.arrayBuffer(), String(source), verify);
}

/**
 * Reads a file in Node.
 *
 * @param {string | URL} source Path or `file:` address of the file.
 */
async function fileOf(source) {
  // The name of the module is in a variable, so that bundlers do not resolve it.
  const module = "node:fs/promises";
  try {
    const { readFile } = await import(/* webpackIgnore: true */ /* @vite-ignore */ module);
    const { buffer, byteOffset, byteLength } = await readFile(/^file:/i.test(String(source)) ? new URL(source) : source);
    return buffer.slice(byteOffset, byteOffset + byteLength);
  } catch (error) {
    throw new IndexError(`${source}: the index cannot be read: ${/** @type {Error} */ (error).message}; check the address, or give the bytes of the index`);
  }
}

/**
 * Returns the tree of an index.
 *
 * @param {ArrayBuffer} buffer
 * @param {string} file Name of the index in errors.
 * @param {boolean} verify
 */
export function treeOf(buffer, file, verify) {
  const bytes = new Bytes(buffer, file);
  const sections = checkedSections(bytes);
  const [pointCount, nodeCount] = [bytes.u32(24), bytes.u32(28)];
  const growth = bytes.u32(80);
  const traits = bytes.u32(88);
  const { plane, clippedPointCount } = planeOf(bytes, pointCount);
  const table = new Sections(bytes, sections);
  const scales = growth === 5 ? SCALES : SEPARATIONS;
  const curve = growth === 5 && table.has(SCALES) ? table.curve() : null;
  const pairs = Math.max(nodeCount - 1, 0) / 2 | 0;
  const nodes = table.array(NODES, Uint32Array, nodeCount * 6);
  const stored = {
    points: table.array(POINTS, Uint32Array, pointCount * 2),
    rows: table.has(WIDE_ROWS) ? wide(table.array(WIDE_ROWS, Uint32Array, pointCount * 2)) : table.array(ROWS, Uint32Array, pointCount),
    gaps: table.array(GAPS, Uint8Array, (pointCount + 1) >>> 1),
    nodes,
    sums: table.array(SUMS, Uint32Array, pairs * 4),
    spreads: table.array(SPREADS, Float32Array, pairs * 3),
    codes: table.has(scales) ? table.array(scales, Uint16Array, pointCount) : null,
    anchors: traits & 4 ? table.array(ANCHORS, Uint8Array, Math.ceil(pointCount / 8)) : null,
    isAcrossSeam: (traits & 1) === 1,
  };
  const nodesOffset = table.offset(NODES);
  if (pointCount) {
    bytes.require(nodes[4] === pointCount, nodesOffset + 16, `a root of all ${pointCount} points`, nodes[4]);
  }
  const columns = sections.filter(({ kind }) => kind === ATTRIBUTE || kind === COLUMN).map(({ kind, offset, length }) =>
    kind === ATTRIBUTE ? attributeColumn(bytes, offset, length, pointCount) : typedColumn(bytes, offset, length, pointCount));
  const growthName = growth === 3 ? `gamma:${bytes.u32(84) / 8}` : GROWTHS[growth];
  const tree = new Tree(
    stored, { plane, growth: growthName, curve, clippedPointCount, file, nodesOffset }, columns, table.description());
  if (pointCount) {
    if (nodes[5]) tree.hierarchy.leftRecord(0);
    else tree.hierarchy.checkBucket(pointCount, 0);
  }
  if (verify) for (const section of sections) checkSum(bytes, section);
  return tree;
}

/**
 * Returns row numbers that are stored in 8 bytes each.
 *
 * @param {Uint32Array} words
 */
function wide(words) {
  return Float64Array.from({ length: words.length / 2 }, (_, i) => Math.min(words[2 * i + 1] * 2 ** 32 + words[2 * i], 2 ** 53));
}

/**
 * Checks the header and the section table. Returns the sections whose kinds exist in the version of the index.
 *
 * @param {Bytes} bytes
 */
function checkedSections(bytes) {
  const { file, length } = bytes;
  const start = new Uint8Array(bytes.buffer, 0, Math.min(length, 8));
  if (length < 8 || MAGIC.some((byte, i) => start[i] !== byte)) {
    throw new IndexError(`${file}: expected an index, which begins with the bytes 89 54 52 4C 0D 0A 1A 0A; make an index with 'treelinemap build'`);
  }
  bytes.require(length >= FIXED_LENGTH, length, `a header of ${FIXED_LENGTH} bytes`, "the end of the file");
  const [major, minor] = [bytes.u16(8), bytes.u16(10)];
  if (major !== 1) {
    throw new IndexError(`${file}: expected an index of version 1, found version ${major}.${minor}; build it again or use a later version of Treeline`);
  }
  const count = bytes.u32(68);
  bytes.require(count <= 1024, 68, "at most 1024 sections", count);
  const headerLength = FIXED_LENGTH + ENTRY_LENGTH * count;
  bytes.require(bytes.u32(12) === headerLength, 12, `${headerLength} bytes of header`, bytes.u32(12));
  bytes.require(length >= headerLength, length, `a section table up to byte ${headerLength}`, "the end of the file");
  const header = new Uint8Array(bytes.buffer.slice(0, headerLength));
  header.fill(0, 120, 128);
  const checksum = xxHash64(header);
  bytes.require(bytes.view.getBigUint64(120, true) === checksum, 120, `the header's checksum ${checksum.toString(16)}`,
    bytes.view.getBigUint64(120, true).toString(16));
  bytes.require(bytes.u64(16) === length, 16, `the file's length of ${length} bytes`, bytes.u64(16));
  for (let offset = 92; offset < 120 && minor <= 5; offset++) {
    bytes.require(header[offset] === 0, offset, "0, as in all reserved bytes", header[offset]);
  }
  const [points, nodes, growth, gamma, traits] = [24, 28, 80, 84, 88].map((offset) => bytes.u32(offset));
  bytes.require(points <= 2 ** 31, 24, "at most 2^31 points", points);
  bytes.require(nodes <= Math.max(2 * points - 1, 0) && (nodes % 2 === 1 || !points), 28, `an odd number of nodes, less than ${2 * points}`, nodes);
  bytes.require(growth >= 1 && growth <= 6, 80, "a growth from 1 to 6", growth);
  bytes.require(growth === 3 ? gamma <= 32 : gamma === 0, 84, growth === 3 ? "a gamma of 0 to 32 eighths" : "no gamma", gamma);
  bytes.require(traits <= (growth >= 4 ? 7 : 0), 88, growth >= 4 ? "traits from 0 to 7" : "traits 0 in a tree that was built by splitting", traits);
  let end = headerLength;
  const known = [];
  for (let i = 0; i < count; i++) {
    const entry = FIXED_LENGTH + ENTRY_LENGTH * i;
    const [kind, flags, offset, size] = [bytes.u32(entry), bytes.u32(entry + 4), bytes.u64(entry + 8), bytes.u64(entry + 16)];
    bytes.require(flags <= 1, entry + 4, "section flags 0 or 1", flags);
    bytes.require(offset % 64 === 0 && offset >= end, entry + 8, `a section that begins at byte ${end} or later, at a multiple of 64`, offset);
    bytes.require(offset <= length && size <= length - offset, entry + 16, `a section within the file's ${length} bytes`, `${offset} and ${size}`);
    end = offset + size;
    if (kind === GROUPS) throw new IndexError(`${file}: the index has groups, which this module cannot read; query the index on a server, or build it without groups`);
    if (VERSIONS[kind] <= minor) known.push({ kind, offset, length: size, entry });
    else if (flags) throw new IndexError(`${file}: the index needs section kind ${kind}, which this version of Treeline does not know; use a later version`);
  }
  return known;
}

/**
 * Checks that the bytes of a section have the checksum in the section table.
 *
 * @param {Bytes} bytes
 * @param {{kind: number, offset: number, length: number, entry: number}} section
 */
function checkSum(bytes, { kind, offset, length, entry }) {
  const [stored, own] = [bytes.view.getBigUint64(entry + 24, true), xxHash64(new Uint8Array(bytes.buffer, offset, length))];
  bytes.require(stored === own, offset, `a section of kind ${kind} with the checksum ${stored.toString(16)}`, own.toString(16));
}

/**
 * @param {Bytes} bytes
 * @param {number} pointCount
 */
function planeOf(bytes, pointCount) {
  const [projection, seam, clippedPointCount] = [bytes.u32(32), bytes.u32(36), bytes.u32(64)];
  const [left, top, side] = [bytes.f64(40), bytes.f64(48), bytes.f64(56)];
  bytes.require(projection === 1 || projection === 2, 32, "projection 1 (Web Mercator) or 2 (plain plane)", projection);
  bytes.require(clippedPointCount <= pointCount, 64, `at most all ${pointCount} points`, clippedPointCount);
  if (projection === 1) {
    for (const offset of [40, 48, 56]) bytes.require(bytes.u64(offset) === 0, offset, "0 on Web Mercator", bytes.f64(offset));
    return { plane: new Plane(true, seam), clippedPointCount };
  }
  bytes.require(seam === 0, 36, "no seam on a plain plane", seam);
  bytes.require(clippedPointCount === 0, 64, "no clipped points on a plain plane", clippedPointCount);
  const isSound = [left, top, side].every((edge) => Math.abs(edge) <= 4e300) && side >= 0;
  bytes.require(isSound, 40, "a finite left edge, a finite top edge and a finite side of 0 or more", `${left}, ${top} and ${side}`);
  return { plane: new Plane(false, 0, left, top, side), clippedPointCount };
}

/** Sections by kind. Only columns and their statistics may occur several times. */
class Sections {
  /**
   * @param {Bytes} bytes
   * @param {{kind: number, offset: number, length: number, entry: number}[]} sections
   */
  constructor(bytes, sections) {
    this.bytes = bytes;
    /** @type {Map<number, {offset: number, length: number}>} */
    this.byKind = new Map();
    for (const section of sections) {
      const isOne = ![ATTRIBUTE, COLUMN, 19, 20, 23].includes(section.kind);
      bytes.require(!isOne || !this.byKind.has(section.kind), section.entry, `one section of kind ${section.kind}`, "a second");
      this.byKind.set(section.kind, section);
    }
  }

  /** @param {number} kind */
  has(kind) {
    return this.byKind.has(kind);
  }

  /** @param {number} kind */
  #required(kind) {
    const section = this.byKind.get(kind);
    if (!section) throw IndexError.damaged(this.bytes.file, FIXED_LENGTH, `a section of kind ${kind}`, "none in the table");
    return section;
  }

  /** @param {number} kind */
  offset(kind) {
    return this.#required(kind).offset;
  }

  /**
   * Returns the numbers of a section, in place.
   *
   * @template {Uint8Array | Uint16Array | Uint32Array | Float32Array} Numbers
   * @param {number} kind
   * @param {{new (buffer: ArrayBuffer, offset: number, count: number): Numbers, BYTES_PER_ELEMENT: number}} type
   * @param {number} count
   * @returns {Numbers}
   */
  array(kind, type, count) {
    const { offset, length } = this.#required(kind);
    const needed = count * type.BYTES_PER_ELEMENT;
    this.bytes.require(length === needed, offset, `${needed} bytes of section kind ${kind}`, length);
    return new type(this.bytes.buffer, offset, count);
  }

  curve() {
    const { bytes } = this;
    const { offset, length } = this.#required(CURVE);
    const steps = length < 8 ? 0 : bytes.u16(offset + 2);
    bytes.require(length === 8 + 8 * steps, offset, "8 bytes, plus 8 bytes for each step of the curve", `${length} bytes and ${steps} steps`);
    const gap = bytes.u16(offset);
    /** @type {number[]} */
    const counts = [];
    /** @type {number[]} */
    const diameters = [];
    for (let i = 0; i < steps; i++) {
      counts.push(bytes.u32(offset + 8 + 8 * i));
      diameters.push(bytes.u16(offset + 12 + 8 * i));
    }
    const problem = curveProblem(counts, diameters, gap);
    if (problem) throw IndexError.damaged(bytes.file, offset, problem, "a bad curve");
    return new BadgeCurve(counts, diameters, gap);
  }

  /** @returns {{title?: string, attribution?: string, unit?: string}} */
  description() {
    if (!this.has(DESCRIPTION)) return {};
    const { bytes } = this;
    const { offset, length } = this.#required(DESCRIPTION);
    bytes.require(length >= 16, offset, "a description of 16 bytes or more", length);
    const lengths = [0, 4, 8].map((at) => bytes.u32(offset + at));
    const total = 16 + lengths[0] + lengths[1] + lengths[2];
    bytes.require(total === length, offset, `texts that fill the ${length} bytes of the section`, total);
    let start = offset + 16;
    const [title, attribution, unit] = lengths.map((size) => {
      start += size;
      return size ? bytes.text(start - size, size) : undefined;
    });
    return { title, attribution, unit };
  }
}

/**
 * Checks a badge curve. Returns null if the curve is valid, otherwise a description of the expected curve for an error.
 *
 * @param {ArrayLike<number>} counts
 * @param {ArrayLike<number>} diameters
 * @param {number} gap
 */
function curveProblem(counts, diameters, gap) {
  const steps = counts.length;
  if (steps < 1 || steps > 1024) return `a curve of 1 to 1024 steps, not of ${steps}`;
  if (counts[0] !== 1) return `a curve whose first step is for 1 point, not for ${counts[0]}`;
  for (let i = 1; i < steps; i++) {
    if (counts[i] <= counts[i - 1]) return `more than ${counts[i - 1]} points in step ${i}, not ${counts[i]}`;
    if (diameters[i] < diameters[i - 1]) return `a diameter of ${diameters[i - 1]} or more in step ${i}, not ${diameters[i]}`;
  }
  if (diameters[0] < 64) return `diameters of 64 or more, not ${diameters[0]}`;
  if (diameters[steps - 1] > 32768) return `diameters up to 32768, not ${diameters[steps - 1]}`;
  return gap <= 8192 ? null : `a gap up to 8192, not ${gap}`;
}

/**
 * Continues one of the four lanes of the hash XXH64 over all stripes of 32 bytes. Each number of 64 bits is kept in two
 * halves, because computing with a BigInt takes a hundred times as long.
 *
 * @param {Uint32Array} words
 * @param {number} lane Number of the lane, 0 to 3.
 * @param {bigint} start
 * @returns {bigint}
 */
function laneOf(words, lane, start) {
  let [low, high] = [Number(start & 0xffffffffn) | 0, Number(start >> 32n) | 0];
  for (let at = 2 * lane; at < words.length; at += 8) {
    // Adds the product of a word pair and the second prime, 0xc2b2ae3d27d4eb4f. The lower half of the prime is
    // multiplied in parts of 16 bits, so that no sum exceeds 32 bits.
    let [a0, a1] = [words[at] & 0xffff, words[at] >>> 16];
    let p = Math.imul(a0, 0xeb4f);
    let q = (Math.imul(a1, 0xeb4f) + (p >>> 16)) | 0;
    let r = (Math.imul(a0, 0x27d4) + (q & 0xffff)) | 0;
    const productHigh = (Math.imul(a1, 0x27d4) + (q >>> 16) + (r >>> 16)
      + Math.imul(words[at + 1], 0x27d4eb4f) + Math.imul(words[at], 0xc2b2ae3d)) | 0;
    const productLow = (r << 16) | (p & 0xffff);
    const sumLow = (low + productLow) | 0;
    const sumHigh = (high + productHigh + (sumLow >>> 0 < low >>> 0 ? 1 : 0)) | 0;
    // Rotates the sum to the left by 31 bits, and multiplies it by the first prime, 0x9e3779b185ebca87.
    const turnedLow = (sumLow << 31) | (sumHigh >>> 1);
    const turnedHigh = (sumHigh << 31) | (sumLow >>> 1);
    [a0, a1] = [turnedLow & 0xffff, turnedLow >>> 16];
    p = Math.imul(a0, 0xca87);
    q = (Math.imul(a1, 0xca87) + (p >>> 16)) | 0;
    r = (Math.imul(a0, 0x85eb) + (q & 0xffff)) | 0;
    high = (Math.imul(a1, 0x85eb) + (q >>> 16) + (r >>> 16)
      + Math.imul(turnedHigh, 0x85ebca87) + Math.imul(turnedLow, 0x9e3779b1)) | 0;
    low = (r << 16) | (p & 0xffff);
  }
  return (BigInt(high >>> 0) << 32n) | BigInt(low >>> 0);
}

/**
 * Returns the hash XXH64 with seed 0.
 *
 * @param {Uint8Array} data Bytes whose offset in their buffer is a multiple of 4.
 */
export function xxHash64(data) {
  const [P1, P2, P3] = [0x9e3779b185ebca87n, 0xc2b2ae3d27d4eb4fn, 0x165667b19e3779f9n];
  const [P4, P5] = [0x85ebca77c2b2ae63n, 0x27d4eb2f165667c5n];
  const view = new DataView(data.buffer, data.byteOffset, data.length);
  /** @param {bigint} value */
  const u64 = (value) => BigInt.asUintN(64, value);
  /** @param {bigint} value @param {bigint} bits */
  const rotated = (value, bits) => u64((value << bits) | (value >> (64n - bits)));
  /** @param {bigint} lane @param {bigint} value */
  const mixed = (lane, value) => u64(rotated(u64(lane + value * P2), 31n) * P1);
  let at = 0;
  let hash = P5;
  if (data.length >= 32) {
    at = data.length - (data.length % 32);
    const words = new Uint32Array(data.buffer, data.byteOffset, at / 4);
    const lanes = [u64(P1 + P2), P2, 0n, u64(-P1)].map((start, lane) => laneOf(words, lane, start));
    hash = u64(rotated(lanes[0], 1n) + rotated(lanes[1], 7n) + rotated(lanes[2], 12n) + rotated(lanes[3], 18n));
    for (const lane of lanes) hash = u64((hash ^ mixed(0n, lane)) * P1 + P4);
  }
  hash = u64(hash + BigInt(data.length));
  for (; at + 8 <= data.length; at += 8) hash = u64(rotated(hash ^ mixed(0n, view.getBigUint64(at, true)), 27n) * P1 + P4);
  if (at + 4 <= data.length) {
    hash = u64(rotated(hash ^ u64(BigInt(view.getUint32(at, true)) * P1), 23n) * P2 + P3);
    at += 4;
  }
  for (; at < data.length; at++) hash = u64(rotated(hash ^ u64(BigInt(data[at]) * P5), 11n) * P1);
  hash = u64((hash ^ (hash >> 33n)) * P2);
  hash = u64((hash ^ (hash >> 29n)) * P3);
  return hash ^ (hash >> 32n);
}
