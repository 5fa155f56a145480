// The density of a cluster on the screen, and the tone for the density. A tone is a step of the colour ramp. All zooms
// and all tiles of a tree have the same scale of tones.

import { AREA_DEVIATIONS, ELLIPSE_ZOOM, LEAST_WIDTH, SERVER_WORLD_SIZE } from "./constants.js";
import { boxSize, difference } from "./mercator.js";

/** Least number of points for which an ellipse is informative. */
export const FEWEST_FOR_ELLIPSE = 4;

/**
 * Returns the area that the points of a cluster cover, in square kilometres; 0 for a stack. The result is the area of
 * the ellipse of the points, because an outlier hardly stretches this ellipse.
 *
 * @param {any} feature GeoJSON of the server.
 * @returns {number}
 */
export function coveredArea(feature) {
  const { area_km2: area, ellipse } = feature.properties;
  // Tiles have the area instead of the ellipse.
  if (area !== undefined) return area;
  if (ellipse) {
    const equator = EQUATOR / (SERVER_WORLD_SIZE * 2 ** ELLIPSE_ZOOM);
    const pixel = equator * Math.cos((feature.geometry.coordinates[1] * Math.PI) / 180);
    return areaOf(ellipse[0] * pixel, ellipse[1] * pixel);
  }
  return feature.bbox ? areaOf(...deviations(feature)) : 0;
}

/**
 * Returns the area of an ellipse, given by its standard deviations in kilometres.
 *
 * @param {number} one
 * @param {number} other
 */
export function areaOf(one, other) {
  // The ellipse has a minimum width. Otherwise points along a street would count as denser than points on any square.
  const least = LEAST_WIDTH * Math.max(one, other);
  return Math.PI * AREA_DEVIATIONS ** 2 * Math.max(one, least) * Math.max(other, least);
}

/**
 * Estimates the standard deviations of points, in kilometres, from their mean and their bounding box. Of a cell of the
 * grid, only the mean and the box are known. The estimate is right for evenly spread points. If the mean lies near an
 * edge of the box, an outlier has probably stretched the box, and the estimate is small.
 *
 * Source: R. Bhatia, C. Davis, A Better Bound on the Variance (2000), https://doi.org/10.1080/00029890.2000.12005203:
 * the variance is at most the product of the distances from the mean to both ends. For evenly spread points the
 * variance is a third of this product.
 *
 * @param {any} feature
 * @returns {[number, number]}
 */
function deviations({ bbox, geometry: { coordinates: [longitude, latitude] } }) {
  const [west, south, east, north] = bbox;
  const { width, height } = boxSize(bbox);
  const across = east === west ? 0 : ((longitude - west + 360) % 360) / ((east - west + 360) % 360);
  const up = north === south ? 0 : (latitude - south) / (north - south);
  /** @param {number} of */
  const share = (of) => Math.sqrt(Math.max(of * (1 - of), 0) / 3);
  return [width * share(across), height * share(up)];
}

/** Area of a square centimetre of the screen, in pixels: an inch has 96 pixels. */
export const SQUARE_CENTIMETRE = (96 / 2.54) ** 2;

/** The circumference of Web Mercator's sphere, in kilometres. */
export const EQUATOR = 2 * Math.PI * 6378.137;

/**
 * Converts an area to square pixels on a map.
 *
 * @param {number} area In square kilometres.
 * @param {number} latitude
 * @param {number} scale Width of the world on the map, in pixels.
 */
export const areaOnMap = (area, latitude, scale) => area * (scale / (EQUATOR * Math.cos((latitude * Math.PI) / 180))) ** 2;

/**
 * Size in pixels of a map that shows the whole index. On this map the densest place of the index gets the last tone.
 */
const NOMINAL = { width: 1000, height: 700 };
/** Greatest width of the world on the map of nominal size, in pixels. */
const MOST_SCALE = 512 * 2 ** 16;

/**
 * Assigns tones to clusters by the logarithm of their density on the screen: points per square centimetre. The scale of
 * an index is fixed: the first tone is one point, and the last tone is the densest place when the whole index is in
 * view. A badge covers about a square centimetre. A cluster on a smaller area is treated as if it covered a square
 * centimetre. Otherwise a few points at one position would be the densest place on Earth.
 */
export class Tones {
  /** Number of points of the index, if it is known. */
  pointCount = 0;

  /**
   * @param {{x: number, y: number, count: number}[]} clusters Small clusters of a whole index, with positions in
   *   fractions of the world.
   * @param {number} count Number of tones.
   */
  constructor(clusters, count) {
    this.count = count;
    this.low = 0;
    const [first] = clusters;
    const placed = clusters.map(({ x, y, count }) => ({ x: difference(first.x, x), y, count }));
    /** @param {"x" | "y"} axis */
    const extent = (axis) => {
      const values = placed.map((cluster) => cluster[axis]);
      return Math.max(values.reduce((a, b) => Math.max(a, b), -Infinity) - values.reduce((a, b) => Math.min(a, b), Infinity), 1e-12);
    };
    const scale = Math.min(NOMINAL.width / extent("x"), NOMINAL.height / extent("y"), MOST_SCALE);
    const side = Math.sqrt(SQUARE_CENTIMETRE);
    /** @type {Map<string, number>} */
    const cells = new Map();
    for (const { x, y, count } of placed) {
      const cell = `${Math.floor((x * scale) / side)} ${Math.floor((y * scale) / side)}`;
      cells.set(cell, (cells.get(cell) ?? 0) + count);
    }
    const most = [...cells.values()].reduce((a, b) => Math.max(a, b), 1);
    this.high = Math.max(Math.log10(most), 1);
  }

  /**
   * Returns the tone of `count` points on an area of the screen in square pixels. Tones are numbered from 0.
   *
   * @param {number} count
   * @param {number} area
   */
  of(count, area) {
    const density = count / Math.max(area / SQUARE_CENTIMETRE, 1);
    const share = (Math.log10(density) - this.low) / (this.high - this.low);
    return Math.round(Math.min(Math.max(share, 0), 1) * (this.count - 1));
  }
}

/**
 * Returns the tone as an expression of the map library.
 *
 * @param {Tones} tones
 * @param {any} count An expression whose value is the number of points.
 * @param {any} area An expression whose value is the area in square pixels.
 * @returns {any[]}
 */
export function toneExpression({ low, high, count: toneCount }, count, area) {
  const density = ["/", count, ["max", ["/", area, SQUARE_CENTIMETRE], 1]];
  const share = ["/", ["-", ["log10", density], low], high - low];
  return ["round", ["*", toneCount - 1, ["max", 0, ["min", 1, share]]]];
}
