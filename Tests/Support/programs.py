"""The executables under test, named by environment variables, and the processes that tests start of them."""

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
    """Returns the absolute path of the executable that an environment variable names."""
    path = os.environ.get(variable)
    if not path or not os.access(path, os.X_OK):
        raise pytest.UsageError(f"expected {variable} to name an executable, found {path!r}; build it first")
    return os.path.abspath(path)


def build(source, path, *options):
    """Builds an index with the tool and returns its path."""
    subprocess.run([program("TREELINE_TOOL"), "build", source, "-o", path, *options], check=True, capture_output=True)
    return path


class Server:
    """A running server at a port of 127.0.0.1 that the system chose."""

    def __init__(self, *arguments, user=None, stderr=None):
        """Starts the server and waits until it listens.

        :param stderr: Where its log goes; a temporary file by default.
        """
        # A file, because a pipe would fill up if it is not read.
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
        """Returns status, headers and body of the answer to one request on its own connection."""
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
        """Returns the value of a metric, which is 0 before the server counts it first."""
        text = self.ask("/metrics", port=port)[2].decode()
        found = re.search(rf"^{re.escape(name)} (\d+)$", text, re.M)
        return int(found[1]) if found else 0

    def memory(self):
        """Returns the resident memory in MiB."""
        return int(re.search(r"VmRSS:\s+(\d+)", pathlib.Path(f"/proc/{self.process.pid}/status").read_text())[1]) / 1024

    def stop(self):
        """Ends the server by SIGTERM, unless it has ended, and returns its exit code and log."""
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
        code = self.process.wait(LIMIT)
        self.process.stdout.close()
        return code, self.log()
