"""Building trees."""

from __future__ import annotations

import ctypes
import threading
from collections.abc import Callable, Mapping
from typing import Any, Literal

from . import _library as c
from ._columns import input_columns
from ._coordinates import coordinates
from ._errors import CancelledError
from ._parameters import text
from ._tree import Tree


def build(
    x: Any,
    y: Any = None,
    *,
    columns: Any = None,
    kinds: Mapping[str, str] | None = None,
    planar: bool = False,
    grow: Literal["split", "merge", "badges", "scatter"] | None = None,
    split: str | None = None,
    badge_gap: float | None = None,
    stand: Literal["mean", "member"] | None = None,
    separations: bool = True,
    group_by: str | None = None,
    never_cluster: str | None = None,
    threads: int | None = None,
    progress: Callable[[str, float], None] | None = None,
) -> Tree:
    """Builds a tree over some points. The tree does not depend on their order or on the number of threads.

    Other Python threads continue meanwhile, and KeyboardInterrupt stops the build.

    :param x: Longitudes, from numpy, pandas, polars, pyarrow or a list. Or points, as an array of two columns or as a
        GeoDataFrame, whose other columns are used, too.
    :param y: Latitudes.
    :param columns: Columns for filters and aggregates: a mapping, or a table of pandas, polars or pyarrow. With a
        GeoDataFrame, the names of its columns to use.
    :param kinds: Kinds of values by column name: `number`, `category`, `boolean`, `time`, `time-ms` or `text`, followed
        by `+percentiles` or `+distinct` to make these aggregates fast.
    :param planar: Whether coordinates are plain x and y.
    :param grow: How the tree grows: by splitting from all points down; or by merging the clusters that are closest,
        whose badges touch first, or that spread least.
    :param split: Where nodes are split: `least-scatter`, `mean` or `gamma:1.5`.
    :param badge_gap: Gap between badges, in pixels.
    :param stand: Where clusters of a tree merged by distance or for badges stand.
    :param separations: Whether the tree can answer a spacing or badges. Without, a split tree is built faster.
    :param group_by: A column whose values never share a cluster.
    :param never_cluster: A column that marks points that are never clustered.
    :param threads: Number of threads; by default the number of processors.
    :param progress: Called with the current stage and its completed share, from 0 to 1.
    :raises Error: With the message of the library.
    """
    xs, ys, frame = coordinates(x, y, planar)
    if len(xs) != len(ys):
        raise ValueError(f"expected as many x as y, found {len(xs)} and {len(ys)}")
    names = None
    if frame is not None and (columns is None or isinstance(columns, str | list | tuple)):
        columns, names = frame, columns
    made = input_columns(columns, names, kinds or {}, len(xs))
    options = text(
        grow=grow, split=split, badge_gap=badge_gap, stand=stand, threads=threads, group_by=group_by,
        never_cluster=never_cluster, planar=planar or None, no_separation=None if separations else True,
    )  # fmt: skip
    points = c.Points.of(xs, ys)
    entries = (c.Column * len(made))(*(column.column for column in made))
    monitor = Monitor(progress)
    arguments = (ctypes.byref(points), entries, len(made), options.encode(), monitor.reference)
    return Tree(monitor.run(lambda: c.call(c.build, *arguments)))


class Monitor:
    """Reports the progress of a build, and stops it on an interrupt or if the progress function raises an exception."""

    def __init__(self, progress: Callable[[str, float], None] | None) -> None:
        self._progress = progress
        self._failures: list[BaseException] = []
        self._cancellation = c.Handle(c.cancellation_create(), c.cancellation_free)
        self._callback = c.Progress(self._report) if progress is not None else c.Progress()
        self._monitor = c.Monitor(self._callback, None, self._cancellation.pointer)
        #: Argument for the library.
        self.reference = ctypes.byref(self._monitor)

    def _report(self, _: Any, stage: bytes, fraction: float) -> None:
        try:
            if self._progress is not None and not self._failures:
                self._progress(stage.decode(), fraction)
        except BaseException as failure:
            self._failures.append(failure)
            c.cancellation_cancel(self._cancellation.pointer)

    def run(self, call: Callable[[], Any]) -> Any:
        """Calls a function that was given the monitor."""
        try:
            return _interruptible(call, self._cancellation)
        except CancelledError:
            if self._failures:
                raise self._failures[0] from None
            raise


#: Maximum delay of an interrupt, in seconds.
_SECONDS_UNHEARD = 0.05


def _interruptible(call: Callable[[], Any], cancellation: c.Handle) -> Any:
    """Calls a function that another thread can cancel. Uses a separate thread if signals interrupt this one."""
    if threading.current_thread() is not threading.main_thread():
        return call()
    result: list[Any] = []
    failures: list[BaseException] = []
    # Does not use `Thread.join`, which regards the thread as ended when it is interrupted, since Python 3.11.
    done = threading.Event()

    def work() -> None:
        try:
            result.append(call())
        except BaseException as failure:
            failures.append(failure)
        finally:
            done.set()

    threading.Thread(target=work, name="treeline-build").start()
    try:
        # Some libraries, such as polars, delay signals until a wait ends.
        while not done.wait(_SECONDS_UNHEARD):
            pass
    except BaseException:
        c.cancellation_cancel(cancellation.pointer)
        # The build reads arrays of this thread, which must stay alive until it has stopped, even after more interrupts.
        while not done.is_set():
            try:
                done.wait()
            except KeyboardInterrupt:
                pass
        raise
    if failures:
        raise failures[0]
    return result[0]
