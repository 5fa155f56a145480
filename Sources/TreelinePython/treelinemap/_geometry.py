"""Reads points from Arrow columns: from two columns of numbers, or from one column of GeoParquet or GeoArrow."""

from __future__ import annotations

import json
import struct
from typing import Any

import numpy as np

from . import _arrow as arrow
from ._arrays import AnyArray
from ._coordinates import arrow_doubles
from ._names import coordinate_columns

#: Length of a WKB header before the coordinates, and the bit that marks a geometry with a spatial reference system.
_PREFIX, _HAS_SRID = 5, 0x20000000


class PointColumns:
    """The columns of a schema that contain the points, and their format."""

    def __init__(self, schema: Any, x: str | None, y: str | None, geometry: str | None, planar: bool | None) -> None:
        """
        :param schema: Schema of pyarrow, possibly with GeoParquet metadata.
        :param x: Name of the column of x. `y` names the column of y. `x` and `y` are None if there is `geometry`.
        :param geometry: Name of a column of points, which is used instead of `x` and `y`.
        :param planar: Whether coordinates are plain x and y. If it is None, the names of the found columns decide.
        """
        if (x is None) != (y is None):
            raise ValueError(f"expected the names of both coordinate columns, found {x!r} and {y!r}")
        #: Whether coordinates are plain x and y.
        self.is_planar = bool(planar)
        #: Whether coordinates count as plain x and y because of the names of the columns alone.
        self.is_planar_by_name = False
        #: A warning that the columns were guessed and that the guess may be wrong; empty if the columns were not
        #: guessed.
        self.note = ""
        described = json.loads((schema.metadata or {}).get(b"geo", b"{}"))
        if x is None and geometry is None:
            geometry = described.get("primary_column")
        if x is None and geometry is None:
            try:
                x, y, self.note, has_plane = coordinate_columns(schema.names, planar)
            except KeyError as error:
                raise KeyError(f"{error.args[0]}; geometry= chooses a column of points") from None
            self.is_planar_by_name = planar is None and has_plane
            self.is_planar = self.is_planar or self.is_planar_by_name
        #: Names of the columns to read.
        self.names: list[str] = [geometry] if geometry is not None else [str(x), str(y)]
        for name in self.names:
            if name not in schema.names:
                raise KeyError(
                    f"there is no column {name!r}; columns: {', '.join(map(repr, schema.names))}"
                )
        if geometry is not None:
            self._check_system(geometry, described.get("columns", {}).get(geometry, {}), schema.field(geometry))

    def _check_system(self, name: str, described: dict[str, Any], field: Any) -> None:
        extension = json.loads((field.metadata or {}).get(b"ARROW:extension:metadata") or b"{}")
        system = described.get("crs", extension.get("crs")) if described or extension else None
        if self.is_planar or system is None:
            return
        if isinstance(system, str):
            code = system.rpartition(":")[2]
        else:
            code = str(system.get("id", {}).get("code", system.get("name")))
        if code not in ("CRS84", "CRS84h", "4326", "4979"):
            raise ValueError(
                f"column {name!r}: expected longitudes and latitudes (OGC:CRS84), found the coordinate system {code}; "
                "convert the coordinates, or use planar=True for plain x and y"
            )

    def read(self, batch: Any, rows: AnyArray) -> tuple[AnyArray, AnyArray]:
        """Returns the coordinates in a batch of pyarrow; NaN for missing coordinates.

        :param rows: Row number of each entry, for errors.
        """
        if len(self.names) == 2:
            x, y = (_doubles(name, batch.column(name)) for name in self.names)
            return x, y
        return points(self.names[0], batch.column(self.names[0]), rows)


def points(name: str, array: Any, rows: AnyArray) -> tuple[AnyArray, AnyArray]:
    """Returns the coordinates in an array of points. A point is WKB, a struct with x and y, or a list of x and y."""
    import pyarrow as pa

    if isinstance(array, pa.ExtensionArray):
        array = array.storage
    type = array.type
    if pa.types.is_struct(type):
        names = [field.name for field in type]
        if "x" in names and "y" in names:
            # `flatten` is not used, because it would copy both children to apply the nulls of the struct.
            return _nulled(array, _doubles(name, array.field("x"))), _nulled(array, _doubles(name, array.field("y")))
    elif pa.types.is_fixed_size_list(type) and type.list_size >= 2:
        width = type.list_size
        values = _doubles(name, array.values)[array.offset * width : (array.offset + len(array)) * width]
        pairs = values.reshape(len(array), width)
        return _nulled(array, pairs[:, 0].copy()), _nulled(array, pairs[:, 1].copy())
    elif pa.types.is_list(type) or pa.types.is_large_list(type):
        return _of_lists(name, array, rows)
    elif pa.types.is_binary(type) or pa.types.is_large_binary(type):
        return _of_wkb(name, array.cast(pa.large_binary()), rows)
    raise TypeError(f"column {name!r}: expected points as WKB, structs of x and y or lists of x and y, found {type}")


def _of_lists(name: str, array: Any, rows: AnyArray) -> tuple[AnyArray, AnyArray]:
    offsets = array.offsets.to_numpy()
    there = array.is_valid().to_numpy(zero_copy_only=False)
    unlike = there & (np.diff(offsets) != 2)
    if unlike.any():
        at = int(unlike.argmax())
        raise ValueError(
            f"column {name!r}, row {rows[at]}: expected a list of two numbers, found {offsets[at + 1] - offsets[at]}; "
            "make lists of x and y"
        )
    values = _doubles(name, array.values)
    x, y = np.full(len(array), np.nan), np.full(len(array), np.nan)
    starts = offsets[:-1][there]
    x[there], y[there] = values[starts], values[starts + 1]
    return x, y


def _doubles(name: str, array: Any) -> AnyArray:
    import pyarrow as pa

    if pa.types.is_decimal(array.type):
        # pyarrow's own conversion of decimals rounds several times.
        return arrow_doubles(f"column {name!r}", arrow.column(array))
    if not (pa.types.is_floating(array.type) or pa.types.is_integer(array.type)):
        raise TypeError(f"column {name!r}: expected numbers, found {array.type}; convert it")
    found: AnyArray = array.cast(pa.float64(), safe=False).to_numpy(zero_copy_only=False)
    return found


def _nulled(array: Any, values: AnyArray) -> AnyArray:
    """Returns an array of values. Rows that are null become NaN."""
    if array.null_count == 0:
        return values
    return np.where(array.is_valid().to_numpy(zero_copy_only=False), values, np.nan)


def _of_wkb(name: str, array: Any, rows: AnyArray) -> tuple[AnyArray, AnyArray]:
    count = len(array)
    x, y = np.full(count, np.nan), np.full(count, np.nan)
    if count == array.null_count:
        return x, y
    _, offsets, data = array.buffers()
    starts = np.frombuffer(offsets, "<i8", count + 1, 8 * array.offset)
    octets = np.frombuffer(data, np.uint8) if data is not None else np.zeros(0, np.uint8)
    lengths = np.diff(starts)
    # Nearly all programs write little-endian points of two or three numbers, without a spatial reference system. All
    # points of this form are read in one step.
    there = array.is_valid().to_numpy(zero_copy_only=False) if array.null_count else np.ones(count, bool)
    plain = there & np.isin(lengths, (_PREFIX + 16, _PREFIX + 24))
    heads = octets[starts[:-1][plain][:, None] + np.arange(_PREFIX)]
    kinds = np.ascontiguousarray(heads[:, 1:]).view("<u4")[:, 0]
    is_plain = (heads[:, 0] == 1) & np.isin(kinds, (1, 1001, 2001, 0x80000001, 0x40000001))
    plain[plain] = is_plain
    numbers = octets[starts[:-1][plain][:, None] + np.arange(_PREFIX, _PREFIX + 16)]
    pairs = np.ascontiguousarray(numbers).view("<f8").reshape(-1, 2)
    x[plain], y[plain] = pairs[:, 0], pairs[:, 1]
    for row in np.flatnonzero(there & ~plain).tolist():
        x[row], y[row] = _of_one(name, octets[starts[row] : starts[row + 1]].tobytes(), int(rows[row]))
    return x, y


def _of_one(name: str, value: bytes, row: int) -> tuple[float, float]:
    kinds = ["geometry", "point", "line", "polygon", "multipoint", "multiline", "multipolygon", "collection"]
    if len(value) < _PREFIX or value[0] > 1:
        raise ValueError(
            f"column {name!r}, row {row}: expected a point as WKB, found {value[:8].hex()!r}; correct the value"
        )
    order = "<" if value[0] else ">"
    kind = struct.unpack_from(order + "I", value, 1)[0]
    number = (kind & 0x0FFFFFFF) % 1000
    start = _PREFIX + (4 if kind & _HAS_SRID else 0)
    if number != 1:
        found = kinds[number] if number < len(kinds) else f"type {kind}"
        raise ValueError(
            f"column {name!r}, row {row}: expected a point, found a {found}; make points, for example with "
            "ST_PointOnSurface"
        )
    if len(value) < start + 16:
        raise ValueError(
            f"column {name!r}, row {row}: expected {start + 16} bytes of WKB, found {len(value)}; correct the value"
        )
    x, y = struct.unpack_from(order + "dd", value, start)
    return x, y
