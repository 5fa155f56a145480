// Clusters for maps. A tree is built in the page, opened from an index, or queried on a server. All trees have the same
// interface.
//
// The modules that build, open and connect are loaded at first use.

import { BuildError, IndexError, QueryError, ServerError } from "./errors.js";
import { refuseUnknown } from "./options.js";

/** @typedef {import("./points.js").Points} Points */
/** @typedef {import("./points.js").BuildOptions} BuildOptions */
/** @typedef {import("./criterion.js").Cut} Cut */
/** @typedef {import("./tree.js").Tree} Tree */
/** @typedef {import("./tree.js").Query} Query */
/** @typedef {import("./answer.js").Clusters} Clusters */
/** @typedef {import("./answer.js").Members} Members */
/** @typedef {import("./server.js").RemoteTree} RemoteTree */
/** @typedef {import("./server.js").RemoteClusters} RemoteClusters */
/** @typedef {import("./server.js").ServerOptions} ServerOptions */

/** Builds, opens and connects trees. */
export const Treeline = {
  /**
   * Builds a tree. With the option `worker`, a worker builds the tree, so the page is not blocked.
   *
   * @param {Points} points
   * @param {BuildOptions} [options]
   * @returns {Promise<Tree>}
   */
  async build(points, options = {}) {
    options.signal?.throwIfAborted();
    const { coordinatesOf, treeOfBuilt } = await import("./points.js");
    const { coordinates, rows } = coordinatesOf(points, options);
    const built = options.worker
      ? await (await import("./worker-client.js")).builtByWorker(coordinates, rows, options)
      : (await import("./build.js")).build(coordinates, rows, options);
    const tree = treeOfBuilt(built, points, options);
    if (options.key !== undefined) (await import("./keys.js")).sortByKey(tree);
    return speaking(tree);
  },

  /**
   * Opens an index that `treelinemap build` wrote, or the manifest of an index that `treelinemap publish` wrote. The
   * bytes of an index are read in place. The pages of a published index are loaded when a query needs them, so queries
   * of a published index return promises.
   *
   * @template {string | URL | Blob | ArrayBuffer | ArrayBufferView} Source
   * @param {Source} source Address or bytes of the index, or address of the manifest, which ends in `.json`. In Node, a
   *   path may be given instead of an address.
   * @param {{signal?: AbortSignal, verify?: boolean, fetch?: typeof fetch, memory?: number}} options With `verify:
   *   false` the checksums of an index are not checked. The check takes 3 ms per megabyte. Without the check, a damaged
   *   index may give wrong answers. For a manifest, `fetch` is called instead of the global `fetch`, and loaded pages
   *   take about `memory` bytes at most.
   * @returns {Promise<any>} A `Tree`; for a manifest, a `PublishedTree`.
   */
  async open(source, options = {}) {
    refuseUnknown(options, ["signal", "verify", "fetch", "memory"], "open");
    const { signal, verify, fetch: ask, memory } = options;
    signal?.throwIfAborted();
    if ((typeof source === "string" || source instanceof URL) && /\.json(?:[?#]|$)/.test(String(source))) {
      const { PublishedTree } = await import("./pages/tree.js");
      return PublishedTree.open(source, { signal, fetch: ask, memory });
    }
    const { openIndex } = await import("./index-file.js");
    return speaking(await openIndex(source, signal, verify));
  },

  /**
   * Returns a tree on a Treeline server. The queries of this tree return promises.
   *
   * @param {string | URL} url Address of the server.
   * @param {ServerOptions} [options]
   * @returns {Promise<RemoteTree>}
   */
  async connect(url, options = {}) {
    const { RemoteTree } = await import("./server.js");
    return RemoteTree.connect(url, options);
  },
};

/**
 * Loads the module that reads filters and aggregates from texts, if a tree has columns or features.
 *
 * @param {Tree} tree
 */
async function speaking(tree) {
  if (tree.columns.length || tree.features) tree.language = await import("./language.js");
  return tree;
}

export { BuildError, IndexError, QueryError, ServerError };
