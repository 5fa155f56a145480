// Puts a map into an element of any page: what is in it is styled by its own stylesheet and nothing else, so a page
// may have several.

import { markup, styles } from "./markup.js";

/** @returns The root of what is in the element, to be started. */
export function mount(host) {
  const root = host.attachShadow({ mode: "open" });
  root.innerHTML = markup;
  // Its rules are there before the element is in the page.
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(held.styles + styles);
  root.adoptedStyleSheets = [sheet];
  return root;
}
