// Badges on a map of Leaflet 1 or later.

import { BadgeLayer } from "./layer.js";
import { Camera } from "./mercator.js";

/** @typedef {import("./answers.js").Tree | import("./answers.js").RemoteTree} AnyTree */

/** Duration in milliseconds of Leaflet's zoom animation. The easing is about CSS's cubic-bezier(0, 0, 0.25, 1). */
const ZOOMING = 250;
/** @param {number} p */
const eased = (p) => 1 - (1 - p) ** 2.6;

/**
 * Shows the points of a tree as badges, which split, merge and move with the map.
 *
 * @param {any} map A map of Leaflet.
 * @param {AnyTree | Promise<AnyTree>} source Result of `Treeline.build`, `Treeline.open` or `Treeline.connect`.
 * @param {import("./layer.js").LayerOptions} [options]
 */
export function addTreeline(map, source, options = {}) {
  const canvas = document.createElement("canvas");
  canvas.style.pointerEvents = "none";
  // The badges lie above markers, and below tooltips and popups.
  const pane = map.getPane("treelinemap") ?? map.createPane("treelinemap");
  Object.assign(pane.style, { zIndex: "620", pointerEvents: "none" });
  pane.append(canvas);
  /** @type {{from: Camera, to: Camera, start: number} | null} */
  let zooming = null;
  const size = () => ({ width: map.getSize().x, height: map.getSize().y });
  /** @type {(center: any, zoom: number) => Camera} Leaflet's zooms are for 256 px tiles. */
  const cameraAt = (center, zoom) => new Camera(center, zoom - 1, size());

  /** Returns the camera of the shown tiles. During a zoom, Leaflet scales the tiles from one view to another. */
  function camera() {
    const { x: width, y: height } = map.getSize();
    const corner = map.containerPointToLayerPoint([0, 0]);
    Object.assign(canvas.style, { width: `${width}px`, height: `${height}px`, transform: `translate(${corner.x}px, ${corner.y}px)` });
    if (!zooming) return cameraAt(map.getCenter(), map.getZoom());
    const { from, to, start } = zooming;
    const share = eased(Math.min((performance.now() - start) / ZOOMING, 1));
    const [a, b] = [(1 - share) * from.scale, share * to.scale];
    const between = to.copy(0);
    between.scale = a + b;
    between.centerX = (a * from.centerX + b * to.centerX) / (a + b);
    between.centerY = (a * from.centerY + b * to.centerY) / (a + b);
    return between;
  }

  /** @type {BadgeLayer} */
  const layer = new BadgeLayer({
    container: map.getContainer(), canvas, camera,
    view: ({ longitude, latitude, zoom }) => ({ center: [longitude, latitude], zoom, ...size() }),
    isMoving: () => zooming !== null,
    repaint: () => void requestAnimationFrame(layer.frame),
    go(center, zoom, isInstant) {
      // Rounds up to the next zoom at which the map can stop.
      const step = map.options.zoomSnap || 0.001;
      map.setView([center[1], center[0]], Math.min(Math.ceil((zoom + 1) / step) * step, map.getMaxZoom()), { animate: !isInstant });
    },
    maxZoom: () => map.getMaxZoom() - 1,
    hasCopies: true,
    end: () => Object.entries(listeners).forEach(([names, listener]) => map.off(names, listener)),
  }, source, options);

  /** @type {Record<string, (event: any) => void>} */
  const listeners = {
    zoomanim({ center, zoom }) {
      zooming = { from: camera(), to: cameraAt(center, zoom), start: performance.now() };
      layer.frame();
    },
    zoomend: () => (zooming = null),
    "move resize viewreset moveend": () => layer.frame(),
    mousemove: ({ containerPoint: at }) => (map.getContainer().style.cursor = layer.hover(at.x, at.y) ? "pointer" : ""),
    mouseout: () => layer.leave(),
    unload: () => layer.remove(),
    click: ({ containerPoint: at, originalEvent: event }) => layer.press(at.x, at.y, event?.pointerType === "touch" ? "touch" : "mouse"),
  };
  for (const [names, listener] of Object.entries(listeners)) map.on(names, listener);
  return layer;
}
