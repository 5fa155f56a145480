"""Trees: opening, querying, editing and saving them."""

from __future__ import annotations

import ctypes
import functools
import itertools
import os
import pathlib
import re
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal, Union

import numpy as np

from . import _library as c
from ._answer import Cluster, Clusters
from ._arrays import AnyArray, required
from ._columns import mask_of
from ._errors import EditError, FilterError, QueryError
from ._parameters import integer, integers, listed, text
from ._table import Table

if TYPE_CHECKING:
    from ._edits import Editing
    from .widget import Map

Path = Union[str, "os.PathLike[str]"]

#: Number of prepared filters that a tree keeps. A tree keeps the filters that were prepared last.
_KEPT_FILTERS = 8

#: Greatest number of columns that the text form of a tree names.
_SHOWN_COLUMNS = 10

#: Number of prepared cuts that a tree keeps.
_KEPT_CUTS = 64

_NOTHING = (None,) * 6

_clusters_in_box = Clusters._in_box


class Tree:
    """The hierarchy over some points. Any number of threads may query it.

    Created by `build` and `open`.
    """

    #: Names of the criteria of cuts. A cut has one of them.
    _CRITERIA = ("spacing", "badges", "detail", "limit")

    #: Names of the parameters of a cut.
    _CUT = (*_CRITERIA, "order", "min_points", "alone_from_zoom", "position", "keep_visible", "continuing")

    def __init__(
        self, pointer: int, like: Tree | None = None, *, where: str | None = None, marks: AnyArray | None = None
    ) -> None:
        """
        :param like: A tree over the same points, with or without a filter; None for a new tree.
        :param where: The filter in CQL2.
        :param marks: One bit for each row: whether the mask selects the row. None if the tree has no mask.
        """
        self._handle = c.Handle(pointer, c.tree_free)
        self._where, self._marks = where, marks
        # Keeps only the handle of the tree without a mask. The tree without a mask keeps this tree. If this tree also
        # kept the tree without a mask, neither tree could be freed.
        self._unmarked: c.Handle = self._handle if like is None or marks is None else like._unmarked
        #: Number of rows that the tree was built from; None if the tree was opened from an index.
        self._given_row_count: int | None = None if like is None else like._given_row_count
        #: Data for edits; None if the tree cannot be edited.
        self._editing: Editing | None = None if like is None else like._editing
        #: Name of the file that the tree was opened from, without its extension; empty for other trees.
        self._name: str = "" if like is None else like._name
        self._filtered: dict[str, Tree] = {}
        self._cuts: dict[tuple[Any, ...], c.Handle] = {}
        self._facts = c.Facts()
        c.tree_facts(pointer, ctypes.byref(self._facts))

    # MARK: Properties

    def __len__(self) -> int:
        """Returns the number of points. Under a filter, counts only the points that pass."""
        count: int = self._facts.passing_point_count
        return count

    def __bool__(self) -> bool:
        return True

    @property
    def point_count(self) -> int:
        """Number of points, including points that fail the filter."""
        count: int = self._facts.point_count
        return count

    @functools.cached_property
    def row_count(self) -> int:
        """Number of rows of the input. For an opened index, the greatest row number plus 1."""
        if self._given_row_count is not None:
            return self._given_row_count
        answer = self.select(None)._coarsest()
        members = [answer.tree.members(cluster)["row"] for cluster in answer if cluster.count > 1]
        return 1 + max(int(rows.max(initial=-1)) for rows in (answer.row, *members))

    @property
    def clipped_point_count(self) -> int:
        """Number of points beyond Web Mercator's greatest latitude, which were moved to this latitude."""
        count: int = self._facts.clipped_point_count
        return count

    @property
    def bounds(self) -> tuple[float, float, float, float]:
        """West, south, east and north of the points. Across the antimeridian, west is greater than east."""
        facts = self._facts
        return facts.west, facts.south, facts.east, facts.north

    @property
    def is_planar(self) -> bool:
        """Whether coordinates are plain x and y."""
        return bool(self._facts.is_planar)

    @functools.cached_property
    def _unit_length(self) -> float:
        """Length of a unit of a plain plane. The square around all points is 2^32 - 1 units wide and high."""
        west, south, east, north = self.select(None).bounds
        return max(east - west, north - south) / (2**32 - 1)

    @property
    def has_separations(self) -> bool:
        """Whether the tree supports cuts with `spacing`."""
        return bool(self._facts.has_separations)

    @property
    def has_badges(self) -> bool:
        """Whether the tree supports cuts with `badges`."""
        return bool(self._facts.has_badges)

    @property
    def default_cut(self) -> dict[str, int]:
        """Default cut of a map of the tree: `badges`, `spacing`, `detail` or `limit`, with its number."""
        name, _, number = str(self._facts.default_cut, "utf-8").partition("=")
        return {name: int(number)}

    @property
    def growth(self) -> str:
        """How the tree was made, such as `least-scatter` or `merge:distance`."""
        return str(self._facts.growth, "utf-8")

    @property
    def anchor(self) -> str:
        """Where clusters are shown: `mean` for the mean of their points, `member` for one of their points."""
        return str(self._facts.anchor, "utf-8")

    @property
    def title(self) -> str:
        """Title of the data set, from the index."""
        return str(self._facts.title, "utf-8")

    @property
    def attribution(self) -> str:
        """Source of the data, from the index."""
        return str(self._facts.attribution, "utf-8")

    @property
    def unit(self) -> str:
        """Unit of plain coordinates, from the index."""
        return str(self._facts.unit, "utf-8")

    @property
    def columns(self) -> dict[str, str]:
        """Kind of each column, by name."""
        table = Table._of(c.tree_columns(self._handle.pointer))
        return dict(zip(table["name"].tolist(), table["kind"].tolist()))

    @functools.cached_property
    def groups(self) -> Table:
        """The groups that never mix. A group has a `name`. The points of a group have the tree indices from `first` to
        `end` - 1."""
        return Table._of(c.tree_groups(self._handle.pointer))

    @property
    def content_hash(self) -> int:
        """A hash of the hierarchy. The order of the points does not change it."""
        hash: int = c.tree_content_hash(self._handle.pointer)
        return hash

    def __repr__(self) -> str:
        passing = f" of {self.point_count}" if len(self) < self.point_count else ""
        names = list(self.columns)
        more = f" and {len(names) - _SHOWN_COLUMNS} more" if len(names) > _SHOWN_COLUMNS else ""
        columns = f", columns {', '.join(names[:_SHOWN_COLUMNS])}{more}" if names else ""
        return f"<treelinemap.Tree of {len(self)}{passing} points, {self.growth}{columns}>"

    # MARK: Queries

    def clusters(
        self,
        bbox: Sequence[float] | None = None,
        zoom: float | None = None,
        *,
        center: Sequence[float] | None = None,
        width: float | None = None,
        height: float | None = None,
        tile: Sequence[int] | None = None,
        tile_size: Literal[256, 512] | None = None,
        margin: float | None = None,
        limit: int | None = None,
        order: Literal["breadth-first", "widest-first", "steepest-first"] | None = None,
        detail: float | None = None,
        spacing: float | None = None,
        badges: float | None = None,
        min_points: int | None = None,
        alone_from_zoom: float | None = None,
        position: Literal["mean", "member"] | None = None,
        keep_visible: bool | None = None,
        after: Clusters | None = None,
        where: str | None = None,
        aggregate: str | Iterable[str] | None = None,
    ) -> Clusters:
        """Returns clusters that represent the points in view, in tree order.

        Where to look:

        :param bbox: West, south, east and north. Across the antimeridian, west is greater than east. By default, the
            whole tree.
        :param zoom: Zoom of 256 px tiles, which may be fractional. Cuts in pixels need a zoom.
        :param center: Longitude and latitude of the middle of a screen. Needs `zoom`, `width` and `height`.
        :param tile: Zoom, column and row of a map tile.
        :param tile_size: Size of the tiles to which the zoom refers, 256 or 512.
        :param margin: Width of a margin around the view that counts as part of the view, in pixels.

        How finely points are split into clusters. Give one of the following parameters:

        :param limit: Greatest number of clusters, by default 100. A limit may be combined with a cut in pixels.
        :param detail: Root mean square distance of points from the mean of their cluster, in pixels.
        :param spacing: Least distance between clusters, in pixels.
        :param badges: Scale of badges; 1 is full size. No two badges touch. Only for a tree that was grown for badges.

        Other options:

        :param order: Which clusters a cut by a limit splits first.
        :param min_points: A cluster with fewer points is shown as single points.
        :param alone_from_zoom: From this zoom on, every point is shown unclustered.
        :param position: Shows clusters at the mean of their points, or at the member nearest to the mean.
        :param keep_visible: Whether a cluster whose position is out of view is shown at one of its members in view.
        :param after: The answer that was shown before. With a limit, the new answer keeps as many clusters of `after`
            as possible.
        :param where: A filter in CQL2, such as `"kind = 'hotel' AND price < 120"`. If the tree already has a filter,
            points must pass both filters.
        :param aggregate: Aggregates for each cluster from the values of its points, such as `["mean(price)", "top(kind,
            3)"]`. `first(name, by: population)` is the name of the point with the greatest population, and `first(id,
            by: population)` is the id of the same point.
        :raises Error: If the library reports an error.
        """
        tree = self if where is None else self._narrowed(where)
        if after is not None and not isinstance(after, Clusters):
            raise TypeError(f"expected 'after' to be an answer of type Clusters, found {after!r}")
        key = (
            spacing, badges, detail, limit, order, min_points, alone_from_zoom, position, keep_visible,
            None if after is None else True,
        )  # fmt: skip
        answer = None
        if bbox is not None and zoom is not None and (center, width, height, tile, tile_size, margin) == _NOTHING:
            # While a map moves, all its queries have the same cut. So the text of the cut is read only once.
            try:
                if len(bbox) == 4:
                    cut = self._cuts.get(key) or self._cut(key)
                    answer = _clusters_in_box(tree._handle.pointer, cut.pointer, bbox, zoom, after)
                    answer._tree = tree
            except (TypeError, OverflowError):
                # Other kinds of boxes, numbers given as texts and huge numbers are left to the call below. That call
                # reports errors.
                pass
        if answer is None:
            view = text(
                bbox=bbox, zoom=zoom, center=center, width=width, height=height, tile=tile, tile_size=tile_size,
                margin=margin,
            )  # fmt: skip
            previous = None if after is None else after._pointer
            query = (view + text(**dict(zip(self._CUT, key)))).encode()
            answer = Clusters(tree, c.call(c.clusters, tree._handle.pointer, query, previous))
        if aggregate is not None:
            aggregates = list(listed("aggregate", aggregate))
            answer._values, answer._aggregates = answer.aggregate(*aggregates), ", ".join(aggregates)
        return answer

    def _cut(self, key: tuple[Any, ...]) -> c.Handle:
        """Returns a prepared cut, and keeps it for later queries."""
        pointer = c.call(c.cut_create, self._handle.pointer, text(**dict(zip(self._CUT, key))).encode())
        if len(self._cuts) >= _KEPT_CUTS:
            self._cuts.clear()
        cut = self._cuts[key] = c.Handle(pointer, c.cut_free)
        return cut

    def select(self, where: str | Any | None) -> Tree:
        """Returns the tree of the selected points.

        The selection replaces the filter of the tree. Select `a & b` to combine two masks, and `"a AND b"` to combine
        two filters. Ids and tree indices do not change. The tree keeps the last few filters prepared.

        :param where: A filter in CQL2, or a mask. A mask has True or False for each row of the input. The mask is a
            list, or an array of booleans from numpy, pandas, polars or pyarrow. None for all points.
        """
        if where is None:
            return Tree(c.call(c.select, self._unmarked.pointer, None), self) if self._is_filtered else self
        if not isinstance(where, str):
            return self._marked(where)
        return self._prepared(where) if self._marks is None else self.select(None).select(where)

    @property
    def _is_filtered(self) -> bool:
        return self._where is not None or self._marks is not None

    def _marked(self, mask: Any) -> Tree:
        marks, given = mask_of(mask), self._given_row_count
        if len(marks) != given if given is not None else len(marks) < self.row_count:
            least = "" if given is not None else "at least "
            raise ValueError(
                f"expected a mask of {least}{self.row_count} entries, one for each row of the input, found {len(marks)}"
            )
        pointer = c.call(c.select_rows, self._unmarked.pointer, marks.ctypes.data, len(marks))
        return Tree(pointer, self, marks=np.packbits(marks))

    def _coarsest(self) -> Clusters:
        """Returns an answer with all points and the fewest possible clusters."""
        sizes = self.groups["end"] - self.groups["first"]
        lone = self.point_count - int(sizes.sum()) if len(sizes) else 0
        return self.clusters(limit=max(len(sizes) + lone, 1))

    def _prepared(self, where: str) -> Tree:
        """Returns the tree of the points that pass a filter. If this tree has a mask, the mask still applies."""
        tree = self._filtered.get(where)
        if tree is None:
            # A tree with a similar filter makes computing a filter faster. Other threads may add and remove filters, so
            # the filters are copied to a list in one step.
            like = [self, *self._filtered.values()][-1]
            pointer = c.call(c.select, like._handle.pointer, c.encoded(where))
            tree = self._filtered[where] = Tree(pointer, self, where=where, marks=self._marks)
            for old in [*self._filtered][:-_KEPT_FILTERS]:
                self._filtered.pop(old, None)
        return tree

    def _narrowed(self, where: str) -> Tree:
        """Returns the tree of the points that pass the filter of this tree and another filter."""
        if not isinstance(where, str):
            raise TypeError(
                f"expected a filter in CQL2 as where=, found a value of type {type(where).__name__}; a mask selects "
                "points with select(mask)"
            )
        if self._where is None:
            return self._prepared(where)
        both = f"({self._where}) AND ({where})"
        try:
            if not _is_closed(where):
                raise FilterError("a parenthesis or a quote of the filter is not closed")
            return self._prepared(both)
        except FilterError:
            # Reads only the given filter, so that the error does not show the filter of the tree.
            self._prepared(where)
            raise

    def clusters_with_ids(self, ids: Iterable[Cluster | int]) -> Clusters:
        """Returns an answer with the given clusters, in tree order. A cluster may be given by its id."""
        array = np.fromiter((_id(cluster) for cluster in ids), np.uint64)
        return Clusters(self, c.call(c.clusters_with_ids, self._handle.pointer, array.ctypes.data, len(array)))

    def root(self) -> Clusters:
        """Returns an answer with the cluster of all points. The answer is empty if there are no points.

        :raises QueryError: If the tree has groups, because no cluster has the points of several groups.
        """
        if len(self.groups["name"]):
            raise QueryError("a tree with groups has no root, because each group has its own clusters; see Tree.groups")
        return Clusters(self, c.call(c.root, self._handle.pointer))

    def children(self, cluster: Cluster | int) -> Clusters:
        """Returns the two parts of a cluster. Returns an empty answer if all points of the cluster have one
        position."""
        return Clusters(self, c.call(c.children, self._handle.pointer, _id(cluster)))

    def parent(self, cluster: Cluster | int) -> Clusters:
        """Returns an answer with the parent of a cluster. The answer is empty for the root."""
        return Clusters(self, c.call(c.parent, self._handle.pointer, _id(cluster)))

    def members(self, cluster: Cluster | int, *, offset: int = 0, limit: int | None = None) -> Table:
        """Returns a page of a cluster's points that pass the filter: `row`, `tree_index`, `x` and `y`, in tree
        order."""
        count = self.point_count
        first = min(integer("offset", offset, most=2**64), count)
        most = count if limit is None else min(integer("limit", limit, most=2**64), count)
        return Table._of(c.call(c.members, self._handle.pointer, _id(cluster), first, most))

    def values(self, column: str, tree_indices: Iterable[int] | AnyArray) -> AnyArray:
        """Returns the values of a column for points with the given tree indices.

        Whole numbers are exact. If no number is missing, the type is `int64`. Otherwise the numbers are floats with
        NaN. If floats cannot hold all numbers exactly, they are objects with `None`.
        """
        indices = integers("tree_indices", tree_indices)
        name = c.encoded(column)
        table = Table._of(c.call(c.values, self._handle.pointer, name, indices.ctypes.data, len(indices)))
        return next(iter(table.values()))

    def search(self, beginning: str, limit: int = 10, *, column: str | None = None) -> Table:
        """Returns the points whose value in a column begins with `beginning`, then the points with a later word that
        begins with `beginning`. Each point has `row`, `tree_index`, `x`, `y` and `text`, its value in the column. Case,
        accents and punctuation do not matter. The filter of the tree has no effect.

        :param column: A column whose kind was given with `+search`. By default the first column with `+search`.
        :raises QueryError: If the tree has no such column.
        """
        most = min(integer("limit", limit, most=2**64), self.point_count)
        return Table._of(
            c.call(c.search, self._handle.pointer, c.encoded(beginning), c.encoded_if_any(column), most)
        )

    def hull(self, cluster: Cluster | int) -> AnyArray:
        """Returns the convex hull of a cluster's points: x and y of each corner, counterclockwise on the
        map."""
        table = Table._of(c.call(c.hull, self._handle.pointer, _id(cluster)))
        return np.column_stack([table["x"], table["y"]])

    def histogram(
        self, column: str, *, bins: int = 50, bbox: Sequence[float] | None = None, zoom: float | None = None
    ) -> Table:
        """Counts the points in view by the values of a column. Returns bins, each with `from`, `to` and `count`.

        Bins begin at round values. The bins are the same for all views and filters.
        """
        view = text(bbox=bbox, zoom=zoom).encode()
        pointer, number = self._handle.pointer, integer("bins", bins)
        return Table._of(c.call(c.histogram, pointer, c.encoded(column), number, view, None))

    def expansion_zoom(self, cluster: Cluster | int, **cut: Any) -> float | None:
        """Returns the least zoom at which a cut in pixels, such as `spacing=44`, splits a cluster; None if no zoom
        splits it."""
        zoom = ctypes.c_double()
        c.call(c.expansion_zoom, self._handle.pointer, _id(cluster), text(**cut).encode(), ctypes.byref(zoom))
        return None if np.isnan(zoom.value) else zoom.value

    def unclustered_zoom(self, tree_index: int, **cut: Any) -> float | None:
        """Returns the zoom from which a cut in pixels shows a point unclustered; None if every zoom shows it in a
        cluster. The point is given by its tree index."""
        zoom = ctypes.c_double()
        index = integer("tree_index", tree_index)
        c.call(c.unclustered_zoom, self._handle.pointer, index, text(**cut).encode(), ctypes.byref(zoom))
        return None if np.isnan(zoom.value) else zoom.value

    def tree_index(self, row: int) -> int | None:
        """Returns the tree index of a row; None if the tree does not have the row. Takes time proportional to the
        number of points."""
        index: int = c.tree_index_of_row(self._handle.pointer, integer("row", row, least=-(2**63)))
        return index if index >= 0 else None

    # MARK: Maps

    def map(
        self,
        *,
        view: Mapping[str, Any] | None = None,
        cut: Mapping[str, Any] | None = None,
        where: str | None = None,
        color: str | None = None,
        histogram: str | None = None,
        brush: Sequence[Any] | None = None,
        tooltip: str | Sequence[str] | None = None,
        selected: Iterable[Cluster | int] | None = None,
        selected_rows: Iterable[int] | None = None,
        title: str | None = None,
        basemap: Any = None,
        height: int | None = None,
        **others: Any,
    ) -> Map:
        """Returns a map of the clusters for a notebook; see `treelinemap.widget.Map` for its traits.

        A trait that is None gets its default value. `others` are traits that all widgets have, such as `layout`.

        >>> map = tree.map(cut={"limit": 50}, color="kind", tooltip=["name", "price"])    # doctest: +SKIP
        >>> map.view["bbox"], map.selected                              # doctest: +SKIP
        """
        required("anywidget")
        from .widget import Map

        traits = {
            "view": view, "cut": cut, "where": where, "color": color, "histogram": histogram, "brush": brush,
            "tooltip": tooltip, "selected": selected, "selected_rows": selected_rows, "title": title,
            "basemap": basemap, "height": height,
        }  # fmt: skip
        return Map(self, **{name: value for name, value in traits.items() if value is not None}, **others)

    def _repr_mimebundle_(self, **options: Any) -> Any:
        """Shows the tree as a map in a notebook."""
        try:
            return self.map()._repr_mimebundle_(**options)
        except (ImportError, ValueError):
            return {"text/plain": repr(self)}

    def to_html(self, path: Path | None = None, *, title: str | None = None, basemap: Any = None) -> str | None:
        """Writes a map as a standalone page, or returns the page as a text. The page needs no server and no other
        files. `treelinemap map` writes the same page.

        The page contains all points and columns. A user of the page can filter points, color points by a column and sum
        columns. Raises an error if the tree has groups or a filter, and if the page would have more than 20 MB.

        :param path: Path of the page. If it is None, the HTML is returned.
        :param title: Title of the map. By default the title of the tree or the name of its file.
        :param basemap: The map below the badges, as in `treelinemap.widget.Map`. A basemap with an address is loaded
            from this address.
        :raises PageError: If the tree cannot be written as a page.
        """
        from .page import to_html

        return to_html(self, path, title=title, basemap=basemap)

    def publish(
        self, folder: Path, *, title: str | None = None, single_file: bool = False, remove_old: bool = False
    ) -> None:
        """Writes a folder for any host of static files. Browsers answer queries from the files of the folder, without a
        server. The folder has a map, `index.html`. `treelinemap publish` writes the same folder.

        Raises an error if the tree has groups or a filter.

        :param folder: The folder to write, which is created if it does not exist.
        :param title: Title of the page. By default the title of the tree or the name of its file.
        :param single_file: Whether to write all pages to one file, for hosts that answer requests for ranges of bytes.
        :param remove_old: Whether to remove pages of earlier versions. Maps that are open in browsers may still need
            the old pages.
        :raises PageError: If the tree cannot be published.
        """
        from .page import publish

        publish(self, folder, title=title, single_file=single_file, remove_old=remove_old)

    # MARK: Edits

    @property
    def keys(self) -> AnyArray | None:
        """Key of each row, if the tree was built with `key=`; otherwise None."""
        return None if self._editing is None else self._editing.keys.copy()

    def updating(self, insert: Any = None, remove: Any = None, move: Any = None) -> Tree:
        """Returns the tree after an edit. An edit identifies points by their keys, so the tree must be built with
        `key=`.

        The new tree has the same bytes as a tree that is built from the points after the edit in the order of their
        keys. The rows of the new tree are in this order, and `keys` has the key of each row. The new tree has no
        filter, and can be edited, too. This tree does not change.

        >>> import pandas as pd
        >>> fleet = pd.DataFrame({"id": [1, 2], "lon": [7.1, 7.2], "lat": [43.7, 43.7], "speed": [0, 50]})
        >>> tree = build(fleet, key="id", grow="badges")                # doctest: +SKIP
        >>> tree = tree.updating(move=fleet[fleet.id == 2], remove=[1])  # doctest: +SKIP

        If a tree was grown by `badges` or `merge`, clusters are merged again only around the edit, unless very many
        points change. Other trees are built again. The first edit takes longer than later edits. Edit the newest tree,
        because it keeps the data that earlier edits have prepared.

        :param insert: New points, as a table with coordinates, keys and the columns of the tree. If the build got its
            keys as an array, the keys are in the column `key` or in the index of a pandas frame. The table may also
            have columns that the table of the build had, but that the build left out.
        :param remove: Keys of points to remove, or one key.
        :param move: Points with new coordinates or new values, as a table with coordinates, keys, and the columns whose
            values change.
        :raises KeyError: If a table lacks a needed column, or has a column that neither the tree nor its build knows.
        :raises EditError: If a key of `insert` is in the tree, a key of `remove` or `move` is not in the tree, a key
            occurs twice, or a coordinate is out of range. In these cases the tree does not change.
        """
        if self._editing is None:
            raise EditError(
                "only a tree that was built with key= can be edited; build the tree again and pass the keys of its "
                "points as key="
            )
        pointer, editing = self._editing.updated(self._handle.pointer, insert, remove, move)
        tree = Tree(pointer)
        tree._editing, tree._given_row_count = editing, len(editing.keys)
        return tree

    # MARK: Files

    def save(
        self,
        path: Path,
        *,
        title: str | None = None,
        attribution: str | None = None,
        unit: str | None = None,
        overwrite: bool = False,
    ) -> None:
        """Writes the tree with its columns as an index. The file appears complete or not at all.

        :param title: Name of the data set, for maps and lists.
        :param attribution: Source of the data, shown in a corner of the map.
        :param unit: Unit of plain coordinates, such as `m`.
        :param overwrite: Whether an existing file that is not an index may be replaced. An index is always replaced.
        """
        texts = [c.encoded_if_any(text) for text in (title, attribution, unit)]
        description = None if texts == [None] * 3 else ctypes.byref(c.Description(*texts))
        c.call(c.save, self._handle.pointer, c.encoded_path(path), description, overwrite)

    # A tree never changes, so copying a tree returns the tree itself.

    def __copy__(self) -> Tree:
        return self

    def __deepcopy__(self, _: Any) -> Tree:
        return self

    def __reduce__(self) -> Any:
        """Pickles the tree as the bytes of an index of all points, together with the filter. Opening an index is faster
        than unpickling a tree."""
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder, "tree.treeline")
            self.save(path)
            return _unpickled, (path.read_bytes(), self._where, self._marks, self._given_row_count, self._name)


def _is_closed(where: str) -> bool:
    """Whether each parenthesis of a filter closes one of the filter's own, and is closed itself. Otherwise the filter
    could end a parenthesis around it."""
    outside = re.sub(r"""'[^']*'|"[^"]*\"""", "", where)
    depths = list(itertools.accumulate(1 if each == "(" else -1 for each in outside if each in "()"))
    return not (set("'\"") & set(outside)) and min(depths, default=0) >= 0 and depths[-1:] in ([], [0])


def open(path: Path) -> Tree:
    """Opens an index of any size by mapping it into memory."""
    tree = Tree(c.call(c.open, c.encoded_path(path)))
    tree._name = pathlib.Path(os.fsdecode(path)).stem
    return tree


def verify(path: Path) -> list[str]:
    """Checks every byte of an index. Returns the problems that it finds; an empty list if the index is sound."""
    return list(Table._of(c.call(c.verify, c.encoded_path(path)))["problem"])


def _unpickled(
    index: bytes, where: str | None, marks: AnyArray | None, row_count: int | None, name: str = ""
) -> Tree:
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder, "tree.treeline")
        path.write_bytes(index)
        # The file is deleted, but its pages stay mapped into memory.
        tree = open(path)
    tree._given_row_count, tree._name = row_count, name
    if marks is not None:
        tree = tree.select(np.unpackbits(marks, count=tree.row_count).astype(bool))
    return tree if where is None else tree._narrowed(where)


def _id(cluster: Cluster | int) -> int:
    return cluster.id if isinstance(cluster, Cluster) else integer("id", cluster)
