// Badges on a map of MapLibre GL JS.

import { BadgeLayer } from "./layer.js";
import { Camera, difference } from "./mercator.js";

/** @typedef {import("./layer.js").LayerOptions} LayerOptions */
/** @typedef {any} Map A map of MapLibre GL JS 5. */

/** The camera of a tilted map. For a tilted map, the map library computes positions on the screen. */
class TiltedCamera extends Camera {
  /**
   * @param {Map} map
   * @param {{width: number, height: number}} size
   */
  constructor(map, size) {
    super(map.getCenter(), map.getZoom(), size, map.getBearing());
    this.map = map;
  }

  /**
   * @override
   * @param {number} x
   * @param {number} y
   */
  point(x, y) {
    const longitude = (this.centerX + difference(this.centerX, x) + this.turns) * 360 - 180;
    return this.map.project([longitude, (Math.atan(Math.sinh(Math.PI * (1 - 2 * y))) * 180) / Math.PI]);
  }
}

/**
 * Shows the points of a tree as badges, which split, merge and move with the map.
 *
 * @param {Map} map
 * @param {import("./answers.js").Tree | import("./answers.js").RemoteTree | Promise<import("./answers.js").Tree |
 *   import("./answers.js").RemoteTree>} source Result of `Treeline.build`, `Treeline.open` or `Treeline.connect`, or
 *   its promise.
 * @param {LayerOptions} [options]
 */
export function addTreeline(map, source, options = {}) {
  const container = map.getContainer();
  const canvas = document.createElement("canvas");
  map.getCanvas().after(canvas);
  // Reading the size from the page would cause a new layout in every frame.
  let size = { width: 0, height: 0 };
  const measure = () => {
    // The map's canvas can differ from its container: MapLibre misses changes of the container before the first frame.
    const { clientWidth: width, clientHeight: height } = map.getCanvas();
    canvas.style.cssText = `position:absolute;inset:0;width:${width}px;height:${height}px;pointer-events:none`;
    size = { width, height };
  };
  measure();
  const isTilted = () => map.getPitch() > 0 || map.getProjection?.()?.type === "globe";
  /** @type {BadgeLayer} */
  const layer = new BadgeLayer({
    container, canvas,
    camera: () => (isTilted() ? new TiltedCamera(map, size) : new Camera(map.getCenter(), map.getZoom(), size, map.getBearing())),
    view(camera) {
      // The zoom is rounded down, because badges that do not touch at a higher zoom might touch at the shown zoom.
      const zoom = Math.floor(camera.zoom * 1000) / 1000;
      if (camera.turn === 0 && !(camera instanceof TiltedCamera)) {
        // Coordinates are rounded by less than a pixel, so that a map at rest always makes the same request.
        const decimals = Math.ceil(Math.max(zoom, 0) / 3.3) + 3;
        const center = [camera.longitude, camera.latitude].map((degrees) => +degrees.toFixed(decimals));
        return { center, zoom, width: size.width, height: size.height };
      }
      const [[west, south], [east, north]] = map.getBounds().toArray();
      return { bbox: [west, Math.max(south, -90), Math.min(east, west + 360), Math.min(north, 90)], zoom };
    },
    isMoving: () => map.isMoving(),
    repaint: () => map.triggerRepaint(),
    go: (center, zoom, isInstant) => map.easeTo({ center, zoom, duration: isInstant ? 0 : 650 }),
    maxZoom: () => map.getMaxZoom(),
    hasCopies: map.getRenderWorldCopies?.() !== false,
    end: () => listeners.forEach(([name, listener]) => map.off(name, listener)),
  }, source, options);

  /** @param {any} event */
  const move = ({ point }) => (map.getCanvas().style.cursor = layer.hover(point.x, point.y) ? "pointer" : "");
  /** @param {any} event */
  const click = ({ point, originalEvent }) => layer.press(point.x, point.y, originalEvent?.pointerType === "touch" ? "touch" : "mouse");
  const resized = () => {
    measure();
    layer.frame();
  };
  /** @type {[string, (event: any) => void][]} */
  const listeners = [["render", layer.frame], ["resize", resized], ["mousemove", move], ["mouseout", () => layer.leave()], ["click", click], ["remove", () => layer.remove()]];
  for (const [name, listener] of listeners) map.on(name, listener);
  return layer;
}
