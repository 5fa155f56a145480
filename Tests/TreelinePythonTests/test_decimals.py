"""Checks that the index of decimals is the same, byte for byte, from Parquet, Arrow, pandas, lists and CSV."""

import decimal
import filecmp
import os
import subprocess
import warnings

import numpy as np
import pytest
import treelinemap

pa = pytest.importorskip("pyarrow")
pd = pytest.importorskip("pandas")
pl = pytest.importorskip("polars")
pq = pytest.importorskip("pyarrow.parquet")
pytest.importorskip("pyarrow.csv")

D = decimal.Decimal
EXACT = {
    "money": (pa.decimal128(18, 2), ["1234567890123456.78", "0.01", None, "-5"]),
    "short": (pa.decimal128(10, 2), ["1.10", "2", "-3.05", None]),
    "ten decimals": (pa.decimal128(38, 10), ["123456789.1000000001", "2", None, "-0.5"]),
    # As integers without the point, these numbers need more than 64 bits. Without their zeros, they need fewer.
    "zeros at the end": (pa.decimal128(38, 10), ["1234567890123456.5", "9007199254740993", None, "0"]),
    "the greatest": (pa.decimal128(38, 4), ["92233720368547758.07", "0.01", None, "-92233720368547758.07"]),
    "eighteen decimals": (pa.decimal128(38, 18), ["9.223372036854775807", "-1.000000000000000001", None, "1"]),
    "64 bits": (pa.decimal128(38, 0), ["9223372036854775807", "9007199254740993", None, "1"]),
}
LONG = {
    "ten decimals": (pa.decimal128(38, 10), ["1234567890123.1000000001", "12345678901234567.8", None, "0.5"]),
    "twenty decimals": (pa.decimal128(38, 20), ["0.12345678901234567891", "2", None, "-1.5"]),
    "twenty digits": (pa.decimal128(38, 2), ["9007199254740993.50", "99999999999999999999999999.99", None, "-0.01"]),
}


def table(case):
    type, texts = case
    values = pa.array([None if text is None else D(text) for text in texts], type)
    places = [float(number) for number in range(len(texts))]
    return pa.table({"lon": places, "lat": places, "v": values})


def kept(tree):
    rows = tree.members(tree.root()[0])
    return tree.values("v", rows.tree_index[np.argsort(rows.row)])


def build_csv(table, folder, kind):
    """Builds an index with the tool from the rows as CSV. Returns the path of the index."""
    if "TREELINE_TOOL" not in os.environ:
        pytest.skip("TREELINE_TOOL names no tool")
    pa.csv.write_csv(table, folder / "places.csv")
    tool = [os.environ["TREELINE_TOOL"], "build", folder / "places.csv", "-o", folder / "tool", "--quiet"]
    subprocess.run([*tool, "--columns", f"v:{kind}"], check=True)
    return folder / "tool"


def check(table, folder, kind=None):
    """Checks that the index is the same in all ways to build it."""
    expected, kinds = build_csv(table, folder, kind or "number"), {"v": kind} if kind else None
    pq.write_table(table, folder / "places.parquet")
    for memory in ("1MB", "1GB"):
        options = {"columns": "v", "kinds": kinds, "memory": memory}
        treelinemap.build_parquet(folder / "places.parquet", out=folder / "out", **options)
        assert filecmp.cmp(folder / "out", expected, shallow=False), memory
    places, values = table["lon"].to_pylist(), table["v"].to_pylist()
    for way, columns in {
        "arrow": table["v"], "dictionary": table["v"].combine_chunks().dictionary_encode(), "list": values,
        "pandas": pd.Series(values, dtype=object),
        "pandas with arrow": pd.Series(values, dtype=pd.ArrowDtype(table["v"].type)),
        "polars": pl.from_arrow(table)["v"],
    }.items():  # fmt: skip
        treelinemap.build(places, places, columns={"v": columns}, kinds=kinds).save(folder / "out")
        assert filecmp.cmp(folder / "out", expected, shallow=False), way


@pytest.mark.parametrize("name", EXACT)
def test_decimals_are_exact_if_a_column_of_numbers_can_hold_them(name, tmp_path):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        check(table(EXACT[name]), tmp_path)
    values = [value for value in table(EXACT[name])["v"].to_pylist() if value is not None]
    tree = treelinemap.open(tmp_path / "out")
    for value in values:
        assert len(tree.select(f"v = {value}")) == 1


@pytest.mark.filterwarnings("ignore:column 'v'")
@pytest.mark.parametrize("name", LONG)
def test_longer_decimals_are_the_nearest_doubles(name, tmp_path):
    check(table(LONG[name]), tmp_path)
    texts = LONG[name][1]
    assert str(kept(treelinemap.open(tmp_path / "out")).tolist()) == str([float(text or "nan") for text in texts])


def test_longer_decimals_are_told(tmp_path):
    places = table(LONG["twenty digits"])
    message = "column 'v': the numbers have too many digits for a column of numbers, .* row 0: 9007199254740993.5"
    with pytest.warns(UserWarning, match=message):
        treelinemap.build(places)
    # The numbers of each file would be exact alone.
    for number in range(2):
        pq.write_table(places.slice(number, 1), tmp_path / f"{number}.parquet")
    with pytest.warns(UserWarning, match=message):
        treelinemap.build_parquet(tmp_path, out=tmp_path / "out", columns="v")


def test_decimals_of_several_files_are_those_of_one_table(tmp_path):
    whole = pa.concat_tables([table(EXACT["short"]), table(EXACT["money"])], promote_options="permissive")
    expected = build_csv(whole, tmp_path, "number")
    (tmp_path / "in").mkdir()
    for number, name in enumerate(("short", "money")):
        pq.write_table(table(EXACT[name]), tmp_path / f"in/{number}.parquet")
    treelinemap.build_parquet(tmp_path / "in", out=tmp_path / "out", columns="v")
    assert filecmp.cmp(tmp_path / "out", expected, shallow=False)


@pytest.mark.parametrize("kind", ["text", "category"])
@pytest.mark.parametrize("name", ["short", "money"])
def test_decimals_as_texts_keep_their_zeros(name, kind, tmp_path):
    check(table(EXACT[name]), tmp_path, kind)
    type, texts = EXACT[name]
    spelled = [text and str(D(text).quantize(D("0.01"))) for text in texts]
    assert kept(treelinemap.open(tmp_path / "out")).tolist() == spelled


def test_decimals_are_times_and_booleans():
    seconds = pa.array([D("1714521600.5"), None], pa.decimal128(18, 3))
    found = kept(treelinemap.build([1, 2], [1, 2], columns={"v": seconds}, kinds={"v": "time"}))
    assert found.tolist()[0].isoformat() == "2024-05-01T00:00:00.500000"
    flags = pa.array([D("1.00"), D("0")], pa.decimal128(18, 2))
    found = kept(treelinemap.build([1, 2], [1, 2], columns={"v": flags}, kinds={"v": "boolean"}))
    assert found.tolist() == [True, False]


def test_decimals_can_be_prepared_and_edited():
    first, later = D("0.1"), D("1234567890123456.78")
    frame = pd.DataFrame({"id": [1, 2, 3], "lon": [1.0, 2, 3], "lat": [1.0, 2, 3], "v": [first, None, D(2)]})
    new = pd.DataFrame({"id": [4], "lon": [4.0], "lat": [4.0], "v": [later]})
    together = treelinemap.build(pd.concat([frame, new]), key="id", kinds={"v": "number+percentiles"})
    for tree in (
        treelinemap.build(frame, key="id", kinds={"v": "number+percentiles"}).updating(insert=new),
        treelinemap.build(new, key="id", kinds={"v": "+percentiles"}).updating(insert=frame),
    ):
        assert tree.clusters(limit=1, aggregate="max(v), median(v)")[0].values == together.clusters(
            limit=1, aggregate="max(v), median(v)")[0].values
        assert len(tree.select(f"v = {later}")) == len(tree.select("v = 0.1")) == len(tree.select("v = 2")) == 1
    whole = pd.DataFrame({"id": [5], "lon": [4.0], "lat": [4.0], "v": [2**53 + 1]})
    longer = pd.DataFrame({"id": [6], "lon": [4.0], "lat": [4.0], "v": [D("1234567890123456789012.5")]})
    tree = together.updating(insert=whole)
    assert len(tree.select(f"v = {2**53 + 1}")) == 1
    with pytest.raises(ValueError, match="column 'v', row .* found 9007199254740993"):
        tree.updating(insert=longer)


def test_decimals_inserted_into_another_column():
    def frame(id, value):
        return pd.DataFrame({"id": [id], "lon": [float(id)], "lat": [0.0], "v": pd.Series([value], dtype=object)})

    whole = treelinemap.build(frame(1, 2**53 + 1), key="id").updating(insert=frame(2, D("0.5")))
    assert len(whole.select(f"v = {2**53 + 1}")) == len(whole.select("v = 0.5")) == 1
    with pytest.raises((ValueError, treelinemap.Error), match="inf"):
        treelinemap.build(frame(1, D("0.12345678901234567")), key="id").updating(insert=frame(2, float("inf")))
    texts = treelinemap.build(frame(1, "x"), key="id")
    for number in (D("0.5"), D("0.12345678901234567")):
        with pytest.raises(TypeError, match="column 'v': expected texts, found numbers"):
            texts.updating(insert=frame(2, number))
    with pytest.raises(ValueError, match="column 'v'"):
        treelinemap.build([1, 2], [1, 2], columns={"v": [D("1e350"), D("0.5")]})


def test_whole_numbers_that_such_a_column_does_not_hold_are_refused(tmp_path):
    """The column would be one of doubles, and 2^53 + 1 is not a double."""
    array = pa.array([None, D("99999999999999999999999999.5"), D(2**53 + 1)], pa.decimal128(38, 2))
    places = pa.table({"lon": [1.0, 2, 3], "lat": [1.0, 2, 3], "v": array})
    pq.write_table(places, tmp_path / "whole.parquet")
    (tmp_path / "in").mkdir()
    for number in range(3):
        pq.write_table(places.slice(2 - number, 1), tmp_path / f"in/{number}.parquet")
    for row, build in (
        (2, lambda: treelinemap.build(places)),
        (2, lambda: treelinemap.build(pl.from_arrow(places))),
        (2, lambda: treelinemap.build(places.set_column(2, "v", array.dictionary_encode()))),
        (2, lambda: treelinemap.build_parquet(tmp_path / "whole.parquet", out=tmp_path / "out", columns="v")),
        (0, lambda: treelinemap.build_parquet(tmp_path / "in", out=tmp_path / "out", columns="v")),
    ):
        with pytest.raises(ValueError, match=f"column 'v', row {row}: .* hold exactly, found 9007199254740993;"):
            build()
