"""Tests what monitoring and pages of other origins need: frames, requests without a preflight, problem types, and the
report of stale indexes."""

import json

from conftest import connected
from waiting import wait_for


def test_parameters_with_an_underscore_are_ignored(server):
    path = "/v1/iceland/clusters?limit=10"
    expected = server.ask(path)[2]
    assert server.ask(path + "&_=1732612345&_cache=no")[2] == expected
    assert server.ask(path + "&cache_=no")[0] == 400


def test_a_transition_from_ids_needs_no_preflight(server):
    """A browser sends plain text to another origin without asking the server first."""
    ids = [f["id"] for f in server.json("/v1/iceland/clusters?limit=10")["features"]]
    body, path = json.dumps({"cluster_ids": ids}), "/v1/iceland/transition?limit=20"
    answers = [server.ask(path, "POST", {"Content-Type": type}, body) for type in ("application/json", "text/plain;charset=UTF-8")]
    assert answers[0][0] == answers[1][0] == 200 and answers[0][2] == answers[1][2]
    assert server.ask(path, "POST", {"Content-Type": "text/html"}, body)[0] == 415


def test_problems_have_documented_types(server):
    schema = server.json("/openapi.json")["components"]["schemas"]["Problem"]["properties"]["type"]
    documented = {one["const"] for one in schema["oneOf"]}
    body = json.dumps({"cluster_ids": [1], "version": "0" * 16})
    for answer, type in [
        (server.ask("/v1/iceland/clusters?limit=x"), "/docs#invalid-parameters"), (server.ask("/v1/none"), "about:blank"),
        (server.ask("/v1/iceland/transition", "POST", {"Content-Type": "application/json"}, body), "/docs#outdated-ids"),
    ]:
        assert json.loads(answer[2])["type"] == type and type in documented


def test_the_map_may_be_framed_by_the_origins_that_are_named(server, own):
    policy = lambda server: server.ask("/")[1]["content-security-policy"]
    assert policy(server).endswith("frame-ancestors 'self'")
    framed = own("iceland", "--frame-ancestors", "https://example.org", "--frame-ancestors", "http://localhost:3000", viewer=True)
    assert policy(framed).endswith("frame-ancestors 'self' https://example.org http://localhost:3000")


def test_a_file_that_is_gone_is_logged_once_counted_and_a_gauge(own, tmp_path):
    server, path = own("iceland"), tmp_path / "iceland.treeline"
    stale, refused = "treeline_stale_indexes", 'treeline_index_reloads_total{result="refused"}'
    assert server.metric(stale) == 0
    content = path.read_bytes()
    path.rename(tmp_path / "away")
    wait_for(lambda: server.metric(stale) == 1, "the gauge to count the missing file")
    assert server.metric(refused) == 1
    assert server.json("/v1/iceland/clusters?limit=3")["features"]
    (tmp_path / "away").rename(path)
    wait_for(lambda: server.metric(stale) == 0, "the gauge to forget the file that is back")
    path.write_bytes(content[:1000])
    wait_for(lambda: server.metric(stale) == 1, "the gauge to count the broken file")
    path.write_bytes(content)
    wait_for(lambda: server.metric(stale) == 0, "the gauge to forget the file that is mended")
    log = server.stop()[1]
    assert log.count("there is no index file at this path") == 1, log


def test_http2_pings_are_answered(server):
    """A client keeps its connection by pings (RFC 9113, section 6.7), however often it sends them."""
    def frame(type, flags, payload=b""):
        return len(payload).to_bytes(3, "big") + bytes([type, flags]) + bytes(4) + payload

    (settings, ping, ack) = (4, 6, 1)
    payloads = [number.to_bytes(8, "big") for number in range(40)]
    with connected(server) as client:
        client.sendall(b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + frame(settings, 0) + frame(settings, ack))
        stream, answers = b"", []
        # One after the other, and then all at once.
        for burst in [[payload] for payload in payloads] + [payloads]:
            client.sendall(b"".join(frame(ping, 0, payload) for payload in burst))
            answers.clear()
            while len(answers) < len(burst):
                part = client.recv(1 << 16)
                assert part, f"the server closed the connection after {answers} of {burst}"
                stream += part
                while len(stream) >= 9 and len(stream) >= 9 + int.from_bytes(stream[:3], "big"):
                    length = int.from_bytes(stream[:3], "big")
                    if stream[3] == ping:
                        answers.append((stream[4], stream[9 : 9 + length]))
                    stream = stream[9 + length :]
            assert answers == [(ack, payload) for payload in burst]
