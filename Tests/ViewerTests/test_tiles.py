"""Tests the second mode of the viewer, in which MapLibre itself draws the server's vector tiles."""

import http.server
import subprocess
import threading

import pytest
from pmtiles.reader import MmapSource, Reader

from conftest import PHONE, PICTURES, ROOT, idle, rest, stage
from programs import build, program

RENDERED = """() => {
  const seen = new Map();
  for (const {properties, geometry} of viewer.map.queryRenderedFeatures({layers: ['clusters']}))
    seen.set(properties.cluster_id, {...properties, ...viewer.map.project(geometry.coordinates)});
  return [...seen.values()];
}"""


def test_tiles_show_clusters(open_map):
    answers = []
    page = open_map("#index=iceland&view=tiles", setup=lambda page: page.on(
        "response", lambda response: answers.append(response) if ".mvt" in response.url else None))
    page.wait_for_function("() => viewer.map.getLayer('clusters')")
    idle(page)
    rendered = page.evaluate(RENDERED)
    assert len(rendered) > 10
    assert sum(cluster["point_count"] for cluster in rendered) == 139_409
    assert answers and all(response.status == 200 for response in answers)
    assert all("mapbox-vector-tile" in response.headers["content-type"] for response in answers)


def test_the_map_fills_what_it_is_given(open_map):
    """In this mode there are no measures, so the panel on a phone becomes lower after the map was created. Then the map
    must grow."""
    page = open_map("#index=iceland&view=tiles", viewport=PHONE)
    page.wait_for_function("() => viewer.map.getLayer('clusters')")
    idle(page)
    sides = page.evaluate("""() => [viewer.map.getCanvas(), viewer.map.getContainer()]
        .map(({clientWidth, clientHeight}) => [clientWidth, clientHeight])""")
    assert sides[0] == sides[1]


def test_tiles_keep_the_spacing_across_their_edges(open_map):
    page = open_map("#index=iceland&view=tiles&spacing=50")
    page.wait_for_function("() => viewer.map.getLayer('clusters')")
    idle(page)
    positions = [(c["x"], c["y"]) for c in page.evaluate(RENDERED)]
    closest = min(((a[0] - b[0]) ** 2 + (a[1] - b[1]) ** 2) ** 0.5 for i, a in enumerate(positions) for b in positions[:i])
    assert closest > 49


def test_a_click_on_a_tile_zooms_to_where_a_cluster_splits(open_map):
    page = open_map("#index=iceland&view=tiles")
    page.wait_for_function("() => viewer.map.getLayer('clusters')")
    idle(page)
    box = stage(page)
    clusters = [c for c in page.evaluate(RENDERED) if 60 < c["x"] < box["width"] - 60 and 60 < c["y"] < box["height"] - 60]
    cluster = max(clusters, key=lambda c: c["point_count"])
    zoom = page.evaluate("viewer.map.getZoom()")
    page.mouse.click(box["x"] + cluster["x"], box["y"] + cluster["y"])
    page.wait_for_function("z => viewer.map.getZoom() > z && !viewer.map.isMoving()", arg=zoom)
    idle(page)
    assert all(c["cluster_id"] != cluster["cluster_id"] for c in page.evaluate(RENDERED))


def test_the_points_themselves_lie_below_the_badges(open_map):
    page = open_map("#index=iceland-mean&view=tree&dust=true")
    page.wait_for_function("() => viewer.map.getLayer('dust')")
    idle(page)
    grains = "viewer.map.queryRenderedFeatures({layers: ['dust']}).length"
    assert page.evaluate(grains) > 3000
    page.locator("#dust").uncheck()
    page.wait_for_function("() => !viewer.map.getLayer('dust')")
    rest(page)


def test_dust_is_coarser_where_a_tile_has_no_room_for_it(open_map):
    page = open_map("#index=iceland&view=tree&dust=true", tolerates=["400"], setup=lambda page: page.route(
        lambda url: ".mvt?detail=1&" in url,
        lambda route: route.fulfill(status=400, content_type="application/problem+json", body="{}")))
    page.wait_for_function("() => viewer.map.getSource('dust')?.tiles[0].includes('detail=2&')")
    idle(page)
    assert page.evaluate("viewer.map.queryRenderedFeatures({layers: ['dust']}).length") > 1000
    assert page.locator("#notice").is_hidden()


def test_what_was_missing_of_the_tiles_is_forgotten_once_it_comes(open_map):
    page = open_map("#index=iceland&view=tiles", tolerates=["ERR_FAILED"])
    page.route("**/*.mvt?*", lambda route: route.abort())
    page.evaluate("viewer.map.jumpTo({center: [-21.9, 64.12], zoom: 9})")
    page.locator("#notice").wait_for()
    page.unroute("**/*.mvt?*")
    page.evaluate("viewer.map.jumpTo({center: [-18.1, 65.68], zoom: 10})")
    page.locator("#notice").wait_for(state="hidden")


def test_that_there_is_nothing_is_not_said_of_tiles(open_map):
    page = open_map("#index=iceland&view=tree&map=5/0/0")
    page.locator("#notice").wait_for()
    page.get_by_label("Tiles", exact=True).check(force=True)
    page.locator("#notice").wait_for(state="hidden")


def test_a_link_to_a_stack_in_tiles_opens_it(open_map):
    page = open_map("#index=stacks&view=tree&map=13/55.7/12.5")
    stack = page.evaluate("viewer.tree.scene.clusters.find(c => c.count === 5).id")
    page = open_map(f"#index=stacks&view=tiles&map=13/55.7/12.5&open={stack}")
    page.wait_for_function("() => document.querySelectorAll('#card li').length === 5")


def test_pointing_at_a_tile_tells_what_tiles_do_not(open_map):
    page = open_map("#index=iceland&view=tiles")
    page.wait_for_function("() => viewer.map.getLayer('clusters')")
    idle(page)
    box = stage(page)
    cluster = max(page.evaluate(RENDERED), key=lambda c: c["point_count"])
    page.mouse.move(box["x"] + cluster["x"], box["y"] + cluster["y"])
    hint = page.locator("#hint")
    hint.locator("li").first.wait_for()
    assert "per km²" in hint.inner_text()


def test_tiles_tell_the_area_that_the_points_of_a_cluster_cover(open_map):
    """Checks that the area in a tile equals the area that the viewer computes from the cluster's ellipse in GeoJSON, up
    to a rounding of one unit of the plane."""
    page = open_map("#index=iceland&view=tiles")
    page.wait_for_function("() => viewer.map.getLayer('clusters')")
    idle(page)
    cluster = max(page.evaluate(RENDERED), key=lambda c: c["point_count"])
    area = page.evaluate("""async id => { const {coveredArea} = await import('/viewer/vendor/treeline/map/density.js');
      return coveredArea(await viewer.source.cluster('iceland', id)) }""", cluster["cluster_id"])
    assert cluster["area_km2"] == pytest.approx(area, rel=1e-3)
    # The area in pixels is the same area at the zoom of the tile.
    pixels = page.evaluate("""async ([area, id]) => { const {areaOnMap} = await import('/viewer/vendor/treeline/map/density.js');
      const {geometry} = await viewer.source.cluster('iceland', id);
      return areaOnMap(area, geometry.coordinates[1], 512 * 2 ** Math.floor(viewer.map.getZoom())) }""", [area, cluster["cluster_id"]])
    assert cluster["area_px"] == pytest.approx(pixels, rel=0.01)

ARCHIVE = """address => new Promise(resolve => {
  document.body.insertAdjacentHTML('beforeend', '<div id="archive" style="position:fixed;inset:0;z-index:99"></div>');
  const style = {version: 8, sources: {tiles: {type: 'vector', tiles: [address], maxzoom: 9}},
    layers: [{id: 'clusters', type: 'circle', source: 'tiles', 'source-layer': 'clusters',
      paint: {'circle-radius': ['/', ['get', 'badge_px'], 2]}}]};
  const map = new maplibregl.Map({container: 'archive', style, center: [-19, 65], zoom: 4.5, fadeDuration: 0});
  map.once('idle', () => resolve(map.queryRenderedFeatures({layers: ['clusters']}).map(({properties}) => properties)));
})"""


def test_an_archive_of_tiles_is_drawn(open_map, indexes, tmp_path):
    """The reader of the package `pmtiles` reads the archive, and MapLibre gets the tiles."""
    path = tmp_path / "iceland.pmtiles"
    index = build(ROOT / "Fixtures/iceland_addresses.csv.gz", tmp_path / "iceland.treeline", "--grow", "badges")
    subprocess.run([program("TREELINE_TOOL"), "tiles", index, "-o", path, "--zooms", "0-9"], check=True, capture_output=True)
    with open(path, "rb") as file:
        reader = Reader(MmapSource(file))

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self):
                tile = reader.get(*map(int, self.path.strip("/").split("/")))
                self.send_response(200 if tile else 204)
                self.send_header("Access-Control-Allow-Origin", "*")
                if tile:
                    self.send_header("Content-Encoding", "gzip")
                self.end_headers()
                self.wfile.write(tile or b"")

            def log_message(self, *_):
                pass

        with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
            threading.Thread(target=server.serve_forever, daemon=True).start()
            address = f"http://127.0.0.1:{server.server_port}"
            page = open_map("#index=iceland", reaches=(address,))
            clusters = page.evaluate(ARCHIVE, address + "/{z}/{x}/{y}")
            page.screenshot(path=PICTURES / "archive.png")
            server.shutdown()
    assert len(clusters) > 10 and sum(cluster["point_count"] for cluster in clusters) == 139_409
