"""Tables of the library. Their columns are numpy arrays that view the library's memory."""

from __future__ import annotations

import ctypes
import math
from collections.abc import Mapping
from types import MappingProxyType, SimpleNamespace
from typing import Any

import numpy as np

from . import _library as c
from ._arrays import AnyArray, required, view
from ._arrow_export import stream
from ._drawing import as_html, as_text


class Table(dict[str, AnyArray]):
    """Named arrays of equal length.

    Numbers and booleans are in the library's own memory, without a copy. A missing number is NaN. But if a column has
    missing values and integers that doubles cannot hold, a missing number is `None`. Times are arrays of `datetime64`,
    in UTC. Texts are arrays of `str`, with `None` for missing texts. Counts of values are dictionaries.
    """

    #: The columns that come from the library, with the library's types. The type of an array may depend on its values,
    #: for example on whether a value is missing. A program may have replaced a column.
    _loaded: Mapping[str, tuple[AnyArray, int]] = MappingProxyType({})

    @classmethod
    def _of(cls, pointer: int) -> Table:
        handle = c.Handle(pointer, c.table_free)
        rows = c.table_row_count(pointer)
        table = cls()
        loaded = {}
        for number in range(c.table_column_count(pointer)):
            array = c.Array()
            c.table_column(pointer, number, ctypes.byref(array))
            name = c.table_name(pointer, number).decode()
            table[name] = _array(handle, array, rows)
            loaded[name] = (table[name], array.type)
        table._loaded = loaded
        return table

    def _taking(self, rows: AnyArray) -> Table:
        """Returns a table of some rows."""
        table = Table({name: array[rows] for name, array in self.items()})
        table._loaded = {name: (table[name], type) for name, type in self._types().items()}
        return table

    def _types(self) -> dict[str, int]:
        """Returns the library's types of the columns that come from the library."""
        return {name: type for name, (array, type) in self._loaded.items() if self.get(name) is array}

    def __missing__(self, name: str) -> AnyArray:
        raise KeyError(self._absence(name))

    def _absence(self, name: str) -> str:
        return f"there is no column {name!r}; columns: {', '.join(map(repr, self)) or 'none'}"

    def __getattr__(self, name: str) -> AnyArray:
        if name.startswith("_"):
            raise AttributeError(name)
        if name not in self:
            raise AttributeError(self._absence(name))
        return self[name]

    def _title(self) -> str:
        return f"Table of {len(next(iter(self.values()), ()))} rows"

    def __repr__(self) -> str:
        return as_text(self._title(), self)

    def _repr_html_(self) -> str:
        """Returns the table as HTML, which a notebook shows."""
        return as_html(self._title(), self)

    def __arrow_c_stream__(self, requested_schema: object = None) -> Any:
        """Exports the table through Arrow's C data interface, for example to `polars.DataFrame(table)`."""
        return stream(self, self._types())

    def to_arrow(self) -> Any:
        """Returns the table as a `pyarrow.Table`."""
        # The table is a dictionary. From a dictionary, pyarrow would choose the types of columns itself. So pyarrow
        # gets only the stream.
        return required("pyarrow").table(SimpleNamespace(__arrow_c_stream__=self.__arrow_c_stream__))

    def to_pandas(self) -> Any:
        """Returns the table as a `pandas.DataFrame`."""
        return required("pandas").DataFrame(dict(self))


def _array(handle: c.Handle, array: c.Array, rows: int) -> AnyArray:
    if array.type == c.DOUBLES:
        return view(handle, array.values, (rows,), "<f8")
    if array.type == c.INSTANTS:
        unit = {1: "s", 1000: "ms", 1_000_000: "us", 1_000_000_000: "ns"}[array.units_per_second]
        return view(handle, array.values, (rows,), f"<M8[{unit}]")
    valid = None
    if array.validity:
        bits = view(handle, array.validity, ((rows + 7) // 8,), "|u1")
        valid = np.unpackbits(bits, count=rows, bitorder="little").astype(bool)
    if array.type == c.INTEGERS:
        integers = view(handle, array.values, (rows,), "<i8")
        return integers if valid is None else _with_gaps(integers, valid)
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


def _with_gaps(integers: AnyArray, valid: AnyArray) -> AnyArray:
    """Returns integers with missing values. The result has floats with NaN, or objects if floats would not be exact."""
    present = integers[valid]
    if present.size == 0 or (present.min() >= -(2**53) and present.max() <= 2**53):
        return np.where(valid, integers, np.nan)
    objects: AnyArray = integers.astype(object)
    objects[~valid] = None
    return objects


def _texts(handle: c.Handle, array: c.Array, count: int) -> list[Any]:
    offsets = view(handle, array.offsets, (count + 1,), "<i8").tolist()
    data = ctypes.string_at(array.bytes, offsets[-1]) if offsets[-1] else b""
    return [data[start:end].decode() for start, end in zip(offsets, offsets[1:])]


def plain(values: AnyArray) -> list[Any]:
    """Returns values for JSON. A missing or infinite number becomes None. A time becomes a text in the format of the
    library."""
    if values.dtype.kind == "M":
        return [_time_text(text) for text in np.datetime_as_string(values).tolist()]
    if values.dtype.kind == "f":
        return [value if math.isfinite(value) else None for value in values.tolist()]
    return values.tolist()  # type: ignore[no-any-return]


def _time_text(text: str) -> str | None:
    """Returns a time in UTC. Leaves out the time of day if it is zero, and decimals at the end that are zero."""
    if text == "NaT":
        return None
    date, _, time = text.partition("T")
    whole, _, fraction = time.partition(".")
    fraction = fraction.rstrip("0")
    if whole == "00:00:00" and not fraction:
        return date
    return f"{date}T{whole}.{fraction}Z" if fraction else f"{date}T{whole}Z"
