// Checks that every method refuses misspelt options, and that errors show texts in quotes.

import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";

import { BuildError, QueryError, Treeline } from "../../Sources/TreelineWeb/src/index.js";
import { buildNow } from "../../Sources/TreelineWeb/src/now.js";
import { RemoteTree } from "../../Sources/TreelineWeb/src/server.js";
import { built, folder, treeline } from "./support.js";

const remote = () => new RemoteTree(new URL("http://x/"), { name: "a", default_cut: { badges: 1 } }, { fetch: () => assert.fail("the server was asked") });

/** Asserts that a call is refused because of the option `name`. The call may throw the error or reject with it. */
const refused = (call, name, method) => assert.rejects(async () => call(), (error) => error instanceof QueryError
  && error.message.startsWith(`The options of ${method} are `) && error.message.endsWith(`, not '${name}'`) || assert.fail(error.stack));

test("misspelt options of methods are errors", async () => {
  writeFileSync(join(folder, "few.csv"), "longitude,latitude,kind\n1,2,a\n3,4,b\n5,6,a\n");
  const site = join(folder, "few");
  treeline("publish", built(join(folder, "few.csv"), "--columns", "kind", "--grow", "badges"), "-o", site);
  const published = await Treeline.open(join(site, "manifest.json"));
  const trees = [buildNow([[1, 2], [3, 4], [5, 6]]), remote(), published, published.filtered("kind = 'a'")];
  for (const tree of trees) {
    await refused(() => tree.members(0, { limits: 1 }), "limits", "members");
    await refused(() => tree.expansionZoom(0, { cutt: { badges: 1 } }), "cutt", "expansionZoom");
    await refused(() => tree.where(0, { cuts: { badges: 1 } }), "cuts", "where");
    for (const [method, options] of [["members", 5], ["where", null], ["expansionZoom", "3"]]) {
      await assert.rejects(async () => tree[method](0, options), { name: "QueryError", message: /^Expected an object as the options of \w+, found (5|null|'3')$/ });
    }
  }
  for (const tree of trees.slice(1)) {
    for (const method of ["children", "cluster", "parent"]) await refused(() => tree[method](0, { signl: null }), "signl", method);
    await refused(() => tree.clusters({}, { signl: null }), "signl", "clusters");
  }
  await refused(() => published.feature(null, 0, { signl: null }), "signl", "feature");
  await refused(() => remote().search("sao", { limits: 2 }), "limits", "search");
  await refused(() => Treeline.open(new ArrayBuffer(8), { verfy: false }), "verfy", "open");
  await refused(() => Treeline.connect("http://x/", { indx: "a" }), "indx", "connect");
  const tree = await Treeline.build([{ type: "Feature", id: 1, geometry: { type: "Point", coordinates: [1, 2] } }]);
  await refused(() => tree.update({}, { signl: null }), "signl", "update");
  // Trees in memory accept the option of trees whose queries return promises.
  assert.equal(trees[0].members(0, { limit: 1, signal: new AbortController().signal }).length, 1);
});

test("errors show texts in quotes", async () => {
  const tree = buildNow([[1, 2], [3, 4]], { columns: { kind: ["a", "b"] } });
  for (const [query, found] of [
    [{ zoom: "3" }, "'3'"], [{ zoom: 3, bbox: ["0", 0, 1, 1] }, "'0', 0, 1, 1"], [{ zoom: 3, tileSize: "512" }, "'512'"], [{ zoom: 3, cut: { badges: "1" } }, "'1'"],
    [{ zoom: 3, cut: { limit: "5" } }, "'5'"], [{ zoom: 3, cut: "badges" }, "'badges'"], [{ zoom: 3, center: ["1", 2], width: 9, height: 9 }, "'1' and 2"], [{ tile: ["1", 0, 0] }, "'1', 0, 0"],
  ]) assert.throws(() => tree.clusters(query), (error) => error instanceof QueryError && error.message.endsWith(`found ${found}`) || assert.fail(error.stack));
  assert.throws(() => tree.cluster("0"), /found '0'; an id/);
  assert.throws(() => tree.members(0, { limit: "many" }), /found 'many'$/);
  await assert.rejects(Treeline.build([["1", 2]]), /found '1' and 2;/);
  await assert.rejects(Treeline.build("1,2"), /found '1,2'$/);
});

test("a filter with a function that only servers know says so", () => {
  const tree = buildNow([[1, 2], [3, 4]], { columns: { opened: [new Date(0), new Date(1)] } });
  const message = "The function 'T_AFTER' in the filter at character 1 is not supported in the web module; use comparisons, such as opened > DATE('2024-05-01')";
  assert.throws(() => tree.filtered("T_AFTER(opened, DATE('2024-01-01'))"), { name: "QueryError", message });
  assert.throws(() => tree.filtered("NOT s_within(geometry, BBOX(1, 2, 3, 4))"), /function 's_within' in the filter at character 5 is not/);
});

test("a tile has its own zoom and size", () => {
  for (const name of ["zoom", "width", "height"]) {
    for (const value of [5, -5]) {
      assert.throws(() => buildNow([[1, 2]]).clusters({ tile: [0, 0, 0], [name]: value }), {
        name: "QueryError", message: `Expected no ${name} beside a tile, which has its own zoom and size, found ${value}` });
    }
  }
  assert.equal(buildNow([[1, 2]]).clusters({ tile: [0, 0, 0], tileSize: 256, margin: 0, zoom: undefined }).length, 1);
});

test("a margin may be 0", () => {
  for (const margin of [-1, "1", Infinity]) {
    assert.throws(() => buildNow([[1, 2]]).clusters({ tile: [0, 0, 0], margin }), { name: "QueryError", message: /^Expected a finite number of pixels of 0 or more as the margin, / });
  }
});

test("a question about zooms needs a cut in pixels, in memory and on a server", async () => {
  const cut = { limit: 4 };
  const message = "Expected a cut by spacing, badges, detail, found a limit; with a limit, the clusters depend on the view";
  for (const tree of [buildNow([[1, 2], [3, 4]]), remote()]) {
    for (const method of ["where", "expansionZoom"]) await assert.rejects(async () => tree[method](0, { cut }), { name: "QueryError", message });
  }
});

test("the gap of badges is a number, and only badges have a gap", async () => {
  for (const badgeGap of ["2", null, [2]]) {
    for (const build of [buildNow, Treeline.build]) await assert.rejects(async () => build([[1, 2]], { badgeGap }), { name: "BuildError", message: /^Expected a badgeGap from 0 to 128 px, found / });
  }
  for (const build of [buildNow, Treeline.build]) {
    await assert.rejects(async () => build([[1, 2]], { for: "spacing", badgeGap: 2 }), {
      name: "BuildError", message: "Expected no badgeGap in a build for 'spacing', which has no badges, found 2" });
  }
});

test("only trees that were built in the page can be updated", async () => {
  const site = join(folder, "few");
  const published = await Treeline.open(join(site, "manifest.json"));
  for (const tree of [buildNow([[1, 2]]), remote(), published, published.filtered("kind = 'a'")]) {
    await assert.rejects(async () => tree.update({}), (error) => error instanceof BuildError && /cannot be updated; build it in this page/.test(error.message));
  }
});
