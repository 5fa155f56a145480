// Checks the guarantees of answers by brute force: badges do not touch, clusters keep their spacing, every point in
// view is in one cluster, and transitions contain each cluster once.

import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";

import { buildNow } from "../../Sources/TreelineWeb/src/now.js";
import { coordinatesOf, FIXTURES, seeded, trials } from "./support.js";

const SETS = ["cities.csv.gz", "airports.csv.gz", "iceland_addresses.csv.gz"].map((file) => coordinatesOf(join(FIXTURES, file)));
const WORLD = 2 ** 32;

/** Returns a view of a screen around a point or around a random position. */
function screen({ random, below, between }, { hierarchy: { points, plane }, pointCount }) {
  const index = below(pointCount);
  const center = random() < 0.9
    ? [plane.longitude(points[2 * index]), plane.latitude(points[2 * index + 1])] : [between(-180, 180), between(-80, 80)];
  return { center, zoom: random() < 0.3 ? below(20) : between(0, 20), width: between(200, 1500), height: between(200, 1000) };
}

/** Whether the points of two clusters together span half of the circle of longitudes or more. */
function areWide(answer, i, j) {
  const [a, b] = [i, j].map((k) => answer.bounds(k)).map(([west, , east]) => [west, east < west ? east + 360 : east]);
  const gap = Math.min(((b[0] - a[0] + 720) % 360) + (b[1] - b[0]), ((a[0] - b[0] + 720) % 360) + (a[1] - a[0]));
  return gap >= 179.999;
}

/**
 * Calls `call` with all pairs of clusters that are closer than `units`. Distances are measured the shorter way around.
 */
function closePairs(answer, units, call) {
  const { world } = answer;
  for (let i = 0; i < answer.length; i++) {
    for (let j = 0; j < i; j++) {
      const straight = Math.abs(world[2 * i] - world[2 * j]) * WORLD;
      const dx = Math.min(straight, WORLD - straight);
      const dy = (world[2 * i + 1] - world[2 * j + 1]) * WORLD;
      if (dx * dx + dy * dy < units * units) call(i, j, Math.hypot(dx, dy), dx < straight);
    }
  }
}

test("no badges touch in random views, except across the seam if together they are half a world wide", () => {
  const rng = seeded("badges");
  const trees = SETS.flatMap((points) => [0, 1.5].flatMap((badgeGap) => ["mean", "member"].map((anchor) => ({ badgeGap, tree: buildNow(points, { badgeGap, anchor }) }))));
  let [pairs, clusters, exceptions] = [0, 0, 0];
  for (let view = 0; view < trials(100000); view++) {
    const { tree, badgeGap } = rng.choice(trees);
    const scale = rng.choice([1, 1, 0.5, 2]);
    const query = { ...screen(rng, tree), cut: { badges: scale } };
    const answer = tree.clusters(query);
    const { diameters } = answer;
    const unitsPerPixel = 2 ** (23 - query.zoom);
    closePairs(answer, 46 * scale * unitsPerPixel, (i, j, distance, isAround) => {
      pairs++;
      const apart = ((diameters[i] + diameters[j]) / 2 + badgeGap * scale) * unitsPerPixel;
      if (distance >= apart) return;
      assert.ok(isAround && areWide(answer, i, j), `badges ${answer.ids[i]} and ${answer.ids[j]} touch in ${JSON.stringify(query)}`);
      exceptions++;
    });
    clusters += answer.length;
  }
  console.log(`${clusters} badges, ${pairs} pairs that are near, ${exceptions} across the seam`);
  assert.ok(pairs > 0);
});

test("clusters of a cut by a spacing are never closer than the spacing", () => {
  const rng = seeded("spacing");
  const trees = SETS.map((points) => buildNow(points, { for: "spacing" }));
  let clusters = 0;
  for (let view = 0; view < trials(10000); view++) {
    const tree = rng.choice(trees);
    const spacing = rng.between(10, 100);
    const query = { ...screen(rng, tree), cut: { spacing } };
    const answer = tree.clusters(query);
    const units = spacing * 2 ** (23 - query.zoom);
    closePairs(answer, units, (i, j, distance, isAround) =>
      assert.ok(isAround && areWide(answer, i, j), `${answer.ids[i]} and ${answer.ids[j]} are ${distance} apart, expected ${units}, in ${JSON.stringify(query)}`));
    clusters += answer.length;
  }
  assert.ok(clusters > 0);
});

test("every point in view is in one cluster, every cluster has a point in view, and limits hold", () => {
  const rng = seeded("points");
  const { choice, between, random, below } = rng;
  const sets = SETS.map((points) => points.slice(0, 2 * 3000));
  const trees = sets.map((points, i) => buildNow(points, { for: i % 2 ? "spacing" : "badges" }));
  for (let view = 0; view < trials(3000); view++) {
    const number = below(trees.length);
    const tree = random() < 0.5 ? trees[number] : trees[number].filtered((row) => row % 3 === 0);
    const [a, b, c, d] = [between(-180, 180), between(-180, 180), between(-85, 85), between(-85, 85)];
    const bbox = [a, Math.min(c, d), b, Math.max(c, d)];
    const limit = choice([1, 3, 20, Infinity]);
    const cut = choice([
      { limit: Math.min(limit, 100), order: choice(["breadth-first", "widest-first", "steepest-first"]) }, { detail: 20, limit },
      tree.hasBadges ? { badges: 1, limit } : { spacing: 44, limit }]);
    const answer = tree.clusters({ bbox, zoom: between(0, 8), cut });
    const { window } = tree.hierarchy.plane.locate({ bbox });
    assert.ok(answer.length <= limit);
    let i = 0;
    const seen = new Set();
    for (let index = 0; index < tree.hierarchy.pointCount; index++) {
      while (i < answer.length && answer.firsts[i] + answer.sizes[i] <= index) i++;
      if (tree.selection && !tree.selection.passes(index)) continue;
      if (!window.contains(tree.hierarchy.points[2 * index], tree.hierarchy.points[2 * index + 1])) continue;
      assert.ok(i < answer.length && answer.firsts[i] <= index, `point ${index} of ${JSON.stringify({ bbox, cut })}`);
      seen.add(i);
    }
    assert.equal(seen.size, answer.length, JSON.stringify({ bbox, cut }));
  }
});

test("a view within another refines it, and transitions have each cluster once", () => {
  const rng = seeded("transitions");
  const trees = SETS.map((points, i) => buildNow(points, { for: i ? "badges" : "spacing" }));
  let [splits, merges] = [0, 0];
  for (let view = 0; view < trials(5000); view++) {
    const tree = rng.choice(trees);
    const outer = screen(rng, tree);
    const inner = { ...outer, zoom: outer.zoom + rng.between(0, 3) };
    const [from, to] = [tree.clusters(outer), tree.clusters(inner)];
    const forward = tree.transition(from, to);
    assert.equal(forward.merges.length + forward.entered.length, 0, `zooming in from ${JSON.stringify(outer)} to ${inner.zoom}`);
    const back = tree.transition(to, from);
    assert.deepEqual(back.merges, forward.splits);
    const other = tree.clusters(screen(rng, tree));
    const change = tree.transition(from, other);
    const used = [
      [...change.kept.map(([i]) => i), ...change.exited, ...change.splits.map(({ whole }) => whole), ...change.merges.flatMap(({ start, end }) => range(start, end))],
      [...change.kept.map(([, i]) => i), ...change.entered, ...change.merges.map(({ whole }) => whole), ...change.splits.flatMap(({ start, end }) => range(start, end))],
    ];
    [from, other].forEach((answer, side) => assert.deepEqual(used[side].sort((a, b) => a - b), range(0, answer.length)));
    for (const { whole, start, end, hidden } of forward.splits) {
      assert.equal(from.counts[whole], hidden + range(start, end).reduce((sum, i) => sum + to.counts[i], 0));
    }
    splits += forward.splits.length;
    merges += change.merges.length;
  }
  assert.ok(splits > 0 && merges > 0);
});

const range = (start, end) => Array.from({ length: end - start }, (_, i) => start + i);

test("a limit that continues keeps at least as many clusters as a fresh answer", () => {
  const rng = seeded("continuing");
  const tree = buildNow(SETS[0]);
  let [kept, fresh] = [0, 0];
  for (let view = 0; view < trials(300); view++) {
    const first = { ...screen(rng, tree), cut: { limit: rng.choice([5, 30, 100]) } };
    const shown = tree.clusters(first);
    const second = { ...first, center: [first.center[0] + rng.between(-1, 1) * 100 / 2 ** first.zoom, first.center[1]] };
    const answers = [tree.clusters({ ...second, cut: { ...first.cut, continuing: shown } }), tree.clusters(second)];
    const [own, other] = answers.map((answer) => tree.transition(shown, answer).kept.length);
    assert.ok(answers[0].length <= first.cut.limit && own >= other);
    [kept, fresh] = [kept + own, fresh + other];
  }
  assert.ok(kept > fresh);
});

test("expansion zooms are the least at which parts are shown, to the last bit", () => {
  const rng = seeded("expansion");
  const trees = SETS.map((points, i) => buildNow(points, { for: i ? "badges" : "spacing" }));
  let split = 0;
  for (let i = 0; i < trials(2000); i++) {
    const tree = rng.choice(trees);
    const cut = rng.choice([tree.defaultCut, { detail: 20 }]);
    const shown = tree.clusters({ ...screen(rng, tree), cut });
    if (!shown.length) continue;
    const id = shown.ids[rng.below(shown.length)];
    const zoom = tree.expansionZoom(id, { cut });
    const isShown = (zoom) => tree.clusters({ zoom, cut }).ids.includes(id);
    if (zoom === null) {
      assert.ok(cut.detail || tree.children(id).length === 0 || isShown(30));
    } else if (tree.pointCount < 30000) {
      assert.ok(!isShown(zoom), `cluster ${id} at ${zoom}`);
      split++;
    }
  }
  assert.ok(split > 0);
});
