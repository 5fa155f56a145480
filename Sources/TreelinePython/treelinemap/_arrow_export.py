"""Exports numpy arrays as a stream of Arrow's C data interface, which polars, pyarrow, DuckDB and other packages
read."""

from __future__ import annotations

import ctypes
from collections.abc import Mapping
from ctypes import POINTER, c_void_p, pointer, py_object, pythonapi
from typing import Any, NamedTuple

import numpy as np

from . import _arrow as arrow
from . import _library as c
from . import _native
from ._arrays import AnyArray
from ._arrow import Array, Schema, Stream

_NULLABLE = 2

# The functions that release exports are in C, because exports are also released while an error is pending. ctypes
# cannot call Python functions then.
_release_schema, _release_array, _release_stream = (
    type(address)
    for type, address in zip((arrow.RELEASE_SCHEMA, arrow.RELEASE_ARRAY, arrow.RELEASE_STREAM), _native.releases)
)


class _Node(NamedTuple):
    """An array and its type, in the form that the interface needs."""

    format: bytes
    length: int
    buffers: list[AnyArray | None]
    null_count: int = 0
    children: tuple[tuple[str, _Node], ...] = ()
    is_nullable: bool = True


def stream(columns: Mapping[str, AnyArray], types: Mapping[str, int]) -> Any:
    """Returns a capsule with a stream that has a single batch. Numbers and times are not copied.

    :param types: The library's types of columns. The types of other columns depend on their values.
    """
    length = len(next(iter(columns.values()), ()))
    children = tuple((name, _node(values, types.get(name))) for name, values in columns.items())
    content = _Stream(_Node(b"+s", length, [None], children=children)).stream
    return _native.stream_capsule(ctypes.addressof(content), content)


class _Stream:
    def __init__(self, node: _Node) -> None:
        self.node, self.is_read = node, False
        calls = arrow.GET_SCHEMA(self._schema), arrow.GET_NEXT(self._next), arrow.GET_LAST_ERROR(lambda _: None)
        self.stream = Stream(*calls, _release_stream, _lend(self))

    def _schema(self, _: Any, place: Any) -> int:
        _fill_schema(place.contents, "", self.node)
        return 0

    def _next(self, _: Any, place: Any) -> int:
        if self.is_read:
            place.contents.release = type(place.contents.release)()
        else:
            _fill_array(place.contents, self.node)
        self.is_read = True
        return 0


def _node(values: AnyArray, type: int | None = None) -> _Node:
    length, kind = len(values), values.dtype.kind
    if kind == "f" and type == c.INTEGERS:
        valid = ~np.isnan(values)
        numbers = np.where(valid, values, 0).astype("<i8")
        return _Node(b"l", length, [_bits(valid), numbers], length - int(valid.sum()))
    if kind in "if":
        return _Node(b"l" if kind == "i" else b"g", length, [None, np.ascontiguousarray(values, f"<{kind}8")])
    if kind == "b":
        return _Node(b"b", length, [None, np.packbits(values, bitorder="little")])
    if kind == "M":
        valid, unit = ~np.isnat(values), np.datetime_data(values.dtype)[0]
        format = f"ts{unit[0]}:".encode()
        return _Node(format, length, [_bits(valid), np.ascontiguousarray(values)], length - int(valid.sum()))
    objects = values.tolist()
    if type == c.COUNTS or any(isinstance(value, dict) for value in objects):
        return _counts(objects)
    valid = np.array([value is not None for value in objects], bool)
    missing = length - int(valid.sum())
    if type == c.BOOLEANS or any(isinstance(value, bool) for value in objects):
        bits = np.packbits(np.array(objects, bool), bitorder="little")
        return _Node(b"b", length, [_bits(valid), bits], missing)
    if type == c.INTEGERS or any(isinstance(value, int) for value in objects):
        numbers = np.array([0 if value is None else value for value in objects], "<i8")
        return _Node(b"l", length, [_bits(valid), numbers], missing)
    return _texts(["" if value is None else value for value in objects], _bits(valid), missing)


def _bits(valid: AnyArray) -> AnyArray | None:
    return None if valid.all() else np.packbits(valid, bitorder="little")


def _texts(texts: list[str], valid: AnyArray | None = None, missing: int = 0, is_nullable: bool = True) -> _Node:
    parts = [text.encode() for text in texts]
    offsets = np.cumsum([0, *map(len, parts)], dtype="<i8")
    data = np.frombuffer(b"".join(parts) or b"\0", np.uint8)
    return _Node(b"U", len(texts), [valid, offsets, data], missing, is_nullable=is_nullable)


def _counts(counts: list[dict[str, int]]) -> _Node:
    """Returns an array of maps. Each map has the values of a dictionary, with the number of points of each value."""
    keys = _texts([key for row in counts for key in row], is_nullable=False)
    values = _node(np.array([count for row in counts for count in row.values()], "<i8"))
    entries = _Node(b"+s", keys.length, [None], children=(("key", keys), ("value", values)), is_nullable=False)
    offsets = np.cumsum([0, *map(len, counts)], dtype="<i4")
    return _Node(b"+m", len(counts), [None, offsets], children=(("entries", entries),))


def _lend(thing: Any) -> int:
    """Returns the address of an object. The object stays alive until the export with this address is released."""
    pythonapi.Py_IncRef(py_object(thing))
    return id(thing)


def _fill_schema(schema: Schema, name: str, node: _Node) -> None:
    children = [Schema() for _ in node.children]
    for child, (child_name, child_node) in zip(children, node.children):
        _fill_schema(child, child_name, child_node)
    places = (POINTER(Schema) * len(children))(*map(pointer, children))
    encoded = name.encode()
    schema.format, schema.name, schema.metadata = node.format, encoded, None
    schema.flags, schema.n_children = _NULLABLE if node.is_nullable else 0, len(children)
    schema.children, schema.dictionary = places, None
    schema.release = _release_schema
    schema.private_data = _lend((node, encoded, children, places))


def _fill_array(array: Array, node: _Node) -> None:
    children = [Array() for _ in node.children]
    for child, (_, child_node) in zip(children, node.children):
        _fill_array(child, child_node)
    places = (POINTER(Array) * len(children))(*map(pointer, children))
    addresses = [None if buffer is None else buffer.ctypes.data for buffer in node.buffers]
    buffers = (c_void_p * len(addresses))(*addresses)
    array.length, array.null_count, array.offset = node.length, node.null_count, 0
    array.n_buffers, array.n_children = len(addresses), len(children)
    array.buffers, array.children, array.dictionary = buffers, places, None
    array.release = _release_array
    array.private_data = _lend((node, children, places, buffers))
