"""Progress and interruption of builds."""

from __future__ import annotations

import ctypes
import threading
from collections.abc import Callable
from typing import Any

from . import _library as c
from ._errors import CancelledError


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
    """Calls a function that another thread can cancel. If signals interrupt this thread, uses a separate thread."""
    if threading.current_thread() is not threading.main_thread():
        return call()
    result: list[Any] = []
    failures: list[BaseException] = []
    # Does not use `Thread.join`. Since Python 3.11, an interrupted join regards the thread as ended.
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
        # The build reads arrays of this thread. They must stay alive until the build has stopped, even after further
        # interrupts.
        while not done.is_set():
            try:
                done.wait()
            except KeyboardInterrupt:
                pass
        raise
    if failures:
        raise failures[0]
    return result[0]
