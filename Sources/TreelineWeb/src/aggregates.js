// Computes the aggregates that the page Filters describes. The names of aggregates in features are the same as on the
// server.

import { columnNamed } from "./column-named.js";
import { QueryError } from "./errors.js";
import { textOrder } from "./filter.js";

/** @typedef {import("./answer.js").Clusters} Clusters */
/** @typedef {number | string | boolean} Present */

/**
 * @typedef {object} Aggregate
 * @property {string} kind
 * @property {string} column Name of a column. Empty for `count` without a column; such an aggregate counts all points.
 * @property {number} [amount] For `top`, the number of values. For `percentile`, the percentage.
 * @property {string} [weight]
 */

const AGGREGATE = /\s*(\w+)\s*(?:\(\s*("(?:[^"]|"")*"|[^(),"]+?)\s*(?:,\s*(?:weight\s*:\s*("(?:[^"]|"")*"|[^(),"]+?)|([\d.]+))\s*)?\))?\s*(,|$)/y;
const KINDS = ["count", "sum", "mean", "variance", "min", "max", "any", "all", "counts", "top", "mode", "median", "percentile", "distinct"];

/**
 * @param {string} text For example `sum(population), top(kind, 3)`.
 * @returns {Aggregate[]}
 */
function parsed(text) {
  /** @type {Aggregate[]} */
  const aggregates = [];
  if (typeof text !== "string") throw new QueryError(`Expected aggregates as text, found ${text}`);
  for (AGGREGATE.lastIndex = 0; ; ) {
    const start = AGGREGATE.lastIndex;
    const match = AGGREGATE.exec(text);
    const [, kind, column, weight, amount, end] = match ?? [];
    const isKnown = KINDS.includes(kind) && (column !== undefined || kind === "count");
    const needsAmount = kind === "top" || kind === "percentile";
    const isSound = isKnown && needsAmount === (amount !== undefined) && (weight === undefined || kind === "mean");
    if (!isSound || (kind === "top" && !(Number(amount) >= 1)) || Number(amount) > (kind === "percentile" ? 100 : 1e6)) {
      throw new QueryError(`Expected an aggregate such as sum(population) or top(kind, 3), found ${text.slice(start) || "nothing"}`);
    }
    aggregates.push({ kind, column: unquoted(column), amount: Number(amount), weight: weight && unquoted(weight) });
    if (end !== ",") return aggregates;
  }
}

const unquoted = (/** @type {string | undefined} */ name) =>
  name?.startsWith('"') ? name.slice(1, -1).replaceAll('""', '"') : name ?? "";

/**
 * Returns the name of each aggregate in the properties of a feature.
 *
 * @param {string} text
 */
export function namesOf(text) {
  /** @type {Set<string>} */
  const names = new Set();
  for (const { kind, column, amount, weight } of parsed(text)) {
    let name = [kind, kind === "percentile" ? amount : "", column, weight && `by_${weight}`].filter((part) => part !== "" && part !== undefined).join("_");
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
  /** @param {string} name */
  const valueOf = (name) => columnNamed(tree, name, "to aggregate").value;
  const aggregates = parsed(text);
  const names = namesOf(text);
  /** @type {Record<string, any[]>} */
  const result = {};
  aggregates.forEach((aggregate, number) => {
    const value = aggregate.column ? valueOf(aggregate.column) : () => true;
    const weight = aggregate.weight ? valueOf(aggregate.weight) : null;
    result[names[number]] = Array.from({ length: clusters.length }, (_, i) => {
      /** @type {Present[]} */
      const values = [];
      const weights = [];
      for (let index = nodes[4 * i], end = index + nodes[4 * i + 1]; index < end; index++) {
        if (selection && !selection.passes(index)) continue;
        const own = value(index);
        const factor = weight ? weight(index) : 1;
        if (own === null || factor === null) continue;
        values.push(own);
        if (weight) weights.push(Number(factor));
      }
      return valueOfAll(aggregate, values, weights);
    });
  });
  return result;
}

/**
 * @param {Aggregate} aggregate
 * @param {Present[]} values The values of a cluster's points, without missing values.
 * @param {number[]} weights Weights of the values, for a weighted mean.
 * @returns {any}
 */
function valueOfAll({ kind, amount = 0, weight }, values, weights) {
  const count = values.length;
  switch (kind) {
    case "count": return count;
    case "distinct": return new Set(values).size;
    case "any": return count ? values.some(Boolean) : null;
    case "all": return count ? values.every(Boolean) : null;
    case "sum": return sum(values.map(numeric));
    case "counts": return Object.fromEntries(frequencies(values));
    case "top": return Object.fromEntries(frequencies(values).slice(0, amount));
  }
  if (!count) return null;
  switch (kind) {
    case "mode": return frequencies(values)[0][0];
    case "min": return values.reduce((a, b) => (compare(b, a) < 0 ? b : a));
    case "max": return values.reduce((a, b) => (compare(b, a) > 0 ? b : a));
    case "mean": {
      if (!weight) return sum(values.map(numeric)) / count;
      const total = sum(weights);
      return total > 0 ? sum(values.map((value, i) => numeric(value) * weights[i])) / total : null;
    }
    case "variance": {
      const mean = sum(values.map(numeric)) / count;
      return sum(values.map((value) => (numeric(value) - mean) ** 2)) / count;
    }
  }
  const sorted = values.sort(compare);
  if (kind === "percentile") return sorted[Math.max(Math.ceil((amount * count) / 100), 1) - 1];
  const [lower, upper] = [sorted[(count - 1) >> 1], sorted[count >> 1]];
  return typeof lower === "number" && typeof upper === "number" && lower !== upper ? lower + (upper - lower) / 2 : lower;
}

/** @param {Present} value */
function numeric(value) {
  if (typeof value === "string") throw new QueryError(`Expected a column of numbers to aggregate, found the text ${value}`);
  return Number(value);
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
