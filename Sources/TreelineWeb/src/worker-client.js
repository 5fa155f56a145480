// Builds a tree in a worker and waits for it.

import { asText, BuildError } from "./errors.js";

/**
 * `PAUSE` is the interval, in milliseconds, at which the page checks whether the worker has reported. After `LOOKS`
 * checks without a report, the worker counts as failed.
 */
const PAUSE = 10000;
const LOOKS = 3;

/**
 * Resolves with the tree that the worker built. Rejects if the signal aborts, or if the worker fails, ends, is
 * terminated or reports nothing for 30 seconds.
 *
 * @param {Float64Array} coordinates Coordinates, which are transferred to the worker.
 * @param {Uint32Array | null} rows
 * @param {import("./points.js").BuildOptions} options
 * @returns {Promise<import("./points.js").Built>}
 */
export async function builtByWorker(coordinates, rows, options) {
  const { signal, worker: factory } = options;
  /** @type {any} */
  let worker;
  try {
    worker = await (typeof factory === "function" ? factory() : newWorker());
  } catch (error) {
    throw new BuildError(`A worker cannot be made: ${/** @type {Error} */ (error)?.message}; give the option 'worker', such as () => new Worker(address)`);
  }
  if (!(worker?.terminate && (worker.on ?? worker.addEventListener))) {
    throw new BuildError(`Expected a Worker from the option 'worker', found ${asText(worker)}`);
  }
  /** @type {any} */
  let timer;
  try {
    return await new Promise((resolve, reject) => {
      let looks = 0;
      const fail = (/** @type {unknown} */ reason) => reject(new BuildError(`The worker that built the tree stopped: ${reason}`));
      /** @param {any} answer */
      const take = (answer) => {
        if (answer?.alive) looks = 0;
        else if (answer?.built?.stored) resolve(answer.built);
        else if (answer?.message) reject(Object.assign(new BuildError(answer.message), { name: answer.name }));
        else fail("it sent something other than a tree");
      };
      // Workers of Node send values, workers of browsers send events.
      const isNode = Boolean(worker.on);
      /** @param {string} name @param {(value: any) => void} call */
      const listen = (name, call) => (isNode ? worker.on(name, call) : worker.addEventListener(name, call));
      listen("message", (value) => take(isNode ? value : value.data));
      listen("messageerror", () => fail("its answer cannot be read"));
      listen("error", (error) => fail(error?.message || (isNode ? error : "its script cannot be loaded")));
      if (isNode) {
        listen("exit", (code) => fail(`it ended with code ${code}`));
      } else {
        // Browsers have no event for a terminated worker.
        const terminate = worker.terminate;
        worker.terminate = () => {
          terminate.call(worker);
          fail("it was terminated");
        };
      }
      // Browsers have no event for a worker that ends itself. Several checks are needed, because a page that was
      // suspended runs its timers before it receives messages.
      timer = setInterval(() => ++looks < LOOKS || fail("it reported nothing for 30 s"), PAUSE);
      signal?.addEventListener("abort", () => reject(signal.reason), { once: true });
      if (signal?.aborted) reject(signal.reason);
      const { for: purpose, projection, anchor, badgeGap } = options;
      const request = { coordinates, rows, options: { for: purpose, projection, anchor, badgeGap } };
      worker.postMessage(request, [coordinates.buffer]);
    });
  } finally {
    clearInterval(timer);
    worker.terminate();
  }
}

/** @returns {Promise<any>} */
export async function newWorker() {
  if (typeof Worker === "function") return new Worker(new URL("./worker.js", import.meta.url), { type: "module" });
  // The names of the files are in variables, and comments mark the imports, so that bundlers do not resolve the files.
  const threads = "node:worker_threads";
  const script = "./worker.js";
  const { Worker: NodeWorker } = await import(/* webpackIgnore: true */ /* @vite-ignore */ threads);
  return new NodeWorker(new URL(script, import.meta.url));
}
