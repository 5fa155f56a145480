// Compares answers of the web module with answers of the server. The module answers from an opened index and, through
// `connect`, from the server.

import assert from "node:assert/strict";
import { before, test } from "node:test";

import { QueryError } from "../../Sources/TreelineWeb/src/index.js";
import { TreeCategories } from "../../Sources/TreelineWeb/src/map/categories.js";

import { built, builtOfAllKinds, connected, FIXTURES, opened, seeded, serving, trials } from "./support.js";

const INDEXES = {
  split: ["cities.csv.gz", "--columns", "all"],
  plain: ["airports.csv.gz", "--split", "mean"],
  badges: ["cities.csv.gz", "--grow", "badges", "--columns", "country:category,population:number,name:text+search"],
  gap: ["airports.csv.gz", "--grow", "badges", "--badge-gap", "1.5"],
  spacing: ["airports.csv.gz", "--for", "spacing"],
  members: ["cities.csv.gz", "--grow", "badges", "--anchor", "member", "--columns", "population:number"],
  scatter: ["cities.csv.gz", "--grow", "scatter"],
  iceland: ["iceland_addresses.csv.gz", "--grow", "badges"],
  planar: ["formats/planar.csv", "--grow", "badges", "--badge-gap", "128"],
  poles: ["nasty/poles.csv", "--grow", "merge"],
  antimeridian: ["nasty/antimeridian.csv", "--grow", "badges"],
  extremes: ["nasty/extremes.csv", "--grow", "badges"],
  lattice: ["nasty/lattice.csv", "--grow", "badges"],
  stacks: ["nasty/two_stacks.csv", "--grow", "badges"],
  one: ["nasty/one.csv", "--grow", "badges"],
  none: ["nasty/none.csv"],
};

let address;
const trees = {};

before(async () => {
  const paths = Object.fromEntries(Object.entries(INDEXES).map(([name, [file, ...options]]) => [name, built(`${FIXTURES}/${file}`, ...options)]));
  // An index of an older version: its tree was split, and answers queries with a spacing.
  paths.separations = `${FIXTURES}/index/v1/separations.treeline`;
  paths.kinds = builtOfAllKinds();
  for (const name in paths) trees[name] = await opened(paths[name]);
  address = await serving(paths);
});

/** Returns a random view of a part of a tree's region, or of everything around it. */
function randomView({ random, below, between, choice }, tree, needsZoom) {
  const { hierarchy: { points, plane }, pointCount } = tree;
  let [west, south, east, north] = tree.bounds;
  const isMercator = plane.isMercator;
  if (random() < 0.2 && isMercator) [west, south, east, north] = [-200, -86, 200, 86];
  if (east < west) east += 360;
  const size = 0.7 ** below(40);
  const [width, height] = [(east - west) * size, (north - south) * size];
  const index = below(pointCount);
  const [x, y] = random() < 0.8
    ? [plane.longitude(points[2 * index]), plane.latitude(points[2 * index + 1])] : [between(west, east), between(south, north)];
  const scale = { zoom: random() < 0.5 ? below(20) : between(0, 24), tileSize: random() < 0.3 ? 512 : 256 };
  const kind = random();
  if (kind < 0.15) return { center: [x, y], ...scale, width: between(1, 2000), height: between(1, 2000) };
  if (kind < 0.3 && isMercator) {
    const zoom = below(12);
    const side = 2 ** (32 - zoom);
    const column = Math.floor(((plane.x(x) + plane.seam) % 2 ** 32) / side);
    const margin = random() < 0.5 ? { margin: between(0, 100) } : {};
    return { tile: [zoom, column, Math.floor(plane.y(y) / side)], tileSize: scale.tileSize, ...margin };
  }
  let bbox = [x - random() * width, y - random() * height, x + random() * width, y + random() * height];
  if (isMercator) {
    bbox = [bbox[0], Math.max(bbox[1], -90), bbox[2], Math.min(bbox[3], 90)];
    if (random() < 0.3) [bbox[0], bbox[2]] = [bbox[0], bbox[2]].map((edge) => ((((edge + 180) % 360) + 360) % 360) - 180);
  }
  // Some edges lie exactly on points, which are then in view.
  if (random() < 0.15) bbox = random() < 0.5 ? [x, y, x, y] : [x, bbox[1], x + width, y];
  const area = random() < 0.1 ? {} : { bbox };
  if (needsZoom && area.bbox && random() < 0.3) return { ...area, width: between(1, 2000), height: between(1, 2000) };
  if (!needsZoom && random() < 0.7) return area;
  return { ...area, ...scale, ...(random() < 0.3 ? { margin: between(0, 300) } : {}) };
}

/** Returns an amount in pixels at which a node in view is barely split, or barely not split. */
function cutAtSplit({ below, choice }, tree, kind) {
  const { hierarchy } = tree;
  let node = [0, tree.pointCount, 0, 0];
  for (let steps = below(12); steps > 0; steps--) {
    const children = hierarchy.childrenOf(...node);
    if (!children.length) break;
    node = below(2) ? children.slice(0, 4) : children.slice(4);
  }
  const left = hierarchy.leftCount(...node);
  const spread = new Float64Array(3);
  hierarchy.spread(node[0], node[1], node[2], spread);
  let units = Math.sqrt(spread[0] + spread[2]);
  if (kind !== "detail" && left) {
    const code = hierarchy.codes[node[0] + left];
    const exponent = Math.max(code >> 10, 1) - 1;
    units = Math.sqrt((code - 1024 * exponent) * 2 ** exponent);
    units = kind === "badges" ? (units - hierarchy.curve.distance(0)) / 8 : units - 2;
  }
  const zoom = below(20);
  const pixels = (Math.max(units, 0) / 2 ** (24 - zoom)) * (1 + choice([-3e-16, 0, 3e-16]));
  return { bbox: hierarchy.plane.bounds(hierarchy.box(node[0], node[1], node[2])), zoom, tileSize: 256, cut: { [kind]: pixels } };
}

function randomQuery(rng, tree) {
  const { random, below, between, choice } = rng;
  let kind = choice(["limit", "limit", "detail", "scale"]);
  if (kind === "scale") kind = tree.hasBadges ? "badges" : tree.hasSeparations ? "spacing" : "detail";
  const limit = choice([1, 2, 3, 5, 10, 30, 100, 300]);
  let query;
  if (kind === "limit") {
    query = { ...randomView(rng, tree, false), cut: { limit, order: choice(["breadth-first", "widest-first", "steepest-first"]) } };
  } else {
    const pixels = kind === "badges" ? choice([0.5, 1, 2, between(0, 3)]) : choice([0, between(0, 10), between(5, 200), 2 ** between(-10, 20)]);
    query = { ...randomView(rng, tree, true), cut: { [kind]: pixels } };
    if (random() < 0.4) query = cutAtSplit(rng, tree, kind);
    // Large trees mostly get a limit, because without a limit an answer may contain all points.
    if (tree.pointCount > 3000 || random() < 0.6) query.cut.limit = limit;
    if (kind !== "badges" && random() < 0.4) query.cut.minPoints = choice([2, 3, 10, 100, tree.pointCount + 1, tree.pointCount + 2]);
    if (kind !== "badges" && random() < 0.3) query.cut.aloneFromZoom = between(0, 20);
  }
  if (random() < 0.3) {
    const position = kind === "badges" ? "mean" : choice(["mean", "member"]);
    if (kind !== "badges" || !tree.hierarchy.anchors) query.position = position;
  }
  if (random() < 0.5) query.keepVisible = random() < 0.6 && kind !== "badges";
  if (random() < 0.3) query.ellipses = true;
  return query;
}

/** Whether lengths are equal up to a given difference. */
const areClose = (found, expected, difference = 1.01) =>
  found.length === expected.length && found.every((length, k) => Math.abs(length - expected[k]) <= difference + 1e-6 * length);

/** Whether two ellipses are equal up to the last decimal. A circle has no direction. */
function isSameEllipse([major, minor, angle], [otherMajor, otherMinor, otherAngle]) {
  const turn = Math.abs(angle - otherAngle) % 180;
  return areClose([major, minor], [otherMajor, otherMinor]) && (Math.min(turn, 180 - turn) < 0.11 || major - minor < 2);
}

/** Returns half a unit of the last decimal that the server writes, plus a margin for rounding. */
function toleranceOf({ hierarchy: { plane } }) {
  const unit = plane.isMercator ? 360 / 2 ** 32 : plane.side / 2 ** 32;
  return 0.5 * 10 ** -Math.max(Math.floor(-Math.log10(unit || 1)), 0);
}

/** Compares an answer of this module with one of the server. */
function compare(found, expected, query) {
  const told = `of ${JSON.stringify(query)}`;
  assert.deepEqual(Array.from(found.ids), Array.from(expected.ids), `ids ${told}`);
  assert.deepEqual(Array.from(found.counts), Array.from(expected.counts), `counts ${told}`);
  assert.deepEqual(Array.from(found.rows), Array.from(expected.rows), `rows ${told}`);
  const tolerance = toleranceOf(found.tree);
  const isClose = (a, b) => Math.abs(a - b) <= tolerance + 1e-9 * Math.max(Math.abs(b), 1);
  found.coordinates.forEach((coordinate, i) => assert.ok(isClose(coordinate, expected.coordinates[i]), `coordinate ${i} ${told}: ${coordinate}, expected ${expected.coordinates[i]}`));
  for (let i = 0; i < found.length; i++) {
    assert.ok(found.bounds(i).every((edge, k) => isClose(edge, expected.bounds(i)[k])), `bounds ${told}`);
    const [{ id, properties }, other] = [found.feature(i), expected.feature(i)];
    assert.equal(id, other.id);
    // A connection requests the ellipse of a single cluster by itself.
    const names = Object.keys(other.properties).filter((name) => query.ellipses || !name.startsWith("ellipse"));
    assert.deepEqual(Object.keys(properties), names, `properties ${told}`);
    for (const name in properties) {
      const [own, others] = [properties[name], other.properties[name]];
      if (name === "ellipse") assert.ok(isSameEllipse(own, others), `${name} ${own} ${others} ${told}`);
      else if (name === "ellipse_meters") assert.ok(areClose(own, others, 0.11), `${name} ${own} ${others} ${told}`);
      else if (name === "ellipse_units") assert.ok(areClose(own, others, 2 * tolerance), `${name} ${own} ${others} ${told}`);
      else assert.deepEqual(own, others, `${name} ${told}`);
    }
  }
}

test("answers to random views equal the server's answers, cluster for cluster", async () => {
  const rng = seeded("answers");
  const names = Object.keys(trees).filter((name) => trees[name].pointCount);
  let [clusterCount, count] = [0, trials(10000)];
  const servers = {};
  for (const name of names) servers[name] = await connected(address, name);
  for (let i = 0; i < count; i++) {
    const name = rng.random() < 0.6 ? rng.choice(names.slice(0, 8)) : rng.choice(names);
    const query = randomQuery(rng, trees[name]);
    const found = trees[name].clusters(query);
    // The server refuses numbers below 0 or above its limits. Other tests check this.
    compare(found, await servers[name].clusters(query), { index: name, ...query });
    clusterCount += found.length;
  }
  console.log(`${count} views with ${clusterCount} clusters`);
  assert.ok(clusterCount > count);
});

test("answers about clusters with given ids equal the server's answers", async () => {
  const rng = seeded("ids");
  let count = 0;
  for (const name of Object.keys(trees).filter((name) => trees[name].pointCount)) {
    const tree = trees[name];
    const server = await connected(address, name);
    const facts = ({ hasBadges, hasSeparations, pointCount, defaultCut }) => [hasBadges, hasSeparations, pointCount, defaultCut];
    assert.deepEqual(facts(server), facts(tree));
    const shown = [tree.clusters({ cut: { limit: 200 } }), tree.clusters({ cut: { detail: 1, limit: 300 }, zoom: 12 })].flatMap(({ ids }) => Array.from(ids));
    for (let i = 0; i < trials(150); i++) {
      const id = rng.choice(shown);
      for (const question of ["children", "cluster", "parent"]) compare(tree[question](id), await server[question](id), { index: name, question, id });
      const tileSize = rng.choice([256, 512]);
      const cut = rng.choice([tree.defaultCut.limit ? { detail: 20 } : tree.defaultCut, { detail: rng.between(0.1, 100), minPoints: rng.choice([2, 50]), limit: 50 }, { detail: 4, aloneFromZoom: 9 }]);
      const zoom = (zoom) => (zoom === null ? null : Math.max(zoom, 0));
      const isSame = (own, other) => assert.ok(own === other || Math.abs(own - Math.max(other, 0)) < 1e-9 || (own === 0 && other <= 0), `${own}, expected ${other}, of ${id} by ${JSON.stringify(cut)}`);
      isSame(zoom(tree.expansionZoom(id, { cut, tileSize })), zoom(await server.expansionZoom(id, { cut, tileSize })));
      const page = { offset: rng.below(20), limit: 1 + rng.below(20) };
      const [own, other] = [tree.members(id, page), await server.members(id, page)];
      assert.deepEqual([own.total, own.offset, own.rows], [other.total, other.offset, other.rows], `members of ${id} of ${name}`);
      own.toGeoJSON().features.forEach(({ id, properties }, k) => {
        const expected = other.toGeoJSON().features[k];
        assert.deepEqual([id, Object.entries(properties)], [expected.id ?? id, Object.entries(expected.properties)]);
      });
      if (own.length) {
        const row = own.rows[0];
        const [here, there] = [tree.where(row, { cut, tileSize }), await server.where(row, { cut, tileSize })];
        assert.equal(here.row, there.row);
        compare(here.path, there.path, { index: name, row });
        for (let k = 0; k < here.path.length; k++) assert.equal(here.path.isStack(k), there.path.isStack(k));
        isSame(zoom(here.zoom), zoom(there.zoom));
      }
      count++;
    }
  }
  assert.ok(count > 0);
});

test("positions under a filter equal the server's positions, also if all points pass", async () => {
  const rng = seeded("positions");
  const server = await connected(address, "members");
  for (const filter of ["population IS NULL OR population IS NOT NULL", "population > 20000"]) {
    const [own, other] = [trees.members.filtered(filter), server.filtered(filter)];
    for (let i = 0; i < trials(100); i++) {
      const query = { ...randomView(rng, own, true), cut: rng.choice([{ badges: 1, limit: 200 }, { limit: 50 }, { detail: 20, limit: 100 }]) };
      const found = own.clusters(query);
      compare(found, await other.clusters(query), { filter, ...query });
      if (!found.length) continue;
      const [row] = own.members(rng.choice(found.ids), { limit: 1 }).rows;
      compare(own.where(row).path, (await other.where(row)).path, { filter, row });
    }
  }
});

test("a server's tree is searched", async () => {
  const server = await connected(address, "badges");
  const found = await server.filtered("population < 0").search("sao pau", { limit: 3 });
  assert.deepEqual(found.map(({ properties }) => properties.name).slice(0, 2), ["São Paulo", "São Paulo das Missões"].slice(0, found.length));
  await assert.rejects((await connected(address, "plain")).search("a"), { name: "ServerError", status: 400 });
});

test("answers with filters and aggregates equal the server's answers", async () => {
  const rng = seeded("filters");
  const [tree, server] = [trees.badges, await connected(address, "badges")];
  const conditions = [
    "population > 100000", "population BETWEEN 5000 AND 20000", "country = 'DE'", "country IN ('US', 'FR', 'JP')", "country NOT IN ()", "country IN ( ) OR name IS NULL", "name LIKE 'San %'", "name LIKE '%_burg%'",
    "NOT (country = 'US' OR population < 20000)", "country <> 'CN' AND population >= 1e6", "name IS NULL", "population IS NOT NULL AND country > 'R'",
    "S_INTERSECTS(geometry, BBOX(-10, 35, 40, 60))", "name < 'B' OR name = 'O''Fallon'", "name NOT LIKE 'A%' AND country NOT IN ('IN', 'CN')", "population NOT BETWEEN 1 AND 1000000",
  ];
  const aggregates = [
    "count(country), sum(population), mean(population)", "min(population), max(population), min(name), max(name)", "top(country, 3), mode(country), distinct(country)",
    "median(population), percentile(population, 90), percentile(country, 9.9E+1)", "counts(country), variance(population)", "mean(population, weight: population)", "count",
  ];
  let [clusters, values] = [0, 0];
  for (let i = 0; i < trials(600); i++) {
    const filter = rng.random() < 0.8 ? rng.choice(conditions) : null;
    const [own, other] = filter ? [tree.filtered(filter), server.filtered(filter)] : [tree, server];
    const query = { ...randomView(rng, tree, true), aggregate: rng.choice(aggregates) };
    query.cut = rng.choice([{ badges: 1, limit: 200 }, { limit: rng.choice([1, 20, 100]), order: rng.choice(["breadth-first", "widest-first", "steepest-first"]) }, { detail: 20, limit: 100, minPoints: rng.choice([2, 10]) }]);
    const [found, expected] = [own.clusters(query), await other.clusters(query)];
    const told = `${filter} ${JSON.stringify(query)}`;
    assert.deepEqual([found.ids, found.counts, found.rows], [expected.ids, expected.counts, expected.rows], told);
    found.coordinates.forEach((coordinate, k) => assert.ok(Math.abs(coordinate - expected.coordinates[k]) <= 1e-7, told));
    assert.deepEqual(Object.keys(found.values), Object.keys(expected.values), told);
    for (const [name, list] of Object.entries(found.values)) {
      list.forEach((value, k) => {
        const expectedValue = expected.values[name][k];
        if (typeof value === "number") assert.ok(Math.abs(value - expectedValue) <= 1e-12 * Math.abs(value), `${name} ${told}: ${value}, expected ${expectedValue}`);
        else assert.deepEqual(typeof value === "object" && value ? Object.entries(value) : value, typeof value === "object" && expectedValue ? Object.entries(expectedValue) : expectedValue, `${name} ${told}`);
        values++;
      });
    }
    clusters += found.length;
  }
  const filter = "country = 'IS'";
  const [own, other] = [tree.filtered(filter), server.filtered(filter)];
  assert.deepEqual([other.pointCount, other.bounds], [null, null]);
  const everything = await other.cluster(0);
  assert.equal(everything.counts[0], own.pointCount);
  own.bounds.forEach((edge, k) => assert.ok(Math.abs(edge - everything.bounds(0)[k]) < 1e-6));
  assert.ok(own.bounds[0] > -26 && own.bounds[3] < 68 && tree.bounds[0] < -100, "bounds are bounds of the points that pass");
  assert.equal(tree.filtered("country = 'nowhere'").bounds, null);
  assert.ok(everything.ellipse(0).major > 0);
  const without = await other.clusters({ cut: { limit: 1 } });
  assert.throws(() => without.ellipse(0), (error) => error instanceof QueryError && /ellipses: true/.test(error.message));
  const [here, there] = [own.clusters({ cut: { limit: 1 }, ellipses: true }), await other.clusters({ cut: { limit: 1 }, ellipses: true })];
  assert.ok(Math.abs(here.ellipse(0).major / there.ellipse(0).major - 1) < 1e-6);
  console.log(`${clusters} clusters, ${values} values`);
  assert.ok(clusters > 0 && values > 0);
});

test("aggregates of columns of every kind equal the server's aggregates, and both refuse the same", async () => {
  const columns = trees.kinds.columns.map(({ name }) => name);
  const aggregates = ["count", "count(moment", "sum(price", "top(kind, 2.5)", "top(kind, 1.2.3)", "percentile(price, 1.2.3)", "percentile(price, 100.5)", "last(name)", "first(name, weight: price)", "mean(price, by: price)", "min(name, by: price)"];
  for (const column of columns) {
    for (const kind of ["count", "sum", "mean", "variance", "min", "max", "any", "all", "counts", "mode", "median", "distinct", "first"]) aggregates.push(`${kind}(${column})`);
    aggregates.push(`top(${column}, 2)`, `percentile(${column}, 70)`);
    for (const other of columns) aggregates.push(`first(${column}, by: ${other})`, `last(${column}, by: "${other}")`, `mean(${column}, weight: ${other})`);
  }
  // The order of the values in an object matters, so objects become lists.
  const plain = (features) => JSON.parse(JSON.stringify(features.map(({ properties }) => properties)), (_, value) =>
    value && typeof value === "object" && !Array.isArray(value) ? Object.entries(value) : value);
  // A variance may differ in the last bits.
  const isSame = (own, other) => (typeof own === "number" && typeof other === "number" ? Math.abs(own - other) <= 1e-12 * Math.abs(other)
    : Array.isArray(own) && Array.isArray(other) ? own.length === other.length && own.every((value, i) => isSame(value, other[i])) : own === other);
  let [refusedCount, answeredCount] = [0, 0];
  for (const filter of [null, "open = TRUE OR price < 6", "price > 100"]) {
    const sources = [trees.kinds, await connected(address, "kinds")].map((tree) => (filter ? tree.filtered(filter) : tree));
    for (const aggregate of aggregates) {
      const [own, other] = await Promise.all(sources.map(async (tree) => {
        try {
          const clusters = await tree.clusters({ cut: { limit: 12 }, aggregate });
          return [Object.keys(clusters.values), plain(clusters.toGeoJSON().features)];
        } catch (error) {
          if (error instanceof QueryError || error.status === 400) return "refused";
          throw error;
        }
      }));
      if (own === "refused") refusedCount++;
      else answeredCount++;
      if (!isSame(own, other)) assert.deepEqual(own, other, `${aggregate}, ${filter}`);
    }
  }
  assert.ok(refusedCount > 50 && answeredCount > 50, `${refusedCount} refused, ${answeredCount} answered`);
});

test("donuts count categories in memory and on a server alike, whatever their names", async () => {
  const server = await connected(address, "kinds");
  for (const column of ["kind", "day", "moment"]) {
    const [own, other] = [new TreeCategories(trees.kinds, column), await server.categories(column)];
    assert.deepEqual(other.categories, own.categories);
    const query = { cut: { limit: 100 }, aggregate: other.aggregate };
    const [here, there] = [trees.kinds.clusters(query), await server.clusters(query)];
    for (let i = 0; i < here.length; i++) assert.deepEqual(other.parts(there, i), own.parts(here, i, here.firsts[i], here.sizes[i]));
  }
  await assert.rejects(server.categories("constructor"), /no column 'constructor' for colorBy; columns: /);
});

test("a limit without end is an error on a server, but not beside pixels", async () => {
  const server = await connected(address, "badges");
  const query = { zoom: 1, cut: { limit: Infinity } };
  for (const answer of [server.clusters(query), server.change(null, query)]) await assert.rejects(answer, (error) => error instanceof QueryError && /whole number as the limit/.test(error.message));
  compare(trees.badges.clusters({ ...query, cut: { badges: 1, limit: Infinity } }), await server.clusters({ ...query, cut: { badges: 1, limit: Infinity } }), {});
});

test("answers to a limit that continues equal the server's answers", async () => {
  const rng = seeded("continuing");
  for (let i = 0; i < trials(300); i++) {
    const name = rng.choice(["split", "badges", "spacing", "scatter"]);
    const [tree, server] = [trees[name], await connected(address, name)];
    const [limit, order] = [rng.choice([1, 4, 15, 40, 100]), rng.choice(["breadth-first", "widest-first", "steepest-first"])];
    const first = randomView(rng, tree, false);
    if (!first.bbox) continue;
    const [west, south, east, north] = first.bbox;
    const [dx, dy] = [(east - west) * rng.between(-0.4, 0.4), (north - south) * rng.between(-0.4, 0.4)];
    const second = { bbox: [west + dx, Math.max(south + dy, -90), east + dx, Math.min(north + dy, 90)] };
    if (second.bbox[1] > second.bbox[3]) continue;
    const [here, there] = [tree, server].map((source) => source.clusters({ bbox: first.bbox, cut: { limit, order } }));
    const shown = [here, await there];
    const [own, other] = [tree, server].map((source, side) => source.clusters({ ...second, cut: { limit, order, continuing: shown[side] } }));
    assert.deepEqual(own.ids, (await other).ids, JSON.stringify({ name, first, second, limit, order }));
  }
});
