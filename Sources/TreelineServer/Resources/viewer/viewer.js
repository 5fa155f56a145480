// The map and what belongs to it: requests answers, draws what moves, and reacts to the user.

import { Address } from "./address.js";
import { Card } from "./card.js";
import { Choice, corners } from "./choice.js";
import { clusterOf } from "./cluster.js";
import { WORLD_SIZE } from "./constants.js";
import { Controls } from "./controls.js";
import { availableCuts } from "./cut.js";
import { Tones } from "./density.js";
import { Divider } from "./divider.js";
import { Hint } from "./hint.js";
import { Listing } from "./listing.js";
import { repaint, worldStyle } from "./basemap.js";
import { Camera } from "./mercator.js";
import { Measures } from "./measures.js";
import { Notice } from "./notice.js";
import { Overlay } from "./overlay.js";
import { readPalette, TONES } from "./palette.js";
import { drawPlaces } from "./places.js";
import { clusterAt, memberAt, onHold } from "./pointer.js";
import { cameraOptions, cameraText } from "./settings.js";
import { GridSide, TreeSide } from "./side.js";
import { clusters, coordinate, points } from "./text.js";
import { TileLayers } from "./tiles.js";
import { Twin } from "./twin.js";

const find = (selector) => document.querySelector(selector);

/** How many clusters of the whole index say which densities it has. */
const OVERVIEW = 1000;

/** Pixels between a box that fills the map and its edge; a single position keeps some of what is around it. */
const MARGIN = 56;
const CLOSEST = 16;

/** Milliseconds without a change after which the view is measured and announced. */
const REST = 160;

/** Milliseconds in which the click that ends a hold is none. */
const HELD = 700;

/** A box of so few degrees is a single position on the map. */
const LEAST_BOX = 1e-4;

const REDUCED_MOTION = matchMedia("(prefers-reduced-motion: reduce)");

export class Viewer {
  #isScheduled = false;
  #isStyled = false;
  /** Whether the style of the settings could not be had. */
  #isUnstyled = false;
  #lastRequestTime = null;
  #nextSide = 0;
  #rest = 0;
  #restKey = "";
  #pointed = null;
  #isHeld = false;

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
    this.address = new Address(settings);
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
    this.#fitStage();
    this.mapOptions = {
      style: this.settings.style || worldStyle(this.palette),
      maxZoom: 20,
      maxPitch: 0,
      dragRotate: false,
      pitchWithRotate: false,
      touchPitch: false,
      fadeDuration: 0,
      locale: { "Map.Title": "Map of clusters; arrow keys move it, plus and minus zoom" },
    };
    this.map = new maplibregl.Map({
      ...this.mapOptions,
      container: "map",
      attributionControl: { compact: false },
      ...(cameraOptions(this.settings.map) ?? { bounds: corners(this.index.bounds), fitBoundsOptions: this.#fitting }),
    });
    this.map.addControl(new maplibregl.ScaleControl({ maxWidth: 110 }), "bottom-left");
    this.map.touchZoomRotate.disableRotation();
    this.map.keyboard.disableRotation();
    this.tiles = new TileLayers(this.map, this.server);
    this.#listen();
    this.controls.offer(this.indexes, this.index);
    await this.#loadDensities();
    this.#fit();
    this.#show();
    // Only now do the controls say what is so.
    delete document.body.dataset.starting;
    this.#tellOfLink();
    this.#restSoon();
  }

  /** Loads which densities the index has, over which the tones are spread. */
  async #loadDensities() {
    const { features } = await this.server.clusters(this.index.name, { limit: OVERVIEW, ellipses: true });
    this.tones = new Tones(features, TONES);
  }

  /** Says what of a link is not shown, and why. */
  #tellOfLink() {
    const { index, unreadable } = this.settings;
    const said = [];
    if (index && !this.#named(index)) said.push(`There is no index “${index}” here; this is ${this.index.name}.`);
    if (unreadable.length > 0) said.push(`The link has parts that say nothing: ${[...new Set(unreadable)].join(", ")}.`);
    if (said.length > 0) this.tell("link", said.join(" "));
    else this.notice.hide("link");
  }

  /** Shows a message until it is read. */
  tell(kind, text) {
    this.notice.show(kind, text, { title: "OK", run: () => this.notice.hide(kind) });
  }

  #named(name) {
    return this.indexes.find((index) => index.name === name);
  }

  #listen() {
    const { map, settings } = this;
    settings.onChange((names) => this.#changed(names));
    addEventListener("hashchange", () => this.#tellOfLink());
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => this.#repaint());
    new ResizeObserver(() => this.#fit()).observe(find("#stage"));
    map.once("style.load", () => {
      this.#isStyled = true;
      this.#show();
    });
    map.on("render", () => this.#frame());
    map.on("moveend", () => this.#moved());
    map.on("sourcedata", ({ sourceId, tile }) => {
      if (sourceId === "clusters" && tile?.state === "loaded") this.notice.hide("failure");
    });
    this.#listenTo(map, this.tiles);
    addEventListener("keydown", (event) => {
      if (event.key === "Escape") this.card.close();
    });
    find("#zoom-in").addEventListener("click", () => map.zoomIn(this.motion));
    find("#zoom-out").addEventListener("click", () => map.zoomOut(this.motion));
    find("#zoom-all").addEventListener("click", () => this.#stepToAll());
  }

  /** @param map The map or its twin, which shows the grid alone. */
  #listenTo(map, tiles) {
    const side = map === this.map ? undefined : this.grid;
    drawPlaces(map, () => this.palette);
    map.on("mousemove", ({ point }) => this.#hover(point, map, side));
    map.on("mouseout", () => this.#point(null));
    map.on("click", ({ point, originalEvent }) => this.#click(point, originalEvent.pointerType, side));
    map.on("error", (event) => this.#mapFailed(event, tiles));
    onHold(map, (point) => this.#list(point, side));
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
    return new Camera(this.map, this.size);
  }

  #frame() {
    if (!this.tones) return;
    const now = performance.now();
    const camera = (this.camera = this.currentCamera);
    this.#request(camera, now);
    this.overlay.clear();
    if (this.hasHalves) this.twin?.follow();
    const { view, divider, ellipses } = this.settings;
    const { width } = camera;
    const edge = view === "compare" && !this.hasHalves ? divider * width : view === "grid" ? width : 0;
    this.#draw(this.grid, 0, this.hasHalves ? width : edge, now, ellipses);
    if (view !== "tiles") this.#draw(this.tree, edge, width, now, ellipses);
    // What the map library drew itself has its ellipse all the same.
    if (view === "tiles" && this.#pointed) this.overlay.drawExtent(this.#pointed.cluster, camera);
    const { spread } = this.card;
    if (spread) this.overlay.drawSpread(spread, camera, now, this.originOf(this.card.side));
    if (this.sides.some(({ scene }) => scene.isMoving(now)) || spread?.isMoving(now)) this.wake();
    find("#progress").classList.toggle("waiting", this.sides.some(({ feed }) => now - feed.waitingSince > 240));
  }

  #draw(side, left, right, now, ellipses) {
    if (right <= left) return;
    side.scene.advance(now);
    const marked = this.#pointed?.side === side ? this.#pointed.cluster : this.card.side === side && this.card.cluster;
    this.overlay.draw(side.scene, this.camera, now, { left, right, ellipses, marked, origin: this.originOf(side) });
  }

  /** Whether each side has a half of the stage to itself, which shows the same ground. */
  get hasHalves() {
    return this.settings.view === "compare" && this.settings.compare === "halves";
  }

  /** Where on the stage the map of a side begins. */
  originOf(side) {
    return this.hasHalves && side === this.grid ? { x: 0, y: 0 } : this.origin;
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
      else this.notice.show("empty", "No points in this view.", { title: "Show all", run: () => this.#stepToAll() });
    }
    this.#restSoon();
  }

  async failed(error, side) {
    // The index was replaced, or is gone: ids of before mean nothing now.
    if (side && (error.status === 409 || error.status === 404) && await this.#reloadIfReplaced()) return;
    const text = error.status === 0 ? "The server does not answer. Trying again…" : (error.message ?? String(error));
    this.notice.show("failure", text);
  }

  #mapFailed({ error, sourceId }, tiles) {
    if (this.settings.style && !this.#isStyled) return this.#styleFailed(error);
    if (sourceId === "dust" && error.status === 400) {
      return tiles.coarsenDust(error.url, this.index, this.settings, this.palette);
    }
    this.failed(error.status > 0 ? new Error(`A part of the map is missing: the server answered ${error.status}.`) : error);
  }

  /** Shows the land outline in place of a style that cannot be had, and says so. */
  #styleFailed(error) {
    if (this.#isUnstyled) return;
    this.#isUnstyled = true;
    const why = error.status > 0 ? `the server answered ${error.status}` : error.message;
    this.tell("style", `The map style ${this.settings.style} cannot be shown: ${why}. This is the map without it.`);
    this.mapOptions.style = worldStyle(this.palette);
    this.map.setStyle(this.mapOptions.style, { diff: false });
    this.twin?.map.setStyle(this.mapOptions.style, { diff: false });
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
    if (names.has("view") || names.has("compare")) this.#fit();
    if (names.has("open") && this.card.linkID && this.card.linkID !== this.settings.open) this.card.close();
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
    if (this.tones) this.controls.explain(this.palette, this.tones);
    find("#divider").hidden = settings.view !== "compare" || this.hasHalves;
    this.divider.show(settings.divider);
    // Tiles that show nothing say nothing.
    if (settings.view === "tiles") this.notice.hide("empty");
    if (this.tones && this.#isStyled) this.tiles.update(this.index, settings, this.palette, this.tones);
    if (this.tones && this.hasHalves && this.twin?.isStyled) {
      this.twin.tiles.update(this.index, settings, this.palette, this.tones);
    }
    this.address.update();
    this.wake();
  }

  #repaint() {
    this.palette = readPalette();
    for (const map of [this.map, this.twin?.map]) {
      if (map && (!this.settings.style || this.#isUnstyled)) repaint(map, this.palette);
    }
    this.#fit();
    this.#show();
  }

  /** Divides the stage: halves lie beside each other, or above each other where it is higher than wide. */
  #fitStage() {
    const [stage, node] = [find("#stage"), find("#map")];
    stage.dataset.halves = this.hasHalves ? (stage.clientWidth >= stage.clientHeight ? "row" : "column") : "";
    find("#twin").hidden = find("#halves").hidden = !this.hasHalves;
    this.size = { width: node.clientWidth, height: node.clientHeight };
    this.origin = { x: node.offsetLeft, y: node.offsetTop };
    return { stage, node };
  }

  #fit() {
    const { stage, node } = this.#fitStage();
    // The map library overlooks the first change of its size, which may be one from what it was made with.
    const canvas = this.map.getCanvas();
    if (canvas.clientWidth !== node.clientWidth || canvas.clientHeight !== node.clientHeight) this.map.resize();
    this.overlay.prepare(this.palette, stage);
    // The world fills the width, so nothing is there twice.
    const minZoom = Math.log2(node.clientWidth / WORLD_SIZE);
    this.map.setMinZoom(minZoom);
    if (this.hasHalves) this.#fitTwin(minZoom);
    this.card.reveal();
    this.wake();
  }

  #fitTwin(minZoom) {
    if (!this.twin) {
      const camera = { center: this.map.getCenter(), zoom: this.map.getZoom() };
      this.twin = new Twin(find("#twin"), this.map, { ...this.mapOptions, ...camera }, this.server);
      this.#listenTo(this.twin.map, this.twin.tiles);
      this.twin.map.once("style.load", () => this.#show());
    }
    this.twin.resize(minZoom);
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

  #hover({ x, y }, map, ofMap) {
    if (!this.camera) return;
    const member = this.#memberAt(x, y, ofMap);
    this.card.mark(member);
    const { cluster, side } = member >= 0 ? {} : this.#at(x, y, "mouse", ofMap);
    map.getCanvas().style.cursor = cluster || member >= 0 ? "pointer" : "";
    this.#point(cluster ?? null, side);
    const origin = side && this.originOf(side);
    if (cluster) this.hint.show(cluster, side.name, this.index, origin.x + x, origin.y + y);
    else this.hint.hide();
  }

  /** The cluster at a position on a map and its side, which is the map's own if it shows only one. */
  #at(x, y, kind, ofMap) {
    const { view, divider } = this.settings;
    if (view === "tiles") return this.#inTiles(x, y);
    const hasDivider = view === "compare" && !this.hasHalves;
    const side = ofMap ?? (hasDivider && x < divider * this.camera.width ? this.grid : this.#mainSide);
    return { side, cluster: clusterAt(side.scene, this.camera, x, y, kind) };
  }

  /** The member of an opened stack there, -1 if there is none. */
  #memberAt(x, y, ofMap) {
    const isOther = this.hasHalves && (this.card.side === this.grid) !== (ofMap === this.grid);
    return isOther ? -1 : memberAt(this.card.spread, this.camera, x, y);
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

  #click({ x, y }, kind, ofMap) {
    // A finger that held a cluster has had its answer.
    if (this.#isHeld) return;
    if (this.#memberAt(x, y, ofMap) >= 0) return;
    const { cluster, side } = this.#at(x, y, kind === "touch" ? "touch" : "mouse", ofMap);
    this.hint.hide();
    if (cluster) this.choice.choose(cluster, side);
    else this.card.close();
  }

  /** Lists what is held, which a finger cannot point at. */
  async #list({ x, y }, ofMap) {
    const { cluster, side } = this.#at(x, y, "touch", ofMap);
    if (!cluster) return;
    this.#isHeld = true;
    setTimeout(() => (this.#isHeld = false), HELD);
    this.hint.hide();
    await this.card.list(cluster, this.index, side);
  }

  /**
   * @param linkID What the address says is open.
   * @param focus Where the keyboard goes on, if it was in the card: where it came from, as far as that is still there.
   */
  closed(linkID, focus) {
    if (this.settings.open === linkID) this.settings.set({ open: "" });
    if (focus) (focus.isConnected && focus !== document.body ? focus : this.map.getCanvas()).focus({ preventScroll: true });
    this.wake();
  }

  showAll() {
    this.map.fitBounds(corners(this.index.bounds), { ...this.#fitting, ...this.motion });
  }

  #stepToAll() {
    this.settings.step();
    this.showAll();
  }

  /** A single position in the middle would lie below the divider. */
  get #fitting() {
    const [[west, south], [east, north]] = corners(this.index.bounds);
    const isSinglePosition = east - west < LEAST_BOX && north - south < LEAST_BOX;
    const { width, height } = this.size;
    const margin = Math.min(MARGIN, width / 8, height / 8);
    const hasDivider = this.settings.view === "compare" && !this.hasHalves;
    const left = isSinglePosition && hasDivider ? width / 2 : margin;
    return { padding: { left, right: margin, top: margin, bottom: margin }, maxZoom: CLOSEST };
  }

  get prefersReducedMotion() {
    return REDUCED_MOTION.matches;
  }

  get motion() {
    return { duration: this.prefersReducedMotion ? 0 : 650 };
  }
}
