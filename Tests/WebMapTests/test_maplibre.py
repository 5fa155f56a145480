"""Badges on a map of MapLibre: what they show, how they move, and what opens."""

import json
import math

import pytest
from axe_playwright_python.sync_playwright import Axe

from conftest import ADD, LAPTOP, MAPLIBRE, PHONE, PICTURES, colour, inside, rest, shown
from trials import trials
from waiting import wait_for

TOUCHING = """async (views) => {
  const rest = () => new Promise(done => { const look = () => layer.isMoving ? setTimeout(look, 5) : done(); look() });
  const found = { touching: 0, badges: 0, views: 0, most: 0 };
  for (const { center, zoom, bearing } of views) {
    map.jumpTo({ center, zoom, bearing });
    await rest();
    const badges = layer.scene.clusters.map(({ longitude, latitude, radius }) => ({ ...map.project([longitude, latitude]), radius }));
    for (let i = 0; i < badges.length; i++) for (let j = 0; j < i; j++) {
      if (Math.hypot(badges[i].x - badges[j].x, badges[i].y - badges[j].y) < badges[i].radius + badges[j].radius) found.touching++;
    }
    found.badges += badges.length;
    found.most = Math.max(found.most, badges.length);
    found.views++;
  }
  return found;
}"""


@pytest.mark.parametrize("cut", ["", "cut: { badges: 1.5 }"])
def test_no_badges_touch_in_random_views(open_map, note, cut):
    import random

    seed = random.randrange(2**32)
    draw = random.Random(seed)
    page = open_map("airports", cut, reduced_motion="reduce")
    views = [{"center": [draw.uniform(-180, 180), draw.uniform(-60, 70)], "zoom": draw.uniform(1.5, 9),
              "bearing": draw.choice([0, 0, draw.uniform(0, 360)])} for _ in range(trials(100))]
    found = page.evaluate(TOUCHING, views)
    note(f"seed {seed}: {found}")
    assert found["touching"] == 0
    assert found["badges"] > 20 * len(views)


@pytest.mark.parametrize("viewport", [LAPTOP, PHONE])
def test_badges_account_for_all_points_in_view(open_map, viewport):
    page = open_map("airports", viewport=viewport)
    page.evaluate("map.jumpTo({ center: [0, 20], zoom: 0 })")
    rest(page)
    counted = sum(c["count"] for c in shown(page))
    # On a phone, the world is as high as the screen but wider than it.
    everywhere = page.evaluate("layer.scene.clusters[0].answer.tree.clusters({ zoom: map.getZoom() }).counts.reduce((a, b) => a + b)")
    assert (counted < everywhere) if viewport == PHONE else (counted == everywhere)
    assert everywhere == page.evaluate("layer.scene.clusters[0].answer.tree.pointCount") > 20_000
    assert page.evaluate("layer.clusters.features.length") == len(shown(page))
    page.screenshot(path=PICTURES / f"world-{viewport['width']}.png")


def test_badges_keep_to_the_size_of_the_map(open_map):
    """A map need not follow its container. Checks that the canvas of badges follows the canvas of the map."""
    sizes = """() => [...map.getCanvasContainer().querySelectorAll("canvas")].map(
        ({ clientWidth, clientHeight }) => [clientWidth, clientHeight])"""
    page = open_map("airports")
    page.evaluate("map._trackResize = false; map.getContainer().style.height = '400px'; map.triggerRepaint()")
    rest(page)
    (width, height), badges = page.evaluate(sizes)
    assert height > 400 and badges == [width, height]
    page.evaluate("map.resize()")
    rest(page)
    assert page.evaluate(sizes) == [[width, 400]] * 2


def test_a_click_expands_a_cluster(open_map):
    page = open_map("airports", "onCluster: (cluster) => { globalThis.chosen = cluster }")
    before = inside(page, shown(page))
    largest = max(before, key=lambda c: c["count"])
    zoom = page.evaluate("map.getZoom()")
    page.mouse.click(largest["left"], largest["top"])
    page.wait_for_function("before => map.getZoom() > before + 0.5", arg=zoom)
    rest(page)
    assert page.evaluate("chosen.properties.point_count") == largest["count"]
    # The cluster was replaced by its parts.
    assert largest["id"] not in {c["id"] for c in shown(page)}
    assert len(inside(page, shown(page))) > 5
    page.screenshot(path=PICTURES / "expanded.png")


def test_parts_start_where_their_whole_is_drawn_and_arrive(open_map):
    page = open_map("airports")
    moved = page.evaluate("""async () => {
      const { scene } = layer, apply = scene.apply, before = new Map(scene.clusters.map(c => [c.id, c]));
      const first = new Promise(done => scene.apply = (change, clusters, ...rest) => {
        apply.call(scene, change, clusters, ...rest);
        scene.apply = apply;
        done(change.splits.flatMap(({ whole, parts }) => parts.map(({ cluster_id: id }) => {
          const sprite = scene.sprite(id), from = before.get(whole.cluster_id);
          return Math.hypot(sprite.x - from.x, sprite.y - from.y);
        })));
      });
      map.jumpTo({ zoom: map.getZoom() + 1 });
      return first;
    }""")
    assert len(moved) > 20 and max(moved) == 0
    rest(page)
    assert all(c["isAtTarget"] for c in shown(page))


@pytest.mark.parametrize("worker", ["false", "true"])
def test_an_edit_of_the_tree_touches_only_the_badges_around_it(open_map, worker):
    """Point 0 moves, point 1 comes to the points around point 2, and all other badges stay."""
    page = open_map("airports")
    result = page.evaluate("""async (worker) => {
      const feature = (id, longitude, latitude) => ({ type: "Feature", id, geometry: { type: "Point", coordinates: [longitude, latitude] }, properties: {} });
      const features = [feature(0, 19.5, 43), ...Array.from({ length: 12 }, (_, i) => feature(2 + i, 12 + i / 100, 50)),
        ...Array.from({ length: 60 }, (_, i) => feature(20 + i, 2 + 3 * (i % 6), 40 + 0.8 * Math.floor(i / 6)))];
      map.jumpTo({ center: [11, 45], zoom: 4.6 });
      const tree = await Treeline.build(features, { worker });
      await layer.setSource(tree);
      const rest = async () => { do await new Promise(requestAnimationFrame); while (layer.isMoving) };
      await rest();
      const spriteOf = (cluster) => layer.scene.sprite(cluster.id);
      const idsOf = (cluster) => cluster.answer.tree.members(cluster.id).toGeoJSON().features.map(({ id, properties }) => cluster.answer.tree.features[properties.index].id).join();
      const before = new Map(layer.scene.clusters.map((cluster) => [spriteOf(cluster), { ids: idsOf(cluster), tone: cluster.tone }]));
      const touched = new Set(), { replace } = layer.scene;
      layer.scene.replace = function (...call) {
        replace.apply(this, call);
        for (const cluster of this.clusters) if (!spriteOf(cluster).hasArrived) touched.add(spriteOf(cluster));
      };
      await layer.setSource(tree.update({ insert: [feature(1, 12.05, 50)], move: [feature(0, 19.9, 43.2)] }));
      await rest();
      const now = layer.scene.clusters.map((cluster) => ({ ids: idsOf(cluster), was: before.get(spriteOf(cluster)), isTouched: touched.has(spriteOf(cluster)), tone: cluster.tone, at: spriteOf(cluster).toX === cluster.x }));
      return { before: before.size, now };
    }""", worker == "true")
    assert len(result["now"]) == result["before"] > 40
    assert all(badge["was"] and badge["at"] for badge in result["now"])
    changed = [badge for badge in result["now"] if badge["was"]["ids"] != badge["ids"]]
    assert len(changed) == 1 and "1" in changed[0]["ids"].split(",")
    same = [badge for badge in result["now"] if badge not in changed]
    # Of these, only point 0 has moved.
    assert [badge["ids"] for badge in same if badge["isTouched"]] == ["0"]
    assert all(badge["tone"] == badge["was"]["tone"] for badge in same)


def test_a_point_is_reported_with_its_properties(open_map):
    page = open_map("airports", "onCluster: () => false")
    lone = next(c for c in inside(page, shown(page)) if c["count"] == 1)
    page.mouse.click(lone["left"], lone["top"])
    page.wait_for_function("() => points.length === 1")
    point = page.evaluate("points[0]")
    assert point["geometry"]["coordinates"] == pytest.approx([lone["longitude"], lone["latitude"]])
    assert point["properties"]["name"] and "country" in point["properties"]
    # A cluster that the page has handled itself does not expand.
    zoom = page.evaluate("map.getZoom()")
    several = next(c for c in inside(page, shown(page)) if c["count"] > 1)
    page.mouse.click(several["left"], several["top"])
    page.wait_for_timeout(300)
    assert page.evaluate("map.getZoom()") == zoom and not page.evaluate("layer.isMoving")


@pytest.mark.parametrize("viewport", [LAPTOP, PHONE])
def test_a_stack_fans_out(open_map, viewport):
    page = open_map("stacks", viewport=viewport)
    page.evaluate("map.jumpTo({ center: [12.55, 55.72], zoom: 11 })")
    rest(page)
    stack = next(c for c in shown(page) if c["count"] == 5)
    assert stack["stack"]
    page.mouse.click(stack["left"], stack["top"])
    page.get_by_role("list", name="5 points at one position").wait_for(state="attached")
    page.wait_for_timeout(500)
    page.screenshot(path=PICTURES / f"stack-{viewport['width']}.png")
    # The first of few members is straight above the stack.
    radius = page.evaluate("26 / (2 * Math.sin(Math.PI / 5))")
    page.mouse.move(stack["left"], stack["top"] - max(radius, 26))
    assert page.evaluate("map.getCanvas().style.cursor") == "pointer"
    page.mouse.click(stack["left"], stack["top"] - max(radius, 26))
    page.wait_for_function("() => points.length === 1")
    assert page.evaluate("points[0].properties.name").startswith("Few ")
    page.mouse.click(stack["left"], stack["top"] + 150)
    page.get_by_role("list", name="Clusters in view").wait_for(state="attached")


def test_a_large_stack_shows_its_first_members(open_map):
    page = open_map("stacks")
    page.evaluate("map.jumpTo({ center: [12.6, 55.75], zoom: 12 })")
    rest(page)
    stack = next(c for c in shown(page) if c["count"] == 70)
    page.mouse.click(stack["left"], stack["top"])
    members = page.get_by_role("list", name="70 points at one position").get_by_role("button")
    members.first.wait_for(state="attached")
    assert members.count() == 60
    page.wait_for_timeout(500)
    page.screenshot(path=PICTURES / "large-stack.png")


def test_the_keyboard_reaches_and_expands_clusters(open_map):
    page = open_map("airports")
    page.wait_for_function("() => document.querySelectorAll('[role=status] , ul button').length > 50")
    listed = page.get_by_role("list", name="Clusters in view").get_by_role("button")
    assert listed.count() == 100
    page.locator("canvas.maplibregl-canvas").focus()
    page.keyboard.press("Tab")
    assert listed.first.evaluate("node => node === document.activeElement")
    page.keyboard.press("ArrowDown")
    assert listed.nth(1).evaluate("node => node === document.activeElement")
    # The largest clusters come first, and the map marks the cluster that has the focus.
    counts = sorted((c["count"] for c in shown(page)), reverse=True)
    assert listed.nth(1).inner_text().startswith(f"{counts[1]} points")
    second = sorted(shown(page), key=lambda c: (-c["count"], c["id"]))[1]
    wait_for(lambda: colour(page, second["left"], second["top"] - second["radius"] - 3.5)[3] > 200, "the mark")
    page.screenshot(path=PICTURES / "focus.png")
    zoom = page.evaluate("map.getZoom()")
    page.keyboard.press("Enter")
    page.wait_for_function("before => map.getZoom() > before", arg=zoom)
    rest(page)
    # The focus stays in the list.
    page.wait_for_timeout(300)
    assert listed.first.evaluate("node => node === document.activeElement")


def test_a_stack_opens_and_closes_by_keyboard(open_map):
    page = open_map("stacks")
    page.evaluate("map.jumpTo({ center: [12.5, 55.7], zoom: 14 })")
    rest(page)
    page.get_by_role("button", name="5 points at one position").focus()
    page.keyboard.press("Enter")
    member = page.get_by_role("list", name="5 points at one position").get_by_role("button").first
    member.wait_for(state="attached")
    assert member.evaluate("node => node === document.activeElement")
    page.keyboard.press("Enter")
    page.wait_for_function("() => points.length === 1")
    page.keyboard.press("Escape")
    page.get_by_role("list", name="Clusters in view").wait_for(state="attached")


def test_screen_readers_hear_what_is_in_view(open_map):
    page = open_map("airports")
    status = page.get_by_role("status")
    page.wait_for_function("() => document.querySelector('[role=status]').textContent !== ''")
    clusters = shown(page)
    assert status.inner_text() == f"{len(clusters)} clusters of {sum(c['count'] for c in clusters):,} points, zoom 3.0"
    found = Axe().run(page, options={"runOnly": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa"]})
    assert found.response["violations"] == [], json.dumps(found.response["violations"])[:2000]


def test_reduced_motion_moves_nothing(open_map):
    page = open_map("airports", reduced_motion="reduce")
    page.evaluate("""() => { globalThis.moving = 0; const { apply } = layer.scene;
      layer.scene.apply = function (...all) { apply.apply(this, all); moving += this.isMoving; globalThis.applied = true } }""")
    page.evaluate("map.jumpTo({ zoom: 4 })")
    page.wait_for_function("() => globalThis.applied")
    assert page.evaluate("moving") == 0 and all(c["isAtTarget"] for c in shown(page))


def test_badges_are_dark_where_the_system_is(open_map):
    def ring(**options):
        page = open_map("airports", **options)
        lone = max(inside(page, shown(page)), key=lambda c: c["radius"])
        return page, lone, colour(page, lone["left"], lone["top"] - lone["radius"] + 1)[:3]

    _, _, light = ring(color_scheme="light")
    page, lone, dark = ring(color_scheme="dark")
    assert min(light) > 200 and max(dark) < 80
    page.screenshot(path=PICTURES / "dark.png")
    page.emulate_media(color_scheme="light")
    wait_for(lambda: min(colour(page, lone["left"], lone["top"] - lone["radius"] + 1)[:3]) > 200, "light badges")
    page.evaluate("layer.set({ theme: 'dark' })")
    wait_for(lambda: max(colour(page, lone["left"], lone["top"] - lone["radius"] + 1)[:3]) < 80, "dark badges")
    page.evaluate("layer.set({ theme: { ring: '#ff0000' } })")
    red = pytest.approx([255, 0], abs=30)
    wait_for(lambda: colour(page, lone["left"], lone["top"] - lone["radius"] + 1)[:2] == red, "red rings")


def test_misspelt_options_are_reported(open_map):
    page = open_map("airports", "onError: (error) => window.heard.push(error.message)")
    for options, expected in [("cut: { badge: 1 }", "The options of a cut are spacing, badges, detail, limit"), ("cut: {}", "A cut needs spacing"),
                              ("theme: 'drak'", "Expected auto, light, dark"), ("colorBy: 'knd'", "no column 'knd' for colorBy")]:
        page.evaluate(f"window.heard = []; layer.set({{ {options} }}); 0")
        page.wait_for_function("heard.length > 0")
        assert expected in page.evaluate("heard[0]")
    page.evaluate("window.heard = []; layer.set({ cut: { badges: 1 }, colorBy: undefined }); 0")
    page.wait_for_function("!layer.isMoving")
    assert page.evaluate("heard") == []


def test_donuts_count_the_categories(open_map):
    page = open_map("airports", "colorBy: 'country'")
    legend = page.evaluate("layer.legend")
    assert [entry["name"] for entry in legend][:2] == ["US", "BR"] and legend[-1]["name"] is None and len(legend) == 7
    clusters = shown(page)
    assert all(sum(c["parts"]) == c["count"] for c in clusters)
    # The expected counts are computed from the features.
    france = [entry["name"] for entry in legend].index("FR")
    id, count = page.evaluate("""at => { const cluster = layer.scene.clusters.reduce((a, b) => a.parts[at] > b.parts[at] ? a : b);
      const { features } = cluster.answer.tree.members(cluster.id, { limit: 1e6 }).toGeoJSON();
      return [cluster.id, features.filter(({ properties }) => properties.country === 'FR').length] }""", france)
    assert next(c for c in clusters if c["id"] == id)["parts"][france] == count > 10
    page.wait_for_timeout(300)
    page.screenshot(path=PICTURES / "donuts.png")
    page.evaluate("layer.set({ order: ['FR', 'BR'] })")
    page.wait_for_function("() => layer.legend[0].name === 'FR' && !layer.isMoving")
    assert [entry["name"] for entry in page.evaluate("layer.legend")][:3] == ["FR", "BR", "US"]
    assert next(c for c in shown(page) if c["id"] == id)["parts"][0] == count


def test_a_filter_changes_the_numbers_and_moves_nothing_else(open_map):
    page = open_map("airports", "colorBy: 'country'")
    page.evaluate("map.jumpTo({ center: [4, 48], zoom: 5 })")
    rest(page)
    before = shown(page)
    page.evaluate("""async () => { const features = await (await fetch('/points/airports')).json();
      layer.set({ filter: (row) => features[row].properties.country === 'FR' }) }""")
    rest(page)
    after = shown(page)
    france = [entry["name"] for entry in page.evaluate("layer.legend")].index("FR")
    assert 0 < sum(c["count"] for c in after) == sum(c["parts"][france] for c in after) < sum(c["count"] for c in before)
    page.evaluate("layer.set({ filter: null })")
    rest(page)
    assert [(c["id"], c["count"]) for c in shown(page)] == [(c["id"], c["count"]) for c in before]


def test_another_tree_replaces_the_badges(open_map):
    page = open_map("airports")
    page.evaluate("async () => layer.setSource(Treeline.build(await (await fetch('/points/cities')).json()))")
    rest(page)
    assert sum(c["count"] for c in shown(page)) != 0
    assert page.evaluate("layer.scene.clusters.every(c => layer.scene.sprite(c.id).showsLabel(performance.now()))")
    names = page.evaluate("layer.clusters.features.filter(f => !f.properties.cluster).map(f => f.properties.name)")
    assert names and page.evaluate("layer.scene.sprites.length") == len(shown(page))


def test_options_that_change_while_a_source_opens_are_kept(open_map):
    page = open_map("airports", "colorBy: 'country'")
    # The new order applies to the new tree.
    page.evaluate("""async () => { const cities = await (await fetch('/points/cities')).json();
      globalThis.next = await Treeline.build(cities);
      const shown = layer.setSource(next);
      layer.set({ order: ['IN', 'BR'] });
      await shown }""")
    rest(page)
    assert page.evaluate("layer.scene.clusters.every(c => c.answer.tree === next)")
    assert [entry["name"] for entry in page.evaluate("layer.legend")][:2] == ["IN", "BR"]
    # The column applies to a tree that is not shown yet.
    page.evaluate("""async () => { layer.set({ colorBy: undefined, order: undefined });
      const ready = layer.setSource(next);
      layer.set({ colorBy: 'country' });
      await ready }""")
    rest(page)
    assert len(page.evaluate("layer.legend")) > 2


def test_an_unknown_theme_changes_no_option(open_map):
    page = open_map("airports", "theme: 'dark', onError: (error) => (globalThis.problems ??= []).push(error.message)")
    page.evaluate("layer.set({ theme: 'drak', ellipses: true })")
    assert page.evaluate("[problems.length, layer.options.theme, layer.options.ellipses]") == [1, "dark", None]


def test_turned_and_tilted_maps_have_their_badges_in_place(open_map):
    page = open_map("airports")
    page.evaluate("map.jumpTo({ bearing: 40, pitch: 50 })")
    rest(page)
    clusters = [c for c in inside(page, shown(page)) if c["count"] > 30]
    assert len(clusters) > 5
    wait_for(lambda: all(colour(page, c["left"] - c["radius"] * 0.7, c["top"])[3] > 200 for c in clusters), "the badges")
    page.screenshot(path=PICTURES / "tilted.png")


def test_badges_are_on_each_copy_of_the_world(open_map):
    page = open_map("airports")
    page.evaluate("map.jumpTo({ center: [0, 20], zoom: 0 })")
    rest(page)
    largest = max(shown(page), key=lambda c: c["count"])
    world = page.evaluate("512 * 2 ** map.getZoom()")
    copies = [left for left in (largest["left"] + turns * world for turns in (-1, 0, 1)) if 20 < left < 1420]
    assert len(copies) > 1
    page.mouse.move(copies[-1], largest["top"])
    assert page.evaluate("map.getCanvas().style.cursor") == "pointer"
    assert all(colour(page, left - 15, largest["top"])[3] > 200 for left in copies)


def test_a_wrong_cut_is_reported_once(open_map):
    page = open_map("airports", "onError: (error) => (globalThis.problems ??= []).push(error.message)")
    before = shown(page)
    page.evaluate("layer.set({ cut: { spacing: 44 } })")
    page.wait_for_function("() => globalThis.problems")
    rest(page)
    # The badges are those of the last cut that had an answer.
    assert page.evaluate("layer.options.cut") is None and shown(page) == before
    page.evaluate("map.panBy([1, 0], { duration: 0 })")
    page.wait_for_timeout(400)
    assert page.evaluate("problems.length") == 1


def test_wrong_options_are_reported_and_taken_back(open_map):
    page = open_map("airports", "onError: (error) => (globalThis.problems ??= []).push(error.message), filter: (row) => row % 2 === 0")
    before = shown(page)
    page.evaluate("layer.set({ filter: 'population >', ellipses: true })")
    page.wait_for_function("() => globalThis.problems?.length === 1")
    page.evaluate("layer.set({ filter: 'nothing = 1' })")
    page.wait_for_function("() => globalThis.problems.length === 2")
    assert page.evaluate("[typeof layer.options.filter, layer.options.ellipses]") == ["function", None]
    page.evaluate("layer.set({ ellipses: true })")
    rest(page)
    assert shown(page) == before


def test_a_source_that_cannot_be_opened_is_reported(open_page):
    page = open_page(MAPLIBRE + """
      globalThis.problems = [];
      globalThis.layer = addTreeline(map, Treeline.build("no points"), { onError: (error) => problems.push(error.name) });
      globalThis.outcome = await layer.ready.then(() => "shown", (error) => error.name);
    """)
    rest(page)
    assert page.evaluate("problems") == [page.evaluate("outcome")] and page.evaluate("outcome") != "shown"
    # The layer waits for nothing, and shows the next source.
    page.evaluate("async () => layer.setSource(Treeline.build(await (await fetch('/points/cities')).json()))")
    page.wait_for_function("() => !layer.isMoving && layer.scene.size > 20")
    # An error that nobody awaits is no unhandled rejection.
    page.evaluate("() => { layer.setSource(Treeline.build('no points')); layer.set({ theme: 'dark' }) }")
    page.wait_for_function("() => problems.length === 2")
    rest(page)
    assert len(shown(page)) > 20


def test_a_removed_layer_leaves_nothing(open_map):
    page = open_map("airports")
    assert page.evaluate("document.querySelectorAll('canvas').length") == 2
    page.evaluate("layer.remove()")
    assert page.evaluate("[document.querySelectorAll('canvas').length, document.querySelectorAll('ul button').length]") == [1, 0]
    page.evaluate("map.jumpTo({ zoom: 5 })")
    page.wait_for_timeout(300)
    # A map that is removed takes its layers with it.
    page.evaluate("async () => { const { addTreeline } = await import('/src/map/maplibre.js');"
                  " globalThis.layer = addTreeline(map, Treeline.build([[0, 0], [1, 1]])); await layer.ready; map.remove() }")
    assert page.evaluate("document.querySelectorAll('[role=status]').length") == 0


def test_a_plain_source_follows_the_map(open_page):
    page = open_page(MAPLIBRE + """
      await new Promise(done => map.on("load", done));
      globalThis.followed = (tree) => addTreelineSource(map, "airports", tree);
      globalThis.airports = Treeline.build(await pointsOf("airports"));
      globalThis.source = followed(airports);
      for (const layer of treelineLayers("airports")) map.addLayer(layer);
      globalThis.drawn = () => map.queryRenderedFeatures({ layers: ["airports-badges"] })
        .map(({ properties, geometry }) => ({ ...properties, ...map.project(geometry.coordinates) }));
    """)
    page.wait_for_function("() => globalThis.isReady && drawn().length > 300")
    page.screenshot(path=PICTURES / "plain-source.png")

    def touching():
        badges = {each["cluster_id"]: each for each in page.evaluate("drawn()")}.values()
        return [(a, b) for a in badges for b in badges if a["cluster_id"] < b["cluster_id"]
                and math.dist((a["x"], a["y"]), (b["x"], b["y"])) < (a["badge_px"] + b["badge_px"]) / 2 - 0.05]

    assert touching() == []
    page.evaluate("map.jumpTo({ center: [-100, 40], zoom: 4.3 })")
    page.wait_for_function("() => map.loaded() && drawn().some(({ point_count }) => point_count > 150)")
    assert touching() == []
    page.evaluate("source.set({ cut: { badges: 2 } })")
    page.wait_for_function("() => map.loaded() && drawn().some(({ badge_px }) => badge_px > 60)")
    # Also while the map moves, and answers take longer than the pause between two requests.
    page.evaluate("""async () => { source.remove();
      const slow = { clusters: async (query) => { await new Promise(done => setTimeout(done, 250)); return (await airports).clusters(query) } };
      globalThis.source = followed(slow);
      globalThis.drawings = 0;
      const own = map.getSource("airports");
      const setData = own.setData.bind(own);
      own.setData = (data) => { drawings++; return setData(data) };
      map.panBy([600, 0], { duration: 2500 });
      await new Promise(done => setTimeout(done, 2000)) }""")
    assert page.evaluate("drawings") > 3
    page.evaluate("source.remove()")
    assert page.evaluate("[map.getSource('airports'), map.getLayer('airports-badges')].every((found) => found === undefined)")
