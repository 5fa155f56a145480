"""Declares the functions and types of the library, like `treeline.h`."""

from __future__ import annotations

import ctypes
import os
from ctypes import POINTER, Structure, c_bool, c_char_p, c_double, c_int, c_int64, c_size_t, c_ssize_t
from ctypes import c_uint64, c_void_p
from typing import Any, NoReturn

from ._errors import BY_KIND, Error, ParameterError
from ._version import version as _version

try:
    import treelinemap._native as _native
except ImportError as error:
    found = str(error)
    if error.name == f"{__package__}._native" and isinstance(error, ModuleNotFoundError):
        found = f"there is no file _native.abi3.so in {os.path.dirname(__file__)}"
    raise ImportError(
        f"treelinemap needs its extension _native, which cannot be loaded: {found}; install the wheel that "
        "scripts/build/wheel builds, or run scripts/build/python-native in the sources"
    ) from None


class Points(Structure):
    _fields_ = [("x", c_void_p), ("x_stride", c_ssize_t), ("y", c_void_p), ("y_stride", c_ssize_t), ("count", c_size_t)]

    @classmethod
    def of(cls, x: Any, y: Any) -> Points:
        """Makes points from two arrays of doubles. The arrays must live as long as the points."""
        # numpy gives an array of one entry an arbitrary stride.
        strides = [array.strides[0] if len(array) > 1 else 0 for array in (x, y)]
        return cls(x.ctypes.data, strides[0], y.ctypes.data, strides[1], len(x))


class Column(Structure):
    _fields_ = [
        ("name", c_char_p),
        ("kind", c_char_p),
        ("type", c_int),
        ("values", c_void_p),
        ("stride", c_ssize_t),
        ("validity", c_void_p),
        ("offsets", c_void_p),
        ("bytes", c_void_p),
        ("entry_count", c_size_t),
        ("units_per_second", c_int64),
    ]


class Edit(Structure):
    _fields_ = [
        ("removed", c_void_p),
        ("removed_count", c_size_t),
        ("moved", c_void_p),
        ("moved_points", Points),
        ("inserted", c_void_p),
        ("inserted_points", Points),
    ]


DOUBLES, INTEGERS, BOOLEANS, TEXTS, CODES, INSTANTS, COUNTS = range(1, 8)

Progress = ctypes.CFUNCTYPE(None, c_void_p, c_char_p, c_double)


class Monitor(Structure):
    _fields_ = [("progress", Progress), ("context", c_void_p), ("cancellation", c_void_p)]


class Description(Structure):
    _fields_ = [("title", c_char_p), ("attribution", c_char_p), ("unit", c_char_p)]


class Facts(Structure):
    _fields_ = [
        ("point_count", c_size_t),
        ("passing_point_count", c_size_t),
        ("clipped_point_count", c_size_t),
        ("has_separations", c_bool),
        ("has_badges", c_bool),
        ("is_planar", c_bool),
        ("west", c_double),
        ("south", c_double),
        ("east", c_double),
        ("north", c_double),
        ("growth", c_char_p),
        ("anchor", c_char_p),
        ("default_cut", c_char_p),
        ("title", c_char_p),
        ("attribution", c_char_p),
        ("unit", c_char_p),
    ]


class ExtentsArrays(Structure):
    _fields_ = [("count", c_size_t), ("start", c_void_p), ("others", c_void_p * 9)]


class Array(Structure):
    _fields_ = [
        ("type", c_int),
        ("values", c_void_p),
        ("validity", c_void_p),
        ("offsets", c_void_p),
        ("bytes", c_void_p),
        ("lists", c_void_p),
        ("units_per_second", c_int64),
    ]


_PATH = os.environ.get("TREELINE_LIBRARY") or os.path.join(os.path.dirname(__file__), "libTreelineC.so")
_REMEDY = "install the wheel that scripts/build/wheel builds, or set TREELINE_LIBRARY to the path of a library"

#: Slow functions release the interpreter's lock. All other functions keep the lock, because keeping it makes calls
#: faster.
try:
    _slow = ctypes.CDLL(_PATH)
    _quick = ctypes.PyDLL(_PATH)
except OSError as error:
    found = str(error) if os.path.exists(_PATH) else "there is no such file"
    raise ImportError(f"treelinemap needs its library, {_PATH}, which cannot be loaded: {found}; {_REMEDY}") from None


def _declare(library: ctypes.CDLL, name: str, result: Any, *arguments: Any) -> Any:
    try:
        function = getattr(library, "treeline_" + name)
    except AttributeError:
        message = (
            f"{_PATH}: expected the library of treelinemap {_version}, found a library without treeline_{name}; "
            f"{_REMEDY}"
        )
        raise ImportError(message) from None
    function.restype, function.argtypes = result, arguments
    return function


_text, _handle, _error = c_char_p, c_void_p, POINTER(c_void_p)

version = _declare(_quick, "version", _text)
error_get_kind = _declare(_quick, "error_get_kind", c_int, _handle)
error_message = _declare(_quick, "error_message", _text, _handle)
error_free = _declare(_quick, "error_free", None, _handle)
cancellation_create = _declare(_quick, "cancellation_create", _handle)
cancellation_cancel = _declare(_quick, "cancellation_cancel", None, _handle)
cancellation_free = _declare(_quick, "cancellation_free", None, _handle)
build = _declare(
    _slow, "build", _handle, POINTER(Points), POINTER(Column), c_size_t, _text, POINTER(Monitor), _error
)
update = _declare(
    _slow, "update", _handle, _handle, POINTER(Edit), POINTER(Column), c_size_t, POINTER(Monitor), _error
)
open = _declare(_slow, "open", _handle, _text, _error)
save = _declare(_slow, "save", c_bool, _handle, _text, POINTER(Description), c_bool, _error)
verify = _declare(_slow, "verify", _handle, _text, _error)
tree_free = _declare(_slow, "tree_free", None, _handle)
tree_facts = _declare(_slow, "tree_facts", None, _handle, POINTER(Facts))
tree_content_hash = _declare(_slow, "tree_content_hash", c_uint64, _handle)
tree_columns = _declare(_quick, "tree_columns", _handle, _handle)
tree_groups = _declare(_quick, "tree_groups", _handle, _handle)
select = _declare(_slow, "select", _handle, _handle, _text, _error)
select_rows = _declare(_slow, "select_rows", _handle, _handle, c_void_p, c_size_t, _error)
tree_index_of_row = _declare(_slow, "tree_index_of_row", c_int64, _handle, c_int64)
clusters = _declare(_slow, "clusters", _handle, _handle, _text, _handle, _error)
cut_create = _declare(_slow, "cut_create", _handle, _handle, _text, _error)
cut_free = _declare(_quick, "cut_free", None, _handle)
clusters_with_ids = _declare(_slow, "clusters_with_ids", _handle, _handle, c_void_p, c_size_t, _error)
children = _declare(_slow, "children", _handle, _handle, c_uint64, _error)
parent = _declare(_slow, "parent", _handle, _handle, c_uint64, _error)
root = _declare(_slow, "root", _handle, _handle, _error)
answer_extents = _declare(_slow, "answer_extents", None, _handle, POINTER(ExtentsArrays))
answer_find = _declare(_quick, "answer_find", c_int64, _handle, c_int64)
table_free = _declare(_quick, "table_free", None, _handle)
table_row_count = _declare(_quick, "table_row_count", c_size_t, _handle)
table_column_count = _declare(_quick, "table_column_count", c_size_t, _handle)
table_name = _declare(_quick, "table_name", _text, _handle, c_size_t)
table_column = _declare(_quick, "table_column", None, _handle, c_size_t, POINTER(Array))
aggregate = _declare(_slow, "aggregate", _handle, _handle, _text, _error)
answer_geojson = _declare(_slow, "answer_geojson", _handle, _handle, _text, _error)
transition_geojson = _declare(_slow, "transition_geojson", _handle, _handle, _handle, _text, _error)
members_geojson = _declare(
    _slow, "members_geojson", _handle, _handle, c_uint64, c_size_t, c_size_t, _text, _error
)
transition = _declare(_slow, "transition", _handle, _handle, _handle, _error)
members = _declare(_slow, "members", _handle, _handle, c_uint64, c_size_t, c_size_t, _error)
values = _declare(_slow, "values", _handle, _handle, _text, c_void_p, c_size_t, _error)
search = _declare(_slow, "search", _handle, _handle, _text, _text, c_size_t, _error)
hull = _declare(_slow, "hull", _handle, _handle, c_uint64, _error)
histogram = _declare(_slow, "histogram", _handle, _handle, _text, c_size_t, _text, POINTER(c_int64), _error)
expansion_zoom = _declare(_slow, "expansion_zoom", c_bool, _handle, c_uint64, _text, POINTER(c_double), _error)
unclustered_zoom = _declare(_slow, "unclustered_zoom", c_bool, _handle, c_int64, _text, POINTER(c_double), _error)
map_page = _declare(_slow, "map_page", _handle, _handle, _text, _text, _text, _error)
publish = _declare(_slow, "publish", c_bool, _handle, _text, _text, _text, c_bool, c_bool, _error)
bytes_start = _declare(_quick, "bytes_start", c_void_p, _handle, POINTER(c_size_t))
bytes_free = _declare(_quick, "bytes_free", None, _handle)


def bytes_of(handle: int) -> bytes:
    """Returns bytes that the library has made, and frees the library's copy."""
    count = c_size_t()
    found = ctypes.string_at(bytes_start(handle, ctypes.byref(count)), count.value)
    bytes_free(handle)
    return found


def error_of(place: c_void_p) -> Error:
    """Returns an exception for an error of the library, and frees the error."""
    handle = place.value
    kind, message = error_get_kind(handle), error_message(handle).decode()
    error_free(handle)
    found = BY_KIND.get(kind, Error)
    if found is ParameterError:
        # `for` is a keyword of Python, so the argument is named `supporting`.
        message = message.replace("'for'", "'supporting'")
    return found(message)


def _raise(pointer: int) -> NoReturn:
    raise error_of(c_void_p(pointer))


_native.bind(_slow._handle, _raise)


def call(function: Any, *arguments: Any) -> Any:
    """Calls a function of the library that may fail. Raises an error of the function as an exception."""
    error = c_void_p()
    result = function(*arguments, ctypes.byref(error))
    if error.value is not None:
        raise error_of(error)
    return result


class Handle:
    """A Python object that owns an object of the library. Deleting the Python object frees the object of the
    library."""

    __slots__ = ("pointer", "_free", "__weakref__")

    def __init__(self, pointer: int, free: Any) -> None:
        self.pointer, self._free = pointer, free

    def __del__(self) -> None:
        self._free(self.pointer)


def encoded(text: str) -> bytes:
    """Encodes a text for C. Refuses a text with a zero character, because C would end the text at this character."""
    if not isinstance(text, str):
        raise TypeError(f"expected a text, found {text!r}")
    if "\0" in text:
        raise ValueError(f"expected a text without a NUL character, found {text!r}")
    return text.encode()


def encoded_path(path: Any) -> bytes:
    """Encodes a path for C."""
    found = os.fsencode(path)
    if b"\0" in found:
        raise ValueError(f"expected a path without a NUL character, found {path!r}")
    return found


def encoded_if_any(text: str | None) -> bytes | None:
    """Encodes a text for C, or returns None."""
    return None if text is None else encoded(text)
