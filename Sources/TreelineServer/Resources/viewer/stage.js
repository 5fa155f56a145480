// How the stage is divided: one map for all of it, or two of the same ground for both sides of a comparison.

import { WORLD_SIZE } from "./constants.js";
import { isShown } from "./shown.js";
import { fitToContainer, Twin } from "./twin.js";

export class Stage {
  /** The map of the grid's half, once there was one. */
  twin = null;

  /** @param viewer Has the settings and both sides. */
  constructor(viewer) {
    this.viewer = viewer;
    this.node = viewer.find("#stage");
    this.mapNode = viewer.find("#map");
    new ResizeObserver(() => viewer.fit()).observe(this.node);
  }

  /** Whether each side has a half to itself. */
  get hasHalves() {
    const { view, compare } = this.viewer.settings;
    return view === "compare" && compare === "halves";
  }

  get hasDivider() {
    return this.viewer.settings.view === "compare" && !this.hasHalves;
  }

  /** Where the map of a side begins. */
  originOf(side) {
    return this.hasHalves && side === this.viewer.grid ? { x: 0, y: 0 } : this.origin;
  }

  /** The maps that are there. */
  get maps() {
    return this.twin ? [this.viewer.map, this.twin.map] : [this.viewer.map];
  }

  /**
   * Measures the stage and divides it. Halves lie beside each other, or above each other where the stage is higher than
   * wide.
   *
   * @returns Whether it has room for a map. If it has none, all sizes are those from before.
   */
  divide() {
    const { node, mapNode, hasHalves, viewer } = this;
    node.dataset.halves = hasHalves ? (node.clientWidth >= node.clientHeight ? "row" : "column") : "";
    viewer.find("#twin").hidden = viewer.find("#halves").hidden = !hasHalves;
    viewer.find("#divider").hidden = !this.hasDivider;
    if (!isShown(mapNode)) return false;
    /** The sizes of the stage, and of the map or of each of two, in pixels. */
    this.whole = { width: node.clientWidth, height: node.clientHeight };
    this.size = { width: mapNode.clientWidth, height: mapNode.clientHeight };
    this.origin = { x: mapNode.offsetLeft, y: mapNode.offsetTop };
    return true;
  }

  /** Fits the maps to it. */
  fit() {
    const { map } = this.viewer;
    fitToContainer(map);
    // The world fills the width, so nothing is there twice.
    const minZoom = Math.log2(this.size.width / WORLD_SIZE);
    map.setMinZoom(minZoom);
    if (!this.hasHalves) return;
    this.twin ??= this.#makeTwin();
    this.twin.resize(minZoom);
  }

  #makeTwin() {
    const { map, mapOptions, source } = this.viewer;
    const camera = { center: map.getCenter(), zoom: map.getZoom() };
    const twin = new Twin(this.viewer.find("#twin"), map, { ...mapOptions, ...camera }, source);
    this.viewer.listenTo(twin.map, twin.tiles);
    twin.map.once("style.load", () => this.viewer.show());
    return twin;
  }
}
