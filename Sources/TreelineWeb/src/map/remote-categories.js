// The categories of the points of a tree on a server. `server.js` loads this module on demand, so maps without a server
// do not load it.

import { QueryError } from "../errors.js";
import { mostFrequent } from "./categories.js";

/** @typedef {import("../server.js").RemoteTree} RemoteTree */

/** @param {string} column */
const aggregateOf = (column) => `counts("${column.replaceAll('"', '""')}")`;

/** Categories of a tree on a server. */
export class RemoteCategories {
  /**
   * @param {string} column
   * @param {(string | null)[]} categories
   */
  constructor(column, categories) {
    this.categories = categories;
    this.aggregate = aggregateOf(column);
    this.name = `counts_${column}`;
  }

  /**
   * @param {RemoteTree} tree
   * @param {string} column
   */
  static async of(tree, column) {
    const { groups = [], never_clustered_point_count: lone = 0, column_kinds: kinds = {} } = tree.info;
    if (!Object.hasOwn(kinds, column)) throw new QueryError(`There is no column '${column}' for colorBy; columns: ${Object.keys(kinds).join(", ")}`);
    const all = await tree.clusters({ cut: { limit: Math.max(1, groups.length + lone) }, aggregate: aggregateOf(column) });
    /** @type {Map<string, number>} */
    const frequencies = new Map();
    for (const counts of all.values[`counts_${column}`]) {
      for (const [value, count] of Object.entries(counts)) frequencies.set(value, (frequencies.get(value) ?? 0) + Number(count));
    }
    return new RemoteCategories(column, mostFrequent(frequencies, all.counts.reduce((sum, count) => sum + count, 0)));
  }

  /**
   * @param {import("../server.js").RemoteClusters} answer
   * @param {number} i
   */
  parts({ counts, values }, i) {
    let rest = counts[i];
    const parts = this.categories.map((category) => {
      const own = values[this.name][i];
      const count = category !== null && Object.hasOwn(own, category) ? own[category] : 0;
      rest -= count;
      return count;
    });
    const others = this.categories.indexOf(null);
    if (others >= 0) parts[others] = rest;
    return parts;
  }
}
