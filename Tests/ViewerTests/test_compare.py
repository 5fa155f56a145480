"""Tests both sides of a comparison next to each other: they show the same ground, and their measures appear in
words."""

from conftest import PHONE, idle, inside, press, rest, shown, stage


def test_both_halves_show_the_same_ground(open_map):
    page = open_map("#index=iceland&view=compare")
    cameras = page.evaluate("""[viewer.map, viewer.stage.twin.map].map(map =>
      ({...map.getCenter(), zoom: map.getZoom(), ...Object.fromEntries(['clientWidth', 'clientHeight'].map(k => [k, map.getContainer()[k]]))}))""")
    assert cameras[0] == cameras[1]
    box = stage(page)
    for side, left, right in (("grid", 0, 0.5), ("tree", 0.5, 1)):
        clusters = shown(page, side)
        assert sum(c["count"] for c in clusters) == 139_409
        assert all(left * box["width"] < c["left"] < right * box["width"] for c in clusters)


def test_both_halves_move_together_whichever_is_moved(open_map):
    page = open_map("#index=iceland&view=compare")
    box = stage(page)
    for share in (0.25, 0.75):
        before = page.evaluate("viewer.map.getZoom()")
        page.mouse.move(box["x"] + share * box["width"], box["y"] + box["height"] / 2)
        page.mouse.wheel(0, -240)
        page.wait_for_function("z => viewer.map.getZoom() > z + 0.2", arg=before)
        rest(page)
        page.wait_for_function("""() => viewer.map.getZoom() === viewer.stage.twin.map.getZoom()
          && `${viewer.map.getCenter()}` === `${viewer.stage.twin.map.getCenter()}`""")


def test_a_click_in_either_half_is_on_its_side(open_map):
    page = open_map("#index=iceland&view=compare")
    for side in ("grid", "tree"):
        box, zoom = stage(page), page.evaluate("viewer.map.getZoom()")
        clusters = [c for c in inside(page, shown(page, side), 30) if abs(c["left"] - box["width"] / 2) > 30]
        page.mouse.move(box["x"] + clusters[0]["left"], box["y"] + clusters[0]["top"])
        page.locator("#hint b").get_by_text(f"{clusters[0]['count']:,} point").wait_for()
        press(page, max(clusters, key=lambda c: c["count"]))
        page.wait_for_function("z => viewer.map.getZoom() > z + 0.4 && !viewer.map.isMoving()", arg=zoom)
        rest(page)


def test_halves_lie_above_each_other_on_a_phone(open_map):
    page = open_map("#index=iceland&view=compare", viewport=PHONE)
    box = stage(page)
    assert max(c["top"] for c in shown(page, "grid")) < box["height"] / 2 < min(c["top"] for c in shown(page, "tree"))


def test_the_dust_lies_in_both_halves(open_map):
    page = open_map("#index=iceland&view=compare&dust=true")
    page.wait_for_function("() => viewer.map.getLayer('dust') && viewer.stage.twin.map.getLayer('dust')")
    idle(page)
    page.wait_for_function("() => viewer.stage.twin.map.queryRenderedFeatures({layers: ['dust']}).length > 1000")


def test_a_divider_is_there_for_who_wants_it(open_map):
    page = open_map("#index=iceland&view=compare")
    assert page.locator("#divider").is_hidden()
    page.locator("#compare").select_option("divider")
    rest(page)
    assert page.locator("#divider").is_visible() and page.locator("#twin").is_hidden()
    assert page.evaluate("viewer.map.getContainer().clientWidth") == round(stage(page)["width"])


def test_measures_have_words_and_what_is_measured(open_map):
    page = open_map("#index=iceland&view=compare")
    page.wait_for_function("() => document.querySelector('#measures td.tree').textContent !== '–'")
    rows = page.locator("#measures tbody th").all_inner_texts()
    assert any(row.startswith("Overlap") and "badges that touch another" in row for row in rows)
    assert any(row.startswith("In rows and columns") and "in line with a neighbor" in row for row in rows)
    assert all("\n" in row for row in rows)
