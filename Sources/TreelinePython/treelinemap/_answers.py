"""Answers a map's messages about a tree, as JSON in the server's form."""

from __future__ import annotations

import ctypes
import json
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from . import _library as c
from ._errors import Error, FilterError
from ._parameters import integer, text
from ._table import Table, plain

if TYPE_CHECKING:
    from ._tree import Tree

Query = dict[str, Any]

#: Names of the parameters of a query's viewport.
VIEW = ("bbox", "center", "zoom", "width", "height")


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
        self._verbs: dict[str, Callable[..., bytes | dict[str, Any]]] = {
            name: getattr(self, name)
            for name in ("clusters", "transition", "cluster", "members", "expansion_zoom", "histogram")
        }

    def answer(self, verb: str, **arguments: Any) -> bytes:
        """Returns the answer to a message of the map, as JSON."""
        try:
            answer = self._verbs[verb](**arguments)
        except (Error, ValueError) as error:
            raise Problem(400, str(error)) from None
        return answer if isinstance(answer, bytes) else json.dumps(answer, allow_nan=False).encode()

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

    def clusters(self, query: Query) -> bytes:
        answer = self._tree(query).clusters(**self._shown(query))
        return answer._geojson(**_style(query))

    def transition(self, ids: list[int], query: Query, version: str | None = None) -> bytes:
        tree = self._tree({**query, "version": version})
        before = self._selected(query.get("from-filter", "")).clusters_with_ids(ids)
        after = tree.clusters(**self._shown(query))
        options = text(**_style(query)).encode()
        return c.bytes_of(c.call(c.transition_geojson, before._pointer, after._pointer, options))

    def cluster(self, cluster: int, query: Query) -> dict[str, Any]:
        answer = self._tree(query).clusters_with_ids([cluster])
        feature: dict[str, Any] = json.loads(answer._geojson(**_style(query)))["features"][0]
        return feature

    def members(self, cluster: int, query: Query) -> bytes:
        tree = self._tree(query)
        cluster = integer("cluster", cluster)
        offset, limit = integer("offset", int(query.get("offset", 0))), integer("limit", int(query["limit"]))
        options = text(safe_integers=True).encode()
        return c.bytes_of(c.call(c.members_geojson, tree._handle.pointer, cluster, offset, limit, options))

    def expansion_zoom(self, cluster: int, query: Query) -> dict[str, Any]:
        zoom = self._tree(query).expansion_zoom(cluster, **self._cut(query))
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

    # Parameters

    def _cut(self, query: Query) -> dict[str, Any]:
        return _parameters(query, (*self.tree._CRITERIA, "order"))

    def _shown(self, query: Query) -> dict[str, Any]:
        return {**_parameters(query, (*VIEW, "position")), **self._cut(query)}

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


def _style(query: Query) -> dict[str, Any]:
    """Returns the options of `Clusters._geojson` for a query of the map. The map marks selected clusters by their tree
    ranges. Large whole numbers become strings, because JavaScript would round them."""
    return {
        "aggregate": query.get("aggregate") or None,
        "ellipses": bool(query.get("ellipses")),
        "tree_ranges": True,
        "safe_integers": True,
    }
