// A small histogram of numbers. If the numbers differ by powers of ten, the scale of the histogram is logarithmic. The
// logarithmic scale also works with 0 and negative numbers.

import { short } from "./text.js";

/**
 * `BARS` is the number of bars. `MOST_TICKS` is the greatest number of labels for powers of ten. `LEAST_DISTANCE` is
 * the least distance between two labels, as a share of the width.
 */
const BARS = 24;
const MOST_TICKS = 5;
const LEAST_DISTANCE = 0.1;

/** The scale is logarithmic if the greatest magnitude is more than `SKEWED` times the median magnitude. */
const SKEWED = 20;

/** A logarithmic scale treats magnitudes below this share of the greatest magnitude as almost 0. */
const LEAST_MAGNITUDE = 1e-8;

/**
 * @param sorted At least one number, in ascending order. Not all numbers are equal.
 * @returns Number of values in each bar, whether the scale is logarithmic, and labels with their places from 0 to 1.
 */
export function histogramOf(sorted) {
  const [least, most] = [sorted[0], sorted.at(-1)];
  const magnitudes = sorted.filter((value) => value !== 0).map(Math.abs).sort((a, b) => a - b);
  const greatest = magnitudes.at(-1);
  const isLogarithmic = greatest / magnitudes[magnitudes.length >> 1] > SKEWED;
  // Magnitudes below `unit` have a nearly linear scale, so that the scale reaches 0.
  const unit = Math.max(magnitudes[0], greatest * LEAST_MAGNITUDE);
  const scale = !isLogarithmic ? (value) => value : least > 0 ? Math.log : (value) => Math.sign(value) * Math.log1p(Math.abs(value) / unit);
  const place = (value) => (scale(value) - scale(least)) / (scale(most) - scale(least));
  const bars = new Array(BARS).fill(0);
  for (const value of sorted) bars[Math.min(Math.floor(place(value) * BARS), BARS - 1)]++;
  const rounds = isLogarithmic ? powers(unit, greatest) : multiples(least, most);
  const ticks = [];
  for (const value of rounds) {
    if (value < least || value > most) continue;
    const at = place(value);
    if (ticks.every((tick) => Math.abs(tick.at - at) >= LEAST_DISTANCE)) ticks.push({ at, text: short(value) });
  }
  return { bars, isLogarithmic, ticks };
}

/** Returns 0, then a few powers of ten with both signs, the greatest first. */
function powers(least, most) {
  const [lowest, highest] = [least, most].map((value) => Math.floor(Math.log10(value)));
  const step = Math.max(Math.ceil((highest - lowest) / MOST_TICKS), 1);
  const values = [0];
  for (let exponent = highest; exponent >= lowest; exponent -= step) {
    values.push(Number(`1e${exponent}`), -Number(`1e${exponent}`));
  }
  return values;
}

/** Returns round values between the least and the greatest value. */
function multiples(least, most) {
  const exponent = Math.floor(Math.log10((most - least) / 5));
  const factor = [1, 2, 5, 10].find((each) => (most - least) / (each * Number(`1e${exponent}`)) <= 5);
  const first = Math.ceil(least / (factor * Number(`1e${exponent}`)));
  // Each number is parsed from a text, because a product could have a rounding error, such as 0.30000000000000004.
  return Array.from({ length: 7 }, (_, at) => Number(`${(first + at) * factor}e${exponent}`));
}
