"""Writes an archive of tiles in PMTiles with the land of Natural Earth, as a base map."""

import gzip
import json
import math

from pmtiles.tile import Compression, TileType, zxy_to_tileid
from pmtiles.writer import Writer


def write_basemap(path, outline, zooms=2):
    """Writes tiles of the first zooms, each with all land, clipped by nothing but the renderer."""
    rings = [ring for feature in json.loads(outline.read_text())["features"] for ring in rings_of(feature["geometry"])]
    with open(path, "wb") as file:
        writer = Writer(file)
        for z in range(zooms):
            for x in range(2 ** z):
                for y in range(2 ** z):
                    writer.write_tile(zxy_to_tileid(z, x, y), gzip.compress(tile(rings, z, x, y)))
        header = {"tile_type": TileType.MVT, "tile_compression": Compression.GZIP, "min_zoom": 0, "max_zoom": zooms - 1,
                  "min_lon_e7": -1_800_000_000, "min_lat_e7": -850_000_000, "max_lon_e7": 1_800_000_000, "max_lat_e7": 850_000_000,
                  "center_zoom": 0, "center_lon_e7": 0, "center_lat_e7": 0}
        writer.finalize(header, {"vector_layers": [{"id": "land", "fields": {}}], "attribution": "<b>Natural Earth</b> test"})
    return path


def rings_of(geometry):
    """Returns the outer rings of a geometry."""
    polygons = [geometry["coordinates"]] if geometry["type"] == "Polygon" else geometry["coordinates"]
    return [polygon[0] for polygon in polygons]


def tile(rings, z, x, y):
    """Encodes a vector tile (Mapbox Vector Tile 2.1) with one layer `land`."""
    features = b"".join(field(2, feature(ring, z, x, y)) for ring in rings)
    return field(3, field(1, b"land") + features + number(5, 4096) + number(15, 2))


def feature(ring, z, x, y):
    points = [position(longitude, latitude, z, x, y) for longitude, latitude in ring[:-1]]
    points = [point for at, point in enumerate(points) if point != points[at - 1]]
    if len(points) < 3:
        return b""
    # Outer rings have a positive area in the coordinates of a tile, in which y grows downward.
    if sum(a[0] * b[1] - b[0] * a[1] for a, b in zip(points, points[1:] + points[:1])) < 0:
        points.reverse()
    commands, last = [1 | 1 << 3], (0, 0)
    for at, point in enumerate(points):
        if at == 1:
            commands.append(2 | (len(points) - 1) << 3)
        commands += [zigzag(point[0] - last[0]), zigzag(point[1] - last[1])]
        last = point
    commands.append(7 | 1 << 3)
    return number(3, 3) + field(4, b"".join(map(varint, commands)))


def position(longitude, latitude, z, x, y):
    sine = math.sin(math.radians(max(min(latitude, 85), -85)))
    world = ((longitude + 180) / 360, 0.5 - math.log((1 + sine) / (1 - sine)) / (4 * math.pi))
    return tuple(round((value * 2 ** z - tile) * 4096) for value, tile in zip(world, (x, y)))


def zigzag(value):
    return value << 1 if value >= 0 else (-value << 1) - 1


def varint(value):
    data = b""
    while value > 127:
        data += bytes([value & 127 | 128])
        value >>= 7
    return data + bytes([value])


def field(key, data):
    return varint(key << 3 | 2) + varint(len(data)) + data


def number(key, value):
    return varint(key << 3) + varint(value)
