// Computes the aggregates that the page Filters describes. The names of aggregates in features are the same as on the
// server.

import { columnNamed } from "./column-named.js";
import { asText, QueryError } from "./errors.js";
import { textOrder } from "./filter.js";
import { isoTime } from "./time.js";

/** @typedef {import("./answer.js").Clusters} Clusters */
/** @typedef {import("./columns.js").Column} Column */
/** @typedef {number | string | boolean | bigint} Present A value of a point. A time is in nanoseconds since 1970. */

/**
 * @typedef {object} Aggregate
 * @property {string} kind
 * @property {string} column Name of a column. Empty for `count` without a column; such an aggregate counts all points.
 * @property {number} [amount] For `top`, the number of values. For `percentile`, the percentage.
 * @property {string} [weight] Name of a second column. For `mean`, this column contains the weights of values. For
 *   `first` and `last`, this column orders the points.
 * @property {string} text The aggregate as it was written, for messages.
 */

const AGGREGATE = /\s*(\w+)\s*(?:\(\s*("(?:[^"]|"")*"|[^(),"]+?)\s*(?:,\s*(?:(weight|by)\s*:\s*("(?:[^"]|"")*"|[^(),"]+?)|([\d.]+(?:[eE][-+]?\d+)?))\s*)?\))?\s*(,|$)/y;
const KINDS = ["count", "sum", "mean", "variance", "min", "max", "any", "all", "counts", "top", "mode", "median", "percentile", "distinct", "first", "last"];
const NUMBERS = "number or boolean";

/**
 * @param {string} text For example `sum(population), top(kind, 3)`.
 * @returns {Aggregate[]}
 */
function parsed(text) {
  /** @type {Aggregate[]} */
  const aggregates = [];
  if (typeof text !== "string") throw new QueryError(`Expected aggregates as text, found ${asText(text)}`);
  for (AGGREGATE.lastIndex = 0; ; ) {
    const start = AGGREGATE.lastIndex;
    const match = AGGREGATE.exec(text);
    const [, kind, column, label, weight, amount, end] = match ?? [];
    const isKnown = KINDS.includes(kind) && (column !== undefined || kind === "count");
    const needsAmount = kind === "top" || kind === "percentile";
    const suits = label ? label === (kind === "mean" ? "weight" : kind === "first" || kind === "last" ? "by" : "") : kind !== "last";
    if (!isKnown || !suits || needsAmount !== (amount !== undefined)) {
      throw new QueryError(`Expected an aggregate such as sum(population) or top(kind, 3), found ${text.slice(start) || "none"}`);
    }
    const number = Number(amount);
    const written = text.slice(start, AGGREGATE.lastIndex - end.length).trim();
    if (needsAmount && !(kind === "top" ? Number.isInteger(number) && number >= 1 && number <= 1e6 : number <= 100)) {
      throw new QueryError(`Expected a ${kind === "top" ? "whole number from 1 to 1000000" : "number from 0 to 100"} in ${written}`);
    }
    aggregates.push({ kind, column: unquoted(column), amount: number, weight: weight && unquoted(weight), text: written });
    if (end !== ",") return aggregates;
  }
}

const unquoted = (/** @type {string | undefined} */ name) =>
  name?.startsWith('"') ? name.slice(1, -1).replaceAll('""', '"') : name ?? "";

/**
 * Returns a percentage as the server writes it: with an exponent of two digits or more if it is below 0.0001.
 *
 * @param {number} [amount]
 */
const written = (amount = 0) => amount > 0 && amount < 1e-4 ? amount.toExponential().replace(/-(\d)$/, "-0$1") : String(amount);

/**
 * Returns the name of each aggregate in the properties of a feature.
 *
 * @param {string} text
 */
export function namesOf(text) {
  /** @type {Set<string>} */
  const names = new Set();
  for (const { kind, column, amount, weight } of parsed(text)) {
    let name = [kind, kind === "percentile" ? written(amount) : "", column, weight && `by_${weight}`].filter((part) => part !== "" && part !== undefined).join("_");
    while (names.has(name)) name += "_";
    names.add(name);
  }
  return [...names];
}

/**
 * Returns an array for each aggregate, by name, with one value for each cluster. Each aggregate reads the points of all
 * clusters once.
 *
 * @param {Clusters} clusters
 * @param {string} text
 * @returns {Record<string, any[]>}
 */
export function valuesOf(clusters, text) {
  const { tree, tree: { selection }, nodes } = clusters;
  const aggregates = parsed(text);
  const names = namesOf(text);
  /** @type {Record<string, any[]>} */
  const result = {};
  aggregates.forEach((aggregate, number) => {
    const { kind, column, weight } = aggregate;
    /** @param {string} name @param {string} [expected] */
    const reader = (name, expected) => readerOf(columnNamed(tree, name, "to aggregate"), aggregate.text, expected);
    const own = column ? reader(column, SUITED[kind]) : null;
    const second = weight === undefined ? null : reader(weight, kind === "mean" ? "number" : undefined);
    result[names[number]] = Array.from({ length: clusters.length }, (_, i) => {
      /** @type {Present[]} */
      const values = [];
      /** @type {Present[]} */
      const seconds = [];
      for (let index = nodes[4 * i], end = index + nodes[4 * i + 1]; index < end; index++) {
        if (selection && !selection.passes(index)) continue;
        const value = own ? own.value(index) : true;
        const other = second ? second.value(index) : 1;
        if (value === null || other === null) continue;
        values.push(value);
        if (second) seconds.push(other);
      }
      return valueOfAll(aggregate, values, seconds, (value) => own?.shown(value));
    });
  });
  return result;
}

/**
 * The kinds of columns that suit an aggregate. All other aggregates take columns of any kind.
 *
 * @type {Record<string, string>}
 */
const SUITED = { any: "boolean", all: "boolean", sum: NUMBERS, mean: NUMBERS, variance: NUMBERS };

/**
 * Returns functions that read a column for an aggregate.
 *
 * @param {Column} column
 * @param {string} text The aggregate, for messages.
 * @param {string} [expected] The kinds of columns that the aggregate takes. By default, any kind.
 */
function readerOf(column, text, expected) {
  // The last point with a time; -1 if no value was a time.
  let sample = -1;
  const isAny = column.kind === "any";
  /** @param {string} type */
  const check = (type) => {
    if (expected && !expected.includes(type)) throw new QueryError(`Expected a column of kind ${expected} for ${text}, found the column '${column.name}' of kind ${type}`);
  };
  if (!isAny) check(column.kind);
  return {
    /**
     * Returns a point's value, in a form that can be compared exactly; null if the value is missing.
     *
     * @param {number} index
     * @returns {Present | null}
     */
    value: (index) => {
      const instant = column.instant?.(index) ?? null;
      if (instant !== null) sample = index;
      const value = instant ?? column.value(index);
      if (isAny && value !== null) check(instant !== null ? "time" : typeof value === "bigint" ? "number" : typeof value);
      return value;
    },
    /**
     * Returns a value as it is in features. A time is a text there: a date if the column has dates.
     *
     * @param {Present} value
     */
    shown: (value) => {
      if (sample < 0 || typeof value !== "bigint") return value;
      const output = column.output(sample);
      return isoTime(value, 9, typeof output === "string" && !output.includes("T"));
    },
  };
}

/**
 * @param {Aggregate} aggregate
 * @param {Present[]} values The values of a cluster's points, without missing values.
 * @param {Present[]} seconds The values of the second column at the same points.
 * @param {(value: Present) => any} shown Returns a value as it is in features.
 * @returns {any}
 */
function valueOfAll({ kind, amount = 0, weight }, values, seconds, shown) {
  const count = values.length;
  const numbers = () => values.map(Number);
  /** @param {[Present, number][]} counts */
  const told = (counts) => Object.fromEntries(counts.map(([value, count]) => [shown(value), count]));
  switch (kind) {
    case "count": return count;
    case "distinct": return new Set(values).size;
    case "sum": return sum(numbers());
    case "counts": return told(frequencies(values));
    case "top": return told(frequencies(values).slice(0, amount));
  }
  if (!count) return null;
  switch (kind) {
    case "any": return values.some(Boolean);
    case "all": return values.every(Boolean);
    case "mode": return shown(frequencies(values)[0][0]);
    case "min": return shown(values.reduce((a, b) => (compare(b, a) < 0 ? b : a)));
    case "max": return shown(values.reduce((a, b) => (compare(b, a) > 0 ? b : a)));
    case "first":
    case "last": {
      // Without a second column, the first value is the result, because points are in tree order.
      if (weight === undefined) return shown(values[0]);
      const sign = kind === "first" ? -1 : 1;
      const best = [...values.keys()].reduce((a, b) => ((sign * compare(seconds[b], seconds[a]) || compare(values[b], values[a])) < 0 ? b : a));
      return shown(values[best]);
    }
    case "mean": {
      if (!weight) return sum(numbers()) / count;
      const weights = seconds.map(Number);
      const total = sum(weights);
      return total > 0 ? sum(numbers().map((value, i) => value * weights[i])) / total : null;
    }
    case "variance": {
      const mean = sum(numbers()) / count;
      return sum(numbers().map((value) => (value - mean) ** 2)) / count;
    }
  }
  const sorted = values.sort(compare);
  if (kind === "percentile") return shown(sorted[rankOf(amount, count) - 1]);
  const [lower, upper] = [sorted[(count - 1) >> 1], sorted[count >> 1]];
  return typeof lower === "number" && typeof upper === "number" && lower !== upper ? lower + (upper - lower) / 2 : shown(lower);
}

/**
 * Returns a sum whose rounding errors are compensated (A. Neumaier, 1974, doi:10.1002/zamm.19740540106).
 *
 * @param {number[]} numbers
 */
function sum(numbers) {
  let [total, lost] = [0, 0];
  for (const number of numbers) {
    const next = total + number;
    lost += Math.abs(total) >= Math.abs(number) ? total - next + number : number - next + total;
    total = next;
  }
  return total + lost;
}

/**
 * Returns each distinct value with its frequency, the most frequent value first. Values of equal frequency are in
 * ascending order.
 *
 * @param {Present[]} values
 */
function frequencies(values) {
  /** @type {Map<Present, number>} */
  const counts = new Map();
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1);
  return [...counts].sort((a, b) => b[1] - a[1] || compare(a[0], b[0]));
}

/**
 * @param {Present} a
 * @param {Present} b
 */
function compare(a, b) {
  return typeof a === "string" && typeof b === "string" ? textOrder(a, b) : a < b ? -1 : a > b ? 1 : 0;
}

/**
 * Returns the rank of a percentage among `count` values: the percentage of the count, rounded up, and at least 1. The
 * result is exact for the decimals of the percentage, unlike the product of two doubles.
 *
 * @param {number} percent From 0 to 100.
 * @param {number} count
 */
function rankOf(percent, count) {
  const [decimal, exponent = "0"] = String(percent).split("e");
  const [whole, fraction = ""] = decimal.split(".");
  const unit = 10n ** BigInt(fraction.length - Number(exponent) + 2);
  return Math.max(Number((BigInt(whole + fraction) * BigInt(count) + unit - 1n) / unit), 1);
}
