// Compares trees that are built in JavaScript, byte for byte, with trees that the tool writes.

import assert from "node:assert/strict";
import { readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";

import { standardCurve } from "../../Sources/TreelineWeb/src/badges.js";
import { buildNow } from "../../Sources/TreelineWeb/src/now.js";
import { layOut } from "../../Sources/TreelineWeb/src/layout.js";
import { leavesOf } from "../../Sources/TreelineWeb/src/leaves.js";
import { Merging } from "../../Sources/TreelineWeb/src/merging.js";
import { built, bytesOf, coordinatesOf, FIXTURES, folder, opened, seeded, trials } from "./support.js";

const GROWS = { badges: "badges", spacing: "merge" };
const PARTS = ["points", "rows", "gaps", "nodes", "sums", "spreads", "codes", "anchors"];

/** Compares all arrays of a tree. */
async function compare(coordinates, options, path) {
  const tree = buildNow(coordinates, options);
  const expected = await opened(path);
  const told = `${path} ${JSON.stringify(options)}`;
  for (const part of PARTS) {
    const [own, other] = [tree.hierarchy[part], expected.hierarchy[part]].map((array) =>
      array && Buffer.from(array.buffer, array.byteOffset, array.byteLength));
    if (!own || !other) assert.equal(own, other, `${part} of ${told}`);
    else assert.ok(own.equals(other), `${part} of ${told}`);
  }
  assert.deepEqual({ ...tree.hierarchy.plane }, { ...expected.hierarchy.plane }, told);
  assert.equal(tree.hierarchy.clippedPointCount, expected.hierarchy.clippedPointCount, told);
  const traits = new DataView(bytesOf(path)).getUint32(88, true);
  assert.equal(tree.hierarchy.isAcrossSeam, (traits & 1) === 1, `seam of ${told}`);
  assert.equal(traits & 2, 0, told);
  assert.equal(tree.hierarchy.growth, expected.hierarchy.growth);
  return tree;
}

const nasty = readdirSync(join(FIXTURES, "nasty")).filter((name) => name.endsWith(".csv") && name !== "none.csv").map((name) => `nasty/${name}`);

for (const file of ["cities.csv.gz", "airports.csv.gz", "iceland_addresses.csv.gz", "formats/planar.csv", ...nasty]) {
  test(`the trees of ${file} equal the tool's trees, byte for byte`, async () => {
    const coordinates = coordinatesOf(join(FIXTURES, file));
    const projection = file.includes("planar") ? "plane" : "mercator";
    for (const purpose of ["badges", "spacing"]) {
      for (const anchor of ["mean", "member"]) {
        const path = built(join(FIXTURES, file), "--grow", GROWS[purpose], "--anchor", anchor);
        await compare(coordinates, { for: purpose, projection, anchor }, path);
      }
    }
    const path = built(join(FIXTURES, file), "--grow", "badges", "--badge-gap", "1.5");
    await compare(coordinates, { projection, badgeGap: 1.5 }, path);
  });
}

/** Returns a set of points in which many pairs have equal distances, lie across the seam, or lie at one position. */
function randomSet({ random, below, between, choice }, isWorldwide) {
  const count = 1 + below(choice([3, 20, 60, 400]));
  const [x, y] = [choice([0, 179.9999, between(-180, 180)]), choice([0, 85.06, between(-80, 80)])];
  // Points all around the world, so that clusters lie across the seam.
  if (isWorldwide) return Array.from({ length: count + 60 }, () => [between(-180, 180), between(-85, 85)]);
  const size = 2 ** between(-22, 8.5);
  const kind = below(4);
  const step = choice([4, 8, 30]);
  return Array.from({ length: count }, (_, i) => {
    let [dx, dy] = [between(-1, 1), between(-1, 1)];
    // A lattice, a line, or clouds around few places.
    if (kind === 1) [dx, dy] = [below(step) / step, below(step) / step];
    if (kind === 2) [dx, dy] = [i / count, random() < 0.1 ? 1e-9 : 0];
    if (kind === 3) [dx, dy] = [below(3) / 2 + between(-1, 1) / 200, below(2) + between(-1, 1) / 200];
    const longitude = x + dx * size;
    return [((((longitude + 180) % 360) + 360) % 360) - 180, Math.min(Math.max(y + dy * size * 0.4, -90), 90)];
  });
}

test("the trees of random sets equal the tool's trees, byte for byte", async () => {
  const rng = seeded("sets");
  let [points, across] = [0, 0];
  for (let i = 0; i < trials(300); i++) {
    const set = randomSet(rng, i % 3 === 0);
    const file = join(folder, `set${i}.csv`);
    writeFileSync(file, `longitude,latitude\n${set.map((point) => point.join(",")).join("\n")}\n`);
    const [purpose, anchor] = [rng.choice(["badges", "spacing"]), rng.choice(["mean", "member"])];
    const path = built(file, "--grow", GROWS[purpose], "--anchor", anchor);
    const { hierarchy } = await compare(Float64Array.from(set.flat()), { for: purpose, anchor }, path);
    points += set.length;
    across += hierarchy.isAcrossSeam ? 1 : 0;
  }
  console.log(`${points} points, ${across} trees across the seam`);
  assert.ok(across > 0);
});

test("the order of the points changes nothing but their rows", () => {
  const { below } = seeded("shuffles");
  const coordinates = coordinatesOf(join(FIXTURES, "airports.csv.gz"));
  const order = Array.from({ length: coordinates.length / 2 }, (_, i) => i);
  for (let i = order.length - 1; i > 0; i--) {
    const j = below(i + 1);
    [order[i], order[j]] = [order[j], order[i]];
  }
  const [tree, other] = [coordinates, Float64Array.from(order.flatMap((row) => [coordinates[2 * row], coordinates[2 * row + 1]]))]
    .map((points) => buildNow(points).hierarchy);
  for (const part of PARTS) if (part !== "rows") assert.deepEqual(other[part], tree[part], part);
  other.rows.forEach((row, index) => {
    const [x, y] = [order[row] * 2, order[row] * 2 + 1].map((at) => coordinates[at]);
    assert.deepEqual([tree.plane.x(x), tree.plane.y(y)], [tree.points[2 * index], tree.points[2 * index + 1]]);
  });
});

test("pairs, features and single precision make the same tree as coordinates", () => {
  const coordinates = Float64Array.from([2.5, 48.5, 2.75, 48.25, -70, 10, 2.5, 48.5]);
  const pairs = [[2.5, 48.5], [2.75, 48.25], [-70, 10], [2.5, 48.5]];
  const features = pairs.map((position, id) => ({ type: "Feature", properties: { id }, geometry: { type: "Point", coordinates: position } }));
  const { points, rows } = buildNow(coordinates).hierarchy;
  for (const other of [pairs, features, { type: "FeatureCollection", features }, Float32Array.from(coordinates)]) {
    const { hierarchy } = buildNow(other);
    assert.deepEqual([hierarchy.points, hierarchy.rows], [points, rows]);
  }
});

test("coarse scales bound the depth, and each of their steps shows the clusters of exact scales", () => {
  const coordinates = coordinatesOf(join(FIXTURES, "airports.csv.gz"));
  const { plane } = buildNow(coordinates).hierarchy;
  const [xs, ys] = [0, 1].map((axis) => Uint32Array.from({ length: coordinates.length / 2 }, (_, i) =>
    axis ? plane.y(coordinates[2 * i + 1]) : plane.x(coordinates[2 * i])));
  for (const anchorsAtMembers of [false, true]) {
    const options = { anchorsAtMembers, crossesSeam: true };
    const tree = new Merging(leavesOf(xs, ys), standardCurve(), options).run();
    const [exact, coarse] = [layOut(tree, options), layOut(tree, options, 4)];
    assert.deepEqual([exact.isCoarse, coarse.isCoarse], [false, true]);
    const steps = new Set(coarse.codes);
    assert.ok(steps.size <= 128 && new Set(exact.codes).size > 128);
    // The nodes shown at a step lie between splits whose scale is at least the step. So both trees must have equal
    // splits.
    for (const step of steps) {
      const splits = (codes) => Array.from(codes.keys()).filter((index) => codes[index] >= step && step > 0).length;
      assert.equal(splits(coarse.codes), splits(exact.codes), `splits at ${step}`);
    }
    const order = (stored) => Array.from(stored.points).filter((_, i) => i % 2 === 0).map((x, i) => `${x},${stored.points[2 * i + 1]}`).sort();
    assert.deepEqual(order(coarse), order(exact));
  }
});
