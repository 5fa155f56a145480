"""Colors, filters, cards, histograms and files of a published index, whose map computes all answers at once."""

import csv
import datetime
import functools
import json
import os
import subprocess

import pytest
from conftest import PHONE, TOLERATED, served

TOOL = os.environ["TREELINE_TOOL"]
WIDE = {"width": 1280, "height": 800}
#: Names that every object of JavaScript has.
KINDS = ["constructor", "toString", "__proto__", "plain"]
#: A text from right to left, and a text that needs many lines.
HEBREW, LONG = "שלום 12", "long " * 480


def rows():
    for i in range(600):
        day = datetime.date(2026, 1, 1) + datetime.timedelta(days=i * 37 % 361)
        # Most sizes are small, and a few are large.
        size = 1000 if i == 7 else 0 if i == 8 else i * 37 % 1000 // 40
        yield (f"{-113.0884 + i % 30:.4f}", f"{37.4563 + i // 30 % 20 * 0.7:.4f}", HEBREW if i == 9 else f"Place {i}", KINDS[i * 31 % 4],
               LONG if i == 9 else HEBREW if i == 10 else "short", size, i * 37 % 1001, day)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A folder with a published index, with an empty published index, and with a map in one file."""
    folder = tmp_path_factory.mktemp("values")
    for name, points in (("places", rows()), ("none", [])):
        with (folder / f"{name}.csv").open("w", newline="") as file:
            csv.writer(file).writerows([("longitude", "latitude", "name", "kind", "text", "skewed", "size", "day"), *points])
    run = functools.partial(subprocess.run, check=True, cwd=folder, capture_output=True, text=True)
    columns = "name:text,kind:category,text:category,skewed:number,size:number,day:time"
    run([TOOL, "build", "places.csv", "--grow", "badges", "--columns", columns, "--title", "Places & more", "--output", "places.treeline"])
    run([TOOL, "publish", "places.treeline", "--output", "site"])
    run([TOOL, "build", "none.csv", "--grow", "badges", "--output", "none.treeline"])
    run([TOOL, "publish", "none.treeline", "--output", "none"])
    run([TOOL, "map", "places.csv", "--columns", columns, "--output", "map.html"])
    return folder


@pytest.fixture(scope="module")
def address(folder):
    with served(folder) as address:
        yield address


AT_REST = "() => globalThis.viewer?.map?.loaded() && viewer.isAtRest && viewer.sides.every(({ scene }) => !scene.isMoving)"


@pytest.fixture(params=["site", "file"])
def open_map(request, new_context, complaints, folder, address):
    """Opens the published index and the map in one file: `open_map("#view=tree", viewport=PHONE)`."""

    def open_map(fragment="#map=2/44/-99", viewport=WIDE, path="site/", motion="reduce"):
        page = new_context(viewport=viewport, reduced_motion=motion, accept_downloads=True).new_page()
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.on("console", lambda message: message.type == "error" and TOLERATED not in message.text and complaints.append(message.text))
        page.goto((f"{address}/{path}" if request.param == "site" else (folder / "map.html").as_uri()) + fragment)
        page.wait_for_function(AT_REST)
        # Keeps all messages, even if they are shown for one frame only.
        page.evaluate("""() => {
          const { notice, notice: { show } } = viewer;
          globalThis.told = [];
          notice.show = (kind, text, ...rest) => { told.push(text); show.call(notice, kind, text, ...rest) };
        }""")
        return page

    return open_map


site_alone = pytest.mark.parametrize("open_map", ["site"], indirect=True)


def rest(page):
    page.wait_for_timeout(60)
    page.wait_for_function(AT_REST)


def shown(page, selector):
    return page.locator(f"#host {selector}")


def test_a_choice_of_colors_shows_no_error(open_map):
    page = open_map()
    # An answer may arrive as soon as the categories are known.
    page.evaluate("""() => {
      const { values, values: { load } } = viewer;
      values.load = async (...given) => {
        const isNew = await load.apply(values, given);
        viewer.answered(viewer.tree);
        return isNew;
      };
    }""")
    for column in ("kind", "text", "", "kind", "text"):
        shown(page, "#donuts").select_option(column)
        rest(page)
    assert page.evaluate("told") == []


def test_categories_may_be_named_like_members_of_objects(open_map):
    page = open_map("#map=4/44/-99&donuts=kind")
    legend = shown(page, "#legend").inner_text().split()
    assert sorted(legend[::4]) == sorted(KINDS) and "NaN" not in legend
    parts = page.evaluate("viewer.tree.scene.clusters.map(({ count, parts }) => [count, ...parts])")
    # Some badges do not have all categories.
    assert any(0 in counts for _, *counts in parts) and all(count == sum(counts) for count, *counts in parts)


def test_a_filter_that_no_point_of_a_card_passes_closes_the_card(open_map):
    page = open_map()
    cluster = "viewer.tree.scene.clusters.toSorted((a, b) => b.count - a.count)[0]"
    page.evaluate(f"viewer.card.list({cluster}, viewer.index, viewer.tree)")
    shown(page, "#card li").first.wait_for()
    page.evaluate("viewer.settings.set({ where: \"name = 'Place 3' OR name = 'nobody'\" })")
    page.wait_for_function("() => viewer.card.filter !== undefined || !viewer.card.isOpen")
    page.evaluate("viewer.settings.set({ where: \"name = 'nobody'\" })")
    shown(page, "#card").wait_for(state="hidden")
    rest(page)
    assert not [text for text in page.evaluate("told") if "No point of cluster" in text]


def test_on_a_phone_a_card_from_the_list_does_not_cover_its_cluster(open_map):
    page = open_map("", viewport=PHONE, motion="no-preference")
    # At the second time, all pages are loaded, so all answers arrive before the next frame.
    for _ in range(2):
        page.evaluate("viewer.card.close()")
        shown(page, "#zoom-all").click()
        page.wait_for_timeout(900)
        rest(page)
        before = page.evaluate("[viewer.map.getCenter().lng, viewer.map.getCenter().lat]")
        shown(page, "#fold").click()
        page.wait_for_timeout(200)
        rest(page)
        shown(page, "#listing .more").first.click()
        shown(page, "#card li").first.wait_for()
        page.wait_for_timeout(900)
        rest(page)
        x, y, radius, bottom, height = page.evaluate("""(() => {
          const { cluster, node } = viewer.card, { x, y } = viewer.currentCamera.point(cluster.x, cluster.y);
          return [x, y, cluster.radius, node.offsetTop + node.offsetHeight, viewer.stage.size.height];
        })()""")
        assert radius < x < PHONE["width"] - radius and bottom + radius < y < height - radius
        # The card is above the cluster, so the map has no reason to move far to a side.
        moved = page.evaluate("at => viewer.map.project(at).x", before)
        assert abs(moved - PHONE["width"] / 2) < 100
        assert shown(page, "#panel").evaluate("node => node.scrollTop") == 0


def test_a_histogram_has_the_servers_bins(open_map):
    page = open_map("#map=2/44/-99&brush=day")
    page.wait_for_function("() => viewer.timeline.histogram")
    assert shown(page, "#timeline .ends span").all_inner_texts() == ["2025-12-29", "2026-12-28"]
    edges = page.evaluate("viewer.timeline.histogram.edges")
    assert all(len(edge) == 10 for edge in edges)
    shown(page, "#brush").select_option("size")
    page.wait_for_function("() => viewer.timeline.histogram?.column === 'size'")
    assert shown(page, "#timeline .ends span").all_inner_texts() == ["0", "1,020"]
    assert shown(page, "#timeline h2").inner_text() == "size"
    shown(page, "#brush").select_option("skewed")
    page.wait_for_function("() => viewer.timeline.histogram?.column === 'skewed'")
    assert shown(page, "#timeline h2").inner_text() == "skewed (logarithmic)"


def test_files_have_names_and_the_coordinates_of_the_points(open_map, request):
    name = "places-more" if "site" in request.node.callspec.id else "places"
    page = open_map()
    shown(page, "#share").click()
    assert shown(page, "#sharing").get_by_text("--frame-ancestors").count() == 0
    for kind in ("PNG", "SVG"):
        with page.expect_download() as download:
            shown(page, "#sharing").get_by_role("button", name=kind).click()
        assert download.value.suggested_filename == f"{name}.{kind.lower()}"
    shown(page, "#sharing").get_by_role("button", name="Close").click()
    page.evaluate("viewer.card.list(viewer.tree.scene.clusters.find(({ count }) => count > 1), viewer.index, viewer.tree)")
    places = {(float(x), float(y)) for x, y, *_ in rows()}
    for kind in ("CSV", "GeoJSON"):
        with page.expect_download() as download:
            shown(page, "#card").get_by_role("button", name=kind).click()
        cluster = page.evaluate("viewer.card.cluster.id")
        assert download.value.suggested_filename == f"{name}-{cluster}.{kind.lower()}"
        text = download.value.path().read_text()
        found = [point["geometry"]["coordinates"] for point in json.loads(text)["features"]] if kind == "GeoJSON" else \
            [(row["longitude"], row["latitude"]) for row in csv.DictReader(text.splitlines())]
        assert found and {(float(x), float(y)) for x, y in found} <= places


def test_a_card_isolates_texts_from_right_to_left_and_limits_long_texts(open_map):
    page = open_map("#map=9/37.4563/-104.0884&donuts=kind")
    near = "({ longitude, latitude }) => Math.hypot(longitude + 104.0884, latitude - 37.4563) < 0.1"
    page.evaluate(f"viewer.choice.choose(viewer.tree.scene.clusters.find({near}), viewer.tree)")
    heading, text = shown(page, "#card h2"), shown(page, "#card dd").filter(has_text="long long")
    heading.filter(has_text=HEBREW).wait_for()
    assert heading.evaluate("node => node.dir") == "auto"
    assert text.get_attribute("title") == LONG and text.bounding_box()["height"] < 150
    page.evaluate("viewer.map.jumpTo({ zoom: 2 })")
    rest(page)
    around = "({ bbox: [west, south, east] }) => south < 37.5 && west < -103.5 && east > -103.5"
    page.evaluate(f"viewer.card.list(viewer.tree.scene.clusters.find({around}), viewer.index, viewer.tree)")
    item = shown(page, "#card li").filter(has=page.get_by_text("Place 10", exact=True))
    item.wait_for()
    assert f"\u2068{HEBREW}\u2069" in item.locator("small").inner_text()


@site_alone
def test_an_empty_index_offers_no_button(open_map):
    page = open_map(path="none/")
    notice = shown(page, "#notice")
    assert notice.inner_text() == "This map has no points."
    assert notice.get_by_role("button").count() == 0
