// A second map of the same region as the first map. The second map fills the half of the stage that the first map
// leaves free.

import { TileLayers } from "./tiles.js";

/** Title of the second map for screen readers. This title must differ from the title of the first map. */
const LOCALE = {
  "Map.Title":
    "Map of the same region with grid clusters, for comparison. Arrow keys move the map; the plus and minus keys zoom in and out.",
};

/**
 * Fits a map to its container in the current frame. The map library's own method would use 400 x 300 pixels for a
 * container without an extent, and would report a move.
 *
 * @returns Whether the size has changed.
 */
export function fitToContainer(map) {
  const { clientWidth, clientHeight } = map.getContainer();
  const canvas = map.getCanvas();
  if (canvas.clientWidth === clientWidth && canvas.clientHeight === clientHeight) return false;
  map.resize();
  map.redraw();
  return true;
}

export class Twin {
  #isFollowing = false;

  /**
   * @param map The map to follow. If a user moves the second map, this first map follows.
   * @param options Options with which the other map was created.
   */
  constructor(node, map, options, source) {
    this.main = map;
    this.map = new maplibregl.Map({ ...options, locale: LOCALE, container: node, attributionControl: false });
    this.map.touchZoomRotate.disableRotation();
    this.map.keyboard.disableRotation();
    this.tiles = new TileLayers(this.map, source);
    this.isStyled = false;
    this.map.once("style.load", () => (this.isStyled = true));
    this.map.on("move", () => {
      if (!this.#isFollowing) this.main.jumpTo({ center: this.map.getCenter(), zoom: this.map.getZoom() });
    });
  }

  /** Draws the view of the other map in the current frame. */
  follow() {
    const [center, zoom] = [this.main.getCenter(), this.main.getZoom()];
    const own = this.map.getCenter();
    if (own.lng === center.lng && own.lat === center.lat && this.map.getZoom() === zoom) return;
    this.#isFollowing = true;
    this.map.jumpTo({ center, zoom });
    this.#isFollowing = false;
    this.map.redraw();
  }

  resize(minZoom) {
    fitToContainer(this.map);
    this.map.setMinZoom(minZoom);
  }
}
