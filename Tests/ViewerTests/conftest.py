"""Fixtures of the viewer tests: a server for indexes of the project's own data, and a browser that can only reach this
machine."""

import csv
import datetime
import gzip
import http.server
import json
import math
import os
import pathlib
import sys
import threading
import time
import zlib

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "Tests/Browser"))

from browser import TOLERATED, browser, complaints, new_context
from programs import Server, build
from suite import note, pytest_sessionstart, pytest_terminal_summary
from waiting import LIMIT

# Folder of the viewer's sources, with the map library next to them. Tests use these files, even if the server was built
# with another viewer.
VIEWER = ROOT / "Sources/TreelineServer/Resources/viewer"
PICTURES = pathlib.Path(os.environ.get("TREELINE_PICTURES", ROOT / ".build-viewer/pictures"))

WIDE = {"width": 1920, "height": 1080}
LAPTOP = {"width": 1440, "height": 900}
# A small window makes tests faster, because it is drawn in software.
WINDOW = {"width": 1100, "height": 720}
PHONE = {"width": 390, "height": 844}
TABLET = {"width": 768, "height": 1024}
PHONE_ON_ITS_SIDE = {"width": 844, "height": 390}


def stacks(path):
    """Writes a file with five points at one position, forty points at another position, and some single points."""
    rows = [(12.5, 55.7, f"Few {i}") for i in range(5)]
    rows += [(12.6, 55.75, f"Many {i}") for i in range(40)]
    rows += [(12.3 + i * 0.07, 55.6 + (i * 37 % 11) * 0.02, f"Alone {i}") for i in range(8)]
    with gzip.open(path, "wt", newline="") as file:
        csv.writer(file).writerows([("longitude", "latitude", "name"), *rows])
    return path


def houses(path, addresses):
    """Writes the addresses of Iceland. Their coordinates are rounded to about ten meters, so that all addresses of a
    house have the same position."""
    with gzip.open(addresses, "rt", newline="") as source, gzip.open(path, "wt", newline="") as file:
        header, *rows = csv.reader(source)
        csv.writer(file).writerows([header, *([f"{float(x):.4f}", f"{float(y):.4f}", *rest] for x, y, *rest in rows)])
    return path


def events(path):
    """Writes a few thousand places. Each has a kind or no kind, a size, an opening day, and whether it is active."""
    kinds, rows = ["hotel"] * 8 + ["hostel"] * 6 + ["camp"] * 5 + ["inn"] * 4 + ["resort"] * 3 + ["villa"] * 3 + ["boat", ""], []
    for i in range(4000):
        # The golden angle spreads the points evenly, and in the same way on every machine.
        turn, spread = i * 2.399963, math.sqrt(i / 4000)
        day = datetime.date(2015, 1, 1) + datetime.timedelta(days=(i * 7919) % 3650)
        rows.append((f"{10 + 22 * spread * math.cos(turn):.5f}", f"{48 + 9 * spread * math.sin(turn):.5f}", f"Place {i}",
                     kinds[(i * 31 + i // 7) % len(kinds)], (i * 37) % 500, day, "true" if i % 3 else "false"))
    with gzip.open(path, "wt", newline="") as file:
        csv.writer(file).writerows([("longitude", "latitude", "name", "kind", "size", "opened", "active"), *rows])
    return path


def skewed(path, events):
    """Writes the events with sizes that differ by powers of ten."""
    with gzip.open(events, "rt", newline="") as source, gzip.open(path, "wt", newline="") as file:
        header, *rows = csv.reader(source)
        csv.writer(file).writerows([header, *([*row[:4], round(10 ** (int(row[4]) / 70)), *row[5:]] for row in rows)])
    return path


def untitled(path, addresses):
    """Writes the addresses of Iceland with the place and the postcode first, and no column called name."""
    with gzip.open(addresses, "rt", newline="") as source, gzip.open(path, "wt", newline="") as file:
        rows = csv.DictReader(source)
        writer = csv.writer(file)
        writer.writerow(("longitude", "latitude", "postcode", "place", "door"))
        writer.writerows((row["longitude"], row["latitude"], row["postcode"], row["place"], row["name"]) for row in rows)
    return path


@pytest.fixture(scope="session")
def indexes(tmp_path_factory):
    folder = tmp_path_factory.mktemp("indexes")
    fixtures = ROOT / "Fixtures"
    built = {}
    for name, points, *options in (
        ("iceland", fixtures / "iceland_addresses.csv.gz", "--columns", "name:text+search,postcode,place", "--for", "spacing"),
        ("iceland-mean", fixtures / "iceland_addresses.csv.gz", "--split", "mean"),
        ("airports", fixtures / "airports.csv.gz", "--columns", "name:text,country", "--for", "spacing"),
        ("members", fixtures / "airports.csv.gz", "--columns", "name:text,country", "--grow", "badges", "--anchor", "member"),
        ("countries", fixtures / "airports.csv.gz", "--columns", "name:text,country", "--group-by", "country", "--for", "spacing"),
        ("countless", fixtures / "airports.csv.gz", "--columns", "country", "--for", "spacing"),
        ("untitled", untitled(folder / "untitled.csv.gz", fixtures / "iceland_addresses.csv.gz"), "--columns", "postcode,place,door:text", "--for", "spacing"),
        ("badges", fixtures / "airports.csv.gz", "--grow", "badges"),
        ("houses", houses(folder / "houses.csv.gz", fixtures / "iceland_addresses.csv.gz"), "--attributes", "name", "--for", "spacing"),
        ("stacks", stacks(folder / "stacks.csv.gz"), "--attributes", "name", "--for", "spacing"),
        ("events", events(folder / "events.csv.gz"), "--columns", "all", "--for", "spacing"),
        ("groups", folder / "events.csv.gz", "--columns", "all", "--group-by", "kind", "--grow", "badges"),
        ("skewed", skewed(folder / "skewed.csv.gz", folder / "events.csv.gz"), "--columns", "all", "--for", "spacing"),
        ("one", fixtures / "nasty/one.csv", "--for", "spacing"),
        ("plain", fixtures / "formats/planar.csv", "--columns", "name:text", "--for", "spacing"),
        ("titled", folder / "stacks.csv.gz", "--title", "Stacks <b>& more</b>", "--attribution", "© A <script>B</script>", "--for", "spacing"),
        ("limited", fixtures / "airports.csv.gz"),
        ("grouped", folder / "events.csv.gz", "--group-by", "kind"),
    ):
        built[name] = build(points, folder / f"{name}.treeline", *options)
    return built


@pytest.fixture(scope="session")
def address(indexes):
    """Starts a server that ends with the tests. Returns its address."""
    server = Server(*indexes.values(), "--viewer", VIEWER)
    try:
        yield server.url
    finally:
        server.stop()


@pytest.fixture
def style():
    """Serves a map style on another server. The style fills the whole world with one color. Returns its address."""
    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            body = json.dumps({"version": 8, "sources": {}, "layers": [
                {"id": "all", "type": "background", "paint": {"background-color": "#c81ee6"}}]}).encode()
            self.send_response(200 if self.path == "/style.json" else 404)
            self.send_header("Content-Type", "application/json")
            self.send_header("Access-Control-Allow-Origin", "*")
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_):
            pass

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}/style.json"
    server.shutdown()
    server.server_close()


@pytest.fixture
def open_map(complaints, new_context, address):
    """Returns a function that opens the map: `open_map("#index=iceland", viewport=PHONE)`. The page must not report
    errors or send requests to other machines."""

    def open_map(fragment="", viewport=WINDOW, tolerates=(), reaches=(), setup=None, settle=True, server=address, **options):
        context = new_context(viewport=viewport, **options)
        context.route(lambda url: not url.startswith((server, *reaches, "blob:", "data:")),
                      lambda route: (complaints.append(f"asked for {route.request.url}"), route.abort()))
        page = context.new_page()

        def complain(text):
            if not any(tolerated in text for tolerated in (*tolerates, TOLERATED)):
                complaints.append(text)

        def told(message):
            # When a test stops its server, the page asks in vain for events.
            if message.type in ("error", "warning") and not message.location["url"].endswith("/events"):
                complain(message.text)

        page.on("console", told)
        page.on("pageerror", lambda error: complain(str(error)))
        if setup:
            setup(page)
        # The tiles of all points are switched off by default. Drawing them in software takes as long as everything
        # else.
        page.goto(f"{server}/{fragment}" if "dust=" in fragment else f"{server}/{fragment}&dust=false")
        if settle:
            rest(page)
            page.evaluate("document.querySelector('#drawing').open = true")
        return page

    return open_map


# Scripts that return state of the page.

AT_REST = """() => globalThis.viewer?.map?.loaded() && viewer.isAtRest
  && viewer.sides.every(side => !side.scene.isMoving)"""

SHOWN = """side => viewer[side].scene.clusters.map(({id, count, x, y, radius, stack, bbox, longitude, latitude}) => ({
  id, count, stack, bbox, longitude, latitude, radius, left: viewer.stage.originOf(viewer[side]).x + viewer.camera.screenX(x),
  top: viewer.stage.originOf(viewer[side]).y + viewer.camera.screenY(y)}))"""


def rest(page):
    """Waits until the map is at rest and shows the answer for its current view."""
    page.wait_for_function(AT_REST)


def idle(page):
    """Waits until the map library has drawn everything, including tiles and symbols."""
    page.evaluate("() => new Promise(done => { viewer.map.once('idle', done); viewer.map.triggerRepaint() })")


def frames(page):
    """Waits until the page has drawn all changes that were made before this call."""
    page.evaluate("() => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))")


def until(page, condition):
    """Waits for a condition. Handlers of the page's events, which run in this process, make it true."""
    end = time.monotonic() + LIMIT
    while not condition():
        assert time.monotonic() < end, f"waited {LIMIT} s for events of the page"
        # Handlers only run while this process waits.
        page.wait_for_timeout(20)


def shown(page, side="tree"):
    """Returns the clusters on a side of the map, and their positions on the stage."""
    return page.evaluate(SHOWN, side)


def stage(page):
    return page.locator("#stage").bounding_box()


def pixel(page, coordinates):
    """Returns the color of the map at the first coordinate that no badge covers."""
    badges = [(cluster["left"], cluster["top"]) for cluster in shown(page)]
    for coordinate in coordinates:
        x, y = page.evaluate("coordinate => Object.values(viewer.map.project(coordinate))", coordinate)
        if all(math.dist((x, y), badge) > 32 for badge in badges):
            break
    else:
        raise AssertionError(f"Expected a coordinate without a badge among {coordinates}")
    box = stage(page)
    png = page.screenshot(clip={"x": int(box["x"] + x), "y": int(box["y"] + y), "width": 1, "height": 1})
    # A PNG (ISO 15948) consists of chunks: the length, the type, the data and a checksum. The image data are a filter
    # byte, followed by the samples.
    data, at = b"", 8
    while at < len(png):
        length, kind = int.from_bytes(png[at:at + 4], "big"), png[at + 4:at + 8]
        data += png[at + 8:at + 8 + length] if kind == b"IDAT" else b""
        at += length + 12
    return list(zlib.decompress(data)[1:4])


def press(page, cluster):
    """Clicks on a cluster with the mouse."""
    box = stage(page)
    page.mouse.click(box["x"] + cluster["left"], box["y"] + cluster["top"])


def inside(page, clusters, margin=60):
    """Returns the clusters that are inside the map, at least `margin` pixels from its edge."""
    box = stage(page)
    return [c for c in clusters
            if margin < c["left"] < box["width"] - margin and margin < c["top"] < box["height"] - margin]
