"""Puts a server on loopback under load with wrk and prints its figures. With --soak, it sends all kinds of requests for
minutes and checks that no valid request fails and that memory does not grow. scripts/measure/load calls it."""

import argparse
import gzip
import json
import math
import os
import pathlib
import random
import re
import shutil
import signal
import socket
import statistics
import subprocess
import sys
import tempfile
import threading
import time
import urllib.error
import urllib.request

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
TOOL, SERVER = os.environ["TREELINE_TOOL"], os.environ["TREELINE_SERVER"]
KINDS = ["clusters", "ellipses", "spacing", "transitions", "tiles", "gzip", "unchanged"]


class Server:
    """A server of one index, on a free port."""

    def __init__(self, index, *arguments):
        self.process = subprocess.Popen(
            [SERVER, *(arguments or [f"load={index}"]), "--port", "0"], stdout=subprocess.PIPE, text=True)
        line = self.process.stdout.readline()
        found = re.search(r"(http://[^/]+)/", line)
        if not found:
            sys.exit(f"scripts/measure/load: expected the server to print its address, found {line!r}")
        self.url = found[1]
        self.port = int(self.url.rsplit(":", 1)[1])

    def get(self, path):
        with urllib.request.urlopen(self.url + path, timeout=30) as answer:
            return answer.read()

    def tag(self, path):
        with urllib.request.urlopen(self.url + path, timeout=30) as answer:
            return answer.headers["ETag"]

    def memory(self):
        """Returns the server's anonymous memory in MiB, without the pages of the mapped index."""
        status = pathlib.Path(f"/proc/{self.process.pid}/status").read_text()
        return int(re.search(r"RssAnon:\s+(\d+)", status)[1]) / 1024

    def processor_time(self):
        """Returns the processor time that the server has used, in seconds."""
        fields = pathlib.Path(f"/proc/{self.process.pid}/stat").read_text().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def stop(self):
        self.process.send_signal(signal.SIGTERM)
        return self.process.wait(timeout=60)


def mercator(latitude):
    """Returns the y of a latitude on the map, from 0 in the north of the world to 1 in its south."""
    return 0.5 - math.asinh(math.tan(math.radians(latitude))) / (2 * math.pi)


class Views:
    """Random views on a laptop's screen, around places with points. The views reach from nearly all of the data to a
    single town."""

    def __init__(self, server, bounds, seed):
        self.random = random.Random(seed)
        clusters = json.loads(server.get("/v1/load/clusters?limit=10000"))["features"]
        self.places = [cluster["geometry"]["coordinates"] for cluster in clusters]
        # The zoom at which all of the data just fits the screen.
        self.zoom = math.log2(1024 * 360 / (256 * max(bounds[2] - bounds[0], 1e-3)))

    def view(self):
        zoom, (longitude, latitude) = self.zoom + 5 * self.random.random(), self.random.choice(self.places)
        width = 1024 * 360 / (256 * 2**zoom)
        height = 768 * 360 / (256 * 2**zoom) * math.cos(math.radians(latitude))
        south, north = max(latitude - height / 2, -85), min(latitude + height / 2, 85)
        west, east = max(longitude - width / 2, -180), min(longitude + width / 2, 180)
        return f"bbox={west:.5f},{south:.5f},{east:.5f},{north:.5f}&zoom={zoom:.2f}"

    def path(self, kind):
        if kind == "tiles":
            zoom, (longitude, latitude) = int(self.zoom + 5 * self.random.random()), self.random.choice(self.places)
            x, y = int((longitude + 180) / 360 * 2**zoom), int(mercator(latitude) * 2**zoom)
            return f"/v1/load/tiles/{zoom}/{x}/{y}.mvt"
        if kind == "transitions":
            view = self.view()
            before = f"from-{view}".replace("&zoom", "&from-zoom")
            return f"/v1/load/transition?limit=100&{self.moved(view)}&{before}"
        cut = {"spacing": "spacing=44", "ellipses": "limit=100&ellipses=true"}.get(kind, "limit=100")
        return f"/v1/load/clusters?{cut}&{self.view()}"

    def moved(self, view):
        """Returns the view, zoomed in by half a level."""
        box, zoom = view.removeprefix("bbox=").split("&zoom=")
        west, south, east, north = map(float, box.split(","))
        x, y, share = (west + east) / 2, (south + north) / 2, 0.5 / 2**0.5
        edges = x - (east - west) * share, y - (north - south) * share, x + (east - west) * share, y + (north - south) * share
        return "bbox=" + ",".join(f"{edge:.5f}" for edge in edges) + f"&zoom={float(zoom) + 0.5:.2f}"


def wrk(server, paths, header, seconds, connections, pause=0):
    """Runs wrk and returns its figures. One thread of wrk requests more than the server can answer, and leaves most of
    the processor to the server."""
    command = ["wrk", "--latency", "-t1", f"-c{connections}", f"-d{seconds}s", "-s", str(HERE / "paths.lua"), server.url,
               "--", paths, str(pause), *header]
    output = subprocess.run(command, capture_output=True, text=True)
    found = re.search(r"^RESULT (.*)$", output.stdout, re.M)
    if not found:
        sys.exit(f"scripts/measure/load: wrk failed: {output.stdout}{output.stderr}")
    return json.loads(found[1])


def clusters_each(server, paths):
    """Returns the mean number of clusters in a sample of the answers, or None for tiles."""
    counts = []
    for path in paths[::len(paths) // 64]:
        answer = server.get(path)
        if "/tiles/" in path:
            return None
        answer = json.loads(answer)
        counts.append(len(answer.get("clusters", answer)["features"]))
    return sum(counts) / len(counts)


def figures(server, bounds, options):
    """Prints the figures of each kind of request. The server caches no answers, and no two requests of a round are
    equal. All requests of the kind `unchanged` are answered by 304."""
    paused = f", {options.pause} ms between an answer and the next request" if options.pause else ""
    print(f"{options.connections} connections{paused}, {options.seconds} s each, seed {options.seed}, wrk on the same {os.cpu_count()} cores")
    print(f"{'':12} {'answers/s':>10} {'clusters':>8} {'KB each':>8} {'cpu us':>8} {'p50 ms':>8} {'p99 ms':>8} {'max ms':>8} {'errors':>7}")
    for kind in options.kinds.split(","):
        views = Views(server, bounds, options.seed)
        paths = [views.path(kind) for _ in range(8192)]
        header = {"unchanged": ["If-None-Match"], "gzip": ["Accept-Encoding", "gzip"]}.get(kind, [])
        each = clusters_each(server, paths)
        with tempfile.NamedTemporaryFile("w", suffix=".txt") as file:
            # Adds the tag that a client would send if it already had the answer.
            file.write("\n".join(f"{path} {server.tag(path)}" if kind == "unchanged" else path for path in paths))
            file.flush()
            wrk(server, file.name, header, 1, options.connections)
            alone = timed(server, kind, each, file.name, header, options)
            if options.heavy:
                heavy = subprocess.Popen(
                    ["wrk", "-t1", f"-c{options.heavy}", f"-d{options.seconds + 2}s",
                     f"{server.url}/v1/load/clusters?spacing=1&zoom=16&limit=10000"], stdout=subprocess.DEVNULL)
                beside = timed(server, "beside heavy", each, file.name, header, options)
                heavy.wait()
                print(f"{'':12} p50 {beside['p50_ms'] / alone['p50_ms']:.2f}x, p99 {beside['p99_ms'] / alone['p99_ms']:.2f}x "
                      f"relative to the run without the {options.heavy} heavy clients", flush=True)


def timed(server, title, each, paths, header, options):
    """Runs wrk, prints one line of figures, and returns all of them."""
    start = server.processor_time()
    result = wrk(server, paths, header, options.seconds, options.connections, options.pause)
    spent = server.processor_time() - start
    print(f"{title:12} {result['requests'] / result['seconds']:10.0f} {'' if each is None else f'{each:.1f}':>8} "
          f"{result['bytes'] / result['requests'] / 1000:8.1f} {spent / result['requests'] * 1e6:8.0f} {result['p50_ms']:8.2f} {result['p99_ms']:8.2f} "
          f"{result['max_ms']:8.1f} {result['errors']:7}", flush=True)
    return result


class Soak:
    """All kinds of clients at once, while the index is replaced again and again."""

    def __init__(self, server, index, bounds, options):
        self.server, self.index, self.bounds = server, index, bounds
        self.random = random.Random(options.seed)
        self.counts, self.failures, self.lock = {}, [], threading.Lock()
        # The expected answers. They never change, because the file is replaced only by its own content or by a damaged
        # file.
        paths = [self.path(self.random) for _ in range(300)]
        self.answers = [(path, server.get(path)) for path in paths]
        self.end = time.monotonic() + options.soak * 60

    def running(self):
        return time.monotonic() < self.end

    def count(self, what, failure=None):
        with self.lock:
            self.counts[what] = self.counts.get(what, 0) + 1
            if failure:
                self.failures.append(f"{what}: {failure}")

    def view(self, rng):
        west, south, east, north = self.bounds
        longitude, latitude, zoom = rng.uniform(west, east), rng.uniform(south, north), rng.uniform(4, 14)
        return f"center={longitude:.5f},{latitude:.5f}&zoom={zoom:.2f}&width=1024&height=768"

    def path(self, rng):
        """Returns a path that must be answered, whatever other clients do."""
        what = rng.choice(["clusters", "spacing", "grid", "tiles", "measures", "transition", "members", "indexes"])
        return {
            "clusters": lambda: f"/v1/load/clusters?limit=100&ellipses=true&{self.view(rng)}",
            "spacing": lambda: f"/v1/load/clusters?spacing=44&{self.view(rng)}",
            "grid": lambda: f"/v1/load/clusters?method=grid&{self.view(rng)}",
            "tiles": lambda: f"/v1/load/tiles/{(z := rng.randrange(12))}/{rng.randrange(2 ** z)}/{rng.randrange(2 ** z)}.mvt",
            "measures": lambda: f"/v1/load/measures?limit=100&{self.view(rng)}",
            "transition": lambda: f"/v1/load/transition?continuing=true&{self.view(rng)}",
            "members": lambda: f"/v1/load/clusters/0/members?offset={rng.randrange(10000)}&limit=50",
            "indexes": lambda: "/v1/indexes",
        }[what]()

    def good(self, seed):
        rng = random.Random(seed)
        while self.running():
            path, expected = rng.choice(self.answers) if rng.random() < 0.5 else (self.path(rng), None)
            request = urllib.request.Request(self.server.url + path)
            if rng.random() < 0.3:
                request.add_header("Accept-Encoding", "gzip")
            try:
                with urllib.request.urlopen(request, timeout=30) as answer:
                    body = answer.read()
                    is_whole = len(body) == int(answer.headers["Content-Length"])
                    if answer.headers["Content-Encoding"] == "gzip":
                        body = gzip.decompress(body)
                    self.count("good", f"{path}: cut short" if not is_whole else
                               f"{path}: another answer than at the start" if expected not in (None, body) else None)
            except (OSError, urllib.error.HTTPError) as error:
                self.count("good", f"{path}: {error}")

    def malformed(self, seed):
        """Sends malformed requests, which must be refused without an error of the server."""
        rng = random.Random(seed)
        while self.running():
            junk = "".join(rng.choice("abz019,.-&=%+/?;:{}[]\\\"'") for _ in range(rng.randrange(1, 80)))
            path = rng.choice(["/", "/v1/load/clusters?", "/v1/load/tiles/", "/v1/load/measures?bbox="]) + urllib.request.quote(
                junk, safe="&=%+/?,.-")
            try:
                with urllib.request.urlopen(self.server.url + path, timeout=30) as answer:
                    answer.read()
                self.count("odd")
            except urllib.error.HTTPError as error:
                self.count("odd", f"{path}: {error.code}" if error.code >= 500 else None)
            except OSError as error:
                self.count("odd", f"{path}: {error}")
            time.sleep(0.01)

    def rude(self, seed):
        """Opens connections that break off, that read hardly anything, that send one byte at a time, or that send
        noise."""
        rng = random.Random(seed)
        while self.running():
            try:
                with socket.create_connection(("127.0.0.1", self.server.port), timeout=10) as connection:
                    request = f"GET /v1/load/clusters?limit=5000&{self.view(rng)} HTTP/1.1\r\nHost: x\r\n\r\n".encode()
                    manner = rng.choice(["cut", "slow", "half", "noise"])
                    if manner == "cut":
                        connection.sendall(request * rng.randrange(1, 20))
                    elif manner == "slow":
                        connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
                        connection.sendall(request * 5)
                        for _ in range(20):
                            connection.recv(1024)
                            time.sleep(0.05)
                    elif manner == "half":
                        for byte in request[: rng.randrange(1, len(request))]:
                            connection.sendall(bytes([byte]))
                            time.sleep(0.002)
                    else:
                        connection.sendall(rng.randbytes(rng.randrange(1, 2000)))
                    self.count(manner)
            except OSError:
                self.count("refused")

    def replacing(self):
        """Replaces the index, or overwrites it in place, with its own content or with a damaged file. No answer may
        change."""
        copy = self.index.with_suffix(".next")
        good = self.index.read_bytes()
        while self.running():
            content = good if self.random.random() < 0.7 else good[: len(good) // 2]
            if self.random.random() < 0.5:
                copy.write_bytes(content)
                os.replace(copy, self.index)
                self.count("replaced")
            else:
                self.index.write_bytes(content)
                self.count("written over")
            time.sleep(2)

    def run(self):
        workers = [threading.Thread(target=self.good, args=(self.random.random(),)) for _ in range(6)]
        workers += [threading.Thread(target=self.malformed, args=(self.random.random(),)) for _ in range(2)]
        workers += [threading.Thread(target=self.rude, args=(self.random.random(),)) for _ in range(4)]
        workers += [threading.Thread(target=self.replacing)]
        for worker in workers:
            worker.start()
        memory = []
        while self.running():
            time.sleep(min(15, max(self.end - time.monotonic(), 0.1)))
            memory.append(self.server.memory())
            print(f"{len(memory) * 15:5} s  {memory[-1]:7.1f} MiB  {dict(sorted(self.counts.items()))}", flush=True)
        for worker in workers:
            worker.join()
        return memory


def soak(server, index, bounds, options):
    test = Soak(server, index, bounds, options)
    memory = test.run()
    problems = test.failures[:10]
    # Memory counts as flat if the last third exceeds the second third by at most 10 % and 8 MiB. Medians are compared,
    # because the server holds two indexes while it reopens an index, and only a few samples fall into that time.
    third = max(len(memory) // 3, 1)
    before, after = statistics.median(memory[third:2 * third] or memory), statistics.median(memory[-third:])
    if after > before * 1.1 + 8:
        problems.append(f"memory grew from {before:.1f} to {after:.1f} MiB")
    if server.process.poll() is not None:
        problems.append(f"the server ended with code {server.process.returncode}")
    print(f"memory {before:.1f} MiB, then {after:.1f} MiB, at most {max(memory):.1f} MiB; {len(test.failures)} failures")
    return problems


def main():
    parser = argparse.ArgumentParser(prog="scripts/measure/load", description=__doc__)
    parser.add_argument("index", nargs="?", type=pathlib.Path)
    parser.add_argument("--seconds", type=int, default=10, help="how long each kind of request is sent")
    parser.add_argument("--connections", type=int, default=64)
    parser.add_argument("--pause", type=int, default=0, metavar="MS",
                        help="the average pause of a connection before its next request; 0 sends as much as the server can answer")
    parser.add_argument("--heavy", type=int, default=0, metavar="CLIENTS",
                        help="the number of other clients that meanwhile request 10,000 clusters by spacing, over and over")
    parser.add_argument("--kinds", default=",".join(KINDS), help="kinds of requests, separated by commas, of " + ", ".join(KINDS) + " (default: all)")
    parser.add_argument("--soak", type=float, metavar="MINUTES", help="send all kinds of requests at once for this time, and print no figures")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        index = pathlib.Path(folder) / "load.treeline"
        if options.index:
            shutil.copyfile(options.index, index)
        else:
            subprocess.run([TOOL, "build", ROOT / "Fixtures/iceland_addresses.csv.gz", "--for", "spacing", "-o", index], check=True)
        server = Server(index)
        try:
            facts = json.loads(server.get("/v1/load"))
            print(f"{facts['point_count']:,} points")
            problems = []
            if options.soak:
                problems = soak(server, index, facts["bounds"], options)
            else:
                figures(server, facts["bounds"], options)
        finally:
            code = server.stop()
        if code != 0:
            problems.append(f"expected the server to stop with code 0, found {code}")
        for problem in problems:
            print(problem, file=sys.stderr)
        sys.exit(1 if problems else 0)


if __name__ == "__main__":
    main()
