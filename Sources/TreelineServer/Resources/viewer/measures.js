// What the server measures of both sides for the view at rest, side by side.

import { number } from "./text.js";

const pixels = (value) => `${value < 10 ? value.toFixed(1) : Math.round(value)} px`;
const percent = (value) => `${Math.round(value * 100)} %`;

/** Which is better, less or more; none where neither is. */
const ROWS = [
  { name: "cluster_count", title: "badges", write: number },
  { name: "overlap", title: "touch another", write: percent, better: Math.min },
  { name: "closest_pair", title: "nearest two", write: pixels, better: Math.max },
  { name: "distortion", title: "point to badge", write: pixels, better: Math.min },
  { name: "grid_look", title: "stand in rows", write: percent, better: Math.min },
];

export class Measures {
  #controller = null;

  /** @param node Has a table. */
  constructor(node, server) {
    this.node = node;
    this.server = server;
    this.cells = ROWS.map(({ title }) => {
      const [grid, tree] = ["grid", "tree"].map((name) => {
        const cell = document.createElement("td");
        cell.className = name;
        cell.textContent = "–";
        return cell;
      });
      const heading = document.createElement("th");
      heading.scope = "row";
      heading.textContent = title;
      const row = document.createElement("tr");
      row.append(grid, heading, tree);
      node.querySelector("tbody").append(row);
      return { grid, tree };
    });
  }

  /** Fetches the measures of the sides for their requests, and cancels the fetch before. */
  async update(index, sides) {
    this.#controller?.abort();
    const controller = (this.#controller = new AbortController());
    try {
      const answers = await Promise.all(
        sides.map(({ query }) => this.server.measures(index.name, query, controller.signal)));
      if (controller.signal.aborted) return;
      this.#show(Object.fromEntries(sides.map(({ name }, i) => [name, answers[i]])));
    } catch (error) {
      // The map itself says that the server does not answer; measures are fetched again after the next move.
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
