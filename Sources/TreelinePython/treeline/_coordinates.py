"""Reads coordinates from any object that holds them."""

from __future__ import annotations

from typing import Any

import numpy as np

from . import _arrow as arrow
from ._columns import is_of_pandas
from ._table import AnyArray


def coordinates(x: Any, y: Any, planar: bool) -> tuple[AnyArray, AnyArray, Any]:
    """Returns the two arrays of doubles of some points, and the table that contains them, if any."""
    if y is not None:
        return _doubles("x", x), _doubles("y", y), None
    if is_of_pandas(x) and hasattr(x, "geometry"):
        return _of_geometry(x, planar)
    if not hasattr(x, "__array__") and arrow.speaks(x):
        columns = list(arrow.table(x).values())
        if len(columns) == 2:
            return _of_arrow("x", columns[0]), _of_arrow("y", columns[1]), None
        array = np.zeros((len(columns[0]), len(columns)))
    else:
        array = np.asarray(x)
    if array.ndim != 2 or array.shape[1] != 2:
        raise ValueError(
            "expected two arrays of coordinates, one array of two columns or a GeoDataFrame, "
            f"found {type(x).__name__} of shape {array.shape}"
        )
    return _doubles("x", array[:, 0]), _doubles("y", array[:, 1]), None


def _of_geometry(places: Any, planar: bool) -> tuple[AnyArray, AnyArray, Any]:
    points = places.geometry
    kinds = points.geom_type.dropna()
    for row, kind in zip(kinds.index, kinds):
        if kind != "Point":
            raise ValueError(f"row {row!r}: expected a point, found a {kind}; take the centroid, or a point inside")
    if points.crs is not None and not planar and points.crs.to_epsg() != 4326:
        points = points.to_crs(4326)
    frame = places.drop(columns=points.name) if hasattr(places, "columns") else None
    return _doubles("x", points.x), _doubles("y", points.y), frame


def _doubles(name: str, values: Any) -> AnyArray:
    """Returns doubles of one dimension, with NaN for missing values, which the library reports with their row."""
    if not is_of_pandas(values) and arrow.speaks(values):
        return _of_arrow(name, arrow.column(values))
    try:
        if np.iscomplexobj(values):
            raise TypeError("expected real numbers, found complex ones")
        if np.asarray(values).dtype.kind in "mMb":
            raise TypeError(f"expected numbers, found {np.asarray(values).dtype}")
        array = np.asarray(values, "<f8")
    except TypeError as error:
        raise TypeError(f"{name}: {error}") from None
    except ValueError as error:
        raise ValueError(f"{name}: {error}") from None
    if array.ndim != 1:
        raise ValueError(f"expected one dimension of {name}, found {array.ndim}")
    return np.where(np.ma.getmaskarray(values), np.nan, array) if isinstance(values, np.ma.MaskedArray) else array


def _of_arrow(name: str, column: arrow.Column) -> AnyArray:
    numbers = None if column.is_dictionary else column.numbers()
    if numbers is None or numbers.dtype.kind not in "fiu":
        raise TypeError(f"{name}: expected numbers, found {column.type_name}")
    doubles, valid = numbers.astype("<f8", copy=False), column.valid
    return doubles if valid is None else np.where(valid, doubles, np.nan)
