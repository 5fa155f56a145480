// Checks options, keys, names and filters that a page passes by mistake, or that have special names in JavaScript.

import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";

import { BuildError, ServerError, Treeline } from "../../Sources/TreelineWeb/src/index.js";
import { buildNow } from "../../Sources/TreelineWeb/src/now.js";
import { built, folder, opened, treeline } from "./support.js";

const feature = (properties, at = 0, id = undefined) => ({ type: "Feature", id, properties, geometry: { type: "Point", coordinates: [at, at] } });
const listOf = (...values) => values.map((d, i) => feature({ d }, i));

test("unknown options of a build are errors", async () => {
  const isUnknown = (error) => error instanceof BuildError && error.message.startsWith("The options of build are for, projection,") && error.message.endsWith("not 'fro'");
  await assert.rejects(Treeline.build([[1, 2]], { fro: "badges" }), isUnknown);
  assert.throws(() => buildNow([[1, 2]], { fro: "badges" }), isUnknown);
  await assert.rejects(Treeline.build([[1, 2]], 5), (error) => error instanceof BuildError && /Expected an object as the options of build, found 5/.test(error.message));
});

test("a build with keys refuses the keys that an update would refuse", async () => {
  const cases = [
    [[{ id: 1 }, { id: 2 }, { id: 1 }], "Expected different keys, found the key 1 twice"],
    [[{ id: 1 }, {}], "Expected a text or a finite number as the key of a point, found undefined"],
    [[{ id: 1 }, { id: NaN }], "Expected a text or a finite number as the key of a point, found NaN"],
    [[{ id: 1 }, { id: "a" }], "Expected a number as a key, like the other keys, found 'a'"],
  ];
  for (const [list, message] of cases) {
    const features = list.map((properties, i) => feature(properties, i));
    await assert.rejects(Treeline.build(features, { key: "id" }), { name: "BuildError", message });
    assert.throws(() => buildNow(features, { key: (point) => point.properties.id }), { name: "BuildError", message });
    // Without the option `key`, properties are not keys.
    assert.equal((await Treeline.build(features)).pointCount, features.length);
  }
  await assert.rejects(Treeline.build([feature({ id: 1 })], { key: "constructor" }), /as the key of a point, found undefined/);
  const missing = { type: "Feature", geometry: null, properties: {} };
  assert.equal((await Treeline.build([feature({ id: 1 }), missing], { key: "id", skipInvalid: true })).pointCount, 1);
  const tree = await Treeline.build([feature({ id: "__proto__" }), feature({ id: "constructor" }, 1)], { key: "id" });
  assert.equal((await tree.update({ remove: ["constructor"], move: [feature({ id: "__proto__" }, 5)] })).pointCount, 1);
});

test("a filter that does not suit the values of a column is the same error as for an index", async () => {
  const values = { name: ["a", "b"], size: [1, 2.5], open: [true, false], day: ["2026-01-01", "2026-03-01"] };
  const path = join(folder, "suits.csv");
  writeFileSync(path, ["longitude,latitude,name,size,open,day", ...[0, 1].map((i) => [i, i, ...Object.values(values).map((list) => list[i])].join())].join("\n"));
  const index = await opened(built(path, "--columns", "name:text,size:number,open:boolean,day:time"));
  const columns = { ...values, day: values.day.map((day) => new Date(day)) };
  const trees = [
    await Treeline.build([[0, 0], [1, 1]], { columns }),
    await Treeline.build([0, 1].map((i) => feature(Object.fromEntries(Object.entries(columns).map(([name, list]) => [name, list[i]])), i))),
  ];
  const literals = ["'a'", "5", "TRUE", "DATE('2026-02-01')"];
  let [errors, counts] = [0, 0];
  for (const name of Object.keys(values)) {
    for (const filter of literals.flatMap((literal) => [`${name} > ${literal}`, `${name} IN (${literal})`, `NOT ${name} BETWEEN ${literal} AND ${literal}`])) {
      for (const tree of trees) {
        try {
          const { pointCount } = index.filtered(filter);
          assert.equal(tree.filtered(filter).pointCount, pointCount, filter);
          counts++;
        } catch (error) {
          assert.throws(() => tree.filtered(filter), { name: "QueryError", message: error.message }, filter);
          errors++;
        }
      }
    }
  }
  assert.deepEqual([errors, counts], [72, 24]);
});

test("values of several types that a filter cannot compare count as missing", () => {
  const tree = buildNow(listOf("2026-01-01", 7, true, null, undefined, new Date("2026-03-01")));
  for (const [filter, count] of [["d > 5", 2], ["d >= '2026-01-01'", 1], ["d = TRUE", 1], ["d > DATE('2026-02-01')", 1], ["d IS NULL", 2]]) {
    assert.equal(tree.filtered(filter).pointCount, count, filter);
  }
  assert.equal(buildNow(listOf(null, undefined)).filtered("d > 5").pointCount, 0);
});

test("columns named like members of objects keep their values", async () => {
  const names = ["__proto__", "constructor", "toString"];
  const path = join(folder, "members.csv");
  writeFileSync(path, ["longitude,latitude," + names.join(), "0,0,a,b,c", "1,1,d,,constructor"].join("\n"));
  const index = built(path, "--columns", names.map((name) => `${name}:category`).join());
  const site = join(folder, "members");
  treeline("publish", index, "--output", site);
  const tree = await opened(index);
  const expected = names.map((name, i) => [name, ["a", "b", "c"][i]]);
  const shown = (answer) => Array.from({ length: answer.length }, (_, i) => Object.entries(answer.feature(i).properties).filter(([name]) => names.includes(name)));
  const query = { zoom: 20, bbox: [-1, -1, 0.5, 0.5] };
  const published = await Treeline.open(join(site, "manifest.json"));
  const features = JSON.parse(`[{"__proto__": "a", "constructor": "b", "toString": "c"}, {"__proto__": "d", "toString": "constructor"}]`).map((own, i) => feature(own, i));
  const page = await Treeline.build(features);
  for (const answer of [tree.clusters(query), page.clusters(query), await published.clusters(query, { values: true })]) assert.deepEqual(shown(answer), [expected]);
  const members = JSON.parse(JSON.stringify(page.members(0).toGeoJSON())).features.map(({ properties }) => properties);
  assert.deepEqual(Object.entries(members.find(({ index }) => index === 0)).slice(-3), expected);
  for (const own of [tree, page]) {
    assert.equal(own.filtered(`"__proto__" = 'd'`).pointCount, 1);
    const { values } = own.clusters({ cut: { limit: 1 }, aggregate: `counts("__proto__"), counts("toString")` });
    assert.deepEqual(Object.values(values).map(([counts]) => Object.entries(counts)), [[["a", 1], ["d", 1]], [["c", 1], ["constructor", 1]]]);
  }
});

test("the error of a server that does not answer names the option for pages of other origins", async () => {
  const ask = { index: "a", fetch: async () => { throw new TypeError("Failed to fetch"); } };
  const messageAt = async (page) => {
    globalThis.location = page && new URL(page);
    try {
      return await Treeline.connect("http://127.0.0.1:9/", ask).then(assert.fail, (error) => error instanceof ServerError && error.message);
    } finally {
      delete globalThis.location;
    }
  };
  const other = "or does not allow pages of https://page.example to read its answers (see its option --allow-origin)";
  assert.equal(await messageAt("https://page.example/map.html"), `http://127.0.0.1:9/: the server does not answer, ${other}`);
  for (const page of ["http://127.0.0.1:9/map.html", undefined]) assert.equal(await messageAt(page), "http://127.0.0.1:9/: the server does not answer");
});
