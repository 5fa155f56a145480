"""Checks the example pages, which are opened from disk."""

import re
import subprocess

import pytest

from browser import TOLERATED
from conftest import LAPTOP, PHONE, PICTURES, ROOT, VENDOR

SIZES = {"wide": LAPTOP, "phone": PHONE}
#: An expression for the number of clusters on the page's map. It works for elements and for the layer.
SHOWN = "typeof layer === 'undefined' ? document.querySelectorAll('.badge').length : layer.scene.size"


@pytest.fixture(scope="session")
def examples(tmp_path_factory):
    folder = tmp_path_factory.mktemp("examples")
    subprocess.run([ROOT / "scripts/build/examples", folder], check=True, capture_output=True)
    return folder


@pytest.fixture
def open_example(examples, complaints, new_context):
    def open_example(name, size="wide", **options):
        context = new_context(viewport=SIZES[size], **options)
        context.route(lambda url: not url.startswith(("file:", "blob:", "data:")),
                      lambda route: (complaints.append(f"asked for {route.request.url}"), route.abort()))
        page = context.new_page()
        page.on("console", lambda message: complaints.append(message.text)
                if message.type in ("error", "warning") and TOLERATED not in message.text else None)
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.goto((examples / name).as_uri())
        page.wait_for_function(f"() => ({SHOWN}) > 20 && (typeof layer === 'undefined' || !layer.isMoving)")
        # By now badges have appeared and the land is drawn.
        page.wait_for_timeout(1200)
        return page

    return open_example


def test_all_examples_are_tried(examples):
    assert {page.stem for page in examples.glob("*.html")} == {"badges", "donuts", "slider", "leaflet", "supercluster"}


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("name", ["badges", "donuts", "slider", "leaflet", "supercluster"])
def test_an_example_opens_from_disk(open_example, name, size):
    page = open_example(f"{name}.html", size)
    page.screenshot(path=PICTURES / f"example-{name}-{size}.png")
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth && document.documentElement.scrollHeight <= innerHeight")
    card = page.locator("aside").bounding_box()
    assert card["x"] >= 0 and card["x"] + card["width"] <= SIZES[size]["width"]
    if size == "phone":
        of_map = page.locator("#map").bounding_box()
        assert of_map["height"] > 400 and card["y"] >= of_map["y"] + of_map["height"]
    assert page.locator(".maplibregl-ctrl-zoom-in, .leaflet-control-zoom-in").is_visible()
    # Most of a phone's screen is map.
    assert card["width"] * card["height"] < 0.35 * SIZES[size]["width"] * SIZES[size]["height"]


def test_badges_name_a_point(open_example):
    page = open_example("badges.html")
    at = page.evaluate("""() => { const lone = layer.scene.clusters.find(c => { const { x, y } = map.project([c.longitude, c.latitude]);
      return c.count === 1 && x > 100 && x < 900 && y > 200 && y < 800 }); return map.project([lone.longitude, lone.latitude]) }""")
    page.mouse.click(at["x"], at["y"])
    page.wait_for_function("() => document.querySelector('#chosen').textContent.includes(', ')")


def test_donuts_have_a_legend(open_example):
    page = open_example("donuts.html")
    texts = page.locator(".legend li").all_inner_texts()
    assert texts == ["below 100 m", "100 to 500 m", "500 to 1,500 m", "above 1,500 m"]
    assert page.evaluate("layer.scene.clusters.every(c => c.parts.reduce((a, b) => a + b) === c.count)")


def test_the_slider_filters(open_example):
    page = open_example("slider.html")
    counted = "layer.scene.clusters.reduce((sum, { count }) => sum + count, 0)"
    before = page.evaluate(counted)
    page.locator("#slider").fill("1960")
    page.wait_for_function(f"before => !layer.isMoving && ({counted}) < before / 2", arg=before)
    assert page.locator("#count").inner_text() == page.evaluate(
        "`${years.filter(year => year <= 1960).length.toLocaleString('en')} airports`")
    page.locator("#play").click()
    page.wait_for_function("() => Number(slider.value) > 1962")
    page.locator("#play").click()
    assert page.locator("#play").inner_text() == "Play"


def test_supercluster_expands_a_cluster(open_example):
    page = open_example("supercluster.html")
    zoom = page.evaluate("map.getZoom()")
    page.evaluate("[...document.querySelectorAll('.badge')].find(badge => badge.textContent.includes('k')).click()")
    page.wait_for_function("zoom => Number.isInteger(map.getZoom()) && map.getZoom() > zoom", arg=zoom)
