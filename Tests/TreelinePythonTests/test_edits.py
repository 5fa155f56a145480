"""Tests edits: each tree must equal a tree that is built from the points after the edit, sorted by key."""

import itertools

import numpy as np
import pandas as pd
import pytest
import treelinemap
from trials import trials

SEED = 46

#: Coordinates that are difficult to cluster: stacks, rows, a lattice, the antimeridian, poles, and extremes of scale.
PLACES = {
    "towns": lambda random, n: random.normal([[2.3, 48.9], [-0.1, 51.5], [13.4, 52.5]], 0.1, (n, 3, 2))[
        np.arange(n), random.integers(0, 3, n)
    ],
    "stacks": lambda random, n: random.integers(0, 3, (n, 2)).astype(float),
    "one stack": lambda random, n: np.full((n, 2), 7.0),
    "a row": lambda random, n: np.column_stack([random.uniform(0, 1, n), np.full(n, 5.0)]),
    "a lattice": lambda random, n: random.integers(0, 12, (n, 2)) / 4,
    "antimeridian": lambda random, n: np.column_stack(
        [(random.normal(0, 1, n) + 360) % 360 - 180, random.normal(0, 1, n)]
    ),
    "poles": lambda random, n: np.column_stack([random.uniform(-180, 180, n), random.choice([-90, -86, 86, 90], n)]),
    "scales": lambda random, n: 10.0 ** -random.uniform(0, 7, (n, 2)),
}

GROWTHS = ({"grow": "badges"}, {"grow": "merge"}, {"grow": "merge", "anchor": "member"}, {"grow": "scatter"}, {})


def frame_of(places, keys, random):
    """Returns points with columns of every type, some of whose values are missing."""
    n = len(keys)
    points = places(random, n)
    present = random.random(n) < 0.9
    return pd.DataFrame(
        {
            "id": keys,
            "lon": points[:, 0],
            "lat": points[:, 1],
            "rooms": random.integers(-5, 90, n),
            "price": np.where(present, np.round(random.uniform(0, 99, n), 2), np.nan),
            "open": random.random(n) < 0.5,
            "name": [f"n{random.integers(0, 500)}é" if each else None for each in present],
            "kind": pd.Categorical(random.choice(["inn", "bar", "camp"], n), ["bar", "camp", "inn"]),
            "since": pd.to_datetime(random.integers(0, 2**31, n), unit="s").where(present),
        }
    )


def same(tree, frame, tmp_path, **options):
    """Checks that a tree equals a build of a frame, sorted by key, to the byte."""
    fresh = treelinemap.build(frame.sort_values("id", ignore_index=True), key="id", **options)
    tree.save(tmp_path / "updated.treeline")
    fresh.save(tmp_path / "fresh.treeline")
    assert (tmp_path / "updated.treeline").read_bytes() == (tmp_path / "fresh.treeline").read_bytes()
    assert tree.keys.tolist() == sorted(frame["id"])


@pytest.mark.parametrize("set", PLACES)
def test_edited_trees_equal_fresh_builds(set, tmp_path, request):
    places, options = PLACES[set], GROWTHS[list(PLACES).index(set) % len(GROWTHS)]
    for trial in range(trials(20)):
        seed = [SEED, trial, list(PLACES).index(set)]
        random = np.random.default_rng(seed)
        key = (lambda number: f"k{number}") if trial % 2 else int
        # Enough points for a merge around an edit, or so few that trees become empty.
        count = int(random.choice([0, 1, 7, 300, 4000]))
        every = itertools.count()
        numbers = random.permutation(count) if trial % 3 else np.arange(count)
        make = lambda n: frame_of(places, [key(2 * next(every) % 9973) for _ in range(n)], random)
        frame = make(count)
        frame["id"] = [frame["id"][number] for number in numbers] if count else frame["id"]
        if count == 0:
            frame = make(1).iloc[:0]
        tree = treelinemap.build(frame, key="id", **options)
        for step in range(4):
            ids = list(frame["id"])
            few = random.permutation(len(ids))[: random.integers(0, 5)]
            cut = random.integers(0, len(few) + 1)
            removed, changed = [ids[at] for at in few[:cut]], [ids[at] for at in few[cut:]]
            moved, inserted = frame_of(places, changed, random), make(random.integers(0, 4))
            only = ["id", "lon", "lat", "price"]
            some = moved[only] if step % 2 else moved
            tree = tree.updating(
                insert=inserted if len(inserted) else None,
                remove=removed or None,
                move=some.sample(frac=1, random_state=step) if len(some) else None,
            )
            frame = frame[~frame["id"].isin(removed)].set_index("id")
            for name in some.columns.drop("id"):
                for row, value in zip(some["id"], some[name]):
                    frame.loc[row, name] = value
            frame = frame.reset_index()
            parts = [part for part in (frame, inserted) if len(part)]
            frame = pd.concat(parts, ignore_index=True) if parts else frame
            assert len(tree) == len(frame), f"seed {seed}, step {step}"
            try:
                same(tree, frame, tmp_path, **options)
            except AssertionError:
                raise AssertionError(f"seed {seed}, step {step}, {set}, {count} points, {options}") from None


def test_plain_planes_and_arrays_are_edited_too(tmp_path):
    random = np.random.default_rng(SEED)
    keys, x, y = np.arange(3000), random.uniform(0, 9e5, 3000), random.uniform(0, 9e5, 3000)
    options = {"planar": True, "grow": "badges"}
    tree = treelinemap.build(x, y, key=keys, **options)
    move, insert = {"key": [9], "x": [5e5], "y": [4e5]}, {"key": [5000], "x": [1.0], "y": [2.0]}
    tree = tree.updating(remove=7, move=move, insert=insert)
    x[9], y[9] = 5e5, 4e5
    x, y = np.append(np.delete(x, 7), 1), np.append(np.delete(y, 7), 2)
    assert tree.content_hash == treelinemap.build(x, y, **options).content_hash
    # The greatest x belongs to another point now, so the square of the plane changes.
    far = int(x.argmax())
    tree = tree.updating(remove=[tree.keys[far]])
    x, y = np.delete(x, far), np.delete(y, far)
    assert tree.content_hash == treelinemap.build(x, y, **options).content_hash


def test_keys_may_be_the_index_of_a_frame_and_frames_of_any_kind(tmp_path):
    polars, arrow = pytest.importorskip("polars"), pytest.importorskip("pyarrow")
    frame = pd.DataFrame({"lon": [1.0, 2, 3], "lat": [1.0, 2, 3], "n": [1, 2, 3]}, index=["a", "b", "c"])
    tree = treelinemap.build(frame, key=frame.index)
    later = tree.updating(move=pd.DataFrame({"lon": [5.0], "lat": [5.0], "n": [7]}, index=["b"]))
    assert later.values("n", [later.tree_index(1)]).tolist() == [7]
    assert tree.values("n", [tree.tree_index(1)]).tolist() == [2]
    table = {"key": ["aa"], "lon": [4.0], "lat": [4.0], "n": [9]}
    for one in (table, pd.DataFrame(table), polars.DataFrame(table), arrow.table(table)):
        found = later.updating(insert=one)
        assert found.keys.tolist() == ["a", "aa", "b", "c"]
        assert found.values("n", [found.tree_index(row) for row in range(4)]).tolist() == [1, 9, 7, 3]


def test_a_tree_keeps_its_own_copies(tmp_path):
    x, y, n = np.arange(9.0), np.arange(9.0), np.arange(9)
    tree = treelinemap.build(x, y, columns={"n": n}, key=np.arange(9))
    expected = treelinemap.build(x, y, columns={"n": n}, key=np.arange(9)).updating(remove=[0])
    x[:], y[:], n[:] = 0, 0, 0
    found = tree.updating(remove=[0])
    found.save(tmp_path / "a"), expected.save(tmp_path / "b")
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()


def test_filters_and_masks_do_not_stay():
    frame = pd.DataFrame({"id": range(9), "lon": np.arange(9.0), "lat": np.arange(9.0), "n": range(9)})
    tree = treelinemap.build(frame, key="id")
    assert len(tree.select("n > 5").updating(remove=[0])) == len(tree.select(frame.n > 5).updating(remove=[8])) == 8
    assert len(tree.updating(remove={8, 7})) == len(tree.updating(remove=dict.fromkeys([8, 7]).keys())) == 7
    assert len(tree.updating()) == 9 and tree.updating(remove=[]).content_hash == tree.content_hash


FRAME = pd.DataFrame({"id": [3, 5, 9], "lon": [1.0, 2, 3], "lat": [1.0, 2, 3], "n": [1, 2, 3], "name": ["a", "b", "c"]})


@pytest.mark.parametrize(
    "edit, error, message",
    [
        ({"remove": [4]}, treelinemap.EditError, "no point of the tree has the key 4"),
        ({"remove": [99]}, treelinemap.EditError, "the key 99"),
        ({"remove": [3, 3]}, treelinemap.EditError, "expected each key once in an edit, found 3 twice"),
        ({"remove": 3, "move": FRAME[:1]}, treelinemap.EditError, "found 3 twice"),
        ({"remove": "a"}, treelinemap.EditError, "expected keys of the same type as the tree's key 3, found 'a'"),
        ({"remove": [1.5]}, TypeError, "expected keys that are texts or whole numbers"),
        ({"insert": FRAME[1:2]}, treelinemap.EditError, "expected a key that is not in the tree, found 5"),
        ({"move": FRAME.assign(id=4)[:1]}, treelinemap.EditError, "the key 4"),
        ({"move": FRAME.assign(lat=91)[:1]}, treelinemap.EditError, "point 3: expected a longitude .* found 1.0, 91"),
        ({"insert": FRAME.assign(id=4, lon=np.nan)[:1]}, treelinemap.EditError, "point 4: .* found nan"),
        ({"insert": FRAME.drop(columns="n")}, KeyError, "there is no column 'n'"),
        ({"insert": FRAME.drop(columns="id")}, KeyError, "no column 'id' with the keys of points; columns: 'lon'"),
        ({"move": FRAME.drop(columns="lon")}, KeyError, "move: "),
        ({"move": FRAME[["id", "n"]]}, KeyError, "move: expected columns named longitude .*, found 'id', 'n'"),
        ({"move": {"id": [3], "n": [7]}}, KeyError, "move: expected columns named longitude .*, found 'id', 'n'"),
        ({"insert": FRAME.assign(id=4, n="x")[:1]}, TypeError, "column 'n': expected whole numbers, found texts"),
        ({"insert": FRAME.assign(id=4, name=7)[:1]}, TypeError, "column 'name': expected texts, found whole numbers"),
        ({"insert": FRAME.assign(id=4, m=1, o=2)}, KeyError, "insert: the tree has no column 'm', 'o'; leave out .* columns: 'id', 'n', 'name'"),
        ({"move": FRAME.assign(m=1)}, KeyError, "move: the tree has no column 'm'"),
        ({"insert": 3}, TypeError, "expected columns as a mapping or a table"),
    ],
)
def test_edits_that_fail_change_nothing(edit, error, message):
    tree = treelinemap.build(FRAME, key="id")
    before = tree.content_hash
    with pytest.raises(error, match=message):
        tree.updating(**edit)
    assert tree.content_hash == before and tree.keys.tolist() == [3, 5, 9]


def test_a_table_may_have_columns_that_the_build_left_out():
    tree = treelinemap.build(FRAME, columns=["n"], key="id")
    tree = tree.updating(insert=FRAME.assign(id=4)[:1])
    assert tree.columns == {"n": "number"}
    with pytest.raises(KeyError, match="the tree has no column 'm'"):
        tree.updating(insert=FRAME.assign(id=6, m=1)[:1])


def test_a_guess_is_told():
    tree = treelinemap.build([1.0, 2], [1.0, 2], key=["a", "b"])
    with pytest.warns(UserWarning, match="move: 'n' is read as longitude and 'm' as latitude"):
        tree.updating(move=pd.DataFrame({"n": [5.0], "m": [6.0]}, index=["b"]))


def test_trees_without_keys_cannot_be_edited(tmp_path):
    tree = treelinemap.build(FRAME)
    assert tree.keys is None
    tree.save(tmp_path / "tree")
    for one in (tree, treelinemap.open(tmp_path / "tree")):
        with pytest.raises(treelinemap.EditError, match="built with key="):
            one.updating(remove=[3])
    for options, error, message in (
        ({"key": "ids"}, KeyError, "no column 'ids' for key=; columns: 'id', "),
        ({"key": [1, 2]}, ValueError, "expected 3 keys, one for each point, found 2"),
        ({"key": [1, 1, 2]}, treelinemap.EditError, "expected points with different keys, found 1 twice"),
        ({"key": [1, None, 2]}, TypeError, "found a missing key in row 1"),
        ({"key": pd.MultiIndex.from_product([["a"], [1, 2, 3]])}, TypeError, "found a MultiIndex; pass one of its levels"),
        ({"key": "id", "group_by": "name"}, ValueError, "a tree with groups cannot be edited"),
    ):
        with pytest.raises(error, match=message):
            treelinemap.build(FRAME, **options)
