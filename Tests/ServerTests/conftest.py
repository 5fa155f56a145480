"""Fixtures of the server tests: running servers over indexes that the tool builds. Tests send them requests through
real sockets."""

import gzip
import json
import os
import pathlib
import shutil
import socket
import sys
import threading

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "Tests/Support"))

from programs import Server, build, program
from suite import note, pytest_sessionstart, pytest_terminal_summary  # noqa: F401
from waiting import LIMIT

#: Token with which tests change points of live indexes.
WRITE_TOKEN = "write-token"
os.environ["TREELINEMAP_WRITE_TOKEN"] = WRITE_TOKEN

DOCUMENT = json.loads((ROOT / "Sources/TreelineServer/Resources/openapi.json").read_text())


@pytest.fixture(scope="session")
def indexes(tmp_path_factory):
    """Returns a folder with indexes and with the files of a viewer. The indexes have many points and a title,
    columns of all kinds, a plain plane, a tree that was grown for badges, and keys of points."""
    folder = tmp_path_factory.mktemp("indexes")
    addresses = ROOT / "Fixtures/iceland_addresses.csv.gz"
    build(addresses, folder / "badges.treeline", "--grow", "badges")
    build(addresses, folder / "iceland.treeline", "--for", "spacing", "--title", "Iceland's <addresses>",
          "--attribution", "© A & <i>B</i>", "--columns", "postcode:number,place:category+search")
    points = folder / "live.csv"
    points.write_text("id,longitude,latitude\n" + "".join(f"{id},{id % 10},{id // 10}\n" for id in range(100)))
    build(points, folder / "live.treeline", "--columns", "id:number")
    for name in ("columns", "planar"):
        shutil.copyfile(ROOT / f"Fixtures/index/v1/{name}.treeline", folder / f"{name}.treeline")
    viewer = folder / "viewer"
    (viewer / "vendor").mkdir(parents=True)
    (viewer / "index.html").write_text("<!doctype html><title>Treeline</title>" + "<p>" * 1000)
    (viewer / "vendor/map.js").write_text("// " + "map " * 1000)
    (viewer / "land.geojson.gz").write_bytes(gzip.compress(b'{"type":"FeatureCollection","features":[]}'))
    return folder


def served(folder, *names):
    """Returns the arguments with which a server serves indexes of a folder under their own names."""
    return [f"{name}={folder / name}.treeline" for name in names]


@pytest.fixture(scope="session")
def server(indexes):
    """Starts a server of all indexes and the viewer, for tests that change nothing. The server must end without an
    error."""
    names = ("iceland", "columns", "planar", "badges")
    server = Server(*served(indexes, *names), "--viewer", str(indexes / "viewer"), "--trusted-proxy", "127.0.0.1",
                    "--live", str(indexes / "live.treeline"), "--key", "id")
    try:
        yield server
    finally:
        code, log = server.stop()
    assert code == 0, f"expected code 0, found {code}: {log}"


@pytest.fixture
def own(indexes, tmp_path):
    """Returns a function that starts servers for one test: `own("iceland", "--resident", "0")`. Their indexes are
    copies, so the test may change them."""
    servers = []

    def start(*arguments, viewer=False):
        names = [argument for argument in arguments if (indexes / f"{argument}.treeline").exists()]
        options = [str(argument) for argument in arguments if argument not in names]
        for name in names:
            shutil.copyfile(indexes / f"{name}.treeline", tmp_path / f"{name}.treeline")
        if viewer:
            shutil.copytree(indexes / "viewer", tmp_path / "viewer")
        shown = ["--viewer", str(tmp_path / "viewer")] if viewer else ["--no-viewer"]
        servers.append(Server(*served(tmp_path, *names), *shown, *options))
        return servers[-1]

    yield start
    ends = [server.stop() for server in servers]
    assert all(code == 0 for code, _ in ends), ends


def connected(server):
    return socket.create_connection(("127.0.0.1", server.port), timeout=LIMIT)


def received(client):
    """Returns everything that the server sends until it closes the connection."""
    answer = b""
    while part := client.recv(1 << 16):
        answer += part
    return answer


class Asking:
    """During a block, requests the same path again and again from several threads, and checks each answer."""

    def __init__(self, server, path, is_right=lambda body: body.endswith(b"\n]}\n"), workers=4):
        self._server, self._path, self._is_right = server, path, is_right
        self._is_over, self._failures, self._counts = threading.Event(), [], [0] * workers
        self._threads = [threading.Thread(target=self._ask, args=(number,)) for number in range(workers)]

    @property
    def count(self):
        """Number of answers until now."""
        assert not self._failures, self._failures[:3]
        return sum(self._counts)

    def _ask(self, number):
        connection = self._server.connection()
        while not self._is_over.is_set():
            try:
                connection.request("GET", self._path)
                answer = connection.getresponse()
                body = answer.read()
            except OSError as error:
                self._failures.append(repr(error))
                return
            if answer.status != 200 or not self._is_right(body):
                self._failures.append(f"{answer.status} {body[:100]}")
            self._counts[number] += 1
        connection.close()

    def __enter__(self):
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(self, *_):
        self._is_over.set()
        for thread in self._threads:
            thread.join(LIMIT)
