"""Runs of the two sides: each run is a separate process that prints one JSON object."""

import array
import json
import os
import re
import shutil
import subprocess
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
BENCHMARKS = ".build/release/Benchmarks"
TREELINE = ".build/release/treelinemap"
THREADS = 2


def run(command, environment=None):
    done = subprocess.run(
        [str(part) for part in command], capture_output=True, text=True, env=os.environ | (environment or {})
    )
    if done.returncode != 0:
        sys.exit(f"{' '.join(map(str, command))}\n{done.stderr.strip()}")
    return done


def ours(*arguments):
    return json.loads(run([BENCHMARKS, *arguments]).stdout)


def peer(*arguments):
    return json.loads(run([sys.executable, os.path.join(HERE, "peers.py"), *arguments]).stdout)


def write_with_ours(*arguments):
    run([BENCHMARKS, *arguments])


def write_some(path, target, one_in):
    """Writes every `one_in`th point of a file to another file."""
    points = array.array("d")
    with open(path, "rb") as file:
        points.frombytes(file.read())
    some = array.array("d", (number for start in range(0, len(points), 2 * one_in) for number in points[start : start + 2]))
    with open(target, "wb") as file:
        some.tofile(file)


def timed_treeline(*arguments):
    start = time.perf_counter()
    run([TREELINE, *arguments])
    return time.perf_counter() - start


def counted(tool, pattern, *arguments):
    """Returns the amount of work that valgrind counts, without a clock; None if valgrind is not installed."""
    if not shutil.which("valgrind"):
        return None
    options = {
        "callgrind": ["--callgrind-out-file=/dev/null"],
        "memcheck": ["--leak-check=no", "--undef-value-errors=no"],
    }[tool]
    # Fixes the hash seed; otherwise hash tables would have a different order in each run.
    environment = {"SWIFT_DETERMINISTIC_HASHING": "1"}
    done = run(["valgrind", f"--tool={tool}", *options, BENCHMARKS, "work", *arguments], environment)
    return int(re.search(pattern, done.stderr)[1].replace(",", ""))
