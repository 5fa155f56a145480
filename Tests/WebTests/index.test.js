// Checks index files. Files of every version open. The error of a broken file has the offset of the damage. With any
// bytes in a file, opening it and querying it must end in an answer or an error.

import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";

import { IndexError, QueryError, Treeline } from "../../Sources/TreelineWeb/src/index.js";
import { xxHash64 } from "../../Sources/TreelineWeb/src/index-file.js";
import { built, bytesOf, FIXTURES, opened, seeded, treeline, trials } from "./support.js";

const V1 = join(FIXTURES, "index/v1");
const files = (folder) => readdirSync(folder).filter((name) => name.endsWith(".treeline")).map((name) => join(folder, name));

test("indexes of version 1 open and have as many points as the tool reports", async () => {
  for (const path of files(V1)) {
    const tree = await opened(path);
    const told = JSON.parse(treeline("inspect", "--json", path));
    assert.equal(tree.pointCount, told.points ?? told.point_count, path);
    assert.equal(tree.clusters({ cut: { limit: 1e6 } }).counts.reduce((sum, count) => sum + count, 0), tree.pointCount, path);
  }
});

test("broken indexes are refused as the tool refuses them, at the same byte", async () => {
  let refused = 0;
  for (const path of files(join(V1, "broken"))) {
    const told = readFileSync(path.replace(".treeline", ".txt"), "utf8").split("\n")[0];
    const isRefused = /^treeline: error: .*(damaged at byte|expected an index|needs section)/.test(told);
    if (!isRefused) {
      // Some damage is found only by `verify`. Such an index opens, and queries end in an answer or an error.
      const tree = await opened(path);
      try {
        assert.ok(tree.clusters({ cut: { limit: 100 } }).length <= 100);
      } catch (error) {
        assert.ok(error instanceof IndexError, error.stack);
      }
      continue;
    }
    const error = await opened(path).then(() => assert.fail(`${path} opened; the tool says ${told}`), (error) => error);
    assert.ok(error instanceof IndexError, `${path}: ${error.stack}`);
    const place = /at byte (\d+)/.exec(told)?.[1];
    if (place) assert.equal(/at byte (\d+)/.exec(error.message)?.[1], place, `${error.message}, expected ${told}`);
    assert.match(error.message, /expected|needs/);
    refused++;
  }
  assert.ok(refused > 5);
});

test("errors name the file, the place, what was expected and found, and a remedy", async () => {
  const path = join(V1, "tiny.treeline");
  const cut = bytesOf(path).slice(0, -1);
  const file = new File([cut], "places.treeline");
  await assert.rejects(Treeline.open(file), (error) => {
    assert.match(error.message, /^places\.treeline: the index is damaged at byte 16: expected .+, found \d+; build it again$/);
    return error instanceof IndexError;
  });
  await assert.rejects(Treeline.open(new ArrayBuffer(0)), /expected an index/);
  await assert.rejects(Treeline.open(new TextEncoder().encode("longitude,latitude")), /'treeline build' makes one/);
  await assert.rejects(Treeline.open(null), IndexError);
  await assert.rejects(Treeline.open(undefined), IndexError);
});

test("bytes, views of bytes, files and addresses open alike", async () => {
  const buffer = bytesOf(join(V1, "separations.treeline"));
  const shifted = new Uint8Array(buffer.byteLength + 3);
  shifted.set(new Uint8Array(buffer), 3);
  const url = `data:application/octet-stream;base64,${Buffer.from(buffer).toString("base64")}`;
  const ids = (await Treeline.open(buffer)).clusters({ cut: { limit: 20 } }).ids;
  for (const source of [new Uint8Array(buffer), shifted.subarray(3), new File([buffer], "a"), new Blob([buffer]), url]) {
    assert.deepEqual((await Treeline.open(source)).clusters({ cut: { limit: 20 } }).ids, ids);
  }
});

/** Damages some bytes. Then corrects the checksum of the header, so that a reader does not stop there. */
function damaged(buffer, { random, below, choice }) {
  const bytes = new Uint8Array(buffer.slice(0, random() < 0.05 ? below(buffer.byteLength) : buffer.byteLength));
  const view = new DataView(bytes.buffer);
  if (bytes.length < 128) return bytes.buffer;
  const headerLength = 128 + 32 * view.getUint32(68, true);
  for (let changes = 1 + below(4); changes > 0; changes--) {
    // Points take most of a file. The header and the table are small but matter more, so they are often damaged.
    const at = below(random() < 0.4 ? Math.min(headerLength, bytes.length) : bytes.length);
    const kind = below(4);
    if (kind === 0) bytes[at] ^= 1 << below(8);
    else if (kind === 1) bytes[at] = choice([0, 1, 127, 128, 255]);
    else if (kind === 2 && at + 4 <= bytes.length) view.setUint32(at, choice([0, 1, 0x7fffffff, 0x80000000, 0xffffffff, below(100)]), true);
    else bytes[at] = below(256);
  }
  if (random() < 0.9 && headerLength <= bytes.length && headerLength >= 128) {
    const header = bytes.slice(0, headerLength);
    header.fill(0, 120, 128);
    view.setBigUint64(120, xxHash64(header), true);
    view.setBigUint64(16, BigInt(bytes.length), true);
    const again = bytes.slice(0, headerLength);
    again.fill(0, 120, 128);
    view.setBigUint64(120, xxHash64(again), true);
  }
  return bytes.buffer;
}

test("damaged indexes end in answers or errors, at once", async () => {
  const rng = seeded("mutations");
  const paths = [...files(V1), built(join(FIXTURES, "nasty/antimeridian.csv"), "--grow", "badges", "--stand", "member"),
    built(join(FIXTURES, "formats/planar.csv"), "--columns", "all", "--title", "a", "--grow", "badges")];
  const buffers = paths.map(bytesOf);
  let [answers, errors, queryErrors, slowest] = [0, 0, 0, 0];
  for (let i = 0; i < trials(10000); i++) {
    const buffer = damaged(rng.choice(buffers), rng);
    const start = performance.now();
    try {
      const tree = await Treeline.open(buffer);
      const cut = rng.choice([{ limit: 30 }, { limit: 9, order: "widest-first" }, { limit: 9, order: "steepest-first" }, { detail: 20, limit: 50 },
        { ...tree.defaultCut, limit: 20 }, tree.defaultCut]);
      const answer = tree.clusters({ bbox: [-100, -50, rng.between(-90, 170), 70], zoom: rng.between(0, 18), cut, position: rng.choice([undefined, "mean"]) });
      answer.toGeoJSON();
      assert.ok(answer.coordinates.every(Number.isFinite), "coordinates are numbers");
      assert.ok(answer.length <= (cut.limit ?? Infinity));
      for (const id of answer.ids.subarray(0, 3)) {
        tree.children(id);
        tree.members(id, { limit: 5 }).toGeoJSON();
        tree.expansionZoom(id, { cut: { detail: 20 } });
      }
      tree.filtered((row) => row % 2 === 0).clusters({ cut: { limit: 5, order: "widest-first" } }).toGeoJSON();
      answers++;
    } catch (error) {
      if (error instanceof IndexError) errors++;
      else if (error instanceof QueryError) queryErrors++;
      else throw new Error(`mutation ${i}: ${error.stack}`);
    }
    slowest = Math.max(slowest, performance.now() - start);
  }
  console.log(`${answers} answers, ${errors} errors of the index, ${queryErrors} of queries; the slowest took ${slowest.toFixed(0)} ms`);
  assert.ok(answers > 0 && errors > 0 && slowest < 5000);
});
