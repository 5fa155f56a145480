// Shared by the tests of the web module: the built programs, indexes that the tool builds, and seeded random numbers.
//
// TREELINE_TOOL and TREELINE_SERVER are the paths of the programs. TREELINE_TRIALS scales the number of random cases:
// fast (a tenth), full, or thorough (ten times). WEB_SEED repeats a run.

import { execFileSync, spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { gunzipSync } from "node:zlib";

import { Treeline } from "../../Sources/TreelineWeb/src/index.js";
import { randomNumbers } from "../../scripts/measure/towns.mjs";

export const ROOT = fileURLToPath(new URL("../../", import.meta.url));
export const FIXTURES = join(ROOT, "Fixtures");
const TOOL = process.env.TREELINE_TOOL ?? join(ROOT, ".build-test/release/treelinemap");
const SERVER = process.env.TREELINE_SERVER ?? join(ROOT, ".build-test/release/treelinemap-server");

export const folder = mkdtempSync(join(tmpdir(), "treeline-web-"));
process.on("exit", () => rmSync(folder, { recursive: true, force: true }));

/** Returns the number of random cases to try, given the number for a full run. */
export function trials(count) {
  const scale = { fast: 0.1, full: 1, thorough: 10 }[process.env.TREELINE_TRIALS ?? "full"];
  return Math.max(1, Math.floor(count * scale));
}

/** Returns a generator of random numbers (SplitMix32) and prints its seed. */
export function seeded(name) {
  const seed = Number(process.env.WEB_SEED ?? Math.floor(Math.random() * 2 ** 32));
  console.log(`${name}: seed ${seed}`);
  const random = randomNumbers(seed);
  const below = (count) => Math.floor(random() * count);
  return { random, below, between: (a, b) => a + random() * (b - a), choice: (list) => list[below(list.length)] };
}

export function treeline(...options) {
  return execFileSync(TOOL, options, { cwd: ROOT, stdio: ["ignore", "pipe", "pipe"], maxBuffer: 1 << 28 }).toString();
}

let indexCount = 0;

/** Builds an index of a file with the tool, and returns its path. */
export function built(points, ...options) {
  const path = join(folder, `i${indexCount++}.treeline`);
  treeline("build", points, "-o", path, ...options);
  return path;
}

/** Builds an index with a column of each kind. Every column has equal values and missing values. */
export function builtOfAllKinds() {
  const { below, choice } = seeded("kinds");
  const values = {
    name: ["a", "b", "\u{1F600}", "\uFFFD"], price: [5, 7.25, -3, 0], kind: ["x", "constructor", "toString", "__proto__"], open: [true, false],
    day: ["2010-01-10", "1969-12-31", "+010000-05-01", "0001-01-01"],
    moment: ["1969-12-31T10:00:00.25Z", "2020-02-02T00:00:00.123456788Z", "2020-02-02T00:00:00.123456789Z", "2020-02-02T00:00:00Z"],
  };
  const rows = Array.from({ length: 300 }, () => [below(60), below(60), ...Object.values(values).map((list) => (below(4) ? choice(list) : ""))]);
  const path = join(folder, "kinds.csv");
  writeFileSync(path, [["longitude", "latitude", ...Object.keys(values)], ...rows].join("\n"));
  return built(path, "--grow", "badges", "--columns", "name:text,price:number,kind:category,open:boolean,day:time,moment:time");
}

export function bytesOf(path) {
  const bytes = readFileSync(path);
  return bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length);
}

export const opened = (path) => Treeline.open(bytesOf(path));

/** Starts a server of indexes, which are given by name. */
export async function serving(indexes) {
  const server = spawn(SERVER, ["--port", "0", ...Object.entries(indexes).map(([name, path]) => `${name}=${path}`)], { cwd: ROOT });
  process.on("exit", () => server.kill());
  let log = "";
  return new Promise((resolve, reject) => {
    const read = (text) => {
      const port = /(?:127\.0\.0\.1|localhost):(\d+)/.exec((log += text));
      if (!port) return;
      // The running server must not keep the test process alive.
      for (const part of [server, server.stdout, server.stderr]) part.unref();
      resolve(`http://127.0.0.1:${port[1]}/`);
    };
    server.stdout.on("data", read);
    server.stderr.on("data", read);
    server.on("exit", (code) => reject(new Error(`The server stopped with code ${code}: ${log}`)));
  });
}

/** Returns longitudes and latitudes, or x and y, in turns, from a CSV file of the fixtures. */
export function coordinatesOf(path) {
  const bytes = readFileSync(path);
  const [head, ...lines] = (path.endsWith(".gz") ? gunzipSync(bytes) : bytes).toString().trimEnd().split("\n").map((line) => line.trimEnd());
  const names = head.split(",");
  const [x, y] = [["longitude", "x"], ["latitude", "y"]].map((wanted) => names.findIndex((name) => wanted.includes(name)));
  return Float64Array.from(lines.filter((line) => line).flatMap((line) => {
    const cells = line.match(/("(?:[^"]|"")*"|[^,]*)(,|$)/g).map((cell) => cell.replace(/,$/, ""));
    return [Number(cells[x]), Number(cells[y])];
  }));
}

/**
 * Returns the tree of an index on a server. Opens the connection again if the server closes it between two requests.
 */
export const connected = (address, index) =>
  Treeline.connect(address, { index, fetch: (url, options) => fetch(url, options).catch(() => fetch(url, options)) });
