"""Converts arrays and other objects with values to columns for the library."""

from __future__ import annotations

import datetime
import decimal
import fractions
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from . import _arrow as arrow
from . import _library as c
from ._arrays import AnyArray
from ._decimals import Decimals, decimal_column
from ._exact import check_exact, check_span
from ._input_column import InputColumn, encoded_texts

#: Packages whose objects hold pandas arrays. Pandas arrays are read directly, because they have more information than
#: their Arrow export. The export also needs pyarrow.
_PANDAS = ("pandas", "geopandas")


def input_columns(
    columns: Any, names: Iterable[str] | None, kinds: Mapping[str, str], count: int, rows: AnyArray | None = None
) -> list[InputColumn]:
    """Returns the columns of a mapping or of a table.

    :param rows: Row number of each value, for errors about values of Arrow; by default the rows are numbered from 0.
    """
    named = named_columns(columns)
    chosen = list(named) if names is None else [names] if isinstance(names, str) else list(names)
    for name in (*chosen, *kinds):
        if name not in named:
            there = ", ".join(map(repr, named)) or "none"
            raise KeyError(f"there is no column {name!r}; columns: {there}")
    made = []
    for name in chosen:
        values = named[name]
        if not hasattr(values, "__len__"):
            raise TypeError(f"column {name!r}: expected an array of values, found {values!r}")
        if len(values) != count:
            raise ValueError(f"column {name!r}: expected {count} values, one for each point, found {len(values)}")
        made.append(_column(str(name), kinds.get(name), values, rows))
    return made


def named_columns(columns: Any) -> Mapping[Any, Any]:
    """Returns columns by name, from any object that has columns."""
    if columns is None:
        return {}
    if not is_of_pandas(columns) and arrow.speaks(columns):
        return arrow.table(columns)
    names = None
    if isinstance(columns, np.ndarray):
        names = columns.dtype.names
    elif isinstance(columns, Mapping):
        names = list(columns)
    elif hasattr(columns, "__len__") and hasattr(columns, "columns"):
        names = list(columns.columns)
    if names is None or isinstance(columns, type):
        raise TypeError(f"expected columns as a mapping or a table, found {_described(columns)}")
    if len(set(names)) < len(names):
        raise ValueError(f"expected columns of different names, found {', '.join(map(repr, names))}")
    return {name: columns[name] for name in names}


def _described(values: Any) -> str:
    return repr(values) if isinstance(values, str | int | float | None) else f"a value of type {type(values).__name__}"


def _column(name: str, kind: str | None, values: Any, rows: AnyArray | None) -> InputColumn:
    if is_of_pandas(values):
        values = _of_pandas(values)
    if isinstance(values, arrow.Column) or arrow.speaks(values):
        return _of_arrow(name, kind, values if isinstance(values, arrow.Column) else arrow.column(values), rows)
    if isinstance(values, _Codes):
        return _of_codes(name, kind, values.codes, encoded_texts(values.entries))
    array = np.asarray(values)
    if array.dtype.kind in "US" and not isinstance(values, np.ndarray):
        # numpy converts all values of a list that contains a text to texts, even missing values. So the values are read
        # again as objects.
        array = np.array(values, object)
    if array.dtype.kind == "f" and array.ndim == 1 and (isinstance(values, list | tuple) or array.dtype.itemsize > 8):
        # If a list contains a float, numpy converts all whole numbers of the list to floats.
        check_exact(name, list(values), array.astype("<f8").tolist(), None)
    if array.ndim != 1:
        raise ValueError(f"column {name!r}: expected one dimension, found {array.ndim}")
    mask = np.ma.getmaskarray(values) if isinstance(values, np.ma.MaskedArray) else None
    return _of_numpy(name, kind, array, None if mask is None else ~mask)


def mask_of(values: Any) -> AnyArray:
    """Returns a mask as an array of booleans. Raises an error if a value is missing."""
    values = _of_pandas(values) if is_of_pandas(values) else values
    column = arrow.column(values) if arrow.speaks(values) else None
    array = np.asarray(values) if column is None else column.numbers()
    if array is None or array.ndim != 1 or array.size and array.dtype.kind not in "bO":
        found = type(values).__name__ if array is None else f"an array of {array.dtype} with shape {array.shape}"
        raise TypeError(f"expected a mask of booleans, True or False for each row, found {found}")
    is_valid = np.ones(len(array), bool) if column is None or column.valid is None else column.valid
    if isinstance(values, np.ma.MaskedArray):
        is_valid &= ~np.ma.getmaskarray(values)
    for row, value in enumerate(array if array.dtype.kind == "O" else []):
        is_valid[row] = isinstance(value, _BOOLEANS)
    if not is_valid.all():
        row = int(is_valid.argmin())
        found = "a missing value" if column is not None or isinstance(values, np.ma.MaskedArray) else repr(array[row])
        raise TypeError(f"expected a mask of booleans, True or False for each row, found {found} in row {row}")
    return np.ascontiguousarray(array, bool)


def is_of_pandas(values: Any) -> bool:
    return any(base.__module__.partition(".")[0] in _PANDAS for base in type(values).__mro__)


def _of_codes(name: str, kind: str | None, codes: AnyArray, entries: tuple[AnyArray, AnyArray]) -> InputColumn:
    offsets, data = entries
    return InputColumn(name, kind, c.CODES, codes, offsets=offsets, bytes=data, entry_count=len(offsets) - 1)


def _refusal(name: str, found: str) -> TypeError:
    return TypeError(
        f"column {name!r}: expected numbers, booleans, dates, timestamps or texts, found {found}; convert or leave "
        "out the column"
    )


# MARK: numpy


def _of_numpy(
    name: str, kind: str | None, array: AnyArray, valid: AnyArray | None, rows: AnyArray | None = None
) -> InputColumn:
    if array.dtype.kind == "f":
        return InputColumn(name, kind, c.DOUBLES, array.astype("<f8", copy=False), valid=valid)
    if array.dtype.kind == "b":
        return InputColumn(name, kind, c.BOOLEANS, array.view(np.uint8), valid=valid)
    if array.dtype.kind == "u" and array.dtype.itemsize == 8 and array.size and array.max() > np.iinfo(np.int64).max:
        floats = array.astype("<f8")
        check_exact(name, array.tolist(), floats.tolist(), valid, rows)
        return InputColumn(name, kind, c.DOUBLES, floats, valid=valid)
    if array.dtype.kind in "iu":
        if array.dtype.itemsize == 8 and (kind or "").partition("+")[0] in ("", "number"):
            check_span(name, array, valid)
        return InputColumn(name, kind, c.INTEGERS, array.astype("<i8", copy=False), valid=valid)
    if array.dtype.kind == "M":
        unit, multiple = np.datetime_data(array.dtype)
        units = {"s": 1, "ms": 1000, "us": 1_000_000, "ns": 1_000_000_000}
        if unit not in units or multiple != 1:
            # Converts days and hours to seconds, and multiples of a unit to the unit. Rounds units finer than
            # nanoseconds to nanoseconds.
            is_finer = unit in ("ps", "fs", "as")
            unit = "ns" if is_finer else unit if unit in units else "s"
            found, array = array, array.astype(f"<M8[{unit}]")
            # A time may be too far from 1970 to count in the new unit. numpy would silently convert it to another time.
            if not is_finer and (is_other := (array.astype(found.dtype) != found) & ~np.isnat(found)).any():
                row = int(is_other.argmax())
                raise ValueError(f"column {name!r}, row {row}: expected a time nearer to 1970, found {found[row]!r}")
        instants = array.astype(array.dtype.newbyteorder("<"), copy=False).view("<i8")
        return InputColumn(name, kind, c.INSTANTS, instants, units_per_second=units[unit], valid=valid)
    if array.dtype.kind in "US":
        offsets, data = encoded_texts(array.tolist())
        return InputColumn(name, kind, c.TEXTS, offsets=offsets, bytes=data, valid=valid)
    # From numpy 2 on, arrays with texts of any length have their own type. These arrays are also read as objects.
    if array.dtype.kind in "OT":
        return _of_objects(name, kind, array, valid, rows)
    raise _refusal(name, f"an array of {array.dtype}")


#: Python's own types of values.
_BOOLEANS = bool, np.bool_
_INTEGERS = int, np.integer
_NUMBERS = (*_INTEGERS, float, np.floating, decimal.Decimal, fractions.Fraction)
_TIMES = datetime.date, np.datetime64


def _of_objects(
    name: str, kind: str | None, objects: AnyArray, unmasked: AnyArray | None = None, rows: AnyArray | None = None
) -> InputColumn:
    """Converts Python objects. None, NaN and similar objects are missing values."""
    values = [_own(value) for value in objects.tolist()]
    valid = np.fromiter((_is_value(value) for value in values), bool, len(values))
    if unmasked is not None:
        valid &= unmasked

    def filled(types: tuple[type, ...], what: str, missing: Any) -> list[Any]:
        """Checks that the values have one of these types. Returns the values, with `missing` instead of each missing
        value."""
        for row, (value, is_valid) in enumerate(zip(values, valid)):
            if is_valid and not isinstance(value, types):
                raise TypeError(f"column {name!r}, row {row}: expected {what}, found {value!r}; convert the column")
        return [value if is_valid else missing for value, is_valid in zip(values, valid)]

    first = next((value for value, is_valid in zip(values, valid) if is_valid), "")
    if isinstance(first, _BOOLEANS):
        return _of_numpy(name, kind, np.array(filled(_BOOLEANS, "a boolean", False), bool), valid)
    if isinstance(first, _NUMBERS):
        found = filled(_NUMBERS, "a number", 0)
        is_whole = all(isinstance(value, _INTEGERS) and -(2**63) <= value < 2**63 for value in found)
        if is_whole:
            return _of_numpy(name, kind, np.array(found, "<i8"), valid)
        if any(isinstance(value, decimal.Decimal) for value in found) and (decimals := Decimals.of(found)) is not None:
            return _of_decimals(name, kind, decimals, valid, rows)
        floats = [_float(name, row, value) for row, value in enumerate(found)]
        check_exact(name, found, floats, valid, rows)
        return _of_numpy(name, kind, np.array(floats, "<f8"), valid)
    if isinstance(first, _TIMES):
        found = filled(_TIMES, "a time", np.datetime64(0, "s"))
        times = [_moment(name, row, time) for row, time in enumerate(found)]
        unit = "ns" if any(time.astype("M8[us]") != time for time in times) else "us"
        array = np.array(times, f"<M8[{unit}]")
        for row, (time, stored) in enumerate(zip(times, array)):
            # numpy would silently convert a time that is too far from 1970 to another time.
            if stored.astype(time.dtype) != time:
                raise ValueError(f"column {name!r}, row {row}: expected a time nearer to 1970, found {time!r}")
        return _of_numpy(name, kind, array, valid)
    if not isinstance(first, str | bytes):
        raise _refusal(name, repr(first))
    offsets, data = encoded_texts(filled((str, bytes), "a text", ""))
    return InputColumn(name, kind, c.TEXTS, offsets=offsets, bytes=data, valid=valid)


def _of_decimals(
    name: str, kind: str | None, decimals: Decimals, valid: AnyArray | None, rows: AnyArray | None
) -> InputColumn:
    made = decimal_column(name, kind, decimals, valid)
    return _of_numpy(name, kind, decimals.stripped().whole, valid, rows) if made is None else made


def _float(name: str, row: int, value: Any) -> float:
    try:
        return float(value)
    except OverflowError:
        raise ValueError(f"column {name!r}, row {row}: expected a number below 1.8e308, found a greater one") from None


def _own(value: Any) -> Any:
    """Converts a numpy scalar to a Python object. Keeps numpy times, because Python's times are coarser."""
    return value.item() if isinstance(value, np.generic) and not isinstance(value, np.datetime64) else value


def _is_value(value: Any) -> bool:
    # NaN, NaT and NA either are not equal to themselves, or their comparison has no boolean result or raises an error.
    if value is None or value is np.ma.masked:
        return False
    try:
        is_equal = value == value
    except decimal.InvalidOperation:
        return False
    return isinstance(is_equal, _BOOLEANS) and bool(is_equal)


def _moment(name: str, row: int, time: Any) -> Any:
    """Returns a time of numpy. Units finer than nanoseconds become nanoseconds."""
    try:
        time = without_zone(time)
    except OverflowError:
        raise ValueError(
            f"column {name!r}, row {row}: expected a time in the years 1 to 9999 in UTC, found {time!r}"
        ) from None
    # numpy itself drops the nanoseconds of a time of pandas.
    moment = time.to_datetime64() if hasattr(time, "to_datetime64") else np.datetime64(time)
    return moment.astype("M8[ns]") if np.datetime_data(moment.dtype)[0] in ("ps", "fs", "as") else moment


def without_zone(time: Any) -> Any:
    if getattr(time, "tzinfo", None) is None:
        return time
    return time.astimezone(datetime.timezone.utc).replace(tzinfo=None)


# MARK: pandas


class _Codes:
    def __init__(self, codes: AnyArray, entries: list[str]) -> None:
        self.codes, self.entries = codes, entries


def _of_pandas(values: Any) -> Any:
    """Converts a series, an index or an array of pandas to an array with the same values, missing values included."""
    import pandas as pd

    if isinstance(values, pd.DataFrame):
        return values.to_numpy()
    series = values if isinstance(values, pd.Series) else pd.Series(values)
    kind = type(series.dtype).__name__
    if kind == "CategoricalDtype":
        codes = series.cat.codes.to_numpy().astype("<i4")
        return _Codes(codes, [str(entry) for entry in series.cat.categories])
    if kind == "DatetimeTZDtype":
        series = series.dt.tz_convert("UTC").dt.tz_localize(None)
    elif hasattr(series.array, "__arrow_array__") and kind not in ("NumpyEADtype", "PeriodDtype"):
        try:
            import pyarrow as pa
        except ImportError:
            return series.to_numpy(dtype=object)
        return pa.array(series.array, from_pandas=True)
    return series.to_numpy()


# MARK: Arrow


def _of_arrow(name: str, kind: str | None, column: arrow.Column, rows: AnyArray | None) -> InputColumn:
    if column.is_dictionary:
        codes, entries = column.dictionary()
        texts = entries.texts()
        if texts is not None:
            return _of_codes(name, kind, codes, texts)
        valid = codes >= 0
        if (decimals := entries.decimals()) is not None and len(entries):
            decimals = Decimals(np.where(valid, decimals.whole[codes], 0), decimals.digits)
            return _of_decimals(name, kind, decimals, valid, rows)
        values = entries.numbers()
        if values is None:
            raise _refusal(name, f"a dictionary of {entries.type_name}")
        return _of_numpy(name, kind, values[codes] if len(values) else np.zeros(len(codes)), valid)
    if (decimals := column.decimals()) is not None:
        return _of_decimals(name, kind, decimals, column.valid, rows)
    array = column.numbers()
    if array is not None:
        return _of_numpy(name, kind, array, column.valid, rows)
    if column.format == b"n":
        return _of_objects(name, kind, np.full(len(column), None))
    texts = column.texts()
    if texts is None:
        raise _refusal(name, column.type_name)
    return InputColumn(name, kind, c.TEXTS, offsets=texts[0], bytes=texts[1], valid=column.valid)
