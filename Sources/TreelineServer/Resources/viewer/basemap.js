// What lies below the badges: the land of the world, its coast and a graticule, without any network; or a style of yours.

const LAND = new URL("land_50m.geojson", import.meta.url).href;

/** A style (https://maplibre.org/maplibre-style-spec) of the bundled land in the colours of the page. */
export function landStyle(palette) {
  return {
    version: 8,
    sources: {
      land: { type: "geojson", data: LAND, maxzoom: 8, tolerance: 0.3 },
      graticule: { type: "geojson", data: graticule(), maxzoom: 6 },
    },
    layers: [
      { id: "sea", type: "background", paint: { "background-color": palette.sea } },
      { id: "graticule", type: "line", source: "graticule", paint: { "line-color": palette.graticule, "line-width": 1 } },
      { id: "land", type: "fill", source: "land", paint: { "fill-color": palette.land } },
      {
        id: "coast",
        type: "line",
        source: "land",
        layout: { "line-join": "round" },
        paint: { "line-color": palette.coast, "line-width": ["interpolate", ["linear"], ["zoom"], 1, 0.5, 6, 1.1, 12, 1.6] },
      },
    ],
  };
}

/** Gives a map that shows the land the colours of another palette. */
export function repaint(map, palette) {
  const colors = { sea: "background-color", graticule: "line-color", land: "fill-color", coast: "line-color" };
  for (const [layer, property] of Object.entries(colors)) {
    if (map.getLayer(layer)) map.setPaintProperty(layer, property, palette[layer]);
  }
}

/** A line every ten degrees. */
function graticule() {
  const lines = [];
  for (let longitude = -180; longitude <= 180; longitude += 10) lines.push([[longitude, -85], [longitude, 85]]);
  for (let latitude = -80; latitude <= 80; latitude += 10) lines.push([[-180, latitude], [0, latitude], [180, latitude]]);
  return { type: "Feature", properties: {}, geometry: { type: "MultiLineString", coordinates: lines } };
}
