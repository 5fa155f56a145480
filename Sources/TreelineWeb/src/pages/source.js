// Loads the pages of a published index. Each page is a separate file, or all pages are in one file, which is read by
// ranges.

import { IndexError } from "../errors.js";
import { xxHash64 } from "../index-file.js";
import { inflated } from "./page.js";

/** @typedef {import("./page.js").Reference} Reference */
/** @typedef {{bytes: Promise<Uint8Array>, controller: AbortController, waiting: number}} Load */

/**
 * `TRIES` is the number of tries for one request. `FIRST_PAUSE` is the pause in milliseconds between the first and the
 * second try. The pause doubles with each try.
 */
const TRIES = 3;
const FIRST_PAUSE = 200;

/** Pages of the single file are loaded with one request if at most this many bytes lie between them. */
const NEAR = 8192;

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
   * Running loads, by the checksum of the page.
   *
   * @type {Map<string, Load>}
   */
  #loads = new Map();

  /**
   * @param {string} url Address of the manifest. In Node also the path of the file.
   * @param {typeof fetch} [ask] A replacement for `fetch`.
   */
  constructor(url, ask) {
    this.url = url;
    this.fetch = ask ?? (isPath(url) ? fetchFile : (/** @type {any[]} */ ...call) => fetch(call[0], call[1]));
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
    const bytes = await this.#request(url, { signal, cache: "no-cache" }, 200);
    if (!bytes) throw new IndexError(`${url}: expected a manifest that 'treelinemap publish' wrote, found none`);
    let manifest;
    try {
      manifest = JSON.parse(new TextDecoder().decode(bytes));
    } catch {
      manifest = {};
    }
    if (manifest?.format !== "treelinemap pages") throw new IndexError(`${url}: expected a manifest that 'treelinemap publish' wrote, found another file`);
    if (manifest.version !== 1) throw new IndexError(`${url}: expected pages of version 1, found version ${manifest.version}; use a later module`);
    return manifest;
  }

  /**
   * Returns the content of pages. A page that several callers need is loaded only once. The load is cancelled if all
   * callers that need the page cancel.
   *
   * @param {Reference[]} pages
   * @param {AbortSignal} [signal]
   * @returns {Promise<Uint8Array[]>}
   */
  async load(pages, signal) {
    signal?.throwIfAborted();
    this.loaded.rounds++;
    for (const group of this.#groups(pages.filter(({ checksum }) => !this.#loads.has(checksum)))) this.#begin(group);
    const loads = pages.map(({ checksum }) => /** @type {Load} */ (this.#loads.get(checksum)));
    for (const load of loads) load.waiting++;
    const leave = () => {
      for (const load of loads) if (--load.waiting === 0) load.controller.abort();
    };
    signal?.addEventListener("abort", leave, { once: true });
    try {
      return await Promise.all(loads.map(({ bytes }) => bytes));
    } catch (error) {
      signal?.throwIfAborted();
      throw error;
    } finally {
      signal?.removeEventListener("abort", leave);
    }
  }

  /**
   * Divides pages into groups. Each group is loaded with one request.
   *
   * @param {Reference[]} pages
   */
  #groups(pages) {
    if (!this.manifest.file) return pages.map((page) => [page]);
    /** @type {Reference[][]} */
    const groups = [];
    let end = -Infinity;
    for (const page of [...pages].sort((a, b) => a.offset - b.offset)) {
      if (page.offset - end <= NEAR) groups[groups.length - 1].push(page);
      else groups.push([page]);
      end = page.offset + page.length;
    }
    return groups;
  }

  /** @param {Reference[]} group */
  #begin(group) {
    const controller = new AbortController();
    const all = this.#checked(group, controller.signal);
    group.forEach(({ checksum }, i) => {
      const bytes = all.then((pages) => pages[i]);
      const end = () => void this.#loads.delete(checksum);
      bytes.then(end, end);
      this.#loads.set(checksum, { bytes, controller, waiting: 0 });
    });
    controller.signal.addEventListener("abort", () => {
      for (const { checksum } of group) this.#loads.delete(checksum);
    });
  }

  /**
   * @param {Reference[]} group
   * @param {AbortSignal} signal
   */
  async #checked(group, signal) {
    const { file } = this.manifest;
    const name = file ?? `pages/${group[0].checksum}.page`;
    const url = besides(this.url, name);
    const [first, last] = [group[0].offset, group[group.length - 1].offset + group[group.length - 1].length];
    const bytes = await this.#request(url, file ? { signal, headers: { Range: `bytes=${first}-${last - 1}` } } : { signal }, file ? 206 : 200);
    const pages = bytes && group.map(({ offset, length }) => bytes.slice(file ? offset - first : 0, file ? offset - first + length : undefined));
    const isRight = pages?.every((page, i) => page.length === group[i].length && xxHash64(page).toString(16).padStart(16, "0") === group[i].checksum);
    if (!pages || !isRight) {
      // A page is missing, or its bytes do not match the checksum. Probably the site has been replaced.
      const { values, first: firstPage } = await this.#manifest(signal);
      if (firstPage !== this.manifest.first || values.checksum !== this.manifest.values.checksum) throw new ReplacedError(this.url);
      throw new IndexError(`${url}: expected a page with the checksum ${group[0].checksum}, found ${pages ? "other bytes" : "none"}; publish the index again`);
    }
    return Promise.all(pages.map((page) => inflated(page, url)));
  }

  /**
   * Returns the bytes of an answer; null if the file does not exist. Tries again if the server or the network fails.
   *
   * @param {string} url
   * @param {RequestInit} request
   * @param {number} status The expected status.
   */
  async #request(url, request, status) {
    for (let left = TRIES - 1, pause = FIRST_PAUSE; ; left--, pause *= 2) {
      /** @type {string} */
      let failure;
      try {
        this.loaded.requests++;
        const response = await this.fetch(url, request);
        if (response.status === status) {
          const bytes = new Uint8Array(await response.arrayBuffer());
          this.loaded.bytes += bytes.length;
          return bytes;
        }
        // The body may be the whole file, so it is not read.
        response.body?.cancel().catch(() => {});
        if (response.status === 404 || response.status === 410 || response.status === 416) return null;
        if (response.status === 200) {
          throw new IndexError(`${url}: the host does not answer requests for ranges of a file; publish without --single-file`);
        }
        failure = `the status ${response.status}`;
        if (response.status < 500 && response.status !== 429) left = 0;
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
