"""Reads arrays through Arrow's C data interface. Polars, pyarrow, DuckDB and other packages offer this interface.
Reading through it needs none of these packages.

https://arrow.apache.org/docs/format/CDataInterface.html
"""

from __future__ import annotations

import ctypes
from ctypes import CFUNCTYPE, POINTER, Structure, c_char_p, c_int, c_int64, c_void_p
from typing import Any, NamedTuple

import numpy as np

from ._arrays import AnyArray, view
from ._decimals import Decimals


class Schema(Structure):
    pass


class Array(Structure):
    pass


class Stream(Structure):
    pass


RELEASE_SCHEMA = CFUNCTYPE(None, POINTER(Schema))
RELEASE_ARRAY = CFUNCTYPE(None, POINTER(Array))
RELEASE_STREAM = CFUNCTYPE(None, POINTER(Stream))
GET_SCHEMA = CFUNCTYPE(c_int, POINTER(Stream), POINTER(Schema))
GET_NEXT = CFUNCTYPE(c_int, POINTER(Stream), POINTER(Array))
GET_LAST_ERROR = CFUNCTYPE(c_char_p, POINTER(Stream))

Schema._fields_ = [
    ("format", c_char_p),
    ("name", c_char_p),
    ("metadata", c_void_p),
    ("flags", c_int64),
    ("n_children", c_int64),
    ("children", POINTER(POINTER(Schema))),
    ("dictionary", POINTER(Schema)),
    ("release", RELEASE_SCHEMA),
    ("private_data", c_void_p),
]
Array._fields_ = [
    ("length", c_int64),
    ("null_count", c_int64),
    ("offset", c_int64),
    ("n_buffers", c_int64),
    ("n_children", c_int64),
    ("buffers", POINTER(c_void_p)),
    ("children", POINTER(POINTER(Array))),
    ("dictionary", POINTER(Array)),
    ("release", RELEASE_ARRAY),
    ("private_data", c_void_p),
]
Stream._fields_ = [
    ("get_schema", GET_SCHEMA),
    ("get_next", GET_NEXT),
    ("get_last_error", GET_LAST_ERROR),
    ("release", RELEASE_STREAM),
    ("private_data", c_void_p),
]

_pointer_of = ctypes.pythonapi.PyCapsule_GetPointer
_pointer_of.restype, _pointer_of.argtypes = c_void_p, [ctypes.py_object, c_char_p]

_NUMBERS = {
    b"c": "i1", b"C": "u1", b"s": "<i2", b"S": "<u2", b"i": "<i4", b"I": "<u4", b"l": "<i8", b"L": "<u8",
    b"e": "<f2", b"f": "<f4", b"g": "<f8",
}  # fmt: skip

#: Names of Arrow types for errors. The key is the beginning of the format, which may go on with a unit or a size.
_NAMES = {
    b"u": "texts", b"U": "texts", b"vu": "texts", b"z": "binary", b"Z": "binary", b"vz": "binary", b"b": "booleans",
    b"n": "nulls", b"w:": "binary of a fixed size", b"td": "dates", b"ts": "timestamps", b"tt": "times of day",
    b"tD": "durations", b"ti": "intervals", b"d:": "decimals", b"+s": "structs", b"+l": "lists", b"+L": "lists",
    b"+vl": "lists", b"+vL": "lists", b"+w:": "lists", b"+m": "maps", b"+u": "unions", b"+r": "run-end encoded values",
    **dict.fromkeys(_NUMBERS, "numbers"),
}  # fmt: skip


def speaks(values: Any) -> bool:
    """Returns whether an object exports Arrow arrays. Objects of pandas export them only if pyarrow is installed."""
    return hasattr(values, "__arrow_c_stream__") or hasattr(values, "__arrow_c_array__")


class Memory:
    """An export of an object. The export keeps the object's memory alive until the export is deleted."""

    def __init__(self, values: Any) -> None:
        self.schema = Schema()
        self.arrays: list[Array] = []
        self._capsules: tuple[Any, ...] = ()
        if hasattr(values, "__arrow_c_stream__"):
            self._capsules = (values.__arrow_c_stream__(),)
            stream = _content(self._capsules[0], b"arrow_array_stream", Stream)
            self._take(stream, stream.get_schema, self.schema)
            while True:
                array = Array()
                self._take(stream, stream.get_next, array)
                if not array.release:
                    break
                self.arrays.append(array)
        else:
            # The capsules release their contents when they are deleted.
            self._capsules = values.__arrow_c_array__()
            self.schema = _content(self._capsules[0], b"arrow_schema", Schema)
            self.arrays = [_content(self._capsules[1], b"arrow_array", Array)]

    @property
    def is_table(self) -> bool:
        is_struct: bool = self.schema.format == b"+s"
        return is_struct

    @staticmethod
    def _take(stream: Stream, function: Any, place: Structure) -> None:
        code = function(ctypes.byref(stream), ctypes.byref(place))
        if code:
            message = stream.get_last_error(ctypes.byref(stream))
            raise ValueError(f"expected an Arrow stream, found an error: {(message or b'').decode() or code}")

    def __del__(self) -> None:
        if len(self._capsules) == 1:
            for content in (*self.arrays, self.schema):
                if content.release:
                    content.release(ctypes.byref(content))


def _content(capsule: Any, name: bytes, type: Any) -> Any:
    return type.from_address(_pointer_of(capsule, name))


class Part(NamedTuple):
    """Consecutive entries of an array."""

    array: Array
    start: int
    length: int

    def child(self, number: int) -> Part:
        array = self.array.children[number].contents
        return Part(array, array.offset + self.start, self.length)


class Column:
    """A column: a single array, or all arrays of a stream in their order."""

    def __init__(self, memory: Memory, schema: Schema, parts: list[Part], rows: Column | None = None) -> None:
        """
        :param rows: The rows of the table with this column. A value is missing if its row is.
        """
        self._memory, self._schema, self._parts, self._rows = memory, schema, parts, rows

    def __len__(self) -> int:
        return sum(part.length for part in self._parts)

    @property
    def is_dictionary(self) -> bool:
        return bool(self._schema.dictionary)

    @property
    def format(self) -> bytes:
        format: bytes = self._schema.format
        return format

    @property
    def valid(self) -> AnyArray | None:
        """Mask of the values that are present; None if no value is missing."""
        found = [self._valid(part) for part in self._parts]
        rows = None if self._rows is None else self._rows.valid
        if all(valid is None for valid in found):
            return rows
        pairs = zip(found, self._parts)
        own = np.concatenate([np.ones(part.length, bool) if valid is None else valid for valid, part in pairs])
        return own if rows is None else own & rows

    def _valid(self, part: Part) -> AnyArray | None:
        if self.format == b"n":
            return np.zeros(part.length, bool)
        array = part.array
        return self._bits(part, 0) if array.null_count != 0 and array.n_buffers and array.buffers[0] else None

    def _bits(self, part: Part, buffer: int) -> AnyArray:
        first, end = part.start // 8, (part.start + part.length + 7) // 8
        bits = view(self._memory, part.array.buffers[buffer] + first, (end - first,), "|u1")
        skipped = part.start - 8 * first
        return np.unpackbits(bits, bitorder="little")[skipped : skipped + part.length].astype(bool)

    def _view(self, part: Part, buffer: int, type: str, count: int | None = None) -> AnyArray:
        count = part.length if count is None else count
        address = part.array.buffers[buffer]
        if count == 0 or address is None:
            return np.zeros(count, type)
        return view(self._memory, address + part.start * np.dtype(type).itemsize, (count,), type)

    def numbers(self) -> AnyArray | None:
        """Returns numbers, booleans or times as a numpy array; None for other types. Decimals are whole numbers if all
        of them are, and otherwise the nearest doubles. Whole numbers that do not fit into 64 bits are Python objects.
        The entry of a missing value is arbitrary."""
        format = self.format
        if format == b"b":
            return np.concatenate([np.zeros(0, bool), *(self._bits(part, 1) for part in self._parts if part.length)])
        if format in _NUMBERS:
            return self._joined(_NUMBERS[format])
        if format == b"tdD":
            return self._joined("<i4").astype("<i8").view("<M8[D]")
        if format == b"tdm" or format.startswith(b"ts"):
            unit = "ms" if format == b"tdm" else {"s": "s", "m": "ms", "u": "us", "n": "ns"}[chr(format[2])]
            return self._joined(f"<M8[{unit}]")
        decimals = self.decimals()
        if decimals is None:
            return None
        decimals = decimals.stripped()
        return decimals.whole if decimals.digits == 0 else decimals.doubles()

    def _joined(self, type: str) -> AnyArray:
        arrays = [self._view(part, 1, type) for part in self._parts] or [np.zeros(0, type)]
        return arrays[0] if len(arrays) == 1 else np.concatenate(arrays)

    def decimals(self) -> Decimals | None:
        """Returns decimals; None for other types."""
        if not self.format.startswith(b"d:"):
            return None
        _, scale, *bits = self.format[2:].split(b",")
        width = int(bits[0]) if bits else 128
        if width in (32, 64):
            low = self._joined(f"<i{width // 8}").astype("<i8")
            high = low >> 63
        elif width == 128:
            halves = self._joined("<u8,<i8")
            low, high = halves["f0"].view("<i8"), halves["f1"]
        else:
            return None
        if (valid := self.valid) is not None:
            low, high = np.where(valid, low, 0), np.where(valid, high, 0)
        if (is_wide := high != low >> 63).any() or int(scale) < 0:
            whole = low.astype(object)
            for row in np.flatnonzero(is_wide).tolist():
                whole[row] = (int(high[row]) << 64) + (int(low[row]) & 0xFFFF_FFFF_FFFF_FFFF)
            low = whole * 10 ** max(-int(scale), 0)
        return Decimals(low, max(int(scale), 0))

    def texts(self) -> tuple[AnyArray, AnyArray] | None:
        """Returns offsets and bytes of texts; None for other types. The text of a missing value is arbitrary."""
        if self.format not in (b"u", b"U", b"vu"):
            return None
        read = self._viewed_texts if self.format == b"vu" else self._plain_texts
        found = [read(part) for part in self._parts if part.length] or [(np.zeros(1, "<i8"), np.zeros(0, np.uint8))]
        if len(found) == 1:
            return found[0]
        # The texts of each chunk begin where the previous chunk ends.
        offsets, bytes, end = [np.zeros(1, "<i8")], [], 0
        for starts, data in found:
            offsets.append(starts[1:] - starts[0] + end)
            bytes.append(data[starts[0] : starts[-1]])
            end += len(bytes[-1])
        return np.concatenate(offsets), np.concatenate(bytes)

    def _plain_texts(self, part: Part) -> tuple[AnyArray, AnyArray]:
        width = "<i4" if self.format == b"u" else "<i8"
        offsets = self._view(part, 1, width, part.length + 1).astype("<i8", copy=False)
        return offsets, self._bytes(part.array.buffers[2], int(offsets[-1]))

    def _viewed_texts(self, part: Part) -> tuple[AnyArray, AnyArray]:
        """Reads texts in the view format. Each view has 16 bytes: the length, and either the text or its address."""
        views = self._view(part, 1, "<i4,<i4,<i4,<i4")
        valid = self._valid(part)
        lengths = views["f0"].astype("<i8") if valid is None else np.where(valid, views["f0"], 0)
        count = part.array.n_buffers - 3
        sizes = view(self._memory, part.array.buffers[count + 2], (count,), "<i8") if count else np.zeros(0, "<i8")
        pool = [views.view(np.uint8)]
        pool += [self._bytes(part.array.buffers[2 + number], int(size)) for number, size in enumerate(sizes)]
        starts_of_buffers = np.cumsum([0] + [len(buffer) for buffer in pool])[1:-1]
        starts = 16 * np.arange(part.length) + 4
        far = lengths > 12
        starts[far] = starts_of_buffers[views["f2"][far]] + views["f3"][far]
        offsets = np.zeros(part.length + 1, "<i8")
        np.cumsum(lengths, out=offsets[1:])
        places = np.repeat(starts - offsets[:-1], lengths) + np.arange(offsets[-1])
        return offsets, np.concatenate(pool)[places]

    def _bytes(self, address: int | None, count: int) -> AnyArray:
        return view(self._memory, address, (count,), "|u1") if address and count else np.zeros(0, np.uint8)

    def dictionary(self) -> tuple[AnyArray, Column]:
        """Returns the code of each value and the entries of the dictionary. The code of a missing value is -1."""
        codes, valid = self.numbers(), self.valid
        assert codes is not None
        dictionaries = [part.array.dictionary.contents for part in self._parts]
        parts = [Part(array, array.offset, array.length) for array in dictionaries]
        # The entries of each chunk come after the entries of earlier chunks, so the codes of each chunk are increased.
        ends = np.cumsum([0] + [part.length for part in parts])
        shifts = np.repeat(ends[:-1], [part.length for part in self._parts])
        shifted = codes.astype("<i8") + shifts
        if valid is not None:
            shifted[~valid] = -1
        entries = Column(self._memory, self._schema.dictionary.contents, parts)
        # An entry of the dictionary may itself be a missing value.
        there = entries.valid
        if there is not None and len(there):
            shifted[(shifted >= 0) & ~there[np.maximum(shifted, 0)]] = -1
        return shifted.astype("<i4"), entries

    @property
    def type_name(self) -> str:
        if self.is_dictionary:
            return f"a dictionary of {Column(self._memory, self._schema.dictionary.contents, []).type_name}"
        format = self.format
        if format.startswith(b"d:") and format.count(b",") == 2:
            return f"decimals of {format.rpartition(b',')[2].decode()} bits"
        for start, name in _NAMES.items():
            if format == start or len(start) > 1 and format.startswith(start):
                return name
        return f"the type {format.decode()!r} of Arrow's C data interface"


def column(values: Any) -> Column:
    """Reads a column, or an object that has only one column."""
    memory = Memory(values)
    parts = [Part(array, array.offset, array.length) for array in memory.arrays]
    schema = memory.schema
    if schema.format == b"+s" and schema.n_children == 1:
        return Column(memory, schema.children[0].contents, [part.child(0) for part in parts], Column(memory, schema, parts))
    return Column(memory, schema, parts)


def table(values: Any) -> dict[str, Column]:
    """Reads the columns of a table in one pass, and returns them by name.

    :param values: An object that exports Arrow arrays, or its export.
    """
    memory = values if isinstance(values, Memory) else Memory(values)
    if not memory.is_table:
        raise TypeError("expected a table of columns, found one column; name it, as in columns={'price': column}")
    parts = [Part(array, array.offset, array.length) for array in memory.arrays]
    rows = Column(memory, memory.schema, parts)
    columns = {}
    for number in range(memory.schema.n_children):
        schema = memory.schema.children[number].contents
        if schema.name.decode() in columns:
            raise ValueError(f"expected columns of different names, found two columns named {schema.name.decode()!r}")
        columns[schema.name.decode()] = Column(memory, schema, [part.child(number) for part in parts], rows)
    return columns
