"""What the built programs contain from elsewhere: names, versions and full texts of licenses.

    components.py wheel     # prints the licenses of what the Python wheel contains

scripts/build/release.py calls `swift_packages` and `parts` for the tool and the server.
"""

import pathlib
import re
import shutil
import subprocess
import sys
from dataclasses import dataclass, field

ROOT = pathlib.Path(__file__).resolve().parents[2]
LICENSES = ROOT / "Deployment/licenses"
# Names of files that are a license or belong to one.
LICENSE_FILE = re.compile(r"(LICEN[SC]E|NOTICE|COPYING)([.-].*)?", re.IGNORECASE)
NATURAL_EARTH = (
    "Made with Natural Earth, https://www.naturalearthdata.com. Natural Earth is in the public domain: no permission is "
    "needed to use it, and its authors are not responsible for problems with its accuracy, content, design or use.\n")


@dataclass(frozen=True)
class Component:
    name: str
    version: str
    # SPDX expression, and the texts that must go with the component.
    license: str
    texts: tuple = field(repr=False)
    # Package URL, by which scanners find known weaknesses.
    purl: str = ""


def debian(name, license, *more):
    """Returns a library of Debian that the programs link, with its copyright file and further license texts."""
    version = subprocess.run(
        ["dpkg-query", "--show", "--showformat=${Version}", name], capture_output=True, text=True, check=True).stdout
    paths = [f"/usr/share/doc/{name}/copyright", *(f"/usr/share/common-licenses/{other}" for other in more)]
    return Component(name, version, license, texts(paths), f"pkg:deb/debian/{name}@{version}")


def texts(paths):
    return tuple(pathlib.Path(path).read_text("utf-8") for path in paths)


def swift_runtime():
    found = subprocess.run(["swift", "--version"], capture_output=True, text=True, check=True).stdout
    version = re.search(r"Swift version ([\d.]+)", found)[1]
    toolchain = pathlib.Path(shutil.which("swift")).resolve().parents[1]
    return Component(
        "swift", version, "Apache-2.0 WITH Swift-exception", texts([toolchain / "share/swift/LICENSE.txt"]),
        f"pkg:github/swiftlang/swift@swift-{version}-RELEASE")


def maplibre():
    # The file of the license names the parts of MapLibre's script.
    version = re.search(r"MapLibre GL JS ([\d.]+)", (ROOT / "scripts/build/viewer-vendor.txt").read_text())[1]
    return Component(
        "maplibre-gl", version, "BSD-3-Clause AND ISC AND MIT AND BSD-2-Clause",
        texts([LICENSES / "maplibre-gl-js.txt"]), f"pkg:npm/maplibre-gl@{version}")


def natural_earth():
    return Component("Natural Earth", "", "LicenseRef-public-domain", (NATURAL_EARTH,))


def parts(program):
    """Returns what a program contains besides Swift packages."""
    runtime = [swift_runtime(), natural_earth()]
    if program == "wheel":
        return [*runtime, maplibre()]
    runtime.append(Component("ICU, in Foundation", runtime[0].version, "Unicode-3.0", texts([LICENSES / "icu.txt"])))
    runtime += [debian("libstdc++6", "GPL-3.0-or-later WITH GCC-exception-3.1", "GPL-3"), debian("zlib1g", "Zlib")]
    if program == "treelinemap":
        return [*runtime, debian("libsqlite3-0", "blessing")]
    return [
        *runtime, maplibre(),
        Component("fiat-crypto, in BoringSSL", "", "Apache-2.0", texts([LICENSES / "fiat-crypto.txt"])),
        Component("nghttp2, in swift-nio-http2", "", "MIT", texts([LICENSES / "nghttp2.txt"]))]


def swift_packages(build, pins):
    """Returns the Swift packages whose modules were compiled in a build folder.

    :param pins: Entries of Package.resolved, for the versions.
    """
    compiled = {path.name.removesuffix(".build") for path in (build / "release").glob("*.build")}
    found = []
    for pin in pins:
        checkout = build / "checkouts" / pathlib.Path(pin["location"]).name.removesuffix(".git")
        if not checkout.is_dir() or not compiled & {path.name for path in checkout.glob("Sources/*")}:
            continue
        files = sorted(
            path for path in checkout.rglob("*")
            if LICENSE_FILE.fullmatch(path.name) and path.is_file() and path.suffix not in (".swift", ".h")
            and not {"Tests", ".git"} & set(path.relative_to(checkout).parts))
        text = texts(files)
        license = "Apache-2.0 WITH Swift-exception" if "Runtime Library Exception" in text[0] else "Apache-2.0"
        version = pin["state"]["version"]
        place = re.sub(r"https://github.com/(.*?)(\.git)?$", r"\1", pin["location"])
        found.append(Component(pin["identity"], version, license, text, f"pkg:github/{place}@{version}"))
    return found


def license_text(components):
    """Returns all texts, each once, below the names of the components that it belongs to."""
    owners = {}
    for component in components:
        for text in component.texts:
            owners.setdefault(text.strip(), []).append(f"{component.name} {component.version}".strip())
    rule = "=" * 80
    return "".join(f"{rule}\n{', '.join(names)}\n{rule}\n\n{text}\n\n" for text, names in owners.items())


if __name__ == "__main__":
    if sys.argv[1:] != ["wheel"]:
        sys.exit("components.py: expected 'wheel'")
    print(license_text(parts("wheel")), end="")
