"""Tests how the server ends, and for which reasons it does not start."""

import os
import re
import signal
import socket
import subprocess

import pytest

from conftest import connected, program, received
from waiting import LIMIT, wait_for


def test_sigterm_has_what_was_asked_answered_and_takes_nothing_more(own):
    server = own("iceland")
    with connected(server) as client:
        client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1 << 16)
        client.sendall(b"GET /v1/iceland/clusters?limit=10000 HTTP/1.1\r\nHost: x\r\n\r\n")
        start = client.recv(1000)
        length = int(re.search(rb"content-length: (\d+)", start, re.I)[1])
        server.process.send_signal(signal.SIGTERM)

        def is_closed():
            try:
                connected(server).close()
            except ConnectionRefusedError:
                return True

        wait_for(is_closed, "connections to be refused after SIGTERM", ignoring=ConnectionResetError)
        answer = start + received(client)
    assert len(answer) - answer.index(b"\r\n\r\n") - 4 == length, "the answer was cut off"
    code, log = server.stop()
    assert code == 0, f"expected code 0, found {code}: {log}"


@pytest.mark.parametrize("arguments, message", [
    ([], "Give at least one index"),
    (["/nowhere.treeline"], "/nowhere.treeline: cannot be opened"),
    (["a b={index}"], "found 'a b'"),
    (["{index}", "--port", "{port}"], "port {port}: Address already in use; choose another"),
    (["{index}", "--host", "nowhere.invalid"], "cannot listen at nowhere.invalid, port 8080"),
    (["{index}", "--viewer", "/nowhere"], "/nowhere: this folder has no index.html"),
    (["{index}", "--port", "99999"], "'--port' must be"),
], ids=["nothing", "no file", "no name", "taken port", "no host", "no viewer", "no port"])
def test_what_cannot_be_served_is_told_with_a_code_that_is_not_0(server, indexes, arguments, message):
    fill = lambda text: text.format(index=indexes / "columns.treeline", port=server.port)
    command = [program("TREELINE_SERVER"), *map(fill, arguments)]
    found = subprocess.run(command, capture_output=True, text=True, timeout=LIMIT)
    assert found.returncode != 0 and fill(message) in found.stderr, f"{found.returncode} {found.stderr}"


def test_the_tool_finds_the_server_on_the_path():
    path = os.path.dirname(program("TREELINE_SERVER"))
    found = subprocess.run(
        [program("TREELINE_TOOL"), "serve", "--help"], capture_output=True, text=True, env={"PATH": path})
    assert "treelinemap-server" in found.stdout, found
