// Checks that the description of the package names the same modules to all readers.

import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";

import { treelineLayers } from "../../Sources/TreelineWeb/src/map/style.js";
import { ROOT } from "./support.js";

const FOLDER = join(ROOT, "Sources/TreelineWeb");
const description = JSON.parse(readFileSync(join(FOLDER, "package.json"), "utf8"));

test("every module has its declarations for old and new resolution, and exists", () => {
  const entries = Object.entries(description.exports).filter(([, entry]) => entry.types && entry !== description.exports["."]);
  const old = Object.fromEntries(entries.map(([name, { types }]) => [name.slice(2), [types.slice(2)]]));
  assert.deepEqual(description.typesVersions, { "*": old });
  for (const [, entry] of entries) {
    const file = entry.default ?? entry;
    if (file.startsWith("./src/")) assert.ok(existsSync(join(FOLDER, file)), file);
  }
});

test("a bundler keeps the worker, which has effects but exports nothing", () => {
  assert.ok(description.sideEffects.includes(description.exports["./worker"]));
});

test("an unknown theme of style layers is an error", () => {
  assert.throws(() => treelineLayers("points", { theme: "drak" }), { name: "QueryError", message: /light or dark as the theme, found 'drak'/ });
});
