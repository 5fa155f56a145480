// The view in which the server's viewer opens an index.

import assert from "node:assert/strict";
import { test } from "node:test";

import { corners, isAround } from "../../Sources/TreelineServer/Resources/viewer/choice.js";

test("points around the world are shown between antimeridian and antimeridian", () => {
  for (const bounds of [[-28.7, -85, -31.1, 82.5], [-180, -85, 180, 82.5], [-175, -85, 178, 82.5]]) {
    assert.deepEqual(corners(bounds), [[-180, -85], [180, 82.5]]);
  }
});

test("the edges of the map lie in a wide gap, and a smaller box stays as it is", () => {
  assert.deepEqual(corners([-10, -40, -40, 60]), [[-25, -40], [335, 60]]);
  assert.deepEqual(corners([160, -40, -160, -10]), [[160, -40], [200, -10]]);
  assert.deepEqual(corners([5, 45, 15, 55]), [[5, 45], [15, 55]]);
});

test("a box of a map of another size is around the center of the map", () => {
  const height = (latitude) => Math.asinh(Math.tan((latitude * Math.PI) / 180));
  const latitude = (height) => (Math.atan(Math.sinh(height)) * 180) / Math.PI;
  const wrapped = (degrees) => degrees - 360 * Math.floor((degrees + 180) / 360);
  for (const [x, y] of [[10, 50], [-179.9, -20], [179, 70]]) {
    for (const [width, tall] of [[8, 0.1], [30, 0.4], [400, 1]]) {
      const bbox = width >= 360 ? [-180, latitude(height(y) - tall), 180, latitude(height(y) + tall)]
        : [wrapped(x - width / 2), latitude(height(y) - tall), wrapped(x + width / 2), latitude(height(y) + tall)];
      assert.equal(isAround([x, y], bbox, null), true, `${[x, y]} in ${bbox}`);
    }
  }
  assert.equal(isAround([10, 50], [0, 40, 30, 60], null), false);
  assert.equal(isAround([10, 50], [8, 20, 12, 60], null), false);
  assert.equal(isAround([5, 5], [0, 0, 10, 10], {}), true);
  assert.equal(isAround([5, 5], [0, 0, 10, 20], {}), false);
});
