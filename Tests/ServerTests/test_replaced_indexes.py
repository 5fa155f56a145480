"""Replaces, overwrites, truncates or removes the files of indexes while clients send requests."""

import os
import pathlib
import random
import shutil
import signal
import subprocess
import tempfile

import pytest

from conftest import Asking, Server, served
from trials import trials
from waiting import wait_for

ASK = "/v1/iceland/clusters?limit=100"


def reloads(server, result):
    return server.metric(f'treeline_index_reloads_total{{result="{result}"}}')


def replace(path, content):
    """Replaces a file by another file in one step, in the same way as the tool."""
    other = path.with_suffix(".next")
    other.write_bytes(content)
    os.replace(other, path)


def test_a_replaced_index_is_served_and_a_broken_one_changes_nothing(own, tmp_path):
    """Checks that no request fails while indexes are replaced."""
    server, path = own("iceland", "columns"), tmp_path / "iceland.treeline"
    version = lambda: server.json("/v1/iceland")["version"]
    first, good, other = version(), path.read_bytes(), (tmp_path / "columns.treeline").read_bytes()
    with Asking(server, ASK) as asking:
        for round in range(4):
            replace(path, other)
            wait_for(lambda: version() != first, "the replaced index")
            refused = reloads(server, "refused")
            replace(path, good[: len(good) // 2])
            wait_for(lambda: reloads(server, "refused") > refused, "the broken index to be refused")
            assert version() != first
            replace(path, good)
            if round == 0:
                server.process.send_signal(signal.SIGHUP)
            wait_for(lambda: version() == first, "the first index again")
        wait_for(lambda: asking.count > 100, "100 answers")
    assert asking.count
    # After a signal, the server opens the index again, even if it has just checked the file.
    assert reloads(server, "reopened") >= 8 and reloads(server, "refused") >= 4


def test_whatever_is_done_to_the_file_of_an_index_in_memory_no_answer_is_wrong(own, tmp_path, note):
    server, path, second = own("iceland", "columns"), tmp_path / "iceland.treeline", tmp_path / "columns.treeline"
    good, other = path.read_bytes(), second.read_bytes()
    forged = bytearray(good)
    forged[len(good) // 2] ^= 1

    def put(content):
        # Writes into the existing file, like `cp`.
        with path.open("r+b") as file:
            file.truncate(0)
            file.write(content)

    def cut_off(content):
        # A limit of the file size ends the copy, as a full disk would.
        source = tmp_path / "source"
        source.write_bytes(content)
        limited = f"trap '' XFSZ; ulimit -f {len(content) // 2048}; cat '{source}' > '{path}'"
        subprocess.run(["sh", "-c", limited], stderr=subprocess.DEVNULL)

    def instead(make):
        path.unlink()
        make()

    def restore():
        if path.is_dir():
            path.rmdir()
        elif not path.is_file():
            path.unlink(missing_ok=True)
        replace(path, good)

    deeds = [lambda: put(other), lambda: put(good[: len(good) // 2]), lambda: put(bytes(forged)), lambda: put(b""),
             lambda: cut_off(good), lambda: instead(lambda: None), lambda: instead(path.mkdir),
             lambda: instead(lambda: os.mkfifo(path)), lambda: path.chmod(0), lambda: replace(path, other),
             lambda: replace(path, good[:100])]
    # The answer of the other index to the same query is right, too.
    answer_of_other = server.ask("/v1/columns/clusters?limit=100")[2]
    right = {server.ask(ASK)[2], answer_of_other}
    seed, count = 7, trials(100)
    rng = random.Random(seed)

    def pass_time(ways):
        match rng.choice(ways):
            case "answers":
                until = asking.count + rng.randrange(1, 30)
                wait_for(lambda: asking.count >= until, "answers")
            case "look":
                # The server checks all files together. Once it has reopened this file, it has also checked the other
                # file.
                before = reloads(server, "reopened")
                replace(second, other)
                wait_for(lambda: reloads(server, "reopened") > before, "the server to look at the files")

    with Asking(server, ASK, is_right=right.__contains__) as asking:
        for number in range(count):
            deeds[number % len(deeds)]()
            pass_time(["nothing", "answers", "look"])
            restore()
            pass_time(["nothing", "answers"])
        wait_for(lambda: server.ask(ASK)[2] == server.ask(ASK)[2] != answer_of_other, "the index as it was")
    note(f"{count} deeds, {asking.count} answers, all right; seed {seed}")


def test_an_index_that_may_not_be_read_is_refused_and_the_one_that_was_read_stays(indexes, server):
    if os.geteuid() != 0:
        pytest.skip("only root can run a server as a user who may not read a file that root may write")
    # Other users cannot enter the folders that pytest creates.
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        folder.chmod(0o755)
        path = folder / "columns.treeline"
        shutil.copyfile(indexes / path.name, path)
        path.chmod(0o644)
        try:
            other = Server(*served(folder, "columns"), "--no-viewer", user="nobody")
        except (RuntimeError, PermissionError):
            pytest.skip("the executable lies where only its owner looks")
        try:
            following = folder / "next"
            following.write_bytes((indexes / "iceland.treeline").read_bytes())
            following.chmod(0)
            os.replace(following, path)
            wait_for(lambda: reloads(other, "refused") == 1, "the index to be refused")
            ask = "/v1/columns/clusters?limit=100"
            assert other.ask(ask)[2] == server.ask(ask)[2]
            path.chmod(0o644)
            wait_for(lambda: other.json("/v1/columns")["point_count"] > 1000, "the index that may be read now")
        finally:
            code, log = other.stop()
    assert code == 0 and "Permission denied" in log, log


def test_an_index_beyond_the_bound_stays_in_its_file_and_its_damage_is_noticed(server, own, tmp_path):
    """Checks that the server serves an index that was replaced, but not an index whose file was overwritten."""
    other, path = own("iceland", "--resident", 0), tmp_path / "iceland.treeline"
    status, first, answer = other.ask(ASK)
    assert status == 200 and answer == server.ask(ASK)[2]
    content = path.read_bytes()
    replace(path, content)
    wait_for(lambda: other.ask(ASK)[1].get("etag") not in (None, first["etag"]), "the file that took its place")
    # Changes a byte of the file, behind the same header. The server must notice this within a second. It must answer
    # nothing until the file is right again.
    middle = len(content) // 2
    for byte, status in [(content[middle] ^ 1, 503), (content[middle], 200)]:
        with path.open("r+b") as file:
            file.seek(middle)
            file.write(bytes([byte]))
        wait_for(lambda: other.ask(ASK)[0] == status, f"the status {status}")
        # The server answers 503 as soon as the file has changed. It reports the damage when it has read the file.
        wait_for(lambda: "checksum" in other.log(), "the report of the damage")
    assert other.ask(ASK)[2] == answer
    code, log = other.stop()
    assert code == 0, log
