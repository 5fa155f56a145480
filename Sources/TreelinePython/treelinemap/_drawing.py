"""Draws columns as a table, in text or in HTML."""

from __future__ import annotations

import html
from collections.abc import Mapping
from typing import Any

import numpy as np

from ._arrays import AnyArray

#: `_MOST` is the greatest number of rows to draw. If a table has more rows, the last `_LAST` rows are among the drawn
#: rows.
_MOST, _LAST = 20, 5
#: Maximum length of a text in a cell.
_WIDEST = 40


def as_text(title: str, columns: Mapping[str, AnyArray]) -> str:
    cells = _cells(columns)
    widths = [max(map(len, column)) for column in cells.values()]
    is_text = [values.dtype.kind == "O" for values in columns.values()]
    lines = [title]
    for row in zip(*cells.values()):
        padded = (f"{cell:<{width}}" if left else f"{cell:>{width}}" for cell, width, left in zip(row, widths, is_text))
        lines.append("  ".join(padded).rstrip())
    return "\n".join(lines)


def as_html(title: str, columns: Mapping[str, AnyArray]) -> str:
    head, *rows = ([html.escape(cell) for cell in row] for row in zip(*_cells(columns).values()))
    lines = ["<table>", f"<caption>{html.escape(title)}</caption>"]
    lines.append(f"<thead><tr>{''.join(f'<th>{cell}</th>' for cell in head)}</tr></thead><tbody>")
    lines += (f"<tr>{''.join(f'<td>{cell}</td>' for cell in row)}</tr>" for row in rows)
    return "\n".join([*lines, "</tbody></table>"])


def _cells(columns: Mapping[str, AnyArray]) -> dict[str, list[str]]:
    """Returns the texts of each column. The first text of a column is its name."""
    return {name: [name, *_texts(values)] for name, values in columns.items()}


def _texts(values: AnyArray) -> list[str]:
    if len(values) <= _MOST:
        return [*map(_text, values)]
    return [*map(_text, values[: _MOST - _LAST]), "…", *map(_text, values[-_LAST:])]


def _text(value: Any) -> str:
    if isinstance(value, float | np.floating):
        return f"{value:.6g}"
    # A line break or a tab would break the row.
    text = "".join(character if character.isprintable() else " " for character in str(value))
    return text if len(text) <= _WIDEST else f"{text[: _WIDEST - 1]}…"
