// The selected clusters. The points of a selected cluster stay selected when clusters split or merge later.

import { firstPoint } from "./cluster.js";

export class Selection {
  /** Ids of the clusters that were selected. */
  ids = [];
  /** Ranges of their points in tree order, each from the first point to one past the last. */
  ranges = [];
  /** Called with the new ids when the user changes the selection. */
  onChange = () => {};

  /** Returns whether a cluster on the map has a selected point. */
  has({ id, count, properties: { tree_range: [first, end] = [firstPoint(id), firstPoint(id) + count] } }) {
    return this.ranges.some((range) => range[0] < end && first < range[1]);
  }

  /** Selects or deselects one cluster. */
  toggle({ id }) {
    this.onChange(this.ids.includes(id) ? this.ids.filter((other) => other !== id) : [...this.ids, id]);
  }
}
