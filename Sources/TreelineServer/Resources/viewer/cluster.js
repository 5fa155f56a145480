// A cluster as it is drawn: what a Feature of the server says, in fractions of the world and pixels.

import { badgeRadius, DOT_RADIUS } from "./badge.js";
import { ELLIPSE_ZOOM, SERVER_WORLD_SIZE } from "./constants.js";
import { boxSize, worldX, worldY } from "./mercator.js";

/** The width of the world in the pixels in which the server gives ellipses. */
const ELLIPSE_SCALE = SERVER_WORLD_SIZE * 2 ** ELLIPSE_ZOOM;

/**
 * @param feature As the server gives it, or out of a tile: then it has no `bbox`.
 * @param tones Gives the tone of a density.
 */
export function clusterOf(feature, tones) {
  const { properties, bbox } = feature;
  const [longitude, latitude] = feature.geometry.coordinates;
  const count = properties.point_count;
  return {
    id: properties.cluster_id,
    count,
    label: properties.point_count_abbreviated ?? String(count),
    longitude,
    latitude,
    x: worldX(longitude),
    y: worldY(latitude),
    radius: count > 1 ? badgeRadius(count) : DOT_RADIUS,
    tone: count > 1 && bbox ? tones.of(density(count, bbox)) : -1,
    bbox,
    stack: properties.stack === true,
    ellipse: properties.ellipse && ellipseOf(properties.ellipse),
    properties,
  };
}

/** Two standard deviations along each axis, within which most of the points lie. */
function ellipseOf([major, minor, degrees]) {
  return {
    major: (2 * major) / ELLIPSE_SCALE,
    minor: (2 * minor) / ELLIPSE_SCALE,
    angle: (degrees * Math.PI) / 180,
  };
}

/**
 * Points per square kilometre of the box around them, infinite for a stack. A box is taken to be no slimmer than a
 * quarter of its longer side, or a street from north to south would be denser than one from northwest to southeast.
 */
export function density(count, bbox) {
  const { width, height } = boxSize(bbox);
  const least = Math.max(width, height) / 4;
  return count / (Math.max(width, least) * Math.max(height, least));
}
