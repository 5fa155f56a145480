"""Tests what a person does on a map in a notebook, and the messages between the kernel and the map."""

import re

import pytest

from conftest import LISTEN, NARROW, PLACES, STATE, picture
from waiting import wait_for

MAP = PLACES + "map = tree.map()\nmap"

SHOWN = """viewer => viewer.tree.scene.clusters.map(({id, count, x, y, label}) => ({
  id, count, label, left: viewer.camera.screenX(x), top: viewer.camera.screenY(y)}))"""


def shown(viewer):
    return viewer.evaluate(SHOWN)


def place(notebook, cluster, at=0):
    """Returns the position of a cluster in the browser's window."""
    box = notebook.hosts().nth(at).locator("#map").bounding_box()
    return box["x"] + cluster["left"], box["y"] + cluster["top"]


def inside(notebook, clusters, margin=50):
    box = notebook.hosts().first.locator("#map").bounding_box()
    return [
        c for c in clusters if margin < c["left"] < box["width"] - margin and margin < c["top"] < box["height"] - margin
    ]


def test_a_tree_is_a_map_that_asks_for_nothing_beyond_the_notebook(open_notebook):
    notebook = open_notebook(PLACES + "tree")
    viewer = notebook.rest()
    assert sum(cluster["count"] for cluster in shown(viewer)) == 4000
    assert "4,000 points" in notebook.page.locator("#facts").inner_text()
    picture(notebook.page, "notebook-wide")


def test_answers_of_the_map_are_those_of_the_kernel(open_notebook):
    notebook = open_notebook(MAP)
    notebook.rest()
    notebook.run("map.view = {'center': (12, 50), 'zoom': 6.5}")
    viewer = notebook.rest()
    notebook.page.wait_for_function("viewer => Math.abs(viewer.map.getZoom() - 5.5) < 1e-6", arg=viewer)
    viewer = notebook.rest()
    size = viewer.evaluate("viewer => viewer.stage.size")
    asked = f"tree.clusters(center=(12, 50), zoom=6.5, width={size['width']}, height={size['height']}, spacing=44)"
    assert notebook.told(f"{asked}.id.tolist()") == [cluster["id"] for cluster in shown(viewer)]
    assert notebook.told(f"{asked}.count.tolist()") == [cluster["count"] for cluster in shown(viewer)]


def test_a_view_moves_the_map_and_the_map_the_view(open_notebook):
    notebook = open_notebook(MAP)
    viewer = notebook.rest()
    west, south, east, north = notebook.told("map.view['bbox']")
    assert west < -11 and east > 31 and south < 39 and north > 56
    notebook.run("map.view = {'bbox': (9, 47, 11, 49)}")
    notebook.page.wait_for_function("viewer => viewer.map.getZoom() > 5 && !viewer.map.isMoving()", arg=viewer)
    notebook.rest()
    west, south, east, north = notebook.told("map.view['bbox']")
    assert west <= 9.01 and south <= 47.01 and east >= 10.99 and north >= 48.99 and east - west < 20
    before = notebook.told("map.view['center']")
    box = notebook.hosts().first.locator("#map").bounding_box()
    notebook.page.mouse.move(box["x"] + 200, box["y"] + 200)
    notebook.page.mouse.down()
    notebook.page.mouse.move(box["x"] + 120, box["y"] + 150, steps=5)
    notebook.page.mouse.up()
    notebook.page.wait_for_function("viewer => !viewer.map.isMoving()", arg=viewer)
    notebook.rest()
    after = notebook.told("map.view['center']")
    assert after[0] > before[0] and after[1] < before[1]
    assert "TraitError" in notebook.run("map.view = {'centre': (1, 2)}")


def test_a_view_of_a_plane_is_in_the_units_of_the_tree(open_notebook):
    """Checks that a tree of plain x and y has a map, and that its view goes both ways."""
    notebook = open_notebook(
        "import treelinemap\nx = range(0, 4000, 10)\n"
        "map = treelinemap.build(x, [n * 7 % 4000 for n in x], planar=True).map()\nmap"
    )
    viewer = notebook.rest()
    west, south, east, north = notebook.told("map.view['bbox']")
    assert west <= 0 and south <= 0 and east >= 3990 and north >= 3990 and north - south < 9000
    assert sum(cluster["count"] for cluster in shown(viewer)) == 400
    picture(notebook.page, "notebook-plane")
    notebook.run("map.view = {'bbox': (1000, 2000, 1100, 2100)}")
    notebook.page.wait_for_function("viewer => viewer.currentCamera.zoom > 3 && !viewer.map.isMoving()", arg=viewer)
    notebook.rest()
    west, south, east, north = notebook.told("map.view['bbox']")
    assert 800 < west <= 1000.1 and 1900 < south <= 2000.1 and 1099.9 <= east < 1300 and 2099.9 <= north < 2200
    before = notebook.told("map.view['center']")
    assert before == pytest.approx([1050, 2050], abs=1)
    notebook.run("map.view = {**map.view, 'center': (1060, 2050)}")
    notebook.page.wait_for_function("viewer => !viewer.map.isMoving()", arg=viewer)
    viewer = notebook.rest()
    assert notebook.told("map.view['center']") == pytest.approx([1060, 2050], abs=0.01)


def test_what_is_selected_is_marked_and_what_is_marked_is_selected(open_notebook):
    notebook = open_notebook(MAP)
    viewer = notebook.rest()
    cluster = inside(notebook, shown(viewer))[0]
    notebook.page.keyboard.down("Shift")
    notebook.page.mouse.click(*place(notebook, cluster))
    notebook.page.keyboard.up("Shift")
    notebook.page.wait_for_function("viewer => viewer.selection.ranges.length === 1", arg=viewer)
    assert notebook.told("map.selected") == [cluster["id"]]
    marked = "viewer => viewer.tree.scene.clusters.filter(cluster => viewer.selection.has(cluster)).map(({id}) => id)"
    assert viewer.evaluate(marked) == [cluster["id"]]
    # If a row is selected, the cluster that contains the row is marked.
    notebook.run("map.selected, map.selected_rows = [], [17]")
    notebook.page.wait_for_function("viewer => viewer.selection.ids.length === 0", arg=viewer)
    held = notebook.told(
        "(lambda a: int(a.id[a.find(tree.tree_index(17))]))(tree.clusters_with_ids("
        f"{[each['id'] for each in shown(viewer)]}))"
    )
    assert viewer.evaluate(marked) == [held]
    assert "999" in notebook.run("map.selected = [999]")


def test_the_cut_and_the_filter_go_both_ways(open_notebook):
    notebook = open_notebook(MAP)
    viewer = notebook.rest()
    hotels = notebook.told("len(tree.select(\"kind = 'hotel'\"))")
    notebook.run("map.where = \"kind = 'hotel'\"")
    notebook.page.wait_for_function(
        f"viewer => viewer.tree.scene.clusters.reduce((sum, c) => sum + c.count, 0) === {hotels}", arg=viewer
    )
    host = notebook.hosts().first
    assert host.locator("#where").input_value() == "kind = 'hotel'"
    host.locator("#where").fill("size < 100")
    host.locator("#where").press("Enter")
    notebook.page.wait_for_function(
        f"viewer => viewer.tree.scene.clusters.reduce((sum, c) => sum + c.count, 0) !== {hotels}", arg=viewer
    )
    assert notebook.told("map.where") == "size < 100"
    # An invalid filter is reported next to its input field, and the previous filter stays in effect.
    small = sum(cluster["count"] for cluster in shown(notebook.rest()))
    host.locator("#where").fill("price < 100")
    host.locator("#where").press("Enter")
    host.locator("#where-problem").get_by_text("price").wait_for()
    assert sum(cluster["count"] for cluster in shown(notebook.rest())) == small
    assert notebook.told("map.where") == "size < 100"
    picture(notebook.page, "notebook-filter-refused")
    # While the user edits a field, its text does not change.
    host.locator("#where").blur()
    notebook.run("map.where = 'size < 50'")
    host.locator("#where-problem").wait_for(state="hidden")
    assert host.locator("#where").input_value() == "size < 50"
    assert "FilterError" in notebook.run("map.where = 'price < 100'")
    host.get_by_label("Limit", exact=True).check(force=True)
    notebook.rest()
    assert notebook.told("map.cut") == {"limit": 100, "order": "breadth-first"}
    notebook.run("map.cut = {'spacing': 80}")
    notebook.page.wait_for_function(
        "viewer => viewer.settings.spacing === 80 && viewer.settings.by === 'spacing'", arg=viewer
    )
    assert "TraitError" in notebook.run("map.cut = {'badges': 1, 'limit': 3}")
    assert "Error" in notebook.run("map.cut = {'badges': 1}")


def test_values_colour_badges_and_fill_a_histogram(open_notebook):
    notebook = open_notebook(MAP)
    notebook.rest()
    host = notebook.hosts().first
    host.locator("#donuts").select_option("kind")
    host.locator("#brush").select_option("size")
    notebook.page.wait_for_function(
        "() => document.querySelector('[data-lm-suppress-shortcuts]').viewer.timeline.histogram?.counts.length > 0"
    )
    assert host.locator("#legend li").count() >= 4
    # The histogram takes some of the space of the map, so there are fewer points in view.
    assert 3000 < sum(notebook.rest().evaluate("viewer => viewer.timeline.histogram.counts")) <= 4000
    picture(notebook.page, "notebook-values")


def test_a_point_tells_its_columns_and_a_cluster_its_members(open_notebook):
    notebook = open_notebook(MAP)
    viewer = notebook.rest()
    cluster = max(inside(notebook, shown(viewer)), key=lambda c: c["count"])
    zoom = viewer.evaluate("viewer => viewer.map.getZoom()")
    notebook.page.mouse.click(*place(notebook, cluster))
    notebook.page.wait_for_function(f"viewer => viewer.map.getZoom() > {zoom} && !viewer.map.isMoving()", arg=viewer)
    notebook.rest()
    row = notebook.told("int(tree.members(tree.root().id[0], limit=1).row[0])")
    notebook.run(
        "first = tree.members(tree.root().id[0], limit=1)\n"
        "map.view = {'center': (float(first.x[0]), float(first.y[0])), 'zoom': 15}"
    )
    notebook.page.wait_for_function("viewer => viewer.map.getZoom() > 13.9", arg=viewer)
    viewer = notebook.rest()
    (point,) = [c for c in shown(viewer) if c["count"] == 1]
    notebook.page.mouse.click(*place(notebook, point))
    notebook.hosts().first.locator("#card h2").wait_for()
    assert notebook.hosts().first.locator("#card h2").inner_text() == f"Place {row}"


def test_the_keyboard_reaches_the_map_and_the_notebook_leaves_its_keys_alone(open_notebook):
    notebook = open_notebook(MAP)
    viewer = notebook.rest()
    cells = "() => jupyterapp.shell.currentWidget.content.widgets.length"
    before = notebook.page.evaluate(cells)
    canvas = notebook.hosts().first.locator("#map canvas").first
    canvas.focus()
    center = viewer.evaluate("viewer => viewer.map.getCenter().lng")
    for key in ("ArrowRight", "a", "b", "m"):
        notebook.page.keyboard.press(key)
    notebook.page.wait_for_function(
        f"viewer => viewer.map.getCenter().lng > {center} && !viewer.map.isMoving()", arg=viewer
    )
    assert notebook.page.evaluate(cells) == before
    host = notebook.hosts().first
    host.locator("#listing summary").focus()
    host.locator("#listing button").first.wait_for()
    notebook.page.keyboard.press("Tab")
    focused = "host => host.shadowRoot.activeElement?.closest('#listing ol') !== null"
    assert host.evaluate(focused)
    notebook.page.keyboard.press("Shift+Enter")
    notebook.page.wait_for_function("viewer => viewer.selection.ranges.length === 1", arg=viewer)
    assert len(notebook.told("map.selected")) == 1
    assert notebook.page.evaluate(cells) == before


def test_two_maps_on_a_page_have_their_own_settings_and_styles(open_notebook):
    notebook = open_notebook(
        PLACES + "one = tree.map(height=300)\none", "other = tree.map(cut={'limit': 5}, height=360)\nother"
    )
    one, other = notebook.rest(0), notebook.rest(1)
    assert len(shown(other)) <= 5 < len(shown(one))
    notebook.run("one.view = {'zoom': 9}")
    notebook.page.wait_for_function("viewer => viewer.map.getZoom() > 7.9", arg=one)
    assert other.evaluate("viewer => viewer.map.getZoom()") < 6
    # The stylesheet of a map must not affect anything outside the map.
    assert notebook.page.evaluate("() => getComputedStyle(document.body).display") != "grid"
    heights = notebook.hosts().evaluate_all("hosts => hosts.map(host => host.clientHeight)")
    assert heights == [300, 360]


def test_a_narrow_notebook_has_the_settings_below_the_map(open_notebook):
    notebook = open_notebook(PLACES + "tree.map(height=560)", viewport=NARROW)
    notebook.theme("Dark")
    notebook.rest()
    host = notebook.hosts().first
    stage, panel = host.locator("#stage").bounding_box(), host.locator("#panel").bounding_box()
    assert panel["y"] > stage["y"] + stage["height"] / 2
    host.locator("#fold").click()
    assert host.locator("#amount").is_visible()
    host.locator("#fold").click()
    picture(notebook.page, "notebook-narrow-dark")


BACKGROUND = "host => getComputedStyle(host.shadowRoot.querySelector('#viewer')).backgroundColor"
DAY, NIGHT = "rgb(251, 250, 247)", "rgb(10, 15, 19)"


def test_day_and_night_are_those_of_the_notebook(open_notebook):
    # The system prefers dark colors. The theme of the notebook takes precedence.
    notebook = open_notebook(MAP, color_scheme="dark")
    # An earlier test may have chosen another theme, and JupyterLab keeps it.
    notebook.theme("Light")
    viewer = notebook.rest()
    host = notebook.hosts().first
    sea = "viewer => viewer.palette.sea"
    assert host.evaluate(BACKGROUND) == DAY
    by_day = viewer.evaluate(sea)
    notebook.theme("Dark")
    notebook.page.wait_for_function(f"viewer => ({sea})(viewer) !== {by_day!r}", arg=viewer)
    assert host.evaluate(BACKGROUND) == NIGHT
    notebook.theme("Light")
    notebook.page.wait_for_function(f"viewer => ({sea})(viewer) === {by_day!r}", arg=viewer)
    assert host.evaluate(BACKGROUND) == DAY


def test_a_change_of_theme_leaves_the_map_as_it_is(open_notebook):
    notebook = open_notebook(MAP)
    viewer = notebook.rest()

    def change(name):
        notebook.theme(name)
        # The map changes a moment after JupyterLab. The next change must not come before.
        sea = {"Light": "#d2e3ea", "Dark": "#0e1720"}[name]
        notebook.page.wait_for_function("([viewer, sea]) => viewer.palette.sea === sea", arg=[viewer, sea])

    change("Light")
    viewer.evaluate(LISTEN)
    before = viewer.evaluate(STATE)
    for name in ("Dark", "Light", "Dark"):
        change(name)
        assert notebook.rest().evaluate(STATE) == before
    picture(notebook.page, "notebook-theme")


def test_a_map_in_a_tab_behind_another_waits(open_notebook):
    notebook = open_notebook(MAP)
    notebook.theme("Light")
    viewer = notebook.rest()
    viewer.evaluate(LISTEN)
    before, view = viewer.evaluate(STATE), notebook.told("map.view")
    notebook.leave()
    # All effects of the new size are visible after two frames.
    notebook.page.evaluate("() => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))")
    notebook.theme("Dark")
    assert notebook.told("map.view") == view
    notebook.come_back()
    assert notebook.rest().evaluate(STATE) == before
    assert notebook.hosts().first.evaluate(BACKGROUND) == NIGHT
    notebook.theme("Light")


def test_a_map_that_starts_in_a_tab_behind_another_begins_where_it_is_told_to(open_notebook, tmp_path):
    notebook = open_notebook("")
    notebook.run(PLACES + "map = tree.map(view={'zoom': 3})")
    # The cell only ends when its tab is behind another tab.
    gate = tmp_path / "gate"
    cell = f"import pathlib, time\nwhile not pathlib.Path({str(gate)!r}).exists():\n    time.sleep(0.05)\nmap"
    notebook.page.evaluate(
        """cell => {
          jupyterapp.shell.currentWidget.content.widgets[0].model.sharedModel.setSource(cell);
          void jupyterapp.commands.execute("notebook:run-all-cells");
        }""",
        cell,
    )
    notebook.leave()
    gate.touch()
    notebook.page.wait_for_selector("[data-lm-suppress-shortcuts]", state="attached")
    notebook.run("map.view = {'center': (12, 50), 'zoom': 6.5}")
    notebook.come_back()
    viewer = notebook.rest()
    assert viewer.evaluate("viewer => viewer.map.getZoom()") == pytest.approx(5.5)
    assert notebook.told("map.view['center']") == pytest.approx([12, 50])
    assert viewer.evaluate("viewer => viewer.notice.kind") is None


def test_a_kernel_that_is_gone_is_told_and_its_cell_runs_again(open_notebook, complaints):
    notebook = open_notebook(MAP)
    notebook.rest()
    notebook.page.evaluate("() => jupyterapp.shell.currentWidget.sessionContext.restartKernel()")
    host = notebook.hosts().first
    host.get_by_text("The notebook's kernel has ended: run this map's cell again.").wait_for()
    picture(notebook.page, "notebook-restarted")
    # JupyterLab complains about requests that it sent to the kernel before the restart.
    complaints.clear()
    notebook.page.evaluate("() => jupyterapp.commands.execute('notebook:run-all-cells')")
    host.get_by_text("The notebook's kernel has ended").wait_for(state="hidden")
    viewer = notebook.rest()
    assert sum(cluster["count"] for cluster in shown(viewer)) == 4000
    assert notebook.told("map.view['zoom']") > 0


def test_a_saved_notebook_says_what_it_showed(open_notebook):
    notebook = open_notebook(MAP)
    notebook.rest()
    notebook.page.evaluate("() => jupyterapp.commands.execute('docmanager:save')")
    saved = notebook.page.evaluate(
        """() => { const { outputs } = jupyterapp.shell.currentWidget.content.model.sharedModel.toJSON().cells[0];
          return outputs[0].data["text/plain"] }"""
    )
    assert "".join(saved) == "A map of <treelinemap.Tree of 4000 points, merge:distance, columns name, kind, size>"


def test_groups_are_named(open_notebook):
    notebook = open_notebook(
        PLACES.replace("supporting=\"spacing\"", "group_by='kind', grow='badges'") + "map = tree.map()\nmap",
    )
    viewer = notebook.rest()
    named = "viewer => viewer.tree.scene.clusters.map(({id, properties}) => [id, properties.cluster_group])"
    groups = dict(map(tuple, viewer.evaluate(named)))
    expected = notebook.told(f"tree.clusters_with_ids({sorted(groups)}).group.tolist()")
    ids = notebook.told(f"tree.clusters_with_ids({sorted(groups)}).id.tolist()")
    assert groups == dict(zip(ids, expected)) and set(expected) == {"hotel", "inn", "camp", "boat"}


def test_a_filter_of_the_map_adds_to_that_of_the_tree(open_notebook):
    notebook = open_notebook(PLACES + "map = tree.select('size < 100').map(where=\"kind = 'hotel'\")\nmap")
    viewer = notebook.rest()
    both = notebook.told("len(tree.select(\"size < 100 AND kind = 'hotel'\"))")
    assert sum(cluster["count"] for cluster in shown(viewer)) == both
    notebook.run("map.where = ''")
    one = notebook.told("len(tree.select('size < 100'))")
    notebook.page.wait_for_function(
        f"viewer => viewer.tree.scene.clusters.reduce((sum, c) => sum + c.count, 0) === {one}", arg=viewer
    )
    assert f"{one:,} points" in notebook.page.locator("#facts").inner_text()


#: A map style with a single color. It needs no network.
SAND = """{"version": 8, "sources": {}, "layers": [
  {"id": "sand", "type": "background", "paint": {"background-color": "#e8d9b5"}}]}"""

TOLD = f"""map = tree.map(color="kind", histogram="size", brush=(100, 300), tooltip=["name", "size"], title="Places",
               basemap={SAND}, height=560)
map"""

# While a style is loaded, the map has none.
LAYERS = "viewer => (viewer.map.getStyle()?.layers ?? []).map(({ id }) => id)"


def count(viewer):
    return sum(cluster["count"] for cluster in shown(viewer))


def test_a_map_begins_as_python_says(open_notebook):
    notebook = open_notebook(PLACES + TOLD)
    viewer = notebook.rest()
    host = notebook.hosts().first
    host.locator("#timeline .says", has_text="100 to 300").wait_for()
    assert host.locator("h1").inner_text() == "Places"
    assert host.locator("#legend li").count() == 4 and host.locator("#brush").input_value() == "size"
    assert viewer.evaluate(LAYERS) == ["sand"]
    in_range = notebook.told("int(((i * 37) % 500 >= 100).sum() - ((i * 37) % 500 >= 300).sum())")
    assert count(notebook.rest()) == in_range > 1000
    picture(notebook.page, "notebook-told-wide")
    notebook.page.set_viewport_size({"width": 390, "height": 844})
    notebook.rest()
    picture(notebook.page, "notebook-told-phone")


def test_the_brush_and_the_colors_go_both_ways(open_notebook):
    notebook = open_notebook(PLACES + "map = tree.map(histogram='size')\nmap")
    viewer = notebook.rest()
    host = notebook.hosts().first
    host.locator("#timeline svg rect").first.wait_for(state="attached")
    assert notebook.told("map.brush") is None
    box = host.locator("#timeline .plot").bounding_box()
    notebook.page.mouse.move(box["x"] + box["width"] * 0.3, box["y"] + 20)
    notebook.page.mouse.down()
    notebook.page.mouse.move(box["x"] + box["width"] * 0.6, box["y"] + 20, steps=4)
    notebook.page.mouse.up()
    notebook.page.wait_for_function("viewer => viewer.settings.range !== ''", arg=viewer)
    viewer = notebook.rest()
    low, high = notebook.told("map.brush")
    assert 100 <= low <= 200 and 250 <= high <= 350
    assert count(viewer) == notebook.told(
        "int(sum(a.count.sum() for a in [tree.select((lambda s: (s >= map.brush[0])"
        " & (s < map.brush[1]))((i * 37) % 500)).clusters(limit=1)]))"
    )
    notebook.run("map.brush = (0, 50)")
    notebook.page.wait_for_function("viewer => viewer.settings.range === '0..50'", arg=viewer)
    assert count(notebook.rest()) == notebook.told("int(((i * 37) % 500 < 50).sum())")
    notebook.run("map.brush = None")
    notebook.page.wait_for_function("viewer => viewer.settings.range === ''", arg=viewer)
    assert count(notebook.rest()) == 4000
    notebook.run("map.brush = (0, 50)")
    notebook.page.wait_for_function("viewer => viewer.settings.range === '0..50'", arg=viewer)
    host.locator("#timeline .close").click()
    # The kernel may evaluate an expression before it hears what the page has told.
    wait_for(lambda: notebook.told("[map.brush, map.histogram]") == [None, ""], "the kernel to hear of the closed histogram")
    host.locator("#donuts").select_option("kind")
    wait_for(lambda: notebook.told("map.color") == "kind", "the kernel to hear of the column")
    host.locator("#legend button").first.click()
    notebook.page.wait_for_function("viewer => viewer.settings.off !== ''", arg=viewer)
    # If another column colors the badges, no category of the old column stays hidden.
    notebook.run("map.color = ''")
    notebook.page.wait_for_function("viewer => viewer.settings.donuts === '' && viewer.settings.off === ''", arg=viewer)
    assert count(notebook.rest()) == 4000
    notebook.run("map.histogram = 'size'")
    host.locator("#timeline svg rect").first.wait_for(state="attached")
    assert "TraitError" in notebook.run("map.color = 'size'")


def test_a_hint_tells_the_columns_of_the_tooltip(open_notebook):
    notebook = open_notebook(PLACES + "map = tree.map(tooltip=['kind', 'size'])\nmap")
    viewer = notebook.rest()
    hint = notebook.hosts().first.locator("#hint")
    cluster = max(inside(notebook, shown(viewer)), key=lambda each: each["count"])
    notebook.page.mouse.move(*place(notebook, cluster))
    hint.locator("li").first.wait_for()
    assert re.fullmatch(r"(hotel|inn|camp|boat) · \d+", hint.locator("li").first.inner_text())
    notebook.run(
        "first = tree.members(tree.root().id[0], limit=1)\n"
        "map.view = {'center': (float(first.x[0]), float(first.y[0])), 'zoom': 15}"
    )
    notebook.page.wait_for_function("viewer => viewer.map.getZoom() > 13.9", arg=viewer)
    (point,) = [each for each in shown(notebook.rest()) if each["count"] == 1]
    notebook.page.mouse.move(*place(notebook, point))
    hint.locator("dd").wait_for()
    row = notebook.told("int(first.row[0])")
    kind, size = notebook.told(f"[str(kinds[{row}]), int((i * 37)[{row}] % 500)]")
    assert hint.locator("b").inner_text() == kind
    assert (hint.locator("dt").inner_text(), hint.locator("dd").inner_text()) == ("size", str(size))
    picture(notebook.page, "notebook-tooltip")
    notebook.page.mouse.move(5, 5)
    notebook.run("map.tooltip = None")
    notebook.page.wait_for_function("viewer => viewer.tooltip === null", arg=viewer)
    notebook.page.mouse.move(*place(notebook, point))
    hint.get_by_text(f"Place {row}").wait_for()
    notebook.page.mouse.move(5, 5)
    notebook.run("map.tooltip = []")
    notebook.page.wait_for_function("viewer => viewer.tooltip?.length === 0", arg=viewer)
    notebook.page.mouse.move(*place(notebook, point))
    notebook.page.wait_for_function("viewer => viewer.pointing.pointed !== null", arg=viewer)
    assert hint.is_hidden()


def test_basemaps_and_titles_change_while_a_map_is_shown(open_notebook, lab):
    notebook = open_notebook(MAP)
    notebook.theme("Light")
    viewer = notebook.rest()
    host = notebook.hosts().first
    before = shown(viewer)
    assert "land" in viewer.evaluate(LAYERS)
    notebook.run(f"map.basemap = {SAND}\nmap.title = 'Places <b>'")
    notebook.page.wait_for_function(f"viewer => ({LAYERS})(viewer).join() === 'sand'", arg=viewer)
    assert shown(notebook.rest()) == before
    assert host.locator("h1").inner_text() == "Places <b>"
    # If the basemap is given, its colors do not change with the theme.
    notebook.theme("Dark")
    notebook.page.wait_for_function("viewer => viewer.palette.sea !== '#d2e3ea'", arg=viewer)
    assert viewer.evaluate(LAYERS) == ["sand"]
    notebook.theme("Light")
    notebook.run(f"map.basemap = {lab[0] + '/none.json'!r}")
    host.get_by_text("none.json cannot be shown").wait_for()
    notebook.page.wait_for_function(f"viewer => ({LAYERS})(viewer).includes('land')", arg=viewer)
    assert shown(notebook.rest()) == before
    notebook.run(f"map.basemap = {SAND}")
    host.get_by_text("none.json cannot be shown").wait_for(state="hidden")
    notebook.page.wait_for_function(f"viewer => ({LAYERS})(viewer).join() === 'sand'", arg=viewer)
    notebook.run("map.basemap = None\nmap.title = ''")
    notebook.page.wait_for_function(f"viewer => ({LAYERS})(viewer).includes('land')", arg=viewer)
    assert notebook.rest() and host.locator("h1").inner_text() == "Treeline"


def test_a_map_shows_the_tree_after_an_edit_and_keeps_its_view(open_notebook):
    build = """
tree = treelinemap.build({"id": i, "lon": tree_lon, "lat": tree_lat, "kind": kinds}, key="id", grow="badges")
map = tree.map(view={"center": (10, 48), "zoom": 6}, color="kind")
map"""
    places = "\ntree_lon, tree_lat = 10 + 22 * spread * np.cos(turn), 48 + 9 * spread * np.sin(turn)"
    notebook = open_notebook(PLACES + places + build)
    viewer = notebook.rest()
    viewer.evaluate(LISTEN)
    before, camera = shown(viewer), viewer.evaluate("viewer => viewer.currentCamera")
    notebook.run("""
table = {"id": [1, 2], "lon": [10.1, 10.2], "lat": [48.1, 48.2], "kind": ["inn", "inn"]}
map.show(tree.updating(remove=range(100, 140), move=table))""")
    notebook.page.wait_for_function("viewer => viewer.index.point_count === 3960", arg=viewer)
    viewer = notebook.rest()
    asked = "map.tree.clusters(center=(10, 48), zoom=6, width={width}, height={height}, badges=1)".format(
        **viewer.evaluate("viewer => viewer.stage.size")
    )
    assert sorted(notebook.told(f"{asked}.count.tolist()")) == sorted(cluster["count"] for cluster in shown(viewer))
    assert shown(viewer) != before and viewer.evaluate("viewer => viewer.currentCamera") == camera
    assert "3,960 points" in notebook.page.locator("#facts").inner_text()
    assert viewer.evaluate("viewer => viewer.said") == []
    # The kernel answers queries of the new tree.
    notebook.run("map.view = {'center': (10, 48), 'zoom': 4}")
    notebook.page.wait_for_function("viewer => Math.abs(viewer.map.getZoom() - 3) < 1e-6", arg=viewer)
    assert sum(cluster["count"] for cluster in shown(notebook.rest())) == 3960
    picture(notebook.page, "notebook-edited")
