"""Checks that an answer is a table: it prints as a table, becomes a DataFrame, takes masks, and labels rows."""

import gc
import re
import sys

import numpy as np
import pytest
import treelinemap

geopandas = pytest.importorskip("geopandas")
pd = pytest.importorskip("pandas")
pl = pytest.importorskip("polars")
shapely = pytest.importorskip("shapely")


@pytest.fixture
def answer(tree):
    return tree.clusters(zoom=7, spacing=44, aggregate="mean(price), top(kind, 1), max(opened)")


def test_an_answer_prints_as_a_table(tree):
    lines = str(tree.clusters(limit=3, aggregate="mean(price), top(kind, 1)")).splitlines()
    assert lines[0] == "3 clusters of 5000 points" and len(lines) == 5
    assert lines[1].split() == ["id", "count", "row", "x", "y", "mean_price", "top_kind"]
    assert re.fullmatch(r" *\d+ +\d+ +-1 +[-\d.]+ +[-\d.]+ +[\d.]+  \{'\w+': \d+\}", lines[2])
    # The cells of a column of numbers are aligned with the end of the column's name.
    assert len({re.match(r" *\S+ +\S+", line).end() for line in lines[1:]}) == 1


def test_a_long_answer_prints_its_ends(tree):
    answer = tree.clusters(limit=200)
    lines = repr(answer).splitlines()
    assert len(lines) == 23 and lines[17].split() == ["…"] * 5
    assert lines[2].split()[0] == str(answer.id[0]) and lines[-1].split()[0] == str(answer.id[-1])
    assert repr(tree.clusters((100, 0, 101, 1), limit=5)).splitlines()[0] == "0 clusters of 0 points"


def test_a_notebook_shows_a_table_whose_texts_are_no_markup():
    names = ["<b>", "a\tb\nc" + "x" * 99]
    tree = treelinemap.build([1, 2], [3, 4], columns={"name": names}, kinds={"name": "category"})
    answer = tree.clusters(limit=2, aggregate="mode(name)")
    page = answer._repr_html_()
    assert page.count("<tr>") == 3 and "<td>&lt;b&gt;</td>" in page and "<b>" not in page
    assert "2 clusters of 2 points" in page
    (line,) = [line for line in str(answer).splitlines() if "xxx" in line]
    assert line.endswith("a b c" + "x" * 34 + "…")
    members = tree.members(tree.root()[0])
    assert repr(members).splitlines()[0] == "Table of 2 rows" and "<th>tree_index</th>" in members._repr_html_()


def test_an_answer_becomes_a_frame(answer):
    frame = pd.DataFrame(answer)
    assert sorted(frame) == sorted(["id", "count", "row", "x", "y", "mean_price", "top_kind", "max_opened"])
    for name in ("id", "count", "row", "x", "y", "max_opened"):
        assert frame[name].tolist() == answer[name].tolist()
    assert frame["count"].dtype == np.int64 and frame["top_kind"].tolist() == answer["top_kind"].tolist()
    assert pl.DataFrame(answer)["count"].to_list() == answer.count.tolist()
    assert answer.to_pandas().columns.tolist()[:9] == ["id", "count", "row", "x", "y", "west", "south", "east", "north"]
    members = answer.tree.members(answer[0])
    assert pd.DataFrame(members).equals(members.to_pandas()) and dict(members).keys() == members.keys()


def test_an_empty_answer_becomes_a_frame_with_its_columns(tree, answer):
    query = dict(zoom=3, spacing=44, aggregate="mean(price), counts(kind)")
    empty = tree.clusters((100, 0, 101, 1), **query)
    names = ["id", "count", "row", "x", "y", "mean_price", "counts_kind"]
    for part in (empty, answer[:0], answer[answer.count < 0]):
        frame = pd.DataFrame(part)
        assert frame.shape == (0, len(part.keys())) and list(frame) == part.keys()
        assert frame["count"].dtype == np.int64 and frame["x"].dtype == np.float64
        assert set(frame) <= set(part.to_pandas())
    assert empty.keys() == names
    # Only the constructor of pandas finds a mapping.
    assert not isinstance(empty, dict) and empty.__class__ is type(empty) is treelinemap.Clusters
    assert type(answer[:0]) is answer[:0].__class__


def test_a_cluster_is_a_row(answer):
    place = int(np.argmax(answer.count))
    cluster = answer[place]
    assert dict(cluster) == {name: answer[name][place] for name in cluster}
    assert cluster["count"] == cluster.count and cluster["row"] == -1 and cluster.row is None
    (single,) = answer[answer.count == 1][:1]
    assert single["row"] == single.row >= 0 and len(single) == len(single.keys()) == len(single.items()) == 8
    with pytest.raises(KeyError, match="a cluster has no value 'price'; values: 'id', .* 'mean_price'"):
        cluster["price"]


def test_names_choose_columns(answer):
    for name in ("id", "count", "x", "row", "first", "end", "tree_index", "radius", "badge_diameter"):
        assert np.array_equal(answer[name], getattr(answer, name), equal_nan=True)
    assert answer["west"].tolist() == answer.bounds[:, 0].tolist()
    assert answer["mean_price"] is answer.values["mean_price"]
    with pytest.raises(KeyError, match="there is no column 'price'; columns: 'id', 'count', .* 'mean_price'"):
        answer["price"]


def check_part(part, answer, places):
    """Checks that a part of an answer has the clusters at the given places of the answer."""
    names = [*treelinemap._answer._COLUMNS, "first", "end", "tree_index", "radius", "west", "north", *answer.values]
    assert len(part) == len(places) and part.tree is answer.tree
    for name in names:
        assert str(part[name].tolist()) == str(answer[name][places].tolist())
    assert [cluster.id for cluster in part] == answer.id[places].tolist()
    assert part.bounds.tolist() == answer.bounds[places].tolist()
    again, wanted = part.aggregate("sum(rooms)"), answer.aggregate("sum(rooms)")
    assert again["sum_rooms"].tolist() == wanted["sum_rooms"][places].tolist()
    assert not part.count.flags.writeable


def test_masks_slices_and_positions_choose_clusters(answer):
    many = answer.count > 50
    assert 0 < many.sum() < len(answer)
    order = np.argsort(-answer.count)[:7]
    places = np.arange(len(answer))
    for which, expected in (
        (many, places[many]),
        (many.tolist(), places[many]),
        (pd.Series(many), places[many]),
        (~many & False, places[:0]),
        (slice(2, 9), places[2:9]),
        (slice(None, None, -3), places[::-3]),
        (order, order),
        ([3, -1, 3], np.array([3, len(answer) - 1, 3])),
        ([], places[:0]),
    ):
        check_part(answer[which], answer, expected)
    check_part(answer[many][1:][[2, 0]], answer, places[many][1:][[2, 0]])
    assert answer[many][0].id == answer.id[many][0] and answer[order][-1].id == answer.id[order[-1]]
    assert str(answer[many]).splitlines()[0] == f"{many.sum()} clusters of {answer.count[many].sum()} points"


@pytest.mark.parametrize(
    ("which", "error", "message"),
    [
        ([True, False], IndexError, "expected a mask of .* entries, one for each cluster, found 2"),
        ([0, 10**6], IndexError, "expected indices below .*, found 1000000"),
        ([0.5], TypeError, "expected an index, a slice, a mask, an array of indices or a name"),
        ([[1]], TypeError, "expected an index"),
        (None, TypeError, "expected an index"),
        (10**6, IndexError, "found 1000000"),
        (-(10**6), IndexError, "found -1000000"),
    ],
)
def test_what_chooses_no_clusters_is_told(answer, which, error, message):
    with pytest.raises(error, match=message):
        answer[which]


def test_a_part_is_an_answer(tree, answer):
    part = answer[np.argsort(-answer.count)[:5]]
    place = 3
    index = int(part.first[place])
    assert part.find(index) == place and part.find(int(answer.first[np.argmin(answer.count)])) is None
    # The changes of a part of an answer refer to places in this part.
    change = part.transition_to(tree.children(part[place]))
    split = change.change == treelinemap.Transition.SPLIT
    assert change.from_place[split].tolist() == [place] * 2 and sorted(change.to_place[split]) == [0, 1]
    assert (change.start[split, 0] == part.x[place]).all()
    back = tree.children(part[place]).transition_to(part)
    assert set(back.to_place[back.change == treelinemap.Transition.MERGED]) == {place}
    assert sorted(change.from_place[change.change == treelinemap.Transition.EXITED]) == [0, 1, 2, 4]
    geojson = part.__geo_interface__
    assert [each["id"] for each in geojson["features"]] == part.id.tolist()
    assert part.to_geopandas().geometry.x.tolist() == part.x.tolist()


def test_parts_keep_what_a_query_decides(points):
    badges = treelinemap.build(points["lon"], points["lat"], grow="badges")
    shown = badges.clusters(zoom=6, badges=1)
    assert shown[shown.count > 9].badge_diameter.tolist() == shown.badge_diameter[shown.count > 9].tolist()
    plain = treelinemap.build(points["lon"], points["lat"], supporting="spacing")
    member = plain.clusters(zoom=6, spacing=44, position="member")
    assert member[2:5].x.tolist() == member.x[2:5].tolist() != plain.clusters(zoom=6, spacing=44).x[2:5].tolist()
    assert member[2:5].tree_index.tolist() == member.tree_index[2:5].tolist() and member[2:5].tree_index.min() >= 0


def test_no_part_keeps_itself(answer):
    part = answer[answer.count > 3]
    before = sys.getrefcount(part)
    part.bounds, part.radius, part.values, list(part), part.labels, part[:3], part.to_pandas(), str(part)
    gc.collect()
    assert sys.getrefcount(part) == before
    counts = part.count.tolist()
    kept = part.count
    del part, answer
    gc.collect()
    assert kept.tolist() == counts


@pytest.mark.parametrize(
    "query", [dict(limit=40), dict(zoom=9, spacing=44), dict(bbox=(1, 47, 3, 49), zoom=12, detail=4)]
)
def test_labels_name_the_cluster_of_each_row(tree, query):
    answer = tree.clusters(**query)
    labels = answer.labels
    assert len(labels) == 5000 and (answer.count == 1).any() and (answer.count > 1).any()
    for place, cluster in enumerate(answer):
        assert sorted(np.flatnonzero(labels == place).tolist()) == sorted(tree.members(cluster)["row"].tolist())
    assert (labels >= 0).sum() == answer.count.sum() and labels.min() >= -1


def test_labels_are_of_the_points_that_pass(tree, points):
    chosen = points["price"] < 100
    labels = tree.clusters(limit=9, where="price < 100").labels
    assert ((labels >= 0) == chosen).all()
    part = tree.clusters(limit=9)[[4, 2]]
    assert np.bincount(part.labels[part.labels >= 0]).tolist() == part.count.tolist()
    groups = treelinemap.build(points["lon"], points["lat"], columns={"kind": points["kind"]}, group_by="kind")
    shown = groups.clusters(limit=3)
    assert (shown.group[shown.labels] == points["kind"]).all()


def test_labels_of_an_opened_index_are_of_its_rows(tree, tmp_path):
    tree.save(tmp_path / "tree")
    opened = treelinemap.open(tmp_path / "tree")
    assert opened.row_count == 5000 == opened.select("rooms < 9").row_count
    assert (opened.clusters(limit=9).labels == tree.clusters(limit=9).labels).all()
    empty = treelinemap.build([], [])
    assert empty.row_count == 0 and empty.clusters(limit=1).labels.tolist() == []


def test_hulls_are_geometries(tree):
    answer = tree.clusters(zoom=7, spacing=44)
    on_map = lambda geometry: shapely.transform(geometry, lambda places: np.column_stack(mercator(*places.T)))
    for hull, cluster in zip(answer.hulls(), answer):
        members = tree.members(cluster)
        expected = on_map(shapely.MultiPoint(np.column_stack([members["x"], members["y"]]))).convex_hull
        assert hull.geom_type == expected.geom_type
        assert on_map(hull).symmetric_difference(expected).area <= 1e-6 * expected.area
    frame = answer.to_geopandas("hull")
    assert frame.crs.to_epsg() == 4326 and frame["count"].tolist() == answer.count.tolist()
    areas = frame[frame.geom_type == "Polygon"]
    assert len(areas) > 50 and areas.covers(answer.to_geopandas().geometry[areas.index]).all()
    with pytest.raises(ValueError, match="expected the geometry 'point' or 'hull', found 'box'"):
        answer.to_geopandas("box")


def test_hulls_of_few_points_are_points_and_lines():
    tree = treelinemap.build([1, 2, 2, 50, 50], [3, 4, 4, 6, 6])
    assert [hull.geom_type for hull in tree.clusters(limit=3).hulls()] == ["Point", "Point", "Point"]
    assert [hull.geom_type for hull in tree.clusters(limit=2).hulls()] == ["LineString", "Point"]


def test_hulls_are_divided_at_the_antimeridian():
    triangle = treelinemap.build([178, -178, -179, 179], [0, 0, 3, 2])
    (hull,) = triangle.root().hulls()
    west, south, east, north = hull.bounds
    assert hull.geom_type == "MultiPolygon" and hull.is_valid and (west, east) == (-180, 180)
    whole = shapely.MultiPoint([(178, 0), (182, 0), (181, 3), (179, 2)]).convex_hull
    assert hull.area == pytest.approx(whole.area, abs=1e-5) and all(part.exterior.is_ccw for part in hull.geoms)
    assert hull.contains(shapely.Point(179.5, 1)) and hull.contains(shapely.Point(-179.5, 1))
    (line,) = treelinemap.build([179, -179], [0, 2]).root().hulls()
    assert line.geom_type == "MultiLineString" and line.length == pytest.approx(8**0.5, abs=1e-6)
    (edge,) = treelinemap.build([170, 180, 175], [0, 0, 5]).root().hulls()
    assert edge.geom_type in ("Polygon", "MultiPolygon") and edge.area == pytest.approx(25, abs=1e-5)


def mercator(x, y):
    """Returns positions of Web Mercator on the sphere, in meters."""
    radius = 6_378_137
    return radius * np.radians(x), radius * np.arcsinh(np.tan(np.radians(y)))


def test_radius_and_axes_are_in_meters(tree):
    for cluster in tree.clusters(zoom=7, spacing=44):
        members = tree.members(cluster)
        meters = np.column_stack(mercator(members["x"], members["y"])) * np.cos(np.radians(cluster.y))
        found = tree.clusters_with_ids([cluster])
        spread = np.cov(meters.T, bias=True) if len(meters) > 1 else np.zeros((2, 2))
        assert found.radius[0] == pytest.approx(np.sqrt(np.trace(spread)), rel=1e-6, abs=0.1)
        minor, major = np.sqrt(np.maximum(np.linalg.eigvalsh(spread), 0))
        assert found.semi_major[0] == pytest.approx(major, rel=1e-6, abs=0.1)
        assert found.semi_minor[0] == pytest.approx(minor, abs=1e-3 * major + 0.1)
    # The radius is one degree of the equator. At 60 degrees of latitude, it is half as long.
    equator, north = (treelinemap.build([10, 12], [y, y]).root().radius[0] for y in (0, 60))
    assert equator == pytest.approx(111_319.5, abs=1) and north == pytest.approx(111_319.5 / 2, abs=1)


def test_radius_of_a_plain_plane_is_in_its_units():
    random = np.random.default_rng(5)
    x, y = random.normal(4000, 30, 500), random.normal(-70_000, 80, 500)
    tree = treelinemap.build(x, y, planar=True, columns={"n": np.arange(500)})
    for tree in (tree, tree.select("n >= 100")):
        first = 500 - len(tree)
        root = tree.root()
        assert root.radius[0] == pytest.approx(np.hypot(x[first:].std(), y[first:].std()), rel=1e-6)
        assert root.semi_major[0] == pytest.approx(80, rel=0.2)
    assert np.isnan(treelinemap.build([], [], planar=True).clusters(limit=1).radius).tolist() == []
