"""Edits of trees. An edit inserts, removes and moves points, which are identified by their keys."""

from __future__ import annotations

import copy
import ctypes
import warnings
from collections.abc import Iterable, Set
from typing import Any, NamedTuple

import numpy as np

from . import _library as c
from ._arrays import AnyArray
from ._columns import input_columns, is_of_pandas, named_columns
from ._coordinates import coordinates
from ._errors import EditError
from ._input_column import InputColumn
from ._monitor import Monitor
from ._steps import column_array

#: Name of the column of keys in an edit, if the keys of the build had no name.
KEY = "key"


class Points(NamedTuple):
    """Points of an edit, in ascending order of their keys."""

    keys: AnyArray
    x: AnyArray
    y: AnyArray
    columns: dict[str, InputColumn]


class Editing:
    """Data about the points of a tree. A tree that can be edited keeps these data, which never change."""

    def __init__(
        self,
        keys: AnyArray,
        columns: list[InputColumn],
        options: str,
        *,
        key: str | None,
        names: tuple[Any, ...],
        is_planar: bool,
        known: frozenset[Any] = frozenset(),
        unsorted: tuple[AnyArray, AnyArray] | None = None,
    ) -> None:
        """
        :param keys: Key of each row.
        :param options: Options of the build.
        :param key: Name of the column of keys; None if the keys had no name.
        :param names: Names of the columns of coordinates, if the points of the build were a table.
        :param known: Names of all columns of this table, even of columns that the tree does not have.
        :param unsorted: All coordinates, if the rows are not in the order of their keys; otherwise None.
        """
        self.keys, self.columns, self.options, self.key = keys, columns, options, key
        self.names, self.is_planar, self.known, self.unsorted = names, is_planar, known, unsorted

    @classmethod
    def of(cls, keys: Any, x: AnyArray, y: AnyArray, columns: list[InputColumn], *others: Any, **named: Any) -> Editing:
        """Makes the data that a tree keeps after a build. Copies all arrays."""
        keys = key_array(keys)
        if len(keys) != len(x):
            raise ValueError(f"expected {len(x)} keys, one for each point, found {len(keys)}")
        order, is_sorted = _order(keys, "values")
        kept = [column.taking(np.arange(len(x))) for column in columns]
        return cls(keys, kept, *others, **named, unsorted=None if is_sorted else (np.array(x), np.array(y)))

    def updated(self, pointer: int, insert: Any, remove: Any, move: Any) -> tuple[int, Editing]:
        """Returns a pointer to the tree after an edit, and the data that the new tree keeps.

        :param pointer: Pointer to the tree before the edit.
        """
        if self.unsorted is not None:
            tree, editing = self._sorted()
            return editing.updated(tree.pointer, insert, remove, move)
        gone = self._removed(remove)
        moved, inserted = self._points("move", move), self._points("insert", insert)
        removed_rows, moved_rows = self._rows(gone), self._rows(moved.keys)
        _order(np.concatenate([gone, moved.keys, inserted.keys]) if len(self.keys) else inserted.keys, "edit")
        places = np.searchsorted(self.keys, inserted.keys)
        known = places < len(self.keys)
        known[known] = self.keys[places[known]] == inserted.keys[known]
        if known.any():
            key = _shown(inserted.keys[known.argmax()])
            raise EditError(f"expected a key that is not in the tree, found {key}; to change a point, pass it in move=")
        kept_places = places - np.searchsorted(removed_rows, places)
        inserted_rows = kept_places + np.arange(len(places))
        # For each row after the edit, `order` has the row before the edit. For a new point, it has the number of rows
        # before the edit plus the number of the point among the new points.
        order = np.insert(
            np.delete(np.arange(len(self.keys)), removed_rows), kept_places, len(self.keys) + np.arange(len(places))
        )
        columns = []
        for column in self.columns:
            if (new := moved.columns.get(column.name)) is not None and len(moved_rows):
                replaced = np.arange(len(self.keys))
                replaced[moved_rows] = len(self.keys) + np.arange(len(moved_rows))
                column = column.taking(replaced, new)
            columns.append(column.taking(order, inserted.columns.get(column.name)))
        keys = np.concatenate([self.keys, inserted.keys])[order] if len(self.keys) else inserted.keys
        after = copy.copy(self)
        after.keys, after.columns = keys, columns
        arrays = [rows.astype("<i8") for rows in (removed_rows, moved_rows, inserted_rows)]
        edit = c.Edit(
            arrays[0].ctypes.data, len(arrays[0]), arrays[1].ctypes.data, c.Points.of(moved.x, moved.y),
            arrays[2].ctypes.data, c.Points.of(inserted.x, inserted.y),
        )  # fmt: skip
        monitor = Monitor(None)
        arguments = (pointer, ctypes.byref(edit), *column_array(columns), monitor.reference)
        return monitor.run(lambda: c.call(c.update, *arguments)), after

    def _sorted(self) -> tuple[c.Handle, Editing]:
        """Builds a tree without columns. The rows of this tree are in the order of their keys."""
        assert self.unsorted is not None
        order, _ = _order(self.keys, "values")
        x, y = (array[order] for array in self.unsorted)
        points, monitor = c.Points.of(x, y), Monitor(None)
        arguments = (ctypes.byref(points), *column_array([]), self.options.encode(), monitor.reference)
        tree = c.Handle(monitor.run(lambda: c.call(c.build, *arguments)), c.tree_free)
        after = copy.copy(self)
        after.keys, after.unsorted = self.keys[order], None
        after.columns = [each.taking(order) for each in self.columns]
        return tree, after

    def _removed(self, remove: Any) -> AnyArray:
        if remove is None:
            return self.keys[:0]
        if isinstance(remove, str | bytes) or not isinstance(remove, Iterable):
            remove = [remove]
        return np.sort(self._alike(key_array(remove)))

    def _alike(self, keys: AnyArray) -> AnyArray:
        """Returns keys that can be compared with the keys of the tree."""
        if len(self.keys) and len(keys) and keys.dtype.kind != self.keys.dtype.kind:
            raise EditError(
                f"expected keys of the same type as the tree's key {_shown(self.keys[0])}, found {_shown(keys[0])}"
            )
        return keys.astype(self.keys.dtype) if len(self.keys) and not len(keys) else keys

    def _rows(self, keys: AnyArray) -> AnyArray:
        """Returns the row of each key."""
        rows = np.searchsorted(self.keys, keys)
        missing = rows >= len(self.keys)
        missing[~missing] = self.keys[rows[~missing]] != keys[~missing]
        if missing.any():
            raise EditError(f"no point of the tree has the key {_shown(keys[missing.argmax()])}")
        return rows

    def _points(self, verb: str, table: Any) -> Points:
        """Reads the points to move or to insert, and their keys, from a table."""
        if table is None:
            return Points(self._alike(key_array([])), np.empty(0), np.empty(0), {})
        named = named_columns(table)
        name = self.key if self.key is not None else KEY
        if name in named:
            keys = key_array(named[name])
        elif self.key is None and is_of_pandas(table):
            keys = key_array(table.index)
        else:
            there = ", ".join(map(repr, named)) or "none"
            raise KeyError(f"{verb}: there is no column {name!r} with the keys of points; columns: {there}")
        keys = self._alike(keys)
        names = self.names if self.names and all(each in named for each in self.names) else (None, None)
        try:
            found = coordinates(table, None, self.is_planar, names, key=name)
        except (KeyError, ValueError, TypeError) as error:
            raise type(error)(f"{verb}: {error.args[0]}") from None
        if found.note:
            warnings.warn(f"{verb}: {found.note}; give them names such as 'lon' and 'lat'", stacklevel=4)
        own = [column.name for column in self.columns]
        foreign = [each for each in found.table or () if each not in {*own, name, *found.own, *self.known}]
        if foreign:
            raise KeyError(
                f"{verb}: the tree has no column {', '.join(map(repr, foreign))}; leave out these values, or build the "
                f"tree again with them; columns: {', '.join(map(repr, own)) or 'none'}"
            )
        absent = [each for each in own if each not in named]
        if verb == "insert" and absent:
            raise KeyError(f"insert: there is no column {absent[0]!r}; new points need all columns of the tree")
        kinds = {column.name: column.kind for column in self.columns if column.kind and column.name in named}
        given = input_columns(table, [each for each in own if each in named], kinds, len(keys))
        if len(found.x) != len(keys):
            raise ValueError(f"{verb}: expected {len(found.x)} keys, one for each point, found {len(keys)}")
        order, _ = _order(keys, "edit")
        x, y = found.x[order], found.y[order]
        # A comparison with NaN is false, so NaN counts as invalid.
        width, height = (1e300, 1e300) if self.is_planar else (180, 90)
        invalid = ~((np.abs(x) <= width) & (np.abs(y) <= height))
        if invalid.any():
            at = int(invalid.argmax())
            what = "finite x and y" if self.is_planar else "a longitude from -180 to 180 and a latitude from -90 to 90"
            raise EditError(f"point {_shown(keys[order][at])}: expected {what}, found {x[at]}, {y[at]}")
        return Points(keys[order], x, y, {column.name: column.taking(order) for column in given})


def key_array(keys: Any) -> AnyArray:
    """Returns keys as an array of whole numbers, or as an array of Python objects that are texts."""
    if is_of_pandas(keys) and getattr(keys, "nlevels", 1) > 1:
        raise TypeError(
            "expected one key for each point, found a MultiIndex; pass one of its levels, such as "
            "index.get_level_values(0)"
        )
    if not hasattr(keys, "__len__") or isinstance(keys, Set):
        keys = list(keys)
    if not len(keys):
        return np.empty(0, "<i8")
    column = input_columns({KEY: keys}, None, {}, len(keys))[0]
    if not column.has_values.all():
        raise TypeError(f"expected a key for each point, found a missing key in row {int(column.has_values.argmin())}")
    if column.type == c.INTEGERS:
        return np.array(column.values)
    if column.type not in (c.TEXTS, c.CODES) or column.is_number:
        raise TypeError(f"expected keys that are texts or whole numbers, found {column.noun}")
    return np.array([text.decode(errors="replace") for text in column.texts() if text is not None], object)


def _shown(key: Any) -> str:
    """Returns a key in the notation of Python."""
    return repr(key.item() if isinstance(key, np.generic) else key)


def _order(keys: AnyArray, of: str) -> tuple[AnyArray, bool]:
    """Returns the order that sorts the keys, and whether they are already sorted.

    :raises EditError: If a key occurs twice.
    """
    if np.all(keys[1:] > keys[:-1]):
        return np.arange(len(keys)), True
    order = np.argsort(keys, kind="stable")
    ordered = keys[order]
    twice = np.flatnonzero(ordered[1:] == ordered[:-1])
    if len(twice):
        where = "expected each key once in an edit" if of == "edit" else "expected points with different keys"
        raise EditError(f"{where}, found {_shown(ordered[twice[0]])} twice")
    return order, False
