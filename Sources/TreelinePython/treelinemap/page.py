"""Writes a tree as a page that opens from disk and contains its answers."""

from __future__ import annotations

import base64
import ctypes
import html
import math
import os
import pathlib
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from . import _library as c
from ._answers import Answers
from ._basemap import style_of
from ._packing import packed
from ._parameters import integer
from ._table import Table, readable

if TYPE_CHECKING:
    from ._tree import Tree

FILES = pathlib.Path(__file__).parent / "map"

#: Maximum number of positions of a tree that a page contains completely. A page of a larger tree contains the second
#: number of clusters.
WHOLE = 150_000
PART = 30_000

#: Arrays whose neighbors in tree order have similar values.
NEAR = frozenset(["x", "y", "parts", "standsX", "standsY"])


def to_html(
    tree: Tree,
    path: str | os.PathLike[str] | None = None,
    *,
    title: str | None = None,
    columns: str | Sequence[str] = (),
    basemap: Any = None,
    most: int | None = None,
) -> str | None:
    """Writes or returns a standalone page that shows a tree and its answers; see `Tree.to_html`."""
    if tree.is_planar:
        raise ValueError("a map shows longitudes and latitudes: found a tree of plain x and y")
    if tree._is_filtered:
        raise ValueError("a page has all points: found a tree with a filter; build a tree of the points that pass")
    if isinstance(columns, str):
        columns = [columns]
    facts = Answers(tree).facts()
    page = (FILES / "page.html").read_text(encoding="utf-8")
    title = title or facts["title"] or "Treeline"
    index = {**facts, "title": title, "columns": list(columns), "column_kinds": {}}
    table = _table(tree, {"index": index, "basemap": style_of(basemap)}, columns, most)
    parts = {
        "title": html.escape(title),
        "assets": base64.b64encode((FILES / "assets.json.gz").read_bytes()).decode(),
        "hierarchy": base64.b64encode(table).decode(),
    }
    before, *rest = page.split("{{")
    for piece in rest:
        name, _, text = piece.partition("}}")
        before += parts[name] + text if name in parts else "{{" + piece
    if path is None:
        return before
    pathlib.Path(path).write_text(before, encoding="utf-8")
    return None


def _table(tree: Tree, about: dict[str, Any], columns: Sequence[str], most: int | None) -> bytes:
    """Returns the hierarchy and the values of the points, in the format of `hierarchy.js` and `baked.js`."""
    rows, plane = _hierarchy(tree, WHOLE if most is None else integer("most", most, least=1))
    if most is None and rows["own_code"].any():
        rows, plane = _hierarchy(tree, PART)
    everyone = np.arange(tree.point_count)
    facts = {
        "seam": plane.seam,
        "crosses_seam": plane.crosses_seam,
        **about,
        "group_ends": tree.groups["end"].tolist(),
        "values": [readable(tree.values(name, everyone)) for name in columns],
    }
    if not math.isnan(plane.badge_distance):
        facts["badge_distance"] = plane.badge_distance
        curve = Table._of(c.badge_curve(tree._handle.pointer))
        facts["badge_steps"] = list(zip(curve["count"].tolist(), curve["diameter"].tolist()))
    return packed(facts, _arrays(rows, tree.stand == "member"), NEAR)


def _hierarchy(tree: Tree, most: int) -> tuple[Table, c.Plane]:
    plane = c.Plane()
    return Table._of(c.call(c.hierarchy, tree._handle.pointer, most, ctypes.byref(plane))), plane


def _arrays(rows: Table, stands_at_members: bool) -> dict[str, NDArray[Any]]:
    parts = np.flatnonzero((rows["max_x"] != rows["min_x"]) | (rows["max_y"] != rows["min_y"]))
    of_parts = {name: column[parts] for name, column in rows.items()}
    count = of_parts["count"]
    arrays: dict[str, NDArray[Any]] = {
        "counts": rows["count"].astype(np.uint32),
        "x": rows["min_x"].astype(np.uint32),
        "y": rows["min_y"].astype(np.uint32),
        "levels": rows["level"].astype(np.uint16),
        "codes": rows["code"].astype(np.uint16),
        "parts": parts.astype(np.uint32),
        "partCodes": of_parts["own_code"].astype(np.uint16),
        "widths": (of_parts["max_x"] - of_parts["min_x"]).astype(np.uint32),
        "heights": (of_parts["max_y"] - of_parts["min_y"]).astype(np.uint32),
    }
    for axis in "xy":
        # Exact sums are stored as quotient and remainder, which need less space.
        quotient, remainder = np.divmod(of_parts[f"sum_{axis}"], count)
        arrays[f"means{axis.upper()}"] = quotient.astype(np.uint32)
        arrays[f"rests{axis.upper()}"] = remainder.astype(np.uint32)
    for name in ("xx", "xy", "yy"):
        # Extents are only drawn, and a picture shows no more than two digits.
        arrays[name] = (of_parts[name].astype(np.float32).view(np.uint32) & 0xFFFF0000).view(np.float32)
    if stands_at_members:
        arrays["stands"] = rows["stand_right"].astype(np.uint8)
        arrays["standsX"] = of_parts["stand_x"].astype(np.uint32)
        arrays["standsY"] = of_parts["stand_y"].astype(np.uint32)
    return arrays
