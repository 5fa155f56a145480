// A source of answers about a published index. The page computes the answers itself, without a server.

import { Problem, Source } from "./source.js";
import { CRITERIA } from "./vendor/treeline/criterion.js";
import { changeOf } from "./vendor/treeline/map/change.js";
import { histogramOf } from "./vendor/treeline/pages/histogram.js";
import { PublishedTree } from "./vendor/treeline/pages/tree.js";
import { transitionOf } from "./vendor/treeline/transition.js";

/**
 * Greatest number of points of an index for which the page computes filters and sums. Filters and sums need all pages
 * of the index.
 */
const MOST_FILTERED = 1_000_000;

/** Greatest number of pages that are loaded for the names of the single points in view. */
const MOST_VALUE_PAGES = 3;

/** Greatest number of clusters whose ranges are kept for transitions. */
const KEPT = 20_000;

export class Opened extends Source {
  hasLogarithmicHistograms = true;
  #filtered = new Map();
  /** Range of tree indices of each shown cluster, by the id of the cluster. */
  #ranges = new Map();

  /**
   * @param url Address of the manifest.
   * @param fetch Called instead of `fetch` if the page itself contains the pages.
   */
  constructor(url, fetch) {
    super();
    Object.assign(this, { url, fetch });
  }

  async indexes() {
    this.tree = await PublishedTree.open(this.url, { fetch: this.fetch });
    this.#filtered.clear();
    this.#ranges.clear();
    const { tree, tree: { manifest } } = this;
    this.hasFilters = manifest.columns.length > 0 && tree.pointCount <= MOST_FILTERED;
    const columns = manifest.columns.map(({ name }) => name);
    return [{
      name: "", version: manifest.content_hash, title: manifest.title || document.title || null, attribution: manifest.attribution ?? null,
      point_count: tree.pointCount, bounds: tree.bounds, projection: manifest.projection === 1 ? "web-mercator" : "plane", unit: manifest.unit ?? null,
      split: manifest.growth, has_separations: tree.hasSeparations, has_badges: tree.hasBadges, default_cut: tree.defaultCut, columns,
      // A column without a kind cannot be used in filters and cannot be summed.
      column_kinds: this.hasFilters ? Object.fromEntries(manifest.columns.map(({ name, kind }) => [name, kind])) : {},
    }];
  }

  async clusters(index, query, signal) {
    // This query is for the overview from which the map computes the density of the points. The overview needs no exact
    // answer.
    const isOverview = query.limit && !query.center && !query.bbox && !query.filter && !query.aggregate;
    return (isOverview ? this.tree.overview(query.limit) : await this.#ask(query, signal)).toGeoJSON();
  }

  async transition(index, version, ids, query, signal) {
    const clusters = await this.#ask(query, signal);
    const from = this.#rangesOf(ids);
    const to = this.#keep(clusters);
    return { ...changeOf(transitionOf(from, to), from.ids, to.ids), version, clusters: clusters.toGeoJSON() };
  }

  async cluster(index, id, signal, { ellipses = true, ...query } = {}) {
    if (!query.aggregate) {
      const tree = this.#tree(query);
      const cluster = await this.#tried(() => tree.cluster(+id, { signal }));
      cluster.options.ellipses = ellipses;
      return tree.feature(cluster, 0, { signal });
    }
    const tree = await this.#tree(query).whole({ signal });
    const cluster = await this.#tried(() => tree.cluster(+id));
    Object.assign(cluster.options, { aggregate: query.aggregate, ellipses });
    return cluster.feature(0);
  }

  async members(index, id, { offset = 0, limit = 100, ...query }, signal) {
    return (await this.#tried(() => this.#tree(query).members(+id, { offset, limit, signal }))).toGeoJSON();
  }

  async expansionZoom(index, id, query) {
    return this.#tried(() => this.#tree(query).expansionZoom(+id, { cut: cutOf(query), tileSize: 256 }));
  }

  async histogram(index, { column: name, bins = 40, scale, ...query }, signal) {
    const tree = await this.#tree(query).whole({ signal });
    const column = tree.columns.find((each) => each.name === name);
    if (!column) throw new Problem(400, `There is no column ${name}.`);
    if (!["number", "time", "boolean"].includes(column.kind)) throw new Problem(400, `The column ${name} has no numbers or times.`);
    const inView = tree.clusters({ ...viewOf(query), cut: { detail: 0 }, zoom: query.zoom ?? 24, keepVisible: false });
    const options = { bins: +bins, isLogarithmic: scale === "logarithmic" };
    return histogramOf(column, tree.hierarchy.pointCount, pointsOf(inView), options);
  }

  #ask(query, signal) {
    const asked = { ...viewOf(query), cut: cutOf(query), aggregate: query.aggregate, position: query.position };
    return this.#tried(async () => {
      const tree = this.#tree(query);
      if (tree !== this.tree) {
        await tree.whole({ signal }).catch((error) => {
          // The map drops a filter that is refused in this way.
          throw error.name === "QueryError" ? new Problem(400, `filter: ${error.message}`) : error;
        });
      }
      const clusters = await tree.clusters(asked, { signal, values: this.fetch ? true : MOST_VALUE_PAGES });
      // Rounded ellipses suffice for a map, so no further pages are loaded for exact ellipses.
      clusters.options.ellipses = Boolean(query.ellipses);
      return clusters;
    });
  }

  /** Returns the tree for the filter of a query. If the map supports no filters, ignores the filter of a link. */
  #tree({ filter }) {
    if (!filter || !this.hasFilters) return this.tree;
    if (!this.#filtered.has(filter)) {
      if (this.#filtered.size > 8) this.#filtered.clear();
      this.#filtered.set(filter, this.tree.filtered(filter));
    }
    return this.#filtered.get(filter);
  }

  /** Runs a function. Errors of the function become problems, which the map shows to the user. */
  async #tried(work) {
    try {
      return await work();
    } catch (error) {
      if (error.name === "QueryError") throw new Problem(400, error.message);
      // The map reads the manifest again if the site was replaced.
      if (error.name === "ReplacedError") throw new Problem(409, error.message);
      if (error.name === "IndexError") throw new Problem(503, error.message);
      throw error;
    }
  }

  /** Keeps the ranges of an answer's clusters for the next transition. */
  #keep({ length, ids, firsts, sizes, counts }) {
    if (this.#ranges.size > KEPT) this.#ranges.clear();
    for (let i = 0; i < length; i++) this.#ranges.set(ids[i], [firsts[i], sizes[i], counts[i]]);
    return { length, ids, firsts, sizes, counts };
  }

  #rangesOf(ids) {
    const known = ids.filter((id) => this.#ranges.has(id)).sort((a, b) => this.#ranges.get(a)[0] - this.#ranges.get(b)[0]);
    const [firsts, sizes, counts] = [0, 1, 2].map((part) => known.map((id) => this.#ranges.get(id)[part]));
    return { length: known.length, ids: known, firsts, sizes, counts };
  }
}

/** Returns the view of a query. Its zoom is for 256 px tiles. */
function viewOf({ center, bbox, zoom, width, height }) {
  const numbers = (text) => text.split(",").map(Number);
  const scale = zoom === undefined ? {} : { zoom: +zoom, tileSize: 256 };
  if (center) return { center: numbers(center), ...scale, width: +width, height: +height };
  return bbox ? { bbox: numbers(bbox), ...scale } : scale;
}

/** Returns the cut of a query. */
function cutOf(query) {
  const given = CRITERIA.filter((name) => query[name] !== undefined).map((name) => [name, +query[name]]);
  return { ...Object.fromEntries(given), ...(query.order && { order: query.order }) };
}

/** Yields the tree indices of the points of some clusters that pass the filter of their tree. */
function* pointsOf({ firsts, sizes, length, tree: { selection } }) {
  for (let i = 0; i < length; i++) {
    for (let index = firsts[i]; index < firsts[i] + sizes[i]; index++) {
      if (!selection || selection.passes(index)) yield index;
    }
  }
}
