"""Does five jobs of a map's user in headless Chromium, with the airports in Fixtures. Compares the viewer with a map that
has MapLibre's own clusters, as in MapLibre's example: a GeoJSON source with `cluster: true`, circles with numbers, and a
click that zooms to where a cluster splits.

A step is a click, a pressed key, or a text that is typed into a field. The script uses only what a user sees, and real
mouse and keyboard events. The time is that of the programs, without the time in which a user looks and thinks. WebGL draws
nothing, because a machine without a graphics card would spend nearly all its time on drawing.
"""

import csv
import gzip
import math
import os
import pathlib
import re
import subprocess
import tempfile
import time

from playwright.sync_api import sync_playwright

import frames
import web_maps

ROOT = pathlib.Path(__file__).resolve().parents[2]

#: Both maps zoom in until the map is closer than this zoom of 512 px tiles, about 100 km across a window.
CLOSE = 9
#: Points within this many kilometers count as points of a place.
NEAR = 20

REST = "() => globalThis.viewer?.map?.loaded() && viewer.isAtRest && viewer.sides.every(side => !side.scene.isMoving)"

CLUSTERS = """async hash => {
  const map = globalThis.map = new maplibregl.Map({ container: "map", style: landStyle(), center: [10, 40], zoom: 1.5, fadeDuration: 0, hash });
  await new Promise(done => map.once("style.load", done));
  map.addSource("points", { type: "geojson", data: { type: "FeatureCollection", features: points.airports }, cluster: true, clusterMaxZoom: 14, clusterRadius: 50 });
  map.addLayer({ id: "clusters", type: "circle", source: "points", paint: { "circle-radius": ["step", ["get", "point_count"], 20, 100, 30, 750, 40] } });
  map.on("click", "clusters", async ({ features: [{ properties, geometry }] }) => {
    if (!properties.cluster) return;
    map.easeTo({ center: geometry.coordinates, zoom: await map.getSource("points").getClusterExpansionZoom(properties.cluster_id) });
  });
  while (map.queryRenderedFeatures({ layers: ["clusters"] }).length === 0) await new Promise(requestAnimationFrame);
}"""

#: The circles on the screen. A circle that is not at least half on the screen has no number that a user can read.
CIRCLES = """() => {
  const circles = map.queryRenderedFeatures({ layers: ["clusters"] }).map(({ id, properties: { point_count: count = 1 }, geometry: { coordinates: [x, y] } }) => (
    { id, count, longitude: x, latitude: y, ...map.project([x, y]) }));
  const [width, height] = [innerWidth, innerHeight];
  return [...new Map(circles.map(circle => [`${circle.longitude} ${circle.latitude}`, circle])).values()]
    .filter(({ x, y }) => x > 0 && y > 0 && x < width && y < height);
}"""

#: Waits until the map neither moves nor loads.
IDLE = """async () => {
  do await new Promise(done => setTimeout(done, 100)); while (map.isMoving() || !map.isSourceLoaded("points"));
}"""


class User:
    """Does steps on a page, and counts them."""

    def __init__(self, page, rest):
        self.page, self.rest, self.steps, self.start = page, rest, 0, time.monotonic()

    def do(self, action, *arguments, **options):
        self.steps += 1
        action(*arguments, **options)
        self.page.wait_for_timeout(50)
        self.rest(self.page)

    def told(self, answer):
        return self.steps, time.monotonic() - self.start, answer


def main():
    with gzip.open(ROOT / "Fixtures/airports.csv.gz", "rt", newline="") as file:
        airports = [(float(row["longitude"]), float(row["latitude"]), row["country"], row["name"]) for row in csv.DictReader(file)]
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        folder = pathlib.Path(folder)
        index = folder / "airports.treeline"
        subprocess.run([os.environ["TREELINE_TOOL"], "build", ROOT / "Fixtures/airports.csv.gz", "-o", index,
                        "--for", "badges", "--columns", "name:text,country"], check=True, capture_output=True)
        (folder / "site").mkdir()
        site = web_maps.served(folder / "site", None)
        server = frames.serving(index)
        try:
            address = re.search(r"http://[^\s/]+", server.stdout.readline())[0]
            browser = playwright.chromium.launch(executable_path="/usr/bin/chromium", args=web_maps.CHROMIUM)
            maps = Maps(browser, address, site)
            print("| job | viewer | MapLibre's clusters |\n|---|---|---|")
            for title, job in JOBS.items():
                cells = []
                for open_map in (maps.viewer, maps.clusters):
                    found = job(open_map, airports)
                    cells.append(found if isinstance(found, str) else "%d steps, %.1f s: %s" % found)
                print(f"| {title} | {' | '.join(cells)} |", flush=True)
            browser.close()
        finally:
            server.terminate()


class Maps:
    def __init__(self, browser, address, site):
        self.browser, self.address, self.site = browser, address, site

    def viewer(self, link=None):
        page = self.browser.new_page(viewport={"width": 1440, "height": 900})
        page.add_init_script(frames.DRAW_NOTHING)
        page.goto(link or f"{self.address}/#dust=false")
        self.rest(page)
        return User(page, self.rest)

    @staticmethod
    def rest(page):
        page.wait_for_function(REST, timeout=60_000)

    def clusters(self, link=None):
        page = web_maps.opened(self.browser, self.site, "maplibre")
        if link:
            page.evaluate("hash => { location.hash = hash }", link)
        page.evaluate(CLUSTERS, True)
        # Waits until the map is idle and no click is being answered.
        return User(page, lambda page: page.evaluate(IDLE))


def is_viewer(user):
    return user.page.evaluate("() => 'viewer' in globalThis")


def near(airports, longitude, latitude):
    """Returns the number of airports near a position."""
    def distance(x, y):
        return math.hypot((x - longitude) * math.cos(math.radians(latitude)), y - latitude) * 111.2
    return sum(distance(x, y) < NEAR for x, y, *_ in airports)


def find_the_densest_place(open_map, airports):
    user = open_map()
    page = user.page
    if is_viewer(user):
        user.do(page.get_by_role("button", name="Go to the densest place").click)
        page.wait_for_function("() => viewer.hit !== null")
        place = page.evaluate("({ longitude: 360 * viewer.hit.x - 180, latitude: 180 / Math.PI * Math.atan(Math.sinh(Math.PI * (1 - 2 * viewer.hit.y))) })")
        return user.told(f"a place with {near(airports, place['longitude'], place['latitude'])} airports within {NEAR} km")
    while True:
        chosen = max(page.evaluate(CIRCLES), key=lambda circle: circle["count"])
        if page.evaluate("map.getZoom()") >= CLOSE or user.steps == 20:
            return user.told(f"a place with {near(airports, chosen['longitude'], chosen['latitude'])} airports within {NEAR} km")
        user.do(page.mouse.click, chosen["x"], chosen["y"])


def compare_two_regions(open_map, airports):
    user = open_map()
    page = user.page
    if is_viewer(user):
        user.do(page.locator("#donuts").select_option, "country")
        user.do(page.locator("#picks summary").click)
        for country in ("FR", "DE"):
            user.do(page.locator(f"#picks input[value={country}]").check)
        counts = page.locator("#legend .count").all_inner_texts()[:2]
        return user.told(f"reads {' and '.join(counts)}")
    # The user zooms in on both countries, and adds the numbers of the circles inside each country.
    user.do(page.evaluate, "map.jumpTo({ center: [5, 48], zoom: 5 })")
    boxes = {"FR": (-5, 42.3, 8.2, 51.1), "DE": (5.9, 47.3, 15, 55.1)}
    circles, told = page.evaluate(CIRCLES), []
    for country, (west, south, east, north) in boxes.items():
        inside = [circle["count"] for circle in circles if west < circle["longitude"] < east and south < circle["latitude"] < north]
        truth = sum(each == country for _, _, each, _ in airports)
        told.append(f"adds {len(inside)} numbers to {sum(inside)} instead of {truth}")
    return user.told("; ".join(told))


def follow_a_place(open_map, airports):
    user = open_map()
    if not is_viewer(user):
        return "cannot be done: a circle does not show which points it contains"
    page = user.page
    user.do(page.locator("#find").fill, "Keflavik")
    page.locator("#found [role=option]").filter(has_text="Airport").first.wait_for()
    user.do(page.locator("#found [role=option]").filter(has_text="Airport").first.click)
    marked = 0
    for _ in range(4):
        user.do(page.locator("#zoom-out").click)
        marked += page.evaluate("viewer.hit !== null && (viewer.tree.scene.clusters.some(({ id }) => viewer.hit.path.has(id)))")
    return user.told(f"marked in {marked} of 4 views")


def share_of_a_category(open_map, airports):
    user = open_map()
    if not is_viewer(user):
        return "cannot be done: the author of the page must add `clusterProperties`, and a user must add up the numbers of all circles"
    user.do(user.page.locator("#donuts").select_option, "country")
    entry = user.page.locator("#legend li").first
    share = 100 * sum(country == "US" for _, _, country, _ in airports) / len(airports)
    return user.told(f"reads {entry.locator('.share').inner_text()} for US; the truth is {share:.1f} %")


def hand_the_view_on(open_map, airports):
    user = open_map()
    page = user.page
    if is_viewer(user):
        user.page.evaluate("viewer.map.jumpTo({ center: [8, 50], zoom: 5 })")
        user.rest(page)
        user.do(page.locator("#share").click)
        link = page.locator("#sharing input").first.input_value()
        user.do(page.locator("#sharing button").first.click)
        own, ids = user.told(""), "() => viewer.tree.scene.ids.sort()"
    else:
        page.evaluate("map.jumpTo({ center: [8, 50], zoom: 5 })")
        user.rest(page)
        # A click into the address bar and a key to copy the address.
        user.steps += 2
        link = page.evaluate("location.hash")
        own, ids = user.told(""), f"() => ({CIRCLES})().map(({{ longitude, latitude }}) => `${{longitude}} ${{latitude}}`).sort()"
    same = open_map(link).page.evaluate(ids) == page.evaluate(ids)
    return *own[:2], "the same clusters" if same else "other clusters"


JOBS = {
    "find the densest place": find_the_densest_place,
    "which of two countries has more": compare_two_regions,
    "follow a place through four zooms": follow_a_place,
    "the share of a category": share_of_a_category,
    "hand the view to a colleague": hand_the_view_on,
}


if __name__ == "__main__":
    main()
