"""A separate PostgreSQL server in a temporary folder. Clients reach it through a socket in this folder."""

import contextlib
import glob
import os
import shutil
import signal
import subprocess
import tempfile

from waiting import LIMIT, wait_for


@contextlib.contextmanager
def database():
    """Runs the server during a block. Environment variables point clients to the server."""
    programs = max(glob.glob("/usr/lib/postgresql/*/bin"), key=lambda path: float(path.split("/")[-2]))
    folder = tempfile.mkdtemp()
    # PostgreSQL refuses to run as root.
    user = {"user": "postgres", "group": "postgres", "extra_groups": []} if os.getuid() == 0 else {}
    if user:
        shutil.chown(folder, "postgres", "postgres")
    data = f"{folder}/data"
    process = None
    try:
        subprocess.run(
            [f"{programs}/initdb", "--pgdata", data, "--username", "treeline", "--auth", "trust", "--encoding", "UTF8",
             "--locale", "C.UTF-8", "--no-sync"],
            cwd=folder, stdout=subprocess.DEVNULL, check=True, **user)
        with open(f"{folder}/log", "w") as log:
            process = subprocess.Popen(
                [f"{programs}/postgres", "-D", data, "-k", folder, "-c", "listen_addresses=", "-c", "fsync=off"],
                cwd=folder, stdout=log, stderr=log, **user)
        os.environ |= {"PGHOST": folder, "PGUSER": "treeline", "PGPORT": "5432"}
        wait(process, f"{programs}/pg_isready", f"{folder}/log")
        yield
    finally:
        if process:
            # This signal requests a fast shutdown of PostgreSQL.
            process.send_signal(signal.SIGINT)
            process.wait(LIMIT)
        shutil.rmtree(folder)


def wait(process, is_ready, log):
    def answers():
        if process.poll() is not None:
            with open(log) as file:
                raise RuntimeError(f"PostgreSQL did not start: {file.read()[-2000:]}")
        return subprocess.run([is_ready, "--quiet"]).returncode == 0

    wait_for(answers, "PostgreSQL to start")
