"""Checks that an index of Parquet files equals, byte for byte, an index of their rows in memory."""

import filecmp
import json
import os
import signal
import struct
import subprocess
import threading
import warnings

import numpy as np
import pytest
import treelinemap

pa = pytest.importorskip("pyarrow")
pq = pytest.importorskip("pyarrow.parquet")
pc = pytest.importorskip("pyarrow.compute")
pytest.importorskip("pyarrow.csv")

#: A memory budget that is so small that the index is built in many pieces.
MEMORY = "200kB"
COUNT = 6000


@pytest.fixture(scope="module")
def table():
    random = np.random.default_rng(11)
    lon = random.normal(178, 5, COUNT).round(6)
    return pa.table({"lon": np.where(lon > 180, lon - 360, lon), "lat": random.normal(-17, 9, COUNT).round(6)})


@pytest.fixture(scope="module", params=[{"split": "mean"}, {"split": "least-scatter"}, {"supporting": "spacing"}], ids=str)
def growth(request):
    return request.param


@pytest.fixture
def expected(table, growth, tmp_path):
    path = tmp_path / "whole.treeline"
    treelinemap.build(table["lon"], table["lat"], **growth).save(path)
    return path


def write(folder, table, files=3):
    folder.mkdir()
    step = -(-len(table) // files)
    for number in range(files):
        part = table.slice(number * step, step)
        pq.write_table(part, folder / f"part-{number}.parquet", row_group_size=700)
    (folder / "_SUCCESS").touch()
    return folder


def wkb(x, y, number):
    """Returns a point in WKB, in one of the forms that various programs write."""
    match number % 4:
        case 0: return struct.pack("<BIdd", 1, 1, x, y)
        case 1: return struct.pack(">BIdd", 0, 1, x, y)
        case 2: return struct.pack("<BIIdd", 1, 0x20000001, 4326, x, y)
        case _: return struct.pack("<BIddd", 1, 1001, x, y, 12)  # fmt: skip


def encoded(table, encoding):
    pairs = list(zip(table["lon"].to_pylist(), table["lat"].to_pylist()))
    match encoding:
        case "WKB": points = pa.array([wkb(x, y, number) for number, (x, y) in enumerate(pairs)])
        case "point": points = pa.array([{"x": x, "y": y} for x, y in pairs])
        case _: points = pa.array(pairs, pa.list_(pa.float64(), 2))  # fmt: skip
    described = {"encoding": encoding, "geometry_types": ["Point"]}
    geo = {"version": "1.1.0", "primary_column": "place", "columns": {"place": described}}
    return pa.table({"place": points}).replace_schema_metadata({"geo": json.dumps(geo)})


def test_files_are_their_rows(table, expected, growth, tmp_path):
    folder = write(tmp_path / "places", table)
    for number, source in enumerate([folder, f"{folder}/*.parquet", sorted(folder.glob("*.parquet"))]):
        out = tmp_path / f"{number}.treeline"
        built = treelinemap.build_parquet(source, out=out, **growth, memory=MEMORY)
        assert filecmp.cmp(out, expected, shallow=False)
        assert built.open().has_separations == ("supporting" in growth)
        assert (built.point_count, built.refused_count) == (COUNT, 0)
    assert not [name for name in os.listdir(tmp_path) if name.startswith(".")]


@pytest.mark.parametrize("encoding", ["WKB", "point", "interleaved"])
def test_geoparquet_in_all_encodings(table, expected, growth, encoding, tmp_path):
    source = write(tmp_path / "places", encoded(table, encoding))
    treelinemap.build_parquet(source, out=tmp_path / "out", **growth, memory=MEMORY)
    assert filecmp.cmp(tmp_path / "out", expected, shallow=False)


def test_plain_planes(table, tmp_path):
    source = write(tmp_path / "places", table.rename_columns(["x", "y"]))
    treelinemap.build_parquet(source, out=tmp_path / "out", planar=True, memory=MEMORY, unit="m")
    treelinemap.build(table["lon"], table["lat"], planar=True).save(tmp_path / "whole", unit="m")
    assert filecmp.cmp(tmp_path / "out", tmp_path / "whole", shallow=False)


@pytest.mark.parametrize("options", [dict(supporting="spacing"), dict(supporting="badges", badge_gap=4)])
def test_trees_for_spacings_and_badges(table, options, tmp_path):
    built = treelinemap.build_parquet(write(tmp_path / "in", table), out=tmp_path / "a", memory=MEMORY, **options)
    assert built.open().content_hash == treelinemap.build(table["lon"], table["lat"], **options).content_hash


@pytest.fixture
def hotels(points):
    """Returns a table with columns of all types. Some of their values are missing."""
    table = pa.table({name: pa.array(values, from_pandas=True) for name, values in points.items()})
    return table.append_column("stars", pa.array([number % 5 or None for number in range(len(table))]))


def test_columns_come_along_with_their_types(hotels, growth, tmp_path):
    names = ["price", "rooms", "kind", "open", "opened", "stars"]
    source, out = write(tmp_path / "hotels", hotels), tmp_path / "out"
    treelinemap.build_parquet(source, out=out, columns=names, **growth, memory="1MB")
    whole = treelinemap.build(hotels["lon"], hotels["lat"], columns=hotels.select(names), **growth)
    whole.save(tmp_path / "whole")
    assert filecmp.cmp(out, tmp_path / "whole", shallow=False)
    assert treelinemap.open(out).columns == whole.columns and whole.columns["opened"] == "time"


#: Expected kinds of columns that contain nulls.
KINDS = {"name": "text", "kind": "category", "price": "number", "rooms": "number", "open": "boolean", "day": "time",
         "opened": "time", "none": "text"}  # fmt: skip


@pytest.fixture
def gaps(table):
    """Returns a table in which each column contains nulls. One column contains only nulls."""
    random, count = np.random.default_rng(3), len(table)
    values = {
        "name": pa.array([f"Zum {number % 700}. Bären" for number in range(count)]),
        "kind": pa.array(["hotel", "hostel", "bar"] * (count // 3)),
        "price": pa.array(random.uniform(20, 400, count).round(2)),
        "rooms": pa.array(random.integers(1, 300, count)),
        "open": pa.array(random.random(count) < 0.5),
        "day": pa.array(np.datetime64("1950-01-01") + random.integers(0, 27000, count).astype("m8[D]")),
        "opened": pa.array(np.datetime64("1950-01-01") + random.integers(0, 10**12, count).astype("m8[ms]")),
        "none": pa.nulls(count, pa.string()),
    }
    for name, column in values.items():
        gap = pa.array(random.random(count) < 0.1)
        table = table.append_column(name, pa.compute.if_else(gap, pa.scalar(None, column.type), column))
    return table


@pytest.mark.skipif("TREELINE_TOOL" not in os.environ, reason="TREELINE_TOOL names no tool")
@pytest.mark.parametrize("format", ["csv", "geojson"])
def test_nulls_are_those_of_other_formats(gaps, format, tmp_path):
    """Checks that the index of a table is the same whether it is built from Parquet, from arrays, or from a file that
    the tool reads."""
    folder, source = write(tmp_path / "gaps", gaps), tmp_path / f"gaps.{format}"
    if format == "csv":
        pa.csv.write_csv(gaps, source)
    else:
        with source.open("w") as file:
            for row in gaps.to_pylist():
                point = {"type": "Point", "coordinates": [row.pop("lon"), row.pop("lat")]}
                feature = {"type": "Feature", "geometry": point, "properties": row}
                file.write(json.dumps(feature, default=lambda time: time.isoformat()) + "\n")
    columns = ",".join(f"{name}:{kind}" for name, kind in KINDS.items())
    tool = [os.environ["TREELINE_TOOL"], "build", source, "-o", tmp_path / "tool", "--columns", columns, "--quiet"]
    subprocess.run([*tool, "--split", "mean"], check=True)
    built = treelinemap.build_parquet(
        folder, out=tmp_path / "out", columns=KINDS, kinds=KINDS, split="mean", memory="1MB")  # fmt: skip
    assert filecmp.cmp(tmp_path / "out", tmp_path / "tool", shallow=False)
    assert built.open().columns == KINDS
    treelinemap.build(gaps["lon"], gaps["lat"], columns=gaps.select(list(KINDS)), kinds=KINDS, split="mean").save(
        tmp_path / "whole")  # fmt: skip
    assert filecmp.cmp(tmp_path / "whole", tmp_path / "tool", shallow=False)


def test_kinds_are_those_that_are_told(hotels, tmp_path):
    folder = write(tmp_path / "hotels", hotels)
    built = treelinemap.build_parquet(folder, out=tmp_path / "out", columns=["kind"], kinds={"kind": "text"})
    assert built.open().columns == {"kind": "text"}
    told = {"columns": ["price"], "kinds": {"price": "number+percentiles+distinct"}}
    treelinemap.build_parquet(folder, out=tmp_path / "out", split="mean", memory=MEMORY, **told)
    treelinemap.build(
        hotels["lon"], hotels["lat"], columns=hotels.select(["price"]), kinds=told["kinds"], split="mean"
    ).save(tmp_path / "whole")  # fmt: skip
    assert filecmp.cmp(tmp_path / "whole", tmp_path / "out", shallow=False)
    with pytest.raises(treelinemap.ArgumentError, match="percentile"):
        treelinemap.build_parquet(folder, out=tmp_path / "n", columns=["price"], kinds={"price": "number+percentile"})
    with pytest.raises(treelinemap.ColumnError, match="'?kind"):
        treelinemap.build_parquet(folder, out=tmp_path / "n", columns=["kind"], kinds={"kind": "number"})
    with pytest.raises(KeyError, match="'size'"):
        treelinemap.build_parquet(folder, out=tmp_path / "n", columns=["size"])
    with pytest.raises(KeyError, match="'kind'"):
        treelinemap.build_parquet(folder, out=tmp_path / "n", kinds={"kind": "text"})


def test_texts_may_be_many(table, tmp_path):
    many = pa.table({
        "lon": np.tile(table["lon"].to_numpy(), 13)[:70_000], "lat": np.tile(table["lat"].to_numpy(), 13)[:70_000],
        "name": [f"Zum {number}" for number in range(70_000)],
    })  # fmt: skip
    folder, kinds = write(tmp_path / "many", many), {"name": "category"}
    treelinemap.build_parquet(folder, out=tmp_path / "out", columns="name", kinds=kinds, memory="40MB", split="mean")
    whole = treelinemap.build(many["lon"], many["lat"], columns=many.select(["name"]), kinds=kinds, split="mean")
    whole.save(tmp_path / "whole")
    assert filecmp.cmp(tmp_path / "out", tmp_path / "whole", shallow=False)
    with pytest.raises(treelinemap.BuildError, match='Column "name" .* more memory'):
        treelinemap.build_parquet(folder, out=tmp_path / "n", columns="name", kinds=kinds, memory="1MB")


def test_rows_are_those_of_a_column(table, expected, growth, tmp_path):
    order = np.random.default_rng(5).permutation(COUNT)
    shuffled = table.append_column("id", pa.array(np.arange(COUNT))).take(order)
    folder = write(tmp_path / "places", shuffled)
    treelinemap.build_parquet(folder, out=tmp_path / "out", row="id", **growth, memory=MEMORY)
    assert filecmp.cmp(tmp_path / "out", expected, shallow=False)
    far = shuffled.set_column(2, "id", pa.array(np.arange(COUNT) + 2**53 - COUNT))
    folder = write(tmp_path / "far", far)
    tree = treelinemap.build_parquet(folder, out=tmp_path / "far.treeline", row="id", memory=MEMORY).open()
    assert tree.members(tree.root()[0]).row.max() == 2**53 - 1 == tree.row_count - 1
    with pytest.raises(ValueError, match="found 9007199254740991; use Tree.members"):
        tree.clusters(limit=3).labels
    with pytest.raises(treelinemap.BuildError, match="column 'id': expected a different row number .* found 3 twice"):
        twice = shuffled.set_column(2, "id", pa.array([3] * COUNT))
        treelinemap.build_parquet(write(tmp_path / "twice", twice), out=tmp_path / "n", row="id", memory=MEMORY)
    for number in (-1, 2**53 + 1, 2**64 - 1):
        pq.write_table(pa.table({"lon": [1.0], "lat": [2.0], "id": np.array([number])}), tmp_path / "bad.parquet")
        with pytest.raises(ValueError, match=f"column 'id', row 0: expected a row number from 0 to .*, found {number}"):
            treelinemap.build_parquet(tmp_path / "bad.parquet", out=tmp_path / "n", row="id")
    with pytest.raises(TypeError, match="integers"):
        treelinemap.build_parquet(folder, out=tmp_path / "n", row="lon")


def test_folders_of_partitions_are_columns(hotels, tmp_path):
    """Another program may divide a table by the values of a column and write one folder for each value. Checks that the
    index is the same as that of the whole table."""
    years = pa.array((hotels["rooms"].to_numpy() % 3 + 2022).astype(int))
    kinds = hotels["kind"].take(pa.array(np.arange(len(hotels))))
    table = hotels.select(["lon", "lat", "price"]).append_column("year", years).append_column("kind", kinds)
    folder = tmp_path / "places"
    pq.write_to_dataset(table, folder, partition_cols=["year", "kind"], basename_template="part-{i}.parquet")
    (folder / "_SUCCESS").touch()
    (folder / "_delta_log").mkdir()
    (folder / "_delta_log/part.parquet").write_text("no data")
    names = ["kind", "price", "year"]
    # Rows are in the order of the paths of their files.
    order = sorted(range(len(table)), key=lambda row: (years[row].as_py(), kinds[row].as_py()))
    rows = table.take(order)
    treelinemap.build(rows["lon"], rows["lat"], columns=rows.select(names)).save(tmp_path / "whole")
    sources = [folder, f"{folder}/year=*", f"{folder}/year=*/**/*.parquet", sorted(folder.glob("year=*"))]
    for number, source in enumerate(sources):
        out = tmp_path / f"{number}.treeline"
        built = treelinemap.build_parquet(source, out=out, columns=names, memory="1MB")
        assert filecmp.cmp(out, tmp_path / "whole", shallow=False)
        assert built.open().columns == {"kind": "category", "price": "number", "year": "number"}
    one = treelinemap.build_parquet(folder / "year=2023", out=tmp_path / "one", columns="year")
    assert one.point_count == (years.to_numpy() == 2023).sum() == len(one.open().select("year = 2023"))
    with pytest.raises(KeyError, match="no column 'size'; columns: 'lon', 'lat', 'price', 'year', 'kind'"):
        treelinemap.build_parquet(folder, out=tmp_path / "n", columns=["size"])


def test_values_of_folders_are_texts_or_whole_numbers(tmp_path):
    place = pa.table({"lon": [1.0], "lat": [2.0], "own": ["file"]})
    values = {"code": "007", "name": "Bad%20Homburg%2Fa", "n": "12", "own": "folder"}
    for value, other in (("7", "x"), ("__HIVE_DEFAULT_PARTITION__", "y")):
        texts = {**values, "gap": value, "o": other}
        path = tmp_path / "places" / "/".join(f"{name}={text}" for name, text in texts.items())
        path.mkdir(parents=True)
        pq.write_table(place, path / "a.parquet")
    names = [*values, "gap", "o"]
    kinds = {"name": "category", "code": "text", "own": "text", "o": "text"}
    tree = treelinemap.build_parquet(tmp_path / "places", out=tmp_path / "out", columns=names, kinds=kinds).open()
    found = {name: tree.values(name, [tree.tree_index(0), tree.tree_index(1)]).tolist() for name in names}
    assert found.pop("gap")[0] == 7 and np.isnan(tree.values("gap", [tree.tree_index(1)])).all()
    assert found == {
        "code": ["007"] * 2, "name": ["Bad Homburg/a"] * 2, "n": [12, 12], "own": ["file"] * 2, "o": ["x", "y"],
    }  # fmt: skip


def test_rows_without_a_place_are_an_error(table, tmp_path):
    lat = table["lat"].to_pylist()
    lat[5000] = 95.0
    folder = write(tmp_path / "places", table.set_column(1, "lat", pa.array(lat)))
    message = r"part-2.parquet, row 5000: expected a longitude from -180 to 180 and a latitude from -90 to 90, found .*, 95\.0; skip_invalid=True"
    for options in ({}, dict(skip_invalid=False)):
        with pytest.raises(treelinemap.BuildError, match=message):
            treelinemap.build_parquet(folder, out=tmp_path / "out", memory=MEMORY, **options)
    with pytest.raises(ValueError, match="refused= lists the rows that skip_invalid=True leaves out"):
        treelinemap.build_parquet(folder, out=tmp_path / "out", refused=tmp_path / "refused.parquet")
    assert os.listdir(tmp_path) == ["places"]


def test_names_of_coordinates_are_found_as_in_tables(table, expected, growth, tmp_path):
    folder = write(tmp_path / "places", table.rename_columns(["Längengrad", "Breitengrad"]))
    treelinemap.build_parquet(folder, out=tmp_path / "out", **growth, memory=MEMORY)
    assert filecmp.cmp(tmp_path / "out", expected, shallow=False)
    folder = write(tmp_path / "plain", table.rename_columns(["x", "y"]))
    treelinemap.build_parquet(folder, out=tmp_path / "out", **growth, memory=MEMORY, planar=False)
    assert filecmp.cmp(tmp_path / "out", expected, shallow=False)
    with pytest.warns(UserWarning, match="'x' and 'y' are read as plain x and y, but may be degrees"):
        built = treelinemap.build_parquet(folder, out=tmp_path / "out", **growth, memory=MEMORY)
    assert built.open().is_planar
    wide = pa.table({name: pc.multiply(table[own], 1000) for name, own in (("x", "lon"), ("y", "lat"))})
    folder = write(tmp_path / "wide", wide)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert treelinemap.build_parquet(folder, out=tmp_path / "out", memory=MEMORY).open().is_planar
    with pytest.raises(treelinemap.BuildError, match="most coordinates are not degrees; planar=True reads them"):
        treelinemap.build_parquet(folder, out=tmp_path / "out", memory=MEMORY, planar=False)
    folder = write(tmp_path / "unnamed", table.rename_columns(["a", "b"]))
    message = "found 'a', 'b'; choose two columns with lon= and lat=; geometry= chooses a column of points"
    with pytest.raises(KeyError, match=message):
        treelinemap.build_parquet(folder, out=tmp_path / "out", memory=MEMORY)


def test_rows_without_a_place_are_told(table, tmp_path):
    lon, lat = table["lon"].to_pylist(), table["lat"].to_pylist()
    bad = {3: (181.0, 4.0), 3000: (None, 5.0), 4001: (6.0, float("nan")), 5999: (float("inf"), 7.0)}
    for row, (x, y) in bad.items():
        lon[row], lat[row] = x, y
    folder = write(tmp_path / "places", pa.table({"lon": lon, "lat": lat}))
    with pytest.warns(UserWarning, match="4 rows are not in .* row 3: 181.0, 4.0"):
        built = treelinemap.build_parquet(
            folder, out=tmp_path / "out", memory=MEMORY, skip_invalid=True, refused=tmp_path / "refused.parquet"
        )
    assert [place.row for place in built.refused] == list(bad)
    assert pq.read_table(tmp_path / "refused.parquet")["row"].to_pylist() == list(bad)
    tree = built.open()
    assert len(tree) == built.point_count == COUNT - 4 and built.refused_count == 4
    assert sorted(tree.members(tree.root()[0]).row.tolist()) == [row for row in range(COUNT) if row not in bad]


def test_rows_without_a_place_need_no_number(tmp_path):
    table = pa.table({"lon": [1.0, None, 3.0, 4.0], "lat": [0.0] * 4, "id": [7, None, None, 5]})
    pq.write_table(table, tmp_path / "a.parquet")
    with pytest.raises(ValueError, match="column 'id', row 2: expected a row number .*, found a missing value"):
        treelinemap.build_parquet(tmp_path / "a.parquet", out=tmp_path / "out", row="id", skip_invalid=True)
    pq.write_table(table.take([0, 1, 3]), tmp_path / "a.parquet")
    with pytest.warns(UserWarning, match="the first is a row without a number: nan, 0.0"):
        built = treelinemap.build_parquet(
            tmp_path / "a.parquet", out=tmp_path / "out", row="id", skip_invalid=True, refused=tmp_path / "refused"
        )
    assert [place.row for place in built.refused] == pq.read_table(tmp_path / "refused")["row"].to_pylist() == [None]


def test_a_failed_build_keeps_the_older_list_of_refused_rows(tmp_path):
    columns = {"lon": [1.0, 200.0, 3.0], "lat": [0.0] * 3, "price": [1.0, 2.0, float("inf")]}
    path, refused = tmp_path / "a.parquet", tmp_path / "refused"
    pq.write_table(pa.table(columns), path)
    options = {"out": tmp_path / "out", "skip_invalid": True, "columns": ["price"]}
    with pytest.raises(treelinemap.ColumnError):
        treelinemap.build_parquet(path, refused=refused, **options)
    assert os.listdir(tmp_path) == ["a.parquet"]
    refused.write_text("older")
    with pytest.raises(treelinemap.ColumnError):
        treelinemap.build_parquet(path, refused=refused, **options)
    assert refused.read_text() == "older" and len(os.listdir(tmp_path)) == 2
    for other in (path, tmp_path / "out"):
        with pytest.raises(ValueError, match="refused=.*: expected another path"):
            treelinemap.build_parquet(path, refused=other, **options)


@pytest.mark.parametrize("row", [None, "id"])
def test_unsuitable_values_are_told_with_the_row_of_the_input(row, tmp_path):
    count = 70_000
    values = {
        "price": (np.where(np.arange(count) == 69_000, np.inf, 1), "\"price\", row {} counted from 0: .* found inf"),
        "number": (np.where(np.arange(count) == 69_000, 2**64 - 1, 1).astype("u8"), "'number', row {}: .*found 1844"),
        "point": ([b"\1\1" if n == 69_000 else None for n in range(count)], "'point', row {}: .* found '0101'"),
    }
    table = pa.table({"id": np.arange(count) + 5, "lon": np.arange(count) % 9 / 3, "lat": np.zeros(count)})
    for name, (value, message) in values.items():
        pq.write_table(table.append_column(name, pa.array(value)), tmp_path / "a.parquet")
        options = {"skip_invalid": True, "geometry" if name == "point" else "columns": name}
        with pytest.raises(ValueError, match=message.format(69_000 if row is None else 69_005)):
            treelinemap.build_parquet(tmp_path / "a.parquet", out=tmp_path / "out", row=row, **options)


def test_what_is_wrong_is_told_with_its_place(table, tmp_path):
    folder = write(tmp_path / "places", table)
    out = tmp_path / "out"
    with pytest.raises(KeyError, match="'length'"):
        treelinemap.build_parquet(folder, out=out, lon="length", lat="lat")
    with pytest.raises(FileNotFoundError, match="none"):
        treelinemap.build_parquet(tmp_path / "nowhere-*", out=out)
    with pytest.raises(FileNotFoundError, match="none"):
        treelinemap.build_parquet([], out=out)
    given = os.path.join(folder, os.listdir(folder)[0])
    os.link(given, tmp_path / "linked")
    before = (tmp_path / "linked").read_bytes()
    for same in (given, os.path.relpath(given), tmp_path / "linked"):
        with pytest.raises(ValueError, match="out=.*: expected another path than the paths of the input"):
            treelinemap.build_parquet(folder, out=same, overwrite=True)
    assert (tmp_path / "linked").read_bytes() == before
    (tmp_path / "torn.parquet").write_bytes(b"PAR1 and no more")
    with pytest.raises(ValueError, match=r"torn\.parquet: .*magic"):
        treelinemap.build_parquet([folder, tmp_path / "torn.parquet"], out=out)
    with pytest.raises(KeyError, match="'number'"):
        treelinemap.build_parquet(folder, out=out, row="number")
    degrees = encoded(table, "WKB")
    described = json.loads(degrees.schema.metadata[b"geo"])
    described["columns"]["place"]["crs"] = {"id": {"authority": "EPSG", "code": 3857}}
    pq.write_table(degrees, tmp_path / "degrees.parquet")
    pq.write_table(degrees.replace_schema_metadata({"geo": json.dumps(described)}), tmp_path / "meters.parquet")
    with pytest.raises(ValueError, match=r"meters\.parquet: column 'place': expected longitudes and latitudes"):
        treelinemap.build_parquet([tmp_path / "degrees.parquet", tmp_path / "meters.parquet"], out=out)
    unlike = tmp_path / "unlike.parquet"
    pq.write_table(table.rename_columns(["east", *table.column_names[1:]]), unlike)
    with pytest.raises(KeyError, match=r"unlike\.parquet: there is no column 'lon'; columns: 'east', 'lat'"):
        treelinemap.build_parquet([folder, unlike], out=out, lon="lon", lat="lat")
    with pytest.raises(ValueError, match="or '2GB', found 'much'"):
        treelinemap.build_parquet(folder, out=out, memory="much")
    with pytest.raises(treelinemap.BuildError, match="gamma"):
        treelinemap.build_parquet(folder, out=out, split="gamma:2")
    lines = [struct.pack("<BIdd", 1, 1, 1, 2), struct.pack("<BIIdddd", 1, 2, 2, 0, 0, 1, 1)]
    pq.write_table(pa.table({"geometry": lines}), tmp_path / "lines.parquet")
    with pytest.raises(ValueError, match="row 1: expected a point, found a line"):
        treelinemap.build_parquet(tmp_path / "lines.parquet", out=out, geometry="geometry")
    system = {"encoding": "WKB", "crs": {"id": {"authority": "EPSG", "code": 3857}}}
    geo = {"primary_column": "geometry", "columns": {"geometry": system}}
    projected = pa.table({"geometry": lines[:1]}).replace_schema_metadata({"geo": json.dumps(geo)})
    pq.write_table(projected, tmp_path / "projected.parquet")
    with pytest.raises(ValueError, match="found the coordinate system 3857"):
        treelinemap.build_parquet(tmp_path / "projected.parquet", out=out)
    assert not out.exists() and not [name for name in os.listdir(tmp_path) if name.startswith(".")]


@pytest.mark.parametrize("stage", ["reading", "planning", "partitioning", "building", "writing"])
def test_who_is_told_of_progress_can_stop_it(table, stage, tmp_path):
    folder = write(tmp_path / "places", table)
    told = []

    def progress(now, fraction):
        told.append(now)
        assert 0 <= fraction <= 1
        if now == stage:
            raise RuntimeError(stage)

    with pytest.raises(RuntimeError, match=stage):
        treelinemap.build_parquet(folder, out=tmp_path / "out", memory=MEMORY, progress=progress)
    assert stage in told and os.listdir(tmp_path) == ["places"]


def test_an_interrupt_stops_it(table, tmp_path):
    folder = write(tmp_path / "places", table)
    # A shell starts background jobs in such a way that they ignore interrupts. This undoes it.
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    interrupted = threading.Event()

    def progress(now, fraction):
        if now == "building" and not interrupted.is_set():
            interrupted.set()
            os.kill(os.getpid(), signal.SIGINT)

    try:
        with pytest.raises(KeyboardInterrupt):
            treelinemap.build_parquet(folder, out=tmp_path / "out", memory=MEMORY, progress=progress)
    finally:
        signal.signal(signal.SIGINT, before)
    assert os.listdir(tmp_path) == ["places"]
