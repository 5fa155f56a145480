"""Bundles a page as the page WebModule says, and builds a tree in its worker. webpack is not tested, because Debian's
webpack package cannot be installed beside newer versions of Node."""

import functools
import http.server
import json
import shutil
import subprocess
import threading

import pytest

from conftest import ROOT

PACKAGE = ROOT / "Sources/TreelineWeb"

APP = """
import { Treeline } from "treelinemap";
import { addTreeline } from "treelinemap/maplibre";
const points = Array.from({ length: 5000 }, (_, i) => [(i * 7.3) % 170, (i * 3.1) % 80]);
const worker = () => new Worker("worker.js", { type: "module" });
const idsOf = async (options) => [...(await Treeline.build(points, options)).clusters({ zoom: 3 }).ids];
globalThis.result = Promise.all([idsOf({}), idsOf({ worker }), typeof addTreeline]);
"""

#: Does what @rollup/plugin-node-resolve does, as far as this page needs it.
ROLLUP = """
import { readFileSync } from "node:fs";
const folder = new URL("node_modules/treelinemap/", import.meta.url);
const { exports } = JSON.parse(readFileSync(new URL("package.json", folder), "utf8"));
const resolveId = (id) => {
  if (!id.startsWith("treelinemap")) return null;
  const entry = exports["." + id.slice("treelinemap".length)];
  return new URL(entry.default ?? entry, folder).pathname;
};
export default {
  input: { app: "app.js", worker: "treelinemap/worker" }, output: { dir: "out", format: "es" },
  plugins: [{ name: "resolve", resolveId }],
};
"""

COMMANDS = {
    "esbuild": ["esbuild", "app=app.js", "worker=treelinemap/worker", "--bundle", "--splitting", "--format=esm", "--outdir=out"],
    "rollup": ["rollup", "--config", "rollup.config.mjs"],
}


@pytest.mark.parametrize("bundler", COMMANDS)
def test_a_bundled_page_builds_in_its_worker(tmp_path, new_context, complaints, bundler):
    package = tmp_path / "node_modules/treelinemap"
    shutil.copytree(PACKAGE / "src", package / "src")
    shutil.copy(PACKAGE / "package.json", package)
    (tmp_path / "app.js").write_text(APP)
    (tmp_path / "rollup.config.mjs").write_text(ROLLUP)
    (tmp_path / "package.json").write_text(json.dumps({"type": "module"}))
    output = subprocess.run(COMMANDS[bundler], cwd=tmp_path, check=True, capture_output=True, text=True).stderr
    assert "warning" not in output.lower() and "(!)" not in output, output
    handler = functools.partial(http.server.SimpleHTTPRequestHandler, directory=tmp_path / "out")
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    page = new_context().new_page()
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.route("**/page.html", lambda route: route.fulfill(
        content_type="text/html", body='<!doctype html><title>App</title><script type="module" src="app.js"></script>'))
    with page.expect_worker() as worker:
        page.goto(f"http://127.0.0.1:{server.server_address[1]}/page.html")
    page.wait_for_function("globalThis.result")
    here, there, layer = page.evaluate("result")
    server.shutdown()
    assert worker.value.url.endswith("/worker.js")
    assert here == there and len(here) > 100
    assert layer == "function"
