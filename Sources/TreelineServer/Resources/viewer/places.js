// The names of cities on the map below the badges. They are pictures, because the map library needs a network to draw
// text.

import { resource } from "./resources.js";

/** Name of the source and of the layer. */
export const PLACES = "places";

export const placesSource = () => (
  { type: "geojson", data: resource("places.geojson"), maxzoom: 8, attribution: "Natural Earth" });

/** Font sizes in pixels by rank, beginning with the first rank. The last size is for all further ranks. */
const SIZES = [13, 13, 13, 12, 12, 11.5];

/**
 * Pixels from the top of a picture to the dot, and from the dot to the name. At this distance, a badge on the city does
 * not cover the name.
 */
const DOT = 4;
const BELOW = 25;

/**
 * Resolution of the pictures relative to the screen. It is finer, so that an offset of half a pixel is less visible.
 */
const FINENESS = 2;
const FAMILY = "system-ui, -apple-system, 'Segoe UI', Roboto, 'Helvetica Neue', Arial, sans-serif";

export function placesLayer(palette) {
  const rank = ["get", "rank"];
  return {
    id: PLACES,
    type: "symbol",
    source: PLACES,
    // Styles by rank, from the cities of the world to every town.
    filter: ["<=", rank, ["step", ["zoom"], 1, 3, 2, 4, 4, 5, 6, 6, 7, 7, 8, 8, 10]],
    layout: {
      "icon-image": ["concat", `place/${palette.place}/`, rank, "/", ["get", "name"]],
      "icon-anchor": "top",
      "icon-offset": [0, -DOT],
      "icon-padding": 6,
      "symbol-sort-key": rank,
    },
  };
}

/** Applies the colours of another palette to the names. */
export function repaintPlaces(map, palette) {
  map.setLayoutProperty(PLACES, "icon-image", placesLayer(palette).layout["icon-image"]);
}

/** Draws the pictures of places when a map asks for them. */
export function drawPlaces(map, palette) {
  map.on("styleimagemissing", ({ id }) => {
    const [kind, , rank, ...name] = id.split("/");
    if (kind !== "place") return;
    const ratio = FINENESS * Math.min(devicePixelRatio || 1, 2);
    map.addImage(id, pictureOf(name.join("/"), SIZES[rank] ?? SIZES.at(-1), palette(), ratio), { pixelRatio: ratio });
  });
}

/** Draws a dot with a name below it. A halo keeps the name readable on land, sea and dust. */
function pictureOf(name, size, { place, halo }, ratio) {
  const font = `${size <= 12 ? 450 : 550} ${size}px ${FAMILY}`;
  const context = new OffscreenCanvas(1, 1).getContext("2d");
  context.font = font;
  const [width, height] = [context.measureText(name).width + 6, DOT + BELOW + size / 2 + 4];
  Object.assign(context.canvas, { width: Math.ceil(width * ratio), height: Math.ceil(height * ratio) });
  context.scale(ratio, ratio);
  Object.assign(context, {
    font, lineJoin: "round", lineWidth: 2.5, strokeStyle: halo, fillStyle: place, textAlign: "center", textBaseline: "middle",
  });
  context.beginPath();
  context.arc(width / 2, DOT, 1.75, 0, 2 * Math.PI);
  context.stroke();
  context.fill();
  context.strokeText(name, width / 2, DOT + BELOW);
  context.fillText(name, width / 2, DOT + BELOW);
  return context.getImageData(0, 0, context.canvas.width, context.canvas.height);
}
