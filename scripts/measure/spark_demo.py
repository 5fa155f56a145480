"""Builds an index on Spark and prints the time and the memory of each step. scripts/measure/spark-demo calls it."""

import argparse
import filecmp
import os
import sys
import tempfile
import time

import treelinemap.spark

import cluster
import points


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--points", type=lambda text: int(float(text)), default=1_000_000)
    parser.add_argument("--partitions", type=int, default=16)
    parser.add_argument("--split", default="mean")
    parser.add_argument("--piece-size", type=lambda text: int(float(text)))
    parser.add_argument("--parquet", help="a file, a folder or a pattern, instead of generated points")
    parser.add_argument("--lon", default="longitude")
    parser.add_argument("--lat", default="latitude")
    parser.add_argument("--out", help="where to write the index")
    parser.add_argument("--no-comparison", action="store_true", help="do not compare the index with the tool's index")
    parser.add_argument("--folder", help="where to put temporary files")
    arguments = parser.parse_args()
    for name in ("parquet", "out"):
        if getattr(arguments, name):
            setattr(arguments, name, os.path.abspath(getattr(arguments, name)))
    with tempfile.TemporaryDirectory(dir=arguments.folder) as work:
        start = time.time()
        names, row = (arguments.lon, arguments.lat), None
        if arguments.parquet is None:
            arguments.parquet, names, row = f"{work}/points", ("lon", "lat"), "id"
            points.write(arguments.parquet, points.towns, arguments.points, files=16)
            seconds = time.time() - start
            print(f"{arguments.points:,} points around 300 towns, shuffled, in 16 Parquet files: {seconds:.1f} s")
        with cluster.cluster(work) as session:
            build(session, work, names, row, arguments)


def build(session, work, names, row, arguments):
    print(f"Spark {session.version}, executors: processes {cluster.executors()}")
    df = session.read.parquet(arguments.parquet).repartition(arguments.partitions)
    out = arguments.out or f"{work}/spark.treeline"
    # Resets the peak of memory, so that the generation of points does not count.
    with open("/proc/self/clear_refs", "w") as file:
        file.write("5")
    start, stages = time.time(), []
    size = arguments.piece_size or max(17, min(1_000_000, arguments.points // 12))

    def progress(stage, _):
        if not stages or stages[-1][0] != stage:
            stages.append([stage, time.time(), 0])
        stages[-1][2] += 1

    built = treelinemap.spark.build(
        df, *names, row=row, out=out, split=arguments.split, piece_size=size,
        overwrite=True, progress=progress)
    end = time.time()
    for (stage, begin, calls), following in zip(stages, [stage[1] for stage in stages[1:]] + [end]):
        passes = f", {calls} passes" if stage == "planning" else ""
        print(f"  {stage}: {following - begin:.1f} s{passes}")
    print(f"{built.point_count:,} points in {end - start:.1f} s, {built.refused_count} refused; "
          f"an index of {os.path.getsize(out):,} bytes")
    driver = next(int(p) for p in os.listdir("/proc") if p.isdigit() and is_driver(int(p)))
    print(f"Most memory: driver's Python {cluster.peak()} MB and Java {cluster.peak(driver)} MB, "
          f"executors' Java {', '.join(str(cluster.peak(p)) for p in cluster.executors())} MB")
    if arguments.no_comparison:
        return
    if row is None:
        print("Not compared: Spark numbered the rows. With row=COLUMN the bytes would equal those of treelinemap build")
        return
    start = time.time()
    # Allows the same memory for any number of points.
    options = ["--memory", "1GB", "--split", arguments.split]
    expected = points.index(arguments.parquet, f"{work}/whole.treeline", *options)
    print(f"treelinemap build --memory 1GB of the same rows, as CSV: {time.time() - start:.1f} s")
    is_same = filecmp.cmp(out, expected, shallow=False)
    print("The indexes are the same, byte for byte" if is_same else "The indexes differ")
    sys.exit(not is_same)


def is_driver(process):
    with open(f"/proc/{process}/cmdline", "rb") as file:
        return b"org.apache.spark.deploy.SparkSubmit" in file.read().split(b"\0") and cluster.descends(
            process, os.getpid())


if __name__ == "__main__":
    main()
