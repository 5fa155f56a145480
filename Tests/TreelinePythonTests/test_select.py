"""Checks that a mask of rows selects points in the same way as a filter, and that filters can be added to a mask."""

import pickle

import numpy as np
import pytest
import treelinemap

pa = pytest.importorskip("pyarrow")
pd = pytest.importorskip("pandas")
pl = pytest.importorskip("polars")


@pytest.fixture(scope="module")
def mask(points):
    return (points["kind"] == "hotel") & (points["rooms"] < 200)


def test_a_mask_is_a_filter(tree, mask):
    expected = tree.select("kind = 'hotel' AND rooms < 200")
    tried = 0
    for given in (
        mask, mask.tolist(), mask.astype(object), pd.Series(mask), pd.Series(mask, index=range(len(mask), 0, -1)),
        pd.Series(mask, dtype="boolean"), pl.Series(mask), pa.array(mask), pa.chunked_array([mask[:9], mask[9:]]),
        np.repeat(mask, 2)[::2],
    ):  # fmt: skip
        selected = tree.select(given)
        assert len(selected) == mask.sum() and selected.bounds == expected.bounds
        query = dict(zoom=6, spacing=44, aggregate="sum(price), median(rooms)")
        found, wanted = selected.clusters(**query), expected.clusters(**query)
        for name in ("id", "count", "x", "y", "radius", "sum_price", "median_rooms"):
            assert found[name].tolist() == wanted[name].tolist()
        assert selected.members(found[0])["row"].tolist() == expected.members(wanted[0])["row"].tolist()
        tried += 1
    assert tried == 10
    before = tree.clusters(zoom=6, spacing=44)
    change = before.transition_to(selected.clusters(zoom=6, spacing=44))
    gone = before.count[change.from_place[change.change == treelinemap.Transition.EXITED]].sum()
    assert change.filtered_out.sum() + gone == (~mask).sum() and change.filtered_in.sum() == 0


def test_a_mask_as_where_is_an_error(tree, mask):
    for where in (mask, mask.tolist(), 5):
        with pytest.raises(TypeError, match=r"a filter in CQL2 as where=, found a value of type \w+; a mask selects"):
            tree.clusters(zoom=3, limit=9, where=where)


def test_filters_are_added_to_a_mask(tree, mask, points):
    masked, cheap = tree.select(mask), points["price"] < 100
    answer = masked.clusters(limit=9, where="price < 100")
    assert answer.count.sum() == (mask & cheap).sum() == len(answer.tree)
    assert answer.tree.clusters(limit=9, where="open = TRUE").count.sum() == (mask & cheap & points["open"]).sum()
    labels = answer.labels
    assert ((labels >= 0) == (mask & cheap)).all()
    # A new selection replaces the previous selection.
    assert len(masked.select("price < 100")) == cheap.sum()
    assert len(tree.select("price < 100").select(mask)) == mask.sum()
    assert len(masked.select(~mask)) == (~mask).sum()
    assert len(masked.select(None)) == len(answer.tree.select(None)) == len(tree)
    for price in range(30, 60):
        assert (
            masked.clusters(limit=3, where=f"price < {price}").count.sum() == (mask & (points["price"] < price)).sum()
        )
    assert len(masked._filtered) == 8


def test_a_filter_adds_to_that_of_the_tree(tree, points):
    few = tree.select("rooms < 100")
    answer = few.clusters(limit=9, where="kind = 'hotel'")
    assert answer.count.sum() == ((points["rooms"] < 100) & (points["kind"] == "hotel")).sum()
    with pytest.raises(treelinemap.FilterError) as raised:
        few.clusters(limit=9, where="open")
    assert str(raised.value).splitlines()[1].strip() == "open"


@pytest.mark.parametrize("where", ["rooms < 1) OR (rooms >= 0", ")", ""])
def test_a_filter_cannot_end_that_of_the_tree(tree, where):
    few = tree.select("rooms < 100")
    for _ in range(2):
        with pytest.raises(treelinemap.FilterError):
            few.clusters(limit=9, where=where)


def test_a_mask_is_pickled_and_not_saved(tree, mask, tmp_path):
    masked = tree.select(mask)
    for selected in (masked, masked.clusters(limit=1, where="price < 100").tree):
        again = pickle.loads(pickle.dumps(selected))
        assert len(again) == len(selected) and again.row_count == 5000
        assert again.clusters(limit=9).id.tolist() == selected.clusters(limit=9).id.tolist()
    masked.save(tmp_path / "masked")
    tree.save(tmp_path / "whole")
    assert (tmp_path / "masked").read_bytes() == (tmp_path / "whole").read_bytes()
    with pytest.raises(ValueError, match="a page shows all points"):
        masked.to_html(tmp_path / "map.html")


def test_masks_of_an_opened_index_reach_its_rows(tree, mask, tmp_path):
    tree.save(tmp_path / "tree")
    opened = treelinemap.open(tmp_path / "tree")
    assert len(opened.select(mask)) == mask.sum()
    # The index does not know whether rows without a place followed its last row. So a mask may be longer than its rows.
    assert len(opened.select([*mask.tolist(), True])) == mask.sum()
    with pytest.raises(ValueError, match="expected a mask of at least 5000 entries, .* found 4999"):
        opened.select(mask[1:])


def test_masks_of_other_rows(points):
    empty = treelinemap.build([], [])
    assert len(empty.select([])) == 0
    with pytest.warns(UserWarning):
        gaps = treelinemap.build({"lon": [1.0, None, 3.0, 999.0], "lat": [1.0, 2.0, 3.0, 4.0]}, skip_invalid=True)
    assert len(gaps.select([True, True, False, True])) == 1
    groups = treelinemap.build(
        points["lon"], points["lat"], columns={"kind": points["kind"], "alone": points["rooms"] < 9},
        group_by="kind", never_cluster="alone",
    )  # fmt: skip
    chosen = points["rooms"] < 100
    answer = groups.select(chosen).clusters(limit=5000)
    assert answer.count.sum() == chosen.sum() and groups.row_count == 5000
    with pytest.raises(treelinemap.QueryError, match="a tree with groups has no root"):
        groups.root()


@pytest.mark.parametrize(
    ("mask", "error", "message"),
    [
        ([True] * 4999, ValueError, "expected a mask of 5000 entries, one for each row of the input, found 4999"),
        ([True] * 5001, ValueError, "found 5001"),
        ([1] * 5000, TypeError, "expected a mask of booleans, True or False for each row, found an array of int64"),
        ([True, None] * 2500, TypeError, "found None in row 1"),
        (pd.Series([True, None] * 2500, dtype="boolean"), TypeError, "found a missing value in row 1"),
        (pa.array([True, None]), TypeError, "found a missing value in row 1"),
        (pa.array(["a"]), TypeError, "found StringArray"),
        ([[True]], TypeError, r"found an array of bool with shape \(1, 1\)"),
        (3, TypeError, "expected a mask of booleans"),
    ],
)
def test_what_is_no_mask_is_told(tree, mask, error, message):
    with pytest.raises(error, match=message):
        tree.select(mask)
