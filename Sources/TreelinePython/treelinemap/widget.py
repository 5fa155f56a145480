"""Shows a tree on a map in a notebook. Needs `anywidget`."""

from __future__ import annotations

import difflib
import functools
import gzip
import math
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any

import anywidget
import numpy as np
import traitlets

from ._answer import Cluster
from ._answers import Answers, Problem
from ._basemap import style_of
from ._columns import without_zone
from ._table import plain
from .page import FILES

if TYPE_CHECKING:
    from ._tree import Tree

#: Greatest height of a map, in pixels.
TALLEST = 16_384

#: Least zoom of a map.
LEAST_ZOOM = -4


class _Numbers(traitlets.List):  # type: ignore[type-arg]
    """A trait of whole numbers, given as a list or an array. An answer is converted to the ids of its clusters."""

    def validate(self, obj: Any, value: Any) -> Any:
        if isinstance(value, Iterable) and not isinstance(value, str | bytes):
            value = [part.id if isinstance(part, Cluster) else _plain(part) for part in value]
        return super().validate(obj, value)


def _plain(number: Any) -> Any:
    """Converts a numpy scalar to a Python object, which can be sent to the page."""
    return number.item() if isinstance(number, np.generic) else number


def _finite(number: Any) -> Any:
    found = _plain(number)
    if isinstance(found, bool) or not isinstance(found, int | float) or not math.isfinite(found):
        raise ValueError
    return found


def _number(text: str) -> int | float:
    return int(text) if text.lstrip("-").isdigit() else float(text)


def _instant(time: Any) -> Any:
    if isinstance(time, int | float):
        raise TypeError
    found = np.datetime64(time.rstrip("Z") if isinstance(time, str) else without_zone(time))
    if np.isnat(found):
        raise ValueError
    return found.astype("M8[us]")


class _Names(traitlets.List):  # type: ignore[type-arg]
    """A trait of names, given as a list. A single name is converted to a list."""

    def validate(self, obj: Any, value: Any) -> Any:
        return super().validate(obj, [value] if isinstance(value, str) else value)


class Map(anywidget.AnyWidget):
    """A map of a tree's clusters. The kernel answers the queries of the map.

    The link between map and traits works both ways. The map shows values that are set here, and actions of a user
    change the values here.

    - `view`: `center`, `zoom` and `bbox`. Setting a center, a zoom or a box moves the map. Zooms are for 256 px tiles,
      as in `Tree.clusters`.
    - `selected`: ids of clusters. Setting an answer sets the ids of its clusters. On the map, a click with Shift or
      Ctrl selects a cluster. `selected_rows`: rows of points. The map marks each cluster with a selected point.
    - `cut`: the cut of the tree, such as `{"spacing": 44}` or `{"limit": 100, "order": "widest-first"}`.
    - `where`: a filter in CQL2. If the tree has a filter, points must pass both filters.
    - `color`: a column of categories or booleans. Its values color the badges.
    - `histogram`: a column of numbers or times to show as a histogram. `brush`: the range that is chosen in the
      histogram, as two numbers or two `numpy.datetime64`; None for all values. Only points are counted whose value is
      at least the first number and below the second number.
    - `tooltip`: columns to show for the point under the pointer, and for the first points of a cluster. By default the
      names of points are shown. `title`: a name for the points.
    - `basemap`: the map below the badges. Give the address of a MapLibre style, the address of tiles such as
      `https://…/{z}/{x}/{y}.png`, a style as a dictionary, or a provider of xyzservices. By default land, lakes and
      borders from the package itself.
    """

    _worker: ThreadPoolExecutor | None = None
    #: Number of trees that the map showed before this tree.
    _shown_count = 0
    _esm = FILES / "widget.js"

    view = traitlets.Dict().tag(sync=True)
    selected = _Numbers(traitlets.Int()).tag(sync=True)
    selected_rows = _Numbers(traitlets.Int())
    cut = traitlets.Dict().tag(sync=True)
    where = traitlets.Unicode().tag(sync=True)
    color = traitlets.Unicode().tag(sync=True)
    histogram = traitlets.Unicode().tag(sync=True)
    brush = traitlets.Any(None)
    tooltip = _Names(traitlets.Unicode(), default_value=None, allow_none=True)
    title = traitlets.Unicode().tag(sync=True)
    basemap = traitlets.Any(None).tag(sync=True)
    height = traitlets.Int(480, min=120, max=TALLEST).tag(sync=True)
    _facts = traitlets.Dict().tag(sync=True)
    # In the page every widget already has a trait `tooltip`, which is a text. So this trait has another name in the
    # page.
    _tooltip = traitlets.List(traitlets.Unicode(), default_value=None, allow_none=True).tag(sync=True)
    _range = traitlets.Unicode().tag(sync=True)
    _selected_ranges = traitlets.List(traitlets.List(traitlets.Int())).tag(sync=True)

    def __init__(self, tree: Tree, **traits: Any) -> None:
        for name in traits:
            if not self.has_trait(name):
                there = [each for each in Map.class_own_traits() if not each.startswith("_")]
                near = difflib.get_close_matches(name, there, 1)
                meant = f"; did you mean {near[0]!r}?" if near else ""
                raise TypeError(
                    f"a map has no trait {name!r}; traits: {', '.join(map(repr, there))}{meant}"
                )
        self.tree = tree
        self._answers = Answers(tree)
        self._wanted: set[str] = set()
        # The worker answers requests one after another, on a separate thread. The worker skips requests that were
        # cancelled.
        self._worker = ThreadPoolExecutor(max_workers=1, thread_name_prefix="treeline-map")
        super().__init__(**{"cut": tree.default_cut, "title": tree.title, **traits}, _facts=self._answers.facts())
        self.on_msg(self._receive)

    # Traits

    @traitlets.validate("view")
    def _valid_view(self, proposal: Any) -> dict[str, Any]:
        view = dict(proposal["value"])
        lengths = {"center": 2, "bbox": 4}
        for name, value in view.items():
            try:
                numbers = [float(number) for number in (value if name in lengths else [value])]
            except (TypeError, ValueError):
                numbers = []
            if name not in ("center", "zoom", "bbox") or len(numbers) != lengths.get(name, 1):
                raise traitlets.TraitError(
                    f"expected a center of two numbers, a zoom or a bbox of four numbers, found {name}={value!r}"
                )
            if not all(map(math.isfinite, numbers)):
                raise traitlets.TraitError(f"expected finite numbers, found {name}={value!r}")
            latitudes = numbers[1::2] if name in lengths and not self.tree.is_planar else []
            if latitudes != sorted(latitudes) or any(abs(latitude) > 90 for latitude in latitudes):
                raise traitlets.TraitError(
                    f"expected latitudes from -90 to 90, and a box with south below north, found {name}={value!r}"
                )
            longitudes = numbers[::2] if name in lengths and not self.tree.is_planar else []
            if any(abs(longitude) > 360 for longitude in longitudes):
                raise traitlets.TraitError(f"expected longitudes from -360 to 360, found {name}={value!r}")
            # A narrow map can show the whole world at a zoom below 0.
            if name == "zoom" and not LEAST_ZOOM <= numbers[0] <= 32:
                raise traitlets.TraitError(f"expected a zoom from {LEAST_ZOOM} to 32, found {name}={value!r}")
            view[name] = numbers if name in lengths else numbers[0]
        return view

    @traitlets.validate("cut")
    def _valid_cut(self, proposal: Any) -> dict[str, Any]:
        cut = {name: _plain(value) for name, value in proposal["value"].items() if value is not None}
        criteria = self.tree._CRITERIA
        if len(cut.keys() & set(criteria)) != 1 or len(cut.keys() - {"order"}) != 1:
            names = f"{', '.join(criteria[:-1])} and {criteria[-1]}"
            raise traitlets.TraitError(f"expected one of {names}, optionally with an order, found {cut!r}")
        for name in cut.keys() - {"order"}:
            if isinstance(cut[name], bool) or not isinstance(cut[name], int | float):
                raise traitlets.TraitError(f"expected a number as {name}, found {cut[name]!r}")
        # Raises an error if the tree does not support this cut.
        self.tree.clusters(zoom=0, **cut)
        return cut

    @traitlets.validate("where")
    def _valid_where(self, proposal: Any) -> str:
        where = str(proposal["value"])
        if where:
            self.tree._narrowed(where)
        return where

    @traitlets.validate("selected")
    def _valid_selected(self, proposal: Any) -> list[int]:
        selected: list[int] = proposal["value"]
        self.tree.clusters_with_ids(selected)
        return selected

    @traitlets.validate("selected_rows")
    def _valid_selected_rows(self, proposal: Any) -> list[int]:
        rows: list[int] = proposal["value"]
        for row in rows:
            if self.tree.tree_index(row) is None:
                raise traitlets.TraitError(f"the tree has no row {row}")
        return rows

    def _column(self, trait: str, name: str, kinds: tuple[str, ...] = ()) -> str:
        """Returns the name of a column for a trait. Raises an error if the tree has no such column."""
        columns = self.tree.columns
        fitting = [each for each, kind in columns.items() if not kinds or kind in kinds]
        if name and name not in fitting:
            which = f"a column of kind {' or '.join(kinds)}" if kinds else "a column"
            there = ", ".join(map(repr, fitting)) or "none"
            raise traitlets.TraitError(f"expected {which} as {trait}, found {name!r}; suitable columns: {there}")
        return name

    @traitlets.validate("color")
    def _valid_color(self, proposal: Any) -> str:
        return self._column("color", proposal["value"], ("category", "boolean"))

    @traitlets.validate("tooltip")
    def _valid_tooltip(self, proposal: Any) -> list[str] | None:
        names: list[str] | None = proposal["value"]
        return names and [self._column("tooltip", name) for name in names]

    @traitlets.observe("tooltip")
    def _tooltip_chosen(self, _: Any) -> None:
        self._tooltip = self.tooltip

    @traitlets.validate("histogram")
    def _valid_histogram(self, proposal: Any) -> str:
        name = self._column("histogram", proposal["value"], ("number", "time"))
        if name != self.histogram:
            # The range of the brush has no meaning for another column.
            self.brush = None
        return name

    @traitlets.validate("brush")
    def _valid_brush(self, proposal: Any) -> tuple[Any, Any] | None:
        brush = proposal["value"]
        if brush is None:
            return None
        if not self.histogram:
            raise traitlets.TraitError(f"brush= is a range of a histogram; set histogram= first, found brush={brush!r}")
        try:
            low, high = map(_instant if self.tree.columns[self.histogram] == "time" else _finite, brush)
        except (TypeError, ValueError):
            low = high = None
        if low is None or not low < high:
            what = "times" if self.tree.columns[self.histogram] == "time" else "numbers"
            raise traitlets.TraitError(f"expected two {what}, the lesser first, found brush={brush!r}")
        return low, high

    @traitlets.validate("basemap")
    def _valid_basemap(self, proposal: Any) -> Any:
        try:
            return style_of(proposal["value"])
        except ValueError as error:
            raise traitlets.TraitError(str(error)) from None

    @traitlets.observe("brush")
    def _brushed(self, _: Any) -> None:
        ends = self.brush or ()
        texts = plain(np.array(ends)) if self._has_times else ends
        self._range = "..".join(map(str, texts))

    @traitlets.observe("_range")
    def _range_chosen(self, _: Any) -> None:
        ends = self._range.split("..") if self._range else []
        read = _instant if self._has_times else _number
        self.brush = tuple(map(read, ends)) or None

    @property
    def _has_times(self) -> bool:
        return bool(self.histogram) and self.tree.columns[self.histogram] == "time"

    @traitlets.observe("selected", "selected_rows")
    def _select(self, _: Any) -> None:
        ranges = []
        for cluster in self.selected:
            answer = self.tree.clusters_with_ids([cluster])
            ranges.append([int(answer.first[0]), int(answer.end[0])])
        for row in self.selected_rows:
            index = self.tree.tree_index(row)
            if index is not None:
                ranges.append([index, index + 1])
        self._selected_ranges = ranges

    def show(self, tree: Tree) -> None:
        """Shows another tree instead of the current tree, such as the tree after an edit.

        The view, the cut, the filter and the colors do not change. If both trees have keys, selected points stay
        selected.

        >>> map.show(map.tree.updating(move=fleet))                     # doctest: +SKIP

        :raises ValueError: If the tree cannot be shown: only one of the two trees has plain x and y, or the new tree
            lacks a column that the map uses, or does not support the cut. The map then does not change.
        """
        if tree.is_planar != self.tree.is_planar:
            kinds = ("longitudes and latitudes", "plain x and y")
            raise ValueError(
                f"expected {kinds[self.tree.is_planar]}, as in the previous tree, found {kinds[tree.is_planar]}"
            )
        tree.clusters(zoom=0, **self.cut)
        if self.where:
            tree._narrowed(self.where)
        for name in filter(None, [self.color, self.histogram, *(self.tooltip or [])]):
            if tree.columns.get(name) != self.tree.columns.get(name):
                raise ValueError(f"expected a tree with the column {name!r}, which the map uses, found {tree!r}")
        rows: list[int] = []
        before, after = self.tree.keys, tree.keys
        if self.selected_rows and before is not None and after is not None and before.dtype == after.dtype:
            rows = np.flatnonzero(np.isin(after, before[self.selected_rows])).tolist()
        self._shown_count += 1
        self.tree, self._answers = tree, Answers(tree, self._shown_count)
        self.selected = []
        self.selected_rows = rows
        # The page requests the new facts when an answer says that the tree was replaced.
        self._facts = self._answers.facts()

    def __repr__(self) -> str:
        return f"A map of {self.tree!r}"

    # Messages

    def _receive(self, _: Any, message: dict[str, Any], __: Any) -> None:
        if "cancel" in message:
            self._wanted.discard(message["cancel"])
        elif message.get("verb") == "assets":
            self.send({"id": message["id"]}, assets())
        else:
            self._wanted.add(message["id"])
            assert self._worker is not None
            self._worker.submit(self._reply, **message)

    def _reply(self, id: str, verb: str, **arguments: Any) -> None:
        if id not in self._wanted:
            return
        self._wanted.discard(id)
        try:
            answer = self._answers.answer(verb, **arguments)
        except Problem as problem:
            self.send({"id": id, "problem": {"status": problem.status, "message": str(problem)}})
        except Exception as error:  # The map reports the error, because no other code would report it.
            self.send({"id": id, "problem": {"status": 500, "message": str(error)}})
        else:
            self.send({"id": id}, [answer])

    def close(self) -> None:
        # If the creation of a map fails, it has no worker.
        if self._worker is not None:
            self._worker.shutdown(wait=False, cancel_futures=True)
        super().close()


@functools.cache
def assets() -> list[bytes]:
    """Returns the land and the map library, both compressed. A page receives each of the two files only once."""
    library = gzip.compress((FILES / "library.js").read_bytes(), 6, mtime=0)
    return [(FILES / "assets.json.gz").read_bytes(), library]
