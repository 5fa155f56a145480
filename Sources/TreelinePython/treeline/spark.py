"""Indexes of DataFrames of Spark: executors do the work, the driver plans and puts the pieces together."""

from __future__ import annotations

import os
import shutil
import uuid
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial
from typing import Any

import numpy as np

from . import _steps
from ._columns import input_columns
from ._errors import PiecesError
from ._parameters import text
from ._parquet import Built, Listing, byte_count
from ._spark_tasks import MARK, READ, REFUSED, Columns, Division, Places, Section, Tasks

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
    columns: Iterable[str] = (),
    kinds: Mapping[str, str] | None = None,
    row: str | None = None,
    planar: bool = False,
    split: str | None = None,
    separations: bool = True,
    piece_size: int = 1_000_000,
    memory: str | int = "1GB",
    scratch: Any = None,
    title: str | None = None,
    attribution: str | None = None,
    unit: str | None = None,
    overwrite: bool = False,
    refused: Any = None,
    progress: Callable[[str, float], None] | None = None,
    _tasks: Callable[..., Tasks] = Tasks,
) -> Built:
    """Builds the index of a DataFrame, the same bytes as `treeline build` of the same rows.

    The package has to be installed where executors run. Rows are read once; so the DataFrame need not be the same on a
    second look, and a task that is run twice, or an executor that is lost, changes nothing. No list of points comes to
    the driver.

    :param df: A DataFrame, of classic PySpark: not of Spark Connect.
    :param lon: The column of longitudes, or of x, and `lat` that of latitudes; or
    :param geometry: that of points as WKB.
    :param out: The path of the index, for the driver; it appears whole or not at all.
    :param columns: The names of those that can be filtered and summed.
    :param kinds: By names of columns what values are taken for, as of `treeline.build`, but nothing is prepared.
    :param row: The column with the number of each row, from 0 to 2^53, which no two share. Without one, rows are
        numbered as Spark happens to have them: the index answers the same and has the same content hash, but points of
        one position may be in another order.
    :param planar: Whether coordinates are plain x and y.
    :param split: `least-scatter` or `mean`.
    :param separations: Whether a spacing or badges can be asked for; the driver computes that at the end.
    :param piece_size: How many points one task builds: it takes 66 bytes of memory a point, and what columns need.
    :param memory: About what separations may take of the driver's memory, such as `2GB`; dictionaries of columns with
        more than 65,536 different values may have an eighth of that, as bytes.
    :param scratch: A folder that the driver and all executors reach under this name, for 37 bytes a point and what
        columns need; beside the index unless told. What is put there is removed.
    :param overwrite: Whether to replace a file that is no index.
    :param refused: The path of a Parquet file that gets the rows whose coordinates are on no map: `row`, `x` and `y`.
    :param progress: Called with what is done and how much of it, from 0 to 1; of planning with 0.
    :raises Error: In the words of the library.
    """
    options = text(no_separation=None if separations else True, memory=byte_count(memory))
    names = (columns,) if isinstance(columns, str) else tuple(columns)
    selected = _selected(df, lon, lat, geometry, row, names)
    chosen = _columns(selected, names, kinds or {})
    built = Built(os.fspath(out))
    folder = _folder(built.path, scratch)
    os.makedirs(folder)
    try:
        with open(os.path.join(folder, MARK), "w"):
            pass
        run = _Run(df, _tasks(folder, geometry, planar, row is not None, chosen), progress or (lambda *_: None))
        survey = run.read(selected, row is not None, built, refused)
        # Told of before anything else is done: a value that does not suit, or too many of them.
        encoding = run.encoding(byte_count(memory) // 8)
        division = Division(run.plan(survey, split, piece_size), encoding)
        run.build(survey, division)
        told = _steps.description(title, attribution, unit)
        _steps.assemble(
            division.pieces, survey, division.encoding, folder, built.path, options, told, overwrite, progress,
        )  # fmt: skip
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


def _selected(
    df: Any, lon: str | None, lat: str | None, geometry: str | None, row: str | None, columns: tuple[str, ...]
) -> Any:
    """The columns that are read, by the names that tasks have for them."""
    from pyspark.sql import functions as F

    if (geometry is None) != (lon is not None and lat is not None) or (geometry is not None and (lon or lat)):
        raise ValueError(f"expected two columns of coordinates or geometry=, found {lon!r}, {lat!r} and {geometry!r}")
    types = dict(df.dtypes)

    def column(name: str, target: str | None, alias: str, suited: tuple[str, ...]) -> Any:
        """:param target: What it is cast to; where it is None, what its values are taken for."""
        if name not in types:
            raise KeyError(f"expected the name of a column, found {name!r}; there are {', '.join(map(repr, types))}")
        # Of decimal(10,2), or of string collate UNICODE.
        type = types[name].partition("(")[0].partition(" ")[0]
        if type not in suited:
            raise TypeError(f"column {name!r}: expected {' or '.join(suited)}, found {types[name]}; cast it")
        target = target or _TARGETS[type]
        quoted = name.replace("`", "``")
        return F.expr(f"try_cast(`{quoted}` AS {target})").alias(alias)

    numbers = ("double", "float", "decimal", "int", "bigint", "smallint", "tinyint", "string")
    if geometry is not None:
        chosen = [column(geometry, "binary", "geometry", ("binary",))]
    else:
        chosen = [column(str(name), "double", alias, numbers) for name, alias in ((lon, "x"), (lat, "y"))]
    if row is not None:
        chosen.append(column(row, "bigint", "row", ("int", "bigint", "smallint", "tinyint")))
    if len(set(columns)) < len(columns):
        raise ValueError(f"expected columns of different names, found {', '.join(map(repr, columns))}")
    chosen += [column(name, None, f"column{number}", tuple(_TARGETS)) for number, name in enumerate(columns)]
    return df.select(chosen)


#: As which of Spark's types the values of columns are read.
_TARGETS = {
    "double": "double", "float": "double", "decimal": "double", "bigint": "bigint", "int": "bigint",
    "smallint": "bigint", "tinyint": "bigint", "boolean": "boolean", "string": "string", "varchar": "string",
    "char": "string", "date": "date", "timestamp_ntz": "timestamp_ntz", "timestamp": "timestamp",
}  # fmt: skip


def _columns(selected: Any, names: tuple[str, ...], kinds: Mapping[str, str]) -> Columns:
    """The columns of what is selected, as tasks have to know them."""
    import pyarrow as pa

    arrow = {
        "double": pa.float64(), "bigint": pa.int64(), "boolean": pa.bool_(), "string": pa.string(),
        "date": pa.date32(), "timestamp": pa.timestamp("us", "UTC"), "timestamp_ntz": pa.timestamp("us"),
    }  # fmt: skip
    types = dict(selected.dtypes)
    empty = {name: pa.array([], arrow[types[f"column{number}"]]) for number, name in enumerate(names)}
    survey = _steps.ColumnSurvey(input_columns(empty, None, kinds, 0))
    return Columns(names, dict(kinds), survey.to_bytes())


class _Run:
    """The steps of a build as jobs of Spark."""

    def __init__(self, df: Any, tasks: Tasks, progress: Callable[[str, float], None]) -> None:
        self._context = df.sparkSession.sparkContext
        self._tasks, self._progress = tasks, progress
        self._names: list[str] = []
        self._sections: list[Section] = []
        #: What is known of all values.
        self.columns = _steps.ColumnSurvey(data=tasks.columns.survey)

    # MARK: Reading

    def read(self, selected: Any, has_rows: bool, built: Built, refused: Any) -> _steps.Survey:
        """Has all points written to files, and returns how far they reach."""
        self._progress("reading", 0)
        # A row for each partition.
        parts = sorted(selected.mapInArrow(self._tasks.read, READ).collect(), key=lambda part: part.partition)
        fault = next((part.fault for part in parts if part.fault is not None), None)
        if fault is not None:
            raise ValueError(f"expected row numbers from 0 to 2^53, found {fault}; number the rows otherwise")
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
                with open(self._tasks.path(part.name, "columns"), "rb") as file:
                    self.columns.merge(file.read(), base)
                self._names.append(part.name)
                for first in range(0, part.points, _SECTION):
                    self._sections.append(Section(part.name, first, min(_SECTION, part.points - first), base))
                self._list(listing, part, base)
                first_row += part.rows
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

    def encoding(self, most: int) -> bytes:
        """How columns are encoded.

        :param most: How long the dictionaries of those with many different values may be, in bytes.
        """
        wanted = self.columns.gathering(most)
        if not wanted:
            return self.columns.encoding()
        self._progress("gathering", 0)
        shared = self._context.broadcast(wanted)
        # In a tree, of which the driver reads the top; between the levels files have what was gathered.
        gather, names = self._tasks.gather, self._names
        count = min(len(names), 4 * self._context.defaultParallelism)
        while True:
            names = self._context.parallelize(names, count).mapPartitions(partial(gather, shared)).collect()
            if count == 1:
                break
            gather, count = self._tasks.unite, -(-count // _FAN_IN)
        shared.destroy()
        with open(self._tasks.path(names[0], "entries"), "rb") as file:
            entries = _steps.Entries(file.read())
        self._progress("gathering", 1)
        return self.columns.encoding(entries)

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

    def build(self, survey: _steps.Survey, division: Division) -> None:
        """Has all pieces written."""
        count = len(division.pieces.counts)
        if count == 0:
            return
        self._progress("building", 0)
        shared, places = self._context.broadcast(division), self._places(survey)
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
