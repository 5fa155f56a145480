"""Packs tables for a page: a line of JSON that names the arrays, then their bytes, in the format of `table.js`."""

from __future__ import annotations

import gzip
import json
from typing import Any

import numpy as np
from numpy.typing import NDArray

KINDS = {"u1": "u8", "u2": "u16", "u4": "u32", "f4": "f32", "f8": "f64"}


def packed(facts: dict[str, Any], arrays: dict[str, NDArray[Any]], differences: frozenset[str]) -> bytes:
    """Returns facts and arrays, compressed.

    :param differences: Arrays that are written as the differences of neighbors, which are small.
    """
    described, planes = [], []
    for name, array in arrays.items():
        has_differences = name in differences
        values = zigzag(array) if has_differences else array
        little = np.ascontiguousarray(values, dtype=values.dtype.newbyteorder("<"))
        described.append(
            {"name": name, "kind": KINDS[array.dtype.str[1:]], "count": len(array), "differences": has_differences}
        )
        planes.append(little.view(np.uint8).reshape(len(array), array.dtype.itemsize).T.tobytes())
    line = json.dumps({**facts, "arrays": described}, ensure_ascii=False, separators=(",", ":")).encode()
    # The gzip data has no time, so that equal trees give equal pages.
    return gzip.compress(line + b"\n" + b"".join(planes), 9, mtime=0)


def zigzag(numbers: NDArray[np.uint32]) -> NDArray[np.uint32]:
    """Returns the differences of neighbors modulo 2^32, with their signs in the lowest bits."""
    steps = np.diff(numbers, prepend=np.uint32(0)).astype(np.uint32).view(np.int32)
    return ((steps << 1) ^ (steps >> 31)).view(np.uint32)
