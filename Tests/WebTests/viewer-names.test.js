// Names of points in the server's viewer.

import assert from "node:assert/strict";
import { test } from "node:test";

import { nameOf, number, ownNameOf } from "../../Sources/TreelineServer/Resources/viewer/text.js";

test("a point has its name, or else its row; a row that is not loaded is never shown", () => {
  assert.equal(nameOf({ name: "Ritz", index: 3 }, ["stars", "name"]), "Ritz");
  assert.equal(nameOf({ index: 1234 }, ["name"]), "Row 1,234");
  assert.equal(ownNameOf({ index: 3 }, ["name"]), null);
  for (const index of [undefined, NaN]) assert.equal(nameOf({ index }, ["name"]), "1 point");
});

test("a number that rounds to 0 has no sign", () => {
  assert.deepEqual([-0, -1e-9, 0, -8, 1024].map(number), ["0", "0", "0", "-8", "1,024"]);
});
