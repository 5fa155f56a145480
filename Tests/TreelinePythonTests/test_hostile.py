"""Passes unusual values everywhere. Each call must end with a right answer or with an exception."""

import itertools
import math

import numpy as np
import pytest
import treelinemap

SEED = 20260501
INTEGERS = [0, -1, 1, 2**31, 2**32, 2**53, 2**53 + 1, 2**63 - 1, 2**63, 2**64, -(2**63), -(2**63) - 1, 10**400]
FLOATS = [0.0, -0.0, -1.5, 2.0**31, 2.0**53, 2.0**63, 1e300, math.nan, math.inf, -math.inf]
OTHERS = [None, "", "x", "1e999", "\0", "\ud800", b"\xff", True, [], {}, (), [1, 2], object(), 1j, slice(None)]
VALUES = [*INTEGERS, *FLOATS, *OTHERS]
#: Exceptions that a call may raise. A crash is never allowed, and neither are exceptions that only a bug in the library
#: causes.
EXPECTED = (TypeError, ValueError, KeyError, OverflowError, IndexError, treelinemap.Error)


def ends(call, *arguments, **named):
    try:
        return call(*arguments, **named)
    except EXPECTED:
        return None


@pytest.fixture(scope="module")
def answer(tree):
    return tree.clusters(limit=9)


def test_calls_of_one_value(tree, answer):
    calls = [
        tree.members,
        tree.hull,
        tree.children,
        tree.parent,
        tree.tree_index,
        tree.select,
        tree.histogram,
        answer.find,
        answer.aggregate,
        answer.transition_to,
        answer.__getitem__,
        lambda value: tree.clusters_with_ids([value, value]),
        lambda value: tree.clusters_with_ids(value),
        lambda value: tree.values("price", [value]),
        lambda value: tree.values("price", value),
        lambda value: tree.values(value, [0]),
        lambda value: tree.histogram("price", bins=value),
        lambda value: tree.histogram("price", bbox=(value, value, value, value), zoom=value),
        lambda value: tree.expansion_zoom(value, spacing=44),
        lambda value: tree.expansion_zoom(answer[0], spacing=value),
        lambda value: tree.unclustered_zoom(value, spacing=44),
        lambda value: tree.members(answer[0], offset=value, limit=value),
        lambda value: tree.clusters(value, value, spacing=44),
        lambda value: tree.clusters(limit=value),
        lambda value: tree.clusters(zoom=value, spacing=value),
        lambda value: tree.clusters(limit=3, where=value),
        lambda value: tree.clusters(limit=3, aggregate=value),
        lambda value: tree.clusters(limit=3, aggregate=f"percentile(price, {value!r})"),
        lambda value: tree.clusters(limit=3, after=value),
    ]
    for call, value in itertools.product(calls, VALUES):
        ends(call, value)
    # The answer is the same as before the calls.
    assert tree.clusters(limit=9).id.tolist() == answer.id.tolist()


def test_columns_come_back_as_they_were_or_are_refused():
    random = np.random.default_rng(SEED)
    pool = [*INTEGERS, *FLOATS, None, True, "x", ""]
    for number in range(400):
        count = int(random.integers(1, 5))
        values = [pool[place] for place in random.integers(0, len(pool), count)]
        tree = ends(treelinemap.build, range(count), range(count), columns={"v": values})
        if tree is None:
            continue
        found = in_order(tree)
        for value, other in zip(values, found.tolist()):
            is_missing = other is None or other != other
            wanted_missing = value is None or value != value
            message = f"seed {SEED}, {number}: {values} became {found!r}"
            assert is_missing == wanted_missing, message
            assert is_missing or other == value, message


def in_order(tree):
    rows = tree.members(tree.root()[0])
    return tree.values("v", rows["tree_index"])[np.argsort(rows["row"])]


@pytest.mark.parametrize(
    ("values", "dtype"),
    [
        ([2**53 + 1, 2**63 - 1, -(2**63) + 1], np.int64),
        ([1, 2, 3], np.int64),
        ([1, None, 3], np.float64),
        ([2**53 + 1, None, 3], object),
        ([1.5, None, 2.0], np.float64),
    ],
)
def test_whole_numbers_are_exact(values, dtype):
    tree = treelinemap.build([0, 1, 2], [0, 1, 2], columns={"v": values})
    found = in_order(tree)
    assert found.dtype == dtype
    assert [None if value != value else value for value in found.tolist()] == values
    greatest = tree.clusters(limit=3, aggregate="max(v), sum(v)")
    wanted = [value for value in values if value is not None]
    present = [value for value in greatest["max_v"].tolist() if value is not None and value == value]
    assert sorted(present) == sorted(wanted)
    assert sum(greatest["sum_v"].tolist()) == sum(wanted)


def test_missing_whole_numbers_are_exported():
    pyarrow = pytest.importorskip("pyarrow")
    tree = treelinemap.build([0, 1, 2], [0, 1, 2], columns={"v": [2**53 + 1, None, 3]})
    table = tree.clusters(limit=3, aggregate="max(v)").to_arrow()
    assert table["max_v"].type == pyarrow.int64()
    assert sorted(table["max_v"].drop_null().to_pylist()) == [3, 2**53 + 1]


@pytest.mark.parametrize("value", [math.inf, -math.inf])
@pytest.mark.parametrize("type", ["f4", "f8", ">f8", object])
def test_infinity_is_refused(value, type):
    with pytest.raises(treelinemap.Error, match="finite"):
        treelinemap.build([0, 1], [0, 1], columns={"v": np.array([1, value], type)})


@pytest.mark.parametrize("value", [2**64 - 1, 2**64 + 1, 10**400])
def test_whole_numbers_that_nothing_keeps_are_refused(value):
    with pytest.raises(ValueError, match="column 'v', row 1"):
        treelinemap.build([0, 1], [0, 1], columns={"v": [1, value]})


def test_arrays_of_any_kind_and_shape():
    random = np.random.default_rng(SEED)
    base = np.arange(24.0).reshape(2, 3, 4)
    arrays = [base, base[0], base[0, 0], base[:, 0, 0], base[0, ::-1, 0], base[0, ::2, 0], base[:0], np.float64(3)]
    for dtype in ("i1", "u8", ">i8", "f2", "f4", ">f8", "c16", "?", "M8[s]", "m8[s]", "U3", "S3", "O", "V4"):
        array = np.zeros(4, dtype)
        array.flags.writeable = False
        arrays += [array, array[::2], array[::-1], array[:0]]
    broadcast = np.broadcast_to(np.array([1.5]), 4)
    arrays += [broadcast, np.ma.array([1, 2, 3, 4], mask=[0, 1, 0, 1]), np.ma.masked_all(4), [[1], [2, 3]], range(4)]
    for x, y in zip(arrays, random.permutation(len(arrays))):
        ends(treelinemap.build, x, arrays[y])
    for values in arrays:
        ends(treelinemap.build, [0, 1, 2, 3], [0, 1, 2, 3], columns={"v": values})
        ends(treelinemap.build, values)
    # The values are the same in every memory layout.
    numbers = random.integers(-(2**62), 2**62, 4)
    wide = np.zeros((4, 3), ">i8")
    wide[:, 1] = numbers
    for values in (numbers, numbers[::-1].copy()[::-1], wide[:, 1], numbers.astype(object), numbers.tolist()):
        tree = treelinemap.build([0, 1, 2, 3], [0, 1, 2, 3], columns={"v": values})
        assert in_order(tree).tolist() == numbers.tolist()


def test_builds_of_any_value():
    for value in VALUES:
        ends(treelinemap.build, [value, 1], [2, 3])
        ends(treelinemap.build, [1, 2], [value, 3], planar=True)
        ends(treelinemap.build, value, value)
        ends(treelinemap.build, [1, 2], [2, 3], columns=value)
        ends(treelinemap.build, [1, 2], [2, 3], columns={"v": value})
        ends(treelinemap.build, [1, 2], [2, 3], columns={value if isinstance(value, str) else str(value)[:9]: [1, 2]})
        ends(treelinemap.build, [1, 2], [2, 3], threads=value if not isinstance(value, int) or value < 64 else -1)
        ends(treelinemap.build, [1, 2], [2, 3], split=value)
