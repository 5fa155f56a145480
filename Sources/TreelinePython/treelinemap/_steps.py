"""The steps of a build in pieces, which `treeline_pieces.h` declares. A step returns its results as bytes."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from ctypes import POINTER, Structure, c_bool, c_char_p, c_int64, c_size_t, c_uint32, c_void_p
from typing import Any

import numpy as np

from . import _library as c
from ._arrays import AnyArray
from ._input_column import InputColumn
from ._library import _declare, _error, _handle, _quick, _slow, _text
from ._monitor import Monitor
from ._parameters import text
from ._table import Table


class ExtentFacts(Structure):
    _fields_ = [("point_count", c_size_t), ("clipped_point_count", c_size_t), ("seam", c_uint32)]


_bytes = (c_char_p, c_size_t)
_survey_create = _declare(_quick, "survey_create", _handle, c_bool)
_survey_read = _declare(_slow, "survey_read", _handle, *_bytes, _error)
_survey_add_points = _declare(_slow, "survey_add_points", c_bool, _handle, POINTER(c.Points), c_void_p, _error)
_survey_add_survey = _declare(_slow, "survey_add_survey", c_bool, _handle, *_bytes, _error)
_survey_bytes = _declare(_slow, "survey_bytes", _handle, _handle)
_survey_facts = _declare(_quick, "survey_facts", None, _handle, POINTER(ExtentFacts))
_survey_free = _declare(_quick, "survey_free", None, _handle)
_project = _declare(_slow, "project", c_bool, _handle, POINTER(c.Points), c_void_p, _error)
_plan_create = _declare(_quick, "plan_create", _handle, _text, _error)
_plan_round = _declare(_slow, "plan_round", _handle, _handle)
_plan_take = _declare(_slow, "plan_take", c_bool, _handle, *_bytes, _error)
_plan_pieces = _declare(_slow, "plan_pieces", _handle, _handle, _error)
_plan_free = _declare(_quick, "plan_free", None, _handle)
_round_read = _declare(_slow, "round_read", _handle, *_bytes, _error)
_round_add_points = _declare(_slow, "round_add_points", None, _handle, c_void_p, c_size_t)
_round_add_answers = _declare(_slow, "round_add_answers", c_bool, _handle, *_bytes, _error)
_round_answers = _declare(_slow, "round_answers", _handle, _handle)
_round_free = _declare(_quick, "round_free", None, _handle)
_pieces_read = _declare(_slow, "pieces_read", _handle, *_bytes, _error)
_pieces_table = _declare(_slow, "pieces_table", _handle, _handle)
_pieces_find = _declare(_slow, "pieces_find", None, _handle, c_void_p, c_size_t, c_void_p)
_pieces_task = _declare(_quick, "pieces_task", _handle, _handle, c_size_t, _error)
_pieces_free = _declare(_quick, "pieces_free", None, _handle)
_piece_create = _declare(_quick, "piece_create", _handle, *_bytes, _handle, _error)
_piece_add = _declare(_slow, "piece_add", c_bool, _handle, c_void_p, c_void_p, c_void_p, c_size_t, _error)
_piece_write = _declare(_slow, "piece_write", c_bool, _handle, _text, c_size_t, _error)
_piece_free = _declare(_quick, "piece_free", None, _handle)
_merging_create = _declare(_slow, "merging_create", _handle, _handle, _text, _text, POINTER(c.Monitor), _error)
_merging_add_points = _declare(
    _slow, "merging_add_points", c_bool, _handle, c_void_p, c_void_p, c_size_t, _error
)  # fmt: skip
_merging_pieces = _declare(_slow, "merging_pieces", _handle, _handle, _error)
_merging_places = _declare(_slow, "merging_places", c_bool, _handle, c_size_t, c_size_t, c_void_p, _error)
_merging_free = _declare(_slow, "merging_free", None, _handle)
_assemble = _declare(
    _slow, "assemble", c_bool, _handle, _handle, _handle, _handle, _text, _text, POINTER(c.Description), c_bool,
    POINTER(c.Monitor), _error,
)  # fmt: skip
_columns = (POINTER(c.Column), c_size_t)
_column_survey_create = _declare(_slow, "column_survey_create", _handle, *_columns, _error)
_column_survey_read = _declare(_slow, "column_survey_read", _handle, *_bytes, _error)
_column_survey_add_values = _declare(
    _slow, "column_survey_add_values", _handle, _handle, *_columns, c_void_p, c_size_t, _error
)
_column_survey_add_survey = _declare(
    _slow, "column_survey_add_survey", c_bool, _handle, *_bytes, c_int64, _error
)  # fmt: skip
_column_survey_bytes = _declare(_slow, "column_survey_bytes", _handle, _handle)
_column_survey_gathering = _declare(_slow, "column_survey_gathering", _handle, _handle, c_size_t, _error)
_column_survey_encoding = _declare(_slow, "column_survey_encoding", _handle, _handle, _handle, _error)
_column_survey_free = _declare(_quick, "column_survey_free", None, _handle)
_entries_read = _declare(_slow, "entries_read", _handle, *_bytes, _error)
_entries_add_values = _declare(_slow, "entries_add_values", c_bool, _handle, *_bytes, _error)
_entries_add_entries = _declare(_slow, "entries_add_entries", c_bool, _handle, *_bytes, _error)
_entries_bytes = _declare(_slow, "entries_bytes", _handle, _handle)
_entries_free = _declare(_quick, "entries_free", None, _handle)
_encoding_read = _declare(_slow, "encoding_read", _handle, *_bytes, _error)
_encoding_width = _declare(_quick, "encoding_width", c_size_t, _handle)
_encoding_encode = _declare(_slow, "encoding_encode", c_bool, _handle, *_bytes, c_void_p, c_size_t, _error)
_encoding_free = _declare(_quick, "encoding_free", None, _handle)
_stream_create = _declare(
    _slow, "stream_create", _handle, _text, _text, *_columns, POINTER(c.Description), c_bool, _error
)
_stream_add = _declare(
    _slow, "stream_add", c_bool, _handle, POINTER(c.Points), c_void_p, *_columns, c_void_p, _error
)
_stream_finish = _declare(_slow, "stream_finish", c_bool, _handle, POINTER(c.Monitor), _error)
_stream_free = _declare(_slow, "stream_free", None, _handle)


def description(title: str | None, attribution: str | None, unit: str | None) -> c.Description:
    return c.Description(*map(c.encoded_if_any, (title, attribution, unit)))


class _Object(c.Handle):
    """A handle that may be missing, because its creation may have failed."""

    def __del__(self) -> None:
        if hasattr(self, "_free"):
            super().__del__()

    def close(self) -> None:
        """Frees the object of the library now. The traceback of an exception may keep a reference to this Python object
        for long."""
        self._free(self.pointer)
        self.pointer = 0


class Survey(_Object):
    """The number and the extent of points. Surveys of parts can be added up to a survey of the whole."""

    def __init__(self, planar: bool = False, data: bytes | None = None) -> None:
        made = _survey_create(planar) if data is None else c.call(_survey_read, data, len(data))
        super().__init__(made, _survey_free)

    def add(self, x: AnyArray, y: AnyArray) -> AnyArray:
        """Adds some points. Returns a mask of the refused points, whose coordinates are invalid."""
        refused = np.empty(len(x), np.bool_)
        c.call(_survey_add_points, self.pointer, ctypes.byref(c.Points.of(x, y)), refused.ctypes.data)
        return refused

    def merge(self, data: bytes) -> None:
        c.call(_survey_add_survey, self.pointer, data, len(data))

    def to_bytes(self) -> bytes:
        return c.bytes_of(_survey_bytes(self.pointer))

    @property
    def facts(self) -> ExtentFacts:
        facts = ExtentFacts()
        _survey_facts(self.pointer, ctypes.byref(facts))
        return facts

    def project(self, x: AnyArray, y: AnyArray) -> AnyArray:
        """Returns the positions of points on the plane of the survey. A position is an x and a y of 32 bits."""
        positions = np.empty((len(x), 2), np.uint32)
        c.call(_project, self.pointer, ctypes.byref(c.Points.of(x, y)), positions.ctypes.data)
        return positions


def column_array(columns: list[InputColumn]) -> tuple[Any, int]:
    return (c.Column * len(columns))(*(column.column for column in columns)), len(columns)


class ColumnSurvey(_Object):
    """A summary of the values in columns. Surveys of parts can be added up to a survey of the whole."""

    def __init__(self, columns: list[InputColumn] | None = None, data: bytes = b"") -> None:
        """:param columns: The columns to survey, without rows. If None, the survey is read from bytes."""
        if columns is None:
            made = c.call(_column_survey_read, data, len(data))
        else:
            made = c.call(_column_survey_create, *column_array(columns))
        super().__init__(made, _column_survey_free)

    def add(self, columns: list[InputColumn], rows: AnyArray) -> bytes:
        """Adds the values of some points. Returns the added values as bytes.

        :param rows: Row of each point, for errors. A packed array of integers of 64 bits.
        """
        place = rows.ctypes.data
        return c.bytes_of(c.call(_column_survey_add_values, self.pointer, *column_array(columns), place, len(rows)))

    def merge(self, data: bytes, first_row: int = 0) -> None:
        """:param first_row: Number to add to the rows in the survey that is added."""
        c.call(_column_survey_add_survey, self.pointer, data, len(data), first_row)

    def to_bytes(self) -> bytes:
        return c.bytes_of(_column_survey_bytes(self.pointer))

    def gathering(self, most: int) -> bytes:
        """Returns empty `Entries`, as bytes, for some columns. The values of these columns must be gathered before all
        columns can be encoded. Returns empty bytes if there are no such columns.

        :param most: Greatest size of the dictionaries of the gathered columns, in bytes.
        """
        return c.bytes_of(c.call(_column_survey_gathering, self.pointer, most))

    def encoding(self, entries: Entries | None = None) -> bytes:
        """Returns the encodings of all columns. All values must have been surveyed."""
        gathered = None if entries is None else entries.pointer
        return c.bytes_of(c.call(_column_survey_encoding, self.pointer, gathered))


class Entries(_Object):
    """All distinct values of columns with many values. Entries of parts can be added up."""

    def __init__(self, data: bytes) -> None:
        """:param data: Result of `ColumnSurvey.gathering`, or other entries."""
        super().__init__(c.call(_entries_read, data, len(data)), _entries_free)

    def add(self, values: bytes) -> None:
        """:param values: Result of `ColumnSurvey.add`."""
        c.call(_entries_add_values, self.pointer, values, len(values))

    def merge(self, data: bytes) -> None:
        c.call(_entries_add_entries, self.pointer, data, len(data))

    def to_bytes(self) -> bytes:
        return c.bytes_of(_entries_bytes(self.pointer))


class Encoding(_Object):
    """Converts values of columns to codes."""

    def __init__(self, data: bytes) -> None:
        super().__init__(c.call(_encoding_read, data, len(data)), _encoding_free)
        #: Number of bytes of all codes of a point together.
        self.width: int = _encoding_width(self.pointer)

    def encode(self, values: bytes, count: int) -> AnyArray:
        """Returns an array with the codes of some points, which has a row for each point.

        :param values: Result of `ColumnSurvey.add`.
        """
        codes = np.empty((count, self.width), np.uint8)
        c.call(_encoding_encode, self.pointer, values, len(values), codes.ctypes.data, count)
        return codes


class Plan(_Object):
    """A division of points into pieces that is not finished yet."""

    def __init__(self, split: str | None, piece_size: int, most_bins: int | None = None) -> None:
        options = text(split=split, piece_size=piece_size, most_bins=most_bins)
        super().__init__(c.call(_plan_create, options.encode()), _plan_free)

    def next_round(self) -> bytes | None:
        """Returns the questions of the next round, which all points must answer. Returns None when the pieces are
        known."""
        found = _plan_round(self.pointer)
        return None if found is None else c.bytes_of(found)

    def take(self, answers: bytes) -> None:
        c.call(_plan_take, self.pointer, answers, len(answers))

    def pieces(self) -> bytes:
        return c.bytes_of(c.call(_plan_pieces, self.pointer))


class Round(_Object):
    """The questions of a plan in one round, and the answers for the points that were added so far."""

    def __init__(self, data: bytes) -> None:
        super().__init__(c.call(_round_read, data, len(data)), _round_free)

    def add(self, positions: AnyArray) -> None:
        _round_add_points(self.pointer, positions.ctypes.data, len(positions))

    def merge(self, answers: bytes) -> None:
        c.call(_round_add_answers, self.pointer, answers, len(answers))

    def answers(self) -> bytes:
        return c.bytes_of(_round_answers(self.pointer))


class Merging(_Object):
    """A tree that grows by merging. Its large arrays are in files. Leaving the context removes the files."""

    def __init__(
        self, survey: Survey, folder: str, options: str, progress: Callable[[str, float], None] | None
    ) -> None:
        """:param folder: Scratch folder, which is created and removed again."""
        self._monitor = Monitor(progress)
        arguments = (survey.pointer, c.encoded_path(folder), options.encode(), self._monitor.reference)
        super().__init__(c.call(_merging_create, *arguments), _merging_free)

    def __enter__(self) -> Merging:
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()

    def add(self, positions: AnyArray, rows: AnyArray | None) -> None:
        """:param rows: Rows of the points; None if points are added in the order of their rows."""
        given = None if rows is None else rows.ctypes.data
        c.call(_merging_add_points, self.pointer, positions.ctypes.data, given, len(positions))

    def pieces(self) -> bytes:
        """Merges the points. Returns the pieces."""
        return c.bytes_of(self._monitor.run(lambda: c.call(_merging_pieces, self.pointer)))

    def places(self, first: int, count: int) -> AnyArray:
        """Returns the places of some points, in the order in which they were added."""
        places = np.empty(count, np.uint32)
        c.call(_merging_places, self.pointer, first, count, places.ctypes.data)
        return places


class Pieces(_Object):
    """The pieces into which a plan or a merging divides the points."""

    def __init__(self, data: bytes) -> None:
        super().__init__(c.call(_pieces_read, data, len(data)), _pieces_free)
        table = Table._of(_pieces_table(self.pointer))
        #: Number of points of each piece, and whether all points of the piece have one position.
        self.counts, self.are_stacks = table["point_count"], table["is_stack"]

    def find(self, positions: AnyArray) -> AnyArray:
        """Returns, for each point, the number of its piece. In a merged tree, a point is given by its place as x, and 0
        as y."""
        numbers = np.empty(len(positions), np.uint32)
        _pieces_find(self.pointer, positions.ctypes.data, len(positions), numbers.ctypes.data)
        return numbers

    def task(self, number: int) -> bytes:
        return c.bytes_of(c.call(_pieces_task, self.pointer, number))


class Piece(_Object):
    """A piece to which points are still added."""

    def __init__(self, task: bytes, encoding: Encoding) -> None:
        super().__init__(c.call(_piece_create, task, len(task), encoding.pointer), _piece_free)

    def add(self, positions: AnyArray, rows: AnyArray, codes: AnyArray) -> None:
        """:param positions: A packed array in the form of the result of `Survey.project`. `rows` has integers of 64
            bits. `codes` has the form of the result of `Encoding.encode`."""
        arrays = (array.ctypes.data for array in (positions, rows, codes))
        c.call(_piece_add, self.pointer, *arrays, len(rows))

    def write(self, folder: str, threads: int = 1) -> None:
        c.call(_piece_write, self.pointer, c.encoded_path(folder), threads)


def assemble(
    pieces: Pieces, survey: Survey, encoding: Encoding, merging: Merging | None, folder: str, path: str,
    told: c.Description, overwrite: bool, progress: Callable[[str, float], None] | None,
) -> None:  # fmt: skip
    """Assembles an index from the pieces in a folder."""
    monitor = Monitor(progress)
    places = (c.encoded_path(folder), c.encoded_path(path))
    objects = (pieces.pointer, survey.pointer, encoding.pointer, None if merging is None else merging.pointer)
    arguments = (*objects, *places, ctypes.byref(told), overwrite, monitor.reference)
    monitor.run(lambda: c.call(_assemble, *arguments))


class Stream(_Object):
    """An index that is built while its points arrive in batches. Leaving the context removes all files but the
    index."""

    def __init__(
        self, path: str, options: str, columns: list[InputColumn], told: c.Description, overwrite: bool
    ) -> None:
        """:param columns: The columns whose values will be added, without rows."""
        arguments = (c.encoded_path(path), options.encode(), *column_array(columns), ctypes.byref(told), overwrite)
        super().__init__(c.call(_stream_create, *arguments), _stream_free)

    def add(self, x: AnyArray, y: AnyArray, rows: AnyArray | None, columns: list[InputColumn]) -> AnyArray:
        """Adds some points. Returns a mask of the refused points, whose coordinates are invalid."""
        refused = np.empty(len(x), np.bool_)
        given = None if rows is None else rows.ctypes.data
        points = ctypes.byref(c.Points.of(x, y))
        c.call(_stream_add, self.pointer, points, given, *column_array(columns), refused.ctypes.data)
        return refused

    def __enter__(self) -> Stream:
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()

    def finish(self, progress: Callable[[str, float], None] | None) -> None:
        monitor = Monitor(progress)
        monitor.run(lambda: c.call(_stream_finish, self.pointer, monitor.reference))
