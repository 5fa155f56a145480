// A tree whose index was published as pages on a host of static files. It has the queries of `Tree`, but the queries
// return promises.

import { namesOf, valuesOf } from "../aggregates.js";
import { notEditable, QueryError } from "../errors.js";
import { predicateOf } from "../filter.js";
import { checkScale, checkSignal, refuseUnknown } from "../options.js";
import { Tree } from "../tree.js";
import { transitionOf } from "../transition.js";
import { PagedHierarchy } from "./hierarchy.js";
import { bytesOfBase64, inflated } from "./page.js";
import { PageSource } from "./source.js";

/** @typedef {import("../tree.js").Query} Query */
/** @typedef {import("../tree.js").ScaleOptions} ScaleOptions */
/** @typedef {import("../answer.js").Clusters} Clusters */
/** @typedef {{signal?: AbortSignal}} Abortable */

/** Default number of bytes that loaded pages may take. */
const MEMORY = 64 * 2 ** 20;

/** Filters load all pages of a tree. Filters are possible for trees of up to this number of points. */
const MOST_WHOLE = 2 ** 21;

/** Greatest number of rounds of requests for one query. Each round loads pages one level deeper. */
const ROUNDS = 1100;

/** Greatest number of bytes that are loaded in advance, although the query may not need them. */
const BYTES_AHEAD = 300_000;

export class PublishedTree {
  /** @type {Promise<Tree> | null} */
  #whole = null;

  /**
   * @param {PageSource} source
   * @param {Uint8Array} first The content of the first page.
   * @param {number} memory
   */
  constructor(source, first, memory) {
    this.source = source;
    this.manifest = source.manifest;
    this.first = first;
    this.memory = memory;
    this.tree = this.#begun();
  }

  /**
   * @param {string | URL} url Address of the manifest.
   * @param {{signal?: AbortSignal, fetch?: typeof fetch, memory?: number}} options
   */
  static async open(url, { signal, fetch: ask, memory = MEMORY }) {
    const source = new PageSource(String(url), ask);
    const manifest = await source.open(signal);
    return new PublishedTree(source, await inflated(bytesOfBase64(manifest.first), `${url}, first page`), memory);
  }

  /** Returns a tree with only the first page in memory. */
  #begun() {
    const hierarchy = new PagedHierarchy(this.manifest, this.source.url);
    hierarchy.addFirst(this.first);
    const { title, attribution, unit } = this.manifest;
    return new Tree(hierarchy, undefined, hierarchy.columns(), { title, attribution, unit });
  }

  get hierarchy() {
    return /** @type {PagedHierarchy} */ (this.tree.hierarchy);
  }

  get pointCount() {
    return this.tree.pointCount;
  }

  get bounds() {
    return this.tree.bounds;
  }

  get hasBadges() {
    return this.tree.hasBadges;
  }

  get hasSeparations() {
    return this.tree.hasSeparations;
  }

  get defaultCut() {
    return this.tree.defaultCut;
  }

  get description() {
    return this.tree.description;
  }

  get columns() {
    return this.tree.columns;
  }

  /**
   * Calls a function with the tree and returns the result. If pages are missing, loads these pages and calls the
   * function again.
   *
   * @template Result
   * @param {(tree: Tree) => Result} work
   * @param {AbortSignal} [signal]
   * @param {Tree} [tree] The tree of an answer. By default, the tree with the pages that are in memory now.
   * @returns {Promise<Result>}
   */
  async #run(work, signal, tree) {
    signal?.throwIfAborted();
    if (!tree) {
      // Drops all pages when they take too much memory, or after a damaged page. Earlier answers still hold the pages
      // that they need.
      if (this.hierarchy.byteCount > this.memory || this.hierarchy.failure) this.tree = this.#begun();
      tree = this.tree;
    }
    const hierarchy = /** @type {PagedHierarchy} */ (tree.hierarchy);
    for (let round = 0; ; round++) {
      if (hierarchy.failure) throw hierarchy.failure;
      hierarchy.missing.clear();
      hierarchy.greatest = Infinity;
      let [result, failure] = [/** @type {any} */ (undefined), /** @type {unknown} */ (null)];
      hierarchy.isAsking = true;
      try {
        result = work(tree);
      } catch (error) {
        failure = error;
      }
      hierarchy.isAsking = false;
      const missing = [...hierarchy.missing];
      hierarchy.missing.clear();
      if (!missing.length || round === ROUNDS) {
        if (failure) throw failure;
        return result;
      }
      await this.#load(hierarchy, missing, signal);
    }
  }

  /**
   * @param {PagedHierarchy} hierarchy
   * @param {import("./hierarchy.js").Page[]} pages
   * @param {AbortSignal} [signal]
   */
  async #load(hierarchy, pages, signal) {
    // Also loads the pages below the missing pages that the query probably needs, to save round trips.
    const needed = [...pages, ...hierarchy.ahead(pages, BYTES_AHEAD)];
    const all = [...needed, ...this.source.between(needed, hierarchy.beside(needed))];
    const contents = await this.source.load(all.map(({ reference }) => reference), signal);
    // Another query may have added a page in the meantime.
    all.forEach((page, i) => hierarchy.needs(page) && hierarchy.add(page, contents[i]));
  }

  /**
   * Returns the clusters of a query. The ellipses of large clusters are rounded. With `ellipses: true` these ellipses
   * are exact, and further pages are loaded for them.
   *
   * @param {Query} [query]
   * @param {Abortable & {values?: boolean | number}} options With `values`, also loads the rows and columns for
   *   features. If `values` is a number, loads the rows and columns only if they are in at most this number of pages.
   * @returns {Promise<Clusters>}
   */
  async clusters(query = {}, options = {}) {
    refuseUnknown(options, ["signal", "values"], "clusters");
    const { signal, values = false } = options;
    if (query.aggregate !== undefined) {
      const whole = await this.whole({ signal });
      return whole.clusters(continuingIn(whole, query));
    }
    const found = await this.#run((tree) => {
      const answer = tree.clusters(continuingIn(tree, query));
      if (query.ellipses) for (let i = 0; i < answer.length; i++) answer.ellipse(i);
      // Positions may depend on points that are not in memory.
      return placed(answer);
    }, signal);
    if (values) await this.#loadValues(found, values === true ? Infinity : values, signal);
    return found;
  }

  /**
   * Loads the values for the features of an answer, if few pages contain all of them.
   *
   * @param {Clusters} answer
   * @param {number} most
   * @param {AbortSignal} [signal]
   */
  async #loadValues(answer, most, signal) {
    const hierarchy = /** @type {PagedHierarchy} */ (answer.tree.hierarchy);
    if (most < Infinity && !hierarchy.hasDirectory) {
      // The first answer does not wait until the directory is loaded.
      this.#load(hierarchy, [hierarchy.directory]).catch(() => {});
      return;
    }
    for (;;) {
      hierarchy.missing.clear();
      answer.toGeoJSON();
      const pages = [...hierarchy.missing];
      hierarchy.missing.clear();
      if (!pages.length || pages.length > most) return;
      await this.#load(hierarchy, pages, signal);
    }
  }

  /**
   * Returns clusters of the whole tree, at most `limit`. Uses only pages that are in memory.
   *
   * @param {number} limit
   */
  overview(limit) {
    const answer = this.tree.clusters({ cut: { limit } });
    this.hierarchy.missing.clear();
    return answer;
  }

  /**
   * Returns GeoJSON of one cluster of an answer. A single point has its row and the values of its columns.
   *
   * @param {Clusters} answer
   * @param {number} i
   * @param {Abortable} options
   */
  async feature(answer, i, options = {}) {
    checkSignal(options, "feature");
    const { signal } = options;
    // The answers of aggregates and filters belong to trees in memory.
    return answer.tree.hierarchy.pages ? this.#run(() => answer.feature(i), signal, answer.tree) : answer.feature(i);
  }

  /**
   * @param {Clusters} from
   * @param {Clusters} to
   */
  transition(from, to) {
    return transitionOf(from, to);
  }

  /**
   * @param {number} id
   * @param {import("../tree.js").Page & Abortable} page
   */
  async members(id, page = {}) {
    return this.#run((tree) => {
      const members = tree.members(id, page);
      members.toGeoJSON();
      return members;
    }, page?.signal);
  }

  /**
   * @param {number} id
   * @param {Abortable} options
   */
  async children(id, options = {}) {
    checkSignal(options, "children");
    return this.#run((tree) => placed(tree.children(id)), options.signal);
  }

  /**
   * Returns a cluster with its exact ellipse.
   *
   * @param {number} id
   * @param {Abortable} options
   */
  async cluster(id, options = {}) {
    checkSignal(options, "cluster");
    return this.#run((tree) => {
      const cluster = placed(tree.cluster(id));
      cluster.ellipse(0);
      return cluster;
    }, options.signal);
  }

  /**
   * @param {number} id
   * @param {Abortable} options
   */
  async parent(id, options = {}) {
    checkSignal(options, "parent");
    return this.#run((tree) => placed(tree.parent(id)), options.signal);
  }

  /**
   * @param {number} id
   * @param {ScaleOptions & Abortable} options
   */
  async expansionZoom(id, options = {}) {
    return this.#run((tree) => tree.expansionZoom(id, options), options?.signal);
  }

  /**
   * @param {number} row
   * @param {ScaleOptions & Abortable} options
   */
  async where(row, options = {}) {
    checkScale(options, "where");
    return (await this.whole({ signal: options.signal })).where(row, options);
  }

  /**
   * Returns the tree of the points that pass a filter. All pages are loaded, so the index must be small.
   *
   * @param {string | ((row: number) => boolean)} filter
   */
  filtered(filter) {
    return new FilteredTree(this, filter);
  }

  /**
   * Loads all pages, and returns the tree in memory.
   *
   * @param {Abortable} options
   * @returns {Promise<Tree>}
   */
  async whole({ signal } = {}) {
    signal?.throwIfAborted();
    if (this.pointCount > MOST_WHOLE) {
      throw new QueryError(`Expected a published index of at most ${MOST_WHOLE} points for filters, aggregates and rows, found ${this.pointCount} points; use a server`);
    }
    // All callers share one load, so no caller can cancel the load for the other callers.
    this.#whole ??= this.#loadWhole().catch((error) => {
      this.#whole = null;
      throw error;
    });
    return this.#whole;
  }

  async #loadWhole() {
    const { tree } = this;
    const hierarchy = /** @type {PagedHierarchy} */ (tree.hierarchy);
    for (let pages; (pages = [...hierarchy.pagesBelow, ...hierarchy.valuePages]).length; ) await this.#load(hierarchy, pages);
    const { plane, growth, curve, clippedPointCount, file } = hierarchy;
    const whole = new Tree(hierarchy.stored(), { plane, growth, curve, clippedPointCount, file }, tree.columns, tree.description);
    if (tree.columns.length) whole.language = { namesOf, predicateOf, valuesOf };
    return whole;
  }

  /**
   * Always throws an error, because pages cannot be changed.
   *
   * @returns {Promise<never>}
   */
  async update() {
    throw notEditable();
  }

  /** Opens the current version of the site, which may have been replaced since this tree was opened. */
  renewed() {
    return PublishedTree.open(this.source.url, { fetch: this.source.fetch, memory: this.memory });
  }
}

/** The points of a published tree that pass a filter. */
class FilteredTree {
  /** @type {Promise<Tree> | null} */
  #filtered = null;

  /**
   * @param {PublishedTree | FilteredTree} from
   * @param {string | ((row: number) => boolean)} filter
   */
  constructor(from, filter) {
    this.from = from;
    this.filter = filter;
    /** @type {PagedHierarchy} */
    this.hierarchy = from.hierarchy;
  }

  /** @returns {boolean} */
  get hasBadges() {
    return this.from.hasBadges;
  }

  /** @returns {boolean} */
  get hasSeparations() {
    return this.from.hasSeparations;
  }

  /** @returns {import("../criterion.js").Cut} */
  get defaultCut() {
    return this.from.defaultCut;
  }

  /** @returns {{title?: string, attribution?: string, unit?: string}} */
  get description() {
    return this.from.description;
  }

  /**
   * Always null, because the number of points that pass is known only after all pages are loaded: `(await
   * tree.whole()).pointCount`.
   */
  get pointCount() {
    return null;
  }

  get bounds() {
    return null;
  }

  /**
   * @param {Abortable} options
   * @returns {Promise<Tree>}
   */
  async whole({ signal } = {}) {
    signal?.throwIfAborted();
    this.#filtered ??= this.from.whole().then((tree) => tree.filtered(this.filter));
    this.#filtered.catch(() => (this.#filtered = null));
    return this.#filtered;
  }

  /**
   * @param {string} method
   * @param {Abortable} [options]
   */
  async #checked(method, options = {}) {
    checkSignal(options, method);
    return this.whole(options);
  }

  /** @param {Query} [query] @param {Abortable & {values?: boolean | number}} [options] */
  async clusters(query, options = {}) {
    refuseUnknown(options, ["signal", "values"], "clusters");
    const tree = await this.whole(options);
    return tree.clusters(continuingIn(tree, query));
  }

  /** @param {Clusters} answer @param {number} i */
  async feature(answer, i) {
    return answer.feature(i);
  }

  /** @param {Clusters} from @param {Clusters} to */
  transition(from, to) {
    return transitionOf(from, to);
  }

  /** @param {number} id @param {import("../tree.js").Page & Abortable} page */
  async members(id, page) {
    return (await this.whole({ signal: page?.signal })).members(id, page);
  }

  /** @param {number} id @param {Abortable} [options] */
  async children(id, options) {
    return (await this.#checked("children", options)).children(id);
  }

  /** @param {number} id @param {Abortable} [options] */
  async cluster(id, options) {
    return (await this.#checked("cluster", options)).cluster(id);
  }

  /** @param {number} id @param {Abortable} [options] */
  async parent(id, options) {
    return (await this.#checked("parent", options)).parent(id);
  }

  /** @param {number} id @param {ScaleOptions & Abortable} options */
  async expansionZoom(id, options) {
    return (await this.whole({ signal: options?.signal })).expansionZoom(id, options);
  }

  /** @param {number} row @param {ScaleOptions & Abortable} options */
  async where(row, options) {
    return (await this.whole({ signal: options?.signal })).where(row, options);
  }

  /** @param {string | ((row: number) => boolean)} filter */
  filtered(filter) {
    return new FilteredTree(this, filter);
  }

  /** @returns {Promise<never>} */
  async update() {
    throw notEditable();
  }

  /** @returns {Promise<any>} */
  async renewed() {
    return (await this.from.renewed()).filtered(this.filter);
  }
}

/**
 * Reads the positions of clusters. Reading them adds missing pages to `missing`.
 *
 * @param {Clusters} clusters
 */
function placed(clusters) {
  return clusters.coordinates && clusters;
}

/**
 * Returns a query whose earlier answer, if the query has one, is an answer of a given tree.
 *
 * @param {Tree} tree
 * @param {Query} [query]
 * @returns {Query | undefined}
 */
function continuingIn(tree, query) {
  const previous = /** @type {{nodes: Uint32Array} | undefined} */ (query?.cut?.continuing);
  return previous ? { ...query, cut: { ...query?.cut, continuing: answerIn(tree, previous) } } : query;
}

/**
 * Converts an earlier answer to an answer of a tree. The earlier answer may refer to pages that were dropped. When
 * dropped pages are loaded again, their records get other numbers.
 *
 * @param {Tree} tree
 * @param {{nodes: Uint32Array, tree?: Tree}} answer
 * @returns {{nodes: Uint32Array, tree?: Tree}}
 */
function answerIn(tree, answer) {
  if (answer.tree === tree) return answer;
  const { nodes } = answer;
  const found = [];
  for (let i = 0; i < nodes.length; i += 4) found.push(...tree.hierarchy.path(nodes[i], nodes[i + 3] & 1023).slice(-4));
  return { nodes: Uint32Array.from(found), tree };
}
