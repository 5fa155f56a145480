// Reads the bytes of pages. The page PublishedPages of the documentation describes the format of these bytes.

import { IndexError } from "../errors.js";

/**
 * @typedef {object} Reference The place of a page.
 * @property {string | null} file XXH64 of the page's file, in 16 hexadecimal digits; null if all pages are in one file.
 * @property {number} offset Offset in the file.
 * @property {number} length Length of the compressed page.
 * @property {number} fileLength Length of the page's file; Infinity if all pages are in one file.
 */

/**
 * Returns a name of a page that no other page has.
 *
 * @param {Reference} reference
 */
export const keyOf = ({ file, offset }) => `${file} ${offset}`;

/** Reads the content of a page from its beginning to its end. */
export class PageReader {
  /**
   * @param {Uint8Array} bytes
   * @param {string} name Name of the page in errors.
   */
  constructor(bytes, name) {
    this.bytes = bytes;
    this.name = name;
    this.view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
    this.at = 0;
  }

  /**
   * @param {boolean} condition
   * @param {string} expected
   * @param {unknown} found
   */
  require(condition, expected, found) {
    if (!condition) throw IndexError.damaged(this.name, this.at, expected, found);
  }

  /** @param {number} length */
  #skip(length) {
    this.require(length <= this.bytes.length - this.at, `${length} bytes`, `${this.bytes.length - this.at}`);
    const start = this.at;
    this.at += length;
    return start;
  }

  u32() {
    return this.view.getUint32(this.#skip(4), true);
  }

  /** @param {number} kind */
  kind(kind) {
    const found = this.u32();
    this.require(found === kind, `a page of kind ${kind}`, found);
  }

  /**
   * Reads the places of pages. The length of a place is 0 if there is no page.
   *
   * @param {number} count
   * @returns {Reference[]}
   */
  places(count) {
    const fileCount = this.u32();
    this.require(12 * fileCount + 16 * count <= this.bytes.length - this.at, `${count} places in ${fileCount} files`, "a shorter page");
    const names = Array.from({ length: fileCount }, () => this.view.getBigUint64(this.#skip(8), true).toString(16).padStart(16, "0"));
    const fileLengths = this.words(fileCount);
    const [files, low, high, lengths] = [0, 1, 2, 3].map(() => this.words(count));
    const ends = new Array(Math.max(fileCount, 1)).fill(0);
    return Array.from(lengths, (length, i) => {
      const file = files[i];
      this.require(file < ends.length, `a file below ${ends.length}`, file);
      // The distance from the end of the previous page. Its lowest bit is the sign.
      const half = high[i] * 2 ** 31 + (low[i] >>> 1);
      const offset = length ? ends[file] + (low[i] & 1 ? -half - 1 : half) : 0;
      this.require(offset >= 0 && offset + length <= Number.MAX_SAFE_INTEGER, "an offset of 0 or more", offset);
      if (length) ends[file] = offset + length;
      return { file: names[file] ?? null, fileLength: fileLengths[file] ?? Infinity, offset, length };
    });
  }

  /** @param {number} length */
  plain(length) {
    const start = this.#skip(length);
    return this.bytes.subarray(start, start + length);
  }

  /** Skips zeros up to a multiple of 8. */
  align() {
    this.#skip(-this.at & 7);
  }

  /** @param {number} count */
  words(count) {
    const [bytes, at] = [this.bytes, this.#skip(4 * count)];
    const words = new Uint32Array(count);
    for (let i = 0; i < count; i++) {
      words[i] = bytes[at + i] | (bytes[at + count + i] << 8) | (bytes[at + 2 * count + i] << 16) | (bytes[at + 3 * count + i] << 24);
    }
    return words;
  }

  /** @param {number} count */
  halfWords(count) {
    const [bytes, at] = [this.bytes, this.#skip(2 * count)];
    const words = new Uint16Array(count);
    for (let i = 0; i < count; i++) words[i] = bytes[at + i] | (bytes[at + count + i] << 8);
    return words;
  }

  /**
   * Reads differences, and returns their running totals.
   *
   * @param {number} count
   */
  sums(count) {
    const words = this.words(count);
    let sum = 0;
    for (let i = 0; i < count; i++) {
      const difference = words[i];
      words[i] = sum = (sum + ((difference >>> 1) ^ -(difference & 1))) >>> 0;
    }
    return words;
  }

  /**
   * Returns a function that reads numbers of up to 53 bits from the rest of the page, the lowest bit first.
   *
   * @returns {(length: number) => number}
   */
  bits() {
    const { bytes } = this;
    let bit = this.at * 8;
    return (length) => {
      this.require(bit + length <= bytes.length * 8, `${length} bits`, "the end of the page");
      let value = 0;
      for (let read = 0; read < length; ) {
        const taken = Math.min(8 - (bit & 7), length - read);
        value += ((bytes[bit >> 3] >> (bit & 7)) & ((1 << taken) - 1)) * 2 ** read;
        read += taken;
        bit += taken;
      }
      this.at = (bit + 7) >> 3;
      return value;
    };
  }

  /** Throws an error if the page has not been read to its end. */
  end() {
    this.require(this.at === this.bytes.length, "the end of the page", `${this.bytes.length - this.at} more bytes`);
  }
}

/**
 * Decompresses a page.
 *
 * @param {Uint8Array} bytes
 * @param {string} name
 */
export async function inflated(bytes, name) {
  try {
    const { DecompressionStream } = /** @type {any} */ (globalThis);
    const stream = new Blob([/** @type {any} */ (bytes)]).stream().pipeThrough(new DecompressionStream("deflate"));
    return new Uint8Array(await new Response(stream).arrayBuffer());
  } catch {
    throw new IndexError(`${name}: expected a page that 'treelinemap publish' wrote, found bytes that cannot be decompressed; publish the index again`);
  }
}

/** @param {string} text Base64. */
export function bytesOfBase64(text) {
  return Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
}
