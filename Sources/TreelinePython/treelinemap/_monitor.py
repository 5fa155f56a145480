"""Progress and interruption of builds."""

from __future__ import annotations

import ctypes
import threading
import weakref
from collections.abc import Callable
from typing import Any

from . import _library as c
from ._errors import CancelledError


class Monitor:
    """Reports the progress of a build. Stops the build if it is interrupted or if the progress function raises."""

    def __init__(self, progress: Callable[[str, float], None] | None) -> None:
        self._progress = progress
        self._failures: list[BaseException] = []
        self._cancellation = c.Handle(c.cancellation_create(), c.cancellation_free)
        # A callback that holds the monitor would be a reference cycle that Python never collects.
        report = weakref.WeakMethod(self._report)

        def forward(context: Any, stage: bytes, fraction: float) -> None:
            if (call := report()) is not None:
                call(context, stage, fraction)

        self._callback = c.Progress(forward) if progress is not None else c.Progress()
        self._monitor = c.Monitor(self._callback, None, self._cancellation.pointer)

    @property
    def reference(self) -> Any:
        """Pointer to pass to the library."""
        return ctypes.byref(self._monitor)

    def _report(self, _: Any, stage: bytes, fraction: float) -> None:
        try:
            if self._progress is not None and not self._failures:
                self._progress(stage.decode(), fraction)
        except BaseException as failure:
            self._failures.append(failure)
            c.cancellation_cancel(self._cancellation.pointer)

    def run(self, call: Callable[[], Any]) -> Any:
        """Calls a function that uses this monitor."""
        try:
            return _interruptible(call, self._cancellation)
        except CancelledError:
            if self._failures:
                # The failure must not stay in the monitor, because its traceback refers to the monitor.
                raise self._failures.pop() from None
            raise


#: Maximum delay of an interrupt, in seconds.
_SECONDS_UNHEARD = 0.05


def _interruptible(call: Callable[[], Any], cancellation: c.Handle) -> Any:
    """Calls a function. Only the main thread gets interrupts. So the main thread lets another thread make the call, and
    waits."""
    if threading.current_thread() is not threading.main_thread():
        return call()
    result: list[Any] = []
    failures: list[BaseException] = []
    # The main thread waits for an event, not with `Thread.join`. Since Python 3.11, an interrupted `join` treats the
    # thread as ended.
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
        # Waits in short steps, because some libraries, such as polars, delay signals until a wait ends.
        while not done.wait(_SECONDS_UNHEARD):
            pass
    except BaseException:
        c.cancellation_cancel(cancellation.pointer)
        # The build reads arrays that belong to this thread. So this thread waits until the build has stopped, even if
        # further interrupts arrive.
        while not done.is_set():
            try:
                done.wait()
            except KeyboardInterrupt:
                pass
        raise
    if failures:
        raise failures[0]
    return result[0]
