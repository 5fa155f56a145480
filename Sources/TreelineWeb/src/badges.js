// Diameters of badges, and the distances between them.

import { asText, BuildError } from "./errors.js";

/** A badge curve: the diameter of a badge by its number of points. */
export class BadgeCurve {
  /**
   * @param {ArrayLike<number>} counts Least number of points for each diameter, in ascending order. The first is 1.
   * @param {ArrayLike<number>} diameters Diameters in 64ths of a pixel. Each diameter is at least the previous
   *   diameter.
   * @param {number} gap Gap between two badges, in 64ths of a pixel.
   */
  constructor(counts, diameters, gap) {
    this.counts = Uint32Array.from(counts);
    this.diameters = Uint16Array.from(diameters);
    this.gap = gap;
    /** Diameter for each count below 2048. */
    this.byCount = new Uint16Array(2048);
    for (let step = 0; step < this.counts.length; step++) this.byCount.fill(this.diameters[step], this.counts[step]);
  }

  /**
   * Returns the diameter of a badge in 64ths of a pixel.
   *
   * @param {number} count
   */
  units(count) {
    if (count < this.byCount.length) return this.byCount[count];
    let step = this.counts.length - 1;
    while (this.counts[step] > count) step--;
    return this.diameters[step];
  }

  /**
   * Returns the least scaled distance at which no two badges touch, in units of the plane.
   *
   * @param {number} unitsPerPixel Units of the plane in a pixel of the screen.
   */
  distance(unitsPerPixel) {
    // Positions are rounded to whole units, so a cluster is shown less than a unit away from its exact position.
    return 8 * unitsPerPixel + 2048 / (2 * (this.diameters[0] + this.gap));
  }
}

/** The least number of points for each diameter: 26.5 px, 27 px, 27.5 px and so on. */
const STANDARD_COUNTS = [
  2, 3, 4, 5, 6, 7, 8, 10, 12, 14, 16, 18, 21, 24, 28, 32, 36, 41, 47, 53, 60, 69, 78, 88, 101, 115, 132, 152, 177, 207,
  245, 296, 367, 476, 672, 1230,
];

/**
 * Returns the standard curve. A single point is a dot of 10 px. Badges grow from 26.5 px for two points to 44 px for
 * 1,230 points.
 *
 * @param {number} gap Pixels between two badges, 0 to 128.
 */
export function standardCurve(gap = 0) {
  if (typeof gap !== "number" || !(gap >= 0 && gap <= 128)) throw new BuildError(`Expected a badgeGap from 0 to 128 px, found ${asText(gap)}`);
  return new BadgeCurve([1, ...STANDARD_COUNTS], [640, ...STANDARD_COUNTS.map((_, i) => (53 + i) * 32)], Math.round(gap * 64));
}

/** A curve with one diameter for all counts. With this curve a scaled distance equals the plain distance. */
export const DISTANCES = new BadgeCurve([1], [512], 0);
