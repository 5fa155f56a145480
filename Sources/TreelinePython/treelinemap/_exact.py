"""Refuses columns of whole numbers that doubles would have to hold, and cannot hold exactly. Such numbers are probably
ids, which must not change."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from . import _library as c
from ._arrays import AnyArray

if TYPE_CHECKING:
    from ._columns import InputColumn


def check_span(name: str, array: AnyArray, valid: AnyArray | None) -> None:
    """Refuses whole numbers that span 2^64 - 1 or more. Each number fits into 64 bits, but the column could keep the
    numbers only as floats."""
    present = array if valid is None else array[valid]
    if present.size:
        _check_span(name, int(present.min()), int(present.max()))


def _check_span(name: str, least: int, greatest: int) -> None:
    if greatest - least == 2**64 - 1:
        raise ValueError(
            f"column {name!r}: expected whole numbers that differ by less than 2^64 - 1, found {least} and {greatest}; "
            "mark one of these numbers as missing, or convert the column to floats or texts"
        )


def check_exact(
    name: str, values: list[Any], floats: list[float], valid: AnyArray | None, rows: AnyArray | None = None
) -> None:
    """Refuses whole numbers that doubles cannot hold exactly.

    :param rows: Row number of each value; by default the rows are numbered from 0.
    """
    for row, (value, number) in enumerate(zip(values, floats)):
        if (valid is None or valid[row]) and number != value and value == value and value == int(value):
            raise _refusal(name, row if rows is None else rows[row], value)


def _refusal(name: str, row: int, value: Any) -> ValueError:
    return ValueError(
        f"column {name!r}, row {row}: expected whole numbers of 64 bits, or numbers that floats hold exactly, "
        f"found {value}; convert the column to floats or texts"
    )


class WholeNumbers:
    """Checks columns that arrive in batches. A column may have whole numbers in one batch, and doubles in another."""

    def __init__(self) -> None:
        #: The columns with doubles, and the first row and value of each column that doubles cannot hold exactly.
        self._with_doubles: set[str] = set()
        self._inexact: dict[str, tuple[int, int]] = {}
        #: The least and the greatest whole number of each column.
        self._extents: dict[str, tuple[int, int]] = {}

    def add(self, column: InputColumn, rows: AnyArray) -> None:
        """Adds the values of a column in one batch."""
        name = column.name
        if (column.kind or "").partition("+")[0] not in ("", "number"):
            return
        if column.type == c.DOUBLES and column.has_values.any():
            self._with_doubles.add(name)
        if column.type == c.INTEGERS and column.has_values.any():
            present = column.values[column.has_values]
            extent = self._extents.setdefault(name, (int(present[0]), int(present[0])))
            self._extents[name] = (min(extent[0], int(present.min())), max(extent[1], int(present.max())))
            _check_span(name, *self._extents[name])
        if column.type == c.INTEGERS and name not in self._inexact:
            far = column.has_values & ((column.values > 2**53) | (column.values < -(2**53)))
            for index in np.flatnonzero(far).tolist():
                value = int(column.values[index])
                if float(value) != value:
                    self._inexact[name] = (int(rows[index]), value)
                    break
        if name in self._with_doubles and name in self._inexact:
            raise _refusal(name, *self._inexact[name])
