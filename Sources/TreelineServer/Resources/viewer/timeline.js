// A histogram of a column, below the map. The histogram counts the points in view that pass all other filters. The user
// can draw a window over the histogram, move the window and play it.

import { element, number, points, short } from "./text.js";
import { rangeOf } from "./values.js";

/** Approximate width of a bin in pixels, and maximum number of bins. */
const BIN = 11;
const MOST_BINS = 120;

/** Milliseconds between two steps while a window is played. */
const STEP = 300;

/** Width of the window that is played if the user has not drawn a window, as a share of all bins. */
const SHARE = 0.15;

/** Least distance of two labels below the bins, as a share of the width. */
const LEAST_DISTANCE = 0.14;

const SVG = "http://www.w3.org/2000/svg";

/** Returns an edge as a number. */
const valueOf = (edge) => (typeof edge === "number" ? edge : Number.isNaN(+edge) ? Date.parse(edge) : +edge);

/** Returns an edge as text. Removes zeros at the end of a date, and the time zone. */
const said = (edge) => (typeof edge === "number" ? number(edge) : edge.replace("T00:00:00Z", "").replace("T", " ").replace(/(:00)?Z$/, ""));

export class Timeline {
  /** Answer of the server: `edges`, `counts`, `missing_count`. */
  histogram = null;
  #controller = null;
  #key = "";
  /**
   * Columns with most values in a few of the bins of equal width. The bins of such a column have a logarithmic scale.
   */
  #skewed = new Set();
  #timer = 0;
  #drag = null;

  /**
   * @param node Contains a plot, a window with two handles, and buttons.
   * @param viewer Has the settings, the index and the values.
   */
  constructor(node, source, viewer) {
    Object.assign(this, { node, source, viewer });
    this.plot = node.querySelector(".plot");
    this.bars = node.querySelector(".plot svg");
    this.window = node.querySelector(".window");
    this.play = node.querySelector(".play");
    this.clear = node.querySelector(".clear");
    this.play.addEventListener("click", () => this.#toggle());
    // Both buttons disappear, so they pass on the keyboard focus.
    this.clear.addEventListener("click", () => {
      this.#select(null);
      this.play.focus();
    });
    node.querySelector(".close").addEventListener("click", () => {
      viewer.settings.set({ brush: "", range: "" });
      viewer.refocus(viewer.find("#brush"));
    });
    for (const kind of ["from", "whole", "to"]) {
      this.#handle(kind).addEventListener("keydown", (event) => this.#step(event, kind));
    }
    this.plot.addEventListener("pointerdown", (event) => this.#begin(event));
    this.plot.addEventListener("pointermove", (event) => this.#move(event));
    for (const name of ["pointerup", "pointercancel"]) this.plot.addEventListener(name, () => (this.#drag = null));
    this.plot.addEventListener("dblclick", () => this.#select(null));
  }

  #handle(kind) {
    return kind === "whole" ? this.window : this.node.querySelector(`.${kind}`);
  }

  get settings() {
    return this.viewer.settings;
  }

  /** Shows the histogram of the chosen column with its window, if a column is chosen. */
  show() {
    const { brush } = this.settings;
    const isShown = brush !== "" && this.viewer.index.column_kinds[brush] !== undefined;
    if (this.node.hidden === isShown) {
      this.node.hidden = !isShown;
      this.viewer.fit();
    }
    if (!isShown) {
      this.#stop();
      this.#key = "";
      this.histogram = null;
    } else {
      if (this.histogram && this.histogram.column !== brush) {
        // The edges of the window have no meaning for another column.
        this.#stop();
        this.histogram = null;
      }
      this.#draw();
    }
  }

  /** Requests the histogram of the current view, unless it is already shown. */
  async update(query) {
    const { index, settings, values } = this.viewer;
    if (this.node.hidden) return;
    const { bbox, center, zoom, width, height } = query;
    const filter = values.filter(settings, true);
    const bins = Math.min(Math.max(Math.round(this.plot.clientWidth / BIN), 8), MOST_BINS);
    const view = Object.fromEntries(Object.entries({ bbox, center, zoom, width, height }).filter(([, value]) => value !== undefined));
    const column = `${index.name} ${index.version} ${settings.brush}`;
    const request = { column: settings.brush, bins, ...view, ...(filter && { filter }), ...(this.#skewed.has(column) && { scale: "logarithmic" }) };
    const key = `${column} ${JSON.stringify(request)}`;
    if (key === this.#key) return;
    this.#key = key;
    this.#controller?.abort();
    const { signal } = (this.#controller = new AbortController());
    try {
      const histogram = await this.source.histogram(index.name, request, signal);
      if (this.source.hasLogarithmicHistograms && !this.#skewed.has(column) && isSkewed(histogram, index.column_kinds[settings.brush])) {
        this.#skewed.add(column);
        return this.update(query);
      }
      this.histogram = histogram;
      this.isLogarithmic = this.#skewed.has(column);
      this.#draw();
    } catch (error) {
      if (error.name === "AbortError") return;
      this.#key = "";
      this.viewer.failed(error);
    }
  }

  /** The bins of the window, from `start` up to `end`; null if there is no window. */
  get selected() {
    const range = rangeOf(this.settings.range);
    const { edges } = this.histogram ?? { edges: [] };
    if (!range || edges.length === 0) return null;
    const [from, to] = range.map(valueOf);
    const nearest = (value) =>
      edges.reduce((best, edge, at) => (Math.abs(valueOf(edge) - value) < Math.abs(valueOf(edges[best]) - value) ? at : best), 0);
    const start = Math.min(nearest(from), edges.length - 2);
    return { start, end: Math.max(nearest(to), start + 1) };
  }

  /** Counts only the points in some bins. If `bins` is null, all points are counted. */
  #select(bins) {
    const edges = this.histogram?.edges;
    this.settings.set({ range: bins && edges ? `${edges[bins.start]}..${edges[bins.end]}` : "" });
  }

  // Drawing

  #draw() {
    const { histogram, settings } = this;
    this.node.querySelector("h2").textContent = settings.brush + (this.isLogarithmic ? " (logarithmic)" : "");
    this.clear.hidden = settings.range === "";
    if (!histogram || histogram.column !== settings.brush) return;
    const { counts, edges, missing_count: missing } = histogram;
    const isEmpty = counts.length === 0;
    this.play.disabled = isEmpty;
    this.play.title = isEmpty ? "No point has a value" : "";
    const { selected } = this;
    const most = Math.max(...counts, 1);
    this.bars.setAttribute("viewBox", `0 0 ${Math.max(counts.length, 1)} 1`);
    this.bars.replaceChildren(...counts.map((count, at) => this.#bar(count, at, most, selected)));
    this.window.hidden = isEmpty || !selected;
    for (const kind of ["from", "to"]) this.#handle(kind).hidden = this.window.hidden;
    const shown = selected ?? { start: 0, end: counts.length };
    const within = counts.slice(shown.start, shown.end).reduce((sum, count) => sum + count, 0);
    const range = rangeOf(settings.range) ?? (isEmpty ? ["", ""] : [edges[0], edges.at(-1)]);
    const ends = range.map((end) => said(Number.isNaN(+end) ? end : +end)).join(" to ");
    const without = missing > 0 ? `, ${number(missing)} without` : "";
    // A range from a link may end within a bin. In this case the number of points in the range is unknown.
    const isWhole = !selected || valueOf(edges[selected.start]) === valueOf(range[0]) && valueOf(edges[selected.end]) === valueOf(range[1]);
    const held = isWhole ? `: ${points(within)} in view${without}` : "";
    this.node.querySelector(".says").textContent = isEmpty ? "No point has a value." : ends + held;
    this.node.querySelector(".ends").replaceChildren(...(isEmpty ? [] : this.#labels(edges)).map(({ at, text }) => {
      const label = element("span", {}, text);
      // A label at an end must not reach beyond the histogram.
      Object.assign(label.style, { left: `${100 * at}%`, translate: `${-100 * at}%` });
      return label;
    }));
    if (!selected) return;
    const place = (at) => `${(100 * at) / counts.length}%`;
    const [from, to] = [this.#handle("from"), this.#handle("to")];
    Object.assign(this.window.style, { left: place(selected.start), width: place(selected.end - selected.start) });
    [from.style.left, to.style.left] = [place(selected.start), place(selected.end)];
    for (const [node, at] of [[from, selected.start], [to, selected.end], [this.window, selected.start]]) {
      node.setAttribute("aria-valuemin", 0);
      node.setAttribute("aria-valuemax", counts.length);
      node.setAttribute("aria-valuenow", at);
    }
    from.setAttribute("aria-valuetext", said(edges[selected.start]));
    to.setAttribute("aria-valuetext", said(edges[selected.end]));
    this.window.setAttribute("aria-valuetext", ends);
  }

  /**
   * Returns the labels below the bins. There are labels at both ends. A logarithmic scale also has labels at 0 and at
   * powers of ten between the ends.
   */
  #labels(edges) {
    const last = edges.length - 1;
    const write = this.isLogarithmic ? (edge) => short(+edge) : said;
    const labels = [0, last].map((at) => ({ at: at / last, text: write(edges[at]) }));
    if (!this.isLogarithmic) return labels;
    const isRound = ({ value }) => value === 0 || Math.abs(value) === Number(`1e${Math.round(Math.log10(Math.abs(value)))}`);
    const between = edges.slice(1, -1).map((edge, at) => ({ value: +edge, at: (at + 1) / last })).filter(isRound);
    for (const { value, at } of between.sort((a, b) => (b.value === 0) - (a.value === 0))) {
      if (labels.every((label) => Math.abs(label.at - at) >= LEAST_DISTANCE)) labels.push({ at, text: write(value) });
    }
    return labels;
  }

  #bar(count, at, most, selected) {
    const bar = document.createElementNS(SVG, "rect");
    // Heights are square roots of counts, so that small counts stay visible beside very large ones.
    const height = count === 0 ? 0 : Math.max(Math.sqrt(count / most), 0.04);
    for (const [name, value] of Object.entries({ x: at + 0.08, y: 1 - height, width: 0.84, height })) bar.setAttribute(name, value);
    if (selected && (at < selected.start || at >= selected.end)) bar.setAttribute("class", "out");
    return bar;
  }

  // The window

  /** Returns the edge nearest to the pointer. */
  #edgeAt(event) {
    const { left, width } = this.plot.getBoundingClientRect();
    const count = this.histogram.counts.length;
    return Math.min(Math.max(Math.round(((event.clientX - left) / width) * count), 0), count);
  }

  #begin(event) {
    if (!this.histogram || this.histogram.counts.length === 0 || event.button !== 0) return;
    this.#stop();
    this.plot.setPointerCapture(event.pointerId);
    const at = this.#edgeAt(event);
    const { selected } = this;
    const kind = event.target.dataset.kind;
    if (selected && kind === "whole") this.#drag = { kind, at, ...selected };
    else if (selected && kind) this.#drag = { kind: "new", at: kind === "from" ? selected.end : selected.start };
    else this.#drag = { kind: "new", at };
  }

  #move(event) {
    if (!this.#drag || !this.histogram) return;
    const at = this.#edgeAt(event);
    if (this.#drag.kind === "whole") return this.#shift(this.#drag, at - this.#drag.at);
    const [start, end] = [Math.min(at, this.#drag.at), Math.max(at, this.#drag.at)];
    if (start < end) this.#select({ start, end });
  }

  /** Moves a window by a number of bins, but not beyond the first or last bin. */
  #shift({ start, end }, by) {
    const count = this.histogram.counts.length;
    const step = Math.min(Math.max(by, -start), count - end);
    this.#select({ start: start + step, end: end + step });
  }

  #step(event, kind) {
    const by = { ArrowLeft: -1, ArrowRight: 1, ArrowDown: -1, ArrowUp: 1, PageDown: -5, PageUp: 5, Home: -1e4, End: 1e4 }[event.key];
    const { selected } = this;
    if (by === undefined || !selected) return;
    event.preventDefault();
    this.#stop();
    const count = this.histogram.counts.length;
    let { start, end } = selected;
    if (kind === "whole") return this.#shift(selected, by);
    if (kind === "from") start = Math.min(Math.max(start + by, 0), end - 1);
    else end = Math.min(Math.max(end + by, start + 1), count);
    this.#select({ start, end });
  }

  // Playing

  get isPlaying() {
    return this.#timer !== 0;
  }

  #toggle() {
    if (this.isPlaying) return this.#stop();
    if (!this.histogram) return;
    const count = this.histogram.counts.length;
    const width = this.selected ? this.selected.end - this.selected.start : Math.max(Math.round(count * SHARE), 1);
    // If there is no window, or the window is at the end, playing starts at the beginning.
    if (!this.selected || this.selected.end >= count) this.#select({ start: 0, end: Math.min(width, count) });
    this.#timer = setInterval(() => this.#advance(), STEP);
    this.#tell();
  }

  /** Moves the window by one bin. Does nothing if the answer to the previous step is still missing. */
  #advance() {
    const { selected, viewer } = this;
    if (!selected || selected.end >= this.histogram.counts.length) return this.#stop();
    if (viewer.isAtRest) this.#shift(selected, 1);
  }

  #stop() {
    clearInterval(this.#timer);
    this.#timer = 0;
    this.#tell();
  }

  #tell() {
    this.play.setAttribute("aria-label", this.isPlaying ? "Pause" : "Play");
    this.play.classList.toggle("playing", this.isPlaying);
  }
}

/**
 * Returns whether most numbers lie in the few bins nearest to 0. A logarithmic scale divides these few bins into many
 * bins.
 */
function isSkewed({ counts, edges }, kind) {
  if (kind !== "number" || counts.length < 8) return false;
  const bins = counts.map((count, at) => {
    const [low, high] = [+edges[at], +edges[at + 1]];
    return { count, near: low < 0 && high > 0 ? 0 : Math.min(Math.abs(low), Math.abs(high)), far: Math.max(Math.abs(low), Math.abs(high)) };
  }).sort((a, b) => a.near - b.near);
  const few = bins.slice(0, Math.ceil(bins.length / 10));
  const [within, total] = [few, bins].map((each) => each.reduce((sum, { count }) => sum + count, 0));
  const [reach, most] = [few, bins].map((each) => Math.max(...each.map(({ far }) => far)));
  return within > 0.7 * total && most > 4 * reach;
}
