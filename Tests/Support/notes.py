"""What tests report when they pass, such as seeds, numbers of cases and speeds. A conftest.py imports both names."""

import pytest

_NOTES = pytest.StashKey[list]()


@pytest.fixture
def note(request):
    """Adds a line to the end of pytest's report."""
    notes = request.config.stash.setdefault(_NOTES, [])
    return lambda text: notes.append(f"{request.node.name}: {text}")


def pytest_terminal_summary(terminalreporter, config):
    if notes := config.stash.get(_NOTES, None):
        terminalreporter.section("notes")
        for line in notes:
            terminalreporter.write_line(line)
