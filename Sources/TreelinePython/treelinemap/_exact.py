"""Checks whether a column can keep its numbers exactly. A column keeps them exactly if they are integers of 64 bits
times one power of ten. Otherwise the column keeps the nearest doubles.

Whole numbers that would change are refused, because they are probably ids. Other numbers that would change are a reason
for a warning."""

from __future__ import annotations

import warnings
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from . import _library as c
from ._arrays import AnyArray

if TYPE_CHECKING:
    from ._input_column import InputColumn

#: Greatest number of digits after the point that a column keeps.
_MOST_DIGITS = 18


@dataclass(frozen=True)
class Extent:
    """The range of some decimals, which are whole numbers divided by one power of ten."""

    #: Number of digits after the point.
    digits: int
    #: The least and the greatest number, without the point.
    least: int
    greatest: int

    def united(self, other: Extent) -> Extent:
        digits = max(self.digits, other.digits)
        own, others = 10 ** (digits - self.digits), 10 ** (digits - other.digits)
        least = min(own * self.least, others * other.least)
        return Extent(digits, least, max(own * self.greatest, others * other.greatest))

    @property
    def has_64_bits(self) -> bool:
        return self.digits <= _MOST_DIGITS and self.least >= -(2**63) and self.greatest < 2**63

    @property
    def is_exact(self) -> bool:
        # One of the 2^64 codes stands for missing values.
        return self.has_64_bits and self.greatest - self.least < 2**64 - 1


@dataclass(frozen=True)
class DecimalFacts:
    """Facts about the decimals in a column."""

    extent: Extent
    #: The first whole number and the first other number, each with its row, that doubles cannot hold.
    whole: tuple[int, Any] | None = None
    other: tuple[int, Any] | None = None


def check_span(name: str, array: AnyArray, valid: AnyArray | None) -> None:
    """Refuses whole numbers that span 2^64 - 1 or more. Each number fits into 64 bits, but the column could keep the
    numbers only as floats."""
    present = array if valid is None else array[valid]
    if present.size:
        _check_span(name, Extent(0, int(present.min()), int(present.max())))


def _check_span(name: str, extent: Extent) -> None:
    if extent.digits == 0 and extent.has_64_bits and not extent.is_exact:
        raise ValueError(
            f"column {name!r}: expected whole numbers that differ by less than 2^64 - 1, found {extent.least} and "
            f"{extent.greatest}; mark one of these numbers as missing, or convert the column to floats or texts"
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
        f"column {name!r}, row {row}: expected only whole numbers from -2^63 to 2^63 - 1, or only numbers that floats "
        f"hold exactly, found {value}; convert the column to floats or texts"
    )


@dataclass
class _Facts:
    """Facts about the values of a column in all batches."""

    #: The range of the whole numbers and decimals.
    extent: Extent | None = None
    #: Whether there are doubles that are no decimals.
    has_doubles: bool = False
    whole: tuple[int, Any] | None = None
    other: tuple[int, Any] | None = None

    @property
    def is_exact(self) -> bool:
        return not self.has_doubles and (self.extent is None or self.extent.is_exact)

    def add(self, extent: Extent, rows: AnyArray, *found: tuple[int, Any] | None) -> None:
        """:param found: The first whole number and the first other number that doubles cannot hold."""
        self.extent = extent if self.extent is None else self.extent.united(extent)
        whole, other = (None if each is None else (int(rows[each[0]]), each[1]) for each in found)
        self.whole, self.other = self.whole or whole, self.other or other


@dataclass
class WholeNumbers:
    """Checks columns that arrive in batches. A column may have whole numbers in one batch, and other numbers in
    another."""

    _facts: dict[str, _Facts] = field(default_factory=dict)

    def add(self, column: InputColumn, rows: AnyArray) -> None:
        """Adds the values of a column in one batch.

        :param rows: Row number of each value.
        """
        is_number = column.type in (c.DOUBLES, c.INTEGERS) or column.decimals is not None
        if not is_number or (column.kind or "").partition("+")[0] not in ("", "number"):
            return
        present = column.has_values
        if not present.any():
            return
        facts = self._facts.setdefault(column.name, _Facts())
        if column.decimals is not None:
            facts.add(column.decimals.extent, rows, column.decimals.whole, column.decimals.other)
        elif column.type == c.DOUBLES:
            facts.has_doubles = True
        else:
            values = column.values[present]
            extent = Extent(0, int(values.min()), int(values.max()))
            facts.add(extent, rows, None if facts.whole else _first_inexact(column, present), None)
        if not facts.is_exact:
            if facts.extent is not None and not facts.has_doubles:
                _check_span(column.name, facts.extent)
            if facts.whole is not None:
                raise _refusal(column.name, *facts.whole)

    def decimals(self, name: str) -> DecimalFacts | None:
        """Returns facts about the decimals of a column in all batches."""
        facts = self._facts.get(name)
        if facts is None or facts.extent is None:
            return None
        return DecimalFacts(facts.extent, facts.whole, facts.other)

    def warn(self, stacklevel: int) -> None:
        """Warns of columns that keep only the nearest doubles of their numbers."""
        for name, facts in self._facts.items():
            if not facts.is_exact and facts.other is not None:
                row, number = facts.other
                warnings.warn(
                    f"column {name!r}: the numbers have too many digits for a column of numbers, which keeps the "
                    f"nearest doubles instead; the first is row {row}: {number}; "
                    f"kinds={{{name!r}: 'text'}} keeps all digits",
                    stacklevel=stacklevel + 1,
                )


def _first_inexact(column: InputColumn, present: AnyArray) -> tuple[int, int] | None:
    """Returns the first whole number that doubles cannot hold, with its index."""
    for index in np.flatnonzero(present & ((column.values > 2**53) | (column.values < -(2**53)))).tolist():
        value = int(column.values[index])
        if float(value) != value:
            return index, value
    return None
