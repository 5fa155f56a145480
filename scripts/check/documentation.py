"""Checks the code blocks of the README, of the documentation's pages and of public doc comments, and the files in
Tests/CompileTests. Swift is
compiled as one module against the libraries that scripts/test builds. Shell commands run in a temporary folder.
JavaScript is parsed by node if node is installed. Examples of the server are left out, with a message, if the server
is not built. Examples of Apple's frameworks are left out, with a message, if the stubs are not built. Arguments are
pages (default: all).

Hidden comments of a page control the next block. `<!-- swift: let x = 1 -->` is Swift code that is compiled before the
block. `<!-- not run: why -->` leaves the block out. `<!-- needs: command -->` leaves the block out if the command is
not installed. `<!-- run by: script -->` means that a script runs the block, because it has what the block needs.
"""

import glob
import json
import os
import re
import shutil
import socket
import subprocess
import sys
import tempfile
import typing

ROOT = os.getcwd()
PAGES = ["README.md", "Sources/TreelineServer/README.md", *sorted(glob.glob("Sources/*/*.docc/*.md"))]
BLOCK = re.compile(r"^(?:<!-- (swift|not run|needs|run by): (.*?) -->|```(\w+)\n(.*?)^```)$", re.DOTALL | re.MULTILINE)
TEST_BUILD = ".build-test/release"
SERVER = os.environ.get("TREELINE_SERVER", f"{ROOT}/{TEST_BUILD}/treelinemap-server")


def main():
    pages = [Page(path) for path in sys.argv[1:] or PAGES]
    for page in pages:
        print("".join(f"{page.path}:{line}: left out: {why}\n" for line, why in page.left_out), end="")
    failed = False
    for name, check in (("Swift", check_swift), ("shell", check_shell), ("JavaScript", check_scripts), ("JSON", check_json)):
        problems = check(pages)
        print(*problems, sep="\n", end="\n" if problems else "", file=sys.stderr)
        print(f"{name}: {sum(len(page.blocks(name)) for page in pages)} blocks, {len(problems)} problems")
        failed |= bool(problems)
    sys.exit(failed)


class Page:
    """The blocks of a page, each with language, code, line and hidden Swift code."""

    languages = {"Swift": ["swift"], "shell": ["sh"], "JavaScript": ["js", "html"], "JSON": ["json"]}

    def __init__(self, path):
        self.path = path
        self.found = []
        self.left_out = []
        # The code and line of each block that a script runs, by the name of the script.
        self.run_by = {}
        with open(path, encoding="utf-8") as file:
            text = file.read()
        before = {}
        for match in BLOCK.finditer(text):
            kind, words, language, code = match.groups()
            if kind:
                before[kind] = words
                continue
            line = text.count("\n", 0, match.start()) + 2
            if "run by" in before:
                self.run_by.setdefault(before["run by"], []).append((code, line))
                self.left_out.append((line, f"run by {before['run by']}"))
            elif "not run" in before:
                self.left_out.append((line, before["not run"]))
            elif "needs" in before and not shutil.which(before["needs"]):
                self.left_out.append((line, f"no {before['needs']}"))
            else:
                self.found.append((language, code, line, before.get("swift", "")))
            before = {}

    def blocks(self, name):
        return [block for block in self.found if block[0] in self.languages[name]]


def check_swift(pages):
    """Compiles each page as a function, all in one module. Pages that import the server or Apple's frameworks go into
    separate modules, compiled against their own builds. Without arguments, the compile tests are checked, too."""
    problems = []
    modules = {build: {} for build in BUILDS}
    for page in pages:
        blocks = page.blocks("Swift")
        manifests = [code for _, code, _, _ in blocks if code.startswith("// swift-tools-version")]
        problems += [f"{page.path}: {error}" for manifest in manifests for error in manifest_errors(manifest)]
        code = [(code, line, hidden) for _, code, line, hidden in blocks if code not in manifests]
        if code:
            imports = {name for text, _, _ in code for name in re.findall(r"^import (\w+)$", text, re.MULTILINE)}
            build = next(build for build in BUILDS if not build.imports or imports & build.imports)
            modules[build][page.path] = code
    for build, files in modules.items():
        if files and not os.path.exists(f"{build.folder}/{build.module}.swiftmodule"):
            print(f"{', '.join(files)}: Swift left out: {build.module} is not built; {build.script} builds it")
        elif files:
            problems += compile_pages(files, build)
    return problems if sys.argv[1:] else problems + compile_comments() + compile_tests()


class Build(typing.NamedTuple):
    """A build against which the Swift code of a page is compiled, if the page imports one of the build's modules."""

    imports: frozenset
    scratch: str
    folder: str
    # A module that exists once the build is done, and the script that runs the build.
    module: str
    script: str


BUILDS = [
    Build(
        frozenset(["TreelineServer", "Hummingbird"]), ".build-test", f"{TEST_BUILD}/Modules", "TreelineServer",
        "scripts/test server"),
    Build(
        frozenset(["TreelineMapKit", "TreelineMapLibre", "MapKit", "SwiftUI", "UIKit", "CoreLocation", "MapLibre"]),
        ".build-apple-test", ".build-apple-test/debug/Modules", "TreelineMapLibre", "scripts/test mapkit"),
    Build(frozenset(), ".build-test", f"{TEST_BUILD}/Modules", "Treeline", "scripts/test docs"),
]


def compile_pages(files, build):
    with tempfile.TemporaryDirectory() as folder:
        for number, (path, blocks) in enumerate(files.items()):
            source = [f"func page{number}() async throws {{"]
            imports = {"import Treeline", "import TreelineBuilder"}
            for code, line, hidden in blocks:
                imports |= set(re.findall(r"^import \w+$", code, re.MULTILINE))
                # Imports move to the beginning. They leave empty lines behind, so that errors name the right line of
                # the page.
                code = re.sub(r"^import \w+$", "", code, flags=re.MULTILINE)
                source += [hidden, f'#sourceLocation(file: "{path}", line: {line})', code.rstrip("\n"), "#sourceLocation()"]
            with open(f"{folder}/page{number}.swift", "w", encoding="utf-8") as file:
                file.write("\n".join([*sorted(imports), *source, "}"]) + "\n")
        done = subprocess.run(
            [*compiler(build), "-suppress-warnings", *sorted(glob.glob(f"{folder}/*.swift"))],
            capture_output=True, text=True)
        return [] if done.returncode == 0 else [done.stderr]


def compile_comments():
    """Compiles each Swift block in the doc comment of a public declaration as a function, all in one module. In these
    blocks, `...` stands for code that is left out. The blocks use the names that CONTEXT declares."""
    source = ["import Foundation", "import GridBaseline", "import Treeline", "import TreelineBuilder", "import TreelineMap"]
    count = 0
    for path in sorted(glob.glob("Sources/*/**/*.swift", recursive=True)):
        if path.split("/")[1] not in COMMENTED:
            continue
        with open(path, encoding="utf-8") as file:
            lines = file.read().split("\n")
        for start, code, declaration in comment_blocks(lines):
            if declaration.startswith("public "):
                count += 1
                actor = "@MainActor " if path.startswith("Sources/TreelineMap/") else ""
                source += [
                    f"{actor}func comment{count}() async throws {{", f'#sourceLocation(file: "{path}", line: {start + 2})', code,
                    "#sourceLocation()", "}"]
    with tempfile.TemporaryDirectory() as folder:
        with open(f"{folder}/comments.swift", "w", encoding="utf-8") as file:
            file.write("\n".join(source) + "\n")
        done = subprocess.run(
            [*compiler(BUILDS[-1]), "-suppress-warnings", f"{folder}/comments.swift", CONTEXT], capture_output=True, text=True)
        print(f"doc comments: {count} blocks")
        return [] if done.returncode == 0 else [done.stderr]


#: Libraries whose doc comments are compiled, and the file that declares the names that the comments use.
COMMENTED = {"Treeline", "TreelineBuilder", "TreelineMap", "GridBaseline"}
CONTEXT = "Tests/CompileTests/Context/Hotels.swift"


def comment_blocks(lines):
    """Finds the Swift blocks in doc comments. Returns the index of the first line, the code, and the declaration."""
    at = 0
    while at < len(lines):
        if lines[at].strip() == "/// ```swift":
            end = next(line for line in range(at + 1, len(lines)) if lines[line].strip() == "/// ```")
            code = "\n".join(re.sub(r"^\s*/// ?", "", line) for line in lines[at + 1 : end])
            code = re.sub(r"\{ \.\.\. \}", "{}", re.sub(r"= \.\.\.", "= nil", re.sub(r"^\s*\.\.\.$", "", code, flags=re.M)))
            after = (line.strip() for line in lines[end:])
            yield at, code, next(line for line in after if not line.startswith(("///", "@discardable", "@inline", "@MainActor")))
            at = end
        at += 1


def compiler(build):
    """Returns the command that finds all errors of some files. A type check alone would not find data races."""
    headers = ["Sources/CPrefetch", "Sources/CLAPACKE", "Sources/CZlib", build.folder]
    headers += glob.glob(f"{build.scratch}/checkouts/*/Sources/*/include")
    command = ["swiftc", "-emit-sil", "-wmo", "-o", os.devnull, "-swift-version", "6", "-module-name", "Pages"]
    command += [option for header in headers for option in ("-I", header)]
    for modulemap in glob.glob(f"{os.path.dirname(build.folder)}/*.build/module.modulemap"):
        command += ["-Xcc", f"-fmodule-map-file={modulemap}"]
    return command


def compile_tests():
    """Compiles each compile test as a module. The errors and warnings must be exactly those in the comments of the
    test."""
    # Notes at declarations of the library are not compared.
    options = ["-Xfrontend", "-verify", "-Xfrontend", "-verify-ignore-unrelated"]
    started = [
        subprocess.Popen(
            [*compiler(BUILDS[-1]), *options, path], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        for path in sorted(glob.glob("Tests/CompileTests/*.swift"))
    ]
    assert started, "no compile tests"
    messages = [process.communicate()[1] for process in started]
    return [message for process, message in zip(started, messages) if process.returncode != 0]


def manifest_errors(manifest):
    with tempfile.TemporaryDirectory() as folder:
        with open(f"{folder}/Package.swift", "w", encoding="utf-8") as file:
            file.write(manifest)
        done = subprocess.run(["swift", "package", "--package-path", folder, "dump-package"], capture_output=True, text=True)
        return [] if done.returncode == 0 else [done.stderr]


def check_shell(pages):
    """Runs the blocks of each page one after another, in a folder that looks like the repository with a built tool."""
    problems = []
    for page in pages:
        blocks = page.blocks("shell")
        if not blocks:
            continue
        with tempfile.TemporaryDirectory() as folder:
            port = free_port()
            prepare(folder)
            environment = os.environ | {
                "PATH": f"{folder}/bin:{os.environ['PATH']}", "PORT": str(port), "ROOT": ROOT, "SERVER": SERVER,
            }
            script = "".join(f'echo "{page.path}:{line}" >&3\n{code}' for _, code, line, _ in blocks)
            with open(f"{folder}/script", "w", encoding="utf-8") as file:
                file.write("set -euo pipefail\nexec 3>place\n" + script)
            done = subprocess.run(
                ["bash", "script"], cwd=folder, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT, text=True, timeout=300)
            if os.path.exists(f"{folder}/server.pid"):
                with open(f"{folder}/server.pid") as file:
                    os.kill(int(file.read()), 15)
            if done.returncode:
                with open(f"{folder}/place") as file:
                    place = file.read().split("\n")[-2]
                problems.append(f"{place}: exit code {done.returncode}\n{done.stdout[-2000:]}")
    return problems


# Replacements of commands that a reader runs only once, or in another terminal.
EXISTS = '#!/bin/sh\n[ -x "$ROOT/scripts/${0#*scripts/}" ]\n'
SERVE = """#!/bin/bash
[ -x "$SERVER" ] || { echo "no server: not served"; exit 0; }
"$SERVER" "$@" --port "$PORT" >server.log 2>&1 3>&- &
echo $! >server.pid
for _ in $(seq 100); do /usr/bin/curl -s "127.0.0.1:$PORT/health" >/dev/null && exit 0; sleep 0.1; done
cat server.log; exit 1
"""
CURL = """#!/bin/bash
[ -x "$SERVER" ] || exit 0
exec /usr/bin/curl --fail-with-body --silent --show-error "${@//127.0.0.1:8080/127.0.0.1:$PORT}"
"""
# Accepts only the name of a file of this version's release, and installs nothing; `scripts/test release` installs it.
SUDO = """#!/bin/bash
version=$(bin/treelinemap --version)
[ "$1 $2" = "apt install" ] && [[ ${@:3} = ./treelinemap_${version}_amd64.deb ]]
"""


def prepare(folder):
    os.makedirs(f"{folder}/scripts/build")
    os.makedirs(f"{folder}/bin")
    os.makedirs(f"{folder}/.build/release")
    os.symlink(f"{ROOT}/Fixtures", f"{folder}/Fixtures")
    for place in (".build/release", "bin"):
        os.symlink(f"{ROOT}/{TEST_BUILD}/treelinemap", f"{folder}/{place}/treelinemap")
    stubs = {"bin/swift": "#!/bin/sh\n", "bin/curl": CURL, "bin/sudo": SUDO}
    scripts = glob.glob("scripts/*") + glob.glob("scripts/build/*")
    stubs |= {path: EXISTS for path in scripts if os.path.isfile(path)}
    stubs["scripts/build/serve"] = SERVE
    for name, text in stubs.items():
        with open(f"{folder}/{name}", "w") as file:
            file.write(text)
        os.chmod(f"{folder}/{name}", 0o755)


def free_port():
    with socket.socket() as sock:
        sock.bind(("127.0.0.1", 0))
        return sock.getsockname()[1]


def check_scripts(pages):
    """Parses JavaScript, but does not run it, because it needs a browser."""
    if not shutil.which("node"):
        print("JavaScript left out: no node")
        return []
    problems = []
    for page in pages:
        for language, code, line, _ in page.blocks("JavaScript"):
            for script in [code] if language == "js" else re.findall(r"<script[^>]*>(.*?)</script>", code, re.DOTALL):
                done = subprocess.run(
                    ["node", "--input-type=module", "--check", "-"], input=script, capture_output=True, text=True)
                if done.returncode:
                    problems.append(f"{page.path}:{line}: {done.stderr}")
    return problems


def check_json(pages):
    problems = []
    for page in pages:
        for _, code, line, _ in page.blocks("JSON"):
            try:
                json.loads(code)
            except ValueError as error:
                problems.append(f"{page.path}:{line}: {error}")
    return problems


if __name__ == "__main__":
    main()
