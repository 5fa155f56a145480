"""Answers: the clusters of a query."""

from __future__ import annotations

import copy
import ctypes
import json
import math
import sys
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any, Literal, overload

import numpy as np
import numpy.typing as npt

from . import _library as c
from ._arrays import AnyArray, required, view
from ._drawing import as_html, as_text
from ._native import Answer
from ._parameters import integer, text
from ._table import Table, plain

if TYPE_CHECKING:
    from ._tree import Tree

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]

_EXTENTS = (
    "west",
    "south",
    "east",
    "north",
    "radius",
    "semi_major",
    "semi_minor",
    "axis_x",
    "axis_y",
    "badge_diameter",
)


#: Length of a unit of the plane at the equator, on the sphere of Web Mercator, in meters.
METRES_PER_UNIT = 2 * math.pi * 6_378_137 / 2**32

#: Columns of an answer that are known without further work.
_COLUMNS = ("id", "count", "row", "x", "y")


class Cluster:
    """One cluster of an answer, or a single point.

    A cluster is also a mapping from column names of the answer to values: `dict(cluster)`, `cluster["mean_price"]`.
    """

    __slots__ = ("id", "count", "x", "y", "first", "end", "row", "values")

    id: int
    """Identifier of the cluster in its tree. A cluster has the same identifier in every query."""
    count: int
    """Number of the cluster's points that pass the filter."""
    x: float
    """Longitude or x of the position at which the cluster is shown."""
    y: float
    """Latitude or y of the position at which the cluster is shown."""
    first: int
    """Tree index of the cluster's first point."""
    end: int
    """One past the tree index of the cluster's last point."""
    row: int | None
    """Row of the point in the input, if the cluster is a single point."""
    values: dict[str, Any]
    """Values of the cluster's aggregates, by name."""

    def __init__(self, facts: tuple[Any, ...], values: dict[str, Any]) -> None:
        self.id, self.count, self.first, self.end, row, self.x, self.y = facts
        self.row = row if row >= 0 else None
        self.values = values

    def keys(self) -> list[str]:
        return [*_COLUMNS, *self.values]

    def items(self) -> list[tuple[str, Any]]:
        return [(name, self[name]) for name in self]

    def __iter__(self) -> Iterator[str]:
        return iter(self.keys())

    def __len__(self) -> int:
        return len(self.keys())

    def __getitem__(self, name: str) -> Any:
        if name in _COLUMNS:
            return -1 if name == "row" and self.row is None else getattr(self, name)
        try:
            return self.values[name]
        except KeyError:
            raise KeyError(f"a cluster has no value {name!r}; values: {', '.join(map(repr, self.keys()))}") from None

    def __repr__(self) -> str:
        what = f"row {self.row}" if self.row is not None else f"{self.count} points"
        return f"<treelinemap.Cluster {self.id}, {what} at ({self.x:.5f}, {self.y:.5f})>"


# A cluster is a mapping, so that `pandas.DataFrame(answer)` has a column for each name.
Mapping.register(Cluster)


class Clusters(Answer):
    """The clusters of a query, in tree order, as numpy arrays without a copy.

    As in numpy, masks and slices choose clusters, for example `shown[shown.count > 5]`. Names choose columns, for
    example `shown["count"]`.

    >>> import treelinemap
    >>> tree = treelinemap.build([2.35, 2.36, -0.12], [48.86, 48.86, 51.51])
    >>> shown = tree.clusters(limit=2)
    >>> shown.count.tolist()
    [1, 2]
    >>> shown.x.round(3).tolist()
    [-0.12, 2.355]
    >>> shown[0].row
    2
    """

    __slots__ = ("_tree", "_extents", "_values", "_aggregates")

    _tree: Tree
    _extents: c.ExtentsArrays  # Addresses of the extents, once requested. Arrays would keep the answer alive forever.
    _values: Table  # Exists if the query had aggregates.
    _aggregates: str  # The aggregates of the query, as text. Exists if the query had aggregates.

    def __new__(cls, tree: Tree, pointer: int) -> Clusters:
        answer = Answer.__new__(cls, pointer)
        answer._tree = tree
        return answer

    @property  # type: ignore[misc]
    def __class__(self) -> type:
        """The class of the answer. If the answer has no clusters, pandas gets `dict` instead.

        `pandas.DataFrame` makes a row of each cluster. If there are no clusters, pandas finds the names of columns only
        in a mapping. All other callers get the real class.
        """
        if len(self) == 0 and sys._getframe(1).f_globals.get("__name__") == "pandas.core.frame":
            return dict
        return type(self)

    def keys(self) -> list[str]:
        """Returns the names of the columns. Each cluster has these names as keys."""
        return [*_COLUMNS, *self.values]

    @property
    def tree(self) -> Tree:
        """The tree of the query, with the filter of the query."""
        return self._tree

    @property
    def id(self) -> Integers:
        """Id of each cluster. In every query of the tree, a cluster has the same id."""
        return self._integers(0)

    @property
    def count(self) -> Integers:
        """Number of points of each cluster. Under a filter, only the points that pass are counted."""
        return self._integers(1)

    @property
    def first(self) -> Integers:
        """Tree index of each cluster's first point. The points of the cluster have the tree indices from `first` to
        `end` - 1."""
        return self._integers(2)

    @property
    def end(self) -> Integers:
        """One past the tree index of each cluster's last point."""
        return self._integers(3)

    @property
    def row(self) -> Integers:
        """Row of each single point in the input; -1 for clusters."""
        return self._integers(4)

    @property
    def tree_index(self) -> Integers:
        """Tree index of the single point, or of the point at which a cluster is shown; -1 if there is no such point."""
        return self._integers(5)

    @property
    def x(self) -> Floats:
        """Longitude or x of the position at which each cluster is shown."""
        return self._floats(6)

    @property
    def y(self) -> Floats:
        """Latitude or y of the position at which each cluster is shown."""
        return self._floats(7)

    @property
    def group(self) -> npt.NDArray[np.object_]:
        """Name of each cluster's group, in a tree of groups that never mix; `None` for points that are never
        clustered."""
        groups = self._tree.groups
        names = np.array([*groups["name"], None], object)
        found: npt.NDArray[np.object_] = names[np.searchsorted(groups["end"], self.first, "right")]
        return found

    @property
    def labels(self) -> Integers:
        """For each row of the input, the cluster that contains the row, by its position in this answer; -1 if no
        cluster contains the row.

        The array has `tree.row_count` entries, so `frame["cluster"] = shown.labels` labels the rows of a table.
        """
        count = self._tree.row_count
        if count > 1000 * self._tree.point_count + 1_000_000:
            raise ValueError(
                f"expected row numbers small enough for an array of labels, found {count - 1}; use Tree.members"
            )
        labels = np.full(count, -1)
        rows = self.row
        labels[rows[rows >= 0]] = np.flatnonzero(rows >= 0)
        ids = self.id
        for place in np.flatnonzero(rows < 0).tolist():
            labels[self._tree.members(int(ids[place]))["row"]] = place
        return labels

    def hulls(self) -> npt.NDArray[np.object_]:
        """Returns the convex hull of each cluster's points as a geometry of shapely: a polygon, a line if all points
        lie on a line, or a point. A hull across the antimeridian is divided at the antimeridian. Needs shapely.
        """
        required("shapely")
        from ._shapes import hull

        hulls = np.empty(len(self), object)
        for place, cluster in enumerate(self.id.tolist()):
            hulls[place] = hull(self._tree.hull(cluster), self._tree.is_planar)
        return hulls

    def _extent(self, name: str) -> Floats:
        array: Floats = self._all_extents()[_EXTENTS.index(name)]
        return array

    def _length(self, name: str) -> Floats:
        """Converts lengths on the plane to meters, or to the units of a plain plane."""
        if self._tree.is_planar:
            return self._extent(name) * self._tree._unit_length
        return self._extent(name) * METRES_PER_UNIT * np.cos(np.radians(self.y))

    def _all_extents(self) -> Floats:
        try:
            arrays = self._extents
        except AttributeError:
            arrays = c.ExtentsArrays()
            c.answer_extents(self._pointer, ctypes.byref(arrays))
            self._extents = arrays
        return view(self, arrays.start, (len(_EXTENTS), arrays.count), "<f8")

    @property
    def bounds(self) -> Floats:
        """West, south, east and north of each cluster. Across the antimeridian, west is greater than east."""
        boxes: Floats = self._all_extents()[:4].T
        return boxes

    @property
    def radius(self) -> Floats:
        """Root mean square distance of a cluster's points from their mean, in meters or in the units of a plain plane.

        Meters are measured at the cluster's latitude.
        """
        return self._length("radius")

    @property
    def semi_major(self) -> Floats:
        """Standard deviation of the points along the longer principal axis, in the unit of `radius`."""
        return self._length("semi_major")

    @property
    def semi_minor(self) -> Floats:
        """Standard deviation of the points along the shorter principal axis, in the unit of `radius`."""
        return self._length("semi_minor")

    @property
    def axis_x(self) -> Floats:
        """Eastward component of a unit vector along the longer axis."""
        return self._extent("axis_x")

    @property
    def axis_y(self) -> Floats:
        """Southward component of a unit vector along the longer axis."""
        return self._extent("axis_y")

    @property
    def badge_diameter(self) -> Floats:
        """Diameter of each badge in pixels; NaN if the query had no cut by badges."""
        return self._extent("badge_diameter")

    @property
    def values(self) -> Table:
        """Aggregates that the query requested, by name."""
        try:
            return self._values
        except AttributeError:
            return Table()

    def aggregate(self, *aggregates: str) -> Table:
        """Computes aggregates for each cluster from the values of its points, such as `"sum(population)"` or
        `"top(kind, 3)"`.

        Arrays are named as in GeoJSON, for example `sum_population` and `top_kind`.
        """
        if not aggregates:
            return Table({})
        return Table._of(c.call(c.aggregate, self._pointer, c.encoded(", ".join(aggregates))))

    def find(self, tree_index: int) -> int | None:
        """Returns the position in the answer of the cluster that contains a point; None if no cluster contains it."""
        place: int = c.answer_find(self._pointer, integer("tree_index", tree_index))
        return place if place >= 0 else None

    def transition_to(self, other: Clusters) -> Transition:
        """Returns the changes from this answer to another answer of this tree."""
        if not isinstance(other, Clusters):
            raise TypeError(f"expected an answer of type Clusters, found {other!r}")
        return Transition(self, other)

    def _places_of(self, numbers: Integers) -> Integers:
        """Converts indices of clusters in the library's answer to positions in this answer; -1 stays -1."""
        return numbers

    def __iter__(self) -> Iterator[Cluster]:
        return self._clusters(slice(None))

    def _clusters(self, which: slice) -> Iterator[Cluster]:
        arrays = (self.id, self.count, self.first, self.end, self.row, self.x, self.y)
        values = {name: array[which] for name, array in self.values.items()}
        for place, facts in enumerate(zip(*(array[which].tolist() for array in arrays))):
            yield Cluster(facts, {name: array[place] for name, array in values.items()})

    @overload
    def __getitem__(self, which: int) -> Cluster: ...

    @overload
    def __getitem__(self, which: str) -> AnyArray: ...

    @overload
    def __getitem__(self, which: slice | Any) -> Clusters: ...

    def __getitem__(self, which: Any) -> Any:
        """Returns part of the answer. A position gives a cluster. The name of a column or an aggregate gives an array.
        A slice, a mask or an array of indices gives an answer."""
        if isinstance(which, str):
            return self._column(which)
        if isinstance(which, int | np.integer):
            if not -len(self) <= which < len(self):
                raise IndexError(f"expected a position among {len(self)} clusters, found {which}")
            place = which % len(self)
            return next(self._clusters(slice(place, place + 1)))
        if isinstance(which, slice):
            return _Part(self, np.arange(len(self))[which])
        return _Part(self, self._places(which))

    def _places(self, which: Any) -> Integers:
        """Returns the indices of the clusters that a mask or an array of indices chooses."""
        found = np.asarray(which)
        if found.ndim == 1 and found.dtype.kind == "b":
            if len(found) != len(self):
                raise IndexError(f"expected a mask of {len(self)} entries, one for each cluster, found {len(found)}")
            return np.flatnonzero(found)
        if found.ndim != 1 or found.size and found.dtype.kind not in "iu":
            raise TypeError(f"expected an index, a slice, a mask, an array of indices or a name, found {which!r}")
        outside = (found < -len(self)) | (found >= len(self))
        if outside.any():
            raise IndexError(f"expected indices below {len(self)}, the number of clusters, found {found[outside][0]}")
        return np.arange(len(self))[found.astype(np.int64)]

    def _column(self, name: str) -> AnyArray:
        others = ("first", "end", "tree_index", "group", "radius", "semi_major", "semi_minor", "badge_diameter")
        if name in self.values:
            return self.values[name]
        if name in _COLUMNS or name in others:
            array: AnyArray = getattr(self, name)
            return array
        if name in _EXTENTS:
            return self._extent(name)
        there = ", ".join(map(repr, (*_COLUMNS, *_EXTENTS[:4], *others, *self.values)))
        raise KeyError(f"there is no column {name!r}; columns: {there}")

    def __copy__(self) -> Clusters:
        return self

    def __deepcopy__(self, _: Any) -> Clusters:
        return self

    def __reduce__(self) -> Any:
        raise TypeError(
            "an answer belongs to its tree and cannot be pickled; pickle a table instead, such as the result of "
            "to_pandas()"
        )

    def _title(self) -> str:
        return f"{len(self)} clusters of {int(self.count.sum())} points"

    def _shown(self) -> Table:
        return Table({name: self[name] for name in self.keys()})

    def __repr__(self) -> str:
        return as_text(self._title(), self._shown())

    def _repr_html_(self) -> str:
        """Returns the clusters as HTML, which a notebook shows as a table."""
        return as_html(self._title(), self._shown())

    def _columns(self) -> Table:
        values = self.values
        columns = Table({**{name: self[name] for name in (*_COLUMNS, *_EXTENTS[:4])}, **values})
        columns._loaded = values._loaded
        return columns

    def __arrow_c_stream__(self, requested_schema: object = None) -> Any:
        """Exports the clusters through Arrow's C data interface, for example to `polars.DataFrame(clusters)`."""
        return self._columns().__arrow_c_stream__()

    def to_arrow(self) -> Any:
        """Returns the clusters as a `pyarrow.Table`. Numbers are not copied."""
        return self._columns().to_arrow()

    def to_pandas(self) -> Any:
        """Returns the clusters as a `pandas.DataFrame`, with their boxes: `west`, `south`, `east` and `north`."""
        return self._columns().to_pandas()

    def to_geopandas(self, geometry: Literal["point", "hull"] = "point") -> Any:
        """Returns the clusters as a `geopandas.GeoDataFrame`. The frame is in EPSG:4326, or has no CRS if the tree has
        plain x and y.

        :param geometry: `point` for the positions of clusters, `hull` for the convex hulls of their points.
        """
        geopandas = required("geopandas")
        columns = self._columns()
        x, y = columns.pop("x"), columns.pop("y")
        if geometry not in ("point", "hull"):
            raise ValueError(f"expected the geometry 'point' or 'hull', found {geometry!r}")
        shapes = self.hulls() if geometry == "hull" else geopandas.points_from_xy(x, y)
        crs = None if self._tree.is_planar else "EPSG:4326"
        return geopandas.GeoDataFrame(columns, geometry=shapes, crs=crs)

    @property
    def __geo_interface__(self) -> dict[str, Any]:
        """The clusters as GeoJSON, which map libraries read. The command-line tool and the server write the same
        properties. A single point also has the values of its columns."""
        return {"type": "FeatureCollection", "features": self._features()}

    def _features(self, **options: Any) -> list[dict[str, Any]]:
        text = self._geojson(aggregate=getattr(self, "_aggregates", None) or None, **options)
        features: list[dict[str, Any]] = json.loads(text)["features"]
        return features

    def _geojson(self, **options: Any) -> bytes:
        """Returns the clusters as GeoJSON, see `treeline_answer_geojson`."""
        return c.bytes_of(c.call(c.answer_geojson, self._pointer, text(**options).encode()))


class _Part(Clusters):
    """Some clusters of an answer, in any order."""

    __slots__ = ("_whole", "_at")

    _whole: Clusters
    #: Positions of these clusters in the whole answer.
    _at: Integers

    def __new__(cls, whole: Clusters, at: Integers) -> _Part:
        if isinstance(whole, _Part):
            at, whole = whole._at[at], whole._whole
        # The library expects each cluster once, in tree order.
        ids = whole.id[np.unique(at)].astype(np.uint64)
        tree = whole._tree
        part = Answer.__new__(cls, c.call(c.clusters_with_ids, tree._handle.pointer, ids.ctypes.data, len(ids)))
        part._tree, part._whole, part._at = tree, whole, at
        return part

    def __len__(self) -> int:
        return len(self._at)

    def _integers(self, number: int) -> Integers:
        return _unwritable(self._whole._integers(number)[self._at])

    def _floats(self, number: int) -> Floats:
        return _unwritable(self._whole._floats(number)[self._at])

    def _all_extents(self) -> Floats:
        return _unwritable(self._whole._all_extents()[:, self._at])

    @property
    def values(self) -> Table:
        return self._whole.values._taking(self._at)

    def _features(self, **options: Any) -> list[dict[str, Any]]:
        indices, places = np.unique(self._at, return_inverse=True)
        if not len(indices):
            return []
        features = self._whole._features(indices=indices.tolist(), **options)
        # A cluster that occurs twice gets a feature of its own each time.
        return [copy.deepcopy(features[place]) for place in places.tolist()]

    def aggregate(self, *aggregates: str) -> Table:
        return super().aggregate(*aggregates)._taking(np.unique(self._at, return_inverse=True)[1])

    def _places_of(self, numbers: Integers) -> Integers:
        return np.append(np.unique(self._at, return_index=True)[1], -1)[numbers]

    def find(self, tree_index: int) -> int | None:
        place = self._whole.find(tree_index)
        found = np.flatnonzero(self._at == place)
        return int(found[0]) if place is not None and len(found) else None


def _unwritable(array: AnyArray) -> AnyArray:
    array.flags.writeable = False
    return array


class Transition:
    """The changes between two answers of one tree: a row for each cluster to draw.

    Each cluster to draw starts at its position in the first answer and ends at its position in the second answer. If a
    cluster splits, its parts start at the position of the cluster. If clusters merge, they end at the position of the
    merged cluster.
    """

    KEPT, SPLIT, MERGED, ENTERED, EXITED = range(5)

    def __init__(self, first: Clusters, second: Clusters) -> None:
        self.first, self.second = first, second
        self._rows = Table._of(c.call(c.transition, first._pointer, second._pointer))

    @property
    def change(self) -> Integers:
        """Kind of each change: `KEPT`, `SPLIT`, `MERGED`, `ENTERED` or `EXITED`."""
        return self._rows["change"]

    @property
    def from_place(self) -> Integers:
        """Position of each row's cluster in the first answer; -1 if the cluster enters."""
        return self.first._places_of(self._rows["from"])

    @property
    def to_place(self) -> Integers:
        """Position of each row's cluster in the second answer; -1 if the cluster exits."""
        return self.second._places_of(self._rows["to"])

    @property
    def hidden(self) -> Integers:
        """Number of points of the whole cluster that are in none of its parts. The number is in the first row of a
        split or merge."""
        return self._rows["hidden"]

    @property
    def filtered_out(self) -> Integers:
        """Number of points that pass only the first filter. The number is in the row of a kept cluster, and in the
        first row of a split or merge."""
        return self._rows["filtered_out"]

    @property
    def filtered_in(self) -> Integers:
        """Number of points that pass only the second filter, in the same rows as `filtered_out`."""
        return self._rows["filtered_in"]

    @property
    def start(self) -> Floats:
        """x and y at which each row's cluster starts; NaN if the cluster enters."""
        return _positions(self.first, self.from_place)

    @property
    def stop(self) -> Floats:
        """x and y at which each row's cluster ends; NaN if the cluster exits."""
        return _positions(self.second, self.to_place)

    def __len__(self) -> int:
        return len(self.change)

    def __repr__(self) -> str:
        names = ("kept", "split", "merged", "entered", "exited")
        counts = np.bincount(self.change, minlength=5)
        return "Transition: " + ", ".join(f"{count} {name}" for count, name in zip(counts, names))


def _positions(answer: Clusters, places: Integers) -> Floats:
    positions: Floats = np.full((len(places), 2), np.nan)
    known = places >= 0
    positions[known, 0] = answer.x[places[known]]
    positions[known, 1] = answer.y[places[known]]
    return positions
