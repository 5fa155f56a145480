// Names of points in the server's viewer.

import assert from "node:assert/strict";
import { test } from "node:test";

import { guessedName, nameColumn, nameOf, needsGuess, number, ownNameOf } from "../../Sources/TreelineServer/Resources/viewer/text.js";

const indexOf = (...columns) => ({ columns, column_kinds: {} });

test("a point has its name, or else its row; a row that is not loaded is never shown", () => {
  assert.equal(nameOf({ name: "Ritz", index: 3 }, indexOf("stars", "name")), "Ritz");
  assert.equal(nameOf({ index: 1234 }, indexOf("name")), "Row 1,234");
  assert.equal(ownNameOf({ index: 3 }, indexOf("name")), null);
  for (const index of [undefined, NaN]) assert.equal(nameOf({ index }, indexOf("name")), "1 point");
});

test("a column of texts that mostly differ has the names, unless a column says so by its title", () => {
  const points = Array.from({ length: 50 }, (_, i) => (
    { id: `${1000 + i}`, city: "Oslo", street: i % 9 ? `Road ${i}` : "", note: i ? "" : "new", size: i, Station_Name: `S ${i}` }));
  const kinds = { id: "text", city: "category", street: "text", note: "text", size: "number" };
  const index = { columns: ["id", "city", "size", "note", "street"], column_kinds: kinds };
  assert.equal(needsGuess(index), true);
  // Until the guess is made, points have no names.
  assert.equal(nameColumn(index), null);
  assert.equal(nameOf({ ...points[1], index: 1 }, index), "Row 1");
  assert.equal(guessedName(index, points), "street");
  index.guessed_name = "street";
  assert.equal(nameOf({ ...points[1], index: 1 }, index), "Road 1");
  // A number, a place that neighbors share, an identifier without letters, and a column of few values are no names.
  assert.equal(guessedName({ ...index, columns: ["id", "city", "size", "note"] }, points), null);
  const titled = { columns: ["street", "Station_Name", "label"], column_kinds: kinds };
  assert.equal(needsGuess(titled), false);
  assert.equal(nameColumn(titled), "label");
  assert.equal(nameColumn({ ...titled, columns: ["street", "Station_Name"] }), "Station_Name");
  // An attribute without a kind may have names. A number may not.
  assert.equal(guessedName({ columns: ["street"], column_kinds: {} }, points), "street");
  assert.equal(needsGuess({ columns: ["size"], column_kinds: kinds }), false);
});

test("a number that rounds to 0 has no sign", () => {
  assert.deepEqual([-0, -1e-9, 0, -8, 1024].map(number), ["0", "0", "0", "-8", "1,024"]);
});
