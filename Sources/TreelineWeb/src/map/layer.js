// Badges above a map of any library. Requests the clusters in view from a tree, draws how they split and merge, and
// opens chosen clusters.
//
// A host gives access to the map. `maplibre.js` has the host for MapLibre, and `leaflet.js` has the host for Leaflet.

import { criterionOf } from "../criterion.js";
import { QueryError } from "../errors.js";
import { Answers } from "./answers.js";
import { Feed } from "./feed.js";
import { ClusterList } from "./list.js";
import { fittingZoom } from "./mercator.js";
import { problemsOf } from "./options.js";
import { Overlay } from "./overlay.js";
import { DARK, LIGHT, Palette } from "./palette.js";
import { clusterAt } from "./pointer.js";
import { Scene } from "./scene.js";
import { memberAt, Spread } from "./spread.js";
import { stepZoom } from "./step.js";

/** @typedef {import("./answers.js").Tree} Tree */
/** @typedef {import("./answers.js").RemoteTree} RemoteTree */
/** @typedef {import("./answers.js").PublishedTree} PublishedTree */
/** @typedef {import("./answers.js").Shown} Shown */
/** @typedef {import("./mercator.js").Camera} Camera */

/**
 * @typedef {object} LayerOptions
 * @property {import("../tree.js").Cut} [cut] How finely points are split into clusters. The default is the tree's
 *   `defaultCut`.
 * @property {string} [colorBy] A column. Badges become donuts that show the values of this column. By default, badges
 *   are coloured by density.
 * @property {string[]} [order] Values of `colorBy`. Donuts and the legend show the values in this order. The values
 *   that are missing in the list follow, beginning with the most frequent value.
 * @property {string | ((row: number) => boolean) | null} [filter] Selects the points that are shown: a condition in
 *   CQL2 text. For a tree in memory, the filter may also be a function of the row.
 * @property {boolean} [ellipses] Whether the ellipse of each cluster is drawn. The ellipse of the pointed-at cluster is
 *   always drawn.
 * @property {"auto" | "light" | "dark" | Partial<import("./palette.js").Colours>} [theme] `auto`, the default, follows
 *   the system.
 * @property {(feature: any) => void} [onPoint] Called with GeoJSON of a chosen point.
 * @property {(feature: any) => void | boolean} [onCluster] Called with GeoJSON of a chosen cluster. If the function
 *   returns false, the cluster does not expand.
 * @property {(error: any) => void} [onError] Called with errors. By default, errors are written to the console.
 *
 * @typedef {object} Host
 * @property {HTMLElement} container Container of the map.
 * @property {HTMLCanvasElement} canvas Covers the map; the layer draws on it.
 * @property {() => Camera} camera Returns the part of the world that is on the screen now.
 * @property {(camera: Camera) => import("../plane.js").View} view Returns the view to request for a camera.
 * @property {() => boolean} isMoving
 * @property {() => void} repaint Requests a frame of the map. In each frame of the map, the host calls `frame`.
 * @property {(center: [number, number], zoom: number, isInstant: boolean) => void} go
 * @property {() => number} maxZoom Returns the greatest zoom of the map, for 512 px tiles.
 * @property {boolean} hasCopies Whether a map that is wider than the world shows copies of the world.
 * @property {() => void} end Stops listening to the map.
 */

/** Number of members of a stack that are spread around the stack. */
const MEMBERS = 60;

/** Amount that is added to the zoom from which a cluster splits, because zooms of requests are rounded. */
const BEYOND = 0.02;

/** Greatest zoom to which the map goes to fill the screen with a cluster. */
const CLOSEST = 15;

/** Milliseconds without a change after which the clusters in view are listed, and announced to screen readers. */
const REST = 160;

const number = new Intl.NumberFormat("en");
/** @param {number} count */
const points = (count) => `${number.format(count)} ${count === 1 ? "point" : "points"}`;

export class BadgeLayer {
  /** The drawn badges. */
  scene = new Scene();
  #overlay;
  #list;
  /** @type {Feed<{key: string, query: any}, any>} */
  #feed;
  /** @type {Answers | null} */
  #answers = null;
  /**
   * The shown answer.
   *
   * @type {any}
   */
  #answer = null;
  /**
   * Source of the shown answer.
   *
   * @type {Answers | null}
   */
  #answered = null;
  /** @type {Shown | null} */
  #pointed = null;
  /** @type {Spread | null} */
  #spread = null;
  /** @type {any[]} */
  #members = [];
  #sourceNumber = 0;
  /** @type {Tree | RemoteTree | PublishedTree | Promise<Tree | RemoteTree | PublishedTree> | null} */
  #source = null;
  /** The latest call of `#load`. @type {Promise<void>} */
  #loading = Promise.resolve();
  #hasFailed = false;
  /**
   * The options of the shown answer.
   *
   * @type {LayerOptions | null}
   */
  #settled = null;
  #refused = "";
  #isScheduled = false;
  #isRemoved = false;
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  #rest;
  #motion = matchMedia("(prefers-reduced-motion: reduce)");
  #darkness = matchMedia("(prefers-color-scheme: dark)");
  #palette = new Palette(LIGHT);
  #repaint = () => this.#paint();

  /**
   * @param {Host} host
   * @param {Tree | RemoteTree | PublishedTree | Promise<Tree | RemoteTree | PublishedTree>} source
   * @param {LayerOptions} options
   */
  constructor(host, source, options) {
    this.host = host;
    /** @type {Record<string, any> & LayerOptions} */
    this.options = { ...options };
    this.frame = this.frame.bind(this);
    this.#overlay = new Overlay(host.canvas);
    host.canvas.setAttribute("aria-hidden", "true");
    this.#list = new ClusterList(host.container, { leave: () => this.#point(null), close: () => this.close() });
    this.#feed = new Feed({
      fetch: ({ query }, signal) => /** @type {Answers} */ (this.#answers).ask(query, this.#answer, this.#isSameTree, signal),
      receive: (answer) => this.#receive(answer),
      fail: (error) => this.#fail(error),
      wake: () => this.#wake(),
    });
    this.#darkness.addEventListener("change", this.#repaint);
    const problems = problemsOf(options);
    for (const name of problems.keys()) delete this.options[name];
    for (const problem of problems.values()) this.#report(problem);
    this.#paint();
    /** Resolves when the source is open and its categories are known. Rejects if the source cannot be shown. */
    this.ready = this.setSource(source);
  }

  /** GeoJSON of the shown clusters. */
  get clusters() {
    return this.#answer?.toGeoJSON() ?? { type: "FeatureCollection", features: [] };
  }

  /** The categories of donuts with their colours, for a legend. The category of all other values has the name null. */
  get legend() {
    const categories = this.#answers?.categories ?? [];
    return this.#palette.tonesFor(categories).map(({ fill }, at) => ({ name: categories[at], color: fill }));
  }

  /** Whether badges are moving or the answer for the view is still awaited. */
  get isMoving() {
    const request = this.#answers && this.#request(this.host.camera());
    const isWaiting = request ? request.key !== this.#refused && !this.#feed.hasAnswered(request) : !this.#hasFailed;
    return this.scene.isMoving || this.host.isMoving() || isWaiting;
  }

  /**
   * Shows another tree. A badge stays if the new tree has a cluster with the same position and number of points. The
   * new tree may be the result of editing the shown tree. Then a badge also stays if one new cluster contains most of
   * the badge's points, and the badge moves to this cluster. The promise rejects if the tree cannot be shown. `onError`
   * gets the error, too, so a page need not await the promise.
   *
   * @param {Tree | RemoteTree | PublishedTree | Promise<Tree | RemoteTree | PublishedTree>} source
   */
  setSource(source) {
    const shown = this.#show(source);
    shown.catch(() => {});
    return shown;
  }

  /** @param {Tree | RemoteTree | PublishedTree | Promise<Tree | RemoteTree | PublishedTree>} source */
  #show(source) {
    this.#source = source;
    return (this.#loading = this.#load(source));
  }

  /** @param {Tree | RemoteTree | PublishedTree | Promise<Tree | RemoteTree | PublishedTree>} source */
  async #load(source) {
    const own = ++this.#sourceNumber;
    this.#hasFailed = false;
    try {
      const whole = await source;
      let answers = new Answers(whole, this.options.colorBy, this.options.order ?? undefined);
      await answers.prepare(this.#answers).catch((error) => {
        if (own !== this.#sourceNumber) return;
        this.#leaveOut("colorBy", error);
        answers = new Answers(whole, undefined);
        return answers.prepare();
      });
      if (this.#isRemoved) return;
      if (own !== this.#sourceNumber) return this.#loading;
      answers.checkCut(this.options.cut);
      try {
        answers.select(this.options.filter);
      } catch (error) {
        this.#leaveOut("filter", error);
      }
      this.#answers = answers;
      this.#paint();
      this.#renew();
    } catch (error) {
      if (own !== this.#sourceNumber) return this.#loading;
      this.#hasFailed = true;
      if (this.#answers) this.#source = this.#answers.whole;
      this.#report(error);
      throw error;
    }
  }

  /**
   * Leaves out an option that does not suit the tree, and reports the error. If a tree is already shown, throws the
   * error instead, because then the shown tree and the options stay.
   *
   * @param {"colorBy" | "filter"} name
   * @param {any} error
   */
  #leaveOut(name, error) {
    const isWrong = error instanceof QueryError || error.status === 400;
    if (this.#answers || !this.options[name] || !isWrong) throw error;
    delete this.options[name];
    this.#report(error);
  }

  /**
   * Changes options. Badges move to their new places. If an option is wrong, `onError` gets the error, and the options
   * do not change.
   *
   * @param {Partial<LayerOptions>} options
   */
  async set(options) {
    const before = this.options;
    const [problem] = problemsOf(options).values();
    if (problem) return this.#report(problem);
    this.options = { ...before, ...options };
    const { colorBy, order, cut } = this.options;
    // Without answers, the source may have been refused because of the earlier cut.
    const isRefused = this.#hasFailed && !this.#answers && cut !== before.cut;
    if (this.#source && (colorBy !== before.colorBy || order !== before.order || isRefused)) {
      await this.#show(this.#source).catch(() => this.#restore(options, before));
      return;
    }
    if (!this.#answers) return;
    try {
      if ("filter" in options) this.#answers.select(options.filter);
    } catch (error) {
      this.options = before;
      return this.#report(error);
    }
    if ("theme" in options) this.#paint();
    this.#renew();
  }

  /**
   * Undoes changes of options. Leaves out options that have been changed again since then.
   *
   * @param {Record<string, any>} changes
   * @param {Record<string, any>} before
   */
  #restore(changes, before) {
    const { options } = this;
    for (const name in changes) if (options[name] === changes[name]) options[name] = before[name];
  }

  /** Removes the badges from the map. The layer cannot be used afterwards. */
  remove() {
    if (this.#isRemoved) return;
    this.#isRemoved = true;
    this.host.end();
    this.#feed.reset();
    clearTimeout(this.#rest);
    this.#darkness.removeEventListener("change", this.#repaint);
    this.#list.remove();
    this.host.canvas.remove();
  }

  // Answers

  /**
   * The tree that is being replaced by the tree of a new index.
   *
   * @type {unknown}
   */
  #renewing;

  get #isSameTree() {
    return this.#answered !== null && this.#answered.whole === this.#answers?.whole;
  }

  #renew() {
    this.#feed.reset();
    this.#sourceKey++;
    this.#wake();
  }

  #sourceKey = 0;

  /** @param {Camera} camera */
  #request(camera) {
    const { cut } = this.options;
    const query = { ...this.host.view(camera), ...(cut && { cut }) };
    return { query, key: `${this.#sourceKey} ${JSON.stringify(query)}` };
  }

  /** @param {{clusters: any, change: import("./scene.js").Change, continued?: Map<number, number>}} answer */
  #receive({ clusters, change, continued }) {
    const answers = /** @type {Answers} */ (this.#answers);
    const [now, isInstant] = [performance.now(), this.#motion.matches];
    const drawn = answers.drawn(clusters, this.host.camera().scale);
    if (this.#isSameTree || this.#answered === null) this.scene.apply(change, drawn, now, isInstant);
    else this.scene.replace(drawn, now, isInstant, continued);
    this.#answer = clusters;
    this.#answered = answers;
    this.#settled = this.options;
    // Removes the marks of clusters that are gone.
    const { cluster } = this.#spread ?? {};
    if (cluster && !this.scene.sprite(cluster.id)) this.close();
    this.#point(/** @type {Shown | undefined} */ (this.#pointed && this.scene.sprite(this.#pointed.id)?.cluster) ?? null);
    this.#restSoon();
  }

  /** @param {any} error */
  #fail(error) {
    const answers = /** @type {Answers} */ (this.#answers);
    const { whole } = answers;
    if (error.status === 409 && "renewed" in whole) {
      // The index was replaced, and its ids are valid for one version only. Opening the new index may take longer than
      // the pause before the next request. The next request then also fails, but must not open the index again.
      if (this.#renewing === whole && !this.#hasFailed) return;
      this.#renewing = whole;
      this.setSource(whole.renewed());
    } else {
      // The refused request would fail again.
      const isRefused = !("status" in error) || error.status === 400;
      if (isRefused) this.#refused = this.#request(this.host.camera()).key;
      this.#report(error);
      // If nothing has been shown yet, the filter is left out.
      const { cut, filter } = this.#settled ?? { cut: this.options.cut, filter: undefined };
      if (!isRefused || (cut === this.options.cut && filter === this.options.filter)) return;
      this.options = { ...this.options, cut, filter };
      answers.select(filter);
      this.#renew();
    }
  }

  /** @param {any} error */
  #report(error) {
    if (this.options.onError) this.options.onError(error);
    else console.error(error);
  }

  // Drawing

  #paint() {
    const theme = this.options.theme ?? "auto";
    const isDark = theme === "auto" ? this.#darkness.matches : theme === "dark";
    this.#palette = new Palette(typeof theme === "object" ? { ...LIGHT, ...theme } : isDark ? DARK : LIGHT);
    this.#wake();
  }

  /**
   * Requests a frame. While the map moves, requests a frame of the map, so that the badges and the map move together.
   */
  #wake() {
    if (this.#isRemoved) return;
    if (this.host.isMoving()) {
      this.host.repaint();
    } else if (!this.#isScheduled) {
      this.#isScheduled = true;
      requestAnimationFrame(() => {
        this.#isScheduled = false;
        this.frame();
      });
    }
  }

  /** Requests the clusters in view and draws the badges. The host calls this method in each of its frames. */
  frame() {
    if (this.#isRemoved) return;
    const now = performance.now();
    const camera = this.host.camera();
    if (camera.width === 0 || camera.height === 0) return;
    const request = this.#answers && this.#request(camera);
    if (request && request.key !== this.#refused) this.#feed.want(request, now);
    this.scene.advance(now);
    this.#overlay.prepare(this.#palette, camera);
    this.#overlay.clear();
    const ellipses = this.options.ellipses === true;
    for (const copy of this.#copies(camera)) {
      this.#overlay.draw(this.scene, copy, now, { left: 0, right: camera.width, ellipses, marked: this.#pointed, origin: ORIGIN });
      if (this.#spread) this.#overlay.drawSpread(this.#spread, copy, now, ORIGIN);
    }
    if (this.scene.isMoving || this.#spread?.isMoving(now)) this.#wake();
  }

  /**
   * Returns the camera of each copy of the world on the screen.
   *
   * @param {Camera} camera
   */
  #copies(camera) {
    const most = this.host.hasCopies ? Math.min(Math.ceil(Math.max(Math.hypot(camera.width, camera.height) / camera.scale - 1, 0) / 2), 4) : 0;
    return Array.from({ length: 2 * most + 1 }, (_, at) => (at === most ? camera : camera.copy(at - most)));
  }

  // Pointing and choosing

  /**
   * Marks the cluster or the member of a stack under the pointer.
   *
   * @param {number} x
   * @param {number} y
   * @returns {boolean} Whether a cluster or a member at this position can be chosen.
   */
  hover(x, y) {
    const { cluster, member } = this.#at(x, y, "mouse");
    if (this.#spread && this.#spread.marked !== member) {
      this.#spread.marked = member;
      this.#wake();
    }
    this.#point(member < 0 ? cluster : null);
    return member >= 0 || cluster !== null;
  }

  /** Removes all marks, because the pointer has left the map. */
  leave() {
    this.#point(null);
  }

  /**
   * Chooses the cluster or the member of a stack under the pointer.
   *
   * @param {number} x
   * @param {number} y
   * @param {"mouse" | "touch"} kind
   */
  press(x, y, kind) {
    const { cluster, member } = this.#at(x, y, kind);
    if (member >= 0) this.#choosePoint(this.#members[member]);
    else if (cluster) this.choose(cluster);
    else this.close();
  }

  /**
   * @param {number} x
   * @param {number} y
   * @param {"mouse" | "touch"} kind
   * @returns {{cluster: Shown | null, member: number}}
   */
  #at(x, y, kind) {
    for (const camera of this.#copies(this.host.camera())) {
      const member = memberAt(this.#spread, camera, x, y);
      const cluster = /** @type {Shown | null} */ (member < 0 ? clusterAt(this.scene, camera, x, y, kind) : null);
      if (cluster || member >= 0) return { cluster, member };
    }
    return { cluster: null, member: -1 };
  }

  /** @param {Shown | null} cluster */
  #point(cluster) {
    if (this.#pointed === cluster) return;
    this.#pointed = cluster;
    this.#wake();
  }

  /**
   * Reports a chosen point, or expands a chosen cluster: zooms to the zoom at which the cluster splits. A stack never
   * splits, so its members are spread around it.
   *
   * @param {Shown} cluster
   */
  async choose(cluster) {
    try {
      if (cluster.count === 1) {
        // In a published index, the values of a point are in another page.
        const { tree } = /** @type {any} */ (this.#answered);
        return this.#choosePoint(await (tree.feature?.(cluster.answer, cluster.at) ?? cluster.answer.feature(cluster.at)));
      }
      if (this.options.onCluster?.(cluster.answer.feature(cluster.at)) === false) return;
      if (this.#spread?.cluster.id === cluster.id) return this.close();
      if (cluster.stack) return await this.#open(cluster);
      const { host, options: { cut } } = this;
      const tree = /** @type {Answers} */ (this.#answered).tree;
      const [now, filling, most] = [host.camera().zoom, Math.min(fittingZoom(cluster, host.camera()), CLOSEST), host.maxZoom()];
      let zoom = Math.max(now + 0.5, filling);
      const used = cut ?? tree.defaultCut;
      // The zoom at which a limit splits a cluster depends on the other clusters in view.
      if (criterionOf(used) !== "limit") {
        /** @param {number} id */
        const zoomOf = async (id) => ((await tree.expansionZoom(id, { cut })) ?? Infinity) + BEYOND;
        const [two, parts] = await Promise.all([zoomOf(cluster.id), tree.children(cluster.id)]);
        if (two > most) return await this.#open(cluster);
        zoom = stepZoom({ now, two, three: Math.min(...await Promise.all(Array.from(parts.ids, zoomOf))), filling });
      }
      host.go([cluster.longitude, cluster.latitude], Math.min(zoom, most), this.#motion.matches);
    } catch (error) {
      this.#report(error);
    }
  }

  /** @param {any} feature */
  #choosePoint(feature) {
    if (feature) this.options.onPoint?.(feature);
  }

  /**
   * Opens a cluster that no zoom of the map splits. Spreads its members around it.
   *
   * @param {Shown} cluster
   */
  async #open(cluster) {
    const { tree } = /** @type {Answers} */ (this.#answered);
    const start = this.#motion.matches ? -Infinity : performance.now();
    const spread = this.#spread = new Spread(cluster, Math.min(cluster.count, MEMBERS), start);
    this.#members = [];
    this.#wake();
    const members = (await tree.members(cluster.id, { limit: MEMBERS })).toGeoJSON().features;
    if (this.#spread !== spread) return;
    this.#members = members;
    this.#listNow();
    if (this.#list.hasFocus) this.#list.focus();
  }

  /** Closes the opened stack. */
  close() {
    if (!this.#spread) return;
    this.#spread = null;
    this.#members = [];
    this.#listNow();
    this.#wake();
  }

  // Listing

  #restSoon() {
    clearTimeout(this.#rest);
    this.#rest = setTimeout(() => (this.isMoving ? this.#restSoon() : this.#listNow()), REST);
  }

  #listNow() {
    if (this.#isRemoved) return;
    const { cluster: stack } = this.#spread ?? {};
    if (stack && this.#members.length > 0) {
      this.#list.update(`${points(stack.count)} at one position`, this.#members.map((feature, at) => ({
        key: String(at), text: nameOf(feature), choose: () => this.#choosePoint(feature), point: () => {
          if (this.#spread) this.#spread.marked = at;
          this.#wake();
        },
      })));
      return;
    }
    const shown = /** @type {Shown[]} */ (this.scene.clusters).sort((a, b) => b.count - a.count || a.id - b.id);
    this.#list.update("Clusters in view", shown.slice(0, 100).map((cluster) => ({
      key: String(cluster.id), text: this.#textOf(cluster), point: () => this.#point(cluster), choose: () => void this.choose(cluster),
    })));
    const total = shown.reduce((sum, { count }) => sum + count, 0);
    const zoom = this.host.camera().zoom.toFixed(1);
    this.#list.announce(`${number.format(shown.length)} ${shown.length === 1 ? "cluster" : "clusters"} of ${points(total)}, zoom ${zoom}`);
  }

  /** @param {Shown} cluster */
  #textOf({ count, stack, parts, categories, answer, at, latitude, longitude }) {
    if (count === 1) return nameOf(answer.feature(at));
    const most = parts ? Math.max(...parts) : 0;
    const share = parts && most > 0 ? `, ${categories?.[parts.indexOf(most)] ?? "others"} ${Math.round((100 * most) / count)} %` : "";
    return `${points(count)}${stack ? " at one position" : ""}${share}, ${placeOf(latitude, longitude)}`;
  }
}

const ORIGIN = { x: 0, y: 0 };

/** @param {number} latitude @param {number} longitude */
const placeOf = (latitude, longitude) =>
  `${Math.abs(latitude).toFixed(1)}° ${latitude < 0 ? "S" : "N"}, ${Math.abs(longitude).toFixed(1)}° ${longitude < 0 ? "W" : "E"}`;

/**
 * Returns the name of a point, or its position.
 *
 * @param {any} feature
 */
function nameOf({ properties, geometry: { coordinates: [longitude, latitude] } }) {
  const column = Object.keys(properties).find((name) => /^(name|title|label)$/i.test(name));
  return String((column && properties[column]) || `Point at ${placeOf(latitude, longitude)}`);
}
