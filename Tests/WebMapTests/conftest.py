"""Opens pages with maps of the web package. This process serves them, and the browser reaches only this machine."""

import contextlib
import csv
import functools
import gzip
import http.server
import json
import os
import pathlib
import sys
import threading

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "Tests/Browser"))

from browser import TOLERATED, browser, complaints, new_context  # noqa: E402, F401
from suite import note, pytest_sessionstart, pytest_terminal_summary  # noqa: E402, F401

PICTURES = pathlib.Path(os.environ.get("TREELINE_PICTURES", ROOT / ".build-web/pictures"))
VENDOR = ROOT / "Sources/TreelineServer/Resources/viewer/vendor"
#: Debian's libjs-leaflet.
LEAFLET = pathlib.Path(os.environ.get("LEAFLET", "/usr/share/javascript/leaflet"))

LAPTOP = {"width": 1440, "height": 900}
PHONE = {"width": 390, "height": 844}

PAGE = """<!doctype html>
<html lang="en"><meta charset="utf-8"><title>Map</title>
<meta name="viewport" content="width=device-width, initial-scale=1"><link rel="icon" href="data:,">
<link rel="stylesheet" href="/{kit}.css"><style>html, body, #map {{ margin: 0; height: 100% }}</style>
<main id="map"></main><script src="/{kit}.js"></script>
<script type="module">
import {{ Treeline }} from "/src/index.js";
import {{ addTreeline }} from "/src/map/{module}.js";
import {{ addTreelineSource, treelineLayers }} from "/src/map/style.js";
globalThis.Treeline = Treeline;
globalThis.points = [];
const pointsOf = async (name) => (await fetch(`/points/${{name}}`)).json();
{script}
globalThis.isReady = true;
</script></html>"""

MAPLIBRE = """
const map = globalThis.map = new maplibregl.Map({
  container: "map", center: [10, 47], zoom: 3, fadeDuration: 0, attributionControl: false,
  style: { version: 8, sources: { land: { type: "geojson", data: "/land" } }, layers: [
    { id: "sea", type: "background", paint: { "background-color": "#d2e3ea" } },
    { id: "land", type: "fill", source: "land", paint: { "fill-color": "#f8f7f1" } }] },
});
"""

LEAFLET_MAP = """
const map = globalThis.map = L.map("map", { attributionControl: false }).setView([47, 10], 4);
map.getContainer().style.background = "#d2e3ea";
L.geoJSON(await (await fetch("/land")).json(), { interactive: false, style: { weight: 0, fillColor: "#f8f7f1", fillOpacity: 1 } }).addTo(map);
"""

ADD = """
globalThis.layer = addTreeline(map, Treeline.build(await pointsOf("%s")), { onPoint: (point) => points.push(point), %s });
await layer.ready;
"""

AT_REST = "() => globalThis.isReady && !layer.isMoving"


def features(rows):
    return [
        {"type": "Feature", "properties": {name: value for name, value in row.items() if name not in ("longitude", "latitude")},
         "geometry": {"type": "Point", "coordinates": [float(row["longitude"]), float(row["latitude"])]}}
        for row in rows
    ]


def stacks():
    """Five points at one position, seventy at another, and some single points."""
    rows = [(12.5, 55.7, f"Few {i}", "few") for i in range(5)]
    rows += [(12.6, 55.75, f"Many {i}", "many") for i in range(70)]
    rows += [(12.3 + i * 0.07, 55.6 + (i * 37 % 11) * 0.02, f"Alone {i}", "alone") for i in range(8)]
    return [dict(zip(("longitude", "latitude", "name", "kind"), row)) for row in rows]


def points_of(name):
    if name == "stacks":
        return features(stacks())
    with gzip.open(ROOT / f"Fixtures/{name}.csv.gz", "rt", newline="") as file:
        return features(csv.DictReader(file))


@pytest.fixture(scope="session")
def site():
    """Starts a server of the package, the map libraries and points. `site.pages` has pages by name."""
    pages, kept = {}, {}

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            path = self.path.split("?")[0]
            kind = {".js": "text/javascript", ".css": "text/css"}.get(pathlib.PurePath(path).suffix, "application/json")
            if path in pages:
                body, kind = pages[path].encode(), "text/html"
            elif path.startswith("/src/"):
                body = (ROOT / "Sources/TreelineWeb" / path[1:]).read_bytes()
            elif path.startswith("/maplibre-gl"):
                body = (VENDOR / path[1:]).read_bytes()
            elif path.startswith("/leaflet"):
                body = (LEAFLET / path[1:]).read_bytes()
            elif path == "/land":
                body = (ROOT / "Fixtures/land_110m.geojson").read_bytes()
            elif path.startswith("/points/"):
                name = path.removeprefix("/points/")
                body = kept.get(name) or kept.setdefault(name, json.dumps(points_of(name)).encode())
            else:
                return self.send_error(404)
            self.send_response(200)
            self.send_header("Content-Type", kind)
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_):
            pass

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    server.pages, server.url = pages, f"http://127.0.0.1:{server.server_port}"
    yield server
    server.shutdown()
    server.server_close()


@contextlib.contextmanager
def served(folder):
    """Serves the files of a folder, and returns the address."""

    class Handler(http.server.SimpleHTTPRequestHandler):
        def log_message(self, *_):
            pass

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Handler, directory=folder))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()


@pytest.fixture
def open_page(site, complaints, new_context):
    """Opens a page with a script. It must not report errors or send requests to other machines."""

    def open_page(script, kit="maplibre-gl", module="maplibre", viewport=LAPTOP, reaches=(), tolerates=(), **options):
        path = f"/page{len(site.pages)}.html"
        site.pages[path] = PAGE.format(kit=kit, module=module, script=script)
        context = new_context(viewport=viewport, **options)
        context.route(lambda url: not url.startswith((site.url, *reaches, "blob:", "data:")),
                      lambda route: (complaints.append(f"asked for {route.request.url}"), route.abort()))
        page = context.new_page()

        def complain(text):
            # Tests read pixels of the layer's canvas.
            if not any(tolerated in text for tolerated in (*tolerates, TOLERATED, "willReadFrequently")):
                complaints.append(text)

        page.on("console", lambda message: complain(message.text) if message.type in ("error", "warning") else None)
        page.on("pageerror", lambda error: complain(str(error)))
        page.goto(site.url + path)
        return page

    return open_page


@pytest.fixture
def open_map(open_page):
    """Opens a map of some points: `open_map("airports", "colorBy: 'country'")`."""

    def open_map(points="airports", options="", setup="", **rest_of):
        page = open_page(MAPLIBRE + setup + ADD % (points, options), **rest_of)
        rest(page)
        return page

    return open_map


def rest(page):
    """Waits until neither the map nor badges move and the answer for the view is shown."""
    page.wait_for_function(AT_REST)


SHOWN = """() => layer.scene.clusters.map(({ id, count, longitude, latitude, radius, stack, parts, label, x }) => {
  const sprite = layer.scene.sprite(id), at = map.project([longitude, latitude]);
  return { id, count, longitude, latitude, radius, stack, parts, label, left: at.x, top: at.y, isAtTarget: sprite.x === x && sprite.size === 1 };
})"""


def shown(page):
    return page.evaluate(SHOWN)


def inside(page, clusters, margin=60):
    """Returns the clusters that are at least `margin` pixels inside the map."""
    size = page.viewport_size
    return [c for c in clusters
            if margin < c["left"] < size["width"] - margin and margin < c["top"] < size["height"] - margin]


def colour(page, x, y):
    """Returns the colour of the layer's canvas at a position, from 0 to 255, with its alpha."""
    return page.evaluate("""([x, y]) => { const canvas = layer.host.canvas, ratio = canvas.width / canvas.clientWidth;
      return [...canvas.getContext('2d').getImageData(x * ratio, y * ratio, 1, 1).data] }""", [x, y])
