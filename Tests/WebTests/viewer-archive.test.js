// The bounds of an archive that the server's viewer shows as a base map.

import assert from "node:assert/strict";
import { test } from "node:test";

import { TileArchive } from "../../Sources/TreelineServer/Resources/viewer/archive.js";
import { worldX, worldY } from "../../Sources/TreelineWeb/src/map/mercator.js";

function covers(bounds, [longitude, latitude]) {
  const archive = Object.assign(new TileArchive("land.pmtiles"), { bounds });
  return archive.covers({ centerX: worldX(longitude), centerY: worldY(latitude) });
}

test("an archive covers the views whose center is within its bounds", () => {
  const iceland = [-25, 63, -13, 67];
  assert.equal(covers(iceland, [-19, 65]), true);
  assert.equal(covers(iceland, [-19, 60]), false);
  assert.equal(covers(iceland, [10, 65]), false);
  assert.equal(covers([-180, -85.0511, 180, 85.0511], [170, -80]), true);
  // The map may be moved around the world.
  assert.equal(covers(iceland, [-19 + 360, 65]), true);
  // Some writers leave the bounds out.
  assert.equal(covers([0, 0, 0, 0], [10, 65]), true);
});
