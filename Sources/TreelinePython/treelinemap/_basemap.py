"""Map styles of MapLibre for the basemap, the map below the badges."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

#: Matches a text that is an address: it has a slash, or begins with a scheme such as `data:`.
_ADDRESS = re.compile("/|^[A-Za-z][A-Za-z0-9+.-]*:")


def style_of(basemap: Any) -> str | dict[str, Any] | None:
    """Returns a style, or the address of a style; None for the built-in style.

    :param basemap: The address of a style, the address of tiles (`https://…/{z}/{x}/{y}.png`), a style as a dictionary,
        or a provider of tiles from xyzservices.
    :raises ValueError: If the basemap is something else.
    """
    if basemap is None or isinstance(basemap, str) and not basemap:
        return None
    if hasattr(basemap, "build_url"):
        return _of_tiles(basemap.build_url(), basemap.html_attribution, basemap.get("max_zoom"))
    if isinstance(basemap, str) and "{z}" in basemap:
        return _of_tiles(basemap)
    # An address may be relative to the page. A single word such as "osm" is not accepted as an address, because other
    # libraries use such words as names of maps.
    if isinstance(basemap, str) and (_ADDRESS.search(basemap) or basemap.endswith(".json")):
        return basemap
    if isinstance(basemap, Mapping) and "layers" in basemap and "sources" in basemap:
        try:
            style: dict[str, Any] = json.loads(json.dumps(dict(basemap), allow_nan=False))
        except (TypeError, ValueError) as error:
            raise ValueError(f"expected a style that can be written as JSON, found an error: {error}") from None
        return style
    raise ValueError(
        "expected a basemap: a MapLibre style (its address, or a dictionary with sources and layers) or tiles (an "
        "address such as https://…/{z}/{x}/{y}.png, or an xyzservices provider such as "
        f"xyzservices.providers.OpenStreetMap.Mapnik); found {basemap!r:.80}"
    )


def _of_tiles(address: str, attribution: str | None = None, closest: int | None = None) -> dict[str, Any]:
    """Returns a style that shows tiles of pictures."""
    for name in ("x", "y"):
        if "{%s}" % name not in address:
            raise ValueError(f"expected {{z}}, {{x}} and {{y}} in the address of tiles, found {address!r}")
    plain = address.replace("{r}", "")
    addresses = [plain.replace("{s}", letter) for letter in ("abc" if "{s}" in plain else " ")]
    source: dict[str, Any] = {"type": "raster", "tiles": addresses, "tileSize": 256}
    if attribution:
        source["attribution"] = attribution
    if closest:
        source["maxzoom"] = int(closest)
    layer = {"id": "basemap", "type": "raster", "source": "basemap"}
    return {"version": 8, "sources": {"basemap": source}, "layers": [layer]}
