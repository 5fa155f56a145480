// Requests the clusters that a map draws, from a tree in memory or on a server.

import { checkPurpose, criterionOf, PIXEL_CRITERIA } from "../criterion.js";
import { QueryError } from "../errors.js";
import { abbreviated } from "../answer.js";
import { transitionOf } from "../transition.js";
import { badgeRadius, DOT_RADIUS } from "./badge.js";
import { changeOf } from "./change.js";
import { areaOf, FEWEST_FOR_ELLIPSE, Tones } from "./density.js";
import { worldX, worldY } from "./mercator.js";
import { TONES } from "./palette.js";

/** @typedef {import("../tree.js").Tree} Tree */
/** @typedef {import("../tree.js").Query} Query */
/** @typedef {import("../server.js").RemoteTree} RemoteTree */
/** @typedef {import("../pages/tree.js").PublishedTree} PublishedTree */
/** @typedef {import("../answer.js").Clusters} Clusters */
/** @typedef {import("../server.js").RemoteClusters} RemoteClusters */
/**
 * @typedef {import("./scene.js").Drawn & {answer: any, at: number}} Shown A drawn cluster, together with its answer and
 *   its index in this answer.
 */

/** Number of clusters in the overview of a tree. The map computes the density of the points from this overview. */
const OVERVIEW = 1000;

/**
 * Returns the arrays of an answer that say which points each cluster contains. Calls each getter of the answer only
 * once.
 *
 * @param {Clusters | null} answer
 */
const rangesOf = (answer) => ({
  length: answer?.length ?? 0, ids: answer?.ids ?? [], firsts: answer?.firsts ?? [], sizes: answer?.sizes ?? [], counts: answer?.counts ?? [],
});

/** @param {Tree | RemoteTree | PublishedTree} tree @returns {tree is RemoteTree} */
export const isRemote = (tree) => "info" in tree;

export class Answers {
  /** @type {Tones | null} */
  #tones = null;
  /** The module that compares versions of a tree. This module is loaded only for trees that were edited. */
  /** @type {any} */
  #versions = null;
  /** @type {import("./categories.js").Categories | null} */
  #categories = null;
  /**
   * Clusters of the last answer by id, with the values that were computed for drawing.
   *
   * @type {Map<number, Shown>}
   */
  #last = new Map();

  /**
   * @param {Tree | RemoteTree | PublishedTree} whole The tree of all points.
   * @param {string | undefined} colorBy
   * @param {string[]} [order]
   */
  constructor(whole, colorBy, order) {
    const isMercator = isRemote(whole) ? whole.info.projection === "web-mercator" : whole.hierarchy?.plane.isMercator;
    if (!isMercator) throw new QueryError("A map needs a tree of longitudes and latitudes");
    this.whole = whole;
    /** The tree under the current filter. */
    this.tree = whole;
    this.colorBy = colorBy;
    this.order = order;
  }

  /**
   * Loads the densities or the categories of the tree, which decide the colours of badges. If an edit of the previous
   * tree made this tree, and both trees have about as many points, keeps the colours of the previous tree.
   *
   * @param {Answers | null} previous
   */
  async prepare(previous = null) {
    const { colorBy, order } = this;
    if (/** @type {Tree} */ (this.whole).version) this.#versions = await import("../update.js");
    // Categories are counted over all points.
    if (colorBy && "whole" in this.whole) this.whole = this.tree = await this.whole.whole();
    const { whole } = this;
    if (colorBy) {
      // A map without donuts does not load this module.
      const { categoriesOf } = await import("./categories.js");
      this.#categories = await categoriesOf(/** @type {Tree | RemoteTree} */ (whole), colorBy, order);
      return;
    }
    if (previous && this.#versions?.isSmallEdit(previous.whole, whole, previous.#tones)) {
      this.#tones = previous.#tones;
      return;
    }
    /** @type {any} */
    const overview = "overview" in whole ? whole.overview(OVERVIEW) : whole.clusters({ cut: { limit: OVERVIEW } });
    const { counts, coordinates } = await overview;
    const placed = Array.from(counts, (/** @type {number} */ count, i) => (
      { count, x: worldX(coordinates[2 * i]), y: worldY(coordinates[2 * i + 1]) }));
    this.#tones = new Tones(placed, TONES);
    this.#tones.pointCount = /** @type {Tree} */ (whole).pointCount;
  }

  /** The categories of donuts; `null` is the category of all other values. Empty if no column colours the badges. */
  get categories() {
    return this.#categories?.categories ?? [];
  }

  /**
   * Throws an error if the tree cannot be cut in this way.
   *
   * @param {import("../tree.js").Cut | null | undefined} cut
   */
  checkCut(cut) {
    const name = cut ? criterionOf(cut) : "limit";
    const { hasBadges, hasSeparations } = this.whole;
    if (name !== "limit") checkPurpose(PIXEL_CRITERIA[name], hasBadges ? "badges" : hasSeparations ? "spacing" : null);
  }

  /** @param {string | ((row: number) => boolean) | null | undefined} filter */
  select(filter) {
    this.tree = filter ? /** @type {any} */ (this.whole).filtered(filter) : this.whole;
    this.#last.clear();
  }

  /**
   * Returns the clusters of a query, and how the clusters of an earlier answer change into them. The earlier answer may
   * have another filter. If the earlier answer is from a version of the tree before an edit, also returns which new
   * cluster continues each earlier cluster.
   *
   * @param {Query} query
   * @param {any} earlier
   * @param {boolean} isSame Whether the earlier answer is from the same tree.
   * @param {AbortSignal} signal
   */
  async ask(query, earlier, isSame, signal) {
    const { tree } = this;
    const before = isSame ? earlier : null;
    const asked = { ...query, aggregate: this.#categories?.aggregate };
    if (isRemote(tree)) return tree.change(before, { ...asked, ellipses: true }, { signal });
    /** @type {Clusters} */
    const clusters = await /** @type {any} */ (tree).clusters(asked, { signal });
    const [from, to] = [rangesOf(before), rangesOf(clusters)];
    return { clusters, change: changeOf(transitionOf(from, to), from.ids, to.ids), continued: !isSame && earlier && this.#versions?.continuedClusters(earlier, clusters) };
  }

  /**
   * Returns the clusters of an answer in the form in which they are drawn.
   *
   * @param {any} answer
   * @param {number} scale Width of the world on the map, in pixels.
   * @returns {Shown[]}
   */
  drawn(answer, scale) {
    const { ids, counts, firsts, sizes, coordinates, diameters } = answer;
    const last = this.#last;
    this.#last = new Map();
    return Array.from(ids, (id, i) => {
      const count = counts[i];
      const radius = diameters ? diameters[i] / 2 : count > 1 ? badgeRadius(count) : DOT_RADIUS;
      const [longitude, latitude] = [coordinates[2 * i], coordinates[2 * i + 1]];
      const old = last.get(id);
      const isSame = old && old.count === count && old.longitude === longitude && old.latitude === latitude;
      const cluster = isSame ? Object.assign(old, { radius, answer, at: i, scale, tone: this.#tone(answer, i, scale) }) : {
        id, count, first: firsts[i], size: sizes[i], label: abbreviated(count), longitude, latitude, radius, answer, at: i, scale,
        x: worldX(longitude), y: worldY(latitude), stack: count > 1 && answer.isStack(i), ...this.#look(answer, i, count, firsts[i], sizes[i], scale),
      };
      this.#last.set(id, cluster);
      return cluster;
    });
  }

  /**
   * Returns the tone of a cluster. A tone is a step of the colour ramp. Returns -1 for a single point, or if badges
   * have the colours of categories.
   *
   * @param {any} answer
   * @param {number} i
   * @param {number} scale
   */
  #tone(answer, i, scale) {
    const count = answer.counts[i];
    if (count < 2 || !this.#tones) return -1;
    const ellipse = answer.ellipse(i);
    return this.#tones.of(count, ellipse ? areaOf(ellipse.major, ellipse.minor) * scale * scale : 0);
  }

  /**
   * @param {any} answer
   * @param {number} i
   * @param {number} count
   * @param {number} first
   * @param {number} size
   * @param {number} scale
   */
  #look(answer, i, count, first, size, scale) {
    const ellipse = count > 1 ? answer.ellipse(i) : null;
    return {
      tone: this.#tone(answer, i, scale),
      parts: this.#categories?.parts(answer, i, first, size) ?? null,
      categories: this.categories,
      bbox: count > 1 ? answer.bounds(i) : null,
      ellipse: ellipse && count >= FEWEST_FOR_ELLIPSE
        ? { major: 2 * ellipse.major, minor: 2 * ellipse.minor, angle: (-ellipse.degrees * Math.PI) / 180 } : null,
    };
  }
}
