"""Checks that wrong calls get a helpful error, and that trees support the usual operations on Python objects."""

import copy
import multiprocessing
import pickle
import subprocess
import sys

import numpy as np
import pandas as pd
import pytest
import treelinemap


@pytest.mark.parametrize(
    ("query", "error", "message"),
    [
        (dict(bbox=(0, 40, 4, None), zoom=7), TypeError, "expected one or more numbers for 'bbox', found None"),
        (dict(bbox={0, 40, 4, 50}, zoom=7), TypeError, "expected one or more numbers for 'bbox'"),
        (dict(bbox={"west": 0}, zoom=7), TypeError, "expected one or more numbers for 'bbox'"),
        (dict(bbox=b"abcd", zoom=7), TypeError, "expected one or more numbers for 'bbox', found b'abcd'"),
        (dict(bbox=(0, 40, 4, 10**400), zoom=7), treelinemap.QueryError, "expected a finite number as the north edge"),
        (dict(bbox=(0, 40, 4, 50), zoom=10**400), treelinemap.ParameterError, "'zoom' must be a number from 0 to 32, found 100"),
        (dict(bbox=(0, 40, 4, 50), zoom="near"), treelinemap.ParameterError, "'zoom' must be a number from 0 to 32, found near"),
        (dict(bbox=(0, 40, 4, 50), zoom=7, after=3), TypeError, "expected 'after' to be an answer of type Clusters, found 3"),
        (dict(limit=3, after=3), TypeError, "expected 'after' to be an answer of type Clusters, found 3"),
        (dict(limit=3, where=3), TypeError, "expected a filter in CQL2 as where=, found a value of type int"),
        (dict(limit=3, aggregate=3), TypeError, "expected one or more texts for 'aggregate', found 3"),
    ],
)
def test_wrong_queries(tree, query, error, message):
    with pytest.raises(error) as raised:
        tree.clusters(**{"spacing": 44, **query} if "bbox" in query else query)
    assert message in str(raised.value)


def test_numbers_as_texts_and_of_other_types_are_taken(tree):
    expected = tree.clusters((0, 40, 4, 50), 7, spacing=44).id.tolist()
    assert tree.clusters(("0", "40", "4", "50"), "7", spacing="44").id.tolist() == expected
    assert tree.clusters("0,40,4,50", 7, spacing=44).id.tolist() == expected
    assert tree.clusters(np.array([0, 40, 4, 50]), np.float32(7), spacing=np.int8(44)).id.tolist() == expected
    # The order of a series counts, not its labels.
    for labels in ([3, 2, 1, 0], list("abcd")):
        assert tree.clusters(pd.Series([0, 40, 4, 50], labels), 7, spacing=44).id.tolist() == expected
    assert len(tree.clusters(limit=5.0)) == 5


def test_a_box_across_the_antimeridian():
    tree = treelinemap.build([179, -179, 0], [1, 1, 1], supporting="spacing")
    assert tree.clusters((170, 0, -170, 2), 5, spacing=44).count.sum() == 2
    assert tree.clusters((-170, 0, 170, 2), 5, spacing=44).row.tolist() == [2]


def test_wrong_arguments_of_other_questions(tree):
    answer = tree.clusters(limit=5)
    for ask, error, message in (
        (lambda: answer[9], IndexError, "expected a position among 5 clusters, found 9"),
        (lambda: answer["mean_price"], KeyError, "there is no column 'mean_price'"),
        (lambda: answer.transition_to(3), TypeError, "expected an answer of type Clusters, found 3"),
        (lambda: tree.members("x"), TypeError, "expected 'id' to be a whole number, found 'x'"),
        (lambda: tree.members(-1), ValueError, "expected 'id' to be a whole number from 0"),
        (lambda: tree.members(12345678), treelinemap.QueryError, "use ids from answers of this tree"),
        (lambda: tree.tree_index("a"), TypeError, "expected 'row' to be a whole number"),
        (lambda: tree.tree_index(2**64), ValueError, "expected 'row' to be a whole number from"),
        (lambda: tree.values(None, [0]), TypeError, "expected a text, found None"),
        (lambda: tree.histogram(None), TypeError, "expected a text, found None"),
        (lambda: tree.values("price", [np.inf]), TypeError, "expected 'tree_indices' to be whole numbers"),
        (lambda: tree.values("price", [2**63]), TypeError, "expected 'tree_indices' to be whole numbers"),
        (lambda: pickle.dumps(answer), TypeError, "an answer belongs to its tree"),
    ):
        with pytest.raises(error) as raised:
            ask()
        assert message in str(raised.value)


def test_members_are_no_more_than_there_are(tree):
    root = tree.root()[0]
    assert len(tree.members(root, limit=2**64).row) == len(tree)
    assert len(tree.members(root, offset=2**64).row) == 0


def test_slices_and_clusters_are_taken(tree):
    answer = tree.clusters(limit=5)
    assert [cluster.id for cluster in answer[1:3]] == answer.id[1:3].tolist()
    assert tree.clusters_with_ids(answer[1:3]).id.tolist() == answer.id[1:3].tolist()
    assert tree.clusters_with_ids(answer.id).id.tolist() == answer.id.tolist()


def asked(tree):
    return tree.content_hash, len(tree), tree.clusters(zoom=6, spacing=44, aggregate="sum(price)")["sum_price"].tolist()


def test_trees_are_pickled(tree):
    chosen = tree.select("kind = 'hotel'")
    for original in (tree, chosen):
        assert asked(pickle.loads(pickle.dumps(original))) == asked(original)
        assert copy.copy(original) is original and copy.deepcopy([original])[0] is original
    answer = tree.clusters(limit=3)
    assert copy.deepcopy(answer) is answer
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        assert pool.apply(asked, (chosen,)) == asked(chosen)


def test_a_forked_process_asks(tree):
    with multiprocessing.get_context("fork").Pool(2) as pool:
        assert pool.map(asked, [tree] * 4) == [asked(tree)] * 4


def test_what_is_missing_is_told():
    script = """
import sys
for name in ("pyarrow", "pandas", "geopandas", "anywidget"):
    sys.modules[name] = None
import treelinemap
tree = treelinemap.build([1, 2], [3, 4])
answer = tree.clusters(limit=1)
parquet = lambda: treelinemap.build_parquet("places.parquet", out="places.treeline")
for convert in (answer.to_arrow, answer.to_pandas, answer.to_geopandas, tree.map, parquet):
    try:
        convert()
    except ImportError as error:
        print(error)
print(tree._repr_mimebundle_()["text/plain"])
"""
    output = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True).stdout
    names = ("pyarrow", "pandas", "geopandas", "anywidget", "pyarrow")
    needed = [f"the package {name} is not installed: pip install {name}" for name in names]
    assert output.splitlines() == [*needed, "<treelinemap.Tree of 2 points, least-scatter>"]


def test_answers_outlive_everything_in_threads(tree):
    # The thread that drops the last reference to an answer frees it.
    from concurrent.futures import ThreadPoolExecutor

    with ThreadPoolExecutor(4) as pool:
        boxes = [(0, 46, 4 + step / 100, 50) for step in range(400)]
        arrays = list(pool.map(lambda box: tree.clusters(box, 7, spacing=44).count, boxes))
    assert all(array.sum() > 0 for array in arrays)


def test_threads_ask_one_tree_with_filters_of_their_own(tree):
    from concurrent.futures import ThreadPoolExecutor

    def ask(number):
        # There are more filters than the cache keeps, so each thread evicts filters of the other threads.
        wheres = [f"rooms < {step * 3}.{number}" for step in range(100)]
        return [tree.clusters(zoom=5, spacing=44, where=where).count.sum() for where in wheres]

    expected = [ask(number) for number in range(32)]
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        with ThreadPoolExecutor(32) as pool:
            assert list(pool.map(ask, range(32))) == expected
    finally:
        sys.setswitchinterval(interval)


def test_groups_are_named(points):
    alone = np.arange(len(points["lon"])) % 100 == 0
    kinds = points["kind"].tolist()
    kinds[7] = None
    tree = treelinemap.build(
        points["lon"], points["lat"], columns={"kind": kinds, "alone": alone}, group_by="kind", never_cluster="alone"
    )
    assert tree.groups["name"].tolist() == ["", "camping", "hostel", "hotel"]
    assert (tree.groups["end"] - tree.groups["first"]).sum() == len(alone) - alone.sum()
    answer = tree.clusters(limit=300)
    for cluster, group in zip(answer, answer.group):
        rows = tree.members(cluster)["row"].tolist()
        assert {kinds[row] or "" for row in rows} == {group} if group is not None else alone[rows].all()
    assert set(answer.group.tolist()) == {"", "camping", "hostel", "hotel", None}
    plain = treelinemap.build(points["lon"], points["lat"])
    assert len(plain.groups["name"]) == 0 and set(plain.clusters(limit=3).group.tolist()) == {None}
