"""Checks that any source with Arrow's C data interface gives the same tree as numpy arrays with the same values."""

import datetime
import decimal
import gc
import subprocess
import sys

import numpy as np
import pytest
import treelinemap

duckdb = pytest.importorskip("duckdb")
pa = pytest.importorskip("pyarrow")
pl = pytest.importorskip("polars")

COUNT = 1000


@pytest.fixture(scope="module")
def table():
    """Returns a table with columns of all types. In most columns, one value in eight is missing."""
    random = np.random.default_rng(11)
    texts = ["a", "", "exactly12bye", "Reykjavík is thirteen bytes or more", "東京"]
    instants = [datetime.datetime(1969, 12, 31, 23) + datetime.timedelta(hours=i, microseconds=i) for i in range(COUNT)]
    columns = {
        "lon": random.uniform(-10, 10, COUNT),
        "lat": random.uniform(40, 50, COUNT),
        "real": random.uniform(0, 9, COUNT),
        "single": random.uniform(0, 9, COUNT).astype("f4"),
        "small": random.integers(-100, 100, COUNT).astype("i1"),
        "large": random.integers(0, 2**62, COUNT),
        "text": random.choice(texts, COUNT).tolist(),
        "flag": (random.random(COUNT) < 0.5).tolist(),
        "date": [instant.date() for instant in instants],
        "time": instants,
        "money": [decimal.Decimal(int(cents)) / 100 for cents in random.integers(-(10**6), 10**6, COUNT)],
    }
    gaps = pa.array(random.random(COUNT) < 0.125)
    made = {name: pa.array(values) for name, values in columns.items()}
    for name in list(made)[2:]:
        made[name] = pa.compute.if_else(gaps, None, made[name])
    made["zoned"] = made["time"].cast(pa.timestamp("ms", "Asia/Tokyo"), safe=False)
    made["category"] = made["text"].dictionary_encode()
    made["year"] = pa.array(random.integers(1900, 2000, COUNT)).dictionary_encode()
    made["nothing"] = pa.nulls(COUNT)
    return pa.table(made)


def told(tree):
    rows = tree.members(tree.root()[0])
    order = np.argsort(rows["row"])
    values = {name: tree.values(name, rows["tree_index"])[order] for name in tree.columns}
    # NaN is not equal to itself, so values are compared as texts.
    return {name: [str(value) for value in array.tolist()] for name, array in values.items()}


@pytest.fixture(scope="module")
def expected(table):
    found = {name: [str(value) for value in table[name].to_pylist()] for name in ("text", "flag", "category")}
    found["date"] = [str(v and datetime.datetime.combine(v, datetime.time())) for v in table["date"].to_pylist()]
    found["time"] = [str(value) for value in table["time"].to_pylist()]
    numbers = {name: table[name].to_pylist() for name in ("real", "single", "small", "money")}
    for name, values in numbers.items():
        found[name] = [str(np.nan if value is None else float(value)) for value in values]
    # If no value of a column of whole numbers is missing, its values stay whole numbers.
    found["year"] = [str(value) for value in table["year"].to_pylist()]
    found["nothing"] = ["None"] * COUNT
    return found


def variants(table):
    yield "table", table
    yield "reader", table.to_reader(max_chunksize=77)
    yield "batch", table.combine_chunks().to_batches()[0]
    # Slices of a batch and of its columns. Their offsets begin within a byte of a bit mask.
    padded = pa.concat_tables([table.slice(0, 3), table]).combine_chunks()
    yield "slice", padded.slice(3)
    yield "slice of a batch", padded.to_batches()[0].slice(3)
    yield "chunks", pa.concat_tables([table.slice(0, 13), table.slice(13, 0), table.slice(13)])
    views = table.set_column(table.schema.get_field_index("text"), "text", table["text"].cast(pa.string_view()))
    yield "views", pa.concat_tables([views.slice(0, 501), views.slice(501)])
    yield "polars", pl.from_arrow(table)
    yield "polars in chunks", pl.concat([pl.from_arrow(table[:100]), pl.from_arrow(table[100:])], rechunk=False)
    connection = duckdb.connect()
    connection.register("places", table)
    yield "duckdb", connection.sql("select * from places")
    yield "arrays", {name: table[name].combine_chunks() for name in table.column_names}


def test_every_type_in_every_layout(table, expected):
    lon, lat = table["lon"], table["lat"]
    reference = told(treelinemap.build(lon, lat, columns=table))
    for name, values in expected.items():
        assert reference[name] == values, name
    exact = treelinemap.build(lon, lat, columns=table).clusters(limit=1, aggregate="sum(large)")["sum_large"][0]
    assert float(exact) == float(sum(value or 0 for value in table["large"].to_pylist()))
    tried = 0
    for name, columns in variants(table):
        assert told(treelinemap.build(lon, lat, columns=columns)) == reference, name
        tried += 1
    assert tried == 11


def test_coordinates_of_any_layout(table):
    hash = treelinemap.build(np.asarray(table["lon"]), np.asarray(table["lat"])).content_hash
    connection = duckdb.connect()
    connection.register("places", table)
    lon, lat = pa.chunked_array([table["lon"][:7].combine_chunks(), table["lon"][7:].combine_chunks()]), table["lat"]
    for x, y in (
        (lon, lat),
        (pl.Series(lon), pl.Series(lat)),
        (connection.sql("select lon from places"), connection.sql("select lat from places")),
        (connection.sql("select lon, lat from places"), None),
        (table.select(["lon", "lat"]), None),
    ):
        assert treelinemap.build(x, y).content_hash == hash


def test_rows_that_are_missing_have_no_values():
    rows = pa.array([{"lon": 1.0, "lat": 2.0}, None, {"lon": 3.0, "lat": 4.0}])
    with pytest.warns(UserWarning, match="1 row is not in"):
        assert treelinemap.build(rows, skip_invalid=True).point_count == 2
    hidden = pa.StructArray.from_arrays([pa.array([50.0, 1.0]), pa.array([50.0, 2.0])], ["lon", "lat"], mask=pa.array([True, False]))
    with pytest.warns(UserWarning, match="1 row is not in"):
        assert treelinemap.build(hidden, skip_invalid=True).bounds == pytest.approx((1, 2, 1, 2), abs=1e-6)


def test_new_categories_of_a_dictionary_with_equal_entries():
    part = pa.array(["a", "b"]).dictionary_encode()
    kinds = pa.chunked_array([part, part])
    tree = treelinemap.build(pa.table({"id": [1, 2, 3, 4], "lon": [1.0, 2, 3, 4], "lat": [1.0, 2, 3, 4], "kind": kinds}), key="id")
    new = pa.table({"id": [5, 6], "lon": [5.0, 6], "lat": [5.0, 6], "kind": ["c", "d"]})
    later = tree.updating(insert=new)
    assert {kind: len(later.select(f"kind = '{kind}'")) for kind in "abcd"} == {"a": 2, "b": 2, "c": 1, "d": 1}


def test_types_that_are_no_column_are_refused():
    for values, message in (
        (pa.array([[1]]), "found lists"),
        (pa.array([{"a": 1, "b": 2}]), "found structs"),
        (pa.array([b"x"]), "found binary"),
        (pa.array([datetime.time(3)]), "found times of day"),
    ):
        with pytest.raises(TypeError, match="column 'a': expected numbers, booleans, dates, timestamps or texts, " + message):
            treelinemap.build([1], [2], columns={"a": values})
    with pytest.raises(TypeError, match="x: expected numbers, found texts"):
        treelinemap.build(pa.array(["1"]), pa.array(["2"]))
    with pytest.raises(treelinemap.BuildError, match="row 1: .* found longitude nan"):
        treelinemap.build(pa.array([1, None]), pa.array([2, 3]))
    with pytest.raises(TypeError, match="name it, as in columns="):
        treelinemap.build([1], [2], columns=pa.array([1]))

    def fail():
        yield pa.record_batch({"a": [1]})
        raise RuntimeError("the disk is full")

    with pytest.raises(ValueError, match="the disk is full"):
        treelinemap.build([1], [2], columns=pa.RecordBatchReader.from_batches(pa.schema({"a": pa.int64()}), fail()))


def test_a_column_that_was_replaced_has_the_type_of_its_values():
    table = treelinemap.build([1, 2, 3], [1, 2, 3], planar=True).clusters(limit=2).aggregate("count")
    table["count"] = table["count"] / 2
    assert sorted(table.to_arrow()["count"].to_pylist()) == [0.5, 1]


def test_an_export_that_fails_is_the_only_error(monkeypatch):
    class Failing:
        __len__ = lambda _: 1

        def __arrow_c_stream__(self, requested_schema=None):
            raise RuntimeError("the disk is full")

    others = []
    monkeypatch.setattr(sys, "unraisablehook", lambda other: others.append(str(other.exc_value)))
    with pytest.raises(RuntimeError, match="the disk is full"):
        treelinemap.build([1], [2], columns={"a": Failing()})
    gc.collect()
    assert others == []


def test_nothing_of_every_type(table):
    tree = treelinemap.build([], [], columns=table.slice(0, 0))
    assert len(tree) == 0 and list(tree.columns) == table.column_names
    empty = pa.RecordBatchReader.from_batches(table.schema, [])
    assert treelinemap.build([], [], columns=empty).columns == tree.columns


def test_pyarrow_is_not_needed():
    script = """
import sys
sys.modules["pyarrow"] = None
import duckdb, polars as pl, treelinemap
frame = pl.DataFrame({"x": [1.0, 2.0], "y": [3.0, 4.0], "kind": ["a", "b"], "n": [1, None]})
print(treelinemap.build(frame["x"], frame["y"], columns=frame[["kind", "n"]]).columns)
print(treelinemap.build(duckdb.sql("select 1.5, 2.5"), columns=duckdb.sql("select 'a' as kind")).columns)
"""
    output = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True).stdout
    assert output.splitlines() == ["{'kind': 'category', 'n': 'number'}", "{'kind': 'category'}"]


def test_answers_are_taken_by_whatever_speaks_arrow(tree):
    aggregates = "top(kind, 2), any(open), min(opened), mean(price), mode(kind), count(price), min(price)"
    few = tree.clusters(limit=9, aggregate=aggregates)
    # A cluster without any value in a column has no value for an aggregate of this column.
    none = tree.clusters(limit=3, where="price IS NULL", aggregate=aggregates)
    for answer in (few, none, tree.clusters((100, 0, 101, 1), 5, limit=4)):
        table = answer.to_arrow()
        table.validate(full=True)
        assert table.num_rows == len(answer) and table["x"].to_pylist() == answer.x.tolist()
        assert pl.DataFrame(answer).equals(pl.from_arrow(table))
        assert duckdb.sql("select id from answer").fetchall() == [(id,) for id in answer.id.tolist()]
    assert none["min_opened"].dtype.kind == "M" and np.isnan(none["mean_price"]).all()
    table = few.to_arrow()
    assert [dict(row) for row in table["top_kind"].to_pylist()] == few["top_kind"].tolist()
    assert table["min_opened"].to_pylist() == few["min_opened"].tolist()
    assert table["mode_kind"].to_pylist() == few["mode_kind"].tolist()
    assert pl.DataFrame(tree.members(few[0], limit=2)).columns == ["row", "tree_index", "x", "y"]
    gone = tree.values("kind", [0, 1])
    assert treelinemap.Table({"kind": np.array([None, *gone], object)}).to_arrow()["kind"].to_pylist() == [None, *gone]


def test_types_of_aggregates_do_not_depend_on_values():
    columns = {"b": [True, None, None], "i": [7, 2**53 + 1, None], "s": ["a", None, "c"]}
    tree = treelinemap.build([1, 2, 3], [4, 5, 6], columns=columns)
    aggregate = "any(b), first(i), max(i), top(s, 1), mode(s), count(i)"
    whole = tree.clusters(limit=3, aggregate=aggregate)
    schema = whole.to_arrow().schema
    assert [str(field.type) for field in schema][-6:] == [
        "bool", "int64", "int64", "map<large_string, int64>", "large_string", "int64"
    ]  # fmt: skip
    assert set(whole.to_arrow()["first_i"].to_pylist()) == {7, 2**53 + 1, None}
    for where in ("i = 7", "i IS NULL", "i < 0"):
        answer = tree.clusters(limit=3, where=where, aggregate=aggregate)
        assert answer.to_arrow().schema == schema
        assert answer.aggregate("any(b)").to_arrow().schema == answer[[]].aggregate("any(b)").to_arrow().schema
        answer.to_arrow().validate(full=True)
    for rows in ([2], [0, 2, 2], []):
        assert whole[rows].to_arrow().schema == schema
        assert whole[rows].to_arrow().to_pylist() == whole.to_arrow().take(pa.array(rows, pa.int64())).to_pylist()


def test_nothing_is_lent_longer_than_it_is_used(tree):
    from treelinemap import _arrow_export

    def lent():
        gc.collect()
        return sum(isinstance(thing, _arrow_export._Node) for thing in gc.get_objects())

    answer = tree.clusters(limit=9)
    expected = answer.x.tolist()
    table = answer.to_arrow()
    column = table["x"]
    del answer, table
    assert lent() > 0 and column.to_pylist() == expected
    unread = tree.clusters(limit=9).__arrow_c_stream__()
    del column, unread
    assert lent() == 0


@pytest.mark.parametrize(
    "use, error",
    [
        ("shown.to_arrow().column('price')", "KeyError"),
        ("print(pl.DataFrame(shown), 1 / 0)", "ZeroDivisionError"),
        ("print(shown.__arrow_c_stream__(), 1 / 0)", "ZeroDivisionError"),
    ],
)
def test_an_export_may_be_released_while_an_error_is_pending(use, error):
    script = f"""
import polars as pl, treelinemap
shown = treelinemap.build([1, 2, 3], [4, 5, 6]).clusters()
try:
    {use}
except {error} as error:
    print(repr(error.__context__))
kept = shown.to_arrow(), pl.DataFrame(shown), shown.__arrow_c_stream__()
"""
    ended = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert (ended.returncode, ended.stdout, ended.stderr) == (0, "None\n", "")
