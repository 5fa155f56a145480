// Compares answers from the pages of a published index with answers of the index, and tests how pages are loaded.

import assert from "node:assert/strict";
import { cpSync, existsSync, readFileSync } from "node:fs";
import { createServer } from "node:http";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { before, test } from "node:test";

import { QueryError, Treeline } from "../../Sources/TreelineWeb/src/index.js";

import { built, builtOfAllKinds, FIXTURES, folder, opened, seeded, treeline, trials } from "./support.js";

const INDEXES = {
  cities: ["cities.csv.gz", "--grow", "badges", "--columns", "all"],
  attributes: ["cities.csv.gz", "--attributes", "name,population", "--for", "spacing"],
  spacing: ["airports.csv.gz", "--grow", "merge"],
  plain: ["airports.csv.gz", "--split", "mean"],
  scatter: ["airports.csv.gz", "--grow", "scatter"],
  iceland: ["iceland_addresses.csv.gz", "--grow", "badges", "--anchor", "member"],
  planar: ["formats/planar.csv", "--grow", "badges"],
  antimeridian: ["nasty/antimeridian.csv", "--grow", "badges"],
  poles: ["nasty/poles.csv", "--grow", "merge"],
  extremes: ["nasty/extremes.csv", "--grow", "badges"],
  stacks: ["nasty/two_stacks.csv", "--grow", "badges"],
  one: ["nasty/one.csv", "--grow", "badges"],
  none: ["nasty/none.csv"],
};

/** Sizes for which small trees have subtrees, listings on several levels, and files of several pages. */
const SMALL = { points: [600, 100], node_points: [150, 18], least_code: [45_000, 38_000], pairs: [20, 30, 25], parts: [3, 4], listed: 40, values: 150, file_bytes: 5000 };

/** The path, the tree, the published folder and the folder of small pages of each index. */
const published = {};
const manifest = (site) => join(site, "manifest.json");
let siteCount = 0;

function publish(path, ...options) {
  const site = join(folder, `site${siteCount++}`);
  treeline("publish", path, "-o", site, ...options);
  return site;
}

before(async () => {
  for (const [name, [file, ...options]] of Object.entries(INDEXES)) {
    const path = built(`${FIXTURES}/${file}`, ...options);
    published[name] = { path, whole: await opened(path), site: publish(path), small: publish(path, "--sizes", JSON.stringify(SMALL)) };
  }
});

function randomQuery({ random, below, between, choice }, tree, previous) {
  const { hierarchy: { points, plane }, pointCount } = tree;
  const index = below(pointCount);
  const [x, y] = [plane.longitude(points[2 * index]), plane.latitude(points[2 * index + 1])];
  const cuts = [{ limit: 1 + below(200) }, { limit: 1 + below(50), order: choice(["widest-first", "steepest-first"]) }, { detail: between(5, 60) }];
  if (tree.hasBadges) cuts.push({ badges: between(0.5, 2) }, { badges: 1, limit: 20 }, { badges: 1 });
  if (tree.hasSeparations) cuts.push({ spacing: 44 }, { spacing: 44, limit: 30 }, { spacing: 30, minPoints: 3 });
  if (previous) cuts.push({ limit: 100, continuing: previous });
  const cut = choice(cuts);
  const query = { center: [x, y], zoom: between(0, 20), width: between(1, 1500), height: between(1, 1000), cut };
  return random() < 0.1 && cut.badges === undefined ? { ...query, position: "member" } : query;
}

/** Asserts that ellipses are equal to the bit or, without the option `ellipses`, look alike. */
function sameEllipse(found, expected, isExact) {
  if (isExact || expected.major === 0) return assert.deepEqual(found, expected);
  const area = ({ major, minor }) => major * Math.max(minor, major / 4);
  const ratio = area(found) / area(expected);
  assert.ok(0.87 < ratio && ratio < 1.15, `${ratio}`);
  const shape = ({ major, minor, degrees }) => {
    const elongation = (major ** 2 - minor ** 2) / (major ** 2 + minor ** 2);
    return [elongation * Math.cos((degrees * Math.PI) / 90), elongation * Math.sin((degrees * Math.PI) / 90)];
  };
  const [one, other] = [shape(found), shape(expected)];
  assert.ok(Math.hypot(one[0] - other[0], one[1] - other[1]) < 0.15, `${one} is far from ${other}`);
}

/** Asserts that an answer from pages equals an answer of the index, to the bit. */
function same(found, expected, hasExactEllipses = false) {
  assert.deepEqual(found.ids, expected.ids);
  assert.deepEqual(found.counts, expected.counts);
  assert.deepEqual(found.coordinates, expected.coordinates);
  assert.deepEqual(found.diameters, expected.diameters);
  for (let i = 0; i < expected.length; i++) {
    assert.deepEqual(found.bounds(i), expected.bounds(i));
    sameEllipse(found.ellipse(i), expected.ellipse(i), hasExactEllipses);
    assert.equal(found.isStack(i), expected.isStack(i));
  }
}

test("answers to random views equal the answers of the index, and so do answers about their clusters", async () => {
  const random = seeded("pages");
  for (const [name, { whole, site, small }] of Object.entries(published)) for (const folder of [site, small]) {
    const tree = await Treeline.open(manifest(folder));
    assert.equal(tree.pointCount, whole.pointCount, name);
    assert.deepEqual(tree.bounds, whole.bounds, name);
    assert.equal(tree.description.title, whole.description.title, name);
    let previous = null;
    for (let trial = 0; trial < (whole.pointCount ? trials(100) : 0); trial++) {
      const query = { ...randomQuery(random, whole, previous), ellipses: trial % 2 === 0 };
      const expected = whole.clusters(query);
      const found = await tree.clusters(query, { values: trial % 5 === 0 });
      same(found, expected, trial % 2 === 0);
      if (trial % 5 === 0) assert.deepEqual(found.toGeoJSON(), expected.toGeoJSON());
      if (expected.length === 0) continue;
      const id = expected.ids[random.below(expected.length)];
      same(await tree.cluster(id), whole.cluster(id), true);
      same(await tree.parent(id), whole.parent(id));
      same(await tree.children(id), whole.children(id));
      assert.deepEqual((await tree.members(id, { limit: 5 })).toGeoJSON(), whole.members(id, { limit: 5 }).toGeoJSON());
      if (tree.hasBadges) assert.equal(await tree.expansionZoom(id), whole.expansionZoom(id));
      if (query.cut.limit && !query.cut.badges) previous = expected;
    }
  }
});

test("a view does not load pages whose nodes it splits all, and these pages may be loaded later", async () => {
  const random = seeded("entered");
  let skipped = 0;
  for (const name of ["cities", "spacing", "iceland"]) {
    const { whole, small } = published[name];
    const { points, plane } = whole.hierarchy;
    const cut = whole.hasBadges ? { badges: 1 } : { spacing: 44 };
    for (let trial = 0; trial < trials(20); trial++) {
      const tree = await Treeline.open(manifest(small));
      const index = random.below(whole.pointCount);
      const center = [plane.longitude(points[2 * index]), plane.latitude(points[2 * index + 1])];
      for (const zoom of [random.between(8, 18), random.between(0, 8), random.between(0, 18)]) {
        const query = { center, zoom, width: 800, height: 600, cut };
        same(await tree.clusters(query), whole.clusters(query));
        skipped += [...tree.hierarchy.pagesBelow].filter(({ children }) => children.some(({ isLoaded }) => isLoaded)).length;
      }
      if (trial > 0) continue;
      const { hierarchy } = await tree.whole();
      assert.deepEqual(hierarchy.nodes, whole.hierarchy.nodes, name);
      assert.deepEqual(hierarchy.sums, whole.hierarchy.sums, name);
    }
  }
  assert.ok(skipped > 0);
});

test("all pages together hold the arrays of the index, byte for byte", async () => {
  const bytes = (array) => Buffer.from(array.buffer, array.byteOffset, array.byteLength);
  for (const [name, { whole, site, small }] of Object.entries(published)) for (const folder of [site, small]) {
    const { hierarchy } = await (await Treeline.open(manifest(folder))).whole();
    for (const part of ["points", "rows", "gaps", "nodes", "sums", "spreads", "codes", "anchors"]) {
      const [found, expected] = [hierarchy[part], whole.hierarchy[part]];
      assert.equal(found?.constructor, expected?.constructor, `${name}: ${part}`);
      // Buffers are compared in a fraction of the time that deepEqual needs.
      if (expected) assert.ok(bytes(found).equals(bytes(expected)), `${name}: ${part}`);
    }
  }
});

test("a view loads the pages of all listed levels at once", async () => {
  const { whole, site } = published.cities;
  const { points, plane } = whole.hierarchy;
  const random = seeded("levels");
  const rounds = [];
  for (let trial = 0; trial < 60; trial++) {
    const index = random.below(whole.pointCount);
    const center = [plane.longitude(points[2 * index]), plane.latitude(points[2 * index + 1])];
    const tree = await Treeline.open(manifest(site));
    await tree.clusters({ center, zoom: 12, width: 1000, height: 800, cut: { badges: 1 } });
    const { missing } = tree.hierarchy;
    assert.equal(missing.size, 0);
    rounds.push(tree.source.loaded.rounds);
  }
  // The manifest, and then all pages.
  assert.equal(rounds.sort((a, b) => a - b)[30], 2, `${rounds}`);
});

test("answers equal those of the tool", async () => {
  const { path, site } = published.cities;
  const tree = await Treeline.open(manifest(site));
  for (const [longitude, latitude, zoom] of [[2.35, 48.85, 5.3], [139.7, 35.7, 7.1], [-99.1, 19.4, 3]]) {
    const view = ["--center", `${longitude},${latitude}`, "--zoom", `${zoom}`, "--width", "1024", "--height", "768"];
    const { features } = JSON.parse(treeline("query", path, ...view, "--badges", "1"));
    const query = { center: [longitude, latitude], zoom, width: 1024, height: 768, tileSize: 256, cut: { badges: 1 } };
    const found = await tree.clusters(query, { values: true });
    assert.deepEqual(Array.from(found.ids), features.map(({ id }) => id));
    assert.deepEqual(found.toGeoJSON().features.map(({ properties: { name, index } }) => [name, index]),
      features.map(({ properties: { name, index } }) => [name, index]));
  }
});

test("a filter or an aggregate loads all pages, and answers like the index", async () => {
  const { whole, site } = published.cities;
  const tree = await Treeline.open(manifest(site));
  const query = { bbox: [-10, 35, 30, 60], zoom: 4, aggregate: "sum(population)" };
  const filter = "country = 'FR' AND population > 20000";
  const [found, expected] = [await tree.filtered(filter).clusters(query), whole.filtered(filter).clusters(query)];
  same(found, expected);
  assert.deepEqual(found.values, expected.values);
  await assert.rejects(tree.filtered("kind = 1").clusters(query), QueryError);
  const path = builtOfAllKinds();
  const kinds = await Treeline.open(manifest(publish(path, "--sizes", JSON.stringify(SMALL))));
  const times = { cut: { limit: 20 }, aggregate: "min(day), counts(moment), max(moment), first(name, by: moment)" };
  assert.deepEqual((await kinds.clusters(times)).values, (await opened(path)).clusters(times).values);
});

test("answers of a published tree are used after an aggregate or a filter", async () => {
  const { whole, site } = published.cities;
  const tree = await Treeline.open(manifest(site));
  const filter = "country = 'FR'";
  const query = { bbox: [-10, 35, 30, 60], zoom: 4 };
  const [plain, own] = [await tree.clusters({ ...query, cut: { limit: 30 } }), whole.clusters({ ...query, cut: { limit: 30 } })];
  const next = (continuing, more) => ({ ...query, zoom: 5, cut: { limit: 30, continuing }, ...more });
  const counted = await tree.clusters(next(plain, { aggregate: "count" }));
  same(counted, whole.clusters(next(own, { aggregate: "count" })));
  assert.deepEqual(await tree.feature(counted, 0), whole.clusters(next(own, { aggregate: "count" })).feature(0));
  const [part, ownPart] = [await tree.filtered(filter).clusters(next(plain)), whole.filtered(filter).clusters(next(own))];
  same(part, ownPart);
  assert.deepEqual(await tree.feature(part, 0), ownPart.feature(0));
});

test("Node opens a published index by the address of its file", async () => {
  const { site } = published.one;
  assert.equal((await Treeline.open(pathToFileURL(manifest(site)))).pointCount, 1);
  assert.equal((await (await Treeline.open(pathToFileURL(manifest(site)))).clusters({ zoom: 3 })).length, 1);
});

test("pages that take too much memory are dropped, and earlier answers stay valid", async () => {
  const random = seeded("memory");
  const { whole, site } = published.iceland;
  const tree = await Treeline.open(manifest(site), { memory: 2_000_000 });
  const kept = [];
  const hierarchies = new Set();
  for (let trial = 0; trial < 40; trial++) {
    const query = randomQuery(random, whole, kept[kept.length - 1]?.[1]);
    const pair = [await tree.clusters(query), whole.clusters(query)];
    same(...pair);
    if (query.cut.limit && !query.cut.badges) kept.push(pair);
    hierarchies.add(tree.hierarchy);
  }
  assert.ok(hierarchies.size > 3, `pages were dropped ${hierarchies.size - 1} times`);
  for (const pair of kept) same(...pair);
});

// Loading

/** Serves a folder. `answer` may answer a request itself: it returns true if it has. */
async function hosting(site, answer = () => false) {
  const asked = [];
  const ranges = [];
  const server = createServer((request, response) => {
    asked.push(`${request.url} ${request.headers.range ?? ""}`);
    if (answer(request, response)) return;
    const path = join(site, request.url);
    if (!existsSync(path)) return response.writeHead(404).end();
    const range = /bytes=(\d+)-(\d+)/.exec(request.headers.range ?? "");
    const bytes = readFileSync(path);
    if (!range) return response.writeHead(200).end(bytes);
    ranges.push({ path, first: Number(range[1]), end: Number(range[2]) + 1, length: bytes.length });
    response.writeHead(206).end(bytes.subarray(Number(range[1]), Number(range[2]) + 1));
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  server.unref();
  return { url: `http://127.0.0.1:${server.address().port}/manifest.json`, asked, ranges, close: () => server.closeAllConnections() };
}

const VIEW = { center: [2.35, 48.85], zoom: 9, width: 1024, height: 768 };

test("a page is requested once, however many queries wait for it, and never again", async () => {
  const { whole, site } = published.cities;
  const { url, asked, close } = await hosting(site);
  const tree = await Treeline.open(url);
  const answers = await Promise.all([tree.clusters(VIEW), tree.clusters(VIEW), tree.clusters({ ...VIEW, zoom: 9.5 })]);
  same(answers[1], whole.clusters(VIEW));
  await tree.clusters(VIEW);
  assert.equal(new Set(asked).size, asked.length, asked.join(", "));
  close();
});

test("a single file is read by ranges, and a host that ignores ranges gets a clear error", async () => {
  const { path, whole } = published.cities;
  const site = publish(path, "--single-file");
  const host = await hosting(site);
  same(await (await Treeline.open(host.url)).clusters(VIEW), whole.clusters(VIEW));
  host.close();
  const bare = await hosting(site, (request, response) => {
    if (!request.url.endsWith(".pages")) return false;
    response.writeHead(200).end(readFileSync(join(site, request.url)));
    return true;
  });
  await assert.rejects((await Treeline.open(bare.url)).clusters(VIEW), /does not answer requests for ranges.*--single-file/);
  bare.close();
});

test("pages that are near each other in a file are loaded with one request, and only their bytes", async () => {
  const { whole, small } = published.cities;
  const { url, close, asked, ranges } = await hosting(small);
  const tree = await Treeline.open(url);
  same(await tree.clusters(VIEW), whole.clusters(VIEW));
  assert.ok(ranges.length > 0);
  for (const { first, end, length } of ranges) assert.ok(end - first < length, "a whole file needs no range");
  // Files are so short that all pages of a file are near each other.
  const references = [...tree.hierarchy.pagesBelow].map(({ reference }) => reference);
  const files = new Set(references.map(({ file }) => file));
  assert.ok(files.size < references.length, `${references.length} pages in ${files.size} files`);
  asked.length = 0;
  const pages = await tree.source.load(references);
  assert.equal(asked.length, files.size);
  assert.ok(pages.every(({ length }) => length > 0));
  close();
});

test("of the parts of a file that are loaded at the same time, the browser caches one", async () => {
  const site = publish(published.cities.path, "--single-file", "--sizes", JSON.stringify(SMALL));
  const { url, close } = await hosting(site);
  const [running, most] = [{ default: 0, "no-store": 0 }, { default: 0, "no-store": 0 }];
  const tree = await Treeline.open(url, { fetch: async (address, request) => {
    const { cache, headers } = request;
    if (headers) most[cache] = Math.max(most[cache], ++running[cache]);
    const response = await fetch(address, request);
    if (headers) running[cache]--;
    return response;
  } });
  // Pages of all parts of the world are far from each other in the file.
  await tree.clusters({ bbox: [-180, -80, 180, 80], zoom: 6, cut: { badges: 1 } });
  assert.equal(most.default, 1);
  assert.ok(most["no-store"] > 0);
  close();
});

test("a host that ignores ranges sends whole files of several pages", async () => {
  const { whole, small } = published.cities;
  const { url, close } = await hosting(small, (request) => void delete request.headers.range);
  const tree = await Treeline.open(url);
  same(await tree.clusters(VIEW), whole.clusters(VIEW));
  same(await tree.clusters({ ...VIEW, zoom: 11 }), whole.clusters({ ...VIEW, zoom: 11 }));
  close();
});

test("a part of a file with other bytes is an error that names the file", async () => {
  const { url, close } = await hosting(published.cities.small, (request, response) => {
    const range = /bytes=(\d+)-(\d+)/.exec(request.headers.range ?? "");
    if (!range) return false;
    response.writeHead(206).end(Buffer.alloc(Number(range[2]) + 1 - Number(range[1])));
    return true;
  });
  const tree = await Treeline.open(url);
  await assert.rejects(Promise.all([9, 11, 13].map((zoom) => tree.clusters({ ...VIEW, zoom }))), { name: "IndexError", message: /pages\/[0-9a-f]{16}\.page: expected a page that 'treelinemap publish' wrote, found bytes that cannot be decompressed/ });
  close();
});

test("a manifest of another version is refused", async () => {
  const text = JSON.parse(readFileSync(manifest(published.one.site)));
  for (const [version, remedy] of [[1, "publish the index again"], [4, "use a later module"]]) {
    const { url, close } = await hosting(published.one.site, (request, response) => {
      response.writeHead(200).end(JSON.stringify({ ...text, version }));
      return true;
    });
    await assert.rejects(Treeline.open(url), { name: "IndexError", message: new RegExp(`expected pages of version 3, found version ${version}; ${remedy}`) });
    close();
  }
});

test("a replaced site is noticed, and the tree can be opened again", async () => {
  const own = join(folder, "replaced");
  cpSync(published.cities.site, own, { recursive: true });
  const { url, close } = await hosting(own);
  const tree = await Treeline.open(url);
  treeline("publish", published.spacing.path, "-o", own, "--remove-old");
  await assert.rejects(tree.clusters(VIEW), { name: "ReplacedError", message: /was replaced; open it again/ });
  same(await (await tree.renewed()).clusters(VIEW), published.spacing.whole.clusters(VIEW));
  close();
});

test("a damaged page is an error that names it", async () => {
  const { url, close } = await hosting(published.cities.site, (request, response) => {
    if (!request.url.endsWith(".page")) return false;
    response.writeHead(200).end("not a page");
    return true;
  });
  await assert.rejects((await Treeline.open(url)).clusters(VIEW), { name: "IndexError", message: /pages\/[0-9a-f]{16}\.page: expected \d+ bytes from byte \d+ on, with the checksum that the file's name contains, found other bytes/ });
  close();
});

test("a page with other content is an error for each query that needs it, and for no later query", async () => {
  const { whole, small } = published.cities;
  for (const change of [(bytes) => bytes.subarray(0, bytes.length - 3), (bytes) => bytes.with(4, bytes[4] + 1)]) {
    const tree = await Treeline.open(manifest(small));
    const { source } = tree;
    const load = source.load.bind(source);
    source.load = async (...call) => (await load(...call)).map(change);
    for (let trial = 0; trial < 2; trial++) await assert.rejects(tree.clusters(VIEW), { name: "IndexError" });
    source.load = load;
    same(await tree.clusters(VIEW), whole.clusters(VIEW));
  }
});

test("an exact ellipse stays exact when further pages are loaded", async () => {
  const { whole, small } = published.cities;
  const tree = await Treeline.open(manifest(small));
  // In this view, a leaf page is loaded before its parent page.
  const query = { center: [-88.176, 14.312], zoom: 6.508, width: 1000, height: 800, cut: { badges: 1 } };
  const answer = await tree.clusters({ ...query, ellipses: true });
  for (const id of answer.ids) await tree.parent(id);
  await tree.clusters({ ...query, zoom: query.zoom - 1 });
  same(answer, whole.clusters(query), true);
});

test("requests that fail for a moment are sent again", async () => {
  const failed = new Set();
  const { url, close } = await hosting(published.cities.site, (request, response) => {
    if (failed.has(request.url)) return false;
    failed.add(request.url);
    response.writeHead(503).end();
    return true;
  });
  same(await (await Treeline.open(url)).clusters(VIEW), published.cities.whole.clusters(VIEW));
  close();
});

test("an aborted query ends at once, and its requests with it", async () => {
  let arrived;
  const arrival = new Promise((resolve) => (arrived = resolve));
  let ended;
  const end = new Promise((resolve) => (ended = resolve));
  const { url, close } = await hosting(published.cities.site, (request, response) => {
    if (!request.url.endsWith(".page")) return false;
    response.on("close", ended);
    arrived();
    return true;
  });
  const tree = await Treeline.open(url);
  const controller = new AbortController();
  const answer = tree.clusters(VIEW, { signal: controller.signal });
  await arrival;
  controller.abort();
  await assert.rejects(answer, { name: "AbortError" });
  await end;
  close();
});

test("a load that one caller cancels goes on for the other callers of the same request", async () => {
  const { small } = published.cities;
  const held = [];
  const host = await hosting(small, (request) => {
    if (!request.url.endsWith(".page")) return false;
    held.push(request);
    return false;
  });
  const tree = await Treeline.open(host.url);
  // Two neighboring pages of one file, which are loaded with one request.
  const references = [...tree.hierarchy.pagesBelow].map(({ reference }) => reference);
  const pair = references.filter(({ file }) => file === references.find(({ file }) => references.filter((other) => other.file === file).length > 1).file).slice(0, 2);
  const controller = new AbortController();
  const both = tree.source.load(pair, controller.signal);
  const one = tree.source.load([pair[0]]);
  controller.abort();
  await assert.rejects(both, { name: "AbortError" });
  assert.equal((await one).length, 1);
  assert.equal(held.length, 1);
  // The cancelled page can be loaded again.
  assert.equal((await tree.source.load(pair)).length, 2);
  host.close();
});

test("loading many pages with one request prints no warning", async () => {
  const warnings = [];
  const listen = ({ name, message }) => warnings.push(`${name}: ${message}`);
  process.on("warning", listen);
  const tree = await Treeline.open(manifest(published.cities.small));
  await tree.whole();
  await new Promise(setImmediate);
  process.off("warning", listen);
  assert.deepEqual([...new Set(warnings)], []);
});

test("files that are no manifest are refused", async () => {
  const missing = join(FIXTURES, "missing/manifest.json");
  await assert.rejects(Treeline.open(missing), { name: "IndexError", message: `${missing}: the file does not exist; expected a manifest that 'treelinemap publish' wrote` });
  await assert.rejects(Treeline.open(join(FIXTURES, "../Sources/TreelineWeb/package.json")), { name: "IndexError", message: /expected a manifest/ });
});
