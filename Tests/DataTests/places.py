"""The places on which the recipes of DataTutorial are tested, in all forms: as a table of pyarrow, and as files and
databases that programs create from this table."""

import csv
import datetime
import json
import math
import os
import random
import struct
import subprocess

import pyarrow
import pyarrow.parquet

# These names contain characters that break cells if they are not quoted properly.
NAMES = ["Café “Zur Post”", 'The "Grand"; Hotel, Bar', "two\nlines", "a\ttab", "東京駅", "O'Hare", "back\\slash", None]
KINDS = ["food", "hotel", "a, b", None]
# All rows are written in one transaction, because only a new table is sure to keep their order. The offset of this time
# zone has changed often, and was a local mean time at first.
DATABASE = """
    CREATE EXTENSION postgis;
    ALTER DATABASE gis SET timezone = 'Europe/Amsterdam';
    BEGIN;
    CREATE TABLE csv (longitude float8, latitude float8, name text, kind text, population bigint, rating float8,
      open boolean, opened timestamptz);
    \\copy csv FROM places.csv WITH (FORMAT csv, HEADER)
    CREATE TABLE places AS SELECT ST_Point(longitude, latitude, 4326)::geometry(Point, 4326) AS geom, csv.* FROM csv;
    ALTER TABLE places DROP longitude, DROP latitude;
    COMMIT;
"""


def table(count):
    """Returns the same rows on each call. Coordinates have six decimals and times have milliseconds, because all
    programs keep these."""
    generator = random.Random(23)
    # By default, GDAL rounds values such as those in the first row.
    first = (133.499999, 2.824612, "Manokwari", "hotel", 1, 5e-05, True, None)
    rows = [first] + [place(generator) for _ in range(count - 1)]
    types = [
        ("longitude", pyarrow.float64()), ("latitude", pyarrow.float64()), ("name", pyarrow.string()),
        ("kind", pyarrow.string()), ("population", pyarrow.int64()), ("rating", pyarrow.float64()),
        ("open", pyarrow.bool_()), ("opened", pyarrow.timestamp("us", "UTC")),
    ]
    columns = [pyarrow.array(values, type) for values, (_, type) in zip(zip(*rows), types)]
    return pyarrow.table(columns, pyarrow.schema(types))


def place(generator):
    def unless_missing(value):
        return None if generator.random() < 0.1 else value

    name = NAMES[generator.randrange(len(NAMES))]
    rating = round(generator.uniform(-9, 9), generator.randrange(9)) if generator.random() < 0.9 else math.nan
    return (
        round(generator.uniform(-180, 180), 6), round(generator.triangular(-80, 80), 6),
        name and f"{name} {generator.randrange(1 << 20)}", KINDS[generator.randrange(len(KINDS))],
        unless_missing(generator.randrange(1 << 33)), unless_missing(rating),
        unless_missing(generator.random() < 0.7),
        unless_missing(
            datetime.datetime(1900, 1, 1, tzinfo=datetime.timezone.utc)
            + datetime.timedelta(milliseconds=generator.randrange(1 << 42))),
    )


def write_csv(places, path):
    """Writes CSV with Python's own library, spelled as the standards of the format require. All recipes are compared
    with this file."""
    def cell(value):
        match value:
            case bool(): return "true" if value else "false"
            case datetime.datetime(): return value.isoformat().replace("+00:00", "Z")
            case float(): return repr(value)
            case _: return value

    with open(path, "w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(places.column_names)
        for batch in places.to_batches():
            writer.writerows(map(cell, row) for row in zip(*batch.to_pydict().values()))


def write_parquet(places, folder):
    pyarrow.parquet.write_table(places, f"{folder}/places.parquet")
    points = [struct.pack("<BIdd", 1, 1, *point) for point in zip(*places.select([0, 1]).to_pydict().values())]
    column = {"encoding": "WKB", "geometry_types": ["Point"]}
    geo = {"version": "1.1.0", "primary_column": "geometry", "columns": {"geometry": column}}
    geoparquet = places.drop_columns(["longitude", "latitude"]).add_column(0, "geometry", pyarrow.array(points))
    geoparquet = geoparquet.replace_schema_metadata({"geo": json.dumps(geo)})
    pyarrow.parquet.write_table(geoparquet, f"{folder}/geoplaces.parquet")


def write_by_spark(folder, files):
    """Writes a folder of Parquet files with Spark. Their times have the old type INT96."""
    from pyspark.sql import SparkSession

    quiet = {"spark.ui.enabled": "false", "spark.ui.showConsoleProgress": "false"}
    local = {"spark.driver.host": "127.0.0.1", "spark.driver.bindAddress": "127.0.0.1"}
    # A program that runs only for seconds does not need optimizations that pay off after hours.
    quick = {"spark.driver.extraJavaOptions": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"}
    spark = SparkSession.builder.master("local[1]").config(map=quiet | local | quick).getOrCreate()
    try:
        places = spark.read.parquet(f"{folder}/places.parquet")
        # A single task keeps the rows in order. It still writes several files.
        writer = places.coalesce(1).write.option("maxRecordsPerFile", -(-places.count() // files))
        writer.parquet(f"{folder}/places.spark")
    finally:
        spark.stop()


def write_to_databases(folder):
    """Writes a table of PostGIS, and a GeoPackage made from it."""
    subprocess.run(["createdb", "gis"], check=True)
    psql = ["psql", "gis", "--quiet", "--set", "ON_ERROR_STOP=1"]
    subprocess.run(psql, input=DATABASE, text=True, cwd=folder, check=True)
    # GDAL stores offsets of time zones in quarters of an hour, so it gets times in UTC.
    environment = os.environ | {"PGTZ": "UTC"}
    subprocess.run(["ogr2ogr", f"{folder}/places.gpkg", "PG:dbname=gis", "places"], env=environment, check=True)
