// Counts the round trips, requests and bytes of views of a published index.
//
//     node scripts/measure/pages.mjs SITE [VIEWS]
//
// Each view shows badges on 1440 x 900 px, around a random point of the index, at a random zoom from 2 to 18 (512 px
// tiles). A cold view begins with the manifest. After the cold view, four moves by one step follow: a pan by half of
// the width, a zoom in, a zoom out, and a pan back by half of the height. Sizes are sizes of compressed pages.

import { readFileSync, statSync } from "node:fs";

import { Treeline } from "../../Sources/TreelineWeb/src/index.js";
import { randomNumbers } from "./towns.mjs";

const [site, count = "200"] = process.argv.slice(2);
if (!site) throw new Error("Give the folder of a published index");
const manifest = `${site}/manifest.json`;
const random = randomNumbers(7);
const guide = await Treeline.open(manifest);

/** Returns a random point of the index, found by going down its tree. */
async function randomPoint() {
  const { total, coordinates } = await guide.members(0, { limit: 1, offset: Math.floor(random() * guide.pointCount) });
  if (!total) throw new Error("The index has no points");
  return Array.from(coordinates);
}

const cold = [];
const warm = [];
const bare = { rounds: 0, requests: 0, bytes: 0 };
for (let view = 0; view < Number(count); view++) {
  let center = await randomPoint();
  let zoom = 2 + 16 * random();
  const tree = await Treeline.open(manifest);
  const counted = async (into) => {
    const before = { ...bare, ...(into === cold ? {} : tree.source.loaded) };
    const shown = await tree.clusters({ center, zoom, width: 1440, height: 900 });
    const { loaded } = tree.source;
    into.push({ ...Object.fromEntries(Object.keys(bare).map((name) => [name, loaded[name] - before[name]])), zoom, clusters: shown.length });
  };
  await counted(cold);
  const degrees = 360 / 512 / 2 ** zoom;
  center = [((center[0] + 720 * degrees + 540) % 360) - 180, center[1]];
  await counted(warm);
  zoom += 1;
  await counted(warm);
  zoom -= 1;
  await counted(warm);
  center = [center[0], Math.min(center[1] + 450 * degrees * Math.cos((center[1] * Math.PI) / 180), 84)];
  await counted(warm);
}

/** Prints the median, the 95th percentile and the maximum of each count. */
function report(name, counts) {
  const at = (key, share) => counts.map((each) => each[key]).sort((a, b) => a - b)[Math.min(Math.floor(share * counts.length), counts.length - 1)];
  for (const key of ["rounds", "requests", "bytes", "clusters"]) {
    console.log(`${name} ${key.padEnd(9)} p50 ${at(key, 0.5)}  p95 ${at(key, 0.95)}  max ${at(key, 1)}`);
  }
}
const { point_count: points, sizes } = JSON.parse(readFileSync(manifest, "utf8"));
console.log(`${points} points, manifest of ${statSync(manifest).size} bytes, ${JSON.stringify(sizes)}`);
report("cold", cold);
report("warm", warm);
if (process.env.VERBOSE) for (const each of cold.sort((a, b) => a.zoom - b.zoom)) console.log(JSON.stringify(each));
