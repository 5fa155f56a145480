// The cities of the world. Their names are on the map, in the list of clusters and in the search.

import { resource } from "./resources.js";
import { difference, worldX, worldY } from "./vendor/treeline/map/mercator.js";

/**
 * For each rank of cities, the zoom of the map from which cities of this rank are named. Rank 0 has the largest cities.
 */
const ZOOM_OF_RANK = [0, 0, 3, 4, 4, 5, 5, 6, 7, 8, 8];

/**
 * Bounds on the distance between a cluster and a city that names the cluster, in fractions of the world. Within
 * `NEARBY`, 24 km at the equator, any city may name a cluster. A large cluster may have the name of a city that is
 * farther away. The bound is then `REACH` times half the width of the cluster, but at most `FARTHEST`.
 */
const NEARBY = 0.0006;
const FARTHEST = 0.015;
const REACH = 0.75;

/**
 * The size that a city needs to name a cluster. Each pair has half the width of a cluster, in fractions of the world,
 * and the greatest rank of a city that may name clusters of this size.
 */
const RANK_OF_SIZE = [[0.02, 0], [0.01, 1], [0.004, 2], [0.001, 4], [0, 10]];

export class Places {
  /** The cities, the largest first. Empty until the cities are loaded. */
  all = [];

  async load() {
    const places = resource("places.geojson");
    // A bundle has another module `resources.js`, which contains the file itself or loads the file later.
    const { features } = typeof places === "string" ? await (await fetch(places)).json() : await places;
    this.all = features.map(({ properties: { name, rank }, geometry: { coordinates: [longitude, latitude] } }) => (
      { name, rank, longitude, latitude, x: worldX(longitude), y: worldY(latitude) })).sort((a, b) => a.rank - b.rank);
  }

  /** Returns the cities that a map names, the most important first. */
  in(camera) {
    const [halfWidth, halfHeight] = [camera.width / camera.scale / 2, camera.height / camera.scale / 2];
    return this.all.filter(({ rank, x, y }) =>
      camera.zoom >= (ZOOM_OF_RANK[rank] ?? 8) && Math.abs(difference(camera.centerX, x)) < halfWidth && Math.abs(y - camera.centerY) < halfHeight);
  }

  /** Returns the name of a city near the middle of a cluster. For a large cluster, the city must be large. */
  near(x, y, size) {
    const reach = Math.min(REACH * size, FARTHEST);
    let [best, least] = ["", Infinity];
    const [, most] = RANK_OF_SIZE.find(([from]) => size >= from);
    for (const place of this.all) {
      if (place.rank > most) break;
      const distance = Math.hypot(difference(x, place.x), y - place.y);
      // A larger city names a cluster even if a smaller city is a bit nearer to the cluster.
      const weighted = distance * (1 + place.rank / 3);
      if ((distance < NEARBY || weighted < reach) && weighted < least) [best, least] = [place.name, weighted];
    }
    return best;
  }

  /** Returns up to `limit` cities whose names begin with a text. Case and accents do not matter. */
  named(text, limit) {
    const asked = folded(text);
    const found = [];
    for (const place of this.all) {
      if (!folded(place.name).startsWith(asked)) continue;
      found.push(place);
      if (found.length === limit) break;
    }
    return found;
  }
}

/** Returns a text in lower case, without accents. */
export const folded = (text) =>
  text.normalize("NFD").replace(/\p{M}/gu, "").toLowerCase().replaceAll("ð", "d").replaceAll("þ", "th").replaceAll("æ", "ae").replaceAll("ø", "o").replaceAll("ß", "ss").replaceAll("ł", "l").replaceAll("’", "'");
