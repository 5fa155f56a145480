// The clusters that are selected: those that were, whatever became of them, by the points that they have.

import { firstPoint } from "./cluster.js";

export class Selection {
  /** Those that were selected. */
  ids = [];
  /** Their points in tree order, each from the first up to the end. */
  ranges = [];
  /** Called with other ids once some were selected by hand. */
  onChange = () => {};

  /** Whether a cluster that is shown has a point that is selected. */
  has({ id, count, properties: { tree_range: [first, end] = [firstPoint(id), firstPoint(id) + count] } }) {
    return this.ranges.some((range) => range[0] < end && first < range[1]);
  }

  /** Selects a cluster alone, or selects it no more. */
  toggle({ id }) {
    this.onChange(this.ids.includes(id) ? this.ids.filter((other) => other !== id) : [...this.ids, id]);
  }
}
