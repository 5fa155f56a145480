"""Checks that faulty arguments and values are reported, and that no index is left behind."""

import pyarrow.parquet as pq
import pytest
import treelinemap
import treelinemap.spark


@pytest.fixture(scope="session")
def rows(spark):
    return spark.range(100).selectExpr(
        "id", "CAST(id AS DOUBLE) AS lon", "0.0 AS lat", "id - 1 AS before", "id % 50 AS half",
        "IF(id = 70, NULL, id) AS some", "IF(id = 70, NULL, lon) AS somewhere", "unhex('0101') AS wkb",
        "IF(id = 71, CAST('Infinity' AS DOUBLE), 1.5D) AS price",
        "CAST(id + 9007199254740993 AS DECIMAL(38, 0)) AS number",
        "CAST(id + 100000000000000000001 AS DECIMAL(38, 0)) AS huge")


@pytest.mark.parametrize("words, arguments", [
    ("found -1", {"row": "before"}), ("'long'", {"lon": "long"}), ("'size'", {"columns": ["size"]}),
    ("different names", {"columns": ["id", "id"]}), ("'size'", {"columns": ["id"], "kinds": {"size": "number"}}),
    ("mount this folder", {"scratch": "s3://bucket/folder"}),
    ("column 'half': expected a different row number for each point, found 0 twice", {"row": "half", "piece_size": 17}),
    ("column 'some': expected row numbers from 0 to 2^53, found a missing value", {"row": "some"}),
    ("column \"price\", row 71", {"columns": "price", "row": "id", "lon": "somewhere"}),
    ("of the DataFrame: column \"price\", row", {"columns": "price"}),
    ("column 'huge', row 0: expected only whole numbers from -2^63", {"columns": "huge", "row": "id"}),
    ("column 'wkb', row ", {"geometry": "wkb", "lon": None, "lat": None}),
], ids=["row below 0", "no such coordinate", "no such column", "columns of one name", "kind of no column",
        "folder that is not mounted", "row that occurs twice", "missing row", "infinite value",
        "infinite value without rows", "inexact value", "damaged geometry"])
def test_faulty_arguments_are_told(rows, tmp_path, words, arguments):
    with pytest.raises((ValueError, KeyError)) as error:
        treelinemap.spark.build(rows, **{"lon": "lon", "lat": "lat", "out": tmp_path / "none.treeline"} | arguments)
    assert words in str(error.value)
    assert not list(tmp_path.iterdir()), "expected no index"


@pytest.mark.parametrize("words, arguments", [
    ("gamma", {"split": "gamma:2"}), ("split", {"supporting": "badges", "split": "mean"}),
    ("found best", {"supporting": "best"}), ("piece_size", {"piece_size": 1}), ("memory", {"memory": 0}),
    ("not an index", {"out": __file__}), ("No such file", {"out": "/no/such/folder/none.treeline"}),
    ("No such file", {"scratch": "/no/such/folder"}),
    ("No such file", {"refused": "/no/such/folder/none.parquet"}), ("another path", {"refused": "none.treeline"}),
])
def test_faulty_arguments_are_told_before_the_rows_are_read(rows, tmp_path, monkeypatch, words, arguments):
    monkeypatch.chdir(tmp_path)
    stages = []
    with pytest.raises((ValueError, OSError)) as error:
        treelinemap.spark.build(
            rows, "lon", "lat", **{"out": "none.treeline"} | arguments, progress=lambda *stage: stages.append(stage))
    assert words in str(error.value)
    assert not stages and not list(tmp_path.iterdir())


@pytest.mark.parametrize("name", ["lon", "lat"])
def test_coordinates_are_numbers(rows, tmp_path, name):
    texts = rows.selectExpr("*", f"CAST({name} AS STRING) AS text")
    with pytest.raises(TypeError, match="column 'text': expected double or .*, found string; cast it"):
        treelinemap.spark.build(texts, **{"lon": "lon", "lat": "lat", name: "text"}, out=tmp_path / "none.treeline")
    assert not list(tmp_path.iterdir())


def test_a_good_index_is_kept_if_most_rows_have_no_position(rows, tmp_path):
    out, refused = tmp_path / "out.treeline", tmp_path / "refused.parquet"
    treelinemap.build([1, 2, 3], [1, 2, 3]).save(out)
    before = out.read_bytes()
    for count, bad in ((0, rows.where("id < 0")), (1, rows.selectExpr("IF(id = 1, lon, 200) AS lon", "lat"))):
        total = bad.count()
        with pytest.raises(treelinemap.BuildError) as error:
            treelinemap.spark.build(bad, "lon", "lat", out=out, refused=refused)
        kept = "the existing index of 3 points was kept; allow_loss=True replaces it"
        assert str(error.value) == f"{out}: only {count} of {total} rows have a position; {kept}"
        assert out.read_bytes() == before and list(tmp_path.iterdir()) == [out]
    with pytest.warns(UserWarning, match="99 rows are not in"):
        assert treelinemap.spark.build(bad, "lon", "lat", out=out, allow_loss=True).point_count == 1


def test_a_refused_row_needs_no_number(rows, tmp_path):
    with pytest.warns(UserWarning, match="a row without a number: nan, 0.0"):
        built = treelinemap.spark.build(
            rows, "somewhere", "lat", row="some", out=tmp_path / "out.treeline", refused=tmp_path / "refused.parquet")
    assert (built.point_count, [place.row for place in built.refused]) == (99, [None])
    assert pq.read_table(tmp_path / "refused.parquet")["row"].to_pylist() == [None]


def test_decimals_without_decimals_are_exact(rows, tmp_path):
    tree = treelinemap.spark.build(rows, "lon", "lat", row="id", columns="number", out=tmp_path / "out.treeline").open()
    indices = [tree.tree_index(row) for row in range(100)]
    assert tree.values("number", indices).tolist() == [row + 9007199254740993 for row in range(100)]


@pytest.mark.parametrize("words, kind", [("row ", "number"), ("memory", "text")], ids=["unsuitable", "too many"])
def test_values_that_do_not_suit_or_are_too_many_are_told(spark, tmp_path, words, kind):
    df = spark.range(70_000).selectExpr("id", "id / 1000 AS lon", "0 AS lat", "concat('Zum ', id) AS name")
    with pytest.raises(treelinemap.Error) as error:
        treelinemap.spark.build(df, "lon", "lat", row="id", columns="name", kinds={"name": kind}, memory="1MB",
                             out=tmp_path / "none.treeline")
    assert words in str(error.value)


def test_no_points_are_an_empty_index(rows, tmp_path):
    empty = treelinemap.spark.build(rows.where("id < 0"), "lon", "lat", out=tmp_path / "none.treeline")
    assert empty.point_count == 0 and len(empty.open()) == 0
