"""Checks promises of trees and of answers."""

import gc
import json
import subprocess
import sys
import threading
import time

import numpy as np
import pytest
import treelinemap
from treelinemap import _library
from treelinemap._monitor import Monitor
from treelinemap._table import view


def test_the_version_is_the_library_s():
    assert treelinemap.__version__ == _library.version().decode()


def test_a_tree_tells_what_it_is(tree, points):
    assert len(tree) == tree.point_count == len(points["lon"])
    assert tree.bounds == pytest.approx(
        (points["lon"].min(), points["lat"].min(), points["lon"].max(), points["lat"].max()), abs=1e-6
    )
    assert tree.has_separations and not tree.has_badges and not tree.is_planar
    assert (tree.growth, tree.anchor, tree.clipped_point_count) == ("merge:distance", "mean", 0)
    assert "5000 points, merge:distance, columns price" in repr(tree)


@pytest.mark.parametrize(("count", "end"), [(10, "c8, c9>"), (11, "c8, c9 and 1 more>"), (40, "c8, c9 and 30 more>")])
def test_the_text_of_a_tree_names_ten_columns(count, end):
    tree = treelinemap.build([1.0], [2.0], columns={f"c{number}": [number] for number in range(count)})
    assert repr(tree).endswith(end)


def test_every_point_is_in_one_cluster(tree):
    answer = tree.clusters(zoom=7, spacing=44)
    assert answer.count.sum() == len(tree) and len(answer) > 20
    assert (answer.first[1:] == answer.end[:-1]).all()
    rows = np.concatenate([tree.members(cluster)["row"] for cluster in answer])
    assert sorted(rows.tolist()) == list(range(len(tree)))


def test_positions_are_means_of_members(tree, points):
    for cluster in tree.clusters(limit=12):
        members = tree.members(cluster)
        assert np.allclose(members["x"], points["lon"][members["row"]], atol=1e-7)
        assert np.allclose(members["y"], points["lat"][members["row"]], atol=1e-7)
        assert members["x"].mean() == pytest.approx(cluster.x, abs=1e-6)


def test_spacing_is_kept(tree):
    answer = tree.clusters(zoom=6, spacing=60)
    x = (answer.x + 180) / 360 * 256 * 2**6
    y = np.log(np.tan(np.pi / 4 + np.radians(answer.y) / 2)) / (2 * np.pi) * 256 * 2**6
    distance = np.hypot(x[:, None] - x, y[:, None] - y)
    np.fill_diagonal(distance, np.inf)
    assert 60 <= distance.min() < 90


def test_filters_and_aggregates_are_numpy_s(tree, points):
    chosen = (points["kind"] == "hotel") & (points["price"] < 100)
    answer = tree.clusters(limit=9, where="kind = 'hotel' AND price < 100", aggregate=["sum(price)", "median(rooms)"])
    assert answer.count.sum() == chosen.sum() == len(answer.tree)
    for cluster in answer:
        rows = answer.tree.members(cluster)["row"]
        assert chosen[rows].all()
        assert cluster.values["sum_price"] == pytest.approx(points["price"][rows].sum())
        assert cluster.values["median_rooms"] == np.median(points["rooms"][rows])
    assert answer["sum_price"] is answer.values["sum_price"]
    assert answer.aggregate("max(price)", "distinct(kind)")["distinct_kind"].tolist() == [1] * len(answer)
    assert tree.select("rooms > 5").select("rooms > 10").select(None).clusters(limit=1).count[0] == len(tree)


def test_where_keeps_few_filters(tree):
    for price in range(30, 60):
        assert len(tree.clusters(limit=3, where=f"price < {price}")) == 3
    assert len(tree._filtered) == 8


def test_transitions_add_up(tree):
    near = tree.clusters((1, 47, 4, 49), zoom=8, spacing=44)
    far = tree.clusters((0, 46, 5, 50), zoom=7, spacing=44)
    change = far.transition_to(near)
    assert len(change) == len(change.start) == len(change.stop)
    split = change.change == treelinemap.Transition.SPLIT
    assert split.any() and not (change.change == treelinemap.Transition.MERGED).any()
    assert (change.start[split, 0] == far.x[change.from_place[split]]).all()
    assert set(change.to_place[change.to_place >= 0]) == set(range(len(near)))
    assert set(change.from_place[change.from_place >= 0]) == set(range(len(far)))
    lost = far.count[np.unique(change.from_place[split])].sum() - near.count[change.to_place[split]].sum()
    assert lost == change.hidden.sum()
    back = near.transition_to(far)
    assert (back.change == treelinemap.Transition.MERGED).sum() == split.sum()
    assert "merged" in repr(back)


def test_answers_outlive_their_tree_and_arrays_their_answer(points):
    tree = treelinemap.build(points["lon"], points["lat"])
    answer = tree.clusters(limit=50)
    x, bounds = answer.x, answer.bounds
    expected = x.tolist(), bounds.tolist()
    del answer, tree
    gc.collect()
    np.ones(1 << 20)
    assert (x.tolist(), bounds.tolist()) == expected
    assert not x.flags.writeable and not x.flags.owndata


def test_no_answer_keeps_itself(tree):
    # If an answer kept an array that refers to the answer, neither of them would ever be freed. Python's garbage
    # collector does not find cycles through numpy arrays.
    answer = tree.clusters(limit=50, aggregate=["mean(price)", "top(kind, 1)"])
    before = sys.getrefcount(answer)
    answer.bounds, answer.radius, answer.badge_diameter, answer.group, answer.values, list(answer)
    answer.to_arrow(), answer.to_pandas(), answer.__geo_interface__, answer.transition_to(answer).start
    gc.collect()
    assert sys.getrefcount(answer) == before


def test_arrays_are_views(tree):
    answer = tree.clusters(limit=50)
    assert answer.x.base is not None
    assert np.shares_memory(answer.x, answer.x) and np.shares_memory(answer.count, answer.count)
    owner = object()
    empty = view(owner, None, (0,), "<f8")
    assert empty.size == 0


def test_empty_answers(tree):
    nothing = tree.clusters((100, 0, 101, 1), limit=5, aggregate="sum(price), top(kind, 2), min(kind)")
    assert len(nothing) == 0 and nothing.x.tolist() == [] and nothing["sum_price"].tolist() == []
    assert nothing.bounds.shape == (0, 4) and nothing["top_kind"].tolist() == []
    empty = treelinemap.build([], [], columns={"a": np.array([])})
    assert len(empty) == 0 and len(empty.clusters(limit=3)) == 0 and len(empty.root()) == 0
    assert np.isnan(empty.bounds).all()


def test_navigation(tree):
    root = tree.root()
    assert root.count.tolist() == [len(tree)]
    left, right = tree.children(root[0])
    assert left.count + right.count == len(tree)
    assert tree.parent(left)[0].id == root[0].id and len(tree.parent(root[0])) == 0
    assert tree.clusters_with_ids([right.id, left.id]).id.tolist() == [left.id, right.id]
    index = int(tree.members(right, limit=1)["tree_index"][0])
    assert tree.clusters_with_ids([left.id, right.id]).find(index) == 1
    assert tree.clusters_with_ids([left.id]).find(index) is None
    assert tree.tree_index(int(tree.members(right, limit=1)["row"][0])) == index
    zoom = tree.expansion_zoom(root[0], spacing=44)
    assert len(tree.clusters(zoom=max(zoom, 0), spacing=44)) > 1
    assert tree.unclustered_zoom(index, spacing=44) > 0
    hull = tree.hull(root[0])
    assert hull[:, 0].min() == pytest.approx(tree.bounds[0])


def test_searches_find_beginnings_of_words():
    names = ["Rio de São João", "Paris", "São Paulo", None]
    tree = treelinemap.build(
        [-43.2, 2.35, -46.6, 0], [-22.9, 48.86, -23.5, 0], columns={"name": names}, kinds={"name": "text+search"}
    )
    hits = tree.search("sao")
    assert hits.text.tolist() == ["São Paulo", "Rio de São João"]
    assert hits.row.tolist() == [2, 0] and hits.x == pytest.approx([-46.6, -43.2], abs=1e-6)
    assert tree.search("SAO", 1, column="name").row.tolist() == [2]
    assert len(tree.search("x").row) == 0 and len(tree.search("sao", 0).row) == 0
    with pytest.raises(treelinemap.QueryError, match="name"):
        tree.search("sao", column="none")


def test_histograms_count_all(tree, points):
    table = tree.histogram("price", bins=20)
    assert table.count.sum() == (~np.isnan(points["price"])).sum()
    assert (table["from"][1:] == table["to"][:-1]).all()
    west = tree.histogram("price", bins=20, bbox=(-10, 40, 2, 60))
    assert west.count.sum() == ((points["lon"] <= 2) & ~np.isnan(points["price"])).sum()
    times = tree.histogram("opened", bins=10)
    assert times["from"][0].astype("M8[Y]").item().year in range(1930, 1951)
    assert times.count.sum() == len(points["opened"])


@pytest.mark.parametrize(
    ("query", "error", "message"),
    [
        (dict(limit=0), treelinemap.ParameterError, "'limit' must be a whole number, 1 or more, found 0."),
        (dict(spacing=44), treelinemap.ParameterError, "needs 'zoom'"),
        (dict(spacing=44, detail=2, zoom=3), treelinemap.ParameterError, "exclude each other"),
        (dict(min_points=1, detail=2, zoom=3), treelinemap.ParameterError, "'min_points' must be a whole number, 2 or more, found 1."),
        (dict(zoom=float("nan"), limit=3), treelinemap.ParameterError, "'zoom'"),
        (dict(bbox=(1, 2, 3), limit=3), treelinemap.ParameterError, "four numbers"),
        (dict(bbox=(0, 5, 1, 2), limit=3), treelinemap.QueryError, "south"),
        (dict(zoom=3, badges=1), treelinemap.QueryError, "badges need a tree"),
        (dict(where="stars > 3"), treelinemap.FilterError, '"price"'),
        (dict(where="kind != 'a'"), treelinemap.FilterError, "'is not' is written '<>'"),
        (dict(aggregate="sum(kind)"), treelinemap.AggregateError, "kind category"),
    ],
)
def test_errors_have_the_words_of_the_library(tree, query, error, message):
    with pytest.raises(error) as raised:
        tree.clusters(**query)
    assert message in str(raised.value)
    assert isinstance(raised.value, treelinemap.Error) and isinstance(raised.value, ValueError)


def test_answers_of_two_trees_do_not_mix(tree, points):
    other = treelinemap.build(points["lon"], points["lat"])
    with pytest.raises(treelinemap.ArgumentError, match="two trees"):
        tree.clusters(limit=3).transition_to(other.clusters(limit=3))
    with pytest.raises(treelinemap.ArgumentError, match="another tree"):
        tree.clusters(limit=3, after=other.clusters(limit=3))
    with pytest.raises(ValueError, match="offset"):
        tree.members(0, offset=-1)


def test_a_box_and_a_screen_are_two_ways_to_ask(tree):
    for zoom in (5, 6.5, 8):
        # At zoom 0, 256 px show 360 degrees of longitude.
        half = 360 / 2**zoom / 256 * 400
        box = tree.clusters((2 - half, -90, 2 + half, 90), zoom, spacing=44)
        screen = tree.clusters(center=(2, 48), zoom=zoom, width=800, height=10_000, spacing=44)
        assert np.isin(screen.id, box.id).all() and len(screen) > 0
        assert (box.id == tree.clusters([2 - half, -90, 2 + half, 90], zoom=zoom, spacing=44).id).all()
    for zoom in (-1, 33):
        with pytest.raises(treelinemap.ParameterError, match="'zoom' must be a number from 0 to 32"):
            tree.clusters((0, 0, 1, 1), zoom, spacing=44)
    for spacing in range(100):
        tree.clusters((0, 46, 5, 50), 7, spacing=spacing)
    assert len(tree._cuts) <= 64


def test_continuing_keeps_what_it_can(tree):
    first = tree.clusters((1, 47, 4, 49), limit=40)
    moved = tree.clusters((1.2, 47, 4.2, 49), limit=40, after=first)
    fresh = tree.clusters((1.2, 47, 4.2, 49), limit=40)
    kept = np.isin(moved.id, first.id).sum()
    assert kept >= np.isin(fresh.id, first.id).sum() and len(moved) <= 40


def test_growths(points):
    lon, lat = points["lon"], points["lat"]
    limited = treelinemap.build(lon, lat)
    assert not limited.has_separations and limited.default_cut == {"limit": 100}
    with pytest.raises(treelinemap.QueryError, match="--for spacing"):
        limited.clusters(zoom=7, spacing=44)
    spaced = treelinemap.build(lon, lat, supporting="spacing")
    assert spaced.growth == "merge:distance" and spaced.default_cut == {"spacing": 44}
    badges = treelinemap.build(lon, lat, supporting="badges", badge_gap=4)
    assert badges.growth == "merge:badges" and badges.default_cut == {"badges": 1}
    shown = badges.clusters(zoom=7, badges=1)
    assert badges.has_badges and (shown.badge_diameter >= 8).all()
    members = treelinemap.build(lon, lat, grow="merge", anchor="member")
    assert members.anchor == "member" and members.growth == "merge:distance"
    groups = treelinemap.build(lon, lat, columns={"kind": points["kind"]}, group_by="kind")
    assert len(groups.clusters(limit=3)) == 3 and groups.default_cut == {"detail": 20}
    alone = treelinemap.build(lon, lat, columns={"open": points["open"]}, never_cluster="open", threads=1)
    assert (alone.clusters(limit=len(lon)).count == 1).sum() >= points["open"].sum()
    plain = treelinemap.build(lon * 1000, lat * 1000, planar=True, split="gamma:1.5")
    assert plain.is_planar and not plain.has_separations and plain.growth == "gamma:1.5"


def test_indexes_hold_all(tree, tmp_path):
    path = tmp_path / "hotels.treeline"
    tree.save(path, title="Hotels", attribution="Nobody")
    opened = treelinemap.open(path)
    assert (opened.title, opened.attribution, opened.unit) == ("Hotels", "Nobody", "")
    assert opened.content_hash == tree.content_hash and opened.columns == tree.columns
    query = dict(zoom=6, spacing=44, aggregate="sum(price), median(rooms), counts(kind), max(opened), any(open)")
    a, b = tree.clusters(**query), opened.clusters(**query)
    assert a.id.tolist() == b.id.tolist() and all(a[n].tolist() == b[n].tolist() for n in a.values)
    assert treelinemap.verify(path) == []
    # If a tree is opened and saved again, with or without a filter, the file is the same.
    again = tmp_path / "again.treeline"
    opened.select("rooms > 5").save(again)
    assert again.read_bytes() == path.read_bytes()
    path.write_text("my diary")
    with pytest.raises(treelinemap.WritingError, match="expected an index or no file"):
        tree.save(path)
    tree.save(path, overwrite=True)
    with pytest.raises(treelinemap.IndexFileError) as raised:
        treelinemap.open(tmp_path / "none")
    assert isinstance(raised.value, OSError)
    damaged = bytearray(again.read_bytes())
    damaged[len(damaged) // 2] ^= 1
    again.write_bytes(damaged)
    assert treelinemap.verify(again) != []


def test_conversions(tree):
    answer = tree.clusters(limit=9, aggregate="mean(price), top(kind, 2)")
    table = answer.to_arrow()
    assert table["count"].to_pylist() == answer.count.tolist()
    assert dict(table["top_kind"].to_pylist()[0]) == answer["top_kind"][0]
    frame = answer.to_geopandas()
    assert frame.crs.to_epsg() == 4326 and frame.geometry.x.tolist() == answer.x.tolist()
    assert answer.to_pandas()["mean_price"].tolist() == answer["mean_price"].tolist()
    geojson = json.loads(json.dumps(answer.__geo_interface__))
    assert [f["properties"]["point_count"] for f in geojson["features"]] == answer.count.tolist()
    mean = [f["properties"]["mean_price"] for f in geojson["features"]]
    assert np.array(mean, float).tolist() == answer["mean_price"].tolist()
    repeated = answer[[3, 3, 1]].__geo_interface__["features"]
    assert repeated == [geojson["features"][place] for place in (3, 3, 1)] and repeated[0] is not repeated[1]
    assert answer[2:5].__geo_interface__["features"] == geojson["features"][2:5]
    assert answer[4:4].__geo_interface__["features"] == []
    # An answer of a box is made in another way.
    boxed = tree.clusters((0, 40, 9, 50), 7, limit=5)
    assert len(boxed.__geo_interface__["features"]) == 5 and len(boxed[:2].__geo_interface__["features"]) == 2
    assert tree.members(answer[0], limit=2).to_pandas().columns.tolist() == ["row", "tree_index", "x", "y"]
    with pytest.raises(AttributeError, match="there is no column 'z'"):
        tree.members(answer[0]).z


def test_geojson_has_aggregates_and_the_columns_of_points():
    columns = {"price": [1.5, 2.5, 3], "max_price": ["a", "b", "c"]}
    tree = treelinemap.build([1, 2, 3], [1, 2, 3], columns=columns, planar=True)
    features = tree.clusters(limit=3, aggregate="max(price)").__geo_interface__["features"]
    told = [(f["properties"]["max_price"], f["properties"]["max_price_"], f["properties"]["index"]) for f in features]
    assert sorted(told) == [(1.5, "a", 0), (2.5, "b", 1), (3, "c", 2)]
    assert sorted(f["geometry"]["coordinates"] for f in features) == [[1, 1], [2, 2], [3, 3]]
    whole, = tree.clusters(limit=1).__geo_interface__["features"]
    assert whole["properties"]["point_count"] == 3 and "max_price" not in whole["properties"]


def test_progress_is_told_and_its_errors_stop_a_build(points):
    calls = []
    treelinemap.build(points["lon"], points["lat"], progress=lambda stage, fraction: calls.append((stage, fraction)))
    assert {stage for stage, _ in calls} == {"projecting", "splitting"}
    assert all(0 <= fraction <= 1 for _, fraction in calls)

    def fail(stage, fraction):
        raise RuntimeError("enough")

    with pytest.raises(RuntimeError, match="enough"):
        treelinemap.build(points["lon"], points["lat"], progress=fail)


def test_a_build_that_its_progress_stopped_leaves_no_monitor(points):
    """A monitor keeps the arrays of its build. Python must collect it, although its callback refers to it."""

    def monitors():
        gc.collect()
        return sum(isinstance(found, Monitor) for found in gc.get_objects())

    def fail(stage, fraction):
        raise LookupError(stage)

    before = monitors()
    for _ in range(3):
        with pytest.raises(LookupError):
            treelinemap.build(points["lon"], points["lat"], progress=fail)
    assert monitors() == before


def test_other_threads_go_on(tree):
    random = np.random.default_rng(3)
    lon, lat = random.uniform(-180, 180, 1_000_000), random.uniform(-80, 80, 1_000_000)
    beats, done = [], threading.Event()

    def beat():
        while not done.is_set():
            beats.append(time.perf_counter())
            time.sleep(0.005)

    thread = threading.Thread(target=beat)
    thread.start()
    start = time.perf_counter()
    treelinemap.build(lon, lat)
    stop = time.perf_counter()
    done.set()
    thread.join()
    within = [beat for beat in beats if start < beat < stop]
    assert len(within) > 10

    def ask():
        for zoom in range(12):
            assert tree.clusters(zoom=zoom, spacing=44, aggregate="median(price)").count.sum() == len(tree)

    threads = [threading.Thread(target=ask) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


@pytest.mark.parametrize("library", ["numpy", "polars"])
def test_an_interrupt_stops_a_build(library):
    # polars also handles signals, so the test runs with it and with numpy.
    pytest.importorskip(library)
    script = f"import {library}" + """
import numpy as np, os, signal, sys, threading, time, treelinemap
# A shell starts background jobs with interrupts ignored.
signal.signal(signal.SIGINT, signal.default_int_handler)
random = np.random.default_rng(3)
lon, lat = random.uniform(-180, 180, 3_000_000), random.uniform(-80, 80, 3_000_000)

def interrupt():
    # Interrupts the build midway, whenever it begins.
    while not any(thread.name == "treeline-build" for thread in threading.enumerate()):
        time.sleep(0.01)
    time.sleep(0.3)
    os.kill(os.getpid(), signal.SIGINT)

threading.Thread(target=interrupt, daemon=True).start()
start = time.process_time()
try:
    treelinemap.build(lon, lat, grow="scatter")
except KeyboardInterrupt:
    print(time.process_time() - start)
    # Another build still works.
    print(len(treelinemap.build(lon[:9], lat[:9])))
"""
    output = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=600, check=True)
    seconds, count = output.stdout.split()
    # The whole build would take a minute of processor time. This does not depend on the load of the machine.
    assert float(seconds) < 20 and count == "9"


def test_import_is_quick():
    # This test only checks that no large module is loaded. scripts/measure/bench-python measures the time.
    script = "import sys, treelinemap; print(*sys.modules)"
    loaded = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True).stdout.split()
    assert not {"pandas", "polars", "pyarrow", "geopandas", "anywidget"} & set(loaded)
