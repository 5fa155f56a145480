"""Opens and checks indexes."""

from __future__ import annotations

import pathlib
import tempfile

from . import _library as c
from ._table import Table
from ._tree import Path, Tree


def unpickled(index: bytes, where: str | None) -> Tree:
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder, "tree.treeline")
        path.write_bytes(index)
        # The mapped pages remain after the file is deleted.
        return open(path).select(where)


def open(path: Path) -> Tree:
    """Opens an index of any size by mapping it into memory."""
    return Tree(c.call(c.open, c.encoded_path(path)))


def verify(path: Path) -> list[str]:
    """Checks every byte of an index. Returns the problems found; an empty list if there are none."""
    return list(Table._of(c.call(c.verify, c.encoded_path(path)))["problem"])
