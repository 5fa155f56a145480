"""Whatever holds values, as the arrays that the library takes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from . import _library as c
from ._table import AnyArray


class InputColumn:
    """A column as the library takes it, and what keeps its memory alive."""

    def __init__(self, name: str, kind: str | None, type: int, values: AnyArray | None = None, **others: Any) -> None:
        """
        :param values: Of the width of the type, in memory of any stride.
        :param others: `valid`, an array of booleans, and `offsets`, `bytes`, `entry_count` and `units_per_second` as of
            `treeline_column`.
        """
        valid = others.pop("valid", None)
        self._kept: list[Any] = [c.encoded(name), c.encoded(kind), values]
        self.column = c.Column(name=self._kept[0], kind=self._kept[1], type=type)
        if values is not None:
            self.column.values = values.ctypes.data
            # An array of one entry may have any stride.
            self.column.stride = values.strides[0] if len(values) > 1 else 0
        if valid is not None and not valid.all():
            self.column.validity = self._address(np.packbits(valid, bitorder="little"))
        for field, value in others.items():
            setattr(self.column, field, self._address(value) if isinstance(value, np.ndarray) else value)

    def _address(self, array: AnyArray) -> int:
        self._kept.append(array)
        # An empty array may have no memory.
        return array.ctypes.data if array.size else np.zeros(1, np.int64).ctypes.data


def input_columns(columns: Any, names: Iterable[str] | None, kinds: Mapping[str, str], count: int) -> list[InputColumn]:
    """The columns of a mapping or of a table of pandas, polars or pyarrow."""
    if columns is None:
        return []
    named = next((name for name in ("column_names", "columns") if hasattr(columns, name)), None)
    found = list(getattr(columns, named) if named else columns.keys())
    chosen = found if names is None else list(names)
    for name in (*chosen, *kinds):
        if name not in found:
            raise KeyError(f"expected the name of a column, found {name!r}; there are {', '.join(map(repr, found))}")
    made = []
    for name in chosen:
        values = columns[name]
        if len(values) != count:
            raise ValueError(f"column {name!r}: expected {count} values, one for each point, found {len(values)}")
        made.append(_column(str(name), kinds.get(name), values))
    return made


def _column(name: str, kind: str | None, values: Any) -> InputColumn:
    if _module(values) == "pandas":
        values = _of_pandas(values)
    if _module(values) in ("polars", "pyarrow") or _has_arrow(values):
        return _of_arrow(name, kind, _arrow_array(values))
    if isinstance(values, _Codes):
        offsets, data = _encode(values.entries)
        return InputColumn(
            name, kind, c.CODES, values.codes, offsets=offsets, bytes=data, entry_count=len(values.entries)
        )
    array = np.asarray(values)
    if array.ndim != 1:
        raise ValueError(f"column {name!r}: expected one dimension, found {array.ndim}")
    mask = np.ma.getmaskarray(values) if isinstance(values, np.ma.MaskedArray) else None
    return _of_numpy(name, kind, array, None if mask is None else ~mask)


def _module(values: Any) -> str:
    return type(values).__module__.partition(".")[0]


def _has_arrow(values: Any) -> bool:
    return hasattr(values, "__arrow_c_array__") or hasattr(values, "__arrow_c_stream__")


# MARK: numpy


def _of_numpy(name: str, kind: str | None, array: AnyArray, valid: AnyArray | None) -> InputColumn:
    if array.dtype.kind == "f":
        return InputColumn(name, kind, c.DOUBLES, array.astype("<f8", copy=False), valid=valid)
    if array.dtype.kind == "b":
        return InputColumn(name, kind, c.BOOLEANS, array.view(np.uint8), valid=valid)
    if array.dtype.kind == "u" and array.dtype.itemsize == 8 and array.size and array.max() > np.iinfo(np.int64).max:
        return InputColumn(name, kind, c.DOUBLES, array.astype("<f8"), valid=valid)
    if array.dtype.kind in "iu":
        return InputColumn(name, kind, c.INTEGERS, array.astype("<i8", copy=False), valid=valid)
    if array.dtype.kind == "M":
        unit = np.datetime_data(array.dtype)[0]
        units = {"s": 1, "ms": 1000, "us": 1_000_000, "ns": 1_000_000_000}
        if unit not in units or np.datetime_data(array.dtype)[1] != 1:
            # Days and hours; whatever is finer than nanoseconds is rounded to them.
            unit = "ns" if unit in ("ps", "fs", "as") else "s"
            array = array.astype(f"<M8[{unit}]")
        instants = array.astype(array.dtype.newbyteorder("<"), copy=False).view("<i8")
        return InputColumn(name, kind, c.INSTANTS, instants, units_per_second=units[unit], valid=valid)
    if array.dtype.kind in "US":
        texts = [text.decode() if isinstance(text, bytes) else text for text in array.tolist()]
        offsets, data = _encode(texts)
        return InputColumn(name, kind, c.TEXTS, offsets=offsets, bytes=data, valid=valid)
    if array.dtype.kind == "O":
        return _of_objects(name, kind, array)
    raise TypeError(
        f"column {name!r}: expected numbers, booleans, times or texts, found an array of {array.dtype}; convert it"
    )


def _of_objects(name: str, kind: str | None, objects: AnyArray) -> InputColumn:
    """Python's own values; None, NaN and the like are missing ones."""
    values = objects.tolist()
    valid = np.fromiter((_is_value(value) for value in values), bool, len(values))
    first = next((value for value, is_valid in zip(values, valid) if is_valid), None)
    if isinstance(first, bool | np.bool_):
        flags = np.fromiter((bool(v) if ok else False for v, ok in zip(values, valid)), bool, len(values))
        return _of_numpy(name, kind, flags, valid)
    if isinstance(first, int | float | np.number):
        whole = all(isinstance(v, int | np.integer) for v, ok in zip(values, valid) if ok)
        numbers = [v if ok else 0 for v, ok in zip(values, valid)]
        return _of_numpy(name, kind, np.array(numbers, "<i8" if whole else "<f8"), valid)
    if hasattr(first, "isoformat"):
        times = [np.datetime64(_without_zone(v)) if ok else np.datetime64("NaT") for v, ok in zip(values, valid)]
        return _of_numpy(name, kind, np.array(times, "<M8[us]"), valid)
    for row, (value, is_valid) in enumerate(zip(values, valid)):
        if is_valid and not isinstance(value, str):
            raise TypeError(f"column {name!r}, row {row}: expected a text, found {value!r}; convert the column")
    offsets, data = _encode([v if ok else "" for v, ok in zip(values, valid)])
    return InputColumn(name, kind, c.TEXTS, offsets=offsets, bytes=data, valid=valid)


def _is_value(value: Any) -> bool:
    # NaN, NaT and NA are not equal to themselves, or cannot tell.
    if value is None or value is np.ma.masked:
        return False
    return isinstance(value, str) or bool((value == value) is True)


def _without_zone(time: Any) -> Any:
    if getattr(time, "tzinfo", None) is None:
        return time
    import datetime

    return time.astimezone(datetime.timezone.utc).replace(tzinfo=None)


def _encode(texts: list[str]) -> tuple[AnyArray, AnyArray]:
    parts = [text.encode() for text in texts]
    offsets = np.zeros(len(parts) + 1, "<i8")
    np.cumsum([len(part) for part in parts], out=offsets[1:])
    return offsets, np.frombuffer(b"".join(parts) or b"\0", np.uint8)


# MARK: pandas


class _Codes:
    def __init__(self, codes: AnyArray, entries: list[str]) -> None:
        self.codes, self.entries = codes, entries

    def __len__(self) -> int:
        return len(self.codes)


def _of_pandas(series: Any) -> Any:
    """The array of a series that holds what it means, missing values included."""
    kind = type(series.dtype).__name__
    if kind == "CategoricalDtype":
        codes = series.cat.codes.to_numpy().astype("<i4")
        return _Codes(codes, [str(entry) for entry in series.cat.categories])
    if kind == "DatetimeTZDtype":
        series = series.dt.tz_convert("UTC").dt.tz_localize(None)
    elif hasattr(series.array, "__arrow_array__") and kind != "NumpyEADtype":
        try:
            import pyarrow as pa
        except ImportError:
            return series.to_numpy(dtype=object)
        return pa.array(series.array, from_pandas=True)
    return series.to_numpy()


# MARK: Arrow


def _arrow_array(values: Any) -> Any:
    try:
        import pyarrow as pa
    except ImportError:
        if hasattr(values, "to_list"):
            # Of polars, whose own arrays of texts numpy does not know.
            return None if values is None else _Plain(values.to_list())
        message = "expected pyarrow to read Arrow arrays, found none; install it, or pass numpy arrays"
        raise ImportError(message) from None
    if hasattr(values, "to_arrow"):
        values = values.to_arrow()
    elif not isinstance(values, pa.Array | pa.ChunkedArray):
        values = pa.array(values) if hasattr(values, "__arrow_c_array__") else pa.chunked_array(values)
    if isinstance(values, pa.ChunkedArray):
        values = values.combine_chunks()
    # Of no chunks, or of several that do not fit one array.
    return pa.concat_arrays(values.chunks) if isinstance(values, pa.ChunkedArray) else values


class _Plain:
    """Values of a library whose arrays only pyarrow could read."""

    def __init__(self, values: list[Any]) -> None:
        self.values = values


def _of_arrow(name: str, kind: str | None, array: Any) -> InputColumn:
    if isinstance(array, _Plain):
        return _of_objects(name, kind, _objects(array.values))
    import pyarrow as pa
    import pyarrow.compute as pc

    type = array.type
    valid = None if array.null_count == 0 else array.is_valid().to_numpy(zero_copy_only=False)
    if pa.types.is_dictionary(type):
        offsets, data = _arrow_texts(array.dictionary.cast(pa.large_string()))
        codes = pc.fill_null(array.indices.cast(pa.int32()), -1).to_numpy(zero_copy_only=False)
        return InputColumn(name, kind, c.CODES, codes, offsets=offsets, bytes=data, entry_count=len(array.dictionary))
    if pa.types.is_string(type) or pa.types.is_large_string(type) or str(type) == "string_view":
        offsets, data = _arrow_texts(array.cast(pa.large_string()))
        return InputColumn(name, kind, c.TEXTS, offsets=offsets, bytes=data, valid=valid)
    if pa.types.is_boolean(type):
        return _of_numpy(name, kind, pc.fill_null(array, False).to_numpy(zero_copy_only=False), valid)
    if pa.types.is_date(type):
        array, type = array.cast(pa.timestamp("s")), pa.timestamp("s")
    if pa.types.is_timestamp(type):
        units = {"s": 1, "ms": 1000, "us": 1_000_000, "ns": 1_000_000_000}
        instants = pc.fill_null(array.cast(pa.int64()), 0).to_numpy(zero_copy_only=False)
        return InputColumn(name, kind, c.INSTANTS, instants, units_per_second=units[type.unit], valid=valid)
    if pa.types.is_decimal(type):
        array = array.cast(pa.float64())
    elif pa.types.is_null(type):
        return _of_objects(name, kind, _objects([None] * len(array)))
    elif not (pa.types.is_integer(type) or pa.types.is_floating(type)):
        raise TypeError(f"column {name!r}: expected numbers, booleans, times or texts, found {type}; convert it")
    numbers = array if valid is None else pc.fill_null(array, 0)
    return _of_numpy(name, kind, numbers.to_numpy(zero_copy_only=False), valid)


def _objects(values: list[Any]) -> AnyArray:
    objects: AnyArray = np.empty(len(values), object)
    objects[:] = values
    return objects


def _arrow_texts(texts: Any) -> tuple[AnyArray, AnyArray]:
    _, offsets, data = texts.buffers()
    if offsets is None or len(texts) == 0:
        return np.zeros(1, "<i8"), np.zeros(1, np.uint8)
    starts = np.frombuffer(offsets, "<i8", len(texts) + 1, 8 * texts.offset)
    return starts, np.frombuffer(data, np.uint8) if data is not None and data.size else np.zeros(1, np.uint8)


# MARK: Coordinates


def coordinates(x: Any, y: Any, planar: bool) -> tuple[AnyArray, AnyArray, Any]:
    """The two arrays of doubles of some points, and the table that they come from, if any."""
    if y is not None:
        return _doubles("x", x), _doubles("y", y), None
    if _module(x) == "geopandas":
        points = x.geometry
        if points.crs is not None and not planar and points.crs.to_epsg() != 4326:
            points = points.to_crs(4326)
        frame = x.drop(columns=x.geometry.name) if hasattr(x, "columns") else None
        return _doubles("x", points.x), _doubles("y", points.y), frame
    array = np.asarray(x)
    if array.ndim != 2 or array.shape[1] != 2:
        raise ValueError(
            "expected two arrays of coordinates, one array of two columns or a GeoDataFrame, "
            f"found {type(x).__name__} of shape {array.shape}"
        )
    return _doubles("x", array[:, 0]), _doubles("y", array[:, 1]), None


def _doubles(name: str, values: Any) -> AnyArray:
    if _module(values) == "pyarrow" or _has_arrow(values) and not hasattr(values, "__array__"):
        values = _arrow_array(values).to_numpy(zero_copy_only=False)
    array = np.asarray(values, "<f8")
    if array.ndim != 1:
        raise ValueError(f"expected one dimension of {name}, found {array.ndim}")
    return array
