"""A live index of vehicles, and the points that it must have."""

import json
import random

import pytest

from conftest import WRITE_TOKEN as TOKEN
from programs import Server, build
from waiting import wait_for

BATCH = {"Authorization": f"Bearer {TOKEN}", "Content-Type": "application/x-ndjson"}
COLUMNS = "id:number,name:text,speed:number,kind:category"


def feature(key, longitude, latitude, **values):
    return {"type": "Feature", "geometry": {"type": "Point", "coordinates": [longitude, latitude]},
            "properties": {"id": key, **values}}


def vehicle(key, generator):
    """Returns a point with values in most columns. A few points lie beyond the latitudes of Web Mercator."""
    latitude = 89.5 if key % 97 == 0 else round(generator.uniform(45, 49), 6)
    values = {"name": f"Bus {key} é", "speed": round(generator.uniform(0, 90), 1), "kind": f"line {key % 7}"}
    if key % 5 == 0:
        del values["name"]
    if key % 11 == 0:
        values["speed"] = None
    return feature(key, round(generator.uniform(5, 9), 6), latitude, **values)


def lines(changes):
    return "".join(json.dumps(change, ensure_ascii=False) + "\n" for change in changes).encode()


def built(points, path, *options):
    """Builds an index of points, sorted by their keys."""
    source = path.with_suffix(".geojsonl")
    source.write_bytes(lines(sorted(points.values(), key=lambda point: point["properties"]["id"])))
    build(source, path, "--columns", COLUMNS, "--title", "Fleet", *options)
    return path.read_bytes()


class Fleet:
    """A live index, the points that it must have, and its servers."""

    def __init__(self, folder, count=300, seed=1, options=("--grow", "badges")):
        self.generator, self.folder, self.options = random.Random(seed), folder, options
        self.points = {key: vehicle(key, self.generator) for key in range(count)}
        self.path = folder / "fleet.treeline"
        built(self.points, self.path, *options)
        self.server = None

    def start(self, *options):
        self.server = Server("--live", str(self.path), "--key", "id", "--no-viewer", *options)
        return self.server

    def send(self, changes, name, headers={}):
        status, _, body = self.server.ask(
            "/v1/fleet/points", "PATCH", {**BATCH, "Idempotency-Key": name, **headers},
            changes if isinstance(changes, bytes) else lines(changes))
        return status, json.loads(body)

    def changes(self, count=20):
        """Returns random changes. Some remove points that do not exist."""
        keys = self.generator.sample(range(500), count)
        return [{"remove": key} if self.generator.random() < 0.3 else vehicle(key, self.generator) for key in keys]

    def apply(self, changes):
        for change in changes:
            if "remove" in change:
                self.points.pop(change["remove"], None)
            else:
                self.points[change["properties"]["id"]] = change

    def wait(self, sequence):
        """Waits until a version answers queries."""
        return wait_for(lambda: (index := self.server.json("/v1/fleet"))["sequence"] >= sequence and index,
                        f"version {sequence}")

    def served(self):
        """Returns the properties and coordinates of all points that the server answers with."""
        answer = self.server.json("/v1/fleet/clusters?bbox=-180,-90,180,90&limit=10000")
        assert all(not point["properties"]["cluster"] for point in answer["features"])
        return {point["properties"]["id"]: point for point in answer["features"]}

    def check(self):
        """Compares the served points with the points that must be there."""
        found = self.served()
        assert found.keys() == self.points.keys()
        for key, point in self.points.items():
            for name in ("name", "speed", "kind"):
                assert found[key]["properties"].get(name) == point["properties"].get(name), (key, name)
            longitude, latitude = point["geometry"]["coordinates"]
            place = found[key]["geometry"]["coordinates"]
            assert place == pytest.approx([longitude, min(latitude, 85.0511288)], abs=2e-7)

    def stop(self):
        code, log = self.server.stop()
        self.server = None
        assert code == 0, log
        return log


@pytest.fixture
def fleet(tmp_path):
    fleet = Fleet(tmp_path)
    yield fleet
    if fleet.server:
        fleet.stop()
