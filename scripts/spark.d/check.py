"""Holds builds on Spark to the bytes of `treeline build`; called by scripts/test-spark, which says what."""

import argparse
import filecmp
import os
import shutil
import sys
import tempfile
import time

import numpy as np
import pyarrow.parquet as pq
import treeline
import treeline.spark
from treeline._spark_tasks import Tasks

import cluster
import points

STAGES = ("read", "answer", "add_up", "partition", "build")
#: Of columns with more different texts than a survey keeps.
GATHERING = ("gather", "unite")


class Lost(Tasks):
    """Tasks of which the first of each stage loses its executor halfway, by SIGKILL."""

    def lose(self, stage, values):
        for number, value in enumerate(values):
            yield value
            if number == 0 and self.is_first(stage):
                process = os.getppid()
                while not cluster.is_executor(process):
                    process = cluster.parent(process)
                os.kill(process, 9)
                time.sleep(60)

    def is_first(self, stage):
        try:
            os.close(os.open(f"{os.path.dirname(self.folder)}/marks/{stage}", os.O_CREAT | os.O_EXCL))
        except FileExistsError:
            return False
        return True

    def read(self, batches):
        return Tasks.read(self, self.lose("read", batches))

    def gather(self, wanted, names):
        return Tasks.gather(self, wanted, self.lose("gather", names))

    def unite(self, wanted, names):
        return Tasks.unite(self, wanted, self.lose("unite", names))

    def answer(self, places, question, sections):
        return Tasks.answer(self, places, question, self.lose("answer", sections))

    def add_up(self, question, answers):
        return Tasks.add_up(self, question, self.lose("add_up", answers))

    def partition(self, places, plan, sections):
        return self.lose("partition", Tasks.partition(self, places, plan, sections))

    def build(self, plan, blocks):
        # Behind the first piece, which is written: whoever builds it again finds it there.
        return self.lose("build", Tasks.build(self, plan, blocks))


class Small(Lost):
    """The same whose blocks of points begin and end within batches of values."""

    block_size = 1500


class Twice(Tasks):
    """Tasks that are done twice, as if a second attempt had begun while the first one wrote."""

    def read(self, batches):
        batches = list(batches)
        list(Tasks.read(self, batches))
        return Tasks.read(self, batches)

    def build(self, plan, blocks):
        blocks = list(blocks)
        list(Tasks.build(self, plan, blocks))
        return Tasks.build(self, plan, blocks)


class Slow(Lost):
    """Tasks of which the first of each stage hangs, so that Spark starts it a second time, elsewhere."""

    def lose(self, stage, values):
        for number, value in enumerate(values):
            yield value
            if number == 0 and self.is_first(stage):
                time.sleep(30)


class Check:
    def __init__(self, session, work, count):
        self.session, self.work, self.count = session, work, count
        self.problems = []
        self.expected = {}

    def data(self, shape):
        folder = f"{self.work}/{shape.__name__}"
        if not os.path.exists(folder):
            points.write(folder, shape, self.count, files=8)
        return folder

    def index(self, shape, split):
        """Of the tool, made once."""
        if (shape, split) not in self.expected:
            path = f"{self.work}/{shape.__name__}-{split}.treeline"
            self.expected[shape, split] = points.index(self.data(shape), path, "--split", split)
        return self.expected[shape, split]

    def described(self):
        """Points with columns, and their index."""
        folder, path = f"{self.work}/described", f"{self.work}/described.treeline"
        if not os.path.exists(folder):
            points.write(folder, points.flawed, self.count, files=8, has_columns=True)
            points.index(folder, path, "--split", "mean")
        return folder, path

    def run(self, name, shape, partitions, split="mean", tasks=Tasks, columns=(), kinds=None):
        data, expected = self.described() if columns else (self.data(shape), self.index(shape, split))
        df = self.session.read.parquet(data).repartition(partitions)
        shutil.rmtree(f"{self.work}/marks", ignore_errors=True)
        os.mkdir(f"{self.work}/marks")
        out, refused, start = f"{self.work}/out.treeline", f"{self.work}/refused.parquet", time.time()
        stages = {}
        built = treeline.spark.build(
            df, "lon", "lat", row="id", columns=columns, kinds=kinds, out=out, split=split, refused=refused,
            piece_size=max(17, self.count // 12), _tasks=tasks,
            progress=lambda stage, _: stages.setdefault(stage, time.time() - start))
        seconds = time.time() - start
        self.expect(name, "the bytes of the tool", filecmp.cmp(out, expected, shallow=False))
        self.expect(name, "nothing left", not [entry for entry in os.listdir(self.work) if entry.endswith(".scratch")])
        if issubclass(tasks, Lost):
            expected = sorted(STAGES + GATHERING if columns else STAGES)
            self.expect(name, f"each of {expected}", sorted(os.listdir(f"{self.work}/marks")) == expected)
        told = " ".join(f"{stage} from {second:.1f}" for stage, second in stages.items())
        print(f"{name}: {built.point_count} points in {seconds:.1f} s ({told})", flush=True)
        return built, refused

    def expect(self, name, what, holds):
        if not holds:
            self.problems.append(f"{name}: expected {what}")

    def check_flaws(self):
        """Rows on no map are counted and listed, all of them."""
        name = "rows on no map, 16 partitions"
        built, refused = self.run(name, points.flawed, 16)
        table = pq.read_table(self.data(points.flawed)).to_pandas()
        bad = (table.lon.abs() > 180) | ~(table.lat.abs() <= 90)
        rows = sorted(table.id[bad].tolist())
        self.expect(name, "all that are refused", sorted(pq.read_table(refused)["row"].to_pylist()) == rows)
        self.expect(name, "their number", built.refused_count == len(rows) > 0)
        self.expect(name, "some listed", {place.row for place in built.refused} <= set(rows) and len(built.refused) > 0)

    def check_numbers_of_its_own(self):
        """Without row numbers the hierarchy is the same."""
        df = self.session.read.parquet(self.data(points.stack)).repartition(5)
        out = f"{self.work}/unnumbered.treeline"
        tree = treeline.spark.build(df, "lon", "lat", out=out, piece_size=self.count // 3, split="mean").open()
        expected = treeline.open(self.index(points.stack, "mean"))
        name = "rows as Spark has them"
        self.expect(name, "the same content hash", tree.content_hash == expected.content_hash)
        rows = np.sort(tree.members(tree.root()[0]).row)
        self.expect(name, "each row once", np.array_equal(rows, np.arange(self.count)))
        print(name, flush=True)

    def check_columns(self):
        """Columns of each kind, with missing values and rows that are left out, while executors are lost."""
        name = "columns of each kind, 16 partitions, an executor killed in each stage"
        records = "spark.sql.execution.arrow.maxRecordsPerBatch"
        usual = self.session.conf.get(records)
        self.session.conf.set(records, "1000")
        built, _ = self.run(name, points.flawed, 16, tasks=Small, columns=points.TYPES.names, kinds=points.TOLD)
        self.session.conf.set(records, usual)
        self.expect(name, "columns of these kinds", built.open().columns == points.KINDS)
        self.expect(name, "separations", built.open().has_separations)
        df = self.session.range(70_000).selectExpr("id", "id / 1000 AS lon", "0 AS lat", "concat('Zum ', id) AS name")
        for what, words, kind in (("a value that does not suit", "row ", "number"), ("too many", "memory", "text")):
            try:
                treeline.spark.build(
                    df, "lon", "lat", row="id", columns="name", kinds={"name": kind}, memory="1MB",
                    out=f"{self.work}/none.treeline")
                self.problems.append(f"{what}: expected an error")
            except treeline.Error as error:
                self.expect(what, f"{words!r} in {str(error)!r}", words in str(error))

    def check_planes(self):
        """Plain coordinates, whose plane is known when all are read."""
        df = self.session.read.parquet(self.data(points.towns)).selectExpr("id", "lon * 1000 AS x", "lat * 7 AS y")
        out, expected = f"{self.work}/plane.treeline", f"{self.work}/plane-whole.treeline"
        treeline.spark.build(df, "x", "y", out=out, row="id", planar=True, split="mean", piece_size=self.count // 5,
                             separations=False)
        table = pq.read_table(self.data(points.towns)).sort_by("id").to_pandas()
        treeline.build(
            table.lon.to_numpy() * 1000, table.lat.to_numpy() * 7, planar=True, split="mean", separations=False
        ).save(expected)
        self.expect("a plain plane", "the bytes of a build in memory", filecmp.cmp(out, expected, shallow=False))
        print("a plain plane", flush=True)

    def check_faults(self):
        """What is wrong is told, and nothing is left."""
        df = self.session.range(100).selectExpr("id", "CAST(id AS DOUBLE) AS lon", "0.0 AS lat", "id - 1 AS before")
        out = f"{self.work}/none.treeline"
        for what, words, arguments in (
            ("a row below 0", "found -1", {"row": "before"}),
            ("a name of no column", "'long'", {"lon": "long"}),
            ("a column of no such name", "'size'", {"columns": ["size"]}),
            ("columns of one name", "different names", {"columns": ["id", "id"]}),
            ("a kind of no column", "'size'", {"columns": ["id"], "kinds": {"size": "number"}}),
            ("a folder that nobody has", "mount it", {"scratch": "s3://bucket/folder"}),
            ("a rule that looks at all points", "gamma", {"split": "gamma:2"}),
        ):
            try:
                treeline.spark.build(df, **({"lon": "lon", "lat": "lat", "out": out} | arguments))
                self.problems.append(f"{what}: expected an error")
            except (ValueError, KeyError) as error:
                self.expect(what, f"{words!r} in {str(error)!r}", words in str(error))
        self.expect("faults", "no index", not os.path.exists(out))
        empty = treeline.spark.build(df.where("id < 0"), "lon", "lat", out=out)
        self.expect("no points", "an empty index", empty.point_count == 0 and len(empty.open()) == 0)
        print("faults", flush=True)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--points", type=lambda text: int(float(text)), default=100_000)
    parser.add_argument("--speculation", action="store_true")
    arguments = parser.parse_args()
    os.environ["TREELINE_TOOL"] = os.path.abspath(os.environ["TREELINE_TOOL"])
    start = time.time()
    with tempfile.TemporaryDirectory() as work, cluster.cluster(work, arguments.speculation) as session:
        check = Check(session, work, arguments.points)
        print(f"Two executors: {cluster.executors()}", flush=True)
        if arguments.speculation:
            check.run("tasks that hang", points.towns, 16, tasks=Slow)
        else:
            check.check_columns()
            check.run("towns, 16 partitions", points.towns, 16)
            check.run("towns by least scatter, 64 partitions", points.towns, 64, "least-scatter")
            check.run("nine of ten in one city, 64 partitions", points.city, 64)
            check.run("one of ten at one position, 16 partitions", points.stack, 16)
            check.check_flaws()
            check.run("an executor killed in each stage", points.towns, 16, tasks=Lost)
            check.run("each task twice", points.towns, 16, tasks=Twice)
            check.check_numbers_of_its_own()
            check.check_planes()
            check.check_faults()
        problems = check.problems
    print(*problems, sep="\n", end="\n" if problems else "", file=sys.stderr)
    print(f"Builds on Spark: {len(problems)} problems, {time.time() - start:.0f} s")
    sys.exit(bool(problems))


if __name__ == "__main__":
    # So that executors get the classes above by value: they are in no module that they could import.
    main()
