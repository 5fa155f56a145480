"""Indexes of DataFrames of Spark: executors do the work, the driver plans and puts the pieces together."""

from __future__ import annotations

import os
import shutil
import uuid
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from typing import Any

import numpy as np

from . import _steps
from ._errors import BuildError, PiecesError
from ._parquet import Built, Listing
from ._spark_tasks import MARK, MOST_ROWS, READ, REFUSED, Places, Section, Tasks

__all__ = ["build"]

#: How many points are read at once at most, 0.3 s of work, and how few are worth a task.
_SECTION, _LEAST = 1 << 23, 1 << 14
#: How many answers one task adds up.
_FAN_IN = 16
#: How many partitions a shuffle has at most; beyond that some have several pieces.
_MOST_PARTITIONS = 4096


def build(
    df: Any,
    lon: str | None = None,
    lat: str | None = None,
    *,
    out: Any,
    geometry: str | None = None,
    columns: Iterable[str] | None = None,
    row: str | None = None,
    planar: bool = False,
    split: str | None = None,
    piece_size: int = 1_000_000,
    scratch: Any = None,
    title: str | None = None,
    attribution: str | None = None,
    unit: str | None = None,
    overwrite: bool = False,
    refused: Any = None,
    progress: Callable[[str, float], None] | None = None,
    tasks: Callable[..., Tasks] = Tasks,
) -> Built:
    """Builds the index of a DataFrame, the same bytes as `treeline build --no-separation` of the same rows.

    The package has to be installed where executors run. Rows are read once; so the DataFrame need not be the same on a
    second look, and a task that is run twice, or an executor that is lost, changes nothing. No list of points comes to
    the driver. The index has no columns and no separations.

    :param df: A DataFrame, of classic PySpark: not of Spark Connect.
    :param lon: The column of longitudes, or of x, and `lat` that of latitudes; or
    :param geometry: that of points as WKB.
    :param out: The path of the index, for the driver; it appears whole or not at all.
    :param row: The column with the number of each row, from 0 to below 2^32, which no two share. Without one, rows are
        numbered as Spark happens to have them: the index answers the same and has the same content hash, but points of
        one position may be in another order.
    :param planar: Whether coordinates are plain x and y.
    :param split: `least-scatter` or `mean`.
    :param piece_size: How many points one task builds: it takes 57 bytes of memory a point.
    :param scratch: A folder that the driver and all executors reach under this name, for 31 bytes a point; beside the
        index unless told. What is put there is removed.
    :param overwrite: Whether to replace a file that is no index.
    :param refused: The path of a Parquet file that gets the rows whose coordinates are on no map: `row`, `x` and `y`.
    :param progress: Called with what is done and how much of it, from 0 to 1; of planning with 0.
    :param tasks: For tests of what is lost on the way.
    :raises Error: In the words of the library.
    """
    if columns is not None:
        raise ValueError(
            f"expected no columns, found {list(columns)!r}: an index that is built on Spark has positions and rows "
            "alone; look values up by row, or build where all columns fit the memory, by treeline.build"
        )
    selected = _selected(df, lon, lat, geometry, row)
    built = Built(os.fspath(out))
    folder = _folder(built.path, scratch)
    os.makedirs(folder)
    try:
        with open(os.path.join(folder, MARK), "w"):
            pass
        run = _Run(df, tasks(folder, geometry, planar, row is not None), progress or (lambda *_: None))
        survey = run.read(selected, row is not None, built, refused)
        pieces = run.plan(survey, split, piece_size)
        run.build(survey, pieces)
        told = _steps.description(title, attribution, unit)
        _steps.assemble(_steps.Pieces(pieces), survey, folder, built.path, told, overwrite, progress)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    built.warn()
    return built


def _folder(out: str, scratch: Any) -> str:
    """A folder of this build's own."""
    if scratch is None:
        parent = os.path.dirname(os.path.abspath(out))
    else:
        parent = os.fspath(scratch)
        scheme, colon, path = parent.partition("://")
        if colon and scheme != "file":
            raise ValueError(
                f"expected a folder that is mounted everywhere, found {parent}; mount it, and name its path"
            )
        parent = path if colon else os.path.abspath(parent)
    return os.path.join(parent, f".{os.path.basename(out)}.{uuid.uuid4().hex}.scratch")


def _selected(df: Any, lon: str | None, lat: str | None, geometry: str | None, row: str | None) -> Any:
    """The columns that are read, by the names that tasks have for them."""
    from pyspark.sql import functions as F

    if (geometry is None) != (lon is not None and lat is not None) or (geometry is not None and (lon or lat)):
        raise ValueError(f"expected two columns of coordinates or geometry=, found {lon!r}, {lat!r} and {geometry!r}")
    types = dict(df.dtypes)

    def column(name: str, target: str, alias: str, suited: tuple[str, ...]) -> Any:
        if name not in types:
            raise KeyError(f"expected the name of a column, found {name!r}; there are {', '.join(map(repr, types))}")
        if not types[name].startswith(suited):
            raise TypeError(f"column {name!r}: expected {' or '.join(suited)}, found {types[name]}; cast it")
        quoted = name.replace("`", "``")
        return F.expr(f"try_cast(`{quoted}` AS {target})").alias(alias)

    numbers = ("double", "float", "decimal", "int", "bigint", "smallint", "tinyint", "string")
    if geometry is not None:
        chosen = [column(geometry, "binary", "geometry", ("binary",))]
    else:
        chosen = [column(str(name), "double", alias, numbers) for name, alias in ((lon, "x"), (lat, "y"))]
    if row is not None:
        chosen.append(column(row, "bigint", "row", ("int", "bigint", "smallint", "tinyint")))
    return df.select(chosen)


class _Run:
    """The steps of a build as jobs of Spark."""

    def __init__(self, df: Any, tasks: Tasks, progress: Callable[[str, float], None]) -> None:
        self._context = df.sparkSession.sparkContext
        self._tasks, self._progress = tasks, progress
        self._sections: list[Section] = []

    # MARK: Reading

    def read(self, selected: Any, has_rows: bool, built: Built, refused: Any) -> _steps.Survey:
        """Has all points written to files, and returns how far they reach."""
        self._progress("reading", 0)
        # A row for each partition.
        parts = sorted(selected.mapInArrow(self._tasks.read, READ).collect(), key=lambda part: part.partition)
        fault = next((part.fault for part in parts if part.fault is not None), None)
        if fault is not None:
            raise ValueError(f"expected row numbers from 0 to below 2^32, found {fault}; number the rows otherwise")
        survey, first_row = None, 0
        with Listing(built, refused) as listing:
            for part in parts:
                base = 0 if has_rows else first_row
                with open(self._tasks.path(part.name, "survey"), "rb") as file:
                    data = file.read()
                if survey is None:
                    survey = _steps.Survey(data=data)
                else:
                    survey.merge(data)
                for first in range(0, part.points, _SECTION):
                    self._sections.append(Section(part.name, first, min(_SECTION, part.points - first), base))
                self._list(listing, part, base)
                first_row += part.rows
        if not has_rows and first_row > MOST_ROWS:
            raise BuildError(f"expected at most 2^32 rows, found {first_row}; divide them")
        survey = survey or _steps.Survey(self._tasks.planar)
        facts = survey.facts
        built.point_count, built.clipped_count = facts.point_count, facts.clipped_point_count
        self._progress("reading", 1)
        return survey

    def _list(self, listing: Listing, part: Any, first_row: int) -> None:
        for first in range(0, part.refused, 1 << 16):
            path, size = self._tasks.path(part.name, "refused"), REFUSED.itemsize
            rows = np.fromfile(path, REFUSED, min(1 << 16, part.refused - first), offset=size * first)
            listing.add(rows["row"] + first_row, rows["x"], rows["y"])

    def _points(self) -> Any:
        """The sections of all points, as many as there is to do at once."""
        total = sum(section.count for section in self._sections)
        count = min(len(self._sections), 4 * self._context.defaultParallelism, total // _LEAST)
        return self._context.parallelize(self._sections, max(count, 1))

    # MARK: Planning

    def plan(self, survey: _steps.Survey, split: str | None, piece_size: int) -> bytes:
        """The pieces, found by a job for each round."""
        plan = _steps.Plan(split, piece_size)
        places = self._places(survey)
        while (question := plan.next_round()) is not None:
            self._progress("planning", 0)
            shared = self._context.broadcast(question)
            answers = self._points().mapPartitions(partial(self._tasks.answer, places, shared))
            # In a tree, of which the driver gets the top.
            while (count := answers.getNumPartitions()) > 1:
                count = -(-count // _FAN_IN)
                keyed = answers.mapPartitionsWithIndex(partial(_numbered, count)).partitionBy(count, int)
                answers = keyed.values().mapPartitions(partial(self._tasks.add_up, shared))
            plan.take(answers.collect()[0])
            shared.destroy()
        return plan.pieces()

    def _places(self, survey: _steps.Survey) -> Any:
        data = survey.to_bytes()
        is_planar = self._tasks.planar
        return self._context.broadcast(Places(survey.facts.seam, data if is_planar else None))

    # MARK: Pieces

    def build(self, survey: _steps.Survey, pieces: bytes) -> None:
        """Has all pieces written."""
        count = len(_steps.Pieces(pieces).counts)
        if count == 0:
            return
        self._progress("building", 0)
        shared, places = self._context.broadcast(pieces), self._places(survey)
        partitions = min(count, _MOST_PARTITIONS)
        blocks = self._points().mapPartitions(partial(self._tasks.partition, places, shared))
        placed = blocks.partitionBy(partitions, partial(_partition, partitions, count))
        found = sorted(placed.mapPartitions(partial(self._tasks.build, shared)).collect())
        if found != list(range(count)):
            raise PiecesError(f"expected {count} pieces, found {len(found)}; start the build anew")
        self._progress("building", 1)


def _numbered(count: int, number: int, values: Iterable[bytes]) -> Iterator[tuple[int, bytes]]:
    return ((number % count, value) for value in values)


def _partition(partitions: int, count: int, piece: int) -> int:
    """Pieces that are neighbours stay together, as evenly as may be; no hash has a say in it."""
    return piece * partitions // count
