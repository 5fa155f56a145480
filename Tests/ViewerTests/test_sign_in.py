"""Tests the map of a server that requires a token."""

import pytest

from conftest import VIEWER, WINDOW, rest, shown
from programs import Server


@pytest.fixture
def guarded(indexes, tmp_path):
    """Starts a server with the token `secret`. Returns its address."""
    token = tmp_path / "token"
    token.write_text("secret\n")
    server = Server(indexes["airports"], "--viewer", VIEWER, "--token-file", token)
    yield server.url
    server.stop()


def test_the_map_signs_in_once(new_context, guarded):
    page = new_context(viewport=WINDOW).new_page()
    statuses = []
    page.on("response", lambda response: statuses.append((response.status, response.url)))
    page.goto(f"{guarded}/#index=airports&view=tree&dust=true")
    page.get_by_label("This server needs a token.").fill("wrong")
    page.get_by_role("button", name="Sign in").click()
    page.get_by_text("The server refused this token").wait_for()
    page.get_by_label("This server needs a token.").fill("secret")
    page.get_by_role("button", name="Sign in").click()
    rest(page)
    assert shown(page)
    # The map library also sends the token.
    page.wait_for_function("() => viewer.map.areTilesLoaded()")
    assert {status for status, url in statuses if "/tiles" in url} <= {200, 304}
    assert any("/tiles/" in url for _, url in statuses)
    statuses.clear()
    page.reload()
    rest(page)
    assert not [url for status, url in statuses if status == 401]


def test_who_has_no_token_is_told(new_context, guarded):
    page = new_context(viewport=WINDOW).new_page()
    page.goto(f"{guarded}/#index=airports&view=tree")
    page.get_by_label("This server needs a token.").wait_for()
    page.keyboard.press("Escape")
    page.locator("#notice").get_by_text("Authorization: Bearer TOKEN").wait_for()
