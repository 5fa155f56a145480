"""Tests HTTP: compression, entity tags, ranges of files, malformed requests, late and truncated bodies, HTTP/2, and odd
requests."""

import gzip
import json
import random
import subprocess

import pytest

from conftest import connected, received
from programs import program
from trials import trials
from waiting import LIMIT, wait_for

ASK = "/v1/iceland/clusters?limit=100"


def test_answers_are_compressed_and_tagged(server):
    _, headers, plain = server.ask(ASK)
    status, compressed_headers, compressed = server.ask(ASK, headers={"Accept-Encoding": "gzip"})
    assert status == 200 and gzip.decompress(compressed) == plain and len(compressed) < len(plain) / 2
    assert compressed_headers["etag"] != headers["etag"]
    for tag in [headers["etag"], compressed_headers["etag"]]:
        assert server.ask(ASK, headers={"If-None-Match": tag})[0] == 304


def test_a_head_has_no_body_and_names_no_server(server):
    status, head, body = server.ask(ASK, "HEAD")
    assert status == 200 and body == b"" and int(head["content-length"]) == len(server.ask(ASK)[2])
    assert "server" not in head


def test_parts_of_files_are_served(server):
    whole = server.ask("/viewer/vendor/map.js")[2]
    status, headers, body = server.ask("/viewer/vendor/map.js", headers={"Range": "bytes=3-6"})
    assert (status, body, headers["content-range"]) == (206, whole[3:7], f"bytes 3-6/{len(whole)}")
    assert server.ask("/viewer/vendor/map.js", headers={"Range": "bytes=99999999-"})[0] == 416


def test_one_connection_serves_one_request_after_the_other(server):
    plain, connection = server.ask(ASK)[2], server.connection()
    for _ in range(3):
        connection.request("GET", ASK)
        assert connection.getresponse().read() == plain
    connection.close()


@pytest.mark.parametrize("request_, answer", [
    (b"GET / HTTP/1.1\r\nHost: x\r\nX: " + b"y" * 70_000 + b"\r\n\r\n", b"HTTP/1.1 431"),
    (b"GET /" + b"y" * 70_000 + b" HTTP/1.1\r\nHost: x\r\n\r\n", b"HTTP/1.1 414"),
    (b"GET /v1/iceland HTTP/1.1\r\n\r\n", b"HTTP/1.1 400"),
    (b"GET /v1/iceland HTTP/1.1\r\nHost: x\r\nHost: x\r\n\r\n", b"HTTP/1.1 400"),
    (b"GET /v1/iceland/tiles.json HTTP/1.1\r\nHost: <b>\r\n\r\n", b"HTTP/1.1 400"),
    (b"GET / HTTP/1.1\r\nHost: x\r\nContent-Length: 200000000\r\n\r\n", b"HTTP/1.1 413"),
    (b"PROPFIND /v1/iceland HTTP/1.1\r\nHost: x\r\n\r\n", b"HTTP/1.1 405"),
    (b"nonsense\r\n\r\n", b"HTTP/1.1 400"),
    (b"GET /v1/iceland HTTP/1.0\r\n\r\n", b"HTTP/1."),
], ids=["long header", "long path", "no host", "two hosts", "odd host", "long body", "odd method", "nonsense", "old"])
def test_malformed_requests_are_answered(server, request_, answer):
    with connected(server) as client:
        client.sendall(request_)
        assert client.recv(100).startswith(answer)


BODY, EXPECT = b'{"cluster_ids":[0]}', b"Expect: 100-continue\r\n"


def head(length, expect=b""):
    return (b"POST /v1/iceland/transition HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n"
            + expect + b"Content-Length: %d\r\n\r\n" % length)


def test_a_body_that_waits_for_it_is_invited(server):
    with connected(server) as client:
        client.sendall(head(len(BODY), EXPECT))
        assert client.recv(1000) == b"HTTP/1.1 100 Continue\r\n\r\n"
        client.sendall(BODY)
        assert client.recv(1000).startswith(b"HTTP/1.1 200")


def test_a_body_that_is_too_long_is_not_invited(server):
    with connected(server) as client:
        client.sendall(head(10 ** 9, EXPECT))
        answer = received(client)
    assert answer.startswith(b"HTTP/1.1 413"), answer


def test_a_body_that_breaks_off_is_blamed_on_the_client(server):
    metric = 'treeline_requests_total{route="/v1/{index}/transition",status="400"}'
    before = server.metric(metric)
    for part in [b"", BODY[:5]]:
        with connected(server) as client:
            client.sendall(head(len(BODY)) + part)
    wait_for(lambda: server.metric(metric) == before + 2, "two requests that are counted as broken off")
    assert 'status="500"' not in server.ask("/metrics")[2].decode()


def curl(port, *options, scheme="http"):
    """Returns the HTTP version and the body of an answer that curl gets."""
    found = subprocess.run(
        ["curl", "-sk", *options, "-w", "%{stderr}%{http_version}", f"{scheme}://127.0.0.1:{port}{ASK}"],
        capture_output=True, timeout=LIMIT)
    return found.stderr.decode(), found.stdout


def test_http2_by_prior_knowledge_answers_as_http1(server):
    expected = server.ask(ASK)[2]
    assert curl(server.port, "--http2-prior-knowledge") == ("2", expected)
    assert curl(server.port) == ("1.1", expected)


def test_http2_over_tls_answers_as_http1(server, own, tmp_path):
    expected = server.ask(ASK)[2]
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes",
         "-subj", "/CN=localhost", "-keyout", tmp_path / "key.pem", "-out", tmp_path / "cert.pem"],
        check=True, capture_output=True)
    other = own("iceland", "--tls-certificates", tmp_path / "cert.pem", "--tls-key", tmp_path / "key.pem")
    assert curl(other.port, "--http2", scheme="https") == ("2", expected)
    assert curl(other.port, "--http1.1", scheme="https") == ("1.1", expected)


def test_unusable_tls_files_are_named(indexes, tmp_path):
    for name in ("one", "other"):
        subprocess.run(
            ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes",
             "-subj", "/CN=localhost", "-keyout", tmp_path / f"{name}.key", "-out", tmp_path / f"{name}.pem"],
            check=True, capture_output=True)
    (tmp_path / "empty").touch()
    for certificates, key, words in [
        ("none", "one.key", "none: expected certificates in PEM form, found No such file or directory; name another file with "
         "--tls-certificates"),
        ("one.pem", "none", "none: expected a private key in PEM form without a passphrase, found No such file or directory; "
         "name another file with --tls-key"),
        ("one.key", "one.key", "one.key: expected certificates in PEM form, found none; name another file with --tls-certificates"),
        ("empty", "one.key", "empty: expected certificates in PEM form, found none"),
        ("one.pem", "one.pem", "one.pem: expected a private key in PEM form without a passphrase, found none"),
        ("one.pem", "other.key", f"other.key: expected the private key of the first certificate in {tmp_path / 'one.pem'}, found "
         "another key; name another file with --tls-key"),
    ]:
        found = subprocess.run(
            [program("TREELINE_SERVER"), indexes / "iceland.treeline", "--no-viewer", "--port", "0", "--tls-certificates",
             tmp_path / certificates, "--tls-key", tmp_path / key], capture_output=True, text=True, timeout=LIMIT)
        assert found.returncode == 65 and words in found.stderr, found


STARTS = ["/", "/v1/", "/v1/iceland/", "/v1/iceland/clusters?", "/v1/iceland/clusters?bbox=", "/v1/iceland/tiles/",
          "/v1/iceland/measures?zoom=5&", "/v1/iceland/transition?", "/viewer/", "/v1/planar/clusters?center="]
CHARACTERS = "0123456789abcxyz.,-+&=%/?:;~!*'()[]{}@#\"\\"


def test_no_odd_request_makes_the_server_fail(server, note):
    seed, counts = random.randrange(2**32), (trials(4000), trials(300))
    note(f"{counts[0]} paths, {counts[1]} bodies, seed {seed}")
    rng, connection = random.Random(seed), server.connection()

    def ask(method, path, **body):
        connection.request(method, path, **body)
        answer = connection.getresponse()
        answer.read()
        assert answer.status < 500, f"{path} {body}: {answer.status}, seed {seed}"

    for _ in range(counts[0]):
        path = rng.choice(STARTS) + "".join(rng.choice(CHARACTERS) for _ in range(rng.randrange(40)))
        ask(rng.choice(["GET", "HEAD", "GET"]), path.replace("#", "%23").replace("\\", "%5C"))
    for _ in range(counts[1]):
        ids = [rng.choice([0, 1, 1024, -1, 2**53, 2**70, 0.5, "x", None]) for _ in range(rng.randrange(5))]
        body = rng.randbytes(rng.randrange(200)) if rng.random() < 0.5 else json.dumps({"cluster_ids": ids})
        ask("POST", "/v1/iceland/transition", body=body, headers={"Content-Type": "application/json"})
    connection.close()
