"""Draws maps of answers of `treelinemap query` and `treelinemap transition` side by side, as SVG."""

import csv
import gzip
import json
import math
import os
import pathlib
import re
import subprocess
import sys

TREELINE = os.environ.get("TREELINE_TOOL", ".build/release/treelinemap")
FOLDER = "Sources/Treeline/Treeline.docc"
ICELAND = "Fixtures/iceland_addresses.csv.gz"
CITIES = "Fixtures/cities.csv.gz"
LAND_ICELAND = "Sources/TreelineCommand/Resources/land_iceland_10m.geojson.gz"
LAND_WORLD = "Sources/TreelineCommand/Resources/land_50m.geojson.gz"
CREDITS = {
    ICELAND: "Addresses: Staðfangaskrá (HMS). Land: Natural Earth.",
    CITIES: "Cities: GeoNames, CC BY 4.0. Land: Natural Earth.",
}
# The constants of badges in the viewer. A test compares them with the library's constants.
CONSTANTS = pathlib.Path("Sources/TreelineWeb/src/map/constants.js").read_text()
BADGE = {name: float(value) for name, value in re.findall(r"^export const (\w*BADGE\w*) = ([\d.]+);", CONSTANTS, re.M)}
DOTS = 1500
GAP = 12
CAPTION = 26

STYLE = (
    "<style>svg{font-family:system-ui,sans-serif;color-scheme:light}text{text-anchor:middle;fill:#fff;font-weight:600}"
    ".caption{text-anchor:start;fill:#3b4650}.credit{text-anchor:end;fill:#7b858d;font-size:10px;font-weight:400}"
    ".sea{fill:#e9eef2}.land{fill:#fbfaf7;stroke:#c9cfd3;stroke-width:.6;fill-rule:evenodd}"
    ".dots{stroke:#8d979f;stroke-width:1.6;stroke-linecap:round;fill:none}"
    ".badge{fill:#20639b;stroke:#fff;stroke-width:1.5}.new{fill:#d1602a}"
    ".cells{stroke:#20639b;stroke-opacity:.35;fill:none}"
    ".shift{stroke:#d1602a;stroke-width:2}</style>"
)


def main():
    known = {
        "iceland": iceland, "choosing-limits": limits, "choosing-pixels": pixels, "choosing-pan": pan, "choosing-rules": rules,
        "choosing-positions": positions, "choosing-alone": alone,
    }
    names = sys.argv[1:] or list(known)
    if unknown := [name for name in names if name not in known]:
        sys.exit(f"pictures: expected names of {', '.join(known)}, found {', '.join(unknown)}")
    for name in names:
        scene, panels = known[name]()
        write(name, scene, panels)


def iceland():
    """Returns the picture of the README: a grid, equally many clusters of the tree of the article, and badges that
    never touch."""
    scene = Scene(ICELAND, LAND_ICELAND, (-24.7, 63.25, -13.3, 66.75), width=620)
    spacing = ["--spacing", "44"]
    grid = scene.query(["--method", "grid", "--cell", "44"])
    return scene, [
        (f"A grid of 44 px: {len(grid)} badges", lines(scene, 44) + badges(grid)),
        *queries(scene, [
            ("The article's tree: as many badges", ["--limit", str(len(grid)), "--split", "mean"]),
            ("Treeline: badges that never touch", spacing),
        ]),
    ]


def limits():
    scene = Scene(ICELAND, LAND_ICELAND, (-24.7, 63.25, -13.3, 66.75))
    return scene, queries(scene, [
        ("limit 24, breadth-first", ["--limit", "24"]),
        ("limit 24, widest-first", ["--limit", "24", "--order", "widest-first"]),
    ])


def pixels():
    scene = Scene(CITIES, LAND_WORLD, (-11, 36, 17, 55))
    return scene, queries(scene, [("detail 24 px", ["--detail", "24"]), ("spacing 44 px", ["--spacing", "44"])])


def pan():
    """Returns a picture of the badges that are new after a pan down by a tenth of the view's height."""
    before, scene = (-11, 36, 17, 55), Scene(CITIES, LAND_WORLD, (-11, 34.1, 17, 53.1))
    panels = []
    for caption, options in [
        ("limit 60", ["--from-limit", "60"]),
        ("limit 60, continuing", ["--from-limit", "60", "--continuing"]),
        ("spacing 44 px", ["--spacing", "44"]),
    ]:
        change = run(
            "transition", scene.points, "--from-bbox", words(before), "--to-bbox", words(scene.box),
            "--from-zoom", f"{scene.zoom:.9f}", *options)
        fresh = change["entered"] + [merge["whole"] for merge in change["merges"]]
        fresh += [part for split in change["splits"] for part in split["parts"]]
        shown = [(cluster, "badge") for cluster in change["kept"]] + [(cluster, "badge new") for cluster in fresh]
        panels.append((
            f"{caption}: {len(change['kept'])} of {len(shown)} stay",
            "".join(badge(cluster["point_count"], scene.pixel(*cluster["coordinates"]), style) for cluster, style in shown)))
    return scene, panels


def rules():
    scene = Scene(ICELAND, LAND_ICELAND, (-24.7, 63.25, -13.3, 66.75))
    return scene, queries(scene, [
        (f"limit 24, widest-first, {rule}", ["--limit", "24", "--order", "widest-first", "--split", rule])
        for rule in ("mean", "least-scatter")
    ])


def positions():
    scene = Scene(CITIES, LAND_WORLD, (117, 4.6, 129, 14.4))
    return scene, queries(scene, [
        ("limit 10, at the mean", ["--limit", "10", "--order", "widest-first"]),
        ("limit 10, at a member", ["--limit", "10", "--order", "widest-first", "--position", "member"]),
    ])


def alone():
    scene = Scene(CITIES, LAND_WORLD, (5, 57, 32, 71.5))
    return scene, queries(scene, [
        ("spacing 44 px", ["--spacing", "44"]),
        ("spacing 44 px, no clusters of fewer than 8 points", ["--spacing", "44", "--min-points", "8"]),
    ])


class Scene:
    """A part of the map. By default it is so wide that two panels fit side by side."""

    def __init__(self, points, land, box, width=424):
        self.points, self.land, self.box, self.width = points, land, box, width
        west, south, east, north = box
        self.scale = self.width / (east - west)
        self.zoom = math.log2(self.scale * 360 / 256)
        self.top = mercator(north)
        self.height = round((self.top - mercator(south)) * self.scale)

    def pixel(self, longitude, latitude):
        return (longitude - self.box[0]) * self.scale, (self.top - mercator(latitude)) * self.scale

    def query(self, options):
        command = ["query", self.points, "--bbox", words(self.box), "--zoom", f"{self.zoom:.9f}", *options]
        return [
            (feature["properties"].get("cluster_id"), feature["properties"].get("point_count", 1),
             self.pixel(*feature["geometry"]["coordinates"]))
            for feature in run(*command)["features"]
        ]


def mercator(latitude):
    return math.degrees(math.log(math.tan(math.pi / 4 + math.radians(latitude) / 2)))


def words(box):
    return ",".join(map(str, box))


def run(*command):
    done = subprocess.run([TREELINE, *command], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    if done.returncode != 0:
        sys.exit(f"pictures: {' '.join(command)}\n{done.stderr.strip()}")
    return json.loads(done.stdout)


def queries(scene, panels):
    return [(caption, badges(scene.query(options))) for caption, options in panels]


def lines(scene, cell):
    """Returns the lines of the grid, whose cells start at the corner of the world."""
    side = 256 * 2**scene.zoom
    left, top = (scene.box[0] / 360 + 0.5) * side % cell, (0.5 - scene.top / 360) * side % cell
    path = "".join(f"M{x:.1f} 0v{scene.height}" for x in steps(-left, scene.width, cell))
    path += "".join(f"M0 {y:.1f}h{scene.width}" for y in steps(-top, scene.height, cell))
    return f'<path class="cells" d="{path}"/>'


def steps(first, last, step):
    return [first + step * index for index in range(1, math.ceil((last - first) / step))]


def badges(clusters):
    return "".join(badge(count, position) for _, count, position in sorted(clusters, key=lambda cluster: (-cluster[1], cluster[2])))


def badge(count, position, style="badge"):
    x, y = (f"{value:.1f}" for value in position)
    if count == 1:
        return f'<circle class="{style}" cx="{x}" cy="{y}" r="4"/>'
    radius = BADGE["LARGEST_BADGE"] / 2 / (1 + math.exp(-BADGE["BADGE_RATE"] * count ** BADGE["BADGE_POWER"]))
    text = str(count) if count < 1000 else f"{count / 1000:.1f}k" if count < 9950 else f"{count / 1000:.0f}k"
    size = 13 if len(text) < 4 else 11
    return (
        f'<circle class="{style}" cx="{x}" cy="{y}" r="{radius:.1f}"/>'
        f'<text x="{x}" y="{position[1] + 0.36 * size:.1f}" font-size="{size}">{text}</text>'
    )


def write(name, scene, panels):
    width = len(panels) * scene.width + (len(panels) - 1) * GAP
    height = scene.height + CAPTION + 14
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}">{STYLE}',
        f'<rect width="{width}" height="{height}" fill="#fff"/>',
        f'<defs><clipPath id="map"><rect width="{scene.width}" height="{scene.height}"/></clipPath>'
        f'<g id="ground"><rect class="sea" width="{scene.width}" height="{scene.height}"/>'
        f'<path class="land" d="{land(scene)}"/><path class="dots" d="{dots(scene)}"/></g></defs>',
    ]
    for index, (caption, shapes) in enumerate(panels):
        parts.append(
            f'<g transform="translate({index * (scene.width + GAP)} {CAPTION})">'
            f'<text class="caption" x="0" y="-8" font-size="{round(scene.width / 31)}">{caption}</text>'
            f'<g clip-path="url(#map)"><use href="#ground"/>{shapes}</g></g>')
    parts.append(f'<text class="credit" x="{width}" y="{height - 3}">{CREDITS[scene.points]}</text></svg>')
    path = f"{FOLDER}/{name}.svg"
    with open(path, "w", encoding="utf-8") as file:
        file.write("\n".join(parts) + "\n")
    print(path)


def land(scene):
    """Returns the path of the rings that overlap the map, without corners closer than a pixel to the previous one."""
    with gzip.open(scene.land, "rt", encoding="utf-8") as file:
        features = json.load(file)["features"]
    path = []
    for feature in features:
        for ring in feature["geometry"]["coordinates"]:
            corners = [scene.pixel(longitude, max(min(latitude, 85), -85)) for longitude, latitude, *_ in ring]
            if max(x for x, _ in corners) < 0 or min(x for x, _ in corners) > scene.width:
                continue
            if max(y for _, y in corners) < 0 or min(y for _, y in corners) > scene.height:
                continue
            kept = thinned([clamped(corner, scene) for corner in corners])
            if len(kept) > 3:
                path.append("M" + " ".join(f"{x:.0f} {y:.0f}" for x, y in kept[:-1]) + "z")
    return "".join(path)


def clamped(corner, scene):
    """Returns the corner, moved onto a frame around the map if it lies outside the frame. The frame is not visible."""
    margin = 40
    return (
        min(max(corner[0], -margin), scene.width + margin),
        min(max(corner[1], -margin), scene.height + margin),
    )


def thinned(corners):
    kept = corners[:1]
    for corner in corners[1:]:
        if math.dist(corner, kept[-1]) >= 1:
            kept.append(corner)
    return kept


def dots(scene):
    """Returns the path of an evenly spaced sample of the points, at most one in each pixel."""
    west, south, east, north = scene.box
    with gzip.open(scene.points, "rt", encoding="utf-8") as file:
        rows = csv.reader(file)
        next(rows)
        points = [(float(row[0]), float(row[1])) for row in rows]
    inside = [point for point in points if west <= point[0] <= east and south <= point[1] <= north]
    step = max(1, len(inside) // (3 * DOTS))
    pixels = sorted({tuple(round(value) for value in scene.pixel(*point)) for point in inside[::step]})
    step = max(1, math.ceil(len(pixels) / DOTS))
    return "".join(f"M{x} {y}h0" for x, y in pixels[::step])


main()
