"""Tests links to the map, the Back button, a slow start, and messages about faults in links."""

import re

import pytest

from conftest import inside, press, rest, shown, until


def test_a_style_that_fails_says_so_and_leaves_a_map(open_map):
    page = open_map("#index=iceland&view=tree&style=/nope.json", tolerates=["404"])
    page.locator("#notice").get_by_text("The map style /nope.json cannot be shown: the server answered 404.").wait_for()
    page.wait_for_function("() => viewer.map.getLayer('land')")
    assert shown(page)
    page.locator("#notice").get_by_role("button", name="OK").click()
    assert page.locator("#notice").is_hidden()


def test_a_style_that_is_none_says_so(open_map):
    page = open_map("#index=iceland&view=tree&style=/v1/indexes", tolerates=["layers", "version", "sources", "property"])
    page.locator("#notice").get_by_text("The map style /v1/indexes cannot be shown").wait_for()
    page.wait_for_function("() => viewer.map.getLayer('land')")


def test_an_unknown_index_is_told(open_map):
    page = open_map("#index=nope&view=tree")
    page.get_by_text("There is no index “nope” here; the map shows iceland.").wait_for()
    assert shown(page)
    page.evaluate("location.hash = '#index=airports&view=tree&dust=false'")
    page.locator("#notice").wait_for(state="hidden")
    page.evaluate("location.hash = '#indx=airports'")
    page.get_by_text("The link has unknown or invalid parts: indx.").wait_for()


def test_an_entered_address_is_read_before_the_map_writes_its_own(open_map):
    page = open_map("#index=airports&view=tree")
    # Between the two lines, no event is handled.
    page.evaluate("() => { location.hash = '#indx=airports'; viewer.address.write(); }")
    page.get_by_text("The link has unknown or invalid parts: indx.").wait_for()


def test_points_on_a_plane_have_a_map_of_their_own(open_map):
    """Checks that a plane is shown to scale, in its own units, and that the Earth comes back."""
    page = open_map("#index=plain&view=tree&by=spacing&spacing=24")
    facts = page.locator("#facts").inner_text()
    assert "4 points" in facts and re.sub(r"\s", " ", facts).endswith("1k × 768")
    point = "cluster => viewer.tree.scene.sprite(cluster.id).cluster.properties.name"
    named = {page.evaluate(point, cluster): cluster for cluster in shown(page)}
    (x0, y0), (x1, y1), (x2, y2) = ((named[name]["left"], named[name]["top"]) for name in ("corner", "far corner", "left"))
    assert x1 > x0 > x2 and y1 < y2 < y0
    assert (x1 - x0) / (y0 - y1) == pytest.approx(1024 / 768, rel=0.01)
    assert (y0 - y2) / (x0 - x2) == pytest.approx(100 / 8, rel=0.1)
    lines = page.evaluate("viewer.index.plane.graticule(viewer.camera, 140)")
    assert [line["text"] for line in lines["columns"]][:3] == ["0", "500", "1,000"]
    zero = page.evaluate("at => viewer.camera.point(at, 0).x", lines["columns"][0]["at"])
    assert zero + page.evaluate("viewer.stage.origin.x") == pytest.approx(x0, abs=0.5)
    press(page, named["middle"])
    page.locator("#card").get_by_text("512.5, 384.25").wait_for()
    for control in ("Tiles", "Show where I am"):
        assert page.get_by_label(control).is_hidden()
    page.evaluate("viewer.settings.set({ index: 'airports' })")
    page.wait_for_function("() => viewer.map.getLayer('land') && viewer.map.getRenderWorldCopies()")
    rest(page)
    assert len(shown(page)) > 4


def test_a_link_to_a_point_that_is_no_more_says_so(open_map):
    page = open_map("#index=stacks&view=tree&map=13/55.7/12.5&open=999999999", tolerates=["404"])
    page.get_by_text("The link opens a point or a stack of points that is not in this index.").wait_for()


@pytest.mark.parametrize("link, said", [
    ("constructor=1&toString=2", "constructor, toString"), ("off=%25", "off"), ("map=//", "map"), ("dust=toString", "dust"),
    ("map=99/5/5", "map"), ("map=5/95/5", "map"), ("map=5/5/1000", "map"),
])
def test_a_link_that_is_malformed_says_so(open_map, link, said):
    page = open_map(f"#index=stacks&view=tree&{link}")
    page.get_by_text(f"The link has unknown or invalid parts: {said}.").wait_for()
    assert shown(page)


def test_a_cut_that_the_index_does_not_support_is_told(open_map):
    page = open_map("#index=badges&view=tree&by=spacing")
    page.get_by_text("The link asks for the cut “Spacing”, which is not available here; the map uses “Badges”.").wait_for()
    page.locator("#notice").get_by_role("button", name="OK").click()
    # A choice of the user is not a fault of the link.
    page.evaluate("viewer.settings.set({ index: 'iceland' })")
    page.wait_for_function("() => viewer.index.name === 'iceland'")
    rest(page)
    page.evaluate("location.hash = '#index=iceland&view=tree&by=spacing&dust=false'")
    rest(page)
    assert page.locator("#notice").is_hidden()


def test_the_error_of_a_filter_in_a_link_counts_the_characters_of_the_filter(open_map):
    page = open_map("#index=events&view=tree&where=kind%20%3D%20)&donuts=kind&off=inn", tolerates=["400"])
    page.locator("#where-problem").get_by_text("at character 8").wait_for()
    assert shown(page)


@pytest.mark.parametrize("status, body, said", [
    (200, "{", "The server's answer cannot be read."), (200, "null", "The server's answer cannot be read."),
    (200, "{}", "The server's answer cannot be read."), (502, "<html>", "The server answered 502."),
    (500, "null", "The server answered 500."),
])
def test_an_answer_that_is_none_is_told_in_words(open_map, status, body, said):
    spoil = lambda route: route.fulfill(status=status, body=body, content_type="application/json")
    page = open_map("#index=stacks&view=tree", tolerates=[str(status), "The server's answer", "The server answered"],
                    setup=lambda page: page.route("**/v1/indexes", spoil), settle=False)
    page.locator("#notice").get_by_text(said).wait_for()
    page = open_map("#index=stacks&view=tree", tolerates=[str(status)])
    page.route("**/transition?*", spoil)
    page.evaluate("viewer.map.zoomTo(viewer.map.getZoom() + 1, { duration: 0 })")
    page.locator("#notice").get_by_text(said).wait_for()
    page.unroute("**/transition?*")
    page.locator("#notice").wait_for(state="hidden")
    rest(page)
    assert shown(page)


def test_names_are_spelt_as_given(open_map):
    page = open_map("#index=iceland-mean&view=tree")
    assert page.locator("h1").inner_text() == "iceland-mean"
    assert set(page.locator("#dataset option").all_inner_texts()) >= {"airports", "stacks", "one"}


def test_back_goes_back(open_map):
    page = open_map("#index=iceland&view=tree")
    whole, zoom = shown(page), page.evaluate("viewer.map.getZoom()")
    press(page, max(inside(page, whole), key=lambda c: c["count"]))
    page.wait_for_function("z => viewer.map.getZoom() > z && !viewer.map.isMoving()", arg=zoom)
    rest(page)
    page.wait_for_function("() => history.length > 2")
    close = page.evaluate("viewer.map.getZoom()")
    page.locator("#dataset").select_option("airports")
    page.wait_for_function("() => viewer.index.name === 'airports'")
    rest(page)
    page.wait_for_function("() => location.hash.includes('airports')")
    page.go_back()
    page.wait_for_function("z => viewer.index.name === 'iceland' && Math.abs(viewer.map.getZoom() - z) < 0.02", arg=close)
    rest(page)
    page.go_back()
    page.wait_for_function("z => Math.abs(viewer.map.getZoom() - z) < 0.02", arg=zoom)
    rest(page)
    assert {c["id"] for c in shown(page)} == {c["id"] for c in whole}
    page.go_forward()
    page.wait_for_function("z => Math.abs(viewer.map.getZoom() - z) < 0.02", arg=close)


def test_back_returns_to_the_filter_before(open_map):
    page = open_map("#index=events&view=tree")
    field = page.get_by_label("Only where")
    for where in ("size < 100", "size < 50"):
        field.fill(where)
        field.press("Enter")
        page.wait_for_function("where => viewer.settings.where === where && location.hash.includes('where=')", arg=where)
        rest(page)
    # The field has the focus, but the user is not writing.
    for where in ("size < 100", ""):
        page.go_back()
        page.wait_for_function("where => viewer.settings.where === where", arg=where)
        assert field.input_value() == where
        rest(page)


def test_back_closes_what_a_click_opened(open_map):
    page = open_map("#index=stacks&view=tree&map=13/55.7/12.5")
    press(page, next(c for c in shown(page) if c["count"] == 5))
    page.locator("#card li").first.wait_for()
    page.wait_for_function("() => location.hash.includes('open=')")
    page.go_back()
    page.locator("#card").wait_for(state="hidden")
    page.go_forward()
    page.locator("#card li").first.wait_for()


def test_a_drag_is_no_entry_of_the_history(open_map):
    page = open_map("#index=iceland&view=tree")
    # The address names the view once the map rests. It does not name settings that have their defaults.
    page.wait_for_function("() => location.hash.includes('map=')")
    entries, before = page.evaluate("[history.length, location.hash]")
    page.evaluate("viewer.map.panBy([80, 40], {duration: 0})")
    page.wait_for_function("before => location.hash.includes('map=') && location.hash !== before", arg=before)
    assert page.evaluate("history.length") == entries


@pytest.mark.parametrize("slow", ["**/v1/indexes", "**/clusters?limit=1000*"])
def test_a_slow_start_shows_no_unset_controls(open_map, slow):
    held = []
    page = open_map("#index=iceland", settle=False,
                    setup=lambda page: page.route(slow, lambda route: held.append(route)))
    until(page, lambda: held)
    for selector in ("#views", "#measures", "#amount", "#cuts", "#key", "#zoom-in"):
        assert page.locator(selector).is_hidden()
    for route in held:
        route.continue_()
    page.unroute(slow)
    rest(page)
    # The text of a closed part of the panel is empty.
    page.evaluate("document.querySelector('#drawing').open = true")
    assert page.locator("#amount-value").inner_text() == "44 px"
    assert page.locator("#views").is_visible() and page.locator("#key .ends span").count() == 3


def test_title_and_attribution_are_shown_as_text(open_map):
    page = open_map("#index=titled&view=tree")
    assert page.locator("h1").inner_text() == "Stacks <b>& more</b>"
    assert "© A <script>B</script>" in page.locator(".maplibregl-ctrl-attrib").first.inner_text()
    assert "Stacks <b>& more</b>" in page.locator("#dataset option").all_inner_texts() \
        or "stacks" in page.locator("#dataset option").all_inner_texts()
    page.evaluate("location.hash = '#index=iceland&view=tree&dust=false'")
    page.wait_for_function("() => viewer.index.name === 'iceland'")
    assert "©" not in page.locator(".maplibregl-ctrl-attrib").first.inner_text()
