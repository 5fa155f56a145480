// The ground on which the points lie: the Earth, or a plane with plain x and y. The map shows a plane as a square in
// the middle of an empty world. So a plane differs from the Earth only in the texts and in the lines of the graticule.

import { coordinate, kilometres, number, short } from "./text.js";
import { boxSize, worldX, worldY } from "./vendor/treeline/map/mercator.js";

/**
 * Width of a plane's square, as a share of the world. The empty space around the square keeps views away from the
 * antimeridian.
 */
const SHARE = 0.5;

/** Zoom of the map minus the zoom of a plane at which a pixel has the same size. */
const LEVELS = -Math.log2(SHARE);

/** Possible distances between lines of latitude or longitude, in degrees. */
const DEGREES = [1e-4, 2e-4, 5e-4, 1e-3, 2e-3, 5e-3, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1];

const longitudeAt = (x) => 360 * x - 180;
const latitudeAt = (y) => (Math.atan(Math.sinh(Math.PI * (1 - 2 * y))) * 180) / Math.PI;

const EARTH = {
  axes: ["longitude", "latitude"],

  /** Returns a position as text. */
  position: coordinate,

  /** Converts a longitude and a latitude of the map to coordinates of the points. Rounds them like the server. */
  coordinates: (position) => position.map((degrees) => +degrees.toFixed(7)),

  /** Returns the width and the height of a box as text; null for a single position. */
  size(bbox) {
    const { width, height } = boxSize(bbox);
    return width + height < 0.001 ? null : `${kilometres(width)} × ${kilometres(height)}`;
  },

  /** Returns the length of the diagonal of a box as text. */
  across(bbox) {
    const { width, height } = boxSize(bbox);
    return kilometres(Math.hypot(width, height));
  },

  /** Returns the density of a cluster's points as text. */
  density: ({ count, area }) => `${short(count / area)} per km²`,

  /** Returns the lines of a graticule in a view. Each line has its place in the world and its text. */
  graticule(camera, leastDistance) {
    const pixel = 360 / camera.scale;
    const step = DEGREES.find((each) => each / pixel > leastDistance) ?? DEGREES.at(-1);
    const decimals = Math.max(-Math.floor(Math.log10(step)), 0);
    const said = (value, positive, negative) => `${Math.abs(value).toFixed(decimals)}° ${value < 0 ? negative : positive}`;
    const { west, east, south, north } = edgesOf(camera);
    const [columns, rows] = [multiples(step, longitudeAt(west), longitudeAt(east)), multiples(step, latitudeAt(south), Math.min(latitudeAt(north), 85))];
    return {
      columns: columns.map((value) => ({ at: worldX(value), text: said(value - 360 * Math.round(value / 360), "E", "W") })),
      rows: rows.map((value) => ({ at: worldY(value), text: said(value, "N", "S") })),
    };
  },
};

export const groundOf = ({ plane }) => plane ?? EARTH;

/** A plane with plain x and y. */
export class Plane {
  axes = ["x", "y"];

  /** @param index An index of the source. */
  constructor({ bounds: [west, south, east, north], unit }) {
    // The square of the index. Its left edge and its upper edge are also the left and upper edges of the points.
    Object.assign(this, { left: west, top: north, side: Math.max(east - west, north - south) || 1, unit: unit ? `\u00a0${unit}` : "" });
  }

  /** Returns the longitude and the latitude at which the map shows a position of the plane. */
  placed([x, y]) {
    const [right, down] = [(x - this.left) / this.side, (this.top - y) / this.side];
    return [longitudeAt(0.5 + (right - 0.5) * SHARE), latitudeAt(0.5 + (down - 0.5) * SHARE)];
  }

  /** Returns whether a position of the plane is in the square. */
  contains([x, y]) {
    return x >= this.left && x <= this.left + this.side && y <= this.top && y >= this.top - this.side;
  }

  coordinates([longitude, latitude]) {
    return [this.#x(worldX(longitude)), this.#y(worldY(latitude))];
  }

  #x(worldX) {
    return this.#rounded(this.left + ((worldX - 0.5) / SHARE + 0.5) * this.side);
  }

  #y(worldY) {
    return this.#rounded(this.top - ((worldY - 0.5) / SHARE + 0.5) * this.side);
  }

  /** Rounds a value to the precision of the index. The width of the square has 2^32 steps. */
  #rounded(value) {
    return +value.toFixed(Math.min(Math.max(-Math.floor(Math.log10(this.side / 2 ** 32)) - 1, 0), 15));
  }

  #boxPlaced([west, south, east, north]) {
    return [...this.placed([west, south]), ...this.placed([east, north])];
  }

  /** Returns an index of the source with coordinates of the map. */
  indexPlaced(index) {
    return { ...index, bounds: this.#boxPlaced(index.bounds), plane: this };
  }

  /** Converts a query with coordinates and zooms of the map to a query for the source. */
  query({ center, bbox, zoom, ...query }) {
    const asked = (text) => text.split(",").map(Number);
    if (center !== undefined) query.center = this.coordinates(asked(center)).join();
    if (bbox !== undefined) {
      const [west, south, east, north] = asked(bbox);
      query.bbox = [...this.coordinates([west, south]), ...this.coordinates([east, north])].join();
    }
    // A zoom of the plane may be negative, but the source accepts only 0 or more.
    if (zoom !== undefined) query.zoom = Math.max(zoom - LEVELS, 0);
    return query;
  }

  zoom = (zoom) => (typeof zoom === "number" ? zoom + LEVELS : zoom);

  /** Converts an answer of the source to coordinates of the map. */
  answer(value) {
    if (Array.isArray(value)) return value.map((each) => this.answer(each));
    if (value === null || typeof value !== "object") return value;
    const placed = {};
    for (const [name, each] of Object.entries(value)) {
      if (name === "coordinates") placed[name] = this.placed(each);
      else if (name === "bbox") placed[name] = this.#boxPlaced(each);
      // Properties are copied unchanged, because a column may have any of these names.
      else if (name === "properties") placed[name] = each;
      else if (name === "zoom_alone") placed[name] = this.zoom(each);
      else placed[name] = this.answer(each);
    }
    if (placed.properties?.ellipse) {
      const [major, minor, angle] = placed.properties.ellipse;
      placed.properties = { ...placed.properties, ellipse: [major * SHARE, minor * SHARE, angle] };
    }
    return placed;
  }

  position = (latitude, longitude) => this.coordinates([longitude, latitude]).map((value) => number(value)).join(", ");

  #length(value) {
    return `${short(value)}${this.unit}`;
  }

  #sides([west, south, east, north]) {
    const [[left, bottom], [right, top]] = [this.coordinates([west, south]), this.coordinates([east, north])];
    return [right - left, top - bottom];
  }

  size(bbox) {
    const [width, height] = this.#sides(bbox);
    return width === 0 && height === 0 ? null : `${this.#length(width)} × ${this.#length(height)}`;
  }

  across(bbox) {
    return this.#length(Math.hypot(...this.#sides(bbox)));
  }

  density({ count, ellipse }) {
    const area = Math.PI * ellipse.major * ellipse.minor * (this.side / SHARE) ** 2;
    return `${short(count / area)} per${this.unit ? `${this.unit}²` : " square unit"}`;
  }

  graticule(camera, leastDistance) {
    const least = (leastDistance / camera.scale) * (this.side / SHARE);
    const exponent = Math.floor(Math.log10(least));
    const step = [1, 2, 5, 10].map((factor) => factor * 10 ** exponent).find((each) => each >= least) ?? 10 ** (exponent + 1);
    const decimals = Math.max(-Math.floor(Math.log10(step) + 1e-9), 0);
    const said = new Intl.NumberFormat("en", { minimumFractionDigits: decimals, maximumFractionDigits: decimals, signDisplay: "negative" });
    const text = (value) => `${said.format(value)}${this.unit}`;
    const { west, east, south, north } = edgesOf(camera);
    const [columns, rows] = [multiples(step, this.#x(west), this.#x(east)), multiples(step, this.#y(south), this.#y(north))];
    return {
      columns: columns.map((value) => ({ at: 0.5 + ((value - this.left) / this.side - 0.5) * SHARE, text: text(value) })),
      rows: rows.map((value) => ({ at: 0.5 + ((this.top - value) / this.side - 0.5) * SHARE, text: text(value) })),
    };
  }
}

/** Methods of a source that take queries, and the positions of the queries among their arguments. */
const QUERIES = { clusters: 1, transition: 3, measures: 1, members: 2, expansionZoom: 2, cluster: 3, whereIs: 2, search: 1, histogram: 1 };

/** Converts the answers of a source about indexes with plain x and y to coordinates and zooms of the map. */
export function placePlanes(source) {
  const planes = new Map();
  const indexes = source.indexes.bind(source);
  source.indexes = async () => (await indexes()).map((index) => {
    planes.delete(index.name);
    if (index.projection !== "plane" || !index.bounds) return index;
    const plane = new Plane(index);
    planes.set(index.name, plane);
    return plane.indexPlaced(index);
  });
  for (const [name, at] of Object.entries(QUERIES)) {
    if (!source[name]) continue;
    const ask = source[name].bind(source);
    source[name] = async (...given) => {
      const plane = planes.get(given[0]);
      if (plane && given[at]) given[at] = plane.query(given[at]);
      const answer = await ask(...given);
      if (!plane) return answer;
      return name === "expansionZoom" ? plane.zoom(answer) : plane.answer(answer);
    };
  }
}

/** Returns the edges of a view in fractions of the world. */
function edgesOf({ centerX, centerY, width, height, scale }) {
  const [x, y] = [width / scale / 2, height / scale / 2];
  return { west: centerX - x, east: centerX + x, south: centerY + y, north: centerY - y };
}

/** Returns the multiples of a step that lie in a range. */
function multiples(step, from, to) {
  const [first, last] = [Math.ceil(from / step), Math.floor(to / step)];
  return Array.from({ length: Math.max(last - first + 1, 0) }, (_, at) => (first + at) * step);
}
