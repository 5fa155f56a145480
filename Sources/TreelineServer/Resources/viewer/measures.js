// A table that compares both sides by measures of the server. The measures are for the view at which the map rests.

import { element, number } from "./text.js";

const pixels = (value) => `${value < 10 ? value.toFixed(1) : Math.round(value)}\u00a0px`;
const percent = (value) => `${Math.round(value * 100)}\u00a0%`;

/**
 * The rows of the table. Each row has a title in everyday words, the name of a measure, and the function `better`,
 * which returns the better of two values.
 */
const ROWS = [
  { name: "cluster_count", title: "Badges", measure: "in view", write: number },
  { name: "overlap", title: "Overlap", measure: "badges that touch another", write: percent, better: Math.min },
  {
    name: "grid_look", title: "In rows and columns", measure: "badges in line with a neighbor", write: percent,
    better: Math.min,
  },
  { name: "distortion", title: "Far from its points", measure: "typical distance to a point", write: pixels, better: Math.min },
  { name: "closest_pair", title: "Crowded", measure: "distance between the two closest badges", write: pixels, better: Math.max },
];

export class Measures {
  #controller = null;

  /** @param node Contains a table. */
  constructor(node, source) {
    this.node = node;
    this.source = source;
    this.cells = ROWS.map(({ title, measure }) => {
      const [grid, tree] = ["grid", "tree"].map((name) => {
        const cell = document.createElement("td");
        cell.className = name;
        cell.textContent = "–";
        return cell;
      });
      const heading = element("th", { scope: "row" }, title, element("small", {}, measure));
      const row = document.createElement("tr");
      row.append(grid, heading, tree);
      node.querySelector("tbody").append(row);
      return { grid, tree };
    });
  }

  /** Requests the measures of the sides, and cancels the previous request. */
  async update(index, sides) {
    this.#controller?.abort();
    const controller = (this.#controller = new AbortController());
    try {
      const answers = await Promise.all(
        // Measures do not depend on the values of points, so no aggregates are requested. The server measures clusters
        // at the positions of the cut, and refuses other positions.
        sides.map(({ query: { aggregate, position, ...query } }) => this.source.measures(index.name, query, controller.signal)));
      if (controller.signal.aborted) return;
      this.#show(Object.fromEntries(sides.map(({ name }, i) => [name, answers[i]])));
    } catch (error) {
      // No error is shown here, because the map itself reports that the server does not answer. Measures are requested
      // again after the next move.
      if (error.name !== "AbortError") this.#show({});
    }
  }

  #show(answers) {
    ROWS.forEach((row, at) => {
      const values = { grid: answers.grid?.[row.name], tree: answers.tree?.[row.name] };
      const known = Object.values(values).filter((value) => typeof value === "number");
      const differ = known.length === 2 && row.write(known[0]) !== row.write(known[1]);
      const best = row.better && differ ? row.better(...known) : null;
      for (const [name, value] of Object.entries(values)) {
        const cell = this.cells[at][name];
        cell.textContent = typeof value === "number" ? row.write(value) : "–";
        cell.classList.toggle("best", best !== null && value === best);
      }
    });
  }
}
