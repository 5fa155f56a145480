"""Makes geometries of shapely."""

from __future__ import annotations

from typing import Any

import numpy as np
import shapely
from shapely.geometry.polygon import orient

from ._arrays import AnyArray


def hull(corners: AnyArray, is_planar: bool) -> Any:
    """Returns the geometry of a hull. A hull across the antimeridian is divided there, as RFC 7946 recommends.

    :param corners: x and y of each corner, counterclockwise from the westernmost corner.
    """
    if is_planar or not len(corners) or (corners[:, 0] >= corners[0, 0]).all():
        return _shape(corners)
    # Longitudes east of the antimeridian continue above 180 degrees.
    x = np.where(corners[:, 0] < corners[0, 0], corners[:, 0] + 360, corners[:, 0])
    whole = _shape(np.column_stack([x, corners[:, 1]]))
    west, east = (shapely.intersection(whole, shapely.box(start, -90, start + 360, 90)) for start in (-180, 180))
    parts = [west, shapely.transform(east, lambda places: places - (360, 0))]
    parts = [part for part in parts if part.geom_type == whole.geom_type and not part.is_empty]
    if whole.geom_type == "Polygon":
        parts = [orient(part) for part in parts]
    united = {"Polygon": shapely.MultiPolygon, "LineString": shapely.MultiLineString}
    return parts[0] if len(parts) == 1 else united[whole.geom_type](parts)


def _shape(corners: AnyArray) -> Any:
    if len(corners) == 1:
        return shapely.Point(corners[0])
    return shapely.LineString(corners) if len(corners) == 2 else shapely.Polygon(corners)
