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
    run([TOOL, "publish", "airports.treeline", "--output", "deep/site"])
    return folder


@pytest.fixture(scope="module")
def address(folder):
    class Quiet(http.server.SimpleHTTPRequestHandler):
        def log_message(self, *arguments):
            pass

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Quiet, directory=folder))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}"
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
