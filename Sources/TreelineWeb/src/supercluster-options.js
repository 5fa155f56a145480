// Checks for both classes that have the interface of supercluster.

import { asText } from "./errors.js";

/**
 * As in supercluster, `minZoom` may be `maxZoom + 1`. All points are then shown alone at every zoom.
 *
 * @param {{minZoom: number, maxZoom: number}} options
 */
export function checkZooms({ minZoom, maxZoom }) {
  const areWhole = Number.isInteger(minZoom) && Number.isInteger(maxZoom);
  if (areWhole && minZoom >= 0 && minZoom <= maxZoom + 1 && maxZoom <= 30) return;
  throw new RangeError(`Expected whole numbers as minZoom and maxZoom, with 0 <= minZoom <= maxZoom + 1 and maxZoom <= 30, found ${asText(minZoom)} and ${asText(maxZoom)}`);
}

/** @param {unknown} points */
export function checkFeatures(points) {
  if (!Array.isArray(points)) throw new TypeError("Expected an array of features; if you have a FeatureCollection, give its property 'features'");
}
