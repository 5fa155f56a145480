// Answers from data in the page. They equal the answers of the tree in any view up to the closest zoom, beyond which
// the page has too few nodes.

import { Problem, Source } from "./source.js";
import { readTable } from "./table.js";
import { abbreviated } from "./vendor/treeline/answer.js";
import { leastCode, squareOf } from "./vendor/treeline/exact.js";
import { EVERYTHING, Excerpt } from "./vendor/treeline/excerpt.js";
import { changeOf } from "./vendor/treeline/map/change.js";
import { mapZoom } from "./vendor/treeline/map/mercator.js";
import { exp2, Plane } from "./vendor/treeline/plane.js";
import { transitionOf } from "./vendor/treeline/transition.js";

/** In trees grown for badges, distances are stored as if all badges had this diameter, in pixels. */
const UNIT_BADGE = 8;

/** Smallest amount of each cut that the panel offers. The closest zoom of the page depends on it. */
const LEAST_AMOUNTS = { spacing: 24, badges: 0.5 };

export class Baked extends Source {
  /** @param bytes A table with a hierarchy and the values of its points. */
  constructor(bytes) {
    super();
    const { facts, table } = readTable(bytes);
    this.facts = facts;
    this.plane = new Plane(true, facts.seam);
    this.hierarchy = new Excerpt(table, facts.crosses_seam);
    this.cuts = [facts.index.has_badges ? "badges" : "spacing"];
  }

  async indexes() {
    return [{ ...this.facts.index, closest_zoom: this.#closestZoom }];
  }

  /** Closest zoom of the page. Higher zooms would need omitted nodes. It is null if no nodes are omitted. */
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
    return { ...this.#change(before, after), version, clusters };
  }

  async cluster(_, id) {
    return this.feature(this.#named(id), {});
  }

  async members(_, id, { offset = 0, limit }) {
    const node = this.#named(id);
    const { hierarchy, facts } = this;
    const { first, end } = hierarchy.leaves(node);
    const features = [];
    // For single points of a stack or of an omitted part, the page has only the values of their columns.
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
   * Returns the nodes of a query. The query has a `center`, a `zoom` of 256 px tiles, the `width` and `height` of the
   * screen, and the cut.
   */
  nodes(query) {
    const zoom = +query.zoom;
    const center = query.center.split(",").map(Number);
    const view = { center, zoom, width: +query.width, height: +query.height, tileSize: 256 };
    const window = query.width ? this.plane.locate(view).window : EVERYTHING;
    return this.hierarchy.cut(window, leastCode(this.#distance(this.#amount(query) * exp2(24 - zoom))));
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
      bbox: this.#bounds(node),
      geometry: { type: "Point", coordinates },
      properties: {
        cluster: count > 1,
        cluster_id: hierarchy.id(node),
        point_count: count,
        ...(count > 1 && { point_count_abbreviated: abbreviated(count) }),
        ...(count > 1 && isPosition && { stack: true }),
        ...this.#group(hierarchy.first(node)),
        ...(query.badges && { badge_px: this.#badgeDiameter(count) * query.badges }),
        ...(!isPosition && this.#ellipse(node, unitLength(coordinates[1]))),
        ...(count === 1 && this.#values(hierarchy.first(node))),
      },
    };
  }

  #bounds(node) {
    const { minX, minY, maxX, maxY } = this.hierarchy.box(node);
    return this.plane.bounds([minX, minY, maxX, maxY]);
  }

  /** Returns how the nodes of an answer change into the nodes of the next answer. */
  #change(before, after) {
    const { hierarchy } = this;
    const [from, to] = [before, after].map((nodes) => {
      const sorted = [...nodes].sort((a, b) => hierarchy.first(a) - hierarchy.first(b));
      const counts = sorted.map((node) => hierarchy.count(node));
      return {
        length: nodes.length, firsts: sorted.map((node) => hierarchy.first(node)), counts, sizes: counts,
        ids: sorted.map((node) => hierarchy.id(node)),
      };
    });
    return changeOf(transitionOf(from, to), from.ids, to.ids);
  }

  /** Returns the group of a point in a tree of groups. A point that is never clustered has no group. */
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
   * Returns a requested distance in units of the plane. It is increased, because each of two positions may be off by up
   * to one unit after rounding.
   */
  #distance(units) {
    const { badge_distance: badge } = this.facts;
    return badge ? UNIT_BADGE * units + badge : units + 2;
  }

  /** Returns the least zoom at which a node with a given code is split. */
  #zoomOfCode(code, amount) {
    const { badge_distance: badge } = this.facts;
    const distance = Math.sqrt(squareOf(code));
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

  /** Returns the values of a point that the page holds. */
  #values(treeIndex) {
    const { index, values } = this.facts;
    return Object.fromEntries(values.map((column, at) => [index.columns[at], column[treeIndex]]));
  }
}

/** Returns the length of a unit of the plane in meters, on the sphere of Web Mercator. */
const unitLength = (latitude) => ((2 * Math.PI * 6_378_137) / 2 ** 32) * Math.cos((latitude * Math.PI) / 180);
