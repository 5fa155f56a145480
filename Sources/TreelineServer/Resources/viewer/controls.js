// The controls of the panel, which show and change the settings.

import { chosenCut, CUTS, GRID_CELLS, LABELED_ORDERS } from "./cut.js";
import { element, points, short, titleOf } from "./text.js";
import { Values } from "./values.js";

export class Controls {
  /** The filter in the field if it was refused; otherwise null. */
  #refused = null;
  #check = null;

  /** @param viewer Has the page, the settings and the source. */
  constructor(viewer) {
    const { settings, source } = viewer;
    const find = (this.find = (selector) => viewer.find(selector));
    Object.assign(this, { viewer, settings });
    find("#views").hidden = source.views.length < 2;
    find("#measures").hidden = !source.hasMeasures;
    find("#dust").parentElement.hidden = !source.hasTiles;
    const cuts = Object.keys(CUTS).filter((name) => source.cuts?.includes(name) ?? true);
    find("#cuts").replaceChildren(...cuts.map((name) => radio("by", name, CUTS[name].label)));
    fill(find("#order"), LABELED_ORDERS, settings.order);
    fill(find("#compare"), [["halves", "in two halves"], ["divider", "by a divider"]], settings.compare);
    fill(find("#cell"), [["auto", "by zoom"], ...GRID_CELLS.map((cell) => [cell, `${cell} px`])], settings.cell);
    for (const name of ["view", "by"]) {
      for (const input of viewer.root.querySelectorAll(`input[name="${name}"]`)) {
        input.addEventListener("change", () => settings[name === "view" ? "step" : "set"]({ [name]: input.value }));
      }
    }
    for (const name of ["order", "cell", "compare"]) {
      find(`#${name}`).addEventListener("change", (event) => settings.set({ [name]: event.target.value }));
    }
    find("#where").addEventListener("change", ({ target }) => this.#filterBy(target.value.trim()));
    // If a notebook listens to keys, the field gets no `change` event after Enter, so Enter is handled here.
    find("#where").addEventListener("keydown", ({ key, target }) => key === "Enter" && this.#filterBy(target.value.trim()));
    settings.onChange((names) => names.has("where") && this.refuse(null));
    for (const name of ["donuts", "sum", "brush"]) {
      // Hidden categories and chosen ranges belong to one column, so another column clears them.
      const clears = { donuts: { off: "" }, brush: { range: "" } }[name];
      find(`#${name}`).addEventListener("change", (event) => settings.set({ [name]: event.target.value, ...clears }));
    }
    for (const name of ["ellipses", "dust"]) {
      find(`#${name}`).addEventListener("change", (event) => settings.set({ [name]: event.target.checked }));
    }
    for (const name of ["dataset", "split"]) {
      find(`#${name}`).addEventListener("change", (event) => settings.step({ index: event.target.value }));
    }
    find("#amount").addEventListener("input", (event) => settings.set({ [settings.by]: +event.target.value }));
    find("#fold").addEventListener("click", ({ currentTarget }) => {
      currentTarget.setAttribute("aria-expanded", currentTarget.getAttribute("aria-expanded") !== "true");
    });
  }

  /**
   * Applies a filter once the source has accepted it. Until then, and if it is refused, the previous filter applies.
   */
  async #filterBy(where) {
    this.#check?.abort();
    const { signal } = (this.#check = new AbortController());
    const field = this.find("#where");
    field.setAttribute("aria-busy", true);
    try {
      await this.viewer.checkFilter(where, signal);
      if (signal.aborted) return;
      this.refuse(null);
      this.settings.set({ where });
    } catch (error) {
      if (signal.aborted) return;
      this.refuse(where, error.message.replace(/^filter: /, ""));
    }
    field.setAttribute("aria-busy", false);
  }

  /**
   * Leaves a refused filter in the field, so that the user can correct it, and shows the problem beside the field.
   *
   * @param where The filter; null removes the message.
   */
  refuse(where, problem = "") {
    const [field, reason] = ["#where", "#where-problem"].map(this.find);
    this.#refused = where;
    if (where !== null) field.value = where;
    field.setAttribute("aria-invalid", where !== null);
    reason.textContent = problem;
    reason.hidden = where === null;
  }

  /** Folds the settings if the layout allows it. */
  fold() {
    this.find("#fold").setAttribute("aria-expanded", "false");
  }

  /**
   * Shows the current settings.
   *
   * @param cuts Names of the cuts that the tree supports.
   * @param index Index whose columns are offered.
   */
  update(cuts, index) {
    const { find, settings, viewer } = this;
    this.#offerColumns(index);
    find("#key").hidden = settings.donuts !== "";
    find("#grid-says").hidden = settings.off === "" && settings.range === "" && settings.where === "";
    viewer.node.dataset.view = settings.view;
    for (const name of ["view", "by"]) find(`input[name="${name}"][value="${settings[name]}"]`).checked = true;
    for (const name of ["order", "cell", "compare"]) find(`#${name}`).value = settings[name];
    // The field keeps a filter that the user is writing.
    if (this.#refused === null && find("#where") !== viewer.root.activeElement) find("#where").value = settings.where;
    for (const name of ["ellipses", "dust"]) find(`#${name}`).checked = settings[name];
    for (const input of viewer.root.querySelectorAll('input[name="by"]')) input.disabled = !cuts.includes(input.value);
    const cut = chosenCut(settings);
    const text = `${cut.amount}${cut.unit}`;
    find("#order-field").hidden = !cut.hasOrder;
    const amount = find("#amount");
    [amount.min, amount.max] = cut.range;
    amount.step = cut.step ?? 1;
    amount.value = cut.amount;
    amount.setAttribute("aria-label", cut.label);
    amount.setAttribute("aria-valuetext", text);
    find("#amount-value").textContent = text;
    find("#amount-says").textContent = cut.describe(cut.amount);
    const sides = find("#measures");
    sides.dataset.view = settings.view;
    sides.dataset.sides = settings.view === "compare" ? "both" : "one";
  }

  /** Offers the columns whose values can be shown. */
  #offerColumns(index) {
    const { find, settings, viewer } = this;
    const hasKinds = index.columns.some((column) => index.column_kinds[column]);
    find("#where-field").hidden = !viewer.source.hasFilters || !hasKinds;
    const offers = {
      donuts: ["density", Values.columns(index, "category", "boolean"), (column) => column],
      sum: ["points", Values.columns(index, "number"), (column) => `sum of ${column}`],
      brush: ["nothing", Values.columns(index, "number", "time"), (column) => column],
    };
    for (const [name, [none, columns, title]] of Object.entries(offers)) {
      const select = find(`#${name}`);
      const options = [["", none], ...columns.map((column) => [column, title(column)])];
      const key = JSON.stringify(options);
      if (select.dataset.offers !== key) fill(select, options, settings[name]);
      select.dataset.offers = key;
      select.value = settings[name];
      select.parentElement.hidden = columns.length === 0;
    }
  }

  /**
   * Offers the indexes. Several indexes of equal points that are split in different ways are one choice. A second
   * control below it then offers the ways of splitting.
   */
  offer(indexes, index) {
    const { find } = this;
    const samePoints = (other) => other.point_count === index.point_count && `${other.bounds}` === `${index.bounds}`;
    const datasets = new Map();
    for (const each of indexes) {
      const key = `${each.point_count} ${each.bounds}`;
      if (!datasets.has(key) || samePoints(each) && each.name === index.name) datasets.set(key, each);
    }
    fill(find("#dataset"), [...datasets.values()].map((each) => [each.name, titleOf(each)]), index.name);
    find("#dataset-field").hidden = datasets.size < 2;
    const splits = indexes.filter(samePoints);
    // If several indexes are split in one way, their names distinguish them.
    const isOnly = ({ split }) => splits.filter((other) => other.split === split).length === 1;
    const said = (each) => splitTitle(each.split) + (isOnly(each) ? "" : ` (${each.name})`);
    fill(find("#split"), splits.map((each) => [each.name, said(each)]), index.name);
    find("#split-field").hidden = splits.length < 2;
    const end = index.closest_zoom ? `, down to zoom ${index.closest_zoom.toFixed(1)}` : "";
    const facts = [titleOf(index), `${points(index.point_count)}${end}`];
    find("#facts").textContent = facts.filter(Boolean).join(" · ");
  }

  /** Explains the colours. */
  explain(palette, tones) {
    const { find } = this;
    find("#key .ramp").style.background = palette.gradient;
    // For sparse data the unit of area is larger, so that the numbers are not too small to read.
    const area = tones.high < 1 ? 3 : 0;
    find("#key-title").textContent = area > 0 ? "Points per 1,000 km²" : "Points per km²";
    const [low, high] = [tones.low + area, tones.high + area];
    const ends = [low, (low + high) / 2, high].map((value) => short(10 ** value));
    find("#key .ends").replaceChildren(...ends.map((text) => element("span", {}, text)));
  }
}

function radio(name, value, label) {
  return element("label", {}, element("input", { type: "radio", name, value }), element("span", {}, label));
}

const splitTitle = (split) => split.replaceAll("-", " ");

function fill(select, options, chosen) {
  select.replaceChildren(...options.map(([value, text]) => new Option(text, value, false, value === chosen)));
}
