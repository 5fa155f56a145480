"""Finds the columns of coordinates in a table by their names, like the command-line tool."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

#: Names of longitudes and latitudes in order of preference, in lower case and without `_`, `-` and spaces.
_DEGREES = [
    ("longitude", "latitude"), ("lon", "lat"), ("lng", "lat"), ("long", "lat"), ("decimallongitude", "decimallatitude"),
    ("longitude", "lat"), ("lon", "latitude"), ("lng", "latitude"), ("long", "latitude"), ("stoplon", "stoplat"),
    ("startlng", "startlat"), ("startlon", "startlat"), ("länge", "breite"), ("laenge", "breite"),
    ("längengrad", "breitengrad"), ("laengengrad", "breitengrad"),
]  # fmt: skip

#: Names of plain x and y.
_PLAIN = [("x", "y"), ("easting", "northing"), ("eastings", "northings")]

#: Words that may be next to a name without changing its meaning.
_NEUTRAL = set(
    "coord coords coordinate coordinates gps in position º 84 4326 dd decdeg decimal deg degree degrees epsg etrs89 "
    "geo nad83 wgs wgs84 m meter meters metre metres".split()
)


class Found(NamedTuple):
    """Two columns of coordinates."""

    x: Any
    y: Any
    #: A guess about the columns that may be wrong; empty if there is none.
    note: str = ""


def coordinate_columns(names: Iterable[Any], planar: bool) -> Found:
    """Finds the columns of longitudes and latitudes, or of x and y, by their names.

    :param planar: Whether coordinates are plain x and y.
    :raises KeyError: If no names are known.
    """
    own = [*names]
    plain, without_words = ({name: form(name) for name in own} for form in (_plain, _without_neutral_words))
    for spelled in (plain, without_words):
        for pairs in (_PLAIN, _DEGREES) if planar else (_DEGREES, _PLAIN):
            for x, y in pairs:
                if x in spelled.values() and y in spelled.values():
                    found = Found(_only(spelled, x, "lon"), _only(spelled, y, "lat"))
                    is_doubtful = pairs is _PLAIN and not planar
                    note = f"{found.x!r} and {found.y!r} are taken for longitudes and latitudes; for a plain plane use "
                    return found._replace(note=note + "planar=True") if is_doubtful else found
    raise KeyError(
        f"expected columns named longitude and latitude, found {', '.join(map(repr, own)) or 'none'}; name them with "
        "lon= and lat="
    )


def _only(spelled: Mapping[Any, str], name: str, option: str) -> Any:
    found = [own for own, form in spelled.items() if form == name]
    if len(found) > 1:
        raise ValueError(
            f"expected one column named {name}, found {' and '.join(map(repr, found))}; name it with {option}="
        )
    return found[0]


def _plain(name: Any) -> str:
    return re.sub("[_ -]", "", unicodedata.normalize("NFC", str(name)).lower())


def _without_neutral_words(name: Any) -> str:
    """Returns the words of a name that have a meaning: only `latitude` for `GPSLatitude [°]` and for `gps_latitude`."""
    text, words = unicodedata.normalize("NFC", str(name)), [""]
    for at, character in enumerate(text):
        if character.isupper() and at > 0 and (not text[at - 1].isupper() or text[at + 1 : at + 2].islower()):
            words.append("")
        if character.isalnum():
            words[-1] += character.lower()
        else:
            words.append("")
    return " ".join(word for word in words if word and word not in _NEUTRAL)
