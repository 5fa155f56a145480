"""Tests the map without a mouse, without sight of the map, and without a network."""

import math

import pytest
from axe_playwright_python.sync_playwright import Axe

from conftest import LAPTOP, PHONE, PHONE_ON_ITS_SIDE, PICTURES, WIDE
from conftest import frames, idle, inside, pixel, press, rest, shown, stage

SCREENS = {"wide": WIDE, "laptop": LAPTOP, "phone": PHONE, "phone-on-its-side": PHONE_ON_ITS_SIDE}


@pytest.mark.parametrize("screen", SCREENS)
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_nothing_that_axe_finds(open_map, screen, scheme):
    page = open_map("#index=iceland", viewport=SCREENS[screen], color_scheme=scheme)
    if screen == "phone":
        page.get_by_role("button", name="Settings").click()
    page.locator("#listing button").first.wait_for()
    found = Axe().run(page).response["violations"]
    assert [(each["id"], [node["html"] for node in each["nodes"]]) for each in found] == []


def test_a_card_has_nothing_that_axe_finds(open_map):
    page = open_map("#index=stacks&view=tree&map=13/55.7/12.5")
    page.locator("#listing button").first.click()
    page.locator("#card li").first.wait_for()
    # The card fades in. Until it has appeared, its colors have less contrast.
    page.evaluate("Promise.all(document.getAnimations().map(({ finished }) => finished))")
    found = Axe().run(page).response["violations"]
    assert [(each["id"], [node["html"] for node in each["nodes"]]) for each in found] == []


def test_a_refused_filter_has_nothing_that_axe_finds(open_map):
    page = open_map("#index=events&view=tree", tolerates=["status of 400"])
    page.locator("#where").fill("size >")
    page.locator("#where").press("Enter")
    page.locator("#where-problem:not(:empty)").wait_for()
    assert page.locator("#where").get_attribute("aria-invalid") == "true"
    found = Axe().run(page).response["violations"]
    assert [(each["id"], [node["html"] for node in each["nodes"]]) for each in found] == []


def test_keys_step_through_clusters_and_zoom_in(open_map):
    page = open_map("#index=iceland&view=tree")
    page.locator("#listing button").first.wait_for()
    page.locator("#listing summary").focus()
    page.keyboard.press("Tab")
    largest = max(shown(page), key=lambda c: c["count"])
    focused = "document.activeElement.textContent"
    assert f"{largest['count']:,} points" in page.evaluate(focused)
    page.keyboard.press("ArrowDown")
    assert f"{largest['count']:,} points" not in page.evaluate(focused)
    page.keyboard.press("ArrowUp")
    zoom = page.evaluate("viewer.map.getZoom()")
    page.keyboard.press("Enter")
    page.wait_for_function("z => viewer.map.getZoom() > z", arg=zoom)
    rest(page)
    page.wait_for_function("() => document.querySelector('#listing button') === document.activeElement")


def test_keys_reach_each_cluster_of_the_list_and_its_points(open_map):
    page = open_map("#index=iceland&view=tree")
    page.locator("#listing li").nth(2).wait_for()
    count = page.locator("#listing li").count()
    focused = lambda: page.evaluate("""() => [[...document.querySelectorAll('#listing li')].indexOf(document.activeElement.closest('li')),
      document.activeElement.matches('.more')]""")
    page.locator("#listing button").first.focus()
    for key, place in (("ArrowUp", [0, False]), ("End", [count - 1, False]), ("ArrowDown", [count - 1, False]), ("Home", [0, False]),
                       ("ArrowRight", [0, True]), ("ArrowDown", [1, False]), ("ArrowRight", [1, True]), ("ArrowLeft", [1, False])):
        page.keyboard.press(key)
        assert focused() == place, key
    # The Tab key returns to the cluster that had the focus last.
    page.locator("#listing summary").focus()
    page.keyboard.press("Tab")
    assert focused() == [1, False]
    # When the list is drawn again, the same cluster keeps the focus.
    for key, place in (("ArrowDown", [2, False]), ("ArrowRight", [2, True])):
        page.keyboard.press(key)
        page.evaluate("viewer.listing.renew()")
        assert focused() == place
        assert page.locator("#listing button[tabindex='0']").count() == 1
    page.keyboard.press("Enter")
    page.locator("#card li").first.wait_for()


def test_keys_choose_a_found_place(open_map):
    page = open_map("#index=airports", reduced_motion="reduce")
    field = page.get_by_role("combobox", name="Search")
    field.fill("san ")
    page.locator("#found li").nth(7).wait_for()
    titles = page.locator("#found li span").all_inner_texts()
    marked = lambda: page.evaluate("""() => [[...document.querySelectorAll('#found li')].findIndex(({ ariaSelected }) => ariaSelected === 'true'),
      document.querySelector('#found li[aria-selected=true]')?.id === document.querySelector('#find').getAttribute('aria-activedescendant')]""")
    for key, at in (("ArrowDown", 0), ("ArrowDown", 1), ("ArrowUp", 0), ("ArrowUp", len(titles) - 1), ("ArrowDown", 0), ("ArrowUp", len(titles) - 1)):
        field.press(key)
        assert marked() == [at, True], key
    # The list scrolls to the marked place.
    item, box = (page.locator(selector).bounding_box() for selector in ("#found li:last-child", "#found"))
    assert box["y"] <= item["y"] and item["y"] + item["height"] <= box["y"] + box["height"] + 1
    # The Escape key closes only the list. An arrow key opens it again.
    field.press("Escape")
    page.locator("#found").wait_for(state="hidden")
    assert field.get_attribute("aria-expanded") == "false" and field.input_value() == "san "
    field.press("ArrowUp")
    page.locator("#found").wait_for()
    field.press("Enter")
    page.wait_for_function("title => viewer.hit?.text === title", arg=titles[-1])


def test_the_keyboard_goes_on_where_a_card_was_opened(open_map):
    page = open_map("#index=stacks&view=tree&map=13/55.7/12.5")
    item = page.locator("#listing button").first
    item.press("Enter")
    page.locator("#card li").first.wait_for()
    page.keyboard.press("Escape")
    assert item.evaluate("node => node === document.activeElement")


def test_the_map_moves_by_keys(open_map):
    page = open_map("#index=iceland&view=tree")
    page.locator(".maplibregl-canvas").focus()
    zoom = page.evaluate("viewer.map.getZoom()")
    page.keyboard.press("+")
    page.wait_for_function("z => viewer.map.getZoom() > z + 0.5", arg=zoom)


def test_what_is_shown_is_told(open_map):
    page = open_map("#index=iceland&view=tree")
    page.wait_for_function("() => document.querySelector('#status').textContent !== ''")
    assert f"{len(shown(page))} clusters of 139,409 points" in page.locator("#status").inner_text()
    before = page.locator("#status").inner_text()
    page.evaluate("viewer.map.jumpTo({zoom: 8})")
    page.wait_for_function("before => document.querySelector('#status').textContent !== before", arg=before)


def test_land_and_sea_are_there_without_a_network(open_map):
    """There is no network: the fixture refuses every request to other machines, and reports it as an error."""
    page = open_map("#index=iceland&view=tree&ellipses=false", reduced_motion="reduce")
    colors = page.evaluate("[viewer.palette.land, viewer.palette.sea]")
    land, sea = [[int(color[i:i + 2], 16) for i in (1, 3, 5)] for color in colors]
    assert pixel(page, [(-18.55, 64.62), (-17.5, 64.9), (-19.5, 64.9), (-16.5, 65.0), (-18.0, 65.1)]) == land
    assert pixel(page, [(-24.2, 63.6), (-13.9, 63.7)]) == sea


def test_a_message_has_nothing_that_axe_finds(open_map):
    page = open_map("#index=nope&view=tree")
    page.locator("#notice").wait_for()
    found = Axe().run(page).response["violations"]
    assert [(each["id"], [node["html"] for node in each["nodes"]]) for each in found] == []


# Script that returns the share of an element that another element covers.
COVERED = """([over, below]) => {
  const [a, b] = [over, below].map(selector => document.querySelector(selector).getBoundingClientRect());
  const across = Math.min(a.right, b.right) - Math.max(a.left, b.left), down = Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top);
  return Math.max(across, 0) * Math.max(down, 0) / (b.width * b.height);
}"""


def test_the_focus_passes_on_when_a_pressed_button_disappears(open_map):
    page = open_map("#index=events&view=tree&brush=size&range=100..200")
    focused = "() => { const { activeElement: node } = document; return node.id || node.className || node.tagName }"

    def press_key(selector):
        page.locator(selector).press("Enter")
        rest(page)

    page.locator("#timeline .clear").wait_for()
    press_key("#timeline .clear")
    assert page.evaluate(focused) == "play"
    press_key("#timeline .close")
    assert page.evaluate(focused) == "brush"
    # The button is busy while the place is sought.
    press_key("#densest")
    page.locator("#densest[aria-disabled=false]").wait_for()
    assert page.evaluate(focused) == "densest"
    page.evaluate("viewer.settings.set({ where: 'size < 0' })")
    page.locator("#notice button").wait_for()
    press_key("#notice button")
    page.locator("#notice").wait_for(state="hidden")
    assert page.evaluate(focused) == "maplibregl-canvas"
    page.evaluate("viewer.map.jumpTo({ center: [10, 48], zoom: 3 }), viewer.settings.set({ by: 'limit', limit: 20 })")
    rest(page)
    page.evaluate("void viewer.card.list(viewer.tree.scene.clusters.find(({ count }) => count > 120 && count < 360), viewer.index, viewer.tree)")
    page.locator("#card li").nth(59).wait_for()
    count = page.evaluate("viewer.card.cluster.count")
    page.get_by_role("button", name="Show more").press("Enter")
    page.locator("#card li").nth(119).wait_for()
    assert page.evaluate("document.activeElement.textContent").startswith("Show more")
    with page.expect_download():
        page.locator("#card").get_by_role("button", name="CSV").press("Enter")
    assert page.evaluate("document.activeElement.textContent") == "CSV"
    while page.get_by_role("button", name="Show more").count() > 0:
        shown_count = page.locator("#card li").count()
        page.get_by_role("button", name="Show more").press("Enter")
        page.locator("#card li").nth(shown_count).wait_for()
    assert page.locator("#card li").count() == count and page.evaluate(focused) == "body"


def test_nothing_covers_a_button_or_a_tag(open_map):
    page = open_map("#index=iceland&view=tree&map=6/65/-19", viewport=LAPTOP)
    page.evaluate("void viewer.card.list(viewer.tree.scene.clusters.reduce((a, b) => (a.count > b.count ? a : b)), viewer.index, viewer.tree)")
    page.locator("#card li").nth(59).wait_for()
    assert page.evaluate(COVERED, ["#card", "#buttons"]) == 0
    page = open_map("#index=iceland&view=compare&compare=divider", viewport=PHONE)
    for over in ("#keys", "#buttons"):
        assert [page.evaluate(COVERED, [over, f"#divider .{tag}"]) for tag in ("left", "right")] == [0, 0]


@pytest.mark.parametrize("view", ["compare", "tree"])
@pytest.mark.parametrize("screen", ["phone", "phone-on-its-side"])
def test_no_panel_hides_half_of_what_it_describes(open_map, screen, view):
    page = open_map(f"#index=stacks&view={view}&map=10/55.7/12.5", viewport=SCREENS[screen], has_touch=True)
    covered = lambda over, below="body": page.evaluate(COVERED, [over, below])
    assert covered("#panel") < (0.1 if screen == "phone" else 0.5)
    if screen == "phone":
        page.get_by_role("button", name="Settings").click()
        assert covered("#panel") <= 0.63
    page.locator("#listing button").first.wait_for()
    # If a card is opened from the list, it replaces the settings. The card must not cover its cluster.
    page.locator("#listing button").first.click()
    page.wait_for_function("() => viewer.map.getZoom() > 10.1 || viewer.card.isOpen")
    if not page.evaluate("viewer.card.isOpen"):
        rest(page)
        page.evaluate("viewer.card.list(viewer.tree.scene.clusters.find(c => c.count > 1), viewer.index, viewer.tree)")
    page.locator("#card li").first.wait_for()
    assert covered("#card", "#map") < 0.5
    if screen == "phone":
        assert page.locator("#settings").is_hidden()


@pytest.mark.parametrize("view", ["compare", "tree"])
def test_a_finger_that_rests_on_a_badge_lists_its_points(open_map, view):
    page = open_map(f"#index=iceland&view={view}", viewport=PHONE, has_touch=True)
    cluster = max(inside(page, shown(page), 30), key=lambda c: c["count"])
    zoom, box = page.evaluate("viewer.map.getZoom()"), stage(page)
    touch = page.context.new_cdp_session(page)
    position = {"x": box["x"] + cluster["left"], "y": box["y"] + cluster["top"]}
    touch.send("Input.dispatchTouchEvent", {"type": "touchStart", "touchPoints": [position]})
    page.locator("#card li").first.wait_for()
    # The touch lasts for a second. A long touch is not a click.
    page.wait_for_timeout(1000)
    touch.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})
    assert page.locator("#card h2").inner_text() == f"{cluster['count']:,} points"
    assert page.locator("#card li").count() == 60
    page.get_by_role("button", name="Show more").click()
    page.wait_for_function("() => document.querySelectorAll('#card li').length === 120")
    frames(page)
    rest(page)
    assert page.evaluate("viewer.map.getZoom()") == zoom
    page.get_by_role("button", name="Zoom to its parts").click()
    page.wait_for_function("z => viewer.map.getZoom() > z + 0.5", arg=zoom)
    assert page.locator("#card").is_hidden()


def test_the_card_does_not_cover_the_cluster_whose_points_it_lists(open_map):
    page = open_map("#index=iceland&view=tree", viewport=PHONE)
    highest = min((c for c in inside(page, shown(page), 30) if c["count"] > 1), key=lambda c: c["top"])
    page.evaluate("id => viewer.card.list(viewer.tree.scene.sprite(id).cluster, viewer.index, viewer.tree)", highest["id"])
    page.locator("#card li").first.wait_for()
    frames(page)
    rest(page)
    [badge] = [c for c in shown(page) if c["id"] == highest["id"]]
    top, end = stage(page)["y"], page.evaluate("viewer.card.node.getBoundingClientRect().bottom")
    assert top + highest["top"] < end < top + badge["top"] - badge["radius"]


@pytest.mark.parametrize("screen", SCREENS)
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_pictures_to_look_at(open_map, screen, scheme):
    PICTURES.mkdir(parents=True, exist_ok=True)
    page = open_map("#index=iceland&dust=true", viewport=SCREENS[screen], color_scheme=scheme)
    idle(page)
    path = PICTURES / f"{screen}-{scheme}.png"
    page.screenshot(path=path)
    # The file of an empty picture would have only a few thousand bytes.
    assert path.stat().st_size > 40_000


@pytest.mark.parametrize("screen", SCREENS)
@pytest.mark.parametrize("count, view", [(5, "13/55.7/12.5"), (40, "13/55.75/12.6")], ids=["circle", "spiral"])
def test_pictures_of_open_stacks(open_map, screen, count, view):
    PICTURES.mkdir(parents=True, exist_ok=True)
    page = open_map(f"#index=stacks&view=tree&map={view}", viewport=SCREENS[screen])
    press(page, next(cluster for cluster in shown(page) if cluster["count"] == count))
    page.wait_for_function("count => document.querySelectorAll('#card li').length === count", arg=count)
    page.wait_for_function("() => !viewer.card.spread.isMoving(performance.now()) && !viewer.map.isMoving()")
    idle(page)
    name = "circle" if count == 5 else "spiral"
    page.screenshot(path=PICTURES / f"{screen}-stack-{name}.png")
    # The whole stack is visible next to the card and the buttons.
    radius, center = page.evaluate("""() => { const {cluster, radius} = viewer.card.spread, camera = viewer.currentCamera;
      return [radius, [camera.screenX(cluster.x), camera.screenY(cluster.y)]] }""")
    assert distance_to(page, "#card", center) >= radius
    assert distance_to(page, "#buttons", center) >= radius
    box = stage(page)
    assert radius <= center[0] <= box["width"] - radius and radius <= center[1] <= box["height"] - radius


def distance_to(page, selector, center):
    """Returns the distance, in pixels, from a position on the map to an element that lies over the map."""
    box, map_box = page.locator(selector).bounding_box(), stage(page)
    x, y = center[0] + map_box["x"], center[1] + map_box["y"]
    return math.hypot(max(box["x"] - x, x - box["x"] - box["width"], 0), max(box["y"] - y, y - box["y"] - box["height"], 0))
