// Puts a map into an element of any page. The map has its own stylesheet, and no other stylesheet affects the map. So a
// page may have several maps.

import { markup, styles } from "./markup.js";

/** @returns The root of the element's contents. `start` starts the map there. */
export function mount(host) {
  const root = host.attachShadow({ mode: "open" });
  root.innerHTML = markup;
  // The rules are added before the element is in the page.
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(styles);
  root.adoptedStyleSheets = [sheet];
  return root;
}
