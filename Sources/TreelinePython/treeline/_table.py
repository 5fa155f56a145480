"""Tables of the library as numpy arrays, which look into its memory."""

from __future__ import annotations

import ctypes
import importlib
import math
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from . import _library as c

AnyArray = npt.NDArray[Any]


def required(module: str) -> Any:
    """A package that is needed for something alone."""
    try:
        return importlib.import_module(module)
    except ModuleNotFoundError as error:
        if error.name != module:
            raise
        raise ModuleNotFoundError(f"this needs {module}: pip install {module}", name=module) from None


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
    NaN, or `None` among integers of which doubles do not keep all. Times are arrays of `datetime64`, in UTC. Texts are
    arrays of `str`, and `None` where there is none; counts of values are dictionaries.
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
        try:
            return self._columns[name]
        except KeyError:
            raise KeyError(self._absence(name)) from None

    def _absence(self, name: str) -> str:
        return f"there is no column {name!r}, but {', '.join(map(repr, self)) or 'none'}"

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
            raise AttributeError(self._absence(name)) from None

    def __repr__(self) -> str:
        rows = len(next(iter(self.values()), ()))
        return f"Table of {rows} rows: {', '.join(self)}"

    def __arrow_c_stream__(self, requested_schema: object = None) -> Any:
        """The same for whatever reads Arrow's C data interface, as `polars.DataFrame(table)` does."""
        from ._arrow_export import stream

        return stream(self)

    def to_arrow(self) -> Any:
        """The same as a `pyarrow.Table`."""
        return required("pyarrow").table(self)

    def to_pandas(self) -> Any:
        """The same as a `pandas.DataFrame`."""
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
    """Integers of which some are missing, all others exact."""
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
    """Values as JSON has them: None for a number that is missing or infinite, and times as the library writes them."""
    if values.dtype.kind == "M":
        return [_time_text(text) for text in np.datetime_as_string(values).tolist()]
    if values.dtype.kind == "f":
        return [value if math.isfinite(value) else None for value in values.tolist()]
    return values.tolist()  # type: ignore[no-any-return]


def _time_text(text: str) -> str | None:
    """A time of day only where there is one, in UTC, with as many decimals as it needs."""
    if text == "NaT":
        return None
    date, _, time = text.partition("T")
    whole, _, fraction = time.partition(".")
    fraction = fraction.rstrip("0")
    if whole == "00:00:00" and not fraction:
        return date
    return f"{date}T{whole}.{fraction}Z" if fraction else f"{date}T{whole}Z"
