"""Compares the OpenAPI document with the answers of the server."""

import json
import pathlib
import random
import re
import subprocess
import sys

import jsonschema
import openapi_spec_validator

from conftest import DOCUMENT, WRITE_TOKEN
from trials import trials
from waiting import reserved_port

METHODS = {"get", "put", "post", "delete", "options", "head", "patch", "trace"}


def requests_of_all_routes(server):
    """Yields requests with each documented status that a client can cause. A request is a route, a path and the
    expected status; if it is not a plain GET, also the method, the headers and the body."""
    shown = [feature["properties"] for feature in server.json("/v1/iceland/clusters?limit=3")["features"]]
    ids = [each["cluster_id"] for each in sorted(shown, key=lambda each: -each["point_count"])]
    version = server.json("/v1/iceland")["version"]
    shown = json.dumps({"version": version, "cluster_ids": ids})
    body = {"Content-Type": "application/json"}
    cut = "bbox=-22,64,-21,64.5&zoom=9"
    center = "center=-21.9,64.1&zoom=11&width=900&height=700"
    tile = "/v1/iceland/tiles/6/28/17.mvt"
    yield "/", "/", 200
    yield "/viewer/{path}", "/viewer/vendor/map.js", 200
    yield "/viewer/{path}", "/viewer/no-such-file.js", 404
    for route in ["/openapi.json", "/health", "/ready", "/metrics", "/v1/indexes"]:
        yield route, route, 200
    yield "/v1/indexes", "/v1/indexes?x=1", 400
    yield "/v1/{index}", "/v1/iceland", 200
    yield "/v1/{index}", "/v1/planar", 200
    for query, status in [
        ("", 200), (cut + "&limit=20&order=widest-first&ellipses=true", 200),
        (center + "&spacing=44&min-points=3", 200),
        (cut + "&detail=12&alone-from-zoom=15&position=member&keep-visible=true", 200),
        ("bbox=-22,64,-21,64.5&width=800&height=600&method=grid&cell=50", 200),
        ("tile=9,224,136&spacing=44&margin=64", 200),
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
    yield "/v1/{index}/search", "/v1/iceland/search?text=reyk&column=place&limit=3", 200
    yield "/v1/{index}/search", "/v1/iceland/search?text=-", 200
    for refused in ["", "text=a&column=postcode", "text=a&limit=0"]:
        yield "/v1/{index}/search", f"/v1/iceland/search?{refused}", 400
    yield "/v1/{index}/search", "/v1/badges/search?text=a", 400
    yield "/v1/{index}/transition", f"/v1/badges/transition?{center}&badges=1&from-zoom=9&from-badges=2", 200
    yield "/v1/{index}/measures", f"/v1/badges/measures?{center}&badges=1", 200
    yield "/v1/{index}/tiles.json", "/v1/badges/tiles.json?badges=2", 200
    yield "/v1/{index}/tiles/{z}/{x}/{y}.mvt", "/v1/badges/tiles/6/28/17.mvt?badges=2", 200
    for name in ["", "/children", "/parent"]:
        yield "/v1/{index}/clusters/{id}" + name, f"/v1/iceland/clusters/{ids[0]}{name}?ellipses=true", 200
        yield "/v1/{index}/clusters/{id}" + name, "/v1/iceland/clusters/4503599627370495" + name, 404
    for name in ["", "/children", "/parent", "/members", "/expansion-zoom"]:
        for of, status in ((version, 200), ("0" * 16, 409)):
            query = f"?version={of}" + ("&detail=44" if name == "/expansion-zoom" else "")
            yield "/v1/{index}/clusters/{id}" + name, f"/v1/iceland/clusters/{ids[0]}{name}{query}", status
    yield "/v1/{index}/clusters/{id}/members", f"/v1/columns/clusters/0/members?offset=2&limit=5", 200
    yield ("/v1/{index}/clusters/{id}/expansion-zoom",
           f"/v1/iceland/clusters/{ids[0]}/expansion-zoom?spacing=44&tile-size=512", 200)
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
    yield ("/v1/{index}/transition", f"/v1/iceland/transition?{center}&spacing=44&min-points=2&alone-from-zoom=17"
           "&position=mean&keep-visible=false&ellipses=true&from-center=-21.9,64.1&from-zoom=9"
           "&from-width=900&from-height=700&from-spacing=60&from-min-points=3&from-alone-from-zoom=16", 200)
    yield ("/v1/{index}/transition",
           f"/v1/iceland/transition?{cut}&detail=20&from-bbox=-23,64,-20,65&from-detail=30", 200)
    yield "/v1/{index}/transition", f"/v1/iceland/transition?{cut}&detail=20", 200
    yield ("/v1/{index}/transition", "/v1/iceland/transition?tile=9,224,136&tile-size=512&margin=9&spacing=44"
           "&from-tile=8,112,68&from-tile-size=512&from-margin=9", 200)
    yield "/v1/{index}/transition", "/v1/iceland/transition?tile=9,224,136&zoom=3", 400
    yield "/v1/{index}/transition", "/v1/iceland/transition?limit=9", 200, "POST", body, shown
    yield "/v1/{index}/transition", "/v1/iceland/transition?limit=x", 400, "POST", body, shown
    yield "/v1/{index}/transition", "/v1/iceland/transition", 409, "POST", body, shown.replace(version, "0" * 16)
    yield "/v1/{index}/transition", "/v1/iceland/transition", 413, "POST", body, "[" + "0," * 200_000 + "0]"
    yield "/v1/{index}/transition", "/v1/iceland/transition", 415, "POST", {"Content-Type": "text/html"}, shown
    yield "/v1/{index}/transition", "/v1/none/transition", 404, "POST", body, shown
    yield "/v1/{index}/measures", f"/v1/iceland/measures?{center}&limit=50&order=breadth-first", 200
    yield "/v1/{index}/measures", f"/v1/iceland/measures?{cut}&method=grid&cell=64", 200
    yield "/v1/{index}/measures", f"/v1/iceland/measures?{cut}&spacing=44&min-points=3&alone-from-zoom=12", 200
    yield "/v1/{index}/measures", "/v1/iceland/measures?bbox=-22,64,-21,64.5&width=800&height=600&detail=20", 200
    yield "/v1/{index}/measures", "/v1/iceland/measures?tile=9,224,136&tile-size=512&margin=64&spacing=44", 200
    yield "/v1/{index}/tiles.json", "/v1/iceland/tiles.json?spacing=60&buffer=8&tile-size=256", 200
    yield "/v1/{index}/tiles.json", "/v1/columns/tiles.json?detail=9&min-points=3&alone-from-zoom=9", 200
    yield "/v1/{index}/tiles.json", "/v1/planar/tiles.json", 404
    yield ("/v1/{index}/tiles/{z}/{x}/{y}.mvt",
           tile + "?spacing=60&min-points=3&alone-from-zoom=9&buffer=0&tile-size=512", 200)
    yield "/v1/{index}/tiles/{z}/{x}/{y}.mvt", tile + "?detail=10", 200
    yield "/v1/{index}/tiles/{z}/{x}/{y}.mvt", "/v1/iceland/tiles/2/4/0.mvt", 404
    passing = "filter=postcode<400&aggregate=count,sum(postcode),top(place,2)"
    part = server.json("/v1/iceland/clusters?limit=9&filter=postcode%3C400")["features"][0]["properties"]["cluster_id"]
    hill = "filter=place='Reykjav%C3%ADk'"
    for route, query in [
        ("clusters", f"{cut}&limit=20&{passing}"), (f"clusters/{ids[0]}", passing),
        (f"clusters/{ids[0]}/children", passing),
        (f"clusters/{part}/parent", passing), (f"clusters/{ids[0]}/members", "filter=postcode<400&sort=-postcode"),
        (f"clusters/{ids[0]}/expansion-zoom", "spacing=44&filter=postcode<400"),
        ("where-is", "row=0&filter=postcode<400"),
        ("transition", f"{cut}&spacing=44&from-zoom=9&from-{hill}&{passing}"),
        ("measures", f"{center}&spacing=44&{hill}"), ("tiles.json", passing), ("tiles/6/28/17.mvt", passing),
        ("histogram", f"{cut}&column=postcode&bins=20&filter=place<>''"),
        ("histogram", f"{center}&column=postcode&tile-size=512&margin=9"),
        ("histogram", "column=postcode&tile=9,224,136&scale=logarithmic"),
    ]:
        template = re.sub(r"clusters/\d+", "clusters/{id}", route).replace("6/28/17", "{z}/{x}/{y}")
        yield "/v1/{index}/" + template, f"/v1/iceland/{route}?{query.replace('<', '%3C').replace(chr(39), '%27')}", 200
    for refused in ["filter=postcode=", "filter=height=3", "aggregate=sum(place)", "aggregate=sum(height)"]:
        yield "/v1/{index}/clusters", f"/v1/iceland/clusters?{refused}", 400
    for refused in ["", "column=place", "column=height", "column=postcode&bins=1"]:
        yield "/v1/{index}/histogram", f"/v1/iceland/histogram?{refused}", 400
    change = {"Authorization": f"Bearer {WRITE_TOKEN}", "Content-Type": "application/x-ndjson",
              "Idempotency-Key": "documented"}
    points = "/v1/{index}/points"
    yield points, "/v1/live/points", 200, "PATCH", change, '{"remove": 1}'
    yield points, "/v1/live/points", 400, "PATCH", {**change, "Idempotency-Key": ""}, '{"remove": 1}'
    yield points, "/v1/live/points", 401, "PATCH", {**change, "Authorization": "Bearer x"}, '{"remove": 1}'
    yield points, "/v1/iceland/points", 404, "PATCH", change, '{"remove": 1}'
    yield points, "/v1/live/points", 413, "PATCH", change, '{"remove": 1}\n' * 10_001
    yield points, "/v1/live/points", 415, "PATCH", {**change, "Content-Type": "text/plain"}, '{"remove": 1}'
    yield points, "/v1/live/points", 422, "PATCH", change, '{"remove": 2}'
    yield "/v1/{index}/events", "/v1/live/events", 200
    yield "/v1/{index}/events", "/v1/iceland/events", 200
    yield "/v1/{index}/events", "/v1/missing/events", 404
    yield "/v1/{index}", "/v1/live", 200
    for route in DOCUMENT["paths"]:
        path = route.replace("{index}", "iceland").replace("{id}", "0").replace("{path}", "a.js")
        path = path.replace("{z}/{x}/{y}", "0/0/0")
        yield route, path, 405, "DELETE"


def head_of(server, path):
    """Returns the status, the headers and the first bytes of an answer that does not end soon."""
    connection = server.connection()
    try:
        connection.request("GET", path)
        answer = connection.getresponse()
        return answer.status, {name.lower(): value for name, value in answer.getheaders()}, answer.read(7)
    finally:
        connection.close()


def resolved(part):
    """Returns a part of the document, or the part that it refers to."""
    while "$ref" in part:
        names, part = part["$ref"].removeprefix("#/").split("/"), DOCUMENT
        for name in names:
            part = part[name]
    return part


def test_the_document_is_valid_and_is_what_the_server_serves(server):
    openapi_spec_validator.validate(DOCUMENT)
    assert server.json("/openapi.json") == DOCUMENT


def test_every_route_parameter_and_answer_is_as_documented(server):
    """Requests all documented routes, uses all documented parameters, and checks that every answer is documented."""
    seen, used = set(), set()
    for request in requests_of_all_routes(server):
        route, path, status, method, headers, body = *request, *["GET", {}, None][len(request) - 3:]
        if route.endswith("/events") and status == 200:
            found, answer_headers, answer = head_of(server, path)
        else:
            found, answer_headers, answer = server.ask(path, method, headers, body)
        assert found == status, f"{method} {path}: expected {status}, found {found} {answer[:300]}"
        operations = DOCUMENT["paths"][route]
        operation = operations.get("get", operations.get("patch")) if method == "DELETE" else operations[method.lower()]
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


def test_metrics_are_not_at_the_main_port_if_they_have_their_own(own):
    with reserved_port() as management:
        status, headers, answer = own("iceland", "--management-port", management).ask("/metrics")
    schema = resolved(DOCUMENT["paths"]["/metrics"]["get"]["responses"][str(status)])["content"][headers["content-type"]]["schema"]
    jsonschema.Draft202012Validator({**schema, "components": DOCUMENT["components"]}).validate(json.loads(answer))
    assert status == 404


def test_every_member_of_a_feature_is_documented(server):
    members = DOCUMENT["components"]["schemas"]["Feature"]["properties"].keys()
    features = server.json("/v1/columns/clusters?limit=50")["features"]
    assert all(feature.keys() <= members for feature in features) and any("id" in feature for feature in features)


def test_generated_requests_pass_every_check_of_schemathesis(server, tmp_path, note):
    document = json.loads(json.dumps(DOCUMENT))
    # Names an index that exists, so that some generated requests succeed.
    document["components"]["parameters"]["index"]["schema"] = {"type": "string", "enum": ["iceland"]}
    path = tmp_path / "openapi.json"
    path.write_text(json.dumps(document))
    seed, examples = random.randrange(2**32), trials(5)
    found = subprocess.run(
        [pathlib.Path(sys.executable).with_name("schemathesis"),
         "--config-file", pathlib.Path(__file__).with_name("schemathesis.toml"), "run", path,
         "--url", server.url, "--checks", "all", "--phases", "examples,coverage,fuzzing",
         "--max-examples", str(examples), "--seed", str(seed),
         # The files of the map may be of any type. Schemathesis cannot write lines of JSON, and events do not end soon.
         "--exclude-path-regex", "^/(viewer.*|.*/points|.*/events)?$", "--no-color"], capture_output=True, text=True, cwd=tmp_path)
    assert found.returncode == 0, f"seed {seed}: " + re.sub(r"(.)\1{40,}", r"\1…", found.stdout)[-9000:]
    counts = re.search(r"\d+ generated, \d+ passed", found.stdout)[0]
    note(f"{counts}, {examples} examples of each operation, seed {seed}")
