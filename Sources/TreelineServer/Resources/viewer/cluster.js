// A cluster for drawing, made from a GeoJSON Feature. Its lengths are in fractions of the world and in pixels.

import { short } from "./text.js";
import { badgeRadius, DOT_RADIUS } from "./vendor/treeline/map/badge.js";
import { ELLIPSE_ZOOM, LEVEL_BITS, SERVER_WORLD_SIZE } from "./vendor/treeline/map/constants.js";
import { areaOnMap, coveredArea, FEWEST_FOR_ELLIPSE } from "./vendor/treeline/map/density.js";
import { worldX, worldY } from "./vendor/treeline/map/mercator.js";

/** Width of the world in pixels at the zoom of the server's ellipses. */
const ELLIPSE_SCALE = SERVER_WORLD_SIZE * 2 ** ELLIPSE_ZOOM;

/**
 * If an answer has more than `MANY` badges and dots, badges are drawn smaller, so that the map stays visible between
 * them. `LEAST_SIZE` is the least size of a badge, as a share of the usual size.
 */
const MANY = 250;
const LEAST_SIZE = 0.65;

/** Returns the size of the badges of an answer with `count` badges and dots, as a share of their usual size. */
export const sizeAmong = (count) => Math.max(Math.min(Math.sqrt(MANY / count), 1), LEAST_SIZE);

/**
 * @param feature Feature from the server or from a tile. A feature from a tile has no `bbox`.
 * @param viewer Has `tones`, which return the tone for a number of points on an area. Has `values`, which return the
 *   number of points in each category. Also has `index`, the shown index.
 * @param scale Width of the world on the map, in pixels.
 * @param knowsValues Whether the answer has the values that the settings need.
 * @param size Size of the badge, as a share of its usual size.
 * @param version Version of the index that the feature is from.
 */
export function clusterOf(feature, { tones, values, settings, index }, scale, { knowsValues = true, size = 1, version = index.version } = {}) {
  const { properties } = feature;
  const [longitude, latitude] = feature.geometry.coordinates;
  const count = properties.point_count;
  return {
    id: properties.cluster_id,
    version,
    count,
    label: labelOf(properties, settings),
    /** The number on the badge. */
    value: valueOf(properties, settings),
    longitude,
    latitude,
    x: worldX(longitude),
    y: worldY(latitude),
    // In a cut by badges, the server gives each badge a diameter, so that no two badges touch.
    radius: size * (properties.badge_px ? properties.badge_px / 2 : count > 1 ? badgeRadius(count) : DOT_RADIUS),
    // A feature from a tile has its area as a property, in pixels.
    tone: count > 1 ? tones.of(count, properties.area_px ?? areaOnMap(coveredArea(feature), latitude, scale)) : -1,
    stack: properties.stack === true,
    scale,
    /** Number of points in each category, if badges are donuts, and the categories. */
    parts: knowsValues ? values.parts(properties, settings) : null,
    categories: values.categories,
    /** Name of the group that gives the badge its color; null if the point is in no group. */
    ...(knowsValues && values.isByGroup && { group: properties.cluster_group ?? null }),
    properties,
    ...extentOf(feature),
  };
}

/** Returns the tree index of the first point of a cluster, from the id of the cluster. */
export const firstPoint = (id) => Math.floor(id / 2 ** LEVEL_BITS);

/** Returns the number on a badge: the sum of the chosen column, or the number of points. */
function valueOf(properties, { sum }) {
  const value = sum && properties[`sum_${sum}`];
  return typeof value === "number" ? value : properties.point_count;
}

/** Returns the number on a badge as text. */
function labelOf(properties, settings) {
  const value = valueOf(properties, settings);
  return value === properties.point_count ? (properties.point_count_abbreviated ?? String(value)) : short(value);
}

/** Returns the extent of a cluster: a box, an area in square kilometres and, if there are enough points, an ellipse. */
export function extentOf(feature) {
  const { bbox, properties: { ellipse, point_count: count } } = feature;
  return { bbox, area: coveredArea(feature), ellipse: ellipse && count >= FEWEST_FOR_ELLIPSE ? ellipseOf(ellipse) : null };
}

/** Returns the ellipse whose half axes are two standard deviations. The ellipse contains most of the points. */
function ellipseOf([major, minor, degrees]) {
  return {
    major: (2 * major) / ELLIPSE_SCALE,
    minor: (2 * minor) / ELLIPSE_SCALE,
    angle: (degrees * Math.PI) / 180,
  };
}
