// Converts coordinates to positions on the fixed-point plane and back. Converts views to windows, which are parts of
// the plane.
//
// A position is two unsigned integers of 32 bits. The projection uses only operations for which IEEE 754 defines every
// bit of the result. The page IndexFormat defines the order of these operations. So positions equal the positions of
// the Swift library.

import { asText, QueryError } from "./errors.js";

/** The width of the plane in units. */
export const WORLD = 2 ** 32;
/** The last position on the plane. */
const EDGE = WORLD - 1;
const MAXIMUM_LATITUDE = 85.0511287798066;
/** The greatest double below 0.5. Twice this number is below 1. */
const HALF = 0.49999999999999994;
/** About 10^271. Sums of a few such numbers are finite. */
const FAR = 2 ** 900;

/**
 * @typedef {object} View The part of the world that a query is about. Give one of `bbox`, `center` and `tile`, or leave
 *   out all three for all points.
 * @property {ArrayLike<number>} [bbox] West, south, east and north. A box whose west is greater than its east crosses
 *   the antimeridian.
 * @property {ArrayLike<number> | {lng: number, lat: number}} [center] Needs `zoom`, `width` and `height`.
 * @property {ArrayLike<number>} [tile] Zoom, x and y of a map tile.
 * @property {number} [zoom] Zoom, which may be fractional. Cuts by pixels need a zoom. A tile has its own zoom.
 * @property {number} [width] Width of the screen, in pixels.
 * @property {number} [height] Height of the screen, in pixels.
 * @property {256 | 512} [tileSize] Width of the world in pixels at zoom 0. The default is 512, as in MapLibre. Leaflet
 *   uses 256.
 * @property {number} [margin] Number of pixels around the view that are included.
 */

/**
 * A part of the plane, including its edges. The window reaches from `x` to `width` units east of `x`, and may cross the
 * seam.
 */
export class Window {
  /**
   * @param {number} x
   * @param {number} width
   * @param {number} minY
   * @param {number} maxY
   */
  constructor(x, width, minY, maxY) {
    this.x = width === EDGE ? 0 : x;
    this.width = width;
    this.minY = minY;
    this.maxY = maxY;
  }

  /**
   * Whether the window contains a position, which may be fractional.
   *
   * @param {number} x
   * @param {number} y
   */
  contains(x, y) {
    const east = this.x + this.width;
    // A mean may lie between the plane's last unit and the seam.
    const isWhole = this.width >= WORLD - 1;
    const isAcross = isWhole || (east < WORLD ? this.x <= x && x <= east : this.x <= x || x <= east - WORLD);
    return isAcross && this.minY <= y && y <= this.maxY;
  }
}

/**
 * The plane of coordinates. It is Web Mercator or a plain plane. A map of Web Mercator is cut open at a meridian, which
 * is called the seam. A plain plane is the bounding square of points with plain x and y.
 */
export class Plane {
  /**
   * @param {boolean} isMercator
   * @param {number} seam Distance in units from longitude -180 eastward to the seam, where x is 0; 0 on a plain plane.
   * @param {number} left X of the left edge of a plain plane's square.
   * @param {number} top
   * @param {number} side
   */
  constructor(isMercator, seam = 0, left = 0, top = 0, side = 0) {
    this.isMercator = isMercator;
    this.seam = seam;
    this.left = left;
    this.top = top;
    this.side = side;
  }

  /** @param {number} longitude */
  x(longitude) {
    return this.isMercator ? (mercatorX(longitude) - this.seam) >>> 0 : this.#units(longitude - this.left);
  }

  /** @param {number} latitude */
  y(latitude) {
    return this.isMercator ? mercatorY(latitude) : this.#units(this.top - latitude);
  }

  /** @param {number} distance */
  #units(distance) {
    return this.side > 0 ? Math.min(Math.max(this.#wholeUnits(distance), 0), EDGE) : 0;
  }

  /** @param {number} distance */
  #wholeUnits(distance) {
    const units = (distance / this.side) * EDGE;
    // Doubles from 2^52 on are whole numbers.
    return Math.min(Math.max(Math.abs(units) < 2 ** 52 ? nearest(units) : units, -FAR), FAR);
  }

  /**
   * Returns the longitude of an x, which may be fractional or outside the plane.
   *
   * @param {number} x
   */
  longitude(x) {
    if (!this.isMercator) return this.left + (x / EDGE) * this.side;
    const turns = (x + this.seam) / WORLD;
    return (turns - Math.floor(turns)) * 360 - 180;
  }

  /** @param {number} y */
  latitude(y) {
    return this.isMercator ? mercatorLatitude(y) : this.top - (y / EDGE) * this.side;
  }

  /**
   * Returns the west, south, east and north edges of a box of the plane.
   *
   * @param {ArrayLike<number>} box Min x, min y, max x and max y.
   * @returns {[number, number, number, number]}
   */
  bounds(box) {
    const east = this.longitude(box[2]);
    const endsAtAntimeridian = this.isMercator && east === -180 && box[2] !== box[0];
    return [this.longitude(box[0]), this.latitude(box[3]), endsAtAntimeridian ? 180 : east, this.latitude(box[1])];
  }

  /**
   * Returns the window and the zoom of a view. The window is null if a view of a plain plane is outside the square of
   * the plane. The zoom is for 256 px tiles. The zoom is NaN if the view has no zoom.
   *
   * @param {View} view
   * @returns {{window: Window | null, zoom: number}}
   */
  locate(view) {
    const { bbox, center, tile, width, height, margin = 0 } = view;
    if ((bbox ? 1 : 0) + (center ? 1 : 0) + (tile ? 1 : 0) > 1) {
      throw new QueryError("Expected one of bbox, center and tile, found several");
    }
    for (const [name, value] of tile ? Object.entries({ zoom: view.zoom, width, height }) : []) {
      if (value !== undefined) throw new QueryError(`Expected no ${name} beside a tile, which has its own zoom and size, found ${asText(value)}`);
    }
    const offset = zoomOffset(view.tileSize);
    let zoom = NaN;
    if (view.zoom !== undefined) {
      if (!Number.isFinite(view.zoom)) throw new QueryError(`Expected a finite number as the zoom, found ${asText(view.zoom)}`);
      zoom = view.zoom + offset;
    }
    /** @type {Window | null} */
    let window;
    if (bbox) {
      window = this.window(bbox);
      if (Number.isNaN(zoom) && width !== undefined && window) {
        const [w, h] = [length("width", width), length("height", height)];
        zoom = 24 - log2(Math.max(window.width / w, (window.maxY - window.minY) / h, 1));
      }
    } else if (center) {
      window = this.window(this.#boxAround(center, zoom, length("width", width), length("height", height)));
    } else if (tile) {
      window = this.#tile(tile);
      zoom = tile[0] + offset;
    } else {
      window = new Window(0, EDGE, 0, EDGE);
    }
    if (margin !== 0 && window) {
      length("margin", margin, "of 0 or more");
      if (Number.isNaN(zoom)) throw noZoom("A margin");
      window = this.#widened(window, Math.floor(Math.min(margin * exp2(24 - zoom), 2 * WORLD)));
    }
    return { window, zoom };
  }

  /**
   * Returns the window of a box of coordinates; null if the box is outside the square of a plain plane.
   *
   * @param {ArrayLike<number>} bbox
   * @returns {Window | null}
   */
  window(bbox) {
    const west = bbox[0];
    const south = bbox[1];
    const east = bbox[2];
    const north = bbox[3];
    if (!(Number.isFinite(west) && Number.isFinite(south) && Number.isFinite(east) && Number.isFinite(north))) {
      throw new QueryError(`Expected four finite numbers as bbox, found ${Array.from(bbox, asText).join(", ")}`);
    }
    if (south > north) {
      throw new QueryError(`Expected the south edge of bbox at or below its north edge, found ${south} and ${north}`);
    }
    if (!this.isMercator) {
      if (west > east) {
        throw new QueryError(`Expected the west edge of bbox at or before its east edge, found ${west} and ${east}`);
      }
      const isOff = east < this.left || west - this.left > this.side || this.top - north > this.side || south > this.top;
      if (isOff) return null;
    }
    const x = this.x(west);
    const width = (this.x(east) - x) >>> 0;
    const degrees = east - west;
    const turn = degrees < 0 ? degrees + 360 : degrees;
    const isAround = this.isMercator && (degrees >= 360 || (turn > 270 && width < 2 ** 30));
    return new Window(x, isAround ? EDGE : width, this.y(north), this.y(south));
  }

  /**
   * Returns the box of coordinates that is visible on a screen around a center.
   *
   * @param {NonNullable<View["center"]>} center
   * @param {number} zoom
   * @param {number} width
   * @param {number} height
   */
  #boxAround(center, zoom, width, height) {
    /** @type {any} */
    const place = center;
    const [longitude, latitude] = "lng" in Object(place) ? [place.lng, place.lat] : [place[0], place[1]];
    const isPlace = Number.isFinite(longitude) && Number.isFinite(latitude);
    if (!isPlace || (this.isMercator && Math.abs(latitude) > 90)) {
      throw new QueryError(`Expected a longitude and a latitude as the center, found ${asText(longitude)} and ${asText(latitude)}`);
    }
    if (Number.isNaN(zoom)) throw noZoom("A center");
    const units = exp2(24 - zoom);
    // A screen outside the square of a plain plane shows nothing.
    const isPlain = !this.isMercator && this.side > 0;
    const x = isPlain ? this.#wholeUnits(longitude - this.left) : this.x(longitude);
    const y = isPlain ? this.#wholeUnits(this.top - latitude) : this.y(latitude);
    const isAround = this.isMercator && width * units > EDGE;
    return [
      isAround ? -180 : this.longitude(x - (width / 2) * units), this.latitude(y + (height / 2) * units),
      isAround ? 180 : this.longitude(x + (width / 2) * units), this.latitude(y - (height / 2) * units),
    ];
  }

  /** @param {ArrayLike<number>} tile */
  #tile(tile) {
    const [zoom, column, row] = [tile[0], tile[1], tile[2]];
    if (!this.isMercator) throw new QueryError("A plain plane has no tiles; give a bbox or a center");
    const isTile = Number.isInteger(zoom) && zoom >= 0 && zoom <= 24 && [column, row].every((number) =>
      Number.isInteger(number) && number >= 0 && number < 2 ** zoom);
    if (!isTile) throw new QueryError(`Expected a tile as zoom, x and y, with a zoom from 0 to 24, and x and y from 0 to 2^zoom - 1, found ${Array.from(tile, asText).join(", ")}`);
    const side = 2 ** (32 - zoom);
    return new Window(
      zoom ? (column * side - this.seam) >>> 0 : 0, Math.min(side, EDGE), row * side, Math.min(row * side + side, EDGE));
  }

  /**
   * @param {Window} window
   * @param {number} units
   */
  #widened({ x, width, minY, maxY }, units) {
    const [top, bottom] = [Math.max(minY - units, 0), Math.min(maxY + units, EDGE)];
    if (!this.isMercator) {
      const west = Math.max(x - units, 0);
      return new Window(west, Math.min(x + width + units, EDGE) - west, top, bottom);
    }
    return new Window((x - units) >>> 0, Math.min(width + 2 * units, EDGE), top, bottom);
  }
}

/**
 * Returns a difference of zooms at the same scale: the zoom of 256 px tiles minus the zoom of tiles of a given size.
 *
 * @param {number} [tileSize]
 */
export function zoomOffset(tileSize = 512) {
  if (tileSize !== 256 && tileSize !== 512) throw new QueryError(`Expected a tileSize of 256 or 512, found ${asText(tileSize)}`);
  return tileSize === 512 ? 1 : 0;
}

/** @param {string} what */
export const noZoom = (what) => new QueryError(`${what} needs a zoom, because sizes are in pixels; give a zoom with the view`);

/**
 * @param {string} name
 * @param {unknown} value Must not be 0. If 0 is valid, the caller handles it.
 * @param {string} range The valid numbers, for the message.
 */
function length(name, value, range = "above 0") {
  if (typeof value === "number" && value > 0 && Number.isFinite(value)) return value;
  throw new QueryError(`Expected a finite number of pixels ${range} as the ${name}, found ${asText(value)}`);
}

// The projection

/**
 * Returns the integer nearest to a number below 2^52. Rounds halves away from 0.
 *
 * @param {number} number
 */
function nearest(number) {
  return number < 0 ? -Math.floor(HALF - number) : Math.floor(number + HALF);
}

/**
 * Returns the distance from longitude -180 eastward to a longitude, in units, modulo the width of the world.
 *
 * @param {number} longitude
 */
export function mercatorX(longitude) {
  const inOneTurn = Math.abs(longitude) <= 360 ? longitude : longitude % 360;
  return nearest((inOneTurn + 180) * (WORLD / 360)) >>> 0;
}

/** @param {number} latitude */
export function mercatorY(latitude) {
  const p = Math.min(Math.abs(latitude), MAXIMUM_LATITUDE) * (1 / 90);
  const z = p * p;
  const odd =
    p * (0.7853981633974483 + z * (-0.062145352039566705 + z * (0.0008382296683324081 + z * -1.3777072437601478e-6)));
  const even = 1 + z * (-0.2847426780942919 + z * (0.008881232016430318 + z * -4.889060316775422e-5));
  const [a, b] = [even + odd, even - odd];
  const limit = b * 1.4142135623730951;
  let [doublings, power] = [0, b];
  for (let bound = limit; doublings < 5 && bound < a; bound *= 2) {
    doublings++;
    power *= 2;
  }
  const r = (a - power) / (a + power);
  const s = r * r;
  const high = 195309406.2532113 + s * (151575472.50482783 + s * 134034132.99516822);
  const height =
    doublings * 473811343.4944856 + r * (1367130551.152827 + s * (455710183.805887 + s * (273426075.3129126 + s * high)));
  return Math.min(Math.max(nearest(2 ** 31 + (latitude < 0 ? height : -height)), 0), EDGE);
}

/** @param {number} y */
function mercatorLatitude(y) {
  const height = Math.min(Math.max(1 - y * 2 ** -31, -1), 1);
  const z = height * height;
  let odd = 106.33541022953081 + z * 0.9664672686250515;
  odd = 17997.094038867355 + z * (8767.160003102932 + z * (1728.2789883039677 + z * odd));
  odd = 179.99999999999778 + z * (2004.3963709410161 + z * (8532.402038610662 + z * (17507.030935487255 + z * odd)));
  let even = 5.61535797303942 + z * 0.1611690007432005;
  even = 219.20128720666466 + z * (152.74401722578062 + z * (49.33933538071875 + z * even));
  even = 1 + z * (12.780469460957695 + z * (64.36655102885277 + z * (162.90363037971449 + z * even)));
  return (height * odd) / even;
}

/**
 * Returns a power of 2.
 *
 * @param {number} exponent
 */
export function exp2(exponent) {
  if (!Number.isFinite(exponent)) return exponent < 0 ? 0 : exponent;
  const whole = Math.abs(exponent) < 2 ** 52 ? nearest(exponent) : exponent;
  const x = exponent - whole;
  let sum = 1.0178062445845774e-7 + x * (7.072585949269223e-9 + x * 4.4549605981865186e-10);
  sum = 0.0001540353044173605 + x * (1.525273382983612e-5 + x * (1.321544258792169e-6 + x * sum));
  sum = 0.0555041086648216 + x * (0.009618129107606888 + x * (0.0013333558146416936 + x * sum));
  sum = 0.6931471805599453 + x * (0.24022650695910097 + x * sum);
  // Scales in two steps, because the power alone may overflow or underflow even if the product does not.
  const bounded = Math.max(Math.min(whole, 2000), -2000);
  const half = Math.trunc(bounded / 2);
  return (1 + x * sum) * 2 ** half * 2 ** (bounded - half);
}

/**
 * Returns the binary logarithm of a number above 0.
 *
 * @param {number} number
 */
function log2(number) {
  number = Math.min(number, Number.MAX_VALUE);
  let whole = Math.floor(Math.log2(number));
  // Math.log2 may be inexact next to a power of 2.
  if (2 ** whole > number) whole--;
  if (2 ** (whole + 1) <= number) whole++;
  let part = number / 2 ** whole;
  if (part > 1.4142135623730951) [whole, part] = [whole + 1, part / 2];
  const r = (part - 1) / (part + 1);
  const z = r * r;
  let sum = 0.262334352504183 + z * (0.2209130842311768 + z * 0.2136589569431927);
  sum = 0.5770780163455203 + z * (0.4121985858409005 + z * (0.32059853491395984 + z * sum));
  return whole + r * (2.8853900817779268 + z * (0.9617966939259898 + z * sum));
}

// The seam, at which the plane is cut open

/**
 * Returns the first x east of the widest gap between longitudes. Of several equally wide gaps, uses the first.
 *
 * Divides the circle of longitudes into 65,536 bins. Each bin keeps its westernmost and its easternmost point. Gaps
 * inside a bin are ignored.
 *
 * @param {Uint32Array} xs The x of each point on a plane without a seam.
 */
export function seamOf(xs) {
  const least = new Uint32Array(1 << 16).fill(EDGE);
  const greatest = new Uint32Array(1 << 16);
  const isOccupied = new Uint8Array(1 << 16);
  for (let i = 0; i < xs.length; i++) {
    const x = xs[i];
    const bin = x >>> 16;
    isOccupied[bin] = 1;
    if (x < least[bin]) least[bin] = x;
    if (x > greatest[bin]) greatest[bin] = x;
  }
  const first = isOccupied.indexOf(1);
  if (first < 0) return 0;
  let [end, widest, seam] = [greatest[isOccupied.lastIndexOf(1)], 0, least[first]];
  for (let bin = first; bin < 1 << 16; bin++) {
    if (!isOccupied[bin]) continue;
    // The difference is taken modulo 2^32, because the first gap reaches across longitude -180.
    const gap = (least[bin] - end) >>> 0;
    if (gap > widest) [widest, seam] = [gap, least[bin]];
    end = greatest[bin];
  }
  return seam;
}

/**
 * Returns the bounding square of plain coordinates.
 *
 * @param {Float64Array} coordinates X and y of each point, alternating.
 */
export function squareAround(coordinates) {
  if (!coordinates.length) return new Plane(false);
  let [left, bottom, right, top] = [Infinity, Infinity, -Infinity, -Infinity];
  for (let i = 0; i < coordinates.length; i += 2) {
    left = Math.min(left, coordinates[i]);
    right = Math.max(right, coordinates[i]);
    bottom = Math.min(bottom, coordinates[i + 1]);
    top = Math.max(top, coordinates[i + 1]);
  }
  return new Plane(false, 0, left + 0, top + 0, Math.max(right - left, top - bottom));
}
