"""Checks which columns and arguments a build from Parquet files accepts, and what its errors say."""

import decimal
import filecmp

import numpy as np
import pytest
import treelinemap

pa = pytest.importorskip("pyarrow")
pq = pytest.importorskip("pyarrow.parquet")


@pytest.mark.parametrize("type", [pa.list_, pa.large_list])
def test_points_may_be_lists_of_two_numbers(type, tmp_path):
    pairs = [[1.0, 2.0], [3.0, 4.0], None, [5.0, None], [7.0, 8.0]]
    for number, rows in enumerate((pairs[:2], pairs)):
        pq.write_table(pa.table({"p": pa.array(rows, type(pa.float64()))}), tmp_path / f"{number}.parquet")
    built = treelinemap.build_parquet(tmp_path / "0.parquet", out=tmp_path / "out", geometry="p")
    treelinemap.build([1.0, 3.0], [2.0, 4.0]).save(tmp_path / "expected")
    assert built.point_count == 2 and filecmp.cmp(tmp_path / "out", tmp_path / "expected", shallow=False)
    with pytest.warns(UserWarning, match="2 rows are not in"):
        built = treelinemap.build_parquet(tmp_path / "1.parquet", out=tmp_path / "out", geometry="p", skip_invalid=True)
    assert [place.row for place in built.refused] == [2, 3] and built.point_count == 3


@pytest.mark.parametrize("type", [pa.list_, pa.large_list])
@pytest.mark.parametrize("point", [[], [1.0], [1.0, 2.0, 3.0]])
def test_points_of_other_than_two_numbers_are_refused(point, type, tmp_path):
    pq.write_table(pa.table({"p": pa.array([[1.0, 2.0], None, point], type(pa.float64()))}), tmp_path / "a.parquet")
    for skip_invalid in (False, True):
        options = {"geometry": "p", "skip_invalid": skip_invalid}
        message = f"column 'p', row 2: expected a list of two numbers, found {len(point)}; make lists of x and y"
        with pytest.raises(ValueError, match=message):
            # Row 1 is missing, so the build would stop there without this error.
            treelinemap.build_parquet(tmp_path / "a.parquet", out=tmp_path / "out", **options)


@pytest.mark.parametrize("memory", [1.5, float("nan"), float("inf"), b"2GB", [1], "1.5", "much", "nan", "infGB", ""])
def test_memory_is_a_whole_number_of_bytes(memory, tmp_path):
    pq.write_table(pa.table({"lon": [1.0], "lat": [2.0]}), tmp_path / "a.parquet")
    message = "expected memory= to be a number of bytes, such as 2000000000 or '2GB', found"
    with pytest.raises((TypeError, ValueError), match=message):
        treelinemap.build_parquet(tmp_path / "a.parquet", out=tmp_path / "out", memory=memory)


@pytest.mark.parametrize("memory", [10**8, 1e8, np.int32(10**8), "100MB", "0.1 GB", "100000000", "1e8", "96MiB", None])
def test_memory_may_have_a_unit(memory, tmp_path):
    pq.write_table(pa.table({"lon": [1.0], "lat": [2.0]}), tmp_path / "a.parquet")
    assert treelinemap.build_parquet(tmp_path / "a.parquet", out=tmp_path / "out", memory=memory).point_count == 1


@pytest.mark.parametrize("array, words", [
    (pa.array([1], pa.time32("ms")), "times of day"), (pa.array([1], pa.time64("ns")), "times of day"),
    (pa.array([1], pa.duration("s")), "durations"), (pa.array([(1, 2, 3)], pa.month_day_nano_interval()), "intervals"),
    (pa.array([decimal.Decimal(1)], pa.decimal256(76, 0)), "decimals of 256 bits"),
    (pa.array([b"ab"], pa.binary(2)), "binary of a fixed size"), (pa.array([b"ab"], pa.binary_view()), "binary"),
    (pa.array([[1]], pa.list_view(pa.int32())), "lists"), (pa.array([[1]], pa.large_list_view(pa.int32())), "lists"),
    (pa.array([[1]], pa.list_(pa.int32(), 1)), "lists"),
    (pa.array([[("a", 1)]], pa.map_(pa.string(), pa.int32())), "maps"),
    (pa.RunEndEncodedArray.from_arrays(pa.array([1], pa.int32()), pa.array([1])), "run-end encoded values"),
    (pa.UnionArray.from_sparse(pa.array([0], pa.int8()), [pa.array([1])]), "unions"),
], ids=str)  # fmt: skip
def test_types_are_named_in_errors(array, words):
    message = f"column 'v': expected numbers, booleans, dates, timestamps or texts, found {words}; convert or leave out"
    with pytest.raises(TypeError, match=message):
        treelinemap.build([1], [1], columns={"v": array})


def test_types_of_coordinates_are_named_in_errors():
    for array, words in (
        (pa.array([1], pa.timestamp("ms")), "timestamps"), (pa.array([1], pa.date32()), "dates"),
        (pa.array([1.5]).dictionary_encode(), "a dictionary of numbers"), (pa.array([True]), "booleans"),
    ):  # fmt: skip
        with pytest.raises(TypeError, match=f"x: expected numbers, found {words}"):
            treelinemap.build(array, [1])


def test_whole_numbers_beyond_64_bits_are_refused(tmp_path):
    """CSV would keep them as doubles. But such numbers are probably ids, which must not change silently."""
    expected = (
        r"column 'v', row 1: expected only whole numbers from -2\^63 to 2\^63 - 1, or only numbers that floats hold "
        "exactly, found 18446744073709551615; convert"
    )
    places = pa.table({"lon": [1.0, 2, 3], "lat": [1.0, 2, 3]})
    for array in (pa.array([1, 2**64 - 1, 5], pa.uint64()), pa.array([1, 2**64 - 1, 5], pa.decimal128(20, 0))):
        pq.write_table(places.append_column("v", array), tmp_path / "a.parquet")
        for build in (
            lambda: treelinemap.build_parquet(tmp_path / "a.parquet", out=tmp_path / "out", columns="v"),
            lambda: treelinemap.build(places.append_column("v", array)),
        ):
            with pytest.raises(ValueError, match=expected):
                build()


def test_single_floats_keep_the_value_that_arrow_gives_them(tmp_path):
    pq.write_table(pa.table({"lon": [1.0], "lat": [2.0], "v": pa.array([0.1], pa.float32())}), tmp_path / "a.parquet")
    tree = treelinemap.build_parquet(tmp_path / "a.parquet", out=tmp_path / "out", columns="v").open()
    assert tree.values("v", [0]).tolist() == [float(np.float32(0.1))] != [0.1]


def test_times_have_the_kind_time_only(tmp_path):
    times = pa.array([0], pa.timestamp("ms"))
    pq.write_table(pa.table({"lon": [1.0], "lat": [2.0], "v": times}), tmp_path / "a.parquet")
    for kind in ("time-ms", "text", "category"):
        with pytest.raises(treelinemap.ArgumentError, match="expected the kind 'time' .*, found"):
            treelinemap.build_parquet(tmp_path / "a.parquet", out=tmp_path / "out", columns="v", kinds={"v": kind})
