// A map as a page of its own, which holds its answers.

import { Address } from "./address.js";
import { Baked } from "./baked.js";
import { mount } from "./mount.js";
import { Settings } from "./settings.js";
import { start } from "./start.js";

export function open(host) {
  const settings = new Settings(location.hash || "view=tree");
  const source = new Baked(held.hierarchy);
  return start(mount(host), source, settings, new Address(settings), (viewer) => {
    // For tests, and for whoever looks at it from the console.
    globalThis.viewer = viewer;
  });
}
