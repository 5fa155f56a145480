"""Functions that wait for events, and that reserve ports which no other process takes."""

import contextlib
import socket
import time

#: Longest time to wait for any event, in seconds. Even on a busy machine, only a failure takes so long.
LIMIT = 120


def wait_for(condition, what="a condition", ignoring=(), limit=LIMIT):
    """Waits until a condition is truthy, and returns its value.

    :param ignoring: Exceptions that the condition may raise while it does not hold yet.
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
    """Returns a port that the system gives to no other process during the block. A server may listen at this port.

    The port is bound to a socket that does not listen. A server that sets SO_REUSEADDR can still bind the port. Nearly
    all servers do so.
    """
    with socket.socket() as reservation:
        reservation.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        reservation.bind((address, 0))
        yield reservation.getsockname()[1]
