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
    """Builds a tree over some points; the same points give the same tree, in any order and on any number of threads.

    Other threads of Python go on meanwhile, and KeyboardInterrupt stops it.

    :param x: Longitudes, of numpy, pandas, polars, pyarrow or a list; or points as an array of two columns, or as a
        GeoDataFrame, whose columns are taken along.
    :param y: Latitudes.
    :param columns: A mapping or a table of pandas, polars or pyarrow: what can be filtered and summed. Beside a
        GeoDataFrame the names of those to take.
    :param kinds: By names of columns what values are taken for: `number`, `category`, `boolean`, `time`, `time-ms` or
        `text`, and `+percentiles` or `+distinct` behind it for aggregates that are to be fast.
    :param planar: Whether coordinates are plain x and y.
    :param grow: How the tree grows: by splitting from all points down; or by merging those that are closest, whose
        badges touch first, or that spread least.
    :param split: Where nodes are split: `least-scatter`, `mean` or `gamma:1.5`.
    :param badge_gap: How far badges stay apart, in pixels.
    :param stand: Where clusters stand that are merged by distance or for badges.
    :param separations: Whether a spacing or badges can be asked for; without, a tree that is split is built sooner.
    :param group_by: A column whose values never share a cluster.
    :param never_cluster: A column that tells which points are never clustered.
    :param threads: How many; as many as there are processors unless told.
    :param progress: Called with what is done and how much of it, from 0 to 1.
    :raises Error: In the words of the library.
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
    """What is told of how far a build is, and what stops it: whoever is told by an exception, or an interrupt."""

    def __init__(self, progress: Callable[[str, float], None] | None) -> None:
        self._progress = progress
        self._failures: list[BaseException] = []
        self._cancellation = c.Handle(c.cancellation_create(), c.cancellation_free)
        self._callback = c.Progress(self._report) if progress is not None else c.Progress()
        self._monitor = c.Monitor(self._callback, None, self._cancellation.pointer)
        #: As the library takes it.
        self.reference = ctypes.byref(self._monitor)

    def _report(self, _: Any, stage: bytes, fraction: float) -> None:
        try:
            if self._progress is not None and not self._failures:
                self._progress(stage.decode(), fraction)
        except BaseException as failure:
            self._failures.append(failure)
            c.cancellation_cancel(self._cancellation.pointer)

    def run(self, call: Callable[[], Any]) -> Any:
        """Calls what was given the monitor."""
        try:
            return _interruptible(call, self._cancellation)
        except CancelledError:
            if self._failures:
                raise self._failures[0] from None
            raise


#: How long an interrupt may go unheard.
_SECONDS_UNHEARD = 0.05


def _interruptible(call: Callable[[], Any], cancellation: c.Handle) -> Any:
    """Calls what another thread can cancel, on a thread of its own if this is the one that signals interrupt."""
    if threading.current_thread() is not threading.main_thread():
        return call()
    result: list[Any] = []
    failures: list[BaseException] = []
    # Not the end of the thread, which `Thread.join` takes for reached when it is interrupted, as of Python 3.11.
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
        # Some libraries, polars among them, have signals wait for the end of a wait.
        while not done.wait(_SECONDS_UNHEARD):
            pass
    except BaseException:
        c.cancellation_cancel(cancellation.pointer)
        # The arrays that it reads are this thread's: they stay until it has stopped, whoever interrupts again.
        while not done.is_set():
            try:
                done.wait()
            except KeyboardInterrupt:
                pass
        raise
    if failures:
        raise failures[0]
    return result[0]
