"""Reads scripts/build/pins.json, the versions of everything that builds and releases take from other projects.

    pins.py viewer|wheel|fixtures|uv     # prints packages of PyPI, with hashes, as requirements of pip

scripts/release describes the file.
"""

import json
import pathlib
import sys

PATH = pathlib.Path(__file__).with_name("pins.json")
PINS = json.loads(PATH.read_text("utf-8"))


def requirements(name):
    return "".join(
        f"{package}=={pin['version']} {' '.join('--hash=sha256:' + digest for digest in pin['sha256'].split())}\n"
        for package, pin in PINS["pypi"][name].items())


if __name__ == "__main__":
    if len(sys.argv) != 2 or sys.argv[1] not in PINS["pypi"]:
        sys.exit(f"pins.py: expected one of {', '.join(PINS['pypi'])}")
    print(requirements(sys.argv[1]), end="")
