"""Reads coordinates from any object that holds them."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from . import _arrow as arrow
from ._arrays import AnyArray
from ._columns import is_of_pandas, named_columns
from ._names import Found, coordinate_columns, hint


class Coordinates(NamedTuple):
    """Two arrays of doubles, with NaN for missing values. The library reports the first row with NaN."""

    x: AnyArray
    y: AnyArray
    #: The table's columns by name; None if the coordinates are not from a table.
    table: Mapping[Any, Any] | None = None
    #: Names of the columns of coordinates.
    own: tuple[Any, ...] = ()
    #: A warning that the columns were guessed and that the guess may be wrong; empty if the columns were not guessed.
    note: str = ""
    #: Whether coordinates are plain x and y.
    is_planar: bool = False
    #: Whether coordinates count as plain x and y because of the names of the columns alone.
    is_planar_by_name: bool = False


def coordinates(
    x: Any,
    y: Any,
    planar: bool | None,
    names: tuple[str | None, str | None] = (None, None),
    *,
    key: str | None = None,
) -> Coordinates:
    """Reads the coordinates of some points.

    :param x: Points: a table, a GeoDataFrame or an array of two columns. If `y` is given, only the longitudes or x.
    :param planar: Whether coordinates are plain x and y. If it is None, the names of the columns decide. Without names,
        coordinates are then degrees.
    :param names: Names of a table's columns of coordinates. If the names are None, columns with usual names are
        searched.
    :param key: Name of a column that has keys and no coordinates.
    """
    if y is not None:
        if names != (None, None):
            raise TypeError("expected coordinates as two arrays, or as columns named by lon= and lat=, found both")
        return Coordinates(_doubles("x", x), _doubles("y", y), is_planar=bool(planar))
    if isinstance(x, str | os.PathLike):
        raise TypeError(
            f"expected points, found the path {os.fspath(x)!r}; read the file first, for example with pandas.read_csv; "
            "use build_parquet() for Parquet files, and treelinemap.open() for an index"
        )
    if is_of_pandas(x) and hasattr(x, "geometry") and names == (None, None):
        return _of_geometry(x, bool(planar))
    if (table := _table(x)) is not None:
        return _of_table(table, planar, names, key)
    if names != (None, None):
        raise TypeError(f"expected a table, because lon= and lat= name its columns, found {type(x).__name__}")
    array = np.asanyarray(x)
    if array.ndim != 2 or array.shape[1] != 2:
        raise ValueError(
            "expected two arrays of coordinates, a table with longitudes and latitudes, a GeoDataFrame or an array of "
            f"two columns, found {type(x).__name__} of shape {array.shape}"
        )
    return Coordinates(_doubles("x", array[:, 0]), _doubles("y", array[:, 1]), is_planar=bool(planar))


def _table(values: Any) -> Mapping[Any, Any] | None:
    """Returns the columns of a table by name; None for other objects."""
    if not is_of_pandas(values) and arrow.speaks(values):
        memory = arrow.Memory(values)
        return arrow.table(memory) if memory.is_table else None
    is_table = isinstance(values, Mapping) or (
        bool(values.dtype.names) if isinstance(values, np.ndarray) else hasattr(type(values), "columns")
    )
    return named_columns(values) if is_table else None


def _of_table(
    table: Mapping[Any, Any], planar: bool | None, names: tuple[Any, Any], key: str | None
) -> Coordinates:
    found = Found(*names) if names != (None, None) else _found(table, planar, key)
    for name, option in zip(found[:2], ("lon", "lat")):
        if name is None:
            raise ValueError(f"expected the names of both coordinate columns, found no name for {option}=")
        if name not in table:
            there = ", ".join(map(repr, table))
            raise KeyError(f"there is no column {name!r} for {option}=; columns: {there}")
    x, y = (_doubles(f"column {name!r}", table[name]) for name in found[:2])
    by_name = planar is None and found.is_planar
    return Coordinates(x, y, table, found[:2], found.note, bool(planar) or by_name, by_name)


def _found(table: Mapping[Any, Any], planar: bool | None, key: str | None) -> Found:
    try:
        return coordinate_columns(table, planar)
    except KeyError:
        if len(table) != 2 or key in table or hint(table):
            raise
        x, y = table
        # The columns of a table may have numbers instead of names.
        is_named = isinstance(x, str) and isinstance(y, str)
        first, second = ("x", "y") if planar else ("longitude", "latitude")
        note = f"{x!r} is read as {first} and {y!r} as {second}"
        return Found(x, y, note if is_named else "")


def _of_geometry(places: Any, planar: bool) -> Coordinates:
    points = places.geometry
    kinds = points.geom_type.dropna()
    for row, kind in zip(kinds.index, kinds):
        if kind != "Point":
            raise ValueError(
                f"row {row!r}: expected a point, found a {kind}; use its centroid or representative_point()"
            )
    if points.crs is not None and not planar and points.crs.to_epsg() != 4326:
        points = points.to_crs(4326)
    table = named_columns(places.drop(columns=points.name)) if hasattr(places, "columns") else None
    return Coordinates(_doubles("x", points.x), _doubles("y", points.y), table, is_planar=planar)


def _doubles(name: str, values: Any) -> AnyArray:
    """Returns an array of doubles with one dimension. Missing values become NaN."""
    if isinstance(values, arrow.Column) or not is_of_pandas(values) and arrow.speaks(values):
        return arrow_doubles(name, values if isinstance(values, arrow.Column) else arrow.column(values))
    try:
        if np.iscomplexobj(values):
            raise TypeError("expected real numbers, found complex numbers")
        if np.asarray(values).dtype.kind in "mMb":
            raise TypeError(f"expected numbers, found {np.asarray(values).dtype}")
        array = np.asarray(values, "<f8")
    except TypeError as error:
        raise TypeError(f"{name}: {error}") from None
    except ValueError as error:
        raise ValueError(f"{name}: {error}") from None
    if array.ndim != 1:
        raise ValueError(f"expected {name} with one dimension, found {array.ndim}")
    if isinstance(values, np.ma.MaskedArray):
        return np.where(np.ma.getmaskarray(values), np.nan, array)
    # For the library, a stride of 0 means numbers without gaps.
    return array if array.strides[0] else np.ascontiguousarray(array)


def arrow_doubles(name: str, column: arrow.Column) -> AnyArray:
    """Returns the numbers of a column as doubles. Missing values become NaN."""
    numbers = None if column.is_dictionary else column.numbers()
    if numbers is None or numbers.dtype.kind not in "fiuO":
        raise TypeError(f"{name}: expected numbers, found {column.type_name}")
    doubles, valid = numbers.astype("<f8", copy=False), column.valid
    return doubles if valid is None else np.where(valid, doubles, np.nan)


def left_out(count: int, what: str, row: int | None, x: float, y: float) -> str:
    """Returns a warning that counts the rows without a valid position and shows the first of these rows."""
    rows = f"{count} rows are not in {what}, because their" if count > 1 else f"1 row is not in {what}, because its"
    first = "a row without a number" if row is None else f"row {row}"
    return f"{rows} coordinates are invalid; the first is {first}: {x}, {y}"


def may_be_degrees(names: tuple[Any, ...], bounds: tuple[float, float, float, float]) -> str:
    """Returns a warning if columns are read as plain x and y, but all values in the columns are valid longitudes and
    latitudes. Otherwise returns an empty text."""
    west, south, east, north = bounds
    if not (-180 <= west and east <= 180 and -90 <= south and north <= 90):
        return ""
    return (
        f"{names[0]!r} and {names[1]!r} are read as plain x and y, but may be degrees; "
        "set planar=False for longitudes and latitudes, or planar=True for plain x and y"
    )


def remedy(x: AnyArray, y: AnyArray, invalid: AnyArray, planar: bool) -> str:
    """Returns advice about rows with invalid coordinates, for an error.

    :param invalid: Whether the coordinates of each row are invalid.
    """
    known = np.isfinite(x) & np.isfinite(y)
    if not planar and 2 * np.count_nonzero(known & invalid) > np.count_nonzero(known):
        return "most coordinates are not degrees; planar=True reads them as plain x and y"
    return "skip_invalid=True leaves out invalid rows"
