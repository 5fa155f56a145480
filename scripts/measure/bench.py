"""Measures Treeline beside its peers, and writes a table, a JSON file and a picture of how build times grow.

Both sides take turns, round by round. So if the machine slows down, both sides are affected. A figure is the median
over the rounds. Every answer of a timed run is checked; the clock is stopped during the check.
"""

import argparse
import gzip
import json
import os
import shutil
import statistics
import sys
from datetime import date
from functools import partial
from math import log2

import growth
import results
import sides
from machine import machine
from publish import publish
from results import Bound, Row, Samples
from sides import THREADS, ours, peer

# Options of builds, by the text that they add to the name of a row.
AT_THE_MEAN = ["--split", "mean"]
WAYS = {"": [], "; tree split at the mean": AT_THE_MEAN}
UK = "../shared/data/uk_postcodes.csv.gz"
WORST_CASES = {
    "sorted": "uniform points, sorted from west to east",
    "coincident": "all points at one position",
    "line": "points on a line",
    "geometric": "points in 28 rings, each half as wide as the ring around it",
}

METRICS = {"distance": "by distance", "badges": "for badges", "scatter": "by scatter"}


PARTS = (
    "first_look", "builds", "thread_gain", "worst_cases", "growth", "memory", "pieces", "merging", "views",
    "fixed_limit", "spacing", "map", "phone", "filters", "aggregates", "counts", "reading", "end_to_end", "cancelling",
)
FIXTURES = {name.replace("_", " "): f"Fixtures/{name}.csv.gz" for name in ("iceland_addresses", "cities", "airports")}


def main():
    parser = argparse.ArgumentParser(prog="scripts/bench", description="Measures Treeline beside its peers.")
    size = parser.add_mutually_exclusive_group()
    size.add_argument("--quick", action="store_true", help="few points and rounds, to try the benchmarks in one or two minutes")
    size.add_argument("--large", action="store_true", help="also 10 and 100 million points, which takes some 20 minutes and 8 GB more")
    size.add_argument(
        "--huge", action="store_true", help="as --large, and a billion points in pieces if 60 GB of disk are free"
    )
    parser.add_argument("--rounds", type=int, help="number of rounds (default: 5; with --quick 2)")
    parser.add_argument("--json", metavar="FILE", help="where to write the figures (default: results.json in the folder)")
    parser.add_argument("--markdown", action="store_true", help="print the table as Markdown")
    parser.add_argument("--only", metavar="PART,PART", help="parts to run, of " + ", ".join(PARTS))
    parser.add_argument("--merge", action="store_true", help="keep the results of an earlier run for all other parts")
    parser.add_argument("--publish", action="store_true", help="write the table and the picture into the documentation; with --only, the sections of these parts")
    parser.add_argument("--folder", default=".build-bench", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.publish and options.quick:
        parser.error("--publish writes into the documentation, so it cannot be used with --quick")
    # Skips the first two arguments: scripts/bench adds `--folder` and its value.
    command = " ".join(["scripts/bench", *sys.argv[3:]])
    facts = {"run": f"`{command}` on {date.today()}"} | machine(sides.BENCHMARKS)
    bench = Bench(options)
    path = options.json or f"{options.folder}/results.json"
    parts = {}
    if options.merge and os.path.exists(path):
        with open(path) as file:
            parts = json.load(file)["parts"]
    for part in bench.run():
        parts[part] = {
            "run": results.run_text(facts),
            "rounds": bench.rounds,
            "rows": [row.json() for row in bench.rows],
            "growth": bench.curves,
            "queries": bench.queries,
        }
        # Saves the results of each part at once, in case a later part fails.
        with open(path, "w") as file:
            json.dump({"machine": facts, "parts": parts}, file, indent=1)
    rows = [Row.of(row, parts[part]["run"]) for part in PARTS if part in parts for row in parts[part]["rows"]]
    table = results.markdown(rows, facts)
    with open(f"{options.folder}/results.md", "w") as file:
        file.write(table)
    curves = {
        kind: {int(size): seconds for size, seconds in curve.items()}
        for kind, curve in parts.get("growth", {}).get("growth", {}).items()
    }
    picture = f"{options.folder}/growth.png" if curves else None
    if picture:
        growth.draw(curves, picture)
    if options.publish:
        publish(table, picture, is_whole=set(PARTS) <= set(parts))
    print(table if options.markdown else "\n".join(facts.values()) + "\n" + results.text(rows))


class Bench:
    def __init__(self, options):
        self.quick, self.large, self.huge = options.quick, options.large or options.huge, options.huge
        self.rounds = options.rounds or (2 if options.quick else 5)
        self.only = options.only.split(",") if options.only else []
        unknown = set(self.only) - set(PARTS)
        if unknown:
            sys.exit(f"expected parts out of {', '.join(PARTS)}, found {', '.join(sorted(unknown))}")
        self.folder = options.folder
        self.rows = []
        self.curves = {}
        self.queries = {}
        self.files = set()
        # The files of points for the comparisons, by the name of the set.
        self.million = 200_000 if options.quick else 1_000_000
        self.sets = {f"{count_text(self.million)} clustered points": self.file(f"clustered:{self.million}")}
        if os.path.exists(UK):
            self.sets = {"UK postcodes": self.file(UK, "uk_postcodes")} | self.sets
        else:
            say(f"{UK} does not exist: only generated points are measured")

    def run(self):
        """Runs the parts. Yields each part's name when it is done; its results are then in `rows`, `curves`,
        `queries`."""
        for part in PARTS:
            if self.only and part not in self.only:
                continue
            say(part.replace("_", " "))
            self.rows, self.curves, self.queries = [], {}, {}
            getattr(self, part)()
            yield part

    def file(self, points, name=None, extension="f64", padding=12):
        """Returns the path of a file of points. The file is written again in every run, because an older build of the
        tool may have generated other points."""
        path = f"{self.folder}/{(name or points).replace(':', '-')}.{extension}"
        if path not in self.files:
            sides.write_with_ours("generate", points, path, "--padding", padding)
            self.files.add(path)
        return path

    def add(self, *row, **more):
        self.rows.append(Row(*row, **more))

    # What newcomers ask first

    def first_look(self):
        """Measures builds of a million generated points and of the fixtures with one thread."""
        sets = {f"1 M {kind} points": f"{kind}:1000000" for kind in ("uniform", "clustered")} | FIXTURES
        for name, points in sets.items():
            builds = [ours("build", points, "--threads", 1, "--runs", 2)["seconds"] for _ in range(self.rounds)]
            times = [statistics.median(seconds) for seconds in builds]
            self.add("Build on one thread", name, Samples(times, "s"), None, times, Bound(1.5, figure="{:.3f} s"))

    # Builds

    def builds(self):
        section = "Build on two threads"
        for name, path in self.sets.items():
            pairs = []
            sides_of_round = (
                lambda: ours("build", path, "--threads", THREADS, "--runs", 2, *AT_THE_MEAN),
                lambda: ours("build", path, "--threads", THREADS, "--runs", 2),
                lambda: peer("build", "kdtree", path, 1, 2),
                lambda: peer("build", "supercluster", path, 0 if self.quick else 1, 1),
            )
            for round in range(self.rounds):
                runs = in_turn(round, *sides_of_round)
                pairs.append([statistics.median(run["seconds"]) for run in runs])
            mean, tree, kdtree, supercluster = zip(*pairs)
            self.add(
                section,
                f"{name}: build of a tree split at the mean, time relative to cKDTree",
                Samples(mean, "s"),
                Samples(kdtree, "s"),
                ratios(mean, kdtree),
                Bound(1.5, aim=1.0),
            )
            self.add(
                section,
                f"{name}: build of a tree split at the least scatter, time relative to a tree split at the mean",
                Samples(tree, "s"),
                Samples(mean, "s"),
                ratios(tree, mean),
                Bound(2.2),
            )
            for how, samples, bound in (
                ("least scatter", tree, None), ("mean", mean, Bound(6, False, aim=10, figure="{:.1f}x")),
            ):
                self.add(
                    section,
                    f"{name}: build of a tree split at the {how}, speed relative to pysupercluster",
                    Samples(samples, "s"),
                    Samples(supercluster, "s"),
                    ratios(supercluster, samples),
                    bound,
                )

    def thread_gain(self):
        for name, path in self.sets.items():
            builds = [lambda threads=threads: ours("build", path, "--threads", threads, "--runs", 2) for threads in (2, 1)]
            rounds = [
                [statistics.median(run["seconds"]) for run in in_turn(round, *builds)] for round in range(self.rounds)
            ]
            two, one = zip(*rounds)
            self.add(
                "Build on two threads",
                f"{name}: speed relative to one thread",
                Samples(two, "s"),
                Samples(one, "s"),
                ratios(one, two),
                Bound(1.7, False),
            )

    def worst_cases(self):
        size = self.million
        for how, options in WAYS.items():
            times = {kind: [] for kind in ["uniform", *WORST_CASES]}
            for _ in range(self.rounds):
                for kind, samples in times.items():
                    build = ours("build", f"{kind}:{size}", "--threads", THREADS, "--runs", 2, *options)
                    samples.append(statistics.median(build["seconds"]))
            for kind, name in WORST_CASES.items():
                self.add(
                    f"Build of {count_text(size)} unusual points, relative to {count_text(size)} uniform points",
                    f"{name}{how}",
                    Samples(times[kind], "s"),
                    Samples(times["uniform"], "s"),
                    ratios(times[kind], times["uniform"]),
                    Bound(3),
                )

    def growth(self):
        sizes = [100_000, 316_228] if self.quick else [100_000, 316_228, 1_000_000, 3_162_278]
        if self.large:
            sizes += [10_000_000, 31_622_777, 100_000_000]
        kinds = ("uniform", "clustered")
        times = {(kind, size): [] for kind in kinds for size in sizes}
        # Times the smallest sets in every round, and larger sets in fewer rounds.
        for round in range(self.rounds):
            for (kind, size), samples in times.items():
                if round * size <= 20_000_000:
                    runs = max(2, min(9, 2_000_000 // size))
                    warmups = 1 if size <= 10_000_000 else 0
                    build = ours(
                        "build", f"{kind}:{size}", "--threads", THREADS, "--runs", runs, "--warmups", warmups,
                        *AT_THE_MEAN)
                    samples.append(statistics.median(build["seconds"]))
        for kind in kinds:
            curve = self.curves[kind] = {size: statistics.median(times[kind, size]) for size in sizes}
            first = curve[sizes[0]] / (sizes[0] * log2(sizes[0]))
            for size in sizes[1:]:
                self.add(
                    "Build of trees split at the mean: time divided by N log N",
                    f"{count_text(size)} {kind} points, relative to {count_text(sizes[0])} points",
                    Samples(times[kind, size], "s"),
                    Samples(times[kind, sizes[0]], "s"),
                    [curve[size] / (size * log2(size)) / first],
                    Bound(1.3),
                )
        if self.large:
            for kind in kinds:
                self.add(
                    "100 million generated points",
                    f"build of 100 M {kind} points, split at the mean",
                    Samples(times[kind, sizes[-1]], "s"),
                    None,
                    [self.curves[kind][sizes[-1]]],
                    Bound(45, figure="{:.1f} s"),
                )

    def memory(self):
        index = f"{self.folder}/memory.treeline"
        for name, path in self.sets.items():
            build = ours("memory", path, "--index", index)
            rise = build["residentPeak"] - build["residentBefore"]
            for what, size, bound in (
                ("peak memory without the coordinates, relative to the size of the index", rise, Bound(2.5)),
                ("peak memory with the coordinates, relative to the size of the index", rise + 16 * build["points"], None),
            ):
                self.add(
                    "Memory of a build",
                    f"{name}: {what}",
                    Samples([size], "B"),
                    Samples([build["indexBytes"]], "B"),
                    [size / build["indexBytes"]],
                    bound,
                    note="The peak memory is measured in a process that only builds a tree. Peak memory is the largest memory of this process, minus the memory of this process before the build. The coordinates are already in memory before the build, so the difference does not include the coordinates. Rows *with the coordinates* add 16 bytes per point.",
                )
            supercluster = peer("build", "supercluster", path, 0, 1)
            if supercluster["residentPeak"]:
                self.add(
                    "Memory of a build",
                    f"{name}: peak memory without the coordinates, relative to pysupercluster",
                    Samples([rise], "B"),
                    Samples([supercluster["residentPeak"] - supercluster["residentBefore"]], "B"),
                    [rise / (supercluster["residentPeak"] - supercluster["residentBefore"])],
                )
        if self.large:
            for kind in ("uniform", "clustered"):
                build = ours("memory", f"{kind}:100000000", "--index", index)
                rise = build["residentPeak"] - build["residentBefore"]
                for what, size in (("without the coordinates", rise), ("with the coordinates", build["residentPeak"])):
                    self.add(
                        "100 million generated points",
                        f"peak memory of the build of 100 M {kind} points, {what}",
                        Samples([size], "B"),
                        None,
                        [size / 1e9],
                        Bound(6, figure="{:.2f} GB"),
                    )
                self.add(
                    "100 million generated points",
                    f"peak memory of the build of 100 M {kind} points, without the coordinates, relative to the size of the index",
                    Samples([rise], "B"),
                    Samples([build["indexBytes"]], "B"),
                    [rise / build["indexBytes"]],
                    Bound(2.5),
                )

    # Building beyond memory

    def pieces(self):
        """Compares builds in pieces with builds in memory, and builds a billion points, more than memory holds."""
        section = "Builds in pieces, from generated points to an index on the disk"
        sizes = [self.million] + ([100_000_000] if self.large else [])
        for size in sizes:
            # A tenth of the memory that a build in memory takes, but at least the memory that the process itself needs.
            memory = max(5 * size, 60_000_000)
            for rule in ("mean", "least-scatter"):
                options = [f"clustered:{size}", "--split", rule, "--threads", THREADS, "--folder", self.folder]
                runs = [
                    lambda more=more: ours("pieces", *options, *more) for more in (["--memory", memory], [])
                ]
                pieces, whole = zip(*(in_turn(round, *runs) for round in range(self.rounds if size <= 1_000_000 else 1)))
                hashes = {run["contentHash"] for run in (*pieces, *whole)}
                assert len(hashes) == 1, f"trees of {size} points differ between builds in pieces and in memory: {hashes}"
                times, others = [run["seconds"] for run in pieces], [run["seconds"] for run in whole]
                name = f"{count_text(size)} clustered points, split at the {rule.replace('-', ' ')}, {pieces[0]['pieces']} pieces"
                bound = Bound(1.6) if size > 1_000_000 else None
                self.add(section, f"{name}: time, relative to a build in memory", Samples(times, "s"), Samples(others, "s"),
                         ratios(times, others), bound)
                self.add(section, f"{name}: peak memory, with a limit of {memory / 1e6:.0f} MB",
                         Samples([run["residentPeak"] for run in pieces], "B"))
        if not self.huge:
            return
        if shutil.disk_usage(self.folder).free < 60e9:
            say("left out the billion points: less than 60 GB of disk are free")
            return
        run = ours("pieces", "clustered:1000000000", "--split", "mean", "--threads", THREADS, "--folder", self.folder,
                   "--memory", 2_000_000_000, "--keep")
        path = f"{self.folder}/pieces.treeline"
        try:
            opened = ours("index", path)
        finally:
            os.remove(path)
        name = f"1000 M clustered points, split at the mean, {run['pieces']} pieces"
        self.add(section, f"{name}: time", Samples([run["seconds"]], "s"), None, [run["seconds"] / 60],
                 Bound(20, figure="{:.1f} min", aim=8))
        self.add(section, f"{name}: peak memory", Samples([run["residentPeak"]], "B"), None, [run["residentPeak"] / 1e9],
                 Bound(3, figure="{:.2f} GB", aim=2))
        # The percentile over all views; the time of a view is the median of its repeats.
        warm = percentile(opened["warm"], 95)
        self.add(section, f"{name}: query of 100 clusters with coordinates, p95", Samples([warm], "s"), None, [1e6 * warm],
                 Bound(20, figure="{:.1f} µs"))
        self.add(section, f"{name}: opening the index", Samples([opened["opening"]], "s"), None,
                 [1e3 * opened["opening"]], Bound(1, figure="{:.2f} ms"))

    # Trees grown by merging

    def merging(self):
        section = "Build by merging on two threads"
        limits = {"distance": Bound(0.9, aim=0.7), "badges": Bound(1.25, aim=0.95), "scatter": Bound(2.0, aim=1.2)}
        for name, path in self.sets.items():
            is_uk = name == "UK postcodes"
            runs = {
                (metric, threads): partial(self.merged, path, threads, metric) for metric in METRICS for threads in (2, 1)
            }
            runs["peer"] = lambda: peer("build", "supercluster", path, 0 if self.quick else 1, 1)
            rounds = [in_turn(round, *runs.values()) for round in range(self.rounds)]
            found = {key: [round[place] for round in rounds] for place, key in enumerate(runs)}
            times = {key: [statistics.median(run["seconds"]) for run in builds] for key, builds in found.items()}
            for metric, how in METRICS.items():
                two, one = times[metric, 2], times[metric, 1]
                trees = {run["contentHash"] for run in found[metric, 2] + found[metric, 1]}
                assert len(trees) == 1, "the tree depends on the threads"
                self.add(
                    section, f"{name}, {how}: time relative to pysupercluster", Samples(two, "s"),
                    Samples(times["peer"], "s"), ratios(two, times["peer"]), limits[metric] if is_uk else None)
                self.add(
                    section, f"{name}, {how}: speed relative to one thread", Samples(two, "s"), Samples(one, "s"),
                    ratios(one, two), Bound(1.7, False, aim=1.9) if metric == "badges" else None)
                build = ours("memory", path, "--merge", metric, "--index", f"{self.folder}/memory.treeline")
                rise = build["residentPeak"] - build["residentBefore"]
                self.add(
                    section,
                    f"{name}, {how}: peak memory without the coordinates (figure: bytes per point)",
                    Samples([rise], "B"),
                    None,
                    [rise / build["points"]],
                    Bound(*(110, True, 90) if is_uk else (150, True, 110), figure="{:.0f} B"),
                )
        if not self.quick:
            for metric, most, aim in (("distance", 14, 9), ("badges", 18, 12)):
                times = self.merged("clustered:10000000", THREADS, metric)["seconds"]
                self.add(
                    section, f"10 M clustered points, {METRICS[metric]}: time", Samples(times, "s"), None, times,
                    Bound(most, aim=aim, figure="{:.1f} s"))
        self.merging_awkward_points()
        self.merging_growth()

    def merging_awkward_points(self):
        size = self.million
        kinds = {"uniform": "uniform", **WORST_CASES, "lattice": "points on a lattice"}
        sets = [(kind, metric) for metric in ("distance", "badges") for kind in kinds]
        times = {each: [] for each in sets}
        for _ in range(self.rounds):
            for (kind, metric), samples in times.items():
                samples.append(statistics.median(self.merged(f"{kind}:{size}", THREADS, metric)["seconds"]))
        for kind, metric in sets:
            if kind != "uniform":
                self.add(
                    f"Build of {count_text(size)} unusual points by merging, relative to {count_text(size)} uniform points",
                    f"{kinds[kind]}, {METRICS[metric]}",
                    Samples(times[kind, metric], "s"),
                    Samples(times["uniform", metric], "s"),
                    ratios(times[kind, metric], times["uniform", metric]),
                    Bound(3),
                )

    def merging_growth(self):
        sizes = [100_000, 316_228] if self.quick else [1_000_000, 30_000_000 if self.large else 10_000_000]
        for kind in ("uniform", "clustered"):
            times = [self.merged(f"{kind}:{size}", THREADS, "badges")["seconds"] for size in sizes]
            first, last = (statistics.median(runs) / (size * log2(size)) for runs, size in zip(times, sizes))
            self.add(
                "Build by merging for badges: time divided by N log N",
                f"{count_text(sizes[1])} {kind} points, relative to {count_text(sizes[0])} points",
                Samples(times[1], "s"),
                Samples(times[0], "s"),
                [last / first],
                Bound(1.3, aim=1.0),
            )

    def merged(self, points, threads, metric="distance"):
        return ours("build", points, "--merge", metric, "--threads", threads, "--runs", 1)

    # Queries

    def views(self):
        for name, path in self.sets.items():
            self.compare_queries(name, path)

    def compare_queries(self, name, path):
        views, limits = f"{self.folder}/views.csv", f"{self.folder}/limits.txt"
        sides.write_with_ours("views", path, views)
        repeats = 11 if self.quick else 21
        measures = {key: [] for key in ("warm", "cold", "withCoordinates", "netLow", "netHigh")}
        gains = []
        for round in range(self.rounds):
            theirs = peer("query", path, views, repeats)
            with open(limits, "w") as file:
                file.writelines(f"{max(1, count)}\n" for count in theirs["clusters"])
            check = ["--check"] if round == 0 else []
            mine = ours(
                "query", path, "--views", views, "--limits", limits, "--repeats", repeats, "--throughput", *check
            )
            fewer = sum(a < b for a, b in zip(mine["clusters"], theirs["clusters"]))
            assert fewer <= mine["exhaustedViews"], "an answer could have had more clusters"
            for key in ("warm", "cold"):
                measures[key].append((mine[key], theirs[key]))
            measures["withCoordinates"].append((mine["withCoordinates"], theirs["warm"]))
            for key, cost in (("netLow", "makingDictionaries"), ("netHigh", "copyingDictionaries")):
                net = [max(0.0, time - less) for time, less in zip(theirs["warm"], theirs[cost])]
                measures[key].append((mine["warm"], net))
            gains.append(mine)
        self.queries.setdefault(name, {})["besidePysupercluster"] = {
            "views": len(mine["clusters"]),
            "clusters": mine["clusters"],
            "pysuperclusterClusters": theirs["clusters"],
            "viewsWithFewerClusters": fewer,
        }
        section = f"Query of {len(mine['clusters'])} views of 1024 x 768 px: {name}"
        equal = (
            "In every view Treeline and pysupercluster return equally many clusters."
            if not fewer
            else f"In {fewer} views the points have fewer positions than this limit, and Treeline returns all positions."
        )
        note = (
            "For each view, Treeline's limit is the number of clusters that pysupercluster returns, on average"
            f" {statistics.mean(theirs['clusters']):.0f}. {equal} <doc:Performance#Queries> explains the views and both estimates."
        )
        for key, what in (
            ("withCoordinates", "including the coordinates and counts of all clusters, relative to pysupercluster"),
            ("warm", "without coordinates, relative to pysupercluster"),
            ("cold", "without coordinates, with cold caches (each view queried only once), relative to pysupercluster"),
            ("netLow", "without coordinates, relative to pysupercluster's time without dictionaries (low estimate)"),
            ("netHigh", "without coordinates, relative to pysupercluster's time without dictionaries (high estimate)"),
        ):
            bound = {
                "warm": Bound(1 / 8, aim=1 / 15, figure="{:.3f}x"), "withCoordinates": Bound(1 / 4, figure="{:.2f}x"),
            }.get(key)
            for percent in (50, 95):
                both = [[percentile(times, percent) for times in side] for side in zip(*measures[key])]
                self.add(
                    section,
                    f"p{percent}, {what}",
                    *(Samples(side, "s") for side in both),
                    # Skips rounds in which the low estimate is 0.
                    [mine / theirs for mine, theirs in zip(*both) if theirs],
                    bound,
                    note=note,
                )
        gain = {}
        for key, what, bound in (
            # Two cores can at most double the rate. The bound leaves a margin for inaccurate times.
            ("answersPerSecond", "answers per second: two threads relative to one thread", Bound(1.95, False)),
            ("stepsPerSecond", "steps per second of a program that only does arithmetic: two threads relative to one thread", None),
        ):
            # The figure of a round is the median over its turns.
            one, two = zip(*([statistics.median(side) for side in zip(*run[key])] for run in gains))
            gain[key] = [statistics.median(two / one for one, two in run[key]) for run in gains]
            self.add(section, what, Samples(two, "/s"), Samples(one, "/s"), gain[key], bound, note=note)
        both = list(gain.values())
        self.add(
            section,
            "figure of the row *answers per second*, divided by the figure of the row *steps per second*",
            *(Samples(side, "x") for side in both),
            ratios(*both),
            Bound(0.95, False),
            note=note,
        )

    def fixed_limit(self):
        section = "Query with a limit of 100 clusters, 25 views at each zoom from 4 to 16"
        sizes = [self.million] + ([100_000_000] if self.large else [])
        generated = {
            f"{count_text(size)} {kind} points": (f"{kind}:{size}", size) for size in sizes for kind in ("uniform", "clustered")
        }
        for name, (points, size) in (generated | {name: (path, 0) for name, path in FIXTURES.items()}).items():
            is_small = size <= 1_000_000
            runs = [
                ours("query", points, *(["--check"] if is_small and round == 0 else []))
                for round in range(self.rounds if is_small else 1)
            ]
            zooms = runs[0]["zooms"]
            by_zoom = {
                zoom: [statistics.median(time for time, of in zip(run["warm"], zooms) if of == zoom) for run in runs]
                for zoom in sorted(set(zooms))
            }
            slowest = max(by_zoom, key=lambda zoom: statistics.median(by_zoom[zoom]))
            for what, times in (
                ("p50", [percentile(run["warm"], 50) for run in runs]),
                (f"p50 at zoom {slowest}, the slowest zoom", by_zoom[slowest]),
                ("p95", [percentile(run["warm"], 95) for run in runs]),
            ):
                microseconds = [time * 1e6 for time in times]
                bound = Bound(10, figure="{:.1f} us")
                self.add(section, f"{name}, {what}", Samples(times, "s"), None, microseconds, bound)
            self.queries.setdefault(name, {})["atMost100Clusters"] = {
                "viewsOf100Clusters": runs[0]["clusters"].count(100),
                "medianSecondsByZoom": {zoom: statistics.median(times) for zoom, times in by_zoom.items()},
            }

    def spacing(self):
        """Measures queries with a spacing of 44 px. The figure is the time for each cluster of the answer."""
        for kind in ("uniform", "clustered"):
            runs = [ours("spacing", f"{kind}:{self.million}", "--merge", "distance") for _ in range(self.rounds)]
            for percent in (50, 95):
                self.add(
                    "Query with a spacing of 44 px: time per cluster of the answer",
                    f"{count_text(self.million)} {kind} points, merged by distance, p{percent}",
                    Samples([percentile(run["secondsPerCluster"], percent) for run in runs], "s"), None, [],
                )

    def map(self):
        """Measures a map's change of region: the answer off the main thread, and the difference, which the main thread
        computes."""
        section = "A map with about 200 annotations, while the region of the map changes"
        name = f"{count_text(self.million)} clustered points"
        runs = [ours("map", f"clustered:{self.million}") for _ in range(self.rounds)]
        for what, key, bound in (
            ("computation of the answer, off the main thread", "off", 150), ("computation of the difference between two answers, on the main thread", "main", 100),
            ("computation of a frame of the animation", "frame", None),
        ):
            # Takes only changes that touch about 200 annotations.
            times = [
                percentile([time for time, touched in zip(run[key], run["touched"]) if 150 <= touched <= 250], 95)
                for run in runs
            ]
            self.add(
                section, f"{name}: {what}, p95", Samples(times, "s"), None, [time * 1e6 for time in times] if bound else [],
                Bound(bound, figure="{:.0f} µs") if bound else None)
        # An allocator keeps some pages, so memory varies. A leak in each change would be 40,000 times as large.
        grown = [run["heldBytes"] for run in runs]
        self.add(
            section, f"{name}: growth of memory during 40,000 changes of the region in 4 seconds", Samples(grown, "B"), None,
            [size / 1e6 for size in grown], Bound(8, figure="{:.1f} MB"))

    def phone(self):
        """Measures the projection, and builds of a `ClusterMap` with one thread and two columns, of numbers and of
        categories."""
        section = "Builds of a `ClusterMap` with two columns, on one core"
        for size, mean, other in ((8_000, 15, None), (28_000, 15, None), (100_000, 50, 150)):
            runs = [ours("phone", f"clustered:{size}") for _ in range(self.rounds)]
            for what, key, limit in (
                ("tree split at the mean", "mean", mean), ("tree merged by distance", "merged", other),
            ):
                times = [run[key] for run in runs]
                self.add(
                    section, f"{count_text(size)} values: {what}", Samples(times, "s"), None,
                    [time * 1e3 for time in times] if limit else [], Bound(limit, figure="{:.1f} ms") if limit else None)
        for what, key, limit in (
            ("of the coordinate of a point to the plane", "forward", 12), ("back to the coordinate of a cluster, by `Clusters.coordinates`", "back", 15),
            ("back to the coordinate of a cluster, by `Cluster.coordinate`", "oneByOne", None),
        ):
            times = [run[key] for run in runs]
            self.add(
                section, f"projection {what}", Samples(times, "s"), None,
                [time * 1e9 for time in times] if limit else [], Bound(limit, figure="{:.1f} ns") if limit else None)

    def filters(self):
        """Measures the preparation of filters, filtered queries, moving windows and histograms, beside a peer that must
        rebuild its index instead."""
        section = "Filters on a price and a category; 15 % of the points pass a filter"
        for size in [self.million] if self.quick else [self.million, 10 * self.million]:
            name = f"{count_text(size)} clustered points"
            runs = [ours("filter", f"clustered:{size}") for _ in range(self.rounds)]
            scale = size / 1e6

            def add(what, times, bound=None):
                figures = [time * 1e3 for time in times] if bound else []
                self.add(section, f"{name}: {what}", Samples(times, "s"), None, figures, bound)

            add(
                "preparation of a new filter with two conditions", [run["filter_ms"] / 1e3 for run in runs],
                Bound(4 * scale, aim=2 * scale, figure="{:.2f} ms"))
            add("first answer with this filter, including coordinates", [run["first_answer_ms"] / 1e3 for run in runs])
            for what, key, other, bound in (
                ("p50, relative to the unfiltered query", "filtered_us", "unfiltered_us", Bound(2.5, aim=1.5)),
                (
                    "with coordinates, p50, relative to the unfiltered query", "filtered_with_coordinates_us",
                    "unfiltered_with_coordinates_us", Bound(2.5, aim=1.5),
                ),
                ("each view queried once, p50, relative to the unfiltered query", "filtered_first_us", "unfiltered_first_us", None),
            ):
                filtered, unfiltered = (
                    [percentile(run[key], 50) / 1e6 for run in runs] for key in (key, other)
                )
                self.add(
                    section, f"{name}: filtered query of 100 clusters, {what}", Samples(filtered, "s"), Samples(unfiltered, "s"),
                    ratios(filtered, unfiltered), bound)
            add(
                "a step of a filter whose range of values moves; 1 % of the points enter the range, and 1 % leave it", [run["window_step_ms"][1] / 1e3 for run in runs],
                Bound(2 * scale, aim=0.5 * scale, figure="{:.2f} ms"))
            add("first step of a moving window; this step sorts the column", [run["window_step_ms"][0] / 1e3 for run in runs])
            add("a histogram of all points, with 60 bins", [max(run["histogram_ms"]) / 1e3 for run in runs])
        name, path = next(iter(self.sets.items()))
        # Takes every seventh point, because about a seventh of the points (15 %) pass the filter.
        passing = f"{self.folder}/passing.f64"
        sides.write_some(path, passing, one_in=7)
        rounds = []
        for round in range(self.rounds):
            rounds.append(
                in_turn(
                    round,
                    lambda: ours("filter", path, "--repeats", 5),
                    lambda: peer("build", "supercluster", path, 0, 1),
                    lambda: peer("build", "supercluster", passing, 0, 1),
                )
            )
        # Allows 8 bytes for a number, 1 byte for a category and 8 bytes for a time, and 15 % more for the rest of the
        # sections.
        widths = [sum(mine["column_bytes"]) for mine, _, _ in rounds]
        self.add(
            section, f"{name}: size of three columns (a number, a category, a time) in an index, in bytes per point",
            Samples(widths, "bytes"), None, widths, Bound(1.15 * (8 + 1 + 8), figure="{:.1f} bytes"))
        filtered = [(mine["filter_ms"] + mine["first_answer_ms"]) / 1e3 for mine, _, _ in rounds]
        for what, number, bound in (
            ("build of all points", 1, Bound(100, False, aim=500, figure="{:.0f}x")),
            ("build of a seventh of the points (about as many points as pass the filter)", 2, None),
        ):
            rebuilt = [statistics.median(run[number]["seconds"]) for run in rounds]
            self.add(
                section, f"{name}: preparation and first answer of a new filter, speed relative to pysupercluster's {what}",
                Samples(filtered, "s"), Samples(rebuilt, "s"), ratios(rebuilt, filtered), bound)

    def aggregates(self):
        """Measures aggregates of answers, over generated columns."""
        for size in [self.million] if self.quick else [self.million, 10_000_000]:
            points = f"clustered:{size}"
            is_large = size > 1_000_000
            runs = [ours("filter", points) for _ in range(min(self.rounds, 2) if is_large else self.rounds)]
            name = f"{count_text(size)} clustered points"

            def add(what, key, unit, bound=None):
                """Adds a row for one number of each run. `unit` is also the unit of the bound."""
                numbers = [key(run) if callable(key) else run[key] for run in runs]
                seconds = [number / (1e3 if unit == "ms" else 1e6) for number in numbers]
                self.add(
                    "Aggregates of at most 100 clusters",
                    f"{name}, {what}",
                    Samples(seconds, "s"),
                    None,
                    numbers if bound else [],
                    bound,
                    note="Each point has a number with two decimals, one of ten categories, and a time. These values do not depend on the position of the point. 15 % of the points pass the filter.",
                )

            def bound(limit, aim, unit):
                return Bound(limit, aim=aim, figure="{:.1f} " + unit)

            simple = "sum and mean of the column of numbers, and counts of the 10 categories"
            for prefix, under in (("", ""), ("filtered_", ", with the filter")):
                for number, first in enumerate(("sums", "counts")):
                    add(f"preparation of {first} on first use{under}", lambda run: run[f"{prefix}aggregates_first_ms"][number],
                        "ms", bound(40, None, "ms") if is_large else None)
                add(simple + under, f"{prefix}aggregates_us", "us", bound(40, 10, "us"))
            add("median, top 3 and distinct count, if the index has sections for them", "order_statistics_us", "us", bound(1000, 200, "us"))
            add("median, top 3 and distinct count, if the index has no such sections", "scanned_order_statistics_us", "us")
            for section in ("ranks", "links"):
                self.add(
                    "Aggregates of at most 100 clusters",
                    f"{name}, size of the section of {section} for the column of numbers, in bytes per point",
                    Samples([runs[0][f"{section}_bytes"]], "bytes"),
                )

    def counts(self):
        def difference(tool, pattern, less, more):
            counts = [sides.counted(tool, pattern, "clustered:20000", *run) for run in (less, more)]
            return None if None in counts else counts[1] - counts[0]

        base, build, asks = ["--asks", 1], ["--builds", 2, "--asks", 1], ["--asks", 101]
        instructions = ("callgrind", r"Collected : (\d+)")
        allocations = ("memcheck", r"total heap usage: ([\d,]+) allocs")
        for what, counter, more, divisor, unit, bound in (
            ("instructions of a build, divided by the number of points", instructions, build, 20_000, "instructions", None),
            ("instructions of a query", instructions, asks, 1300, "instructions", None),
            ("allocations of a query, including the allocation of the answer", allocations, asks, 1300, "allocations", 2),
        ):
            count = difference(*counter, base, more)
            if count is not None:
                self.add(
                    "Counts that do not vary between runs, with 20,000 clustered points, one thread and 13 views",
                    what,
                    Samples([count / divisor], unit),
                    None,
                    [count / divisor] if bound else [],
                    Bound(bound, figure="{:.2f}") if bound else None,
                    note="valgrind counts the instructions and allocations. Tests count the instructions of builds, queries, filters and aggregates, with 100,000 points. These tests fail if a count changes by more than 3 %.",
                )

    # Files

    def reading(self):
        points = f"clustered:{self.million}"
        files = {
            "CSV, generated points": (self.file(points, extension="csv"), 150),
            "GeoJSON, generated points": (self.file(points, extension="geojson"), 80),
        }
        if os.path.exists(UK):
            files["CSV, UK postcodes"] = (self.unpacked(UK), 150)
        rounds = {name: [] for name in files}
        for _ in range(self.rounds):
            for name, (path, _) in files.items():
                run = ours("read", path, "--runs", 2)
                rounds[name].append(run["bytes"] / statistics.median(run["seconds"]))
        for name, (_, least) in files.items():
            self.add(
                "Reading files on one core",
                name,
                Samples(rounds[name], "B/s"),
                None,
                [rate / 1e6 for rate in rounds[name]],
                Bound(least, False, figure="{:.0f} MB/s"),
            )
        few = "clustered:200000"
        for name, extension, padding in (("CSV", "csv", 400), ("GeoJSON", "geojson", 1000)):
            narrow = self.file(few, None, extension)
            wide = self.file(few, f"wide-{few}", extension, padding)
            large, small = (ours("read", path, "--runs", 1) for path in (wide, narrow))
            peaks = [run["residentPeak"] - run["residentBefore"] for run in (large, small)]
            self.add(
                "Reading files on one core",
                f"{name}: peak memory for 200,000 points in a file of {large['bytes'] / 1e6:.0f} MB, relative to the same"
                f" points in a file of {small['bytes'] / 1e6:.0f} MB",
                Samples(peaks[:1], "B"),
                Samples(peaks[1:], "B"),
                [peaks[0] / peaks[1]],
                Bound(1.1),
            )

    def unpacked(self, path):
        target = f"{self.folder}/{os.path.basename(path).removesuffix('.gz')}"
        with gzip.open(path) as packed, open(target, "wb") as file:
            shutil.copyfileobj(packed, file)
        return target

    def cancelling(self):
        """Measures how fast builds are cancelled: default builds of every size, and builds of all other kinds at a size
        for which a build takes seconds."""
        builds = [("clustered", self.million, "default options", [])]
        if not self.quick:
            ten = 10 * self.million
            builds += [
                ("clustered", ten, "default options", []),
                ("coincident", ten, "default options", []),
                ("clustered", ten, "grown by merging", ["--merge", "distance"]),
                ("clustered", ten, "split at the mean", AT_THE_MEAN),
                ("clustered", ten, "split by the rule `gamma:2`", ["--split", "gamma:2"]),
            ]
        if self.large:
            builds.append(("clustered", 100_000_000, "default options", []))
        for kind, size, how, options in builds:
            # Each run is a whole build, so large sets get fewer runs.
            runs = 20 if size <= self.million else 8
            run = ours("cancel", f"{kind}:{size}", *options, "--runs", runs)
            seconds = run["seconds"]
            # `growth` covers half of the runs. The C library keeps some 50 MiB of free memory, with a random variation.
            # If each build leaked an array, memory would grow by more than this.
            left = run["growth"] / (runs // 2)
            assert left < 2 * size + (16 << 20), f"each cancelled build leaks {left / size:.1f} bytes a point"
            self.add(
                "Time from the cancellation of a build to the end of the build",
                f"{count_text(size)} {kind} points, {how}, longest time of {len(seconds)} builds",
                Samples([max(seconds)], "s"),
                None,
                [max(seconds) * 1000],
                Bound(50, figure="{:.0f} ms"),
            )

    def end_to_end(self):
        if not os.path.exists(UK):
            return
        index = f"{self.folder}/uk_postcodes.treeline"
        times = []
        for round in range(self.rounds):
            if os.path.exists(index):
                os.remove(index)
            times.append(sides.timed_treeline("build", UK, "--output", index, "--threads", THREADS))
            if round == 0:
                sides.timed_treeline("verify", index)
        self.add(
            "The whole command `treelinemap build`",
            "UK postcodes: time from a .csv.gz to an index on the disk",
            Samples(times, "s"),
            None,
            times,
            Bound(2.5, figure="{:.2f} s"),
        )


def ratios(these, those):
    return [a / b for a, b in zip(these, those)]


def in_turn(round, *sides):
    """Runs the compared programs (sides), in reverse order in every other round. Returns results in the order of
    `sides`."""
    if round % 2 == 0:
        return [side() for side in sides]
    return [side() for side in reversed(sides)][::-1]


def percentile(numbers, percent):
    return sorted(numbers)[min(len(numbers) * percent // 100, len(numbers) - 1)]


def count_text(count):
    return f"{count / 1e6:.3g} M" if count >= 1e6 else f"{count:,}"


def say(text):
    print(text, file=sys.stderr, flush=True)


main()
