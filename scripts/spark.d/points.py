"""Sets of points in shuffled Parquet files, with the numbers of rows, and the index of the same rows in their order."""

import os
import subprocess

import numpy as np
import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet as pq

CHUNK = 1_000_000


def towns(random, count):
    """Around 300 towns, those of the Pacific across the antimeridian."""
    centers = np.random.default_rng(300).uniform((-180, -60), (180, 70), (300, 2))
    places = centers[random.integers(0, 300, count)] + random.normal(0, 0.3, (count, 2))
    return (places[:, 0] + 180) % 360 - 180, places[:, 1]


def city(random, count):
    """Nine of ten in one city."""
    lon, lat = towns(random, count)
    inside = random.random(count) < 0.9
    return (np.where(inside, random.normal(2.35, 0.05, count), lon),
            np.where(inside, random.normal(48.86, 0.03, count), lat))


def stack(random, count):
    """One of ten at one position."""
    lon, lat = towns(random, count)
    inside = random.random(count) < 0.1
    return np.where(inside, -0.1276, lon), np.where(inside, 51.5072, lat)


def flawed(random, count):
    """Some on no map."""
    lon, lat = towns(random, count)
    bad = random.random(count) < 1e-3
    lon = np.where(bad & (random.random(count) < 0.3), 181.5, lon)
    return lon, np.where(bad, np.where(random.random(count) < 0.5, np.nan, 95), lat)


def write(folder, shape, count, files, seed=20240501):
    """Parquet files in a folder, each with rows from all over the input."""
    os.makedirs(folder)
    for number in range(files):
        rows = np.arange(number, count, files)
        lon, lat = shape(np.random.default_rng([seed, number]), len(rows))
        order = np.random.default_rng([seed, number, 1]).permutation(len(rows))
        # Six decimals, as text keeps them.
        table = pa.table({"id": rows[order], "lon": lon.round(6)[order], "lat": lat.round(6)[order]})
        pq.write_table(table, f"{folder}/part-{number:04}.parquet")


def index(folder, path, *options):
    """The index that `treeline build` makes of the rows of a folder, in their order."""
    table = pq.read_table(folder).sort_by("id").select(["lon", "lat"])
    pa.csv.write_csv(table, f"{path}.csv")
    tool = [os.environ["TREELINE_TOOL"], "build", f"{path}.csv", "-o", path, "--no-separation", "--skip-invalid"]
    subprocess.run([*tool, *options], check=True, stderr=subprocess.DEVNULL)
    os.remove(f"{path}.csv")
    return path
