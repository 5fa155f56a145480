// How things get from where they are to where they go: functions from 0 to 1, of the share of the time that is over.

export const linear = (p) => p;

export const glide = (p) => (p < 0.5 ? 4 * p * p * p : 1 - (2 - 2 * p) ** 3 / 2);

export const settle = (p) => 1 - (1 - p) ** 3;

const hermite = (p) => p * p * (3 - 2 * p);

/** The appear bounce of thoughtbot's article: scales 0.05, 1.1, 0.9, 1 at equal times. */
export function bounce(p) {
  if (p >= 1) return 1;
  const scales = [0.05, 1.1, 0.9, 1];
  const step = Math.floor(p * 3);
  return scales[step] + (scales[step + 1] - scales[step]) * hermite(p * 3 - step);
}

/** From two thirds of the size a little beyond all of it, and back. */
export function pop(p) {
  return p >= 1 ? 1 : p < 0.5 ? 0.66 + 0.42 * hermite(p * 2) : 1.08 - 0.08 * hermite(p * 2 - 1);
}
