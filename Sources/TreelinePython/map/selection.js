// The selected clusters. Their points stay selected when clusters split or merge later.

import { firstPoint } from "./cluster.js";

export class Selection {
  /** Ids of the clusters that were selected. */
  ids = [];
  /**
   * Ranges of the selected points in tree order. Each range has the index of its first point and one past the index of
   * its last point.
   */
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
