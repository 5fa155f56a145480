// Histograms of columns, with the bins of the server's histograms. `BinStep.swift` has the same rules, and a test
// compares the results of both.

import { isoTime } from "../time.js";

/** @typedef {import("../columns.js").Column} Column */

/**
 * @typedef {object} Step An endless sequence of round values at which bins begin. Values are counted in ticks: decimal
 *   fractions of 1 for numbers, and of a second for times.
 * @property {(tick: bigint) => bigint} bin Returns the number of the bin that contains a tick.
 * @property {(bin: bigint) => bigint} start Returns the first tick of a bin.
 */

/** Greatest number of days from 1970 to a date of JavaScript. */
const MOST_DAYS = 1e8;

const DAY = 86400n;

/**
 * Returns the product of a number and a power of ten, correctly rounded.
 *
 * @param {number} value
 * @param {number} digits
 */
function shifted(value, digits) {
  const [significand, exponent = 0] = String(value).split("e");
  return Number(`${significand}e${+exponent + digits}`);
}

/** @param {bigint} a @param {bigint} b */
const floor = (a, b) => (a - (((a % b) + b) % b)) / b;

/** The powers of ten. */
const POWERS = Array.from({ length: 38 }, (_, exponent) => 10n ** BigInt(exponent));

/** The powers of ten, each multiplied by 1, 2 and 5. */
const DECIMALS = POWERS.flatMap((power) => [power, 2n * power, 5n * power]);

/**
 * @param {bigint} step
 * @returns {Step}
 */
const ofTicks = (step, from = 0n) => ({ bin: (tick) => floor(tick - from, step), start: (bin) => from + bin * step });

/**
 * Returns the beginnings of every n-th month, counted from January of the year 0.
 *
 * @param {number} step
 * @param {bigint} day Number of ticks of a day.
 * @returns {Step}
 */
const ofMonths = (step, day) => ({
  bin(tick) {
    const days = Math.min(Math.max(Number(floor(tick, day)), -MOST_DAYS), MOST_DAYS);
    const date = new Date(days * 864e5);
    return BigInt(Math.floor((date.getUTCFullYear() * 12 + date.getUTCMonth()) / step));
  },
  start(bin) {
    const month = Number(bin) * step;
    const days = new Date(0).setUTCFullYear(Math.floor(month / 12), ((month % 12) + 12) % 12, 1) / 864e5;
    return BigInt(Number.isNaN(days) ? Math.sign(month) * MOST_DAYS : days) * day;
  },
});

/**
 * Returns the steps for times. Steps for dates are whole days or longer.
 *
 * @param {number} digits
 * @param {boolean} isDates
 * @returns {Step[]}
 */
function stepsOfTimes(digits, isDates) {
  const second = 10n ** BigInt(digits);
  const day = second * DAY;
  // 1970 began on a Thursday, so the day three days earlier was a Monday.
  const monday = -3n * day;
  const seconds = [1, 2, 5, 10, 15, 30];
  const clock = [...seconds, ...seconds.map((each) => 60 * each), ...[1, 2, 3, 6, 12].map((each) => 3600 * each)];
  const ofDay = [...DECIMALS.filter((each) => each < second), ...clock.map((each) => BigInt(each) * second)];
  return [
    ...(isDates ? [] : ofDay).map((each) => ofTicks(each)),
    ofTicks(day), ofTicks(2n * day), ofTicks(7n * day, monday), ofTicks(14n * day, monday),
    ...[1, 2, 3, 6].map((each) => ofMonths(each, day)),
    ...DECIMALS.slice(0, 18).map((each) => ofMonths(12 * Number(each), day)),
  ];
}

/**
 * Returns the edges of bins of the first step that needs at most `count` bins.
 *
 * @param {Step[]} steps
 * @param {number} count
 * @param {bigint} least
 * @param {bigint} greatest
 */
function evenTicks(steps, count, least, greatest) {
  const found = steps.find(({ bin }) => bin(greatest) - bin(least) < BigInt(count));
  const step = found ?? steps[steps.length - 1];
  const first = step.bin(least);
  return Array.from({ length: Number(step.bin(greatest) - first) + 2 }, (_, at) => step.start(first + BigInt(at)));
}

/** @param {number} value Greater than 0. */
const exponentOf = (value) => Number(value.toExponential().split("e")[1]);

/**
 * Returns the edges of at most `count` bins of equal width for doubles.
 *
 * @param {number} count
 * @param {number} least
 * @param {number} greatest
 */
function evenReals(count, least, greatest) {
  // Halves both values before the subtraction, because the difference of very large doubles may be infinite.
  const width = ((greatest / 2 - least / 2) / count) * 2;
  for (let exponent = exponentOf(width > 0 ? width : Math.abs(least) || Number.MIN_VALUE) - 1; ; exponent++) {
    for (const factor of [1n, 2n, 5n]) {
      // Parsing a text rounds correctly, unlike a product.
      const edge = (/** @type {bigint} */ multiple) => Number(`${multiple * factor}e${exponent}`);
      const [low, high] = [least, greatest].map((value) => Math.floor(value / edge(1n)));
      if (!(Math.abs(low) < 2 ** 100 && Math.abs(high) < 2 ** 100 && high - low <= count + 1)) continue;
      let [first, last] = [BigInt(low), BigInt(high) + 1n];
      // Both quotients are rounded.
      while (edge(first) > least) first--;
      while (first < last && edge(first + 1n) <= least) first++;
      while (edge(last) <= greatest) last++;
      while (last - 1n > first && edge(last - 1n) > greatest) last--;
      if (last - first > BigInt(count)) continue;
      return Array.from({ length: Number(last - first) + 1 }, (_, at) => edge(first + BigInt(at)));
    }
  }
}

/** Bins of a logarithmic scale begin at powers of ten times every factor of one list. Later lists give fewer bins. */
const FACTORS = [[1, 2, 3, 4, 5, 6, 8], [1, 2, 3, 5], [1, 2, 5], [1, 3], [1]];

/** Number of powers of ten below the greatest that have their own bins in a column of doubles. */
const DECADES = 8;

/**
 * Returns the edges of bins whose width grows with the distance from 0.
 *
 * @template {bigint | number} Value
 * @param {number} count
 * @param {Value} least
 * @param {Value} greatest
 * @param {Value} zero
 * @param {(factor: number) => Value[]} powers Returns the powers of ten, multiplied by a factor.
 * @returns {Value[]}
 */
function logarithmic(count, least, greatest, zero, powers) {
  const negated = (/** @type {Value} */ value) => /** @type {Value} */ (-value);
  /** @type {Value[]} */
  let edges = [];
  for (const factors of FACTORS) {
    const magnitudes = factors.flatMap(powers).sort((a, b) => (a < b ? -1 : 1));
    /** @param {Value} low @param {Value} high */
    const part = (low, high) => {
      const start = Math.max(magnitudes.filter((each) => each <= low).length - 1, 0);
      const found = magnitudes.findIndex((each) => each > high);
      const end = found < 0 ? magnitudes.length - 1 : found;
      return start < end ? magnitudes.slice(start, end + 1) : [magnitudes[end]];
    };
    const nearest = greatest < 0 ? negated(greatest) : zero;
    const negative = least < 0 ? part(nearest, negated(least)).reverse().map(negated) : [];
    const positive = greatest < 0 ? [] : part(least, greatest);
    edges = [...negative, ...(least <= 0 || !positive.length || positive[0] > least ? [zero] : []), ...positive];
    if (edges.length <= count + 1) break;
  }
  return edges;
}

/** @type {WeakMap<Column, {least: number, greatest: number} | null>} */
const extents = new WeakMap();

/** Number of decimals of a second up to which the doubles of all times are different. */
const EXACT_DIGITS = 3;

/**
 * Returns a function that returns the value of a point in a form that can be compared: a time with many decimals in
 * nanoseconds, and all other values as doubles.
 *
 * @param {Column} column
 * @returns {(index: number) => number | bigint | null}
 */
function readerOf({ digits = 0, instant, kind, value }) {
  if (kind === "time" && digits > EXACT_DIGITS) return (index) => instant?.(index) ?? null;
  return /** @type {(index: number) => number | null} */ (value);
}

/**
 * Returns the indices of the points with the least and the greatest value; null if no point has a value.
 *
 * @param {Column} column
 * @param {number} pointCount
 */
function extentOf(column, pointCount) {
  const known = extents.get(column);
  if (known !== undefined) return known;
  const read = readerOf(column);
  let [least, greatest] = [-1, -1];
  let [low, high] = /** @type {(number | bigint)[]} */ ([Infinity, -Infinity]);
  for (let index = 0; index < pointCount; index++) {
    const value = read(index);
    if (value === null) continue;
    if (value < low) [least, low] = [index, value];
    if (value > high) [greatest, high] = [index, value];
  }
  const extent = least < 0 ? null : { least, greatest };
  extents.set(column, extent);
  return extent;
}

/**
 * Returns the number of points in each bin of a column's values, in the form of the server. The bins cover the values
 * of all points of the tree, so they stay the same when the map moves or the filter changes.
 *
 * @param {Column} column A column of numbers or times.
 * @param {number} pointCount Number of points of the tree.
 * @param {Iterable<number>} indices Tree indices of the points to count.
 * @param {{bins: number, isLogarithmic: boolean}} options
 */
export function histogramOf(column, pointCount, indices, { bins, isLogarithmic }) {
  const { value: valueOf, digits, isDates = false, instant, kind } = column;
  const extent = extentOf(column, pointCount);
  /** @type {(string | number | null)[]} */
  let edges = [];
  /** @type {(number | bigint)[]} */
  let starts = [];
  const read = readerOf(column);
  if (extent && digits !== undefined) {
    const unit = 10n ** BigInt(9 - Math.min(digits, 9));
    /** @param {number} index */
    const tick = (index) => {
      if (kind === "time") return /** @type {bigint} */ (instant?.(index)) / unit;
      return BigInt(Math.round(shifted(Number(valueOf(index)), digits)));
    };
    const [least, greatest] = [tick(extent.least), tick(extent.greatest)];
    const steps = kind === "time" ? stepsOfTimes(digits, isDates) : DECIMALS.map((each) => ofTicks(each));
    const ticks = isLogarithmic && kind !== "time"
      ? logarithmic(bins, least, greatest, 0n, (factor) => POWERS.map((power) => BigInt(factor) * power))
      : evenTicks(steps, bins, least, greatest);
    const numbers = ticks.map((each) => Number(`${each}e-${digits}`));
    starts = typeof read(extent.least) === "bigint" ? ticks.map((each) => each * unit) : numbers;
    edges = kind === "time" ? ticks.map((each) => isoTime(each, digits, isDates)) : numbers;
  } else if (extent) {
    const [least, greatest] = [Number(valueOf(extent.least)), Number(valueOf(extent.greatest))];
    const top = exponentOf(Math.max(Math.abs(least), Math.abs(greatest), 2 ** -1022));
    const exponents = Array.from({ length: DECADES + 2 }, (_, at) => top - DECADES + at);
    starts = edges = isLogarithmic
      ? logarithmic(bins, least, greatest, 0, (factor) => exponents.map((exponent) => Number(`${factor}e${exponent}`)))
      : evenReals(bins, least, greatest);
  }
  const counts = new Array(Math.max(starts.length - 1, 0)).fill(0);
  let missing = 0;
  for (const index of indices) {
    const value = read(index);
    if (value === null) {
      missing++;
      continue;
    }
    let [low, high] = [0, counts.length];
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      if (starts[middle] <= value) low = middle;
      else high = middle;
    }
    counts[low]++;
  }
  return { column: column.name, edges, counts, missing_count: missing };
}
