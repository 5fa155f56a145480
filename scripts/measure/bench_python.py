"""Measures the Python package beside its peers; scripts/measure/bench-python calls it."""

import argparse
import gc
import importlib.metadata
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import textwrap
import time
import warnings

import numpy as np
import pandas

ROOT = pathlib.Path(__file__).resolve().parents[2]
GUIDE = ROOT / "Sources/Treeline/Treeline.docc/FromPython.md"

import machine

PEERS = ["pysupercluster-problematy", "folium", "ipyleaflet", "datashader"]


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("points", nargs="?", type=pathlib.Path, default=ROOT / "Fixtures/iceland_addresses.csv.gz")
    parser.add_argument("--publish", action="store_true", help="put the results into the guide")
    options = parser.parse_args()
    load = os.getloadavg()[0]
    places = pandas.read_csv(options.points, usecols=[0, 1]).to_numpy()
    rows = [*builds(places), answer(places), *pages(places), markers(places), picture(places), imported(), wheel()]
    table = "\n".join(f"| {what} | {theirs} | {ours} |" for what, theirs, ours in rows)
    versions = ", ".join(f"{name} {importlib.metadata.version(name)}" for name in PEERS)
    told = (
        f"{len(os.sched_getaffinity(0))} cores of {machine.processor()}, Python {sys.version.split()[0]}, {versions}; "
        f"load {load:.1f} before the run"
    )
    print(table, told, sep="\n")
    if options.publish:
        text = GUIDE.read_text()
        text = re.sub(r"(\|--:\|--:\|\n)(?:\|.*\n)+", lambda match: match[1] + table + "\n", text, count=1)
        run = "`scripts/measure/bench-python` measured this table in one run."
        note = textwrap.fill(f"{run} Machine and packages: {told}.", 140)
        pattern = re.escape(run) + r".*?\.\n(?=\n)"
        GUIDE.write_text(re.sub(pattern, lambda _: note + "\n", text, count=1, flags=re.DOTALL))


def least(work, repeat=5):
    """Returns the shortest time of some runs, and the result of the last run."""
    times = []
    for _ in range(repeat):
        result = None
        start = time.perf_counter()
        result = work()
        times.append(time.perf_counter() - start)
    return min(times), result


def least_of_many(work, calls=200, repeat=25):
    """Returns the mean time of a call, in the fastest of several runs of many calls. Use it for calls that take
    microseconds. Garbage collection is off, as in timeit."""
    gc.disable()
    try:
        return least(lambda: [work() for _ in range(calls)] and None, repeat)[0] / calls
    finally:
        gc.enable()


def supercluster(places):
    import pysupercluster

    return pysupercluster.SuperCluster(places, min_zoom=0, max_zoom=16, radius=40, extent=512)


def builds(places):
    import treelinemap

    theirs, _ = least(lambda: supercluster(places), 3)
    mean, _ = least(lambda: treelinemap.build(places, split="mean"))
    ours, _ = least(lambda: treelinemap.build(places, supporting="spacing"), 3)
    count = f"{len(places):,} points"
    merged, plain = f"{ours:.2f} s for spacings", f"{mean:.2f} s for limits, split at the mean"
    yield f"build of {count}", f"pysupercluster {theirs:.2f} s", f"{merged}; {plain}"


def answer(places):
    """Measures an answer of about a hundred clusters on both sides, in the middle of the points."""
    import treelinemap

    index, tree = supercluster(places), treelinemap.build(places, supporting="spacing")
    x, y = np.median(places, axis=0)

    def found(ask):
        low, high = 0.0, 90.0
        for _ in range(40):
            half = (low + high) / 2
            box = (max(x - half, -180), max(y - half / 2, -85), min(x + half, 180), min(y + half / 2, 85))
            clusters = ask(box)
            if len(clusters) == 100:
                break
            low, high = (half, high) if len(clusters) < 100 else (low, half)
        return box, len(clusters)

    zoom = next(z for z in range(2, 16) if len(index.getClusters((-180, 85), (180, -85), z)) > 300)
    box, their_count = found(lambda b: index.getClusters(top_left=(b[0], b[3]), bottom_right=(b[2], b[1]), zoom=zoom))
    corners = dict(top_left=(box[0], box[3]), bottom_right=(box[2], box[1]), zoom=zoom)
    theirs = least_of_many(lambda: index.getClusters(**corners))
    our_box, our_count = found(lambda b: tree.clusters(b, zoom + 1, spacing=44))

    def arrays():
        shown = tree.clusters(our_box, zoom + 1, spacing=44)
        return shown.x, shown.y, shown.count, shown.id

    ours = least_of_many(arrays)
    return (
        "an answer",
        f"pysupercluster {theirs * 1e6:.1f} µs for {their_count} clusters, as dictionaries",
        f"{ours * 1e6:.1f} µs for {our_count} clusters, as arrays",
    )


def pages(places):
    import folium
    import folium.plugins
    import treelinemap

    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "map.html"
        for count in (10_000, 100_000):
            some = places[np.random.default_rng(1).permutation(len(places))[:count]]

            def theirs():
                page = folium.Map(location=some.mean(axis=0)[::-1].tolist(), zoom_start=6)
                if count > 10_000:
                    folium.plugins.FastMarkerCluster(some[:, ::-1].tolist()).add_to(page)
                else:
                    folium.plugins.MarkerCluster(some[:, ::-1].tolist()).add_to(page)
                page.save(path)

            their_time, _ = least(theirs, 1)
            their_size = path.stat().st_size
            our_time, _ = least(lambda: treelinemap.build(some).to_html(path), 3)
            name = "folium" if count == 10_000 else "folium, `FastMarkerCluster`"
            yield (
                f"a page of {len(some):,} points",
                f"{name} {their_time:.1f} s, {their_size / 1e6:.1f} MB",
                f"{our_time:.2f} s, {path.stat().st_size / 1e6:.1f} MB",
            )


def markers(places):
    import treelinemap
    from ipyleaflet import Map, Marker, MarkerCluster

    some = places[:2_000]

    def theirs():
        map = Map(center=(64, -20), zoom=6)
        map.add(MarkerCluster(markers=[Marker(location=place) for place in some[:, ::-1].tolist()]))

    their_time, _ = least(theirs, 1)
    our_time, _ = least(lambda: treelinemap.build(places).map(), 2)
    return (
        "a map in a notebook, before anything is drawn",
        f"ipyleaflet, {len(some):,} points {their_time:.1f} s",
        f"{len(places):,} points {our_time:.2f} s",
    )


def picture(places):
    import datashader
    import treelinemap

    frame = pandas.DataFrame(places, columns=["x", "y"])
    west, south = frame.min()
    east, north = frame.max()
    canvas = datashader.Canvas(plot_width=1024, plot_height=768, x_range=(west, east), y_range=(south, north))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        canvas.points(frame, "x", "y")
        theirs, _ = least(lambda: canvas.points(frame, "x", "y"))
    tree = treelinemap.build(places)
    ours = least_of_many(lambda: tree.clusters((west, south, east, north), 7, spacing=20).count, 20)
    count = len(tree.clusters((west, south, east, north), 7, spacing=20))
    return (
        f"a view of all {len(places):,} points",
        f"datashader {theirs * 1e3:.1f} ms, as counts of pixels",
        f"{ours * 1e3:.3f} ms, as {count} clusters",
    )


def imported():
    def run(module):
        code = f"import time; start = time.perf_counter(); import {module}; print(time.perf_counter() - start)"
        return min(float(subprocess.check_output([sys.executable, "-c", code], cwd="/")) for _ in range(9))

    return "import", f"numpy alone {run('numpy') * 1e3:.0f} ms", f"{run('treelinemap') * 1e3:.0f} ms"


def wheel():
    return "the wheel", "", f"{os.path.getsize(os.environ['TREELINE_WHEEL']) / 1e6:.1f} MB"


main()
