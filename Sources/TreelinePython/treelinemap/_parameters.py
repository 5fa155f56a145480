"""Writes queries and build options as texts of parameters, which the library reads."""

from __future__ import annotations

import operator
from collections.abc import Iterable, Mapping, Set
from typing import Any

import numpy as np

from ._arrays import AnyArray


def text(**parameters: Any) -> str:
    """Returns parameters as a text that the library reads."""
    parts = []
    for name, value in parameters.items():
        if value is None:
            continue
        if isinstance(value, bool | np.bool_):
            found = "true" if value else "false"
        elif isinstance(value, str):
            # Encodes `&`, which would end a value, and `%`, which would begin an encoded character.
            found = value.replace("%", "%25").replace("&", "%26")
        elif isinstance(value, Iterable) and not isinstance(value, Mapping | Set | bytes | bytearray):
            found = ",".join(_number(name, part) for part in value)
        else:
            found = _number(name, value)
        parts.append(f"&{name}={found}")
    return "".join(parts)


def _number(name: str, value: Any) -> str:
    try:
        if isinstance(value, int | np.integer):
            return str(int(value))
        if isinstance(value, bytes | bytearray):
            raise TypeError
        number = float(value)
        # A whole number is written without a fraction, even if its type is a float.
        return str(int(number)) if number.is_integer() and abs(number) < 2**53 else repr(number)
    except (TypeError, ValueError, OverflowError):
        raise TypeError(f"expected one or more numbers for '{name}', found {value!r}") from None


def integer(name: str, value: Any, least: int = 0, most: int = 2**63 - 1) -> int:
    """Returns a whole number. Checks its range, because the library would cut off the upper bits of a larger number."""
    try:
        found = operator.index(value)
    except TypeError:
        raise TypeError(f"expected '{name}' to be a whole number, found {value!r}") from None
    if not least <= found <= most:
        raise ValueError(f"expected '{name}' to be a whole number from {least} to {most}, found {found}")
    return found


def integers(name: str, values: Any) -> AnyArray:
    """Returns an array of whole numbers, checked like `integer`."""
    array = np.asarray(values)
    if array.ndim != 1 or array.size and (array.dtype.kind not in "iu" or array.max() >= 2**63):
        raise TypeError(f"expected '{name}' to be whole numbers of 64 bits, found {values!r}")
    return np.ascontiguousarray(array, np.int64)


def listed(name: str, texts: str | Iterable[str]) -> Iterable[str]:
    if isinstance(texts, str):
        return (texts,)
    if not isinstance(texts, Iterable):
        raise TypeError(f"expected one or more texts for '{name}', found {texts!r}")
    return texts
