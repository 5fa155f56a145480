// The map and what belongs to it: requests answers, draws what moves, and reacts to the user.

import { Card } from "./card.js";
import { Choice, corners } from "./choice.js";
import { clusterOf, density } from "./cluster.js";
import { WORLD_SIZE } from "./constants.js";
import { Controls } from "./controls.js";
import { availableCuts } from "./cut.js";
import { Divider } from "./divider.js";
import { Hint } from "./hint.js";
import { Listing } from "./listing.js";
import { repaint, worldStyle } from "./basemap.js";
import { Camera } from "./mercator.js";
import { Measures } from "./measures.js";
import { Notice } from "./notice.js";
import { Overlay } from "./overlay.js";
import { readPalette, Tones } from "./palette.js";
import { clusterAt, memberAt } from "./pointer.js";
import { cameraOptions, cameraText } from "./settings.js";
import { GridSide, TreeSide } from "./side.js";
import { clusters, coordinate, points } from "./text.js";
import { TileLayers } from "./tiles.js";

const find = (selector) => document.querySelector(selector);

/** How many clusters of the whole index say which densities it has. */
const OVERVIEW = 1000;

/** Pixels between a box that fills the map and its edge; a single position keeps some of what is around it. */
const MARGIN = 56;
const CLOSEST = 16;

/** Milliseconds without a change after which the view is measured and announced. */
const REST = 160;

/** A box of so few degrees is a single position on the map. */
const LEAST_BOX = 1e-4;

const REDUCED_MOTION = matchMedia("(prefers-reduced-motion: reduce)");

export class Viewer {
  #isScheduled = false;
  #isStyled = false;
  #lastRequestTime = null;
  #nextSide = 0;
  #rest = 0;
  #restKey = "";
  #pointed = null;

  /** @param indexes What the server has, one at least. */
  constructor(server, settings, indexes) {
    Object.assign(this, { server, settings, indexes });
    this.wake = this.wake.bind(this);
    this.palette = readPalette();
    this.grid = new GridSide(server, this);
    this.tree = new TreeSide(server, this);
    this.overlay = new Overlay(find("#overlay"));
    this.notice = new Notice(find("#notice"));
    this.controls = new Controls(settings);
    this.measures = new Measures(find("#measures"), server);
    this.hint = new Hint(find("#hint"), server, this.wake);
    this.card = new Card(find("#card"), find("#buttons"), server, this);
    this.choice = new Choice(this);
    this.divider = new Divider(find("#divider"), (divider) => settings.set({ divider }));
    this.listing = new Listing(find("#listing"), {
      point: (cluster) => this.#point(cluster, this.#mainSide),
      choose: (cluster) => this.choice.choose(cluster, this.#mainSide),
    });
  }

  // Starting

  async start() {
    this.index = this.#named(this.settings.index) ?? this.indexes[0];
    const style = this.settings.style || worldStyle(this.palette);
    this.map = new maplibregl.Map({
      container: "map",
      style,
      ...(cameraOptions(this.settings.map) ?? { bounds: corners(this.index.bounds), fitBoundsOptions: this.#fitting }),
      maxZoom: 20,
      maxPitch: 0,
      dragRotate: false,
      pitchWithRotate: false,
      touchPitch: false,
      fadeDuration: 0,
      attributionControl: { compact: false },
      locale: { "Map.Title": "Map of clusters; arrow keys move it, plus and minus zoom" },
    });
    this.map.touchZoomRotate.disableRotation();
    this.map.keyboard.disableRotation();
    this.tiles = new TileLayers(this.map, this.server);
    this.#listen();
    this.controls.offer(this.indexes, this.index);
    await this.#loadDensities();
    this.#fit();
    this.#show();
    this.#restSoon();
  }

  /** Loads which densities the index has, over which the tones are spread. */
  async #loadDensities() {
    const { features } = await this.server.clusters(this.index.name, { limit: OVERVIEW });
    this.tones = new Tones(features.map(({ properties, bbox }) => density(properties.point_count, bbox)));
    this.tones.total = this.index.point_count;
  }

  #named(name) {
    return this.indexes.find((index) => index.name === name);
  }

  #listen() {
    const { map, settings } = this;
    settings.onChange((names) => this.#changed(names));
    addEventListener("hashchange", () => settings.read(location.hash));
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => this.#repaint());
    new ResizeObserver(() => this.#fit()).observe(find("#map"));
    map.once("style.load", () => {
      this.#isStyled = true;
      this.#show();
    });
    map.on("render", () => this.#frame());
    map.on("moveend", () => this.#moved());
    map.on("mousemove", ({ point }) => this.#hover(point));
    map.on("mouseout", () => this.#point(null));
    map.on("click", ({ point, originalEvent }) => this.#click(point, originalEvent.pointerType));
    map.on("error", (event) => this.#mapFailed(event));
    map.on("sourcedata", ({ sourceId, tile }) => {
      if (sourceId === "clusters" && tile?.state === "loaded") this.notice.hide("failure");
    });
    addEventListener("keydown", (event) => {
      if (event.key === "Escape") this.card.close();
    });
    find("#zoom-in").addEventListener("click", () => map.zoomIn(this.motion));
    find("#zoom-out").addEventListener("click", () => map.zoomOut(this.motion));
    find("#zoom-all").addEventListener("click", () => this.showAll());
  }

  // Drawing

  /** Has a frame drawn. While the map moves that is the map's own, so both always agree. */
  wake() {
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

  /** What the map shows at this moment. */
  get currentCamera() {
    return new Camera(this.map, this.overlay);
  }

  #frame() {
    if (!this.tones) return;
    const now = performance.now();
    const camera = (this.camera = this.currentCamera);
    this.#request(camera, now);
    this.overlay.clear();
    const { view, divider, ellipses } = this.settings;
    const edge = view === "compare" ? divider * camera.width : view === "grid" ? camera.width : 0;
    this.#draw(this.grid, 0, edge, now, ellipses);
    if (view !== "tiles") this.#draw(this.tree, edge, camera.width, now, ellipses);
    // What the map library drew itself has its box all the same.
    if (view === "tiles" && this.#pointed?.cluster.bbox) this.overlay.drawBounds(this.#pointed.cluster, camera);
    const { spread } = this.card;
    if (spread) this.overlay.drawSpread(spread, camera, now);
    if (this.sides.some(({ scene }) => scene.isMoving(now)) || spread?.isMoving(now)) this.wake();
    find("#progress").classList.toggle("waiting", this.sides.some(({ feed }) => now - feed.waitingSince > 240));
  }

  #draw(side, left, right, now, ellipses) {
    if (right <= left) return;
    side.scene.advance(now);
    const marked = this.#pointed?.side === side ? this.#pointed.cluster : this.card.side === side && this.card.cluster;
    this.overlay.draw(side.scene, this.camera, now, { left, right, ellipses, marked });
  }

  /** Those that are on the screen. */
  get sides() {
    return { compare: [this.grid, this.tree], grid: [this.grid], tree: [this.tree], tiles: [] }[this.settings.view];
  }

  /** The side that lists its clusters. */
  get #mainSide() {
    return this.settings.view === "grid" ? this.grid : this.tree;
  }

  // Requests

  /** Sends one request a frame at most; the sides take turns. */
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
    if (this.#pointed?.side === side && !side.scene.sprite(this.#pointed.cluster.id)) this.#point(null);
    if (side === this.#mainSide) {
      if (side.scene.size > 0) this.notice.hide("empty");
      else this.notice.show("empty", "No points in this view.", { title: "Show all", run: () => this.showAll() });
    }
    this.#restSoon();
  }

  async failed(error, side) {
    // The index was replaced, or is gone: ids of before mean nothing now.
    if (side && (error.status === 409 || error.status === 404) && await this.#reloadIfReplaced()) return;
    const text = error.status === 0 ? "The server does not answer. Trying again…" : (error.message ?? String(error));
    this.notice.show("failure", text);
  }

  #mapFailed({ error, sourceId }) {
    if (sourceId === "dust" && error.status === 400) {
      return this.tiles.coarsenDust(error.url, this.index, this.settings, this.palette);
    }
    this.failed(error.status > 0 ? new Error(`A part of the map is missing: the server answered ${error.status}.`) : error);
  }

  /** Goes on with another index where the one that is shown was replaced, and returns whether it was. */
  async #reloadIfReplaced() {
    this.indexes = await this.server.indexes().catch(() => this.indexes);
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
    if (names.has("map") && this.settings.map !== cameraText(this.currentCamera)) {
      const options = cameraOptions(this.settings.map);
      if (options) this.map.jumpTo(options);
      else this.showAll();
    }
    this.#show();
    this.#restSoon();
  }

  async #useIndex(index) {
    const isElsewhere = `${index.bounds}` !== `${this.index.bounds}`;
    this.index = index;
    this.controls.offer(this.indexes, index);
    this.card.close();
    this.#point(null);
    for (const side of [this.grid, this.tree]) side.reset();
    this.tones = null;
    if (isElsewhere) this.showAll();
    try {
      await this.#loadDensities();
    } catch (error) {
      return this.failed(error);
    }
    this.#show();
    this.#restSoon();
  }

  /** Brings the page in line with the settings. */
  #show() {
    const { settings } = this;
    const cuts = availableCuts(this.index, settings.view === "tiles");
    if (!cuts.includes(settings.by)) return settings.set({ by: cuts[0] });
    this.controls.update(cuts);
    if (this.tones) this.controls.explain(this.palette, this.tones, settings.view);
    find("#divider").hidden = settings.view !== "compare";
    this.divider.show(settings.divider);
    // Tiles that show nothing say nothing.
    if (settings.view === "tiles") this.notice.hide("empty");
    if (this.#isStyled) this.tiles.update(this.index, settings, this.palette);
    this.#write();
    this.wake();
  }

  #repaint() {
    this.palette = readPalette();
    if (!this.settings.style) repaint(this.map, this.palette);
    this.#fit();
    this.#show();
  }

  #fit() {
    const node = find("#map");
    // The map library overlooks the first change of its size, which may be one from what it was made with.
    const canvas = this.map.getCanvas();
    if (canvas.clientWidth !== node.clientWidth || canvas.clientHeight !== node.clientHeight) this.map.resize();
    this.overlay.prepare(this.palette, node);
    this.card.reveal();
    // The world fills the width, so nothing is there twice.
    this.map.setMinZoom(Math.log2(node.clientWidth / WORLD_SIZE));
    this.wake();
  }

  #write() {
    clearTimeout(this.writing);
    this.writing = setTimeout(() => {
      const { fragment } = this.settings;
      if (location.hash.slice(1) !== fragment) history.replaceState(null, "", `#${fragment}`);
    }, 120);
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

  /** Whether the map stands still and shows the answers for it. */
  get isAtRest() {
    if (!this.tones || this.map.isMoving()) return false;
    const camera = this.currentCamera;
    return this.sides.every((side) => side.feed.hasAnswered(side.request(camera, this.settings)));
  }

  /** Measures, lists and announces the clusters in view, once every request is answered. */
  #rested() {
    if (!this.isAtRest) return;
    const sides = this.sides;
    // Only answers of the tree tell by themselves that an index was replaced.
    if (!sides.includes(this.tree)) this.#reloadIfReplaced();
    this.choice.openFromLink();
    if (sides.length === 0) return;
    const { scene } = this.#mainSide;
    this.listing.update(scene.clusters, this.index, this.palette);
    const requests = sides.map((side) => ({ name: side.name, ...side.request(this.camera, this.settings) }));
    const key = requests.map(({ key }) => key).join();
    if (key === this.#restKey) return;
    this.#restKey = key;
    this.measures.update(this.index, requests);
    const total = scene.clusters.reduce((sum, { count }) => sum + count, 0);
    find("#status").textContent =
      `${clusters(scene.size)} of ${points(total)} around ` +
      `${coordinate(this.camera.latitude, this.camera.longitude, 1)}, zoom ${this.camera.zoom.toFixed(1)}.`;
  }

  // Pointing and choosing

  #hover({ x, y }) {
    if (!this.camera) return;
    const member = memberAt(this.card.spread, this.camera, x, y);
    this.card.mark(member);
    const { cluster, side } = member >= 0 ? {} : this.#at(x, y, "mouse");
    this.map.getCanvas().style.cursor = cluster || member >= 0 ? "pointer" : "";
    this.#point(cluster ?? null, side);
    if (cluster) this.hint.show(cluster, side.name, this.index, x, y);
    else this.hint.hide();
  }

  /** The cluster at a position on the screen and its side. */
  #at(x, y, kind) {
    const { view, divider } = this.settings;
    if (view === "tiles") return this.#inTiles(x, y);
    const side = view === "compare" ? (x < divider * this.camera.width ? this.grid : this.tree) : this.#mainSide;
    return { side, cluster: clusterAt(side.scene, this.camera, x, y, kind) };
  }

  #inTiles(x, y) {
    if (!this.map.getLayer("clusters")) return {};
    const [feature] = this.map.queryRenderedFeatures([x, y], { layers: ["clusters"] });
    if (!feature) return {};
    return { side: this.tree, cluster: clusterOf(feature, this.tones) };
  }

  #point(cluster, side) {
    if (this.#pointed?.cluster === cluster || (!cluster && !this.#pointed)) return;
    this.#pointed = cluster && { cluster, side };
    if (!cluster) this.hint.hide();
    this.wake();
  }

  #click({ x, y }, kind) {
    if (memberAt(this.card.spread, this.camera, x, y) >= 0) return;
    const { cluster, side } = this.#at(x, y, kind === "touch" ? "touch" : "mouse");
    this.hint.hide();
    if (cluster) this.choice.choose(cluster, side);
    else this.card.close();
  }

  /** @param focus Where the keyboard goes on, if it was in the card: where it came from, as far as that is still there. */
  closed(focus) {
    this.settings.set({ open: "" });
    if (focus) (focus.isConnected && focus !== document.body ? focus : this.map.getCanvas()).focus({ preventScroll: true });
    this.wake();
  }

  showAll() {
    this.map.fitBounds(corners(this.index.bounds), { ...this.#fitting, ...this.motion });
  }

  /** A single position in the middle would lie below the divider. */
  get #fitting() {
    const [[west, south], [east, north]] = corners(this.index.bounds);
    const isSinglePosition = east - west < LEAST_BOX && north - south < LEAST_BOX;
    const left = isSinglePosition && this.settings.view === "compare" ? find("#map").clientWidth / 2 : MARGIN;
    return { padding: { left, right: MARGIN, top: MARGIN, bottom: MARGIN }, maxZoom: CLOSEST };
  }

  get prefersReducedMotion() {
    return REDUCED_MOTION.matches;
  }

  get motion() {
    return { duration: this.prefersReducedMotion ? 0 : 650 };
  }
}
