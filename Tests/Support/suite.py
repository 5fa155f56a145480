"""Parts that all pytest suites share. Each conftest.py imports all three functions."""

import signal

import pytest

_NOTES = pytest.StashKey[list]()


@pytest.fixture
def note(request):
    """Returns a function that adds a line to the end of pytest's report, such as a seed, a number of cases or a
    speed."""
    notes = request.config.stash.setdefault(_NOTES, [])
    return lambda text: notes.append(f"{request.node.name}: {text}")


def pytest_terminal_summary(terminalreporter, config):
    if notes := config.stash.get(_NOTES, None):
        terminalreporter.section("notes")
        for line in notes:
            terminalreporter.write_line(line)


def pytest_sessionstart(session):
    """Lets SIGTERM end a suite in such a way that its servers and browsers end, too."""
    # Treats the signal like an interrupt. No library mistakes an interrupt for an error.
    signal.signal(signal.SIGTERM, signal.default_int_handler)
