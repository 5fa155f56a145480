"""Writes sets of points to shuffled Parquet files with row numbers. Builds their indexes with the tool."""

import os
import subprocess

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv
import pyarrow.parquet as pq


def towns(random, count):
    """Returns points in about 300 towns. Some towns in the Pacific lie across the antimeridian."""
    centers = np.random.default_rng(300).uniform((-180, -60), (180, 70), (300, 2))
    places = centers[random.integers(0, 300, count)] + random.normal(0, 0.3, (count, 2))
    return (places[:, 0] + 180) % 360 - 180, places[:, 1]


def city(random, count):
    """Returns points, nine in ten of them in one city."""
    lon, lat = towns(random, count)
    inside = random.random(count) < 0.9
    return (np.where(inside, random.normal(2.35, 0.05, count), lon),
            np.where(inside, random.normal(48.86, 0.03, count), lat))


def stack(random, count):
    """Returns points, one in ten of them at the same position."""
    lon, lat = towns(random, count)
    inside = random.random(count) < 0.1
    return np.where(inside, -0.1276, lon), np.where(inside, 51.5072, lat)


def flawed(random, count):
    """Returns points, some of them with invalid coordinates."""
    lon, lat = towns(random, count)
    bad = random.random(count) < 1e-3
    lon = np.where(bad & (random.random(count) < 0.3), 181.5, lon)
    return lon, np.where(bad, np.where(random.random(count) < 0.5, np.nan, 95), lat)


#: `KINDS` are the kinds of all columns of `described`. `TOLD` are the kinds that a build declares.
KINDS = {"price": "number", "rooms": "number", "kind": "category", "name": "text", "street": "category",
         "open": "boolean", "opened": "time", "day": "time"}
TOLD = {"name": "text", "kind": "category", "street": "category"}


TYPES = pa.schema([("price", pa.float64()), ("rooms", pa.int32()), ("kind", pa.string()), ("name", pa.string()),
                   ("street", pa.string()), ("open", pa.bool_()), ("opened", pa.timestamp("us", "UTC")),
                   ("day", pa.date32())])  # fmt: skip


def described(rows):
    """Returns the values of rows in columns of each kind. Every column has nulls.

    There are more names and more streets than 65,536, the number of values that the survey of a column keeps.
    """
    start, day = np.datetime64("2020-01-01", "us"), np.datetime64("1999-01-01", "D")
    values = {
        "price": rows * 7919 % 100_000 / 100, "rooms": rows % 300 - 7,
        "kind": np.array(["hotel", "hostel", "bar"])[rows % 3], "name": texts("Zum ", rows % 80_021, ". Bären"),
        "street": texts("", rows % 70_001, ". Straße"), "open": rows % 2 == 0,
        "opened": start + (rows * 1009).astype("m8[ms]"), "day": day + (rows % 9000).astype("m8[D]"),
    }  # fmt: skip
    found = []
    for number, field in enumerate(TYPES):
        column = pa.array(values[field.name]).cast(field.type)
        found.append(pc.if_else(pa.array(rows * 31 % (11 + number) != 0), column, pa.scalar(None, field.type)))
    return pa.table(found, TYPES)


def texts(before, numbers, behind):
    return pc.binary_join_element_wise(before, pa.array(numbers).cast(pa.string()), behind, "")


def write(folder, shape, count, files, seed=20240501, has_columns=False):
    """Writes Parquet files to a folder. Each file has rows from all over the input."""
    os.makedirs(folder)
    for number in range(files):
        rows = np.arange(number, count, files)
        lon, lat = shape(np.random.default_rng([seed, number]), len(rows))
        order = np.random.default_rng([seed, number, 1]).permutation(len(rows))
        # The coordinates have six decimals, so that text keeps them exactly.
        table = pa.table({"id": rows[order], "lon": lon.round(6)[order], "lat": lat.round(6)[order]})
        if has_columns:
            for name, column in zip(TYPES.names, described(rows[order]).columns):
                table = table.append_column(name, column)
        pq.write_table(table, f"{folder}/part-{number:04}.parquet")


def index(folder, path, *options):
    """Builds the index of the rows in a folder with `treelinemap build`."""
    files = sorted(f"{folder}/{name}" for name in os.listdir(folder) if name.endswith(".parquet"))
    if "kind" in pq.read_schema(files[0]).names:
        options += ("--columns", ",".join(f"{name}:{kind}" for name, kind in KINDS.items()))
    return index_of(files, path, "--skip-invalid", *options)


def index_of(files, path, *options):
    """Builds the index of the rows of some files with `treelinemap build`. The tool reads the rows as CSV."""
    command = [os.environ["TREELINE_TOOL"], "build", "-", "-o", path, "--row", "id", *options]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stderr=subprocess.DEVNULL) as tool:
        with pa.csv.CSVWriter(tool.stdin, pq.read_schema(files[0])) as writer:
            for file in files:
                with pq.ParquetFile(file) as rows:
                    for batch in rows.iter_batches():
                        writer.write(batch)
        tool.stdin.close()
    if tool.returncode:
        raise subprocess.CalledProcessError(tool.returncode, command)
    return path
