// The legend of donuts. For each category, the legend shows the colour and the number of points in view. A switch hides
// the category.

import { element, number } from "./text.js";
import { listed, listing, Values } from "./values.js";

export class Legend {
  #shown = "";

  /** @param node A list. */
  constructor(node, settings) {
    this.node = node;
    this.settings = settings;
  }

  /**
   * Shows the categories, and marks hidden categories.
   *
   * @param clusters Clusters in view, whose points are counted.
   */
  update({ categories, isByGroup }, palette, clusters) {
    const { node, settings } = this;
    node.hidden = categories.length === 0 || settings.view === "grid";
    const hidden = new Set(listed(settings.off));
    const key = JSON.stringify([categories, palette.categories, isByGroup]);
    if (key !== this.#shown) {
      this.#shown = key;
      node.replaceChildren(...categories.map((category, at) => this.#entry(category, palette.partTones[at], isByGroup)));
    }
    const counts = categories.map((_, at) => clusters.reduce((sum, { parts }) => sum + (parts?.[at] ?? 0), 0));
    [...node.children].forEach((item, at) => {
      const isOn = !hidden.has(Values.settingOf(categories[at]));
      item.firstChild.setAttribute("aria-pressed", isOn);
      item.querySelector("small").textContent = !isOn ? "hidden" : settings.view === "tiles" ? "" : number(counts[at]);
    });
  }

  #entry(category, tone, isByGroup) {
    const swatch = element("i", { ariaHidden: "true" });
    swatch.style.background = tone.fill;
    const button = element("button", { type: "button" }, swatch, element("span", {}, category === "" ? "without a group" : category ?? "all others"), element("small", {}));
    // Groups cannot be hidden, because a filter needs a column, and groups come from no column.
    button.disabled = isByGroup;
    if (isByGroup) button.title = "Groups cannot be hidden here; “Only where” can filter them by a column";
    button.addEventListener("click", () => this.#switch(Values.settingOf(category)));
    return element("li", {}, button);
  }

  #switch(name) {
    const hidden = listed(this.settings.off);
    const others = hidden.filter((other) => other !== name);
    this.settings.set({ off: listing(others.length < hidden.length ? others : [...hidden, name]) });
  }
}
