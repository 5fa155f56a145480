"""Checks that each recipe on the page DataTutorial gives the same index, byte for byte, as the same rows in CSV."""

import filecmp
import resource
import shutil
import sys
import time

import pytest

from conftest import COLUMNS, ROOT, shell

sys.path.append(str(ROOT / "scripts/check"))
from documentation import Page

PAGE = "Sources/Treeline/Treeline.docc/DataTutorial.md"
BUILD = f"treelinemap build - --columns {COLUMNS} -o places.treeline"
RECIPES = Page(str(ROOT / PAGE)).run_by["scripts/test data"]


def processor_seconds():
    """Returns the processor time of all child processes so far, except PostgreSQL's server."""
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


@pytest.mark.parametrize("code", [code for code, _ in RECIPES], ids=[f"line {line}" for _, line in RECIPES])
def test_a_recipe_gives_the_index_of_the_same_rows(folder, code, pytestconfig, note):
    index = folder / "places.treeline"
    index.unlink(missing_ok=True)
    start, processor = time.monotonic(), processor_seconds()
    done = shell(folder, code)
    seconds, processor = time.monotonic() - start, processor_seconds() - processor
    assert done.returncode == 0 and index.exists(), f"exit code {done.returncode}\n{done.stderr[-2000:]}"
    if not filecmp.cmp(index, folder / "expected.treeline", shallow=False):
        found = [shell(folder, f"treelinemap inspect {name}.treeline").stdout for name in ("expected", "places")]
        pytest.fail("expected the index of the same rows as CSV, found another\n" + "\n".join(found))
    speed = f"{seconds:.2f} s, {pytestconfig.option.rows / seconds:,.0f} rows/s, {processor:.2f} s of processors"
    note(f"{speed}: {code.strip().splitlines()[0]}")


def test_there_are_recipes():
    assert len(RECIPES) > 5


# Without columns, since missing columns are an error before any row is read.
PLAIN_BUILD = "treelinemap build - -o places.treeline"

# Commands that fail, and parts of their error messages: what was found, and what to do.
FAILURES = {
    "Parquet": (
        "cat places.parquet | treelinemap build - -o places.treeline", ["Parquet data", "FORMAT csv"]),
    "Arrow": ("cat places.arrow | treelinemap build - -o places.treeline", ["Arrow data"]),
    "binary COPY": (
        """psql gis -qc "COPY places TO STDOUT WITH (FORMAT binary)" | treelinemap build - -o places.treeline""",
        ["a binary COPY of PostgreSQL", "WITH (FORMAT csv, HEADER)"]),
    "COPY as text": (
        """psql gis -qc "COPY places TO STDOUT" | treelinemap build - -o places.treeline""", ["found none", "--wkt"]),
    "other projection": (
        f"""psql gis --csv -c "SELECT ST_Transform(geom, 3857) AS geom, name FROM places LIMIT 9" | {PLAIN_BUILD}""",
        ['standard input:2: column "geom"', "SRID 3857", "ST_Transform(geom, 4326)"]),
    "polygons": (
        f"""psql gis --csv -c "SELECT ST_Buffer(geom, 1) AS geom, name FROM places LIMIT 9" | {PLAIN_BUILD}""",
        ["a POLYGON", "ST_PointOnSurface"]),
    "no number": (
        """psql gis --csv -c "SELECT geom, name AS population FROM places LIMIT 9" |
        treelinemap build - --columns population:number -o places.treeline""",
        ['standard input:2: column "population"', "expected a number", "text"]),
    "no time": (
        """psql gis --csv -c "SELECT geom, timestamp 'infinity' AS opened FROM places LIMIT 9" |
        treelinemap build - --columns opened:time -o places.treeline""",
        ['standard input:2: column "opened"', "expected a time", "infinity"]),
    "nothing": (f"""psql gis --csv -c "SELECT geom FROM nowhere" 2>&- | {BUILD}""", ["empty"]),
    "no coordinates": (
        f"ogr2ogr -f CSV /vsistdout/ places.gpkg | {BUILD}", ["expected two columns (such as longitude and latitude"]),
    "outlines": (
        f"ogr2ogr -f GeoJSONSeq /vsistdout/ outlines.gpkg | {BUILD}", ['expected a Point, found "Polygon"']),
}


@pytest.mark.parametrize("command, words", FAILURES.values(), ids=FAILURES.keys())
def test_a_failure_tells_the_remedy_and_leaves_the_index(folder, command, words, pytestconfig):
    if pytestconfig.option.rows < 1000:
        pytest.skip("needs 1000 rows")
    shutil.copyfile(folder / "expected.treeline", folder / "places.treeline")
    done = shell(folder, command)
    assert done.returncode != 0, "expected an error, found none"
    assert not [word for word in words if word not in done.stderr], done.stderr
    assert filecmp.cmp(folder / "places.treeline", folder / "expected.treeline", shallow=False)


# Here `psql` fails halfway, after it has written some rows.
HALFWAY = """set -o pipefail
psql gis --csv --set FETCH_COUNT=100 -c "SELECT geom, 1 / (row_number() OVER () - 500) AS population FROM places" 2>&- |
  treelinemap build - --columns population:number -o new.treeline && mv new.treeline places.treeline"""


def test_a_program_that_ends_halfway_leaves_the_index(folder):
    shutil.copyfile(folder / "expected.treeline", folder / "places.treeline")
    done = shell(folder, HALFWAY)
    assert done.returncode != 0 and (folder / "new.treeline").exists(), done.stderr
    assert filecmp.cmp(folder / "places.treeline", folder / "expected.treeline", shallow=False)
