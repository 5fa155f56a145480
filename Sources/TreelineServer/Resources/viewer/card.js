// The card of a point, a stack or any other cluster. A stack consists of points that no zoom separates. The map spreads
// the members of an open stack around the stack. The card of any other cluster shows facts about the points, and lists
// the points in pages. The list can be sorted by any column.

import { csvOf, download, fileName } from "./files.js";
import { extentText } from "./hint.js";
import { groundOf } from "./ground.js";
import { histogramOf } from "./histogram.js";
import { amountColumn, element, factsOf, isolated, nameOf, number, own, points, short, valueElement, withGroup } from "./text.js";
import { named } from "./values.js";
import { Spread } from "./vendor/treeline/map/spread.js";

/** Number of members on a page of the list, and maximum number of members that are spread around a stack. */
const PAGE = 60;

/** Maximum number of points that are saved as a file, and number of points that one request for the file loads. */
const MOST_SAVED = 100_000;
const BATCH = 1000;

/**
 * Maximum number of points from which a card draws a histogram. For a cluster with more points, the card samples this
 * many points at equal steps in the order of the tree.
 */
const MOST_DRAWN = 5000;
const PLACES = 20;

/**
 * Least distance in pixels between the opened point or stack and the card, and between the point or stack and the edge
 * of the map.
 */
const MARGIN = 8;

export class Card {
  /** The members of the open stack, spread around the stack; null if no stack is open. */
  spread = null;
  /** The first listed members. */
  members = [];
  /** Whether the card lists the members of a cluster that is neither a point nor a stack. */
  #isList = false;
  /** Function that loads the facts and the list of members for the card. */
  #load = null;
  /** A promise that resolves when the map has the size that it has beside a folded panel. */
  #folded = null;

  /**
   * @param node The card, over the map.
   * @param buttons The buttons over the lower right corner of the map.
   * @param viewer Has the map and the camera. The card calls its `wake`, `closed` and `failed`.
   */
  constructor(node, buttons, source, viewer) {
    this.node = node;
    this.buttons = buttons;
    this.source = source;
    this.viewer = viewer;
    node.addEventListener("keydown", (event) => {
      if (event.key === "Escape") this.close();
    });
  }

  get isOpen() {
    return !this.node.hidden;
  }

  /**
   * Opens a single point, or a stack of the tree.
   *
   * @param isRenewal Whether the card is already open and shows an earlier state of the cluster.
   */
  async open(cluster, index, side, isRenewal = false) {
    this.#begin(cluster, index, side, isRenewal);
    // A link can have the id of a cluster of the tree, but not the id of a cell of the grid.
    this.linkID = side.name === "tree" ? String(cluster.id) : "";
    this.#isList = false;
    if (cluster.count === 1) {
      this.#fill(this.#facts(cluster.properties), isRenewal);
      if (!isRenewal) await this.#uncover(cluster);
      return;
    }
    const parts = this.#parts();
    this.#fill(element("div", {}, ...parts.nodes), isRenewal);
    this.#load = parts.load;
    this.#spreadOut(this.viewer.prefersReducedMotion ? -Infinity : performance.now());
    await parts.load();
    if (!isRenewal) await this.#uncover(cluster);
  }

  /** Opens a list of the members of any cluster. */
  async list(cluster, index, side, isRenewal = false) {
    if (cluster.count === 1 || cluster.stack) return this.open(cluster, index, side, isRenewal);
    this.#begin(cluster, index, side, isRenewal);
    this.#isList = true;
    const closer = element("button", { type: "button", className: "more" }, "Zoom to its parts");
    closer.addEventListener("click", () => {
      const { cluster } = this;
      this.close();
      this.viewer.choice.choose(cluster, side);
    });
    // Cells of the grid are in no hierarchy, so the server cannot list their members.
    if (side.name !== "tree") {
      this.#fill(closer);
      if (!isRenewal) await this.#uncover(cluster);
      return;
    }
    const parts = this.#parts();
    this.#fill(element("div", {}, closer, ...parts.nodes), isRenewal);
    this.#load = parts.load;
    await parts.load();
    if (!isRenewal) await this.#uncover(cluster);
  }

  /**
   * Shows a cluster of a new version of the index instead of the cluster that it continues, or the open cluster under
   * another filter. The scroll position of the card and the focus do not change.
   *
   * @param filter The filter of the cluster; undefined for none.
   */
  async renew(cluster, index, filter) {
    const { cluster: { count, stack }, linkID, side, viewer: { settings } } = this;
    // A point may have become a stack, or a stack may have become a point.
    const isOther = stack !== cluster.stack || (count === 1) !== (cluster.count === 1);
    const loading = isOther ? this.list(cluster, index, side, true) : null;
    Object.assign(this, { cluster, index, filter });
    if (!isOther && linkID) this.linkID = String(cluster.id);
    if (this.linkID !== linkID) settings.set({ open: this.linkID });
    if (isOther) return loading;
    const [title, subtitle] = this.#texts();
    this.node.querySelector("h2").textContent = title;
    this.node.querySelector("header p:last-child").textContent = subtitle;
    const body = this.node.querySelector(".body");
    body.ariaLabel = title;
    if (cluster.count === 1) body.replaceChildren(this.#facts(cluster.properties));
    if (this.spread) this.#spreadOut(-Infinity);
    await this.#load?.();
  }

  /** Returns the title and the subtitle of the card. */
  #texts() {
    const { cluster, index } = this;
    const position = groundOf(index).position(cluster.latitude, cluster.longitude, 4);
    if (this.#isList) {
      const extent = [this.viewer.placeNear(cluster), cluster.bbox ? extentText(cluster, index) : ""].filter(Boolean).join(" · ");
      return [points(cluster.count), withGroup(cluster.properties, extent)];
    }
    if (cluster.count === 1) return [nameOf(cluster.properties, index), withGroup(cluster.properties, position)];
    return [points(cluster.count), withGroup(cluster.properties, cluster.stack ? `All at ${position}` : `Around ${position}`)];
  }

  /** Spreads the members of the stack around it. */
  #spreadOut(start) {
    this.spread = new Spread(this.cluster, Math.min(this.cluster.count, PAGE), start);
    this.viewer.wake();
  }

  /** Returns the parts of the card of a cluster, and a function that loads the contents of the parts. */
  #parts() {
    const { index, viewer } = this;
    const [facts, list, chart] = [element("dl", {}), element("ol", {}), element("figure", { className: "chart", hidden: true })];
    const files = ["CSV", "GeoJSON"].map((kind) => {
      const button = element("button", { type: "button", className: "quiet" }, kind);
      button.addEventListener("click", () => this.#save(kind, button));
      return button;
    });
    const tools = element("div", { className: "tools" });
    const sort = element("select", { ariaLabel: "Sort by" });
    const kinds = index.column_kinds;
    const numbers = index.columns.filter((column) => kinds[column] === "number");
    if (viewer.source.sortsMembers && index.columns.length > 0) {
      const others = index.columns.filter((column) => kinds[column] !== "number");
      sort.append(
        ...numbers.map((column) => new Option(`largest ${column} first`, `-${column}`)),
        ...others.map((column) => new Option(`by ${column}`, column)), ...numbers.map((column) => new Option(`smallest ${column} first`, column)),
        new Option("by place on the map", ""));
      const amount = amountColumn(index);
      sort.value = amount ? `-${amount}` : "";
      sort.addEventListener("change", () => this.#page(list, 0, sort.value));
      tools.append(sort);
    }
    tools.append(...files);
    // The members of a stack are listed in the order in which they are spread around it.
    if (this.cluster.stack) {
      sort.remove();
      sort.value = "";
    }
    return {
      nodes: [facts, chart, tools, list],
      // After a new version of the index, the list shows as many members as before.
      load: () => Promise.all([this.#tell(facts), this.#page(list, 0, sort.value, Math.max(PAGE, list.childElementCount)), this.#chart(chart, numbers[0])]),
    };
  }

  /** Yields the members of the cluster, one batch after the other. */
  async *#batches(most) {
    const { cluster, index, viewer, source } = this;
    for (let offset = 0; offset < most; offset += BATCH) {
      const { total, features } = await source.members(index.name, cluster.id, { offset, limit: BATCH, ...viewer.clusterQuery(cluster) });
      yield features;
      if (offset + features.length >= total || features.length === 0) return;
    }
  }

  /** Yields points at equal steps in the order of the tree. So the points are spread evenly over the map. */
  async *#sample() {
    const { cluster, index, viewer, source } = this;
    const limit = MOST_DRAWN / PLACES;
    const asked = Array.from({ length: PLACES }, (_, place) => source.members(
      index.name, cluster.id, { offset: Math.floor((place * cluster.count) / PLACES), limit, ...viewer.clusterQuery(cluster) }));
    for (const { features } of await Promise.all(asked)) yield features;
  }

  /** Draws a histogram of a column of the cluster's points, or of a sample of these points. */
  async #chart(figure, column) {
    const { cluster, viewer } = this;
    const isSample = cluster.count > MOST_DRAWN;
    // A source that cannot sort members has no server, and would have to load too many pages for a sample.
    if (!column || cluster.count < 8 || (isSample && !viewer.source.sortsMembers)) return void (figure.hidden = true);
    const values = [];
    let ends = null;
    try {
      if (isSample) ends = await this.#range(column);
      for await (const features of isSample ? this.#sample() : this.#batches(MOST_DRAWN)) {
        if (this.cluster !== cluster) return;
        for (const { properties } of features) if (typeof own(properties, column) === "number") values.push(properties[column]);
      }
    } catch {
      // The other facts are useful without a histogram, so errors are ignored.
      return;
    }
    const sorted = values.sort((a, b) => a - b);
    // The chart of an earlier state of the cluster must not stay.
    figure.hidden = values.length < 8 || sorted[0] === sorted.at(-1);
    if (figure.hidden) return;
    const middle = sorted[sorted.length >> 1];
    const [least, most] = ends ?? [sorted[0], sorted.at(-1)];
    const { bars, isLogarithmic, ticks } = histogramOf(sorted);
    const highest = Math.max(...bars);
    const row = element("div", { ariaHidden: "true" }, ...bars.map((count) => {
      const bar = element("i", {});
      bar.style.height = `${count === 0 ? 0 : Math.max((100 * count) / highest, 4)}%`;
      return bar;
    }));
    const scale = element("div", { className: "scale", ariaHidden: "true" }, ...ticks.map(({ at, text }) => {
      const tick = element("span", {}, text);
      tick.style.left = `${100 * at}%`;
      // A label at an end of the scale must not reach beyond the card.
      tick.style.translate = `${-100 * Math.min(Math.max(at, 0), 1)}%`;
      return tick;
    }));
    const sample = isSample ? `, in a sample of ${points(MOST_DRAWN)}` : "";
    const said = `${column}: ${short(least)} to ${short(most)}, half below ${short(middle)}${sample}${isLogarithmic ? " (logarithmic)" : ""}`;
    figure.replaceChildren(row, scale, element("figcaption", {}, said));
  }

  /** Returns the least and the greatest value of all points of the cluster. A sample need not contain them. */
  async #range(column) {
    const { cluster, index, viewer, source } = this;
    const aggregate = ["min", "max"].map((name) => `${name}(${named(column)})`).join(", ");
    const { properties } = await source.cluster(index.name, cluster.id, undefined, { aggregate, ...viewer.clusterQuery(cluster) });
    return [properties[`min_${column}`], properties[`max_${column}`]];
  }

  /** Saves the cluster's points as a file. */
  async #save(kind, button) {
    const { cluster, index, viewer } = this;
    const ground = groundOf(index);
    // A disabled button would lose the keyboard focus.
    if (button.ariaDisabled === "true") return;
    button.ariaDisabled = "true";
    try {
      const features = [];
      for await (const batch of this.#batches(MOST_SAVED)) {
        features.push(...batch);
        button.textContent = number(features.length);
      }
      const kept = features.map(({ geometry, properties: { cluster: isCluster, cluster_id: id, point_count: count, index: row, ...properties } }) => (
        { type: "Feature", geometry: { ...geometry, coordinates: ground.coordinates(geometry.coordinates) }, properties }));
      const text = kind === "CSV" ? csvOf(kept, ground.axes, index.columns) : `${JSON.stringify({ type: "FeatureCollection", features: kept })}\n`;
      download(new Blob([text], { type: kind === "CSV" ? "text/csv" : "application/geo+json" }), `${fileName(index)}-${cluster.id}.${kind.toLowerCase()}`);
      if (cluster.count > MOST_SAVED) viewer.tell("place", `The file has only the first ${number(MOST_SAVED)} of ${points(cluster.count)}; use “treelinemap query” to get all points.`);
    } catch (error) {
      viewer.failed(error);
    }
    button.ariaDisabled = "false";
    button.textContent = kind;
  }

  #begin(cluster, index, side, isRenewal) {
    const { controls, filterQuery: { filter } } = this.viewer;
    Object.assign(this, { cluster, index, side, filter, linkID: "", members: [] });
    this.#load = null;
    this.node.dataset.side = side.name;
    // If the panel lies over the map, there is no room for both the panel and the card.
    this.#folded = isRenewal ? null : controls.fold();
  }

  /** Pans the map so that the card does not cover a cluster, once the map has its new size. */
  async #uncover(cluster) {
    await this.#folded;
    if (this.cluster === cluster) this.reveal();
  }

  /** Pans the map so that the card does not cover the opened cluster. */
  reveal() {
    const { cluster, spread, viewer } = this;
    if (!this.isOpen || viewer.map.isMoving()) return;
    const camera = viewer.currentCamera;
    const origin = viewer.stage.originOf(this.side);
    const [x, y] = [origin.x + camera.screenX(cluster.x), origin.y + camera.screenY(cluster.y)];
    const pane = { left: origin.x, top: origin.y, right: origin.x + camera.width, bottom: origin.y + camera.height };
    const target = this.#nearestUncovered(x, y, (spread?.radius ?? cluster.radius) + MARGIN, pane);
    if (target.distance >= 1) viewer.map.panBy([x - target.x, y - target.y], viewer.motion);
  }

  /**
   * Returns the position nearest to x and y where the card does not cover a circle with the given radius. If no
   * position is free enough, returns the middle of the largest part of the map beside the card.
   */
  #nearestUncovered(x, y, radius, pane) {
    const { offsetLeft, offsetTop, offsetWidth, offsetHeight } = this.node;
    const [right, bottom] = [offsetLeft + offsetWidth, offsetTop + offsetHeight];
    const isBeside = right <= pane.left || offsetLeft >= pane.right || bottom <= pane.top || offsetTop >= pane.bottom;
    const buttons = { left: this.buttons.offsetLeft, bottom: this.buttons.offsetTop + this.buttons.offsetHeight };
    const low = Math.min(pane.bottom, buttons.bottom);
    const edge = Math.min(pane.right, buttons.left);
    const areas = isBeside ? [{ ...pane, right: edge, bottom: low }] : [
      { ...pane, right: Math.min(offsetLeft, pane.right), bottom: low },
      { ...pane, top: bottom, right: edge, bottom: low },
    ];
    const targets = areas.map((area) => {
      const horizontal = clamped(x, area.left + radius, area.right - radius);
      const vertical = clamped(y, area.top + radius, area.bottom - radius);
      return {
        x: horizontal.value, y: vertical.value, missing: Math.max(horizontal.missing, vertical.missing),
        distance: Math.hypot(horizontal.value - x, vertical.value - y),
      };
    });
    return targets.sort((a, b) => a.missing - b.missing || a.distance - b.distance)[0];
  }

  close() {
    if (!this.isOpen) return;
    const hadFocus = this.node.contains(this.node.getRootNode().activeElement);
    this.node.hidden = true;
    this.node.replaceChildren();
    this.cluster = null;
    this.spread = null;
    this.viewer.closed(this.linkID, hadFocus ? (this.opener ?? document.body) : null);
  }

  /** Marks a member in the spread and in the list. */
  mark(member) {
    if (!this.spread || this.spread.marked === member) return;
    this.spread.marked = member;
    const items = this.node.querySelectorAll("li");
    items.forEach((item, at) => item.classList.toggle("marked", at === member));
    items[member]?.scrollIntoView({ block: "nearest" });
    this.viewer.wake();
  }

  #fill(body, isRenewal) {
    const [title, subtitle] = this.#texts();
    const close = element("button", { type: "button", className: "close", ariaLabel: "Close" });
    close.innerHTML = '<svg viewBox="0 0 16 16" aria-hidden="true"><path d="m3.5 3.5 9 9m0-9-9 9"/></svg>';
    close.addEventListener("click", () => this.close());
    const heading = valueElement("h2", title, { tabIndex: -1 });
    const focused = this.node.getRootNode().activeElement;
    const hadFocus = this.node.contains(focused);
    this.node.replaceChildren(
      element("header", {}, element("div", {}, heading, element("p", {}, subtitle)), close),
      element("div", { className: "body", tabIndex: 0, role: "group", ariaLabel: title }, body));
    this.spread = null;
    this.node.hidden = false;
    if (isRenewal && !hadFocus) return;
    if (!hadFocus) this.opener = focused;
    heading.focus({ preventScroll: true });
  }

  #facts(properties) {
    const facts = factsOf(properties, this.index);
    return element("dl", {}, ...facts.flatMap(([name, value]) => [valueElement("dt", name), valueElement("dd", value)]));
  }

  /** Shows the aggregates of the cluster's points that pass the filter. */
  async #tell(list) {
    const { cluster, index, viewer } = this;
    try {
      const { facts, title, picture } = await viewer.values.facts(index, cluster.id, viewer.clusterQuery(cluster));
      if (this.cluster !== cluster) return;
      this.node.querySelector("p.first")?.remove();
      this.node.querySelector(".body img")?.remove();
      if (title !== null) this.node.querySelector("h2").after(element("p", { className: "first value" }, `${isolated(title)} and ${number(cluster.count - 1)} more`));
      if (/^https:/.test(picture)) list.before(element("img", { src: picture, alt: "", loading: "lazy", referrerPolicy: "no-referrer" }));
      list.replaceChildren(...facts.flatMap(([name, value]) => [valueElement("dt", name), valueElement("dd", value)]));
    } catch (error) {
      if (this.cluster === cluster) this.#failed(error, index);
    }
  }

  /** Reports an error, unless a newer version of the index has made the ids of this version invalid. */
  #failed(error, index) {
    if (this.viewer.index === index) this.viewer.failed(error, this.side);
  }

  /** @param order Column by which the members are sorted, with a minus sign for descending values; empty for none. */
  async #page(list, offset, order = "", limit = PAGE) {
    const { cluster, index } = this;
    const asked = (this.asked = {});
    try {
      const { total, features } = await this.source.members(
        index.name, cluster.id, { offset, limit: Math.min(limit, BATCH), ...(order && { sort: order }), ...this.viewer.clusterQuery(cluster) });
      if (this.cluster !== cluster || this.asked !== asked) return;
      if (offset === 0) {
        this.members = features;
        list.replaceChildren();
      }
      const pressed = list.nextElementSibling;
      const hadFocus = pressed !== null && pressed === list.getRootNode().activeElement;
      pressed?.remove();
      features.forEach(({ properties }, at) => {
        const facts = factsOf(properties, index).map(([, value]) => value);
        const said = element("small", { className: "value" }, facts.slice(0, 3).map(isolated).join(" · "));
        const item = element("li", {}, valueElement("div", nameOf(properties, index)), said);
        item.addEventListener("pointerenter", () => this.mark(offset + at));
        list.append(item);
      });
      const shown = offset + features.length;
      const more = element("button", { type: "button", className: "more" }, `Show more of ${number(total - shown)}`);
      more.addEventListener("click", () => this.#page(list, shown, order));
      if (shown < total && features.length > 0) list.after(more);
      // The button that was pressed passes on the keyboard focus.
      if (hadFocus) this.viewer.refocus(more.isConnected ? more : this.node.querySelector(".body"));
    } catch (error) {
      if (this.cluster === cluster && this.asked === asked) this.#failed(error, index);
    }
  }
}

/**
 * Returns the value from `least` to `most` that is nearest to a given value. If `least` is greater than `most`, returns
 * the middle between `least` and `most`, and their difference as `missing`.
 */
function clamped(value, least, most) {
  return least > most
    ? { value: (least + most) / 2, missing: least - most } : { value: Math.min(Math.max(value, least), most), missing: 0 };
}
