"""A browser without a graphics card, for the tests of the viewer and of the notebook."""

import pathlib
import sys

import pytest
from playwright.sync_api import sync_playwright

sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "Support"))

from waiting import LIMIT

#: Options that make Chromium draw WebGL in software and compose pages without it. So the tests need no graphics card.
CHROMIUM = [
    "--use-angle=swiftshader",
    "--enable-unsafe-swiftshader",
    "--ignore-gpu-blocklist",
    "--disable-gpu-compositing",
    "--no-sandbox",
]

#: Warning of the WebGL driver that its picture is copied. The copy only takes time, so the warning is ignored.
TOLERATED = "GPU stall due to ReadPixels"


@pytest.fixture(scope="session")
def browser():
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path="/usr/bin/chromium", args=CHROMIUM)
        yield browser
        browser.close()


@pytest.fixture
def complaints():
    """Collects complaints of pages. The test fails if there are any."""
    found = []
    yield found
    assert not found, found


@pytest.fixture
def new_context(browser):
    """Returns a function that creates browser contexts. They are closed at the end of the test."""
    contexts = []

    def new_context(**options):
        contexts.append(browser.new_context(**options))
        contexts[-1].set_default_timeout(LIMIT * 1000)
        return contexts[-1]

    yield new_context
    for context in contexts:
        context.close()
