// Measures edits of trees of the web module: moves one of 10,000 points in towns, and one of 100,000 points.
// Prints the processor time of the whole edit, and how long the edit keeps the page busy.
//
//   node scripts/measure/web-edits.mjs [RUNS]

import { Treeline } from "../../Sources/TreelineWeb/src/index.js";
import { versionTransition } from "../../Sources/TreelineWeb/src/update.js";
import { towns } from "./towns.mjs";

const all = towns(20260101);
const middle = (times) => times.sort((a, b) => a - b)[times.length >> 1].toFixed(0);
const view = { bbox: [-180, -85, 180, 85], zoom: 4 };

for (const count of [10_000, 100_000]) {
  for (const worker of [false, true]) {
    const points = Array.from({ length: count }, (_, i) => [all[2 * i], all[2 * i + 1], i]);
    let tree = await Treeline.build(points, { key: (point) => point[2], worker });
    const [processor, busy, comparison] = [[], [], []];
    // The first edits are slower, until their code is compiled.
    for (let run = -3; run < Number(process.argv[2] ?? 9); run++) {
      const [x, y, key] = points[Math.abs(run * 7919) % count];
      const [before, loop] = [process.cpuUsage(), performance.eventLoopUtilization()];
      const next = await tree.update({ move: [[x, y + 0.01, key]] });
      const { user, system } = process.cpuUsage(before);
      const { active } = performance.eventLoopUtilization(loop);
      const [from, to] = [tree.clusters(view), next.clusters(view)];
      const start = performance.now();
      versionTransition(from, to);
      if (run >= 0) [processor, busy, comparison].forEach((times, i) => times.push([(user + system) / 1000, active, performance.now() - start][i]));
      tree = next;
    }
    console.log(`${count} points, ${worker ? "in a worker" : "in the page"}: ${middle(processor)} ms of processor time, page busy for ${middle(busy)} ms, comparison of all clusters ${middle(comparison)} ms`);
  }
}
process.exit();
