"""Columns of decimals. Such a column reaches the library without any rounding."""

from __future__ import annotations

import decimal
import sys
from typing import Any, NamedTuple

import numpy as np

from . import _library as c
from ._arrays import AnyArray
from ._exact import DecimalFacts, Extent
from ._input_column import InputColumn, encoded_texts

#: Greatest number of digits before or after the point. Longer decimals are read as doubles.
_MOST_DIGITS = 400
#: A context in which shifting the point of such a decimal is exact.
_EXACT = decimal.Context(prec=3 * _MOST_DIGITS)
#: The greatest double. Greater decimals are left to the conversion of numbers, whose errors name the column.
_GREATEST = decimal.Decimal(sys.float_info.max)
#: Two decimals with at most 15 digits never have the same nearest double. So a double keeps such a decimal.
_SHORT = 10**15


class Decimals(NamedTuple):
    """Decimals as whole numbers without the point."""

    #: An array of integers of 64 bits, or of Python objects. A missing value is 0.
    whole: AnyArray
    #: Number of digits after the point.
    digits: int

    @classmethod
    def of(cls, values: list[Any]) -> Decimals | None:
        """Returns numbers of Python as decimals; None if they are too long, or if one of them is not a decimal."""
        found = [decimal.Decimal(repr(value)) if isinstance(value, float) else value for value in values]
        if not all(isinstance(value, int | decimal.Decimal) for value in found):
            return None
        numbers = [decimal.Decimal(value) for value in found]
        for number in numbers:
            if not number.is_finite() or abs(number) > _GREATEST or _digits(number) > _MOST_DIGITS:
                return None
        digits = max(map(_digits, numbers), default=0)
        whole = np.array([int(number.scaleb(digits, _EXACT)) for number in numbers], object)
        return cls(_narrowed(whole), digits)

    def stripped(self) -> Decimals:
        """Returns the same decimals without the zeros that all of them have at their ends."""
        if self.digits == 0:
            return self
        rest, power, digits = abs(int(np.gcd.reduce(self.whole))), 1, self.digits
        while digits and rest % (10 * power) == 0:
            digits, power = digits - 1, 10 * power
        # If all numbers are 0, the power may be too large for 64 bits.
        return Decimals(_narrowed(self.whole // power) if rest else self.whole, digits)

    def doubles(self) -> AnyArray:
        """Returns the nearest double of each decimal."""
        is_short = (self.whole >= -(2**53)) & (self.whole <= 2**53) & (self.digits <= 22)
        # If doubles hold the number and the power of ten exactly, their quotient is rounded correctly. Otherwise Python
        # divides the integers.
        doubles: AnyArray = np.where(is_short, self.whole, 0).astype("<f8") / 10.0 ** min(self.digits, 22)
        for row in np.flatnonzero(~is_short.astype(bool)).tolist():
            doubles[row] = int(self.whole[row]) / 10**self.digits
        return doubles

    def decimal(self, row: int) -> decimal.Decimal:
        return decimal.Decimal(f"{self.whole[row]}e-{self.digits}")

    def texts(self) -> list[str]:
        if self.digits == 0:
            return [str(number) for number in self.whole.tolist()]
        padded = ((number < 0, str(abs(number)).zfill(self.digits + 1)) for number in self.whole.tolist())
        return [f"{'-' * minus}{text[: -self.digits]}.{text[-self.digits :]}" for minus, text in padded]


def _digits(number: decimal.Decimal) -> int:
    """Returns the number of digits after the point of a finite decimal."""
    exponent = number.as_tuple().exponent
    assert isinstance(exponent, int)
    return max(-exponent, 0)


def _narrowed(whole: AnyArray) -> AnyArray:
    """Returns integers in 64 bits if they fit."""
    if whole.dtype != object or (len(whole) and not -(2**63) <= min(whole) <= max(whole) < 2**63):
        return whole
    return whole.astype("<i8")


def decimal_column(name: str, kind: str | None, numbers: Decimals, valid: AnyArray | None) -> InputColumn | None:
    """Returns a column of decimals; None if all of them are whole numbers, for which there are other columns."""
    own, plus, preparations = (kind or "").partition("+")
    if own in ("text", "category") and numbers.digits:
        return _of_texts(name, kind, numbers, valid)
    numbers = numbers.stripped()
    if numbers.digits == 0:
        return None
    facts, are_doubles = _facts(numbers)
    if are_doubles or own not in ("", "number"):
        return InputColumn(name, kind, c.DOUBLES, numbers.doubles(), valid=valid, decimals=facts)
    return _of_texts(name, f"number{plus}{preparations}", numbers, valid, decimals=facts)


def _facts(numbers: Decimals) -> tuple[DecimalFacts, bool]:
    """Returns facts about decimals, and whether the library can read all of them from their nearest doubles."""
    is_long = ((numbers.whole >= _SHORT) | (numbers.whole <= -_SHORT)).astype(bool)
    # Of integers of 64 bits, only 0 is a multiple of a greater power of ten.
    fits = numbers.digits <= 18 or numbers.whole.dtype == object
    is_whole = numbers.whole % 10**numbers.digits == 0 if fits else np.zeros(len(numbers.whole), bool)
    first: dict[bool, tuple[int, Any]] = {}
    are_doubles = True
    for of_whole in (False, True):
        for row in np.flatnonzero(is_long & (is_whole.astype(bool) == of_whole)).tolist():
            number, double = numbers.decimal(row), int(numbers.whole[row]) / 10**numbers.digits
            # The library reads a double as the shortest decimal whose nearest double it is.
            if number == decimal.Decimal(repr(double)):
                continue
            are_doubles = False
            if not of_whole or number != decimal.Decimal(double):
                first[of_whole] = (row, int(number) if of_whole else number)
                break
    extent = Extent(numbers.digits, int(numbers.whole.min()), int(numbers.whole.max()))
    return DecimalFacts(extent, first.get(True), first.get(False)), are_doubles


def _of_texts(name: str, kind: str | None, numbers: Decimals, valid: AnyArray | None, **facts: Any) -> InputColumn:
    offsets, data = encoded_texts(numbers.texts())
    return InputColumn(name, kind, c.TEXTS, offsets=offsets, bytes=data, valid=valid, **facts)
