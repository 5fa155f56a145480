"""Tests the files of Deployment without root: the image, the systemd unit and both proxies. `scripts/test release`
installs them."""

import json
import pathlib
import shutil
import signal
import subprocess
import sys
import urllib.request

import pytest

from conftest import ROOT
from fleet import BATCH, feature, fleet, lines  # noqa: F401 (a fixture)
from waiting import LIMIT, reserved_port, wait_for

EXAMPLES = ROOT / "Deployment"


def needs(name):
    return pytest.mark.skipif(shutil.which(name) is None, reason=f"{name} is not installed")


def test_the_dockerfile_has_no_faults():
    hadolint = pathlib.Path(sys.executable).with_name("hadolint")
    found = subprocess.run([hadolint, "--no-color", EXAMPLES / "Dockerfile"], capture_output=True, text=True)
    assert found.returncode == 0 and not found.stdout, found.stdout


@needs("systemd-analyze")
def test_the_unit_of_systemd_is_one_and_has_few_rights():
    unit = EXAMPLES / "treelinemap-server.service"
    found = subprocess.run(["systemd-analyze", "verify", "--man=no", unit], capture_output=True, text=True)
    assert found.returncode == 0 and not found.stderr, found.stderr
    # Exits with an error if the exposure, in tenths of a point, is above the threshold.
    command = ["systemd-analyze", "security", "--offline=true", "--threshold=20", unit]
    found = subprocess.run(command, capture_output=True, text=True)
    assert found.returncode == 0, found.stdout[-200:]


def check_behind(command, port, log):
    """Runs a proxy in front of a live index. Requests the index through the proxy, changes it by one long batch, and
    expects its new version to be announced at once."""
    address = f"http://127.0.0.1:{port}"
    with log.open("w") as file:
        proxy = subprocess.Popen(command, stderr=file)

    def answer():
        assert proxy.poll() is None, f"{command} ended with code {proxy.poll()}: {log.read_text()[-2000:]}"
        found = subprocess.run(
            ["curl", "-sf", f"{address}/v1/fleet/tiles.json"], capture_output=True, timeout=LIMIT)
        return found.stdout and json.loads(found.stdout)

    try:
        document = wait_for(answer, "an answer through the proxy")
        # The server trusts the proxy, so the document names the address that the client used.
        assert document["tiles"][0].startswith(f"{address}/"), document
        # The server ends this answer only after 45 seconds.
        # The server trusts its proxy, so a proxy must not pass on what a client says about itself.
        request = urllib.request.Request(f"{address}/v1/fleet/tiles.json", headers={"Forwarded": "for=203.0.113.77;host=evil.example"})
        with urllib.request.urlopen(request, timeout=LIMIT) as found:
            assert "evil.example" not in found.read().decode()
        with urllib.request.urlopen(f"{address}/v1/fleet/events", timeout=20) as events:
            batch = lines(feature(key, 7, 46, name="x" * 700) for key in range(10_000))
            assert len(batch) > 7 << 20
            request = urllib.request.Request(
                f"{address}/v1/fleet/points", batch, {**BATCH, "Idempotency-Key": "a"}, method="PATCH")
            with urllib.request.urlopen(request, timeout=LIMIT) as found:
                assert json.load(found)["sequence"] == 1
            assert any(b'"sequence":1' in line for line in events)
    finally:
        proxy.send_signal(signal.SIGQUIT)
        proxy.wait(LIMIT)
        # pytest shows this output if the test fails.
        print(log.read_text()[-4000:])


@needs("nginx")
def test_the_server_answers_behind_nginx(fleet, tmp_path):  # noqa: F811
    server = fleet.start("--trusted-proxy", "127.0.0.1")
    with reserved_port() as port:
        example = (EXAMPLES / "nginx.conf").read_text()
        example = example.replace("127.0.0.1:8080", f"127.0.0.1:{server.port}")
        example = example.replace("listen 80;", f"listen 127.0.0.1:{port};")
        kinds = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"]
        folders = " ".join(f"{kind}_temp_path {tmp_path}/{kind};" for kind in kinds)
        (tmp_path / "nginx.conf").write_text(
            f"user root; daemon off; pid {tmp_path}/pid; error_log {tmp_path}/error; events {{}} "
            f"http {{ access_log off; {folders} {example} }}")
        check_behind(["nginx", "-c", f"{tmp_path}/nginx.conf", "-e", f"{tmp_path}/error"], port, tmp_path / "log")


@needs("caddy")
def test_the_server_answers_behind_caddy(fleet, tmp_path):  # noqa: F811
    server = fleet.start("--trusted-proxy", "127.0.0.1")
    with reserved_port() as port:
        # With the host name of the example, Caddy would request a certificate.
        example = (EXAMPLES / "Caddyfile").read_text().replace("example.org", f"http://127.0.0.1:{port}")
        example = example.replace("127.0.0.1:8080", f"127.0.0.1:{server.port}")
        (tmp_path / "Caddyfile").write_text("{\n\tadmin off\n}\n" + example)
        own = [f"{name}={tmp_path}" for name in ("HOME", "XDG_DATA_HOME", "XDG_CONFIG_HOME")]
        command = ["env", *own, "caddy", "run", "--adapter", "caddyfile", "--config", f"{tmp_path}/Caddyfile"]
        check_behind(command, port, tmp_path / "log")
