"""Opens the map of a published index, and a map in one file, which need no server of Treeline."""

import functools
import http.server
import os
import re
import subprocess
import threading

import pytest
from conftest import LAPTOP, PHONE, ROOT, TOLERATED

TOOL = os.environ["TREELINE_TOOL"]
AIRPORTS = str(ROOT / "Fixtures/airports.csv.gz")
HEADING = "28,298 points"
#: A host may send a policy as strict as the policy of the page itself.
POLICY = ("default-src 'none'; script-src 'self'; connect-src 'self' blob:; worker-src blob:; img-src 'self' data: blob:; "
          "style-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors *")
#: The text that a reader sees, in the shadow tree of the map, too.
TEXT = """() => {
  const texts = [];
  const read = (root) => {
    for (const child of root.children) if (!/^(SCRIPT|STYLE)$/i.test(child.tagName)) texts.push(child.innerText ?? "");
    for (const element of root.querySelectorAll("*")) if (element.shadowRoot) read(element.shadowRoot);
  };
  read(document.body);
  return texts.join("\\n");
}"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A folder with a map in one file, and the site of an index below another folder."""
    folder = tmp_path_factory.mktemp("published")
    run = functools.partial(subprocess.run, check=True, cwd=folder, capture_output=True, text=True)
    run([TOOL, "map", AIRPORTS, "--output", "map.html", "--title", "Airports"])
    run([TOOL, "build", AIRPORTS, "--grow", "badges", "--columns", "all", "--output", "airports.treeline"])
    published = run([TOOL, "publish", "airports.treeline", "--output", "deep/site"])
    (folder / "frame.html").write_text(re.search("<iframe.*</iframe>", published.stdout + published.stderr)[0])
    run([TOOL, "build", str(ROOT / "Fixtures/formats/planar.csv"), "--unit", "m", "--output", "plane.treeline"])
    run([TOOL, "publish", "plane.treeline", "--output", "plane"])
    return folder


@pytest.fixture(scope="module")
def address(folder):
    class Strict(http.server.SimpleHTTPRequestHandler):
        def log_message(self, *arguments):
            pass

        def end_headers(self):
            self.send_header("Content-Security-Policy", POLICY)
            super().end_headers()

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Strict, directory=folder))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()


@pytest.fixture
def frame(folder, address):
    """Serves, from another origin, a page with the `<iframe>` line of `publish`. Returns the address of the page."""
    text = (folder / "frame.html").read_text().replace("https://example.org/", f"{address}/deep/site/")

    class Page(http.server.BaseHTTPRequestHandler):
        def log_message(self, *arguments):
            pass

        def do_GET(self):
            self.send_response(200)
            self.send_header("Content-Type", "text/html")
            self.send_header("Content-Security-Policy", f"default-src 'none'; frame-src {address}")
            self.end_headers()
            self.wfile.write(f'<!doctype html><link rel="icon" href="data:,"><p>A page{text}'.encode())

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Page)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}/"
    server.shutdown()


@pytest.mark.parametrize("size", [LAPTOP, PHONE], ids=["laptop", "phone"])
@pytest.mark.parametrize("kind", ["map", "site"])
def test_a_map_opens_without_a_server(new_context, complaints, folder, address, kind, size):
    page = new_context(viewport=size).new_page()
    page.on("console", lambda message: message.type in ("error", "warning") and TOLERATED not in message.text and complaints.append(message.text))
    page.on("pageerror", lambda error: complaints.append(str(error)))
    requested = []
    page.on("request", lambda request: requested.append(request.url))
    page.goto(f"{address}/deep/site/" if kind == "site" else (folder / "map.html").as_uri())
    page.get_by_text(HEADING).first.wait_for()
    # Once the map has its first answer, the list of clusters is filled, or on a phone the line for screen readers.
    page.wait_for_function(f"() => /across|clusters of/.test(({TEXT})())")
    text = page.evaluate(TEXT)
    assert not re.search("NaN|undefined", text), text
    allowed = (f"{address}/deep/site/" if kind == "site" else "file:", "blob:", "data:")
    assert [url for url in requested if not url.startswith(allowed)] == []
    # The land and the names of cities come after the first clusters.
    page.wait_for_function("() => viewer.places.all.length && viewer.map.querySourceFeatures('world').length")


def test_a_site_colors_points_by_a_column(new_context, complaints, address):
    page = new_context(viewport=LAPTOP).new_page()
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.goto(f"{address}/deep/site/#map=4/48/8&view=tree&donuts=country&where=elevation%20%3C%20500")
    page.wait_for_function(f"() => /all others\\s+[1-9]/.test(({TEXT})())")
    page.wait_for_function(f"() => /near \\w/.test(({TEXT})())")


def test_a_filter_of_a_link_that_is_not_valid_is_dropped(new_context, complaints, address):
    page = new_context(viewport=LAPTOP).new_page()
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.goto(f"{address}/deep/site/#map=4/48/8&view=tree&where=colour%20%3D%201")
    page.get_by_text("There is no column 'colour'", exact=False).or_(page.get_by_text("no column 'colour'", exact=False)).first.wait_for()
    page.wait_for_function(f"() => /across|clusters of/.test(({TEXT})())")


def test_a_site_opens_in_a_frame_of_another_origin_under_strict_policies(new_context, complaints, address, frame):
    page = new_context(viewport=LAPTOP).new_page()
    page.on("console", lambda message: message.type in ("error", "warning") and TOLERATED not in message.text
            and "data:," not in message.text and complaints.append(message.text))
    page.on("pageerror", lambda error: complaints.append(str(error)))
    requested = []
    page.on("request", lambda request: requested.append(request.url))
    page.goto(frame)
    site = page.frame(url=f"{address}/deep/site/**")
    site.wait_for_function("() => globalThis.viewer?.tree.scene.size > 20 && viewer.isAtRest")
    assert [url for url in requested if not url.startswith((frame, f"{address}/deep/site/", "blob:", "data:"))] == []


def test_a_site_shows_a_plane_in_its_own_unit(new_context, complaints, address):
    page = new_context(viewport=LAPTOP).new_page()
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.goto(f"{address}/plane/")
    page.wait_for_function(f"() => /clusters? of \\d+ points? around [-\\d.,]+, [-\\d.,]+, zoom/.test(({TEXT})()) && viewer.tree.scene.size > 0")
    west, south, east, north = page.evaluate("viewer.tree.source.tree.bounds")
    x, y = page.evaluate("viewer.index.plane.coordinates(viewer.map.getCenter().toArray())")
    assert west < x < east and south < y < north


def test_first_badges_are_drawn_before_the_map_library_starts(new_context, address):
    page = new_context(viewport=LAPTOP).new_page()
    page.route("**/library.js", lambda route: route.fulfill(
        content_type="text/javascript", body="maplibregl = {Map: class { constructor() { throw new Error('No map') } }}"))
    page.goto(f"{address}/deep/site/")
    page.wait_for_function("() => globalThis.viewer?.tree.scene.size > 20")
    page.wait_for_function("""() => {
      const {context, canvas} = viewer.overlay;
      return context.getImageData(0, 0, canvas.width, canvas.height).data.some((value) => value > 200) }""")
    assert page.evaluate("viewer.map === undefined")
