// Web Mercator in fractions of the world. x grows from 0 in the west to 1 in the east, y from 0 in the north to 1 in
// the south.

import { SERVER_WORLD_SIZE, WORLD_SIZE } from "./constants.js";

/** @typedef {[number, number, number, number]} Box West, south, east and north. */

/** At equal scales, the server's zoom minus the map library's zoom. */
const ZOOM_OFFSET = Math.log2(WORLD_SIZE / SERVER_WORLD_SIZE);
/** @param {number} zoom */
export const serverZoom = (zoom) => zoom + ZOOM_OFFSET;
/** @param {number} zoom */
export const mapZoom = (zoom) => zoom - ZOOM_OFFSET;

/** @param {number} longitude */
export const worldX = (longitude) => (longitude + 180) / 360;

/** @param {number} latitude */
export function worldY(latitude) {
  const sine = Math.sin((latitude * Math.PI) / 180);
  return 0.5 - Math.log((1 + sine) / (1 - sine)) / (4 * Math.PI);
}

/**
 * Returns the difference from one x to another x, measured the shorter way around the world, from -0.5 to 0.5.
 *
 * @param {number} from
 * @param {number} to
 */
export const difference = (from, to) => to - from - Math.round(to - from);

/**
 * Returns the size of a box in kilometres, measured along its middle.
 *
 * @param {Box} box
 */
export function boxSize([west, south, east, north]) {
  const width = east < west ? east + 360 - west : east - west;
  const middle = ((south + north) / 2) * (Math.PI / 180);
  return { width: width * 111.32 * Math.cos(middle), height: (north - south) * 110.57 };
}

/**
 * Returns the size of a box as fractions of the width of the world.
 *
 * @param {Box} box
 */
export function boxOnMap([west, south, east, north]) {
  return { width: eastward(worldX(west), worldX(east)), height: worldY(south) - worldY(north) };
}

/**
 * @typedef {{major: number, minor: number, angle: number}} Ellipse Half axes, and the angle from east to the longer
 *   axis, in radians towards south.
 */

/**
 * Returns the size of the upright box around an ellipse. All lengths are fractions of the width of the world.
 *
 * @param {Ellipse} ellipse
 */
export function ellipseOnMap({ major, minor, angle }) {
  const [cosine, sine] = [Math.cos(angle), Math.sin(angle)];
  return {
    width: 2 * Math.hypot(major * cosine, minor * sine),
    height: 2 * Math.hypot(major * sine, minor * cosine),
  };
}

/**
 * Returns the zoom of 512 px tiles at which the points of a cluster fill a map. Outliers are ignored.
 *
 * @param {{bbox?: Box | null, ellipse?: Ellipse | null}} cluster
 * @param {{width: number, height: number}} size Size of the map, in pixels.
 */
export function fittingZoom({ bbox, ellipse }, { width, height }) {
  const [wide, high] = [width, height].map((side) => Math.max(side - 2 * PADDING, side / 2) / WORLD_SIZE);
  /** @param {{width: number, height: number}} of */
  const fits = (of) => Math.log2(Math.min(wide / of.width, high / of.height));
  return Math.max(bbox ? fits(boxOnMap(bbox)) : -Infinity, ellipse ? fits(ellipseOnMap(ellipse)) - Math.log2(FILLING) : -Infinity);
}

/** Number of pixels that stay free around the points of a cluster that fills the map. */
const PADDING = 20;
/**
 * Share of a cluster's ellipse that must fit on the map. With a smaller share, a user reaches a stack with fewer
 * clicks, but more points are out of view.
 */
const FILLING = 0.75;

/** The part of the world that is on the screen. */
export class Camera {
  /**
   * @param {{lng: number, lat: number}} center
   * @param {number} zoom Zoom of 512 px tiles.
   * @param {{width: number, height: number}} size Size of the map in pixels.
   * @param {number} bearing Direction that is up on the screen, in degrees clockwise from north.
   */
  constructor({ lng, lat }, zoom, { width, height }, bearing = 0) {
    this.longitude = lng;
    this.latitude = lat;
    this.zoom = zoom;
    this.width = width;
    this.height = height;
    /** The width of the world in pixels. */
    this.scale = WORLD_SIZE * 2 ** zoom;
    this.centerX = worldX(lng);
    this.centerY = worldY(lat);
    /** The direction of east on the screen, in radians clockwise from the right. */
    this.turn = (-bearing * Math.PI) / 180;
    this.cosine = Math.cos(this.turn);
    this.sine = Math.sin(this.turn);
    /** The copy of the world that this camera shows: the number of worlds between the middle copy and this copy. */
    this.turns = 0;
  }

  /**
   * Returns the camera of another copy of the world.
   *
   * @param {number} turns Number of worlds by which the other copy lies east of the middle copy.
   */
  copy(turns) {
    const copy = Object.assign(Object.create(Object.getPrototypeOf(this)), this);
    copy.turns = turns;
    return copy;
  }

  /**
   * Returns the position on the screen of a position in the world. Uses the copy of the position nearest to the middle
   * of the screen, moved by `turns` worlds.
   *
   * @param {number} x
   * @param {number} y
   */
  point(x, y) {
    const [east, south] = [(difference(this.centerX, x) + this.turns) * this.scale, (y - this.centerY) * this.scale];
    return {
      x: this.width / 2 + east * this.cosine - south * this.sine,
      y: this.height / 2 + east * this.sine + south * this.cosine,
    };
  }
}

/**
 * Returns the eastward distance from one x to another x.
 *
 * @param {number} from
 * @param {number} to
 */
export const eastward = (from, to) => to - from - Math.floor(to - from);
