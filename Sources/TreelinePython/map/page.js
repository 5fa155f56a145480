// A map as a standalone page, which contains its answers.

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
    // Lets tests and users of the console reach the viewer.
    globalThis.viewer = viewer;
  });
}
