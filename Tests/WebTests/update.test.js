// Edits of trees: each edited tree must equal a fresh build of the same points, and answers of two versions are
// compared point by point.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";

import { Treeline } from "../../Sources/TreelineWeb/src/index.js";
import { buildNow } from "../../Sources/TreelineWeb/src/now.js";
import { Scene } from "../../Sources/TreelineWeb/src/map/scene.js";
import { continuedClusters, isEditOf, versionTransition } from "../../Sources/TreelineWeb/src/update.js";
import { FIXTURES, seeded, trials } from "./support.js";

const PARTS = ["points", "rows", "gaps", "nodes", "sums", "spreads", "codes", "anchors", "isAcrossSeam", "clippedPointCount"];
const key = ([, , id]) => id;

function assertEqual(tree, expected, told) {
  for (const part of PARTS) assert.deepEqual(tree.hierarchy[part], expected.hierarchy[part], `${part}, ${told}`);
  assert.deepEqual({ ...tree.hierarchy.plane }, { ...expected.hierarchy.plane }, told);
}

/** Positions of which many coincide, are equally far from each other, or lie across the seam. */
const SETS = {
  stacks: ({ below }) => [below(2), below(2)],
  lattice: ({ below }) => [below(12) / 8, below(12) / 8],
  line: ({ below }) => [below(1000) / 100, below(1000) / 100],
  seam: ({ random, below }) => [(below(2) ? 179.9 : -179.9) + (random() - 0.5) * 0.2, random()],
  poles: ({ random, below }) => [random() * 360 - 180, (below(2) ? 1 : -1) * (84 + random() * 6)],
  world: ({ random }) => [random() * 360 - 180, random() * 170 - 85],
  far: ({ random, below }) => [2 ** -below(30) * (random() < 0.5 ? 1 : -1), 2 ** -below(30)],
};

/** Returns a random edit of a model, which is a map from keys to points, and applies it to the model. */
function edit(model, place, { random, below, choice }, makeKey) {
  const insert = Array.from({ length: below(4) }, () => [...place(), makeKey()]).filter(([, , id], i, all) =>
    !model.has(id) && all.findIndex((other) => other[2] === id) === i);
  const chosen = new Set(Array.from({ length: model.size ? below(5) : 0 }, () => choice([...model.keys()])));
  const remove = [...chosen].filter(() => random() < 0.5);
  const move = [...chosen].filter((id) => !remove.includes(id)).map((id) => [...place(), id]);
  for (const id of remove) model.delete(id);
  for (const point of [...insert, ...move]) model.set(point[2], point);
  return { insert, remove, move };
}

const sortedPoints = (model) => [...model.keys()].sort((a, b) => (a < b ? -1 : 1)).map((id) => model.get(id));

for (const [name, place] of Object.entries(SETS)) {
  test(`an edited tree equals a fresh build of its points sorted by key: ${name}`, async () => {
    const rng = seeded(`edits of ${name}`);
    for (let trial = 0; trial < trials(60); trial++) {
      const options = { key, for: rng.choice(["badges", "spacing"]), anchor: rng.choice(["mean", "member"]), projection: rng.choice(["mercator", "plane"]) };
      const makeKey = rng.random() < 0.5 ? () => rng.below(500) : () => `k${rng.below(500)}`;
      const model = new Map(Array.from({ length: rng.below(80) }, () => [...place(rng), makeKey()]).map((point) => [point[2], point]));
      // The points of the first build are not sorted.
      let tree = await Treeline.build([...model.values()], options);
      const first = tree;
      for (let step = 0; step < 4; step++) {
        tree = await tree.update(edit(model, () => place(rng), rng, makeKey));
        assertEqual(tree, buildNow(sortedPoints(model), options), `trial ${trial}, step ${step}`);
      }
      assert.ok(isEditOf(first, tree) && !isEditOf(tree, first));
    }
  });
}

test("in a transition between trees every cluster occurs once and the points add up", async () => {
  const rng = seeded("versions");
  const { below, between, choice, random } = rng;
  let [changeCount, keptCount] = [0, 0];
  for (let trial = 0; trial < trials(300); trial++) {
    const centers = Array.from({ length: 5 }, () => [between(0, 8), between(0, 8)]);
    const place = () => choice(centers).map((at) => at + (random() - 0.5) * 2 ** -below(8));
    const model = new Map(Array.from({ length: 200 }, (_, i) => [10 * i, [...place(), 10 * i]]));
    let tree = await Treeline.build([...model.values()].reverse(), { key });
    const filter = random() < 0.3 ? 3 : 1;
    const answerOf = (tree, view) => tree.filtered((row) => tree.origin.points[row][2] % filter !== 2).clusters(view);
    const a = answerOf(tree, { bbox: [between(-9, 3), between(-9, 3), 8, 8], zoom: between(1, 9) });
    const idsOf = (answer, i) => new Set(Array.from({ length: answer.sizes[i] }, (_, j) => answer.firsts[i] + j)
      .filter((index) => answer.tree.selection.passes(index)).map((index) => answer.tree.origin.points[answer.tree.hierarchy.rows[index]][2]));
    for (let step = 0; step < 1 + below(3); step++) tree = await tree.update(edit(model, place, rng, () => below(2000)));
    const b = answerOf(tree, { bbox: [between(-9, 3), between(-9, 3), 8, 8], zoom: between(1, 9) });
    const numbers = (count) => Array.from({ length: count }, (_, i) => i);
    const ascending = (list) => list.sort((a, b) => a - b);
    const check = (a, b, told, isByKey) => {
      const { kept, changes, entered, exited } = versionTransition(a, b);
      assert.deepEqual(ascending([...kept.map(([i]) => i), ...changes.flatMap(({ before }) => before), ...exited]), numbers(a.length), told);
      assert.deepEqual(ascending([...kept.map(([, i]) => i), ...changes.flatMap(({ after }) => after), ...entered]), numbers(b.length), told);
      for (const [before, after] of kept) assert.deepEqual(idsOf(a, before), idsOf(b, after), told);
      const [hasBefore, hasAfter] = [a, b].map(({ tree }) => new Set(tree.origin.points.map(key)));
      for (const { before, after, common, removed, inserted, left, joined } of changes) {
        assert.ok(before.length === 1 || after.length === 1, told);
        assert.ok(common > 0 && [removed, inserted, left, joined].every((count) => count >= 0), told);
        const [was, is] = [new Set(before.flatMap((i) => [...idsOf(a, i)])), new Set(after.flatMap((i) => [...idsOf(b, i)]))];
        assert.equal(was.size, common + removed + left, told);
        assert.equal(is.size, common + inserted + joined, told);
        const [known, lost, came] = [[...was].filter((id) => is.has(id)), [...was].filter((id) => !hasAfter.has(id)), [...is].filter((id) => !hasBefore.has(id))];
        // Between versions, a key that was removed and inserted again is another point.
        assert.ok(known.length >= common && lost.length <= removed && came.length <= inserted, told);
        if (isByKey) assert.deepEqual([known.length, lost.length, came.length], [common, removed, inserted], told);
      }
      return { changes, kept };
    };
    const told = `trial ${trial}`;
    const { changes, kept } = check(a, b, told, false);
    check(b, a, `${told}, back`, false);
    const unrelated = await Treeline.build(sortedPoints(model).reverse(), { key });
    const c = answerOf(unrelated, { bbox: [-9, -9, 8, 8], zoom: between(1, 9) });
    check(a, c, `${told}, to an unrelated tree`, true);
    check(c, a, `${told}, from an unrelated tree`, true);
    for (const [after, before] of continuedClusters(a, b)) {
      const [was, is] = [idsOf(a, a.ids.indexOf(before)), idsOf(b, b.ids.indexOf(after))];
      assert.ok(2 * [...was].filter((id) => is.has(id)).length > Math.max(was.size, is.size), told);
    }
    changeCount += changes.length;
    keptCount += kept.length;
  }
  assert.ok(changeCount > 10 && keptCount > 10, `${changeCount} changes, ${keptCount} kept`);
});

test("an edit with a mistake says what is wrong", async () => {
  const feature = (id, longitude, latitude = 0) => ({ type: "Feature", id, geometry: { type: "Point", coordinates: [longitude, latitude] }, properties: { name: `n${id}` } });
  const tree = await Treeline.build([feature(1, 1), feature(2, 2)]);
  for (const [edit, message] of [
    [{ insert: [feature(1, 3)] }, /A point already has the key 1/], [{ remove: [3] }, /No point has the key 3/],
    [{ move: [feature(7, 1)] }, /No point has the key 7/], [{ remove: [1], move: [feature(1, 3)] }, /found the key 1 twice/],
    [{ insert: [feature("a", 3)] }, /a number as a key, like the other keys, found 'a'/], [{ insert: [feature(undefined, 3)] }, /found undefined/],
    [{ insert: [feature(9, 3, 91)] }, /^Expected a longitude from -180 to 180 and a latitude from -90 to 90 as the point with the key 9, found 3 and 91$/], [{ insert: feature(9, 3) }, /an array as 'insert'/],
    [{ remove: "12" }, /an array as 'remove'/],
  ]) await assert.rejects(tree.update(edit), { name: "BuildError", message });
  await assert.rejects(tree.update({ removed: [1] }), { name: "QueryError", message: /options of an edit are insert, remove, move, not 'removed'/ });
  await assert.rejects((await Treeline.build([[1, 2]])).update({}), { name: "BuildError", message: /option 'key'/ });
  await assert.rejects((await Treeline.build([feature(1, 1), feature(1, 2)])).update({}), /found the key 1 twice/);
  const other = await Treeline.build(Float64Array.of(1, 1));
  assert.throws(() => versionTransition(tree.clusters(), other.clusters()), { name: "QueryError" });
  await assert.rejects(tree.update({}, { signal: AbortSignal.abort(new Error("stopped")) }), /stopped/);
});

test("an edited tree keeps features and columns, in a worker as well", async () => {
  const feature = (id, name) => ({ type: "Feature", geometry: { type: "Point", coordinates: [id, 0] }, properties: { id, name } });
  const tree = await Treeline.build([feature(3, "c"), feature(1, "a")], { key: "id", worker: true });
  const none = await tree.update({ remove: [1, 3] });
  assert.equal(none.pointCount, 0);
  const next = await none.update({ insert: [feature(2, "b"), feature(5, "e")] });
  assert.deepEqual(next.members(0).toGeoJSON().features.map(({ properties }) => properties.name), ["b", "e"]);
  assert.equal(next.filtered("name = 'b'").pointCount, 1);
  assert.ok(isEditOf(tree, next));
});

test("edits in a worker share one worker, and an edit that is stopped does not harm the next", async () => {
  const { Worker } = await import("node:worker_threads");
  let count = 0;
  const worker = () => {
    count++;
    return new Worker(new URL("../../Sources/TreelineWeb/src/worker.js", import.meta.url));
  };
  const points = Array.from({ length: 3000 }, (_, i) => [(i * 37) % 170, (i * 61) % 80, i]);
  let tree = await Treeline.build(points, { key, worker });
  for (let i = 0; i < 3; i++) tree = await tree.update({ remove: [i] });
  assert.equal(count, 2);
  const controller = new AbortController();
  const stopped = tree.update({ remove: [9] }, { signal: controller.signal });
  controller.abort(new Error("stopped"));
  await assert.rejects(stopped, /stopped/);
  const both = await Promise.all([tree.update({ remove: [5] }), tree.update({ remove: [6] })]);
  both.forEach((tree, i) => assertEqual(tree, buildNow(points.filter(([, , id]) => id > 2 && id !== 5 + i), { key }), `tree ${i}`));
});

test("the last 256 versions are known", async () => {
  const trees = [await Treeline.build([[0, 0, 1]], { key })];
  for (let i = 0; i < 400; i++) trees.push(await trees.at(-1).update({ move: [[i % 90, 0, 1]] }));
  assert.ok(isEditOf(trees.at(-129), trees.at(-1)));
  assert.ok(!isEditOf(trees[0], trees.at(-1)));
});

test("a badge keeps its sprite if most of its points stay, and is not touched if all stay", () => {
  const badge = (id, x, count) => ({ id, count, first: id, size: count, x, y: 0.5, radius: 20, label: String(count) });
  const scene = new Scene();
  const first = [badge(10, 0.1, 5), badge(20, 0.3, 12), badge(30, 0.6, 3)];
  scene.replace(first, 0);
  scene.advance(5000);
  const [same, grown, gone] = first.map(({ id }) => scene.sprite(id));
  const states = JSON.stringify(same);
  scene.replace([badge(11, 0.1, 5), badge(21, 0.31, 13), badge(40, 0.9, 2)], 5000, false, new Map([[21, 20], [40, 999]]));
  assert.equal(scene.sprite(11), same);
  assert.equal(scene.sprite(21), grown);
  assert.ok(same.hasArrived && JSON.parse(states).x === same.x);
  assert.deepEqual([grown.cluster.label, grown.showsLabel(5000), grown.x, grown.toX], ["13", true, 0.3, 0.31]);
  assert.ok(scene.sprites.includes(gone) && !gone.showsLabel(5000));
  scene.advance(5100);
  assert.ok(same.hasArrived && same.size === 1 && same.alpha === 1);
  scene.advance(9000);
  assert.deepEqual(scene.sprites.map(({ x, size, alpha }) => [x, size, alpha]), [[0.1, 1, 1], [0.31, 1, 1], [0.9, 1, 1]]);
});

test("the changes between versions are those of Swift", async () => {
  const { points, steps } = JSON.parse(readFileSync(join(FIXTURES, "golden/map/versions.json")));
  const pairs = (list) => list.map(([id, longitude, latitude]) => [longitude, latitude, id]);
  let tree = await Treeline.build(pairs(points), { key });
  let count = 0;
  for (const [step, { inserted, removed, moved, view: [longitude, latitude, zoom, nextZoom], ...expected }] of steps.entries()) {
    const next = await tree.update({ insert: pairs(inserted), remove: removed, move: pairs(moved) });
    const [a, b] = [[tree, zoom], [next, nextZoom]].map(([tree, zoom]) =>
      tree.clusters({ center: [longitude, latitude], zoom, tileSize: 256, width: 800, height: 600, cut: { badges: 1 } }));
    const { kept, changes, entered, exited } = versionTransition(a, b);
    const found = {
      kept: kept.map(([i, j]) => [a.ids[i], b.ids[j]]),
      changes: changes.map(({ before, after, common, removed, inserted, left, joined }) => (
        { before: before.map((i) => a.ids[i]), after: after.map((i) => b.ids[i]), counts: [common, removed, inserted, left, joined] })),
      entered: entered.map((i) => b.ids[i]), exited: exited.map((i) => a.ids[i]),
    };
    assert.deepEqual(found, expected, `step ${step}`);
    count += changes.length;
    tree = next;
  }
  assert.ok(steps.length > 20 && count > 20, `${steps.length} steps, ${count} changes`);
});
