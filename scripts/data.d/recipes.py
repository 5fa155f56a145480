"""Runs the recipes of the page DataTutorial; called by scripts/test-data, which says what."""

import argparse
import filecmp
import os
import pathlib
import resource
import subprocess
import sys
import tempfile
import time

import pyarrow

from database import database
import places

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.append(str(ROOT / "scripts/docs.d"))
from check import Page

PAGE = "Sources/Treeline/Treeline.docc/DataTutorial.md"
COLUMNS = "name:text,kind:category,population:number,rating:number,open:boolean,opened:time"
BUILD = f"treeline build - --columns {COLUMNS} -o places.treeline"

# A command, and what the error must have in it: what was found, and the remedy.
FAILURES = [
    ("cat places.parquet | treeline build - -o places.treeline", ["Parquet data", "FORMAT csv"]),
    ("cat places.arrow | treeline build - -o places.treeline", ["Arrow data"]),
    ("""psql gis -qc "COPY places TO STDOUT WITH (FORMAT binary)" | treeline build - -o places.treeline""",
     ["a binary COPY of PostgreSQL", "WITH (FORMAT csv, HEADER)"]),
    ("""psql gis -qc "COPY places TO STDOUT" | treeline build - -o places.treeline""", ["found none", "--wkt"]),
    (f"""psql gis --csv -c "SELECT ST_Transform(geom, 3857) AS geom, name FROM places LIMIT 9" | {BUILD}""",
     ['standard input:2: column "geom"', "SRID 3857", "ST_Transform(geom, 4326)"]),
    (f"""psql gis --csv -c "SELECT ST_Buffer(geom, 1) AS geom, name FROM places LIMIT 9" | {BUILD}""",
     ["a POLYGON", "ST_PointOnSurface"]),
    (f"""psql gis --csv -c "SELECT geom, name AS population FROM places LIMIT 9" |
      treeline build - --columns population:number -o places.treeline""",
     ['column "population", row', "expected a number", "text"]),
    (f"""psql gis --csv -c "SELECT geom, timestamp 'infinity' AS opened FROM places LIMIT 9" |
      treeline build - --columns opened:time -o places.treeline""",
     ['column "opened", row', "expected a time", "infinity"]),
    (f"""psql gis --csv -c "SELECT geom FROM nowhere" 2>&- | {BUILD}""", ["empty"]),
    (f"ogr2ogr -f CSV /vsistdout/ places.gpkg | {BUILD}", ["expected columns named longitude and latitude"]),
    (f"ogr2ogr -f GeoJSONSeq /vsistdout/ outlines.gpkg | {BUILD}", ['expected a Point, found "Polygon"']),
]
# Ends halfway, when rows have been written: what was there stays there.
HALFWAY = f"""set -o pipefail
psql gis --csv --set FETCH_COUNT=100 -c "SELECT geom, 1 / (row_number() OVER () - 500) AS population FROM places" 2>&- |
  treeline build - --columns population:number -o new.treeline && mv new.treeline places.treeline"""


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--rows", type=int, default=2000)
    count = parser.parse_args().rows
    with tempfile.TemporaryDirectory() as folder, database():
        # Where nobody has been and PostgreSQL's programs are not, DuckDB and Python still are found.
        tool = os.path.abspath(os.environ["TREELINE_TOOL"])
        os.environ["PATH"] = f"{os.path.dirname(tool)}:{os.path.dirname(sys.executable)}:{os.environ['PATH']}"
        prepare(folder, count)
        blocks = Page(str(ROOT / PAGE)).run_by["scripts/test-data"]
        problems = [problem for code, line in blocks if (problem := check_recipe(folder, code, line, count))]
        failures = FAILURES if count >= 1000 else []
        problems += [problem for command, words in failures if (problem := check_failure(folder, command, words))]
        problems += check_halfway(folder)
    print(*problems, sep="\n", end="\n" if problems else "", file=sys.stderr)
    print(f"{len(blocks)} recipes of {count} rows, {len(failures) + 1} that fail, {len(problems)} problems")
    sys.exit(bool(problems))


def prepare(folder, count):
    table = places.table(count)
    places.write_csv(table, f"{folder}/places.csv")
    places.write_parquet(table, folder)
    places.write_by_spark(folder, files=3)
    places.write_to_databases(folder)
    with pyarrow.ipc.new_stream(f"{folder}/places.arrow", table.schema) as stream:
        stream.write_table(table)
    outlines = "SELECT ST_Buffer(geom, 1) AS geom FROM places LIMIT 5"
    subprocess.run(["ogr2ogr", f"{folder}/outlines.gpkg", "PG:dbname=gis", "-sql", outlines], check=True)
    done = shell(folder, f"treeline build places.csv --columns {COLUMNS} -o expected.treeline")
    if done.returncode:
        raise SystemExit(done.stderr)


def shell(folder, code):
    return subprocess.run(["bash", "-euc", code], cwd=folder, stdin=subprocess.DEVNULL, capture_output=True, text=True)


def processor_seconds():
    """Of all that was run so far, but for PostgreSQL's side."""
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def check_recipe(folder, code, line, count):
    """A problem, if there is one."""
    index = pathlib.Path(folder, "places.treeline")
    index.unlink(missing_ok=True)
    start, processor = time.monotonic(), processor_seconds()
    done = shell(folder, code)
    seconds, processor = time.monotonic() - start, processor_seconds() - processor
    speed = f"{seconds:.2f} s, {count / seconds:,.0f} rows/s, {processor:.2f} s of processors"
    print(f"{PAGE}:{line}: {speed}: {code.strip().splitlines()[0]}", flush=True)
    if done.returncode or not index.exists():
        return f"{PAGE}:{line}: exit code {done.returncode}\n{done.stderr[-2000:]}"
    if filecmp.cmp(index, f"{folder}/expected.treeline", shallow=False):
        return None
    inspected = [shell(folder, f"treeline inspect {name}.treeline").stdout for name in ("expected", "places")]
    return f"{PAGE}:{line}: expected the index of the same rows as CSV, found another\n" + "\n".join(inspected)


def check_failure(folder, command, words):
    before = pathlib.Path(folder, "places.treeline").read_bytes()
    done = shell(folder, command)
    if done.returncode == 0:
        return f"expected an error, found none: {command}"
    missing = [word for word in words if word not in done.stderr]
    if missing:
        return f"expected an error with {missing}, found {done.stderr!r}: {command}"
    if pathlib.Path(folder, "places.treeline").read_bytes() != before:
        return f"expected the index to stay as it was: {command}"
    return None


def check_halfway(folder):
    before = pathlib.Path(folder, "places.treeline").read_bytes()
    done = shell(folder, HALFWAY)
    if done.returncode == 0 or not pathlib.Path(folder, "new.treeline").exists():
        return [f"expected a program that ends halfway through, found exit code {done.returncode}, {done.stderr!r}"]
    if pathlib.Path(folder, "places.treeline").read_bytes() != before:
        return ["expected the index to stay as it was when a program ends halfway"]
    return []


main()
