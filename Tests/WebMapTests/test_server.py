"""Checks badges of a tree on a server."""

import pytest

from conftest import MAPLIBRE, ROOT, rest, shown
from programs import Server, build
from waiting import wait_for


@pytest.fixture(scope="module")
def index(tmp_path_factory):
    return build(ROOT / "Fixtures/airports.csv.gz", tmp_path_factory.mktemp("served") / "airports.treeline",
                 "--columns", "all", "--grow", "badges")


@pytest.fixture
def server(index):
    server = Server(index, "--allow-origin", "*")
    yield server
    server.stop()


@pytest.fixture
def open_map(open_page, server):
    def open_map(options="", **rest_of):
        page = open_page(MAPLIBRE + f"""
          globalThis.layer = addTreeline(map, Treeline.connect("{server.url}"), {{ onPoint: (point) => points.push(point), {options} }});
          await layer.ready;
        """, reaches=(server.url,), **rest_of)
        rest(page)
        return page

    return open_map


def test_a_served_tree_has_the_badges_of_the_page(open_map, server):
    page = open_map()
    served = {(c["id"], c["count"], c["radius"]) for c in shown(page)}
    assert len(served) > 300
    page.evaluate("async () => layer.setSource(Treeline.build(await (await fetch('/points/airports')).json()))")
    rest(page)
    assert {(c["id"], c["count"], c["radius"]) for c in shown(page)} == served
    # Ellipses computed in the page and on the server have equal directions.
    own = page.evaluate("layer.scene.clusters.map(({ id, ellipse, count }) => [id, count, ellipse?.angle, ellipse?.major, ellipse?.minor])")
    page.evaluate(f"layer.setSource(Treeline.connect('{server.url}'))")
    page.wait_for_function("() => 'features' in layer.scene.clusters[0].answer")
    rest(page)
    served = {id: angle for id, angle in page.evaluate("layer.scene.clusters.map(({ id, ellipse }) => [id, ellipse?.angle])")}
    compared = [(angle, served[id]) for id, count, angle, major, minor in own if count > 30 and major > 1.3 * minor]
    assert len(compared) > 10
    assert all(abs(a - b) < 0.02 for a, b in compared)


def test_a_served_tree_is_filtered_and_split(open_map):
    page = open_map("colorBy: 'country'")
    legend = [entry["name"] for entry in page.evaluate("layer.legend")]
    assert legend[0] == "US" and legend[-1] is None
    before = shown(page)
    assert all(sum(c["parts"]) == c["count"] for c in before)
    page.evaluate("layer.set({ filter: \"country = 'DE' OR country = 'FR'\" })")
    rest(page)
    after = shown(page)
    kept = [legend.index("DE"), legend.index("FR")]
    assert 0 < sum(c["count"] for c in after) == sum(c["parts"][at] for c in after for at in kept) < sum(c["count"] for c in before)
    page.evaluate("map.jumpTo({ center: [10, 50], zoom: 6 })")
    rest(page)
    assert len(shown(page)) > 50
    page.evaluate("layer.set({ filter: null })")
    rest(page)
    page.evaluate("layer.set({ order: ['FR'] })")
    page.wait_for_function("() => layer.legend[0].name === 'FR' && !layer.isMoving")
    assert all(sum(c["parts"]) == c["count"] for c in shown(page))
    lone = next(c for c in shown(page) if c["count"] == 1 and 50 < c["left"] < 1390 and 50 < c["top"] < 850)
    page.mouse.click(lone["left"], lone["top"])
    page.wait_for_function("() => points.length === 1")
    assert page.evaluate("points[0].properties.name")


def test_a_replaced_index_is_shown_as_another_tree(open_map, index, server):
    page = open_map(tolerates=["409"])
    count = sum(c["count"] for c in shown(page))
    version = server.json("/v1/airports")["version"]
    before = index.read_bytes()
    # The overview of the new index takes longer than the pause before the next request.
    page.evaluate("""() => { const { fetch } = globalThis;
      globalThis.fetch = async (url, options) => {
        if (String(url).endsWith('limit=1000')) {
          globalThis.overviews = (globalThis.overviews ?? 0) + 1;
          await new Promise(done => setTimeout(done, 2500));
        }
        return fetch(url, options);
      } }""")
    try:
        build(ROOT / "Fixtures/cities.csv.gz", index, "--attributes", "name", "--grow", "badges")
        wait_for(lambda: server.json("/v1/airports")["version"] != version, "the new version of the index")
        page.evaluate("map.panBy([40, 0], { duration: 0 })")
        page.wait_for_function("count => !layer.isMoving && layer.scene.clusters.reduce((sum, c) => sum + c.count, 0) > 2 * count", arg=count)
        assert page.evaluate("[layer.scene.sprites.length - layer.scene.size, overviews]") == [0, 1]
    finally:
        index.write_bytes(before)


def test_a_server_that_fails_is_tried_again(open_map, server):
    page = open_map("onError: (error) => (globalThis.problems ??= []).push(error.message)", tolerates=["ERR_FAILED"])
    page.route("**/transition?*", lambda route: route.abort())
    page.evaluate("map.jumpTo({ zoom: 5 })")
    page.wait_for_function("() => globalThis.problems?.[0].includes('the server does not answer')")
    page.unroute("**/transition?*")
    rest(page)
    assert page.evaluate("map.getZoom()") == 5 and shown(page)


def test_a_map_leaves_out_a_column_and_a_filter_that_the_server_does_not_have(open_map):
    page = open_map("colorBy: 'nix', filter: 'nothing = 1', onError: (error) => (globalThis.problems ??= []).push(error.message)",
                    tolerates=("400 (Bad Request)",))
    problems = page.evaluate("problems")
    assert len(problems) == 2 and "'nix'" in problems[0] and problems[1].startswith("filter:")
    assert page.evaluate("[layer.legend, layer.options.filter ?? null]") == [[], None] and len(shown(page)) > 300


def test_a_filter_that_the_server_refuses_is_taken_back(open_map):
    page = open_map("onError: (error) => (globalThis.problems ??= []).push(error.status)", tolerates=("400 (Bad Request)",))
    before = shown(page)
    page.evaluate("layer.set({ filter: 'nothing = 1' })")
    page.wait_for_function("() => globalThis.problems")
    rest(page)
    assert page.evaluate("[problems, layer.options.filter ?? null]") == [[400], None] and shown(page) == before
