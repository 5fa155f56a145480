// The hint about the cluster under the pointer: the number of points, the extent of the points, and some names of
// points.

import { extentOf } from "./cluster.js";
import { groundOf } from "./ground.js";
import { amountColumn, element, nameOf, number, points, valuesOf, withGroup } from "./text.js";
import { FEWEST_FOR_ELLIPSE } from "./vendor/treeline/map/density.js";

/**
 * `REST` is the time in milliseconds that the pointer must rest before members are requested. `FEW` is the number of
 * members that are shown.
 */
const REST = 140;
const FEW = 12;

/** Greatest number of points that a cluster may have if its members are sorted for the hint. */
const MOST_SORTED = 200_000;

export class Hint {
  #shown = null;
  #timer = 0;
  #controller = null;

  /**
   * @param viewer Has the filter. Its `wake` is called when the box of a cluster arrives, so that the map draws the
   *   box.
   */
  constructor(node, source, viewer) {
    Object.assign(this, { node, source, viewer });
  }

  /** Shows a cluster beside a position on the screen. */
  show(cluster, side, index, x, y) {
    if (this.#shown !== cluster.id) {
      this.hide();
      this.#shown = cluster.id;
      this.node.replaceChildren(...this.#facts(cluster, index));
      this.node.hidden = this.node.childElementCount === 0;
      if (cluster.count > 1 && side !== "grid") this.#timer = setTimeout(() => this.#loadMembers(cluster, index), REST);
    }
    this.#moveTo(x, y);
  }

  /** If the hint is shown, shows a cluster of a new version of the index instead of the previous cluster. */
  renew(cluster, side, index) {
    if (this.#shown === null) return;
    this.#shown = null;
    this.show(cluster, side, index, this.x, this.y);
  }

  hide() {
    this.#shown = null;
    clearTimeout(this.#timer);
    this.#controller?.abort();
    this.node.hidden = true;
  }

  #facts(cluster, index) {
    if (cluster.count === 1) return this.#told(cluster.properties, index);
    const facts = cluster.stack ? "All at one position" : cluster.bbox ? extentText(cluster, index) : "…";
    return [element("b", {}, points(cluster.count)), element("p", {}, withGroup(cluster.properties, facts))];
  }

  /** Returns the text for a point: its name, or the names and values of the chosen columns. */
  #told(properties, index) {
    const { tooltip } = this.viewer;
    if (!tooltip) return [element("b", {}, nameOf(properties, index))];
    const [[, first] = [], ...others] = valuesOf(properties, tooltip);
    const facts = others.flatMap(([column, value]) => [element("dt", {}, column), element("dd", {}, value)]);
    return first === undefined ? [] : [element("b", {}, first), element("dl", {}, ...facts)];
  }

  async #loadMembers(cluster, index) {
    const { signal } = (this.#controller = new AbortController());
    try {
      // A cluster from a tile has no box and no ellipse, so the hint requests the box and the ellipse.
      const query = this.viewer.clusterQuery(cluster);
      const [{ features }, whole] = await Promise.all([
        this.source.members(index.name, cluster.id, { limit: FEW, ...this.#order(cluster, index), ...query }, signal),
        cluster.bbox ? null : this.source.cluster(index.name, cluster.id, signal, query),
      ]);
      if (this.#shown !== cluster.id) return;
      if (whole) {
        Object.assign(cluster, extentOf(whole));
        this.node.replaceChildren(...this.#facts(cluster, index));
        this.viewer.wake();
      }
      const { tooltip } = this.viewer;
      if (tooltip?.length === 0) return;
      const names = features.map((member) => element("li", {}, calledBy(member, index, tooltip)));
      const rest = cluster.count - features.length;
      if (rest > 0) names.push(element("li", {}, `and ${number(rest)} more`));
      this.node.append(element("ul", {}, ...names), element("p", { className: "how" }, "Click to zoom in, right-click for details"));
      this.#moveTo(this.x, this.y);
    } catch {
      // A hint without names is still useful, so errors are ignored.
    }
  }

  /**
   * Returns the query parameter that sorts members by a column of amounts, so that large cities come first.
   */
  #order({ count }, index) {
    const column = amountColumn(index);
    return this.source.sortsMembers && column && count <= MOST_SORTED ? { sort: `-${column}` } : {};
  }

  /** Places the hint beside the pointer, within the map. */
  #moveTo(x, y) {
    Object.assign(this, { x, y });
    const { clientWidth: width, clientHeight: height } = this.node.parentElement;
    const { offsetWidth, offsetHeight } = this.node;
    const left = x + 18 + offsetWidth > width ? x - 18 - offsetWidth : x + 18;
    const top = Math.min(Math.max(y - offsetHeight / 2, 8), height - offsetHeight - 8);
    this.node.style.translate = `${Math.round(Math.max(left, 8))}px ${Math.round(top)}px`;
  }
}

/**
 * Returns a member's values in the chosen columns. If it has none there, returns the member's name, or its coordinate
 * if the index has no columns.
 */
function calledBy({ properties, geometry }, index, tooltip) {
  const values = valuesOf(properties, tooltip ?? []).map(([, value]) => value);
  if (values.length > 0) return values.join(" · ");
  const [longitude, latitude] = geometry.coordinates;
  return index.columns.length > 0 ? nameOf(properties, index) : groundOf(index).position(latitude, longitude, 4);
}

/** Returns the extent of a cluster's points and their density. */
export function extentText(cluster, index) {
  const ground = groundOf(index);
  const size = ground.size(cluster.bbox) ?? "At one position";
  return cluster.count < FEWEST_FOR_ELLIPSE || cluster.area === 0 || (index.plane && !cluster.ellipse) ? size : `${size}, ${ground.density(cluster)}`;
}
