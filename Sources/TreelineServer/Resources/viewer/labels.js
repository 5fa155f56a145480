// Names on the map: of cities, of points that are shown alone, and of the most important points of clusters. Names are
// drawn below the badges. A name is left out if a badge or a more important name needs the room.

import { folded } from "./places.js";
import { ownNameOf } from "./text.js";
import { badgeRadius, DOT_RADIUS } from "./vendor/treeline/map/badge.js";
import { difference } from "./vendor/treeline/map/mercator.js";

/**
 * Font sizes in pixels. `SIZES` has the sizes of cities' names by rank. Its last size is for all further ranks.
 * `POINT_SIZE` is the size of points' names.
 */
const SIZES = [13, 13, 13, 12, 12, 11.5];
const POINT_SIZE = 11.5;

/**
 * Bounds on names. `MOST_PLACES` is the greatest number of names of cities. `MOST_POINTS` is the greatest number of
 * names of points. `LONGEST` is the greatest number of characters in the name of a point.
 */
const MOST_PLACES = 60;
const MOST_POINTS = 60;
const LONGEST = 28;

/**
 * Lengths in pixels. `PLACE_DOT` is the radius of a city's dot. `GAP` is the distance between a name and its dot.
 * `MARGIN` is the distance between two names. `FARTHEST` is the greatest distance of a city's name from the city, which
 * may be under a badge. A name farther away would seem to belong to another place.
 */
export const PLACE_DOT = 2;
const GAP = 4;
const MARGIN = 3;
const FARTHEST = 14;

/**
 * Two names belong to one city if the city and the point are at most `SAME_CITY` apart, if the first letters of both
 * names are equal, and if the numbers of letters differ by at most `SAME_LENGTH`. An example is Nuremberg and
 * Nürnberg. `SAME_CITY` is a fraction of the world, about 10 km at 50 degrees of latitude.
 */
const SAME_CITY = 0.0004;
const SAME_LENGTH = 2;

/** Distance across and down of a position on a circle, midway between the sides, as a share of the radius. */
const DIAGONAL = Math.SQRT1_2;

/** Milliseconds between two placements of names while the map moves. */
const PAUSE = 120;

/** When the map has zoomed out by this many zoom levels, names without room are dropped. */
const THINNED = 0.2;

export class Labels {
  /** The placed names. Their positions are in fractions of the world, and their offsets are in pixels. */
  placed = [];
  #pictures = new Map();
  #key = "";
  #next = 0;
  /** Zoom at which the placed names have room. */
  #zoom = 0;

  /**
   * Chooses the names for a view.
   *
   * @param camera The view.
   * @param circles Circles that names must not cover, in pixels on the screen. A circle has a `cluster` if the cluster
   *   is known.
   * @param places Cities in view, the most important first.
   * @param index Has the column with the names of points; null if points have no names.
   * @param titles Names of the most important points of clusters, by the ids of the clusters.
   * @param key Text that differs for different answers and settings. Names stay as they are until the key or the view
   *   changes.
   * @returns Milliseconds after which `place` must be called again; 0 if the names of this view are placed.
   */
  place(camera, circles, places, index, titles, key, now) {
    const view = `${key} ${camera.zoom.toFixed(2)} ${camera.centerX.toFixed(9)} ${camera.centerY.toFixed(9)} ${camera.width} ${camera.height}`;
    if (view === this.#key) return 0;
    if (now < this.#next) return this.#next - now;
    this.#key = view;
    this.#next = now + PAUSE;
    this.#zoom = camera.zoom;
    const grid = new Occupied(circles);
    const before = new Set(this.placed.map(({ text }) => text));
    const texts = new Set();
    this.placed = [];
    const add = (candidate, spots) => {
      if (texts.has(candidate.text) || (candidate.isPoint && this.placed.some((label) => isOneCity(label, candidate)))) return false;
      const { width, height } = this.#sizeOf(candidate);
      const screen = camera.point(candidate.x, candidate.y);
      for (const [dx, dy] of spots(width, height)) {
        const box = boxOf(screen.x + dx, screen.y + dy, width, height);
        if (box.left < 0 || box.top < 0 || box.right > camera.width || box.bottom > camera.height) continue;
        if (!candidate.isPoint && distance(screen, box) > FARTHEST) continue;
        if (!grid.isFree(box)) continue;
        grid.add(box);
        texts.add(candidate.text);
        this.placed.push({ ...candidate, dx, dy });
        return true;
      }
      return false;
    };
    // Among equally important names, names that are already shown come first, so that they stay while the map moves.
    const ordered = [...places].sort((a, b) => a.rank - b.rank || before.has(b.name) - before.has(a.name));
    let count = 0;
    for (const { name, rank, x, y } of ordered) {
      if (count === MOST_PLACES) break;
      const screen = camera.point(x, y);
      const cover = grid.circleAt(screen.x, screen.y);
      const candidate = { text: name, x, y, size: SIZES[rank] ?? SIZES.at(-1), hasDot: !cover };
      if (add(candidate, (width, height) => (cover ? around(cover, screen, width, height) : beside(PLACE_DOT, width, height)))) count++;
    }
    if (index === null) return 0;
    count = 0;
    const titled = circles.filter(({ cluster }) => titles.get(cluster?.id)).sort((a, b) => b.cluster.count - a.cluster.count);
    for (const { cluster } of titled) {
      if (count === MOST_POINTS) break;
      const title = titles.get(cluster.id);
      // A city is named only once, even if its name is also the title of a cluster.
      if (title.length > LONGEST || texts.has(title)) continue;
      if (add({ text: `${title} …`, x: cluster.x, y: cluster.y, size: POINT_SIZE, isPoint: true, id: cluster.id }, (width, height) => beneath(cluster.radius, width, height))) count++;
    }
    count = 0;
    // There may be too many points to name all of them. This order spreads the named points over the map.
    const single = circles.filter(({ cluster }) => cluster?.count === 1).sort((a, b) => spread(a.cluster.id) - spread(b.cluster.id));
    for (const { cluster } of single) {
      if (count === MOST_POINTS) break;
      const text = ownNameOf(cluster.properties, index);
      if (text === null || text.length > LONGEST) continue;
      if (add({ text, x: cluster.x, y: cluster.y, size: POINT_SIZE, isPoint: true, id: cluster.id }, (width, height) => beside(cluster.radius, width, height))) count++;
    }
    return 0;
  }

  /**
   * While the map zooms out, drops names that no longer have room, and names of points that are no longer shown alone.
   * Names are placed again only when the badges are at rest.
   */
  thin(camera, scene) {
    if (camera.zoom > this.#zoom - THINNED) return;
    this.#zoom = camera.zoom;
    const grid = new Occupied([]);
    this.placed = this.placed.filter((label) => {
      if (label.isPoint && !scene.sprite(label.id)) return false;
      const [{ x, y }, { width, height }] = [camera.point(label.x, label.y), this.#sizeOf(label)];
      const box = boxOf(x + label.dx, y + label.dy, width, height);
      if (!grid.isFree(box)) return false;
      grid.add(box);
      return true;
    });
  }

  clear() {
    this.placed = [];
    this.#key = "";
  }

  /** Draws the names on a canvas whose origin is the upper left corner of the map. */
  draw(context, camera, palette, ratio) {
    if (this.palette !== palette || this.ratio !== ratio) this.#pictures.clear();
    Object.assign(this, { palette, ratio });
    context.globalAlpha = 1;
    for (const label of this.placed) {
      const { x, y } = camera.point(label.x, label.y);
      const picture = this.#pictureOf(label);
      const [width, height] = [picture.width / ratio, picture.height / ratio];
      context.drawImage(picture, x + label.dx - width / 2, y + label.dy - height / 2, width, height);
      if (!label.hasDot) continue;
      context.beginPath();
      context.arc(x, y, PLACE_DOT, 0, 2 * Math.PI);
      context.lineWidth = 2;
      context.strokeStyle = palette.halo;
      context.fillStyle = palette.place;
      context.stroke();
      context.fill();
    }
  }

  #sizeOf({ text, size, isPoint }) {
    MEASURE.font = fontOf(size, isPoint);
    return { width: MEASURE.measureText(text).width, height: size + 2 };
  }

  #pictureOf(label) {
    const key = `${label.size} ${label.isPoint} ${label.text}`;
    const known = this.#pictures.get(key);
    if (known) return known;
    if (this.#pictures.size > 500) this.#pictures.clear();
    const { width, height } = this.#sizeOf(label);
    const { ratio, palette } = this;
    const picture = new OffscreenCanvas(Math.ceil((width + 6) * ratio), Math.ceil((height + 6) * ratio));
    const context = picture.getContext("2d");
    context.scale(ratio, ratio);
    Object.assign(context, {
      font: fontOf(label.size, label.isPoint), lineJoin: "round", lineWidth: 3, strokeStyle: palette.halo,
      fillStyle: label.isPoint ? palette.pointName : palette.place, textAlign: "center", textBaseline: "middle",
    });
    context.strokeText(label.text, (width + 6) / 2, (height + 6) / 2);
    context.fillText(label.text, (width + 6) / 2, (height + 6) / 2);
    this.#pictures.set(key, picture);
    return picture;
  }
}

const MEASURE = new OffscreenCanvas(1, 1).getContext("2d");
const FAMILY = "system-ui, -apple-system, 'Segoe UI', Roboto, 'Helvetica Neue', Arial, sans-serif";
const fontOf = (size, isPoint) => `${isPoint ? "italic 450" : size <= 12 ? 500 : 600} ${size}px ${FAMILY}`;

/** Returns the box around a name and its margin. */
const boxOf = (x, y, width, height) => ({ left: x - width / 2 - MARGIN, top: y - height / 2, right: x + width / 2 + MARGIN, bottom: y + height / 2 });

/** Returns the distance from a position to the nearest position of a box. */
const distance = ({ x, y }, box) => Math.hypot(x - Math.min(Math.max(x, box.left), box.right), y - Math.min(Math.max(y, box.top), box.bottom));

/** Returns the offsets at which a name may be placed beside a dot: right, left, above, below, then at the corners. */
function beside(radius, width, height) {
  const [across, down] = [radius + GAP + width / 2, radius + 1 + height / 2];
  const [aside, under] = [DIAGONAL * radius + GAP + width / 2, DIAGONAL * radius + 1 + height / 2];
  return [[across, 0], [-across, 0], [0, -down], [0, down], [aside, -under], [-aside, -under], [aside, under], [-aside, under]];
}

/** Returns the offsets at which a name may be placed at its badge: below, above, right, left, then at the corners. */
function beneath(radius, width, height) {
  const [right, left, above, below, ...corners] = beside(radius, width, height);
  return [below, above, right, left, ...corners];
}

/** Returns the offsets for the name of a city under a badge. The name stands at the badge. */
const around = ({ x, y, radius }, screen, width, height) =>
  beneath(radius + 1, width, height).map(([right, down]) => [x - screen.x + right, y - screen.y + down]);

/** Returns whether a name of a point is another spelling of the name of a city. */
function isOneCity(city, point) {
  if (city.isPoint || Math.hypot(difference(city.x, point.x), city.y - point.y) > SAME_CITY) return false;
  const [a, b] = [city.text, point.text].map((text) => folded(text).replace(/ …$/, "").replace(/^[cq]/, "k"));
  return a.slice(0, 2) === b.slice(0, 2) && Math.abs(a.length - b.length) <= SAME_LENGTH;
}

/** Returns a number that depends on the id only. Neighboring ids get very different numbers. */
const spread = (id) => Math.imul(id % 2 ** 32, 0x9e3779b1) >>> 0;

/** The parts of a map that badges and names occupy. A grid of cells makes these parts quick to find. */
class Occupied {
  static cell = 64;
  #circles = new Map();
  #boxes = new Map();

  constructor(circles) {
    for (const circle of circles) {
      const { x, y, radius } = circle;
      this.#each({ left: x - radius, top: y - radius, right: x + radius, bottom: y + radius }, (cell) => push(this.#circles, cell, circle));
    }
  }

  add(box) {
    this.#each(box, (cell) => push(this.#boxes, cell, box));
  }

  isFree(box) {
    let isFree = true;
    this.#each(box, (cell) => {
      isFree &&= !this.#boxes.get(cell)?.some((other) => box.left < other.right && other.left < box.right && box.top < other.bottom && other.top < box.bottom);
      isFree &&= !this.#circles.get(cell)?.some((circle) => distance(circle, box) < circle.radius + 1);
    });
    return isFree;
  }

  /** Returns the badge that covers a position. */
  circleAt(x, y) {
    const cell = `${Math.floor(x / Occupied.cell)} ${Math.floor(y / Occupied.cell)}`;
    return this.#circles.get(cell)?.find((circle) => Math.hypot(circle.x - x, circle.y - y) < circle.radius + PLACE_DOT);
  }

  #each({ left, top, right, bottom }, visit) {
    const [west, north, east, south] = [left, top, right, bottom].map((value) => Math.floor(value / Occupied.cell));
    for (let column = west; column <= east; column++) {
      for (let row = north; row <= south; row++) visit(`${column} ${row}`);
    }
  }
}

function push(map, key, value) {
  const list = map.get(key);
  if (list) list.push(value);
  else map.set(key, [value]);
}

/** Returns the circles of the clusters of a scene on the screen. */
export function circlesOf(scene, camera) {
  const reach = 40;
  return scene.clusters.map((cluster) => ({ ...camera.point(cluster.x, cluster.y), radius: cluster.radius, cluster }))
    .filter(({ x, y }) => x > -reach && x < camera.width + reach && y > -reach && y < camera.height + reach);
}

/** Returns the circles of the clusters that the map library has drawn from tiles. */
export const circlesOfTiles = (map) =>
  map.queryRenderedFeatures({ layers: ["clusters"] }).map(({ properties: { cluster_id: id, point_count: count, badge_px: diameter }, geometry }) => {
    const { x, y } = map.project(geometry.coordinates);
    return { id, x, y, radius: diameter ? diameter / 2 : count > 1 ? badgeRadius(count) : DOT_RADIUS };
  });
