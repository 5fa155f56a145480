import assert from "node:assert/strict";
import { test } from "node:test";

import { stepZoom } from "../../Sources/TreelineWeb/src/map/step.js";

test("a chosen cluster is shown one step closer", () => {
  // Three parts soon: two levels closer, but not closer than the points allow.
  assert.equal(stepZoom({ now: 4, two: 4.5, three: 5, filling: 9 }), 6);
  assert.equal(stepZoom({ now: 4, two: 4.5, three: 5, filling: 5.5 }), 5.5);
  // Three parts late: as close as the cluster needs for them.
  assert.equal(stepZoom({ now: 4, two: 4.5, three: 8, filling: 9 }), 8);
  // A cluster of two points never has three parts, so it is not shown as close as its points allow.
  assert.equal(stepZoom({ now: 9, two: 9.5, three: Infinity, filling: 17 }), 11);
  assert.equal(stepZoom({ now: 9, two: 13, three: Infinity, filling: 17 }), 13);
});
