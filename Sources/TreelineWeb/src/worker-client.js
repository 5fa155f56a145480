// Builds a tree in a worker and waits for it.

import { BuildError } from "./errors.js";

/**
 * Resolves with the tree that the worker built. Rejects if the signal aborts, or if the worker fails or is terminated.
 *
 * @param {Float64Array} coordinates Coordinates, which are transferred to the worker.
 * @param {Uint32Array | null} rows
 * @param {import("./points.js").BuildOptions} options
 * @returns {Promise<import("./points.js").Built>}
 */
export async function builtByWorker(coordinates, rows, options) {
  const { signal, worker: factory } = options;
  const worker = typeof factory === "function" ? factory() : await newWorker();
  try {
    return await new Promise((resolve, reject) => {
      const fail = (/** @type {unknown} */ reason) => reject(new BuildError(`The worker that built the tree stopped: ${reason}`));
      /** @param {any} answer */
      const take = (answer) => (answer.built ? resolve(answer.built) : reject(Object.assign(new BuildError(answer.message), { name: answer.name })));
      if (worker.on) {
        worker.on("message", take);
        worker.on("error", (/** @type {Error} */ error) => fail(error.message));
        worker.on("exit", (/** @type {number} */ code) => fail(`it ended with code ${code}`));
      } else {
        worker.addEventListener("message", (/** @type {MessageEvent} */ { data }) => take(data));
        worker.addEventListener("error", (/** @type {ErrorEvent} */ { message }) => fail(message || "its script cannot be loaded"));
        worker.addEventListener("messageerror", () => fail("its answer cannot be read"));
        // Browsers have no event for a terminated worker.
        const terminate = worker.terminate;
        worker.terminate = () => {
          terminate.call(worker);
          fail("it was terminated");
        };
      }
      signal?.addEventListener("abort", () => reject(signal.reason), { once: true });
      if (signal?.aborted) reject(signal.reason);
      const { for: purpose, projection, stand, badgeGap } = options;
      const request = { coordinates, rows, options: { for: purpose, projection, stand, badgeGap } };
      worker.postMessage(request, [coordinates.buffer]);
    });
  } finally {
    worker.terminate();
  }
}

/** @returns {Promise<any>} */
async function newWorker() {
  const url = new URL("./worker.js", import.meta.url);
  if (typeof Worker === "function") return new Worker(new URL("./worker.js", import.meta.url), { type: "module" });
  // A variable keeps bundlers from resolving the module.
  const threads = "node:worker_threads";
  const { Worker: NodeWorker } = await import(threads);
  return new NodeWorker(url);
}
