// A map of a published index: on a host of static files, or in one file that contains everything.

import { Address } from "./address.js";
import { mount } from "./mount.js";
import { Opened } from "./opened.js";
import { Settings } from "./settings.js";
import { start } from "./start.js";

/**
 * @param host The element of the map.
 * @param manifest Address of the manifest.
 * @param fetch Replaces `fetch` if the page itself contains the pages.
 */
export function open(host, manifest, fetch) {
  const settings = new Settings(location.hash || "view=tree");
  return start(mount(host), new Opened(manifest, fetch), settings, new Address(settings), (viewer) => {
    // Gives tests and the browser's console access to the viewer.
    globalThis.viewer = viewer;
  });
}
