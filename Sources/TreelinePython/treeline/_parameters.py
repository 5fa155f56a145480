"""Queries and options of builds as the library reads them: as texts of parameters."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np


def cut_text(key: tuple[Any, ...]) -> str:
    limit, order, detail, spacing, badges, min_points, alone_from_zoom, position, keep_visible, is_fresh = key
    return text(
        limit=limit, order=order, detail=detail, spacing=spacing, badges=badges, min_points=min_points,
        alone_from_zoom=alone_from_zoom, position=position, keep_visible=keep_visible,
        continuing=None if is_fresh else True,
    )  # fmt: skip


def text(**parameters: Any) -> str:
    """Parameters as the library reads them."""
    parts = []
    for name, value in parameters.items():
        if value is None:
            continue
        if isinstance(value, bool | np.bool_):
            found = "true" if value else "false"
        elif isinstance(value, str):
            # What would end a value, or begin a code of a character.
            found = value.replace("%", "%25").replace("&", "%26")
        elif isinstance(value, Iterable):
            found = ",".join(number(part) for part in value)
        else:
            found = number(value)
        parts.append(f"&{name}={found}")
    return "".join(parts)


def number(value: Any) -> str:
    return str(int(value)) if isinstance(value, int | np.integer) else repr(float(value))
