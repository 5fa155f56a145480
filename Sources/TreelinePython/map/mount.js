// Puts a map into an element of any page. Only the map's own stylesheet styles its contents, so a page may have several
// maps.

import { markup, styles } from "./markup.js";

/** @returns The root of the element's contents, with which `start` starts the map. */
export function mount(host) {
  const root = host.attachShadow({ mode: "open" });
  root.innerHTML = markup;
  // Adds the rules of the stylesheet before the element is in the page.
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(styles);
  root.adoptedStyleSheets = [sheet];
  return root;
}
