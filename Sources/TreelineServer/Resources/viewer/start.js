// Starts the map, or shows why it cannot start.

import { placePlanes } from "./ground.js";
import { Notice } from "./notice.js";
import { Viewer } from "./viewer.js";

/**
 * @param root The document, or the shadow root, that holds the page.
 * @param source Source of the answers.
 * @param settings Settings of the map.
 * @param address Keeps the settings in the address of the page. May be missing.
 * @param created Called with the viewer before it starts.
 */
export async function start(root, source, settings, address, created = () => {}) {
  const notice = new Notice(root.querySelector("#notice"));
  const reload = address && { title: "Try again", run: () => location.reload() };
  if (typeof maplibregl === "undefined") {
    const remedy = "The map library is missing: run scripts/build/viewer-vendor, then reload this page.";
    return notice.show("start", remedy, reload, true);
  }
  placePlanes(source);
  try {
    const all = await source.indexes();
    const indexes = all.filter(({ projection, plane }) => projection === "web-mercator" || plane);
    const plain = all.filter((index) => !indexes.includes(index)).map(({ name }) => name);
    if (indexes.length === 0) {
      const found = plain.length > 0 ? `This map shows only points on the Earth, but all indexes have plain x and y coordinates: ${plain.join(", ")}.` : "No index with points on the Earth was found.";
      return notice.show("start", found, reload, true);
    }
    const viewer = new Viewer(root, source, settings, indexes, address);
    viewer.plain = plain;
    created(viewer);
    await viewer.start();
    return viewer;
  } catch (error) {
    const isWebGL = /webgl/i.test(error.message);
    notice.show("start", isWebGL ? "This browser does not support WebGL, which the map needs." : error.message, reload, true);
    throw error;
  }
}
