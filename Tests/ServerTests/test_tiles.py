"""Checks vector tiles with an independent reader, and TileJSON."""

import json
import math

import mapbox_vector_tile


def test_every_cluster_of_a_zoom_is_in_one_tile_with_the_properties_of_geojson(server):
    """The properties are the same as in GeoJSON, except that tiles have the area of the ellipse instead of the
    ellipse."""
    answer = server.json("/v1/iceland/clusters?zoom=7&spacing=44")
    expected = {f["properties"]["cluster_id"]: f for f in answer["features"]}
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
                assert (area is not None) == (properties["cluster"] and not properties.get("stack"))
                assert area is None or area > 0
                assert (properties.pop("area_px", None) is None) == (area is None)
                found[feature["id"]] = properties
                column, row = feature["geometry"]["coordinates"]
                longitude = (x + column / 4096) / 64 * 360 - 180
                latitude = math.degrees(math.atan(math.sinh(math.pi * (1 - 2 * (y + row / 4096) / 64))))
                place = expected[feature["id"]]["geometry"]["coordinates"]
                assert 0 <= place[0] - longitude < 360 / 64 / 4096 + 1e-6 and 0 <= latitude - place[1] < 0.002
    assert found == {id: feature["properties"] for id, feature in expected.items()}


def test_columns_of_all_kinds_have_the_types_that_tilejson_says(server):
    answer = server.json("/v1/columns/clusters?zoom=1&detail=0")
    expected = {f["properties"]["cluster_id"]: f["properties"] for f in answer["features"]}
    _, _, body = server.ask("/v1/columns/tiles/0/0/0.mvt?detail=0&buffer=0")
    fields = server.json("/v1/columns/tiles.json")["vector_layers"][0]["fields"]
    types = {bool: "Boolean", int: "Number", float: "Number", str: "String"}

    def comparable(value):
        return json.dumps(value, separators=(",", ":")) if isinstance(value, (dict, list)) else value

    for feature in mapbox_vector_tile.decode(body)["clusters"]["features"]:
        properties = {k: comparable(v) for k, v in expected.pop(feature["id"]).items() if v is not None}
        found = {k: comparable(json.loads(v)) if isinstance(v, str) and v[:1] in "{[" else v
                 for k, v in feature["properties"].items()}
        assert found == properties, f"{found} for {properties}"
        for name, value in feature["properties"].items():
            assert fields[name] in (types[type(value)], "Mixed"), f"{name}: {fields[name]} for {value!r}"
    assert not expected


def test_tilejson_names_tiles_title_and_attribution(server):
    document = server.json("/v1/iceland/tiles.json?spacing=60")
    assert document["tiles"][0] == f"{server.url}/v1/iceland/tiles/{{z}}/{{x}}/{{y}}.mvt?spacing=60"
    # Maps read the attribution as HTML, so special characters are escaped.
    named = document["name"], document["attribution"]
    assert named == ("Iceland's <addresses>", "© A &amp; &lt;i&gt;B&lt;/i&gt;"), document
    facts = server.json("/v1/iceland")
    assert (facts["title"], facts["attribution"]) == ("Iceland's <addresses>", "© A & <i>B</i>"), facts
    assert "unit" not in facts, facts
    assert "attribution" not in server.json("/v1/columns/tiles.json") and "title" not in server.json("/v1/columns")
