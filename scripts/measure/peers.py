"""Runs one timed task of a peer and prints the result as JSON, as the Benchmarks tool does for Treeline.

    peers.py build {kdtree,supercluster} POINTS.f64 WARMUPS RUNS
    peers.py query POINTS.f64 VIEWS.csv REPEATS
"""

import gc
import json
import random
import statistics
import sys
import time

import numpy

# The defaults of supercluster for maps with tiles of 512 px.
SUPERCLUSTER = {"min_zoom": 0, "max_zoom": 16, "radius": 40, "extent": 512}


def read_points(path):
    return numpy.fromfile(path, dtype="<f8").reshape(-1, 2)


def build_kdtree(points):
    from scipy.spatial import cKDTree

    return cKDTree(points, balanced_tree=False, compact_nodes=False)


def build_supercluster(points, **options):
    from pysupercluster import SuperCluster

    return SuperCluster(points, **(SUPERCLUSTER | options))


def seconds(work):
    start = time.perf_counter()
    result = work()
    return time.perf_counter() - start, result


def resident(name):
    try:
        with open("/proc/self/status") as status:
            return next(int(line.split()[1]) << 10 for line in status if line.startswith(name))
    except FileNotFoundError:
        return None


def check_kdtree(tree, points):
    assert tree.n == len(points), f"{tree.n} points of {len(points)}"
    assert not tree.query(points[:100])[0].any(), "a point is not where it was"


def check_supercluster(index, points):
    everything = index.getClusters(top_left=(-180, 90), bottom_right=(180, -90), zoom=0)
    count = sum(cluster["count"] for cluster in everything)
    assert count == len(points), f"{count} points of {len(points)}"


def build(peer, path, warmups, runs):
    make, check = {
        "kdtree": (build_kdtree, check_kdtree),
        "supercluster": (build_supercluster, check_supercluster),
    }[peer]
    points = read_points(path).copy()
    make(points[:1000])
    before, peak = resident("VmRSS:"), None
    times = []
    for run in range(warmups + runs):
        # Frees the result of the previous run before the clock starts.
        tree = None
        elapsed, tree = seconds(lambda: make(points))
        peak = peak or resident("VmHWM:")
        if run >= warmups:
            times.append(elapsed)
    check(tree, points)
    return {"points": len(points), "seconds": times, "residentBefore": before, "residentPeak": peak}


def query(path, views_path, repeats):
    points = read_points(path)
    index = build_supercluster(points)
    check_supercluster(index, points)
    views = [[float(number) for number in line.split(",")] for line in open(views_path).readlines()[1:]]

    def ask(view):
        zoom, west, south, east, north = view
        # A view's zoom is for tiles of 256 px. With tiles of 512 px, the world has the same width on the screen at the
        # next lower zoom. At that zoom, a radius of 40 with an extent of 512 is 40 px.
        start = time.perf_counter()
        answer = index.getClusters(top_left=(west, north), bottom_right=(east, south), zoom=int(zoom) - 1)
        return time.perf_counter() - start, answer

    # Disables garbage collection during timed calls, as timeit does.
    gc.disable()
    # Reads more than the caches hold, so that the first query of each view finds cold caches.
    numpy.ones(32 << 20).sum()
    cold = [0.0] * len(views)
    for number in random.Random(6).sample(range(len(views)), len(views)):
        cold[number] = ask(views[number])[0]

    def median(work):
        return statistics.median(work() for _ in range(repeats))

    answers = [ask(view)[1] for view in views]
    return {
        "clusters": [len(answer) for answer in answers],
        "cold": cold,
        "warm": [median(lambda: ask(view)[0]) for view in views],
        "copyingDictionaries": [median(lambda: copying(answer)) for answer in answers],
        "makingDictionaries": [making(answer, median) for answer in answers],
    }


def copying(answer):
    """Returns the time to copy the dictionaries. Copying takes less time than creating the dictionaries, because a copy
    does not create the numbers inside."""
    return seconds(lambda: [dict(cluster) for cluster in answer])[0]


def making(answer, median):
    """Returns the time of a query that gives this answer, from an index that contains only this answer. The query takes
    a little longer than creating the results, because it also searches the index."""
    if not answer:
        return 0.0
    points = numpy.array([[cluster["longitude"], cluster["latitude"]] for cluster in answer])
    # Above its maximum zoom, an index returns its points.
    index = build_supercluster(points, max_zoom=0)

    def ask():
        elapsed, again = seconds(lambda: index.getClusters(top_left=(-180, 90), bottom_right=(180, -90), zoom=1))
        assert len(again) == len(answer)
        return elapsed

    return median(ask)


def main(task, *arguments):
    if task == "build":
        peer, path, warmups, runs = arguments
        result = build(peer, path, int(warmups), int(runs))
    else:
        path, views, repeats = arguments
        result = query(path, views, int(repeats))
    print(json.dumps(result))


main(*sys.argv[1:])
