"""Shared parts of the pytest suites. Each conftest.py imports all three names."""

import signal

import pytest

_NOTES = pytest.StashKey[list]()


@pytest.fixture
def note(request):
    """Adds a line to the end of pytest's report, such as a seed, a number of cases or a speed."""
    notes = request.config.stash.setdefault(_NOTES, [])
    return lambda text: notes.append(f"{request.node.name}: {text}")


def pytest_terminal_summary(terminalreporter, config):
    if notes := config.stash.get(_NOTES, None):
        terminalreporter.section("notes")
        for line in notes:
            terminalreporter.write_line(line)


def pytest_sessionstart(session):
    """Makes SIGTERM end the servers and browsers of a suite with it."""
    # As an interrupt, which no library mistakes for an error.
    signal.signal(signal.SIGTERM, signal.default_int_handler)
