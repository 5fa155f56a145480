"""Sets of points in shuffled Parquet files, with the numbers of rows, and the index of the same rows in their order."""

import datetime
import json
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


#: The columns of `described`, by the kinds that they are of, and those that are told.
KINDS = {"price": "number", "rooms": "number", "kind": "category", "name": "text", "street": "category",
         "open": "boolean", "opened": "time", "day": "time"}
TOLD = {"name": "text", "kind": "category", "street": "category"}


def described(row):
    """The values of a row in columns of each kind, of which all have missing ones.

    Names and streets are more than the 65,536 that a survey of a column keeps.
    """
    start = datetime.datetime(2020, 1, 1, tzinfo=datetime.timezone.utc)
    values = {"price": row * 7919 % 100_000 / 100, "rooms": row % 300 - 7, "kind": ("hotel", "hostel", "bar")[row % 3],
              "name": f"Zum {row % 80_021}. Bären", "street": f"{row % 70_001}. Straße", "open": row % 2 == 0,
              "opened": start + datetime.timedelta(milliseconds=row * 1009),
              "day": datetime.date(1999, 1, 1) + datetime.timedelta(days=row % 9000)}
    return {name: value for number, (name, value) in enumerate(values.items()) if row * 31 % (11 + number) != 0}


TYPES = pa.schema([("price", pa.float64()), ("rooms", pa.int32()), ("kind", pa.string()), ("name", pa.string()),
                   ("street", pa.string()),
                   ("open", pa.bool_()), ("opened", pa.timestamp("us", "UTC")), ("day", pa.date32())])


def write(folder, shape, count, files, seed=20240501, has_columns=False):
    """Parquet files in a folder, each with rows from all over the input."""
    os.makedirs(folder)
    for number in range(files):
        rows = np.arange(number, count, files)
        lon, lat = shape(np.random.default_rng([seed, number]), len(rows))
        order = np.random.default_rng([seed, number, 1]).permutation(len(rows))
        # Six decimals, as text keeps them.
        table = pa.table({"id": rows[order], "lon": lon.round(6)[order], "lat": lat.round(6)[order]})
        if has_columns:
            values = pa.Table.from_pylist([described(row) for row in rows[order].tolist()], TYPES)
            for name in TYPES.names:
                table = table.append_column(name, values[name])
        pq.write_table(table, f"{folder}/part-{number:04}.parquet")


def index(folder, path, *options):
    """The index that `treeline build` makes of the rows of a folder, in their order."""
    table = pq.read_table(folder).sort_by("id").select(["lon", "lat"])
    pa.csv.write_csv(table, f"{path}.csv")
    return built(f"{path}.csv", path, *options)


def index_with_columns(folder, path, *options):
    """The same with the columns of `described`, by way of GeoJSON, which tells a missing value from an empty text."""
    table = pq.read_table(folder, columns=["id", "lon", "lat"]).sort_by("id")
    with open(f"{path}.geojson", "w") as file:
        # A feature a line.
        for row, lon, lat in zip(*(table[name].to_pylist() for name in ("id", "lon", "lat"))):
            point = {"type": "Point", "coordinates": [lon, lat if lat == lat else None]}
            feature = {"type": "Feature", "geometry": point, "properties": described(row)}
            file.write(json.dumps(feature, default=lambda time: time.isoformat()) + "\n")
    columns = ",".join(f"{name}:{kind}" for name, kind in KINDS.items())
    return built(f"{path}.geojson", path, "--columns", columns, *options)


def built(source, path, *options):
    tool = [os.environ["TREELINE_TOOL"], "build", source, "-o", path, "--skip-invalid"]
    subprocess.run([*tool, *options], check=True, stderr=subprocess.DEVNULL)
    os.remove(source)
    return path
