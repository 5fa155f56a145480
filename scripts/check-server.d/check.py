"""Checks a running server from outside; called by scripts/check-server, which says what. Each function named check_…
is one check, and gets the server; arguments are names to run alone."""

import gzip
import http.client
import json
import math
import os
import pathlib
import random
import re
import resource
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time

import jsonschema
import mapbox_vector_tile
import openapi_spec_validator

ROOT = pathlib.Path(__file__).resolve().parents[2]
TOOL = pathlib.Path(os.environ["TREELINE_TOOL"]).resolve()
DOCUMENT = json.loads((ROOT / "Sources/TreelineServer/Resources/openapi.json").read_text())
METHODS = {"get", "put", "post", "delete", "options", "head", "patch", "trace"}


class Server:
    """The server over some indexes in a folder, on a port of its own."""

    def __init__(self, executable, folder, names, *options, user=None):
        self.folder = folder
        indexes = [f"{name}={self.path(name)}" for name in names]
        # A pipe that nobody reads would hold up a server that has much to tell.
        self.log = tempfile.TemporaryFile("w+")
        self.process = subprocess.Popen(
            [executable, *indexes, "--port", "0", *options], stdout=subprocess.PIPE, stderr=self.log, text=True,
            user=user)
        line = self.process.stdout.readline()
        found = re.search(r"at https?://127\.0\.0\.1:(\d+)/", line)
        assert found, f"expected the server to tell its address, found {line!r}"
        self.port = int(found[1])

    def path(self, name):
        return self.folder / f"{name}.treeline"

    def ask(self, path, method="GET", headers={}, body=None):
        """Status, headers and body of the answer to one request on a connection of its own."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=30)
        try:
            connection.request(method, path, body=body, headers=headers)
            answer = connection.getresponse()
            return answer.status, dict((name.lower(), value) for name, value in answer.getheaders()), answer.read()
        finally:
            connection.close()

    def json(self, path):
        status, _, body = self.ask(path)
        assert status == 200, f"{path}: {status} {body[:300]}"
        return json.loads(body)

    def memory(self):
        """In MiB."""
        return int(re.search(r"VmRSS:\s+(\d+)", pathlib.Path(f"/proc/{self.process.pid}/status").read_text())[1]) / 1024

    def stop(self):
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
        code = self.process.wait(timeout=60)
        self.log.seek(0)
        return code, self.log.read()


def built(folder):
    """Four indexes, many points with a title, columns of all kinds, a plain plane, one grown for badges; and files of a
    viewer."""
    def build(name, source, *options):
        subprocess.run([TOOL, "build", ROOT / source, "-o", folder / f"{name}.treeline", *options], check=True)

    viewer = folder / "viewer"
    (viewer / "vendor").mkdir(parents=True)
    (viewer / "index.html").write_text("<!doctype html><title>Treeline</title>" + "<p>" * 1000)
    (viewer / "vendor/map.js").write_text("// " + "map " * 1000)
    (viewer / "land.geojson.gz").write_bytes(gzip.compress(b'{"type":"FeatureCollection","features":[]}'))
    build("badges", "Fixtures/iceland_addresses.csv.gz", "--grow", "badges")
    build("iceland", "Fixtures/iceland_addresses.csv.gz", "--title", "Iceland's <addresses>", "--attribution", "© A & <i>B</i>",
          "--columns", "postcode:number,place:category")
    for name in ["columns", "planar"]:
        shutil.copyfile(ROOT / f"Fixtures/index/v1/{name}.treeline", folder / f"{name}.treeline")
    return ["iceland", "columns", "planar", "badges"]


# MARK: The document against answers

def requests_of_all_routes(server):
    """What is asked of each route, and the status that it has: of each documented one where a client can bring it
    about."""
    ids = [f["properties"]["cluster_id"] for f in server.json("/v1/iceland/clusters?limit=3")["features"]]
    version = server.json("/v1/iceland")["version"]
    shown = json.dumps({"version": version, "cluster_ids": ids})
    body = {"Content-Type": "application/json"}
    cut = "bbox=-22,64,-21,64.5&zoom=9"
    center = "center=-21.9,64.1&zoom=11&width=900&height=700"
    tile = "/v1/iceland/tiles/6/28/17.mvt"
    # The route, what is asked, and how: method, headers, body.
    yield "/", "/", 200
    yield "/viewer/{path}", "/viewer/vendor/map.js", 200
    yield "/viewer/{path}", "/viewer/no-such-file.js", 404
    for route in ["/openapi.json", "/health", "/ready", "/metrics", "/v1/indexes"]:
        yield route, route, 200
    yield "/v1/indexes", "/v1/indexes?x=1", 400
    yield "/v1/{index}", "/v1/iceland", 200
    yield "/v1/{index}", "/v1/planar", 200
    for query, status in [
        ("", 200), (cut + "&limit=20&order=widest-first&ellipses=true", 200), (center + "&spacing=44&min-points=3", 200),
        (cut + "&detail=12&alone-from-zoom=15&position=member&keep-visible=true", 200),
        ("bbox=-22,64,-21,64.5&width=800&height=600&method=grid&cell=50", 200), ("tile=9,224,136&spacing=44&margin=64", 200),
        ("bbox=-22,64,-21,64.5&zoom=8&tile-size=512&detail=20", 200), ("limit=0", 400), ("nonsense=1", 400),
        ("x=" + "y" * 9000, 414),
    ]:
        yield "/v1/{index}/clusters", f"/v1/iceland/clusters?{query}", status
    yield "/v1/{index}/clusters", "/v1/columns/clusters?limit=50&ellipses=true", 200
    yield "/v1/{index}/clusters", "/v1/nothing/clusters", 404
    yield "/v1/{index}/clusters", f"/v1/badges/clusters?{center}&badges=0.5", 200
    for refused in ["spacing=44", "badges=1&position=member", "badges=1&keep-visible=true", "badges=1&min-points=3"]:
        yield "/v1/{index}/clusters", f"/v1/badges/clusters?{center}&{refused}", 400
    yield "/v1/{index}/clusters", f"/v1/iceland/clusters?{center}&badges=1", 400
    root = server.json("/v1/badges/clusters?limit=1")["features"][0]["properties"]["cluster_id"]
    yield "/v1/{index}/clusters/{id}/expansion-zoom", f"/v1/badges/clusters/{root}/expansion-zoom?badges=1", 200
    yield "/v1/{index}/where-is", "/v1/badges/where-is?row=3&badges=1", 200
    yield "/v1/{index}/transition", f"/v1/badges/transition?{center}&badges=1&from-zoom=9&from-badges=2", 200
    yield "/v1/{index}/measures", f"/v1/badges/measures?{center}&badges=1", 200
    yield "/v1/{index}/tiles.json", "/v1/badges/tiles.json?badges=2", 200
    yield "/v1/{index}/tiles/{z}/{x}/{y}.mvt", "/v1/badges/tiles/6/28/17.mvt?badges=2", 200
    for name in ["", "/children", "/parent"]:
        yield "/v1/{index}/clusters/{id}" + name, f"/v1/iceland/clusters/{ids[0]}{name}?ellipses=true", 200
        yield "/v1/{index}/clusters/{id}" + name, "/v1/iceland/clusters/4503599627370495" + name, 404
    yield "/v1/{index}/clusters/{id}/members", f"/v1/columns/clusters/0/members?offset=2&limit=5", 200
    yield "/v1/{index}/clusters/{id}/expansion-zoom", f"/v1/iceland/clusters/{ids[0]}/expansion-zoom?spacing=44&tile-size=512", 200
    yield ("/v1/{index}/clusters/{id}/expansion-zoom",
           f"/v1/iceland/clusters/{ids[0]}/expansion-zoom?detail=44&min-points=3&alone-from-zoom=11", 200)
    yield "/v1/{index}/clusters/{id}/expansion-zoom", f"/v1/iceland/clusters/{ids[0]}/expansion-zoom", 400
    yield "/v1/{index}/where-is", "/v1/columns/where-is?row=3", 200
    yield "/v1/{index}/where-is", "/v1/iceland/where-is?row=3&spacing=44&tile-size=512", 200
    yield "/v1/{index}/where-is", "/v1/iceland/where-is?row=3&detail=4&min-points=3&alone-from-zoom=14", 200
    yield "/v1/{index}/where-is", "/v1/iceland/where-is?row=99999999", 404
    yield ("/v1/{index}/transition", f"/v1/iceland/transition?{cut}&limit=30&continuing=true&order=widest-first"
           "&from-bbox=-23,64,-20,65&from-zoom=8&from-limit=20&from-order=steepest-first"
           "&from-width=800&from-height=600", 200)
    yield ("/v1/{index}/transition", f"/v1/iceland/transition?{center}&spacing=44&min-points=2&alone-from-zoom=17&position=mean"
           "&keep-visible=false&ellipses=true&from-center=-21.9,64.1&from-zoom=9&from-width=900&from-height=700"
           "&from-spacing=60&from-min-points=3&from-alone-from-zoom=16", 200)
    yield "/v1/{index}/transition", f"/v1/iceland/transition?{cut}&detail=20&from-bbox=-23,64,-20,65&from-detail=30", 200
    yield "/v1/{index}/transition", f"/v1/iceland/transition?{cut}&detail=20", 200
    yield ("/v1/{index}/transition", "/v1/iceland/transition?tile=9,224,136&tile-size=512&margin=9&spacing=44"
           "&from-tile=8,112,68&from-tile-size=512&from-margin=9", 200)
    yield "/v1/{index}/transition", "/v1/iceland/transition?tile=9,224,136&zoom=3", 400
    yield "/v1/{index}/transition", "/v1/iceland/transition?limit=9", 200, "POST", body, shown
    yield "/v1/{index}/transition", "/v1/iceland/transition?limit=x", 400, "POST", body, shown
    yield "/v1/{index}/transition", "/v1/iceland/transition", 409, "POST", body, shown.replace(version, "0" * 16)
    yield "/v1/{index}/transition", "/v1/iceland/transition", 413, "POST", body, "[" + "0," * 200_000 + "0]"
    yield "/v1/{index}/transition", "/v1/iceland/transition", 415, "POST", {"Content-Type": "text/plain"}, shown
    yield "/v1/{index}/transition", "/v1/none/transition", 404, "POST", body, shown
    yield "/v1/{index}/measures", f"/v1/iceland/measures?{center}&limit=50&order=breadth-first", 200
    yield "/v1/{index}/measures", f"/v1/iceland/measures?{cut}&method=grid&cell=64", 200
    yield "/v1/{index}/measures", f"/v1/iceland/measures?{cut}&spacing=44&min-points=3&alone-from-zoom=12", 200
    yield "/v1/{index}/measures", "/v1/iceland/measures?bbox=-22,64,-21,64.5&width=800&height=600&detail=20", 200
    yield "/v1/{index}/measures", "/v1/iceland/measures?tile=9,224,136&tile-size=512&margin=64&spacing=44", 200
    yield "/v1/{index}/tiles.json", "/v1/iceland/tiles.json?spacing=60&buffer=8&tile-size=256", 200
    yield "/v1/{index}/tiles.json", "/v1/columns/tiles.json?detail=9&min-points=3&alone-from-zoom=9", 200
    yield "/v1/{index}/tiles.json", "/v1/planar/tiles.json", 404
    yield "/v1/{index}/tiles/{z}/{x}/{y}.mvt", tile + "?spacing=60&min-points=3&alone-from-zoom=9&buffer=0&tile-size=512", 200
    yield "/v1/{index}/tiles/{z}/{x}/{y}.mvt", tile + "?detail=10", 200
    yield "/v1/{index}/tiles/{z}/{x}/{y}.mvt", "/v1/iceland/tiles/2/4/0.mvt", 404
    passing = "filter=postcode<400&aggregate=count,sum(postcode),top(place,2)"
    hill = "filter=place='Reykjav%C3%ADk'"
    for route, query in [
        ("clusters", f"{cut}&limit=20&{passing}"), (f"clusters/{ids[0]}", passing), (f"clusters/{ids[0]}/children", passing),
        (f"clusters/{ids[1]}/parent", passing), (f"clusters/{ids[0]}/members", "filter=postcode<400"),
        (f"clusters/{ids[0]}/expansion-zoom", "spacing=44&filter=postcode<400"), ("where-is", "row=0&filter=postcode<400"),
        ("transition", f"{cut}&spacing=44&from-zoom=9&from-{hill}&{passing}"),
        ("measures", f"{center}&spacing=44&{hill}"), ("tiles.json", passing), ("tiles/6/28/17.mvt", passing),
        ("histogram", f"{cut}&column=postcode&bins=20&filter=place<>''"),
        ("histogram", f"{center}&column=postcode&tile-size=512&margin=9"), ("histogram", "column=postcode&tile=9,224,136"),
    ]:
        template = re.sub(r"clusters/\d+", "clusters/{id}", route).replace("6/28/17", "{z}/{x}/{y}")
        yield "/v1/{index}/" + template, f"/v1/iceland/{route}?{query.replace('<', '%3C').replace(chr(39), '%27')}", 200
    for refused in ["filter=postcode=", "filter=height=3", "aggregate=sum(place)", "aggregate=sum(height)"]:
        yield "/v1/{index}/clusters", f"/v1/iceland/clusters?{refused}", 400
    for refused in ["", "column=place", "column=height", "column=postcode&bins=1"]:
        yield "/v1/{index}/histogram", f"/v1/iceland/histogram?{refused}", 400
    for route in DOCUMENT["paths"]:
        path = route.replace("{index}", "iceland").replace("{id}", "0").replace("{path}", "a.js")
        path = path.replace("{z}/{x}/{y}", "0/0/0")
        yield route, path, 405, "DELETE"


def resolved(part):
    return resolved(jsonpointer(part["$ref"])) if "$ref" in part else part


def jsonpointer(reference):
    part = DOCUMENT
    for name in reference.removeprefix("#/").split("/"):
        part = part[name]
    return part


def check_document(server):
    """Each route, parameter and answer of the document is had, and none besides."""
    openapi_spec_validator.validate(DOCUMENT)
    assert server.json("/openapi.json") == DOCUMENT
    seen, used = set(), set()
    for route, path, status, method, headers, body in (
        (*request, *["GET", {}, None][len(request) - 3:]) for request in requests_of_all_routes(server)):
        found, answer_headers, answer = server.ask(path, method, headers, body)
        assert found == status, f"{method} {path}: expected {status}, found {found} {answer[:300]}"
        operation = DOCUMENT["paths"][route].get("get" if method == "DELETE" else method.lower())
        seen.add((route, method, status))
        used |= {(route, method, name) for name in re.findall(r"[?&]([a-z-]+)=", path) if status == 200}
        responses = operation["responses"]
        assert str(status) in responses, f"{method} {route}: {status} is not documented"
        response = resolved(responses[str(status)])
        for name in response.get("headers", {}):
            assert name.lower() in answer_headers, f"{path}: no header {name}"
        type = answer_headers["content-type"].split(";")[0]
        [(documented, content)] = response["content"].items()
        assert documented in (type, "*/*"), f"{path}: expected {documented}, found {type}"
        if "json" in type:
            schema = {**content["schema"], "components": DOCUMENT["components"]}
            jsonschema.Draft202012Validator(schema).validate(json.loads(answer))
            if "example" in content:
                jsonschema.Draft202012Validator(schema).validate(content["example"])
    for route, operations in DOCUMENT["paths"].items():
        for method in METHODS & operations.keys():
            assert (route, method.upper(), 200) in seen, f"{method} {route} was never asked"
            for parameter in map(resolved, operations[method].get("parameters", [])):
                if parameter["in"] == "query" and method == "get":
                    assert (route, "GET", parameter["name"]) in used, f"{route}: {parameter['name']} was never used"


def check_schema(server):
    """What schemathesis makes up from the document, and all its checks of the answers; of an index that there is."""
    document = json.loads(json.dumps(DOCUMENT))
    document["components"]["parameters"]["index"]["schema"] = {"type": "string", "enum": ["iceland"]}
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "openapi.json"
        path.write_text(json.dumps(document))
        # The map's files may be anything.
        found = subprocess.run(
            [pathlib.Path(sys.executable).parent / "schemathesis", "--config-file", ROOT / "scripts/check-server.d/schemathesis.toml", "run", path,
             "--url", f"http://127.0.0.1:{server.port}", "--checks", "all", "--phases", "examples,coverage,fuzzing", "--max-examples", "5",
             "--exclude-path-regex", "^/(viewer.*)?$", "--no-color"], capture_output=True, text=True, cwd=folder)
        assert found.returncode == 0, re.sub(r"(.)\1{40,}", r"\1…", found.stdout)[-9000:]
        print("  " + re.search(r"\d+ generated, \d+ passed", found.stdout)[0])


# MARK: Answers against the tool

def check_geojson(server):
    """Byte for byte what the tool prints for the same question."""
    rng = random.Random(5)
    cuts = ["--limit 40", "--limit 40 --order widest-first", "--limit 300 --order steepest-first", "--detail 25",
            "--spacing 44", "--spacing 30 --min-points 4", "--detail 25 --alone-from-zoom 10", "--method grid",
            "--method grid --cell 70", "--limit 40 --filter postcode<300 --aggregate sum(postcode),top(place,2),median(postcode)",
            "--spacing 44 --filter postcode>600 --ellipses", "--limit 30 --position member", "--limit 30 --keep-visible", "--limit 60 --ellipses"]
    for index, box in [("iceland", (-24.5, 63.3, -13.5, 66.6)), ("columns", (12, 40, 30, 70)), ("planar", (-8, -264, 1024, 768))]:
        for cut in cuts:
            if ("--spacing" in cut or "--filter" in cut) and index != "iceland":
                continue
            for _ in range(3):
                west, east = sorted(rng.uniform(box[0], box[2]) for _ in range(2))
                south, north = sorted(rng.uniform(box[1], box[3]) for _ in range(2))
                bounds = f"{west:.4f},{south:.4f},{east:.4f},{north:.4f}"
                zoom = f"{rng.uniform(3, 9):.2f}"
                words = ["--bbox", bounds, "--zoom", zoom, *cut.split()]
                expected = subprocess.run([TOOL, "query", server.path(index), *words], capture_output=True, check=True).stdout
                query = "&".join(
                    word[2:] + "=" + ("true" if i + 1 == len(words) or words[i + 1].startswith("--") else words[i + 1])
                    for i, word in enumerate(words) if word.startswith("--"))
                status, _, found = server.ask(f"/v1/{index}/clusters?{query.replace('<', '%3C').replace('>', '%3E')}")
                assert status == 200 and found == expected, f"{index} {query}: {status} {found[:200]} for {expected[:200]}"


def check_transition(server):
    """What the tool prints, and the answer besides."""
    for words in ["--from-bbox -23,64,-20,65 --to-bbox -22,64,-19,65 --from-limit 30",
                  "--from-bbox -23,64,-20,65 --to-bbox -22,64,-21,65 --from-limit 30 --continuing",
                  "--from-zoom 6 --to-zoom 7 --spacing 44"]:
        printed = subprocess.run([TOOL, "transition", server.path("iceland"), *words.split()], capture_output=True, check=True)
        query = words.replace("--to-", "").replace("--continuing", "continuing=true").replace("--", "").split()
        pairs = iter(query)
        query = "&".join(word if "=" in word else f"{word}={next(pairs)}" for word in pairs)
        if "from-limit=30" in query:
            query += "&limit=30"
        found = server.json(f"/v1/iceland/transition?{query}")
        for extra in ["version", "clusters"]:
            found.pop(extra)
        assert found == json.loads(printed.stdout), query


def check_tiles(server):
    """As an independent reader reads them: every cluster of a zoom in one tile, with the properties that it has as
    GeoJSON, and the area of an ellipse in place of the ellipse."""
    expected = {f["properties"]["cluster_id"]: f for f in server.json("/v1/iceland/clusters?zoom=7&spacing=44")["features"]}
    found = {}
    for x in range(26, 32):
        for y in range(14, 20):
            status, headers, body = server.ask(f"/v1/iceland/tiles/6/{x}/{y}.mvt?buffer=0")
            assert status == 200 and headers["content-type"] == "application/vnd.mapbox-vector-tile"
            if not body:
                continue
            layer = mapbox_vector_tile.decode(body, default_options={"y_coord_down": True})["clusters"]
            assert layer["extent"] == 4096 and layer["version"] == 2
            for feature in layer["features"]:
                properties = feature["properties"]
                assert feature["id"] == properties["cluster_id"] and feature["id"] not in found
                area = properties.pop("area_km2", None)
                assert (area is not None) == (properties["cluster"] and not properties.get("stack")) and (area is None or area > 0)
                found[feature["id"]] = properties
                column, row = feature["geometry"]["coordinates"]
                longitude = (x + column / 4096) / 64 * 360 - 180
                latitude = math.degrees(math.atan(math.sinh(math.pi * (1 - 2 * (y + row / 4096) / 64))))
                place = expected[feature["id"]]["geometry"]["coordinates"]
                assert 0 <= place[0] - longitude < 360 / 64 / 4096 + 1e-6 and 0 <= latitude - place[1] < 0.002
    assert found == {id: feature["properties"] for id, feature in expected.items()}
    # Columns of all kinds.
    expected = {f["properties"]["cluster_id"]: f["properties"] for f in
                server.json("/v1/columns/clusters?zoom=1&detail=0")["features"]}
    _, _, body = server.ask("/v1/columns/tiles/0/0/0.mvt?detail=0&buffer=0")
    fields = server.json("/v1/columns/tiles.json")["vector_layers"][0]["fields"]
    types = {bool: "Boolean", int: "Number", float: "Number", str: "String"}
    for feature in mapbox_vector_tile.decode(body)["clusters"]["features"]:
        def comparable(value):
            return json.dumps(value, separators=(",", ":")) if isinstance(value, (dict, list)) else value
        properties = {k: comparable(v) for k, v in expected.pop(feature["id"]).items() if v is not None}
        found = {k: comparable(json.loads(v)) if isinstance(v, str) and v[:1] in "{[" else v
                 for k, v in feature["properties"].items()}
        assert found == properties, f"{found} for {properties}"
        for name, value in feature["properties"].items():
            assert fields[name] in (types[type(value)], "Mixed"), f"{name}: {fields[name]} for {value!r}"
    assert not expected
    document = server.json("/v1/iceland/tiles.json?spacing=60")
    tiles = document["tiles"][0]
    assert tiles == f"http://127.0.0.1:{server.port}/v1/iceland/tiles/{{z}}/{{x}}/{{y}}.mvt?spacing=60"
    # Maps take the attribution for HTML.
    assert (document["name"], document["attribution"]) == ("Iceland's <addresses>", "© A &amp; &lt;i&gt;B&lt;/i&gt;"), document
    facts = server.json("/v1/iceland")
    assert (facts["title"], facts["attribution"]) == ("Iceland's <addresses>", "© A & <i>B</i>") and "unit" not in facts, facts
    assert "attribution" not in server.json("/v1/columns/tiles.json") and "title" not in server.json("/v1/columns")


# MARK: HTTP

def check_viewer(server):
    """Its files come as what they are, compressed, and may load nothing but each other."""
    for path, file, type in [("/", "index.html", "text/html; charset=utf-8"), ("/viewer/index.html", "index.html", "text/html; charset=utf-8"),
                             ("/viewer/vendor/map.js", "vendor/map.js", "text/javascript; charset=utf-8")]:
        content = (server.folder / "viewer" / file).read_bytes()
        status, headers, body = server.ask(path)
        assert status == 200 and body == content and headers["content-type"] == type, path
        assert ("content-security-policy" in headers) == type.startswith("text/html")
        _, headers, body = server.ask(path, headers={"Accept-Encoding": "gzip"})
        assert gzip.decompress(body) == content and headers["content-encoding"] == "gzip"
        assert server.ask(path, headers={"If-None-Match": headers["etag"]})[0] == 304
    # What is kept compressed only comes under its own name, as it is taken.
    for accepted in ["gzip", "identity"]:
        status, headers, body = server.ask("/viewer/land.geojson", headers={"Accept-Encoding": accepted})
        assert status == 200 and headers["content-type"] == "application/geo+json"
        assert json.loads(gzip.decompress(body) if accepted == "gzip" else body)["features"] == []
    changed = server.folder / "viewer/vendor/map.js"
    changed.write_text("// another map")
    assert server.ask("/viewer/vendor/map.js")[2] == b"// another map"
    for path in ["/viewer/", "/viewer/../iceland.treeline", "/viewer/%2e%2e/iceland.treeline", "/viewer/vendor", "/viewer//etc/passwd"]:
        assert server.ask(path)[0] == 404, path


def check_http(server):
    path = "/v1/iceland/clusters?limit=100"
    _, headers, plain = server.ask(path)
    status, compressed_headers, compressed = server.ask(path, headers={"Accept-Encoding": "gzip"})
    assert status == 200 and gzip.decompress(compressed) == plain and len(compressed) < len(plain) / 2
    assert compressed_headers["etag"] != headers["etag"]
    for tag in [headers["etag"], compressed_headers["etag"]]:
        assert server.ask(path, headers={"If-None-Match": tag})[0] == 304
    status, head, body = server.ask(path, "HEAD")
    assert status == 200 and body == b"" and int(head["content-length"]) == len(plain)
    assert "server" not in headers
    # Parts of files.
    whole = server.ask("/viewer/vendor/map.js")[2]
    status, headers, body = server.ask("/viewer/vendor/map.js", headers={"Range": "bytes=3-6"})
    assert (status, body, headers["content-range"]) == (206, whole[3:7], f"bytes 3-6/{len(whole)}")
    assert server.ask("/viewer/vendor/map.js", headers={"Range": "bytes=99999999-"})[0] == 416
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=30)
    for _ in range(3):
        # One connection for one request after the other.
        connection.request("GET", path)
        assert connection.getresponse().read() == plain
    connection.close()
    for request, answer in [
        (b"GET / HTTP/1.1\r\nHost: x\r\nX: " + b"y" * 70_000 + b"\r\n\r\n", b"HTTP/1.1 431"),
        (b"GET /" + b"y" * 70_000 + b" HTTP/1.1\r\nHost: x\r\n\r\n", b"HTTP/1.1 414"),
        (b"GET /v1/iceland HTTP/1.1\r\n\r\n", b"HTTP/1.1 400"),
        (b"GET /v1/iceland HTTP/1.1\r\nHost: x\r\nHost: x\r\n\r\n", b"HTTP/1.1 400"),
        (b"GET /v1/iceland/tiles.json HTTP/1.1\r\nHost: <b>\r\n\r\n", b"HTTP/1.1 400"),
        (b"GET / HTTP/1.1\r\nHost: x\r\nContent-Length: 200000000\r\n\r\n", b"HTTP/1.1 413"),
        (b"PROPFIND /v1/iceland HTTP/1.1\r\nHost: x\r\n\r\n", b"HTTP/1.1 405"),
        (b"nonsense\r\n\r\n", b"HTTP/1.1 400"),
        (b"GET /v1/iceland HTTP/1.0\r\n\r\n", b"HTTP/1."),
    ]:
        with socket.create_connection(("127.0.0.1", server.port), timeout=30) as client:
            client.sendall(request)
            assert client.recv(100).startswith(answer), request[:40]
    check_bodies(server)


def check_bodies(server):
    """Of requests whose bodies come late, are too long to come at all, or break off."""
    def head(length, expect=b""):
        return (b"POST /v1/iceland/transition HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n"
                + expect + b"Content-Length: %d\r\n\r\n" % length)

    body, expect = b'{"cluster_ids":[0]}', b"Expect: 100-continue\r\n"
    with socket.create_connection(("127.0.0.1", server.port), timeout=30) as client:
        client.sendall(head(len(body), expect))
        assert client.recv(1000) == b"HTTP/1.1 100 Continue\r\n\r\n"
        client.sendall(body)
        assert client.recv(1000).startswith(b"HTTP/1.1 200")
    with socket.create_connection(("127.0.0.1", server.port), timeout=5) as client:
        client.sendall(head(10 ** 9, expect))
        answer = b""
        while part := client.recv(1000):
            answer += part
        assert answer.startswith(b"HTTP/1.1 413"), answer
    def refused():
        metrics = server.ask("/metrics")[2].decode()
        assert 'status="5' not in metrics
        counted = re.search(r'^treeline_requests_total{route="/v1/{index}/transition",status="400"} (\d+)$', metrics, re.M)
        return int(counted[1]) if counted else 0

    before = refused()
    for part in [b"", body[:5]]:
        with socket.create_connection(("127.0.0.1", server.port), timeout=30) as client:
            client.sendall(head(len(body)) + part)
    until(lambda: refused() == before + 2)


def check_http2(server):
    """By prior knowledge and over TLS, what HTTP/1.1 gives."""
    ask = "/v1/iceland/clusters?limit=100"
    expected = server.ask(ask)[2]

    def curl(port, *options, scheme="http"):
        found = subprocess.run(
            ["curl", "-sk", *options, "-w", "%{stderr}%{http_version}", f"{scheme}://127.0.0.1:{port}{ask}"], capture_output=True, timeout=30)
        return found.stderr.decode(), found.stdout

    assert curl(server.port, "--http2-prior-knowledge") == ("2", expected)
    assert curl(server.port) == ("1.1", expected)
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        shutil.copyfile(server.path("iceland"), folder / "iceland.treeline")
        subprocess.run(
            ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-subj", "/CN=localhost",
             "-keyout", folder / "key.pem", "-out", folder / "cert.pem"], check=True, capture_output=True)
        other = Server(server.process.args[0], folder, ["iceland"], "--no-viewer", "--tls-certificates", str(folder / "cert.pem"),
                       "--tls-key", str(folder / "key.pem"))
        assert curl(other.port, "--http2", scheme="https") == ("2", expected)
        assert curl(other.port, "--http1.1", scheme="https") == ("1.1", expected)
        code, log = other.stop()
        assert code == 0, log


def check_bounds(server):
    """At each bound a client is told, the rest is served, and metrics tell how often."""
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        shutil.copyfile(server.path("iceland"), folder / "iceland.treeline")
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            management = free.getsockname()[1]
        (folder / "token").write_text("secret\n")
        other = Server(
            server.process.args[0], folder, ["iceland"], "--no-viewer", "--management-port", str(management), "--request-time", "2",
            "--response-time", "2", "--connections-per-address", "20", "--token-file", str(folder / "token"), "--access-log")
        token = {"Authorization": "Bearer secret"}
        assert other.ask("/v1/iceland")[0] == 401 and other.ask("/v1/iceland", headers=token)[0] == 200
        assert other.ask("/metrics", headers=token)[0] == 404 and other.ask("/", headers=token)[0] == 404

        def refused(bound):
            connection = http.client.HTTPConnection("127.0.0.1", management, timeout=30)
            connection.request("GET", "/metrics")
            return int(re.search(rf'treeline_refusals_total{{bound="{bound}"}} (\d+)', connection.getresponse().read().decode())[1])

        def whole(client):
            answer = b""
            while part := client.recv(1 << 16):
                answer += part
            return answer

        # A head and a body that never end, a byte at a time.
        for start in [b"GET / HTTP/1.1\r\nHost: ", b"GET /health HTTP/1.1\r\nHost: x\r\nContent-Length: 100000\r\n\r\n"]:
            with socket.create_connection(("127.0.0.1", other.port), timeout=10) as client:
                client.sendall(start)
                try:
                    for _ in range(50):
                        time.sleep(0.1)
                        client.sendall(b"x")
                    raise AssertionError("a request without an end was never ended")
                except (BrokenPipeError, ConnectionResetError):
                    pass
        assert refused("request-time") == 2
        with socket.create_connection(("127.0.0.1", other.port), timeout=10) as client:
            client.sendall(b"GET / HTTP/1.1\r\nHost: ")
            assert whole(client).startswith(b"HTTP/1.1 408")
        # A client that reads nothing.
        with socket.socket() as client:
            client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            client.connect(("127.0.0.1", other.port))
            client.sendall(b"GET /v1/iceland/clusters?limit=10000 HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer secret\r\n\r\n" * 5)
            until(lambda: refused("response-time") == 1)
        # More connections than an address may have: the state is told, and nothing else.
        held = [socket.create_connection(("127.0.0.1", other.port)) for _ in range(20)]
        time.sleep(0.2)
        status, headers, _ = other.ask("/v1/iceland", headers=token)
        assert status == 503 and headers["retry-after"] == "1", status
        assert other.ask("/health")[0] == 200 and other.ask("/ready")[0] == 200
        assert refused("connections-per-address") >= 3
        for client in held:
            client.close()
        until(lambda: other.ask("/v1/iceland", headers=token)[0] == 200)
        code, log = other.stop()
        assert code == 0 and "Answered" in log and "status=401" in log and "secret" not in log, log
        # One line a second at most.
        assert log.count("Refused requests") < 20, log


def behind(server, command, port):
    """Asks the server through a proxy, which is run meanwhile."""
    log = tempfile.TemporaryFile(mode="w+")
    proxy = subprocess.Popen(command, stderr=log)

    def said():
        log.seek(0)
        return log.read()[-2000:]

    try:
        def answer():
            connection = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
            connection.request("GET", "/v1/iceland/tiles.json")
            return json.loads(connection.getresponse().read())

        def is_up():
            assert proxy.poll() is None, f"{command} ended with code {proxy.poll()}: {said()}"
            try:
                return answer()
            except OSError:
                return False

        until(is_up, 30)
        # As the client knows it, as the proxy is trusted.
        assert answer()["tiles"][0].startswith(f"http://127.0.0.1:{port}/"), answer()
    finally:
        proxy.send_signal(signal.SIGQUIT)
        proxy.wait(timeout=30)
        log.close()


def free_port():
    """A free port that the system does not hand out to the many clients of these checks in the meantime."""
    while True:
        port = random.randrange(20_000, 32_000)
        with socket.socket() as free:
            try:
                free.bind(("127.0.0.1", port))
            except OSError:
                continue
            return port


def check_idle_connections(server):
    """Of 10,000 connections that ask for nothing as many are held as the bound says, whoever is among them is answered,
    and the state is told all the while."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if hard < 12_000:
        return print(f"  skipped: needs 12,000 open files, and the limit is {hard}")
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        shutil.copyfile(server.path("iceland"), folder / "iceland.treeline")
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            management = free.getsockname()[1]
        other = Server(
            server.process.args[0], folder, ["iceland"], "--no-viewer", "--management-port", str(management))

        def ask(port, path, source=None):
            connection = http.client.HTTPConnection("127.0.0.1", port, timeout=30, source_address=source)
            connection.request("GET", path)
            return connection.getresponse().read().decode()

        def gauge(name):
            return int(re.search(rf"^{name} (\d+)$", ask(management, "/metrics"), re.M)[1])

        clients, start, slowest = [], time.monotonic(), 0
        for number in range(10_000):
            client = socket.socket()
            client.setblocking(False)
            # No address has more than it may.
            client.bind((f"127.0.1.{number % 50 + 1}", 0))
            client.connect_ex(("127.0.0.1", other.port))
            clients.append(client)
            if number % 1000 == 999:
                asked = time.monotonic()
                assert "ok" in ask(management, "/health")
                slowest = max(slowest, time.monotonic() - asked)
        until(lambda: gauge("treeline_connections") >= 4096)
        # As many as are accepted in one turn may come on top.
        assert gauge("treeline_connections") <= 4096 + 512 + 64
        # One of those that are held is answered like any.
        held = clients[100]
        held.setblocking(True)
        held.sendall(b"GET /v1/iceland HTTP/1.1\r\nHost: x\r\n\r\n")
        assert held.recv(100).startswith(b"HTTP/1.1 200"), "a connection that was held got no answer"
        # Those beyond the bound are closed in turn, so that the state is told here too.
        until(lambda: int(re.search(r'bound="connections"} (\d+)', ask(management, "/metrics"))[1]) > 600)
        print(f"  {gauge('treeline_connections')} connections held after {time.monotonic() - start:.0f} s, the state told within "
              f"{slowest * 1000:.0f} ms, {other.memory():.0f} MiB")
        for client in clients:
            client.close()
        # Where the queue of those to be accepted overflowed, the kernel repeats what was lost after ever longer pauses.
        until(lambda: gauge("treeline_connections") <= 4, seconds=40)
        assert other.ask("/v1/iceland")[0] == 200
        code, log = other.stop()
        assert code == 0 and log.count("Refused requests") < time.monotonic() - start + 2, log


def check_log(server):
    """As JSON, an object a line; and a log that nobody reads holds up no answer."""
    def started(folder, stderr, *options):
        process = subprocess.Popen(
            [server.process.args[0], f"iceland={server.path('iceland')}", "--port", "0", "--access-log", *options],
            stdout=subprocess.PIPE, stderr=stderr, text=True)
        return process, int(re.search(r":(\d+)/", process.stdout.readline())[1])

    with tempfile.TemporaryFile("w+") as log:
        process, port = started(None, log, "--log-format", "json")
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
        connection.request("GET", "/v1/iceland/clusters?limit=3&x=%0A%22")
        connection.getresponse().read()
        process.terminate()
        assert process.wait(30) == 0
        log.seek(0)
        lines = [json.loads(line) for line in log]
        told = next(line for line in lines if line["message"] == "Answered")
        assert told["status"] == 400 and told["level"] == "info" and told["milliseconds"] >= 0, told
    reading, writing = os.pipe()
    process, port = started(None, writing)
    os.close(writing)
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
    # More than a pipe and the room for what waits hold together.
    for number in range(3000):
        connection.request("GET", "/health?" + "x" * 1000)
        answer = connection.getresponse()
        assert answer.status == 200, answer.status
        answer.read()
    connection.request("GET", "/metrics")
    dropped = int(re.search(r"^treeline_log_lines_dropped_total (\d+)$", connection.getresponse().read().decode(), re.M)[1])
    assert dropped > 500, dropped
    start = time.monotonic()
    process.terminate()
    assert process.wait(30) == 0 and time.monotonic() - start < 20
    os.close(reading)


def check_deployment(server):
    """The unit of systemd is one, and the server answers behind the proxies' examples; without root."""
    examples = ROOT / "Sources/TreelineServer/Deployment"
    hadolint = pathlib.Path(sys.executable).with_name("hadolint")
    found = subprocess.run([hadolint, "--no-color", examples / "Dockerfile"], capture_output=True, text=True)
    assert found.returncode == 0 and not found.stdout, found.stdout
    for name in ["systemd-analyze", "nginx", "caddy"]:
        if not shutil.which(name):
            print(f"  skipped: {name} is not installed")
    if shutil.which("systemd-analyze"):
        with tempfile.TemporaryDirectory() as folder:
            unit = pathlib.Path(folder) / "treeline-server.service"
            text = (examples / "treeline-server.service").read_text()
            unit.write_text(text.replace("/usr/local/bin/treeline-server", server.process.args[0]))
            found = subprocess.run(["systemd-analyze", "verify", unit], capture_output=True, text=True)
            assert found.returncode == 0 and not found.stderr, found.stderr
    if shutil.which("nginx"):
        with tempfile.TemporaryDirectory() as folder:
            port = free_port()
            example = (examples / "nginx.conf").read_text()
            example = example.replace("127.0.0.1:8080", f"127.0.0.1:{server.port}").replace("listen 80;", f"listen 127.0.0.1:{port};")
            kinds = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"]
            own = " ".join(f"{kind}_temp_path {folder}/{kind};" for kind in kinds)
            (pathlib.Path(folder) / "nginx.conf").write_text(
                f"daemon off; pid {folder}/pid; error_log {folder}/error; events {{}} http {{ access_log off; {own} {example} }}")
            behind(server, ["nginx", "-c", f"{folder}/nginx.conf", "-e", f"{folder}/error"], port)
    if shutil.which("caddy"):
        with tempfile.TemporaryDirectory() as folder:
            port = free_port()
            example = (examples / "Caddyfile").read_text()
            # A name of its own would have it ask for a certificate.
            example = example.replace("example.org", f"http://127.0.0.1:{port}").replace("127.0.0.1:8080", f"127.0.0.1:{server.port}")
            (pathlib.Path(folder) / "Caddyfile").write_text("{\n\tadmin off\n}\n" + example)
            home = ["env", f"HOME={folder}", f"XDG_DATA_HOME={folder}", f"XDG_CONFIG_HOME={folder}"]
            behind(server, [*home, "caddy", "run", "--adapter", "caddyfile", "--config", f"{folder}/Caddyfile"], port)


def check_odd_requests(server):
    """Whatever is asked there is an answer, and never that the server failed."""
    seed = random.randrange(2**32)
    print(f"  seed {seed}")
    rng = random.Random(seed)
    characters = "0123456789abcxyz.,-+&=%/?:;~!*'()[]{}@#\"\\"
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=30)
    starts = ["/", "/v1/", "/v1/iceland/", "/v1/iceland/clusters?", "/v1/iceland/clusters?bbox=", "/v1/iceland/tiles/",
              "/v1/iceland/measures?zoom=5&", "/v1/iceland/transition?", "/viewer/", "/v1/planar/clusters?center="]
    for _ in range(4000):
        path = rng.choice(starts) + "".join(rng.choice(characters) for _ in range(rng.randrange(40)))
        path = path.replace("#", "%23").replace("\\", "%5C")
        connection.request(rng.choice(["GET", "HEAD", "GET"]), path)
        answer = connection.getresponse()
        answer.read()
        assert answer.status < 500, f"{path}: {answer.status}, seed {seed}"
    for _ in range(300):
        body = rng.randbytes(rng.randrange(200)) if rng.random() < 0.5 else json.dumps(
            {"cluster_ids": [rng.choice([0, 1, 1024, -1, 2**53, 2**70, 0.5, "x", None]) for _ in range(rng.randrange(5))]})
        connection.request("POST", "/v1/iceland/transition", body=body, headers={"Content-Type": "application/json"})
        answer = connection.getresponse()
        answer.read()
        assert answer.status < 500, f"{body}: {answer.status}, seed {seed}"
    connection.close()


def check_rude_clients(server):
    """Connections that are cut, or say nothing, or read nothing, take nothing from others."""
    held = []
    request = b"GET /v1/iceland/clusters?limit=10000 HTTP/1.1\r\nHost: x\r\n\r\n"
    for number in range(60):
        client = socket.create_connection(("127.0.0.1", server.port), timeout=30)
        client.sendall([request[:20], request * 20, b"", os.urandom(100)][number % 4])
        if number % 3 == 0:
            client.close()
        else:
            held.append(client)
    start = time.monotonic()
    for _ in range(50):
        assert server.ask("/v1/iceland/clusters?limit=100")[0] == 200
    assert time.monotonic() - start < 10
    for client in held:
        client.close()


# MARK: Files and signals

def asking(server, path, workers=4, check=lambda body: body.endswith(b"\n]}\n")):
    """Asks from several threads until the function that it gives is called, which gives back how many requests there
    were."""
    isOver, counts, failures = threading.Event(), [0] * workers, []

    def work(number):
        connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=30)
        while not isOver.is_set():
            try:
                connection.request("GET", path)
                answer = connection.getresponse()
                body = answer.read()
                if answer.status != 200 or not check(body):
                    failures.append(f"{answer.status} {body[:100]}")
            except OSError as error:
                failures.append(repr(error))
                return
            counts[number] += 1
        connection.close()

    threads = [threading.Thread(target=work, args=(number,)) for number in range(workers)]
    for thread in threads:
        thread.start()

    def finish():
        isOver.set()
        for thread in threads:
            thread.join()
        assert not failures, failures[:3]
        return sum(counts)

    return finish


def until(condition, seconds=10):
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "waited in vain"
        time.sleep(0.02)


def check_replaced_index(server):
    """An index that is replaced is served anew, no request is lost, and one that is broken changes nothing."""
    finish = asking(server, "/v1/iceland/clusters?limit=100")
    version = lambda: server.json("/v1/iceland")["version"]
    first, good = version(), server.path("iceland").read_bytes()
    other = server.folder / "other"

    def replace(content):
        other.write_bytes(content)
        os.replace(other, server.path("iceland"))

    for round in range(4):
        replace(server.path("columns").read_bytes())
        until(lambda: version() != first)
        replace(good[: len(good) // 2])
        time.sleep(1.5)
        assert version() != first
        replace(good)
        if round == 0:
            server.process.send_signal(signal.SIGHUP)
        until(lambda: version() == first)
    assert finish() > 100
    metrics = server.ask("/metrics")[2].decode()
    # At the signal it was opened anew, whether it looked by itself just before or not.
    reopened = int(re.search(r'reloads_total\{result="reopened"\} (\d+)', metrics)[1])
    refused = int(re.search(r'reloads_total\{result="refused"\} (\d+)', metrics)[1])
    assert reopened >= 8 and refused >= 4, metrics


def check_files_under_load(server):
    """Whatever is done to the file of an index in memory, no answer is wrong and none fails."""
    path, folder = server.path("iceland"), server.folder
    good, other = path.read_bytes(), server.path("columns").read_bytes()
    ask = "/v1/iceland/clusters?limit=100"
    right = {server.ask(ask)[2]}
    forged = bytearray(good)
    forged[len(good) // 2] ^= 1

    def put(content):
        # As `cp` does: into the file that is there.
        with path.open("r+b") as file:
            file.truncate(0)
            file.write(content)

    def cut_off(content):
        # As on a disk that is full: a limit to the size of files ends the copy.
        source = folder / "source"
        source.write_bytes(content)
        subprocess.run(["sh", "-c", f"trap '' XFSZ; ulimit -f {len(content) // 2048}; cat '{source}' > '{path}'"], stderr=subprocess.DEVNULL)

    def instead(make):
        path.unlink()
        make()

    def replace(content):
        (folder / "next").write_bytes(content)
        os.replace(folder / "next", path)

    def restore():
        if path.is_dir():
            path.rmdir()
        elif not path.is_file():
            path.unlink(missing_ok=True)
        replace(good)

    deeds = [lambda: put(other), lambda: put(good[: len(good) // 2]), lambda: put(bytes(forged)), lambda: put(b""), lambda: cut_off(good),
             lambda: instead(lambda: None), lambda: instead(path.mkdir), lambda: instead(lambda: os.mkfifo(path)),
             lambda: path.chmod(0), lambda: replace(other), lambda: replace(good[:100])]
    # What the other index answers to the same question.
    right.add(server.ask("/v1/columns/clusters?limit=100")[2])
    wrong, finish = [], asking(server, ask, check=lambda body: body in right or wrong.append(body[:100]))
    rng = random.Random(7)
    for number in range(100):
        deeds[number % len(deeds)]()
        time.sleep(rng.choice([0.01, 0.1, 0.6, 1.3]))
        restore()
        time.sleep(rng.choice([0.01, 0.3]))
    until(lambda: server.ask(ask)[2] == server.ask(ask)[2] != server.ask("/v1/columns/clusters?limit=100")[2])
    asked = finish()
    assert not wrong, wrong[:3]
    print(f"  {asked} answers, all right")


def check_unreadable_index(server):
    """A file that may not be read is refused, and the index that was read stays. Root may read all, so it asks as
    nobody."""
    if os.geteuid() != 0:
        return
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        folder.chmod(0o755)
        for path in [server.folder / "viewer", server.path("columns")]:
            (shutil.copytree if path.is_dir() else shutil.copyfile)(path, folder / path.name)
        (folder / "columns.treeline").chmod(0o644)
        try:
            other = Server(server.process.args[0], folder, ["columns"], "--viewer", str(folder / "viewer"), user="nobody")
        except (AssertionError, PermissionError):
            # The executable lies where nobody but root looks.
            print("  not tried: nobody may not run the server here")
            return
        (folder / "next").write_bytes(server.path("iceland").read_bytes())
        (folder / "next").chmod(0)
        os.replace(folder / "next", folder / "columns.treeline")
        until(lambda: 'reloads_total{result="refused"} 1' in other.ask("/metrics")[2].decode())
        assert other.ask("/v1/columns/clusters?limit=100")[2] == server.ask("/v1/columns/clusters?limit=100")[2]
        (folder / "columns.treeline").chmod(0o644)
        until(lambda: other.json("/v1/columns")["point_count"] > 1000)
        code, log = other.stop()
        assert code == 0 and "Permission denied" in log, log


def check_mapped_index(server):
    """Beyond the bound an index stays in its file: one that is replaced is served, one that was written to is not."""
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        shutil.copytree(server.folder / "viewer", folder / "viewer")
        shutil.copyfile(server.path("iceland"), folder / "iceland.treeline")
        other = Server(server.process.args[0], folder, ["iceland"], "--viewer", str(folder / "viewer"), "--resident", "0")
        path, ask = folder / "iceland.treeline", "/v1/iceland/clusters?limit=100"
        status, first, answer = other.ask(ask)
        assert status == 200 and answer == server.ask(ask)[2]
        shutil.copyfile(path, folder / "next")
        os.replace(folder / "next", path)
        until(lambda: other.ask(ask)[1].get("etag") not in (None, first["etag"]))
        # A byte in place, behind the same header: noticed within a second, and nothing is answered until the file is
        # right.
        content = path.read_bytes()
        middle = len(content) // 2
        for byte, status in [(content[middle] ^ 1, 503), (content[middle], 200)]:
            with path.open("r+b") as file:
                file.seek(middle)
                file.write(bytes([byte]))
            until(lambda: other.ask(ask)[0] == status)
        assert other.ask(ask)[2] == answer
        code, log = other.stop()
        assert code == 0 and "checksum" in log, log


def check_stopping(server):
    """At SIGTERM what was asked is answered, nothing more is taken, and the process ends well."""
    client = socket.create_connection(("127.0.0.1", server.port), timeout=30)
    client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1 << 16)
    client.sendall(b"GET /v1/iceland/clusters?limit=10000 HTTP/1.1\r\nHost: x\r\n\r\n")
    received = client.recv(1000)
    length = int(re.search(rb"content-length: (\d+)", received, re.I)[1])
    server.process.send_signal(signal.SIGTERM)
    time.sleep(0.5)
    try:
        socket.create_connection(("127.0.0.1", server.port), timeout=5).close()
        raise AssertionError("a connection was taken after SIGTERM")
    except ConnectionRefusedError:
        pass
    while chunk := client.recv(1 << 16):
        received += chunk
    assert len(received) - received.index(b"\r\n\r\n") - 4 == length, "the answer was cut off"
    code, log = server.stop()
    assert code == 0, f"expected code 0, found {code}: {log}"


def check_messages(server):
    """What cannot be served is told, with a code that is not 0."""
    executable = server.process.args[0]
    for arguments, message in [
        ([], "Missing expected argument"), (["/nowhere.treeline"], "/nowhere.treeline: cannot be opened"),
        (["a b=" + str(server.path("columns"))], "found 'a b'"),
        ([str(server.path("columns")), "--port", str(server.port)], f"port {server.port}: Address already in use; choose another"),
        ([str(server.path("columns")), "--host", "nowhere.invalid"], "cannot listen at nowhere.invalid, port 8080"),
        ([str(server.path("columns")), "--viewer", "/nowhere"], "/nowhere: expected the viewer's index.html"),
        ([str(server.path("columns")), "--port", "99999"], "'--port' must be"),
    ]:
        found = subprocess.run([executable, *arguments], capture_output=True, text=True, timeout=30)
        assert found.returncode != 0 and message in found.stderr, f"{arguments}: {found.returncode} {found.stderr}"
    served = subprocess.run([TOOL, "serve", "--help"], capture_output=True, text=True, env={"PATH": os.path.dirname(executable)})
    assert "treeline-server" in served.stdout, served


def main():
    executable, names = os.path.abspath(os.environ["TREELINE_SERVER"]), sys.argv[1:]
    checks = {name.removeprefix("check_"): check for name, check in globals().items() if name.startswith("check_")}
    # The last one stops the server.
    ordered = [name for name in checks if name != "stopping"] + ["stopping"]
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        server = Server(executable, folder, built(folder), "--viewer", str(folder / "viewer"), "--trusted-proxy", "127.0.0.1")
        try:
            for name in names or ordered:
                start = time.monotonic()
                checks[name](server)
                print(f"{name.replace('_', ' ')}: {time.monotonic() - start:.1f} s", flush=True)
        finally:
            code, log = server.stop()
    assert code == 0, f"expected code 0, found {code}: {log}"


main()
