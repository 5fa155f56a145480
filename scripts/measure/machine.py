"""Facts about the machine and the programs of a measurement."""

import importlib.metadata
import os
import platform
import re
import subprocess


def machine(tool):
    packages = ["pysupercluster-problematy", "scipy", "numpy"]
    facts = {
        "processor": f"{len(os.sched_getaffinity(0)) if hasattr(os, 'sched_getaffinity') else os.cpu_count()} cores of "
        + processor(),
        "memory": f"{os.sysconf('SC_PAGE_SIZE') * os.sysconf('SC_PHYS_PAGES') / 1e9:.0f} GB",
        "system": system(),
        "swift": line(["swift", "--version"], r"Swift version (\S+)", "Swift {}"),
        "python": f"Python {platform.python_version()}",
        "packages": ", ".join(f"{name} {importlib.metadata.version(name)}" for name in packages),
        "lapack": line(["ldd", tool], r"liblapack\.so\S* => (\S+)", "LAPACK at {}"),
        "revision": line(["git", "describe", "--always", "--dirty"], r"(\S+)", "revision {} of Treeline"),
        "load": f"load {os.getloadavg()[0]:.1f} before the run",
    }
    return {name: fact for name, fact in facts.items() if fact}


def line(command, pattern, form):
    try:
        output = subprocess.run(command, capture_output=True, text=True).stdout
    except FileNotFoundError:
        return None
    found = re.search(pattern, output)
    return form.format(os.path.realpath(found[1]) if found[1].startswith("/") else found[1]) if found else None


def processor():
    try:
        return re.search(r"model name\s*: (.*)", open("/proc/cpuinfo").read())[1]
    except (FileNotFoundError, TypeError):
        return platform.processor() or platform.machine()


def system():
    try:
        release = platform.freedesktop_os_release()["PRETTY_NAME"]
    except OSError:
        release = f"{platform.system()} {platform.release()}"
    return f"{release}, {platform.machine()}"
