"""The log of a live index: which indexes have one, and what a server does with a log that it cannot use."""

import json
import pathlib
import subprocess

from conftest import WRITE_TOKEN as TOKEN
from fleet import built, fleet, vehicle  # noqa: F401 (a fixture)
from programs import program
from waiting import LIMIT


def test_a_log_is_not_applied_to_another_index_or_key_column(fleet):
    fleet.start()
    assert fleet.send([{"remove": 1}], "a")[0] == 200
    fleet.stop()
    old, log = fleet.path.read_bytes(), pathlib.Path(f"{fleet.path}.log")
    written = log.read_bytes()
    built({key: vehicle(key, fleet.generator) for key in range(200)}, fleet.path)
    for key, index, words in [
        ("id", fleet.path.read_bytes(), "fleet.treeline.log: expected the index to which the changes in this log belong"),
        ("name", old, 'expected the key column "id", with which this log was written, found "name"; use \'--key id\''),
    ]:
        fleet.path.write_bytes(index)
        found = subprocess.run(
            [program("TREELINE_SERVER"), "--live", fleet.path, "--key", key, "--port", "0", "--no-viewer"],
            capture_output=True, text=True, timeout=LIMIT)
        assert found.returncode == 65 and words in found.stderr and "or remove the log" in found.stderr, found
        assert log.read_bytes() == written
    fleet.start()
    fleet.apply([{"remove": 1}])
    fleet.check()


def test_a_torn_record_is_dropped_and_a_damaged_record_is_named(fleet):
    fleet.start()
    for number in range(3):
        changes = fleet.changes()
        assert fleet.send(changes, f"b{number}")[0] == 200
        if number < 2:
            fleet.apply(changes)
    fleet.stop()
    log = pathlib.Path(f"{fleet.path}.log")
    whole = log.read_bytes()
    starts = [at for at in range(len(whole)) if whole[at:at + 4] == b"TLOG"]
    assert len(starts) == 4
    # The file ends before the record does, or the file system has extended the file but not written it.
    for torn in [whole[:starts[3] + 1], whole[:starts[3] + 30], whole[:-1], whole[:starts[3]] + bytes(len(whole) - starts[3])]:
        log.write_bytes(torn)
        fleet.start()
        assert fleet.server.json("/v1/fleet")["sequence"] == 2
        fleet.check()
        text = fleet.stop()
        assert text.count("Dropped the incomplete last record") == 1 and log.read_bytes() == whole[:starts[3]]
    for record, at, expected in [(3, 40, "an undamaged record, found a damaged record before undamaged records"), (4, 40, "the checksum "), (4, 9, " of the record's length, ")]:
        damaged = bytearray(whole)
        damaged[starts[record - 1] + at] ^= 4
        log.write_bytes(damaged)
        found = subprocess.run(
            [program("TREELINE_SERVER"), "--live", fleet.path, "--key", "id", "--port", "0", "--no-viewer"],
            capture_output=True, text=True, timeout=LIMIT)
        assert found.returncode == 65, found
        assert f"fleet.treeline.log, record {record} at byte {starts[record - 1]}: expected " in found.stderr, found
        assert expected in found.stderr and f"'truncate -s {starts[record - 1]}'" in found.stderr, found
        assert log.read_bytes() == damaged


def test_a_second_server_cannot_use_the_log(fleet):
    fleet.start()
    found = subprocess.run(
        [program("TREELINE_SERVER"), "--live", fleet.path, "--key", "id", "--port", "0", "--no-viewer"],
        capture_output=True, text=True, timeout=LIMIT)
    assert found.returncode == 74 and "in use" in found.stderr, found


def test_an_index_that_cannot_be_edited_is_refused(indexes, fleet):
    for path, key, words in [
        (indexes / "planar.treeline", "id", "plain x and y"), (fleet.path, "no", 'a column "no" with the keys'),
        (fleet.path, "name", "found none"), (fleet.path, "kind", "keys that differ"),
    ]:
        found = subprocess.run(
            [program("TREELINE_SERVER"), "--live", path, "--key", key, "--port", "0", "--no-viewer"],
            capture_output=True, text=True, timeout=LIMIT)
        assert found.returncode == 65 and words in found.stderr, found
    pathlib.Path(f"{indexes / 'planar.treeline'}.log").unlink(missing_ok=True)


def test_an_index_that_cannot_be_live_gets_no_log(fleet):
    command = [program("TREELINE_SERVER"), "--live", fleet.path, "--key", "name", "--port", "0"]
    found = subprocess.run(
        command, capture_output=True, text=True, timeout=LIMIT, env={"TREELINEMAP_WRITE_TOKEN": TOKEN})
    assert found.returncode == 65 and "column \"name\"" in found.stderr, found
    assert not fleet.path.with_name("fleet.treeline.log").exists()


def test_links_to_an_index_share_its_log(fleet):
    fleet.start()
    link = fleet.folder / "link.treeline"
    link.symlink_to(fleet.path)
    command = [program("TREELINE_SERVER"), "--live", link, "--key", "id", "--port", "0"]
    found = subprocess.run(
        command, capture_output=True, text=True, timeout=LIMIT, env={"TREELINEMAP_WRITE_TOKEN": TOKEN})
    assert found.returncode != 0 and "fleet.treeline.log" in found.stderr, found
    assert not link.with_name("link.treeline.log").exists()
