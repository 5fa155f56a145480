"""Checks that builds on Spark give the same bytes as `treelinemap build`, whatever happens to tasks and executors."""

import filecmp

import numpy as np
import pyarrow.parquet as pq
import pytest
import treelinemap
import treelinemap.spark

import points
from faulty_tasks import Hanging, Lost, LostInSmallBlocks, Twice


def test_columns_of_each_kind_while_an_executor_is_killed_in_each_stage(builds):
    """The columns have missing values, some rows are refused, and batches end within blocks."""
    records = "spark.sql.execution.arrow.maxRecordsPerBatch"
    usual = builds.session.conf.get(records)
    builds.session.conf.set(records, "1000")
    try:
        built = builds.check(
            points.flawed, 16, "least-scatter", tasks=LostInSmallBlocks, columns=points.TYPES.names, kinds=points.TOLD)
    finally:
        builds.session.conf.set(records, usual)
    tree = built.open()
    assert tree.columns == points.KINDS and not tree.has_separations


@pytest.mark.parametrize("shape, partitions, split", [
    (points.towns, 16, "mean"), (points.towns, 64, "least-scatter"),
    # Nine in ten points are in one city, or one in ten points is at the same position.
    (points.city, 64, "mean"), (points.stack, 16, "mean"),
])
def test_points_of_any_shape_in_any_number_of_partitions(builds, shape, partitions, split):
    builds.check(shape, partitions, split)


@pytest.mark.parametrize("shape, supporting, tasks", [
    (points.towns, "spacing", Twice), (points.stack, "badges", Lost),
])
def test_merged_trees_of_any_shape(builds, shape, supporting, tasks):
    builds.check(shape, 16, tasks=tasks, supporting=supporting)


def test_a_merged_tree_with_columns(builds):
    builds.check(points.flawed, 5, columns=points.TYPES.names, kinds=points.TOLD, supporting="badges")


def test_a_merged_tree_on_a_plane_without_row_numbers(builds, tmp_path):
    """Points at one position stay in the order in which Spark returns them."""
    df = builds.session.read.parquet(builds.data(points.stack))
    df = df.selectExpr("lon * 1000 AS x", "lat * 7 AS y").coalesce(1)
    options = {"planar": True, "supporting": "badges", "badge_gap": 5, "anchor": "member"}
    out, expected = tmp_path / "plane.treeline", tmp_path / "whole.treeline"
    treelinemap.spark.build(df, "x", "y", out=out, piece_size=builds.count // 7, **options)
    table = df.toPandas()
    treelinemap.build(table.x.to_numpy(), table.y.to_numpy(), **options).save(expected)
    assert filecmp.cmp(out, expected, shallow=False), "expected the bytes of a build in memory"


def test_rows_on_no_map_are_counted_and_all_listed(builds):
    built = builds.check(points.flawed, 16)
    table = pq.read_table(builds.data(points.flawed)).to_pandas()
    bad = (table.lon.abs() > 180) | ~(table.lat.abs() <= 90)
    rows = sorted(table.id[bad].tolist())
    refused = pq.read_table(built.path.replace("out.treeline", "refused.parquet"))
    assert sorted(refused["row"].to_pylist()) == rows
    assert built.refused_count == len(rows) > 0
    assert {place.row for place in built.refused} <= set(rows) and len(built.refused) > 0


def test_an_executor_that_is_killed_in_each_stage_changes_nothing(builds):
    builds.check(points.towns, 16, tasks=Lost)


def test_tasks_that_are_done_twice_change_nothing(builds):
    builds.check(points.towns, 16, tasks=Twice)


def test_decimals_have_the_bytes_of_the_tool(builds, tmp_path):
    """The decimals are exact, exact without the zeros at their ends, and longer than doubles."""
    df = builds.session.range(1000).selectExpr(
        "id", "CAST(id AS DOUBLE) / 10 AS lon", "0D AS lat",
        "CAST(1234567890123456.78BD + id / 100BD AS DECIMAL(18, 2)) AS exact",
        "CAST(123456789012345.5BD + id AS DECIMAL(38, 10)) AS zeros",
        "CAST(1234567890123.1000000001BD + id AS DECIMAL(38, 10)) AS long").repartition(3)
    names = ["exact", "zeros", "long"]
    built = treelinemap.spark.build(df, "lon", "lat", row="id", columns=names, out=tmp_path / "out", piece_size=300)
    pq.write_table(df.toArrow(), tmp_path / "places.parquet")
    points.index_of(
        [tmp_path / "places.parquet"], tmp_path / "expected", "--columns", ",".join(f"{name}:number" for name in names))
    assert filecmp.cmp(built.path, tmp_path / "expected", shallow=False), "expected the bytes of the tool"


@pytest.mark.speculation
def test_tasks_that_hang_are_started_again_elsewhere(builds):
    builds.check(points.towns, 16, tasks=Hanging)


def test_without_row_numbers_the_hierarchy_is_the_same(builds, tmp_path):
    df = builds.session.read.parquet(builds.data(points.stack)).repartition(5)
    tree = treelinemap.spark.build(
        df, "lon", "lat", out=tmp_path / "out.treeline", piece_size=builds.count // 3, split="mean").open()
    assert tree.content_hash == treelinemap.open(builds.index(points.stack)).content_hash
    rows = np.sort(tree.members(tree.root()[0]).row)
    assert np.array_equal(rows, np.arange(builds.count)), "expected each row once"


def test_plain_coordinates_whose_plane_is_known_when_all_are_read(builds, tmp_path):
    folder = builds.data(points.towns)
    df = builds.session.read.parquet(folder).selectExpr("id", "lon * 1000 AS x", "lat * 7 AS y")
    out, expected = tmp_path / "plane.treeline", tmp_path / "whole.treeline"
    treelinemap.spark.build(df, "x", "y", out=out, row="id", planar=True, split="mean", piece_size=builds.count // 5)
    table = pq.read_table(folder).sort_by("id").to_pandas()
    treelinemap.build(
        table.lon.to_numpy() * 1000, table.lat.to_numpy() * 7, planar=True, split="mean"
    ).save(expected)
    assert filecmp.cmp(out, expected, shallow=False), "expected the bytes of a build in memory"
