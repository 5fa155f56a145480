"""Passes values in all kinds of objects. The tree must be the same as with numpy arrays."""

import datetime
import decimal
import fractions
import json

import numpy as np
import pytest
import treelinemap

pd = pytest.importorskip("pandas")
pl = pytest.importorskip("polars")
geopandas = pytest.importorskip("geopandas")

AGGREGATES = "count(price), sum(price), sum(rooms), counts(kind), any(open), min(opened), max(opened)"


def told(tree):
    """Returns everything that a tree says about its columns."""
    answer = tree.clusters(limit=30, aggregate=AGGREGATES)
    return {"hash": tree.content_hash, "columns": tree.columns} | {
        name: values.tolist() for name, values in answer.values.items()
    }


@pytest.fixture(scope="module")
def gaps(points):
    """Returns a mask of the missing values for each column of the points."""
    random = np.random.default_rng(7)
    return {name: random.random(len(points["lon"])) < 0.2 for name in ("price", "rooms", "kind", "open", "opened")}


@pytest.fixture(scope="module")
def frame(points, gaps):
    frame = pd.DataFrame(
        {
            "price": pd.array(points["price"]).astype("Float64"),
            "rooms": pd.array(points["rooms"], "Int64"),
            "kind": points["kind"],
            "open": pd.array(points["open"], "boolean"),
            "opened": points["opened"].astype("M8[s]"),
        }
    )
    for name, mask in gaps.items():
        frame.loc[mask, name] = None
    frame.loc[np.isnan(points["price"]), "price"] = None
    return frame


@pytest.fixture(scope="module")
def expected(points, gaps):
    lists = {}
    for name, mask in gaps.items():
        values = points[name].astype("M8[D]").astype(object) if name == "opened" else points[name]
        lists[name] = [None if missing else value for value, missing in zip(values.tolist(), mask)]
    return told(treelinemap.build(points["lon"].tolist(), points["lat"].tolist(), columns=lists))


def test_lists_know_missing_values(expected, points, gaps):
    assert expected["columns"] == dict(price="number", rooms="number", kind="category", open="boolean", opened="time")
    present = ~gaps["price"] & ~np.isnan(points["price"])
    assert sum(expected["count_price"]) == present.sum()
    assert sum(expected["sum_price"]) == pytest.approx(points["price"][present].sum())
    assert sum(expected["sum_rooms"]) == points["rooms"][~gaps["rooms"]].sum()
    assert min(expected["min_opened"]) == points["opened"][~gaps["opened"]].min().astype("M8[s]").item()
    kinds = points["kind"][~gaps["kind"]]
    for kind in ("hotel", "hostel", "camping"):
        assert sum(counts.get(kind, 0) for counts in expected["counts_kind"]) == (kinds == kind).sum()


def test_pandas(frame, points, expected):
    lon, lat = pd.Series(points["lon"]), pd.Series(points["lat"])
    assert told(treelinemap.build(lon, lat, columns=frame)) == expected
    categories = frame.assign(kind=frame["kind"].astype("category"))
    assert told(treelinemap.build(lon, lat, columns=categories)) == expected
    zoned = frame.assign(opened=frame["opened"].dt.tz_localize("UTC").dt.tz_convert("Asia/Tokyo"))
    assert told(treelinemap.build(lon, lat, columns=zoned)) == expected
    arrow = frame.convert_dtypes(dtype_backend="pyarrow")
    assert told(treelinemap.build(lon, lat, columns=arrow)) == expected


def test_geopandas(frame, points, expected):
    geometry = geopandas.points_from_xy(points["lon"], points["lat"])
    places = geopandas.GeoDataFrame(frame, geometry=geometry, crs="EPSG:4326")
    assert told(treelinemap.build(places)) == expected
    assert list(treelinemap.build(places, columns=["rooms"]).columns) == ["rooms"]
    mercator = treelinemap.build(places.to_crs(3857))
    # Coordinates are rounded when they are converted and converted back, so positions only agree to a centimeter.
    for found, wanted in zip(mercator.bounds, treelinemap.build(places).bounds):
        assert found == pytest.approx(wanted, abs=1e-6)


def test_arrays_of_any_layout(points):
    expected = treelinemap.build(points["lon"], points["lat"], columns={"rooms": points["rooms"]})
    pairs = np.column_stack([points["lon"], points["lat"]])
    records = np.rec.fromarrays([points["rooms"], points["lat"], points["lon"]], names="rooms,lat,lon")
    reverse = points["lon"][::-1].copy()[::-1]
    for tree in (
        treelinemap.build(pairs),
        treelinemap.build(np.asfortranarray(pairs)),
        treelinemap.build(records["lon"], records["lat"], columns={"rooms": records["rooms"]}),
        treelinemap.build(reverse, points["lat"]),
        treelinemap.build(points["lon"].astype(">f8"), points["lat"]),
    ):
        assert tree.content_hash == expected.content_hash
    strided = treelinemap.build(records["lon"], records["lat"], columns={"rooms": records["rooms"]})
    rows = strided.clusters(limit=9, aggregate="sum(rooms), max(rooms)").values
    assert rows["sum_rooms"].sum() == points["rooms"].sum() and rows["max_rooms"].max() == points["rooms"].max()


@pytest.mark.parametrize("type", ["i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8", "f4", "f8"])
def test_numbers_of_any_width(points, type):
    numbers = (points["rooms"] % 100).astype(type)
    tree = treelinemap.build(points["lon"], points["lat"], columns={"n": numbers})
    values = tree.clusters(limit=5, aggregate="sum(n)")["sum_n"]
    assert values.sum() == numbers.astype("i8").sum() and values.dtype == np.int64


def test_numbers_beyond_doubles_are_exact():
    large = np.array([2**62 + 1, 2**62 + 3, -5])
    tree = treelinemap.build([0, 0, 9], [0, 0, 9], columns={"n": large})
    assert sorted(tree.clusters(limit=2, aggregate="max(n), min(n)")["max_n"].tolist()) == [-5, 2**62 + 3]
    # A sum that does not fit in 64 bits is rounded to the nearest double.
    assert sorted(tree.clusters(limit=2, aggregate="sum(n)")["sum_n"].tolist()) == [-5.0, 2.0**63]


def test_times_of_any_unit():
    noon = datetime.datetime(2024, 5, 1, 12, tzinfo=datetime.timezone.utc)
    for time in (
        np.array(["2024-05-01T12:00"], "M8[m]"),
        np.array(["2024-05-01T12:00:00"], "M8[s]"),
        np.array(["2024-05-01T12:00:00.000000000"], "M8[ns]"),
        [noon],
        [noon.replace(tzinfo=None)],
        ["2024-05-01T12:00:00Z"],
    ):
        tree = treelinemap.build([1], [2], columns={"t": time})
        assert tree.columns == {"t": "time"}
        assert tree.clusters(limit=1, aggregate="max(t)")["max_t"].tolist() == [noon.replace(tzinfo=None)]
    tree = treelinemap.build([1], [2], columns={"t": np.array(["1899-12-31"], "M8[D]")})
    assert tree.clusters(limit=1, aggregate="max(t)")["max_t"] == np.array(["1899-12-31"], "M8[s]")


@pytest.mark.parametrize("unit", ["10ms", "500ms", "25us", "100ns", "5s", "2D"])
def test_times_in_multiples_of_a_unit_are_exact(unit):
    times = np.array([1, -3, "NaT"], f"M8[{unit}]")
    tree = treelinemap.build([1, 2, 3], [1, 2, 3], columns={"t": times})
    assert np.array_equal(kept(tree, "t"), times, equal_nan=True)
    with pytest.raises(ValueError, match="row 0: expected a time nearer to 1970"):
        treelinemap.build([1], [2], columns={"t": np.array([2**62], f"M8[{unit}]")})


@pytest.mark.parametrize(("text", "unit"), [("12:00:01", "s"), ("12:00:00.25", "ms"), ("12:00:00.000001", "us")])
def test_times_come_back_as_times(text, unit):
    times = np.array([f"2024-05-01T{text}", "1969-12-31T23:59:59", "NaT"], "M8[us]")
    tree = treelinemap.build([1, 1, 5], [2, 2, 6], columns={"t": times})
    answer = tree.clusters(limit=2, aggregate="min(t), max(t), median(t)")
    for name in ("min_t", "max_t", "median_t"):
        assert answer[name].dtype == np.dtype(f"<M8[{unit}]")
    earliest, latest = answer["min_t"], answer["max_t"]
    assert earliest[~np.isnat(earliest)].tolist() == times[1:2].tolist()
    assert latest[~np.isnat(latest)].tolist() == times[:1].tolist() and np.isnat(latest).sum() == 1
    rows = tree.members(tree.root()[0])
    values = tree.values("t", rows["tree_index"])
    assert values[np.argsort(rows["row"])].astype("M8[us]").tolist() == times.tolist()
    edges = tree.histogram("t", bins=5)
    assert edges["from"].dtype.kind == edges["to"].dtype.kind == "M"
    assert edges["from"][0] <= times[1] and edges["to"][-1] >= times[0]
    # JSON has no type for times, so times become texts.
    features = json.loads(json.dumps(answer.__geo_interface__))["features"]
    assert sorted(str(feature["properties"]["max_t"]) for feature in features) == [f"2024-05-01T{text}Z", "None"]
    assert len(tree.clusters(limit=9, where=f"t = TIMESTAMP('2024-05-01T{text}Z')")) == 1
    assert answer.to_pandas()["max_t"].dtype == f"datetime64[{unit}]"


@pytest.mark.parametrize(
    ("values", "kind", "total"),
    [
        ([decimal.Decimal("1.5"), None, 2], "number", 3.5),
        ([2**70, 1, np.nan], "number", 2.0**70),
        ([fractions.Fraction(1, 4), 1, 2], "number", 3.25),
        ([True, 1, 2.5], "number", 4.5),
    ],
)
def test_numbers_of_python_of_any_type(values, kind, total):
    tree = treelinemap.build([0, 1, 2], [0, 1, 2], columns={"n": values})
    assert tree.columns == {"n": kind}
    assert tree.clusters(limit=1, aggregate="sum(n)")["sum_n"].tolist() == [total]


def test_lists_of_texts_know_nan():
    # numpy would convert the missing value to the text 'nan'.
    tree = treelinemap.build([0, 1, 2], [0, 1, 2], columns={"kind": ["a", float("nan"), None]}, kinds={"kind": "category"})
    assert tree.clusters(limit=1, aggregate="counts(kind)")["counts_kind"].tolist() == [{"a": 1}]
    structured = np.array([(1.5, "a")], dtype=[("price", "f8"), ("kind", "U1")])
    assert treelinemap.build([1], [2], columns=structured).columns == {"price": "number", "kind": "category"}


def test_texts_survive():
    texts = ["Reykjavík", "", None, "東京", "a&b%20", '"quoted"']
    tree = treelinemap.build(range(6), range(6), columns={"name & so": texts}, kinds={"name & so": "text"})
    rows = tree.members(int(tree.root().id[0]))
    values = tree.values("name & so", rows["tree_index"])
    # Missing values and empty texts are still different.
    assert [values[i] for i in np.argsort(rows["row"])] == texts


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        (dict(x=[1, 2], y=[3]), ValueError, "equal numbers of x and y, found 2 and 1"),
        (dict(x=[1, 2]), ValueError, "two arrays of coordinates"),
        (dict(x=[1], y=[99]), treelinemap.BuildError, "found longitude 1 and latitude 99"),
        (dict(x=[1], y=[np.nan]), treelinemap.BuildError, "found longitude 1 and latitude nan"),
        (dict(x=[1], y=[2], columns={"a": [1, 2]}), ValueError, "column 'a': expected 1 values"),
        (dict(x=[1], y=[2], columns={"a": [[1]]}), ValueError, "one dimension"),
        (dict(x=[1], y=[2], columns={"a": [1j]}), TypeError, "complex"),
        (dict(x=[1j], y=[2]), TypeError, "x: expected real numbers"),
        (dict(x=[1], y=["north"]), ValueError, "y: could not convert string to float: 'north'"),
        (dict(x=np.ma.array([1, 2], mask=[0, 1]), y=[3, 4]), treelinemap.BuildError, "row 1: "),
        (dict(x=[1], y=[2], columns={"a": [object()]}), TypeError, "column 'a': expected numbers, booleans, dates"),
        (dict(x=[1, 2], y=[2, 3], columns={"a": ["b", 3]}), TypeError, "column 'a', row 1: expected a text, found 3"),
        (dict(x=[1, 2], y=[2, 3], columns={"a": [3, "b"]}), TypeError, "row 1: expected a number, found 'b'"),
        (dict(x=[1], y=[2], columns={"a": [datetime.time(3)]}), TypeError, "column 'a'"),
        (dict(x=[1], y=[2], columns={"a": pd.Series([pd.Period("2020-05")])}), TypeError, "found Period"),
        (dict(x=[1], y=[2], columns={"a": 3}), TypeError, "column 'a': expected an array of values, found 3"),
        (dict(x=[1], y=[2], columns=["a"]), TypeError, "expected columns as a mapping or a table"),
        (dict(x=[1], y=[2], columns=pl.LazyFrame({"a": [1]})), TypeError, "found a value of type LazyFrame"),
        (dict(x=[1], y=[2], kinds={"a": "text"}), KeyError, "no column 'a'; columns: none"),
        (dict(x=geopandas.GeoSeries.from_wkt(["LINESTRING (0 0, 1 1)"])), ValueError, "found a LineString"),
        (dict(x=[1], y=[2], columns={"a": ["b"]}, kinds={"c": "text"}), KeyError, "'c'"),
        (dict(x=[1], y=[2], columns={"a": ["b"]}, kinds={"a": "sort"}), treelinemap.ArgumentError, "found 'sort'"),
        (dict(x=[1], y=[2], columns={"a": ["b"]}, kinds={"a": "number"}), treelinemap.ColumnError, 'found "b"'),
        (dict(x=[1], y=[2], grow="up"), treelinemap.ParameterError, "'grow' must be split or merge or badges or scatter"),
        (dict(x=[1], y=[2], badge_gap=4, grow="merge"), treelinemap.ParameterError, "'badge_gap' needs 'supporting' with the value 'badges'"),
        (dict(x=[1], y=[2], anchor="member"), treelinemap.ParameterError, "'anchor' needs 'supporting' with the value 'spacing' or 'badges'"),
        (dict(x=[1], y=[2], supporting="badges", grow="merge"), treelinemap.ParameterError, "does not go with a tree"),
        (dict(x=[1], y=[2], supporting="spacings"), treelinemap.ParameterError, "'supporting' must be limit or spacing"),
        (dict(x=[1], y=[2], group_by=["a"]), TypeError, "expected group_by= to be the name of a column, found list"),
        (dict(x=[1], y=[2], group_by="a"), treelinemap.ArgumentError, '"a"'),
        (dict(x=[1], y=[2], columns={"a\0": [1]}), ValueError, "NUL character"),
    ],
)
def test_errors_tell_what_is_wrong(arguments, error, message):
    with pytest.raises(error) as raised:
        treelinemap.build(**arguments)
    assert message in str(raised.value)
    assert isinstance(raised.value, (ValueError, TypeError, KeyError))


def kept(tree, name="v"):
    """Returns the values of a column in the order of the rows."""
    return tree.values(name, [tree.tree_index(row) for row in range(len(tree))])


@pytest.mark.parametrize(
    "values, expected",
    [
        ([7, np.int64(8), None], [7, 8, None]),
        ([np.int64(7), None, np.int32(9)], [7, None, 9]),
        ([np.float64(0.5), None, np.float32(2)], [0.5, None, 2]),
        ([np.bool_(True), None, np.bool_(False)], [True, None, False]),
        ([np.str_("a"), None, "b"], ["a", None, "b"]),
        (pd.Series([np.int64(1), None, np.int64(3)], dtype=object), [1, None, 3]),
    ],
)
def test_scalars_of_numpy_are_values(values, expected):
    found = kept(treelinemap.build(range(len(values)), range(len(values)), columns={"v": values})).tolist()
    assert [None if value is None or value != value else value for value in found] == expected


def test_times_of_numpy_are_values():
    times = [np.datetime64("2024-05-01T10:00:00"), None, np.datetime64("NaT")]
    found = kept(treelinemap.build([1, 2, 3], [1, 2, 3], columns={"v": times}))
    assert found[0] == times[0] and np.isnat(found).tolist() == [False, True, True]


@pytest.mark.parametrize("value", [fractions.Fraction(2**53 + 1), np.longdouble(2**53) + 1])
def test_whole_numbers_that_doubles_do_not_keep_are_refused(value):
    with pytest.raises(ValueError, match="or only numbers that floats hold exactly, found"):
        treelinemap.build([1, 2], [1, 2], columns={"v": [value, 0.5]})


def test_decimals_of_arrow_beyond_64_bits_are_exact_or_an_error():
    pa = pytest.importorskip("pyarrow")
    build = lambda *values: treelinemap.build([1, 2, 3], [1, 2, 3], columns={"v": pa.array(values, pa.decimal128(38))})
    whole = [decimal.Decimal(number) for number in (5, 2**70, 2**53 + 1)]
    tree = build(None, *whole[:2])
    assert tree.clusters(limit=1, aggregate="max(v)")["max_v"] == 2**70
    with pytest.raises(ValueError, match="column 'v', row 2: .* found 9007199254740993"):
        build(*whole)


@pytest.mark.parametrize("other, words", [
    ([0.5], "'v', row 0: .* found 90071992547409"), (np.array([2**63], "u8"), "'v', row 0: .* found 90071992547409"),
    ([{"a": 1}], "found structs"), ([True], "row 1 counted from 0"), ([None, 7], None),
], ids=["doubles", "beyond 64 bits", "structs", "booleans", "whole numbers"])
def test_whole_numbers_of_one_file_do_not_change_with_the_values_of_another(other, words, tmp_path):
    pa = pytest.importorskip("pyarrow")
    import pyarrow.parquet as pq

    for number, values in enumerate(([2**53 + 1], other)):
        places = {"lon": np.arange(len(values)) * 1.0, "lat": np.zeros(len(values))}
        pq.write_table(pa.table(places | {"v": values}), tmp_path / f"{number}.parquet")
    build = lambda **kinds: treelinemap.build_parquet(tmp_path, out=tmp_path / "out", columns="v", memory=1e8, **kinds)
    if words is None:
        assert kept(build().open()).tolist() == [2**53 + 1, None, 7]
    else:
        with pytest.raises((ValueError, TypeError), match=words):
            build()


def test_texts_that_are_not_unicode_are_repaired():
    tree = treelinemap.build([1, 2], [1, 2], columns={"v": ["a\ud800", "b"]})
    assert kept(tree).tolist() == ["a\ufffd\ufffd\ufffd", "b"]


def test_decimals_of_arrow_are_rounded_once():
    pa = pytest.importorskip("pyarrow")
    random = np.random.default_rng(11)
    texts = ["9007199254740993.50", "602145279134364.57", "-0.01", "99999999999999999999999999.99"]
    texts += [f"{random.integers(-(10**17), 10**17)}.{random.integers(1, 100):02}" for _ in range(2000)]
    array = pa.array([decimal.Decimal(text) for text in texts], pa.decimal128(30, 2))
    count = len(texts)
    with pytest.warns(UserWarning, match="too many digits.* 9007199254740993.50"):
        tree = treelinemap.build(range(count), [0] * count, planar=True, columns=pa.table({"v": array}))
    assert kept(tree).tolist() == [float(text) for text in texts]


def test_missing_entries_of_dictionaries_are_missing_values():
    pa = pytest.importorskip("pyarrow")
    array = pa.DictionaryArray.from_arrays(pa.array([0, 1, 2, 1, None]), pa.array(["a", None, ""]))
    tree = treelinemap.build(range(5), range(5), columns=pa.table({"v": array}), kinds={"v": "category"})
    assert kept(tree).tolist() == ["a", None, "", None, None]


def test_columns_of_one_name_are_refused(tmp_path):
    pa = pytest.importorskip("pyarrow")
    table = pa.Table.from_arrays([pa.array([1, 2]), pa.array([3, 4])], names=["a", "a"])
    with pytest.raises(ValueError, match="expected columns of different names, found two columns named 'a'"):
        treelinemap.build([1, 2], [1, 2], columns=table)
    import pyarrow.parquet as pq

    named = pa.Table.from_arrays([pa.array([1.0, 2.0])] * 4, names=["longitude", "latitude", "a", "a"])
    pq.write_table(named, tmp_path / "twice.parquet")
    with pytest.raises(ValueError, match="expected one column named 'a', found 2"):
        treelinemap.build_parquet(tmp_path / "twice.parquet", out=tmp_path / "twice.treeline", columns=["a"])


def test_times_of_five_digits_come_back():
    seconds = np.array([253402300800, 5, -62167219201], "M8[s]")
    tree = treelinemap.build([1, 2, 3], [1, 2, 3], columns={"t": seconds})
    assert kept(tree, "t").astype("M8[s]").tolist() == seconds.tolist()
    assert tree.clusters(limit=1, aggregate="max(t)").values["max_t"][0] == seconds[0]


def test_times_that_are_too_far_away_are_refused():
    with pytest.raises(ValueError, match="column 't', row 1: expected a time nearer to 1970, found"):
        treelinemap.build([1, 2], [1, 2], columns={"t": np.array([0, 2**62], "M8[Y]")})
    east = datetime.timezone(datetime.timedelta(hours=14))
    with pytest.raises(ValueError, match="column 't', row 1: expected a time in the years 1 to 9999 in UTC, found"):
        treelinemap.build([1, 2], [1, 2], columns={"t": [None, datetime.datetime(1, 1, 1, tzinfo=east)]})


def test_whole_numbers_too_far_apart_in_different_batches_are_refused(tmp_path):
    for number, value in enumerate([-(2**63), 2**63 - 1]):
        pd.DataFrame({"lon": [1.0], "lat": [2.0], "n": [value]}).to_parquet(tmp_path / f"{number}.parquet")
    with pytest.raises(ValueError, match=r"column 'n': expected whole numbers that differ by less than 2\^64 - 1"):
        treelinemap.build_parquet(f"{tmp_path}/*.parquet", out=tmp_path / "out.treeline", columns=["n"])


def test_a_signaling_nan_is_a_missing_value():
    tree = treelinemap.build([1, 2], [1, 2], columns={"n": [decimal.Decimal("sNaN"), decimal.Decimal("1.5")]})
    assert np.array_equal(kept(tree, "n"), [np.nan, 1.5], equal_nan=True)


def test_times_as_objects_keep_their_nanoseconds():
    exact = np.datetime64("2020-01-01T00:00:00.123456789")
    zoned = [pd.Timestamp("2020-01-01T01:00:00.123456789+01:00"), pd.Timestamp("2020-01-01T00:00:00.5Z")]
    for times, expected in (
        ([exact, None, exact], [exact, np.datetime64("NaT"), exact]),
        (pd.Series([*zoned, None], dtype=object), [exact, np.datetime64("2020-01-01T00:00:00.5"), np.datetime64("NaT")]),
    ):
        tree = treelinemap.build([1, 2, 3], [1, 2, 3], columns={"t": times})
        assert np.array_equal(kept(tree, "t").astype("M8[ns]"), np.array(expected, "M8[ns]"), equal_nan=True)
    far = np.datetime64("300000-01-01")
    for times in ([far, None], [exact, datetime.datetime(9999, 12, 31)]):
        with pytest.raises(ValueError, match="column 't', row [01]: expected a time nearer to 1970, found"):
            treelinemap.build([1, 2], [1, 2], columns={"t": times})


def test_entries_without_a_stride_are_equal_values():
    count = 20
    constant = np.broadcast_to(7.0, count)
    tree = treelinemap.build(np.broadcast_to(2.5, count), np.arange(count), columns={"p": constant, "n": constant.astype(int)})
    assert tree.bounds == pytest.approx((2.5, 0, 2.5, count - 1), abs=1e-6)
    assert kept(tree, "p").tolist() == [7.0] * count
    assert treelinemap.build(np.broadcast_to([2.0, 48.0], (5, 2))).bounds == pytest.approx((2, 48, 2, 48), abs=1e-6)
    x, y = np.meshgrid([1.0, 2.0], [3.0, 4.0, 5.0], copy=False)
    assert treelinemap.build(x[:, 0], y[:, 0]).bounds == pytest.approx((1, 3, 1, 5), abs=1e-6)
    codes = np.broadcast_to(np.int32(3), count)
    assert kept(treelinemap.build(np.arange(count), np.arange(count), columns={"c": codes}), "c").tolist() == [3] * count


def test_masked_entries_are_missing_values():
    places = np.ma.array([[2, 48], [3, 49], [-99, -59]], mask=[[0, 0], [0, 0], [1, 1]])
    with pytest.raises(treelinemap.Error, match="row 2"):
        treelinemap.build(places)
    with pytest.warns(UserWarning, match="row 2"):
        assert treelinemap.build(places, skip_invalid=True).point_count == 2
    price = np.ma.masked_values([50.0, 200.0, -9999.0], -9999)
    tree = treelinemap.build([1, 2, 3], [1, 2, 3], columns={"price": price})
    with pytest.raises(TypeError, match="found a missing value in row 2"):
        tree.select(price < 100)
    assert len(tree.select((price < 100).filled(False))) == len(tree.select("price < 100")) == 1


def test_a_search_ignores_the_filter():
    names = {"name": ["anna", "anton", "ann", "bob"], "p": [1, 2, 3, 4]}
    tree = treelinemap.build([1, 2, 3, 4], [1, 2, 3, 4], columns=names, kinds={"name": "text+search"})
    for filter in ("p > 2", "p = 4", "p > 4"):
        assert sorted(tree.select(filter).search("an")["row"].tolist()) == [0, 1, 2]


@pytest.mark.parametrize("values", [np.array([1, 2], "M8[Y]"), np.array([1, 2], "m8[s]"), [True, False]])
def test_what_is_no_number_is_no_coordinate(values):
    with pytest.raises(TypeError, match="x: expected numbers, found"):
        treelinemap.build(values, [1, 2])


def test_a_path_ends_where_it_ends(tmp_path):
    tree = treelinemap.build([1, 2], [1, 2])
    for call in (tree.save, treelinemap.open, treelinemap.verify):
        with pytest.raises(ValueError, match="expected a path without a NUL character"):
            call(f"{tmp_path}/a\0b")
    assert not list(tmp_path.iterdir())


def test_bytes_are_no_number():
    with pytest.raises(TypeError, match="expected one or more numbers for 'spacing', found b'5'"):
        treelinemap.build([1, 2], [1, 2]).clusters(zoom=1, spacing=b"5")
