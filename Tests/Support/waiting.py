"""Waiting for events, and ports that no other process takes meanwhile."""

import contextlib
import socket
import time

#: Longest wait for any event, in seconds. Only a failure takes that long, even on a busy machine.
LIMIT = 120


def wait_for(condition, what="a condition", ignoring=(), limit=LIMIT):
    """Waits until a condition is truthy and returns its value.

    :param ignoring: Exceptions of the condition that mean that it does not hold yet.
    """
    end = time.monotonic() + limit
    last = None
    while True:
        try:
            if value := condition():
                return value
        except ignoring as error:
            last = error
        if time.monotonic() > end:
            raise AssertionError(f"waited {limit} s for {what}" + (f"; the last error: {last!r}" if last else ""))
        time.sleep(0.02)


@contextlib.contextmanager
def reserved_port(address="127.0.0.1"):
    """Returns a port that the system gives to no other process during the block. A server may listen at it.

    The socket is bound and does not listen. A server that sets SO_REUSEADDR, like nearly all servers, can still bind
    the port.
    """
    with socket.socket() as reservation:
        reservation.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        reservation.bind((address, 0))
        yield reservation.getsockname()[1]
