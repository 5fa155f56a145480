"""The suites of scripts/test: what each checks, what it needs, and the steps that it consists of.

A new suite is one entry of SUITES and, unless one command will do, a script beside this file.
"""

from dataclasses import dataclass, field

# The test build: optimized, since brute force over large sets is slow otherwise, and testable. The tool, the server,
# the benchmarks, the C library under test and the examples of the documentation all come from it. In a folder of its
# own: other flags would have everything compiled again.
# Two packages are built in it, so no build may take the plan of the one before it.
TEST_OPTIONS = "-c release -Xswiftc -enable-testing --scratch-path .build-test --disable-build-manifest-caching"
TEST_PRODUCTS = ".build-test/release"
# Both implementations of LAPACK are installed side by side; the same test binary runs on either.
LIBRARIES = "/usr/lib/$(uname -m)-linux-gnu"


@dataclass(frozen=True)
class Step:
    """A command, run by bash at the root of the repository when the steps that it needs have passed."""

    title: str
    command: str
    needs: tuple = ()
    # Cores that it keeps busy; 0 for a step that mostly waits, such as a download. Any number of these run beside others.
    cores: int = 1
    # The product of a build or an installation. Its failure counts, its success is not a test.
    is_preparation: bool = False
    # What later steps find in their environment: paths, relative to the root.
    exports: dict = field(default_factory=dict, compare=False)
    # Steps that come first if they run at all.
    after: tuple = ()


@dataclass(frozen=True)
class Suite:
    name: str
    about: str
    # Usual time in seconds on two cores, with the builds that only it needs.
    usual: int
    steps: tuple
    # Debian packages, beyond what Treeline is built from.
    packages: tuple = ()


def build(title, command, needs=(), cores=2, **exports):
    return Step(title, command, needs, cores, True, exports)


def environment(folder, requirements):
    """A virtual environment with the packages of a list."""
    return Step(
        f"packages of {folder}",
        f"source scripts/support/packages; virtual_environment {folder} {requirements}", cores=0, is_preparation=True)


def pytest(folder, environment):
    return f"{environment}/bin/python -B -m pytest -q {folder} $ARGUMENTS"


TESTS = build(
    "build of the tests", f"swift build {TEST_OPTIONS} --build-tests",
    TREELINE_TOOL=f"{TEST_PRODUCTS}/treeline")
VIEWER_LIBRARY = Step("MapLibre for the viewer", "scripts/build/viewer-vendor", cores=0, is_preparation=True)
# After the tests and in the same folder with the same flags, so that the modules of the package are compiled once. Most
# of its modules depend on one another in a row, which keeps one core busy.
SERVER = build(
    "build of the server", f"swift build --package-path Sources/TreelineServer {TEST_OPTIONS} --build-tests",
    (TESTS, VIEWER_LIBRARY), 1, TREELINE_SERVER=f"{TEST_PRODUCTS}/treeline-server")
# As it is shipped: without LAPACK, and with Swift's own libraries inside.
LIBRARY = build(
    "build of the library for C", "scripts/build/library", (), 1,
    TREELINE_LIBRARY=".build-c/release/libTreelineC.so")
WHEEL_TOOLS = environment(".build-python/tools", "scripts/build/wheel.txt")
WHEEL = build("build of the wheel", "scripts/build/wheel", (LIBRARY, WHEEL_TOOLS, VIEWER_LIBRARY), 1)
PYTHON_SOURCES = build(
    "the Python package in its sources", "scripts/build/python-map && scripts/build/python-native",
    (WHEEL_TOOLS, VIEWER_LIBRARY), 1)
PYTHON_PACKAGES = environment(".build-python/venv", "Tests/TreelinePythonTests/requirements.txt")
NOTEBOOK_PACKAGES = environment(".build-notebook/venv", "Tests/NotebookTests/requirements.txt")
VIEWER_PACKAGES = environment(".build-viewer/venv", "Tests/ViewerTests/requirements.txt")
SERVER_PACKAGES = environment(".build-server/venv", "Tests/ServerTests/requirements.txt")
DATA_PACKAGES = environment(".build-data/venv", "Tests/DataTests/requirements.txt")

FUZZERS = Step("build of the fuzzers", "scripts/check/fuzz --build", is_preparation=True)
FUZZED = ("index", "sections", "filter", "csv", "geojson")

# One process of the test bundle for each of its two testing libraries.
BUNDLE = f"{TEST_PRODUCTS}/treelinePackageTests.xctest"


def swift_tests(lapack, paths, expected, command):
    return Step(
        f"Swift tests under {lapack}",
        f'export LD_LIBRARY_PATH="{paths}" TREELINE_EXPECTED_LAPACK={expected}; {command}', (TESTS,), 2)


ALL_TESTS = f"{BUNDLE} && {BUNDLE} --testing-library swift-testing"
# An implementation of LAPACK can only change trees; the tests of these have all trials under both.
TREE_TESTS = f"{BUNDLE} --testing-library swift-testing --filter 'Determinism|Golden|PrincipalAxis|LAPACK'"


MAPKIT = Step("MapKit, SwiftUI and MapLibre by stubs", "scripts/check/mapkit $ARGUMENTS", cores=2)

DEFAULT = (
    Suite("format", "the format of all Swift sources", 20, (Step("format", "scripts/format --check"),)),
    Suite(
        "swift", "all Swift tests, under both implementations of LAPACK", 400,
        (
            swift_tests("the reference LAPACK", f"{LIBRARIES}/lapack:{LIBRARIES}/blas", "/lapack/", ALL_TESTS),
            swift_tests(
                "OpenBLAS", f"{LIBRARIES}/openblas-pthread", "openblas",
                f"{TREE_TESTS} && export TREELINE_TRIALS=fast && {ALL_TESTS}"),
        ), ("liblapack3", "libopenblas0-pthread", "valgrind")),
    Suite(
        "c", "the C interface, under the sanitizers for addresses and undefined behaviour", 15,
        (Step("C interface", f"TREELINE_LIBRARY=$PWD/{TEST_PRODUCTS}/libTreelineC.so scripts/check/c", (TESTS,)),),
        ("gcc", "libc6-dev", "binutils")),
    Suite(
        "reader", "answers by a reader in Python that was written from the format's document", 30,
        (Step("index reader", "python3 -B Tests/IndexReader/compare.py", (TESTS,)),)),
    Suite(
        "docs", "the examples of the README and of all pages", 40,
        (Step("examples of the documentation", "python3 -B scripts/check/documentation.py $ARGUMENTS", (TESTS,), after=(SERVER, MAPKIT)),), ("curl",)),
    Suite(
        "runtime", "apps on the runtime alone, and on the builder without LAPACK", 90,
        (Step("proof of the runtime", "scripts/check/runtime", (TESTS,), 2),), ("binutils",)),
)

OTHERS = (
    Suite(
        "server", "the server, through its router and through sockets", 300,
        (
            Step(
                "server, through its router",
                f"{TEST_PRODUCTS}/treeline-serverPackageTests.xctest --testing-library swift-testing", (SERVER,), 2),
            Step(
                "server, through sockets", pytest("Tests/ServerTests", ".build-server/venv"),
                (SERVER, SERVER_PACKAGES), 0),
        )),
    Suite(
        "viewer", "the server's map in headless Chromium", 330,
        (
            Step(
                "viewer",
                "TREELINE_PICTURES=$PWD/.build-viewer/pictures " + pytest("Tests/ViewerTests", ".build-viewer/venv")
                # Picks tests as -k of pytest does; all of them otherwise.
                + ' ${TREELINE_VIEWER_TESTS:+-k "$TREELINE_VIEWER_TESTS"}',
                (SERVER, VIEWER_PACKAGES), 1),
        ), ("chromium",)),
    Suite(
        "python", "the Python package, installed from its wheel", 120,
        (Step("Python package", "scripts/check/python $ARGUMENTS", (WHEEL, TESTS, PYTHON_PACKAGES)),),
        ("gcc", "python3-dev", "unzip")),
    Suite(
        "notebook", "the map in JupyterLab and in pages, in headless Chromium", 240,
        (
            Step(
                "notebook",
                "PYTHONPATH=$PWD/Sources/TreelinePython TREELINE_PICTURES=$PWD/.build-notebook/pictures "
                + pytest("Tests/NotebookTests", ".build-notebook/venv"),
                (LIBRARY, PYTHON_SOURCES, NOTEBOOK_PACKAGES), 1),
        ), ("chromium", "gcc", "python3-dev")),
    Suite(
        "mapkit", "what is written for Apple's platforms, against stubs of their frameworks", 60,
        (MAPKIT,)),
    Suite(
        "platforms", "types of the runtime and the builder for other platforms", 40,
        (Step("types for other platforms", "scripts/check/platforms"),)),
    Suite(
        "projection", "the projection, against C, Python and MPFR", 10,
        (Step("projection", "scripts/check/projection"),), ("gcc", "libc6-dev", "libmpfr-dev")),
    Suite(
        "sanitizers", "concurrent queries under the thread sanitizer", 60,
        (Step("thread sanitizer", "scripts/check/threads"),)),
    Suite(
        "fuzz", "fuzzers on the index, its columns, filters and formats of points", 180,
        tuple(Step(f"fuzzing: {name}", f"scripts/check/fuzz {name}", (FUZZERS,)) for name in FUZZED)),
    Suite(
        "data", "recipes with DuckDB, pyarrow, PostGIS, GDAL and Spark's Parquet", 120,
        (
            Step(
                "data programs", pytest("Tests/DataTests", ".build-data/venv"),
                (TESTS, DATA_PACKAGES), 0),
        ), ("gdal-bin", "postgresql", "postgresql-postgis", "openjdk-17-jre-headless")),
    Suite(
        "spark", "builds on Spark, with the bytes of the tool's", 240,
        (
            Step(
                "Spark",
                "PYTHONPATH=$PWD/Sources/TreelinePython:$PWD/Tests/SparkTests:$PWD/Tests/Support "
                + pytest("Tests/SparkTests", ".build-data/venv"),
                (TESTS, LIBRARY, PYTHON_SOURCES, DATA_PACKAGES), 0),
        ), ("openjdk-17-jre-headless", "gcc", "python3-dev")),
    Suite(
        "install", "the tool and the server as installed", 30,
        (Step("installed programs", "scripts/check/install", (TESTS, SERVER)),)),
)

SUITES = {suite.name: suite for suite in DEFAULT + OTHERS}
