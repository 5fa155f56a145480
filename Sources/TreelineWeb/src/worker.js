// Builds trees in a worker of a page or of Node.

import { build, buffersOf } from "./build.js";

const isPage = typeof postMessage === "function" && typeof addEventListener === "function";
// A variable keeps bundlers from resolving the module.
const threads = "node:worker_threads";
/** @type {any} */
const port = isPage ? globalThis : (await import(threads)).parentPort;

/**
 * @param {{coordinates: Float64Array, rows: Uint32Array | null, options: import("./points.js").BuildOptions}} request
 */
function answer({ coordinates, rows, options }) {
  // The worker is busy until it has an answer. The page waits as long as the worker reports that it works.
  const report = () => port.postMessage({ alive: true });
  try {
    const built = build(coordinates, rows, options, report);
    port.postMessage({ built }, buffersOf(built.stored));
  } catch (error) {
    port.postMessage({ name: /** @type {Error} */ (error).name, message: /** @type {Error} */ (error).message });
  }
}

if (isPage) port.addEventListener("message", (/** @type {MessageEvent} */ { data }) => answer(data));
else port.on("message", answer);
