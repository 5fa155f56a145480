// Compares the histograms of published indexes with the server's histograms.

import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";

import { Treeline } from "../../Sources/TreelineWeb/src/index.js";
import { histogramOf } from "../../Sources/TreelineWeb/src/pages/histogram.js";
import { built, builtOfAllKinds, folder, opened, seeded, serving, treeline, trials } from "./support.js";

/** Returns the path of an index with columns whose numbers and times differ by many powers of ten. */
function builtOfRandomColumns({ below, between, choice }) {
  const time = (most) => new Date(between(-most, most)).toISOString();
  const columns = [
    () => below(1001), () => below(3), () => 7, () => Math.round(10 ** between(0, 9)), () => choice([1, -1]) * Math.round(10 ** between(0, 6)),
    () => -Math.round(10 ** between(0, 4)), () => between(0, 100).toFixed(1), () => between(-5, 5).toFixed(7), () => choice(["0.0000001", "0.5"]), () => 10 ** between(-200, 200),
    () => choice([1, -1]) * 10 ** between(-9, 3), () => between(1e12, 1e12 + 50).toFixed(3), () => 12.5 + 1e-9 * below(5), () => "",
    () => time(1e12).slice(0, 10), () => time(1e10).slice(0, 10), () => time(1e9), () => time(1e4), () => time(5e13), () => `${1000 + below(9000)}-01-01`,
    () => `2026-05-01T10:00:00.${String(below(900)).padStart(9, "0")}Z`, () => "2026-05-01",
  ];
  const names = columns.map((_, i) => `c${i}`);
  const rows = Array.from({ length: 400 }, () => [between(-170, 170), between(-80, 80), ...columns.map((value) => (below(9) ? value() : ""))]);
  const path = join(folder, "histograms.csv");
  writeFileSync(path, [["longitude", "latitude", ...names], ...rows].join("\n"));
  const isTime = (i) => i > 13;
  return [built(path, "--columns", names.map((name, i) => `${name}:${isTime(i) ? "time" : "number"}`).join()), names];
}

test("histograms of a published index equal the server's histograms", async () => {
  const rng = seeded("histograms");
  const [random, names] = builtOfRandomColumns(rng);
  const indexes = { kinds: builtOfAllKinds(), random };
  const columns = { kinds: ["price", "day", "moment"], random: names };
  const address = await serving(indexes);
  for (const [index, path] of Object.entries(indexes)) {
    treeline("publish", path, "--output", join(folder, `site-${index}`));
    const published = await (await Treeline.open(join(folder, `site-${index}`, "manifest.json"))).whole();
    for (const tree of [published, await opened(path)]) {
      const all = Array.from({ length: tree.pointCount }, (_, i) => i);
      for (const name of columns[index]) {
        for (let i = 0; i < trials(60); i++) {
          const bins = i < 2 ? [40, 2][i] : 2 + rng.below(rng.choice([10, 120, 999]));
          const scale = rng.choice(["even", "logarithmic"]);
          const expected = await (await fetch(`${address}v1/${index}/histogram?column=${name}&bins=${bins}&scale=${scale}`)).json();
          const found = histogramOf(tree.columns.find((column) => column.name === name), tree.pointCount, all, { bins, isLogarithmic: scale === "logarithmic" });
          const { edges, counts, missing_count: missing } = expected;
          assert.deepEqual(found, { column: name, edges, counts, missing_count: missing }, `${name} ${bins} ${scale}`);
        }
      }
    }
  }
});

test("times beyond the dates of JavaScript have bins", () => {
  const times = [0n, 10n ** 22n];
  const column = { name: "t", kind: "time", digits: 0, value: (i) => Number(times[i] / 10n ** 9n), instant: (i) => times[i], output: () => "" };
  const { counts } = histogramOf(column, 2, [0, 1], { bins: 10, isLogarithmic: false });
  assert.equal(counts.reduce((sum, count) => sum + count), 2);
});
