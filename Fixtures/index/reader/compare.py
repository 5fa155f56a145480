"""Compares the readers that were written from IndexFormat.md and PublishedPages.md with the tool: on the tool's golden
answers, and on random queries of indexes that the tool builds. TREELINE_TOOL is the path of the tool. The arguments are
a seed and the number of queries for a larger index. Without arguments, TREELINE_TRIALS scales the number of cases: fast
(a tenth), full or thorough (ten times)."""

import csv
import json
import math
import os
import pathlib
import random
import shlex
import subprocess
import sys
import tempfile
import time
import unicodedata

from index_reader import Index, distinct, features, percentile, search_lists
from page_reader import Site
from projection import latitude_of_y

ROOT = pathlib.Path(__file__).resolve().parents[3]
TOOL = os.environ["TREELINE_TOOL"]
FIXTURES = ROOT / "Fixtures"


def trials(count):
    """Returns how many cases to draw, given the number of cases in a full run."""
    scales = {"fast": 0.1, "full": 1, "thorough": 10}
    return max(1, int(count * scales[os.environ.get("TREELINE_TRIALS", "full")]))

# Files of points, and options with which indexes are built from them.
SETS = [
    ("cities.csv.gz", "--attributes", "name,country,population"),
    ("cities.csv.gz", "--columns", "name:text,country:category,population:number"),
    ("cities.csv.gz", "--columns", "name:text+distinct,country:category+percentiles+distinct,"
     "population:number+percentiles+distinct"),
    ("airports.csv.gz", "--columns", "all"),
    ("cities.csv.gz", "--columns", "country:category+search", "--search", "name"),
    ("formats/planar.csv", "--columns", "all"),
    ("cities.csv.gz",),
    ("airports.csv.gz", "--split", "gamma:1.5"),
    ("airports.csv.gz", "--grow", "merge"),
    ("cities.csv.gz", "--for", "spacing"),
    ("cities.csv.gz", "--for", "badges"),
    ("airports.csv.gz", "--grow", "badges", "--badge-gap", "1.5"),
    ("formats/planar.csv", "--grow", "badges", "--badge-gap", "128"),
    ("cities.csv.gz", "--grow", "badges", "--anchor", "member"),
    ("airports.csv.gz", "--grow", "merge", "--anchor", "member"),
    ("cities.csv.gz", "--grow", "scatter"),
    *((str(path.relative_to(FIXTURES)), "--grow", "badges") for path in sorted((FIXTURES / "nasty").glob("*.csv"))),
    ("iceland_addresses.csv.gz",),
    *((str(path.relative_to(FIXTURES)),) for path in sorted((FIXTURES / "nasty").glob("*.csv"))),
    ("formats/planar.csv", "--attributes", "name", "--title", "Höhen", "--attribution", "© Amt", "--unit", "m"),
    ("formats/collection.geojson",),
]

COLUMN_NAMES = {
    "type": "FeatureCollection",
    "features": [
        {"type": "Feature", "geometry": {"type": "Point", "coordinates": [number, 0]},
         "properties": {"index": 1, "index_": number, "cluster": "a", "e\u0301": 0.5, "stack": [number]}}
        for number in range(5)
    ],
}


def run(*arguments):
    result = subprocess.run([TOOL, *map(str, arguments)], capture_output=True, text=True, cwd=ROOT)
    if result.returncode:
        raise SystemExit(f"treelinemap {shlex.join(map(str, arguments))}\n{result.stderr}")
    return result.stdout


def tool_options(query):
    """Yields the options of the tool for a query. An option is followed by its value, a list has commas, and a flag has
    no value."""
    for name, value in query.items():
        name = name.replace("_", "-")
        if isinstance(value, bool):
            yield f"--{name}" if value else f"--no-{name}"
        else:
            yield f"--{name}=" + (",".join(map(repr, value)) if isinstance(value, (list, tuple)) else str(value))


def close(index, found, expected):
    """Returns whether two coordinates differ by at most half a unit of the last written decimal, apart from
    rounding."""
    unit = 360 / 2**32 if index.is_mercator else index.side / 2**32
    decimals = math.floor(-math.log10(unit)) if 0 < unit < 1 else 0
    tolerance = 0.5 * 10.0 ** -decimals + 1e-9 * max(abs(expected), 1) if unit else 0
    return abs(found - expected) <= tolerance


def differences(index, found, expected):
    """Yields descriptions of all differences between an answer and the tool's output."""
    if len(found) != len(expected):
        yield f"{len(found)} clusters, expected {len(expected)}"
    for ours, theirs in zip(found, expected):
        properties = dict(theirs["properties"])
        properties.pop("point_count_abbreviated", None)
        properties.pop("ellipse", None)
        if list(ours["properties"].items()) != list(properties.items()):
            yield f"{ours['properties']}, expected {properties}"
        pairs = zip([*ours["bbox"], *ours["coordinates"]], [*theirs["bbox"], *theirs["geometry"]["coordinates"]])
        for number, (a, b) in enumerate(pairs):
            if not close(index, a, b):
                yield f"{a} as number {number} of the coordinates of {properties['cluster_id']}, expected {b}"


class Comparison:
    def __init__(self):
        self.count = self.cluster_count = 0

    def check(self, index, found, expected, command):
        self.count += 1
        self.cluster_count += len(expected)
        problems = list(differences(index, found, expected))
        if problems:
            raise SystemExit("\n".join([f"The reader answers differently: treelinemap {command}", *problems[:5]]))

    def query(self, path, index, query):
        arguments = ["query", path, *tool_options(query)]
        _, found = features(index, **query)
        self.check(index, found, json.loads(run(*arguments))["features"], shlex.join(map(str, arguments)))

    def journey(self, path, index, first, second):
        """Compares a transition from one view to another. The second answer continues the first answer."""
        views = [f"--{end}-{name}" for end, view in (("from", first), ("to", second))
                 for name in (option[2:] for option in tool_options(view))]
        arguments = ["transition", path, *views, "--continuing"]
        transition = json.loads(run(*arguments))
        clusters = transition["kept"] + transition["entered"] + [merge["whole"] for merge in transition["merges"]]
        clusters += [part for split in transition["splits"] for part in split["parts"]]
        expected = sorted((cluster["cluster_id"], cluster["point_count"]) for cluster in clusters)
        nodes, _ = features(index, **first)
        nodes, _ = features(index, previous=nodes, **second)
        found = [(index.id(node), node.count) for node in nodes]
        self.count += 1
        self.cluster_count += len(expected)
        if found != expected:
            raise SystemExit(f"The reader continues differently: treelinemap {shlex.join(map(str, arguments))}\n"
                             f"{found}\nexpected {expected}")


def compare_order(path, index, rng):
    """Compares the percentiles and distinct counts of clusters with the tool's. Here they are computed from ranks and
    links."""
    compared = 0
    for column in index.attributes:
        percent = rng.choice([0, 100, rng.randrange(101)])
        aggregates = [(f"percentile({column.name}, {percent})", f"percentile_{percent}_{column.name}",
                       lambda node: percentile(column, percent, node.first, node.first + node.count))
                      ] if getattr(column, "ranks", None) else []
        aggregates += [(f"distinct({column.name})", f"distinct_{column.name}",
                        lambda node: distinct(column, node.first, node.first + node.count))
                       ] if getattr(column, "links", None) else []
        for text, name, value in aggregates:
            arguments = ["query", path, "--limit", limit := rng.choice([1, 10, 200]), "--aggregate", text]
            expected = [feature["properties"][name] for feature in json.loads(run(*arguments))["features"]]
            found = [value(node) for node in features(index, limit=limit)[0]]
            if found != expected:
                raise SystemExit(f"The reader tells other values: treelinemap {shlex.join(map(str, arguments))}\n"
                                 f"{found[:5]}\nexpected {expected[:5]}")
            compared += len(found)
    return compared


def character_rows():
    """Returns texts with all kinds of characters: every letter of alphabets, and some ideographs and syllables."""
    many = [range(0x3400, 0x9FFF), range(0xAC00, 0xD7A4), range(0x17000, 0x18D09), range(0x20000, 0x31350)]
    characters = [chr(code) for code in range(0x20, 0x110000)
                  if unicodedata.category(chr(code)) not in ("Cn", "Co", "Cs", "Cc")
                  and (code < 0x3000 or code % 3 == 0) and (code % 97 == 0 or not any(code in codes for codes in many))]
    return [f"{character}{'ab '[number % 3]}{characters[number * 7919 % len(characters)]}"
            for number, character in enumerate(characters)]


def compare_searches(path, index):
    """Compares the lists of searches with lists that are made from the texts."""
    compared = 0
    for column in index.attributes:
        if (search := getattr(column, "search", None)) is None:
            continue
        found = [list(search.beginnings), list(search.words), list(search.points)]
        for name, list_found, expected in zip(["beginnings", "words", "points"], found, search_lists(column, index.point_count)):
            if list_found != expected:
                raise SystemExit(f"The {name} of the search in {column.name} of {path} are\n{list_found[:10]}\nexpected {expected[:10]}")
            compared += len(expected)
    return compared


def random_viewport(rng, index, needs_zoom):
    """Returns a random viewport. It shows a part of the index's points, or everything around them."""
    west, south, east, north = index.bounds(index.root)
    if rng.random() < 0.2 and index.is_mercator:
        west, south, east, north = -200.0, -86.0, 200.0, 86.0
    if east < west:
        east += 360
    size = 0.7 ** rng.randrange(40)
    width, height = (east - west) * size, (north - south) * size
    center = index.points[2 * (number := rng.randrange(index.point_count)):2 * number + 2]
    x, y = index.coordinate(*center) if rng.random() < 0.8 else (rng.uniform(west, east), rng.uniform(south, north))
    if not index.is_mercator and rng.random() < 0.1:
        # Moves the viewport off the points.
        x += rng.uniform(-2, 2) * index.side
    zoom = rng.choice([float(rng.randrange(20)), rng.uniform(0, 24)])
    tile_size = {"tile_size": 512} if rng.random() < 0.2 else {}
    kind = rng.random()
    if kind < 0.15:
        size = {"width": rng.uniform(1, 2000), "height": rng.uniform(1, 2000)}
        return {"center": [x, y], "zoom": zoom, **size, **tile_size}
    if kind < 0.3 and index.is_mercator:
        level = rng.randrange(12)
        plane_x, plane_y = index.position(x, y)
        side = 2 ** (32 - level)
        viewport = {"tile": [level, (plane_x + index.seam) % 2**32 // side, plane_y // side], **tile_size}
        return viewport | ({"margin": rng.uniform(0, 100)} if rng.random() < 0.5 else {})
    box = [x - rng.random() * width, y - rng.random() * height, x + rng.random() * width, y + rng.random() * height]
    if index.is_mercator:
        box = [box[0], max(box[1], -90), box[2], min(box[3], 90)]
        if rng.random() < 0.3:
            box[0], box[2] = ((edge + 180) % 360 - 180 for edge in (box[0], box[2]))
    if rng.random() < 0.15:
        # Moves edges of the box to points. Points on an edge are in view.
        box = [x, y, x, y] if rng.random() < 0.5 else [x, box[1], x + width, y]
    viewport = {} if rng.random() < 0.1 else {"bbox": box}
    if needs_zoom and viewport and rng.random() < 0.3:
        return viewport | {"width": rng.uniform(1, 2000), "height": rng.uniform(1, 2000)}
    if needs_zoom or rng.random() < 0.3:
        viewport |= {"zoom": zoom, **tile_size}
        if rng.random() < 0.3:
            viewport["margin"] = rng.uniform(0, 300)
    return viewport


def query_at_split(rng, index, kind):
    """Returns a query for which a node in view is just split, or just not split, because of its pixels."""
    node = index.root
    for _ in range(rng.randrange(12)):
        node = rng.choice(index.children(node) or [node])
    units = math.sqrt(index.trace(node))
    if kind != "detail" and index.children(node):
        code = index.code(node)
        exponent = max(code // 1024, 1) - 1
        units = math.sqrt((code - 1024 * exponent) << exponent)
        units = (units - 2048 / index.badges.width_of_dots) / 8 if index.badges else units - 2
        units = max(units, 0)
    zoom = rng.randrange(20)
    pixels = units / 2 ** (24 - zoom) * (1 + rng.choice([-3e-16, 0, 3e-16]))
    return {"bbox": index.bounds(node), "zoom": float(zoom), kind: pixels}


def random_query(rng, index):
    kind = rng.choice(["limit", "limit", "detail", "spacing"])
    if kind == "spacing" and not index.has_separations:
        kind = "detail" if index.badges is None else "badges"
    query = random_viewport(rng, index, kind != "limit")
    limit = rng.choice([1, 2, 3, 5, 10, 30, 100, 300])
    if kind == "limit":
        query |= {"limit": limit, "order": rng.choice(["breadth-first", "widest-first", "steepest-first"])}
    else:
        query[kind] = rng.choice([0, rng.uniform(0, 10), rng.uniform(5, 200), 2.0 ** rng.uniform(-10, 30)])
        if kind == "badges" and rng.random() < 0.7:
            query[kind] = rng.choice([0.5, 1, 2, rng.uniform(0, 3)])
        if rng.random() < 0.4:
            query = query_at_split(rng, index, kind)
        # Without a limit, an answer may contain all points.
        if index.point_count > 3000 or rng.random() < 0.6:
            query["limit"] = limit
        if kind != "badges" and rng.random() < 0.4:
            query["min_points"] = rng.choice([2, 3, 10, 100, index.point_count + 1, index.point_count + 2])
        if kind != "badges" and rng.random() < 0.3:
            query["alone_from_zoom"] = rng.uniform(0, 20)
    # Badges are only apart at the positions of their clusters.
    if rng.random() < 0.3:
        position = rng.choice(["mean", "member"]) if kind != "badges" else "mean"
        if kind != "badges" or index.anchors is None:
            query["position"] = position
    if rng.random() < 0.5:
        query["keep_visible"] = rng.random() < 0.6 and kind != "badges"
    if rng.random() < 0.1:
        query["members"] = True
    return query


def random_journey(rng, index):
    first = random_viewport(rng, index, False)
    while "bbox" not in first:
        first = random_viewport(rng, index, False)
    west, south, east, north = first["bbox"]
    if east < west:
        east += 360
    scale = rng.choice([1, 1, 1, 0.8, 1.25, 0.3, 3])
    shift = [rng.choice([0, rng.uniform(-0.5, 0.5), rng.uniform(-0.1, 0.1)]) for _ in range(2)]
    x, y = (west + east) / 2 + shift[0] * (east - west), (south + north) / 2 + shift[1] * (north - south)
    width, height = (east - west) / 2 * scale, (north - south) / 2 * scale
    views = [{"bbox": box} for box in (first["bbox"], [x - width, y - height, x + width, y + height])]
    orders = [rng.choice(["breadth-first", "widest-first", "steepest-first"]) for _ in views]
    limit = rng.choice([1, 2, 4, 8, 15, 40, 100])
    limits = [limit, rng.choice([limit, limit, max(limit - 1, 1), limit + 1, max(limit // 2, 1), 3 * limit])]
    return [view | {"limit": limit, "order": order} for view, limit, order in zip(views, limits, orders)]


def golden_queries():
    """Yields the golden commands whose output is GeoJSON and that an index can answer, each with its expected
    output."""
    for path in sorted((FIXTURES / "golden/tool").glob("query-*.txt")):
        command, _, output = path.read_text().partition("\n")
        points, *options = shlex.split(command)[3:]
        if output.startswith("{") and not {"--skip-invalid", "--longitude", "--x", "grid", "--filter", "--aggregate", "geojsonl"} & set(options):
            # The exit code follows the output in the file.
            yield points, options, json.JSONDecoder().raw_decode(output)[0]["features"]


def query_of(options):
    """Converts options of the tool to a query and to options of the build. Returns both."""
    query, build = {}, []
    options = list(options)
    while options:
        name = options.pop(0)[2:].replace("-", "_")
        if name in ("ellipses", "hulls", "tree_ranges", "quiet", "json"):
            continue
        if name in ("members", "keep_visible", "no_keep_visible"):
            query[name.removeprefix("no_")] = not name.startswith("no_")
            continue
        value = options.pop(0)
        if name in ("split", "grow", "badge_gap", "decimal", "wkt"):
            build += ["--" + name.replace("_", "-"), value]
        elif name in ("bbox", "center", "tile"):
            query[name] = [float(part) for part in value.split(",")]
        else:
            query[name] = value if name in ("order", "position") else int(value) if name in (
                "limit", "min_points", "tile_size") else float(value)
    for name in ("badges", "spacing"):
        if name in query and "--grow" not in build:
            build += ["--for", name]
    return query, build


def built(folder, points, *options, known={}):
    """Returns the path of the index of some points, and the index. Each index is built only once."""
    if (points, options) not in known:
        path = folder / f"{len(known)}.treeline"
        run("build", points, "-o", path, *options)
        known[points, options] = path, Index(path)
    return known[points, options]


def compare_positions(folder, rng):
    """Compares projected coordinates to the last digit: random coordinates, coordinates at positions of the plane, and
    coordinates halfway between two positions."""
    latitudes = [rng.uniform(-90, 90) for _ in range(trials(10000))]
    latitudes += [latitude_of_y(rng.randrange(2**33) / 2) for _ in range(trials(10000))]
    latitudes += [math.nextafter(latitude, sign * 90) for latitude in latitudes[-trials(5000):] for sign in (-1, 1)
                  ] if hasattr(math, "nextafter") else []
    coordinates = [(rng.uniform(-180, 180), latitude) for latitude in [*latitudes, 0.0, -90.0, 90.0]]
    points = folder / "projected.csv"
    points.write_text("longitude,latitude\n" + "".join(f"{x!r},{y!r}\n" for x, y in coordinates))
    _, index = built(folder, points)
    for number in range(index.point_count):
        (found, expected) = index.position(*coordinates[index.rows[number]]), tuple(index.points[2 * number:2 * number + 2])
        if found != expected:
            raise SystemExit(f"The reader finds {coordinates[index.rows[number]]} at {found}, expected {expected}")
    return index.point_count


#: Sizes for which small trees have subtrees, listings on several levels, and files of several pages.
SMALL_PAGES = json.dumps({"points": [2000, 300], "node_points": [400, 60], "least_code": [45_000, 38_000], "pairs": [20, 30, 25],
                          "parts": [3, 4], "listed": 40, "values": 500, "file_bytes": 20_000})


def compare_pages(folder, indexes):
    """Compares published indexes with the indexes, and returns the number of their pages."""
    count = 0
    for number, (path, index) in enumerate(indexes):
        sites = [(folder / f"site{number}", []), (folder / f"small{number}", ["--sizes", SMALL_PAGES])]
        if number == 0:
            sites.append((folder / f"file{number}", ["--single-file", "--sizes", SMALL_PAGES]))
        for site, options in sites:
            run("publish", path, "-o", site, *options)
            pages = Site(site, index)
            pages.compare()
            count += pages.page_count
    return count


def main():
    seed = int(sys.argv[1]) if len(sys.argv) > 1 else 17
    query_count = int(sys.argv[2]) if len(sys.argv) > 2 else trials(24)
    start = time.monotonic()
    comparison = Comparison()
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        for points, options, expected in golden_queries():
            query, build = query_of(options)
            path = ROOT / points
            index = Index(path) if points.endswith(".treeline") else built(folder, path, *build)[1]
            _, found = features(index, **query)
            # The expected output comes from points, whose Features have all columns and ids. An index keeps only the
            # requested columns.
            kept = {"cluster", "cluster_id", "point_count", "stack", "badge_px", "shown_index", "index", "members"}
            for feature in expected:
                feature["properties"] = {name: value for name, value in feature["properties"].items() if name in kept}
            comparison.check(index, found, expected, shlex.join(["query", points, *options]))
        golden = comparison.count

        names = folder / "names.geojson"
        names.write_text(json.dumps(COLUMN_NAMES))
        indexes = [(path, Index(path)) for path in sorted((FIXTURES / "index/v1").glob("*.treeline"))]
        indexes.append(built(folder, names, "--attributes", "index,index_,cluster,e\u0301,stack"))
        indexes += [built(folder, FIXTURES / points, *options) for points, *options in SETS]
        characters = folder / "characters.csv"
        with open(characters, "w", newline="") as file:
            csv.writer(file).writerows([("x", "y", "name"), *((n % 251, n // 251, text) for n, text in enumerate(character_rows()))])
        # The section has no room for all words of the longer texts.
        texts = folder / "texts.csv"
        with open(texts, "w", newline="") as file:
            rows = [(n, n % 50, " ".join(f"w{(n * i) % 97}" for i in range(n % 30))) for n in range(300)]
            csv.writer(file).writerows([("x", "y", "name"), *rows])
        indexes_of_texts = [built(folder, path, "--search", "name") for path in (characters, texts)]
        beyond = FIXTURES / "index/v1/broken/separations-beyond-all.treeline"
        indexes.append((beyond, Index(beyond)))
        for path, index in indexes:
            told = json.loads(run("inspect", "--json", path))
            for name in ("title", "attribution", "unit"):
                if getattr(index, name) != told.get(name):
                    raise SystemExit(f"The reader finds the {name} {getattr(index, name)!r}, expected {told.get(name)!r}: {path}")
        rng = random.Random(seed)
        position_count = compare_positions(folder, rng)
        small = [built(folder, FIXTURES / points, *options) for points, *options in SETS]
        # A large index takes seconds in plain Python, so only one is published.
        page_count = compare_pages(folder, [small[1], *(pair for pair in small if pair[1].point_count < 30_000)])
        place_count = sum(compare_searches(path, index) for path, index in indexes + indexes_of_texts)
        value_count = sum(compare_order(path, index, rng) for path, index in indexes)
        for path, index in indexes:
            if index.root is None:
                comparison.query(path, index, {})
                continue
            if index.is_mercator:
                # This box goes almost all the way around the world, or is almost empty.
                west = rng.uniform(-180, 180)
                for degrees in (-3e-8, 3e-8, 360 - 3e-8, 360 - 3e-7):
                    comparison.query(path, index, {"bbox": [west, -85, west + degrees, 85], "limit": 5})
            # A larger index gets more queries.
            count = query_count if index.point_count > 500 else max(1, query_count // 4)
            for _ in range(count):
                comparison.query(path, index, random_query(rng, index))
            for _ in range(max(1, count // 2)):
                comparison.journey(path, index, *random_journey(rng, index))
    print(f"{page_count} pages, {position_count} positions, {value_count} percentiles and distinct counts, {place_count} places of searches, {golden} golden answers and {comparison.count - golden} random ones of "
          f"{len(indexes)} indexes are the "
          f"same, {comparison.cluster_count} clusters in all; seed {seed}, {query_count} queries of a larger index; {time.monotonic() - start:.0f} s")


main()
