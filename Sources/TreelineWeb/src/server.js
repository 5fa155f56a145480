// A tree on a Treeline server. It has the queries of `Tree`, but the queries return promises. `openapi.json` describes
// the routes of the server.

import { namesOf } from "./aggregates.js";
import { abbreviated } from "./answer.js";
import { criterionOf, pixelCriterionOf } from "./criterion.js";
import { asText, notEditable, QueryError, ServerError } from "./errors.js";
import { checkPage, checkQuery, checkScale, checkSignal, refuseUnknown } from "./options.js";
import { mercatorX, mercatorY } from "./plane.js";
import { transitionOf } from "./transition.js";

/** @typedef {import("./tree.js").Query} Query */
/** @typedef {import("./tree.js").Page} Page */
/** @typedef {import("./tree.js").ScaleOptions} ScaleOptions */
/** @typedef {import("./criterion.js").Cut} Cut */

/**
 * @typedef {object} ServerOptions
 * @property {string} [index] Name of an index. Required if the server has several indexes.
 * @property {string} [token] Token that the server requires.
 * @property {typeof fetch} [fetch] A replacement for `fetch`.
 *
 * @typedef {{signal?: AbortSignal}} Abortable
 */

export class RemoteTree {
  /**
   * @param {URL} base
   * @param {any} info The server's description of the index.
   * @param {ServerOptions} options
   * @param {string} [filter] Filter in CQL2 text.
   */
  constructor(base, info, options, filter) {
    this.base = base;
    this.info = info;
    this.options = options;
    this.filter = filter;
  }

  /**
   * @param {string | URL} url
   * @param {ServerOptions} options
   */
  static async connect(url, options) {
    refuseUnknown(options, ["index", "token", "fetch"], "connect");
    /** @type {URL} */
    let base;
    try {
      base = new URL(String(url).replace(/\/*$/, "/"), typeof location === "undefined" ? undefined : location.href);
    } catch {
      throw new ServerError(0, `Expected the address of a server, such as https://tiles.example.org/, found ${asText(url)}`);
    }
    const tree = new RemoteTree(base, null, options);
    if (options.index === undefined) {
      const { indexes } = await tree.#json("v1/indexes", "indexes", {}, {});
      if (indexes.length !== 1) {
        const names = indexes.map((/** @type {any} */ index) => index.name).join(", ");
        throw new QueryError(`Expected the name of an index as the option 'index', found none; the server has ${names || "no index"}`);
      }
      tree.info = indexes[0];
    } else {
      tree.info = await tree.#json(`v1/${encodeURIComponent(options.index)}`, "point_count", {}, {});
    }
    return tree;
  }

  /**
   * Number of points. Null under a filter, because only the server knows this number: `(await
   * tree.cluster(0)).counts[0]`.
   *
   * @returns {number | null}
   */
  get pointCount() {
    return this.filter ? null : this.info.point_count;
  }

  /**
   * West, south, east and north of all points. Null if there are no points. Also null under a filter, because only the
   * server knows this box: `(await tree.cluster(0)).bounds(0)`.
   *
   * @returns {[number, number, number, number] | null}
   */
  get bounds() {
    return this.filter ? null : this.info.bounds;
  }

  get hasBadges() {
    return this.info.has_badges === true;
  }

  get hasSeparations() {
    return this.info.has_separations === true;
  }

  get description() {
    const { title, attribution, unit } = this.info;
    return { title, attribution, unit };
  }

  /** @returns {Cut} */
  get defaultCut() {
    return this.info.default_cut;
  }

  /**
   * @param {Query} [query]
   * @param {Abortable} [options]
   */
  async clusters(query = {}, options = {}) {
    checkSignal(options, "clusters");
    const previous = /** @type {RemoteClusters | undefined} */ (query?.cut?.continuing);
    if (previous) this.#checkAnswer(previous);
    if (previous) return (await this.#change(previous, query, { continuing: true }, options)).clusters;
    const answer = await this.#get("clusters", "features", this.#parameters(query), options);
    return new RemoteClusters(this, answer.features, namesIn(query), query.ellipses);
  }

  /**
   * Returns the clusters of a query, and how the clusters of an earlier answer change into them. The earlier answer is
   * from this index and may have another filter.
   *
   * @param {RemoteClusters | null} from
   * @param {Query} [query]
   * @param {Abortable} [options]
   */
  change(from, query = {}, options = {}) {
    return this.#change(from, query, { "from-filter": from?.tree.filter ?? "" }, options);
  }

  /**
   * @param {RemoteClusters | null} from
   * @param {Query} query
   * @param {Record<string, any>} more Parameters in addition to the parameters of the query.
   * @param {Abortable} options
   * @returns {Promise<{clusters: RemoteClusters, change: import("./map/scene.js").Change}>}
   */
  async #change(from, query, more, options) {
    const body = JSON.stringify({ version: this.info.version, cluster_ids: Array.from(from?.ids ?? []) });
    const request = { method: "POST", headers: { "Content-Type": "application/json" }, body, ...options };
    const answer = await this.#get("transition", "clusters", { ...this.#parameters(query), ...more }, request);
    return { clusters: new RemoteClusters(this, answer.clusters.features ?? answer.clusters, namesIn(query), query.ellipses), change: answer };
  }

  /**
   * Returns an overview of the whole tree. A map computes the density of the points from this overview.
   *
   * @param {number} limit Greatest number of clusters. The answer may have more clusters if the index has more groups
   *   than this.
   */
  overview(limit) {
    const { groups = [], never_clustered_point_count: lone = 0 } = this.info;
    return this.clusters({ cut: { limit: Math.max(limit, groups.length + lone) } });
  }

  /**
   * Returns the categories of a column, for donuts.
   *
   * @param {string} column
   */
  async categories(column) {
    const { RemoteCategories } = await import("./map/remote-categories.js");
    return RemoteCategories.of(this, column);
  }

  /** Connects to the current version of the index, which may have been replaced since this tree was connected. */
  async renewed() {
    const tree = await RemoteTree.connect(this.base, { ...this.options, index: this.info.name });
    tree.filter = this.filter;
    return tree;
  }

  /** @param {Query} query */
  #parameters(query) {
    checkQuery(query);
    return { ...viewParameters(query), ...cutParameters(query.cut ?? this.defaultCut, query.tileSize), ...styleParameters(query) };
  }

  /**
   * @param {RemoteClusters} from
   * @param {RemoteClusters} to
   */
  transition(from, to) {
    this.#checkAnswer(from);
    this.#checkAnswer(to);
    return transitionOf(from, to);
  }

  /** @param {RemoteClusters} answer */
  #checkAnswer(answer) {
    if (answer?.tree?.info?.version !== this.info.version) throw new QueryError("Expected an answer of this tree, found an answer of another tree");
  }

  /**
   * @param {number} id
   * @param {Page & Abortable} page
   */
  async members(id, page = {}) {
    checkPage(page);
    const { limit = 100, offset = 0, signal } = page;
    return new RemoteMembers(await this.#get(`clusters/${id}/members`, "features", { limit, offset }, { signal }));
  }

  /**
   * @param {number} id
   * @param {Abortable} [options]
   */
  async children(id, options = {}) {
    checkSignal(options, "children");
    return new RemoteClusters(this, (await this.#get(`clusters/${id}/children`, "features", {}, options)).features);
  }

  /**
   * @param {number} id
   * @param {Abortable} [options]
   */
  async cluster(id, options = {}) {
    checkSignal(options, "cluster");
    return new RemoteClusters(this, [await this.#get(`clusters/${id}`, "properties", { ellipses: true }, options)], [], true);
  }

  /**
   * @param {number} id
   * @param {Abortable} [options]
   */
  async parent(id, options = {}) {
    checkSignal(options, "parent");
    try {
      return new RemoteClusters(this, [await this.#get(`clusters/${id}/parent`, "properties", {}, options)]);
    } catch (error) {
      // No cluster contains the root.
      if (error instanceof ServerError && error.status === 404 && id % 1024 === 0) return new RemoteClusters(this, []);
      throw error;
    }
  }

  /**
   * @param {number} id
   * @param {ScaleOptions & Abortable} options
   * @returns {Promise<number | null>}
   */
  async expansionZoom(id, options = {}) {
    checkScale(options, "expansionZoom");
    const { cut = this.defaultCut, tileSize = 512, signal } = options;
    return (await this.#get(`clusters/${id}/expansion-zoom`, "zoom", scaleParameters(cut, tileSize), { signal })).zoom;
  }

  /**
   * @param {number} row
   * @param {ScaleOptions & Abortable} options
   */
  async where(row, options = {}) {
    checkScale(options, "where");
    const { cut, tileSize = 512, signal } = options;
    const parameters = cut ? scaleParameters(cut, tileSize) : {};
    const { feature, path, zoom_alone: zoom = null } = await this.#get("where-is", "path", { row, ...parameters }, { signal });
    const features = path.map((/** @type {any} */ { cluster_id: id, point_count: count, coordinates, bbox, stack }) => {
      // Only the last cluster of the path may be a single point. It is the point with the given row.
      if (count === 1) return feature;
      const properties = { cluster: true, cluster_id: id, point_count: count, point_count_abbreviated: abbreviated(count), ...(stack && { stack }) };
      return { type: "Feature", id, bbox, geometry: { type: "Point", coordinates }, properties };
    });
    return { row, path: new RemoteClusters(this, features), zoom };
  }

  /**
   * Returns points as GeoJSON: first the points whose text begins with the given text, then the points with another
   * word that begins with this text. Case, accents and punctuation do not matter. The filter of the tree has no effect.
   *
   * @param {string} text
   * @param {{column?: string, limit?: number} & Abortable} options A column that was built with `--search`. The default
   *   is the first column with `--search`.
   * @returns {Promise<any[]>}
   */
  async search(text, options = {}) {
    refuseUnknown(options, ["column", "limit", "signal"], "search");
    const { column, limit, signal } = options;
    const path = `v1/${encodeURIComponent(this.info.name)}/search`;
    return (await this.#json(path, "features", { text, column, limit }, { signal })).features;
  }

  /**
   * @param {string} filter Filter in CQL2 text. Only the server checks the filter, when it gets the first query.
   * @returns {RemoteTree}
   */
  filtered(filter) {
    if (typeof filter !== "string") throw new QueryError(`Expected a filter in CQL2 text, which a server can evaluate, found a value of type ${typeof filter}`);
    return new RemoteTree(this.base, this.info, this.options, this.filter ? `(${this.filter}) AND (${filter})` : filter);
  }

  /**
   * Always throws an error, because the server has the points.
   *
   * @returns {Promise<never>}
   */
  async update() {
    throw notEditable();
  }

  /**
   * Requests a path of this index, with the filter.
   *
   * @param {string} path
   * @param {string} member
   * @param {Record<string, any>} parameters
   * @param {RequestInit} request
   */
  #get(path, member, parameters, request) {
    const filter = this.filter ? { filter: this.filter } : {};
    return this.#json(`v1/${encodeURIComponent(this.info.name)}/${path}`, member, { ...parameters, ...filter }, request);
  }

  /**
   * @param {string} path
   * @param {string} member Name of a member that every valid answer has. An answer without this member is not from
   *   Treeline.
   * @param {Record<string, any>} parameters
   * @param {RequestInit} request
   * @returns {Promise<any>}
   */
  async #json(path, member, parameters, request) {
    const url = new URL(path, this.base);
    for (const [name, value] of Object.entries(parameters)) if (value !== undefined) url.searchParams.set(name, String(value));
    const { token, fetch: ask = fetch } = this.options;
    const headers = token ? { ...request.headers, Authorization: `Bearer ${token}` } : request.headers;
    let response;
    try {
      response = await ask(url, { ...request, headers });
    } catch (error) {
      if (request.signal?.aborted) throw error;
      // A browser does not say whether the server is down or does not allow the page to read its answers.
      const isOther = typeof location !== "undefined" && location.origin !== this.base.origin;
      const other = isOther ? `, or does not allow pages of ${location.origin} to read its answers (see its option --allow-origin)` : "";
      throw new ServerError(0, `${this.base.href}: the server does not answer${other}`);
    }
    const answer = await response.json().catch((/** @type {unknown} */ error) => {
      if (request.signal?.aborted) throw error;
    });
    if (!response.ok) throw new ServerError(response.status, answer?.detail ?? `The server answered ${response.status}`);
    if (answer?.[member] === undefined) throw new ServerError(0, `${url.href}: expected an answer of a Treeline server, found another answer`);
    return answer;
  }
}

/** Clusters from a server, with the same interface as `Clusters`. */
export class RemoteClusters {
  /**
   * @param {RemoteTree} tree
   * @param {any[]} features
   * @param {string[]} names Names of aggregates.
   * @param {boolean} hasEllipses Whether the server was asked for ellipses.
   */
  constructor(tree, features, names = [], hasEllipses = false) {
    this.tree = tree;
    this.features = features;
    this.hasEllipses = hasEllipses;
    this.length = features.length;
    const properties = features.map((feature) => feature.properties);
    this.ids = Float64Array.from(properties, ({ cluster_id: id }) => id);
    this.counts = Uint32Array.from(properties, ({ point_count: count }) => count);
    this.firsts = Uint32Array.from(this.ids, (id) => id / 1024);
    /**
     * Sizes of the clusters. Under a filter, only lower bounds of the sizes are known: the numbers of points that pass.
     */
    this.sizes = this.counts;
    this.rows = Float64Array.from(properties, ({ index }) => index ?? -1);
    this.coordinates = Float64Array.from(features.flatMap((feature) => feature.geometry.coordinates.slice(0, 2)));
    this.diameters = properties.length && properties.every(({ badge_px: diameter }) => diameter !== undefined)
      ? Float64Array.from(properties, ({ badge_px: diameter }) => diameter) : null;
    this.values = Object.fromEntries(names.map((name) => [name, properties.map((own) => own[name])]));
  }

  get world() {
    const { coordinates, tree: { info } } = this;
    const [west, south, east, north] = info.bounds ?? [0, 0, 0, 0];
    const side = Math.max(east - west, north - south) || 1;
    return coordinates.map((coordinate, i) => {
      if (info.projection === "plane") return (i % 2 ? north - coordinate : coordinate - west) / side;
      return (i % 2 ? mercatorY(coordinate) : mercatorX(coordinate)) / 2 ** 32;
    });
  }

  /** @param {number} i */
  isStack(i) {
    return this.features[i].properties.stack === true;
  }

  /**
   * @param {number} i
   * @returns {[number, number, number, number]}
   */
  bounds(i) {
    const [longitude, latitude] = this.coordinates.subarray(2 * i);
    return this.features[i].bbox ?? [longitude, latitude, longitude, latitude];
  }

  /**
   * Returns the ellipse of a cluster, like `Clusters.ellipse`. The query must have requested ellipses.
   *
   * @param {number} i
   */
  ellipse(i) {
    if (!this.hasEllipses && this.counts[i] > 1) {
      throw new QueryError("A server sends ellipses only for a query with the option 'ellipses: true'");
    }
    // The axes are in pixels at zoom 24, which are units of the plane. The angle is in degrees clockwise.
    const [major, minor, clockwise] = this.features[i].properties.ellipse ?? [0, 0, 0];
    return { major: major / 2 ** 32, minor: minor / 2 ** 32, degrees: -clockwise };
  }

  /** @param {number} i */
  feature(i) {
    return this.features[i];
  }

  toGeoJSON() {
    return { type: /** @type {const} */ ("FeatureCollection"), features: this.features };
  }
}

/** Points of a cluster from a server, with the same interface as `Members`. */
export class RemoteMembers {
  /** @param {any} page */
  constructor(page) {
    this.page = page;
    this.total = page.total;
    this.offset = page.offset;
    this.length = page.features.length;
    this.rows = Float64Array.from(page.features, (/** @type {any} */ { properties }) => properties.index);
    this.coordinates = Float64Array.from(page.features.flatMap((/** @type {any} */ { geometry }) => geometry.coordinates.slice(0, 2)));
  }

  toGeoJSON() {
    return this.page;
  }
}

/** @param {Query} query */
const namesIn = ({ aggregate }) => (aggregate ? namesOf(aggregate) : []);

/** @param {Query} query */
function viewParameters({ bbox, center, tile, zoom, width, height, tileSize = 512, margin }) {
  const hasScale = zoom !== undefined || tile !== undefined;
  return {
    bbox: bbox && Array.from(bbox).join(","),
    center: center && ("lng" in center ? `${center.lng},${center.lat}` : Array.from(center).join(",")),
    tile: tile && Array.from(tile).join(","),
    zoom, width, height, margin, "tile-size": hasScale ? tileSize : undefined,
  };
}

/**
 * @param {Cut} cut
 * @param {number} tileSize
 */
function cutParameters(cut, tileSize = 512) {
  const name = criterionOf(cut);
  const { limit, order, minPoints, aloneFromZoom } = cut;
  if (name === "limit" && limit === Infinity) throw new QueryError("Expected a whole number as the limit for a server, found Infinity");
  // The server expects `aloneFromZoom` in zooms of 256 px tiles.
  const alone = aloneFromZoom === undefined ? undefined : aloneFromZoom + (tileSize === 512 ? 1 : 0);
  return { [name]: cut[name], limit: limit === Infinity ? undefined : limit, order, "min-points": minPoints, "alone-from-zoom": alone };
}

/**
 * Returns the parameters of a cut for questions about zooms. A limit does not matter to such a question.
 *
 * @param {Cut} cut
 * @param {number} tileSize
 */
function scaleParameters(cut, tileSize) {
  pixelCriterionOf(cut);
  return { ...cutParameters(cut, tileSize), limit: undefined, "tile-size": tileSize };
}

/** @param {Query} query */
function styleParameters({ position, keepVisible, aggregate, ellipses }) {
  return { position, "keep-visible": keepVisible, aggregate, ellipses };
}
