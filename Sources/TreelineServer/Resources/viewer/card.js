// A point, or a stack of points that no zoom tells apart: its members on a spread around it and in a list.

import { element, factsOf, nameOf, number, place, points } from "./text.js";

/** A page of the list, and the most members that a spread shows. */
const PAGE = 60;

/** Milliseconds in which a spread opens. */
const OPENING = 320;

/** The members of a stack around it. */
export class Spread {
  /** The member that is pointed at. */
  marked = -1;

  constructor(cluster, count, start) {
    Object.assign(this, { cluster, count, start });
  }

  openness(now) {
    const p = Math.min(Math.max((now - this.start) / OPENING, 0), 1);
    return 1 - (1 - p) ** 3;
  }

  isMoving(now) {
    return now < this.start + OPENING;
  }
}

export class Card {
  /** The spread of the stack that is open, if one is. */
  spread = null;

  /** @param viewer Is told by `wake`, `closed` and `failed`; tells `isStill`. */
  constructor(node, server, viewer) {
    this.node = node;
    this.server = server;
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
    Object.assign(this, { cluster, index, side });
    if (cluster.count === 1) {
      const where = place(cluster.latitude, cluster.longitude, 4);
      this.#fill(nameOf(cluster.properties, index.columns), where, this.#facts(cluster.properties));
      return;
    }
    const list = element("ol", {});
    const where = place(cluster.latitude, cluster.longitude, 4);
    this.#fill(points(cluster.count), cluster.stack ? `All at ${where}` : `Around ${where}`, list);
    const start = this.viewer.isStill ? -Infinity : performance.now();
    this.spread = new Spread(cluster, Math.min(cluster.count, PAGE), start);
    this.viewer.wake();
    await this.#page(list, 0);
  }

  close() {
    if (!this.isOpen) return;
    const hadFocus = this.node.contains(document.activeElement);
    this.node.hidden = true;
    this.node.replaceChildren();
    this.cluster = null;
    this.spread = null;
    this.viewer.closed(hadFocus ? this.opener : null);
  }

  /** Marks a member on the spread in the list. */
  mark(position) {
    if (!this.spread || this.spread.marked === position) return;
    this.spread.marked = position;
    const items = this.node.querySelectorAll("li");
    items.forEach((item, at) => item.classList.toggle("marked", at === position));
    items[position]?.scrollIntoView({ block: "nearest" });
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
    if (!this.node.contains(document.activeElement)) this.opener = document.activeElement;
    this.node.hidden = false;
    heading.focus({ preventScroll: true });
  }

  #facts(properties) {
    const facts = factsOf(properties, this.index.columns);
    return element("dl", {}, ...facts.flatMap(([name, value]) => [element("dt", {}, name), element("dd", {}, value)]));
  }

  async #page(list, offset) {
    const { cluster, index } = this;
    try {
      const { total, features } = await this.server.members(index.name, cluster.id, { offset, limit: PAGE });
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
