// Reads the bytes of pages. The page PublishedPages of the documentation describes the format of these bytes.

import { IndexError } from "../errors.js";

/** Length of a reference to a page, in bytes. */
export const REFERENCE = 20;

/**
 * @typedef {object} Reference The place of a page.
 * @property {string} checksum XXH64 of the compressed page, in 16 hexadecimal digits.
 * @property {number} offset Offset in the single file.
 * @property {number} length Length of the compressed page.
 */

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

  /** @returns {Reference} */
  reference() {
    const at = this.#skip(REFERENCE);
    const { view } = this;
    const checksum = view.getBigUint64(at, true).toString(16).padStart(16, "0");
    return { checksum, offset: Number(view.getBigUint64(at + 8, true)), length: view.getUint32(at + 16, true) };
  }

  /** @param {number} count */
  references(count) {
    this.require(count * REFERENCE <= this.bytes.length - this.at, `${count} references`, "a shorter page");
    return Array.from({ length: count }, () => this.reference());
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
