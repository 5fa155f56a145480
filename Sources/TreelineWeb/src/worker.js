// Builds trees in a worker of a page or of Node.

import { build, buffersOf } from "./build.js";

/**
 * @param {any} port
 * @param {{coordinates: Float64Array, rows: Uint32Array | null, options: import("./points.js").BuildOptions}} request
 */
function answer(port, { coordinates, rows, options }) {
  // The worker is busy until it has an answer. The page waits while reports arrive.
  const report = () => port.postMessage({ alive: true });
  try {
    const built = build(coordinates, rows, options, report);
    port.postMessage({ built }, buffersOf(built.stored));
  } catch (error) {
    port.postMessage({ name: /** @type {Error} */ (error).name, message: /** @type {Error} */ (error).message });
  }
}

if (typeof postMessage === "function" && typeof addEventListener === "function") {
  addEventListener("message", (/** @type {MessageEvent} */ { data }) => answer(globalThis, data));
} else {
  // The name of the module is in a variable, and comments mark the import, so that bundlers do not resolve the module.
  // `await` is not used, because it would need a newer version of webpack.
  const threads = "node:worker_threads";
  import(/* webpackIgnore: true */ /* @vite-ignore */ threads).then(({ parentPort }) => {
    parentPort.on("message", (/** @type {any} */ request) => answer(parentPort, request));
  });
}
