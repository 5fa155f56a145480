"""Writes a tree as a page that opens from disk and contains its points."""

from __future__ import annotations

import json
import os
import pathlib
from typing import TYPE_CHECKING, Any

from . import _library as c
from ._basemap import style_of

if TYPE_CHECKING:
    from ._tree import Tree

#: The files of the map, for pages and notebooks.
FILES = pathlib.Path(__file__).parent / "map"


def to_html(
    tree: Tree, path: str | os.PathLike[str] | None = None, *, title: str | None = None, basemap: Any = None
) -> str | None:
    """Writes or returns a page with a map of a tree; see `Tree.to_html`."""
    if tree._is_filtered:
        raise ValueError(
            "a page shows all points, but the tree has a filter; build a new tree of the points that pass the filter"
        )
    style = style_of(basemap)
    text = None if style is None else json.dumps(style, ensure_ascii=False, separators=(",", ":"))
    title = title or tree.title or tree._name or "Map"
    made = c.call(c.map_page, tree._handle.pointer, os.fsencode(FILES), c.encoded(title), c.encoded_if_any(text))
    page = c.bytes_of(made)
    if path is None:
        return page.decode()
    pathlib.Path(path).write_bytes(page)
    return None


def publish(
    tree: Tree, folder: str | os.PathLike[str], *, title: str | None = None, single_file: bool = False,
    remove_old: bool = False,
) -> None:  # fmt: skip
    """Writes a tree as files for a host of static files; see `Tree.publish`."""
    if tree._is_filtered:
        raise ValueError(
            "published pages show all points, but the tree has a filter; "
            "build a new tree of the points that pass the filter"
        )
    title = title or tree.title or tree._name or "Map"
    c.call(
        c.publish, tree._handle.pointer, os.fsencode(folder), os.fsencode(FILES), c.encoded(title), single_file, remove_old
    )
