"""What a map asks of a tree, answered as the server answers it: GeoJSON with the names of its properties."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from ._errors import TreelineError

if TYPE_CHECKING:
    from ._answer import Answer
    from ._tree import Tree

Query = dict[str, Any]
Feature = dict[str, Any]

#: Units of the plane around the Earth, whose radius in Web Mercator is that at the equator.
METRES_PER_UNIT = 2 * math.pi * 6_378_137 / 2**32

#: The parameters of a query that say what is looked at, and how the tree is cut.
VIEW = ("bbox", "center", "zoom", "width", "height")
CUT = ("spacing", "badges", "detail", "limit", "order")


class Problem(Exception):
    """A question without an answer, with the status that the server gives it."""

    def __init__(self, status: int, message: str) -> None:
        super().__init__(message)
        self.status = status


class Answers:
    """Answers to a map, for one tree. Any thread may ask."""

    def __init__(self, tree: Tree) -> None:
        self.tree = tree
        # A filter is prepared once, and asked in many views.
        self._selecting = functools.lru_cache(maxsize=8)(self._select)
        self._verbs: dict[str, Callable[..., dict[str, Any]]] = {
            name: getattr(self, name)
            for name in ("clusters", "transition", "cluster", "members", "expansion_zoom", "histogram")
        }

    def answer(self, verb: str, **arguments: Any) -> dict[str, Any]:
        """The answer to a message of the map."""
        try:
            return self._verbs[verb](**arguments)
        except TreelineError as error:
            raise Problem(400, str(error)) from None

    def facts(self) -> dict[str, Any]:
        """What there is, as the server tells it of an index."""
        tree = self.tree
        return {
            "name": "tree", "version": str(tree.content_hash), "title": tree.title or "Treeline",
            "attribution": tree.attribution or None, "point_count": tree.point_count,
            "projection": "plane" if tree.is_planar else "web-mercator", "bounds": list(tree.bounds) if tree.point_count else None,
            "split": tree.growth, "has_separations": tree.has_separations, "has_badges": tree.has_badges,
            "columns": list(tree.columns), "column_kinds": dict(tree.columns),
        }

    # Verbs

    def clusters(self, query: Query) -> dict[str, Any]:
        tree = self._tree(query)
        return self._collection(tree, tree.clusters(**_parameters(query, VIEW + CUT)), query)

    def transition(self, ids: list[int], query: Query) -> dict[str, Any]:
        tree = self._tree(query)
        before = self._selecting(query.get("from-filter", "")).clusters_with_ids(ids)
        after = tree.clusters(**_parameters(query, VIEW + CUT))
        return {**_change(before, after), "clusters": self._collection(tree, after, query)}

    def cluster(self, cluster: int, query: Query) -> Feature:
        tree = self._tree(query)
        return self._collection(tree, tree.clusters_with_ids([cluster]), query)["features"][0]

    def members(self, cluster: int, query: Query) -> dict[str, Any]:
        tree = self._tree(query)
        offset, limit = int(query.get("offset", 0)), int(query["limit"])
        page = tree.members(cluster, offset=offset, limit=limit)
        total = int(tree.clusters_with_ids([cluster]).count[0])
        values = self._values(tree, page.tree_index)
        features = [
            {"type": "Feature", "geometry": {"type": "Point", "coordinates": [float(x), float(y)]},
             "properties": {"index": int(row), **properties}}
            for x, y, row, properties in zip(page.x, page.y, page.row, values)
        ]
        return {"total": total, "offset": offset, "type": "FeatureCollection", "features": features}

    def expansion_zoom(self, cluster: int, query: Query) -> dict[str, Any]:
        zoom = self._tree(query).expansion_zoom(cluster, **_parameters(query, CUT))
        return {"zoom": zoom}

    def histogram(self, query: Query) -> dict[str, Any]:
        tree = self._tree(query)
        found = tree.histogram(query["column"], bins=int(query["bins"]), **_parameters(query, VIEW))
        return {"column": query["column"], "edges": list(found.edges), "counts": [int(count) for count in found.counts],
                "missing_count": int(found.missing)}

    # Features

    def _collection(self, tree: Tree, answer: Answer, query: Query) -> dict[str, Any]:
        told = [{} for _ in answer.id]
        if query.get("aggregate"):
            told = answer.aggregate(query["aggregate"])
        alone = [at for at, row in enumerate(answer.row) if row >= 0]
        values = dict(zip(alone, self._values(tree, answer.tree_index[alone])))
        features = [self._feature(answer, at, told[at], values.get(at, {})) for at in range(len(answer))]
        return {"type": "FeatureCollection", "features": features}

    def _feature(self, answer: Answer, at: int, told: Feature, values: Feature) -> Feature:
        count, x, y = int(answer.count[at]), float(answer.x[at]), float(answer.y[at])
        box = [float(edge[at]) for edge in (answer.west, answer.south, answer.east, answer.north)]
        properties: Feature = {
            "cluster": count > 1, "cluster_id": int(answer.id[at]), "point_count": count,
            "tree_range": [int(answer.first[at]), int(answer.end[at])],
        }
        if count > 1:
            properties["point_count_abbreviated"] = abbreviated(count)
        major, minor = float(answer.semi_major[at]), float(answer.semi_minor[at])
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
        return {"type": "Feature", "id": properties["cluster_id"], "bbox": box,
                "geometry": {"type": "Point", "coordinates": [x, y]}, "properties": {**properties, **told, **values}}

    def _values(self, tree: Tree, indices: Any) -> list[Feature]:
        columns = {name: tree.values(name, indices) for name in tree.columns} if len(indices) else {}
        return [{name: column[at] for name, column in columns.items()} for at in range(len(indices))]

    # Filters

    def _tree(self, query: Query) -> Tree:
        return self._selecting(query.get("filter", ""))

    def _select(self, where: str) -> Tree:
        try:
            return self.tree.select(where) if where else self.tree
        except TreelineError as error:
            raise Problem(400, f"filter: {error}") from None


def _parameters(query: Query, names: tuple[str, ...]) -> dict[str, Any]:
    found = {name: query[name] for name in names if name in query}
    if "center" in found:
        found["center"] = tuple(float(part) for part in found["center"].split(","))
    return found


def _change(before: Answer, after: Answer) -> dict[str, Any]:
    """A transition as the server tells it, as far as a map needs it."""
    change: dict[str, Any] = {"kept": [], "splits": [], "merges": [], "entered": [], "left": []}
    wholes: dict[tuple[str, int], dict[str, Any]] = {}

    def part(kind: str, whole: int, of: int) -> None:
        if (kind, whole) not in wholes:
            wholes[kind, whole] = {"whole": {"cluster_id": whole}, "parts": []}
            change[kind].append(wholes[kind, whole])
        wholes[kind, whole]["parts"].append({"cluster_id": of})

    for kind, start, end in before.transition_to(after):
        old, new = int(before.id[start]) if start >= 0 else -1, int(after.id[end]) if end >= 0 else -1
        if kind == 1:
            part("splits", old, new)
        elif kind == 2:
            part("merges", new, old)
        else:
            name, cluster = {0: ("kept", new), 3: ("entered", new), 4: ("left", old)}[kind]
            change[name].append({"cluster_id": cluster})
    return change


def abbreviated(count: int) -> str:
    """A count in four characters or so, halves rounded up: 999, 1.2k, 12k, 3.4M."""
    if count < 1000:
        return str(count)
    unit, suffixes = 1000, "kMBT"
    while len(suffixes) > 1 and (count + unit // 2) // unit >= 1000:
        unit, suffixes = unit * 1000, suffixes[1:]
    tenths = (count + unit // 20) // (unit // 10)
    return f"{tenths / 10:g}{suffixes[0]}" if tenths < 100 else f"{(count + unit // 2) // unit}{suffixes[0]}"
