"""Changes points of a live index while wrk asks for answers, and prints the figures. scripts/measure/live calls it."""

import argparse
import http.client
import json
import os
import pathlib
import random
import statistics
import subprocess
import tempfile
import threading
import time

import load

TOKEN = "measure"
BATCH = 100


class Server(load.Server):
    """A server of one live index."""

    def __init__(self, index):
        os.environ["TREELINEMAP_WRITE_TOKEN"] = TOKEN
        super().__init__(index, "--live", f"load={index}", "--key", "id")


def feature(key, generator):
    return json.dumps({
        "type": "Feature", "properties": {"id": key, "name": f"Vehicle {key}"},
        "geometry": {"type": "Point", "coordinates": [round(generator.uniform(5, 15), 6), round(generator.uniform(45, 55), 6)]}})


class Editors:
    """Clients that move random points, in batches of 100."""

    def __init__(self, server, points, clients, batches_each_second=None):
        self.is_over, self.latencies = threading.Event(), []
        self.server, self.points, self.pause = server, points, batches_each_second and clients / batches_each_second
        self.name = random.randrange(2**40)
        self.clients = [threading.Thread(target=self.edit, args=(number,)) for number in range(clients)]
        self.start = time.monotonic()
        for client in self.clients:
            client.start()

    def edit(self, number):
        generator = random.Random(number)
        bodies = ["".join(feature(key, generator) + "\n" for key in generator.sample(range(self.points), BATCH)) for _ in range(50)]
        connection = http.client.HTTPConnection("127.0.0.1", self.server.port)
        headers = {"Authorization": f"Bearer {TOKEN}", "Content-Type": "application/x-ndjson"}
        due = time.monotonic()
        step = 0
        while not self.is_over.is_set():
            begin = time.monotonic()
            connection.request("PATCH", "/v1/load/points", bodies[step % 50], {**headers, "Idempotency-Key": f"{self.name}-{number}-{step}"})
            answer = connection.getresponse()
            text = answer.read()
            assert answer.status == 200, text
            self.latencies.append(time.monotonic() - begin)
            step += 1
            if self.pause:
                due += self.pause
                self.is_over.wait(max(due - time.monotonic(), 0))

    def stop(self):
        self.is_over.set()
        for client in self.clients:
            client.join()
        rate = len(self.latencies) * BATCH / (time.monotonic() - self.start)
        return rate, statistics.quantiles(self.latencies, n=100)


def main():
    parser = argparse.ArgumentParser(prog="scripts/measure/live", description=__doc__)
    parser.add_argument("--points", type=int, default=100_000)
    parser.add_argument("--seconds", type=int, default=10, help="how long each figure is measured")
    parser.add_argument("--rounds", type=int, default=3, help="how often answers are measured without and with edits")
    parser.add_argument("--connections", type=int, default=32)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        generator, folder = random.Random(1), pathlib.Path(folder)
        (folder / "points.geojsonl").write_text("".join(feature(key, generator) + "\n" for key in range(options.points)))
        index = folder / "load.treeline"
        subprocess.run([load.TOOL, "build", folder / "points.geojsonl", "--columns", "id:number,name:text", "--for", "badges",
                        "--quiet", "-o", index], check=True)
        server = Server(index)
        try:
            measure(server, json.loads(server.get("/v1/load"))["bounds"], options, folder)
        finally:
            server.stop()


def measure(server, bounds, options, folder):
    print(f"{options.points:,} points, {os.cpu_count()} cores shared with the clients")
    for clients in (1, 8):
        before = json.loads(server.get("/v1/load"))["sequence"]
        editors = Editors(server, options.points, clients)
        time.sleep(options.seconds)
        rate, latencies = editors.stop()
        print(f"{clients} clients: {rate:,.0f} durable edits a second, a batch p50 {latencies[49] * 1e3:.1f} ms, p99 {latencies[98] * 1e3:.1f} ms", flush=True)
        after = before + len(editors.latencies)
        begin = time.monotonic()
        while json.loads(server.get("/v1/load"))["sequence"] < after:
            time.sleep(0.01)
        print(f"  queries see all edits {time.monotonic() - begin:.2f} s later", flush=True)
    views = load.Views(server, bounds, 1)
    paths = folder / "paths.txt"
    paths.write_text("\n".join(views.path("clusters") for _ in range(4096)))

    def answers(pause):
        found = load.wrk(server, str(paths), [], options.seconds, options.connections, pause)
        return found["requests"] / found["seconds"], found["p50_ms"], found["p99_ms"], found["errors"]

    answers(0)
    full = answers(0)[0]
    pause = round(options.connections / (full / 2) * 1e3)
    ratios = []
    for _ in range(options.rounds):
        alone = answers(pause)
        editors = Editors(server, options.points, 2, 1000 / BATCH)
        beside = answers(pause)
        rate = editors.stop()[0]
        ratios.append(beside[2] / alone[2])
        for title, found in (("without edits", alone), (f"{rate:.0f} edits a second", beside)):
            print(f"{title}: {found[0]:.0f} answers a second of {full:.0f}, p50 {found[1]:.2f} ms, p99 {found[2]:.2f} ms, {found[3]} errors", flush=True)
    print(f"p99 with edits: {statistics.median(ratios):.2f} times the p99 without edits, from {min(ratios):.2f} to {max(ratios):.2f}")


main()
