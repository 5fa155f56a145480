"""The second mode: MapLibre draws the vector tiles of the server by itself."""

from conftest import PHONE, idle, rest, stage

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
    """Without measures the panel of a phone is lower than it was when the map was made."""
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
    places = [(c["x"], c["y"]) for c in page.evaluate(RENDERED)]
    closest = min(((a[0] - b[0]) ** 2 + (a[1] - b[1]) ** 2) ** 0.5 for i, a in enumerate(places) for b in places[:i])
    assert closest > 49


def test_a_click_on_a_tile_zooms_to_where_a_cluster_falls_apart(open_map):
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
    page = open_map("#index=iceland&view=tree&dust=true")
    page.wait_for_function("() => viewer.map.getLayer('dust')")
    idle(page)
    grains = "viewer.map.queryRenderedFeatures({layers: ['dust']}).length"
    assert page.evaluate(grains) > 3000
    page.locator("#dust").uncheck()
    page.wait_for_function("() => !viewer.map.getLayer('dust')")
    rest(page)
