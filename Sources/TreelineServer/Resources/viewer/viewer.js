// The map and its parts. Requests answers, draws frames, and reacts to the user.

import { TileArchive } from "./archive.js";
import { planeStyle, repaint, worldStyle } from "./basemap.js";
import { Card } from "./card.js";
import { Choice, corners } from "./choice.js";
import { clusterOf } from "./cluster.js";
import { Controls } from "./controls.js";
import { availableCuts, chosenCut, cutParameters, leastLimit, suitCut } from "./cut.js";
import { densestPlace, radiusFor } from "./densest.js";
import { Destination } from "./destination.js";
import { Divider } from "./divider.js";
import { groundOf } from "./ground.js";
import { countsByGroup, Groups } from "./groups.js";
import { Hint } from "./hint.js";
import { clusterWith, keyOf, keysOf, pointWith, rowOf } from "./kept.js";
import { circlesOf, circlesOfTiles } from "./labels.js";
import { Legend } from "./legend.js";
import { linkProblems } from "./link-problems.js";
import { Listing } from "./listing.js";
import { Measures } from "./measures.js";
import { Notice } from "./notice.js";
import { readPalette } from "./palette.js";
import { Places } from "./places.js";
import { Pointing } from "./pointing.js";
import { Search } from "./search.js";
import { cameraOptions, cameraText } from "./settings.js";
import { Share } from "./share.js";
import { shown } from "./shown.js";
import { GridSide, TreeSide } from "./side.js";
import { StageCamera, StageOverlay } from "./stage-overlay.js";
import { Stage } from "./stage.js";
import { clusters, escaped, guessedName, nameColumn, nameOf, needsGuess, points, titleOf } from "./text.js";
import { TileLayers } from "./tiles.js";
import { Timeline } from "./timeline.js";
import { isNotPassing, isPassing, isRefused, Values } from "./values.js";
import { EQUATOR, Tones } from "./vendor/treeline/map/density.js";
import { WORLD_SIZE } from "./vendor/treeline/map/constants.js";
import { mapZoom, worldX, worldY } from "./vendor/treeline/map/mercator.js";
import { TONES } from "./vendor/treeline/map/palette.js";

/**
 * Number of clusters in an overview of the whole index. The map computes the density of the points from this overview.
 */
const OVERVIEW = 1000;

/**
 * When a box fills the map, `MARGIN` pixels stay free around the box, and the zoom is at most `CLOSEST`. At this zoom
 * the surroundings of a single position are in view.
 */
const MARGIN = 56;
const CLOSEST = 16;

/**
 * Greatest zoom of the map. At higher zooms no more points separate, even if the source has answers for higher zooms.
 */
const CLOSEST_ZOOM = 20;

/** From this zoom on, the built-in map has too little to show, so a graticule with degrees is drawn. */
const EMPTY_ZOOM = 9;

/** Milliseconds without a change after which the view is measured, and announced to screen readers. */
const REST = 160;

/** Milliseconds after which a failed request for the densities or the categories of an index is sent again. */
const RETRY = 2000;

/** A new version of an index keeps its colours if its number of points has changed by at most this share. */
const MOST_CHANGED = 0.1;

/** A box whose sides are shorter than this, in degrees, is treated as a single position. */
const LEAST_BOX = 1e-4;

const NO_TITLES = new Map();

/** Number of points whose values show which column has their names. */
const SAMPLE = 200;

/** Milliseconds that the map waits for the first badges. */
const SOON = 200;

/** A filter is tried on at most this many points at the position of a found point. */
const MOST_AT_POSITION = 1000;

const pause = (time) => new Promise((done) => setTimeout(done, time));

/** Settings without a filter. */
const ALL_POINTS = { off: "", range: "", where: "" };

const REDUCED_MOTION = matchMedia("(prefers-reduced-motion: reduce)");

export class Viewer {
  #isScheduled = false;
  #isStyled = false;
  /** Whether the requested map style could not be loaded. */
  #isUnstyled = false;
  /**
   * A map style, as an address or an object. If `basemap` is not null, this style is shown instead of the style of the
   * settings.
   */
  basemap = null;
  /**
   * A promise that resolves when the map library is loaded; undefined if the library is loaded before the page starts.
   */
  library = undefined;
  /** Columns whose values a hint shows; null if hints show the names of points. */
  tooltip = null;
  /** The selected clusters; null if clusters cannot be selected on this page. */
  selection = null;
  #lastRequestTime = null;
  #nextSide = 0;
  #rest = 0;
  #restKey = "";
  #areTilesDrawn = false;
  /** The current check whether the index was replaced. */
  #reloading = null;
  /**
   * Whether a new version of the index is being loaded. While it is loaded, the clusters of the previous version stay
   * on the map.
   */
  #isRenewing = false;
  /** Whether the settings name an index that the source does not have. */
  #isMissing = false;
  /** Columns of the settings that are missing in the index or have the wrong kind. */
  #forgotten = [];
  /**
   * The found point, which is marked at every zoom. The object has the name and the position of the point, and the ids
   * of the clusters that contain the point.
   */
  hit = null;
  /** The running request for the found point. */
  #loadingHit = null;
  places = new Places();
  /** Names of the source's indexes with plain x and y, which the map cannot show. */
  plain = [];
  /** Filter settings of the latest answer. */
  #answeredFilter = ALL_POINTS;

  /**
   * @param root The document, or the shadow root, that holds the page.
   * @param source Source of the answers.
   * @param indexes The indexes of the source, at least one.
   * @param address Keeps the settings in the address of the page. May be missing.
   */
  constructor(root, source, settings, indexes, address) {
    Object.assign(this, { root, source, settings, indexes, address });
    this.wake = this.wake.bind(this);
    this.node = this.find("#viewer");
    this.values = new Values(source);
    this.groups = new Groups();
    this.grid = new GridSide(source, this);
    this.tree = new TreeSide(source, this);
    this.stage = new Stage(this);
    this.overlay = new StageOverlay(this.find("#overlay"));
    this.notice = new Notice(this.find("#notice"), () => this.refocus());
    this.controls = new Controls(this);
    this.measures = new Measures(this.find("#measures"), source);
    this.legend = new Legend(this.find("#legend"), settings);
    this.timeline = new Timeline(this.find("#timeline"), source, this);
    this.hint = new Hint(this.find("#hint"), source, this);
    this.card = new Card(this.find("#card"), this.find("#buttons"), source, this);
    this.choice = new Choice(this);
    this.pointing = new Pointing(this);
    this.divider = new Divider(this.find("#divider"), (divider) => settings.set({ divider }));
    this.search = new Search(this);
    this.share = new Share(this);
    this.listing = new Listing(this.find("#listing"), {
      point: (cluster) => this.pointing.point(cluster, this.mainSide),
      choose: (cluster, event) => this.pointing.choose(cluster, this.mainSide, event),
      list: (cluster) => this.card.list(cluster, this.index, this.mainSide),
      near: (cluster) => this.placeNear(cluster),
    });
  }

  find(selector) {
    return this.root.querySelector(selector);
  }

  /** Function that ends the announcement of versions of the shown index; null if no versions are announced. */
  #unfollow = null;

  // Starting

  async start() {
    this.index = this.#named(this.settings.index) ?? this.indexes[0];
    // Sizes can be read only if the stage has room. Colours can be read only if the stage is in the page.
    await shown(this.stage.mapNode);
    this.stage.divide();
    this.palette = readPalette(this.node, this.groups);
    await this.#openArchive();
    const loading = Promise.all([this.#loadDensities(), this.#loadValues()]);
    // A source in the page knows the densities at once.
    await Promise.race([loading, pause(0)]);
    if (this.tones) await this.#sketch();
    await this.library;
    this.mapOptions = {
      style: this.#style || this.#ownStyle,
      transformRequest: (url) => this.source.request?.(url),
      maxZoom: Math.min(this.index.closest_zoom ?? CLOSEST_ZOOM, CLOSEST_ZOOM),
      maxPitch: 0,
      dragRotate: false,
      pitchWithRotate: false,
      touchPitch: false,
      fadeDuration: 0,
      trackResize: false,
      renderWorldCopies: !this.index.plane,
      locale: { "Map.Title": "Map of clusters. Arrow keys move the map; the plus and minus keys zoom in and out." },
    };
    const given = cameraOptions(this.settings.map);
    this.map = new maplibregl.Map({
      ...this.mapOptions,
      container: this.find("#map"),
      attributionControl: false,
      ...(given ?? { bounds: corners(this.index.bounds), fitBoundsOptions: this.#fitting }),
    });
    this.destination = new Destination(this.map);
    this.#credit();
    this.#useGround();
    this.map.touchZoomRotate.disableRotation();
    this.map.keyboard.disableRotation();
    this.tiles = new TileLayers(this.map, this.source);
    this.#listen();
    this.controls.offer(this.indexes, this.index);
    // The map does not wait for the names of cities.
    this.places.load().then(() => {
      this.listing.renew();
      this.wake();
      this.#restSoon();
    }, () => {});
    await loading;
    this.fit();
    // The map knows only now how much of the world it may show.
    if (!given) this.map.fitBounds(corners(this.index.bounds), { ...this.#fitting, duration: 0 });
    this.show();
    this.#loadFacts();
    this.loadHit();
    // Before this line, the controls do not show the actual settings.
    delete this.node.dataset.starting;
    this.#tellOfLink();
    this.#restSoon();
    if (this.source.pause > 0) {
      setInterval(() => document.visibilityState === "visible" && this.#reloadIfReplaced(), this.source.pause);
    }
    this.#follow();
    document.addEventListener("visibilitychange", () => this.#follow());
  }

  /**
   * Draws the first badges before the map library starts. The start of the library takes longer than the answer with
   * the first badges.
   */
  async #sketch() {
    const { index, settings, source, stage, tree } = this;
    if (settings.view !== "tree" || !index.bounds) return;
    const cuts = availableCuts(index, source, false);
    suitCut(settings, index, cuts);
    const options = cameraOptions(settings.map);
    const [longitude, latitude] = options?.center ?? [];
    this.camera = options ? new StageCamera({ lng: longitude, lat: latitude }, options.zoom, stage.size) : stage.cameraOfAll(this.#fitting);
    const answered = new Promise((done) => (this.#sketched = done));
    tree.feed.want(tree.request(this.camera, settings), performance.now());
    await Promise.race([answered, pause(SOON)]);
    if (tree.scene.size === 0) return;
    this.overlay.prepare(this.palette, stage.whole);
    this.#draw(tree, 0, stage.size.width, performance.now(), settings.ellipses);
    // Waits until the browser shows the badges. A hidden page draws no frame, so the wait is limited.
    await Promise.race([new Promise((done) => requestAnimationFrame(() => setTimeout(done))), pause(SOON)]);
  }

  /** Called with the first answer. */
  #sketched = () => {};

  /**
   * Shows new versions of the index at once. A hidden page does not listen for new versions, because all pages of a
   * browser share a few connections to a server.
   */
  #follow() {
    this.#unfollow?.();
    let newest = "";
    this.#unfollow = document.visibilityState === "hidden" ? null : this.source.follow(this.index, async (version) => {
      newest = version;
      // The list of indexes may have been requested before this version.
      if (newest !== this.index.version && await this.#reloadIfReplaced() && newest !== this.index.version) this.#reloadIfReplaced();
    });
  }

  /** Names of the views that the source has for the index. A source has no tiles of an index with plain x and y. */
  get views() {
    return this.index.plane ? this.source.views.filter((name) => name !== "tiles") : this.source.views;
  }

  get hasTiles() {
    return this.source.hasTiles && !this.index.plane;
  }

  /**
   * Shows a scale in kilometres, copies of the world, and the place of the user. A map of a plane has none of these.
   */
  #useGround() {
    const isEarth = !this.index.plane;
    this.node.dataset.ground = isEarth ? "earth" : "plane";
    this.find("#locate").hidden = !isEarth;
    this.find("#densest").hidden = !isEarth || !this.source.whereIs || !this.index.bounds;
    this.mapOptions.renderWorldCopies = isEarth;
    for (const map of this.stage.maps) map.setRenderWorldCopies(isEarth);
    if (isEarth && !this.scale) this.map.addControl((this.scale = new maplibregl.ScaleControl({ maxWidth: 110 })), "bottom-left");
    if (isEarth || !this.scale) return;
    this.map.removeControl(this.scale);
    this.scale = null;
  }

  /** Shows the attribution of the data in the corner of the map. */
  #credit() {
    if (this.credit) this.map.removeControl(this.credit);
    const { attribution } = this.index;
    this.credit = new maplibregl.AttributionControl({
      compact: false,
      // The map library expects HTML. An index may come from an untrusted source, so the text of its attribution is
      // escaped.
      ...(attribution && { customAttribution: escaped(attribution) }),
    });
    this.map.addControl(this.credit, "bottom-right");
  }

  /** Loads the densities of the index, which determine the scale of tones. */
  async #loadDensities() {
    const { index } = this;
    const { features } = await this.source.clusters(index.name, { limit: Math.max(OVERVIEW, leastLimit(index)) });
    if (index !== this.index) return;
    const placed = features.map(({ geometry: { coordinates: [longitude, latitude] }, properties: { point_count: count } }) => (
      { count, x: worldX(longitude), y: worldY(latitude) }));
    this.tones = new Tones(placed, TONES);
  }

  /** Loads the categories of the chosen column. Clears settings with columns that the index does not have. */
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
    // Before an answer is shown, the largest groups of the index count as the largest groups in view.
    if (values.isByGroup) this.groups.assign(countsByGroup(index.groups.map(({ name, point_count: count }) => ({ group: name, count }))));
    // The shown clusters still have no parts, or they have parts of the previous categories.
    for (const { feed, scene } of [this.grid, this.tree]) {
      for (const { cluster } of scene.sprites) Object.assign(cluster, { parts: null, group: undefined });
      feed.reset();
    }
  }

  /** Shows facts below the title of the index: its extent, and the first and the last time of its points. */
  async #loadFacts() {
    const { controls, index } = this;
    // A standalone page has no server, and keeps its own title.
    if (this.source.whereIs) document.title = `${titleOf(index)} · Treeline`;
    this.#countedKey = "";
    if (!index.bounds) return;
    const ground = groundOf(index);
    const [[west, south], [east]] = corners(index.bounds);
    const facts = [!index.plane && east - west > 180 ? "worldwide" : (ground.size(index.bounds) ?? ground.position(south, west))];
    controls.tell(index, facts);
    this.#guessName(index).catch(() => {});
    const [time] = Values.columns(index, "time");
    if (!time) return;
    const name = `"${time.replaceAll('"', '""')}"`;
    try {
      const { features } = await this.source.clusters(index.name, { limit: leastLimit(index), aggregate: `min(${name}), max(${name})` });
      const ends = ["min", "max"].map((end) => features.map(({ properties }) => properties[`${end}_${time}`]).filter((value) => typeof value === "string").sort());
      if (index === this.index && ends[0].length > 0) controls.tell(index, facts, [ends[0][0], ends[1].at(-1)].map((end) => end.slice(0, 10)));
    } catch {
      // The title is also useful without dates, so errors are ignored.
    }
  }

  /** If no column has the title of a column of names, guesses the column from some points that are near each other. */
  async #guessName(index) {
    const { controls, listing, source } = this;
    if (needsGuess(index) && index.guessed_name === undefined) {
      const { features } = await source.clusters(index.name, { limit: leastLimit(index) });
      const [largest] = features.sort(({ properties: a }, { properties: b }) => b.point_count - a.point_count);
      const { features: members } = await source.members(index.name, largest.properties.cluster_id, { limit: SAMPLE });
      // Points at one position often share all of their values.
      const apart = new Map(members.map(({ geometry, properties }) => [`${geometry.coordinates}`, properties]));
      index.guessed_name = guessedName(index, [...apart.values()]);
    }
    if (index !== this.index) return;
    controls.tellOfNames(index.guessed_name);
    listing.renew();
    this.wake();
  }

  /**
   * Loads the found point of the settings. The map then marks the point in its cluster.
   *
   * @returns The lowest zoom of the map at which the point is shown alone; null if no zoom shows it alone.
   */
  loadHit(isRenewed = false) {
    const key = `${this.index.name} ${this.index.version} ${this.settings.hit}`;
    if (this.#loadingHit?.key === key) return this.#loadingHit.zoom;
    const loading = (this.#loadingHit = { key, zoom: this.#loadHit(isRenewed).finally(() => this.#loadingHit === loading && (this.#loadingHit = null)) });
    return loading.zoom;
  }

  /** Marks a city or a coordinate, which is no point of the index. Links do not contain this mark. */
  markPlace({ title, longitude, latitude }) {
    this.settings.set({ hit: "" });
    this.hit = { row: "", text: title, x: worldX(longitude), y: worldY(latitude), path: new Set() };
    this.notice.hide("mark");
    this.wake();
  }

  /** Removes the mark of a found point or place. */
  unmark() {
    this.settings.set({ hit: "" });
    this.hit = null;
    this.notice.hide("mark");
    this.wake();
  }

  /**
   * Hides the mark of a point that does not pass the filter, and says so. Shows the mark again if the point passes the
   * filter.
   */
  async #checkHit() {
    const { hit, index, source } = this;
    const { filter } = this.filterQuery;
    // The densest place depends on the filter.
    if (hit && "filter" in hit && hit.filter !== filter) {
      this.search.field.value = "";
      return this.unmark();
    }
    if (!hit || hit.row === "") return this.notice.hide("mark");
    const key = `${index.version} ${hit.row} ${filter}`;
    if (hit.path.size === 0 || hit.checked === key) return;
    hit.checked = key;
    let passes = true;
    try {
      // The last cluster of the path has only points at the position of the found point.
      if (filter) {
        const { features } = await source.members(index.name, [...hit.path].at(-1), { limit: MOST_AT_POSITION, filter });
        passes = features.length === MOST_AT_POSITION || features.some(({ properties }) => String(properties.index) === hit.row);
      }
    } catch (error) {
      passes = !isNotPassing(error);
      if (passes) hit.checked = "";
    }
    if (this.hit !== hit || (hit.checked !== key && hit.checked !== "")) return;
    hit.isHidden = !passes;
    if (passes) this.notice.hide("mark");
    else this.notice.show("mark", `${hit.text} is not marked, because it does not pass the filter.`, this.#clearing);
    this.wake();
  }

  /** The button of a message about points that do not pass the filter. */
  get #clearing() {
    return { title: "Clear the filter", run: () => this.settings.step(ALL_POINTS) };
  }

  #countedKey = "";

  /** Shows in the heading how many points pass the filter. */
  async #countFiltered() {
    const { controls, index, source } = this;
    const { filter } = this.filterQuery;
    const key = `${index.name} ${index.version} ${filter}`;
    if (key === this.#countedKey) return;
    this.#countedKey = key;
    if (!filter) return controls.count(null);
    try {
      const { features } = await source.clusters(index.name, { limit: leastLimit(index), filter });
      if (key === this.#countedKey) controls.count(features.reduce((sum, { properties }) => sum + properties.point_count, 0));
    } catch {
      // The map reports errors of the filter.
      if (key === this.#countedKey) this.#countedKey = "";
    }
  }

  /**
   * @param isRenewed Whether the marked point stays marked while it is loaded, because it is also in the new version of
   *   the index.
   */
  async #loadHit(isRenewed) {
    const { index, settings: { hit }, source } = this;
    if (!isRenewed) this.hit = null;
    this.wake();
    if (hit === "" || !source.whereIs) return null;
    const cut = chosenCut(this.settings);
    try {
      const { feature, path, zoom_alone: zoom } = await source.whereIs(index.name, hit, cut.isByPixels ? cutParameters(this.settings) : {});
      if (hit !== this.settings.hit || index !== this.index) return null;
      const [longitude, latitude] = feature.geometry.coordinates;
      this.hit = {
        row: hit, key: keyOf(index, feature.properties), text: nameOf(feature.properties, index), x: worldX(longitude), y: worldY(latitude),
        path: new Set(path.map(({ cluster_id: id }) => id)),
      };
      // A mark from a link has a text in the field, so that the mark can be removed there.
      const { field } = this.search;
      if (field.value === "") field.value = this.hit.text;
      this.wake();
      this.#restSoon();
      return typeof zoom === "number" ? mapZoom(zoom) + 0.02 : null;
    } catch (error) {
      if (error.status !== 404 && error.status !== 400) throw error;
      this.settings.set({ hit: "" });
      this.tell("link", "The link marks a point that is not in this index.");
      return null;
    }
  }

  /** Shows a position, such as the position of a city. */
  goTo({ longitude, latitude }, zoom) {
    this.map.easeTo({ center: [longitude, latitude], zoom: Math.min(zoom, this.map.getMaxZoom()), ...this.motion });
  }

  /** Returns a text about a position, such as `near Paris`. The text is empty if no city is near. */
  placeNear({ longitude, latitude, area = 0 }) {
    if (this.index.plane) return "";
    const name = this.places.near(worldX(longitude), worldY(latitude), Math.sqrt(area) / (EQUATOR * Math.cos((latitude * Math.PI) / 180)));
    return name && `near ${name}`;
  }

  /** The filter as a parameter of the server; empty if all points are counted. */
  get filterQuery() {
    const filter = this.values.filter(this.settings);
    return filter ? { filter } : {};
  }

  /** The filter, and the version of the index that the id of a cluster comes from, as parameters of the server. */
  clusterQuery({ version }) {
    return { ...(version && { version }), ...this.filterQuery };
  }

  /**
   * Checks with the source that a filter is valid for the current index. Throws the error of the source if the filter
   * is not valid.
   */
  async checkFilter(where, signal) {
    if (where) await this.source.clusters(this.index.name, { limit: leastLimit(this.index), filter: where }, signal);
  }

  /** Shows a message that lists the settings of a link that the map cannot show, and why. */
  #tellOfLink() {
    const { settings, settings: { index } } = this;
    this.#isMissing = index !== "" && !this.#named(index);
    const said = linkProblems(this, this.#isMissing, this.#forgotten);
    this.#forgotten = [];
    settings.forgetLink();
    if (said) this.tell("link", said);
    else this.notice.hide("link");
  }

  /** Shows a message until the user closes it. */
  tell(kind, text) {
    this.notice.show(kind, text, { title: "OK", run: () => this.notice.hide(kind) });
  }

  /** The requested map style; empty for the built-in map. */
  get #style() {
    return this.index.plane ? "" : (this.basemap ?? (this.settings.style || this.source.style));
  }

  /** The style of the built-in map, or of the server's archive of tiles. */
  get #ownStyle() {
    return this.index.plane ? planeStyle(this.palette) : (this.archive?.style(this.palette) ?? worldStyle(this.palette));
  }

  /** Opens the server's archive of tiles. If the archive cannot be opened, shows the built-in map and a message. */
  async #openArchive() {
    const { basemap } = this.source;
    if (!basemap || this.#style) return;
    const archive = new TileArchive(basemap, (url) => this.source.request?.(url) ?? {});
    try {
      await archive.open();
    } catch (error) {
      return this.tell("style", `The basemap of the server cannot be shown: ${error.message}. The built-in map is shown instead.`);
    }
    archive.serve();
    this.archive = archive;
  }

  /** Shows another map style from now on. If `style` is null, shows the style of the settings. */
  useBasemap(style) {
    this.basemap = style;
    // A map that does not exist yet starts with this style.
    if (!this.map) return;
    this.#isUnstyled = false;
    this.notice.hide("style");
    this.#setStyle(this.#style || this.#ownStyle);
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

  /** Sets the title of the current index. An empty title removes it. */
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
    map.on("movestart", () => (this.#areTilesDrawn = false));
    map.on("idle", () => {
      this.#areTilesDrawn = true;
      if (settings.view !== "tiles") return;
      if (this.values.isByGroup) this.#explainParts();
      const isEmpty = this.filterQuery.filter && map.getLayer("clusters") && circlesOfTiles(map).length === 0;
      if (isEmpty) this.notice.show("empty", "No point in this view passes the filter.", this.#clearing);
      else this.notice.hide("empty");
      this.wake();
    });
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
    this.find("#locate").addEventListener("click", () => this.#locate());
    this.find("#densest").addEventListener("click", ({ currentTarget }) => this.#goToDensest(currentTarget));
  }

  /** @param map The map or its twin. The twin shows only the grid. */
  listenTo(map, tiles) {
    map.on("error", (event) => this.#mapFailed(event, tiles));
    this.pointing.listenTo(map, map === this.map ? undefined : this.grid);
  }

  // Drawing

  /**
   * Requests a frame. While the map moves, requests a frame of the map, so that the badges and the map move together.
   */
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

  /** The view whose clusters are requested: the current view or, while the map zooms out, the view at the end. */
  get #cameraToAsk() {
    const { end } = this.destination;
    return end && end.zoom < this.camera.zoom ? new StageCamera(end.center, end.zoom, this.stage.size) : this.camera;
  }

  #frame() {
    if (!this.tones) return;
    const now = performance.now();
    const camera = (this.camera = this.currentCamera);
    this.#request(this.#cameraToAsk, now);
    this.overlay.clear();
    const { hasHalves, twin } = this.stage;
    if (hasHalves) twin?.follow();
    const { view, divider, ellipses } = this.settings;
    const { width } = camera;
    // Names are placed when badges have arrived, even in the last frame of a motion.
    for (const { scene } of this.sides) scene.advance(now);
    this.#placeLabels(camera, now);
    if (this.index.plane || camera.zoom > EMPTY_ZOOM && (this.archive ? camera.zoom > this.archive.maxZoom + 6 || !this.archive.covers(camera) : !this.#style || this.#isUnstyled)) {
      const { index, palette, stage } = this;
      const { covered } = stage;
      for (const origin of hasHalves ? [{ x: 0, y: 0 }, stage.origin] : [stage.origin]) this.overlay.drawGraticule({ camera, origin, palette, index, covered });
    }
    const edge = this.stage.hasDivider ? divider * width : view === "grid" ? width : 0;
    this.#draw(this.grid, 0, hasHalves ? width : edge, now, ellipses);
    if (view !== "tiles") this.#draw(this.tree, edge, width, now, ellipses);
    else this.#drawLabels(this.tree, 0, width);
    this.#drawHit(edge);
    // In the view `tiles`, the map library draws the clusters, but not their ellipses.
    const { pointed } = this.pointing;
    if (view === "tiles" && pointed) this.overlay.drawExtent(pointed.cluster, camera);
    const { spread } = this.card;
    if (spread) this.overlay.drawSpread(spread, camera, now, this.stage.originOf(this.card.side));
    if (this.sides.some(({ scene }) => scene.isMoving) || spread?.isMoving(now)) this.wake();
    this.find("#progress").classList.toggle("waiting", this.sides.some(({ feed }) => now - feed.waitingSince > 240));
  }

  /** Chooses the names that fit between the badges. A user's map style has its own names of cities. */
  #placeLabels(camera, now) {
    const places = this.index.plane || (this.#style && !this.#isUnstyled) ? [] : this.places.in(camera);
    const { index, index: { name, version } } = this;
    if (this.settings.view === "tiles") {
      // The map library draws the badges here. The positions of these badges are known only when the library is idle.
      if (!this.#areTilesDrawn) this.tree.labels.clear();
      else if (this.map.getLayer("clusters")) {
        this.#placeLater(this.tree.labels.place(camera, circlesOfTiles(this.map), places, null, NO_TITLES, `tiles ${version}`, now));
      }
      return;
    }
    for (const side of this.sides) {
      if (side.scene.isMoving) side.labels.thin(camera, side.scene);
      if (!side.scene.isMoving || side.labels.placed.length === 0) {
        const key = `${name} ${version} ${nameColumn(index)} ${side.answer} ${places.length} ${this.settings.view} ${side.titles.size}`;
        this.#placeLater(side.labels.place(camera, circlesOf(side.scene, camera), places, index, side.titles, key, now));
      }
    }
  }

  #placement = null;

  /**
   * Requests a frame for names that are not placed yet. Without this request, no frame might come while the map is at
   * rest.
   */
  #placeLater(pause) {
    if (pause === 0) return;
    this.#placement ??= setTimeout(() => {
      this.#placement = null;
      this.wake();
    }, pause);
  }

  #drawLabels(side, left, right) {
    const { context, ratio } = this.overlay;
    // Before the first badges are drawn, the canvas has no size.
    if (ratio === 0) return;
    const origin = this.stage.originOf(side);
    context.save();
    context.translate(origin.x, origin.y);
    context.beginPath();
    context.rect(left, 0, right - left, this.camera.height);
    context.clip();
    side.labels.draw(context, this.camera, this.palette, ratio);
    context.restore();
  }

  /**
   * Marks the found point. The mark is at the cluster that contains the point, or at the point itself if it is shown
   * alone.
   */
  #drawHit(edge) {
    const { camera, hit, settings, stage, tree } = this;
    if (!hit || hit.isHidden || settings.view === "grid") return;
    const origin = stage.originOf(tree);
    const isMarked = ({ id }) => hit.path.has(id);
    // In the view `tiles`, the map library draws the badges. Their positions are known only when the library is idle.
    const isInTiles = settings.view === "tiles";
    const badge = isInTiles && this.#areTilesDrawn && this.map.getLayer("clusters") ? circlesOfTiles(this.map).find(isMarked) : null;
    const cluster = isInTiles ? badge : tree.scene.clusters.find(isMarked);
    const { x, y } = badge ?? camera.point(cluster?.x ?? hit.x, cluster?.y ?? hit.y);
    if (x < edge) return;
    this.overlay.drawPin(origin.x + x, origin.y + y, cluster?.radius ?? 6, hit.text);
  }

  #draw(side, left, right, now, ellipses) {
    if (right <= left) return;
    this.#drawLabels(side, left, right);
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

  /** Sends at most one request per frame. The sides take turns. */
  #request(camera, now) {
    if (this.#isRenewing || document.timeline.currentTime === this.#lastRequestTime) return;
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
    side.answer++;
    this.#sketched();
    if (side === this.tree && side.filter === this.values.filter(this.settings)) {
      const { off, range, where } = this.settings;
      this.#answeredFilter = { off, range, where };
    }
    const { pointed } = this.pointing;
    if (pointed?.side === side && !side.scene.sprite(pointed.cluster.id)) this.pointing.point(null);
    if (side === this.mainSide) {
      this.#explainParts();
      if (side.scene.size > 0) this.notice.hide("empty");
      else if (side === this.tree && this.filterQuery.filter) {
        this.notice.show("empty", "No point in this view passes the filter.", this.#clearing);
      } else if (this.index.point_count === 0) this.notice.show("empty", "This map has no points.");
      else this.notice.show("empty", "No points in this view.", { title: "Show all", run: () => this.#stepToAll() });
    }
    this.#restSoon();
  }

  /** Gives colors to the largest groups in view, and shows the categories or the groups in the legend. */
  #explainParts() {
    const { map, tiles, values } = this;
    // In the view `tiles`, the map library draws the clusters, and only it knows which clusters are in view.
    const isInTiles = this.settings.view === "tiles" && values.isByGroup;
    const clusters = isInTiles ? (map.getLayer("clusters") ? map.queryRenderedFeatures({ layers: ["clusters"] }) : []).map(({ properties }) => (
      { group: properties.cluster_group ?? null, count: properties.point_count })) : this.mainSide.scene.clusters;
    // An answer that does not show groups has no clusters with groups.
    const hasGroups = values.isByGroup && clusters.every(({ group }) => group !== undefined);
    if (hasGroups && this.groups.assign(countsByGroup(clusters)) && isInTiles) tiles.recolor();
    this.legend.update(values, this.palette, values.isByGroup && !hasGroups ? [] : clusters);
  }

  async failed(error, side) {
    // A filter from a link or from the panel may not be valid for this index.
    if (isRefused(error) && this.filterQuery.filter && /^(from-)?filter:/.test(error.message)) {
      const { where } = this.settings;
      const rest = this.#answeredFilter === ALL_POINTS ? "all points are shown" : "the previous filter still applies";
      this.settings.set(this.#answeredFilter);
      // In requests the filter is in parentheses, so messages about it count one more character than the user sees.
      const { message } = await this.checkFilter(where).then(() => error, (problem) => (isRefused(problem) ? problem : error));
      const reason = message.replace(/^(from-)?filter: /, "");
      const isBeside = where !== this.settings.where && this.controls.refuse(where, reason);
      return this.tell("filter", where && !isBeside ? reason : `The filter of the link is not valid for this index; ${rest}.`);
    }
    // After the index was replaced or removed, ids of the previous version are invalid.
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

  /** Shows the built-in map instead of a style that could not be loaded, and reports the error. */
  #styleFailed(error) {
    if (this.#isUnstyled) return;
    this.#isUnstyled = true;
    const why = error.status > 0 ? `the server answered ${error.status}` : error.message;
    const name = typeof this.#style === "string" ? `The map style ${this.#style}` : "The map style";
    this.tell("style", `${name} cannot be shown: ${why}. The built-in map is shown instead.`);
    this.#setStyle(worldStyle(this.palette));
  }

  /** Switches to the new version of a replaced index, and returns whether there was one. */
  #reloadIfReplaced() {
    return (this.#reloading ??= this.#reload().finally(() => (this.#reloading = null)));
  }

  async #reload() {
    this.indexes = await this.source.indexes().catch(() => this.indexes);
    const index = this.#named(this.index.name);
    if (!index || index.version === this.index.version) return false;
    await this.#useIndex(index, true);
    return true;
  }

  // Settings

  #changed(names) {
    if (names.has("style")) return location.reload();
    // A change of the map's size ends the motion of the map. So the size changes before the map moves to the points of
    // another index.
    if (names.has("view") || names.has("compare")) this.fit();
    if (names.has("index")) {
      const index = this.#named(this.settings.index) ?? this.indexes[0];
      if (index !== this.index) this.#useIndex(index);
      if (this.#isMissing && this.#named(this.settings.index)) {
        this.#isMissing = false;
        this.notice.hide("link");
      }
    }
    if (["where", "off", "range"].some((name) => names.has(name))) for (const kind of ["filter", "place"]) this.notice.hide(kind);
    if (names.has("hit") && this.settings.hit !== this.hit?.row) this.loadHit().catch((error) => this.failed(error));
    if (names.has("picks") || names.has("donuts") || names.has("sum") || names.has("brush")) {
      this.#reloadValues();
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

  /** Loads the categories of the chosen column. Tries again if the server or the network fails. */
  async #reloadValues() {
    const { index } = this;
    try {
      await this.#loadValues();
    } catch (error) {
      if (index !== this.index) return;
      this.failed(error);
      if (isPassing(error)) setTimeout(() => index === this.index && this.#reloadValues(), RETRY);
      return;
    }
    this.show();
  }

  /**
   * @param isVersion Whether the index is a new version of the shown index. In a new version, badges stay where
   *   possible.
   */
  async #useIndex(index, isVersion = false) {
    const { index: previous, tones } = this;
    const isElsewhere = `${index.bounds}` !== `${previous.bounds}`;
    this.index = index;
    this.#isRenewing = isVersion;
    this.#answeredFilter = ALL_POINTS;
    this.#forgotten = [];
    this.#credit();
    if (index.plane || previous.plane) {
      this.#useGround();
      if (!index.plane !== !previous.plane) this.#setStyle(this.#style || this.#ownStyle);
    }
    this.controls.offer(this.indexes, index);
    for (const side of [this.grid, this.tree]) isVersion ? side.renew() : side.reset();
    if (!isVersion) {
      for (const kind of ["link", "place"]) this.notice.hide(kind);
      this.card.close();
      this.hit = null;
      this.search.clear();
      this.pointing.point(null);
      this.tones = null;
      this.#follow();
    }
    if (isElsewhere) {
      this.stage.fit();
      if (!isVersion) this.showAll();
    }
    await this.#loadIndex(previous, tones, isVersion);
  }

  /**
   * Loads what the map needs before it shows the clusters of an index. Tries again if the server or the network fails.
   *
   * @param previous The index that was shown before.
   * @param tones The tones of this index.
   */
  async #loadIndex(previous, tones, isVersion) {
    const { index } = this;
    try {
      await Promise.all([this.#loadDensities(), this.#loadValues()]);
    } catch (error) {
      if (index !== this.index) return;
      this.failed(error);
      if (isPassing(error)) setTimeout(() => index === this.index && this.#loadIndex(previous, tones, isVersion), RETRY);
      return;
    } finally {
      if (index === this.index) this.#isRenewing = false;
    }
    // Another index may have been chosen in the meantime.
    if (index !== this.index) return;
    const { point_count: before } = previous;
    if (isVersion && Math.abs(index.point_count - before) <= MOST_CHANGED * before) this.tones = tones;
    if (isVersion) for (const renewal of [this.#renewHit(), this.#renewCard()]) renewal.catch((error) => this.#renewalFailed(error, index));
    this.show();
    this.#loadFacts();
    this.#restSoon();
  }

  /**
   * Marks the found point in a new version of the index. Removes the mark if the new version does not contain the
   * point.
   */
  async #renewHit() {
    const { hit, index, source } = this;
    if (!hit || hit.row === "") return;
    // The clusters of the point have other ids in the new version.
    hit.path = new Set();
    const row = hit.key === undefined ? hit.row : await rowOf(source, index, hit.key);
    if (this.hit !== hit || this.index !== index) return;
    if (row !== null) {
      hit.row = String(row);
      this.settings.set({ hit: hit.row });
      await this.loadHit(true);
      // Without keys, a point is recognized by its row and its name.
      if (this.index !== index || this.hit?.row !== hit.row || hit.key !== undefined || this.hit.text === hit.text) return;
    }
    this.hit = null;
    this.settings.set({ hit: "" });
  }

  /**
   * Shows the open point or cluster of a live index as it is in a new version. Closes the card if the point or cluster
   * no longer exists.
   */
  async #renewCard() {
    const { card, index, source } = this;
    const { cluster, side } = card;
    const keys = card.isOpen && side === this.tree ? keysOf(index, cluster, card.members) : [];
    if (keys.length === 0) return;
    const query = this.filterQuery;
    const feature = await (cluster.count === 1 ? pointWith(source, index, keys[0], query) : clusterWith(source, index, keys, cluster.count, query));
    if (card.cluster !== cluster || this.index !== index) return;
    if (!feature) return card.close();
    await card.renew(clusterOf(feature, this, this.currentCamera.scale), index, query.filter);
  }

  /** Shows the open cluster under a changed filter. Closes the card if none of the cluster's points passes. */
  async #filterCard() {
    const { card, filterQuery: { filter }, index, source } = this;
    const { cluster } = card;
    if (!card.isOpen || card.side !== this.tree || card.index !== index || card.filter === filter) return;
    card.filter = filter;
    const isOver = () => card.cluster !== cluster || card.filter !== filter || this.index !== index;
    try {
      const feature = await source.cluster(index.name, cluster.id, undefined, this.clusterQuery(cluster));
      if (!isOver()) await card.renew(clusterOf(feature, this, this.currentCamera.scale), index, filter);
    } catch (error) {
      if (isOver()) return;
      if (isNotPassing(error)) return card.close();
      // Asks again when the map is at rest the next time.
      card.filter = null;
      this.#renewalFailed(error, index);
    }
  }

  /** Reports an error, unless a newer version has made the ids of this version invalid. */
  async #renewalFailed(error, index) {
    if (this.index === index && !(error.status === 404 && await this.#reloadIfReplaced())) this.failed(error);
  }

  /**
   * Updates the hint and the card after the first answer of a new version. The hint and the card then show the clusters
   * that continue the clusters shown so far.
   *
   * @param successors The new clusters that continue the shown clusters, by the ids of the shown clusters.
   */
  renewed(side, successors) {
    const { card, index, pointing } = this;
    if (pointing.pointed?.side === side) pointing.renew(successors.get(pointing.pointed.cluster.id) ?? null);
    if (!card.isOpen || card.side !== side || card.index === index) return;
    if (side === this.tree && keysOf(index, card.cluster, card.members).length > 0) return;
    const successor = successors.get(card.cluster.id);
    if (!successor) card.close();
    else card.renew(successor, index, side.filter || undefined).catch((error) => this.#renewalFailed(error, index));
  }

  /** Updates the page from the settings. */
  show() {
    const { settings } = this;
    const { views } = this;
    if (!views.includes(settings.view)) return settings.set({ view: views[0] });
    const cuts = availableCuts(this.index, this.source, settings.view === "tiles");
    if (suitCut(settings, this.index, cuts)) return;
    this.controls.update(cuts, this.index);
    if (this.tones) this.controls.explain(this.palette, this.tones);
    this.#explainParts();
    this.timeline.show();
    this.divider.show(settings.divider);
    // In the view `tiles`, the viewer knows only when the map is idle whether points are in view.
    if (settings.view === "tiles") this.notice.hide("empty");
    const { hasHalves, twin } = this.stage;
    const layers = this.hasTiles ? [this.#isStyled && this.tiles, hasHalves && twin?.isStyled && twin.tiles] : [];
    for (const tiles of layers) if (tiles && this.tones) tiles.update(this.index, settings, this.palette, this.tones, this.values);
    this.address?.update();
    if (settings.view === "tiles") {
      this.#areTilesDrawn = false;
      this.map.triggerRepaint();
    }
    this.wake();
  }

  /**
   * Reads the colours of the stylesheet again. Colours cannot be read outside the page, so this method waits until the
   * element is shown.
   */
  async repaint() {
    await shown(this.stage.node);
    // A map that does not exist yet starts with the new colors.
    if (!this.map) return;
    if (!this.#isStyled) return void this.map.once("style.load", () => this.repaint());
    this.palette = readPalette(this.node, this.groups);
    if (!this.#style && this.archive) this.#setStyle(this.#ownStyle);
    else if (!this.#style || this.#isUnstyled) for (const map of this.stage.maps) repaint(map, this.palette);
    // Colours do not change sizes, so the sizes are not measured again. Sizes measured while styles change would be
    // wrong.
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
    const { index } = this.settings;
    // If a link names a missing index, the address of the page does not change, so that a reload shows the message
    // again.
    this.settings.set({ map: cameraText(this.currentCamera), ...((index === "" || this.#named(index)) && { index: this.index.name }) });
    this.#restSoon();
  }

  #restSoon() {
    clearTimeout(this.#rest);
    this.#rest = setTimeout(() => this.#rested(), REST);
  }

  /** Whether the map does not move and shows the answers for its view. */
  get isAtRest() {
    if (!this.tones || !this.map || this.map.isMoving()) return false;
    const camera = this.currentCamera;
    return this.sides.every((side) => side.feed.hasAnswered(side.request(camera, this.settings)));
  }

  /** Measures, lists and announces the clusters in view, once all requests are answered. */
  #rested() {
    if (!this.isAtRest) return;
    const sides = this.sides;
    // Answers of the tree reveal that an index was replaced. If the tree is not on the screen, the viewer must check
    // here whether the index was replaced.
    if (!sides.includes(this.tree)) this.#reloadIfReplaced();
    this.choice.openFromLink();
    this.timeline.update(this.tree.request(this.camera, this.settings).query);
    this.#checkHit();
    this.#filterCard();
    this.#countFiltered();
    if (sides.length === 0) return;
    const { scene } = this.mainSide;
    // The map does not wait for titles.
    if (sides.includes(this.tree)) this.tree.loadTitles(this.tree.request(this.camera, this.settings)).then((isNew) => isNew && this.wake(), () => {});
    this.listing.update(scene.clusters, this.index, this.palette, this.settings);
    const requests = sides.map((side) => ({ name: side.name, ...side.request(this.camera, this.settings) }));
    const key = requests.map(({ key }) => key).join();
    if (key === this.#restKey) return;
    this.#restKey = key;
    if (this.source.hasMeasures && ["compare", "grid"].includes(this.settings.view)) this.measures.update(this.index, requests);
    const total = scene.clusters.reduce((sum, { count }) => sum + count, 0);
    this.find("#status").textContent =
      `${clusters(scene.size)} of ${points(total)} around ` +
      `${groundOf(this.index).position(this.camera.latitude, this.camera.longitude, 1)}, zoom ${this.camera.zoom.toFixed(1)}.`;
  }

  // Pointing and choosing

  /**
   * @param linkID Id of the closed cluster in the address.
   * @param focus Element that had the keyboard focus before the card. This element gets the focus back if it still
   *   exists. `focus` is null if the card did not have the focus.
   */
  closed(linkID, focus) {
    if (this.settings.open === linkID) this.settings.set({ open: "" });
    if (focus) this.refocus(focus);
    this.wake();
  }

  /** Moves the keyboard focus to an element or, if the element is not shown, to the map. */
  refocus(node) {
    (node?.checkVisibility() && node !== document.body ? node : this.map?.getCanvas())?.focus({ preventScroll: true });
  }

  showAll() {
    this.map.fitBounds(corners(this.index.bounds), { ...this.#fitting, ...this.motion });
  }

  /** Shows the position of the user, if the browser is allowed to share it. */
  #locate() {
    const refuse = ({ message }) => this.tell("place", `The browser does not share your position${message ? `: ${message}` : ""}.`);
    if (!navigator.geolocation) return refuse({});
    navigator.geolocation.getCurrentPosition(({ coords }) => {
      this.settings.step();
      this.goTo(coords, Math.max(this.map.getZoom(), 12));
    }, refuse, { maximumAge: 60_000, timeout: 15_000 });
  }

  /** Shows and marks the place with the most points around it. Only points that pass the filter count. */
  async #goToDensest(button) {
    const { index } = this;
    const radius = radiusFor(index);
    const { filterQuery } = this;
    // A disabled button would lose the keyboard focus.
    if (button.ariaDisabled === "true") return;
    button.ariaDisabled = "true";
    // The map has its whole size before it moves.
    this.controls.fold();
    try {
      const place = await densestPlace(this.source, index, filterQuery, radius);
      if (index !== this.index) return;
      if (!place) return this.tell("place", "No point passes the filter.");
      const title = `${points(place.count)} within ${radius < 1 ? `${1000 * radius} m` : `${radius} km`}`;
      this.settings.step();
      this.markPlace({ title, ...place });
      this.hit.filter = filterQuery.filter;
      this.search.field.value = title;
      // The circle fills about half of the map.
      const { width, height } = this.stage.size;
      const pixels = (EQUATOR * Math.cos((place.latitude * Math.PI) / 180) * Math.min(width, height)) / (4 * radius);
      this.goTo(place, Math.log2(pixels / WORLD_SIZE));
    } catch (error) {
      this.failed(error);
    } finally {
      button.ariaDisabled = "false";
    }
  }

  #stepToAll() {
    this.settings.step();
    this.showAll();
  }

  /**
   * Options of a view of all points. A single position is not put in the middle, because the divider would cover it
   * there.
   */
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
