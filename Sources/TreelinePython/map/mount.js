// Puts a map into an element of any page: what is in it is styled by its own stylesheet and nothing else, so a page
// may have several.

import { markup, styles } from "./markup.js";
import { start } from "./start.js";

export function mount(host, source, settings, address, created) {
  const root = host.attachShadow({ mode: "open" });
  root.innerHTML = `<style>${held.styles}${styles}</style>${markup}`;
  return start(root, source, settings, address, created);
}
