"""A browser without a graphics card, and servers that it talks to: for the tests of the viewer and of the notebook."""

import socket
import time

import pytest
from playwright.sync_api import sync_playwright

#: WebGL in software, and the page put together without it: no machine that runs the tests needs a graphics card.
CHROMIUM = [
    "--use-angle=swiftshader",
    "--enable-unsafe-swiftshader",
    "--ignore-gpu-blocklist",
    "--disable-gpu-compositing",
    "--no-sandbox",
]

#: By what the driver tells of WebGL, that its picture is copied, which only takes time.
TOLERATED = "GPU stall due to ReadPixels"


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def wait_for(condition, seconds):
    end = time.monotonic() + seconds
    while True:
        try:
            if condition():
                return
        except OSError:
            pass
        assert time.monotonic() < end, f"Expected within {seconds} s what has not come about"
        time.sleep(0.05)


@pytest.fixture(scope="session")
def browser():
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path="/usr/bin/chromium", args=CHROMIUM)
        yield browser
        browser.close()


@pytest.fixture
def complaints():
    """What pages complain of, which none may."""
    found = []
    yield found
    assert not found, found


@pytest.fixture
def new_context(browser):
    """Contexts of the browser, which end with the test."""
    contexts = []

    def new_context(**options):
        contexts.append(browser.new_context(**options))
        return contexts[-1]

    yield new_context
    for context in contexts:
        context.close()
