"""Checks that faulty arguments and values are reported, and that no index is left behind."""

import pytest
import treelinemap
import treelinemap.spark


@pytest.fixture(scope="session")
def rows(spark):
    return spark.range(100).selectExpr("id", "CAST(id AS DOUBLE) AS lon", "0.0 AS lat", "id - 1 AS before")


@pytest.mark.parametrize("words, arguments", [
    ("found -1", {"row": "before"}), ("'long'", {"lon": "long"}), ("'size'", {"columns": ["size"]}),
    ("different names", {"columns": ["id", "id"]}), ("'size'", {"columns": ["id"], "kinds": {"size": "number"}}),
    ("mount this folder", {"scratch": "s3://bucket/folder"}), ("gamma", {"split": "gamma:2"}),
], ids=["row below 0", "no such coordinate", "no such column", "columns of one name", "kind of no column",
        "folder that is not mounted", "rule that looks at all points"])
def test_faulty_arguments_are_told(rows, tmp_path, words, arguments):
    with pytest.raises((ValueError, KeyError)) as error:
        treelinemap.spark.build(rows, **{"lon": "lon", "lat": "lat", "out": tmp_path / "none.treeline"} | arguments)
    assert words in str(error.value)
    assert not list(tmp_path.iterdir()), "expected no index"


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
