// Web Mercator in fractions of the world. x grows from 0 in the west to 1 in the east, y from 0 in the north to 1 in
// the south.

import { SERVER_WORLD_SIZE, WORLD_SIZE } from "./constants.js";

/** Difference between the server's zoom and the map library's zoom at the same scale. */
const ZOOM_OFFSET = Math.log2(WORLD_SIZE / SERVER_WORLD_SIZE);
export const serverZoom = (zoom) => zoom + ZOOM_OFFSET;
export const mapZoom = (zoom) => zoom - ZOOM_OFFSET;

export const worldX = (longitude) => (longitude + 180) / 360;

export function worldY(latitude) {
  const sine = Math.sin((latitude * Math.PI) / 180);
  return 0.5 - Math.log((1 + sine) / (1 - sine)) / (4 * Math.PI);
}

/** Returns the shortest difference from one x to another around the world, from -0.5 to 0.5. */
export const difference = (from, to) => to - from - Math.round(to - from);

/** Returns the size of a box in kilometres, measured along its middle. */
export function boxSize([west, south, east, north]) {
  const width = east < west ? east + 360 - west : east - west;
  const middle = ((south + north) / 2) * (Math.PI / 180);
  return { width: width * 111.32 * Math.cos(middle), height: (north - south) * 110.57 };
}

/** Returns the size of a box in fractions of the world. */
export function boxOnMap([west, south, east, north]) {
  return { width: eastward(worldX(west), worldX(east)), height: worldY(south) - worldY(north) };
}

/** Returns the size of the upright box around an ellipse with half axes in fractions of the world. */
export function ellipseOnMap({ major, minor, angle }) {
  const [cosine, sine] = [Math.cos(angle), Math.sin(angle)];
  return {
    width: 2 * Math.hypot(major * cosine, minor * sine),
    height: 2 * Math.hypot(major * sine, minor * cosine),
  };
}

/** The part of the world that is on the screen. */
export class Camera {
  /**
   * @param map The map, which is neither turned nor tilted.
   * @param size Size of the map in pixels. Reading it from the page would cause a new layout in every frame.
   */
  constructor(map, { width, height }) {
    const { lng, lat } = map.getCenter();
    this.longitude = lng;
    this.latitude = lat;
    this.zoom = map.getZoom();
    this.width = width;
    this.height = height;
    /** The width of the world in pixels. */
    this.scale = WORLD_SIZE * 2 ** this.zoom;
    this.centerX = worldX(lng);
    this.centerY = worldY(lat);
  }

  /** Returns the position on the screen, on the copy of the world nearest to the middle. */
  screenX(x) {
    return this.width / 2 + difference(this.centerX, x) * this.scale;
  }

  screenY(y) {
    return this.height / 2 + (y - this.centerY) * this.scale;
  }

  /** Returns a box of longitudes and latitudes on the screen, on the same copy of the world as a position within it. */
  box([west, south, east, north], x) {
    const left = this.screenX(x) - eastward(worldX(west), x) * this.scale;
    const top = this.screenY(worldY(north));
    const width = eastward(worldX(west), worldX(east)) * this.scale;
    return { left, top, width, height: this.screenY(worldY(south)) - top };
  }
}

/** Returns the distance from one x to another when going east. */
const eastward = (from, to) => to - from - Math.floor(to - from);
