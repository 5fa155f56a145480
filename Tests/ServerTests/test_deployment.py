"""Tests the files of Deployment without root: the image, the systemd unit and both proxies. `scripts/test release`
installs them."""

import json
import pathlib
import shutil
import signal
import subprocess
import sys

import pytest

from conftest import ROOT, program
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
    """Runs a proxy in front of the server, and sends a request through the proxy."""
    with log.open("w") as file:
        proxy = subprocess.Popen(command, stderr=file)

    def answer():
        assert proxy.poll() is None, f"{command} ended with code {proxy.poll()}: {log.read_text()[-2000:]}"
        found = subprocess.run(
            ["curl", "-sf", f"http://127.0.0.1:{port}/v1/iceland/tiles.json"], capture_output=True, timeout=LIMIT)
        return found.stdout and json.loads(found.stdout)

    try:
        document = wait_for(answer, "an answer through the proxy")
        # The server trusts the proxy, so the document names the address that the client used.
        assert document["tiles"][0].startswith(f"http://127.0.0.1:{port}/"), document
    finally:
        proxy.send_signal(signal.SIGQUIT)
        proxy.wait(LIMIT)
        # pytest shows this output if the test fails.
        print(log.read_text()[-4000:])


@needs("nginx")
def test_the_server_answers_behind_nginx(server, tmp_path):
    with reserved_port() as port:
        example = (EXAMPLES / "nginx.conf").read_text()
        example = example.replace("127.0.0.1:8080", f"127.0.0.1:{server.port}")
        example = example.replace("listen 80;", f"listen 127.0.0.1:{port};")
        kinds = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"]
        folders = " ".join(f"{kind}_temp_path {tmp_path}/{kind};" for kind in kinds)
        (tmp_path / "nginx.conf").write_text(
            f"daemon off; pid {tmp_path}/pid; error_log {tmp_path}/error; events {{}} "
            f"http {{ access_log off; {folders} {example} }}")
        check_behind(["nginx", "-c", f"{tmp_path}/nginx.conf", "-e", f"{tmp_path}/error"], port, tmp_path / "log")


@needs("caddy")
def test_the_server_answers_behind_caddy(server, tmp_path):
    with reserved_port() as port:
        # With the host name of the example, Caddy would request a certificate.
        example = (EXAMPLES / "Caddyfile").read_text().replace("example.org", f"http://127.0.0.1:{port}")
        example = example.replace("127.0.0.1:8080", f"127.0.0.1:{server.port}")
        (tmp_path / "Caddyfile").write_text("{\n\tadmin off\n}\n" + example)
        own = [f"{name}={tmp_path}" for name in ("HOME", "XDG_DATA_HOME", "XDG_CONFIG_HOME")]
        command = ["env", *own, "caddy", "run", "--adapter", "caddyfile", "--config", f"{tmp_path}/Caddyfile"]
        check_behind(command, port, tmp_path / "log")
