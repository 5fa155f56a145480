// Easing functions: they turn the share of the time that is over into the share of the way, from 0 to 1.

export const linear = (p) => p;

export const glide = (p) => (p < 0.5 ? 4 * p * p * p : 1 - (2 - 2 * p) ** 3 / 2);

export const settle = (p) => 1 - (1 - p) ** 3;

const hermite = (p) => p * p * (3 - 2 * p);

/** The bounce of new badges in thoughtbot's article: scales 0.05, 1.1, 0.9, 1 at equal times. */
export function bounce(p) {
  if (p >= 1) return 1;
  const scales = [0.05, 1.1, 0.9, 1];
  const step = Math.floor(p * 3);
  return scales[step] + (scales[step + 1] - scales[step]) * hermite(p * 3 - step);
}

/** Grows from two thirds of the size to a little more than the full size, then shrinks to it. */
export function pop(p) {
  return p >= 1 ? 1 : p < 0.5 ? 0.66 + 0.42 * hermite(p * 2) : 1.08 - 0.08 * hermite(p * 2 - 1);
}
