// Loads the pages of a published index. A file has one page or several pages. Files of several pages are read by
// ranges.

import { IndexError } from "../errors.js";
import { xxHash64 } from "../index-file.js";
import { inflated, keyOf } from "./page.js";

/** @typedef {import("./page.js").Reference} Reference */
/**
 * A running request for one page or several pages. `waiting` is the number of pages for which callers wait, counted
 * once for each caller.
 *
 * @typedef {{controller: AbortController, waiting: number}} Transfer
 * @typedef {{bytes: Promise<Uint8Array>, transfer: Transfer}} Load
 */

/**
 * `TRIES` is the number of tries for one request. `FIRST_PAUSE` is the pause in milliseconds between the first and the
 * second try. The pause doubles with each try.
 */
const TRIES = 3;
const FIRST_PAUSE = 200;

/** Pages of one file are loaded with one request if at most this many bytes lie between them. */
const NEAR = 32_768;

/** Version of the format of published pages. */
const VERSION = 3;

/** An error that is thrown if the site has been replaced since it was opened. */
export class ReplacedError extends IndexError {
  name = "ReplacedError";
  /** Status that a server also returns if its index was replaced. */
  status = 409;

  /** @param {string} url */
  constructor(url) {
    super(`${url}: the published index was replaced; open it again`);
  }
}

export class PageSource {
  /**
   * Running loads, by the key of the page.
   *
   * @type {Map<string, Load>}
   */
  #loads = new Map();

  /**
   * @param {string} url Address of the manifest. In Node also the path of the file.
   * @param {typeof fetch} [ask] A replacement for `fetch`.
   */
  constructor(url, ask) {
    // Node fetches no addresses of files.
    this.url = typeof location === "undefined" && url.startsWith("file:") ? decodeURIComponent(new URL(url).pathname) : url;
    this.fetch = ask ?? (isPath(this.url) ? fetchFile : (/** @type {any[]} */ ...call) => fetch(call[0], call[1]));
    /** @type {any} */
    this.manifest = null;
    /** Requests and bytes so far, for measurements. */
    this.loaded = { requests: 0, bytes: 0, rounds: 0 };
  }

  /**
   * Loads the manifest.
   *
   * @param {AbortSignal} [signal]
   */
  async open(signal) {
    this.manifest = await this.#manifest(signal);
    return this.manifest;
  }

  /** @param {AbortSignal} [signal] */
  async #manifest(signal) {
    const { url } = this;
    this.loaded.rounds++;
    // The manifest is the only file that changes.
    const { bytes } = await this.#request(url, { signal, cache: "no-cache" });
    if (!bytes) throw new IndexError(`${url}: the file does not exist; expected a manifest that 'treelinemap publish' wrote`);
    let manifest;
    try {
      manifest = JSON.parse(new TextDecoder().decode(bytes));
    } catch {
      manifest = {};
    }
    if (manifest?.format !== "treelinemap pages") throw new IndexError(`${url}: expected a manifest that 'treelinemap publish' wrote, found another file`);
    if (manifest.version !== VERSION) {
      const remedy = manifest.version > VERSION ? "use a later module" : "publish the index again";
      throw new IndexError(`${url}: expected pages of version ${VERSION}, found version ${manifest.version}; ${remedy}`);
    }
    return manifest;
  }

  /**
   * Returns the content of pages. A page that several callers need is loaded only once. A request is cancelled if all
   * callers that need one of its pages cancel.
   *
   * @param {Reference[]} pages
   * @param {AbortSignal} [signal]
   * @returns {Promise<Uint8Array[]>}
   */
  async load(pages, signal) {
    signal?.throwIfAborted();
    this.loaded.rounds++;
    const groups = this.#groups(pages.filter((page) => !this.#loads.has(keyOf(page))));
    groups.forEach((group, i) => this.#begin(group, i > 0 && group[0].file === groups[i - 1][0].file ? "no-store" : "default"));
    const loads = pages.map((page) => /** @type {Load} */ (this.#loads.get(keyOf(page))));
    for (const { transfer } of loads) transfer.waiting++;
    let leave = () => {};
    const cancelled = new Promise((_, reject) => {
      leave = () => {
        for (const { transfer } of loads) if (--transfer.waiting === 0) transfer.controller.abort();
        reject(signal?.reason);
      };
    });
    signal?.addEventListener("abort", leave, { once: true });
    try {
      return await Promise.race([cancelled, Promise.all(loads.map(({ bytes }) => bytes))]);
    } finally {
      signal?.removeEventListener("abort", leave);
    }
  }

  /**
   * Returns the pages that a load of other pages transfers anyway, because they lie between these pages.
   *
   * @template {{reference: Reference}} Page
   * @param {Page[]} pages
   * @param {Page[]} others
   */
  between(pages, others) {
    const groups = this.#groups(pages.map(({ reference }) => reference));
    return others.filter(({ reference: { file, offset } }) =>
      groups.some((group) => file === group[0].file && offset > group[0].offset && offset < group[group.length - 1].offset));
  }

  /**
   * Divides pages into groups of pages that are near each other in a file. Each group is loaded with one request.
   *
   * @param {Reference[]} pages
   */
  #groups(pages) {
    /** @type {Reference[][]} */
    const groups = [];
    /** @type {Reference | null} */
    let last = null;
    const inOrder = [...pages].sort((a, b) => (a.file === b.file ? a.offset - b.offset : String(a.file) < String(b.file) ? -1 : 1));
    for (const page of inOrder) {
      if (last && page.file === last.file && page.offset - last.offset - last.length <= NEAR) groups[groups.length - 1].push(page);
      else groups.push([page]);
      last = page;
    }
    return groups;
  }

  /**
   * @param {Reference[]} group
   * @param {RequestCache} cache Chromium loads several parts of a file one after another, except the parts that it does
   *   not cache.
   */
  #begin(group, cache) {
    const transfer = { controller: new AbortController(), waiting: 0 };
    const { signal } = transfer.controller;
    const all = this.#checked(group, { signal, cache });
    const loads = group.map((page, i) => ({ key: keyOf(page), load: { bytes: all.then((pages) => pages[i]), transfer } }));
    for (const { key, load } of loads) this.#loads.set(key, load);
    // After a cancelled load, the pages may be loaded again.
    const end = () => loads.forEach(({ key, load }) => this.#loads.get(key) === load && this.#loads.delete(key));
    all.then(end, end);
    signal.addEventListener("abort", end);
  }

  /**
   * @param {Reference[]} group
   * @param {{signal: AbortSignal, cache: RequestCache}} options
   */
  async #checked(group, options) {
    const { file, fileLength } = group[0];
    const url = besides(this.url, file ? `pages/${file}.page` : this.manifest.file);
    const [first, last] = [group[0].offset, group[group.length - 1].offset + group[group.length - 1].length];
    const isWhole = first === 0 && last === fileLength;
    const answer = await this.#request(url, isWhole ? options : { ...options, headers: { Range: `bytes=${first}-${last - 1}` } });
    let { bytes } = answer;
    if (bytes && answer.status === 200) {
      // A host that ignores ranges sends the whole file.
      const isRight = bytes.length === fileLength && xxHash64(bytes).toString(16).padStart(16, "0") === file;
      bytes = isRight ? bytes.subarray(first, last) : null;
    }
    if (bytes?.length !== last - first) {
      // The file is missing, or has other bytes. Probably the site has been replaced.
      const { content_hash: hash, first: firstPage } = await this.#manifest(options.signal);
      if (hash !== this.manifest.content_hash || firstPage !== this.manifest.first) throw new ReplacedError(this.url);
      throw new IndexError(`${url}: expected ${last - first} bytes from byte ${first} on, with the checksum that the file's name contains, found ${answer.bytes ? "other bytes" : "none"}; publish the index again`);
    }
    const all = bytes;
    return Promise.all(group.map(({ offset, length }) => inflated(all.slice(offset - first, offset - first + length), url)));
  }

  /**
   * Returns the status and the bytes of an answer. The bytes are null if the file does not exist. Tries again if the
   * server or the network fails.
   *
   * @param {string} url
   * @param {RequestInit} request
   * @returns {Promise<{status: number, bytes: Uint8Array | null}>}
   */
  async #request(url, request) {
    for (let left = TRIES - 1, pause = FIRST_PAUSE; ; left--, pause *= 2) {
      /** @type {string} */
      let failure;
      try {
        this.loaded.requests++;
        const response = await this.fetch(url, request);
        const { status } = response;
        if (status === 200 && request.headers && this.manifest.file) {
          // The body is the whole file, which may be very long, so it is not read.
          response.body?.cancel().catch(() => {});
          throw new IndexError(`${url}: the host does not answer requests for ranges of a file; publish without --single-file`);
        }
        if (status === 200 || status === 206) {
          const bytes = new Uint8Array(await response.arrayBuffer());
          this.loaded.bytes += bytes.length;
          return { status, bytes };
        }
        response.body?.cancel().catch(() => {});
        if (status === 404 || status === 410 || status === 416) return { status, bytes: null };
        failure = `the status ${status}`;
        if (status < 500 && status !== 429) left = 0;
      } catch (error) {
        request.signal?.throwIfAborted();
        if (error instanceof IndexError) throw error;
        failure = /** @type {Error} */ (error).message;
      }
      if (left <= 0) throw new IndexError(`${url}: expected a file of the published index, found ${failure}`);
      await new Promise((resolve) => setTimeout(resolve, pause));
      request.signal?.throwIfAborted();
    }
  }
}

/** @param {string} url */
const isPath = (url) => typeof location === "undefined" && !/^[a-z][a-z\d+.-]+:/i.test(url);

/**
 * Returns the address of a file in the folder of the manifest.
 *
 * @param {string} url
 * @param {string} name
 */
const besides = (url, name) =>
  isPath(url) ? url.replace(/[^/]*$/, name) : new URL(name, typeof location === "undefined" ? url : new URL(url, location.href)).href;

/**
 * Reads a file in Node. Returns an answer like the answer of `fetch`.
 *
 * @param {any} path
 * @param {any} request
 * @returns {Promise<Response>}
 */
async function fetchFile(path, request) {
  // The name of the module is in a variable, so that bundlers do not resolve it.
  const module = "node:fs/promises";
  const { open } = await import(module);
  const file = await open(path).catch((/** @type {any} */ error) => {
    if (error.code === "ENOENT") return null;
    throw error;
  });
  if (!file) return new Response(null, { status: 404 });
  try {
    const range = /bytes=(\d+)-(\d+)/.exec(request.headers?.Range ?? "");
    if (!range) return new Response(await file.readFile());
    const [start, end] = [Number(range[1]), Number(range[2]) + 1];
    const { buffer, bytesRead } = await file.read(new Uint8Array(end - start), 0, end - start, start);
    return new Response(buffer.subarray(0, bytesRead), { status: 206 });
  } finally {
    await file.close();
  }
}
