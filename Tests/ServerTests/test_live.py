"""Live indexes: batches of changes, and servers that end at any moment."""

import collections
import http.client
import json
import pathlib
import random
import subprocess
import threading
import time

import pytest

from conftest import connected
from fleet import BATCH, Fleet, built, feature, fleet, lines, vehicle  # noqa: F401 (a fixture)
from programs import program
from trials import trials
from waiting import LIMIT, wait_for


def test_batches_change_the_points_and_survive_a_restart(fleet):
    fleet.start()
    old = fleet.server.json("/v1/fleet")
    assert (old["sequence"], old["title"], old["point_count"]) == (0, "Fleet", 300)
    changes = [vehicle(7, fleet.generator), vehicle(1000, fleet.generator), {"remove": 8}, {"remove": 5000}]
    assert fleet.send(changes, "a") == (200, {"sequence": 1, "inserted": 1, "replaced": 1, "removed": 1})
    fleet.apply(changes)
    new = fleet.wait(1)
    assert new["version"] != old["version"] and new["point_count"] == 300 and new["title"] == "Fleet"
    fleet.check()
    # A repeated batch gets the same answer as the first batch, and changes nothing.
    later = [vehicle(7, fleet.generator)]
    assert fleet.send(later, "b") == (200, {"sequence": 2, "inserted": 0, "replaced": 1, "removed": 0})
    fleet.apply(later)
    assert fleet.send(changes, "a") == (200, {"sequence": 1, "inserted": 1, "replaced": 1, "removed": 1})
    status, problem = fleet.send(later, "a")
    assert status == 422 and "Idempotency-Key" in problem["detail"]
    last = fleet.wait(2)
    fleet.stop()
    fleet.start()
    assert fleet.server.json("/v1/fleet") == last
    fleet.check()
    assert fleet.send(changes, "a") == (200, {"sequence": 1, "inserted": 1, "replaced": 1, "removed": 1})
    fleet.check()


def test_entity_tags_change_with_the_version(fleet):
    fleet.start()
    path = "/v1/fleet/clusters?limit=5"
    tag = fleet.server.ask(path)[1]["etag"]
    assert fleet.server.ask(path, headers={"If-None-Match": tag})[0] == 304
    fleet.send([vehicle(3, fleet.generator)], "a")
    fleet.wait(1)
    status, headers, _ = fleet.server.ask(path, headers={"If-None-Match": tag})
    assert status == 200 and headers["etag"] != tag
    fleet.stop()
    fleet.start()
    assert fleet.server.ask(path, headers={"If-None-Match": headers["etag"]})[0] == 304


@pytest.mark.parametrize("bad, words", [
    (b'{"remove": "x"}', 'line 2: expected a key that is a whole number, in "id", found "x"'),
    (b'{"remove": 1.5}', "line 2: expected a key"), (b"{}", "line 2: expected a Feature"),
    (b"nonsense", "line 2: expected"), (b'{"remove": 1} {}', "line 2: expected one object on each line, found {}"),
    (lines([feature(1, 200, 0)]), "line 2: expected a longitude from -180 to 180, found [200, 0] (coordinates)"),
    (lines([feature(1, 2, 0, color="red")]), 'line 2: expected properties that are columns of the index, found "color"'),
    (lines([feature(1, 2, 0, speed="fast")]), 'line 2: expected'),
    (lines([feature(None, 2, 0)]), 'line 2: expected a key that is a whole number, in "id", found null'),
    (b"\xff", "line 2: expected a line in UTF-8"), (b"[" * 1000, "line 2: expected"),
])
def test_a_bad_line_rejects_the_whole_batch(fleet, bad, words):
    fleet.start()
    status, problem = fleet.send(lines([{"remove": 1}]) + bad + b"\n" + lines([{"remove": 2}]), "a")
    assert status == 422 and words in problem["detail"], problem
    assert fleet.send([{"remove": 3}], "b")[1]["sequence"] == 1
    fleet.apply([{"remove": 3}])
    fleet.wait(1)
    fleet.check()


def test_requests_that_may_not_change_points(fleet, indexes):
    fleet.start(f"columns={indexes / 'columns.treeline'}")
    body = lines([{"remove": 1}])
    name = {"Idempotency-Key": "a"}
    for headers, status in [
        ({**BATCH, **name, "Authorization": "Bearer other"}, 401), ({"Idempotency-Key": "a"}, 401),
        (BATCH, 400), ({**BATCH, "Idempotency-Key": "x" * 65}, 400),
        ({**BATCH, **name, "Content-Type": "text/plain"}, 415), ({**BATCH, **name, "Content-Encoding": "gzip"}, 415),
    ]:
        found = fleet.server.ask("/v1/fleet/points", "PATCH", headers, body)
        assert found[0] == status, found
    assert fleet.server.ask("/v1/columns/points", "PATCH", {**BATCH, **name}, body)[0] == 404
    assert fleet.server.ask("/v1/missing/events")[0] == 404
    assert fleet.server.ask("/v1/fleet/points?x=1", "PATCH", {**BATCH, **name}, body)[0] == 400
    status, headers, _ = fleet.server.ask("/v1/fleet/points")
    assert (status, headers["allow"]) == (405, "PATCH")
    assert fleet.send([{"remove": 1}] * 10_000, "most")[0] == 200
    assert fleet.send([{"remove": 1}] * 10_001, "more")[0] == 413
    assert fleet.send(b" " * (8 << 20) + b"x", "long")[0] == 413
    assert fleet.send(b"\n\n", "empty")[0] == 422
    assert fleet.wait(1)["sequence"] == 1


@pytest.mark.parametrize("options", [("--grow", "badges"), ("--split", "least-scatter"), ("--grow", "merge", "--anchor", "member")])
def test_the_written_index_equals_a_build_of_the_same_points(tmp_path, options):
    fleet = Fleet(tmp_path, options=options)
    fleet.start("--live-log", "1")
    for number in range(3):
        changes = fleet.changes(60)
        assert fleet.send(changes, f"batch-{number}")[0] == 200
        fleet.apply(changes)
        fleet.wait(number + 1)
        expected = built(fleet.points, tmp_path / "expected.treeline", *options)
        wait_for(lambda: fleet.path.read_bytes() == expected, "the written index")
    assert fleet.send(changes, "batch-2")[1]["sequence"] == 3
    fleet.stop()
    fleet.start()
    fleet.check()
    assert fleet.server.json("/v1/fleet")["sequence"] == 3
    assert fleet.send(changes, "batch-2")[1]["sequence"] == 3
    fleet.stop()


def test_events_announce_versions(fleet):
    fleet.start()
    first = fleet.server.json("/v1/fleet")["version"]
    with connected(fleet.server) as client:
        client.sendall(f"GET /v1/fleet/events HTTP/1.1\r\nHost: x\r\nLast-Event-ID: {first}\r\n\r\n".encode())
        received = client.recv(1 << 16)
        while b"\n\n" not in received.split(b"\r\n\r\n")[-1]:
            received += client.recv(1 << 16)
        assert b"text/event-stream" in received and b"event:" not in received
        fleet.send([{"remove": 1}], "a")
        while b"\n\n" not in received[received.find(b"event:"):]:
            received += client.recv(1 << 16)
        event = received[received.find(b"event:"):].decode()
        index = fleet.server.json("/v1/fleet")
        assert event.startswith(f"event: version\nid: {index['version']}\ndata: ")
        assert json.loads(event.split("data: ")[1].split("\n")[0]) == {
            "version": index["version"], "sequence": 1, "point_count": 299}
        # The stream ends when the server stops.
        fleet.stop()


def test_versions_after_a_restored_log_differ_from_the_versions_before(fleet):
    fleet.start()
    fleet.stop()
    copies = [(path, path.read_bytes()) for path in (fleet.path, pathlib.Path(f"{fleet.path}.log"))]
    seen = set()
    for key in (1, 2):
        for path, content in copies:
            path.write_bytes(content)
        fleet.start()
        assert fleet.send([{"remove": key}], f"batch-{key}")[0] == 200
        assert fleet.send([{"remove": 3}], "the-same")[0] == 200
        seen |= {fleet.wait(2)["version"], fleet.server.ask("/v1/fleet/clusters?limit=10")[1]["etag"]}
        fleet.stop()
    assert len(seen) == 4, seen


def event_id(server, last="none"):
    with connected(server) as client:
        client.sendall(f"GET /v1/fleet/events HTTP/1.1\r\nHost: x\r\nLast-Event-ID: {last}\r\n\r\n".encode())
        return next(line[4:].decode().strip() for line in client.makefile("rb") if line.startswith(b"id: "))


def test_events_announce_a_replaced_index(fleet):
    fleet.start()
    first = event_id(fleet.server)
    fleet.stop()
    pathlib.Path(f"{fleet.path}.log").unlink()
    built({1: fleet.points[1]}, fleet.path)
    fleet.start()
    assert event_id(fleet.server, first) != first


def test_a_full_disk_refuses_batches_and_nothing_else(fleet):
    """Limits the size of the server's files. A write beyond the limit fails like a write to a full disk."""
    fleet.start()
    assert fleet.send([{"remove": 1}], "a")[0] == 200
    fleet.apply([{"remove": 1}])
    log = pathlib.Path(f"{fleet.path}.log")
    length = log.stat().st_size
    pid = str(fleet.server.process.pid)
    subprocess.run(["prlimit", "--pid", pid, f"--fsize={length + 100}:"], check=True)
    changes = fleet.changes()
    for _ in range(3):
        status, problem = fleet.send(changes, "b")
        assert status == 507 and "full" in problem["detail"] and log.stat().st_size == length
    fleet.wait(1)
    fleet.check()
    subprocess.run(["prlimit", "--pid", pid, "--fsize=unlimited:"], check=True)
    assert fleet.send(changes, "b")[1]["sequence"] == 2
    fleet.apply(changes)
    fleet.wait(2)
    fleet.check()
    fleet.stop()
    fleet.start()
    fleet.check()


def test_no_acknowledged_batch_is_lost_or_applied_twice_by_kills(tmp_path, note):
    """Kills the server at random moments while clients send batches, sometimes while the server writes the index. Each
    batch of a worker moves the worker's point, inserts a point, and removes the point that was inserted 500 batches
    ago. So the points show the last batch, and whether a batch before it is missing."""
    seed, kills = random.randrange(2**32), trials(50)
    fleet, generator = Fleet(tmp_path, count=60), random.Random(seed)
    acknowledged, wrong = collections.Counter(), []
    for kill in range(kills):
        server = fleet.start("--live-log", str(generator.choice([1, 5000, 10**9])))
        is_over = threading.Event()

        def send(worker):
            connection = server.connection()
            step = acknowledged[worker]
            while not is_over.is_set():
                first = 1_000_000 * (worker + 1)
                change = lines([feature(1000 + worker, step % 1000 / 10, 10 + worker, speed=step), {"remove": first + step - 500},
                                feature(first + step, 50 + step % 500 / 100, worker)])
                try:
                    connection.request("PATCH", "/v1/fleet/points", change,
                                       {**BATCH, "Idempotency-Key": f"{worker}-{step}"})
                    answer = connection.getresponse()
                    body = json.loads(answer.read())
                except (OSError, http.client.HTTPException, ValueError):
                    # The server was killed.
                    return
                if (body.get("inserted"), body.get("removed")) != (2 if step == 0 else 1, 1 if step >= 500 else 0):
                    wrong.append((answer.status, body))
                step += 1
                acknowledged[worker] = step
        workers = [threading.Thread(target=send, args=(number,)) for number in range(3)]
        for worker in workers:
            worker.start()
        time.sleep(generator.uniform(0.01, 0.25))
        server.process.kill()
        server.process.wait(LIMIT)
        server.process.stdout.close()
        is_over.set()
        for worker in workers:
            worker.join(LIMIT)
    fleet.start()
    found = fleet.served()
    assert not wrong, f"seed {seed}: {wrong[:3]}"
    lost = written = 0
    for worker, count in acknowledged.items():
        first = 1_000_000 * (worker + 1)
        steps = sorted(key - first for key in found if key // 1_000_000 == worker + 1)
        end = steps[-1] + 1
        lost += max(count - end, 0)
        # At most one batch was written but not acknowledged.
        assert steps == list(range(max(end - 500, 0), end)) and end - count in (0, 1), f"seed {seed}: {count} {steps}"
        assert found[1000 + worker]["properties"]["speed"] == end - 1
        written += end
    # Each batch has one number.
    twice = fleet.server.json("/v1/fleet")["sequence"] - written
    assert (lost, twice) == (0, 0), f"seed {seed}"
    total = sum(acknowledged.values())
    assert total > kills
    note(f"{kills} kills, {total} acknowledged batches, {lost} lost, {twice} applied twice, seed {seed}")
    fleet.stop()


def test_a_live_index_needs_a_token_for_changes(fleet):
    command = [program("TREELINE_SERVER"), "--live", fleet.path, "--key", "id", "--port", "0"]
    found = subprocess.run(command, capture_output=True, text=True, timeout=LIMIT, env={"TREELINEMAP_WRITE_TOKEN": ""})
    assert found.returncode == 64 and "'--live' needs a token for changes" in found.stderr, found


def test_metrics_count_batches_and_points_of_a_live_index(fleet):
    server = fleet.start()
    assert fleet.send([vehicle(1000, fleet.generator), {"remove": 1}, {"remove": 2}], "one")[0] == 200
    fleet.wait(1)
    log = fleet.path.with_name("fleet.treeline.log")
    for name, expected in {
        "batches_total": 1, "waiting_batches": 0, "points": 299, "log_bytes": log.stat().st_size, "failed": 0,
    }.items():
        assert server.metric(f'treeline_live_{name}{{index="fleet"}}') == expected, name
    fleet.stop()
