// Easing functions. Each maps the share of the time that has passed, from 0 to 1, to the share of the way that is
// covered.

/** @typedef {(p: number) => number} Easing */

/** @type {Easing} */
export const linear = (p) => p;

/** @type {Easing} */
export const glide = (p) => (p < 0.5 ? 4 * p * p * p : 1 - (2 - 2 * p) ** 3 / 2);

/** @type {Easing} */
export const settle = (p) => 1 - (1 - p) ** 3;

/** @type {Easing} */
const hermite = (p) => p * p * (3 - 2 * p);

/**
 * The bounce of new badges, from thoughtbot's article. Badges have the scales 0.05, 1.1, 0.9 and 1 at equal intervals.
 */
const SCALES = [0.05, 1.1, 0.9, 1];

/** @type {Easing} */
export function bounce(p) {
  if (p >= 1) return 1;
  const step = Math.floor(p * 3);
  return SCALES[step] + (SCALES[step + 1] - SCALES[step]) * hermite(p * 3 - step);
}
