"""Makes all files of a release; scripts/release explains the arguments and installs what this script needs."""

import argparse
import gzip
import hashlib
import io
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tarfile
import uuid

import components
import pins

ROOT = pathlib.Path(__file__).resolve().parents[2]
# Programs contain the paths of their sources, so every release is built in this folder.
FOLDER = pathlib.Path("/var/tmp/treelinemap-release")
SOURCE = FOLDER / "source"
ARCHITECTURE = "amd64"
# Libraries that the programs may load. All other libraries are linked in.
LOADED = {"libc.so.6", "libm.so.6", "libgcc_s.so.1", "ld-linux-x86-64.so.2"}
USER = 10001
# This key of the digests has the serial number of the SBOM instead of a digest. The number is made from the commit.
SBOM_COMMIT = "commit"
# Debian's tools need an address. The domain example.org is reserved, so that no one can own it.
MAINTAINER = "Treeline contributors <treelinemap@example.org>"


def main():
    parser = argparse.ArgumentParser(prog="scripts/release", add_help=False)
    parser.add_argument("version", nargs="?")
    parser.add_argument("--compare", type=pathlib.Path)
    for option in ("--reuse", "--update-pins", "--help"):
        parser.add_argument(option, action="store_true")
    arguments = parser.parse_args()
    if arguments.update_pins:
        update_pins()
        return
    if not arguments.version and not arguments.help:
        fail("expected a version, such as scripts/release 0.3.0; --help describes the options", 64)
    if arguments.help:
        lines = (ROOT / "scripts/release").read_text().splitlines()[1:]
        print("\n".join(line[2:] for line in lines[:next(i for i, line in enumerate(lines) if not line.startswith("#"))]))
        return
    if os.getuid() != 0 and not arguments.compare:
        fail("expected root, because only root can make the image")
    release = Release(arguments.version, pins.PINS)
    if arguments.compare:
        release.compare(arguments.compare)
    else:
        release.make(arguments.reuse)


def run(*command, cwd=None, **options):
    return subprocess.run([str(part) for part in command], cwd=cwd or SOURCE, check=True, **options)


def output(*command, cwd=ROOT):
    return run(*command, cwd=cwd, capture_output=True, text=True).stdout.strip()


def fail(message, status=1):
    print(f"scripts/release: error: {message}", file=sys.stderr)
    sys.exit(status)


def debian_version(package):
    found = subprocess.run(["dpkg-query", "--show", "--showformat=${Version}", package], capture_output=True, text=True)
    return found.stdout or "none"


class Release:
    def __init__(self, version, pins):
        self.version, self.pins = version, pins
        self.commit = output("git", "rev-parse", "HEAD")
        self.epoch = int(output("git", "log", "-1", "--format=%ct"))
        self.out = ROOT / ".build-release" / version
        self.name = f"treelinemap-{version}"
        # Libraries and data of other projects in each file of the release, for the SBOM.
        self.contents = {}

    def make(self, reuse):
        self.check_versions()
        self.check_pins()
        self.prepare(reuse)
        for program, package, build in (
            ("treelinemap", SOURCE, FOLDER / "tool"), ("treelinemap-server", SOURCE / "Sources/TreelineServer", FOLDER / "server"),
        ):
            self.build(program, package, build)
        self.stage()
        self.make_tarball()
        for program in self.programs:
            self.make_debian_package(program)
        self.make_image()
        self.make_wheel()
        self.make_web_package()
        self.make_documentation()
        self.write_notes()
        self.write_sbom()
        files = sorted(self.out.iterdir())
        sums = "".join(f"{hashlib.sha256(path.read_bytes()).hexdigest()}  {path.name}\n" for path in files)
        (self.out / "SHA256SUMS").write_text(sums)
        print(sums, end="")
        print(f"The release is in {self.out}. scripts/test release tries each file.")

    def compare(self, folder):
        """Compares the files of this release with the files of another run on the same commit."""
        ours, theirs = (self.sums(each) for each in (self.out, folder))
        if ours[SBOM_COMMIT] != theirs[SBOM_COMMIT]:
            fail(f"{folder} is the release of another commit: {theirs[SBOM_COMMIT]}, expected {ours[SBOM_COMMIT]}")
        different = sorted(name for name in ours | theirs if ours.get(name) != theirs.get(name))
        if different:
            fail(f"these files differ in {self.out} and {folder}:\n  " + "\n  ".join(different))
        print(f"All {len(ours) - 1} files have the same bytes in both folders.")

    def sums(self, folder):
        """Returns the digests of the files of a release by their names."""
        try:
            lines = (folder / "SHA256SUMS").read_text().splitlines()
            sbom = json.loads((folder / f"{self.name}.cdx.json").read_text())
        except FileNotFoundError as error:
            fail(f"{error.filename}: expected a file of the release {self.version}, found none")
        return {SBOM_COMMIT: sbom["serialNumber"], **dict(reversed(line.split("  ")) for line in lines)}

    # Checks before the build

    def check_versions(self):
        """Checks that all places have the version of the release."""
        for path, pattern in (
            ("Sources/Treeline/Support/Release.swift", r'version = "(.*)"'),
            ("Sources/TreelineWeb/package.json", r'"version": "(.*)"'),
            ("Sources/TreelinePython/treelinemap/_version.py", r'version = "(.*)"'),
            ("CHANGELOG.md", r"^## (\d.*) - \d{4}-\d\d-\d\d$"),
            ("Fixtures/golden/tool/version.txt", r"^([\d.]+)$"),
            ("README.md", r"treelinemap_([\d.]+)_amd64\.deb"),
            ("Deployment/Dockerfile", r"VERSION=([\d.]+)"),
            ("Sources/Treeline/Treeline.docc/WebModule.md", r"treelinemap-([\d.]+)\.tgz"),
            ("Sources/Treeline/Treeline.docc/RunningTheServer.md", r"treelinemap(?:-server)?[_:-](\d[\d.]*\d)"),
        ):
            found = re.findall(pattern, (ROOT / path).read_text(), re.MULTILINE)
            # Earlier releases stay in the changelog.
            wrong = [version for version in found[:1 if path == "CHANGELOG.md" else None] if version != self.version]
            if not found or wrong:
                fail(f"{path}: expected version {self.version}, found {wrong[0] if wrong else 'none'}")
        base = re.findall(r"^FROM (.*)$", (ROOT / "Deployment/Dockerfile").read_text(), re.MULTILINE)
        if base != [self.pins["dockerfile"]]:
            fail(f"Deployment/Dockerfile: expected only FROM {self.pins['dockerfile']} as in scripts/build/pins.json, found {base}")
        changes = re.search(r"^## Unreleased\n(.*?)^## ", (ROOT / "CHANGELOG.md").read_text(), re.MULTILINE | re.DOTALL)
        if changes and changes[1].strip():
            fail(f"CHANGELOG.md: expected nothing under Unreleased, found changes; move them to {self.version}")
        if output("git", "status", "--porcelain", "--untracked-files=no"):
            fail("expected no changes, because the release is made from the commit; commit the changes first")
        tagged = subprocess.run(
            ["git", "rev-parse", "--quiet", "--verify", f"v{self.version}^{{commit}}"], cwd=ROOT, capture_output=True, text=True)
        if tagged.returncode == 0 and tagged.stdout.strip() != self.commit:
            fail(f"the tag v{self.version} names {tagged.stdout[:12]}, expected {self.commit[:12]}: check out the tag")

    def check_pins(self):
        different = [
            f"{name}: expected {version}, found {found}" for name, version in self.pins["debian"].items()
            if (found := debian_version(name)) != version]
        swift = components.swift_runtime().version
        if swift != self.pins["swift"]:
            different.append(f"swift: expected {self.pins['swift']}, found {swift}")
        if different:
            fail("this machine differs from scripts/build/pins.json; install these versions, or use --update-pins and "
                 "commit:\n  " + "\n  ".join(different))

    # Builds

    def prepare(self, reuse):
        """Clones the commit into the folder of releases, with the pinned Swift packages."""
        if FOLDER.exists() and FOLDER.stat().st_uid != os.getuid():
            fail(f"{FOLDER} belongs to another user")
        if not reuse:
            shutil.rmtree(FOLDER, ignore_errors=True)
        FOLDER.mkdir(mode=0o700, parents=True, exist_ok=True)
        os.umask(0o022)
        # Times and texts depend only on the commit.
        os.environ |= {
            "SOURCE_DATE_EPOCH": str(self.epoch), "LC_ALL": "C.UTF-8", "TZ": "UTC", "PYTHONHASHSEED": "0",
            "PYTHONDONTWRITEBYTECODE": "1"}
        if SOURCE.exists():
            run("git", "fetch", "--quiet", ROOT, self.commit)
        else:
            run("git", "clone", "--quiet", "--no-checkout", f"file://{ROOT}", SOURCE, cwd=FOLDER)
        # `clean` keeps the files that git ignores, such as build folders.
        run("git", "checkout", "--quiet", "--force", "--detach", self.commit)
        run("git", "clean", "--quiet", "-fd")
        shutil.rmtree(self.out, ignore_errors=True)
        self.out.mkdir(parents=True)
        self.pin_packages(SOURCE, ["swift-argument-parser"])
        self.pin_packages(SOURCE / "Sources/TreelineServer", list(self.pins["packages"]))
        # This folder has no shared libraries, so the linker takes the static libraries. The files of pkg-config make
        # Swift pass this folder to the linker before all other folders.
        static = FOLDER / "static"
        shutil.rmtree(static, ignore_errors=True)
        static.mkdir()
        for name, library in (("zlib", "z"), ("sqlite3", "sqlite3"), ("", "stdc++")):
            (static / f"lib{library}.a").symlink_to(output("gcc", f"-print-file-name=lib{library}.a"))
            if name:
                (static / f"{name}.pc").write_text(
                    f"Name: {name}\nDescription: {name}, linked in\nVersion: 1\nLibs: -L{static} -l{library}\n")
        # The builds copy the map of the server and the map of the tool, so both maps are made first.
        run("scripts/build/map-page")
        self.check_inside()

    def check_inside(self):
        """Checks the versions of libraries inside packages and inside Swift, if the bytes contain these versions."""
        script = SOURCE / "Sources/TreelineServer/Resources/viewer/vendor/maplibre-gl.js"
        icu = pathlib.Path(shutil.which("swift")).resolve().parents[1] / "lib/swift_static/linux/lib_FoundationICU.a"
        for name, path, expected in (
            ("maplibre-gl", script, f'"{self.pins["inside"]["maplibre-gl"]}"'),
            ("icu", icu, f"icudt{self.pins['inside']['icu'].split('.')[0]}"),
        ):
            if expected.encode() not in path.read_bytes():
                fail(f"{path}: expected {expected} for {name} in scripts/build/pins.json, found another version")

    def pin_packages(self, package, names):
        pins = []
        for name in names:
            pin = self.pins["packages"][name]
            tag = f"refs/tags/{pin['version']}"
            # If the tag is annotated, the second line is the commit of the tag.
            lines = output("git", "ls-remote", pin["url"], tag, tag + "^{}").splitlines()
            if not lines:
                fail(f"{pin['url']}: expected a tag {pin['version']}, found none")
            state = {"revision": lines[-1].split()[0], "version": pin["version"]}
            pins.append({"identity": name, "kind": "remoteSourceControl", "location": pin["url"], "state": state})
        (package / "Package.resolved").write_text(json.dumps({"pins": pins, "version": 3}, indent=2))

    def check_packages(self, build):
        """Checks that a build used the pinned packages, to the byte."""
        for checkout in sorted((build / "checkouts").iterdir()):
            pin = next(pin for pin in self.pins["packages"].values() if checkout.name == pathlib.Path(pin["url"]).stem)
            tree = output("git", "rev-parse", "HEAD^{tree}", cwd=checkout)
            if tree != pin["tree"]:
                fail(f"{checkout.name}: expected the tree {pin['tree']} for {pin['version']}, found {tree}")

    def build(self, program, package, build):
        # The tool is built without LAPACK, because trees are the same with and without LAPACK. Debug information is
        # left out, because it contains paths.
        traits = ["--disable-default-traits"] if program == "treelinemap" else []
        run("swift", "build", "--package-path", package, "--scratch-path", build, "-c", "release", "--static-swift-stdlib", *traits,
            "--force-resolved-versions", "-debug-info-format", "none", "--product", program,
            env=os.environ | {"PKG_CONFIG_PATH": f"{FOLDER}/static"})
        self.check_packages(build)
        dynamic = output("readelf", "--dynamic", build / "release" / program)
        others = set(re.findall(r"\(NEEDED\).*\[(.*)\]", dynamic)) - LOADED
        if others:
            fail(f"{program} loads {', '.join(sorted(others))}, expected only {', '.join(sorted(LOADED))}")

    @property
    def programs(self):
        return ("treelinemap", "treelinemap-server")

    def parts(self, program):
        build = FOLDER / ("tool" if program == "treelinemap" else "server")
        pins = [
            {"identity": name, "location": pin["url"], "state": pin} for name, pin in self.pins["packages"].items()]
        return components.swift_packages(build, program, pins) + components.parts(program, build)

    def stage(self):
        """Installs both programs into folders of the release. The tarball and the packages are made from these
        folders."""
        self.staged = FOLDER / "stage"
        shutil.rmtree(self.staged, ignore_errors=True)
        os.environ |= {
            "TREELINE_TOOL": f"{FOLDER}/tool/release/treelinemap",
            "TREELINE_SERVER": f"{FOLDER}/server/release/treelinemap-server"}
        run("scripts/build/install", "--prefix", self.staged, "--server")
        for program in self.programs:
            if "GNU_RELRO" not in output("readelf", "--program-headers", "--wide", self.staged / "bin" / program):
                fail(f"{program}: expected read-only relocations, found none")
        for program in self.programs:
            folder = self.staged / "share/doc" / program
            folder.mkdir(parents=True)
            shutil.copy(SOURCE / "LICENSE", folder)
            (folder / "THIRD-PARTY-LICENSES.txt").write_text(components.license_text(self.parts(program)))
        shutil.copy(SOURCE / "README.md", self.staged / "share/doc/treelinemap")
        for name in ("nginx.conf", "Caddyfile", "treelinemap-server.service", "treelinemap-server.default"):
            shutil.copy(SOURCE / "Deployment" / name, self.staged / "share/doc/treelinemap-server")

    # Files of the release

    def make_tarball(self):
        path = self.out / f"{self.name}-linux-x86_64.tar.gz"
        path.write_bytes(self.compressed(self.archive(self.staged, prefix=f"{self.name}-linux-x86_64")))
        self.contents[path.name] = self.parts("treelinemap") + self.parts("treelinemap-server")

    def archive(self, folder, prefix="."):
        """Returns a tar archive of a folder whose bytes depend only on names, contents and modes."""
        buffer = io.BytesIO()
        with tarfile.open(fileobj=buffer, mode="w", format=tarfile.GNU_FORMAT) as archive:
            for path in [folder, *sorted(folder.rglob("*"))]:
                info = archive.gettarinfo(path, f"{prefix}/{path.relative_to(folder)}" if path != folder else prefix)
                info.uid = info.gid = 0
                info.uname = info.gname = "root"
                info.mtime = self.epoch
                # A hard link becomes a separate file.
                if info.islnk():
                    info.type, info.linkname, info.size = tarfile.REGTYPE, "", path.stat().st_size
                with path.open("rb") if info.isreg() else io.BytesIO() as content:
                    archive.addfile(info, content if info.isreg() else None)
        return buffer.getvalue()

    @staticmethod
    def compressed(data):
        return gzip.compress(data, 9, mtime=0)

    def make_debian_package(self, program):
        root = FOLDER / "debian" / program
        shutil.rmtree(root, ignore_errors=True)
        usr = root / "usr"
        for path in sorted(self.staged.rglob("*")):
            inside = str(path.relative_to(self.staged))
            is_server = "treelinemap-server" in inside or "TreelineServer" in inside or "swift-" in inside
            if path.is_dir() and not path.is_symlink() or is_server != (program == "treelinemap-server"):
                continue
            target = usr / inside.replace("zsh/site-functions", "zsh/vendor-completions")
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(path, target, follow_symlinks=False)
        # Debian's tools check these names and this compression.
        doc = usr / "share/doc" / program
        (doc / "LICENSE").rename(doc / "copyright")
        with (doc / "copyright").open("a") as file:
            file.write("\nLicenses of the libraries inside are in THIRD-PARTY-LICENSES.txt in this folder.\n")
        date = output("date", "--utc", "--rfc-email", f"--date=@{self.epoch}")
        history = f"{program} ({self.version}) stable; urgency=medium\n\n  * See RELEASE-NOTES.md of the release.\n\n -- {MAINTAINER}  {date}\n"
        (doc / "changelog.gz").write_bytes(self.compressed(history.encode()))
        for page in (usr / "share/man/man1").iterdir():
            page.with_name(page.name + ".gz").write_bytes(self.compressed(page.read_bytes()))
            page.unlink()
        control = root / "DEBIAN"
        control.mkdir()
        depends = f"libc6 (>= {self.oldest_c_library(program)}), libgcc-s1"
        about = "clusters of points on a map that follow their density\n Builds, queries and compares trees of clusters."
        if program == "treelinemap-server":
            deployment = SOURCE / "Deployment"
            self.copy(doc / "treelinemap-server.service", usr / "lib/systemd/system/treelinemap-server.service")
            self.copy(doc / "treelinemap-server.default", root / "etc/default/treelinemap-server")
            (doc / "treelinemap-server.service").unlink()
            (doc / "treelinemap-server.default").unlink()
            self.copy(deployment / "debian/sysusers.conf", usr / "lib/sysusers.d/treelinemap-server.conf")
            (root / "var/lib/treelinemap").mkdir(parents=True)
            for script in ("postinst", "prerm", "postrm"):
                self.copy(deployment / "debian" / script, control / script)
            (control / "conffiles").write_text("/etc/default/treelinemap-server\n")
            depends += ", passwd, systemd-standalone-sysusers | systemd | systemd-sysusers"
            about = "clusters over HTTP, with a map that shows them\n Serves indexes made by treelinemap, as GeoJSON and tiles."
        files = sorted(path for path in root.rglob("*") if path.is_file() and not path.is_symlink() and control not in path.parents)
        size = sum(path.stat().st_size for path in files) // 1024
        (control / "md5sums").write_text(
            "".join(f"{hashlib.md5(path.read_bytes()).hexdigest()}  {path.relative_to(root)}\n" for path in files))
        (control / "control").write_text(
            f"Package: {program}\nVersion: {self.version}\nArchitecture: {ARCHITECTURE}\nSection: science\nPriority: optional\n"
            f"Maintainer: {MAINTAINER}\nInstalled-Size: {size}\nDepends: {depends}\n"
            f"Description: {about}\n")
        for path in [root, *root.rglob("*")]:
            if not path.is_symlink():
                path.chmod(0o755 if path.is_dir() or os.access(path, os.X_OK) and path.stat().st_mode & 0o100 else 0o644)
            os.utime(path, (self.epoch, self.epoch), follow_symlinks=False)
        path = self.out / f"{program}_{self.version}_{ARCHITECTURE}.deb"
        run("dpkg-deb", "--root-owner-group", "-Zxz", "--threads-max=1", "--build", root, path, stdout=subprocess.DEVNULL)
        self.contents[path.name] = self.parts(program)

    @staticmethod
    def copy(path, target):
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(path, target)

    def oldest_c_library(self, program):
        """Returns the oldest version of glibc that has all functions that a program calls."""
        symbols = output("objdump", "--dynamic-syms", self.staged / "bin" / program)
        versions = {tuple(map(int, found.split("."))) for found in re.findall(r"GLIBC_([\d.]+)", symbols)}
        return ".".join(map(str, max(versions)))

    def make_image(self):
        """Makes an OCI image of the server's Debian package and the files of a few other Debian packages. The image has
        no package manager. It has busybox for the health check."""
        root = FOLDER / "image"
        shutil.rmtree(root, ignore_errors=True)
        include = ",".join(f"{name}={version}" for name, version in self.pins["image"].items())
        run("mmdebstrap", "--quiet", "--variant=extract", f"--include={include}", "--skip=cleanup",
            "--hook-dir=/usr/share/mmdebstrap/hooks/merged-usr", "bookworm", root, cwd=FOLDER)
        found = {}
        for path in sorted((root / "var/cache/apt/archives").glob("*.deb")):
            name, version = output("dpkg-deb", "--show", "--showformat=${Package} ${Version}", path).split()
            found[name] = version
        if found != self.pins["image"]:
            fail(f"the image: expected {self.pins['image']} as in scripts/build/pins.json, found {found}")
        for name in ("var", "tmp", "run", "dev", "proc", "sys", "boot", "home", "etc/apt"):
            shutil.rmtree(root / name, ignore_errors=True)
        # These files come from this machine.
        for name in ("resolv.conf", "hostname"):
            (root / "etc" / name).unlink(missing_ok=True)
        for name in ("tmp", "run", "dev", "proc", "sys", "data"):
            (root / name).mkdir()
        run("dpkg-deb", "--extract", self.out / f"treelinemap-server_{self.version}_{ARCHITECTURE}.deb", root)
        (root / "etc/passwd").write_text(
            f"root:x:0:0:root:/root:/bin/false\ntreelinemap:x:{USER}:{USER}::/:/bin/false\n")
        (root / "etc/group").write_text(f"root:x:0:\ntreelinemap:x:{USER}:\n")
        layer = self.archive(root)
        packed = self.compressed(layer)
        created = output("date", "--utc", f"--date=@{self.epoch}", "+%Y-%m-%dT%H:%M:%SZ")
        parts = self.parts("treelinemap-server") + [
            components.in_image(name, version, ARCHITECTURE) for name, version in sorted(found.items())]
        licenses = {"MIT", *" AND ".join(part.license for part in parts).split(" AND ")}
        title = {
            "org.opencontainers.image.title": "treelinemap-server", "org.opencontainers.image.version": self.version,
            "org.opencontainers.image.revision": self.commit, "org.opencontainers.image.licenses": " AND ".join(sorted(licenses))}
        config = {
            "created": created, "architecture": ARCHITECTURE, "os": "linux",
            "config": {
                "User": f"{USER}:{USER}", "ExposedPorts": {"8080/tcp": {}}, "WorkingDir": "/data", "Labels": title,
                "Env": ["PATH=/usr/bin:/bin"],
                "Entrypoint": ["/usr/bin/treelinemap-server", "--host", "0.0.0.0", "--management-port", "9090"],
                # OCI does not define health checks. Docker reads this entry. Other platforms need a setting to ask for
                # /health.
                "Healthcheck": {
                    "Test": ["CMD", "/bin/busybox", "wget", "-q", "-O", "/dev/null", "http://127.0.0.1:9090/health"],
                    "StartPeriod": 60_000_000_000}},
            "rootfs": {"type": "layers", "diff_ids": [f"sha256:{hashlib.sha256(layer).hexdigest()}"]},
            "history": [{"created": created, "created_by": "scripts/release"}]}
        blobs = {}

        def blob(data, kind, **more):
            digest = hashlib.sha256(data).hexdigest()
            blobs[digest] = data
            return {"mediaType": f"application/vnd.oci.image.{kind}", "digest": f"sha256:{digest}", "size": len(data), **more}

        def document(value):
            return json.dumps(value, indent=1, sort_keys=True).encode()

        manifest = {
            "schemaVersion": 2, "mediaType": "application/vnd.oci.image.manifest.v1+json",
            "config": blob(document(config), "config.v1+json"), "layers": [blob(packed, "layer.v1.tar+gzip")], "annotations": title}
        # Podman reads the first name, Docker the second one.
        reference = f"treelinemap-server:{self.version}"
        name = {
            "org.opencontainers.image.ref.name": reference, "io.containerd.image.name": f"docker.io/library/{reference}"}
        index = {"schemaVersion": 2, "manifests": [blob(document(manifest), "manifest.v1+json", annotations=name)]}
        layout = FOLDER / "oci"
        shutil.rmtree(layout, ignore_errors=True)
        (layout / "blobs/sha256").mkdir(parents=True)
        (layout / "oci-layout").write_text('{"imageLayoutVersion": "1.0.0"}')
        (layout / "index.json").write_bytes(document(index))
        for digest, data in blobs.items():
            (layout / "blobs/sha256" / digest).write_bytes(data)
        path = self.out / f"treelinemap-server-{self.version}-oci.tar"
        path.write_bytes(self.archive(layout))
        self.contents[path.name] = parts

    def make_wheel(self):
        os.environ.pop("TREELINE_LIBRARY", None)
        path = SOURCE / output("scripts/build/wheel", cwd=SOURCE).splitlines()[-1]
        self.check_packages(SOURCE / ".build-c")
        self.copy(path, self.out / path.name)
        self.contents[path.name] = components.parts("wheel")

    def make_web_package(self):
        run("scripts/build/web", self.out, stdout=subprocess.DEVNULL)
        self.contents[f"{self.name}.tgz"] = []

    def make_documentation(self):
        run("scripts/build/docs")
        self.check_packages(SOURCE / ".build-docs")
        site = SOURCE / ".build-docs/site"
        self.order_documentation(site)
        parts = components.documentation()
        shutil.copy(SOURCE / "LICENSE", site)
        (site / "THIRD-PARTY-LICENSES.txt").write_text(components.license_text(parts), "utf-8")
        path = self.out / f"{self.name}-documentation.tar.gz"
        path.write_bytes(self.compressed(self.archive(site, prefix=f"{self.name}-documentation")))
        self.contents[path.name] = parts

    @staticmethod
    def order_documentation(site):
        """Gives the site the same bytes in each run. DocC writes the keys of objects, and the modules of the
        navigation, in a random order."""
        # Only Xcode and the documentation of other packages read these files. The pages do not need them.
        for name in ("index/availability.index", "index/data.mdb", "index/navigator.index", "link-hierarchy.json", "linkable-entities.json"):
            (site / name).unlink()
        for path in site.rglob("*.json"):
            value = json.loads(path.read_text("utf-8"))
            if path == site / "index/index.json":
                order = ["/documentation/" + name.lower() for name in sorted(value["includedArchiveIdentifiers"])]
                value["includedArchiveIdentifiers"].sort()
                for tree in value["interfaceLanguages"].values():
                    tree[0]["children"].sort(key=lambda module: order.index(module["path"]))
            path.write_text(json.dumps(value, ensure_ascii=False, separators=(",", ":"), sort_keys=True), "utf-8")

    def write_notes(self):
        changes = (SOURCE / "CHANGELOG.md").read_text()
        found = re.search(rf"^## {re.escape(self.version)} - .*?\n(.*?)(?=^## |\Z)", changes, re.MULTILINE | re.DOTALL)
        (self.out / "RELEASE-NOTES.md").write_text(f"# Treeline {self.version}\n\n{found[1].strip()}\n")

    def write_sbom(self):
        """Writes an SBOM in CycloneDX: the files of the release, and the components of each file."""
        def entry(kind, name, version, **more):
            return {"type": kind, "name": name, "version": version, "bom-ref": f"{name}@{version}", **more}

        files, parts, depends = [], {}, []
        for name, content in sorted(self.contents.items()):
            digest = hashlib.sha256((self.out / name).read_bytes()).hexdigest()
            kind = "container" if name.endswith("-oci.tar") else "application"
            files.append(entry(kind, name, self.version, licenses=[{"license": {"id": "MIT"}}], hashes=[{"alg": "SHA-256", "content": digest}]))
            for part in content:
                more = {"purl": part.purl} if part.purl else {}
                more["licenses"] = [
                    {"license": {"name": "public domain"}} if "LicenseRef" in part.license else {"expression": part.license}]
                parts[part.name, part.version] = entry("library", part.name, part.version, **more)
            inside = sorted({f"{part.name}@{part.version}" for part in content})
            depends.append({"ref": f"{name}@{self.version}", "dependsOn": inside})
        sbom = {
            "bomFormat": "CycloneDX", "specVersion": "1.5", "version": 1,
            "serialNumber": f"urn:uuid:{uuid.uuid5(uuid.NAMESPACE_URL, f'treelinemap:{self.commit}')}",
            "metadata": {
                "timestamp": output("date", "--utc", f"--date=@{self.epoch}", "+%Y-%m-%dT%H:%M:%SZ"),
                "component": entry("application", "treelinemap", self.version, licenses=[{"license": {"id": "MIT"}}])},
            "components": files + [parts[key] for key in sorted(parts)],
            "dependencies": [
                {"ref": f"treelinemap@{self.version}", "dependsOn": [file["bom-ref"] for file in files]}, *depends]}
        (self.out / f"{self.name}.cdx.json").write_text(json.dumps(sbom, indent=1) + "\n")


def update_pins():
    """Writes the versions that this machine and Debian's archive have. Edit all other versions by hand."""
    found = pins.PINS
    found["swift"] = components.swift_runtime().version
    found["debian"] = {name: debian_version(name) for name in found["debian"]}
    subprocess.run(["apt-get", "update", "-qq"], check=True)
    for name in found["image"]:
        candidate = re.search(r"Candidate: (\S+)", output("apt-cache", "policy", name))
        found["image"][name] = candidate[1] if candidate else "none"
    pins.PATH.write_text(json.dumps(found, indent=2) + "\n")
    print("Updated scripts/build/pins.json")


if __name__ == "__main__":
    main()
