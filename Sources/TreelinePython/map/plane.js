// The plane of 2^32 by 2^32 units that contains the points, like `Plane` and `Mercator` of the library: the same
// operations in the same order, so that a window is equal to the unit.

const WORLD = 2 ** 32;

/** The latitude beyond which Web Mercator shows nothing. */
const MAXIMUM_LATITUDE = 85.0511287798066;

/** Returns the width of a pixel in units, at a zoom of 256 px tiles. */
export const unitsPerPixel = (zoom) => powerOf2(24 - zoom);

/** Returns a power of 2, like `Binary.power` of the library. */
function powerOf2(exponent) {
  const whole = Math.round(exponent);
  const x = exponent - whole;
  let sum = 1.0178062445845774e-07 + x * (7.072585949269223e-09 + x * 4.4549605981865186e-10);
  sum = 0.0001540353044173605 + x * (1.525273382983612e-05 + x * (1.321544258792169e-06 + x * sum));
  sum = 0.0555041086648216 + x * (0.009618129107606888 + x * (0.0013333558146416936 + x * sum));
  sum = 0.6931471805599453 + x * (0.24022650695910097 + x * sum);
  return (1 + x * sum) * 2 ** whole;
}

/** Returns x eastwards from longitude -180, modulo the world's width. */
function mercatorX(longitude) {
  const inOneTurn = Math.abs(longitude) <= 360 ? longitude : longitude % 360;
  return modulo(Math.round((inOneTurn + 180) * (WORLD / 360)));
}

const modulo = (units) => units - Math.floor(units / WORLD) * WORLD;

function mercatorY(latitude) {
  const part = Math.min(Math.abs(latitude), MAXIMUM_LATITUDE) * (1 / 90);
  const square = part * part;
  const odd = part
    * (0.7853981633974483
      + square * (-0.062145352039566705 + square * (0.0008382296683324081 + square * -1.3777072437601478e-06)));
  const even = 1 + square * (-0.2847426780942919 + square * (0.008881232016430318 + square * -4.889060316775422e-05));
  const [numerator, denominator] = [even + odd, even - odd];
  const limit = denominator * 1.4142135623730951;
  const doublings = [1, 2, 4, 8, 16].filter((step) => numerator > step * limit).length;
  const power = denominator * 2 ** doublings;
  const remainder = (numerator - power) / (numerator + power);
  const z = remainder * remainder;
  const high = 195309406.2532113 + z * (151575472.50482783 + z * 134034132.99516822);
  const ofRemainder = 1367130551.152827 + z * (455710183.805887 + z * (273426075.3129126 + z * high));
  const height = doublings * 473811343.4944856 + remainder * ofRemainder;
  return Math.min(Math.max(Math.round(WORLD / 2 + (latitude < 0 ? height : -height)), 0), WORLD - 1);
}

function latitude(y) {
  const height = Math.min(Math.max(1 - y * (2 / WORLD), -1), 1);
  const z = height * height;
  let odd = 106.33541022953081 + z * 0.9664572686250515;
  odd = 17997.094038867355 + z * (8767.160003102932 + z * (1728.2789883039677 + z * odd));
  odd = 179.99999999999778 + z * (2004.3963709410161 + z * (8532.402038610662 + z * (17507.030935487255 + z * odd)));
  let even = 5.61535797303942 + z * 0.1611690007432005;
  even = 219.20128720666466 + z * (152.74401722578062 + z * (49.33933538071875 + z * even));
  even = 1 + z * (12.780469460957695 + z * (64.36655102885277 + z * (162.90363037971449 + z * even)));
  return (height * odd) / even;
}

/** The plane of a tree, whose x = 0 is `seam` units east of longitude -180. */
export class MercatorPlane {
  constructor(seam) {
    this.seam = seam;
  }

  longitude(x) {
    const turns = (x + this.seam) / WORLD;
    return (turns - Math.floor(turns)) * 360 - 180;
  }

  latitude(y) {
    return latitude(y);
  }

  /** Returns the box of longitudes and latitudes around a box of the plane. */
  bounds({ minX, minY, maxX, maxY }) {
    const east = this.longitude(maxX);
    return [this.longitude(minX), latitude(maxY), east === -180 && minX !== maxX ? 180 : east, latitude(minY)];
  }

  /** Returns the length of a unit in meters, on the sphere of Web Mercator. */
  unitLength(latitude) {
    return ((2 * Math.PI * 6_378_137) / WORLD) * Math.cos((latitude * Math.PI) / 180);
  }

  /**
   * Returns the part of the plane that a screen shows: `width` units eastwards from `x`, across the plane's end if
   * necessary, and from `minY` to `maxY`.
   */
  windowAround([longitude, latitudeOfCenter], zoom, width, height) {
    const units = unitsPerPixel(zoom);
    const [x, y] = [modulo(mercatorX(longitude) - this.seam), mercatorY(latitudeOfCenter)];
    const isWholeTurn = width * units > WORLD - 1;
    const west = isWholeTurn ? -180 : this.longitude(x - (width / 2) * units);
    const east = isWholeTurn ? 180 : this.longitude(x + (width / 2) * units);
    return this.windowOf([west, latitude(y + (height / 2) * units), east, latitude(y - (height / 2) * units)]);
  }

  windowOf([west, south, east, north]) {
    const [start, end] = [mercatorX(west), mercatorX(east)];
    const degrees = east - west;
    const turn = degrees < 0 ? degrees + 360 : degrees;
    const isFullTurn = degrees >= 360 || (turn > 270 && modulo(end - start) < 2 ** 30);
    return {
      x: isFullTurn ? 0 : modulo(start - this.seam), width: isFullTurn ? WORLD - 1 : modulo(end - start),
      minY: mercatorY(north), maxY: mercatorY(south),
    };
  }
}

export const everything = { x: 0, width: WORLD - 1, minY: 0, maxY: WORLD - 1 };

/** Returns the eastward distance from one x to another. */
export const eastward = (from, to) => (to >= from ? to - from : to - from + WORLD);
