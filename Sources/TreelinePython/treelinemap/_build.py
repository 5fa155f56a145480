"""Building trees."""

from __future__ import annotations

import ctypes
import os
import tempfile
import warnings
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Literal

import numpy as np

from . import _edits, _steps
from . import _library as c
from ._columns import input_columns
from ._coordinates import Coordinates, coordinates, left_out, may_be_degrees, remedy
from ._errors import BuildError, ColumnError
from ._exact import WholeNumbers
from ._input_column import InputColumn
from ._monitor import Monitor
from ._parameters import text
from ._tree import Tree
from ._tree import open as open_index


def build(
    x: Any,
    y: Any = None,
    *,
    lon: str | None = None,
    lat: str | None = None,
    columns: Any = None,
    kinds: Mapping[str, str] | None = None,
    skip_invalid: bool = False,
    planar: bool | None = None,
    supporting: Literal["limit", "spacing", "badges"] | None = None,
    grow: Literal["split", "merge", "badges", "scatter"] | None = None,
    split: str | None = None,
    badge_gap: float | None = None,
    anchor: Literal["mean", "member"] | None = None,
    group_by: str | None = None,
    never_cluster: str | None = None,
    key: Any = None,
    threads: int | None = None,
    progress: Callable[[str, float], None] | None = None,
) -> Tree:
    """Builds a tree over some points. The tree does not depend on the order of the points or on the number of threads.

    Other Python threads run during the build. KeyboardInterrupt stops the build.

    :param x: Points: a table of pandas, polars, pyarrow or DuckDB, a mapping, a GeoDataFrame, or an array of two
        columns. In a table, longitudes and latitudes are found by the names of their columns, and all other columns
        become columns of the tree. If `y` is given, `x` has only the longitudes, as an array or a list.
    :param y: Latitudes, if `x` has only the longitudes.
    :param lon: Name of a table's column of longitudes or x. `lat` names the column of latitudes or y.
    :param columns: Columns for filters and aggregates, as a mapping or as a table of pandas, polars or pyarrow. If `x`
        is a table, `columns` has the names of the columns to use.
    :param kinds: Kind of each column, by name: `number`, `category`, `boolean`, `time`, `time-ms` or `text`. To make
        aggregates fast, add `+percentiles` or `+distinct`. To make texts searchable, add `+search`.
    :param skip_invalid: Whether to leave out rows with invalid coordinates, with a warning that counts these rows. The
        other rows keep their numbers. By default such rows are an error. Rows cannot be left out if the tree has keys or
        groups, grows by `scatter`, or is split by `gamma`.
    :param planar: Whether coordinates are plain x and y. By default they are degrees. But if the columns of a table are
        found by the names `x` and `y`, `easting` and `northing`, or `Rechtswert` and `Hochwert`, the coordinates are
        plain x and y.
    :param supporting: What queries will ask for: a `limit` (the default), a `spacing` or `badges`. The tree grows as
        these queries need. Every tree supports cuts with `limit` and `detail`.
    :param grow: How the tree grows, for experts; `supporting` chooses a way. `split` starts with all points and splits
        them. The other ways merge clusters. `merge` first merges the closest clusters. `badges` first merges the
        clusters whose badges would touch first if all badges grew. `scatter` first merges the clusters whose points
        would be scattered least after the merge.
    :param split: Where nodes are split: `least-scatter`, `mean` or `gamma:1.5`.
    :param badge_gap: Gap between badges, in pixels.
    :param anchor: Where clusters are shown, if the tree supports `spacing` or `badges`: at the `mean` of their points,
        or at a `member`, which is one of the points.
    :param group_by: A column of groups. Points with different values in this column never share a cluster.
    :param never_cluster: A column of booleans. Points with True in this column are never clustered.
    :param key: Keys of the points, for `Tree.updating`: the name of a column, or an array of distinct texts or whole
        numbers, such as the index of a frame. A tree with keys also keeps the coordinates and values of its points.
    :param threads: Number of threads; by default the number of processors.
    :param progress: Called with the current stage and its completed share, from 0 to 1.
    :raises Error: If the library reports an error.
    """
    points = coordinates(x, y, planar, (lon, lat))
    if points.note:
        warnings.warn(f"{points.note}; confirm or swap these columns with lon= and lat=", stacklevel=2)
    if len(points.x) != len(points.y):
        raise ValueError(f"expected equal numbers of x and y, found {len(points.x)} and {len(points.y)}")
    chosen: Iterable[str] | None = None
    if points.table is not None and (columns is None or isinstance(columns, str | list | tuple)):
        chosen = [name for name in points.table if name not in points.own] if columns is None else columns
        columns = points.table
    made = input_columns(columns, chosen, kinds or {}, len(points.x))
    whole = WholeNumbers()
    for column in made:
        whole.add(column, np.arange(len(points.x)))
    whole.warn(stacklevel=2)
    planar = points.is_planar
    # `for` is a keyword, so it cannot be the name of an argument.
    common = {"for": supporting, "grow": grow, "split": split, "badge_gap": badge_gap, "anchor": anchor}
    common |= {"threads": threads, "planar": planar or None}
    groups = {"group_by": group_by, "never_cluster": never_cluster}
    for argument, chosen_name in groups.items():
        if chosen_name is not None and not isinstance(chosen_name, str):
            raise TypeError(f"expected {argument}= to be the name of a column, found {type(chosen_name).__name__}")
    options = text(**common, **groups, editable=None if key is None else True)
    editing = None if key is None else _editing(key, points, made, options, group_by, never_cluster)
    monitor = Monitor(progress)
    given = ctypes.byref(c.Points.of(points.x, points.y))
    arguments = (given, *_steps.column_array(made), options.encode(), monitor.reference)
    fault: BuildError | ColumnError | None = None
    try:
        tree = Tree(monitor.run(lambda: c.call(c.build, *arguments)))
    except (BuildError, ColumnError) as error:
        fault = error
    if fault is not None:
        invalid = _steps.Survey(planar).add(points.x, points.y)
        # A value that does not suit its column matters only if its row is kept.
        if not invalid.any() or (isinstance(fault, ColumnError) and not skip_invalid):
            raise fault
        if not skip_invalid:
            raise BuildError(f"{fault}; {remedy(points.x, points.y, invalid, planar)}")
        row = int(invalid.argmax())
        is_gamma = split is not None and split.startswith("gamma")
        alone = {
            "grow": grow if grow == "scatter" else None, "split": split if is_gamma else None, "key": key, **groups
        }  # fmt: skip
        if unfit := [name for name, value in alone.items() if value is not None]:
            raise BuildError(
                f"{invalid.sum()} rows have invalid coordinates, the first is row {row}; "
                f"skip_invalid=True cannot be combined with {unfit[0]}=, so drop these rows first"
            )
        tree = _without_invalid(points, made, text(**common), progress)
        warnings.warn(left_out(int(invalid.sum()), "the tree", row, points.x[row], points.y[row]), stacklevel=2)
    if points.is_planar_by_name and len(tree) and (note := may_be_degrees(points.own, tree.bounds)):
        warnings.warn(note, stacklevel=2)
    # A tree without some rows is opened from a temporary file, whose name means nothing.
    tree._given_row_count, tree._editing, tree._name = len(points.x), editing, ""
    return tree


def _editing(
    key: Any, points: Coordinates, columns: list[InputColumn], options: str, *groups: str | None
) -> _edits.Editing:
    """Returns the data that a tree must keep so that it can be edited later."""
    if groups != (None, None):
        raise ValueError(
            "key= makes a tree editable, but a tree with groups cannot be edited; leave out key=, or leave out "
            "group_by= and never_cluster="
        )
    name = key if isinstance(key, str) else None
    if name is not None and (points.table is None or name not in points.table):
        there = ", ".join(map(repr, points.table or {})) or "none"
        raise KeyError(f"there is no column {name!r} for key=; columns: {there}")
    keys = key if points.table is None or name is None else points.table[name]
    return _edits.Editing.of(
        keys, points.x, points.y, columns, options, key=name, names=points.own, is_planar=points.is_planar,
        known=frozenset(points.table or ()),
    )


def _without_invalid(
    points: Coordinates, columns: list[InputColumn], options: str, progress: Callable[[str, float], None] | None
) -> Tree:
    """Builds a tree through an index in a temporary folder. Only a build of an index can leave out rows and keep the
    numbers of the other rows."""
    with tempfile.TemporaryDirectory(prefix="treeline-") as folder:
        path = os.path.join(folder, "tree.treeline")
        with _steps.Stream(path, options, columns, _steps.description(None, None, None), False) as stream:
            stream.add(points.x, points.y, None, columns)
            stream.finish(progress)
        # The file is deleted, but its pages stay mapped into memory.
        return open_index(path)
