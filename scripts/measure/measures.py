"""Measures every set of points and compares the medians with the aims, as a Markdown table and JSON.

The views of a set are the views that `treelinemap compare` chooses: first all points, then denser and denser parts, on
1024 x 768 px. In each view, the limit of the methods is the number of clusters of a grid of 64 px. The figure of a set
is the median over its views. The table shows the median over all sets and the worst set. Ratios of two methods are
computed for each view.
"""

import argparse
import glob
import json
import os
import statistics
import subprocess
import sys
from typing import NamedTuple

TREELINE = ".build/release/treelinemap"
BENCHMARKS = ".build/release/Benchmarks"
FIXTURES = ("airports", "cities", "iceland_addresses")
# Views with fewer points are skipped: they have hardly anything to cluster.
LEAST_POINTS = 200
# Methods that are not cuts of a tree with a limit.
NOT_LIMITED = ("grid", "k-means", "spacing", "badges")
# The growths for which broken promises are counted, each with the options with which `Benchmarks` grows such a tree.
# The first growth adds no suffix to the names of cuts.
GROWTHS = {rule: ["--split", rule] for rule in ("mean", "least-scatter", "gamma:1.5")} | {
    f"merge:{metric}": ["--merge", metric] for metric in ("distance", "badges", "scatter")
}
# Methods of merged trees that `--methods all` leaves out. They are measured if this build of `treelinemap compare` has
# them.
MERGED = ("widest-first/merge:scatter",)
KEYS = (
    "clusters", "distortion_px", "distortion_to_grid", "distortion_to_kmeans", "grid_look", "on_data_px", "fill",
    "single_share", "lone_points_kept", "density_correlation",
)


class Ratio(NamedTuple):
    """The ratio of a figure between two methods, in each view in which both methods take part."""

    what: str
    key: str
    method: str
    other: str
    aim: str
    median_at_least: float | None = None
    median_at_most: float | None = None
    # Restricts the ratio to views in which the other method's number of clusters is in this range.
    other_clusters: range = range(1, 1 << 32)
    # Restricts the ratio to views in which both methods have equally many clusters.
    is_of_equal_counts: bool = False

    @property
    def title(self):
        return f"{self.what}, {self.method} / {self.other}"


RATIOS = (
    Ratio("items, where 50 to 1,000 clusters are 44 px apart", "clusters", "badges", "spacing/merge:distance",
          "median >= 1.8, better 2.5", median_at_least=1.8, other_clusters=range(50, 1001)),
    Ratio("distortion at equal counts", "distortion_px", "widest-first/merge:scatter", "widest-first/least-scatter",
          "median <= 0.97, better 0.95", median_at_most=0.97, is_of_equal_counts=True),
)


def main():
    parser = argparse.ArgumentParser(prog="scripts/measure/measures", description="Measures clusters on many sets of points.")
    parser.add_argument("sets", nargs="*", metavar="FILE", help="files of points (default: the files in Fixtures)")
    parser.add_argument("--also", metavar="FOLDER", action="append", default=[], help="every .csv.gz of a folder, too")
    parser.add_argument("--methods", metavar="NAME,NAME", help="names of methods, as in `treelinemap compare` (default: all, including merged trees)")
    parser.add_argument("--kmeans", action="store_true", help="also measure k-means, for comparison; takes minutes")
    parser.add_argument("--pairs", type=int, default=10_000, help="number of pairs of random screens on which the guarantees are checked (0: none)")
    parser.add_argument("--json", metavar="FILE", default=".build-measures/measures.json", help="where to write the figures")
    options = parser.parse_args()
    files = options.sets or [f"Fixtures/{name}.csv.gz" for name in FIXTURES]
    for folder in options.also:
        found = sorted(glob.glob(f"{folder}/*.csv.gz"))
        if not found:
            sys.exit(f"measures: expected .csv.gz files in {folder}, found none")
        files += found
    options.methods = options.methods or ",".join(known_methods())
    sets = {}
    for file in files:
        name = os.path.basename(file).removesuffix(".gz").removesuffix(".csv")
        say(name)
        if (figures := measured(file, options)) is None:
            say("  left out: fewer than {} points in every view".format(LEAST_POINTS))
        else:
            sets[name] = figures
    if not sets:
        sys.exit("measures: no set has enough points")
    rows = all_rows(sets)
    os.makedirs(os.path.dirname(options.json) or ".", exist_ok=True)
    with open(options.json, "w") as file:
        json.dump({"sets": sets, "rows": rows}, file, indent=1)
    print(markdown(rows, sets))
    if any(row["holds"] is False for row in rows):
        sys.exit("measures: an aim is missed")


def say(text):
    print(text, file=sys.stderr, flush=True)


def started(*command):
    return subprocess.run([str(word) for word in command], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def run(*command):
    done = started(*command)
    if done.returncode != 0:
        sys.exit(f"measures: {' '.join(map(str, command))}\n{done.stderr.strip()}")
    return json.loads(done.stdout)


def known_methods():
    """Returns the names of all methods, and of those methods of merged trees that this build of the tool has."""
    compare = [TREELINE, "compare", "Fixtures/formats/plain.csv", "--json", "-", "--methods"]
    names = [method["name"] for method in run(*compare, "all")["views"][0]["methods"]]
    return names + [name for name in MERGED if name not in names and started(*compare, name).returncode == 0]


def growth_of(method):
    """Returns how the method's tree is grown, or None if the method has no tree."""
    if method in ("grid", "k-means"):
        return None
    return "merge:badges" if method == "badges" else method.partition("/")[2] or "mean"


def is_merged(method):
    return (growth_of(method) or "").startswith("merge:")


def measured(file, options):
    """Returns the figures of one set, method by method, or None if no view has enough points."""
    command = [TREELINE, "compare", file, "--skip-invalid", "--json", "-", "--journey"]
    command += ["--methods", options.methods]
    command += ["--kmeans", "scripts/measure/kmeans"] if options.kmeans else []
    report = run(*command)
    views = [view for view in report["views"] if view["points"] >= LEAST_POINTS]
    if not views:
        return None
    figures = {"points": report["points"], "views": len(views), "methods": {}}
    for index, method in enumerate(views[0]["methods"]):
        rows = [view["methods"][index] for view in views]
        figures["methods"][method["name"]] = {
            key: median(row.get(key) for row in rows) for key in KEYS
        } | {
            "overlap": max(row["overlap"] for row in rows),
            "closest_pair_px": min((row["closest_pair_px"] for row in rows if row["closest_pair_px"] is not None), default=None),
            "lost_points": sum(row[key] for row in rows for key in ("missing", "repeated", "miscounted")),
        }
    figures["ratios"] = {ratio.title: median(view_ratios(ratio, views)) for ratio in RATIOS}
    for method in report.get("journey", {}).get("methods", []):
        figures["methods"][method["name"]]["journey"] = method
    if options.pairs:
        figures["promises"] = {}
        for growth, flags in GROWTHS.items():
            promises = run(BENCHMARKS, "promises", file, "--pairs", options.pairs, *flags)
            suffix = "" if growth == "mean" else f"/{growth}"
            figures["promises"] |= {cut["name"] + suffix: cut for cut in promises["cuts"]}
    return figures


def view_ratios(ratio, views):
    """Yields the ratio in each view that has both methods and satisfies the conditions of `ratio`."""
    for view in views:
        rows = {row["name"]: row for row in view["methods"]}
        one, other = rows.get(ratio.method), rows.get(ratio.other)
        if not one or not other or other["clusters"] not in ratio.other_clusters or not other[ratio.key]:
            continue
        if not ratio.is_of_equal_counts or one["clusters"] == other["clusters"]:
            yield one[ratio.key] / other[ratio.key]


def median(values):
    known = [value for value in values if value is not None]
    return statistics.median(known) if known else None


def all_rows(sets):
    names = list(next(iter(sets.values()))["methods"])

    def of(method, key):
        return {name: figures["methods"][method].get(key) for name, figures in sets.items() if method in figures["methods"]}

    def journey(method, key):
        return {name: figures["methods"][method].get("journey", {}).get(key) for name, figures in sets.items()}

    def promise(cut, key):
        return {name: figures["promises"][cut][key] for name, figures in sets.items() if cut in figures.get("promises", {})}

    def ratio(values, others):
        return {name: values[name] / others[name] for name in values if values[name] is not None and others.get(name)}

    def least_kept(name, is_fixed):
        """Returns the share of clusters that must stay on a pan, or None if there is no such aim."""
        return 1 if is_fixed else 0.8 if name.startswith("continuing") else None

    rows = []

    def add(title, values, aim="", median_at_most=None, median_at_least=None, all_at_most=None, all_at_least=None,
            is_more_better=False):
        known = {name: value for name, value in values.items() if value is not None}
        if not known:
            return
        pick = min if is_more_better or all_at_least is not None or median_at_least is not None else max
        worst = pick(known, key=known.get)
        middle = statistics.median(known.values())
        checks = [middle <= median_at_most] if median_at_most is not None else []
        checks += [middle >= median_at_least] if median_at_least is not None else []
        checks += [known[worst] <= all_at_most] if all_at_most is not None else []
        checks += [known[worst] >= all_at_least] if all_at_least is not None else []
        rows.append(
            {
                "measure": title,
                "median": middle,
                "worst": known[worst],
                "worst_set": worst,
                "aim": aim,
                "holds": all(checks) if checks else None,
            }
        )

    def best_of(names):
        """Returns the single method that is best over all sets, instead of the best method of each set."""
        return min(names, key=lambda name: median(of(name, "distortion_to_grid").values()), default=None)

    # Merged trees have separate aims.
    split = [name for name in names if not is_merged(name)]
    best = best_of([name for name in split if name.partition("/")[0] not in NOT_LIMITED])
    best_spacing = best_of([name for name in names if name.startswith("spacing")])
    if best:
        add(
            f"distortion, {best} / grid of at most as many clusters",
            of(best, "distortion_to_grid"),
            "median <= 0.78, each <= 0.90",
            median_at_most=0.78,
            all_at_most=0.90,
        )
        add(f"distortion, {best} / k-means", of(best, "distortion_to_kmeans"), "median <= 1.12", median_at_most=1.12)
    for name in names:
        if name == "widest-first/merge:scatter":
            add(f"distortion, {name} / grid of at most as many clusters", of(name, "distortion_to_grid"),
                "median <= 0.76, better 0.73", median_at_most=0.76)
            add(f"distortion, {name} / k-means", of(name, "distortion_to_kmeans"), "median <= 1.07, better 1.04",
                median_at_most=1.07)
        elif name not in (best, "grid", "k-means") and not name.startswith("spacing"):
            add(f"distortion, {name} / grid of at most as many clusters", of(name, "distortion_to_grid"))
    for pair in RATIOS:
        add(pair.title, {name: figures["ratios"][pair.title] for name, figures in sets.items()}, pair.aim,
            median_at_least=pair.median_at_least, median_at_most=pair.median_at_most)
    for name in names:
        if not name.startswith("spacing"):
            continue
        add(f"{name}: overlap", of(name, "overlap"), "0", all_at_most=0)
        add(f"{name}: closest pair, px", of(name, "closest_pair_px"), ">= 44", all_at_least=44)
        is_best = name == best_spacing
        add(
            f"distortion, {name} / grid of at most as many clusters",
            of(name, "distortion_to_grid"),
            "median <= 0.92" if is_best else "",
            median_at_most=0.92 if is_best else None,
        )
    if "badges" in names:
        add("badges: overlap as they are drawn", of("badges", "overlap"), "0", all_at_most=0)
    for name in names:
        if name in ("grid", best, best_spacing) or is_merged(name):
            add(f"{name}: points shown as single points", of(name, "single_share"), is_more_better=True)
            add(f"{name}: lone points kept", of(name, "lone_points_kept"), is_more_better=True)
            add(f"{name}: rank correlation of counts with density", of(name, "density_correlation"), is_more_better=True)
    for name in names:
        add(f"{name}: points lost, doubled or miscounted", of(name, "lost_points"), "0", all_at_most=0)
    for name in names:
        is_fixed = name == "grid" or name.startswith(("detail", "spacing", "badges"))
        # On a journey, a continuing answer depends on all answers before it, so it is not nested.
        is_nested = name != "grid" and not name.startswith("continuing")
        add(f"journey, {name}: points torn apart by zooming", journey(name, "nestedness"), "0" if is_nested else "",
            all_at_most=0 if is_nested else None)
        least = least_kept(name, is_fixed)
        add(f"journey, {name}: clusters kept on a pan", journey(name, "pan_persistence"), f">= {least}" if least else "",
            all_at_least=least, is_more_better=True)
        if name.startswith("continuing") and (fresh := name.replace("continuing", "widest-first")) in names:
            add(f"journey, {name}: distortion / {fresh}", ratio(journey(name, "distortion_px"), journey(fresh, "distortion_px")),
                "<= 1.25", all_at_most=1.25)
    for cut in next(iter(sets.values())).get("promises", {}):
        pairs = sum(promise(cut, "pairs").values())
        add(f"{cut}: nestedness violations in {pairs:,} random screens", promise(cut, "nestednessViolations"), "0", all_at_most=0)
        add(f"{cut}: transitions of {3 * pairs:,} that do not add up", promise(cut, "conservationViolations"), "0", all_at_most=0)
        add(f"{cut}: answers beyond their limit", promise(cut, "limitViolations"), "0", all_at_most=0)
        least = least_kept(cut, all(promise(cut, "isFixedOnPans").values()))
        add(f"{cut}: clusters kept on {pairs:,} random pans", promise(cut, "panPersistence"), f">= {least}" if least else "",
            all_at_least=least, is_more_better=True)
        if cut.startswith("continuing"):
            add(f"{cut}: distortion / fresh, the worst of {pairs:,} random pans", promise(cut, "continuingDistortion"),
                "<= 1.25", all_at_most=1.25 + 1e-9)
    return rows


def markdown(rows, sets):
    lines = ["| measure | median of the sets | worst | worst set | aim | |", "|---|--:|--:|---|---|---|"]
    for row in rows:
        verdict = {None: "", True: "holds", False: "**missed**"}[row["holds"]]
        lines.append(
            f"| {row['measure']} | {number(row['median'])} | {number(row['worst'])} | {row['worst_set']} "
            f"| {row['aim']} | {verdict} |"
        )
    points = ", ".join(f"{name} ({figures['points']:,} points, {figures['views']} views)" for name, figures in sets.items())
    return "\n".join(lines) + f"\n\nSets: {points}."


def number(value):
    return f"{value:.4f}".rstrip("0").rstrip(".") if isinstance(value, float) else f"{value:,}"


main()
