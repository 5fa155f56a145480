"""Answers a map's messages about a tree. The answers are GeoJSON with the server's property names."""

from __future__ import annotations

import ctypes
import math
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from . import _library as c
from ._answer import METRES_PER_UNIT, Clusters, Transition
from ._errors import Error, FilterError
from ._parameters import CRITERIA, text
from ._table import Table, plain, readable

if TYPE_CHECKING:
    from ._tree import Tree

Query = dict[str, Any]
Feature = dict[str, Any]

#: Names of the parameters of a query's viewport, and names of the parameters of its cut.
VIEW = ("bbox", "center", "zoom", "width", "height")
CUT = (*CRITERIA, "order")
SHOWN = (*VIEW, *CUT, "position")


class Problem(Exception):
    """An error for a request that cannot be answered, with the status that the server would return."""

    def __init__(self, status: int, message: str) -> None:
        super().__init__(message)
        self.status = status


class Answers:
    """Answers messages of a map about one tree. Any thread may use this object."""

    def __init__(self, tree: Tree, version: int = 0) -> None:
        """:param version: Number of trees that the map showed before this tree."""
        self.tree = tree
        self.version = f"{tree.content_hash}-{version}" if version else str(tree.content_hash)
        self._verbs: dict[str, Callable[..., dict[str, Any]]] = {
            name: getattr(self, name)
            for name in ("clusters", "transition", "cluster", "members", "expansion_zoom", "histogram")
        }

    def answer(self, verb: str, **arguments: Any) -> dict[str, Any]:
        """Answers a message of the map."""
        try:
            return self._verbs[verb](**arguments)
        except Error as error:
            raise Problem(400, str(error)) from None

    def facts(self) -> dict[str, Any]:
        """Returns facts about the tree, in the server's format for an index."""
        tree = self.tree
        return {
            "name": "",
            "version": self.version,
            "title": tree.title or None,
            "attribution": tree.attribution or None,
            "point_count": len(tree),
            "projection": "plane" if tree.is_planar else "web-mercator",
            "unit": tree.unit or None,
            "bounds": list(tree.bounds) if tree.point_count else None,
            "split": tree.growth,
            "has_separations": tree.has_separations,
            "has_badges": tree.has_badges,
            "default_cut": tree.default_cut,
            "columns": list(tree.columns),
            "column_kinds": dict(tree.columns),
            **({"anchor": tree.anchor} if tree.anchor != "mean" else {}),
            **self._groups(),
        }

    def _groups(self) -> dict[str, Any]:
        groups = self.tree.groups
        sizes = groups["end"] - groups["first"]
        if len(sizes) == 0:
            return {}
        named = [{"name": name, "point_count": size} for name, size in zip(groups["name"], sizes.tolist())]
        return {"groups": named, "never_clustered_point_count": self.tree.point_count - int(sizes.sum())}

    # Verbs

    def clusters(self, query: Query) -> dict[str, Any]:
        tree = self._tree(query)
        return self._collection(tree, tree.clusters(**_parameters(query, SHOWN)), query)

    def transition(self, ids: list[int], query: Query, version: str | None = None) -> dict[str, Any]:
        tree = self._tree({**query, "version": version})
        before = self._selected(query.get("from-filter", "")).clusters_with_ids(ids)
        after = tree.clusters(**_parameters(query, SHOWN))
        return {**_change(before, after), "clusters": self._collection(tree, after, query)}

    def cluster(self, cluster: int, query: Query) -> Feature:
        tree = self._tree(query)
        feature: Feature = self._collection(tree, tree.clusters_with_ids([cluster]), query)["features"][0]
        return feature

    def members(self, cluster: int, query: Query) -> dict[str, Any]:
        tree = self._tree(query)
        offset, limit = int(query.get("offset", 0)), int(query["limit"])
        page = tree.members(cluster, offset=offset, limit=limit)
        total = int(tree.clusters_with_ids([cluster]).count[0])
        values = self._values(tree, page.tree_index)
        features = [
            {
                "type": "Feature",
                "geometry": {"type": "Point", "coordinates": [float(x), float(y)]},
                "properties": {"index": int(row), **properties},
            }
            for x, y, row, properties in zip(page.x, page.y, page.row, values)
        ]
        return {"total": total, "offset": offset, "type": "FeatureCollection", "features": features}

    def expansion_zoom(self, cluster: int, query: Query) -> dict[str, Any]:
        zoom = self._tree(query).expansion_zoom(cluster, **_parameters(query, CUT))
        return {"zoom": zoom}

    def histogram(self, query: Query) -> dict[str, Any]:
        tree = self._tree(query)
        missing = ctypes.c_int64()
        view = text(**_parameters(query, VIEW)).encode()
        column = c.encoded(query["column"])
        table = Table._of(
            c.call(c.histogram, tree._handle.pointer, column, int(query["bins"]), view, ctypes.byref(missing))
        )
        edges = [*plain(table["from"]), *plain(table["to"][-1:])]
        counts = table["count"].tolist()
        return {"column": query["column"], "edges": edges, "counts": counts, "missing_count": missing.value}

    # Features

    def _collection(self, tree: Tree, answer: Clusters, query: Query) -> dict[str, Any]:
        asked = answer.aggregate(query["aggregate"]) if query.get("aggregate") else None
        told = [{}] * len(answer) if asked is None else _rows({name: plain(asked[name]) for name in asked})
        alone = np.flatnonzero(answer.row >= 0)
        values = dict(zip(alone.tolist(), self._values(tree, answer.tree_index[alone])))
        features = [self._feature(answer, at, told[at], values.get(at, {})) for at in range(len(answer))]
        for feature, group in zip(features, answer.group):
            if group is not None:
                feature["properties"]["cluster_group"] = group
        return {"type": "FeatureCollection", "features": features}

    def _feature(self, answer: Clusters, at: int, told: Feature, values: Feature) -> Feature:
        count, x, y = int(answer.count[at]), float(answer.x[at]), float(answer.y[at])
        box = answer.bounds[at].tolist()
        properties: Feature = {
            "cluster": count > 1,
            "cluster_id": int(answer.id[at]),
            "point_count": count,
            "tree_range": [int(answer.first[at]), int(answer.end[at])],
        }
        if count > 1:
            properties["point_count_abbreviated"] = abbreviated(count)
        major, minor = (float(answer._extent(name)[at]) for name in ("semi_major", "semi_minor"))
        if box[:2] == box[2:]:
            if count > 1:
                properties["stack"] = True
        else:
            angle = math.degrees(math.atan2(answer.axis_y[at], answer.axis_x[at]))
            metres = METRES_PER_UNIT * math.cos(math.radians(y))
            properties["ellipse"] = [round(major), round(minor), round(angle, 1)]
            properties["ellipse_meters"] = [round(major * metres), round(minor * metres)]
        diameter = float(answer.badge_diameter[at])
        if not math.isnan(diameter):
            properties["badge_px"] = diameter
        if count == 1:
            properties["index"] = int(answer.row[at])
        return {
            "type": "Feature",
            "id": properties["cluster_id"],
            "bbox": box,
            "geometry": {"type": "Point", "coordinates": [x, y]},
            "properties": {**properties, **told, **values},
        }

    def _values(self, tree: Tree, indices: Any) -> list[Feature]:
        if len(indices) == 0 or not tree.columns:
            return [{}] * len(indices)
        return _rows({name: readable(tree.values(name, indices)) for name in tree.columns})

    # Filters

    def _tree(self, query: Query) -> Tree:
        """Returns the tree of the points that pass the filter. Ids of clusters belong to one version of the tree, so a
        query with ids names the version."""
        if query.get("version") not in (None, self.version):
            raise Problem(409, "The map shows another tree now.")
        return self._selected(query.get("filter", ""))

    def _selected(self, where: str) -> Tree:
        try:
            return self.tree._narrowed(where) if where else self.tree
        except FilterError as error:
            raise Problem(400, f"filter: {error}") from None


def _parameters(query: Query, names: tuple[str, ...]) -> dict[str, Any]:
    found = {name: query[name] for name in names if name in query}
    if "center" in found:
        found["center"] = tuple(float(part) for part in found["center"].split(","))
    return found


def _rows(columns: Mapping[str, list[Any]]) -> list[Feature]:
    """Returns each row of columns as a dictionary."""
    return [dict(zip(columns, row)) for row in zip(*columns.values())]


def _change(before: Clusters, after: Clusters) -> dict[str, Any]:
    """Returns a transition in the server's format. The transition contains only the values that a map needs."""
    change: dict[str, Any] = {"kept": [], "splits": [], "merges": [], "entered": [], "left": []}
    wholes: dict[tuple[str, int], dict[str, Any]] = {}

    def part(kind: str, whole: int, of: int) -> None:
        if (kind, whole) not in wholes:
            wholes[kind, whole] = {"whole": {"cluster_id": whole}, "parts": []}
            change[kind].append(wholes[kind, whole])
        wholes[kind, whole]["parts"].append({"cluster_id": of})

    transition = before.transition_to(after)
    old, new = before.id.tolist(), after.id.tolist()
    places = zip(transition.change.tolist(), transition.from_place.tolist(), transition.to_place.tolist())
    for kind, start, end in places:
        if kind == Transition.SPLIT:
            part("splits", old[start], new[end])
        elif kind == Transition.MERGED:
            part("merges", new[end], old[start])
        elif kind == Transition.EXITED:
            change["left"].append({"cluster_id": old[start]})
        else:
            change["kept" if kind == Transition.KEPT else "entered"].append({"cluster_id": new[end]})
    return change


def abbreviated(count: int) -> str:
    """Returns a count in about four characters, such as 999, 1.2k, 12k or 3.4M. Rounds halves up."""
    if count < 1000:
        return str(count)
    unit, suffixes = 1000, "kMBT"
    while len(suffixes) > 1 and (count + unit // 2) // unit >= 1000:
        unit, suffixes = unit * 1000, suffixes[1:]
    tenths = (count + unit // 20) // (unit // 10)
    return f"{tenths / 10:g}{suffixes[0]}" if tenths < 100 else f"{(count + unit // 2) // unit}{suffixes[0]}"
