// The search: names of points in the index, cities, and coordinates.

import { clusterOf } from "./cluster.js";
import { coordinateProblem, coordinatesIn, planeCoordinatesIn } from "./coordinates.js";
import { leastLimit } from "./cut.js";
import { groundOf } from "./ground.js";
import { amountColumn, element, nameColumn, own, ownNameOf } from "./text.js";

/**
 * `REST` is the time in milliseconds from the last key press until the index is searched. `MOST_POINTS` and
 * `MOST_PLACES` are the greatest numbers of points and of cities that are listed. `MOST_RANKED` is the greatest number
 * of found points from which the listed points are chosen.
 */
const REST = 140;
const MOST_POINTS = 6;
const MOST_RANKED = 60;
const MOST_PLACES = 4;

/**
 * `PLACE_ZOOMS` has the zoom at which a found city is shown, by the rank of the city. Its last zoom is for all further
 * ranks. `CLOSE` is the zoom at which a found coordinate is shown.
 */
const PLACE_ZOOMS = [9, 9, 10, 10, 11, 11, 12];
const CLOSE = 13;

export class Search {
  #timer = 0;
  #controller = null;
  #hits = [];
  /** The text whose hits are known. */
  #text = "";
  #at = -1;

  /** @param viewer Has the page, the source, the index and the places. */
  constructor(viewer) {
    this.viewer = viewer;
    this.field = viewer.find("#find");
    this.list = viewer.find("#found");
    const { field } = this;
    field.addEventListener("input", () => {
      clearTimeout(this.#timer);
      this.#timer = setTimeout(() => this.#run(), REST);
      if (field.value === "") viewer.unmark();
    });
    field.addEventListener("keydown", (event) => this.#key(event));
    field.addEventListener("focus", () => this.#hits.length > 0 && this.#show(this.#hits));
    field.addEventListener("blur", () => this.#hide());
  }

  /** Empties the field and the list, for another index. */
  clear() {
    clearTimeout(this.#timer);
    this.#controller?.abort();
    this.field.value = "";
    this.#show([]);
  }

  async #run() {
    this.#controller?.abort();
    const { signal } = (this.#controller = new AbortController());
    const text = this.field.value.trim();
    this.#text = text;
    if (text === "") return this.#show([]);
    const { plane } = this.viewer.index;
    const positions = (plane ? planeCoordinatesIn(text, plane) : coordinatesIn(text)).map((position) => ({ ...position, kind: "coordinate", zoom: CLOSE }));
    const near = plane ? positions : [...positions, ...this.#places(text)];
    this.#show(near);
    try {
      const points = await this.#points(text, signal);
      if (!signal.aborted) this.#show([...near.filter(({ kind }) => kind === "coordinate"), ...points, ...near.filter(({ kind }) => kind === "city")], true);
    } catch (error) {
      if (error.name !== "AbortError") this.viewer.failed(error);
    }
  }

  #places(text) {
    return this.viewer.places.named(text, MOST_PLACES).map((place) => ({ ...place, kind: "city", said: "city", title: place.name, zoom: PLACE_ZOOMS[place.rank] ?? PLACE_ZOOMS.at(-1) }));
  }

  /** Returns the points of the index whose name begins with a text, or contains a word that begins with the text. */
  async #points(text, signal) {
    const { index, source } = this.viewer;
    const column = nameColumn(index) ?? index.search_columns?.[0];
    if (column === undefined) return [];
    if (source.search && index.search_columns?.includes(column)) {
      const { features } = await source.search(index.name, { text, column, limit: MOST_RANKED }, signal);
      return ranked(features.map((feature) => pointHit(feature, index, column)), text, index);
    }
    if (!source.hasFilters || !["text", "category"].includes(index.column_kinds[column])) return [];
    const forms = new Set([text, text.toLowerCase(), text.toUpperCase(), capitalized(text.toLowerCase())]);
    const quoted = (pattern) => `'${pattern.replaceAll("'", "''")}'`;
    const escaped = (form) => form.replace(/[\\%_]/g, "\\$&");
    const matches = [...forms].flatMap((form) => [`${escaped(form)}%`, `% ${escaped(form)}%`]).map((pattern) => `"${column.replaceAll('"', '""')}" LIKE ${quoted(pattern)}`);
    const filter = matches.join(" OR ");
    const roots = await source.clusters(index.name, { limit: leastLimit(index), filter }, signal);
    const hits = [];
    for (const root of roots.features.slice(0, MOST_POINTS)) {
      const { features } = await source.members(index.name, root.properties.cluster_id, { limit: MOST_RANKED, filter }, signal);
      hits.push(...features.map((feature) => pointHit(feature, index, column)));
      if (hits.length >= MOST_RANKED) break;
    }
    return ranked(hits, text, index);
  }

  #show(hits, isDone = false) {
    this.#hits = hits;
    this.#at = -1;
    const { list, field } = this;
    list.replaceChildren(...hits.map((hit, at) => {
      const said = hit.kind === "coordinate" ? "" : [hit.said, groundOf(this.viewer.index).position(hit.latitude, hit.longitude, 1)].filter(Boolean).join(" · ");
      const item = element("li", { role: "option", id: `hit-${at}` }, element("span", {}, hit.title), element("small", {}, said));
      // Without this listener, the field would lose the focus before the click.
      item.addEventListener("pointerdown", (event) => event.preventDefault());
      item.addEventListener("click", () => this.#choose(hit));
      return item;
    }));
    if (hits.length === 0 && isDone && field.value.trim() !== "") list.replaceChildren(element("li", { className: "none", role: "option", ariaDisabled: "true" }, this.#nothing));
    list.hidden = list.childElementCount === 0;
    field.setAttribute("aria-expanded", !list.hidden);
    field.removeAttribute("aria-activedescendant");
  }

  /** Says that nothing was found. If the text has two coordinates, says why the map has no such place. */
  get #nothing() {
    const why = this.viewer.index.plane ? "" : coordinateProblem(this.field.value);
    return why ? `Nothing found: ${why}.` : "Nothing found";
  }

  #hide() {
    this.list.hidden = true;
    this.field.setAttribute("aria-expanded", false);
  }

  #key(event) {
    const { key } = event;
    if (key === "Escape" && !this.list.hidden) {
      event.stopPropagation();
      // Without this call, the browser would empty the field.
      event.preventDefault();
      return this.#hide();
    }
    if (key === "Enter") return this.#enter();
    const step = { ArrowDown: 1, ArrowUp: -1 }[key];
    if (!step || this.#hits.length === 0) return;
    event.preventDefault();
    if (this.list.hidden) this.#show(this.#hits);
    const { length } = this.#hits;
    this.#at = this.#at < 0 && step < 0 ? length - 1 : (this.#at + step + length) % length;
    [...this.list.children].forEach((item, at) => item.setAttribute("aria-selected", at === this.#at));
    this.list.children[this.#at].scrollIntoView({ block: "nearest" });
    this.field.setAttribute("aria-activedescendant", `hit-${this.#at}`);
  }

  /** Chooses the marked hit, or the first hit. Searches first if the text has changed since the last search. */
  async #enter() {
    const text = this.field.value.trim();
    if (text !== this.#text) {
      clearTimeout(this.#timer);
      await this.#run();
    }
    if (text === this.#text && text === this.field.value.trim() && this.#hits.length > 0) this.#choose(this.#hits[Math.max(this.#at, 0)]);
  }

  async #choose(hit) {
    const { viewer } = this;
    this.#hide();
    this.field.value = hit.title;
    viewer.settings.step();
    await viewer.controls.fold();
    if (hit.kind !== "point") {
      viewer.markPlace(hit);
      return viewer.goTo(hit, hit.zoom);
    }
    if (viewer.source.whereIs) {
      viewer.settings.set({ hit: String(hit.row) });
      const zoom = await viewer.loadHit();
      return viewer.goTo(hit, zoom ?? CLOSE);
    }
    viewer.unmark();
    viewer.goTo(hit, CLOSE);
    viewer.card.open(clusterOf(hit.feature, viewer, viewer.currentCamera.scale), viewer.index, viewer.tree);
  }
}

const capitalized = (text) => text.replace(/(^|[\s-])\p{L}/gu, (start) => start.toUpperCase());

/**
 * Returns the points to list. Points whose name equals the text come first, then points whose name begins with the
 * text. Among these, points with a greater amount come first, if the index has a column of amounts.
 */
function ranked(hits, text, index) {
  const amount = amountColumn(index);
  const asked = folded(text);
  const rank = (title) => (title === asked ? 2 : title.startsWith(asked) ? 1 : 0);
  return hits.map((hit) => ({ hit, rank: rank(folded(hit.title)), amount: own(hit.feature.properties, amount) ?? -Infinity }))
    .sort((a, b) => b.rank - a.rank || (b.amount > a.amount) - (b.amount < a.amount))
    .map(({ hit }) => hit).slice(0, MOST_POINTS);
}

/** Returns a text without case and accents. */
const folded = (text) => text.normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase();

function pointHit(feature, index, column) {
  const [longitude, latitude] = feature.geometry.coordinates;
  // The value of a category, such as a country, distinguishes points with the same name.
  const said = index.columns.filter((each) => each !== column && index.column_kinds[each] === "category").map((each) => own(feature.properties, each))[0];
  return { kind: "point", said, title: ownNameOf(feature.properties, index) ?? String(feature.properties[column]), row: feature.properties.index, longitude, latitude, feature };
}
