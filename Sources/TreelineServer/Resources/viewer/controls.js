// The controls of the panel, which show and change the settings.

import { chosenCut, CUTS, GRID_CELLS } from "./cut.js";
import { densitiesOf } from "./legend.js";
import { element, number, own, points, titleOf } from "./text.js";
import { CATEGORIES, listing, Values } from "./values.js";
import { ORDERS } from "./vendor/treeline/criterion.js";

export class Controls {
  /** A refused filter that is still in the field; null if there is none. */
  #refused = null;
  #check = null;
  /** The filter that the field has shown last. */
  #shownFilter = "";
  /** The categories that the user has checked, the latest last. */
  #picked = [];

  /** @param viewer Has the page, the settings and the source. */
  constructor(viewer) {
    const { settings, source } = viewer;
    const find = (this.find = (selector) => viewer.find(selector));
    Object.assign(this, { viewer, settings });
    find("#views").hidden = source.views.length < 2;
    find("#measures").hidden = !source.hasMeasures;
    find("#search").hidden = !source.hasFilters;
    // In a notebook the cut is one of the first choices, so its settings are unfolded.
    find("#drawing").open = source.views.length < 2;
    const cuts = Object.keys(CUTS).filter((name) => source.cuts?.includes(name) ?? true);
    find("#cuts").replaceChildren(...cuts.map((name) => radio("by", name, CUTS[name].label)));
    fill(find("#order"), ORDERS.map((order) => [order, order.replace("-", " ")]), settings.order);
    fill(find("#compare"), [["halves", "in two halves"], ["divider", "by a divider"], ["grid", "the grid alone"]], settings.compare);
    fill(find("#cell"), [["auto", "by zoom"], ...GRID_CELLS.map((cell) => [cell, `${cell} px`])], settings.cell);
    for (const name of ["view", "by"]) {
      for (const input of viewer.root.querySelectorAll(`input[name="${name}"]`)) {
        input.addEventListener("change", () => settings[name === "view" ? "step" : "set"]({ [name]: input.value }));
      }
    }
    find("#compare").addEventListener("change", ({ target: { value } }) =>
      settings.step(value === "grid" ? { view: "grid" } : { view: "compare", compare: value }));
    for (const name of ["order", "cell"]) {
      find(`#${name}`).addEventListener("change", (event) => settings.set({ [name]: event.target.value }));
    }
    find("#where").addEventListener("change", ({ target }) => this.#filterBy(target.value.trim()));
    // Enter is handled here, because a notebook that listens to keys may prevent the `change` event.
    find("#where").addEventListener("keydown", ({ key, target }) => key === "Enter" && this.#filterBy(target.value.trim()));
    settings.onChange((names) => {
      if (!names.has("where")) return;
      // The check of an earlier filter may still run. Its error must not appear beside the new filter.
      this.#check?.abort();
      this.find("#where").setAttribute("aria-busy", false);
      this.refuse(null);
    });
    for (const name of ["donuts", "sum", "brush"]) {
      // Hidden categories and chosen ranges belong to one column, so choosing another column clears them.
      const clears = { donuts: { off: "", picks: "" }, brush: { range: "" } }[name];
      find(`#${name}`).addEventListener("change", (event) => {
        if (name === "donuts") this.#picked = [];
        settings.set({ [name]: event.target.value, ...clears });
      });
    }
    for (const name of ["ellipses", "dust"]) {
      find(`#${name}`).addEventListener("change", (event) => settings.set({ [name]: event.target.checked }));
    }
    find("#dataset").addEventListener("change", (event) => settings.step({ index: event.target.value, hit: "", open: "" }));
    find("#picks ul").addEventListener("change", ({ target }) => this.#pick(target));
    find("#amount").addEventListener("input", (event) => settings.set({ [settings.by]: +event.target.value }));
    const fold = find("#fold");
    const isUnfolded = () => fold.getAttribute("aria-expanded") === "true";
    fold.addEventListener("click", () => this.#unfold(!isUnfolded()));
    // On a phone the panel is one line. The user pulls the panel up or down.
    const header = fold.parentElement;
    let start = null;
    header.addEventListener("pointerdown", ({ clientY }) => (start = clientY));
    header.addEventListener("pointerup", ({ clientY, target }) => {
      const pulled = start === null ? 0 : clientY - start;
      start = null;
      if (Math.abs(pulled) > 12) this.#unfold(pulled < 0);
      else if (!target.closest("button") && fold.checkVisibility()) this.#unfold(!isUnfolded());
    });
  }

  /**
   * Asks the source about a filter. Applies the filter if the source accepts the filter. Otherwise the previous filter
   * still applies.
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
      this.settings.step({ where });
    } catch (error) {
      if (signal.aborted) return;
      this.refuse(where, error.message.replace(/^filter: /, ""));
    }
    field.setAttribute("aria-busy", false);
  }

  /**
   * Leaves a refused filter in the field, so that the user can correct it. Shows the error beside the field.
   *
   * @param where The filter; null removes the message.
   * @returns Whether the error is visible. On a phone the settings may be folded.
   */
  refuse(where, problem = "") {
    const [field, reason] = ["#where", "#where-problem"].map(this.find);
    this.#refused = where;
    if (where !== null) field.value = where;
    field.setAttribute("aria-invalid", where !== null);
    reason.textContent = problem;
    reason.hidden = where === null;
    return reason.getClientRects().length > 0;
  }

  /** Folds the settings. The change is visible only in layouts where the settings can be folded. */
  async fold() {
    const fold = this.find("#fold");
    const isChange = fold.getAttribute("aria-expanded") === "true" && fold.checkVisibility();
    this.#unfold(false);
    // The folded panel leaves the map its whole size, which the map has after two frames.
    for (let frame = 0; isChange && frame < 2; frame++) await new Promise((done) => requestAnimationFrame(done));
  }

  #unfold(isUnfolded) {
    const fold = this.find("#fold");
    fold.setAttribute("aria-expanded", isUnfolded);
    // The line of a folded panel must be in view.
    if (!isUnfolded && fold.checkVisibility()) this.find("#panel").scrollTop = 0;
  }

  /**
   * Shows the current settings.
   *
   * @param cuts Names of the cuts that the tree supports.
   * @param index Index whose columns the user can choose.
   */
  update(cuts, index) {
    const { find, settings, viewer } = this;
    this.#offerColumns(index);
    // The cells of a grid are always colored by density.
    find("#key").hidden = viewer.values.hasParts && !["compare", "grid"].includes(settings.view);
    this.#offerPicks();
    find("#grid-says").hidden = settings.off === "" && settings.range === "" && settings.where === "";
    viewer.node.dataset.view = settings.view;
    find("#dust").parentElement.hidden = !viewer.hasTiles;
    find('input[name="view"][value="tiles"]').parentElement.hidden = !viewer.views.includes("tiles");
    find(`input[name="by"][value="${settings.by}"]`).checked = true;
    // The view of the grid alone is one of the choices below “Compare”.
    find(`input[name="view"][value="${settings.view === "grid" ? "compare" : settings.view}"]`).checked = true;
    for (const name of ["order", "cell"]) find(`#${name}`).value = settings[name];
    find("#compare").value = settings.view === "grid" ? "grid" : settings.compare;
    // Text that the user is writing stays in the field.
    const field = find("#where");
    const isWriting = field === viewer.root.activeElement && field.value.trim() !== this.#shownFilter;
    if (this.#refused === null && !isWriting) field.value = settings.where;
    this.#shownFilter = settings.where;
    for (const name of ["ellipses", "dust"]) find(`#${name}`).checked = settings[name];
    const reasons = [];
    for (const input of viewer.root.querySelectorAll('input[name="by"]')) {
      const { label, isOf, needs } = CUTS[input.value];
      input.disabled = !cuts.includes(input.value);
      const reason = !input.disabled ? "" : isOf(index) ? `${label} is not available in the view “Tiles”` : `${label} needs ${needs}`;
      input.parentElement.title = reason;
      if (reason) reasons.push(`${reason}.`);
    }
    find("#cuts-say").textContent = reasons.join(" ");
    find("#cuts-say").hidden = reasons.length === 0;
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
    const hasKinds = index.columns.some((column) => own(index.column_kinds, column));
    find("#where-field").hidden = !viewer.source.hasFilters || !hasKinds;
    const offers = {
      donuts: [index.groups?.length > 0 ? "group" : "density", Values.columns(index, "category", "boolean"), (column) => column],
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

  /** Offers the categories of the chosen column. The user picks the categories that have their own colors. */
  #offerPicks() {
    const { find, settings, viewer } = this;
    const { all, categories } = viewer.values;
    const node = find("#picks");
    node.hidden = settings.donuts === "" || all.length <= CATEGORIES;
    // While categories are loaded, the list shows the previous choice.
    if (node.hidden || categories.length === 0) return;
    const list = node.querySelector("ul");
    const key = JSON.stringify(all);
    if (node.dataset.offers !== key) {
      const { activeElement } = viewer.root;
      const focused = list.contains(activeElement) ? activeElement.value : null;
      node.dataset.offers = key;
      list.replaceChildren(...all.map(([value, count]) => {
        const input = element("input", { type: "checkbox", value });
        return element("li", {}, element("label", {}, input, element("span", {}, value), element("small", {}, number(count))));
      }));
      if (focused !== null) this.#inputs(list).find(({ value }) => value === focused)?.focus({ preventScroll: true });
    }
    for (const input of this.#inputs(list)) input.checked = categories.includes(input.value);
  }

  #inputs(list) {
    return [...list.querySelectorAll("input")];
  }

  /** If too many categories are checked, the new category replaces the least frequent category that the user did not
   *  check, or the one that the user checked first. */
  #pick({ value, checked }) {
    this.#picked = [...this.#picked.filter((each) => each !== value), ...(checked ? [value] : [])];
    let picks = [...this.find("#picks ul").querySelectorAll("input:checked")].map((input) => input.value);
    if (picks.length > CATEGORIES) {
      const dropped = picks.findLast((each) => !this.#picked.includes(each)) ?? this.#picked.find((each) => picks.includes(each));
      picks = picks.filter((each) => each !== dropped);
    }
    this.settings.set({ picks: listing(picks), off: "" });
  }

  /** Offers the indexes, and shows the title of the current index. */
  offer(indexes, index) {
    const { find } = this;
    const isTaken = (each) => indexes.some((other) => other !== each && titleOf(other) === titleOf(each));
    fill(find("#dataset"), indexes.map((each) => [each.name, isTaken(each) ? `${titleOf(each)} (${each.name})` : titleOf(each)]), index.name);
    find("#dataset-field").hidden = indexes.length < 2;
    find("h1").textContent = titleOf(index) || "Treeline";
    find("#find").placeholder = index.plane ? "Search a name, or x, y" : "Name, city, or 48.85, 2.35";
    this.tell(index, []);
  }

  /** Index, facts and dates of the heading, and the number of points that pass the filter; null without a filter. */
  #told = { index: null, facts: [], dates: [] };
  #passing = null;

  /**
   * Shows facts about the index below its title.
   *
   * @param dates The first and the last date of the points; empty if the points have no dates.
   */
  tell(index, facts, dates = []) {
    if (index !== this.#told.index) this.#passing = null;
    this.#told = { index, facts, dates };
    const end = index.closest_zoom ? `, down to zoom ${index.closest_zoom.toFixed(1)}` : "";
    const count = this.#passing === null ? points(index.point_count) : `${number(this.#passing)} of ${points(index.point_count)}`;
    const said = [count + end, ...facts].map((text) => element("span", {}, text));
    // A phone has room for the years only.
    const [from, to] = dates.map((date) => date.replace(/(?<=\d)-.*/, ""));
    if (dates.length > 0) said.push(element("span", { className: "whole" }, dates.join(" to ")), element("span", { className: "years" }, from === to ? from : `${from}–${to}`));
    this.find("#facts").replaceChildren(...said.flatMap((fact, at) => (at > 0 && fact.className !== "years" ? [" · ", fact] : [fact])));
  }

  /** Shows the number of points that pass the filter; null without a filter. */
  count(passing) {
    this.#passing = passing;
    const { index, facts, dates } = this.#told;
    if (index) this.tell(index, facts, dates);
  }

  /** Shows which column gives points their names, if this is a guess. */
  tellOfNames(guessed) {
    const says = this.find("#names-say");
    says.hidden = !guessed;
    says.textContent = `The map guesses that the column “${guessed}” has the names of the points.`;
  }

  /** Explains the colors. */
  explain(palette, tones) {
    const { find } = this;
    find("#key .ramp").style.background = palette.gradient;
    find("#key .ends").replaceChildren(...densitiesOf(tones).map((text) => element("span", {}, text)));
  }
}

function radio(name, value, label) {
  return element("label", {}, element("input", { type: "radio", name, value }), element("span", {}, label));
}

function fill(select, options, chosen) {
  select.replaceChildren(...options.map(([value, text]) => new Option(text, value, false, value === chosen)));
}
