// A tree in memory, and its queries. The tree was built in the page or opened from an index. Queries return their
// results directly. A tree on a server has the same queries, but the queries return promises.

import { Clusters, Members } from "./answer.js";
import { criterionOf, PIXEL_CRITERIA } from "./criterion.js";
import { coarsenessOf, CutSearch, leastZoom, lowest } from "./cuts.js";
import { asText, QueryError } from "./errors.js";
import { Hierarchy, levelOf } from "./hierarchy.js";
import { checkPage, checkQuery, checkScale } from "./options.js";
import { Window, zoomOffset } from "./plane.js";
import { Selection } from "./selection.js";
import { transitionOf } from "./transition.js";
import { InView } from "./view.js";

/** @typedef {import("./criterion.js").Cut} Cut */
/** @typedef {import("./plane.js").View} View */
/** @typedef {import("./columns.js").Column} Column */
/** @typedef {import("./layout.js").StoredTree} StoredTree */
/** @typedef {import("./hierarchy.js").TreeFacts} TreeFacts */

/**
 * @typedef {object} AnswerOptions
 * @property {Cut} [cut] How finely points are split into clusters. The default is the tree's `defaultCut`.
 * @property {"mean" | "member"} [position] Shows clusters at their mean, or at the point nearest to the mean. By
 *   default, a cluster is shown at the position that is stored in the tree.
 * @property {boolean} [keepVisible] Whether a cluster whose position is outside the view is shown at one of its points
 *   in the view. The default is true if the cut is a limit or a detail and the view is a bbox or a center.
 * @property {string} [aggregate] Aggregates of the points of each cluster, such as `sum(population), top(kind, 3)`.
 * @property {boolean} [ellipses] Whether GeoJSON and the answers of a server contain ellipses. For a tree in memory,
 *   the method `ellipse` of an answer works without this option.
 *
 * @typedef {View & AnswerOptions} Query
 *
 * @typedef {object} Page
 * @property {number} [limit] Greatest number of points. The default is 100.
 * @property {number} [offset] Number of points to skip.
 *
 * @typedef {object} ScaleOptions
 * @property {Cut} [cut] A cut by badges, by a spacing or by a detail.
 * @property {256 | 512} [tileSize] Width in pixels of the tiles that the zoom refers to. The default is 512.
 */

const EVERYTHING = new Window(0, 2 ** 32 - 1, 0, 2 ** 32 - 1);

export class Tree {
  /**
   * @param {StoredTree | Hierarchy} stored
   * @param {TreeFacts} [facts] Required if `stored` is not a hierarchy.
   * @param {Column[]} columns
   * @param {{title?: string, attribution?: string, unit?: string}} description
   */
  constructor(stored, facts, columns = [], description = {}) {
    this.hierarchy = stored instanceof Hierarchy ? stored : new Hierarchy(stored, /** @type {TreeFacts} */ (facts));
    this.columns = columns;
    this.description = description;
    /** Points that pass the filter; null without a filter. */
    /** @type {Selection | null} */
    this.selection = null;
    /** The module that reads filters and aggregates from texts. */
    /** @type {typeof import("./language.js") | null} */
    this.language = null;
    /** GeoJSON features from which the tree was built; null if the tree was built from coordinates. */
    /** @type {ArrayLike<any> | null} */
    this.features = null;
    /** The points and options of the build if the tree can be updated. `sorted` are the same points sorted by key. */
    /** @type {{points: any, options: import("./points.js").BuildOptions, sorted?: {points: ArrayLike<any>, keys:
     *   import("./points.js").Key[], order: Uint32Array | null}} | null} */
    this.origin = null;
    /** The edit that made this tree; null if no edit did. */
    /** @type {import("./update.js").Version | null} */
    this.version = null;
  }

  /** Number of points. Under a filter, counts only the points that pass. */
  get pointCount() {
    return this.selection ? this.selection.count(0, this.hierarchy.pointCount) : this.hierarchy.pointCount;
  }

  /**
   * West, south, east and north of all points. Under a filter, only points that pass are included. Null if there are no
   * points.
   */
  get bounds() {
    const { hierarchy, selection } = this;
    if (!this.pointCount) return null;
    return hierarchy.plane.bounds(selection ? selection.box(0, hierarchy.pointCount, 0) : hierarchy.nodes);
  }

  /** Whether the tree can be cut by badges. */
  get hasBadges() {
    return this.hierarchy.codes !== null && this.hierarchy.curve !== null;
  }

  /** Whether the tree can be cut by a spacing. */
  get hasSeparations() {
    return this.hierarchy.codes !== null && this.hierarchy.curve === null;
  }

  /** The module that reads filters and aggregates from texts. Throws an error if the tree has no columns. */
  get words() {
    if (this.language) return this.language;
    throw new QueryError("Filters and aggregates that are written as text need a tree with columns");
  }

  /** @returns {Cut} */
  get defaultCut() {
    return this.hasBadges ? { badges: 1 } : this.hasSeparations ? { spacing: 44 } : { limit: 100 };
  }

  /**
   * Returns the clusters that represent the points in view, in tree order.
   *
   * @param {Query} [query]
   * @returns {Clusters}
   */
  clusters(query = {}) {
    checkQuery(query);
    const cut = query.cut ?? this.defaultCut;
    const name = criterionOf(cut);
    if (cut.continuing) this.#checkAnswer(cut.continuing);
    const { window, zoom } = this.hierarchy.plane.locate(query);
    if (query.aggregate !== undefined) this.words.namesOf(query.aggregate);
    const alone = cut.aloneFromZoom === undefined ? Infinity : cut.aloneFromZoom + zoomOffset(query.tileSize);
    if (name === "badges" && (query.position === "member" || query.keepVisible)) {
      throw new QueryError("A cut by badges shows clusters at their own positions, so that no badges touch; leave out the options 'position' and 'keepVisible'");
    }
    const keepsApart = name !== "limit" && PIXEL_CRITERIA[name].keepsApart;
    const keepsVisible = query.keepVisible ?? (!keepsApart && Boolean(query.bbox ?? query.center));
    const nodes = new CutSearch(new InView(this.hierarchy, window ?? EVERYTHING, this.selection), cut, zoom, alone);
    return new Clusters(this, window ? nodes.run() : [], {
      isAnswer: true, scale: cut.badges, isAnchored: keepsApart, position: query.position,
      window: keepsVisible ? window : null, aggregate: query.aggregate, ellipses: query.ellipses,
    });
  }

  /**
   * Returns the changes from one answer of this tree to another.
   *
   * @param {Clusters} from
   * @param {Clusters} to
   */
  transition(from, to) {
    this.#checkAnswer(from);
    this.#checkAnswer(to);
    return transitionOf(from, to);
  }

  /** @param {Clusters | NonNullable<Cut["continuing"]>} answer */
  #checkAnswer(answer) {
    if (/** @type {Clusters} */ (answer)?.tree?.hierarchy !== this.hierarchy) throw new QueryError("Expected an answer of this tree, found an answer of another tree");
  }

  /**
   * Returns one page of the list of a cluster's points, in tree order.
   *
   * @param {number} id
   * @param {Page} page
   */
  members(id, page = {}) {
    checkPage(page);
    const { limit = 100, offset = 0 } = page;
    for (const [name, number] of [["limit", limit], ["offset", offset]]) {
      if (!(Number(number) >= 0)) throw new QueryError(`Expected 0 or more as the ${name} of members, found ${asText(number)}`);
    }
    const [first, count] = this.#node(id);
    const { selection } = this;
    const total = selection ? selection.count(first, count) : count;
    const start = Math.min(Math.floor(offset), total);
    const before = selection ? selection.before[first] : 0;
    const indices = Uint32Array.from({ length: Math.min(Math.floor(limit), total - start) }, (_, i) =>
      selection ? selection.indexOf(before + start + i) : first + start + i);
    return new Members(this, indices, total, Math.floor(offset));
  }

  /**
   * Returns the two parts of a cluster. If all points are at one position, there are no parts.
   *
   * @param {number} id
   */
  children(id) {
    const [first, count, record, levels] = this.#lowest(this.#node(id));
    const children = this.hierarchy.childrenOf(first, count, record, levels);
    // The parent is a lowest node, so under a filter both children have points that pass.
    return new Clusters(this, [...this.#lowest(children.slice(0, 4)), ...this.#lowest(children.slice(4))]);
  }

  /**
   * Returns one cluster.
   *
   * @param {number} id
   */
  cluster(id) {
    return new Clusters(this, this.#node(id));
  }

  /**
   * Returns the cluster that contains a given cluster. For the root, the result is empty.
   *
   * @param {number} id
   */
  parent(id) {
    const path = this.#distinct(this.#path(id));
    return new Clusters(this, path.slice(-8, -4));
  }

  /**
   * Returns the least zoom at which a cluster is replaced by its parts. Returns null if no zoom shows the parts, and
   * -Infinity if every zoom shows the parts.
   *
   * @param {number} id
   * @param {ScaleOptions} options
   */
  expansionZoom(id, options = {}) {
    checkScale(options, "expansionZoom");
    const { cut = this.defaultCut, tileSize } = options;
    const offset = zoomOffset(tileSize);
    const [first, count, record, levels] = this.#node(id);
    const left = this.hierarchy.leftCount(first, count, record, levels);
    criterionOf(cut);
    if (!left) return null;
    return this.#splitZoom(cut, [[first, count, record, left]], offset);
  }

  /**
   * Returns the clusters that contain a row, the largest first, and the least zoom at which the row is shown alone. The
   * zoom is null if no cut was given, or if the row is never alone. The zoom is -Infinity if the row is alone at every
   * zoom.
   *
   * @param {number} row
   * @param {ScaleOptions} options
   */
  where(row, options = {}) {
    checkScale(options, "where");
    const { cut, tileSize } = options;
    const { hierarchy, selection } = this;
    const index = hierarchy.rows.indexOf(row);
    if (index < 0) throw new QueryError(`There is no row ${asText(row)}`);
    if (selection && !selection.passes(index)) throw new QueryError(`The row ${row} does not pass the filter`);
    const path = hierarchy.path(index);
    const passing = (/** @type {number} */ first, /** @type {number} */ count) => selection ? selection.count(first, count) : count;
    let zoom = null;
    if (cut) {
      criterionOf(cut);
      const splits = [];
      for (let i = 0; i < path.length; i += 4) {
        const [first, count, record, levels] = path.slice(i, i + 4);
        const left = hierarchy.leftCount(first, count, record, levels);
        if (left && passing(first, count) > 1) splits.push([first, count, record, left]);
      }
      const [first, count] = path.slice(-4);
      if (passing(first, count) === 1) zoom = splits.length ? this.#splitZoom(cut, splits, zoomOffset(tileSize)) : -Infinity;
    }
    return { row, path: new Clusters(this, this.#distinct(path)), zoom };
  }

  /**
   * Returns the tree of the points that pass a filter. Clusters keep their ids. Clusters without a passing point
   * disappear.
   *
   * @param {string | ((row: number) => boolean)} filter A condition in CQL2 text on the columns, such as
   *   `kind = 'hotel' AND price < 120`, or a function of the row.
   * @returns {Tree}
   */
  filtered(filter) {
    const { hierarchy, selection } = this;
    const passes = typeof filter === "function" ? (/** @type {number} */ index) => filter(hierarchy.rows[index]) : this.words.predicateOf(filter, this);
    const tree = Object.assign(new Tree(hierarchy, undefined, this.columns, this.description), this);
    tree.selection = new Selection(hierarchy, selection ? (index) => selection.passes(index) && passes(index) : passes);
    return tree;
  }

  /**
   * Inserts, removes or moves points, and returns the result as a new tree without a filter. The new tree equals a tree
   * that is built from the resulting points, sorted by key. The old tree does not change.
   *
   * @param {import("./update.js").Edit} edit
   * @param {{signal?: AbortSignal}} [options]
   * @returns {Promise<Tree>}
   */
  async update(edit, options) {
    return (await import("./update.js")).updated(this, edit, options);
  }

  /**
   * Returns the least zoom at which all given nodes are split.
   *
   * @param {Cut} cut
   * @param {number[][]} nodes For each node: first point, count, record, and the count of the left child.
   * @param {number} offset
   */
  #splitZoom(cut, nodes, offset) {
    const view = new InView(this.hierarchy, EVERYTHING, this.selection);
    let least = Infinity;
    let isAlways = true;
    for (const node of nodes) {
      const count = view.count(node[0], node[1]);
      if (count > 1 && count < (cut.minPoints ?? 2)) continue;
      isAlways = false;
      least = Math.min(least, coarsenessOf(view, cut, node, node[3]));
    }
    // For a cut by a limit, this call throws an error even if no node can be split.
    const zoom = leastZoom(this.hierarchy, cut, least) ?? Infinity;
    if (isAlways) return -Infinity;
    const split = Math.min(zoom - offset, cut.aloneFromZoom ?? Infinity);
    return split === Infinity ? null : split;
  }

  // Nodes

  /**
   * Returns the nodes on the path from the root to a cluster, with four numbers for each.
   *
   * @param {number} id
   */
  #path(id) {
    const { hierarchy, selection } = this;
    const [index, level] = [Math.floor(id / 1024), id % 1024];
    const isID = Number.isSafeInteger(id) && id >= 0 && index < hierarchy.pointCount;
    const path = isID ? hierarchy.path(index, level) : [];
    const [first, count, , levels] = path.slice(-4);
    if (!isID || first !== index || levelOf(levels) !== level) {
      throw new QueryError(`Expected the id of a cluster of this tree, found ${asText(id)}; an id is valid only for the tree that returned it`);
    }
    if (selection && !selection.count(first, count)) throw new QueryError(`No point of cluster ${id} passes the filter`);
    return path;
  }

  /** @param {number} id */
  #node(id) {
    return this.#path(id).slice(-4);
  }

  /**
   * Returns the lowest node that contains the same passing points as a given node.
   *
   * @param {number[]} node The given node. May be empty.
   */
  #lowest(node) {
    return node.length && this.selection ? lowest(new InView(this.hierarchy, EVERYTHING, this.selection), node) : node;
  }

  /**
   * Returns a path without nodes that have the same passing points as the next node of the path.
   *
   * @param {number[]} path
   */
  #distinct(path) {
    const { selection } = this;
    if (!selection) return path;
    return path.filter((_, i) => {
      const at = i - (i % 4);
      return at + 4 >= path.length
        || selection.count(path[at], path[at + 1]) > selection.count(path[at + 4], path[at + 5]);
    });
  }
}
