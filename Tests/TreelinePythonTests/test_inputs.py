"""Whatever holds values gives the same tree as the arrays of numpy that it stands for."""

import datetime

import numpy as np
import pytest
import treeline

pd = pytest.importorskip("pandas")
pl = pytest.importorskip("polars")
pa = pytest.importorskip("pyarrow")
geopandas = pytest.importorskip("geopandas")

AGGREGATES = "count(price), sum(price), sum(rooms), counts(kind), any(open), min(opened), max(opened)"


def told(tree):
    """All that is told of a tree's columns."""
    answer = tree.clusters(limit=30, aggregate=AGGREGATES)
    return {"hash": tree.content_hash, "columns": tree.columns} | {
        name: values.tolist() for name, values in answer.values.items()
    }


@pytest.fixture(scope="module")
def gaps(points):
    """The points with missing values in every column, as masks."""
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
    return told(treeline.build(points["lon"].tolist(), points["lat"].tolist(), columns=lists))


def test_lists_know_missing_values(expected, points, gaps):
    assert expected["columns"] == dict(price="number", rooms="number", kind="category", open="boolean", opened="time")
    present = ~gaps["price"] & ~np.isnan(points["price"])
    assert sum(expected["count_price"]) == present.sum()
    assert sum(expected["sum_price"]) == pytest.approx(points["price"][present].sum())
    assert sum(expected["sum_rooms"]) == points["rooms"][~gaps["rooms"]].sum()
    assert min(expected["min_opened"]) == str(points["opened"][~gaps["opened"]].min())
    kinds = points["kind"][~gaps["kind"]]
    for kind in ("hotel", "hostel", "camping"):
        assert sum(counts.get(kind, 0) for counts in expected["counts_kind"]) == (kinds == kind).sum()


def test_pandas(frame, points, expected):
    lon, lat = pd.Series(points["lon"]), pd.Series(points["lat"])
    assert told(treeline.build(lon, lat, columns=frame)) == expected
    categories = frame.assign(kind=frame["kind"].astype("category"))
    assert told(treeline.build(lon, lat, columns=categories)) == expected
    zoned = frame.assign(opened=frame["opened"].dt.tz_localize("UTC").dt.tz_convert("Asia/Tokyo"))
    assert told(treeline.build(lon, lat, columns=zoned)) == expected
    arrow = frame.convert_dtypes(dtype_backend="pyarrow")
    assert told(treeline.build(lon, lat, columns=arrow)) == expected


def test_arrow_and_polars(frame, points, expected):
    table = pa.Table.from_pandas(frame.assign(opened=frame["opened"].dt.date))
    lon, lat = pa.array(points["lon"]), pa.chunked_array([points["lat"][:7], points["lat"][7:]])
    assert told(treeline.build(lon, lat, columns=table)) == expected
    encoded = table.set_column(2, "kind", table["kind"].dictionary_encode())
    assert told(treeline.build(lon, lat, columns=encoded)) == expected
    chunks = pa.concat_tables([table.slice(0, 1234), table.slice(1234)])
    assert told(treeline.build(lon, lat, columns=chunks)) == expected
    polars = pl.from_arrow(table)
    assert told(treeline.build(pl.Series(points["lon"]), pl.Series(points["lat"]), columns=polars)) == expected
    categories = polars.with_columns(pl.col("kind").cast(pl.Categorical))
    assert told(treeline.build(points["lon"], points["lat"], columns=categories)) == expected


def test_what_speaks_arrow_alone(points, expected, frame):
    class Capsule:
        """Of some library that nobody has heard of."""

        def __init__(self, array):
            self.array = array

        def __len__(self):
            return len(self.array)

        def __arrow_c_array__(self, requested_schema=None):
            return self.array.__arrow_c_array__(requested_schema)

    columns = {name: Capsule(pa.array(frame[name], from_pandas=True)) for name in frame}
    lon, lat = (Capsule(pa.array(points[name])) for name in ("lon", "lat"))
    assert told(treeline.build(lon, lat, columns=columns)) == expected


def test_geopandas(frame, points, expected):
    geometry = geopandas.points_from_xy(points["lon"], points["lat"])
    places = geopandas.GeoDataFrame(frame, geometry=geometry, crs="EPSG:4326")
    assert told(treeline.build(places)) == expected
    assert list(treeline.build(places, columns=["rooms"]).columns) == ["rooms"]
    mercator = treeline.build(places.to_crs(3857))
    # Rounded on the way there and back, positions are the same to a centimetre.
    for found, wanted in zip(mercator.bounds, treeline.build(places).bounds):
        assert found == pytest.approx(wanted, abs=1e-6)


def test_arrays_of_any_layout(points):
    expected = treeline.build(points["lon"], points["lat"], columns={"rooms": points["rooms"]})
    pairs = np.column_stack([points["lon"], points["lat"]])
    records = np.rec.fromarrays([points["rooms"], points["lat"], points["lon"]], names="rooms,lat,lon")
    reverse = points["lon"][::-1].copy()[::-1]
    for tree in (
        treeline.build(pairs),
        treeline.build(np.asfortranarray(pairs)),
        treeline.build(records["lon"], records["lat"], columns={"rooms": records["rooms"]}),
        treeline.build(reverse, points["lat"]),
        treeline.build(points["lon"].astype(">f8"), points["lat"]),
    ):
        assert tree.content_hash == expected.content_hash
    strided = treeline.build(records["lon"], records["lat"], columns={"rooms": records["rooms"]})
    rows = strided.clusters(limit=9, aggregate="sum(rooms), max(rooms)").values
    assert rows["sum_rooms"].sum() == points["rooms"].sum() and rows["max_rooms"].max() == points["rooms"].max()


@pytest.mark.parametrize("type", ["i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8", "f4", "f8"])
def test_numbers_of_any_width(points, type):
    numbers = (points["rooms"] % 100).astype(type)
    tree = treeline.build(points["lon"], points["lat"], columns={"n": numbers})
    values = tree.clusters(limit=5, aggregate="sum(n)")["sum_n"]
    assert values.sum() == numbers.astype("i8").sum() and values.dtype == np.int64


def test_numbers_beyond_doubles_are_exact():
    large = np.array([2**62 + 1, 2**62 + 3, -5])
    tree = treeline.build([0, 0, 9], [0, 0, 9], columns={"n": large})
    assert sorted(tree.clusters(limit=2, aggregate="max(n), min(n)")["max_n"].tolist()) == [-5, 2**62 + 3]
    # A sum that no 64 bits hold is the nearest double.
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
        tree = treeline.build([1], [2], columns={"t": time})
        assert tree.columns == {"t": "time"}
        assert tree.clusters(limit=1, aggregate="max(t)")["max_t"].tolist() == ["2024-05-01T12:00:00Z"]
    tree = treeline.build([1], [2], columns={"t": np.array(["1899-12-31"], "M8[D]")})
    assert tree.clusters(limit=1, aggregate="max(t)")["max_t"].tolist() == ["1899-12-31"]


def test_texts_survive():
    texts = ["Reykjavík", "", None, "東京", "a&b%20", '"quoted"']
    tree = treeline.build(range(6), range(6), columns={"name & so": texts}, kinds={"name & so": "text"})
    rows = tree.members(int(tree.root().id[0]))
    values = tree.values("name & so", rows["tree_index"])
    # Nothing and an empty text are told apart.
    assert [values[i] for i in np.argsort(rows["row"])] == texts


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        (dict(x=[1, 2], y=[3]), ValueError, "as many x as y, found 2 and 1"),
        (dict(x=[1, 2]), ValueError, "two arrays of coordinates"),
        (dict(x=[1], y=[99]), treeline.BuildError, "found longitude 1 and latitude 99"),
        (dict(x=[1], y=[np.nan]), treeline.BuildError, "found longitude 1 and latitude nan"),
        (dict(x=[1], y=[2], columns={"a": [1, 2]}), ValueError, "column 'a': expected 1 values"),
        (dict(x=[1], y=[2], columns={"a": [[1]]}), ValueError, "one dimension"),
        (dict(x=[1], y=[2], columns={"a": [1j]}), TypeError, "complex"),
        (dict(x=[1], y=[2], columns={"a": [object()]}), TypeError, "column 'a', row 0"),
        (dict(x=[1], y=[2], columns={"a": ["b"]}, kinds={"c": "text"}), KeyError, "'c'"),
        (dict(x=[1], y=[2], columns={"a": ["b"]}, kinds={"a": "sort"}), treeline.ArgumentError, "found 'sort'"),
        (dict(x=[1], y=[2], columns={"a": ["b"]}, kinds={"a": "number"}), treeline.ColumnError, 'found "b"'),
        (dict(x=[1], y=[2], grow="up"), treeline.ParameterError, "'grow' must be split or merge or badges or scatter"),
        (dict(x=[1], y=[2], badge_gap=4, grow="merge"), treeline.ParameterError, "'badge_gap' must be grow=badges"),
        (dict(x=[1], y=[2], group_by="a"), treeline.ArgumentError, '"a"'),
        (dict(x=[1], y=[2], columns={"a\0": [1]}), ValueError, "zero character"),
    ],
)
def test_errors_tell_what_is_wrong(arguments, error, message):
    with pytest.raises(error) as raised:
        treeline.build(**arguments)
    assert message in str(raised.value)
    assert isinstance(raised.value, (ValueError, TypeError, KeyError))
