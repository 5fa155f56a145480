// Colors of groups in the server's viewer.

import assert from "node:assert/strict";
import { test } from "node:test";

import { countsByGroup, Groups } from "../../Sources/TreelineServer/Resources/viewer/groups.js";
import { LIGHT, Palette } from "../../Sources/TreelineWeb/src/map/palette.js";

const PALETTE = new Palette(LIGHT);
const counts = (names) => countsByGroup([...names].map((group, at) => ({ group, count: 100 - at })));
const colors = (groups, names) => [...names].map((name) => PALETTE.categories.indexOf(groups.toneOf(name, PALETTE)));

test("points are counted by group, the largest group first", () => {
  const clusters = [["a", 1], ["b", 5], ["a", 3], [null, 2], ["", 4]].map(([group, count]) => ({ group, count }));
  assert.deepEqual(countsByGroup(clusters), [["b", 5], ["", 4], ["a", 4], [null, 2]]);
});

test("a group keeps its color while it is among the largest, and a new group gets a free color", () => {
  const groups = new Groups();
  assert.equal(groups.assign(counts("abcdefgh")), true);
  assert.deepEqual(colors(groups, "abcdef"), [0, 1, 2, 3, 4, 5]);
  assert.equal(groups.assign(counts("fedcbagh")), false);
  // `h` becomes large and takes the color of `c`, the only group that is no longer large.
  assert.equal(groups.assign(counts("habdefcg")), true);
  assert.deepEqual(colors(groups, "abdefh"), [0, 1, 3, 4, 5, 2]);
  // A group that is out of view gets its color back, as long as no other group needs the color.
  groups.assign(counts("hz"));
  assert.equal(new Set(colors(groups, "hz")).size, 2);
  groups.assign(counts("ab"));
  assert.ok(colors(groups, "ab").every((color) => color >= 0) && colors(groups, "h")[0] === 2);
});

test("every other group has a pale color that depends on its name only", () => {
  const [one, other] = [new Groups(), new Groups()];
  one.assign(counts("abcdef"));
  other.assign(counts("zyxwvu"));
  const names = Array.from({ length: 240 }, (_, at) => `Group ${at}`);
  const fills = names.map((name) => one.toneOf(name, PALETTE).fill);
  assert.deepEqual(fills, names.map((name) => other.toneOf(name, PALETTE).fill));
  assert.ok(new Set(fills).size >= 40, `${new Set(fills).size} colors`);
  assert.ok(!fills.includes(PALETTE.other.fill) && !PALETTE.categories.some(({ fill }) => fills.includes(fill)));
  assert.equal(one.toneOf(null, PALETTE), PALETTE.other);
});
