// The legend of donuts and of groups. For each category or group, the legend shows the color, the number of points in
// view and their share. A switch hides a category.

import { countsByGroup } from "./groups.js";
import { element, number, shareOf, short } from "./text.js";
import { CATEGORIES, listed, listing, Values } from "./values.js";

/** Greatest number of groups in the unfolded legend. */
const MOST_GROUPS = 100;

/** Returns the densities at the start, in the middle and at the end of the scale of colors, as texts. */
export const densitiesOf = ({ low, high }) => [low, (low + high) / 2, high].map((value) => short(10 ** value));

export class Legend {
  /** The shown entries: colors, names and shares. Pictures of the view show them, too. */
  entries = [];
  /** Number of groups in view without an entry. */
  rest = 0;
  #shown = "";
  #isUnfolded = false;

  /** @param node A list. */
  constructor(node, settings) {
    this.node = node;
    this.settings = settings;
  }

  /**
   * Shows the categories or the groups, and marks hidden categories.
   *
   * @param clusters Clusters in view, whose points are counted.
   */
  update(values, palette, clusters) {
    Object.assign(this, { values, palette, clusters });
    const { node, settings: { view } } = this;
    node.hidden = !values.hasParts || view === "grid";
    const { entries, rest } = values.isByGroup ? this.#groups() : { entries: this.#categories(), rest: 0 };
    const total = clusters.reduce((sum, { count }) => sum + count, 0);
    const hasCounts = (view !== "tiles" || values.isByGroup) && total > 0;
    this.entries = entries.map(({ text, tone, count, isOn }) => ({ text, fill: tone.fill, said: !isOn ? "hidden" : hasCounts ? shareOf(count, total) : "" }));
    this.rest = rest;
    // The list is made again only if its names or colors change. So a button keeps the focus while counts change.
    const key = JSON.stringify([entries.map(({ text, tone }) => [text, tone.fill]), rest > 0, this.#isUnfolded]);
    if (key !== this.#shown) {
      this.#shown = key;
      node.replaceChildren(...entries.map((entry) => this.#item(entry)));
      if (rest > 0 || this.#isUnfolded) node.append(this.#more());
    }
    entries.forEach(({ count, isOn }, at) => {
      const item = node.children[at];
      item.firstChild.setAttribute("aria-pressed", isOn);
      item.querySelector(".count").textContent = isOn && hasCounts ? number(count) : "";
      item.querySelector(".share").textContent = this.entries[at].said;
    });
    const more = node.querySelector(".more");
    if (more) more.textContent = this.#isUnfolded ? "Fewer" : `${number(rest)} more`;
  }

  #categories() {
    const { clusters, palette, settings, values: { categories } } = this;
    const hidden = new Set(listed(settings.off));
    const tones = palette.tonesFor(categories);
    // Clusters of a previous column have parts of other categories.
    const counted = clusters.filter((cluster) => cluster.categories === categories);
    return categories.map((category, at) => ({
      category, text: category ?? "all others", tone: tones[at], isOn: !hidden.has(Values.settingOf(category)),
      count: counted.reduce((sum, { parts }) => sum + (parts?.[at] ?? 0), 0),
    }));
  }

  /** Returns the largest groups in view, and the number of groups that the legend leaves out. */
  #groups() {
    const counts = countsByGroup(this.clusters);
    const shown = counts.slice(0, this.#isUnfolded ? MOST_GROUPS : CATEGORIES);
    const entries = shown.map(([group, count]) => ({
      category: group, count, tone: this.palette.tonesOf({ group })[0], isOn: true,
      text: group === null ? "in no group" : group === "" ? "without a group" : group,
    }));
    return { entries, rest: counts.length - shown.length };
  }

  #item({ category, text, tone }) {
    const swatch = element("i", { ariaHidden: "true" });
    swatch.style.background = tone.fill;
    const small = element("small", {}, element("span", { className: "count" }), element("span", { className: "share" }));
    const button = element("button", { type: "button" }, swatch, element("span", {}, text), small);
    // Groups cannot be hidden, because a filter needs a column, and groups come from no column.
    button.disabled = this.values.isByGroup;
    if (button.disabled) button.title = "Groups cannot be hidden here. To filter points by a column, use “Only where”.";
    button.addEventListener("click", () => this.#switch(Values.settingOf(category)));
    return element("li", {}, button);
  }

  /** Returns the button that unfolds all groups in view. */
  #more() {
    const button = element("button", { type: "button", className: "more", ariaExpanded: String(this.#isUnfolded) });
    button.addEventListener("click", () => {
      this.#isUnfolded = !this.#isUnfolded;
      this.update(this.values, this.palette, this.clusters);
      this.node.querySelector(".more")?.focus({ preventScroll: true });
    });
    return element("li", {}, button);
  }

  #switch(name) {
    const hidden = listed(this.settings.off);
    const others = hidden.filter((other) => other !== name);
    this.settings.set({ off: listing(others.length < hidden.length ? others : [...hidden, name]) });
  }
}
