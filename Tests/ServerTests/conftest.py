"""Running servers, asked from outside through real sockets, over indexes that the tool builds."""

import gzip
import json
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

DOCUMENT = json.loads((ROOT / "Sources/TreelineServer/Resources/openapi.json").read_text())


@pytest.fixture(scope="session")
def indexes(tmp_path_factory):
    """A folder with four indexes and the files of a viewer. The indexes: many points with a title, columns of all
    kinds, a plain plane, and a tree grown for badges."""
    folder = tmp_path_factory.mktemp("indexes")
    addresses = ROOT / "Fixtures/iceland_addresses.csv.gz"
    build(addresses, folder / "badges.treeline", "--grow", "badges")
    build(addresses, folder / "iceland.treeline", "--title", "Iceland's <addresses>",
          "--attribution", "© A & <i>B</i>", "--columns", "postcode:number,place:category")
    for name in ("columns", "planar"):
        shutil.copyfile(ROOT / f"Fixtures/index/v1/{name}.treeline", folder / f"{name}.treeline")
    viewer = folder / "viewer"
    (viewer / "vendor").mkdir(parents=True)
    (viewer / "index.html").write_text("<!doctype html><title>Treeline</title>" + "<p>" * 1000)
    (viewer / "vendor/map.js").write_text("// " + "map " * 1000)
    (viewer / "land.geojson.gz").write_bytes(gzip.compress(b'{"type":"FeatureCollection","features":[]}'))
    return folder


def served(folder, *names):
    """Returns the arguments that serve indexes of a folder under their names."""
    return [f"{name}={folder / name}.treeline" for name in names]


@pytest.fixture(scope="session")
def server(indexes):
    """A server over all indexes and the viewer, for tests that change nothing. It must end cleanly."""
    names = ("iceland", "columns", "planar", "badges")
    server = Server(*served(indexes, *names), "--viewer", str(indexes / "viewer"), "--trusted-proxy", "127.0.0.1")
    try:
        yield server
    finally:
        code, log = server.stop()
    assert code == 0, f"expected code 0, found {code}: {log}"


@pytest.fixture
def own(indexes, tmp_path):
    """Starts servers for one test over copies of indexes, which the test may change: `own("iceland", "--resident",
    "0")`."""
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
    """Returns what the server sends until it closes the connection."""
    answer = b""
    while part := client.recv(1 << 16):
        answer += part
    return answer


class Asking:
    """Asks one path from several threads during a block, and checks each answer."""

    def __init__(self, server, path, is_right=lambda body: body.endswith(b"\n]}\n"), workers=4):
        self._server, self._path, self._is_right = server, path, is_right
        self._is_over, self._failures, self._counts = threading.Event(), [], [0] * workers
        self._threads = [threading.Thread(target=self._ask, args=(number,)) for number in range(workers)]

    @property
    def count(self):
        """Number of answers so far."""
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
