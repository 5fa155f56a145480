// Measures builds, answers and memory of the web module, and of supercluster if a copy is named. Prints a table.
//
//   node scripts/measure/web.mjs [--points FILE] [--supercluster FOLDER] [--runs N]
//
// FILE has pairs of longitude and latitude, as doubles. The table in the documentation was measured with more than a
// million points. FOLDER has supercluster's index.js and, in node_modules, kdbush. Each build runs in a separate
// process. The two libraries take turns, so that other work of the machine slows down both.

import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";
import { parseArgs } from "node:util";

import { buildNow } from "../../Sources/TreelineWeb/src/now.js";
import { randomNumbers, towns } from "./towns.mjs";

const { values } = parseArgs({
  options: { points: { type: "string" }, supercluster: { type: "string" }, runs: { type: "string", default: "5" }, part: { type: "string" } },
});
const SEED = 20260101;

function pointsOf(name) {
  if (name === "towns") return towns(SEED);
  const bytes = readFileSync(name);
  return new Float64Array(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length));
}

const featuresOf = (points) => Array.from({ length: points.length / 2 }, (_, i) => ({ type: "Feature", properties: {}, geometry: { type: "Point", coordinates: [points[2 * i], points[2 * i + 1]] } }));
const superclusterClass = async () => (await import(pathToFileURL(`${values.supercluster}/index.js`).href)).default;

/** Measures the duration of a call in milliseconds. Compilation and garbage collection during the call are included. */
function timed(call) {
  const before = process.cpuUsage();
  const start = performance.now();
  const result = call();
  const { user, system } = process.cpuUsage(before);
  return { result, wall: performance.now() - start, processor: (user + system) / 1000 };
}

async function held() {
  // Some memory is freed only by a later collection.
  for (let i = 0; i < 3; i++) {
    globalThis.gc();
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return heapUsed + arrayBuffers;
}

// Parts of the measurement. Each part runs in a separate process.

const PARTS = {
  /**
   * Builds several times in one process, as in a page that was loaded a while ago, and prints the time of each build.
   */
  async build(name, program, runs) {
    const points = pointsOf(name);
    const times = [];
    let build = () => buildNow(points);
    if (program === "supercluster") {
      const Supercluster = await superclusterClass();
      const features = featuresOf(points);
      build = () => new Supercluster().load(features);
    }
    for (let run = 0; run < Number(runs); run++) {
      const { wall, processor } = timed(build);
      times.push({ wall, processor });
    }
    return times;
  },

  async memory(name, program) {
    const points = pointsOf(name);
    const count = points.length / 2;
    if (program === "treeline") {
      const before = await held();
      const tree = buildNow(points);
      return { bytes: ((await held()) - before) / count, kept: tree.pointCount };
    }
    const Supercluster = await superclusterClass();
    const features = featuresOf(points);
    const before = await held();
    const index = new Supercluster().load(features);
    return { bytes: ((await held()) - before) / count, kept: index.points.length };
  },

  /** Times queries of random views, in which both libraries return equally many results. */
  async views(name) {
    const points = pointsOf(name);
    const tree = buildNow(points);
    const index = new (await superclusterClass())().load(featuresOf(points));
    const random = randomNumbers(SEED);
    const views = [];
    for (let view = 0; view < 3000; view++) {
      const at = 2 * Math.floor(random() * (points.length / 2));
      const zoom = 4 + Math.floor(random() * 12);
      const [width, height] = [(1024 / 512) * (360 / 2 ** zoom), (768 / 512) * (360 / 2 ** zoom) * Math.cos((points[at + 1] * Math.PI) / 180)];
      const bbox = [points[at] - width / 2, points[at + 1] - height / 2, points[at] + width / 2, points[at + 1] + height / 2];
      const wanted = index.getClusters(bbox, zoom).length;
      // Finds the scale of badges with which there are as many clusters as supercluster returns.
      let [low, high] = [0.01, 20];
      for (let step = 0; step < 30; step++) {
        const middle = Math.sqrt(low * high);
        if (tree.clusters({ bbox, zoom, cut: { badges: middle } }).length > wanted) low = middle;
        else high = middle;
      }
      const query = { bbox, zoom, cut: { badges: low } };
      const best = (call) => Math.min(...Array.from({ length: 5 }, () => { const start = performance.now(); call(); return performance.now() - start; }));
      views.push({
        ours: best(() => { const answer = tree.clusters(query); return [answer.ids, answer.counts, answer.coordinates, answer.diameters]; }),
        theirs: best(() => index.getClusters(bbox, zoom)), count: tree.clusters(query).length, expected: wanted,
      });
    }
    return views;
  },
};

const median = (numbers) => numbers.slice().sort((a, b) => a - b)[numbers.length >> 1];

function run(...part) {
  const options = ["--expose-gc", "--max-old-space-size=8000", process.argv[1], "--part", part.join(" ")];
  if (values.supercluster) options.push("--supercluster", values.supercluster);
  return JSON.parse(execFileSync(process.execPath, options, { stdio: ["ignore", "pipe", "inherit"] }).toString());
}

function table() {
  const runs = Number(values.runs);
  const programs = values.supercluster ? ["treeline", "supercluster"] : ["treeline"];
  const sets = values.points ? ["towns", values.points] : ["towns"];
  for (const name of sets) {
    const builds = { treeline: [], supercluster: [] };
    const isSmall = name === "towns";
    for (let i = 0; i < runs; i++) for (const program of programs) builds[program].push(...run("build", name, program, isSmall ? 6 : 1).slice(isSmall ? 1 : 0));
    for (const program of programs) {
      const [wall, processor] = ["wall", "processor"].map((kind) => builds[program].map((time) => time[kind]));
      console.log(`build of ${name}, ${program}: median ${median(wall).toFixed(0)} ms, least ${Math.min(...wall).toFixed(0)} ms; processor time median ${median(processor).toFixed(0)} ms, least ${Math.min(...processor).toFixed(0)} ms`);
    }
    if (programs.length > 1) {
      const least = programs.map((program) => Math.min(...builds[program].map(({ processor }) => processor)));
      const middle = programs.map((program) => median(builds[program].map(({ processor }) => processor)));
      console.log(`  ratio of medians ${(middle[0] / middle[1]).toFixed(2)}, of the least ${(least[0] / least[1]).toFixed(2)}`);
    }
    for (const program of programs) console.log(`memory of ${name}, ${program}: ${run("memory", name, program).bytes.toFixed(1)} bytes a point`);
    if (programs.length > 1) {
      const all = run("views", name);
      // A page shows some dozens of badges. Views with few results show the least time of an answer.
      for (const [what, views] of [["views", all], ["views with 50 to 200 results", all.filter(({ expected }) => expected >= 50 && expected <= 200)]]) {
        const [ours, theirs, count, expected] = ["ours", "theirs", "count", "expected"].map((key) => median(views.map((view) => view[key])));
        console.log(`clusters of ${views.length} ${what} of ${name}: median ${(ours * 1000).toFixed(1)} µs, ${count} clusters; getClusters ${(theirs * 1000).toFixed(1)} µs, ${expected}; ratio ${(ours / theirs).toFixed(2)}`);
      }
    }
  }
}

if (values.part) {
  const [part, ...rest] = values.part.split(" ");
  console.log(JSON.stringify(await PARTS[part](...rest)));
} else {
  table();
}
