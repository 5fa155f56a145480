// The clusters in view as a list, for keyboards and screen readers. The largest cluster comes first.

import { groundOf } from "./ground.js";
import { brief, element, nameOf, number, points, shareOf, withGroup } from "./text.js";

/** Maximum number of listed clusters. Further clusters are only counted. */
const MOST = 100;

/** Badges that are nearer to each other than this number of pixels may have the same coordinate in the list. */
const LEAST_DISTANCE = 30;

export class Listing {
  #shown = "";
  /** The listed clusters. */
  #listed = [];

  /**
   * @param node A details element with a count and a list.
   * @param point Called with a cluster when the cluster gets the focus or the pointer, and with null when the cluster
   *   loses the focus or the pointer.
   * @param choose Called with a chosen cluster and the event.
   * @param list Called with a cluster to list its points.
   * @param near Returns the name of a city near a cluster, or an empty text.
   */
  constructor(node, { point, choose, list, near }) {
    this.node = node;
    this.count = node.querySelector(".count");
    this.list = node.querySelector("ol");
    this.point = point;
    this.choose = choose;
    this.listMembers = list;
    this.near = near;
    node.addEventListener("toggle", () => this.renew());
    this.list.addEventListener("keydown", (event) => this.#step(event));
    this.list.addEventListener("focusout", () => point(null));
    this.list.addEventListener("pointerleave", () => point(null));
  }

  /** Shows the clusters of an answer. While the list is folded, shows only their number. */
  update(clusters = [], index, palette, settings) {
    if (palette !== this.palette) this.#shown = "";
    Object.assign(this, { clusters, index, palette, settings });
    const count = clusters.reduce((sum, cluster) => sum + cluster.count, 0);
    this.count.textContent = clusters.length > 0 ? `(${number(clusters.length)}, with ${points(count)})` : "";
    if (!this.node.open) return;
    const largest = [...clusters].sort((a, b) => b.count - a.count || a.id - b.id).slice(0, MOST);
    const key = `${index?.version} ${largest.map(({ id, count, label }) => `${id} ${count} ${label}`).join()} ${settings?.donuts} ${largest.length > 0 && this.near(largest[0])}`;
    if (key === this.#shown) return;
    this.#shown = key;
    const { activeElement } = this.node.getRootNode();
    const hadFocus = this.list.contains(activeElement);
    const focused = hadFocus ? this.#listed[[...this.list.children].indexOf(activeElement.closest("li"))]?.id : null;
    this.#listed = largest;
    // A cluster that stays in the list keeps the keyboard focus.
    const first = Math.max(largest.findIndex(({ id }) => id === focused), 0);
    this.list.replaceChildren(...largest.map((cluster, at) => this.#item(cluster, at === first)));
    const isMore = hadFocus && largest[first]?.id === focused && activeElement.matches(".more");
    if (hadFocus) [...this.list.querySelectorAll(`li:nth-child(${first + 1}) button`)].at(isMore ? -1 : 0)?.focus({ preventScroll: true });
  }

  /** Shows the same clusters again, for example when names of cities have been loaded. */
  renew() {
    this.#shown = "";
    this.update(this.clusters, this.index, this.palette, this.settings);
  }

  /** @param isReached Whether the Tab key reaches the item. The arrow keys reach all other items. */
  #item(cluster, isReached) {
    const dot = element("i", { ariaHidden: "true" });
    dot.style.background = this.palette.toneOf(cluster).fill;
    const ground = groundOf(this.index);
    const what = cluster.count > 1 ? points(cluster.count) : nameOf(cluster.properties, this.index);
    const told = this.#told(cluster);
    const extent = told ? told : cluster.stack ? "at one position" : cluster.count > 1 ? `${ground.across(cluster.bbox)} across` : "a single point";
    const button = element(
      "button", { type: "button", tabIndex: isReached ? 0 : -1 }, dot,
      element("span", {}, what, element("small", {}, withGroup(cluster.properties, extent))),
      element("small", {}, this.near(cluster) || ground.position(cluster.latitude, cluster.longitude, decimalsOf(cluster))));
    button.addEventListener("click", (event) => this.choose(cluster, event));
    button.addEventListener("focus", () => this.point(cluster));
    button.addEventListener("pointerenter", () => this.point(cluster));
    if (cluster.count < 2) return element("li", {}, button);
    const more = element("button", { type: "button", className: "more", tabIndex: -1, title: "List the points", ariaLabel: `List the points of ${what}` }, "…");
    more.addEventListener("click", () => this.listMembers(cluster));
    return element("li", {}, button, more);
  }

  /**
   * Returns the values that a badge shows in addition to the number of points; an empty text if the badge shows only
   * the number.
   */
  #told({ categories, count, label, parts }) {
    const { donuts, sum } = this.settings;
    const said = [];
    if (sum && count > 1) said.push(`${label} ${sum}`);
    if (donuts && parts) {
      const most = Math.max(...parts);
      const name = brief(categories[parts.indexOf(most)] ?? "others");
      said.push(count > 1 ? `${name} ${shareOf(most, count)}` : name);
    }
    return said.join(" · ");
  }

  #step(event) {
    const buttons = [...this.list.querySelectorAll("button:not(.more)")];
    const row = this.node.getRootNode().activeElement?.closest("li");
    const other = { ArrowRight: ".more", ArrowLeft: "button:not(.more)" }[event.key];
    if (other) return row?.querySelector(other)?.focus();
    const at = buttons.findIndex((button) => button.closest("li") === row);
    const next = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: buttons.length - 1 }[event.key];
    if (next === undefined || !buttons[next]) return;
    event.preventDefault();
    if (at >= 0) buttons[at].tabIndex = -1;
    buttons[next].tabIndex = 0;
    buttons[next].focus();
  }
}

/** Returns how many decimals of a degree are needed for neighboring badges to have different coordinates. */
const decimalsOf = ({ scale }) => Math.min(Math.max(Math.ceil(-Math.log10((360 / scale) * LEAST_DISTANCE)), 1), 4);
