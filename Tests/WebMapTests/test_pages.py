"""Checks those programs of the documentation's pages that need a browser."""

import json
import re
import shlex
import subprocess
import sys

import pytest

from conftest import LAPTOP, PHONE, PICTURES, ROOT, TOLERATED, VENDOR, served
from programs import build

sys.path.insert(0, str(ROOT / "scripts/check"))

from documentation import Page  # noqa: E402

PAGE = ROOT / "Sources/Treeline/Treeline.docc/WebMapTutorial.md"
TUTORIAL = [code for code, _ in Page(str(PAGE)).run_by["scripts/test webmap"]]
#: The options of the tutorial's first build.
OPTIONS = shlex.split(re.search(r"^treelinemap build \S+ (.*) -o cities\.treeline$", PAGE.read_text(), re.MULTILINE)[1])

STYLE = {
    "version": 8, "sources": {"land": {"type": "geojson", "data": json.loads((ROOT / "Fixtures/land_110m.geojson").read_text())}},
    "layers": [
        {"id": "sea", "type": "background", "paint": {"background-color": "#d2e3ea"}},
        {"id": "land", "type": "fill", "source": "land", "paint": {"fill-color": "#f8f7f1"}}],
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Serves the folder that a reader of the tutorial has created, and returns its address."""
    folder = tmp_path_factory.mktemp("tutorial")
    build(ROOT / "Fixtures/cities.csv.gz", folder / "cities.treeline", *OPTIONS)
    subprocess.run([ROOT / "scripts/build/web-scripts", folder], check=True, capture_output=True)
    (folder / "map.html").write_text(TUTORIAL[0])

    with served(folder) as address:
        yield address


def test_the_tutorial_begins_with_a_map_in_eight_lines():
    assert len(TUTORIAL) == 1 and len(TUTORIAL[0].strip().splitlines()) <= 8


@pytest.mark.parametrize("viewport", [LAPTOP, PHONE])
def test_the_tutorials_map_is_finished(folder, complaints, new_context, viewport):
    context = new_context(viewport=viewport)
    page = context.new_page()
    # The map library and the style come from this machine.
    page.route("https://unpkg.com/maplibre-gl@5/dist/*", lambda route: route.fulfill(path=VENDOR / route.request.url.split("/")[-1]))
    page.route("https://demotiles.maplibre.org/style.json", lambda route: route.fulfill(json=STYLE))
    page.on("console", lambda message: complaints.append(message.text)
            if message.type == "error" and "favicon" not in message.location.get("url", "") else None)
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.goto(f"{folder}/map.html")
    page.wait_for_function("() => typeof layer !== 'undefined' && layer.scene.size > 20 && !layer.isMoving && map.loaded()")
    page.wait_for_timeout(800)
    page.screenshot(path=PICTURES / f"tutorial-{viewport['width']}.png")
    assert page.evaluate("""() => { const all = layer.scene.clusters.map(c => ({ ...map.project([c.longitude, c.latitude]), radius: c.radius }));
      return all.every((a, i) => all.every((b, j) => i === j || Math.hypot(a.x - b.x, a.y - b.y) >= a.radius + b.radius)) }""")
    # Checks the animation: for a while after a step in, badges are between their wholes and their targets.
    moving = page.evaluate("""async () => {
      map.easeTo({ zoom: map.getZoom() + 1, duration: 300 });
      let most = 0;
      for (let i = 0; i < 60; i++) {
        await new Promise(requestAnimationFrame);
        most = Math.max(most, layer.scene.sprites.filter((sprite) => !sprite.hasArrived).length);
      }
      return most;
    }""")
    assert moving > 10
    # Checks the filter of the tutorial.
    assert 'layer.set({ filter: "population > 100000" })' in PAGE.read_text()
    counted = "layer.scene.clusters.reduce((sum, { count }) => sum + count, 0)"
    before = page.evaluate(counted)
    page.evaluate("layer.set({ filter: 'population > 100000' })")
    page.wait_for_function(f"before => !layer.isMoving && ({counted}) < before / 2", arg=before)
    assert page.evaluate(counted) > 0


@pytest.mark.parametrize("script", ["treelinemap-maplibre.js", "treelinemap-leaflet.js"])
def test_a_classic_script_finds_its_worker(folder, complaints, new_context, script):
    page = new_context().new_page()
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.route("**/deep/page.html", lambda route: route.fulfill(
        content_type="text/html", body=f'<!doctype html><title>Worker</title><script src="../{script}"></script>'))
    page.goto(f"{folder}/deep/page.html")
    points = "Array.from({ length: 5000 }, (_, i) => [(i * 7.3) % 170, (i * 3.1) % 80])"
    with page.expect_worker() as worker:
        ids = page.evaluate(f"async () => [...(await treelinemap.build({points}, {{ worker: true }})).clusters({{ zoom: 3 }}).ids]")
    assert worker.value.url == f"{folder}/treelinemap-worker.js"
    assert ids == page.evaluate(f"async () => [...(await treelinemap.build({points})).clusters({{ zoom: 3 }}).ids]")
