"""Checks that tables can be passed unchanged. Their coordinates are found by name. On request, rows without a place are
left out."""

import filecmp
import itertools
import re
import warnings

import numpy as np
import pytest
import treelinemap
from conftest import ROOT
from treelinemap import _names

duckdb = pytest.importorskip("duckdb")
geopandas = pytest.importorskip("geopandas")
pa = pytest.importorskip("pyarrow")
pd = pytest.importorskip("pandas")
pl = pytest.importorskip("polars")


@pytest.fixture
def frame(points):
    return pd.DataFrame(points).rename(columns={"lon": "Longitude", "lat": "Latitude"})


def test_tables_of_all_kinds_are_points_with_columns(frame, points):
    names = ["price", "rooms", "kind", "open", "opened"]
    expected = treelinemap.build(points["lon"], points["lat"], columns={name: points[name] for name in names})
    table = pa.Table.from_pandas(frame, preserve_index=False)
    connection = duckdb.connect()
    connection.register("places", table)
    tried = 0
    for source in (
        frame,
        table,
        table.to_reader(max_chunksize=99),
        pl.from_arrow(table),
        connection.sql("select * from places"),
        dict(frame.items()),
        {name: frame[name].to_numpy() for name in frame},
        frame.to_records(index=False),
    ):
        tree = treelinemap.build(source)
        assert tree.content_hash == expected.content_hash and tree.columns == expected.columns
        query = dict(limit=9, aggregate="sum(rooms), mean(price), counts(kind), max(opened)")
        found, wanted = tree.clusters(**query).values, expected.clusters(**query).values
        assert all(found[name].tolist() == wanted[name].tolist() for name in wanted)
        tried += 1
    assert tried == 8


@pytest.mark.parametrize(
    ("x", "y"),
    [
        ("longitude", "latitude"), ("LON", "LAT"), ("lng", "lat"), ("Long", "Lat"),
        ("decimalLongitude", "decimalLatitude"),
        ("stop_lon", "stop_lat"), ("start_lng", "start_lat"), ("Länge", "Breite"), ("Längengrad", "Breitengrad"),
        ("La\u0308nge", "Breite"), ("Laengengrad", "Breitengrad"), ("GPSLongitude [°]", "GPSLatitude [°]"),
        ("lon_wgs84", "lat_wgs84"), ("Longitude (deg)", "Latitude (deg)"), ("shape_pt_lon", "shape_pt_lat"),
        ("longitud", "latitud"), ("Lengdegrad", "Breddegrad"), ("経度", "緯度"), ("Долгота", "Широта"),
    ],
)  # fmt: skip
def test_coordinates_are_found_by_their_names(x, y, recwarn):
    # If columns were taken in their order instead of by name, longitudes and latitudes would be swapped.
    tree = treelinemap.build({y: [48.0, 49.0], "kind": ["a", "b"], x: [100.0, 101.0]})
    assert tree.bounds == pytest.approx((100, 48, 101, 49), abs=1e-6) and list(tree.columns) == ["kind"]
    assert treelinemap.build(pd.DataFrame({y: [48.0, 49.0], x: [100.0, 101.0]})).bounds[0] == pytest.approx(100, abs=1e-6)
    assert len(recwarn) == 0


def test_names_of_both_and_of_columns_are_taken():
    frame = pd.DataFrame({"lon": [1.0, 2.0], "lat": [3.0, 4.0], "east": [5.0, 6.0], "north": [7.0, 8.0], "n": [1, 2]})
    tree = treelinemap.build(frame, lon="east", lat="north", columns=["n"])
    assert tree.bounds == pytest.approx((5, 7, 6, 8), abs=1e-6) and list(tree.columns) == ["n"]
    assert list(treelinemap.build(frame).columns) == ["east", "north", "n"]
    assert list(treelinemap.build(frame, columns="n").columns) == ["n"]
    assert list(treelinemap.build(frame, columns=()).columns) == []
    assert list(treelinemap.build(frame, columns=["n", "lon"]).columns) == ["n", "lon"]
    assert treelinemap.build(frame, columns={"other": ["a", "b"]}).columns == {"other": "category"}
    places = geopandas.GeoDataFrame(frame, geometry=geopandas.points_from_xy([50, 60], [7, 8]), crs=4326)
    assert treelinemap.build(places).bounds[0] == pytest.approx(50, abs=1e-6)
    assert treelinemap.build(places, lon="east", lat="north", columns="n").bounds[0] == pytest.approx(5, abs=1e-6)
    plane = pd.DataFrame({"lon": [1.0, 2.0], "lat": [3.0, 4.0], "x": [500.0, 600.0], "y": [7.0, 8.0]})
    assert treelinemap.build(plane, planar=True).bounds == pytest.approx((500, 7, 600, 8))
    assert treelinemap.build(plane, columns=()).bounds[0] == pytest.approx(1, abs=1e-6)


def test_a_guess_is_told():
    with pytest.warns(UserWarning, match="'a' is read as longitude and 'b' as latitude; .* lon="):
        assert treelinemap.build(pd.DataFrame({"a": [1.0], "b": [2.0]})).bounds[0] == pytest.approx(1, abs=1e-6)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        treelinemap.build(pd.DataFrame(np.array([[1.0, 2.0]])))
        treelinemap.build(pd.DataFrame({"x": [1.0], "y": [2.0]}), lon="x", lat="y")
        treelinemap.build(pd.DataFrame({"x": [1.0], "y": [2.0]}), planar=True)
        treelinemap.build({"stop_lat": [1.0], "stop_lon": [2.0]})
    ride = {"end_lat": [9.0], "end_lng": [8.0], "start_lat": [1.0], "start_lng": [2.0]}
    with pytest.warns(UserWarning, match="points are read from 'start_lng' and 'start_lat', not from 'end_") as told:
        tree = treelinemap.build(ride)
    assert tree.bounds[:2] == pytest.approx((2, 1), abs=1e-6) and len(told) == 1 and told[0].filename == __file__
    assert list(tree.columns) == ["end_lat", "end_lng"]


@pytest.mark.parametrize(
    ("x", "y"), [("x", "y"), ("Easting", "Northing"), ("X [m]", "Y [m]"), ("Rechtswert", "Hochwert")]
)
def test_names_of_a_plane_make_a_plane(x, y):
    frame = pd.DataFrame({y: [5_400_000.0, 5_500_000.0], "kind": ["a", "b"], x: [400_000.0, 500_000.0]})
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        tree = treelinemap.build(frame)
        assert tree.is_planar and tree.bounds == pytest.approx((4e5, 5.4e6, 5e5, 5.5e6))
        assert treelinemap.build(frame, planar=True).content_hash == tree.content_hash
    with pytest.raises(treelinemap.BuildError, match="most coordinates are not degrees; planar=True reads them"):
        treelinemap.build(frame, planar=False)
    near = frame.assign(**{x: [2.0, 3.0], y: [48.0, 49.0]})
    told = re.escape(f"{x!r} and {y!r} are read as plain x and y, but may be degrees; set planar=False")
    with pytest.warns(UserWarning, match=told):
        assert treelinemap.build(near).is_planar
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert not treelinemap.build(near, planar=False).is_planar and treelinemap.build(near, planar=True).is_planar
        assert not treelinemap.build(near, lon=x, lat=y).is_planar


def test_names_have_the_order_of_the_tool():
    both = {"x": [4e5], "y": [5e6], "lon": [2.0], "lat": [48.0]}
    assert not treelinemap.build(both).is_planar and treelinemap.build(both, planar=True).bounds[0] == pytest.approx(4e5)
    assert treelinemap.build({"rechtswert": [4e5], "hochwert": [5e6], "longitud": [1.0], "latitud": [2.0]}).is_planar
    with pytest.raises(ValueError, match="found 'home_lon' and 'home_lat', 'shop_lon' and 'shop_lat'; choose one pair"):
        treelinemap.build({"home_lon": [1.0], "home_lat": [1.0], "shop_lon": [1.0], "shop_lat": [1.0]})


def test_names_are_those_of_the_tool():
    source = (ROOT / "Sources/TreelineFormats/CSV/ColumnFinder.swift").read_text()

    def listed(name):
        """Returns the texts of a list in the tool's sources."""
        return re.findall('"([^"]+)"', re.search(rf"let {name}\b[^=]*= [^\[]*\[(.*?)\]", source, re.DOTALL)[1])

    assert [*itertools.chain(*((x, y) for x, y, _ in _names._COMMON))] == listed("commonNames")
    planar = re.findall(r'\("([^"]+)", "[^"]+", true\)', source)
    assert [x for x, _, is_planar in _names._COMMON if is_planar] == planar
    for name, words in (
        ("pairNames", _names._PAIRS), ("wellKnownTextNames", _names._WELL_KNOWN_TEXT), ("placeWords", _names._PLACES),
        ("startWords", _names._STARTS), ("neutralWords", _names._NEUTRAL), ("longitudeWords", _names._LONGITUDE),
        ("latitudeWords", _names._LATITUDE), ("degreeWords", _names._OF_DEGREES - _names._NEUTRAL),
        ("lengthWords", _names._OF_LENGTHS - _names._NEUTRAL),
    ):  # fmt: skip
        assert set(listed(name)) == words, name


def test_coordinates_that_are_not_degrees_need_a_plane():
    x, y = [400_000.0, 500_000.0, 2.0], [5_400_000.0, 5_500_000.0, 3.0]
    for arguments in (dict(x=x, y=y), dict(x={"lon": x, "lat": y}), dict(x={"a": x, "b": y, "n": x}, lon="a", lat="b")):
        with pytest.raises(treelinemap.BuildError, match="planar=True reads them as plain x and y") as told:
            treelinemap.build(**arguments)
        assert "skip_invalid" not in str(told.value)
        assert treelinemap.build(**arguments, planar=True).is_planar
    with pytest.raises(treelinemap.BuildError, match="skip_invalid=True leaves out invalid rows"):
        treelinemap.build([1.0, 2.0, 500.0, np.nan, np.nan], [1.0, 2.0, 3.0, 4.0, 5.0])


@pytest.mark.parametrize(
    ("frame", "message"),
    [
        ({"name": ["Paris"], "Location": ["48.85, 2.35"]}, "'Location' has both coordinates .* split the column: .*str.split"),
        ({"a": [1], "b": [2], "lat_lon": ["48.85, 2.35"]}, "'lat_lon' has both coordinates"),
        ({"name": ["Paris"], "geom": ["POINT (2 48)"]}, "'geom' has points as text.*GeoSeries.from_wkt"),
    ],
)
def test_a_column_of_both_coordinates_is_explained(frame, message):
    with pytest.raises(KeyError, match=message):
        treelinemap.build(pd.DataFrame(frame))


def test_the_advice_about_a_column_of_both_coordinates_works():
    frame = pd.DataFrame({"name": ["Paris", "Rome"], "location": ["48.85, 2.35", "41.9, 12.5"]})
    with pytest.raises(KeyError) as told:
        treelinemap.build(frame)
    exec(re.search("frame.*", told.value.args[0])[0], {"frame": frame})
    assert treelinemap.build(frame).bounds == pytest.approx((2.35, 41.9, 12.5, 48.85), abs=1e-6)


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        (dict(x={"a": [1.0], "b": [2.0], "c": [3.0]}), KeyError, "found 'a', 'b', 'c'; choose two columns with lon= and lat="),
        (dict(x={"lon": [1.0], "lat": [2.0]}, lon="east"), KeyError, "'east' for lon=; columns: 'lon', 'lat'"),
        (
            dict(x={"lon": [1.0], "lat": [2.0]}, lon="lon"),
            ValueError,
            "both coordinate columns, found no name for lat=",
        ),
        (dict(x={"lon": [1.0], "Lon": [2.0], "lat": [2.0]}), ValueError, "found 'lon' and 'Lon'; choose a column with lon="),
        (dict(x=[1.0], y=[2.0], lon="lon"), TypeError, "found both"),
        (dict(x=np.zeros((3, 2)), lon="lon", lat="lat"), TypeError, "expected a table, because .* found ndarray"),
        (dict(x="places.csv"), TypeError, "found the path 'places.csv'; read the file"),
        (dict(x={"lon": ["east"], "lat": [2.0]}), ValueError, "column 'lon': could not convert"),
        (
            dict(x={"lon": [1.0], "lat": [2.0], "n": [3]}, columns=["m"]),
            KeyError,
            "no column 'm'; columns: 'lon', 'lat', 'n'",
        ),
        (dict(x={"lon": [1.0], "lat": [2.0], "n": [[3]]}), ValueError, "column 'n': expected one dimension"),
        (dict(x=pd.DataFrame({"lon": [1.0], "lat": [2.0], "n": [[3]]})), TypeError, "convert or leave out the column"),
        (dict(x=pl.LazyFrame({"lon": [1.0], "lat": [2.0]})), TypeError, "found a value of type LazyFrame"),
    ],
)
def test_what_is_no_table_of_points_is_told(arguments, error, message):
    with pytest.raises(error, match=message):
        treelinemap.build(**arguments)


@pytest.fixture
def gaps(points):
    """Returns the points after three of them have lost their places, and the rows of these three points."""
    lon, lat = points["lon"].copy(), points["lat"].copy()
    lon[7], lat[4000], lon[4999] = np.nan, 91, np.inf
    names = ["price", "rooms", "kind", "open", "opened"]
    return pd.DataFrame({"lon": lon, "lat": lat, **{name: points[name] for name in names}}), [7, 4000, 4999]


def test_rows_without_a_place_are_left_out_if_asked_for(gaps, tmp_path):
    frame, invalid = gaps
    with pytest.raises(
        treelinemap.BuildError, match="row 7: .* found longitude nan .*; skip_invalid=True leaves out invalid rows"
    ):
        treelinemap.build(frame)
    with pytest.warns(UserWarning, match="3 rows are not in the tree, .* the first is row 7: nan, "):
        tree = treelinemap.build(frame, skip_invalid=True, kinds={"price": "number+percentiles"})
    assert len(tree) == len(frame) - 3 and tree.row_count == len(frame)
    rows = tree.members(tree.root()[0])["row"]
    assert sorted(rows.tolist()) == sorted(set(range(len(frame))) - set(invalid))
    # The values of a row stay with this row.
    indices = [tree.tree_index(row) for row in (8, 3999, 4001)]
    assert tree.values("rooms", indices).tolist() == frame["rooms"][[8, 3999, 4001]].tolist()
    assert tree.clusters(limit=1, aggregate="sum(rooms)")["sum_rooms"][0] == frame["rooms"].drop(invalid).sum()
    # A table without these three rows gives the same tree.
    whole = treelinemap.build(frame.drop(invalid))
    assert whole.content_hash == tree.content_hash
    tree.save(tmp_path / "tree.treeline")
    assert treelinemap.verify(tmp_path / "tree.treeline") == []
    assert treelinemap.open(tmp_path / "tree.treeline").members(tree.root()[0])["row"].tolist() == rows.tolist()


def test_a_row_that_is_left_out_may_have_a_value_that_suits_no_column(gaps, tmp_path):
    frame, invalid = gaps
    frame.loc[invalid, "price"] = np.inf
    frame[["lon", "lat", "price"]].to_parquet(tmp_path / "places.parquet")
    with pytest.raises(treelinemap.ColumnError, match="row 7 .* found inf"):
        treelinemap.build(frame)
    with pytest.warns(UserWarning, match="3 rows are not in"):
        tree = treelinemap.build(frame, skip_invalid=True)
        treelinemap.build_parquet(tmp_path / "places.parquet", out=tmp_path / "out", columns=["price"], skip_invalid=True)
    assert len(tree) == len(treelinemap.open(tmp_path / "out")) == len(frame) - 3
    frame.loc[8, "price"] = np.inf
    with pytest.raises(treelinemap.ColumnError, match="row 8 .* found inf"):
        treelinemap.build(frame, skip_invalid=True)


def test_an_index_of_a_table_with_gaps_is_that_of_its_parquet_file(gaps, tmp_path):
    frame, _ = gaps
    frame = frame.drop(columns="kind")
    frame.to_parquet(tmp_path / "places.parquet")
    names = ["price", "rooms", "open", "opened"]
    with pytest.warns(UserWarning):
        treelinemap.build(frame, skip_invalid=True, columns=names).save(tmp_path / "one")
        source, out = tmp_path / "places.parquet", tmp_path / "other"
        treelinemap.build_parquet(source, out=out, columns=names, skip_invalid=True)
    assert filecmp.cmp(tmp_path / "one", tmp_path / "other", shallow=False)


def test_tables_without_gaps_are_built_as_ever(frame, recwarn):
    for options in (dict(grow="merge"), dict(group_by="kind"), dict(split="mean")):
        assert len(treelinemap.build(frame, skip_invalid=True, **options)) == len(frame)
    assert len(recwarn) == 0


def test_an_error_of_a_build_without_some_rows_is_the_only_one(gaps):
    with pytest.raises(treelinemap.BuildError, match="split=") as raised:
        treelinemap.build(gaps[0], skip_invalid=True, split="gamma:2")
    assert raised.value.__context__ is None


@pytest.mark.parametrize(
    "options", [dict(grow="scatter"), dict(split="gamma:2"), dict(group_by="kind"), dict(never_cluster="open")]
)
def test_what_cannot_leave_out_rows_says_so(gaps, options):
    with pytest.raises(
        treelinemap.BuildError, match=f"^3 rows .* the first is row 7; .* with {next(iter(options))}=, so drop these"
    ):
        treelinemap.build(gaps[0], skip_invalid=True, **options)


@pytest.mark.parametrize("options", [dict(supporting="spacing"), dict(supporting="badges", anchor="member")])
def test_merged_trees_can_leave_out_rows(gaps, options):
    frame, invalid = gaps
    with pytest.warns(UserWarning, match="3 rows are not in the tree"):
        tree = treelinemap.build(frame, skip_invalid=True, **options)
    assert tree.content_hash == treelinemap.build(frame.drop(invalid), **options).content_hash


def test_classes_derived_from_those_of_pandas_are_read_alike():
    class Frame(pd.DataFrame):
        pass

    class Series(pd.Series):
        pass

    frame = Frame({"lon": [1.0, 2], "lat": [3.0, 4], "a": [1, "x"]})
    for arguments in ((frame,), ([1, 2], [3, 4])):
        columns = {"a": Series([1, "x"])} if len(arguments) == 2 else None
        with pytest.raises(TypeError, match="column 'a', row 1: expected a number, found 'x'"):
            treelinemap.build(*arguments, columns=columns)
    assert treelinemap.build(frame[["lon", "lat"]], key=frame.index).keys.tolist() == [0, 1]


def test_every_row_may_be_without_a_place():
    with pytest.warns(UserWarning, match="2 rows are not in the tree"):
        tree = treelinemap.build({"lon": [None, 200.0], "lat": [1.0, 2.0], "n": [1, 2]}, skip_invalid=True)
    assert len(tree) == 0 and tree.row_count == 2 and tree.clusters(limit=3).labels.tolist() == [-1, -1]


@pytest.mark.parametrize(
    "values",
    [
        pd.Categorical(["b", None, "a"]),
        pd.CategoricalIndex(["b", None, "a"]),
        pd.Series(["b", None, "a"], dtype="category"),
        pd.array(["b", None, "a"], dtype="string"),
        pd.Index(["b", None, "a"]),
    ],
)
def test_arrays_of_pandas_are_columns(values):
    tree = treelinemap.build([1, 2, 3], [4, 5, 6], columns={"v": values}, kinds={"v": "category"})
    assert tree.values("v", [tree.tree_index(row) for row in range(3)]).tolist() == ["b", None, "a"]


def test_other_arrays_of_pandas_are_columns():
    columns = {
        "n": pd.array([1, None, 2**63 - 1], dtype="Int64"), "b": pd.array([True, None, False], dtype="boolean"),
        "t": pd.DatetimeIndex(["2024-05-01", None, "2024-05-02"], tz="UTC"), "f": pd.RangeIndex(3),
    }  # fmt: skip
    tree = treelinemap.build(pd.Index([1, 2, 3]), pd.array([4, 5, 6]), columns=columns)
    assert tree.columns == {"n": "number", "b": "boolean", "t": "time", "f": "number"}
    indices = [tree.tree_index(row) for row in range(3)]
    assert tree.values("n", indices).tolist() == [1, None, 2**63 - 1]
    assert tree.values("b", indices).tolist() == [True, None, False] and tree.values("f", indices).tolist() == [0, 1, 2]
    with pytest.raises(ValueError, match="column 'a': expected one dimension, found 2"):
        treelinemap.build([1], [2], columns={"a": pd.DataFrame({"a": [1]})})


@pytest.mark.parametrize("dtype", ["Float64", "Int64", "float64[pyarrow]"])
def test_missing_coordinates_of_pandas_are_told(dtype):
    frame = pd.DataFrame({"lon": pd.array([1, None], dtype=dtype), "lat": [1.0, 2.0]})
    with pytest.raises(treelinemap.BuildError, match="row 1: .* found longitude nan"):
        treelinemap.build(frame)
    with pytest.warns(UserWarning, match="1 row is not in the tree, because its coordinates are invalid; .* 1: nan, 2"):
        assert len(treelinemap.build(frame, skip_invalid=True)) == 1


@pytest.mark.parametrize(
    "values", [[2**63 - 1, 5], [-(2**63), 5], [-(2**63)], [2**63 - 2, -(2**63)], [2**63 - 1, 1 - 2**63]]
)
def test_the_greatest_whole_numbers_are_exact(values):
    given = [*values, None]
    columns = {
        "n": values + values[:1],
        "gap": given,
        "arrow": pa.array(given),
        "decimal": pa.array(given, pa.decimal128(19)),
    }
    tree = treelinemap.build(range(len(given)), range(len(given)), columns=columns)
    indices = [tree.tree_index(row) for row in range(len(given))]
    found = tree.values("n", indices)
    assert found.dtype == np.int64 and found.tolist() == columns["n"]
    answer = tree.clusters(limit=1, aggregate="min(n), max(n), min(gap), max(gap)")
    for name in ("gap", "arrow", "decimal"):
        assert tree.values(name, indices).tolist() == given
    assert answer[0].values == {
        "min_n": min(values),
        "max_n": max(values),
        "min_gap": min(values),
        "max_gap": max(values),
    }
    assert len(tree.select(f"n = {values[0]}")) == 2
    table = answer.to_arrow()
    assert table["max_gap"].to_pylist() == [max(values)] and answer.to_pandas()["min_n"].tolist() == [min(values)]


def test_whole_numbers_of_which_no_column_keeps_both_are_refused():
    extremes = [-(2**63), 2**63 - 1]
    for values in (
        extremes,
        np.array(extremes),
        pd.Series([*extremes, None], dtype="Int64"),
        pa.array([None, *extremes]),
    ):
        with pytest.raises(
            ValueError, match="column 'n': expected whole numbers that differ by less than .* -9223372036854775808"
        ):
            treelinemap.build(range(len(values)), range(len(values)), columns={"n": values})
    texts = treelinemap.build([1, 2], [1, 2], columns={"n": extremes}, kinds={"n": "text"})
    assert sorted(texts.values("n", [0, 1]).tolist()) == ["-9223372036854775808", "9223372036854775807"]


def test_infinity_is_no_missing_value():
    with pytest.raises(treelinemap.ColumnError, match="row 1 .*expected a finite number, or NaN .* found inf"):
        treelinemap.build([1, 2], [1, 2], columns={"n": [np.nan, np.inf]})
    tree = treelinemap.build([1, 2], [1, 2], columns={"n": [np.nan, 1.7e308]})
    assert np.isnan(tree.values("n", [0, 1])).sum() == 1
