// Puts a map into an element of any page. Its contents are styled only by its own stylesheet, so a page may have
// several maps.

import { markup, styles } from "./markup.js";

/** @returns The root of the element's contents, to be started. */
export function mount(host) {
  const root = host.attachShadow({ mode: "open" });
  root.innerHTML = markup;
  // Adds its rules before the element is in the page.
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(held.styles + styles);
  root.adoptedStyleSheets = [sheet];
  return root;
}
