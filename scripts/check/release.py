"""Tries the files of a release where they will be used: tarball, Debian packages, wheel and npm package in bare roots
of Debian 12 and 13, and the image with crun. Prints a line for each file. Needs root.

    release.py [FOLDER]     # the folder that scripts/release has written; by default the folder of this version

Nothing is installed on this machine, except mmdebstrap, crun and umoci. Roots are kept in .build-release/roots.
"""

import base64
import contextlib
import hashlib
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import urllib.request
import zlib

ROOT = pathlib.Path(__file__).resolve().parents[2]
VERSION = re.search(r'version = "(.*)"', (ROOT / "Sources/Treeline/Support/Release.swift").read_text())[1]
FOLDER = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else ROOT / ".build-release" / VERSION).resolve()
ROOTS = ROOT / ".build-release/roots"
# Packages of a bare root, and of a root with the interpreters for the wheel and the npm package.
BARE = "systemd-standalone-sysusers"
WITH_LANGUAGES = "python3-numpy,python3-pip,nodejs"
CITIES = 69_472


def main():
    if os.getuid() != 0:
        sys.exit("release.py: expected root, because chroot and mmdebstrap need root")
    if not (FOLDER / "SHA256SUMS").exists():
        sys.exit(f"release.py: expected the files of a release in {FOLDER}, found none: run scripts/release {VERSION} first")
    check_sums()
    check_licenses()
    for suite in ("bookworm", "trixie"):
        with Root(suite, BARE) as root:
            for check in (check_tarball, check_packages):
                check(root)
                print(f"{suite}: {check.__name__.removeprefix('check_')} works", flush=True)
        with Root(suite, WITH_LANGUAGES) as root:
            for check in (check_wheel, check_web_package):
                check(root)
                print(f"{suite}: {check.__name__.removeprefix('check_')} works", flush=True)
    check_image()
    print("image works")


def check_sums():
    lines = (FOLDER / "SHA256SUMS").read_text().splitlines()
    for line in lines:
        digest, name = line.split("  ")
        expect(hashlib.sha256((FOLDER / name).read_bytes()).hexdigest(), digest, name)
    names = {line.split("  ")[1] for line in lines} | {"SHA256SUMS"}
    expect({path.name for path in FOLDER.iterdir()}, names, "files of the release")


def check_licenses():
    """Checks that all files with MapLibre have the texts of licenses, both beside the programs and in MapLibre's
    script."""
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        for program in ("treelinemap", "treelinemap-server"):
            run("dpkg-deb", "--extract", FOLDER / f"{program}_{VERSION}_amd64.deb", folder / program)
        for name in (f"treelinemap-{VERSION}-linux-x86_64", f"treelinemap-{VERSION}-documentation"):
            run("tar", "--extract", "--file", FOLDER / f"{name}.tar.gz", "--directory", folder)
        found = {str(path.relative_to(folder)): path.read_text("utf-8") for path in sorted(folder.rglob("THIRD-PARTY-LICENSES.txt"))}
        expect(len(found), 5, "files with the licenses of libraries")
        for name, text in found.items():
            expect(("Evan You" if "documentation" in name else "MapLibre contributors") in text, True, f"{name}: its licenses")
        for name in ("library.js", "maplibre-gl.js"):
            scripts = list(folder.rglob(name))
            expect(len(scripts), 2, f"copies of {name}")
            for path in scripts:
                expect("MapLibre contributors" in path.read_text("utf-8"), True, f"{path.relative_to(folder)}: its license")


def expect(found, expected, what):
    if found != expected:
        sys.exit(f"release.py: {what}: expected {expected!r}, found {found!r}")


def run(*command, **options):
    done = subprocess.run([str(part) for part in command], capture_output=True, text=True, **options)
    if done.returncode:
        sys.exit(f"release.py: {' '.join(map(str, command))} ended with {done.returncode}:\n{done.stdout}{done.stderr}")
    return done.stdout


class Root:
    """A root of Debian in a temporary folder."""

    def __init__(self, suite, packages):
        self.suite = suite
        archive = ROOTS / f"{suite}-{hashlib.sha256(packages.encode()).hexdigest()[:8]}.tar"
        if not archive.exists():
            ROOTS.mkdir(parents=True, exist_ok=True)
            run("mmdebstrap", "--quiet", "--variant=minbase", f"--include={packages}", suite, f"{archive}.new.tar")
            os.rename(f"{archive}.new.tar", archive)
        self.archive = archive

    def __enter__(self):
        self.path = pathlib.Path(tempfile.mkdtemp(prefix="treelinemap-root-"))
        self.path.chmod(0o755)
        run("tar", "--extract", "--numeric-owner", "--file", self.archive, "--directory", self.path)
        shutil.copy(ROOT / "Fixtures/cities.csv.gz", self.path / "tmp")
        shutil.copytree(ROOT / "Fixtures/index", self.path / "tmp/index")
        return self

    def __exit__(self, *_):
        shutil.rmtree(self.path)

    def command(self, *command, user="root"):
        """Returns the command for a process in the root. When this process ends, all its children end, too."""
        return [
            "unshare", "--mount", "--pid", "--fork", "--kill-child", f"--mount-proc={self.path}/proc", "chroot", f"--userspec={user}",
            str(self.path), "env", "-i", "PATH=/usr/local/bin:/usr/bin:/usr/sbin:/bin:/sbin", "HOME=/root", "DEBIAN_FRONTEND=noninteractive",
            *command]

    def run(self, *command, **options):
        return run(*self.command(*command, **options))

    def files(self):
        """Returns the names of the files in the root, and the lines of the files with users and groups. Leaves out the
        records of apt and dpkg."""
        found = set()
        for path in self.path.rglob("*"):
            name = str(path.relative_to(self.path))
            if not name.startswith(("var/lib/dpkg/", "var/lib/apt/", "var/cache/", "var/log/", "tmp/", "proc/", "dev/")):
                found.add(name)
        for name in ("passwd", "group", "shadow", "gshadow"):
            found |= {f"{name}: {line}" for line in (self.path / "etc" / name).read_text().splitlines()}
        # Leaves out backup copies that the tools for user accounts make.
        return {name for name in found if not re.fullmatch(r"etc/(passwd|group|shadow|gshadow|subuid|subgid)-|etc/\.pwd\.lock", name)}


def check_tool(root, tool, version=VERSION):
    """Builds an index and a map from CSV, queries the index, and opens the indexes of version 0.2."""
    expect(root.run(tool, "--version").strip(), version, f"{tool} --version")
    root.run(tool, "map", "/tmp/cities.csv.gz", "-o", "/tmp/map.html", "--quiet")
    page = (root.path / "tmp/map.html").read_text("utf-8")
    library = zlib.decompress(base64.b64decode(re.search(r'id="library">([^<]*)<', page)[1])).decode()
    expect("MapLibre contributors" in library, True, "MapLibre's license in the page of a map")
    root.run(tool, "build", "/tmp/cities.csv.gz", "--for", "spacing", "--columns", "name:text,country,population", "-o", "/tmp/cities.treeline", "--quiet")
    answer = json.loads(root.run(tool, "query", "/tmp/cities.treeline", "--limit", "9"))
    expect(sum(feature["properties"]["point_count"] for feature in answer["features"]), CITIES, "number of cities in 9 clusters")
    for index in sorted((root.path / "tmp/index").glob("*/*.treeline")):
        options = ["--zoom", "1", "--spacing", "44"] if index.name.startswith(("separations", "release")) else ["--limit", "12"]
        found = root.run(tool, "query", f"/tmp/index/{index.parent.name}/{index.name}", *options, "--members")
        expect(found, index.with_suffix(".geojson").read_text(), f"the answer of {index.name}, an index of an earlier version")


@contextlib.contextmanager
def serving(command):
    """Runs a server and returns its address."""
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    try:
        line = process.stdout.readline()
        if not line.startswith("Serving "):
            sys.exit(f"release.py: the server did not start: {process.stderr.read()}")
        yield line.split()[-1]
    finally:
        # unshare waits for its child. The child is the first process of a namespace, so all other processes in it end
        # with it.
        for child in pathlib.Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split():
            os.kill(int(child), signal.SIGKILL)
        process.communicate()


def get(url):
    with urllib.request.urlopen(url, timeout=60) as answer:
        return answer.read()


def check_map(address, expected):
    """Checks an answer, a tile, and all files of the map that its page and its main script name."""
    view = "zoom=4&spacing=44"
    expect(get(f"{address}v1/cities/clusters?{view}").decode(), expected, "clusters over HTTP")
    expect(len(get(f"{address}v1/cities/tiles/0/0/0.mvt")) > 100, True, "a tile with content")
    page = get(address).decode()
    names = re.findall(r'(?:src|href)="((?:viewer/)?[\w./-]+\.(?:js|css|svg))"', page)
    expect(len(names) >= 3, True, "files named by the page of the map")
    for name in [*names, "viewer/vendor/maplibre-gl.js", "viewer/world.geojson.gz"]:
        expect(len(get(address + name)) > 100, True, name)


def query(root, tool):
    return root.run(tool, "query", "/tmp/cities.treeline", "--zoom", "4", "--spacing", "44")


def check_tarball(root):
    name = f"treelinemap-{VERSION}-linux-x86_64"
    run("tar", "--extract", "--file", FOLDER / f"{name}.tar.gz", "--directory", root.path / "opt")
    programs = f"/opt/{name}/bin"
    check_tool(root, f"{programs}/treelinemap")
    command = root.command(f"{programs}/treelinemap-server", "/tmp/cities.treeline", "--port", "0", user="nobody")
    with serving(command) as address:
        check_map(address, query(root, f"{programs}/treelinemap"))
    shutil.rmtree(root.path / "opt" / name)


SERVICE = "treelinemap-server.service"
# Where the stub of systemctl records its calls.
SYSTEMCTL = "tmp/systemctl"


def check_packages(root):
    """Installs an older version, upgrades it, runs the server like the service, and removes everything. Debian 12 has
    no systemd. Debian 13 has a stub of systemctl, which records its calls."""
    if root.suite == "trixie":
        (root.path / "run/systemd/system").mkdir(parents=True)
        # The stub lies in /usr/bin, because apt gives scripts a PATH without /usr/local.
        stub = root.path / "usr/bin/systemctl"
        stub.write_text(f'#!/bin/sh\necho "$*" >>/{SYSTEMCTL}\n')
        stub.chmod(0o755)
    before = root.files()
    for program in ("treelinemap", "treelinemap-server"):
        package = FOLDER / f"{program}_{VERSION}_amd64.deb"
        shutil.copy(package, root.path / "tmp")
        # Makes a copy of the package with an earlier version number, which the program prints, and with one more file.
        with tempfile.TemporaryDirectory() as folder:
            run("dpkg-deb", "--raw-extract", package, folder)
            control = pathlib.Path(folder, "DEBIAN/control")
            control.write_text(control.read_text().replace(f"Version: {VERSION}", "Version: 0.2.9"))
            pathlib.Path(folder, f"usr/share/doc/{program}/earlier").write_text("a file that the upgrade removes\n")
            command = pathlib.Path(folder, "usr/bin", program)
            command.unlink()
            command.write_text(f'#!/bin/sh\n[ "$*" != --version ] || exec echo 0.2.9\nexec /usr/lib/treelinemap/{program} "$@"\n')
            command.chmod(0o755)
            run("dpkg-deb", "--root-owner-group", "-Znone", "--build", folder, root.path / f"tmp/{program}_0.2.9_amd64.deb")
    install(root, "0.2.9")
    expect_systemctl(root, "an installation", "daemon-reload", f"try-restart {SERVICE}")
    options = root.path / "etc/default/treelinemap-server"
    options.write_text(options.read_text().replace("--management-port 9090", "--port 0 --max-age 7 --allow-origin *"))
    changed = options.read_text()
    check_tool(root, "treelinemap", "0.2.9")
    shutil.copy(root.path / "tmp/cities.treeline", root.path / "var/lib/treelinemap")
    install(root, VERSION)
    # The old package runs `daemon-reload` after its files are removed, and the new package after its files are
    # installed.
    expect_systemctl(root, "an upgrade", "daemon-reload", "daemon-reload", f"try-restart {SERVICE}")
    expect(options.read_text(), changed, "the changed options after an upgrade")
    expect([str(path) for path in root.path.glob("usr/share/doc/treelinemap*/earlier")], [], "files of the earlier version")
    for program in ("treelinemap", "treelinemap-server"):
        expect(root.run(program, "--version").strip(), VERSION, f"{program} --version")
    # Runs the command of the service as the user of the service.
    unit = (root.path / "usr/lib/systemd/system/treelinemap-server.service").read_text()
    start = re.search(r"^ExecStart=/bin/sh -c '(.*)'$", unit, re.MULTILINE)[1].replace("$$", "$")
    arguments = re.search(r'^OPTIONS="(.*)"$', changed, re.MULTILINE)[1]
    with serving(root.command(f"OPTIONS={arguments}", "sh", "-c", start, user="treelinemap")) as address:
        check_map(address, query(root, "treelinemap"))
        request = urllib.request.Request(f"{address}v1/cities/clusters?limit=9&zoom=0", headers={"Origin": "https://example.org"})
        with urllib.request.urlopen(request, timeout=60) as answer:
            expect(answer.headers["Access-Control-Allow-Origin"], "*", "the origin that --allow-origin * allows")
    check_live(root, start, arguments)
    for page in ("treelinemap.1", "treelinemap-publish.1", "treelinemap-server.1"):
        run("gzip", "--test", root.path / f"usr/share/man/man1/{page}.gz")
    (root.path / "var/lib/treelinemap/cities.treeline").unlink()
    root.run("dpkg", "--remove", "treelinemap", "treelinemap-server")
    expect_systemctl(root, "a removal", f"stop {SERVICE}", f"--quiet disable {SERVICE}", "daemon-reload")
    expect(options.exists(), True, "options after a removal")
    root.run("dpkg", "--purge", "treelinemap", "treelinemap-server")
    expect_systemctl(root, "a purge", "daemon-reload")
    expect(sorted(root.files() - before), [], "files left behind")
    expect(sorted(before - root.files()), [], "files taken away")


def check_live(root, start, arguments):
    """Makes an index live as on the page RunningTheServer, changes it, kills the server, and queries the next
    server."""
    folder = "/var/lib/treelinemap-live"
    (root.path / "tmp/fleet.csv").write_text("lon,lat,id\n2.33,48.86,1\n-0.12,51.51,2\n")
    (root.path / "tmp/token").write_text("secret\n")
    root.run("treelinemap", "build", "/tmp/fleet.csv", "--columns", "id:number", "-o", "/tmp/fleet.treeline", "--quiet")
    owner = ("-o", "treelinemap", "-g", "treelinemap")
    root.run("install", "-d", *owner, "-m", "750", folder)
    root.run("install", *owner, "-m", "640", "/tmp/fleet.treeline", folder)
    root.run("install", *owner, "-m", "400", "/tmp/token", folder)
    options = f"OPTIONS={arguments} --live {folder}/fleet.treeline --key id --write-token-file {folder}/token"
    command = root.command(options, "sh", "-c", start, user="treelinemap")
    with serving(command) as address:
        point = {"type": "Feature", "geometry": {"type": "Point", "coordinates": [12.5, 41.9]}, "properties": {"id": 3}}
        request = urllib.request.Request(
            f"{address}v1/fleet/points", json.dumps(point).encode(), method="PATCH", headers={
                "Authorization": "Bearer secret", "Content-Type": "application/x-ndjson", "Idempotency-Key": "a"})
        with urllib.request.urlopen(request, timeout=60) as answer:
            expect(json.load(answer), {"inserted": 1, "removed": 0, "replaced": 0, "sequence": 1}, "the answer to a batch")
    with serving(command) as address:
        answer = json.loads(get(f"{address}v1/fleet/clusters?bbox=-180,-90,180,90&limit=10"))
        expect(sorted(feature["properties"]["id"] for feature in answer["features"]), [1, 2, 3], "live points after a restart")
    for path in (root.path / folder[1:]).iterdir():
        path.unlink()


def expect_systemctl(root, what, *calls):
    """Checks the calls of systemctl since the last check, on the root with systemd."""
    log = root.path / SYSTEMCTL
    found = log.read_text().splitlines() if log.exists() else []
    log.unlink(missing_ok=True)
    expect(found, list(calls) if root.suite == "trixie" else [], f"calls of systemctl during {what}")


def install(root, version):
    root.run("apt-get", "install", "--quiet", "--yes", *(
        f"/tmp/{program}_{version}_amd64.deb" for program in ("treelinemap", "treelinemap-server")))


def check_wheel(root):
    wheel, = FOLDER.glob("*.whl")
    shutil.copy(wheel, root.path / "tmp")
    # pip of Debian 12 does not have this option, and does not need it.
    system = [] if root.suite == "bookworm" and "3.11" not in root.run("python3", "--version") else ["--break-system-packages"]
    root.run("python3", "-m", "pip", "install", "--quiet", "--no-index", "--no-deps", "--root-user-action=ignore", *system, f"/tmp/{wheel.name}")
    code = """
import treelinemap
tree = treelinemap.build([2.33, 2.34, -0.12], [48.86, 48.86, 51.51])
shown = tree.clusters(limit=2)
print(treelinemap.__version__, sorted(int(count) for count in shown.count), len(tree.to_html()) > 1000)
"""
    expect(root.run("python3", "-c", code).strip(), f"{VERSION} [1, 2] True", "clusters in Python")
    expect(bool(list(root.path.glob("usr/local/lib/python3*/dist-packages/treelinemap-*/licenses/THIRD-PARTY-LICENSES.txt"))), True, "licenses")


def check_web_package(root):
    folder = root.path / "srv/node_modules/treelinemap"
    folder.mkdir(parents=True)
    run("tar", "--extract", "--strip-components=1", "--file", FOLDER / f"treelinemap-{VERSION}.tgz", "--directory", folder)
    code = """
import { Treeline } from "treelinemap"
const tree = await Treeline.build([[2.33, 48.86], [2.34, 48.86], [-0.12, 51.51]])
const shown = await tree.clusters({ bbox: [-12, 35, 30, 60], zoom: 6, cut: { limit: 2 } })
console.log([...shown.counts].sort().join(" "))
"""
    (root.path / "srv/try.mjs").write_text(code)
    expect(root.run("node", "/srv/try.mjs").strip(), "1 2", "clusters in JavaScript")


def check_image():
    """Runs the image with a root that is read-only, as its own user, and asks for the map from inside."""
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        (folder / "layout").mkdir()
        run("tar", "--extract", "--file", FOLDER / f"treelinemap-server-{VERSION}-oci.tar", "--directory", folder / "layout")
        # umoci finds images only by a tag, not by a name and a tag.
        index = folder / "layout/index.json"
        index.write_text(index.read_text().replace(f"treelinemap-server:{VERSION}", VERSION))
        run("umoci", "unpack", "--image", f"{folder}/layout:{VERSION}", folder / "bundle")
        data = folder / "data"
        data.mkdir()
        tarball = FOLDER / f"treelinemap-{VERSION}-linux-x86_64.tar.gz"
        run("tar", "--extract", "--strip-components=1", "--file", tarball, "--directory", folder)
        run(folder / "bin/treelinemap", "build", ROOT / "Fixtures/cities.csv.gz", "--for", "spacing", "--quiet", "-o", data / "cities.treeline")
        for path in (folder, data):
            path.chmod(0o755)
        path = folder / "bundle/config.json"
        config = json.loads(path.read_text())
        expect(config["process"]["user"]["uid"] > 0, True, "a user that is not root")
        config["root"]["readonly"] = True
        config["process"]["terminal"] = False
        config["process"]["args"].append("/data/cities.treeline")
        config["mounts"].append({"destination": "/data", "type": "bind", "source": str(data), "options": ["rbind", "ro"]})
        path.write_text(json.dumps(config))
        # crun needs control groups of version 2, which some machines do not mount.
        crun = ["unshare", "--mount", "sh", "-c", 'mount -t cgroup2 none /sys/fs/cgroup && exec crun --cgroup-manager=disabled "$@"', "crun"]
        name = f"treelinemap-check-{os.getpid()}"
        process = subprocess.Popen([*crun, "run", "--bundle", folder / "bundle", name], stdout=subprocess.PIPE, text=True)
        try:
            expect(process.stdout.readline(), "Serving cities at http://0.0.0.0:8080/\n", "the first line of the image's server")

            def fetched(url):
                return run(*crun, "exec", name, "/bin/busybox", "wget", "-q", "-O", "-", url)

            health = json.loads((folder / "layout/index.json").read_text())["manifests"][0]["digest"].split(":")[1]
            manifest = json.loads((folder / "layout/blobs/sha256" / health).read_text())
            image = json.loads((folder / "layout/blobs/sha256" / manifest["config"]["digest"].split(":")[1]).read_text())
            run(*crun, "exec", name, *image["config"]["Healthcheck"]["Test"][1:])
            answer = json.loads(fetched("http://127.0.0.1:8080/v1/cities/clusters?limit=9&zoom=0"))
            expect(sum(feature["properties"]["point_count"] for feature in answer["features"]), CITIES, "cities in the image's answer")
            expect("<html" in fetched("http://127.0.0.1:8080/"), True, "the page of the map")
        finally:
            subprocess.run([*crun, "delete", "--force", name], capture_output=True)
            process.wait()


if __name__ == "__main__":
    main()
