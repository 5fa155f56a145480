"""Tables as a page holds them: a line of JSON that names arrays, then their bytes, as `table.js` reads them."""

from __future__ import annotations

import gzip
import json
from typing import Any

import numpy as np
from numpy.typing import NDArray

KINDS = {"u1": "u8", "u2": "u16", "u4": "u32", "f4": "f32", "f8": "f64"}


def packed(facts: dict[str, Any], arrays: dict[str, NDArray[Any]], differences: frozenset[str]) -> bytes:
    """Facts and arrays, compressed; of some arrays the differences of neighbours are written, which are small."""
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
    # No time of writing: the same tree makes the same page.
    return gzip.compress(line + b"\n" + b"".join(planes), 9, mtime=0)


def zigzag(numbers: NDArray[np.uint32]) -> NDArray[np.uint32]:
    """The differences of neighbours modulo 2^32, their signs in the lowest bits."""
    steps = np.diff(numbers, prepend=np.uint32(0)).astype(np.uint32).view(np.int32)
    return ((steps << 1) ^ (steps >> 31)).view(np.uint32)
