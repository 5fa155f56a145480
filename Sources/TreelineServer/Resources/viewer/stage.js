// Divides the stage, the part of the page with maps. The stage has one map, or two maps of one region, one for each
// side of a comparison.

import { corners } from "./choice.js";
import { isShown } from "./shown.js";
import { fitToContainer, Twin } from "./twin.js";
import { StageCamera } from "./stage-overlay.js";
import { WORLD_SIZE } from "./vendor/treeline/map/constants.js";
import { worldX, worldY } from "./vendor/treeline/map/mercator.js";

/** Least distance in pixels between all points and the edges of the map, at the minimum zoom. A badge has this room. */
const LEAST_MARGIN = 24;

const viewOf = (map) => ({ center: map.getCenter(), zoom: map.getZoom() });
const isEqual = (a, b) => b !== null && a.zoom === b.zoom && a.center.lng === b.center.lng && a.center.lat === b.center.lat;

const latitudeAt = (y) => (Math.atan(Math.sinh(Math.PI * (1 - 2 * y))) * 180) / Math.PI;

export class Stage {
  /** The map in the grid's half of the stage; null until this map is needed. */
  twin = null;
  /** The view that was chosen before the last resize, and the view that the resized map shows. */
  #chosen = null;
  #shown = null;

  /** @param viewer Has the settings and both sides. */
  constructor(viewer) {
    this.viewer = viewer;
    this.node = viewer.find("#stage");
    this.mapNode = viewer.find("#map");
    new ResizeObserver(() => viewer.fit()).observe(this.node);
  }

  /** Whether each side has its own half of the stage. */
  get hasHalves() {
    const { view, compare } = this.viewer.settings;
    return view === "compare" && compare === "halves";
  }

  get hasDivider() {
    return this.viewer.settings.view === "compare" && !this.hasHalves;
  }

  /** Returns the upper left corner of a side's map. */
  originOf(side) {
    return this.hasHalves && side === this.viewer.grid ? { x: 0, y: 0 } : this.origin;
  }

  /** Boxes of what lies over the map, in pixels of the stage: the scale, the attribution, the buttons and the keys. */
  get covered() {
    const { left, top } = this.node.getBoundingClientRect();
    return [...this.node.querySelectorAll(".maplibregl-ctrl, #buttons, #keys")].map((node) => {
      const box = node.getBoundingClientRect();
      return { left: box.left - left, top: box.top - top, right: box.right - left, bottom: box.bottom - top };
    });
  }

  /** The maps that exist now. */
  get maps() {
    return this.twin ? [this.viewer.map, this.twin.map] : [this.viewer.map];
  }

  /**
   * Measures the stage and divides it. If the stage is higher than wide, one half is above the other half. Otherwise
   * the halves are side by side.
   *
   * @returns Whether the stage has room for a map. If the stage has no room, all sizes stay as they were.
   */
  divide() {
    const { node, mapNode, hasHalves, viewer } = this;
    // On a phone the panel is folded, so the keys to the colors are on the map. Otherwise they are in the panel, where
    // they cover no points.
    const [keys, panel] = ["#keys", "#panel"].map((name) => viewer.find(name));
    const isFolded = getComputedStyle(viewer.find("#fold")).display !== "none";
    if (isFolded !== node.contains(keys)) isFolded ? node.append(keys) : panel.querySelector("header").after(keys);
    node.dataset.halves = hasHalves ? (node.clientWidth >= node.clientHeight ? "row" : "column") : "";
    viewer.find("#twin").hidden = viewer.find("#halves").hidden = !hasHalves;
    viewer.find("#divider").hidden = !this.hasDivider;
    if (!isShown(mapNode)) return false;
    /** Size of the stage, then size of each map, in pixels. */
    this.whole = { width: node.clientWidth, height: node.clientHeight };
    this.size = { width: mapNode.clientWidth, height: mapNode.clientHeight };
    this.origin = { x: mapNode.offsetLeft, y: mapNode.offsetTop };
    return true;
  }

  /** The corners of all points, without latitudes that the map cannot show. */
  get #corners() {
    return corners(this.viewer.index.bounds).map(([x, y]) => [x, Math.min(Math.max(y, -85.05), 85.05)]);
  }

  /**
   * The minimum zoom of the map. At this zoom the world fills the width of the map, so that no land appears twice. If
   * some points or their badges are not in view at this zoom, the minimum zoom is lower.
   */
  get #minZoom() {
    const { width, height } = this.size;
    const [[west, south], [east, north]] = this.#corners;
    const across = Math.max(width - 2 * LEAST_MARGIN, width / 2) / (worldX(east) - worldX(west));
    const down = (height - 2 * LEAST_MARGIN) / (worldY(south) - worldY(north));
    const lowest = Math.log2(Math.min(width, across, Math.max(down, height / 2)) / WORLD_SIZE);
    // Below this zoom, a source has no answers for a plane.
    return this.viewer.index.plane ? Math.max(lowest, 0) : lowest;
  }

  /** Height of the empty space beyond each pole at the minimum zoom, as a share of the world. */
  #beyond(minZoom) {
    return Math.max(this.size.height / (WORLD_SIZE * 2 ** minZoom) - 1, 0) / 2;
  }

  /**
   * Returns the view of all points, as the map will show it.
   *
   * @param fitting Options of the map library for a box that fills the map.
   */
  cameraOfAll({ padding: { left, right, top, bottom }, maxZoom }) {
    const { width, height } = this.size;
    const [[west, south], [east, north]] = this.#corners.map(([longitude, latitude]) => [worldX(longitude), worldY(latitude)]);
    const minZoom = this.#minZoom;
    const scale = Math.min((width - left - right) / (east - west), (height - top - bottom) / (south - north));
    const zoom = Math.max(Math.min(Math.log2(scale / WORLD_SIZE), maxZoom), minZoom);
    const [pixel, beyond] = [1 / (WORLD_SIZE * 2 ** zoom), this.#beyond(minZoom)];
    const [x, y] = [(west + east + (right - left) * pixel) / 2, (north + south + (bottom - top) * pixel) / 2];
    const room = beyond - (height * pixel) / 2;
    const placed = Math.min(Math.max(y, -room), 1 + room);
    return new StageCamera({ lng: 360 * x - 180, lat: latitudeAt(placed) }, zoom, this.size);
  }

  /** Fits the maps to the stage. If the stage has no room for a chosen view, shows that view when the room is back. */
  fit() {
    const { map } = this.viewer;
    const [before, minZoom] = [viewOf(map), this.#minZoom];
    if (!isEqual(before, this.#shown)) this.#chosen = before;
    // The resize must not use the room of the old size: if the map grows, the library would zoom in.
    this.#makeRoom(map, minZoom);
    const isResized = fitToContainer(map);
    map.setMinZoom(minZoom);
    // Without a resize, a link or another index may be about to move the map.
    if (isResized && !map.isMoving() && !isEqual(viewOf(map), this.#chosen)) map.jumpTo(this.#chosen);
    this.#shown = viewOf(map);
    if (!this.hasHalves) return;
    this.twin ??= this.#makeTwin();
    this.#makeRoom(this.twin.map, minZoom);
    this.twin.resize(minZoom);
  }

  /**
   * Lets a map that is higher than the world show the whole width of the world, with empty space beyond the poles. The
   * map library has no option for this, so this method sets a field of the library. If the next version of the library
   * renames the field, the only effect is that the map shows less of the world.
   */
  #makeRoom(map, minZoom) {
    const helper = map.transform._helper;
    if (!helper?._latRange) return;
    const beyond = this.#beyond(minZoom);
    helper._latRange = [latitudeAt(1 + beyond), latitudeAt(-beyond)];
  }

  #makeTwin() {
    const { map, mapOptions, source } = this.viewer;
    const twin = new Twin(this.viewer.find("#twin"), map, { ...mapOptions, ...viewOf(map) }, source);
    this.viewer.listenTo(twin.map, twin.tiles);
    twin.map.once("style.load", () => this.viewer.show());
    return twin;
  }
}
