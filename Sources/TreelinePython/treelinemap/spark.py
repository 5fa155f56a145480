"""Builds indexes of Spark DataFrames. Executors do the work. The driver plans, and assembles the pieces."""

from __future__ import annotations

import contextlib
import os
import shutil
import uuid
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial
from typing import Any, Literal

import numpy as np

from . import _steps
from ._columns import input_columns
from ._errors import ColumnError, PiecesError
from ._parameters import text
from ._parquet import Built, Listing, byte_count, refuse_loss
from ._spark_tasks import MARK, PLACES, READ, REFUSED, Columns, Division, Places, Section, Tasks

__all__ = ["build"]

#: `_SECTION` is the greatest number of points that one task reads, which takes 0.3 s. `_LEAST` is the least number of
#: points for which a task is worthwhile.
_SECTION, _LEAST = 1 << 23, 1 << 14
#: Number of answers that one task combines.
_FAN_IN = 16
#: Greatest number of partitions in a shuffle. If there are more pieces, a partition may contain several pieces.
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
    supporting: Literal["limit", "spacing", "badges"] | None = None,
    split: str | None = None,
    badge_gap: float | None = None,
    anchor: Literal["mean", "member"] | None = None,
    piece_size: int = 1_000_000,
    memory: str | int = "1GB",
    scratch: Any = None,
    title: str | None = None,
    attribution: str | None = None,
    unit: str | None = None,
    overwrite: bool = False,
    allow_loss: bool = False,
    refused: Any = None,
    progress: Callable[[str, float], None] | None = None,
    _tasks: Callable[..., Tasks] = Tasks,
) -> Built:
    """Builds the index of a DataFrame, with the same bytes as `treelinemap build` for the same rows.

    The package must be installed on the executors. Rows are read only once, so the DataFrame may return other rows when
    it is read again. A repeated task or a lost executor does not change the result. The driver never receives the
    values of columns. For a tree that is `supporting` spacings or badges, the driver reads the positions of all points,
    and merges them in files of the scratch folder. For other trees, the driver never receives the points.

    Rows with invalid coordinates are left out, with a warning that counts these rows. A geometry that is not a point,
    or that cannot be read, is an error.

    All arguments are checked before the DataFrame is read. A failed build leaves no files.

    :param df: A DataFrame of classic PySpark, not of Spark Connect.
    :param lon: Column of longitudes or x. `lat` names the column of latitudes or y.
    :param geometry: Column of points as WKB, which is used instead of `lon` and `lat`.
    :param out: Path of the index on the driver. The file appears complete or not at all.
    :param columns: Names of the columns for filters and aggregates.
    :param kinds: Kind of each column, by name, as in `treelinemap.build`, but without additions such as `+percentiles`.
    :param row: Column with a unique number for each row, from 0 to 2^53. Without this column, rows are numbered in the
        order in which Spark returns them. The index then has the same answers and the same content hash, but the order
        of points at one position may differ.
    :param planar: Whether coordinates are plain x and y.
    :param supporting: What queries will ask for: a `limit` (the default), a `spacing` or `badges`, as in `build`.
    :param split: `least-scatter` or `mean`.
    :param badge_gap: Gap between badges, in pixels. `anchor` says where clusters are shown. Both as in `build`.
    :param piece_size: Number of points in a piece. A task builds a piece, and needs 66 bytes of memory per point, plus
        memory for columns.
    :param memory: Approximate memory of the driver for merging, such as `2GB`. The dictionaries of
        columns with more than 65,536 distinct values may take an eighth of this memory.
    :param scratch: Folder that the driver and all executors can access at the same path. The files in this folder need
        37 bytes per point, plus space for columns, and are removed at the end. While points are merged, the files need
        130 bytes per point more. The folder must exist. By default the folder is next to the index.
    :param overwrite: Whether an existing file at `out` that is not an index may be replaced.
    :param allow_loss: Whether to replace an existing index that has points even if no row has a position, or if fewer
        rows have a position than are left out. By default this is an error, and the existing index is kept.
    :param refused: Path of a Parquet file to write with the rows that are left out: `row`, `x` and `y`.
    :param progress: Called with the current stage and its completed share, from 0 to 1. The share is 0 during planning.
    :raises Error: If the library reports an error, if a value does not suit its column, or if two rows have the same
        number.
    """
    options = text(memory=byte_count(memory))
    growth = text(**{"for": supporting}, badge_gap=badge_gap, anchor=anchor)
    is_merged = supporting in ("spacing", "badges")
    names = (columns,) if isinstance(columns, str) else tuple(columns)
    selected = _selected(df, lon, lat, geometry, row, names)
    chosen = _columns(selected, names, kinds or {})
    built = Built(os.fspath(out))
    # The plan also checks `piece_size`.
    plan = _steps.Plan(None if is_merged else split, piece_size)
    told = _steps.description(title, attribution, unit)
    # Reading may take hours. A stream without points checks beforehand whether the index can be written.
    with _steps.Stream(built.path, options + growth + text(split=split), [], told, overwrite):
        pass
    folder = _folder(built.path, scratch)
    os.mkdir(folder)
    try:
        with open(os.path.join(folder, MARK), "w"):
            pass
        run = _Run(df, _tasks(folder, geometry, planar, row, chosen), progress or (lambda *_: None))
        with Listing(built, refused) as listing, contextlib.ExitStack() as stack:
            survey = run.read(selected, built, listing)
            if not allow_loss:
                refuse_loss(built, built.point_count)
            if row is not None:
                run.check_rows(row)
            # The values are encoded before the other work, so that unsuitable values or too many distinct values are
            # reported early.
            encoding = run.encoding(byte_count(memory) // 8)
            merging = None
            if is_merged:
                merging = stack.enter_context(
                    run.merging(survey, text(piece_size=piece_size, memory=byte_count(memory)) + growth)
                )
                run.merge(merging, survey)
            division = Division(run.plan(survey, plan) if merging is None else merging.pieces(), encoding)
            run.build(survey, division, merging is not None)
            _steps.assemble(
                division.pieces, survey, division.encoding, merging, folder, built.path, told, overwrite, progress,
            )  # fmt: skip
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    built.warn()
    return built


def _folder(out: str, scratch: Any) -> str:
    """Returns a path for the scratch folder. The path is unique to this build."""
    if scratch is None:
        parent = os.path.dirname(os.path.abspath(out))
    else:
        parent = os.fspath(scratch)
        scheme, colon, path = parent.partition("://")
        if colon and scheme != "file":
            raise ValueError(
                f"expected scratch= to be a path that all machines can access, found {parent}; mount this folder, and "
                "pass the mounted path"
            )
        parent = path if colon else os.path.abspath(parent)
    return os.path.join(parent, f".{os.path.basename(out)}.{uuid.uuid4().hex}.scratch")


def _selected(
    df: Any, lon: str | None, lat: str | None, geometry: str | None, row: str | None, columns: tuple[str, ...]
) -> Any:
    """Returns the columns to read, with the names that tasks expect."""
    from pyspark.sql import functions as F

    if (geometry is None) != (lon is not None and lat is not None) or (geometry is not None and (lon or lat)):
        raise ValueError(
            f"expected either lon= and lat=, or geometry=, found lon={lon!r}, lat={lat!r} and geometry={geometry!r}"
        )
    types = dict(df.dtypes)

    def column(name: str, target: str | None, alias: str, suited: tuple[str, ...]) -> Any:
        """:param target: Type to which the column is cast; None for the type in which its values are read."""
        if name not in types:
            raise KeyError(f"there is no column {name!r}; columns: {', '.join(map(repr, types))}")
        # The name of the type without its parameters, such as `decimal` for decimal(10,2) and `string` for string
        # collate UNICODE.
        type = types[name].partition("(")[0].partition(" ")[0]
        if type not in suited:
            raise TypeError(f"column {name!r}: expected {' or '.join(suited)}, found {types[name]}; cast it")
        # Doubles cannot hold all decimals.
        target = target or (types[name] if type == "decimal" else _TARGETS[type])
        quoted = name.replace("`", "``")
        return F.expr(f"try_cast(`{quoted}` AS {target})").alias(alias)

    numbers = ("double", "float", "decimal", "int", "bigint", "smallint", "tinyint")
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


#: For each Spark type of a column, the type in which its values are read.
_TARGETS = {
    "double": "double", "float": "double", "decimal": "decimal", "bigint": "bigint", "int": "bigint",
    "smallint": "bigint", "tinyint": "bigint", "boolean": "boolean", "string": "string", "varchar": "string",
    "char": "string", "date": "date", "timestamp_ntz": "timestamp_ntz", "timestamp": "timestamp",
}  # fmt: skip


def _columns(selected: Any, names: tuple[str, ...], kinds: Mapping[str, str]) -> Columns:
    """Returns the columns of a DataFrame in the form that tasks need."""
    import pyarrow as pa

    arrow = {
        "double": pa.float64(), "bigint": pa.int64(), "boolean": pa.bool_(), "string": pa.string(),
        "date": pa.date32(), "timestamp": pa.timestamp("us", "UTC"), "timestamp_ntz": pa.timestamp("us"),
    }  # fmt: skip
    types = dict(selected.dtypes)
    # A survey without values only needs to know that a decimal is a number.
    decimal = pa.decimal128(38, 0)
    empty = {name: pa.array([], arrow.get(types[f"column{number}"], decimal)) for number, name in enumerate(names)}
    survey = _steps.ColumnSurvey(input_columns(empty, None, kinds, 0))
    return Columns(names, dict(kinds), survey.to_bytes())


class _Run:
    """The steps of a build. Each step runs Spark jobs."""

    def __init__(self, df: Any, tasks: Tasks, progress: Callable[[str, float], None]) -> None:
        self._context = df.sparkSession.sparkContext
        self._tasks, self._progress = tasks, progress
        self._names: list[str] = []
        self._sections: list[Section] = []
        #: Survey of the values in all columns.
        self.columns = _steps.ColumnSurvey(data=tasks.columns.survey)

    # MARK: Reading

    def read(self, selected: Any, built: Built, listing: Listing) -> _steps.Survey:
        """Writes the points to files, and returns the survey of all points."""
        self._progress("reading", 0)
        # One row for each partition.
        parts = sorted(selected.mapInArrow(self._tasks.read, READ).collect(), key=lambda part: part.partition)
        fault = next((part.fault for part in parts if part.fault is not None), None)
        if fault is not None:
            raise ColumnError(fault)
        survey, first_row, number = None, 0, 0
        for part in parts:
            base = 0 if self._tasks.row is not None else first_row
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
                self._sections.append(Section(part.name, first, min(_SECTION, part.points - first), number, base))
                number += self._sections[-1].count
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

    def check_rows(self, name: str) -> None:
        """Checks that no two points have the same row number. Only the row numbers go through a shuffle.

        :param name: Name of the column of row numbers.
        """
        self._progress("checking", 0)
        count = 1 + sum(section.count for section in self._sections) // _SECTION
        blocks = self._points().mapPartitions(partial(self._tasks.spread_rows, count)).partitionBy(count, int)
        repeated = blocks.values().mapPartitions(self._tasks.repeated_row).collect()
        if repeated:
            raise PiecesError(
                f"column {name!r}: expected a different row number for each point, found {min(repeated)} twice; give "
                "each point its own row number"
            )
        self._progress("checking", 1)

    def encoding(self, most: int) -> bytes:
        """Returns the encodings of all columns.

        :param most: Greatest size of the dictionaries of columns with many distinct values, in bytes.
        """
        wanted = self.columns.gathering(most)
        if not wanted:
            return self.columns.encoding()
        self._progress("gathering", 0)
        shared = self._context.broadcast(wanted)
        # Tasks unite the entries level by level, until a single file is left. The driver reads this file. Between two
        # levels the entries are in files.
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
        """Distributes the sections of all points to tasks. The number of tasks depends on the number of cores and of
        points."""
        total = sum(section.count for section in self._sections)
        count = min(len(self._sections), 4 * self._context.defaultParallelism, total // _LEAST)
        return self._context.parallelize(self._sections, max(count, 1))

    # MARK: Planning

    def plan(self, survey: _steps.Survey, plan: _steps.Plan) -> bytes:
        """Finds the pieces. Each round of the plan is a Spark job."""
        places = self._places(survey)
        while (question := plan.next_round()) is not None:
            self._progress("planning", 0)
            shared = self._context.broadcast(question)
            answers = self._points().mapPartitions(partial(self._tasks.answer, places, shared))
            # Tasks combine the answers level by level, until a single answer is left. The driver receives this answer.
            while (count := answers.getNumPartitions()) > 1:
                count = -(-count // _FAN_IN)
                keyed = answers.mapPartitionsWithIndex(partial(_numbered, count)).partitionBy(count, int)
                answers = keyed.values().mapPartitions(partial(self._tasks.add_up, shared))
            plan.take(answers.collect()[0])
            shared.destroy()
        return plan.pieces()

    def _places(self, survey: _steps.Survey, are_merged: bool = False) -> Any:
        data = survey.to_bytes() if self._tasks.planar and not are_merged else None
        return self._context.broadcast(Places(survey.facts.seam, data, are_merged))

    # MARK: Merging

    def merging(self, survey: _steps.Survey, options: str) -> _steps.Merging:
        options += text(rows=self._tasks.row is not None)
        return _steps.Merging(survey, self._tasks.path("merging", "driver"), options, self._progress)

    def merge(self, merging: _steps.Merging, survey: _steps.Survey) -> None:
        """Merges all points, and writes their places to a file."""
        self._progress("merging", 0)
        tasks, has_rows = self._tasks, self._tasks.row is not None
        places = self._places(survey)
        for section in self._sections:
            for positions, block in tasks.blocks(section, places):
                merging.add(np.ascontiguousarray(positions), tasks.rows(block) if has_rows else None)
        merging.pieces()
        with open(os.path.join(tasks.folder, PLACES), "xb") as file:
            for section in self._sections:
                merging.places(section.number, section.count).tofile(file)
            file.flush()
            os.fsync(file.fileno())

    # MARK: Pieces

    def build(self, survey: _steps.Survey, division: Division, is_merged: bool) -> None:
        """Writes all pieces."""
        count = len(division.pieces.counts)
        if count == 0:
            return
        self._progress("building", 0)
        shared, places = self._context.broadcast(division), self._places(survey, is_merged)
        partitions = min(count, _MOST_PARTITIONS)
        blocks = self._points().mapPartitions(partial(self._tasks.partition, places, shared))
        placed = blocks.partitionBy(partitions, partial(_partition, partitions, count))
        found = sorted(placed.mapPartitions(partial(self._tasks.build, shared)).collect())
        if found != list(range(count)):
            raise PiecesError(f"expected {count} pieces of the index, found {len(found)}; start the build again")
        self._progress("building", 1)


def _numbered(count: int, number: int, values: Iterable[bytes]) -> Iterator[tuple[int, bytes]]:
    return ((number % count, value) for value in values)


def _partition(partitions: int, count: int, piece: int) -> int:
    """Returns the partition of a piece. Neighboring pieces stay together, and partitions have nearly equal numbers of
    pieces. Partitioning by a hash would have neither property."""
    return piece * partitions // count
