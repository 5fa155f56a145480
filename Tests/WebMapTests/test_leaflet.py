"""Badges on a map of Leaflet."""

import math

import pytest

from conftest import ADD, LAPTOP, LEAFLET_MAP, PHONE, PICTURES, ROOT, colour, rest

SHOWN = """() => layer.scene.clusters.map(({ id, count, radius, longitude, latitude }) =>
  ({ id, count, radius, longitude, latitude, exact: map.project([latitude, longitude]), ...map.latLngToContainerPoint([latitude, longitude]) }))"""


@pytest.fixture
def open_leaflet(open_page):
    def open_leaflet(points="airports", options="", **rest_of):
        page = open_page(LEAFLET_MAP + ADD % (points, options), kit="leaflet", module="leaflet", **rest_of)
        rest(page)
        return page

    return open_leaflet


def test_the_adapter_has_at_most_80_lines():
    assert len((ROOT / "Sources/TreelineWeb/src/map/leaflet.js").read_text().splitlines()) <= 80


@pytest.mark.parametrize("viewport", [LAPTOP, PHONE])
def test_badges_are_in_place_and_do_not_touch(open_leaflet, viewport):
    page = open_leaflet(viewport=viewport)
    page.screenshot(path=PICTURES / f"leaflet-{viewport['width']}.png")
    for view in ([[47, 10], 4], [[40, -100], 5], [[-20, 140], 3]):
        page.evaluate("([center, zoom]) => map.setView(center, zoom, { animate: false })", view)
        rest(page)
        badges = page.evaluate(SHOWN)
        touching = [1 for a in badges for b in badges if a["id"] < b["id"]
                    and math.dist(a["exact"].values(), b["exact"].values()) < a["radius"] + b["radius"]]
        assert touching == []
        largest = max((b for b in badges if 60 < b["x"] < viewport["width"] - 60 and 60 < b["y"] < viewport["height"] - 60),
                      key=lambda b: b["count"])
        assert colour(page, largest["x"] - 15, largest["y"])[3] > 200


def test_badges_follow_a_drag_and_a_zoom(open_leaflet):
    page = open_leaflet()
    page.mouse.move(700, 700)
    page.mouse.down()
    page.mouse.move(500, 600, steps=4)
    largest = max(page.evaluate(SHOWN), key=lambda b: b["count"])
    # The canvas moves against the pane, so it stays on the screen, and badges are drawn at the current view.
    assert colour(page, largest["x"] - 15, largest["y"])[3] > 200
    page.mouse.up()
    rest(page)
    page.evaluate("map.zoomIn()")
    page.wait_for_function("() => map.getZoom() === 5")
    rest(page)
    assert page.evaluate("layer.scene.clusters.length") > 50


def test_a_click_expands_and_a_point_is_reported(open_leaflet):
    page = open_leaflet()
    badges = [b for b in page.evaluate(SHOWN) if 100 < b["x"] < 1340 and 100 < b["y"] < 800]
    largest = max(badges, key=lambda b: b["count"])
    page.mouse.click(largest["x"], largest["y"])
    page.wait_for_function("() => map.getZoom() > 4")
    rest(page)
    assert largest["id"] not in {b["id"] for b in page.evaluate(SHOWN)}
    lone = next(b for b in page.evaluate(SHOWN) if b["count"] == 1 and 100 < b["x"] < 1340 and 100 < b["y"] < 800)
    page.mouse.click(lone["x"], lone["y"])
    page.wait_for_function("() => points.length === 1")
    page.evaluate("layer.remove()")
    assert page.evaluate("document.querySelectorAll('canvas').length") == 0


def test_a_stack_opens_and_reports_its_points_by_keyboard(open_leaflet):
    page = open_leaflet("stacks")
    page.evaluate("map.setView([55.7, 12.5], 15, { animate: false })")
    rest(page)
    page.get_by_role("button", name="5 points at one position").focus()
    page.keyboard.press("Enter")
    members = page.get_by_role("list", name="5 points at one position").get_by_role("button")
    members.first.wait_for(state="attached")
    assert members.first.evaluate("node => node === document.activeElement")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    page.wait_for_function("() => points.length === 1")
    page.keyboard.press("Space")
    page.wait_for_function("() => points.length === 2")
    # The stack stays open, and the focus stays in its list.
    page.wait_for_timeout(300)
    assert members.count() == 5 and members.nth(1).evaluate("node => node === document.activeElement")
    page.keyboard.press("Escape")
    page.get_by_role("list", name="Clusters in view").wait_for(state="attached")
