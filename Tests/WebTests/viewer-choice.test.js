// The view in which the server's viewer opens an index.

import assert from "node:assert/strict";
import { test } from "node:test";

import { corners } from "../../Sources/TreelineServer/Resources/viewer/choice.js";

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
