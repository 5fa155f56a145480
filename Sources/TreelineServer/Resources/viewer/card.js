// The card of a point or of a stack. A stack consists of points that no zoom separates. Its members are spread around
// it and listed on the card.

import { extentText } from "./hint.js";
import { coordinate, element, factsOf, nameOf, number, points, withGroup } from "./text.js";
import { Spread } from "./vendor/treeline/map/spread.js";

/** Number of members on a page of the list, and maximum number of members in a spread. */
const PAGE = 60;

/** Pixels between the opened point or stack and the card or the edge of the map. */
const MARGIN = 8;

export class Card {
  /** The spread of the open stack, if a stack is open. */
  spread = null;

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

  /** Opens a single point, or a stack of the tree. */
  async open(cluster, index, side) {
    this.#begin(cluster, index, side);
    // A link has the id of a cluster of the tree only. It cannot open a cell of the grid.
    this.linkID = side.name === "tree" ? String(cluster.id) : "";
    if (cluster.count === 1) {
      const position = coordinate(cluster.latitude, cluster.longitude, 4);
      this.#fill(nameOf(cluster.properties, index.columns), withGroup(cluster.properties, position), this.#facts(cluster.properties));
      this.reveal();
      return;
    }
    const list = element("ol", {});
    const facts = element("dl", {});
    const position = coordinate(cluster.latitude, cluster.longitude, 4);
    const where = withGroup(cluster.properties, cluster.stack ? `All at ${position}` : `Around ${position}`);
    this.#fill(points(cluster.count), where, element("div", {}, facts, list));
    const start = this.viewer.prefersReducedMotion ? -Infinity : performance.now();
    this.spread = new Spread(cluster, Math.min(cluster.count, PAGE), start);
    this.viewer.wake();
    await Promise.all([this.#tell(facts), this.#page(list, 0)]);
    if (this.cluster === cluster) this.reveal();
  }

  /** Opens a list of the members of any cluster. */
  async list(cluster, index, side) {
    if (cluster.count === 1 || cluster.stack) return this.open(cluster, index, side);
    this.#begin(cluster, index, side);
    const closer = element("button", { type: "button", className: "more" }, "Zoom to where it falls apart");
    closer.addEventListener("click", () => {
      this.close();
      this.viewer.choice.choose(cluster, side);
    });
    const list = element("ol", {});
    const facts = element("dl", {});
    const extent = withGroup(cluster.properties, cluster.bbox ? extentText(cluster) : "");
    this.#fill(points(cluster.count), extent, element("div", {}, facts, closer, list));
    // Cells of the grid are in no hierarchy, so the server cannot list their members.
    if (side.name === "tree") await Promise.all([this.#tell(facts), this.#page(list, 0)]);
  }

  #begin(cluster, index, side) {
    Object.assign(this, { cluster, index, side, linkID: "" });
    this.node.dataset.side = side.name;
    // If the panel lies over the map, there is room for the panel or the card, but not for both.
    this.viewer.controls.fold();
  }

  /** Pans the map so that the opened point or stack lies beside the card. */
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
   * Returns the nearest position at which the card does not cover a circle of this radius. If there is no such
   * position, returns the middle of the larger part of the map that the card leaves free.
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

  #fill(title, subtitle, body) {
    const close = element("button", { type: "button", className: "close", ariaLabel: "Close" });
    close.innerHTML = '<svg viewBox="0 0 16 16" aria-hidden="true"><path d="m3.5 3.5 9 9m0-9-9 9"/></svg>';
    close.addEventListener("click", () => this.close());
    const heading = element("h2", { tabIndex: -1 }, title);
    this.node.replaceChildren(
      element("header", {}, element("div", {}, heading, element("p", {}, subtitle)), close),
      element("div", { className: "body", tabIndex: 0, role: "group", ariaLabel: title }, body));
    this.spread = null;
    if (!this.node.contains(this.node.getRootNode().activeElement)) this.opener = this.node.getRootNode().activeElement;
    this.node.hidden = false;
    heading.focus({ preventScroll: true });
  }

  #facts(properties) {
    const facts = factsOf(properties, this.index.columns);
    return element("dl", {}, ...facts.flatMap(([name, value]) => [element("dt", {}, name), element("dd", {}, value)]));
  }

  /** Shows the aggregates of the cluster's points that pass the filter. */
  async #tell(list) {
    const { cluster, index, viewer } = this;
    try {
      const facts = await viewer.values.facts(index, cluster.id, viewer.filterQuery.filter);
      if (this.cluster !== cluster) return;
      list.replaceChildren(...facts.flatMap(([name, value]) => [element("dt", {}, name), element("dd", {}, value)]));
    } catch (error) {
      viewer.failed(error);
    }
  }

  async #page(list, offset) {
    const { cluster, index } = this;
    try {
      const { total, features } = await this.source.members(index.name, cluster.id, { offset, limit: PAGE, ...this.viewer.filterQuery });
      if (this.cluster !== cluster) return;
      features.forEach(({ properties }, at) => {
        const facts = factsOf(properties, index.columns).map(([, value]) => value);
        const said = element("small", {}, facts.slice(0, 3).join(" · "));
        const item = element("li", {}, nameOf(properties, index.columns), said);
        item.addEventListener("pointerenter", () => this.mark(offset + at));
        list.append(item);
      });
      const shown = offset + features.length;
      if (shown >= total || features.length === 0) return;
      const more = element("button", { type: "button", className: "more" }, `Show more of ${number(total - shown)}`);
      more.addEventListener("click", () => {
        more.remove();
        this.#page(list, shown);
      });
      list.after(more);
    } catch (error) {
      this.viewer.failed(error);
    }
  }
}

/**
 * Returns a value limited to a range. If the range is empty, returns its middle, and the length by which it is too
 * short.
 */
function clamped(value, least, most) {
  return least > most
    ? { value: (least + most) / 2, missing: least - most } : { value: Math.min(Math.max(value, least), most), missing: 0 };
}
