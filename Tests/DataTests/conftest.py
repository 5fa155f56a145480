"""Test data: the same places in every format that the recipes on the page DataTutorial read."""

import os
import pathlib
import subprocess
import sys

import pyarrow
import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "Tests/Support"))

import places
from database import database
from programs import program
from suite import note, pytest_sessionstart, pytest_terminal_summary  # noqa: F401

COLUMNS = "name:text,kind:category,population:number,rating:number,open:boolean,opened:time"


def pytest_addoption(parser):
    parser.addoption("--rows", type=int, default=2000, help="rows of each recipe; with 1000000 its speed tells most")


def shell(folder, code):
    return subprocess.run(["bash", "-euc", code], cwd=folder, stdin=subprocess.DEVNULL, capture_output=True, text=True)


@pytest.fixture(scope="session")
def folder(tmp_path_factory, pytestconfig):
    """Returns a folder with files of the places and a database of them. Its file `expected.treeline` is the index that
    the tool builds from the same rows as CSV."""
    folder = tmp_path_factory.mktemp("places")
    # DuckDB is installed next to Python. PostgreSQL's programs run in a folder that their user may not be able to
    # access.
    os.environ["PATH"] = os.pathsep.join(
        [os.path.dirname(program("TREELINE_TOOL")), os.path.dirname(sys.executable), os.environ["PATH"]])
    with database():
        table = places.table(pytestconfig.option.rows)
        places.write_csv(table, f"{folder}/places.csv")
        places.write_parquet(table, folder)
        places.write_by_spark(folder, files=3)
        places.write_to_databases(folder)
        with pyarrow.ipc.new_stream(f"{folder}/places.arrow", table.schema) as stream:
            stream.write_table(table)
        outlines = "SELECT ST_Buffer(geom, 1) AS geom FROM places LIMIT 5"
        subprocess.run(["ogr2ogr", f"{folder}/outlines.gpkg", "PG:dbname=gis", "-sql", outlines], check=True)
        done = shell(folder, f"treelinemap build places.csv --columns {COLUMNS} -o expected.treeline")
        assert done.returncode == 0, done.stderr
        yield folder
