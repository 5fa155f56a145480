"""Checks the viewer's files: they have the right types, they are compressed, and they may load only each other."""

import gzip
import json

import pytest

HTML, SCRIPT = "text/html; charset=utf-8", "text/javascript; charset=utf-8"


@pytest.mark.parametrize("path, file, type", [
    ("/", "index.html", HTML), ("/viewer/index.html", "index.html", HTML),
    ("/viewer/vendor/map.js", "vendor/map.js", SCRIPT),
])
def test_files_are_typed_compressed_and_tagged(server, indexes, path, file, type):
    content = (indexes / "viewer" / file).read_bytes()
    status, headers, body = server.ask(path)
    assert status == 200 and body == content and headers["content-type"] == type
    assert ("content-security-policy" in headers) == type.startswith("text/html")
    _, headers, body = server.ask(path, headers={"Accept-Encoding": "gzip"})
    assert gzip.decompress(body) == content and headers["content-encoding"] == "gzip"
    assert server.ask(path, headers={"If-None-Match": headers["etag"]})[0] == 304


@pytest.mark.parametrize("accepted", ["gzip", "identity"])
def test_a_file_that_is_kept_compressed_comes_under_its_own_name_as_it_is_taken(server, accepted):
    status, headers, body = server.ask("/viewer/land.geojson", headers={"Accept-Encoding": accepted})
    assert status == 200 and headers["content-type"] == "application/geo+json"
    assert json.loads(gzip.decompress(body) if accepted == "gzip" else body)["features"] == []


def test_a_file_that_changes_is_served_as_it_is_now(own, tmp_path):
    server = own("planar", viewer=True)
    assert server.ask("/viewer/vendor/map.js")[2].startswith(b"// map map")
    (tmp_path / "viewer/vendor/map.js").write_text("// another map")
    assert server.ask("/viewer/vendor/map.js")[2] == b"// another map"


@pytest.mark.parametrize("path", ["/viewer/", "/viewer/../iceland.treeline", "/viewer/%2e%2e/iceland.treeline",
                                  "/viewer/vendor", "/viewer//etc/passwd"])
def test_no_other_file_is_served(server, path):
    assert server.ask(path)[0] == 404
