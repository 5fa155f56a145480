"""Fixtures of the Spark tests: two executors on this machine, points in Parquet files, and the indexes that the tool
builds from these points."""

import filecmp
import os
import pathlib
import sys
import tempfile
import time

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "Tests/Support"))

import treelinemap.spark
from treelinemap._spark_tasks import Tasks

import cluster
import points
from faulty_tasks import GATHERING, PLANNING, SPARED, STAGES, Lost
from programs import program
from suite import note, pytest_sessionstart, pytest_terminal_summary  # noqa: F401
from trials import are_fast

#: Number of points that is enough for every stage of a build. There are more distinct texts than a survey keeps.
STANDARD_COUNT = 100_000

os.environ["TREELINE_TOOL"] = program("TREELINE_TOOL")


def pytest_addoption(parser):
    parser.addoption(
        "--points", type=lambda text: int(float(text)), default=STANDARD_COUNT,
        help="points of each build, such as 1e7")
    parser.addoption(
        "--speculation", action="store_true", help="have tasks hang, on two hosts, so that Spark starts them again")


def pytest_collection_modifyitems(config, items):
    """Tests of tasks that hang need a separate cluster. So a run has either only these tests, or all other tests."""
    is_chosen = lambda item: (item.get_closest_marker("speculation") is not None) == config.option.speculation
    config.hook.pytest_deselected(items=[item for item in items if not is_chosen(item)])
    items[:] = filter(is_chosen, items)


def pytest_configure(config):
    config.addinivalue_line("markers", "speculation: runs with --speculation")


@pytest.fixture(scope="session")
def work(tmp_path_factory):
    return str(tmp_path_factory.mktemp("spark"))


@pytest.fixture(scope="session")
def spark(work, pytestconfig):
    """The Spark session. All tests share it, because it takes seconds to start."""
    with cluster.cluster(work, pytestconfig.option.speculation) as session:
        yield session


class Builds:
    """Builds indexes on Spark in a folder. Compares each of them with an index that the tool builds, only once, from
    the same points."""

    def __init__(self, session, work, count, note):
        self.session, self.work, self.count, self._note = session, work, count, note

    def data(self, shape, has_columns=False):
        """Returns the folder with the points of a shape."""
        folder = f"{self.work}/{shape.__name__}{'-described' if has_columns else ''}"
        if not os.path.exists(folder):
            points.write(folder, shape, self.count, files=8, has_columns=has_columns)
        return folder

    def index(self, shape, split="mean", has_columns=False, supporting=None):
        """Returns the path of the index that the tool builds."""
        data = self.data(shape, has_columns)
        path = f"{data}-{supporting or split}.treeline"
        growth = ("--for", supporting) if supporting else ("--split", split)
        return path if os.path.exists(path) else points.index(data, path, *growth)

    def check(self, shape, partitions, split="mean", tasks=Tasks, columns=(), kinds=None, supporting=None):
        """Builds an index on Spark, and compares its bytes with the tool's index of the same points. Returns the result
        of the build.

        :param supporting: As in `treelinemap.spark.build`. If it is given, the tree grows by merging.
        """
        df = self.session.read.parquet(self.data(shape, bool(columns))).repartition(partitions)
        expected = self.index(shape, split, bool(columns), supporting)
        growth = {"supporting": supporting} if supporting else {"split": split}
        folder = tempfile.mkdtemp(dir=self.work)
        os.mkdir(f"{folder}/marks")
        # A mark says that an executor was already lost in this stage.
        spared = SPARED if are_fast() and not supporting else ()
        for stage in spared:
            pathlib.Path(f"{folder}/marks/{stage}").touch()
        out, start, stages = f"{folder}/out.treeline", time.monotonic(), {}
        built = treelinemap.spark.build(
            df, "lon", "lat", row="id", columns=columns, kinds=kinds, out=out, **growth,
            refused=f"{folder}/refused.parquet", piece_size=max(17, self.count // 12), _tasks=tasks,
            progress=lambda stage, _: stages.setdefault(stage, time.monotonic() - start))
        told = ", ".join(f"{stage} from {second:.1f}" for stage, second in stages.items())
        self._note(f"{built.point_count} points in {time.monotonic() - start:.1f} s ({told})")
        assert filecmp.cmp(out, expected, shallow=False), "expected the bytes of the tool"
        assert set(os.listdir(folder)) <= {"marks", "out.treeline", "refused.parquet"}, "expected nothing left"
        # With fewer points, a build has fewer stages.
        if issubclass(tasks, Lost) and self.count >= STANDARD_COUNT:
            wanted = {*STAGES, *(GATHERING if columns else ()), *spared} - ({*PLANNING} if supporting else set())
            assert set(os.listdir(f"{folder}/marks")) == wanted
        return built


@pytest.fixture
def builds(spark, work, pytestconfig, note):
    return Builds(spark, work, pytestconfig.option.points, note)
