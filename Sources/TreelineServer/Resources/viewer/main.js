// Starts the map, or says why it cannot.

import { Notice } from "./notice.js";
import { Server } from "./server.js";
import { Settings } from "./settings.js";
import { Viewer } from "./viewer.js";

const notice = new Notice(document.querySelector("#notice"));
const reload = { title: "Try again", run: () => location.reload() };

async function start() {
  if (!globalThis.maplibregl) {
    const remedy = "The map library is missing: run scripts/viewer-vendor, then reload this page.";
    return notice.show("start", remedy, reload, true);
  }
  const server = new Server(new URL("..", import.meta.url));
  try {
    const indexes = (await server.indexes()).filter(({ projection }) => projection === "web-mercator");
    if (indexes.length === 0) return notice.show("start", "This server has no index of points on the Earth.", reload, true);
    const viewer = new Viewer(server, new Settings(location.hash), indexes);
    // For tests, and for whoever looks at it from the console.
    globalThis.viewer = viewer;
    await viewer.start();
  } catch (error) {
    const isWebGL = /webgl/i.test(error.message);
    notice.show("start", isWebGL ? "This browser shows no WebGL, which the map needs." : error.message, reload, true);
    throw error;
  }
}

start();
