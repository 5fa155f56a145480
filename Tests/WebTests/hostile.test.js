// Checks invalid points, invalid queries and workers that stop. They must end in a clear error, never in a wrong answer
// and never in a hang.

import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { Worker } from "node:worker_threads";

import { build } from "../../Sources/TreelineWeb/src/build.js";
import { BuildError, QueryError, ServerError, Treeline } from "../../Sources/TreelineWeb/src/index.js";
import { TreeCategories } from "../../Sources/TreelineWeb/src/map/categories.js";
import { buildNow } from "../../Sources/TreelineWeb/src/now.js";
import { RemoteTree } from "../../Sources/TreelineWeb/src/server.js";
import Default, { SpacedSupercluster } from "../../Sources/TreelineWeb/src/spaced-supercluster.js";
import { Supercluster } from "../../Sources/TreelineWeb/src/supercluster.js";
import { built, coordinatesOf, FIXTURES, folder, opened, seeded } from "./support.js";

const WORKER = new URL("../../Sources/TreelineWeb/src/worker.js", import.meta.url);
const cities = coordinatesOf(`${FIXTURES}/cities.csv.gz`);

test("invalid points are errors that name the point and its value", async () => {
  const feature = (coordinates) => ({ type: "Feature", properties: {}, geometry: { type: "Point", coordinates } });
  const cases = [
    [Float64Array.of(1, 2, NaN, 4), /point 1, found NaN and 4/], [Float64Array.of(1, 2, Infinity, 4), /point 1/], [Float64Array.of(1, 91), /point 0, found 1 and 91/],
    [Float64Array.of(181, 1), /point 0/], [Float64Array.of(1, 2, 3), /even number of coordinates, found 3/], [[["1", "2"]], /found '1' and '2'/], [[[1]], /found 1 and undefined/],
    [[null], /found undefined/], [[{}], /point 0/], ["1,2", /as an array, found '1,2'/], [null, /found null/], [undefined, /found undefined/], [5, /found 5/], [{}, /the length undefined/],
    [{ length: NaN }, /found the length NaN/], [{ length: -1 }, /found the length -1/], [{ length: 1e12 }, /found the length 1000000000000/], [{ length: 1.5 }, /length 1.5/],
    [[feature([1, null])], /found 1 and null/], [[{ type: "Feature", geometry: null }], /point 0/],
    [[{ type: "Feature", geometry: { type: "LineString", coordinates: [[1, 2], [3, 4]] } }], /point 0/], [[feature(["a", "b"])], /found 'a' and 'b'/],
    [new BigInt64Array(2), /point 0/],
  ];
  for (const [points, message] of cases) {
    await assert.rejects(Treeline.build(points), (error) => error instanceof BuildError && message.test(error.message) || assert.fail(`${String(points)}: ${error.stack}`));
  }
});

test("invalid options are errors", async () => {
  for (const options of [{ for: "limits" }, { projection: "globe" }, { anchor: "anywhere" }, { badgeGap: -1 }, { badgeGap: NaN }, { badgeGap: 129 }]) {
    await assert.rejects(Treeline.build([[1, 2]], options), BuildError, JSON.stringify(options));
  }
  await assert.rejects(Treeline.build(new Float64Array(2 * (2 ** 21 + 1))), /at most 2097152 points, found 2097153; .*build an index/);
});

test("skipInvalid leaves out invalid points, and other points keep their rows", () => {
  const points = [[1, 2], [NaN, 3], ["x", 4], [5, 6], [7, 100]];
  const tree = buildNow(points, { skipInvalid: true });
  assert.deepEqual(Array.from(tree.hierarchy.rows).sort(), [0, 3]);
  assert.deepEqual(tree.clusters({ zoom: 20 }).rows.sort(), Float64Array.of(0, 3));
});

test("columns without a value for each point are errors", async () => {
  for (const kind of [null, undefined, 5, ["a"], { length: NaN }]) {
    await assert.rejects(Treeline.build([[1, 2], [3, 4]], { columns: { kind } }), (error) => error instanceof BuildError && /2 values in the column 'kind'/.test(error.message));
  }
});

test("properties of features are columns for filters and aggregates", async () => {
  const kinds = ["x", "y", "x", undefined];
  const features = kinds.map((kind, i) => ({ type: "Feature", id: `a${i}`, properties: kind ? { kind, size: i + 1 } : null, geometry: { type: "Point", coordinates: [i, 5] } }));
  for (const points of [features, { type: "FeatureCollection", features }]) {
    const tree = await Treeline.build(points, { columns: { size: [10, 20, 30, 40] } });
    const shown = tree.filtered("kind = 'x'").clusters({ cut: { limit: 1 }, aggregate: "count, counts(kind), sum(size)" });
    assert.deepEqual(shown.values, { count: [2], counts_kind: [{ x: 2 }], sum_size: [40] });
    assert.equal(tree.filtered("kind IS NULL").pointCount, 1);
    assert.throws(() => tree.filtered("knd = 'x'"), /no column 'knd' for the filter; columns: size, kind/);
    assert.throws(() => tree.clusters({ cut: { limit: 1 }, aggregate: "sum(knd)" }).values, /no column 'knd' to aggregate; columns: size, kind/);
    assert.throws(() => new TreeCategories(tree, "knd"), (error) => error instanceof QueryError && /no column 'knd' for colorBy; columns: /.test(error.message));
    assert.deepEqual(new TreeCategories(tree, "kind").categories, ["x", "y", null]);
  }
});

test("the rank of a percentage is exact", () => {
  const n = Array.from({ length: 3000 }, (_, i) => i + 1);
  const tree = buildNow(n.map((i) => [i % 100, i % 50]), { columns: { n } });
  const aggregate = "percentile(n, 1.1), percentile(n, 0.1), percentile(n, 0.0000001), percentile(n, 1.5e-05), percentile(n, 1E+2)";
  const { values } = tree.clusters({ cut: { limit: 1 }, aggregate });
  assert.deepEqual(Object.values(values).map(([value]) => value), [33, 3, 1, 1, 3000]);
  assert.deepEqual(Object.keys(values), ["percentile_1.1_n", "percentile_0.1_n", "percentile_1e-07_n", "percentile_1.5e-05_n", "percentile_100_n"]);
});

test("aggregates of columns in the page give dates as times, and refuse values of wrong kinds", () => {
  const when = [2, 1, 1, NaN].map((day) => new Date(Date.UTC(2010, 0, day, 10, 0, 0, 500 * day)));
  const tree = buildNow([[1, 2], [3, 4], [5, 6], [7, 8]], { columns: { when, name: ["a", "b", "c", "d"], size: [1, 2, null, 9], ids: [1n, 2n, 3n, 4n] } });
  const valuesOf = (aggregate) => Object.values(tree.clusters({ cut: { limit: 1 }, aggregate }).values).map(([value]) => value);
  const [day1, day2] = ["2010-01-01T10:00:00.5Z", "2010-01-02T10:00:01Z"];
  assert.deepEqual(valuesOf("count(when), min(when), max(when), counts(when), first(when, by: name), sum(ids)"), [3, day1, day2, { [day1]: 2, [day2]: 1 }, day1, 10]);
  assert.deepEqual(valuesOf("first(name, by: size), last(name, by: when)"), ["d", "b"]);
  for (const aggregate of ["sum(when)", "mean(name)", "any(size)", "all(name)", "mean(size, weight: name)", "variance(when)"]) {
    const expected = new RegExp(`Expected a column of kind \\w+(?: or boolean)? for ${aggregate.replace(/[()]/g, "\\$&")}, found the column '\\w+' of kind \\w+`);
    assert.throws(() => valuesOf(aggregate), (error) => error instanceof QueryError && expected.test(error.message), aggregate);
  }
  const own = (properties, i) => ({ type: "Feature", properties, geometry: { type: "Point", coordinates: [i, 5] } });
  const features = buildNow([{ constructor: "x" }, {}, null].map(own));
  assert.equal(new TreeCategories(features, "constructor").categories.length, 2);
});

test("a tree of no points has no clusters", () => {
  for (const points of [[], new Float64Array(0), { type: "FeatureCollection", features: [] }]) {
    for (const purpose of ["badges", "spacing"]) {
      const tree = buildNow(points, { for: purpose });
      assert.deepEqual([tree.pointCount, tree.bounds, tree.clusters({ zoom: 3 }).length], [0, null, 0]);
      assert.equal(tree.clusters({ bbox: [-180, -90, 180, 90], cut: { limit: 5 } }).toGeoJSON().features.length, 0);
      assert.throws(() => tree.children(0), QueryError);
    }
  }
});

test("invalid queries are errors", () => {
  const tree = buildNow([[1, 2], [3, 4], [3, 4]], { columns: { kind: ["a", "b", "b"] } });
  const all = { bbox: [-10, -10, 10, 10], zoom: 3 };
  for (const query of [
    { bbox: [0, NaN, 1, 1] }, { bbox: [0, 1, 1, 0] }, { bbox: [0, 1] }, { bbox: ["0", "0", "1", "1"], zoom: 3 }, { bbox: [0, 0, 1, 1] }, { center: [0, 0], zoom: 3 },
    { center: [0, 91], zoom: 3, width: 10, height: 10 }, { center: [0, 0], width: 10, height: 10 }, { center: [NaN, 0], zoom: 1, width: 1, height: 1 }, { tile: [1, 2, 0] }, { tile: [25, 0, 0] },
    { tile: [0.5, 0, 0] }, { ...all, zoom: NaN }, { ...all, zoom: Infinity }, { ...all, zoom: "3" }, { ...all, tileSize: 100 }, { ...all, margin: -1 }, { ...all, center: [0, 0] },
    { ...all, cut: { badges: -1 } }, { ...all, cut: { badges: NaN } }, { ...all, cut: { badges: "1" } }, { ...all, cut: { spacing: 44 } }, { ...all, cut: { badges: 1, detail: 2 } },
    { ...all, cut: { limit: 0 } }, { ...all, cut: { limit: 1.5 } }, { ...all, cut: { limit: NaN } }, { ...all, cut: { limit: 5, order: "best" } }, { ...all, cut: { detail: 5, order: "widest-first" } },
    { ...all, cut: { badges: 1, minPoints: 3 } }, { ...all, cut: { limit: 5, minPoints: 3 } }, { ...all, cut: { limit: 5, aloneFromZoom: 3 } }, { ...all, cut: { order: "widest-first", aloneFromZoom: NaN } },
    { ...all, cut: { detail: 5, minPoints: 0 } }, { ...all, cut: { detail: 5, aloneFromZoom: NaN } }, { ...all, position: "member" }, { ...all, keepVisible: true },
  ]) assert.throws(() => tree.clusters(query), QueryError, JSON.stringify(query));
  for (const id of [-1, 0.5, NaN, 1e300, 3 * 1024, 5, 1023, "0"]) {
    for (const ask of ["children", "cluster", "parent", "members", "expansionZoom"]) assert.throws(() => tree[ask](id), QueryError, `${ask} of ${id}`);
  }
  assert.throws(() => tree.members(0, { limit: -1 }), QueryError);
  assert.throws(() => tree.members(0, { offset: NaN }), QueryError);
  assert.throws(() => tree.expansionZoom(0, { cut: { limit: 4 } }), QueryError);
  assert.throws(() => tree.where(7), QueryError);
  for (const filter of ["", "kind", "kind = ", "nothing = 1", "kind = 'a", "kind = 'a' OR", "(kind = 'a'", "kind LIKE 5", `${"NOT ".repeat(65)}kind = 'a'`, `${"(".repeat(65)}kind = 'a'${")".repeat(65)}`, "kind = 'a' kind"]) {
    assert.throws(() => tree.filtered(filter), QueryError, filter);
  }
  for (const filter of [`${"NOT ".repeat(64)}kind = 'a'`, `${"(".repeat(64)}kind = 'a'${")".repeat(64)}`]) tree.filtered(filter);
  for (const aggregate of ["", "sum", "sum(", "sum(nothing)", "top(kind)", "top(kind, 0)", "percentile(kind, 101)", "sum(kind) sum(kind)"]) {
    assert.throws(() => tree.clusters({ ...all, aggregate }).values, QueryError, aggregate);
  }
});

test("points that cannot be clustered are treated as in supercluster", () => {
  const index = new Supercluster().load([{ type: "Feature", geometry: null }, { type: "Feature", properties: {}, geometry: { type: "Point", coordinates: [190, 95] } }]);
  assert.equal(index.getClusters([-180, -90, 180, 90], 3).length, 1);
  assert.throws(() => index.getChildren(99), /No cluster with the specified id/);
  assert.equal(new Supercluster().getTile(0, 0, 0), null);
  for (const bbox of [[NaN, 0, 1, 1], [0, 1, 1, 0]]) assert.deepEqual(index.getClusters(bbox, 1), []);
  for (const zoom of [NaN, undefined, "a"]) assert.throws(() => index.getClusters([-180, -90, 180, 90], zoom), RangeError);
  const positions = [["1", "2"], [NaN, 0], [0, Infinity], [], [3], null, [4, 5]];
  const mixed = new Supercluster().load(positions.map((coordinates) => ({ type: "Feature", properties: { coordinates }, geometry: { type: "Point", coordinates } })));
  assert.deepEqual(mixed.getClusters([-180, -90, 180, 90], 16).map(({ properties }) => properties.coordinates), [[4, 5]]);
  for (const id of [-1, 0, 7.5, NaN, Infinity, 1e300, "a", null, undefined]) {
    for (const call of ["getChildren", "getLeaves"]) assert.throws(() => mixed[call](id), /No cluster with the specified id/, `${call} of ${id}`);
  }
  assert.throws(() => new Supercluster({ maxZoom: 31 }).load([]), /minZoom <= maxZoom \+ 1 and maxZoom <= 30, found 0 and 31/);
  for (const Index of [Supercluster, SpacedSupercluster]) {
    for (const options of [{ maxZoom: 5.5 }, { minZoom: 9, maxZoom: 5 }, { minZoom: 7, maxZoom: 5 }, { maxZoom: "5" }, { minZoom: -1 }]) {
      assert.throws(() => new Index(options).load([]), RangeError, JSON.stringify(options));
    }
    const two = [0, 0.001].map((x) => ({ type: "Feature", properties: {}, geometry: { type: "Point", coordinates: [x, 0] } }));
    for (const options of [{ minZoom: 6, maxZoom: 5 }, { maxZoom: -1 }]) {
      for (const zoom of [0, 6, 9]) assert.equal(new Index(options).load(two).getClusters([-180, -90, 180, 90], zoom).length, 2);
    }
    assert.throws(() => new Index().load({ type: "FeatureCollection", features: [] }), /give its property 'features'/);
    assert.throws(() => new Index().load([]).getTile(NaN, 0, 0), RangeError);
  }
  const features = Array.from({ length: 9 }, (_, i) => ({ type: "Feature", properties: {}, geometry: { type: "Point", coordinates: [i / 1000, 0] } }));
  assert.deepEqual(new SpacedSupercluster({ radius: undefined }).load(features).getClusters([-180, -90, 180, 90], 1).length, 1);
  assert.equal(Default, SpacedSupercluster);
});

test("misspelt options of queries are errors that name the known options", async () => {
  const tree = buildNow([[1, 2], [3, 4], [3, 4]]);
  const remote = new RemoteTree(new URL("http://x/"), { name: "a", has_badges: true, default_cut: { badges: 1 } }, { fetch: () => assert.fail("the server was asked") });
  const cuts = [{ badge: 1 }, {}, 5, "badges", [], { badges: undefined }, { limit: 5, orders: "widest-first" }];
  for (const query of [...cuts.map((cut) => ({ zoom: 3, cut })), { bounds: [0, 0, 1, 1] }, { bbox: [0, 0, 1, 1], Zoom: 3 }, 5, null, []]) {
    const isKnown = (error) => error instanceof QueryError && /spacing, badges, detail|bbox, center, tile|an object/.test(error.message);
    assert.throws(() => tree.clusters(query), isKnown, JSON.stringify(query));
    await assert.rejects(remote.clusters(query), isKnown, JSON.stringify(query));
    await assert.rejects(async () => remote.change(null, query), isKnown, JSON.stringify(query));
  }
  for (const cut of cuts) {
    assert.throws(() => tree.expansionZoom(0, { cut }), QueryError);
    assert.throws(() => tree.where(0, { cut }), QueryError);
    await assert.rejects(remote.expansionZoom(0, { cut }), QueryError);
  }
});

test("answers of another tree are errors", () => {
  const [tree, other] = [buildNow([[1, 2], [3, 4]]), buildNow([[1, 2], [3, 4]])];
  const [shown, foreign] = [tree, other].map((one) => one.clusters({ zoom: 3 }));
  const refused = (call) => assert.throws(call, { name: "QueryError", message: "Expected an answer of this tree, found an answer of another tree" });
  for (const answer of [foreign, null, undefined, {}]) {
    refused(() => tree.transition(shown, answer));
    refused(() => tree.transition(answer, shown));
  }
  refused(() => tree.clusters({ cut: { limit: 2, continuing: foreign } }));
  refused(() => tree.clusters({ cut: { limit: 2, continuing: {} } }));
  assert.equal(tree.transition(shown, tree.filtered((row) => row === 0).clusters({ zoom: 3 })).exited.length, 1);
});

test("LIKE takes every character but its own three literally", () => {
  const texts = ["a-b", "a.b", "a|b", "a/b", "a]b", "(a)", "a^b", "a$b", "a{2}", "a?b", "a+b", "a*b", "a-\\b", "a%b"];
  const tree = buildNow(texts.map((n, i) => ({ type: "Feature", properties: { n }, geometry: { type: "Point", coordinates: [i, 0] } })));
  for (const text of texts) {
    assert.equal(tree.filtered(`n LIKE '${text.replace(/[\\%_]/g, "\\$&")}'`).pointCount, 1, text);
    assert.equal(tree.filtered(`n LIKE '${[...text].map((letter) => `\\${letter}`).join("")}'`).pointCount, 1, text);
  }
});

test("times of filters are read as the index reads them, in every time zone", async () => {
  const times = ["2024-05-01T12:00:00.123456789Z", "2024-05-01T12:00:00Z", "2024-02-29T00:00:00Z", "1969-12-31T23:59:59.999999999Z"];
  const path = join(folder, "times.csv");
  writeFileSync(path, `lon,lat,t\n${times.map((time, i) => `${i},0,${time}`).join("\n")}\n`);
  const tree = await opened(built(path, "--columns", "t"));
  const rows = (filter) => Array.from(tree.filtered(filter).members(0).rows).sort();
  assert.deepEqual(Array.from(tree.members(0).toGeoJSON().features, ({ properties: { t } }) => t).sort(), [...times].sort());
  const zone = process.env.TZ;
  for (process.env.TZ of ["UTC", "America/New_York", "Asia/Kolkata"]) {
    assert.deepEqual(rows("t > TIMESTAMP('2024-05-01T10:00:00')"), [0, 1]);
    assert.deepEqual(rows("t = TIMESTAMP('2024-05-01T12:00:00')"), [1]);
    assert.deepEqual(rows("t = TIMESTAMP('2024/05/01 14:00+02')"), [1]);
    assert.deepEqual(rows("t = DATE('2024-05-01')"), [0, 1]);
    assert.deepEqual(rows("t = DATE('2024-02-29')"), [2]);
    assert.deepEqual(rows("t < TIMESTAMP('1970-01-01T00:00:00Z')"), [3]);
    assert.deepEqual(rows("t = TIMESTAMP('2024-05-01T12:00:00.123456789Z')"), [0]);
  }
  if (zone === undefined) delete process.env.TZ;
  else process.env.TZ = zone;
  for (const literal of ["DATE('May 1, 2024')", "DATE('1')", "DATE('2024-02-30')", "DATE('2024-05-01T10:00:00Z')", "TIMESTAMP('2024-05-01')",
    "TIMESTAMP('2024-05-01T24:00:00')", "TIMESTAMP('2024-13-01T00:00:00')", "TIMESTAMP('')", "DATE('2024-5-1')"]) {
    assert.throws(() => tree.filtered(`t = ${literal}`), QueryError, literal);
  }
});

test("a filtered tree has every method of a tree", () => {
  const tree = buildNow(cities);
  const filtered = tree.filtered((row) => row % 3 === 0);
  const query = { bbox: [-10, 35, 30, 60], zoom: 5 };
  const shown = filtered.clusters(query);
  for (let i = 0; i < shown.length; i += 7) {
    const id = shown.ids[i];
    assert.equal(filtered.cluster(id).counts[0], shown.counts[i]);
    const members = filtered.members(id, { limit: 1e6 });
    assert.equal(members.total, shown.counts[i]);
    assert(Array.from(members.rows).every((row) => row % 3 === 0));
    const children = filtered.children(id);
    assert.equal(children.counts.reduce((sum, count) => sum + count, 0), children.length ? shown.counts[i] : 0);
    assert(filtered.parent(id).counts[0] >= shown.counts[i]);
    assert(filtered.expansionZoom(id) === null || Number.isFinite(filtered.expansionZoom(id)));
    assert.equal(filtered.where(members.rows[0]).row, members.rows[0]);
  }
  const next = filtered.clusters({ ...query, zoom: 6 });
  assert.equal(filtered.transition(shown, next).exited.length + filtered.transition(shown, next).entered.length >= 0, true);
  const limited = filtered.clusters({ ...query, cut: { limit: 20 } });
  assert(filtered.clusters({ ...query, cut: { limit: 20, continuing: limited } }).length <= 20);
  assert.equal(filtered.filtered((row) => row % 2 === 0).members(0, { limit: 0 }).total, tree.filtered((row) => row % 6 === 0).pointCount);
});

test("a worker builds what the page builds", async () => {
  for (const options of [{}, { for: "spacing", anchor: "member" }, { badgeGap: 2 }]) {
    const [tree, other] = [await Treeline.build(cities, { ...options, worker: true }), buildNow(cities, options)];
    assert.deepEqual(tree.hierarchy.nodes, other.hierarchy.nodes);
    assert.deepEqual(tree.clusters({ zoom: 4 }).toGeoJSON(), other.clusters({ zoom: 4 }).toGeoJSON());
  }
  assert.equal(cities.length, 2 * 69472, "the page keeps its points");
});

test("a worker that is stopped or fails is an error", async () => {
  const { between } = seeded("workers");
  const controller = new AbortController();
  const stopped = Treeline.build(cities, { worker: true, signal: controller.signal });
  setTimeout(() => controller.abort(), between(0, 60));
  await assert.rejects(stopped, { name: "AbortError" });
  await assert.rejects(Treeline.build(cities, { signal: controller.signal }), { name: "AbortError" });
  for (const after of [0, 5, 40]) {
    let worker;
    const built = Treeline.build(cities, { worker: () => (worker = new Worker(WORKER)) });
    setTimeout(() => worker.terminate(), after);
    await assert.rejects(built, (error) => error instanceof BuildError && /worker .* stopped/.test(error.message));
  }
  const broken = () => new Worker("throw new Error('no such thing')", { eval: true });
  await assert.rejects(Treeline.build(cities, { worker: broken }), /stopped: no such thing/);
  await assert.rejects(Treeline.build([[1, 2]], { worker: true, for: "nothing" }), (error) => error.name === "BuildError" && /'badges' or 'spacing'/.test(error.message));
});

test("a page notices that its worker was terminated, although there is no event", async () => {
  // Behaves like a worker in a browser: it sends events, and nothing after `terminate`.
  class PageWorker extends EventTarget {
    postMessage() {}
    terminate() {}
  }
  const worker = new PageWorker();
  const built = Treeline.build(cities, { worker: () => worker });
  setTimeout(() => worker.terminate(), 5);
  await assert.rejects(built, /it was terminated/);
});

test("a worker that answers anything but a tree is an error", async () => {
  const posting = (text) => () => new Worker(`require('node:worker_threads').parentPort.on('message', () => { ${text} })`, { eval: true });
  const posts = (value) => posting(`require('node:worker_threads').parentPort.postMessage(${value})`);
  for (const value of ["null", "{ hello: 1 }", "5", "'built'", "{ built: true }", "{ message: '' }"]) {
    await assert.rejects(Treeline.build([[1, 2]], { worker: posts(value) }), (error) => error instanceof BuildError && /sent something other/.test(error.message), value);
  }
  await assert.rejects(Treeline.build([[1, 2]], { worker: posting("process.exit()") }), /stopped: it ended with code 0/);
  for (const value of [undefined, null, 5, {}, { postMessage() {}, terminate() {} }]) {
    await assert.rejects(Treeline.build([[1, 2]], { worker: () => value }), (error) => error instanceof BuildError && /a Worker from the option 'worker'/.test(error.message));
  }
  for (const worker of [() => { throw new Error("no thread"); }, async () => { throw new Error("no thread"); }]) {
    await assert.rejects(Treeline.build([[1, 2]], { worker }), (error) => error instanceof BuildError && /cannot be made: no thread/.test(error.message));
  }
  assert.equal((await Treeline.build([[1, 2]], { worker: async () => new Worker(WORKER) })).pointCount, 1);
});

test("a worker that reports nothing is an error, and a worker that reports may take its time", async (context) => {
  class SilentWorker extends EventTarget {
    postMessage() { this.isAsked = true; }
    terminate() { this.isTerminated = true; }
  }
  const waiting = async (worker) => { while (!worker.isAsked) await new Promise(setImmediate); };
  context.mock.timers.enable({ apis: ["setInterval"] });
  const worker = new SilentWorker();
  const built = Treeline.build([[1, 2]], { worker: () => worker });
  await waiting(worker);
  context.mock.timers.tick(30000);
  await assert.rejects(built, (error) => error instanceof BuildError && /reported nothing for 30 s/.test(error.message));
  assert.ok(worker.isTerminated);
  const slow = new SilentWorker();
  const other = Treeline.build([[1, 2]], { worker: () => slow });
  await waiting(slow);
  for (let i = 0; i < 100; i++) {
    context.mock.timers.tick(20000);
    slow.dispatchEvent(Object.assign(new Event("message"), { data: { alive: true } }));
  }
  slow.dispatchEvent(Object.assign(new Event("messageerror")));
  await assert.rejects(other, /its answer cannot be read/);
  // A worker of a browser that ends itself sends no event.
  const ended = new SilentWorker();
  const lost = Treeline.build([[1, 2]], { worker: () => ended });
  await waiting(ended);
  ended.dispatchEvent(Object.assign(new Event("message"), { data: { alive: true } }));
  context.mock.timers.tick(30000);
  await assert.rejects(lost, (error) => error instanceof BuildError && /reported nothing for 30 s/.test(error.message));
});

test("a build reports regularly, so that a page knows that its worker lives", () => {
  const { below } = seeded("reports");
  const points = new Float64Array(2 * 60000);
  for (let i = 0; i < points.length; i++) points[i] = below(1000000) / 20000 - 25;
  let reports = 0;
  build(points, null, {}, () => reports++);
  assert.ok(reports >= 3, reports);
});

test("connecting to something other than a Treeline server is an error", async () => {
  for (const url of ["not a url", "", undefined]) await assert.rejects(Treeline.connect(url), (error) => error instanceof ServerError && /the address of a server/.test(error.message));
  const answering = (body, status = 200) => ({ fetch: async () => new Response(body, { status }), index: "a" });
  await assert.rejects(Treeline.connect("http://127.0.0.1:9/", {}), (error) => error instanceof ServerError && /does not answer/.test(error.message));
  await assert.rejects(Treeline.connect("http://x/", answering("<html>")), /expected an answer of a Treeline server/);
  await assert.rejects(Treeline.connect("http://x/", answering("{}")), /expected an answer/);
  await assert.rejects(Treeline.connect("http://x/", answering('{"detail":"no index a"}', 404)), (error) => error.status === 404 && error.message === "no index a");
  await assert.rejects(Treeline.connect("http://x/", { fetch: async () => new Response('{"indexes":[{"name":"a"},{"name":"b"}]}') }), /has a, b/);
});
