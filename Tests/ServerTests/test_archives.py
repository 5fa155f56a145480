"""Checks the PMTiles and MBTiles that `treelinemap tiles` writes, with independent readers."""

import collections
import gzip
import json
import sqlite3
import subprocess

import mapbox_vector_tile
import pytest
from pmtiles.reader import MmapSource, Reader, all_tiles

from conftest import ROOT
from programs import program

ZOOMS = range(0, 12)


def write(index, path, *options):
    done = subprocess.run(
        [program("TREELINE_TOOL"), "tiles", index, "-o", path, "--zooms", f"0-{ZOOMS[-1]}", *options], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return path


@pytest.fixture(scope="module")
def archive(indexes, tmp_path_factory):
    options = ["--badges", "0.5", "--filter", "postcode < 300", "--aggregate", "max(postcode)"]
    index = tmp_path_factory.mktemp("archives") / "badges.treeline"
    subprocess.run(
        [program("TREELINE_TOOL"), "build", ROOT / "Fixtures/iceland_addresses.csv.gz", "-o", index, "--grow", "badges", "--columns",
         "postcode:number,place:category", "--attribution", "© A & <i>B</i>"], check=True, capture_output=True)
    path = write(index, index.with_suffix(".pmtiles"), *options)
    assert path.read_bytes() == write(index, index.with_name("again.pmtiles"), *options, "--threads", "1").read_bytes()
    with open(path, "rb") as file:
        yield index, options, Reader(MmapSource(file))


def features(tile):
    layers = mapbox_vector_tile.decode(gzip.decompress(tile), default_options={"y_coord_down": True})
    assert list(layers) == ["clusters"] and layers["clusters"]["extent"] == 4096
    return layers["clusters"]["features"]


def test_tiles_of_each_zoom_are_the_clusters_of_the_whole_map(archive):
    """Tiles also contain the counts, columns and aggregates that a query prints."""
    index, options, reader = archive
    found = collections.defaultdict(dict)
    for (zoom, x, y), tile in all_tiles(reader.get_bytes):
        for feature in features(tile):
            assert feature["id"] not in found[zoom], "each cluster is in one tile"
            assert all(0 <= place < 4096 for place in feature["geometry"]["coordinates"])
            for name in ("area_km2", "area_px"):
                feature["properties"].pop(name, None)
            found[zoom][feature["id"]] = feature["properties"]
    assert sorted(found) == list(ZOOMS)
    for zoom in (0, 5, 11):
        query = [program("TREELINE_TOOL"), "query", index, "--zoom", str(zoom + 1), *options]
        answer = json.loads(subprocess.run(query, check=True, capture_output=True).stdout)
        expected = {feature["id"]: feature["properties"] for feature in answer["features"]}
        assert found[zoom] == expected
    totals = {sum(properties["point_count"] for properties in clusters.values()) for clusters in found.values()}
    assert len(totals) == 1, "counts add up to the same at every zoom"


def test_the_header_and_the_directories_are_as_the_format_wants_them(archive):
    _, _, reader = archive
    header, metadata = reader.header(), reader.metadata()
    assert header["clustered"] and header["addressed_tiles_count"] == sum(1 for _ in all_tiles(reader.get_bytes))
    assert (header["min_zoom"], header["max_zoom"]) == (0, ZOOMS[-1])
    assert header["root_offset"] + header["root_length"] <= 16_384
    assert -250_000_000 < header["min_lon_e7"] < header["center_lon_e7"] < header["max_lon_e7"] < -130_000_000
    assert metadata["attribution"] == "© A &amp; &lt;i&gt;B&lt;/i&gt;"
    fields = metadata["vector_layers"][0]["fields"]
    assert fields["max_postcode"] == fields["point_count"] == "Number" and fields["place"] == "String"


def test_mbtiles_hold_the_same_tiles(archive):
    index, options, reader = archive
    database = sqlite3.connect(write(index, index.with_suffix(".mbtiles"), *options))
    tiles = {(zoom, x, 2**zoom - 1 - row): data
             for zoom, x, row, data in database.execute("SELECT zoom_level, tile_column, tile_row, tile_data FROM tiles")}
    assert tiles == dict(all_tiles(reader.get_bytes))
    metadata = dict(database.execute("SELECT name, value FROM metadata"))
    assert metadata["format"] == "pbf" and metadata["maxzoom"] == str(ZOOMS[-1])
    assert json.loads(metadata["json"])["vector_layers"] == reader.metadata()["vector_layers"]
    assert database.execute("PRAGMA integrity_check").fetchone() == ("ok",)


def test_more_tiles_than_the_root_directory_lists_are_found(tmp_path):
    with open(write(ROOT / "Fixtures/cities.csv.gz", tmp_path / "cities.pmtiles", "--badges", "1"), "rb") as file:
        reader = Reader(MmapSource(file))
        header, tiles = reader.header(), dict(all_tiles(reader.get_bytes))
        assert header["leaf_directory_length"] > 0 and header["addressed_tiles_count"] == len(tiles)
        for number, (zoom, x, y) in enumerate(tiles):
            if number % 500 == 0:
                assert reader.get(zoom, x, y) == tiles[zoom, x, y]
