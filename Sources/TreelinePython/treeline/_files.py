"""Indexes: opening and checking them."""

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
        # Its pages stay when its name is gone.
        return open(path).select(where)


def open(path: Path) -> Tree:
    """Opens an index by mapping it into memory, however large it is."""
    return Tree(c.call(c.open, c.encoded_path(path)))


def verify(path: Path) -> list[str]:
    """Checks every byte of an index, and tells what is wrong; nothing if it is as it was written."""
    return list(Table._of(c.call(c.verify, c.encoded_path(path)))["problem"])
