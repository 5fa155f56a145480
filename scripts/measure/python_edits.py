"""Measures edits in Python: one point, and 1,000 points, of a tree of generated towns. Prints medians in milliseconds.

    PYTHONPATH=Sources/TreelinePython TREELINE_LIBRARY=... scripts/measure/python_edits.py [COUNT]
"""

import statistics
import sys
import time

import numpy as np
import treelinemap


def main():
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 100_000
    random = np.random.default_rng(46)
    towns = random.uniform([-10, 36], [30, 60], (300, 2))
    points = towns[random.integers(0, 300, count)] + random.normal(0, 0.05, (count, 2))
    values = {"speed": random.integers(0, 130, count), "line": random.choice(["a", "b", "c"], count)}
    for columns in ({}, values):
        build = lambda: treelinemap.build(*points.T, columns=columns, key=np.arange(count), supporting="badges", threads=1)
        tree = build()
        print(f"{count:,} points, {len(columns)} columns, one thread")
        print(f"  a build: {timed(build)[0]:.1f}")
        move = lambda rows: {
            "key": rows,
            "lon": points[rows, 0] + random.normal(0, 0.01, len(rows)),
            "lat": points[rows, 1] + random.normal(0, 0.01, len(rows)),
        }
        first, tree = timed(lambda: tree.updating(move=move(np.array([7]))))
        print(f"  the first edit: {first:.1f}")
        for size, steps in ((1, 100), (1000, 10)):
            times = []
            for _ in range(steps):
                moved = move(random.choice(count, size, replace=False))
                taken, tree = timed(lambda: tree.updating(move=moved))
                times.append(taken)
            print(f"  {size:,} moved: {statistics.median(times):.1f}")


def timed(work):
    start = time.perf_counter()
    result = work()
    return 1000 * (time.perf_counter() - start), result


if __name__ == "__main__":
    main()
