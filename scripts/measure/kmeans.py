"""Labels positions by k-means: scripts/measure/kmeans describes the input and the output."""

import math
import sys

import numpy
from sklearn.cluster import KMeans

STARTS = 4
# Maximum number of positions that are clustered. If there are more positions, an evenly spaced sample is clustered, and
# then every position is assigned to the nearest center.
LARGEST_SAMPLE = 20_000


def main():
    count, size = (int(word) for word in sys.stdin.readline().split())
    positions = numpy.loadtxt(sys.stdin, ndmin=2) if size else numpy.empty((0, 2))
    if positions.shape != (size, 2):
        sys.exit(f"kmeans: expected {size} lines of x and y, found {positions.shape}")
    print("\n".join(map(str, labels(positions, count))))


def labels(positions, count):
    if len(positions) == 0:
        return []
    sample = positions[:: math.ceil(len(positions) / LARGEST_SAMPLE)]
    distinct = len(numpy.unique(sample, axis=0))
    model = KMeans(n_clusters=min(count, distinct), n_init=STARTS, random_state=0)
    return model.fit(sample).predict(positions)


main()
