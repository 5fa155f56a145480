"""Measures every set of points and holds the medians to the aims, as a Markdown table and JSON.

Each set is looked at as `treeline compare` chooses to: all of it, then denser and denser parts, on 1024 x 768 px, with as
many clusters as a grid of 64 px has there. A figure of a set is the median of its views; a figure of all is the median of
the sets, beside the worst of them.
"""

import argparse
import glob
import json
import os
import statistics
import subprocess
import sys

TREELINE = ".build/release/treeline"
BENCHMARKS = ".build/release/Benchmarks"
FIXTURES = ("airports", "cities", "iceland_addresses")
# Below, a view has hardly anything to cluster.
LEAST_POINTS = 200
NOT_BEST = ("grid", "k-means", "spacing")
RULES = ("mean", "least-scatter", "gamma:1.5")


def main():
    parser = argparse.ArgumentParser(prog="scripts/measures", description="Measures clusters on many sets of points.")
    parser.add_argument("sets", nargs="*", metavar="FILE", help="points (default: those in Fixtures)")
    parser.add_argument("--also", metavar="FOLDER", action="append", default=[], help="every .csv.gz of a folder, too")
    parser.add_argument("--methods", metavar="NAME,NAME", default="all", help="what `treeline compare` calls them (default: all)")
    parser.add_argument("--kmeans", action="store_true", help="k-means as a yardstick, which takes minutes")
    parser.add_argument("--pairs", type=int, default=10_000, help="pairs of random screens for the promises (0: none)")
    parser.add_argument("--json", metavar="FILE", default=".build-measures/measures.json", help="where to write the figures")
    options = parser.parse_args()
    files = options.sets or [f"Fixtures/{name}.csv.gz" for name in FIXTURES]
    for folder in options.also:
        found = sorted(glob.glob(f"{folder}/*.csv.gz"))
        if not found:
            sys.exit(f"measures: expected .csv.gz files in {folder}, found none")
        files += found
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


def run(*command):
    done = subprocess.run([str(word) for word in command], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    if done.returncode != 0:
        sys.exit(f"measures: {' '.join(map(str, command))}\n{done.stderr.strip()}")
    return json.loads(done.stdout)


def measured(file, options):
    """The figures of one set, method by method; none where no view has enough points."""
    command = [TREELINE, "compare", file, "--skip-invalid", "--json", "-", "--journey"]
    command += ["--methods", options.methods]
    command += ["--kmeans", "scripts/kmeans"] if options.kmeans else []
    report = run(*command)
    views = [view for view in report["views"] if view["points"] >= LEAST_POINTS]
    if not views:
        return None
    figures = {"points": report["points"], "views": len(views), "methods": {}}
    for index, method in enumerate(views[0]["methods"]):
        rows = [view["methods"][index] for view in views]
        figures["methods"][method["name"]] = {
            key: median(row.get(key) for row in rows)
            for key in ("clusters", "distortion_px", "distortion_to_grid", "distortion_to_kmeans", "grid_look", "on_data_px", "fill")
        } | {
            "overlap": max(row["overlap"] for row in rows),
            "closest_pair_px": min((row["closest_pair_px"] for row in rows if row["closest_pair_px"] is not None), default=None),
            "lost_points": sum(row[key] for row in rows for key in ("missing", "repeated", "miscounted")),
        }
    for method in report.get("journey", {}).get("methods", []):
        figures["methods"][method["name"]]["journey"] = method
    if options.pairs:
        figures["promises"] = {}
        for rule in RULES:
            promises = run(BENCHMARKS, "promises", file, "--pairs", options.pairs, "--split", rule)
            suffix = "" if rule == RULES[0] else f"/{rule}"
            figures["promises"] |= {cut["name"] + suffix: cut for cut in promises["cuts"]}
    return figures


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
        """Which share of clusters a pan has to keep."""
        return 1 if is_fixed else 0.8 if name.startswith("continuing") else None

    rows = []

    def add(title, values, aim="", median_at_most=None, all_at_most=None, all_at_least=None, is_more_better=False):
        known = {name: value for name, value in values.items() if value is not None}
        if not known:
            return
        pick = min if is_more_better or all_at_least is not None else max
        worst = pick(known, key=known.get)
        middle = statistics.median(known.values())
        checks = [middle <= median_at_most] if median_at_most is not None else []
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
        """The one way that is best for all sets, not each set's own."""
        return min(names, key=lambda name: median(of(name, "distortion_to_grid").values()), default=None)

    limited = [name for name in names if name not in NOT_BEST and not name.startswith("spacing")]
    best = best_of(limited)
    best_spacing = best_of([name for name in names if name.startswith("spacing")])
    if best:
        add(
            f"distortion, {best} / grid of no more clusters",
            of(best, "distortion_to_grid"),
            "median <= 0.78, each <= 0.90",
            median_at_most=0.78,
            all_at_most=0.90,
        )
        add(f"distortion, {best} / k-means", of(best, "distortion_to_kmeans"), "median <= 1.12", median_at_most=1.12)
    for name in names:
        if name not in (best, "grid", "k-means") and not name.startswith("spacing"):
            add(f"distortion, {name} / grid of no more clusters", of(name, "distortion_to_grid"))
    for name in names:
        if not name.startswith("spacing"):
            continue
        add(f"{name}: overlap", of(name, "overlap"), "0", all_at_most=0)
        add(f"{name}: closest pair, px", of(name, "closest_pair_px"), ">= 44", all_at_least=44)
        is_best = name == best_spacing
        add(
            f"distortion, {name} / grid of no more clusters",
            of(name, "distortion_to_grid"),
            "median <= 0.92" if is_best else "",
            median_at_most=0.92 if is_best else None,
        )
    for name in names:
        add(f"{name}: points lost, doubled or miscounted", of(name, "lost_points"), "0", all_at_most=0)
    for name in names:
        is_fixed = name == "grid" or name.startswith(("detail", "spacing"))
        # On a journey what continues depends on all that was shown before.
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
