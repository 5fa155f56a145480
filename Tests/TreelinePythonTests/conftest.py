"""Points and trees that several tests share."""

import csv
import gzip
import pathlib
import sys

import numpy as np
import pytest
import treelinemap

ROOT = pathlib.Path(__file__).resolve().parents[2]
FIXTURES = ROOT / "Fixtures"
sys.path.insert(0, str(ROOT / "Tests/Support"))


def read_rows(path):
    """Returns the columns of a CSV file as lists of texts. Empty cells are None."""
    opened = gzip.open(path, "rt", encoding="utf-8") if path.suffix == ".gz" else open(path, encoding="utf-8")
    with opened as file:
        header, *rows = csv.reader(file)
    return {name: [row[number] or None for row in rows] for number, name in enumerate(header)}


def read_points(path):
    """Returns two arrays of coordinates, and the other columns. A column is an array of numbers if all its cells are
    numbers."""
    rows = read_rows(path)
    x, y, *names = rows
    columns = {}
    for name in names:
        cells = rows[name]
        try:
            numbers = [None if cell is None else float(cell) for cell in cells]
            columns[name] = np.array(numbers, float) if cells else np.array(cells, object)
        except ValueError:
            columns[name] = np.array(cells, object)
    return np.array(rows[x], float), np.array(rows[y], float), columns


@pytest.fixture(scope="session")
def points():
    """Returns the coordinates and the columns of a few thousand hotels. Some values are missing."""
    random = np.random.default_rng(20240501)
    count = 5000
    return {
        "lon": random.normal(2.35, 2, count),
        "lat": random.normal(48, 1, count),
        "price": np.where(random.random(count) < 0.1, np.nan, random.uniform(20, 400, count).round(2)),
        "rooms": random.integers(1, 300, count),
        "kind": random.choice(["hotel", "hostel", "camping"], count).astype(object),
        "open": random.random(count) < 0.5,
        "opened": np.datetime64("1950-01-01") + random.integers(0, 27000, count).astype("m8[D]"),
    }


@pytest.fixture(scope="session")
def tree(points):
    columns = {name: points[name] for name in ("price", "rooms", "kind", "open", "opened")}
    return treelinemap.build(points["lon"], points["lat"], columns=columns, supporting="spacing")
