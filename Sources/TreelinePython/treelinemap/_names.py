"""Finds the columns of coordinates in a table by their names. The command-line tool has the same rules."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple

#: Pairs of common column names, the preferred pairs first. The third value says whether the names are for plain x and
#: y. Names are in lower case, without `_`, `-` and spaces.
_COMMON = [
    ("longitude", "latitude", False), ("lon", "lat", False), ("lng", "lat", False), ("long", "lat", False),
    ("decimallongitude", "decimallatitude", False), ("longitude", "lat", False), ("lon", "latitude", False),
    ("lng", "latitude", False), ("long", "latitude", False), ("x", "y", True), ("easting", "northing", True),
    ("eastings", "northings", True), ("längengrad", "breitengrad", False), ("laengengrad", "breitengrad", False),
    ("länge", "breite", False), ("laenge", "breite", False), ("rechtswert", "hochwert", True),
    ("longitud", "latitud", False), ("longitudine", "latitudine", False), ("lengdegrad", "breddegrad", False),
    ("længdegrad", "breddegrad", False), ("lengtegraad", "breedtegraad", False),
    ("długośćgeograficzna", "szerokośćgeograficzna", False), ("délka", "šířka", False), ("долгота", "широта", False),
    ("経度", "緯度", False), ("经度", "纬度", False), ("經度", "緯度", False), ("경도", "위도", False),
    ("boylam", "enlem", False),
]  # fmt: skip

#: Names of columns that may have both coordinates in one cell.
_PAIRS = set(
    "latlon latlng latlong latitudelongitude latitude,longitude lat,lon lat,lng lat/lon lat/lng lonlat lnglat longlat "
    "longitudelatitude longitude,latitude lon,lat lng,lat lon/lat lng/lat location locations coordinates coordinate "
    "coords coord position point geopoint geopoint2d geolocation georeference geo gps gpscoordinates gpsposition "
    "koordinaten koordinate standort coordonnées coordonnees coordonnéesgéographiques coordenadas ubicación "
    "ubicacion localização coordinategeografiche posizione".split()
)
_WELL_KNOWN_TEXT = set(
    "wkt geom geometry thegeom wktgeom wkbgeometry wkb geog stastext stasewkt stasbinary sttransform stcentroid "
    "stpointonsurface".split()
)

#: Words that do not change the meaning of a name beside them.
_NEUTRAL = set("coord coords coordinate coordinates gps in position".split())
_OF_DEGREES = _NEUTRAL | set(
    "º 84 4326 dd decdeg decimal deg degree degrees epsg etrs89 geo geogr nad83 wgs wgs84".split()
)
_OF_LENGTHS = _NEUTRAL | set("m meter meters metre metres".split())

_LONGITUDE, _LATITUDE = {"lon", "lng", "long", "longitude"}, {"lat", "latitude"}
#: Words for places. The name of a coordinate may contain such a word, for example `stop_lat` in GTFS.
_PLACES = set(
    "address airport city destination dropoff end from home location origin pickup place point pt shape shop site "
    "start station stop store to venue".split()
)
#: Words for the start of a journey. If a table has several places, the coordinates of the start are read.
_STARTS = {"from", "origin", "pickup", "start"}


class Found(NamedTuple):
    """Two columns of coordinates."""

    x: Any
    y: Any
    #: A warning that the columns were guessed and that the guess may be wrong; empty if the columns were not guessed.
    note: str = ""
    #: Whether the names mean x and y of a plain plane.
    is_planar: bool = False


def coordinate_columns(names: Iterable[Any], planar: bool | None) -> Found:
    """Finds the columns of longitudes and latitudes, or of x and y, by their names.

    :param planar: Whether coordinates are plain x and y. If it is None, the names decide.
    :raises KeyError: If the table has no columns with known names.
    """
    own = [*names]
    plain, words = [_plain(name) for name in own], [_words(name) for name in own]

    def with_words(name: str, is_planar: bool) -> list[Any]:
        neutral = _OF_LENGTHS if is_planar else _OF_DEGREES
        return [each for each, parts in zip(own, words) if [part for part in parts if part not in neutral] == [name]]

    # Names of the requested kind of coordinates come first.
    common = _COMMON if planar is None else sorted(_COMMON, key=lambda names: names[2] != planar)
    found = (
        _common(common, lambda name, _: [each for each, form in zip(own, plain) if form == name])
        or _common(common, with_words)
        or _of_place(own, words)
    )
    if found is not None:
        return found
    raise KeyError(
        f"expected columns named longitude and latitude, found {', '.join(map(repr, own)) or 'none'}; "
        f"choose two columns with lon= and lat={hint(own)}"
    )


def hint(names: Iterable[Any]) -> str:
    """Returns advice about the first column that seems to hold both coordinates; an empty text if there is none."""
    for name in names:
        if _plain(name) in _PAIRS:
            return (
                f"; if {name!r} has both coordinates in one cell, such as '48.85, 2.35', split the column: "
                f"frame[['lat', 'lon']] = frame[{name!r}].str.split(',', expand=True).astype(float)"
            )
        if _plain(name) in _WELL_KNOWN_TEXT:
            return (
                f"; if {name!r} has points as text, such as 'POINT (2.35 48.85)', make a GeoDataFrame: "
                f"geopandas.GeoDataFrame(frame, geometry=geopandas.GeoSeries.from_wkt(frame[{name!r}]))"
            )
    return ""


def _common(common: Sequence[tuple[str, str, bool]], columns: Callable[[str, bool], list[Any]]) -> Found | None:
    """Returns the columns of the first pair of common names for which the table has both columns."""
    for x, y, is_planar in common:
        first, second = columns(x, is_planar), columns(y, is_planar)
        if first and second:
            return Found(_only(first, x, "lon"), _only(second, y, "lat"), is_planar=is_planar)
    return None


def _of_place(own: list[Any], words: list[list[str]]) -> Found | None:
    """Returns the coordinate columns of the only place in a table. Of several places, chooses the start of a
    journey."""

    def columns(axis: set[str]) -> list[tuple[list[str], Any]]:
        found = []
        for name, parts in zip(own, words):
            named = [part for part in parts if part not in _OF_DEGREES]
            place = [part for part in named if part not in axis]
            if place and len(place) == len(named) - 1 and _PLACES.issuperset(place):
                found.append((place, name))
        return found

    latitudes, pairs = columns(_LATITUDE), []
    for place, x in columns(_LONGITUDE):
        if same := [y for other, y in latitudes if other == place]:
            pairs.append((place, x, _only(same, f"{place[0]}_lat", "lat")))
    starts = pairs if len(pairs) == 1 else [pair for pair in pairs if not _STARTS.isdisjoint(pair[0])]
    if not pairs:
        return None
    if len(starts) != 1:
        there = ", ".join(f"{x!r} and {y!r}" for _, x, y in pairs)
        raise ValueError(f"expected one pair of coordinate columns, found {there}; choose one pair with lon= and lat=")
    place, x, y = starts[0]
    others = [f"{x!r} and {y!r}" for other, x, y in pairs if other != place]
    if not others:
        return Found(x, y)
    return Found(
        x, y, f"points are read from {x!r} and {y!r}, not from {others[0]}; lon= and lat= choose other columns"
    )


def _only(found: list[Any], name: str, option: str) -> Any:
    if len(found) > 1:
        raise ValueError(
            f"expected one column named {name}, found {' and '.join(map(repr, found))}; choose a column with {option}="
        )
    return found[0]


def _plain(name: Any) -> str:
    return re.sub("[_ -]", "", unicodedata.normalize("NFC", str(name)).lower())


def _words(name: Any) -> list[str]:
    """Returns the words of a name in lower case: `gps` and `latitude` for `GPSLatitude [°]` and for `gps_latitude`."""
    text, words = unicodedata.normalize("NFC", str(name)), [""]
    for at, character in enumerate(text):
        if character.isupper() and at > 0 and (not text[at - 1].isupper() or text[at + 1 : at + 2].islower()):
            words.append("")
        if character.isalnum():
            words[-1] += character.lower()
        else:
            words.append("")
    return [word for word in words if word]
