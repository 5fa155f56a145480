"""Tests values on badges: donuts and their legend, sums, a histogram with a window, and links to all of these."""

import csv
import json
import math
import re
import urllib.parse
import urllib.request

import pytest

from conftest import LAPTOP, PHONE, PICTURES, idle, press, inside, rest, shown, stage

LEGEND = "() => [...document.querySelectorAll('#legend li')].map(({ innerText }) => innerText.split('\\n').map(s => s.trim()).filter(Boolean))"
TOTAL = "() => viewer.tree.scene.clusters.reduce((sum, { count }) => sum + count, 0)"


def ask(address, path, **query):
    with urllib.request.urlopen(f"{address}/v1/{path}?{urllib.parse.urlencode(query)}") as answer:
        return json.load(answer)


def root(address, **query):
    [feature] = ask(address, "events/clusters", limit=1, **query)["features"]
    return feature["properties"]


def parts(page):
    return page.evaluate("() => viewer.tree.scene.clusters.map(({ count, parts }) => [count, parts])")


def has_range(page):
    page.wait_for_function("() => viewer.settings.range !== '' && viewer.timeline.selected")
    rest(page)


def histogram(page):
    page.wait_for_function("() => viewer.timeline.histogram?.counts.length > 0 && document.querySelector('#timeline rect')")
    return page.evaluate("() => viewer.timeline.histogram")


@pytest.mark.parametrize("viewport", [LAPTOP, PHONE])
def test_donuts_have_parts_that_add_up(open_map, address, viewport):
    page = open_map("#index=events&view=tree&donuts=kind", viewport)
    told = parts(page)
    assert told and all(sum(own) == count for count, own in told)
    legend = page.evaluate(LEGEND)
    everything = root(address, aggregate="counts(kind)")["counts_kind"]
    assert [name for name, *_ in legend[:-1]] == list(everything)[:6] and legend[-1][0] == "all others"
    total = sum(count for count, _ in told)
    for at, (name, *said) in enumerate(legend):
        own = sum(own[at] for _, own in told)
        # A phone has no room for the count.
        assert [int(count.replace(",", "")) for count in said[:-1]] == [own][:len(said) - 1], name
        assert said[-1] == f"{round(100 * own / total)}\u00a0%"
    page.screenshot(path=PICTURES / f"donuts-{viewport['width']}.png")


def test_the_legend_hides_and_shows(open_map, address):
    page = open_map("#index=events&view=tree&donuts=kind&by=spacing")
    whole = page.evaluate(TOTAL)
    hotels = page.get_by_role("button", name="hotel", exact=False).first
    hotels.focus()
    page.keyboard.press("Enter")
    page.wait_for_function("total => viewer.isAtRest && viewer.tree.filter && true", arg=whole)
    rest(page)
    left = root(address, filter="kind <> 'hotel' OR kind IS NULL")["point_count"]
    assert page.evaluate(TOTAL) == left < whole
    assert hotels.get_attribute("aria-pressed") == "false"
    page.get_by_role("button", name="all others").click()
    page.wait_for_function("() => viewer.settings.off.includes('*')")
    rest(page)
    others = sum(root(address, filter=f"kind = '{kind}'")["point_count"] for kind in
                 ["hostel", "camp", "inn", "resort", "villa"])
    assert page.evaluate(TOTAL) == others
    # A link contains this setting.
    page.wait_for_function("() => location.hash.includes('off=hotel,*')")
    again = open_map(f"#{page.evaluate('location.hash').lstrip('#')}")
    assert again.evaluate(TOTAL) == others
    hotels.click()
    page.get_by_role("button", name="all others").click()
    page.wait_for_function("() => viewer.settings.off === ''")
    rest(page)
    assert page.evaluate(TOTAL) == whole


def test_all_categories_may_be_hidden(open_map):
    page = open_map("#index=events&view=tree&donuts=active&off=true,false,*")
    page.get_by_text("No point in this view passes the filter.").wait_for()
    page.evaluate("viewer.settings.set({ off: 'false' })")
    page.wait_for_function("() => viewer.isAtRest && viewer.tree.scene.size > 0")


def test_badges_tell_sums(open_map, address):
    page = open_map("#index=events&view=tree&sum=size")
    labels = page.evaluate("() => viewer.tree.scene.clusters.map(({ label, properties }) => [label, properties.sum_size])")
    assert sum(value for _, value in labels) == root(address, aggregate="sum(size)")["sum_size"]
    assert any(label.endswith("k") for label, _ in labels)
    page.locator("#listing li").first.get_by_text("size").wait_for()
    page.locator("#sum").select_option("")
    page.wait_for_function("() => viewer.isAtRest && viewer.tree.scene.clusters.every(({ properties }) => !('sum_size' in properties))")


def test_a_sum_leaves_badges_their_sizes(open_map):
    """Checks that a sum is only written on badges. Their sizes must still follow the number of points, because
    otherwise badges would touch."""
    page = open_map("#index=groups&view=tree&by=badges")
    sizes = "() => viewer.tree.scene.clusters.map(({ id, radius, properties }) => [id, radius, properties.badge_px])"
    before = page.evaluate(sizes)
    # Many badges are all drawn smaller by the same share.
    size = max(min((250 / len(before)) ** 0.5, 1), 0.65)
    assert before and all(radius == pytest.approx(size * diameter / 2) for _, radius, diameter in before)
    page.locator("#sum").select_option("size")
    page.wait_for_function("() => viewer.isAtRest && viewer.tree.scene.clusters.every(({ properties }) => 'sum_size' in properties)")
    assert page.evaluate(sizes) == before


def test_groups_are_named(open_map, address):
    page = open_map("#index=groups&view=tree&by=badges&donuts=active", LAPTOP)
    # All groups together have the same categories as the index without groups.
    everything = root(address, aggregate="counts(active)")["counts_active"]
    assert page.evaluate("viewer.values.categories") == list(everything)
    assert all(sum(own) == count for count, own in parts(page))
    first = page.locator("#listing li").first
    first.get_by_text("hotel ·").wait_for()
    box, cluster = stage(page), max(inside(page, shown(page)), key=lambda c: c["count"])
    page.mouse.move(box["x"] + cluster["left"], box["y"] + cluster["top"])
    # Badges of different groups may overlap, so the mouse may point at another badge.
    page.wait_for_function("() => viewer.pointing.pointed")
    group = page.evaluate("() => viewer.pointing.pointed.cluster.properties.cluster_group")
    page.locator("#hint").get_by_text(f"{group or 'without a group'} ·").wait_for()
    page.screenshot(path=PICTURES / "groups.png")
    lone = page.evaluate("() => String(viewer.tree.scene.clusters.find(({ count }) => count === 1)?.id ?? '')")
    assert lone
    opened = open_map(f"#index=groups&view=tree&by=badges&open={lone}", LAPTOP)
    kind = opened.evaluate("viewer.card.cluster.properties.cluster_group")
    opened.locator("#card header").get_by_text(f"{kind or 'without a group'} ·").wait_for()


def test_a_limit_below_the_groups_is_told(open_map):
    page = open_map("#index=groups&view=tree&by=limit&limit=4", settle=False, tolerates=("400",))
    page.get_by_text("a limit of 8 or more clusters", exact=False).wait_for()
    page.evaluate("viewer.settings.set({ limit: 50 })")
    rest(page)
    assert 8 <= len(shown(page, "tree")) <= 50


@pytest.mark.parametrize("viewport", [LAPTOP, PHONE])
def test_a_window_is_brushed(open_map, address, viewport):
    page = open_map("#index=events&view=tree&brush=opened", viewport)
    told = histogram(page)
    everything = ask(address, "events/histogram", column="opened", bins=len(told["counts"]))
    assert told["edges"] == everything["edges"] and sum(told["counts"]) <= sum(everything["counts"])
    box = page.locator("#timeline .plot").bounding_box()
    page.mouse.move(box["x"] + box["width"] * 0.25, box["y"] + 20)
    page.mouse.down()
    page.mouse.move(box["x"] + box["width"] * 0.5, box["y"] + 25, steps=6)
    page.mouse.up()
    has_range(page)
    start, end = page.evaluate("viewer.settings.range").split("..")
    assert start in told["edges"] and end in told["edges"]
    bins = slice(told["edges"].index(start), told["edges"].index(end))
    held = root(address, filter=f"opened >= DATE('{start}') AND opened < DATE('{end}')")["point_count"]
    assert held == sum(everything["counts"][bins])
    text = page.locator("#timeline .says").inner_text()
    assert text.startswith(f"{start} to {end}: {sum(told['counts'][bins]):,} points in view")
    page.screenshot(path=PICTURES / f"histogram-{viewport['width']}.png")
    # The map is drawn while the window moves.
    page.mouse.move(box["x"] + box["width"] * 0.375, box["y"] + 20)
    page.mouse.down()
    page.mouse.move(box["x"] + box["width"] * 0.6, box["y"] + 20, steps=6)
    page.mouse.up()
    page.wait_for_function("range => viewer.settings.range !== range", arg=f"{start}..{end}")
    moved = page.evaluate("viewer.settings.range").split("..")
    assert told["edges"].index(moved[1]) - told["edges"].index(moved[0]) == bins.stop - bins.start
    page.locator("#timeline .clear").click()
    page.wait_for_function("() => viewer.settings.range === ''")
    rest(page)


def test_a_window_is_moved_by_keys(open_map):
    page = open_map("#index=events&view=tree&brush=opened&range=2018-01-01..2020-01-01")
    edges = histogram(page)["edges"]
    has_range(page)

    def after(label, key):
        before = page.evaluate("viewer.settings.range")
        page.locator("#timeline").get_by_role("slider", name=label, exact=True).press(key)
        page.wait_for_function("range => viewer.settings.range !== range", arg=before)
        return [edges.index(end) for end in page.evaluate("viewer.settings.range").split("..")]

    start, end = [edges.index(edge) for edge in ("2018-01-01", "2020-01-01")]
    assert after("Window", "ArrowRight") == [start + 1, end + 1]
    assert after("From", "ArrowLeft") == [start, end + 1]
    assert after("To", "ArrowLeft") == [start, end]
    assert after("Window", "Home") == [0, end - start]
    assert page.locator("#timeline").get_by_role("slider", name="From", exact=True).get_attribute("aria-valuetext") == edges[0]
    rest(page)


def test_a_window_is_played(open_map):
    page = open_map("#index=events&view=tree&brush=opened")
    count = len(histogram(page)["counts"])
    page.get_by_role("button", name="Play").click()
    seen = set()
    page.wait_for_function("() => viewer.timeline.selected?.start >= 3")
    pause = page.get_by_role("button", name="Pause")
    pause.click()
    page.get_by_role("button", name="Play").wait_for()
    seen.add(page.evaluate("viewer.settings.range"))
    # A page runs its timers in the order in which they end. So, if any timer were still going to move the window, it
    # would run before this one.
    page.evaluate("() => new Promise(done => setTimeout(done, 700))")
    rest(page)
    assert page.evaluate("viewer.settings.range") in seen
    # At the end of the histogram, playing stops.
    page.locator("#timeline").get_by_role("slider", name="Window", exact=True).press("End")
    page.get_by_role("button", name="Play").click()
    page.wait_for_function("() => viewer.timeline.selected.start === 0")
    pause.click()
    assert page.evaluate("viewer.timeline.selected.end") < count
    rest(page)


def test_counts_stay_whole_while_filters_change(open_map):
    """Checks that after each change no cluster is shown twice, and that the parts of each donut add up to the badge's
    count."""
    page = open_map("#index=events&view=tree&donuts=kind&brush=opened&range=2016-01-01..2018-01-01")
    for change in ["{ range: '2017-01-01..2019-01-01' }", "{ off: 'hotel' }", "{ off: '', range: '' }"]:
        page.evaluate(f"viewer.settings.set({change})")
        rest(page)
        ids = [cluster["id"] for cluster in shown(page)]
        assert len(ids) == len(set(ids))
        told = parts(page)
        assert all(sum(own) == count for count, own in told)


def test_the_card_tells_of_values(open_map, address):
    page = open_map("#index=events&view=tree")
    cluster = max(inside(page, shown(page)), key=lambda c: c["count"])
    page.evaluate("id => viewer.card.list(viewer.tree.scene.sprite(id).cluster, viewer.index, viewer.tree)", cluster["id"])
    page.locator("#card dl dd").first.wait_for()
    told = dict(zip(page.locator("#card dt").all_inner_texts(), page.locator("#card dd").all_inner_texts()))
    properties = ask(address, f"events/clusters/{cluster['id']}", aggregate="sum(size), min(opened)")["properties"]
    assert told["size"].startswith(f"{properties['sum_size']:,}")
    assert told["opened"].startswith(properties["min_opened"])
    assert "hotel" in told["kind"]
    first = ask(address, f"events/clusters/{cluster['id']}", aggregate="first(name, by: size)")["properties"]["first_name_by_size"]
    assert page.locator("#card header .first").inner_text() == f"{first} and {cluster['count'] - 1:,} more"
    page.screenshot(path=PICTURES / "card-values.png")


def test_tiles_have_donuts(open_map):
    page = open_map("#index=events&view=tiles&by=spacing&donuts=kind&sum=size&off=hotel", settle=False)
    page.wait_for_function("""() => globalThis.viewer?.map?.loaded() && viewer.map.getLayer('clusters')
      && viewer.map.listImages().some((id) => id.startsWith('donut/'))""")
    assert not page.evaluate("() => viewer.map.listImages().some((id) => id.startsWith('badge/'))")
    idle(page)
    page.screenshot(path=PICTURES / "tiles-donuts.png")


def test_the_grid_says_that_it_knows_no_filters(open_map):
    page = open_map("#index=events&view=compare&donuts=kind&off=hotel", LAPTOP)
    page.get_by_text("The grid ignores filters and shows all points.").wait_for()
    assert page.evaluate("() => viewer.grid.scene.clusters.every(({ parts }) => parts === null)")


def test_links_that_ask_for_what_is_not_there(open_map):
    page = open_map("#index=events&view=tree&donuts=nothing&brush=kind&sum=kind&range=a..b")
    assert page.evaluate("() => [viewer.settings.donuts, viewer.settings.brush, viewer.settings.sum]") == ["", "", ""]
    page.get_by_text("The link uses columns that are missing or of the wrong kind: “nothing”, “kind”.").wait_for()
    page = open_map("#index=events&view=tree&brush=opened&range=a..b", settle=False, tolerates=["400"])
    page.get_by_text("The filter of the link is not valid for this index; all points are shown.").wait_for()


def test_a_filter_is_written_into_the_panel(open_map, address):
    page = open_map("#index=events&view=tree&donuts=kind&off=camp", tolerates=["400"])
    page.get_by_label("Only where").fill("size < 100")
    page.get_by_label("Only where").press("Enter")
    expected = ask(address, "events/clusters", limit=1, filter="size < 100 AND (kind <> 'camp' OR kind IS NULL)", aggregate="count")
    count = sum(feature["properties"]["point_count"] for feature in expected["features"])
    page.wait_for_function("n => viewer.tree.scene.clusters.reduce((sum, { count }) => sum + count, 0) === n", arg=count)
    page.wait_for_function("() => location.hash.includes('where=size+%3C+100')")
    rest(page)
    # For an invalid filter, the server's message appears next to the filter, and the previous filter stays in effect.
    before = shown(page)
    for mistake in ("colour = 1", "size <", "size < 1) OR (size > 2"):
        page.get_by_label("Only where").fill(mistake)
        with page.expect_response(lambda response: response.status == 400):
            page.get_by_label("Only where").press("Enter")
        page.locator("#where-problem").wait_for()
        assert page.locator("#where-problem").inner_text().strip()
        assert page.get_by_label("Only where").get_attribute("aria-invalid") == "true"
        # The text of the filter can still be corrected after another element gets the focus.
        page.get_by_label("Zoom in", exact=True).focus()
        assert page.get_by_label("Only where").input_value() == mistake
        rest(page)
        assert shown(page) == before and "where=size+%3C+100&" in page.evaluate("location.hash + '&'")
        assert page.locator("#notice").is_hidden()
    page.screenshot(path=PICTURES / "filter-refused.png")
    page.get_by_label("Only where").fill("  size < 50 ")
    page.get_by_label("Only where").press("Enter")
    page.locator("#where-problem").wait_for(state="hidden")
    page.wait_for_function("() => viewer.settings.where === 'size < 50'")
    # If a link on the open page has an invalid filter, the previous filter stays in effect, too.
    rest(page)
    page.evaluate("() => viewer.settings.set({ where: 'colour = 2' })")
    page.locator("#where-problem").get_by_text("colour").wait_for()
    assert page.evaluate("viewer.settings.where") == "size < 50"
    # If the page is opened by a link, there is no previous filter.
    page = open_map("#index=events&view=tree&where=colour+%3D+1", settle=False, tolerates=["400"])
    page.locator("#where-problem").get_by_text("colour").wait_for()
    page.wait_for_function("() => viewer.settings.where === ''")


def test_an_index_without_columns_offers_nothing(open_map):
    page = open_map("#index=iceland-mean&view=tree")
    assert page.locator("#donuts").is_hidden() and page.locator("#brush").is_hidden() and page.locator("#timeline").is_hidden()
    assert page.locator("#where").is_hidden()


# Returns the name, the color and the number of points of each group in view.
GROUPS = """() => {
  const groups = new Map();
  for (const cluster of viewer.tree.scene.clusters) {
    const { group, count, parts } = cluster;
    const known = groups.get(group) ?? { fill: viewer.palette.toneOf(cluster).fill, count: 0 };
    groups.set(group, { ...known, count: known.count + count, sum: (known.sum ?? 0) + parts.reduce((sum, part) => sum + part) });
  }
  return Object.fromEntries(groups);
}"""

# Returns the name, the color and the share of each group in the legend.
SWATCHES = """() => [...document.querySelectorAll('#legend li:has(i)')].map(item => [
  item.querySelector('i + span').innerText, getComputedStyle(item.querySelector('i')).backgroundColor, item.querySelector('.share').innerText])"""


def rgb(color):
    return [int(part) for part in re.findall(r"\d+", color)[:3]]


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("viewport", [LAPTOP, PHONE])
def test_every_group_has_a_color(open_map, viewport, scheme):
    page = open_map("#index=countries&view=tree", viewport, color_scheme=scheme)
    groups = page.evaluate(GROUPS)
    assert len(groups) > 150 and all(each["sum"] == each["count"] for each in groups.values())
    distinct = page.evaluate("viewer.palette.categories.map(({ fill }) => fill)")
    largest = sorted(groups, key=lambda name: -groups[name]["count"])[:6]
    assert {groups[name]["fill"] for name in largest} == set(distinct)
    pale = {each["fill"] for name, each in groups.items() if name not in largest}
    # Gray is the color of points in no group.
    assert len(pale) > 40 and not pale & {*distinct, page.evaluate("viewer.palette.other.fill")}
    legend = page.evaluate(SWATCHES)
    total = sum(each["count"] for each in groups.values())
    assert [(name, rgb(color), share) for name, color, share in legend] == [
        (name, rgb(groups[name]["fill"]), f"{round(100 * groups[name]['count'] / total)}\u00a0%") for name in largest]
    more = page.get_by_role("button", name=f"{len(groups) - 6} more")
    more.click()
    assert len(page.evaluate(SWATCHES)) == 100
    page.get_by_role("button", name="Fewer").click()
    assert len(page.evaluate(SWATCHES)) == 6
    page.screenshot(path=PICTURES / f"countries-{viewport['width']}-{scheme}.png")


def test_a_group_keeps_its_color_while_the_legend_shows_it(open_map):
    page = open_map("#index=countries&view=tree&map=4/50/10", LAPTOP)
    before = {name: color for name, color, _ in page.evaluate(SWATCHES)}
    page.evaluate("viewer.map.jumpTo({ center: [-3, 42], zoom: 5 })")
    rest(page)
    after = {name: color for name, color, _ in page.evaluate(SWATCHES)}
    assert before.keys() & after.keys() and before.keys() != after.keys()
    assert all(after[name] == color for name, color in before.items() if name in after)
    assert len(set(after.values())) == len(after)


def test_tiles_have_the_colors_of_groups(open_map):
    page = open_map("#index=countries&view=tiles&map=4/50/10", LAPTOP)
    page.wait_for_function("() => viewer.map.getLayer('clusters')")
    idle(page)
    page.wait_for_function("() => document.querySelectorAll('#legend li').length === 7")
    pictures = page.evaluate("viewer.map.listImages().filter(id => id.startsWith('group/'))")
    assert len({picture.split("/")[-1] for picture in pictures}) > 20
    # The picture of a group has the color of the legend, also after groups got other colors.
    name, color, _ = page.evaluate(SWATCHES)[0]
    found = page.evaluate("""name => viewer.map.listImages().filter(id => id.startsWith('group/2') && id.endsWith(`/=${name}`)).map(id => {
      const { data: { data, width } } = viewer.map.getImage(id);
      // The ring of a donut at its right side.
      return Array.from({ length: width }, (_, x) => [...data.slice(4 * (width * Math.floor(width / 2) + x)).slice(0, 3)]);
    })""", name)
    assert found and all(rgb(color) in row for row in found)


def test_badges_of_a_filter_are_at_the_points_that_pass(open_map, address):
    with_filter = "where=country+%3D+%27DE%27"
    page = open_map(f"#index=airports&view=tree&by=spacing&map=4/50/8&{with_filter}", LAPTOP)
    circles = page.evaluate("""() => viewer.tree.scene.clusters.map(({ x, y, radius, longitude, latitude, count }) => {
      const at = viewer.camera.point(x, y), mean = viewer.camera.point(...position(longitude, latitude));
      return { x: at.x, y: at.y, radius, longitude, latitude, count, moved: Math.hypot(at.x - mean.x, at.y - mean.y) };
      function position(longitude, latitude) {
        const sine = Math.sin(latitude * Math.PI / 180);
        return [(longitude + 180) / 360, 0.5 - Math.log((1 + sine) / (1 - sine)) / (4 * Math.PI)];
      }
    })""")
    [passing] = ask(address, "airports/clusters", limit=1, filter="country = 'DE'")["features"]
    west, south, east, north = passing["bbox"]
    assert len(circles) > 5
    for circle in circles:
        assert west <= circle["longitude"] <= east and south <= circle["latitude"] <= north
    # A badge moves away from its mean only if a larger badge is there.
    assert sum(circle["moved"] < 0.01 for circle in circles) > len(circles) / 2
    for at, a in enumerate(circles):
        assert all(math.dist((a["x"], a["y"]), (b["x"], b["y"])) >= a["radius"] + b["radius"] for b in circles[:at])
    page.screenshot(path=PICTURES / "filtered.png")
    # Without a filter, badges stay where the spacing keeps them apart.
    with page.expect_request("**/transition?*") as request:
        page.evaluate("viewer.settings.set({ where: '' })")
    assert "position" not in request.value.url
    # If clusters are shown at members, badges cannot be moved.
    members = open_map(f"#index=members&view=tree&by=badges&{with_filter}")
    assert members.evaluate(TOTAL) == sum(circle["count"] for circle in circles)


def test_categories_are_picked(open_map):
    page = open_map("#index=events&view=tree&donuts=kind")
    assert page.evaluate("viewer.values.all.length") > 6
    page.locator("#picks summary").click()
    page.locator("#picks").get_by_label("hotel").uncheck()
    page.locator("#picks").get_by_label("boat").check()
    page.wait_for_function("() => viewer.values.categories.includes('boat') && !viewer.values.categories.includes('hotel')")
    page.wait_for_function("() => location.hash.includes('picks=')")
    rest(page)
    assert all(sum(own) == count for count, own in parts(page))
    # A seventh category replaces another category, but none that the user has picked.
    page.locator("#picks").get_by_label("hotel").check()
    page.wait_for_function("() => viewer.values.categories.includes('hotel')")
    assert page.evaluate("viewer.values.categories.filter(category => category !== null).length") == 6
    assert page.evaluate("viewer.values.categories.includes('boat')")


def test_picks_keep_the_focus(open_map):
    page = open_map("#index=events&view=tree&donuts=kind")
    page.locator("#picks summary").click()
    focused = "() => document.activeElement.closest('#picks')?.contains(document.activeElement) && document.activeElement.value"
    page.locator("#picks").get_by_label("camp").focus()
    page.keyboard.press("Space")
    page.wait_for_function("() => viewer.values.categories.length > 0 && !viewer.values.categories.includes('camp')")
    rest(page)
    assert page.evaluate(focused) == "camp" and not page.locator("#picks").get_by_label("camp").is_checked()
    # The list is drawn again for another version of the index.
    page.evaluate("viewer.values.all = viewer.values.all.map(([name, count]) => [name, count + 1]), viewer.show()")
    assert page.evaluate(focused) == "camp"
    page.keyboard.press("Tab")
    page.keyboard.press("Space")
    assert page.evaluate(focused) not in (False, "camp")


def test_the_open_card_follows_the_filter(open_map, address):
    page = open_map("#index=events&view=tree&donuts=kind", tolerates=["404"])
    cluster = max(inside(page, shown(page)), key=lambda c: c["count"])
    asked = lambda **query: ask(address, f"events/clusters/{cluster['id']}", **query)["properties"]["point_count"]
    heading = lambda count: page.locator("#card h2").get_by_text(f"{count:,} point{'s' if count > 1 else ''}", exact=True).wait_for()
    page.evaluate("id => viewer.card.list(viewer.tree.scene.sprite(id).cluster, viewer.index, viewer.tree)", cluster["id"])
    page.locator("#card .chart").wait_for()
    page.get_by_role("button", name="hotel", exact=False).first.focus()
    page.keyboard.press("Enter")
    few = asked(filter="kind <> 'hotel' OR kind IS NULL")
    assert few < cluster["count"]
    heading(few)
    page.wait_for_function("() => ![...document.querySelectorAll('#card li small')].some(({ textContent }) => textContent.includes('hotel'))")
    # The keyboard focus stays in the legend.
    assert page.evaluate("document.activeElement.closest('#legend') !== null")
    page.evaluate("viewer.settings.set({ off: '' })")
    heading(cluster["count"])
    # With few points, the card shows no histogram. A single point that passes is shown as a point.
    member = page.evaluate("viewer.card.members[0].properties")
    page.get_by_label("Only where").fill(f"name IN ('{member['name']}', 'Place {page.evaluate('viewer.card.members[1].properties.name').split()[1]}')")
    page.get_by_label("Only where").press("Enter")
    heading(2)
    page.locator("#card .chart").wait_for(state="hidden")
    page.evaluate("name => viewer.settings.set({ where: `name = '${name}'` })", member["name"])
    page.locator("#card h2").get_by_text(member["name"], exact=True).wait_for()
    assert page.get_by_label("Only where").evaluate("node => node === document.activeElement")
    page.evaluate("viewer.settings.set({ where: '' })")
    heading(cluster["count"])
    page.get_by_role("button", name="Zoom to its parts").wait_for()
    # The card closes if none of its points passes.
    page.evaluate("viewer.settings.set({ where: 'size < 0' })")
    page.locator("#card").wait_for(state="hidden")


def test_whole_sums_are_not_rounded(open_map):
    page = open_map("#index=skewed&view=tree&by=limit&limit=1")
    assert page.evaluate("viewer.tree.scene.clusters.map(({ count }) => count)") == [4000]
    page.evaluate("void viewer.card.list(viewer.tree.scene.clusters[0], viewer.index, viewer.tree)")
    total = sum(round(10 ** (i * 37 % 500 / 70)) for i in range(4000))
    assert total > 1_000_000_000
    page.locator("#card").get_by_text(f"{total:,}").wait_for()


def test_members_of_large_clusters_are_sorted(open_map):
    page = open_map("#index=iceland&view=tree")
    largest = "viewer.tree.scene.clusters.reduce((a, b) => (a.count > b.count ? a : b))"
    assert page.evaluate(f"{largest}.count") > 20_000
    page.evaluate(f"void viewer.card.list({largest}, viewer.index, viewer.tree)")
    page.locator("#card li").nth(59).wait_for()
    # A postcode is no amount, so a user must choose this order.
    assert page.get_by_label("Sort by").input_value() == ""
    page.get_by_label("Sort by").select_option("-postcode")
    page.wait_for_function("() => +document.querySelector('#card li small')?.textContent.split(' · ')[0] > 800")
    codes = page.evaluate("() => [...document.querySelectorAll('#card li small')].map(({ textContent }) => +textContent.split(' · ')[0])")
    assert codes == sorted(codes, reverse=True) and codes[0] > 800


def test_members_are_sorted_and_saved(open_map):
    page = open_map("#index=events&view=tree")
    page.evaluate("viewer.card.list(viewer.tree.scene.clusters.find(({ count }) => count > 8), viewer.index, viewer.tree)")
    page.locator("#card li").first.wait_for()
    sizes = "() => [...document.querySelectorAll('#card li small')].map(({ textContent }) => +textContent.split(' · ').find((text) => /^[0-9]+$/.test(text)))"
    told = page.evaluate(sizes)
    assert told == sorted(told, reverse=True) and len(set(told)) > 1
    page.get_by_label("Sort by").select_option("size")
    page.wait_for_function(f"() => {{ const told = ({sizes})(); return told.length > 1 && told.every((each, at) => at === 0 || told[at - 1] <= each) }}")
    count = page.evaluate("viewer.card.cluster.count")
    with page.expect_download() as download:
        page.locator("#card").get_by_role("button", name="CSV").click()
    rows = list(csv.reader(download.value.path().read_text().splitlines()))
    assert rows[0] == ["longitude", "latitude", "name", "kind", "size", "opened", "active"] and len(rows) == count + 1
    with page.expect_download() as download:
        page.locator("#card").get_by_role("button", name="GeoJSON").click()
    assert len(json.loads(download.value.path().read_text())["features"]) == count


def test_a_skewed_column_has_a_logarithmic_histogram(open_map, address):
    page = open_map("#index=skewed&view=tree&brush=size")
    page.wait_for_function("() => viewer.timeline.isLogarithmic && viewer.timeline.histogram.counts.length > 0")
    counts = page.evaluate("viewer.timeline.histogram.counts")
    assert max(counts) < 0.5 * sum(counts) and sum(counts) == 4000
    labels = page.locator("#timeline .ends span").all_inner_texts()
    assert {"100", "10k"} <= set(labels)
    boxes = sorted((box["x"], box["x"] + box["width"]) for box in (label.bounding_box() for label in page.locator("#timeline .ends span").all()))
    assert all(end < start for (_, end), (start, _) in zip(boxes, boxes[1:]))


def test_a_histogram_of_the_card_has_a_scale_for_zero_and_negative_values(open_map):
    page = open_map("#index=airports&view=tree", settle=False)
    drawn = """values => import(new URL("histogram.js", document.querySelector("script[type=module]").src)).then(({ histogramOf }) =>
      histogramOf(values.sort((a, b) => a - b)))"""
    for values, said in (
        ([0] * 300 + [10 ** (each / 50) for each in range(300)], ["0", "10", "1k", "100k"]),
        ([-(10 ** (each / 50)) for each in range(200)] + [0] * 20 + [10 ** (each / 50) for each in range(200)], ["-1k", "0", "1k"]),
    ):
        histogram = page.evaluate(drawn, values)
        assert histogram["isLogarithmic"] and sum(histogram["bars"]) == len(values)
        assert max(histogram["bars"]) <= 0.55 * len(values) and sum(count > 0 for count in histogram["bars"]) >= 15
        ticks = sorted(histogram["ticks"], key=lambda tick: tick["at"])
        assert [tick["text"] for tick in ticks if tick["text"] in said] == said
    assert not page.evaluate(drawn, [float(each) for each in range(100)])["isLogarithmic"]
