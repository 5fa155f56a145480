"""Checks the values that Python sends to maps and pages, before a browser gets them."""

import datetime
import inspect
import os
import pickle
import subprocess

import numpy as np
import pandas as pd
import pytest
import traitlets
import treelinemap
import treelinemap.widget
from treelinemap._answers import Problem


@pytest.mark.parametrize(
    ("trait", "value"),
    [
        ("view", {"zoom": float("nan")}),
        ("view", {"center": (2, float("inf"))}),
        ("view", {"center": (0, 200), "zoom": 3}),
        ("view", {"bbox": (1, 52, -1, 51)}),
        ("view", {"bbox": (1, -91, 2, 51)}),
        ("view", {"center": (500, 48)}),
        ("view", {"bbox": (-500, 0, 600, 10)}),
        ("view", {"zoom": 99}),
        ("view", {"zoom": -7}),
        ("cut", {"spacing": "60"}),
        ("cut", {"limit": True}),
        ("selected", [10**12]),
        ("selected", [-1]),
        ("selected", ["x"]),
        ("selected_rows", [10**9]),
        ("selected_rows", [-1]),
        ("cut", {"spacing": None}),
        ("cut", {"spacing": 44, "min_points": 3}),
        ("cut", {"spacing": 44, "bbox": (1, 2, 3, 4)}),
        ("color", "price"),
        ("color", "colour"),
        ("histogram", "kind"),
        ("tooltip", ["price", "prize"]),
        ("tooltip", "prize"),
        ("brush", (20, 30)),
        ("basemap", 3),
        ("basemap", "osm"),
        ("basemap", "OpenStreetMap.Mapnik"),
        ("basemap", "https://tiles.example/{z}.png"),
        ("basemap", {"version": 8}),
        ("basemap", {"version": 8, "sources": {}, "layers": [float("nan")]}),
    ],
)
def test_what_cannot_be_is_refused_and_changes_nothing(tree, trait, value):
    map = tree.map()
    before = getattr(map, trait)
    with pytest.raises((traitlets.TraitError, ValueError)):
        setattr(map, trait, value)
    assert getattr(map, trait) == before and map._selected_ranges == []
    with pytest.raises((traitlets.TraitError, ValueError)):
        tree.map(**{trait: value})


def test_views_across_the_antimeridian_are_taken(tree):
    map = tree.map(view={"bbox": (170, -20, -170, 20)})
    assert map.view == {"bbox": [170, -20, -170, 20]}


def test_answers_and_arrays_select(tree):
    map, shown = tree.map(), tree.clusters(limit=3)
    for selected in (shown, shown.id, list(shown), shown.id.tolist()):
        map.selected = []
        map.selected = selected
        assert map.selected == shown.id.tolist() and {type(id) for id in map.selected} == {int}
        assert map._selected_ranges == np.column_stack([shown.first, shown.end]).tolist()
    map.selected, map.selected_rows = [], np.array([17, 4711])
    assert map.selected_rows == [17, 4711] and len(map._selected_ranges) == 2


def test_cuts_of_numpy_s_numbers_can_be_sent(tree):
    assert type(tree.map(cut={"spacing": np.int64(60)}).cut["spacing"]) is int


def test_a_brush_is_the_range_of_its_histogram(tree):
    map = tree.map(histogram="price", brush=(50, np.float64(120.5)))
    assert map.brush == (50, 120.5) and map._range == "50..120.5"
    map._range = "60..1e+21"
    assert map.brush == (60, 1e21) and type(map.brush[0]) is int
    for bad in ((3, 2), (2, 2), (1, float("inf")), (1,), (1, 2, 3), ("a", "b"), 5, (True, 2), (np.datetime64("1"), 3)):
        with pytest.raises(traitlets.TraitError, match="expected two numbers, the lesser first, found brush="):
            map.brush = bad
    assert map.brush == (60, 1e21)
    # A window over one column has no meaning for another column, so it is removed.
    map.histogram = "opened"
    assert map.brush is None and map._range == ""
    map.brush = (datetime.date(1960, 1, 1), np.datetime64("1970-01-01T12"))
    assert map._range == "1960-01-01..1970-01-01T12:00:00Z"
    map._range = "1961-02-03..1971-02-03T04:05:06.5Z"
    assert map.brush == (np.datetime64("1961-02-03"), np.datetime64("1971-02-03T04:05:06.5"))
    zone = datetime.timezone(datetime.timedelta(hours=2))
    map.brush = ("1960-01-01", datetime.datetime(1970, 1, 1, 2, tzinfo=zone))
    assert map._range == "1960-01-01..1970-01-01"
    with pytest.raises(traitlets.TraitError, match="expected two times, the lesser first"):
        map.brush = (1, 2)
    map.histogram = ""
    assert map.brush is None
    with pytest.raises(traitlets.TraitError, match="set histogram= first, found brush="):
        map.brush = (1, 2)


def test_a_brush_can_be_asked_of_the_tree(tree, points):
    map = tree.map(histogram="opened", brush=("1960-01-01", "1970-01-01"))
    low, high = map.brush
    chosen = (points["opened"] >= low) & (points["opened"] < high)
    assert len(tree.select(chosen)) == chosen.sum() > 0


def test_columns_are_named_by_a_map(tree):
    map = tree.map(color="kind", tooltip="price", histogram="rooms")
    assert (map.color, map.tooltip, map.histogram) == ("kind", ["price"], "rooms")
    map.color, map.tooltip = "open", ["kind", "rooms"]
    map.color, map.tooltip = "", None
    assert tree.map(tooltip=[]).tooltip == [] and tree.map().tooltip is None
    with pytest.raises(traitlets.TraitError, match="a column of kind category or boolean as color, .* 'kind', 'open'"):
        map.color = "rooms"


def test_a_title_is_that_of_the_index_unless_told(tree, tmp_path):
    tree.save(tmp_path / "tree", title="Hotels")
    opened = treelinemap.open(tmp_path / "tree")
    assert opened.map().title == "Hotels" and opened.map(title="Inns").title == "Inns" and tree.map().title == ""


def test_a_page_without_a_title_has_the_name_of_the_file(tmp_path):
    built = treelinemap.build([1, 2], [3, 4])
    built.save(tmp_path / "hotels.treeline")
    opened = treelinemap.open(tmp_path / "hotels.treeline")
    with pytest.warns(UserWarning, match="1 row is not in the tree"):
        without = treelinemap.build([1, 2, 999], [3, 4, 5], skip_invalid=True)
    for tree, title in ((built, "Map"), (without, "Map"), (opened, "hotels"), (opened.select([True, True]), "hotels")):
        for one in (tree, pickle.loads(pickle.dumps(tree))):
            assert f"<title>{title}</title>" in one.select(None).to_html()


def test_basemaps_are_styles(tree):
    style = {"version": 8, "sources": {}, "layers": [{"id": "sea", "type": "background"}]}
    address = "https://tiles.example/style.json"
    assert tree.map(basemap=style).basemap == style and tree.map(basemap=address).basemap == address
    assert tree.map(basemap="").basemap is tree.map().basemap is None
    for relative in ("/files/style.json", "style.json", "styles/day", "data:application/json,{}", "mapbox:style"):
        assert tree.map(basemap=relative).basemap == relative
    tiles = tree.map(basemap="https://{s}.tiles.example/{z}/{x}/{y}{r}.png").basemap
    addresses = [f"https://{each}.tiles.example/{{z}}/{{x}}/{{y}}.png" for each in "abc"]
    assert tiles["sources"]["basemap"]["tiles"] == addresses
    assert tiles["layers"] == [{"id": "basemap", "type": "raster", "source": "basemap"}]

    class Provider(dict):
        """A provider of tiles, in the form that xyzservices uses."""

        html_attribution = "Nobody"

        def build_url(self):
            return "https://tiles.example/{z}/{x}/{y}.png"

    source = tree.map(basemap=Provider(max_zoom=17)).basemap["sources"]["basemap"]
    assert (source["attribution"], source["maxzoom"]) == ("Nobody", 17)
    assert source["tiles"] == ["https://tiles.example/{z}/{x}/{y}.png"]


def test_a_page_is_a_text_or_a_file(tree, tmp_path):
    page = tree.to_html(title="Hotels")
    assert page.startswith("<!doctype html>") and "<title>Hotels</title>" in page and page.rstrip().endswith("</html>")
    assert tree.to_html(tmp_path / "map.html", title="Hotels") is None
    assert (tmp_path / "map.html").read_text() == page
    with pytest.raises(ValueError, match="expected a basemap"):
        tree.to_html(basemap=3)


@pytest.mark.skipif("TREELINE_TOOL" not in os.environ, reason="TREELINE_TOOL names no tool")
def test_the_tool_writes_the_same_page(tree, tmp_path):
    tree.save(tmp_path / "hotels.treeline")
    opened = treelinemap.open(tmp_path / "hotels.treeline")
    for address in ("", "https://tiles.example/style.json", "https://tiles.example/{z}/{x}/{y}.png"):
        options = {"title": "Höfe & <b>", "basemap": address} if address else {}
        given = [f"--{name}={value}" for name, value in options.items()]
        command = [os.environ["TREELINE_TOOL"], "map", "hotels.treeline", "-o", "tool.html", "--quiet", *given]
        subprocess.run(command, cwd=tmp_path, check=True)
        opened.to_html(tmp_path / "python.html", **options)
        assert (tmp_path / "python.html").read_bytes() == (tmp_path / "tool.html").read_bytes()
        # A tree in memory has the same page as its index.
        assert tree.to_html(**{"title": "hotels", **options}) == (tmp_path / "tool.html").read_text()


@pytest.mark.skipif("TREELINE_TOOL" not in os.environ, reason="TREELINE_TOOL names no tool")
@pytest.mark.parametrize("single_file", [False, True])
def test_the_tool_publishes_the_same_folder(tree, tmp_path, single_file):
    tree.save(tmp_path / "hotels.treeline")
    treelinemap.open(tmp_path / "hotels.treeline").publish(tmp_path / "python" / "site", single_file=single_file)
    command = [os.environ["TREELINE_TOOL"], "publish", "hotels.treeline", "-o", "tool", "--quiet"]
    subprocess.run(command + single_file * ["--single-file"], cwd=tmp_path, check=True)

    def files(folder):
        return {path.relative_to(folder): path.read_bytes() for path in folder.rglob("*") if path.is_file()}

    assert files(tmp_path / "python" / "site") == files(tmp_path / "tool")


def test_a_map_shows_the_tree_after_an_edit():
    frame = pd.DataFrame({"id": [3, 5, 9], "lon": [1.0, 2, 3], "lat": [1.0, 2, 3], "kind": ["a", "b", "a"]})
    tree = treelinemap.build(frame, key="id", grow="badges")
    map = tree.map(color="kind", where="kind = 'a'", selected_rows=[2])
    version = map._facts["version"]
    map.show(tree.updating(remove=3, insert=frame[:1].assign(id=4)))
    assert map._facts["point_count"] == 3 and map._facts["version"] != version
    assert map.tree.keys[map.selected_rows].tolist() == [9]
    with pytest.raises(Problem, match="another tree") as problem:
        map._answers.answer("transition", ids=[], query={"badges": 1, "zoom": 0}, version=version)
    with pytest.raises(Problem, match="another tree"):
        map._answers.answer("members", cluster=0, query={"limit": 1, "version": version})
    assert problem.value.status == 409
    version = map._facts["version"]
    # A tree of the same points has a version of its own, because its values may differ.
    map.show(map.tree)
    assert map._facts["version"] != version
    shown = map.tree
    for other, error in (
        (treelinemap.build([1], [1], planar=True), "plain x and y"),
        (treelinemap.build([1], [1], grow="scatter", columns={"kind": ["a"]}), "badges"),
        (treelinemap.build([1], [1], grow="badges"), "kind"),
    ):
        with pytest.raises(ValueError, match=error):
            map.show(other)
        assert map.tree is shown


def test_a_trait_that_is_not_there_is_told(tree):
    there = "'basemap', 'brush', 'color', .*, 'view', 'where'"
    with pytest.raises(TypeError, match=f"no trait 'colour'; traits: {there}; did you mean 'color'"):
        tree.map(colour="kind")
    with pytest.raises(TypeError, match=f"no trait 'zoom'; traits: {there}$"):
        tree.map(zoom=3)
    assert tree.map(layout={"width": "50%"}).layout.width == "50%"


def test_the_signature_of_a_map_has_all_of_its_traits(tree):
    own = {name for name in treelinemap.widget.Map.class_own_traits() if not name.startswith("_")}
    assert own == inspect.signature(tree.map).parameters.keys() - {"others"}
    assert tree.map(color=None, tooltip=None, title=None, cut=None).cut == tree.map().cut


def test_a_page_is_of_all_points(tree, tmp_path):
    with pytest.raises(ValueError, match="filter"):
        tree.select("kind = 'hotel'").to_html(tmp_path / "map.html")
    with pytest.raises(ValueError, match="filter"):
        tree.select("kind = 'hotel'").publish(tmp_path / "site")
    assert not list(tmp_path.iterdir())
