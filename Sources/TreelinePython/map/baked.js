// Answers from the page itself: equal to the tree's for any view, down to the zoom that the page holds.

import { COUNT_SUFFIXES } from "./constants.js";
import { Hierarchy } from "./hierarchy.js";
import { mapZoom } from "./mercator.js";
import { everything, MercatorPlane, unitsPerPixel } from "./plane.js";
import { codeAtLeast, squaredDistance } from "./separation.js";
import { Problem, Source } from "./source.js";
import { readTable } from "./table.js";

/** Badges of 8 px touch at 8 px: in trees grown for badges all distances are stored as if all badges had this size. */
const UNIT_BADGE = 8;

/** Smallest amount of each cut that the panel offers, which determines the page's closest zoom. */
const LEAST_AMOUNTS = { spacing: 24, badges: 0.5 };

export class Baked extends Source {
  /** @param bytes The table of a hierarchy and of the values of its points. */
  constructor(bytes) {
    super();
    const { facts, table } = readTable(bytes);
    this.facts = facts;
    this.plane = new MercatorPlane(facts.seam);
    this.hierarchy = new Hierarchy(table, facts.crosses_seam);
    this.cuts = [facts.index.has_badges ? "badges" : "spacing"];
  }

  async indexes() {
    return [{ ...this.facts.index, closest_zoom: this.#closestZoom }];
  }

  /** Closest zoom: beyond it omitted nodes would be needed; null if none are omitted. */
  get #closestZoom() {
    const { partCodes } = this.hierarchy;
    const greatest = partCodes.reduce((greatest, code) => Math.max(greatest, code), 0);
    const zoom = greatest > 0 ? this.#zoomOfCode(greatest, LEAST_AMOUNTS[this.cuts[0]]) : null;
    return zoom === null ? null : mapZoom(zoom);
  }

  async clusters(_, query) {
    // A query without a view asks for an overview of the index.
    const nodes = query.zoom === undefined ? this.hierarchy.overview(query.limit) : this.nodes(query);
    return { type: "FeatureCollection", features: nodes.map((node) => this.feature(node, query)) };
  }

  async transition(index, version, ids, query) {
    const before = ids.map((id) => this.hierarchy.node(id));
    const after = this.nodes(query);
    const clusters = { type: "FeatureCollection", features: after.map((node) => this.feature(node, query)) };
    return { ...changeBetween(this.hierarchy, before, after), version, clusters };
  }

  async cluster(_, id) {
    return this.feature(this.#named(id), {});
  }

  async members(_, id, { offset = 0, limit }) {
    const node = this.#named(id);
    const { hierarchy, facts } = this;
    const { first, end } = hierarchy.leaves(node);
    const features = [];
    // Single points of a stack or of an omitted part are only known by their columns.
    const isKnown = hierarchy.parts.length === 0 || facts.values.length > 0;
    for (let leaf = first; leaf < end && isKnown; leaf++) {
      const from = hierarchy.starts[leaf];
      for (let at = 0; at < hierarchy.counts[leaf]; at++) {
        const place = from + at - hierarchy.first(node);
        if (place >= offset && place < offset + limit) features.push(this.#member(leaf, from + at));
      }
      if (features.length === limit) break;
    }
    return { total: hierarchy.count(node), offset, type: "FeatureCollection", features };
  }

  async expansionZoom(_, id, query) {
    const code = this.hierarchy.code(this.#named(id));
    return code === 0 ? null : this.#zoomOfCode(code, this.#amount(query));
  }

  /**
   * Returns the nodes of a query: a `center` and a `zoom` of 256 px tiles, the `width` and `height` of the screen, and
   * the cut.
   */
  nodes(query) {
    const zoom = +query.zoom;
    const center = query.center.split(",").map(Number);
    const window = query.width ? this.plane.windowAround(center, zoom, +query.width, +query.height) : everything;
    return this.hierarchy.cut(window, codeAtLeast(this.#distance(this.#amount(query) * unitsPerPixel(zoom))));
  }

  feature(node, query) {
    const { hierarchy, plane } = this;
    const count = hierarchy.count(node);
    const { x, y } = hierarchy.position(node);
    const coordinates = [plane.longitude(x), plane.latitude(y)];
    const isPosition = hierarchy.isPosition(node);
    return {
      type: "Feature",
      id: hierarchy.id(node),
      bbox: plane.bounds(hierarchy.box(node)),
      geometry: { type: "Point", coordinates },
      properties: {
        cluster: count > 1,
        cluster_id: hierarchy.id(node),
        point_count: count,
        ...(count > 1 && { point_count_abbreviated: abbreviated(count) }),
        ...(count > 1 && isPosition && { stack: true }),
        ...this.#group(hierarchy.first(node)),
        ...(query.badges && { badge_px: this.#badgeDiameter(count) * query.badges }),
        ...(!isPosition && this.#ellipse(node, plane.unitLength(coordinates[1]))),
        ...(count === 1 && this.#values(hierarchy.first(node))),
      },
    };
  }

  /** Returns the group of a point, in a tree of groups; none for a point that is never clustered. */
  #group(treeIndex) {
    const place = this.facts.group_ends.findIndex((end) => treeIndex < end);
    return place >= 0 && { cluster_group: this.facts.index.groups[place].name };
  }

  #named(id) {
    const node = this.hierarchy.node(+id);
    if (node === null) throw new Problem(404, `There is no cluster ${id}.`);
    return node;
  }

  #amount(query) {
    return +query[this.cuts[0]];
  }

  /**
   * Returns a requested distance in units of the plane, increased because positions are rounded to units, each by less
   * than one.
   */
  #distance(units) {
    const { badge_distance: badge } = this.facts;
    return badge ? UNIT_BADGE * units + badge : units + 2;
  }

  /** Returns the zoom from which a node with a code is split. */
  #zoomOfCode(code, amount) {
    const { badge_distance: badge } = this.facts;
    const distance = Math.sqrt(squaredDistance(code));
    const units = badge ? (distance - badge) / UNIT_BADGE : distance - 2;
    return units > 0 ? 24 - Math.log2(units / amount) : null;
  }

  #badgeDiameter(count) {
    return this.facts.badge_steps.findLast(([least]) => least <= count)[1];
  }

  #ellipse(node, unitLength) {
    const { xx, xy, yy } = this.hierarchy.spread(node);
    const [mean, half] = [(xx + yy) / 2, (xx - yy) / 2];
    const radius = Math.hypot(half, xy);
    const axes = [Math.sqrt(mean + radius), Math.sqrt(Math.max(mean - radius, 0))];
    const degrees = ((Math.atan2(xy, half) / 2) * 180) / Math.PI;
    return {
      ellipse: [...axes.map(Math.round), Math.round(degrees * 10) / 10],
      ellipse_meters: axes.map((axis) => Math.round(axis * unitLength)),
    };
  }

  #member(leaf, treeIndex) {
    const { hierarchy, plane } = this;
    const coordinates = [plane.longitude(hierarchy.x[leaf]), plane.latitude(hierarchy.y[leaf])];
    return { type: "Feature", geometry: { type: "Point", coordinates }, properties: this.#values(treeIndex) };
  }

  /** Returns the values that the page holds of a point. */
  #values(treeIndex) {
    const { index, values } = this.facts;
    return Object.fromEntries(values.map((column, at) => [index.columns[at], column[treeIndex]]));
  }
}

/** Returns a count in about four characters, halves rounded up, like `BadgeText` of the library. */
function abbreviated(count) {
  if (count < 1000) return String(count);
  const rounded = (unit) => Math.floor(count / unit) + (count % unit >= unit / 2 ? 1 : 0);
  let [unit, step] = [1000, 0];
  while (step < COUNT_SUFFIXES.length - 1 && rounded(unit) >= 1000) [unit, step] = [unit * 1000, step + 1];
  const tenths = rounded(unit / 10);
  return `${tenths < 100 ? tenths / 10 : rounded(unit)}${COUNT_SUFFIXES[step]}`;
}

/**
 * Returns the change between two lists of nodes: nodes in both are kept, a node that contains several others is split,
 * and so on.
 */
export function changeBetween(hierarchy, before, after) {
  const change = { kept: [], splits: [], merges: [], entered: [], left: [] };
  const named = (node) => ({ cluster_id: hierarchy.id(node) });
  const end = (node) => hierarchy.first(node) + hierarchy.count(node);
  const within = (nodes, from, whole) => {
    let last = from;
    while (last < nodes.length && hierarchy.first(nodes[last]) < end(whole)) last++;
    return nodes.slice(from, last);
  };
  const inOrder = (nodes) => [...nodes].sort((a, b) => hierarchy.first(a) - hierarchy.first(b));
  const [old, fresh] = [inOrder(before), inOrder(after)];
  let [i, j] = [0, 0];
  while (i < old.length || j < fresh.length) {
    const [one, other] = [old[i], fresh[j]];
    if (one !== undefined && one === other) {
      change.kept.push(named(one));
      i++;
      j++;
    } else if (other === undefined || (one !== undefined && end(one) <= hierarchy.first(other))) {
      change.left.push(named(one));
      i++;
    } else if (one === undefined || end(other) <= hierarchy.first(one)) {
      change.entered.push(named(other));
      j++;
    } else if (hierarchy.count(one) > hierarchy.count(other)) {
      const parts = within(fresh, j, one);
      change.splits.push({ whole: named(one), parts: parts.map(named) });
      i++;
      j += parts.length;
    } else {
      const parts = within(old, i, other);
      change.merges.push({ whole: named(other), parts: parts.map(named) });
      i += parts.length;
      j++;
    }
  }
  return change;
}
