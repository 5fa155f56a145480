// Checks the interface of supercluster, both with supercluster's order of merging and over a tree. The calls must agree
// with each other, with the tree, and with brute force.

import assert from "node:assert/strict";
import { test } from "node:test";

import { buildNow } from "../../Sources/TreelineWeb/src/now.js";
import { SpacedSupercluster } from "../../Sources/TreelineWeb/src/spaced-supercluster.js";
import { Supercluster } from "../../Sources/TreelineWeb/src/supercluster.js";
import { coordinatesOf, FIXTURES, seeded, trials } from "./support.js";

const coordinates = coordinatesOf(`${FIXTURES}/airports.csv.gz`);
const points = Array.from({ length: coordinates.length / 2 }, (_, row) => ({
  type: "Feature", properties: { row, weight: row % 7 }, geometry: { type: "Point", coordinates: [coordinates[2 * row], coordinates[2 * row + 1]] },
}));
const everything = [-180, -90, 180, 90];
const countOf = (feature) => feature.properties.point_count ?? 1;
const isCluster = (feature) => feature.properties.cluster === true;

/**
 * Returns the items at a zoom by the rule of supercluster, given the items at the next higher zoom. Tries all pairs.
 */
function mergedByRule(items, zoom, { radius, extent }) {
  const distance = radius / (extent * 2 ** zoom);
  const isDone = items.map(() => false);
  const shown = [];
  items.forEach((item, i) => {
    if (isDone[i]) return;
    isDone[i] = true;
    // Neighbours are found with coordinates in single precision, in which supercluster keeps them.
    const near = items.map((_, k) => k).filter((k) => !isDone[k] && (Math.fround(items[k].x) - item.x) ** 2 + (Math.fround(items[k].y) - item.y) ** 2 <= distance ** 2);
    const parts = [item, ...near.map((k) => items[k])];
    const count = parts.reduce((sum, part) => sum + part.rows.length, 0);
    for (const k of near) isDone[k] = true;
    if (near.length === 0) return shown.push(item);
    const mean = (axis) => parts.reduce((sum, part) => sum + part[axis] * part.rows.length, 0) / count;
    shown.push({ x: mean("x"), y: mean("y"), rows: parts.flatMap(({ rows }) => rows) });
  });
  return shown;
}

test("points are merged in the order of supercluster, as brute force does it", () => {
  const rng = seeded("rule");
  let clusters = 0;
  for (let i = 0; i < trials(40); i++) {
    const start = rng.below(points.length - 400);
    const features = points.slice(start, start + 20 + rng.below(380));
    const options = { radius: rng.choice([20, 40, 90]), extent: rng.choice([256, 512]), maxZoom: rng.choice([3, 9]) };
    const index = new Supercluster(options).load(features);
    let items = features.map(({ properties: { row }, geometry: { coordinates: [longitude, latitude] } }) => {
      const sine = Math.sin((latitude * Math.PI) / 180);
      return { x: Math.fround(longitude / 360 + 0.5), y: Math.fround(0.5 - (0.25 * Math.log((1 + sine) / (1 - sine))) / Math.PI), rows: [row] };
    });
    for (let zoom = options.maxZoom; zoom >= 0; zoom--) {
      items = mergedByRule(items, zoom, options);
      const rowsOf = (feature) => (isCluster(feature) ? index.getLeaves(feature.id, Infinity).map(({ properties }) => properties.row) : [feature.properties.row]);
      const [own, expected] = [index.getClusters(everything, zoom).map(rowsOf), items.map(({ rows }) => rows)].map((lists) =>
        lists.map((rows) => rows.sort((a, b) => a - b).join()).sort());
      assert.deepEqual(own, expected, JSON.stringify({ start, zoom, ...options }));
      clusters += index.getClusters(everything, zoom).filter(isCluster).length;
    }
  }
  assert.ok(clusters > 0);
});

test("ids contain the zoom of a cluster, and the search tree has the numbers of shown items", () => {
  const index = new Supercluster().load(points);
  for (const zoom of [0, 4, 9]) {
    const shown = index.getClusters(everything, zoom);
    assert.deepEqual(Array.from(index.trees[zoom].ids).sort((a, b) => a - b), shown.map((_, i) => i));
    for (const { id } of shown.filter(isCluster)) assert.equal(index.getClusterExpansionZoom(id), (id - points.length) % 32);
  }
});

test("clusters are clusters of the tree, are no closer than the radius, and points are the loaded features", () => {
  const rng = seeded("views");
  const index = new SpacedSupercluster({ radius: 60 }).load(points);
  const tree = buildNow(coordinates, { for: "spacing" });
  for (let i = 0; i < trials(1000); i++) {
    const zoom = rng.below(17);
    const [x, y] = [rng.between(-180, 180), rng.between(-80, 80)];
    const bbox = [x, y, x + rng.between(0, 360 / 2 ** (zoom / 2)), Math.min(y + rng.between(0, 90), 90)];
    const shown = index.getClusters(bbox, zoom);
    const all = tree.clusters({ zoom, cut: { spacing: 60 } });
    const { window } = tree.hierarchy.plane.locate({ bbox });
    const expected = Array.from(all.ids).filter((_, k) => {
      const [longitude, latitude] = all.coordinates.subarray(2 * k);
      return window.contains(tree.hierarchy.plane.x(longitude), tree.hierarchy.plane.y(latitude));
    });
    // Centers exactly on the edge may be inside or outside.
    assert.ok(Math.abs(shown.length - expected.length) <= 2, `${JSON.stringify({ bbox, zoom })}: ${shown.length}, expected ${expected.length}`);
    const ids = new Set(expected);
    assert.ok(shown.filter((feature) => isCluster(feature) && !ids.has(feature.id)).length <= 2);
    for (const feature of shown) if (!isCluster(feature)) assert.equal(points[feature.properties.row], feature);
  }
});

for (const [name, Class] of Object.entries({ Supercluster, SpacedSupercluster })) {
  test(`${name}: at every zoom all points are in one cluster or alone, and zooming in never merges`, () => {
    const index = new Class({ maxZoom: 12 }).load(points);
    let before = 0;
    for (let zoom = 0; zoom <= 14; zoom++) {
      const shown = index.getClusters(everything, zoom);
      assert.equal(shown.reduce((sum, feature) => sum + countOf(feature), 0), points.length, `zoom ${zoom}`);
      assert.ok(shown.length >= before);
      before = shown.length;
      if (zoom > 12) assert.equal(shown.filter(isCluster).length, 0);
    }
    assert.deepEqual(index.getClusters(everything, -3), index.getClusters(everything, 0));
    assert.deepEqual(index.getClusters(everything, 3.9), index.getClusters(everything, 3));
  });

  test(`${name}: children, leaves and expansion zooms of a cluster agree`, () => {
    const rng = seeded("clusters");
    const index = new Class({ maxZoom: 10 }).load(points);
    for (let i = 0; i < trials(300); i++) {
      const zoom = rng.below(10);
      const shown = index.getClusters(everything, zoom).filter(isCluster);
      const cluster = rng.choice(shown);
      const expansion = index.getClusterExpansionZoom(cluster.id);
      assert.ok(expansion > zoom && expansion <= 11);
      const children = index.getChildren(cluster.id);
      assert.ok(children.length > 1);
      const leaves = index.getLeaves(cluster.id, Infinity);
      assert.equal(leaves.length, countOf(cluster));
      assert.deepEqual(children.flatMap((child) => (isCluster(child) ? index.getLeaves(child.id, Infinity) : [child])), leaves);
      assert.deepEqual(index.getLeaves(cluster.id, 3, 2), leaves.slice(2, 5));
      assert.deepEqual(index.getLeaves(cluster.id), leaves.slice(0, 10));
      // The cluster is shown at the zoom before, and its parts are shown from this zoom on.
      const has = (zoom) => index.getClusters(everything, zoom).some(({ id }) => id === cluster.id);
      assert.ok(has(expansion - 1) && !has(expansion));
    }
    assert.throws(() => index.getChildren(1023), /No cluster with the specified id/);
  });

  test(`${name}: fewer points than minPoints make no cluster`, () => {
    const index = new Class({ minPoints: 5, maxZoom: 8 }).load(points);
    for (let zoom = 0; zoom <= 9; zoom++) {
      const shown = index.getClusters(everything, zoom);
      assert.equal(shown.reduce((sum, feature) => sum + countOf(feature), 0), points.length);
      assert.ok(shown.filter(isCluster).every((feature) => countOf(feature) >= 5));
    }
  });

  test(`${name}: map and reduce sum up properties in every query for clusters`, () => {
    const index = new Class({ maxZoom: 8, map: ({ weight }) => ({ sum: weight, most: weight }), reduce: (a, b) => { a.sum += b.sum; a.most = Math.max(a.most, b.most); } }).load(points);
    for (const zoom of [0, 3, 6]) {
      for (const cluster of index.getClusters(everything, zoom).filter(isCluster)) {
        const weights = index.getLeaves(cluster.id, Infinity).map(({ properties }) => properties.weight);
        assert.equal(cluster.properties.sum, weights.reduce((a, b) => a + b));
        assert.equal(cluster.properties.most, Math.max(...weights));
      }
    }
  });

  test(`${name}: tiles have the clusters in them and around them, with positions in units of the extent`, () => {
    const index = new Class({ radius: 40, extent: 512, generateId: true }).load(points);
    for (const zoom of [0, 1, 3]) {
      const size = 2 ** zoom;
      let inside = 0;
      for (let x = 0; x < size; x++) {
        for (let y = 0; y < size; y++) {
          for (const { type, geometry: [[px, py]], tags, id } of index.getTile(zoom, x, y)?.features ?? []) {
            assert.ok(type === 1 && px >= -40 && px <= 552 && py >= -40 && py <= 552, `${px}, ${py}`);
            if (tags.cluster) assert.equal(id, tags.cluster_id);
            else assert.equal(id, tags.row);
            if (px >= 0 && px < 512 && py >= 0 && py < 512) inside += tags.point_count ?? 1;
          }
        }
      }
      // Because of rounding, a point on an edge may be counted twice or not at all.
      assert.ok(Math.abs(inside - points.length) < points.length * 0.05, `${inside} points at zoom ${zoom}`);
    }
  });

  test(`${name}: abbreviated counts equal those in supercluster`, () => {
    const at = (count) => new Class().load(Array.from({ length: count }, () => points[0])).getClusters(everything, 0)[0].properties;
    assert.deepEqual([2, 999, 1000, 1250, 10500].map((count) => at(count).point_count_abbreviated), [2, 999, "1k", "1.3k", "11k"]);
  });
}
