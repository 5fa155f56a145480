"""Tests everyday use of the map: look, zoom, pan, compare, click, open and share a link."""

import re
from xml.etree import ElementTree

import pytest

from basemap import write_basemap
from conftest import LAPTOP, PHONE, ROOT, TABLET, VIEWER, frames, idle, inside, pixel, press, rest, shown, stage
from programs import Server

ICELAND = 139_409


def test_all_points_are_shown_on_both_sides(open_map):
    page = open_map("#index=iceland&view=compare")
    assert page.title() == "iceland · Treeline"
    assert page.locator("h1").inner_text() == "iceland"
    assert "139,409 points" in page.locator("#facts").inner_text()
    for side in ("grid", "tree"):
        clusters = shown(page, side)
        assert len(clusters) > 5
        assert sum(cluster["count"] for cluster in clusters) == ICELAND
    page.wait_for_function("() => document.querySelector('#measures td.tree').textContent !== '–'")
    assert page.locator("#measures td.tree").first.inner_text() == str(len(shown(page)))


def test_badges_are_drawn_where_the_clusters_are(open_map):
    page = open_map("#index=iceland&view=tree", tolerates=["willReadFrequently"])
    alpha = """([x, y]) => { const {context, ratio} = viewer.overlay;
      return context.getImageData(Math.round(x * ratio), Math.round(y * ratio), 1, 1).data[3] }"""
    for cluster in inside(page, shown(page)):
        # Looks at a pixel just above the number, because the number may cover the pixel in the middle.
        assert page.evaluate(alpha, [cluster["left"], cluster["top"] - 0.6 * cluster["radius"]]) > 200
    assert page.evaluate(alpha, [4, 4]) == 0


def test_no_two_badges_are_closer_than_the_spacing(open_map):
    page = open_map("#index=iceland&view=tree&spacing=60")
    clusters = shown(page)
    assert min(((a["left"] - b["left"]) ** 2 + (a["top"] - b["top"]) ** 2) ** 0.5
               for i, a in enumerate(clusters) for b in clusters[:i]) >= 59.9


def test_zooming_in_only_splits(open_map):
    page = open_map("#index=iceland&view=tree")
    before = shown(page)
    box = stage(page)
    zoom = page.evaluate("viewer.map.getZoom()")
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    for _ in range(3):
        page.mouse.wheel(0, -240)
    page.wait_for_function("z => viewer.map.getZoom() > z + 0.8", arg=zoom)
    rest(page)
    after = shown(page)
    # The high bits of a cluster's id are the tree index of its first point.
    ranges = [(c["id"] // 1024, c["id"] // 1024 + c["count"]) for c in before]
    for cluster in after:
        first = cluster["id"] // 1024
        assert any(low <= first and first + cluster["count"] <= high for low, high in ranges)
    assert {c["id"] for c in after} != {c["id"] for c in before}


def test_a_pan_changes_nothing_that_stays_in_view(open_map):
    page = open_map("#index=iceland&view=tree&map=7/64.9/-18")
    before = {c["id"]: c for c in inside(page, shown(page), 0)}
    box = stage(page)
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x - 150, y - 40, steps=6)
    page.mouse.up()
    page.wait_for_function("() => !viewer.map.isMoving()")
    rest(page)
    after = {c["id"] for c in shown(page)}
    # After its release, the map may move a little farther.
    positions = page.evaluate("coordinates => coordinates.map(each => viewer.map.project(each))",
                              [[c["longitude"], c["latitude"]] for c in before.values()])
    stayed = [c for c, position in zip(before.values(), positions)
              if 0 < position["x"] < box["width"] and 0 < position["y"] < box["height"]]
    assert 10 < len(stayed) < len(before)
    assert all(c["id"] in after for c in stayed)


def test_the_divider_moves_by_pointer_and_keys(open_map):
    page = open_map("#index=iceland&view=compare&compare=divider")
    divider = page.locator("#divider")
    box = stage(page)
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + 500)
    page.mouse.down()
    page.mouse.move(box["x"] + box["width"] * 0.25, box["y"] + 500, steps=4)
    page.mouse.up()
    assert divider.get_attribute("aria-valuenow") == "25"
    divider.press("ArrowRight")
    assert divider.get_attribute("aria-valuenow") == "27"
    page.wait_for_function("() => location.hash.includes('divider=0.27')")


def test_each_view_asks_for_its_sides_alone(open_map):
    page = open_map("#index=iceland&view=grid")
    assert shown(page, "grid") and not shown(page, "tree")
    assert page.locator("#divider").is_hidden()
    page.get_by_role("radio", name="Map").check(force=True)
    rest(page)
    assert shown(page, "tree")


def test_a_click_zooms_to_where_a_cluster_splits(open_map):
    page = open_map("#index=iceland&view=tree")
    cluster = max(inside(page, shown(page)), key=lambda c: c["count"])
    zoom = page.evaluate("viewer.map.getZoom()")
    press(page, cluster)
    page.wait_for_function("z => viewer.map.getZoom() > z", arg=zoom)
    rest(page)
    after = shown(page)
    assert cluster["id"] not in [c["id"] for c in after if c["count"] == cluster["count"]]
    first, end = cluster["id"] // 1024, cluster["id"] // 1024 + cluster["count"]
    assert sum(first <= c["id"] // 1024 < end for c in after) >= 3
    # Only a cluster with too few parts needs a longer step.
    assert zoom + 1 < page.evaluate("viewer.map.getZoom()") < zoom + 2.01


def test_the_histogram_of_a_large_cluster_is_of_a_sample(open_map):
    page = open_map("#index=iceland&view=tree")
    page.evaluate("""() => { const {card, tree, index} = viewer;
      card.list(tree.scene.clusters.reduce((a, b) => (a.count > b.count ? a : b)), index, tree) }""")
    page.locator("#card figcaption").get_by_text("in a sample of 5,000 points").wait_for()
    assert page.locator("#card .chart i").count() == 24


def test_a_click_on_a_cell_of_the_grid_zooms_to_its_points(open_map):
    page = open_map("#index=iceland&view=grid")
    cluster = max(inside(page, shown(page, "grid")), key=lambda c: c["count"])
    zoom = page.evaluate("viewer.map.getZoom()")
    press(page, cluster)
    page.wait_for_function("z => viewer.map.getZoom() > z", arg=zoom)
    rest(page)


def test_few_members_of_a_stack_stand_on_a_circle(open_map):
    page = open_map("#index=stacks&view=tree&map=13/55.7/12.5")
    few, = [c for c in shown(page) if c["count"] == 5]
    press(page, few)
    card = page.locator("#card")
    card.wait_for()
    page.wait_for_function("() => document.querySelectorAll('#card li').length === 5")
    assert {text.strip() for text in card.locator("li").all_inner_texts()} == {f"Few {i}" for i in range(5)}
    assert page.evaluate("viewer.card.spread.count") == 5
    # The first member is straight above the stack. If the mouse points at it, the list marks it.
    box = stage(page)
    page.wait_for_function("() => !viewer.card.spread.isMoving(performance.now())")
    page.mouse.move(box["x"] + few["left"], box["y"] + few["top"] - 26)
    page.wait_for_function("() => document.querySelector('#card li').classList.contains('marked')")
    page.keyboard.press("Escape")
    card.wait_for(state="hidden")
    assert page.evaluate("viewer.card.spread") is None


def test_many_members_of_a_stack_stand_on_a_spiral(open_map):
    page = open_map("#index=stacks&view=tree&map=13/55.75/12.6")
    many, = [c for c in shown(page) if c["count"] == 40]
    press(page, many)
    page.wait_for_function("() => document.querySelectorAll('#card li').length === 40")
    offsets = page.evaluate("""async () => { const {spreadOffset} = await import('/viewer/vendor/treeline/map/badge.js');
      return Array.from({length: 40}, (_, i) => spreadOffset(i, 40)) }""")
    gaps = [((a["x"] - b["x"]) ** 2 + (a["y"] - b["y"]) ** 2) ** 0.5 for i, a in enumerate(offsets) for b in offsets[:i]]
    assert min(gaps) >= 25.9


def test_a_single_point_tells_its_columns(open_map):
    page = open_map("#index=stacks&view=tree&map=10/55.65/12.4")
    alone = next(c for c in inside(page, shown(page)) if c["count"] == 1)
    press(page, alone)
    page.locator("#card h2").wait_for()
    assert re.fullmatch(r"Alone \d", page.locator("#card h2").inner_text())


def test_a_link_shows_what_its_sender_saw(open_map):
    page = open_map("#index=iceland&view=compare")
    page.get_by_label("Limit", exact=True).check(force=True)
    page.locator("#amount").fill("60")
    page.locator("#order").select_option("widest-first")
    page.locator("#cell").select_option("64")
    page.evaluate("viewer.map.jumpTo({center: [-21.9000004, 64.1200004], zoom: 8.29956})")
    rest(page)
    page.wait_for_function("() => location.hash.includes('map=8.299/') && location.hash.includes('limit=60')")
    other = open_map(page.evaluate("location.hash"))
    # The link has the digits with which the view is requested.
    asked = "viewer.tree.request(viewer.currentCamera, viewer.settings).key"
    assert page.evaluate(asked) == other.evaluate(asked)
    for side in ("tree", "grid"):
        ours, theirs = shown(page, side), shown(other, side)
        assert [c["id"] for c in ours] == [c["id"] for c in theirs]
        assert all(abs(a["left"] - b["left"]) < 1 and abs(a["top"] - b["top"]) < 1 for a, b in zip(ours, theirs))
    assert other.locator("#order").input_value() == "widest-first"


def test_each_cut_of_the_table_is_offered_and_shown(open_map):
    page = open_map("#index=iceland&view=tree&map=7/64.9/-18")
    cuts = page.evaluate("""async () => { const {CUTS} = await import('/viewer/cut.js');
      return Object.entries(CUTS).filter(([, { isOf }]) => isOf(viewer.index))
        .map(([name, {label, range, hasOrder, isByPixels}]) => ({name, label, range, hasOrder, isByPixels})) }""")
    assert page.locator("input[name=by]:enabled").count() == len(cuts) >= 3
    for cut in reversed(cuts):
        page.locator("#cuts").get_by_label(cut["label"], exact=True).check(force=True)
        amount = page.locator("#amount")
        assert [int(amount.get_attribute(end)) for end in ("min", "max")] == cut["range"]
        assert page.locator("#order").is_visible() == cut["hasOrder"]
        coarse = str(cut["range"][1 if cut["isByPixels"] else 0])
        amount.fill(coarse)
        rest(page)
        few = len(shown(page))
        amount.fill(str(cut["range"][0 if cut["isByPixels"] else 1]))
        page.wait_for_function("few => viewer.isAtRest && viewer.tree.scene.size > few", arg=few)
    assert page.locator("#order option").all_inner_texts() == ["breadth first", "widest first", "steepest first"]
    page.get_by_label("Tiles", exact=True).check(force=True)
    for cut in cuts:
        assert page.locator(f"input[value={cut['name']}]").is_enabled() == cut["isByPixels"]


def test_a_link_to_a_stack_opens_it(open_map):
    page = open_map("#index=stacks&view=tree&map=13/55.7/12.5")
    press(page, next(c for c in shown(page) if c["count"] == 5))
    page.wait_for_function("() => location.hash.includes('open=')")
    other = open_map(page.evaluate("location.hash"))
    other.wait_for_function("() => document.querySelectorAll('#card li').length === 5")


def test_an_address_that_is_edited_takes_effect(open_map):
    page = open_map("#index=iceland&view=tree")
    page.evaluate("location.hash = '#index=iceland&view=tree&map=9/64.1/-21.8&spacing=80'")
    page.wait_for_function("() => Math.abs(viewer.map.getZoom() - 9) < 0.01")
    rest(page)
    assert page.locator("#amount").input_value() == "80"


def test_malformed_settings_are_as_usual(open_map):
    page = open_map("#index=iceland&view=sideways&by=&spacing=abc&limit=-4&map=x/y&divider=7&open=../..&order=%00")
    assert page.evaluate("[viewer.settings.view, viewer.settings.by, viewer.settings.spacing]") == ["tree", "spacing", 44]
    assert page.evaluate("viewer.settings.divider") == 0.98
    page.get_by_text("The link has unknown or invalid parts: view, by, spacing, map, open, order.").wait_for()


def test_another_split_is_another_index_over_the_same_points(open_map):
    page = open_map("#index=iceland&view=tree")
    before, zoom = shown(page), page.evaluate("viewer.map.getZoom()")
    page.locator("#dataset").select_option("iceland-mean")
    page.wait_for_function("() => viewer.index.name === 'iceland-mean'")
    rest(page)
    assert [c["count"] for c in shown(page)] != [c["count"] for c in before]
    assert page.evaluate("viewer.map.getZoom()") == zoom


def test_another_set_of_points_is_shown_whole(open_map):
    page = open_map("#index=iceland&view=tree")
    page.locator("#dataset").select_option("airports")
    page.wait_for_function("() => viewer.index.name === 'airports'")
    rest(page)
    assert page.evaluate("viewer.map.getZoom()") < 3


def test_pointing_at_a_cluster_tells_of_it(open_map):
    page = open_map("#index=iceland&view=tree")
    cluster = max(inside(page, shown(page)), key=lambda c: c["count"])
    box = stage(page)
    page.mouse.move(box["x"] + cluster["left"], box["y"] + cluster["top"])
    hint = page.locator("#hint")
    hint.locator("li").first.wait_for()
    assert hint.locator("b").inner_text() == f"{cluster['count']:,} points"
    assert hint.locator("li").count() == 13
    assert "right-click" in hint.locator(".how").inner_text()
    page.mouse.move(box["x"] + 5, box["y"] + 5)
    hint.wait_for(state="hidden")


ELLIPSES = """() => { globalThis.drawn = []; const {context} = viewer.overlay, real = context.ellipse;
  context.ellipse = function (...all) { drawn.push(all.slice(0, 2)); return real.apply(this, all) }; viewer.wake() }"""


def test_a_cluster_has_its_ellipse_while_it_is_pointed_at_or_has_the_focus(open_map):
    page = open_map("#index=iceland&view=tree")
    page.evaluate(ELLIPSES)
    frames(page)
    assert page.evaluate("drawn") == []
    cluster = max(inside(page, shown(page)), key=lambda c: c["count"])
    box = stage(page)
    page.mouse.move(box["x"] + cluster["left"], box["y"] + cluster["top"])
    page.wait_for_function("() => drawn.length > 0")
    assert page.evaluate("drawn.at(-1)") == [cluster["left"], cluster["top"]]
    page.mouse.move(box["x"] + 5, box["y"] + 5)
    page.locator("#hint").wait_for(state="hidden")
    page.evaluate("drawn.length = 0")
    page.locator("#listing button:not(.more)").nth(1).focus()
    page.wait_for_function("() => drawn.length > 0")


def test_three_points_or_fewer_have_no_ellipse(open_map):
    page = open_map("#index=iceland&view=tree&map=15/64.14/-21.92&ellipses=true")
    found = page.evaluate("viewer.tree.scene.clusters.map(c => [c.count, c.ellipse !== null, c.stack])")
    assert any(count in (2, 3) for count, _, _ in found)
    assert all(not has for count, has, _ in found if count <= 3)
    assert all(has for count, has, stack in found if count > 3 and not stack)


def test_six_clicks_lead_from_the_country_to_a_stack(open_map):
    page = open_map("#index=houses&view=tree", viewport=LAPTOP, reduced_motion="reduce")
    stacks = page.evaluate("""async () => {
      const center = '-21.915,64.135';
      const {features} = await (await fetch(`/v1/houses/clusters?center=${center}&zoom=18&width=6000&height=4000&spacing=44`)).json();
      return features.filter(({properties}) => properties.stack).map(({id, properties}) => [id, properties.point_count]);
    }""")
    stack, _ = max(stacks, key=lambda each: each[1])
    for clicks in range(9):
        # The high bits of a cluster's id are the tree index of its first point.
        cluster = next(c for c in shown(page) if c["id"] // 1024 <= stack // 1024 < c["id"] // 1024 + c["count"])
        if cluster["stack"]:
            break
        zoom = page.evaluate("viewer.map.getZoom()")
        press(page, cluster)
        page.wait_for_function("z => viewer.map.getZoom() > z", arg=zoom)
        rest(page)
    assert clicks <= 6
    press(page, cluster)
    page.locator("#card li").first.wait_for()


def check_names(page):
    """Checks that no name covers a badge or another name."""
    boxes = page.evaluate("""viewer.tree.labels.placed.map(({x, y, dx, dy, text, size}) => {
      const at = viewer.camera.point(x, y), context = new OffscreenCanvas(1, 1).getContext('2d');
      context.font = `600 ${size}px sans-serif`;
      const width = context.measureText(text).width * 0.9;
      return [at.x + dx - width / 2, at.y + dy - size / 2, at.x + dx + width / 2, at.y + dy + size / 2] })""")
    assert len(boxes) > 5
    for at, (left, top, right, bottom) in enumerate(boxes):
        assert all(left >= other[2] or other[0] >= right or top >= other[3] or other[1] >= bottom for other in boxes[:at])
        assert all(max(left - c["left"], c["left"] - right, 0) ** 2 + max(top - c["top"], c["top"] - bottom, 0) ** 2 >= (c["radius"] - 1) ** 2
                   for c in shown(page))


def test_names_give_way_to_the_badges_of_the_first_view(open_map):
    page = open_map("#index=badges&view=tree")
    rest(page)
    check_names(page)


def test_names_give_way_to_badges_that_come_soon_after_another_placement(open_map):
    page = open_map("#index=airports&view=tree")
    # Places names as if there were no badges. The next frame comes before names may be placed again.
    page.evaluate("""async () => {
      const {labels} = viewer.tree, place = labels.place;
      labels.clear();
      globalThis.times = 0;
      labels.place = function (camera, circles, places, columns, titles, key, now) {
        times += 1;
        return place.call(labels, camera, times === 1 ? [] : circles, places, columns, titles, times === 1 ? "none" : key, now);
      };
      viewer.wake();
      while (times === 0) await new Promise(requestAnimationFrame);
      globalThis.first = labels.placed;
      viewer.wake();
    }""")
    page.wait_for_function("() => viewer.tree.labels.placed !== first")


def test_clusters_have_titles_where_there_is_room(open_map):
    page = open_map("#index=events&view=tree&map=6/48/10")
    page.wait_for_function("() => viewer.tree.labels.placed.some(({ text }) => text.endsWith(' …'))")
    check_names(page)
    for title, name, count in page.evaluate("""Promise.all(viewer.tree.labels.placed.filter(({ text }) => text.endsWith(' …')).slice(0, 3).map(async ({ id, text }) => {
      const { features } = await viewer.source.members('events', id, { sort: '-size', limit: 1 });
      return [text, features[0].properties.name, viewer.tree.scene.sprite(id).cluster.count] }))"""):
        assert title == f"{name} …" and count > 1
    # Numbers that name a point are no amounts.
    page = open_map("#index=iceland&view=tree")
    page.locator("#listing li").first.get_by_text("near Reykjavík").wait_for()
    page.wait_for_function("() => document.querySelector('#status').textContent !== ''")
    assert page.evaluate("viewer.values.loadTitles(viewer.index, {}, new Map())") is False


def test_the_attribution_leaves_the_scale_visible(open_map):
    page = open_map("#index=titled", viewport=PHONE)
    page.evaluate("document.querySelector('.maplibregl-ctrl-attrib-inner').textContent = 'Based on data from many sources. '.repeat(4)")
    scale, credit = (page.locator(f".maplibregl-ctrl-{name}").bounding_box() for name in ("scale", "attrib"))
    assert scale["x"] + scale["width"] <= credit["x"] and credit["x"] + credit["width"] <= PHONE["width"]


def test_cities_have_names_and_the_map_a_scale(open_map):
    page = open_map("#index=iceland&view=tree&map=8/64.1/-21.9")
    page.wait_for_function("() => viewer.tree.labels.placed.some(({ text }) => text === 'Reykjavík')")
    assert page.locator(".maplibregl-ctrl-scale").inner_text().replace("\xa0", " ") == "10 km"
    page = open_map("#index=airports&view=tree&map=4/48/8")
    page.wait_for_function("() => viewer.tree.labels.placed.some(({ isPoint }) => !isPoint)")
    check_names(page)


def test_a_view_without_points_says_so(open_map):
    page = open_map("#index=iceland&view=tree&map=5/0/0")
    page.get_by_text("No points in this view.").wait_for()
    page.get_by_role("button", name="Show all", exact=True).click()
    page.wait_for_function("() => viewer.map.getZoom() > 5 || viewer.tree.scene.size > 0")
    rest(page)
    assert shown(page)
    assert page.locator("#notice").is_hidden()


def test_another_style_lies_below_the_badges(open_map, style):
    page = open_map(f"#index=iceland&view=tree&ellipses=false&style={style}", reaches=[style])
    assert shown(page)
    idle(page)
    assert pixel(page, [(-24.2, 63.6), (-13.9, 63.7)]) == [0xC8, 0x1E, 0xE6]


def test_a_style_that_is_not_there_is_told(open_map, style):
    missing = style.replace("style.json", "none.json")
    page = open_map(f"#index=iceland&view=tree&style={missing}", reaches=[missing], tolerates=["404"], settle=False)
    page.locator("#notice").get_by_text("404").wait_for()


def test_a_phone_folds_the_settings(open_map):
    page = open_map("#index=iceland", viewport=PHONE, has_touch=True)
    assert page.locator("#amount").is_hidden()
    page.get_by_role("button", name="Settings").click()
    assert page.locator("#amount").is_visible()


def test_a_single_position_is_not_below_the_divider(open_map):
    page = open_map("#index=one&view=compare&compare=divider")
    (point,) = shown(page)
    box = stage(page)
    assert box["width"] * 0.6 < point["left"] < box["width"] * 0.9
    assert page.evaluate("viewer.map.getZoom()") <= 16
    assert "1 point" in page.locator("#facts").inner_text()


@pytest.mark.parametrize("viewport", [LAPTOP, PHONE, TABLET])
def test_the_map_opens_on_all_points(open_map, viewport):
    page = open_map("#index=airports", viewport=viewport)
    box = stage(page)
    clusters = shown(page)
    assert sum(c["count"] for c in clusters) == page.evaluate("viewer.index.point_count")
    assert all(-1 <= c["left"] <= box["width"] + 1 and -1 <= c["top"] <= box["height"] + 1 for c in clusters)


def test_a_search_finds_names_places_and_coordinates(open_map):
    page = open_map("#index=airports", reduced_motion="reduce")
    field = page.get_by_role("combobox", name="Search")
    field.fill("heathrow")
    page.get_by_role("option", name="Heathrow").first.click()
    page.wait_for_function("() => viewer.hit !== null")
    # At each zoom the cluster that contains the point is marked. At the zoom that the search has chosen, the point is
    # shown alone.
    rest(page)
    marked = "viewer.tree.scene.clusters.filter(({ id }) => viewer.hit.path.has(id)).map(({ count }) => count)"
    assert page.evaluate(marked) == [1]
    page.evaluate("viewer.map.jumpTo({zoom: 4})")
    rest(page)
    (count,) = page.evaluate(marked)
    assert count > 1
    page.wait_for_function("() => location.hash.includes('hit=')")
    again = open_map(page.evaluate("location.hash"))
    again.wait_for_function("() => viewer.hit?.text.includes('Heathrow') && viewer.find('#find').value === viewer.hit.text")
    field.fill("reykjav")
    page.get_by_role("option", name="Reykjavík").wait_for()
    page.keyboard.press("ArrowDown")
    field.fill("48.85, 2.35")
    page.get_by_role("option", name="48.8500° N, 2.3500° E").wait_for()
    page.keyboard.press("Enter")
    page.wait_for_function("() => Math.abs(viewer.map.getCenter().lat - 48.85) < 0.001")
    # A place is marked, too, until the field is empty.
    assert page.evaluate("[viewer.hit.text, viewer.settings.hit]") == ["48.8500° N, 2.3500° E", ""]
    field.fill("")
    page.wait_for_function("() => viewer.hit === null")
    for text in ("48,85; 2,35", "48,85 2,35", "geo:48.85,2.35,120;u=30?z=9", "48°51′N 2°21′E"):
        field.fill(text)
        page.get_by_role("option", name="48.8500° N, 2.3500° E").wait_for()
        field.fill("")
        page.locator("#found").wait_for(state="hidden")


def test_a_filter_hides_the_mark_of_a_point_and_counts_the_others(open_map):
    page = open_map("#index=airports&hit=5", tolerates=["404"])
    page.wait_for_function("() => viewer.hit?.text === 'Fulton Airport'")
    page.get_by_label("Only where").fill("country = 'FR'")
    page.get_by_label("Only where").press("Enter")
    page.wait_for_function("() => viewer.hit.isHidden")
    assert page.locator("#notice").inner_text().startswith("Fulton Airport is not marked, because it does not pass the filter.")
    page.wait_for_function("() => document.querySelector('#facts').textContent.startsWith('462 of 28,298 points')")
    page.get_by_role("button", name="Clear the filter").click()
    page.wait_for_function("() => !viewer.hit.isHidden && document.querySelector('#facts').textContent.startsWith('28,298 points')")
    page.locator("#notice").wait_for(state="hidden")


def test_the_densest_place_has_the_most_points_around_it(open_map):
    page = open_map("#index=airports", reduced_motion="reduce")
    page.get_by_role("button", name="Go to the densest place").click()
    page.wait_for_function("() => viewer.hit?.row === ''")
    # No airport has more airports within 20 km than one near Anchorage, which has 69.
    assert page.evaluate("viewer.hit.text") == page.locator("#find").input_value() == "69 points within 20 km"
    center = page.evaluate("viewer.map.getCenter().toArray()")
    assert abs(center[0] + 149.6) < 0.3 and abs(center[1] - 61.6) < 0.2
    # The number of points depends on the filter.
    page.evaluate("viewer.settings.set({ where: \"country = 'IS'\" })")
    page.wait_for_function("() => viewer.hit === null && document.querySelector('#find').value === ''")
    page.evaluate("viewer.settings.set({ where: \"country = 'QQ'\" })")
    page.wait_for_function("() => / of /.test(document.querySelector('#facts').textContent)")
    page.get_by_role("button", name="Go to the densest place").click()
    page.wait_for_function("() => document.querySelector('#notice').textContent.includes('No point')")
    assert page.evaluate("viewer.hit") is None
    # The message goes with the filter that caused it.
    page.evaluate("viewer.settings.set({ where: '' })")
    page.wait_for_function("() => !document.querySelector('#notice').textContent.includes('No point') || document.querySelector('#notice').hidden")


def test_a_found_point_is_marked_in_its_cluster_of_tiles(open_map):
    page = open_map("#index=airports&view=tiles&hit=5&map=4/40/-85", reduced_motion="reduce")
    page.evaluate("() => { viewer.overlay.drawPin = (...pin) => (globalThis.pin = pin); viewer.wake(); }")
    # The cluster has a larger radius than a point.
    page.wait_for_function("() => globalThis.pin?.[2] > 6")
    pin = page.evaluate("pin.slice(0, 2)")
    origin = page.evaluate("viewer.stage.origin")
    badges = page.evaluate("""() => viewer.map.queryRenderedFeatures({ layers: ["clusters"] })
      .filter(({ properties }) => viewer.hit.path.has(properties.cluster_id)).map(({ geometry }) => viewer.map.project(geometry.coordinates))""")
    assert badges and all(abs(pin[0] - origin["x"] - x) < 2 and abs(pin[1] - origin["y"] - y) < 2 for x, y in ((b["x"], b["y"]) for b in badges))


def test_an_empty_filter_of_tiles_can_be_cleared(open_map):
    page = open_map("#index=airports&view=tiles&where=country+%3D+'QQ'")
    page.get_by_role("button", name="Clear the filter").click()
    page.wait_for_function("() => viewer.settings.where === '' && document.querySelector('#notice').hidden")


def test_the_keys_are_in_the_panel_or_on_the_map_of_a_phone(open_map):
    assert open_map("#index=airports", LAPTOP).locator("#panel #key").is_visible()
    # A grid has the colors of densities, even beside badges with the colors of categories.
    assert open_map("#index=events&view=compare&donuts=kind", LAPTOP).locator("#panel #key").is_visible()
    page = open_map("#index=events", PHONE)
    assert page.locator("#stage #key").is_visible()
    facts = page.locator("#facts")
    page.wait_for_function("() => document.querySelector('#facts .years')")
    assert "2015–2024" in facts.inner_text()
    box = facts.bounding_box()
    assert box["y"] + box["height"] <= PHONE["height"] and facts.evaluate("node => node.scrollWidth <= node.clientWidth")


def test_a_search_uses_the_lists_of_an_index(open_map):
    page = open_map("#index=iceland", reduced_motion="reduce")
    field = page.get_by_role("combobox", name="Search")
    with page.expect_request(lambda request: "/v1/iceland/search?" in request.url):
        field.fill("ADALGATA 1")
    page.get_by_role("option", name="Aðalgata 1", exact=False).first.click()
    page.wait_for_function("() => viewer.hit !== null")


def test_enter_chooses_a_hit_of_the_text_in_the_field(open_map):
    page = open_map("#index=iceland", reduced_motion="reduce")
    field = page.get_by_role("combobox", name="Search")
    field.fill("Aðalgata 1")
    page.get_by_role("option", name="Aðalgata 1", exact=False).first.wait_for()
    # The hits of the text before are still listed.
    field.fill("Bakkagata 1")
    field.press("Enter")
    page.wait_for_function("() => viewer.hit !== null")
    assert field.input_value().startswith("Bakkagata 1")


def test_a_search_lists_equal_names_and_great_numbers_first(open_map):
    page = open_map("#index=events")
    page.get_by_role("combobox", name="Search").fill("place 12")
    page.locator("#found li").nth(5).wait_for()
    page.wait_for_function("() => document.querySelector('#found li span').textContent === 'Place 12'")
    titles = page.locator("#found li span").all_inner_texts()
    # In this index the size of a place follows from its number.
    sizes = [int(title.split()[1]) * 37 % 500 for title in titles[1:]]
    assert len(sizes) == 5 and sizes == sorted(sizes, reverse=True) and sizes[0] > 400


def test_a_view_is_handed_to_others(open_map):
    page = open_map("#index=iceland")
    page.get_by_role("button", name="Share").click()
    dialog = page.get_by_role("dialog", name="Share this view")
    assert "#index=iceland" in dialog.get_by_label("Link").input_value()
    frame = dialog.get_by_label("For a page").input_value()
    assert frame.startswith("<iframe src=") and ' title="iceland" ' in frame
    for kind, start in (("PNG", b"\x89PNG"), ("SVG", b"<svg")):
        with page.expect_download() as download:
            dialog.get_by_role("button", name=kind).click()
        path = download.value.path()
        assert path.read_bytes().startswith(start) and path.stat().st_size > 20_000
        assert download.value.suggested_filename == f"iceland.{kind.lower()}"
    svg = path.read_text()
    assert svg.count("<circle") >= len(shown(page))
    dots = page.evaluate("viewer.tree.labels.placed.filter(({ hasDot }) => hasDot).length")
    assert svg.count('<circle class="place"') == dots > 0
    # The picture has the title, the scale of colors and the attribution.
    assert "points per cm² of the screen" in svg and "iceland · Natural Earth" in svg and "<linearGradient" in svg


@pytest.mark.parametrize("link, told", [
    ("#index=events&view=tree&donuts=kind&off=inn", ["hotel", "inn", "hidden", "all others"]),
    ("#index=countries&view=tree&map=4/50/10", ["DE", "FR", "\u00a0%"]),
    ("#index=titled&view=tree", ["Stacks &lt;b>&amp; more&lt;/b> · © A &lt;script>B&lt;/script> · Natural Earth", "points per cm²"]),
])
def test_pictures_have_a_legend(open_map, link, told):
    page = open_map(link, LAPTOP)
    svg = page.evaluate("async () => (await viewer.share.svg()).text()")
    assert all(text in svg for text in told)
    ElementTree.fromstring(svg)
    # The PNG has the colors of the legend below the map.
    fills = page.evaluate("viewer.values.hasParts ? viewer.legend.entries.map(({ fill }) => fill) : [viewer.palette.tones[0].fill, viewer.palette.tones.at(-1).fill]")
    colors = page.evaluate("""async () => {
      const picture = await createImageBitmap(await viewer.share.png()), { ratio } = viewer.overlay;
      const context = new OffscreenCanvas(picture.width, picture.height).getContext("2d");
      context.drawImage(picture, 0, 0);
      const top = Math.round(viewer.stage.whole.height * ratio);
      const { data } = context.getImageData(0, top, picture.width, picture.height - top);
      const colors = new Set(Array.from({ length: data.length / 4 }, (_, at) => data.slice(4 * at, 4 * at + 3).join()));
      return [...colors].map((color) => color.split(",").map(Number));
    }""")
    for fill in fills:
        color = [int(part) for part in re.findall(r"\d+", fill)[:3]]
        assert any(max(abs(a - b) for a, b in zip(color, each)) <= 4 for each in colors), fill


def test_a_guessed_name_says_so(open_map):
    page = open_map("#index=untitled&map=15/64.1459/-21.9371", LAPTOP)
    page.get_by_text("The map guesses that the column “door” has the names of the points.").wait_for()
    assert page.evaluate("viewer.tree.labels.placed.some(({ isPoint }) => isPoint)")
    named = open_map("#index=iceland", LAPTOP)
    assert named.locator("#names-say").is_hidden()
    # Neighbors share their country, so it is no name.
    unnamed = open_map("#index=countless&map=5/50/10", LAPTOP)
    unnamed.wait_for_function("() => viewer.index.guessed_name === null")
    rest(unnamed)
    assert unnamed.locator("#names-say").is_hidden()
    assert unnamed.evaluate("viewer.tree.labels.placed.every(({ isPoint }) => !isPoint)")


def test_the_name_of_a_place_moves_to_a_free_side(open_map):
    page = open_map("#index=airports&view=tree", LAPTOP)
    places = page.evaluate("""async () => {
      const { Labels } = await import('/viewer/labels.js');
      const camera = viewer.currentCamera, { x, y } = camera.point(camera.centerX, camera.centerY);
      const sides = [[70, 0, 1], [-70, 0, 1], [-20, -12, 5], [-20, 12, 5]].map(([right, down, radius]) => ({ x: x + right, y: y + down, radius }));
      return [0, 1, 2, 3, 4].map(count => {
        const labels = new Labels();
        labels.place(camera, sides.slice(0, count), [{ name: 'Somewhere', rank: 0, x: camera.centerX, y: camera.centerY }], null, new Map(), `${count}`, 1e9);
        return labels.placed.map(({ dx, dy }) => [Math.sign(Math.round(dx)), Math.sign(Math.round(dy))]);
      });
    }""")
    assert places[:4] == [[[1, 0]], [[-1, 0]], [[0, -1]], [[0, 1]]]
    [[across, down]] = places[4]
    assert across and down


def test_the_name_of_a_place_is_never_far_from_the_place(open_map):
    page = open_map("#index=airports&view=tree", LAPTOP)
    # A large badge covers the place, with the place in the middle or near the left edge of the badge.
    counts = page.evaluate("""async () => {
      const { Labels } = await import('/viewer/labels.js');
      const camera = viewer.currentCamera, { x, y } = camera.point(camera.centerX, camera.centerY);
      return [0, 55].map(right => {
        const labels = new Labels();
        labels.place(camera, [{ x: x + right, y, radius: 60 }], [{ name: 'Somewhere', rank: 0, x: camera.centerX, y: camera.centerY }], null, new Map(), `${right}`, 1e9);
        return labels.placed.length;
      });
    }""")
    assert counts == [0, 1]


def test_a_filter_without_points_can_be_cleared(open_map):
    page = open_map("#index=iceland&where=postcode+%3C+0")
    page.get_by_text("No point in this view passes the filter.").wait_for()
    page.get_by_role("button", name="Clear the filter").click()
    page.wait_for_function("() => viewer.tree.scene.size > 0")
    rest(page)
    assert page.locator("#notice").is_hidden()


def test_a_basemap_lies_below_the_badges(open_map, indexes, tmp_path):
    server = Server(indexes["iceland"], "--viewer", VIEWER, "--basemap", write_basemap(tmp_path / "land.pmtiles", ROOT / "Fixtures/land_110m.geojson"))
    try:
        page = open_map("#index=iceland", server=server.url, reduced_motion="reduce")
        page.wait_for_function("() => viewer.map.getLayer('land areas')")
        idle(page)
        land, sea = [[int(color[i:i + 2], 16) for i in (1, 3, 5)] for color in page.evaluate("[viewer.palette.land, viewer.palette.sea]")]
        assert pixel(page, [(-18.55, 64.62), (-17.5, 64.9), (-19.5, 64.9), (-16.5, 65.0), (-18.0, 65.1)]) == land
        assert pixel(page, [(-24.2, 63.2), (-13.2, 63.5)]) == sea
        assert "Natural Earth test" in page.locator(".maplibregl-ctrl-attrib").first.inner_text()
        assert page.evaluate("viewer.tree.labels.placed.length") > 0
    finally:
        server.stop()


def test_a_style_of_the_server_that_fails_says_so(open_map, indexes, style):
    server = Server(indexes["iceland"], "--viewer", VIEWER, "--style", style.replace("style.json", "none.json"))
    try:
        page = open_map("#index=iceland", server=server.url, reaches=[style.rsplit("/", 1)[0]], tolerates=["404"], settle=False)
        page.locator("#notice").get_by_text("The built-in map is shown instead.").wait_for()
        page.wait_for_function("() => viewer.map.getLayer('land')")
    finally:
        server.stop()
