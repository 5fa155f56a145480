"""Tasks of executors in a build on Spark. Each task is a function of batches, files or blocks. Spark may repeat a task.

A task that reads the input writes files and returns their names, which are unique to the attempt. Spark uses the result
of one attempt. All later tasks read the files of this attempt, so a repeated task sees the same points.
"""

from __future__ import annotations

import os
import uuid
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from ._arrays import AnyArray
from ._columns import input_columns
from ._exact import WholeNumbers
from ._geometry import PointColumns
from ._geometry import points as point_coordinates
from ._input_column import InputColumn
from ._parquet import LAST_ROW, NO_ROW
from ._steps import ColumnSurvey, Encoding, Entries, Piece, Pieces, Round, Survey

#: Name of a file in the scratch folder. An executor that finds this file sees the same folder as the driver.
MARK = "treeline-scratch"

REFUSED = np.dtype([("row", "<i8"), ("x", "<f8"), ("y", "<f8")])
#: The end of a batch of values in a file: the number of points and the number of bytes before this end.
VALUES_END = np.dtype([("point", "<i8"), ("byte", "<i8")])
#: Name of the file with the place of each point in a merged tree.
PLACES = "places"
#: Columns of the result of `Tasks.read`, which has one row for each partition.
READ = "partition long, name string, points long, rows long, refused long, fault string"


@dataclass(frozen=True)
class Section:
    """Consecutive points in a file."""

    name: str
    first: int
    count: int
    #: Number of points that were read before these points.
    number: int
    #: Number to add to the rows that are stored in the file.
    first_row: int


@dataclass(frozen=True)
class Places:
    """Where points are: the meridian at which Web Mercator is cut, or the survey of plain coordinates."""

    seam: int
    survey: bytes | None
    #: Whether points are given by their places in a merged tree, instead of their positions.
    are_merged: bool = False


@dataclass(frozen=True)
class Division:
    """The division of the points into pieces, and the encodings of the points' values. The division and the encodings
    are stored as bytes.

    All tasks of a process share the decoded objects, because a dictionary may be large.
    """

    piece_bytes: bytes
    encoding_bytes: bytes

    @cached_property
    def pieces(self) -> Pieces:
        return Pieces(self.piece_bytes)

    @cached_property
    def encoding(self) -> Encoding:
        return Encoding(self.encoding_bytes)

    def __getstate__(self) -> dict[str, bytes]:
        return {"piece_bytes": self.piece_bytes, "encoding_bytes": self.encoding_bytes}


@dataclass(frozen=True)
class Columns:
    """The columns of the points. In the input of tasks, the columns have the names `column0`, `column1` and so on."""

    names: tuple[str, ...]
    kinds: Mapping[str, str]
    #: A survey of these columns without any values, as bytes.
    survey: bytes

    def read(self, batch: Any, rows: AnyArray) -> list[InputColumn]:
        named = {name: batch.column(f"column{number}") for number, name in enumerate(self.names)}
        return input_columns(named, None, self.kinds, len(batch), rows)


class Tasks:
    """The tasks of executors. Tasks exchange files in a folder that all executors can access."""

    #: Maximum number of points that a task has in memory.
    block_size = 1 << 20

    def __init__(self, folder: str, geometry: str | None, planar: bool, row: str | None, columns: Columns) -> None:
        """
        :param geometry: Name of the DataFrame's column of points; None if there are columns `x` and `y`.
        :param row: Name of the DataFrame's column of row numbers; None if there is no such column.
        """
        self.folder, self.planar, self._geometry, self.row = folder, planar, geometry, row
        self.columns = columns

    def path(self, name: str, kind: str) -> str:
        return os.path.join(self.folder, f"{kind}-{name}")

    # MARK: Reading

    def read(self, batches: Iterable[Any]) -> Iterator[Any]:
        """Writes the points of a partition to files. Returns the common name of the files, and the number of points."""
        import pyarrow as pa
        from pyspark import TaskContext

        if not os.path.exists(os.path.join(self.folder, MARK)):
            raise FileNotFoundError(
                f"{self.folder}: expected the folder that the driver created, found another folder or none; "
                "use scratch= to choose a folder that all executors can access"
            )
        context = TaskContext.get()
        partition = context.partitionId() if context else 0
        name = f"{partition}-{context.attemptNumber() if context else 0}-{uuid.uuid4().hex}"
        survey, columns = Survey(self.planar), ColumnSurvey(data=self.columns.survey)
        try:
            rows, refused_count, fault = *self._write(batches, name, survey, columns), None
        except ValueError as error:
            # Spark would repeat a task that fails. Without a column of row numbers, only the driver knows how many rows
            # earlier partitions have.
            rows = refused_count = 0
            fault = str(error) if self.row is not None else f"partition {partition} of the DataFrame: {error}"
        for kind, summary in (("survey", survey), ("columns", columns)):
            with _File(self.path(name, kind)) as file:
                file.file.write(summary.to_bytes())
        result = [[partition], [name], [survey.facts.point_count], [rows], [refused_count], [fault]]
        names = [field.split()[0] for field in READ.split(", ")]
        types = [pa.string() if field.endswith("string") else pa.int64() for field in READ.split(", ")]
        yield pa.RecordBatch.from_arrays([pa.array(v, t) for v, t in zip(result, types)], names)

    def _write(
        self, batches: Iterable[Any], name: str, survey: Survey, columns: ColumnSurvey
    ) -> tuple[int, int]:
        """Writes the points of a partition to files, and adds the points to surveys. Returns the number of rows and the
        number of refused rows."""
        import pyarrow as pa

        uncut, whole = Survey(), WholeNumbers()
        rows = refused_count = 0
        with _File(self.path(name, "points")) as points, _File(self.path(name, "rows")) as numbers:
            with _File(self.path(name, "refused")) as listed, _Values(self, name) as values:
                for batch in batches:
                    found = self._rows(batch, rows)
                    x, y = self._coordinates(batch, found)
                    refused = survey.add(x, y)
                    if refused.any():
                        entries = np.empty(int(refused.sum()), REFUSED)
                        entries["row"], entries["x"], entries["y"] = found[refused], x[refused], y[refused]
                        entries.tofile(listed.file)
                        refused_count += len(entries)
                        x, y, found = x[~refused], y[~refused], found[~refused]
                    self._check(found)
                    found = np.ascontiguousarray(found, "<i8")
                    if self.columns.names:
                        chosen = batch.filter(pa.array(~refused)) if refused.any() else batch
                        own = self.columns.read(chosen, found)
                        for column in own:
                            whole.add(column, found)
                        values.add(columns.add(own, found), len(found))
                    (np.column_stack((x, y)) if self.planar else uncut.project(x, y)).tofile(points.file)
                    found.tofile(numbers.file)
                    rows += len(batch)
        return rows, refused_count

    def _coordinates(self, batch: Any, rows: AnyArray) -> tuple[AnyArray, AnyArray]:
        if self._geometry is not None:
            return point_coordinates(self._geometry, batch.column("geometry"), rows)
        return PointColumns(batch.schema, "x", "y", None, True).read(batch, rows)

    def _rows(self, batch: Any, first_row: int) -> AnyArray:
        """Returns the row numbers of a batch; `NO_ROW` for a missing number."""
        if self.row is None:
            return np.arange(first_row, first_row + len(batch))
        rows: AnyArray = batch.column("row").fill_null(NO_ROW).to_numpy(zero_copy_only=False)
        return rows

    def _check(self, rows: AnyArray) -> None:
        """Checks the row numbers of points. The numbers of refused rows do not matter."""
        bad = (rows < 0) | (rows > LAST_ROW)
        if bad.any():
            row = int(rows[bad][0])
            found = "a missing value" if row == NO_ROW else row
            raise ValueError(
                f"column {self.row!r}: expected row numbers from 0 to 2^53, found {found}; use other row numbers"
            )

    def spread_rows(self, count: int, sections: Iterable[Section]) -> Iterator[tuple[int, bytes]]:
        """Yields blocks with the row numbers of points. A hash of a row number is the key of its block, a number below
        `count`."""
        for section in sections:
            for first in range(section.first, section.first + section.count, self.block_size):
                length = min(self.block_size, section.first + section.count - first)
                rows = np.fromfile(self.path(section.name, "rows"), "<i8", length, offset=8 * first)
                # Without a hash, blocks might have very different sizes, for example if all row numbers are even.
                hashes = rows.view("<u8") * np.uint64(0x9E3779B97F4A7C15) >> np.uint64(32)
                keys = (hashes % np.uint64(count)).astype(np.uint16)
                ends = np.cumsum(np.bincount(keys, minlength=count))[:-1]
                for key, block in enumerate(np.split(rows[np.argsort(keys, kind="stable")], ends)):
                    yield key, block.tobytes()

    def repeated_row(self, blocks: Iterable[bytes]) -> Iterator[int]:
        """Yields the least row number that occurs twice, if there is one."""
        rows = np.sort(np.frombuffer(b"".join(blocks), "<i8"))
        yield from rows[1:][rows[1:] == rows[:-1]][:1].tolist()

    # MARK: Dictionaries

    def gather(self, wanted: Any, names: Iterable[str]) -> Iterator[str]:
        """Writes a file with the distinct values that some partitions have in columns with many values. Returns the
        file's name."""
        entries = Entries(wanted.value)
        for name in names:
            ends = np.fromfile(self.path(name, "value-ends"), VALUES_END)["byte"].tolist()
            with open(self.path(name, "values"), "rb") as file:
                for start, end in zip([0, *ends], ends):
                    entries.add(file.read(end - start))
        yield self._written(entries)

    def unite(self, wanted: Any, names: Iterable[str]) -> Iterator[str]:
        """Writes the union of several files of distinct values to a new file. Returns the name of the new file."""
        entries = Entries(wanted.value)
        for name in names:
            with open(self.path(name, "entries"), "rb") as file:
                entries.merge(file.read())
        yield self._written(entries)

    def _written(self, entries: Entries) -> str:
        name = uuid.uuid4().hex
        with _File(self.path(name, "entries")) as file:
            file.file.write(entries.to_bytes())
        return name

    # MARK: Planning

    def answer(self, places: Any, question: Any, sections: Iterable[Section]) -> Iterator[bytes]:
        """Answers the questions of one round of planning for the points of some sections."""
        round = Round(question.value)
        for section in sections:
            for positions, _ in self.blocks(section, places):
                round.add(positions)
        yield round.answers()

    def add_up(self, question: Any, answers: Iterable[bytes]) -> Iterator[bytes]:
        round = Round(question.value)
        for answer in answers:
            round.merge(answer)
        yield round.answers()

    # MARK: Partition and pieces

    def partition(self, places: Any, plan: Any, sections: Iterable[Section]) -> Iterator[tuple[int, bytes]]:
        """Yields blocks with the positions, rows and codes of points. The key of a block is the number of its piece."""
        pieces, encoding = plan.value.pieces, plan.value.encoding
        for section in sections:
            for positions, block in self.blocks(section, places):
                rows = self.rows(block)
                codes = self._codes(block, encoding)
                numbers = pieces.find(positions)
                # numpy sorts 16-bit numbers with a radix sort, which is fast.
                narrow = numbers.astype(np.uint16) if len(pieces.counts) <= 1 << 16 else numbers
                order = np.argsort(narrow, kind="stable")
                sorted_numbers = numbers[order]
                starts = np.flatnonzero(np.diff(sorted_numbers, prepend=np.uint32((1 << 32) - 1)))
                for start, end in zip(starts.tolist(), [*starts[1:].tolist(), len(order)]):
                    own = order[start:end]
                    parts = (positions[own], rows[own], codes[own])
                    yield int(sorted_numbers[start]), b"".join(part.tobytes() for part in parts)

    def build(self, plan: Any, blocks: Iterable[tuple[int, bytes]]) -> Iterator[int]:
        """Writes the pieces of some blocks, and yields the number of each piece."""
        pieces, encoding = plan.value.pieces, plan.value.encoding
        begun: dict[int, Piece] = {}
        for number, data in blocks:
            if number not in begun:
                begun[number] = Piece(pieces.task(number), encoding)
            count = len(data) // (16 + encoding.width)
            positions = np.frombuffer(data, "<u4", 2 * count).reshape(count, 2)
            codes = np.frombuffer(data, np.uint8)[16 * count :]
            begun[number].add(positions, np.frombuffer(data, "<i8", count, 8 * count), codes)
        for number in sorted(begun):
            begun.pop(number).write(self.folder)
            yield number

    def blocks(self, section: Section, places: Any) -> Iterator[tuple[AnyArray, Section]]:
        """Yields the positions of a section's points in blocks. In a merged tree, yields their places."""
        place, path = places.value, self.path(section.name, "points")
        survey = None if place.survey is None else Survey(data=place.survey)
        for first in range(section.first, section.first + section.count, self.block_size):
            count = min(self.block_size, section.first + section.count - first)
            number = section.number + first - section.first
            if place.are_merged:
                positions = np.zeros((count, 2), np.uint32)
                positions[:, 0] = np.fromfile(os.path.join(self.folder, PLACES), "<u4", count, offset=4 * number)
            elif survey is not None:
                pairs = np.fromfile(path, "<f8", 2 * count, offset=16 * first).reshape(count, 2)
                positions = survey.project(pairs[:, 0], pairs[:, 1])
            else:
                positions = np.fromfile(path, "<u4", 2 * count, offset=8 * first).reshape(count, 2)
                positions[:, 0] -= np.uint32(place.seam)
            yield positions, Section(section.name, first, count, number, section.first_row)

    def rows(self, section: Section) -> AnyArray:
        """Returns the rows of a section's points."""
        path, offset = self.path(section.name, "rows"), 8 * section.first
        return np.fromfile(path, "<i8", section.count, offset=offset) + section.first_row

    def _codes(self, section: Section, encoding: Encoding) -> AnyArray:
        """Returns an array with the codes of a section's points, which has a row for each point."""
        codes = np.empty((section.count, encoding.width), np.uint8)
        if encoding.width == 0:
            return codes
        ends = np.fromfile(self.path(section.name, "value-ends"), VALUES_END)
        number = int(np.searchsorted(ends["point"], section.first, "right"))
        with open(self.path(section.name, "values"), "rb") as file:
            place = 0
            while place < section.count:
                # The bounds of the batch in which the wanted points begin. The points may end in this batch or in a
                # later batch.
                first, start = ends[number - 1].tolist() if number else (0, 0)
                end, stop = ends[number].tolist()
                file.seek(start)
                found = encoding.encode(file.read(stop - start), end - first)
                skipped = section.first + place - first
                part = found[skipped : skipped + section.count - place]
                codes[place : place + len(part)] = part
                place += len(part)
                number += 1
        return codes


class _File:
    """A file that is synced to the disk before it is closed."""

    def __init__(self, path: str) -> None:
        self.file = open(path, "xb")

    def __enter__(self) -> _File:
        return self

    def __exit__(self, *_: Any) -> None:
        self.file.flush()
        os.fsync(self.file.fileno())
        self.file.close()


class _Values:
    """The values of a partition's points. The values are written in batches, together with the end of each batch."""

    def __init__(self, tasks: Tasks, name: str) -> None:
        self._values, self._ends = _File(tasks.path(name, "values")), _File(tasks.path(name, "value-ends"))
        self._end = (0, 0)

    def __enter__(self) -> _Values:
        return self

    def __exit__(self, *_: Any) -> None:
        self._values.__exit__()
        self._ends.__exit__()

    def add(self, values: bytes, count: int) -> None:
        if count == 0:
            return
        self._end = (self._end[0] + count, self._end[1] + len(values))
        self._values.file.write(values)
        np.array([self._end], VALUES_END).tofile(self._ends.file)
