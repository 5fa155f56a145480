// A tree as a plain GeoJSON source of MapLibre GL JS, and style layers that draw this source. Use this module for maps
// whose style decides how everything looks. Clusters are not animated.

import { asText, QueryError } from "../errors.js";
import { diameterExpression, DOT_RADIUS } from "./badge.js";
import { DARK, LIGHT } from "./palette.js";

/** @typedef {import("./answers.js").Tree | import("./answers.js").RemoteTree} AnyTree */

/** Milliseconds between two answers while the map moves. */
const PAUSE = 100;

/**
 * Adds a GeoJSON source with the clusters in view. The source follows the map.
 *
 * @param {any} map A map of MapLibre GL JS whose style is loaded.
 * @param {string} id Id of the source.
 * @param {AnyTree | Promise<AnyTree>} source Result of `Treeline.build`, `Treeline.open` or `Treeline.connect`.
 * @param {{cut?: import("../tree.js").Cut, aggregate?: string, onError?: (error: any) => void}} options
 */
export function addTreelineSource(map, id, source, { cut, aggregate, onError = console.error } = {}) {
  map.addSource(id, { type: "geojson", data: { type: "FeatureCollection", features: [] } });
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let timer;
  let asked = 0;
  /** Number of the latest request whose answer is shown. */
  let shown = 0;
  const update = async () => {
    clearTimeout(timer);
    timer = undefined;
    const own = ++asked;
    try {
      const tree = await source;
      const { lng, lat } = map.getCenter();
      const { clientWidth: width, clientHeight: height } = map.getContainer();
      const [[west, south], [east, north]] = map.getBounds().toArray();
      // The zoom is rounded down, because badges that do not touch at a higher zoom might touch at the shown zoom.
      const zoom = Math.floor(map.getZoom() * 1000) / 1000;
      const isTurned = map.getBearing() !== 0 || map.getPitch() > 0;
      const view = isTurned ? { bbox: [west, south, Math.min(east, west + 360), north], zoom } : { center: [lng, lat], zoom, width, height };
      const answer = await tree.clusters({ ...view, ...(cut && { cut }), ...(aggregate && { aggregate }) });
      // Discards this answer if a later request was answered first.
      if (own <= shown) return;
      shown = own;
      map.getSource(id)?.setData(answer.toGeoJSON());
    } catch (error) {
      onError(error);
    }
  };
  const soon = () => (timer ??= setTimeout(update, PAUSE));
  map.on("move", soon);
  map.on("moveend", update);
  update();
  return {
    /**
     * Changes the cut or the aggregates.
     *
     * @param {{cut?: import("../tree.js").Cut, aggregate?: string}} options
     */
    set(options) {
      ({ cut = cut, aggregate = aggregate } = options);
      return update();
    },
    /** Stops following the map, and removes the source and all layers that draw it. */
    remove() {
      shown = Infinity;
      clearTimeout(timer);
      map.off("move", soon);
      map.off("moveend", update);
      if (!map.getSource(id)) return;
      for (const layer of map.getStyle().layers) if (layer.source === id) map.removeLayer(layer.id);
      map.removeSource(id);
    },
  };
}

/**
 * Returns style layers that draw the source of a tree: badges, dots, and numbers.
 *
 * @param {string} source Id of the source.
 * @param {{theme?: "light" | "dark", font?: string[]}} options The style of the map must have glyphs of the font.
 *   Without a font, badges have no numbers.
 * @returns {any[]}
 */
export function treelineLayers(source, { theme = "light", font } = {}) {
  if (theme !== "light" && theme !== "dark") throw new QueryError(`Expected light or dark as the theme, found ${asText(theme)}`);
  const { ramp, single, ring } = theme === "dark" ? DARK : LIGHT;
  const count = ["get", "point_count"];
  const isCluster = ["get", "cluster"];
  const diameter = ["case", isCluster, ["coalesce", ["get", "badge_px"], diameterExpression(count)], ["coalesce", ["get", "badge_px"], 2 * DOT_RADIUS]];
  const stroke = 1.5;
  const tone = ["interpolate", ["linear"], ["log10", count], ...ramp.flatMap((color, at) => [at * 0.8, color])];
  return [
    {
      id: `${source}-badges`, type: "circle", source,
      paint: {
        // The stroke lies outside the radius.
        "circle-radius": ["-", ["/", diameter, 2], stroke], "circle-stroke-width": stroke, "circle-stroke-color": ring,
        "circle-color": ["case", isCluster, tone, single],
      },
    },
    ...(font ? [{
      id: `${source}-numbers`, type: "symbol", source, filter: isCluster,
      layout: { "text-field": ["get", "point_count_abbreviated"], "text-font": font, "text-size": 12, "text-allow-overlap": true },
      paint: { "text-color": ["case", [theme === "dark" ? "<" : ">", count, 40], "#ffffff", "#080410"] },
    }] : []),
  ];
}
