// A map in a standalone page. The page contains the data for all answers.

import { Address } from "./address.js";
import { Baked } from "./baked.js";
import { mount } from "./mount.js";
import { Settings } from "./settings.js";
import { start } from "./start.js";

export function open(host) {
  const settings = new Settings(location.hash || "view=tree");
  const source = new Baked(held.hierarchy);
  return start(mount(host), source, settings, new Address(settings), (viewer) => {
    viewer.basemap = source.facts.basemap;
    // Gives tests and the browser's console access to the viewer.
    globalThis.viewer = viewer;
  });
}
