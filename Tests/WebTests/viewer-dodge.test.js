// Positions of the badges of filtered answers in the server's viewer.

import assert from "node:assert/strict";
import { test } from "node:test";

import { dodge } from "../../Sources/TreelineServer/Resources/viewer/dodge.js";
import { seeded } from "./support.js";

const SCALE = 4096;

test("badges that would cover each other move as little as needed, and the largest stays", () => {
  const { random } = seeded("dodging badges");
  const clusters = Array.from({ length: 30 }, (_, id) => (
    { id, count: 1 + Math.floor(1000 * random() ** 4), radius: 4 + 18 * random(), x: 0.5 + (90 * random()) / SCALE, y: 0.5 + (90 * random()) / SCALE }));
  clusters.push({ id: 30, count: 3, radius: 20, x: 0.1, y: 0.1 });
  const before = clusters.map((cluster) => ({ ...cluster }));
  dodge(clusters, SCALE);
  const moved = clusters.map(({ x, y }, at) => Math.hypot(x - before[at].x, y - before[at].y) * SCALE);
  const largest = before.reduce((most, cluster) => (cluster.count > most.count ? cluster : most));
  assert.equal(moved[largest.id], 0);
  assert.equal(moved[30], 0);
  assert.ok(moved.every((distance) => distance <= 121));
  const pairs = clusters.flatMap((a, at) => clusters.slice(0, at).map((b) => Math.hypot(a.x - b.x, a.y - b.y) * SCALE - a.radius - b.radius));
  assert.ok(pairs.filter((distance) => distance < 0).length === 0, `${pairs.filter((distance) => distance < 0).length} pairs cover each other`);
});

test("badges that have room stay", () => {
  const clusters = [[0.2, 9], [0.3, 1], [0.4, 5]].map(([x, count], id) => ({ id, count, radius: 20, x, y: 0.5 }));
  const before = structuredClone(clusters);
  dodge(clusters, SCALE);
  assert.deepEqual(clusters, before);
  dodge([], SCALE);
});
