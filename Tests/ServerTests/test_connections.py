"""Tests clients that are slow, rude, idle or too many. They must not block other clients. A log that is never read must
not block clients, either."""

import json
import os
import pathlib
import resource
import signal
import socket
import time

import pytest

from conftest import Server, connected, received, served
from waiting import LIMIT, reserved_port, wait_for


def test_connections_that_are_cut_or_say_or_read_nothing_take_nothing_from_others(server):
    held = []
    request = b"GET /v1/iceland/clusters?limit=10000 HTTP/1.1\r\nHost: x\r\n\r\n"
    for number in range(60):
        client = connected(server)
        client.sendall([request[:20], request * 20, b"", os.urandom(100)][number % 4])
        if number % 3 == 0:
            client.close()
        else:
            held.append(client)
    for _ in range(50):
        assert server.ask("/v1/iceland/clusters?limit=100")[0] == 200
    for client in held:
        client.close()


TOKEN = {"Authorization": "Bearer secret"}


class Bounded:
    """A server with low bounds. Its metrics are on a separate port."""

    def __init__(self, server, management):
        self.server, self.port, self._management = server, server.port, management

    def ask(self, path, headers=TOKEN):
        return self.server.ask(path, headers=headers)

    def metric(self, name):
        return self.server.metric(name, port=self._management)

    def refused(self, bound):
        return self.metric(f'treeline_refusals_total{{bound="{bound}"}}')


@pytest.fixture
def bounded(own, tmp_path):
    (tmp_path / "token").write_text("secret\n")
    with reserved_port() as management:
        start = time.monotonic()
        server = own("iceland", "--management-port", management, "--request-time", 2, "--response-time", 2,
                     "--connections-per-address", 20, "--token-file", tmp_path / "token", "--access-log")
        bounded = Bounded(server, management)
        assert bounded.ask("/v1/iceland")[0] == 200
        yield bounded
        code, log = server.stop()
    assert code == 0 and "Answered" in log and "secret" not in log, log
    # The log has at most one line about refused requests per second.
    assert log.count("Refused requests") < time.monotonic() - start + 2, log


def test_a_token_is_asked_for_and_metrics_have_their_own_port(bounded):
    assert bounded.ask("/v1/iceland", headers={})[0] == 401
    assert bounded.ask("/metrics")[0] == 404 and bounded.ask("/")[0] == 404
    wait_for(lambda: "status=401" in bounded.server.log(), "the line of the refused request")


@pytest.mark.parametrize("start", [
    b"GET / HTTP/1.1\r\nHost: ", b"GET /health HTTP/1.1\r\nHost: x\r\nContent-Length: 100000\r\n\r\n",
], ids=["head", "body"])
def test_a_request_that_never_ends_is_ended(bounded, start):
    with connected(bounded) as client:
        client.sendall(start)
        end = time.monotonic() + LIMIT
        with pytest.raises((BrokenPipeError, ConnectionResetError)):
            # Sends the bytes slowly, one at a time.
            while time.monotonic() < end:
                client.sendall(b"x")
                time.sleep(0.1)
    assert bounded.refused("request-time") == 1


def test_a_request_that_stalls_is_answered_so(bounded):
    with connected(bounded) as client:
        client.sendall(b"GET / HTTP/1.1\r\nHost: ")
        assert received(client).startswith(b"HTTP/1.1 408")


def test_a_client_that_reads_nothing_is_cut_off(bounded):
    with socket.socket() as client:
        client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        client.connect(("127.0.0.1", bounded.port))
        request = b"GET /v1/iceland/clusters?limit=10000 HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer secret\r\n\r\n"
        client.sendall(request * 5)
        wait_for(lambda: bounded.refused("response-time") == 1, "the connection to be cut off")


def test_an_address_with_too_many_connections_is_told_only_the_state(bounded):
    held = [connected(bounded) for _ in range(20)]
    wait_for(lambda: bounded.metric("treeline_connections") >= 20, "20 connections")
    status, headers, _ = bounded.ask("/v1/iceland")
    assert status == 503 and headers["retry-after"] == "1", status
    assert bounded.ask("/health")[0] == 200 and bounded.ask("/ready")[0] == 200
    assert bounded.refused("connections-per-address") >= 3
    for client in held:
        client.close()
    wait_for(lambda: bounded.ask("/v1/iceland")[0] == 200, "a connection that is admitted again")


def test_clients_that_connect_while_the_server_is_held_up_wait_for_it(own):
    """Checks that the system queues more connections than its default number. Otherwise it would drop them, and the
    clients would try again after longer and longer pauses."""
    number = min(1000, int(pathlib.Path("/proc/sys/net/core/somaxconn").read_text()))
    server = own("iceland")
    server.process.send_signal(signal.SIGSTOP)
    try:
        clients = [socket.create_connection(("127.0.0.1", server.port), timeout=LIMIT,
                                            source_address=(f"127.0.1.{each % 50 + 1}", 0)) for each in range(number)]
    finally:
        server.process.send_signal(signal.SIGCONT)
    for client in clients:
        client.sendall(b"GET /v1/iceland HTTP/1.1\r\nHost: x\r\n\r\n")
    for client in clients:
        assert client.recv(100).startswith(b"HTTP/1.1 200")
        client.close()


def test_ten_thousand_idle_connections_leave_the_rest_served(own, note):
    """Checks that the server holds connections up to its bound, answers each of them, and can report its state at any
    time."""
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if hard < 12_000:
        pytest.skip(f"needs 12,000 open files, and the limit is {hard}")
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    with reserved_port() as management:
        start = time.monotonic()
        server = own("iceland", "--management-port", management)
        clients, slowest = [], 0
        for number in range(10_000):
            client = socket.socket()
            client.setblocking(False)
            # The clients have several addresses, so that none of them exceeds the bound for one address.
            client.bind((f"127.0.1.{number % 50 + 1}", 0))
            client.connect_ex(("127.0.0.1", server.port))
            clients.append(client)
            if number % 1000 == 999:
                asked = time.monotonic()
                assert server.ask("/health", port=management)[0] == 200
                slowest = max(slowest, time.monotonic() - asked)
        connections = lambda: server.metric("treeline_connections", port=management)
        wait_for(lambda: connections() >= 4096, "4096 connections")
        # The server accepts several connections in one turn, so it may exceed the bound by that number.
        assert connections() <= 4096 + 512 + 64
        held = clients[100]
        held.settimeout(LIMIT)
        held.sendall(b"GET /v1/iceland HTTP/1.1\r\nHost: x\r\n\r\n")
        assert held.recv(100).startswith(b"HTTP/1.1 200"), "a connection that was held got no answer"
        # Connections beyond the bound are closed turn by turn. In between, the server can report its state.
        beyond = 'treeline_refusals_total{bound="connections"}'
        wait_for(lambda: server.metric(beyond, port=management) > 600, "600 connections beyond the bound")
        note(f"{connections()} connections held after {time.monotonic() - start:.0f} s, the state told within "
             f"{slowest * 1000:.0f} ms, {server.memory():.0f} MiB")
        for client in clients:
            client.close()
        # If the queue of new connections overflowed, the kernel sends lost packets again after longer and longer
        # pauses.
        wait_for(lambda: connections() <= 4, "all connections to end")
        assert server.ask("/v1/iceland")[0] == 200
        code, log = server.stop()
    assert code == 0 and log.count("Refused requests") < time.monotonic() - start + 2, log


def test_the_log_is_an_object_a_line_as_json(own):
    server = own("iceland", "--access-log", "--log-format", "json")
    server.ask("/v1/iceland/clusters?limit=3&x=%0A%22")
    code, log = server.stop()
    lines = [json.loads(line) for line in log.splitlines()]
    told = next(line for line in lines if line["message"] == "Answered")
    assert code == 0 and told["status"] == 400 and told["level"] == "info" and told["milliseconds"] >= 0, told


def test_a_log_that_nobody_reads_holds_up_no_answer_and_no_end(indexes):
    reading, writing = os.pipe()
    server = Server(*served(indexes, "iceland"), "--no-viewer", "--access-log", stderr=writing)
    os.close(writing)
    try:
        connection = server.connection()
        # A pipe and the queue of waiting messages together cannot hold so many lines.
        for _ in range(3000):
            connection.request("GET", "/health?" + "x" * 1000)
            answer = connection.getresponse()
            assert answer.status == 200, answer.status
            answer.read()
        connection.close()
        dropped = server.metric("treeline_log_lines_dropped_total")
        assert dropped > 500, dropped
    finally:
        code, _ = server.stop()
        os.close(reading)
    assert code == 0
