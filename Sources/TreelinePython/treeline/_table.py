"""Tables of the library as numpy arrays, which look into its memory."""

from __future__ import annotations

import ctypes
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from . import _library as c

AnyArray = npt.NDArray[Any]


class Memory:
    """A part of an object's memory, which numpy keeps alive as long as an array looks into it."""

    __slots__ = ("__array_interface__", "owner")

    def __init__(self, owner: object, address: int, shape: tuple[int, ...], type: str) -> None:
        self.owner = owner
        self.__array_interface__ = {"data": (address, True), "shape": shape, "typestr": type, "version": 3}


def view(owner: object, address: int | None, shape: tuple[int, ...], type: str) -> AnyArray:
    """An array that looks into the memory of an object of the library."""
    return np.asarray(Memory(owner, address or 0, shape, type))


class Table(Mapping[str, AnyArray]):
    """Named arrays of one length.

    Numbers and booleans are arrays of the library's own memory, without a copy; where a row has no value, a number is
    NaN. Texts are arrays of `str`, and `None` where there is none; counts of values are dictionaries.
    """

    def __init__(self, columns: dict[str, AnyArray]) -> None:
        self._columns = columns

    @classmethod
    def _of(cls, pointer: int) -> Table:
        handle = c.Handle(pointer, c.table_free)
        rows = c.table_row_count(pointer)
        columns = {}
        for number in range(c.table_column_count(pointer)):
            array = c.Array()
            c.table_column(pointer, number, ctypes.byref(array))
            columns[c.table_name(pointer, number).decode()] = _array(handle, array, rows)
        return cls(columns)

    def __getitem__(self, name: str) -> AnyArray:
        return self._columns[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._columns)

    def __len__(self) -> int:
        return len(self._columns)

    def __getattr__(self, name: str) -> AnyArray:
        if name.startswith("_"):
            raise AttributeError(name)
        try:
            return self._columns[name]
        except KeyError:
            raise AttributeError(f"there is no column {name!r}, but {', '.join(map(repr, self))}") from None

    def __repr__(self) -> str:
        rows = len(next(iter(self.values()), ()))
        return f"Table of {rows} rows: {', '.join(self)}"

    def to_arrow(self) -> Any:
        """The same as a `pyarrow.Table`."""
        import pyarrow as pa

        return pa.table({name: _arrow(values) for name, values in self.items()})

    def to_pandas(self) -> Any:
        """The same as a `pandas.DataFrame`."""
        import pandas as pd

        return pd.DataFrame(dict(self))


def _arrow(values: AnyArray) -> Any:
    import pyarrow as pa

    if values.dtype != object or not any(isinstance(value, dict) for value in values):
        return pa.array(values)
    return pa.array([list(value.items()) for value in values], pa.map_(pa.string(), pa.int64()))


def _array(handle: c.Handle, array: c.Array, rows: int) -> AnyArray:
    if array.type == c.DOUBLES:
        return view(handle, array.values, (rows,), "<f8")
    valid = None
    if array.validity:
        bits = view(handle, array.validity, ((rows + 7) // 8,), "|u1")
        valid = np.unpackbits(bits, count=rows, bitorder="little").astype(bool)
    if array.type == c.INTEGERS:
        integers = view(handle, array.values, (rows,), "<i8")
        return integers if valid is None else np.where(valid, integers, np.nan)
    if array.type == c.BOOLEANS:
        booleans = view(handle, array.values, (rows,), "|b1")
        if valid is None:
            return booleans
        flags: AnyArray = booleans.astype(object)
        flags[~valid] = None
        return flags
    if array.type == c.COUNTS:
        lists = view(handle, array.lists, (rows + 1,), "<i8")
        counts = view(handle, array.values, (int(lists[-1]),), "<i8").tolist()
        texts = _texts(handle, array, int(lists[-1]))
        starts = lists.tolist()
        found: list[Any] = [dict(zip(texts[a:b], counts[a:b])) for a, b in zip(starts, starts[1:])]
    else:
        found = _texts(handle, array, rows)
        if valid is not None:
            found = [text if is_valid else None for text, is_valid in zip(found, valid)]
    objects: AnyArray = np.empty(len(found), dtype=object)
    objects[:] = found
    return objects


def _texts(handle: c.Handle, array: c.Array, count: int) -> list[Any]:
    offsets = view(handle, array.offsets, (count + 1,), "<i8").tolist()
    data = ctypes.string_at(array.bytes, offsets[-1]) if offsets[-1] else b""
    return [data[start:end].decode() for start, end in zip(offsets, offsets[1:])]
