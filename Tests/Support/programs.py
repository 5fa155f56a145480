"""The programs that tests run. Environment variables name their executables."""

import http.client
import json
import os
import pathlib
import re
import signal
import subprocess
import tempfile

import pytest

from waiting import LIMIT

ROOT = pathlib.Path(__file__).resolve().parents[2]


def program(variable):
    """Returns the absolute path of an executable. An environment variable names it."""
    path = os.environ.get(variable)
    if not path or not os.access(path, os.X_OK):
        raise pytest.UsageError(f"expected {variable} to name an executable, found {path!r}; build it first")
    return os.path.abspath(path)


def build(source, path, *options):
    """Builds an index with the tool. Returns the path of the index."""
    subprocess.run([program("TREELINE_TOOL"), "build", source, "-o", path, *options], check=True, capture_output=True)
    return path


class Server:
    """A running server. It listens at a port of 127.0.0.1 that the system has chosen."""

    def __init__(self, *arguments, user=None, stderr=None):
        """Starts the server, and waits until it listens.

        :param stderr: File for the log of the server; a temporary file by default.
        """
        # The log goes to a file. A pipe that is not read would fill up.
        self._log = tempfile.NamedTemporaryFile("w+")
        self.process = subprocess.Popen(
            [program("TREELINE_SERVER"), *arguments, "--port", "0"], stdout=subprocess.PIPE,
            stderr=self._log if stderr is None else stderr, text=True, user=user)
        line = self.process.stdout.readline()
        found = re.search(r"at (https?://127\.0\.0\.1:(\d+))/", line)
        if not found:
            self.process.kill()
            raise RuntimeError(f"expected the server to print its address, found {line!r} and {self.log()!r}")
        self.url, self.port = found[1], int(found[2])

    def log(self):
        return pathlib.Path(self._log.name).read_text()

    def ask(self, path, method="GET", headers={}, body=None, port=None):
        """Sends one request on a new connection. Returns the status, the headers and the body of the answer."""
        connection = self.connection(port)
        try:
            connection.request(method, path, body=body, headers=headers)
            answer = connection.getresponse()
            return answer.status, {name.lower(): value for name, value in answer.getheaders()}, answer.read()
        finally:
            connection.close()

    def connection(self, port=None):
        return http.client.HTTPConnection("127.0.0.1", port or self.port, timeout=LIMIT)

    def json(self, path):
        status, _, body = self.ask(path)
        assert status == 200, f"{path}: {status} {body[:300]}"
        return json.loads(body)

    def metric(self, name, port=None):
        """Returns the value of a metric. The value is 0 until the server counts something."""
        text = self.ask("/metrics", port=port)[2].decode()
        found = re.search(rf"^{re.escape(name)} (\d+)$", text, re.M)
        return int(found[1]) if found else 0

    def memory(self):
        """Returns the resident memory of the server in MiB."""
        return int(re.search(r"VmRSS:\s+(\d+)", pathlib.Path(f"/proc/{self.process.pid}/status").read_text())[1]) / 1024

    def stop(self):
        """Ends the server with SIGTERM, unless it has already ended. Returns its exit code and its log."""
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
        code = self.process.wait(LIMIT)
        self.process.stdout.close()
        return code, self.log()
