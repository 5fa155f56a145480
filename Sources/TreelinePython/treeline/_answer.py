"""Answers: the clusters of a query."""

from __future__ import annotations

import ctypes
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, overload

import numpy as np
import numpy.typing as npt

from . import _library as c
from ._native import Answer
from ._parameters import integer
from ._table import AnyArray, Table, plain, required, view

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


class Cluster:
    """One cluster of an answer, or a single point."""

    __slots__ = ("id", "count", "x", "y", "first", "end", "row", "values")

    id: int
    """Identifier of the cluster in its tree, in every query."""
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

    def __init__(self, answer: Clusters, place: int) -> None:
        self.id, self.count = int(answer.id[place]), int(answer.count[place])
        self.first, self.end, row = int(answer.first[place]), int(answer.end[place]), int(answer.row[place])
        self.row = row if row >= 0 else None
        self.x, self.y = float(answer.x[place]), float(answer.y[place])
        self.values = {name: array[place] for name, array in answer.values.items()}

    def __repr__(self) -> str:
        what = f"row {self.row}" if self.row is not None else f"{self.count} points"
        return f"<treeline.Cluster {self.id}, {what} at ({self.x:.5f}, {self.y:.5f})>"


class Clusters(Answer):
    """The clusters of a query, in tree order, as numpy arrays without a copy.

    >>> import treeline
    >>> tree = treeline.build([2.35, 2.36, -0.12], [48.86, 48.86, 51.51])
    >>> shown = tree.clusters(limit=2)
    >>> shown.count.tolist()
    [1, 2]
    >>> shown.x.round(3).tolist()
    [-0.12, 2.355]
    >>> shown[0].row
    2
    """

    __slots__ = ("_tree", "_extents", "_values")

    _tree: Tree
    _extents: c.ExtentsArrays  # Their address, once requested; an array would keep the answer alive forever.
    _values: Table  # If the query had aggregates.

    def __new__(cls, tree: Tree, pointer: int) -> Clusters:
        answer = super().__new__(cls, pointer)
        answer._tree = tree
        return answer

    @property
    def tree(self) -> Tree:
        """The tree of the query, with the query's filter."""
        return self._tree

    @property
    def id(self) -> Integers:
        """Ids, which identify clusters in the tree in every query."""
        return self._integers(0)

    @property
    def count(self) -> Integers:
        """Number of points of each cluster that pass the filter."""
        return self._integers(1)

    @property
    def first(self) -> Integers:
        """Tree index of each cluster's first point; its points continue up to `end`."""
        return self._integers(2)

    @property
    def end(self) -> Integers:
        """One past the tree index of each cluster's last point."""
        return self._integers(3)

    @property
    def row(self) -> Integers:
        """Rows of single points in the input; -1 for clusters."""
        return self._integers(4)

    @property
    def tree_index(self) -> Integers:
        """Tree indices of single points, and of the points at which clusters are shown; otherwise -1."""
        return self._integers(5)

    @property
    def x(self) -> Floats:
        """Longitudes or x of the positions at which clusters are shown."""
        return self._floats(6)

    @property
    def y(self) -> Floats:
        """Latitudes or y of the positions at which clusters are shown."""
        return self._floats(7)

    @property
    def group(self) -> npt.NDArray[np.object_]:
        """Names of the clusters' groups, in a tree of groups that never mix; `None` for points that are never
        clustered."""
        groups = self._tree.groups
        names = np.array([*groups["name"], None], object)
        found: npt.NDArray[np.object_] = names[np.searchsorted(groups["end"], self.first, "right")]
        return found

    def _extent(self, name: str) -> Floats:
        array: Floats = self._all_extents()[_EXTENTS.index(name)]
        return array

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
        """West, south, east and north of each cluster; west is greater than east across the antimeridian."""
        boxes: Floats = self._all_extents()[:4].T
        return boxes

    @property
    def radius(self) -> Floats:
        """Root mean square distance of the points from their mean, in pixels at zoom 24."""
        return self._extent("radius")

    @property
    def semi_major(self) -> Floats:
        """Standard deviation along the longer principal axis, in pixels at zoom 24."""
        return self._extent("semi_major")

    @property
    def semi_minor(self) -> Floats:
        """Standard deviation along the shorter principal axis, in pixels at zoom 24."""
        return self._extent("semi_minor")

    @property
    def axis_x(self) -> Floats:
        """Eastward component of the longer axis as a unit vector."""
        return self._extent("axis_x")

    @property
    def axis_y(self) -> Floats:
        """Southward component of the longer axis as a unit vector."""
        return self._extent("axis_y")

    @property
    def badge_diameter(self) -> Floats:
        """For badges: diameter of each badge in pixels; otherwise NaN."""
        return self._extent("badge_diameter")

    @property
    def values(self) -> Table:
        """Aggregates that the query requested, by name."""
        return getattr(self, "_values", Table({}))

    def aggregate(self, *aggregates: str) -> Table:
        """Computes aggregates of the values of each cluster's points, such as `"sum(population)"` or `"top(kind, 3)"`.

        Arrays are named as in GeoJSON, for example `sum_population` and `top_kind`.
        """
        if not aggregates:
            return Table({})
        return Table._of(c.call(c.aggregate, self._pointer, c.encoded(", ".join(aggregates))))

    def find(self, tree_index: int) -> int | None:
        """Returns the position in the answer of the cluster that contains a point; None if none does."""
        place: int = c.answer_find(self._pointer, integer("tree_index", tree_index))
        return place if place >= 0 else None

    def transition_to(self, other: Clusters) -> Transition:
        """Returns the changes from this answer to another one of the same tree."""
        if not isinstance(other, Clusters):
            raise TypeError(f"expected an answer, found {other!r}")
        return Transition(self, other)

    def __iter__(self) -> Iterator[Cluster]:
        return (self[place] for place in range(len(self)))

    @overload
    def __getitem__(self, place: int) -> Cluster: ...

    @overload
    def __getitem__(self, place: slice) -> list[Cluster]: ...

    @overload
    def __getitem__(self, place: str) -> AnyArray: ...

    def __getitem__(self, place: int | slice | str) -> Cluster | list[Cluster] | AnyArray:
        """Returns a cluster by its position, the clusters of a slice, or the array of an aggregate by its name."""
        if isinstance(place, str):
            return self.values[place]
        places = range(len(self))
        if isinstance(place, slice):
            return [Cluster(self, place) for place in places[place]]
        try:
            return Cluster(self, places[place])
        except IndexError:
            raise IndexError(f"expected a place in {len(self)} clusters, found {place}") from None

    def __copy__(self) -> Clusters:
        return self

    def __deepcopy__(self, _: Any) -> Clusters:
        return self

    def __reduce__(self) -> Any:
        raise TypeError("an answer belongs to its tree and cannot be pickled: pickle its arrays, such as to_pandas()")

    def __repr__(self) -> str:
        return f"{len(self)} clusters of {int(self.count.sum())} points"

    def _columns(self) -> dict[str, AnyArray]:
        names = ("id", "count", "row", "x", "y", "west", "south", "east", "north")
        columns: dict[str, AnyArray] = {name: getattr(self, name) for name in names[:5]}
        columns |= {name: self._extent(name) for name in names[5:]}
        return columns | dict(self.values)

    def __arrow_c_stream__(self, requested_schema: object = None) -> Any:
        """Exports the clusters through Arrow's C data interface, for example to `polars.DataFrame(clusters)`."""
        return Table(self._columns()).__arrow_c_stream__()

    def to_arrow(self) -> Any:
        """Returns the clusters as a `pyarrow.Table`, numbers without a copy."""
        return Table(self._columns()).to_arrow()

    def to_pandas(self) -> Any:
        """Returns the clusters as a `pandas.DataFrame`."""
        return Table(self._columns()).to_pandas()

    def to_geopandas(self) -> Any:
        """Returns the clusters as a `geopandas.GeoDataFrame` of points, in EPSG:4326 unless the plane is plain."""
        geopandas = required("geopandas")
        columns = self._columns()
        geometry = geopandas.points_from_xy(columns.pop("x"), columns.pop("y"))
        crs = None if self._tree.is_planar else "EPSG:4326"
        return geopandas.GeoDataFrame(columns, geometry=geometry, crs=crs)

    @property
    def __geo_interface__(self) -> dict[str, Any]:
        """The clusters as GeoJSON with supercluster's property names, which map libraries read."""
        told = {name: plain(array) for name, array in self.values.items()}
        features = []
        for place, (cluster, box) in enumerate(zip(self, self.bounds.tolist())):
            properties: dict[str, Any] = {"cluster": cluster.count > 1, "cluster_id": cluster.id}
            properties["point_count"] = cluster.count
            if cluster.row is not None:
                properties["index"] = cluster.row
            properties |= {name: values[place] for name, values in told.items()}
            features.append(
                {
                    "type": "Feature",
                    "id": cluster.id,
                    "bbox": tuple(box),
                    "geometry": {"type": "Point", "coordinates": (cluster.x, cluster.y)},
                    "properties": properties,
                }
            )
        return {"type": "FeatureCollection", "features": features}


class Transition:
    """The changes between two answers of one tree, with a row for each cluster to draw.

    Each row starts at its position in the first answer and ends at its position in the second. A part of a split starts
    at the position of the whole; a part of a merge ends at the position of the whole.
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
        """Positions in the first answer; -1 for clusters that enter."""
        return self._rows["from"]

    @property
    def to_place(self) -> Integers:
        """Positions in the second answer; -1 for clusters that exit."""
        return self._rows["to"]

    @property
    def hidden(self) -> Integers:
        """In the first row of a split or merge: number of the whole's points that are in no part."""
        return self._rows["hidden"]

    @property
    def filtered_out(self) -> Integers:
        """Number of points that pass only the first filter: for each kept cluster, and in the first row of a split or
        merge."""
        return self._rows["filtered_out"]

    @property
    def filtered_in(self) -> Integers:
        """Number of points that pass only the second filter, in the same rows as `filtered_out`."""
        return self._rows["filtered_in"]

    @property
    def start(self) -> Floats:
        """Start of each row's cluster, as rows of x and y; NaN for clusters that enter."""
        return _positions(self.first, self.from_place)

    @property
    def stop(self) -> Floats:
        """End of each row's cluster, as rows of x and y; NaN for clusters that exit."""
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
