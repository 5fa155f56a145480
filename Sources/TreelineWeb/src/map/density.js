// The density of a cluster, and its tone on the ramp. A tree has one scale of tones, for every zoom and for tiles.

import { AREA_DEVIATIONS, LEAST_WIDTH } from "./constants.js";
import { boxSize } from "./mercator.js";

/** Least number of points for which an ellipse is informative. */
export const FEWEST_FOR_ELLIPSE = 4;

/**
 * Returns the area that the points of a cluster cover, in square kilometres; 0 for a stack. It is the area of the
 * ellipse of the points. An outlier hardly stretches this ellipse.
 *
 * @param {any} feature GeoJSON of the server.
 * @returns {number}
 */
export function coveredArea(feature) {
  const { area_km2: area, ellipse_meters: ellipse } = feature.properties;
  // Tiles have the area instead of the ellipse.
  if (area !== undefined) return area;
  if (ellipse) return areaOf(ellipse[0] / 1000, ellipse[1] / 1000);
  return feature.bbox ? areaOf(...deviations(feature)) : 0;
}

/**
 * Returns the area of an ellipse, given by its standard deviations in kilometres.
 *
 * @param {number} one
 * @param {number} other
 */
export function areaOf(one, other) {
  // The ellipse has a minimum width. Otherwise points along a street would be denser than points on any square.
  const least = LEAST_WIDTH * Math.max(one, other);
  return Math.PI * AREA_DEVIATIONS ** 2 * Math.max(one, least) * Math.max(other, least);
}

/**
 * Estimates the standard deviations of points in kilometres from their mean and their bounding box. For a cell of the
 * grid, nothing else is known. The estimate is right for evenly spread points. It is small if the mean lies near an
 * edge of the box, because then an outlier has stretched the box.
 *
 * Source: R. Bhatia, C. Davis, A Better Bound on the Variance (2000), https://doi.org/10.1080/00029890.2000.12005203:
 * the variance is at most the product of the distances from the mean to both ends. For evenly spread points it is a
 * third of this product.
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

/** @param {number[]} values */
const ascending = (values) => values.sort((a, b) => a - b);

/**
 * Returns a quantile of values in ascending order.
 *
 * @param {number[]} values
 * @param {number} share
 */
const at = (values, share) => values[Math.round(share * (values.length - 1))];

/** Assigns tones to clusters by the logarithm of their density. */
export class Tones {
  /**
   * @param {[number, number][]} covered Number of points and area of each cluster of a whole tree. The clusters have
   *   about equal numbers of points.
   * @param {number} count Number of tones.
   */
  constructor(covered, count) {
    this.count = count;
    const plain = ascending(covered.filter(([, area]) => area > 0).map(([count, area]) => count / area));
    // The area per point in sparse parts of the index. It is added to the area of every cluster. Otherwise three points
    // at one position would be the densest place on Earth.
    this.ground = 1 / (at(plain, 0.25) ?? 1);
    const densities = ascending(covered.filter(([count]) => count > 1).map(([count, area]) => count / (area + this.ground)));
    this.low = Math.log10(at(densities, 0.02) ?? 1);
    // At higher zooms few clusters are denser, because `ground` is added to the areas of smaller clusters, too.
    this.high = Math.max(Math.log10(at(densities, 1) ?? 1), this.low + 1.5);
  }

  /**
   * Returns the tone of `count` points on an area in square kilometres. Tones are numbered from 0.
   *
   * @param {number} count
   * @param {number} area
   */
  of(count, area) {
    const share = (Math.log10(count / (area + this.ground)) - this.low) / (this.high - this.low);
    return Math.round(Math.min(Math.max(share, 0), 1) * (this.count - 1));
  }
}

/**
 * Returns the tone as an expression of the map library.
 *
 * @param {Tones} tones
 * @param {any} count An expression whose value is the number of points.
 * @param {any} area An expression whose value is the area in square kilometres.
 * @returns {any[]}
 */
export function toneExpression({ ground, low, high, count: toneCount }, count, area) {
  const density = ["/", count, ["+", area, ground]];
  const share = ["/", ["-", ["log10", density], low], high - low];
  return ["round", ["*", toneCount - 1, ["max", 0, ["min", 1, share]]]];
}
