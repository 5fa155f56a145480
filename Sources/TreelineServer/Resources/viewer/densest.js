// Finds the place with the most points around it. The color of a badge is the mean density of an area that may be as
// large as a country, so the darkest badge need not contain this place.

import { firstPoint } from "./cluster.js";
import { leastLimit } from "./cut.js";
import { boxSize } from "./vendor/treeline/map/mercator.js";

/**
 * Greatest numbers of clusters in the first answer, in the answer for the box of one cluster, and in the last answer.
 */
const OVERVIEW = 5000;
const PART = 500;
const FINEST = 5000;

/** Number of clusters that are split at once, and greatest number of times that clusters are split. */
const AT_ONCE = 6;
const MOST_ROUNDS = 40;

/** Radii in kilometres. The radius for an index is the greatest that is at most `SHARE` of the extent of its points. */
const RADII = [20, 10, 5, 2, 1, 0.5, 0.2, 0.1];
const SHARE = 0.025;

/** A cluster is split until it is at most this share of the radius wide. */
const NARROW = 0.25;

const KM_OF_DEGREE = 111;

/** Returns the length of a degree of longitude as a share of the length of a degree of latitude. */
const shrink = ({ latitude }) => Math.max(Math.cos((latitude * Math.PI) / 180), 0.05);

/** Returns the radius in kilometres around a place in which points are counted. */
export function radiusFor({ bounds }) {
  const { width, height } = boxSize(bounds);
  return RADII.find((radius) => radius <= SHARE * Math.max(Math.abs(width), height)) ?? RADII.at(-1);
}

/**
 * Returns the position with the most points within a radius, and the number of these points. Returns null if there are
 * no points.
 *
 * A wide cluster counts as if all of its points were at its position. As long as a wide cluster is near the best
 * position, it is split.
 *
 * @param query The filter, as a parameter of the source.
 * @param radius In kilometres.
 */
export async function densestPlace(source, index, query, radius) {
  const ask = async (limit, more) => {
    const { features } = await source.clusters(index.name, { limit: Math.max(limit, leastLimit(index)), order: "widest-first", ...query, ...more });
    return features.map(partOf);
  };
  // Near the best position, the last answer has single points, or clusters that are much narrower than the radius.
  const refined = async (best) => {
    const [up, across] = [(2 * radius) / KM_OF_DEGREE, (2 * radius) / KM_OF_DEGREE / shrink(best)];
    const box = [Math.max(best.longitude - across, -180), Math.max(best.latitude - up, -90), Math.min(best.longitude + across, 180), Math.min(best.latitude + up, 90)];
    const place = fullest(await ask(FINEST, { bbox: box.join() }), radius);
    return place.count > 0 ? place : best;
  };
  let parts = await ask(OVERVIEW, {});
  for (let round = 0; parts.length > 0; round++) {
    const best = fullest(parts, radius);
    const wide = best.near.filter(({ width }) => width > NARROW * radius).sort((a, b) => b.count - a.count).slice(0, AT_ONCE);
    if (wide.length === 0 || round === MOST_ROUNDS) return refined(best);
    const answers = await Promise.all(wide.map((part) => ask(PART, { bbox: part.bbox.join() })));
    parts = wide.reduce((all, part, at) => split(all, part, answers[at]), parts);
  }
  return null;
}

function partOf({ bbox, geometry: { coordinates: [longitude, latitude] }, properties: { cluster_id: id, point_count: count } }) {
  const { width, height } = bbox ? boxSize(bbox) : { width: 0, height: 0 };
  return { first: firstPoint(id), count, longitude, latitude, bbox, width: Math.max(width, height) };
}

/** Replaces a part by those clusters of an answer that the part contains. */
function split(parts, part, answer) {
  const next = parts.reduce((least, { first }) => (first > part.first && first < least ? first : least), Infinity);
  const inside = answer.filter(({ first, count }) => first >= part.first && first < next && count < part.count);
  const isWhole = inside.reduce((sum, { count }) => sum + count, 0) === part.count;
  // If the answer does not divide the part, the part stays as it is.
  return parts.flatMap((each) => (each !== part ? [each] : isWhole ? inside : [{ ...part, width: 0 }]));
}

/** Returns the part with the most points within the radius, the number of these points, and the parts with them. */
function fullest(parts, radius) {
  const side = radius / KM_OF_DEGREE;
  const cells = new Map();
  for (const part of parts) {
    const cell = `${Math.floor(part.longitude / side)} ${Math.floor(part.latitude / side)}`;
    cells.get(cell)?.push(part) ?? cells.set(cell, [part]);
  }
  let best = { count: 0, near: [] };
  for (const part of parts) {
    const [across, column, row] = [shrink(part), Math.floor(part.longitude / side), Math.floor(part.latitude / side)];
    const reach = Math.ceil(1 / across);
    const near = [];
    let count = 0;
    for (let x = column - reach; x <= column + reach; x++) {
      for (let y = row - 1; y <= row + 1; y++) {
        for (const other of cells.get(`${x} ${y}`) ?? []) {
          if (Math.hypot((other.longitude - part.longitude) * across, other.latitude - part.latitude) > side) continue;
          near.push(other);
          count += other.count;
        }
      }
    }
    if (count > best.count) best = { longitude: part.longitude, latitude: part.latitude, count, near };
  }
  return best;
}
