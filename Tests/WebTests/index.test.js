// Checks index files. Files of every version open. The error of a broken file has the offset of the damage. With any
// bytes in a file, opening it and querying it must end in an answer or an error.

import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";
import { test } from "node:test";
import { pathToFileURL } from "node:url";

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
    const isRefused = /^treelinemap: error: .*(damaged at byte|expected an index|needs section)/.test(told);
    if (!isRefused) {
      // Some damage is found only by `verify`. Such an index opens, and queries end in an answer or an error.
      const tree = await Treeline.open(bytesOf(path), { verify: false });
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
  await assert.rejects(Treeline.open(new TextEncoder().encode("longitude,latitude")), /make an index with 'treelinemap build'/);
  await assert.rejects(Treeline.open(null), IndexError);
  await assert.rejects(Treeline.open(undefined), IndexError);
});

test("bytes, views of bytes, files and addresses open alike", async () => {
  const buffer = bytesOf(join(V1, "separations.treeline"));
  const shifted = new Uint8Array(buffer.byteLength + 3);
  shifted.set(new Uint8Array(buffer), 3);
  const url = `data:application/octet-stream;base64,${Buffer.from(buffer).toString("base64")}`;
  const ids = (await Treeline.open(buffer)).clusters({ cut: { limit: 20 } }).ids;
  const path = join(V1, "separations.treeline");
  for (const source of [path, relative(process.cwd(), path), pathToFileURL(path), pathToFileURL(path).href, new Uint8Array(buffer), shifted.subarray(3), new File([buffer], "a"), new Blob([buffer]), url]) {
    assert.deepEqual((await Treeline.open(source)).clusters({ cut: { limit: 20 } }).ids, ids);
  }
  for (const source of ["no-such.treeline", "file:///no-such.treeline", "http://127.0.0.1:9/a"]) {
    await assert.rejects(Treeline.open(source), (error) => error instanceof IndexError && /no-such|127/.test(error.message));
  }
});

test("a flipped bit in any section is an error that names the section", async () => {
  const { below } = seeded("bits");
  const file = join(V1, "broken/flipped-bit.treeline");
  await assert.rejects(opened(file), (error) => error instanceof IndexError
    && /at byte 320: expected a section of kind 1 with the checksum b6229f8622bb0ea5, found 75b4fd56bd6e1a69/.test(error.message));
  const buffer = bytesOf(join(V1, "columns.treeline"));
  const view = new DataView(buffer);
  for (let i = 0; i < view.getUint32(68, true); i++) {
    const [offset, length] = [8, 16].map((at) => Number(view.getBigUint64(128 + 32 * i + at, true)));
    if (!length) continue;
    const bytes = new Uint8Array(buffer.slice(0));
    bytes[offset + below(length)] ^= 1 << below(8);
    await assert.rejects(Treeline.open(bytes), (error) => error instanceof IndexError || error instanceof QueryError, `section ${i}`);
  }
});

test("the hash of sections equals XXH64 with numbers of 64 bits", () => {
  const { below } = seeded("hash");
  // Hashes that the program xxhsum prints.
  assert.equal(xxHash64(new Uint8Array(0)), 0xef46db3751d8e999n);
  assert.equal(xxHash64(new TextEncoder().encode("abc")), 0x44bc2cf5ad770999n);
  for (let i = 0; i < trials(1000); i++) {
    const bytes = Uint8Array.from({ length: 32 * (1 + below(9)) }, () => below(256));
    const view = new DataView(bytes.buffer);
    const lanes = [0x60ea27eeadc0b5d6n, 0xc2b2ae3d27d4eb4fn, 0n, 0x61c8864e7a143579n];
    const turned = (value, bits) => BigInt.asUintN(64, (value << bits) | (value >> (64n - bits)));
    const mixed = (lane, value) => BigInt.asUintN(64, turned(BigInt.asUintN(64, lane + value * 0xc2b2ae3d27d4eb4fn), 31n) * 0x9e3779b185ebca87n);
    for (let at = 0; at < bytes.length; at += 8) lanes[(at / 8) % 4] = mixed(lanes[(at / 8) % 4], view.getBigUint64(at, true));
    let hash = turned(lanes[0], 1n) + turned(lanes[1], 7n) + turned(lanes[2], 12n) + turned(lanes[3], 18n);
    for (const lane of lanes) hash = BigInt.asUintN(64, (hash ^ mixed(0n, lane)) * 0x9e3779b185ebca87n + 0x85ebca77c2b2ae63n);
    hash = BigInt.asUintN(64, hash + BigInt(bytes.length));
    hash = BigInt.asUintN(64, (hash ^ (hash >> 33n)) * 0xc2b2ae3d27d4eb4fn);
    hash = BigInt.asUintN(64, (hash ^ (hash >> 29n)) * 0x165667b19e3779f9n);
    assert.equal(xxHash64(bytes), hash ^ (hash >> 32n));
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
  const paths = [...files(V1), built(join(FIXTURES, "nasty/antimeridian.csv"), "--grow", "badges", "--anchor", "member"),
    built(join(FIXTURES, "formats/planar.csv"), "--columns", "all", "--title", "a", "--grow", "badges")];
  const buffers = paths.map(bytesOf);
  let [answers, errors, queryErrors, slowest] = [0, 0, 0, 0];
  for (let i = 0; i < trials(10000); i++) {
    const buffer = damaged(rng.choice(buffers), rng);
    const start = performance.now();
    try {
      const tree = await Treeline.open(buffer, { verify: false });
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
