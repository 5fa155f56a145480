// The categories of the points of a tree in memory, for donuts. Counts the points of a cluster in each category. Maps
// without donuts do not load this module.

import { columnNamed } from "../column-named.js";

/** @typedef {import("../tree.js").Tree} Tree */
/** @typedef {import("../server.js").RemoteTree} RemoteTree */
/** @typedef {TreeCategories | import("./remote-categories.js").RemoteCategories} Categories */

/** Number of categories with their own colours. All other categories share one colour. */
const MOST = 6;

/**
 * Returns the most frequent values, the most frequent first. If there are other values, `null` comes last.
 *
 * @param {Map<string, number>} frequencies
 * @param {number} total Number of points, including points without a value.
 * @returns {(string | null)[]}
 */
export function mostFrequent(frequencies, total) {
  const sorted = [...frequencies].sort(([a, m], [b, n]) => n - m || (a < b ? -1 : 1)).slice(0, MOST);
  const rest = total - sorted.reduce((sum, [, count]) => sum + count, 0);
  return [...sorted.map(([value]) => value), ...(rest > 0 ? [null] : [])];
}

/**
 * Returns categories in a given order. The categories that are missing in the order come last.
 *
 * @param {(string | null)[]} categories
 * @param {string[]} [order]
 */
function inOrder(categories, order = []) {
  return [...order.filter((name) => categories.includes(name)), ...categories.filter((name) => name === null || !order.includes(name))];
}

/**
 * Returns the categories of a column.
 *
 * @param {Tree | RemoteTree} tree
 * @param {string} column
 * @param {string[]} [order]
 * @returns {Promise<Categories>}
 */
export async function categoriesOf(tree, column, order) {
  if (!("categories" in tree)) return new TreeCategories(tree, column, order);
  const found = await tree.categories(column);
  found.categories = inOrder(found.categories, order);
  return found;
}

/**
 * Categories of a tree in memory. The points of each category are counted once, as running totals in tree order. The
 * counts of a cluster are differences of totals.
 */
export class TreeCategories {
  /** Aggregate to request for the categories. A tree in memory needs no aggregate. */
  aggregate = undefined;
  /** @type {Tree | null} */
  #counted = null;
  /** For each index in tree order and each category: the number of points of the category before the index. */
  #before = new Uint32Array(0);

  /**
   * @param {Tree} tree
   * @param {string} column
   * @param {string[]} [order]
   */
  constructor(tree, column, order) {
    const { pointCount } = tree.hierarchy;
    const { kind, value, output } = columnNamed(tree, column, "for colorBy");
    const valueOf = kind === "time" ? output : value;
    /** @type {Map<string, number>} */
    const frequencies = new Map();
    for (let index = 0; index < pointCount; index++) {
      const value = valueOf(index);
      if (value !== null) frequencies.set(String(value), (frequencies.get(String(value)) ?? 0) + 1);
    }
    this.categories = inOrder(mostFrequent(frequencies, pointCount), order);
    const numbers = new Map(this.categories.map((category, number) => [category, number]));
    const rest = numbers.get(null) ?? 0;
    this.codes = Uint8Array.from({ length: pointCount }, (_, index) => {
      const value = valueOf(index);
      return numbers.get(value === null ? null : String(value)) ?? rest;
    });
  }

  /**
   * Returns the number of points of a cluster in each category.
   *
   * @param {import("../answer.js").Clusters} answer
   * @param {number} i
   * @param {number} first Index of the cluster's first point in tree order.
   * @param {number} size Number of the cluster's points, including points that fail a filter.
   */
  parts({ tree }, i, first, size) {
    const width = this.categories.length;
    if (this.#counted !== tree) this.#count(tree);
    return Array.from({ length: width }, (_, category) =>
      this.#before[(first + size) * width + category] - this.#before[first * width + category]);
  }

  /** @param {Tree} tree The tree with the current filter. */
  #count(tree) {
    const { codes, categories: { length: width } } = this;
    this.#counted = tree;
    const before = this.#before = new Uint32Array((codes.length + 1) * width);
    for (let index = 0; index < codes.length; index++) {
      before.copyWithin((index + 1) * width, index * width, (index + 1) * width);
      if (!tree.selection || tree.selection.passes(index)) before[(index + 1) * width + codes[index]]++;
    }
  }
}
