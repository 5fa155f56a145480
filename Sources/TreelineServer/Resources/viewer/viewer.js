// The map and its parts: requests answers, draws what moves, and reacts to the user.

import { repaint, worldStyle } from "./basemap.js";
import { Card } from "./card.js";
import { Choice, corners } from "./choice.js";
import { Controls } from "./controls.js";
import { availableCuts, leastLimit } from "./cut.js";
import { Divider } from "./divider.js";
import { Hint } from "./hint.js";
import { Legend } from "./legend.js";
import { Listing } from "./listing.js";
import { Measures } from "./measures.js";
import { Notice } from "./notice.js";
import { readPalette } from "./palette.js";
import { drawPlaces } from "./places.js";
import { Pointing } from "./pointing.js";
import { cameraOptions, cameraText } from "./settings.js";
import { shown } from "./shown.js";
import { GridSide, TreeSide } from "./side.js";
import { StageCamera, StageOverlay } from "./stage-overlay.js";
import { Stage } from "./stage.js";
import { clusters, coordinate, escaped, points, titleOf } from "./text.js";
import { TileLayers } from "./tiles.js";
import { Timeline } from "./timeline.js";
import { isRefused, Values } from "./values.js";
import { coveredArea, Tones } from "./vendor/treeline/map/density.js";
import { TONES } from "./vendor/treeline/map/palette.js";

/** Number of clusters in the overview of the whole index, from which the map learns how dense the points are. */
const OVERVIEW = 1000;

/**
 * Pixels between a box that fills the map and the map's edge, and greatest zoom, which leaves surroundings around a
 * single position.
 */
const MARGIN = 56;
const CLOSEST = 16;

/** Greatest zoom of the map. Beyond it nothing is left to separate, even if the source could go closer. */
const CLOSEST_ZOOM = 20;

/** Milliseconds without a change after which the view is measured and announced. */
const REST = 160;

/** Degrees below which a box is a single position on the map. */
const LEAST_BOX = 1e-4;

/** Settings without a filter. */
const ALL_POINTS = { off: "", range: "", where: "" };

const REDUCED_MOTION = matchMedia("(prefers-reduced-motion: reduce)");

export class Viewer {
  #isScheduled = false;
  #isStyled = false;
  /** Whether the map style that was asked for could not be loaded. */
  #isUnstyled = false;
  /** A map style to show instead of the style of the settings, as an address or an object; null for none. */
  basemap = null;
  /** Columns that a hint shows of points; null for their names. */
  tooltip = null;
  /** The selected clusters; null on a page on which clusters cannot be selected. */
  selection = null;
  #lastRequestTime = null;
  #nextSide = 0;
  #rest = 0;
  #restKey = "";
  /** Columns of the settings that the index lacks or has in another kind. */
  #forgotten = [];
  /** Filter settings of the last answer. */
  #answeredFilter = ALL_POINTS;

  /**
   * @param root The document, or the shadow root of an element, that holds the page.
   * @param source Source of the answers.
   * @param indexes The indexes of the source, at least one.
   * @param address Keeps the settings in the address of the page; may be missing.
   */
  constructor(root, source, settings, indexes, address) {
    Object.assign(this, { root, source, settings, indexes, address });
    this.wake = this.wake.bind(this);
    this.node = this.find("#viewer");
    this.values = new Values(source);
    this.grid = new GridSide(source, this);
    this.tree = new TreeSide(source, this);
    this.stage = new Stage(this);
    this.overlay = new StageOverlay(this.find("#overlay"));
    this.notice = new Notice(this.find("#notice"));
    this.controls = new Controls(this);
    this.measures = new Measures(this.find("#measures"), source);
    this.legend = new Legend(this.find("#legend"), settings);
    this.timeline = new Timeline(this.find("#timeline"), source, this);
    this.hint = new Hint(this.find("#hint"), source, this);
    this.card = new Card(this.find("#card"), this.find("#buttons"), source, this);
    this.choice = new Choice(this);
    this.pointing = new Pointing(this);
    this.divider = new Divider(this.find("#divider"), (divider) => settings.set({ divider }));
    this.listing = new Listing(this.find("#listing"), {
      point: (cluster) => this.pointing.point(cluster, this.mainSide),
      choose: (cluster, event) => this.pointing.choose(cluster, this.mainSide, event),
    });
  }

  find(selector) {
    return this.root.querySelector(selector);
  }

  // Starting

  async start() {
    this.index = this.#named(this.settings.index) ?? this.indexes[0];
    // Without room there are no sizes to read, and outside the page no colours.
    await shown(this.stage.mapNode);
    this.stage.divide();
    this.palette = readPalette(this.node);
    this.mapOptions = {
      style: this.#style || worldStyle(this.palette),
      transformRequest: (url) => this.source.request?.(url),
      maxZoom: Math.min(this.index.closest_zoom ?? CLOSEST_ZOOM, CLOSEST_ZOOM),
      maxPitch: 0,
      dragRotate: false,
      pitchWithRotate: false,
      touchPitch: false,
      fadeDuration: 0,
      trackResize: false,
      locale: { "Map.Title": "Map of clusters; arrow keys move it, plus and minus zoom" },
    };
    this.map = new maplibregl.Map({
      ...this.mapOptions,
      container: this.find("#map"),
      attributionControl: false,
      ...(cameraOptions(this.settings.map) ?? { bounds: corners(this.index.bounds), fitBoundsOptions: this.#fitting }),
    });
    this.#credit();
    this.map.addControl(new maplibregl.ScaleControl({ maxWidth: 110 }), "bottom-left");
    this.map.touchZoomRotate.disableRotation();
    this.map.keyboard.disableRotation();
    this.tiles = new TileLayers(this.map, this.source);
    this.#listen();
    this.controls.offer(this.indexes, this.index);
    await Promise.all([this.#loadDensities(), this.#loadValues()]);
    this.fit();
    this.show();
    // Only now do the controls show the actual settings.
    delete this.node.dataset.starting;
    this.#tellOfLink();
    this.#restSoon();
  }

  /** Shows in the corner of the map whose data it is. */
  #credit() {
    if (this.credit) this.map.removeControl(this.credit);
    const { attribution } = this.index;
    this.credit = new maplibregl.AttributionControl({
      compact: false,
      // The library expects HTML, and an index may come from an untrusted source.
      ...(attribution && { customAttribution: escaped(attribution) }),
    });
    this.map.addControl(this.credit, "bottom-right");
  }

  /** Loads the densities of the index, over which the tones are spread. */
  async #loadDensities() {
    const { features } = await this.source.clusters(this.index.name, { limit: Math.max(OVERVIEW, leastLimit(this.index)), ellipses: true });
    this.tones = new Tones(features.map((feature) => [feature.properties.point_count, coveredArea(feature)]), TONES);
  }

  /** Loads the categories of the chosen column, and clears settings with columns that the index lacks. */
  async #loadValues() {
    const { index, settings, values } = this;
    const kinds = { donuts: ["category", "boolean"], sum: ["number"], brush: ["number", "time"] };
    for (const [name, fitting] of Object.entries(kinds)) {
      const column = settings[name];
      if (!column || fitting.includes(index.column_kinds[column])) continue;
      this.#forgotten.push(column);
      settings.set({ [name]: "" });
    }
    if (!await values.load(index, settings)) return;
    this.palette.useCategories(values.categories);
    // The shown clusters have no parts yet, or parts of other categories, for which the palette has no colours now.
    for (const { feed, scene } of [this.grid, this.tree]) {
      for (const { cluster } of scene.sprites) cluster.parts = null;
      feed.reset();
    }
  }

  /** The filter of the points that count, as a parameter of the server; empty for all points. */
  get filterQuery() {
    const filter = this.values.filter(this.settings);
    return filter ? { filter } : {};
  }

  /** Asks the source whether a filter is valid for the current index, and throws the error if it is not. */
  async checkFilter(where, signal) {
    if (where) await this.source.clusters(this.index.name, { limit: leastLimit(this.index), filter: where }, signal);
  }

  /** Reports what a link asks for but the map does not show, and why. */
  #tellOfLink() {
    const { index, unreadable, where } = this.settings;
    const said = [];
    if (index && !this.#named(index)) said.push(`There is no index “${index}” here; this is ${titleOf(this.index)}.`);
    if (unreadable.length > 0) said.push(`The link has unknown or invalid parts: ${[...new Set(unreadable)].join(", ")}.`);
    const columns = [...new Set(this.#forgotten)].map((column) => `“${column}”`);
    this.#forgotten = [];
    if (columns.length > 0) said.push(`Columns of the link are missing or of the wrong kind: ${columns.join(", ")}.`);
    if (where && !this.source.hasFilters) said.push("This map ignores filters and shows all points.");
    if (said.length > 0) this.tell("link", said.join(" "));
    else this.notice.hide("link");
  }

  /** Shows a message until it is closed. */
  tell(kind, text) {
    this.notice.show(kind, text, { title: "OK", run: () => this.notice.hide(kind) });
  }

  /** The map style that is asked for; empty for the built-in one. */
  get #style() {
    return this.basemap ?? this.settings.style;
  }

  /** Shows another map style from now on; null for the style of the settings. */
  useBasemap(style) {
    this.basemap = style;
    // The map starts with it.
    if (!this.map) return;
    this.#isUnstyled = false;
    this.notice.hide("style");
    this.#setStyle(this.#style || worldStyle(this.palette));
  }

  #setStyle(style) {
    this.mapOptions.style = style;
    this.#isStyled = false;
    this.map.once("style.load", () => {
      this.#isStyled = true;
      this.show();
    });
    for (const map of this.stage.maps) map.setStyle(style, { diff: false });
  }

  /** Gives the current index another title; empty for none. */
  retitle(title) {
    this.index.title = title || null;
    this.controls.offer(this.indexes, this.index);
  }

  #named(name) {
    return this.indexes.find((index) => index.name === name);
  }

  #listen() {
    const { map, settings } = this;
    settings.onChange((names) => this.#changed(names));
    this.address?.onRead(() => this.#tellOfLink());
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => this.repaint());
    map.once("style.load", () => {
      this.#isStyled = true;
      this.show();
    });
    map.on("render", () => this.#frame());
    map.on("moveend", () => this.#moved());
    map.on("sourcedata", ({ sourceId, tile }) => {
      if (sourceId === "clusters" && tile?.state === "loaded") this.notice.hide("failure");
    });
    this.listenTo(map, this.tiles);
    this.root.addEventListener("keydown", (event) => {
      if (event.key === "Escape") this.card.close();
    });
    this.find("#zoom-in").addEventListener("click", () => map.zoomIn(this.motion));
    this.find("#zoom-out").addEventListener("click", () => map.zoomOut(this.motion));
    this.find("#zoom-all").addEventListener("click", () => this.#stepToAll());
  }

  /** @param map The map, or its twin, which shows only the grid. */
  listenTo(map, tiles) {
    drawPlaces(map, () => this.palette);
    map.on("error", (event) => this.#mapFailed(event, tiles));
    this.pointing.listenTo(map, map === this.map ? undefined : this.grid);
  }

  // Drawing

  /** Requests a frame. While the map moves, it is the map's own frame, so that both always agree. */
  wake() {
    if (!this.map) return;
    if (this.map.isMoving()) {
      this.map.triggerRepaint();
    } else if (!this.#isScheduled) {
      this.#isScheduled = true;
      requestAnimationFrame(() => {
        this.#isScheduled = false;
        this.#frame();
      });
    }
  }

  /** The current view of the map. */
  get currentCamera() {
    return new StageCamera(this.map.getCenter(), this.map.getZoom(), this.stage.size);
  }

  #frame() {
    if (!this.tones) return;
    const now = performance.now();
    const camera = (this.camera = this.currentCamera);
    this.#request(camera, now);
    this.overlay.clear();
    const { hasHalves, twin } = this.stage;
    if (hasHalves) twin?.follow();
    const { view, divider, ellipses } = this.settings;
    const { width } = camera;
    const edge = this.stage.hasDivider ? divider * width : view === "grid" ? width : 0;
    this.#draw(this.grid, 0, hasHalves ? width : edge, now, ellipses);
    if (view !== "tiles") this.#draw(this.tree, edge, width, now, ellipses);
    // The map library has drawn the cluster, but not its ellipse.
    const { pointed } = this.pointing;
    if (view === "tiles" && pointed) this.overlay.drawExtent(pointed.cluster, camera);
    const { spread } = this.card;
    if (spread) this.overlay.drawSpread(spread, camera, now, this.stage.originOf(this.card.side));
    if (this.sides.some(({ scene }) => scene.isMoving(now)) || spread?.isMoving(now)) this.wake();
    this.find("#progress").classList.toggle("waiting", this.sides.some(({ feed }) => now - feed.waitingSince > 240));
  }

  #draw(side, left, right, now, ellipses) {
    if (right <= left) return;
    side.scene.advance(now);
    const { pointed } = this.pointing;
    const { selection } = this;
    const marked = pointed?.side === side ? pointed.cluster : this.card.side === side && this.card.cluster;
    this.overlay.draw(side.scene, this.camera, now, { left, right, ellipses, marked, selection, origin: this.stage.originOf(side) });
  }

  /** The sides that are on the screen. */
  get sides() {
    return { compare: [this.grid, this.tree], grid: [this.grid], tree: [this.tree], tiles: [] }[this.settings.view];
  }

  /** The side whose clusters are listed. */
  get mainSide() {
    return this.settings.view === "grid" ? this.grid : this.tree;
  }

  // Requests

  /** Sends at most one request per frame; the sides take turns. */
  #request(camera, now) {
    if (document.timeline.currentTime === this.#lastRequestTime) return;
    const sides = this.sides;
    for (let i = 0; i < sides.length; i++) {
      const side = sides[(this.#nextSide + i) % sides.length];
      if (!side.feed.want(side.request(camera, this.settings), now)) continue;
      this.#nextSide++;
      this.#lastRequestTime = document.timeline.currentTime;
      return;
    }
  }

  answered(side) {
    this.notice.hide("failure");
    if (side === this.tree && side.filter === this.values.filter(this.settings)) {
      const { off, range, where } = this.settings;
      this.#answeredFilter = { off, range, where };
    }
    const { pointed } = this.pointing;
    if (pointed?.side === side && !side.scene.sprite(pointed.cluster.id)) this.pointing.point(null);
    if (side === this.mainSide) {
      if (side.scene.size > 0) this.notice.hide("empty");
      else this.notice.show("empty", "No points in this view.", { title: "Show all", run: () => this.#stepToAll() });
    }
    this.#restSoon();
  }

  async failed(error, side) {
    // A filter from a link or from the panel may be invalid for the index.
    if (isRefused(error) && this.filterQuery.filter && /^(from-)?filter:/.test(error.message)) {
      const { where } = this.settings;
      const rest = this.#answeredFilter === ALL_POINTS ? "all points are shown" : "the previous filter still applies";
      this.settings.set(this.#answeredFilter);
      if (where !== this.settings.where) this.controls.refuse(where, error.message);
      return this.tell("filter", where ? error.message : `The filter of the link is not valid for this index; ${rest}.`);
    }
    // The index was replaced or removed, so ids from before mean nothing now.
    if (side && (error.status === 409 || error.status === 404) && await this.#reloadIfReplaced()) return;
    const text = error.status === 0 ? `${error.message} Trying again…` : (error.message ?? String(error));
    this.notice.show("failure", text);
  }

  #mapFailed({ error, sourceId }, tiles) {
    if (this.#style && !this.#isStyled) return this.#styleFailed(error);
    if (sourceId === "dust" && error.status === 400) {
      return tiles.coarsenDust(error.url, this.index, this.settings, this.palette);
    }
    if (error.status === undefined) return this.failed(error);
    const why = error.status > 0 ? `the server answered ${error.status}` : "the server does not answer";
    this.failed(new Error(`A part of the map is missing: ${why}.`));
  }

  /** Shows the land outline instead of a style that could not be loaded, and reports it. */
  #styleFailed(error) {
    if (this.#isUnstyled) return;
    this.#isUnstyled = true;
    const why = error.status > 0 ? `the server answered ${error.status}` : error.message;
    const name = typeof this.#style === "string" ? `The map style ${this.#style}` : "The map style";
    this.tell("style", `${name} cannot be shown: ${why}. The built-in map is shown instead.`);
    this.#setStyle(worldStyle(this.palette));
  }

  /** Switches to the new version of a replaced index, and returns whether there was one. */
  async #reloadIfReplaced() {
    this.indexes = await this.source.indexes().catch(() => this.indexes);
    const index = this.#named(this.index.name);
    if (!index || index.version === this.index.version) return false;
    await this.#useIndex(index);
    return true;
  }

  // Settings

  #changed(names) {
    if (names.has("style")) return location.reload();
    if (names.has("index")) {
      const index = this.#named(this.settings.index) ?? this.indexes[0];
      if (index !== this.index) this.#useIndex(index);
    }
    if (names.has("view") || names.has("compare")) this.fit();
    if (names.has("donuts") || names.has("sum") || names.has("brush")) {
      this.#loadValues().then(() => this.show(), (error) => this.failed(error));
    }
    if (names.has("open") && this.card.linkID && this.card.linkID !== this.settings.open) this.card.close();
    if (names.has("map") && this.settings.map !== cameraText(this.currentCamera)) {
      const options = cameraOptions(this.settings.map);
      if (options) this.map.jumpTo(options);
      else this.showAll();
    }
    this.show();
    this.#restSoon();
  }

  async #useIndex(index) {
    const isElsewhere = `${index.bounds}` !== `${this.index.bounds}`;
    this.index = index;
    this.#answeredFilter = ALL_POINTS;
    this.#forgotten = [];
    this.#credit();
    this.controls.offer(this.indexes, index);
    this.card.close();
    this.pointing.point(null);
    for (const side of [this.grid, this.tree]) side.reset();
    this.tones = null;
    if (isElsewhere) this.showAll();
    try {
      await Promise.all([this.#loadDensities(), this.#loadValues()]);
    } catch (error) {
      return this.failed(error);
    }
    this.show();
    this.#restSoon();
  }

  /** Updates the page from the settings. */
  show() {
    const { settings } = this;
    const { views } = this.source;
    if (!views.includes(settings.view)) return settings.set({ view: views[0] });
    const cuts = availableCuts(this.index, this.source, settings.view === "tiles");
    if (!cuts.includes(settings.by)) return settings.set({ by: cuts[0] });
    this.controls.update(cuts, this.index);
    if (this.tones) this.controls.explain(this.palette, this.tones);
    this.legend.update(this.values, this.palette, this.mainSide.scene.clusters);
    this.timeline.show();
    this.divider.show(settings.divider);
    // In tiles the viewer does not know whether a view is empty.
    if (settings.view === "tiles") this.notice.hide("empty");
    const { hasHalves, twin } = this.stage;
    const layers = this.source.hasTiles ? [this.#isStyled && this.tiles, hasHalves && twin?.isStyled && twin.tiles] : [];
    for (const tiles of layers) if (tiles && this.tones) tiles.update(this.index, settings, this.palette, this.tones, this.values);
    this.address?.update();
    this.wake();
  }

  /** Reads the colours of the stylesheet again, once the element has any: outside the page it has none. */
  async repaint() {
    await shown(this.stage.node);
    // The map starts with the right colours.
    if (!this.map) return;
    if (!this.#isStyled) return void this.map.once("style.load", () => this.repaint());
    this.palette = readPalette(this.node);
    this.palette.useCategories(this.values.categories);
    if (!this.#style || this.#isUnstyled) for (const map of this.stage.maps) repaint(map, this.palette);
    // Sizes do not change with colours. Measured in the middle of a change of styles, they would be wrong.
    this.overlay.prepare(this.palette, this.stage.whole);
    this.show();
  }

  /** Fits everything to the size of the page, if there is room for a map. */
  fit() {
    if (!this.map || !this.stage.divide()) return;
    this.overlay.prepare(this.palette, this.stage.whole);
    this.stage.fit();
    this.card.reveal();
    this.wake();
  }

  // Resting

  #moved() {
    this.settings.set({ map: cameraText(this.currentCamera), index: this.index.name });
    this.#restSoon();
  }

  #restSoon() {
    clearTimeout(this.#rest);
    this.#rest = setTimeout(() => this.#rested(), REST);
  }

  /** Whether the map stands still and shows the answers for its view. */
  get isAtRest() {
    if (!this.tones || this.map.isMoving()) return false;
    const camera = this.currentCamera;
    return this.sides.every((side) => side.feed.hasAnswered(side.request(camera, this.settings)));
  }

  /** Measures, lists and announces the clusters in view, once all requests are answered. */
  #rested() {
    if (!this.isAtRest) return;
    const sides = this.sides;
    // Only answers of the tree show that an index was replaced.
    if (!sides.includes(this.tree)) this.#reloadIfReplaced();
    this.choice.openFromLink();
    this.timeline.update(this.tree.request(this.camera, this.settings).query);
    if (sides.length === 0) return;
    const { scene } = this.mainSide;
    this.listing.update(scene.clusters, this.index, this.palette, this.settings, this.values);
    this.legend.update(this.values, this.palette, scene.clusters);
    const requests = sides.map((side) => ({ name: side.name, ...side.request(this.camera, this.settings) }));
    const key = requests.map(({ key }) => key).join();
    if (key === this.#restKey) return;
    this.#restKey = key;
    if (this.source.hasMeasures) this.measures.update(this.index, requests);
    const total = scene.clusters.reduce((sum, { count }) => sum + count, 0);
    this.find("#status").textContent =
      `${clusters(scene.size)} of ${points(total)} around ` +
      `${coordinate(this.camera.latitude, this.camera.longitude, 1)}, zoom ${this.camera.zoom.toFixed(1)}.`;
  }

  // Pointing and choosing

  /**
   * @param linkID The id of the closed cluster in the address.
   * @param focus Where the keyboard focus was before the card, if the card had it. The focus returns there, if that
   *   element still exists.
   */
  closed(linkID, focus) {
    if (this.settings.open === linkID) this.settings.set({ open: "" });
    if (focus) (focus.checkVisibility() && focus !== document.body ? focus : this.map.getCanvas()).focus({ preventScroll: true });
    this.wake();
  }

  showAll() {
    this.map.fitBounds(corners(this.index.bounds), { ...this.#fitting, ...this.motion });
  }

  #stepToAll() {
    this.settings.step();
    this.showAll();
  }

  /** Options for a view of all points. In the middle, a single position would lie below the divider. */
  get #fitting() {
    const [[west, south], [east, north]] = corners(this.index.bounds);
    const isSinglePosition = east - west < LEAST_BOX && north - south < LEAST_BOX;
    const { width, height } = this.stage.size;
    const margin = Math.min(MARGIN, width / 8, height / 8);
    const left = isSinglePosition && this.stage.hasDivider ? width / 2 : margin;
    return { padding: { left, right: margin, top: margin, bottom: margin }, maxZoom: CLOSEST };
  }

  get prefersReducedMotion() {
    return REDUCED_MOTION.matches;
  }

  get motion() {
    return { duration: this.prefersReducedMotion ? 0 : 650 };
  }
}
