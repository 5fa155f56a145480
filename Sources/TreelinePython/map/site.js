// A map of a published index. The index is on a host of static files, or in one file that contains everything.

import { Address } from "./address.js";
import { mount } from "./mount.js";
import { Opened } from "./opened.js";
import { Settings } from "./settings.js";
import { start } from "./start.js";

/**
 * @param host The element of the map.
 * @param manifest Address of the manifest.
 * @param fetch Called instead of the browser's `fetch` if the page itself contains the pages of the index.
 * @param basemap Style of the map below the badges; null for the land that the map contains.
 * @param library A promise that resolves when the map library is loaded.
 */
export function open(host, manifest, fetch, basemap, library) {
  const settings = new Settings(location.hash || "view=tree");
  return start(mount(host), new Opened(manifest, fetch), settings, new Address(settings), (viewer) => {
    Object.assign(viewer, { basemap, library });
    // Gives tests and the browser's console access to the viewer.
    globalThis.viewer = viewer;
  });
}
