// The map below the badges. This map shows land, lakes and borders, which need no network, or a map style that the user
// chose.

import { resource } from "./resources.js";

/** The layers from the bottom up, each with the name of its colour in the palette. */
const LAYERS = [
  { id: "sea", type: "background", color: "sea" },
  { id: "graticule", type: "line", source: "graticule", color: "graticule", width: 1 },
  { id: "land", type: "fill", kinds: ["land"], color: "land" },
  { id: "lakes", type: "fill", kinds: ["lake"], color: "sea" },
  { id: "borders", type: "line", kinds: ["border"], color: "border", width: byZoom(0.6, 1, 1.4), dash: [3, 2] },
  { id: "coast", type: "line", kinds: ["land", "lake"], color: "coast", width: byZoom(0.5, 1.1, 1.6) },
];

/** The only layer of the map below points on a plane. */
const PLANE = { id: "plane", type: "background", color: "land" };

/** Returns a style without any data. The viewer draws only a graticule on a map with this style. */
export const planeStyle = (palette) => ({ version: 8, sources: {}, layers: [{ id: PLANE.id, type: PLANE.type, paint: { "background-color": palette[PLANE.color] } }] });

function byZoom(far, near, close) {
  return ["interpolate", ["linear"], ["zoom"], 1, far, 6, near, 12, close];
}

/** Returns a style (https://maplibre.org/maplibre-style-spec) of the bundled world in the colours of the page. */
export function worldStyle(palette) {
  return {
    version: 8,
    sources: {
      world: { type: "geojson", data: resource("world.geojson"), maxzoom: 8, tolerance: 0.3, attribution: "Natural Earth" },
      graticule: { type: "geojson", data: graticule(), maxzoom: 4 },
    },
    layers: LAYERS.map(({ id, type, source = "world", kinds, color, width, dash }) => ({
      id,
      type,
      ...(type !== "background" && { source }),
      ...(kinds && { filter: ["in", ["get", "kind"], ["literal", kinds]] }),
      ...(type === "line" && { layout: { "line-join": "round" } }),
      paint: {
        [`${type}-color`]: palette[color],
        ...(width && { "line-width": width }),
        ...(dash && { "line-dasharray": dash }),
      },
    })),
  };
}

/** Applies the colours of another palette to a map that shows the bundled world or a plane. */
export function repaint(map, palette) {
  for (const { id, type, color } of map.getLayer(PLANE.id) ? [PLANE] : LAYERS) map.setPaintProperty(id, `${type}-color`, palette[color]);
}

/** Returns a line for every ten degrees. */
function graticule() {
  const lines = [];
  for (let longitude = -180; longitude <= 180; longitude += 10) lines.push([[longitude, -85], [longitude, 85]]);
  for (let latitude = -80; latitude <= 80; latitude += 10) lines.push([[-180, latitude], [0, latitude], [180, latitude]]);
  return { type: "Feature", properties: {}, geometry: { type: "MultiLineString", coordinates: lines } };
}
