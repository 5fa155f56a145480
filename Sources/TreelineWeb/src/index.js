// Clusters for maps: trees built in the page, opened from an index, or asked of a server, with one interface.

import { build, buffersOf, coordinatesOf, treeOfBuilt } from "./build.js";
import { BuildError, IndexError, QueryError, ServerError } from "./errors.js";
import { treeOf } from "./index-file.js";
import { RemoteTree } from "./server.js";
import { Supercluster } from "./supercluster.js";
import { Tree } from "./tree.js";
import { buildInWorker } from "./worker-client.js";

/** @typedef {import("./build.js").Points} Points */
/** @typedef {import("./build.js").BuildOptions} BuildOptions */
/** @typedef {import("./cuts.js").Cut} Cut */
/** @typedef {import("./tree.js").Query} Query */
/** @typedef {import("./answer.js").Clusters} Clusters */
/** @typedef {import("./answer.js").Members} Members */
/** @typedef {import("./server.js").RemoteClusters} RemoteClusters */
/** @typedef {import("./server.js").ServerOptions} ServerOptions */

/** Where trees come from. */
export const Treeline = {
  /**
   * Builds a tree, in a worker if one is asked for: the page goes on meanwhile.
   *
   * @param {Points} points
   * @param {BuildOptions} [options]
   * @returns {Promise<Tree>}
   */
  async build(points, options = {}) {
    options.signal?.throwIfAborted();
    if (!options.worker) return Treeline.buildNow(points, options);
    const { coordinates, rows } = coordinatesOf(points, options);
    return treeOfBuilt(await buildInWorker(coordinates, rows, options), points, options);
  },

  /**
   * Builds a tree before it returns.
   *
   * @param {Points} points
   * @param {BuildOptions} [options]
   * @returns {Tree}
   */
  buildNow(points, options = {}) {
    const { coordinates, rows } = coordinatesOf(points, options);
    return treeOfBuilt(build(coordinates, rows, options), points, options);
  },

  /**
   * Opens an index that `treeline build` wrote. It is read as it lies in memory.
   *
   * @param {string | URL | Blob | ArrayBuffer | ArrayBufferView} source Where it is, or its bytes. In Node give the bytes
   *   of a file.
   * @param {{signal?: AbortSignal}} options
   * @returns {Promise<Tree>}
   */
  async open(source, { signal } = {}) {
    signal?.throwIfAborted();
    if (source instanceof ArrayBuffer) return treeOf(source, "the index");
    // Sections are read in place, so the bytes have to begin at a multiple of 8.
    if (ArrayBuffer.isView(source)) {
      const { buffer, byteOffset, byteLength } = source;
      return treeOf(/** @type {ArrayBuffer} */ (buffer).slice(byteOffset, byteOffset + byteLength), "the index");
    }
    if (source instanceof Blob) return treeOf(await source.arrayBuffer(), /** @type {File} */ (source).name ?? "the index");
    if (typeof source !== "string" && !(source instanceof URL)) {
      throw new IndexError(`Expected the address, the file or the bytes of an index, found ${source}`);
    }
    const response = await fetch(source, { signal });
    if (!response.ok) throw new IndexError(`${source}: expected an index, found the status ${response.status}`);
    return treeOf(await response.arrayBuffer(), String(source));
  },

  /**
   * A tree that a Treeline server has. Its answers are promises.
   *
   * @param {string | URL} url Of the server.
   * @param {ServerOptions} [options]
   * @returns {Promise<RemoteTree>}
   */
  connect(url, options = {}) {
    return RemoteTree.connect(url, options);
  },
};

export { BuildError, buffersOf, IndexError, QueryError, RemoteTree, ServerError, Supercluster, Tree };
