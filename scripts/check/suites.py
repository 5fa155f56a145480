"""The suites of scripts/test: what each suite checks, what it needs, and its steps.

To add a suite, add an entry to DEFAULT, OTHERS or ALONE. If the suite needs more than one command, also add a script
beside this file.
"""

from dataclasses import dataclass, field

# The test build is optimized, because otherwise brute force over large sets would be slow. It gives tests access to
# internal declarations. The tool, the server, the benchmarks, the C library under test and the examples of the
# documentation all use this build. Its folder is separate, because other flags in the same folder would cause a full
# rebuild. Five things need separate builds: the library as it is shipped, without LAPACK; the proof of the runtime,
# which builds like an app; the stubs of Apple's frameworks; the thread sanitizer; and the fuzzers. Two packages are
# built in this folder, so build plans are not cached: a build must not use the plan of the other package. Without debug
# information a module compiles in five sixths of the time. BoringSSL, the only code in C++, is not optimized.
TEST_OPTIONS = (
    "-c release -Xswiftc -enable-testing -Xcxx -O0 -debug-info-format none --scratch-path .build-test "
    "--disable-build-manifest-caching")
TEST_PRODUCTS = ".build-test/release"
# The folder in which both implementations of LAPACK are installed; the same test binary runs with each.
LIBRARIES = "/usr/lib/$(uname -m)-linux-gnu"
# The library for C from the test build. Only the suite `wheel` needs the library as it is shipped.
TEST_LIBRARY = f"TREELINE_LIBRARY=$PWD/{TEST_PRODUCTS}/libTreelineC.so"
# Number of cores of a step that waits half of the time, for example for a browser.
WAITING = 0.5


@dataclass(frozen=True)
class Step:
    """A command that bash runs at the root of the repository, once the steps that it needs have passed."""

    title: str
    command: str
    needs: tuple = ()
    # Usual time on two cores while no other step runs. Of the steps that are ready, the step with the longest chain of
    # steps after it starts first.
    seconds: int = 10
    # Number of cores that the step keeps busy. It is 0 for a step that mostly waits, such as a download. Any number of
    # such steps may run at once.
    cores: float = 1
    # True for a build or an installation. Its failure counts as a failed test, its success does not count as a test.
    is_preparation: bool = False
    # Environment variables for later steps. Their values are paths relative to the root of the repository.
    exports: dict = field(default_factory=dict, compare=False)
    # Steps that must end before this step if they are part of the run.
    after: tuple = ()
    # File with the Python packages that the step installs.
    requirements: str = ""


@dataclass(frozen=True)
class Suite:
    name: str
    about: str
    steps: tuple
    # Debian packages that the suite needs, in addition to the packages for a build of Treeline.
    packages: tuple = ()

    @property
    def all_steps(self):
        """The steps of the suite, with all builds and downloads that they need, except the build of the tests."""
        steps = set()

        def add(step):
            if step is not TESTS:
                steps.add(step)
                for needed in step.needs:
                    add(needed)

        for step in self.steps:
            add(step)
        return steps

    @property
    def seconds(self):
        """Usual time of all steps on two cores."""
        return sum(step.seconds for step in self.all_steps)

    @property
    def requirements(self):
        """Files that list the Python packages that the suite needs."""
        return sorted(step.requirements for step in self.all_steps if step.requirements)


def build(title, seconds, command, needs=(), **exports):
    # Most modules form a chain of dependencies, so a build keeps one core busy.
    return Step(title, command, needs, seconds, 1, True, exports)


def environment(folder, requirements, seconds, function="virtual_environment", options=""):
    """Returns the step that creates a virtual environment with the packages in a requirements file."""
    return Step(
        f"packages of {folder}", f"source scripts/support/packages; {function} {folder} {requirements} {options}",
        seconds=seconds, cores=0, is_preparation=True, requirements=requirements if "/" in requirements else "")


def pytest(folder, environment, selection=None):
    """Returns the command that runs the tests of a folder. An environment variable, named by `selection`, selects tests
    like -k of pytest. All tests run if it is not set."""
    selected = f' ${{{selection}:+-k "${selection}"}}' if selection else ""
    return f"{environment}/bin/python -m pytest -q {folder}{selected} $ARGUMENTS"


VIEWER_LIBRARY = Step(
    "MapLibre and the web package for maps", "scripts/build/map-page", seconds=5, cores=0, is_preparation=True)
TESTS = build(
    "build of the tests", 300, f"swift build {TEST_OPTIONS} --build-tests", (VIEWER_LIBRARY,),
    TREELINE_TOOL=f"{TEST_PRODUCTS}/treelinemap")
# Has its own folder, so it runs beside the build of the tests, which keeps little more than one core busy.
RUNTIME = build("build of the apps for the proof of the runtime", 90, "scripts/check/runtime --build")
# Runs after the build of the tests, in the same folder and with the same flags, so that shared modules compile once.
SERVER = build(
    "build of the server", 300, f"TREELINE_SHARED_BUILD=1 swift build --package-path Sources/TreelineServer {TEST_OPTIONS} --build-tests",
    (TESTS, VIEWER_LIBRARY), TREELINE_SERVER=f"{TEST_PRODUCTS}/treelinemap-server")
# Builds the library as it is shipped: without LAPACK, and with Swift's runtime inside.
LIBRARY = build("build of the library for C", 250, "scripts/build/library")
WHEEL_TOOLS = environment(".build-python/tools", "wheel", 20, "pinned_environment")
WHEEL = build(
    "build of the wheel", 10, "TREELINE_LIBRARY=$PWD/.build-c/release/libTreelineC.so scripts/build/wheel",
    (LIBRARY, WHEEL_TOOLS, VIEWER_LIBRARY))
# Takes two seconds, and starts while other steps keep all cores busy.
PYTHON_SOURCES = Step(
    "the Python package in its sources", "scripts/build/python-map && scripts/build/python-native",
    (WHEEL_TOOLS, VIEWER_LIBRARY), seconds=2, cores=0, is_preparation=True)
PYTHON_PACKAGES = environment(".build-python/venv", "Tests/TreelinePythonTests/requirements.txt", 60)
NOTEBOOK_PACKAGES = environment(".build-notebook/venv", "Tests/NotebookTests/requirements.txt", 60)
VIEWER_PACKAGES = environment(".build-viewer/venv", "Tests/ViewerTests/requirements.txt", 20)
SERVER_PACKAGES = environment(".build-server/venv", "Tests/ServerTests/requirements.txt", 20)
# PySpark has no wheel. It consists of compressed files, so its wheel is built without compression.
DATA_PACKAGES = environment(
    ".build-data/venv", "Tests/DataTests/requirements.txt", 90,
    options="--config-settings-package pyspark:--build-option=--compression=stored")

FUZZERS = build("build of the fuzzers", 200, "scripts/check/fuzz --build")
FUZZED = ("index", "sections", "filter", "csv", "geojson")

BUNDLE = f"{TEST_PRODUCTS}/treelinePackageTests.xctest"


def swift_tests(lapack, seconds, paths, expected, command):
    return Step(
        f"Swift tests under {lapack}",
        f'export LD_LIBRARY_PATH="{paths}" TREELINE_EXPECTED_LAPACK={expected}; {command}', (TESTS,), seconds)


ALL_TESTS = f"{BUNDLE} --testing-library swift-testing --skip PerformanceCountTests"
# These tests run one after another under valgrind. So they are a separate step, beside the other tests.
COUNTS = f"{BUNDLE} --testing-library swift-testing --filter PerformanceCountTests"
# The implementation of LAPACK can affect only trees, because a single file calls LAPACK. So only the tests of trees run
# with both implementations.
TREE_TESTS = f"{BUNDLE} --testing-library swift-testing --filter 'Determinism|Golden|PrincipalAxis|LAPACK'"


MAPKIT = Step("MapKit, SwiftUI and MapLibre by stubs", "scripts/check/mapkit $ARGUMENTS", seconds=100)

PYTHON = Step(
    "Python package", f"{TEST_LIBRARY} scripts/check/python $ARGUMENTS", (TESTS, PYTHON_SOURCES, PYTHON_PACKAGES), 60)

DEFAULT = (
    Suite("format", "the format of all Swift sources, habits of the prose, and the lists of CONTRIBUTING", (Step("format", "scripts/format --check"),)),
    Suite(
        "swift", "all Swift tests; tests of trees run under both implementations of LAPACK",
        (
            swift_tests("the reference LAPACK", 200, f"{LIBRARIES}/lapack:{LIBRARIES}/blas", "/lapack/", ALL_TESTS),
            swift_tests("OpenBLAS", 25, f"{LIBRARIES}/openblas-pthread", "openblas", TREE_TESTS),
            Step("instructions, allocations and memory accesses", COUNTS, (TESTS,), 45),
        ), ("liblapack3", "libopenblas0-pthread", "valgrind")),
    Suite(
        "c", "the C interface, under the sanitizers for addresses and undefined behavior",
        (Step("C interface", f"{TEST_LIBRARY} scripts/check/c", (TESTS,)),),
        ("gcc", "libc6-dev", "binutils")),
    Suite(
        "reader", "answers of a Python reader that was written from the format's document",
        (Step("index reader", "python3 -B Fixtures/index/reader/compare.py", (TESTS,), 25),)),
    Suite(
        "docs", "the examples of the README and of all pages",
        (
            Step(
                "examples of the documentation", "python3 -B scripts/check/documentation.py $ARGUMENTS", (TESTS,), 15,
                after=(SERVER, MAPKIT)),
        ), ("curl",)),
    Suite(
        "runtime", "an app with only the runtime, and one with the builder without LAPACK",
        (Step("proof of the runtime", "scripts/check/runtime --check", (TESTS, RUNTIME), 5),), ("binutils",)),
)

OTHERS = (
    Suite(
        "server", "the server, through its router and through sockets",
        (
            Step(
                "server, through its router",
                f"{TEST_PRODUCTS}/treeline-serverPackageTests.xctest --testing-library swift-testing", (SERVER,), 15),
            Step(
                "server, through sockets", pytest("Tests/ServerTests", ".build-server/venv"),
                (SERVER, SERVER_PACKAGES), 100),
        ), ("curl", "openssl")),
    Suite(
        "viewer", "the server's map in headless Chromium",
        (
            Step(
                "viewer",
                "TREELINE_PICTURES=$PWD/.build-viewer/pictures "
                + pytest("Tests/ViewerTests", ".build-viewer/venv", "TREELINE_VIEWER_TESTS"),
                (SERVER, VIEWER_PACKAGES), 330, WAITING),
        ), ("chromium",)),
    Suite(
        "web", "the web module against the tool and the server, its types and its package",
        (
            Step("types and package of the web module", "scripts/build/web .build-web", seconds=10),
            Step(
                "web module",
                # Full trials take an hour, so they are for releases. Thorough trials would take longer than a night.
                "case $TREELINE_TRIALS in full) export TREELINE_TRIALS=fast ;; thorough) export TREELINE_TRIALS=full ;; esac; "
                f"TREELINE_SERVER={TEST_PRODUCTS}/treelinemap-server node --test Tests/WebTests $ARGUMENTS",
                (TESTS, SERVER), 90),
        ), ("nodejs", "node-typescript", "esbuild")),
    Suite(
        "webmap", "the web package's badges on maps of MapLibre and Leaflet, in headless Chromium",
        (
            Step(
                "maps of the web package",
                "TREELINE_PICTURES=$PWD/.build-web/pictures "
                + pytest("Tests/WebMapTests", ".build-viewer/venv", "TREELINE_WEBMAP_TESTS"),
                (SERVER, VIEWER_PACKAGES), 150, WAITING),
        ), ("chromium", "esbuild", "libjs-leaflet", "rollup")),
    Suite(
        "python", "the Python package in its sources",
        (PYTHON,), ("gcc", "python3-dev")),
    Suite(
        "wheel", "the same tests for the package as installed from its wheel",
        # Installs the wheel into the environment in which the suite `python` runs, so it waits for this suite.
        (Step("wheel", "scripts/check/python --wheel $ARGUMENTS", (WHEEL, TESTS, PYTHON_PACKAGES), 80, after=(PYTHON,)),),
        ("gcc", "python3-dev", "unzip")),
    Suite(
        "notebook", "the map in JupyterLab and in pages, in headless Chromium",
        (
            Step(
                "notebook",
                f"{TEST_LIBRARY} PYTHONPATH=$PWD/Sources/TreelinePython TREELINE_PICTURES=$PWD/.build-notebook/pictures "
                + pytest("Tests/NotebookTests", ".build-notebook/venv", "TREELINE_NOTEBOOK_TESTS"),
                (TESTS, PYTHON_SOURCES, NOTEBOOK_PACKAGES), 250, WAITING),
        ), ("chromium", "gcc", "python3-dev")),
    Suite(
        "mapkit", "the code for Apple's platforms, against stubs of their frameworks",
        (MAPKIT,)),
    Suite(
        "platforms", "type-checks of the runtime and the builder for other platforms",
        (Step("types for other platforms", "scripts/check/platforms", seconds=55),)),
    Suite(
        "projection", "the projection, against C, Python and MPFR",
        (Step("projection", "scripts/check/projection"),), ("gcc", "libc6-dev", "libmpfr-dev")),
    Suite(
        "sanitizers", "concurrent queries under the thread sanitizer",
        (Step("thread sanitizer", "scripts/check/threads", seconds=70),)),
    Suite(
        "fuzz", "fuzzers of the index, its columns, filters and the formats of points",
        tuple(Step(f"fuzzing: {name}", f"scripts/check/fuzz {name}", (FUZZERS,), 20) for name in FUZZED)),
    Suite(
        "data", "recipes with DuckDB, pyarrow, PostGIS, GDAL and Spark's Parquet",
        (
            Step(
                "data programs", pytest("Tests/DataTests", ".build-data/venv"),
                (TESTS, DATA_PACKAGES), 40),
        ), ("gdal-bin", "postgresql", "postgresql-postgis", "openjdk-17-jre-headless")),
    Suite(
        "spark", "builds on Spark, compared byte by byte with the tool's builds",
        (
            Step(
                "Spark",
                f"{TEST_LIBRARY} PYTHONPATH=$PWD/Sources/TreelinePython:$PWD/Tests/SparkTests:$PWD/Tests/Support "
                + pytest("Tests/SparkTests", ".build-data/venv", "TREELINE_SPARK_TESTS"),
                (TESTS, PYTHON_SOURCES, DATA_PACKAGES), 200, WAITING),
        ), ("openjdk-17-jre-headless", "gcc", "python3-dev")),
    Suite(
        "install", "the tool and the server as installed",
        (Step("installed programs", "scripts/check/install", (TESTS, SERVER), 20),), ("binutils",)),
)

# Suites that run only if they are named, because they take minutes and need more than a checkout.
ALONE = (
    Suite(
        "release", "the files that scripts/release has made, in bare roots of Debian and with crun; needs root",
        (Step("files of the release", "python3 -B scripts/check/release.py $ARGUMENTS", seconds=240),),
        ("mmdebstrap", "crun", "umoci")),
)

SUITES = {suite.name: suite for suite in DEFAULT + OTHERS + ALONE}
