"""Movement between two answers, and the order in which answers are accepted. WebTests tests how a scene moves."""

import contextlib
import csv
import gzip
import itertools
import json
import math
import os
import shutil
import urllib.parse

import pytest

from conftest import LAPTOP, VIEWER, frames, rest, shown
from programs import Server, build


def test_parts_start_where_their_whole_was(open_map):
    page = open_map("#index=iceland&view=tree")
    moved = page.evaluate("""async () => {
      const {scene} = viewer.tree, apply = scene.apply;
      const before = new Map(scene.clusters.map(c => [c.id, {x: c.x, y: c.y}]));
      const first = new Promise(resolve => scene.apply = (change, clusters, now, still) => {
        apply.call(scene, change, clusters, now, still);
        scene.apply = apply;
        resolve(change.splits.map(({whole, parts}) => parts.map(({cluster_id: id}) => {
          const {x, y} = scene.sprite(id), from = before.get(whole.cluster_id);
          return Math.hypot(x - from.x, y - from.y);
        })).flat());
      });
      viewer.map.jumpTo({zoom: viewer.map.getZoom() + 1});
      return first;
    }""")
    assert len(moved) > 10
    assert max(moved) == 0
    rest(page)
    # The page may not have drawn the last frame yet.
    page.wait_for_function("""() => viewer.tree.scene.clusters.every(c => {
      const s = viewer.tree.scene.sprite(c.id); return s.x === c.x && s.y === c.y && s.size === 1 && s.alpha === 1 })""")


def test_badges_merge_while_the_map_zooms_out(open_map):
    """Until the answer for the new view comes, badges that would cover each other become one badge, so they do not pile
    up. Dots, which are smaller, are left out of this test."""
    page = open_map("#index=iceland&view=tree&map=9/64.1/-21.6&by=spacing")
    page.evaluate("""() => {
      globalThis.drawn = [];
      const {pictures} = viewer.overlay, real = pictures.drawDisc;
      pictures.drawDisc = function (context, cluster, x, y, scale) {
        if (cluster.count > 1) drawn.push([x, y, cluster.radius * scale]);
        return real.call(this, context, cluster, x, y, scale);
      };
      viewer.tree.feed.want = () => false;
      viewer.map.jumpTo({zoom: 6.5});
    }""")
    page.evaluate("drawn.length = 0; viewer.wake()")
    page.wait_for_function("() => drawn.length > 0")
    frames(page)
    circles = list({(x, y): (x, y, radius) for x, y, radius in page.evaluate("drawn")}.values())
    assert 1 < len(circles) < page.evaluate("viewer.tree.scene.size") / 2
    assert min(radius for _, _, radius in circles) >= 4
    assert all(math.dist(a[:2], b[:2]) >= a[2] + b[2] - 1 for i, a in enumerate(circles) for b in circles[:i])


def test_names_do_not_pile_up_while_the_map_zooms_out(open_map):
    page = open_map("#index=iceland&view=tree&map=10/64.1/-21.6")
    page.wait_for_function("() => viewer.tree.labels.placed.length > 5")
    count = page.evaluate("viewer.tree.labels.placed.length")
    page.evaluate("viewer.tree.feed.want = () => false; Object.defineProperty(viewer.tree.scene, 'isMoving', { value: true }); viewer.map.jumpTo({zoom: 7.5})")
    page.wait_for_function("count => viewer.tree.labels.placed.length < count", arg=count)
    names = page.evaluate("""viewer.tree.labels.placed.map(({x, y, dx, dy}) => {
      const at = viewer.camera.point(x, y); return [at.x + dx, at.y + dy] })""")
    assert all(abs(a[0] - b[0]) > 20 or abs(a[1] - b[1]) > 10 for i, a in enumerate(names) for b in names[:i])


def test_reduced_motion_moves_nothing(open_map):
    page = open_map("#index=iceland&view=tree", reduced_motion="reduce")
    page.evaluate("viewer.map.jumpTo({zoom: viewer.map.getZoom() + 1})")
    page.wait_for_function("() => viewer.isAtRest")
    assert page.evaluate("viewer.tree.scene.clusters.every(c => viewer.tree.scene.sprite(c.id).x === c.x)")


def test_an_answer_that_comes_late_is_discarded(open_map):
    """The first request is canceled. Its answer arrives after the answer to the second request, and must be
    discarded."""
    page = open_map("#index=iceland&view=tree")
    page.evaluate("""() => {
      const real = globalThis.fetch;
      globalThis.late = {held: false, answered: false};
      const released = new Promise(resolve => late.release = resolve);
      globalThis.fetch = async (url, options = {}) => {
        if (String(url).includes('/transition') && !late.held) {
          late.held = true;
          const {signal, ...rest} = options;
          const response = await real(url, rest);
          const text = await response.text();
          await released;
          setTimeout(() => late.answered = true);
          return new Response(text, response);
        }
        return real(url, options);
      };
      viewer.map.jumpTo({center: [-14.5, 65.2], zoom: 9});
    }""")
    page.wait_for_function("() => late.held")
    page.evaluate("viewer.map.jumpTo({center: [-21.9, 64.12], zoom: 9})")
    rest(page)
    assert not page.evaluate("late.answered")
    before = shown(page)
    page.evaluate("late.release()")
    page.wait_for_function("() => late.answered")
    frames(page)
    assert shown(page) == before
    assert any(abs(c["longitude"] + 21.9) < 0.4 for c in before)


# Script that zooms out while a slow server answers each request after `delay` milliseconds. Records the badges and
# numbers of each frame, and the zooms of the requests.
ZOOM_OUT = """async ([delay, zoom]) => {
  const { map, overlay, overlay: { pictures } } = viewer, real = globalThis.fetch;
  const frames = [], zooms = [];
  globalThis.fetch = async (url, options) => {
    if (!String(url).includes('/transition')) return real(url, options);
    zooms.push(+new URL(url).searchParams.get('zoom'));
    await new Promise(done => setTimeout(done, delay));
    return real(url, options);
  };
  const clear = overlay.clear.bind(overlay);
  overlay.clear = () => {
    frames.push({ zoom: map.getZoom(), hasAnswer: viewer.tree.scene.clusters[0]?.scale < 512 * 2 ** (zoom + 0.05), badges: [] });
    clear();
  };
  const isOnMap = context => context === overlay.context && frames.length > 0;
  for (const name of ['drawDisc', 'drawDonut']) {
    const draw = pictures[name].bind(pictures);
    pictures[name] = (context, badge, x, y, scale = 1) => {
      if (isOnMap(context) && badge.count) frames.at(-1).badges.push({ count: badge.count, x, y, radius: badge.radius * scale, label: '' });
      return draw(context, badge, x, y, scale);
    };
  }
  const label = pictures.drawLabel.bind(pictures);
  pictures.drawLabel = (context, badge, ...rest) => {
    if (isOnMap(context)) frames.at(-1).badges.at(-1).label = badge.label;
    return label(context, badge, ...rest);
  };
  map.easeTo({ zoom, duration: 650 });
  await new Promise(done => map.once('moveend', done));
  const still = () => viewer.isAtRest && !viewer.tree.scene.isMoving;
  while (!still()) await new Promise(requestAnimationFrame);
  return { frames, zooms, end: Math.floor((map.getZoom() + 1) * 1000) / 1000 };
}"""


@pytest.mark.parametrize("delay", [0, 700])
@pytest.mark.parametrize("index, start, end", [("iceland", "11/64.13/-21.9", 4.5), ("airports", "7/50/8", 1.6), ("badges", "7/50/8", 1.6)])
def test_zooming_out_far_never_shows_a_heap_or_a_badge_without_a_number(open_map, index, start, end, delay):
    page = open_map(f"#index={index}&view=tree&map={start}", LAPTOP)
    film = page.evaluate(ZOOM_OUT, [delay, end])
    # The clusters of the last view are requested when the motion starts.
    assert film["zooms"][0] == pytest.approx(film["end"], abs=0.0015) and len(film["zooms"]) <= 2
    waiting = [frame for frame in film["frames"] if not frame["hasAnswer"]]
    assert delay == 0 or len(waiting) > 3 and waiting[-1]["zoom"] < end + 0.5
    for frame in film["frames"]:
        # A badge that grows or shrinks has no number while it is too small for one.
        assert all(badge["label"] or badge["count"] == 1 or badge["radius"] < 9 for badge in frame["badges"])
        covered = [(a, b) for at, a in enumerate(frame["badges"]) for b in frame["badges"][:at]
                   if math.dist((a["x"], a["y"]), (b["x"], b["y"])) < max(a["radius"], b["radius"]) - 1]
        assert len(covered) <= 2, f"{len(covered)} badges cover another badge at zoom {frame['zoom']}"
    # Before the answer, no badge loses its points.
    counts = {sum(badge["count"] for badge in frame["badges"]) for frame in waiting if frame["zoom"] < 2 + end}
    assert delay == 0 or len(counts) == 1


def test_a_slow_server_answers_while_the_map_moves(open_map):
    """Checks that requests are not canceled again and again."""
    page = open_map("#index=iceland&view=tree&map=9/64.13/-21.9")
    answers = page.evaluate("""async () => {
      const real = globalThis.fetch;
      globalThis.fetch = async (url, options) => {
        if (String(url).includes('/transition')) await new Promise(done => setTimeout(done, 400));
        return real(url, options);
      };
      const before = viewer.tree.answer;
      viewer.map.easeTo({ center: [-21, 64.3], duration: 4000 });
      await new Promise(done => viewer.map.once('moveend', done));
      return viewer.tree.answer - before;
    }""")
    assert answers >= 2


def test_one_request_a_frame_at_most(open_map):
    page = open_map("#index=iceland&view=compare")
    counts = page.evaluate("""async () => {
      const real = globalThis.fetch, frames = new Map();
      globalThis.fetch = (url, options) => {
        const frame = document.timeline.currentTime;
        if (/transition|clusters/.test(url)) frames.set(frame, (frames.get(frame) ?? 0) + 1);
        return real(url, options);
      };
      // On a busy machine, one movement may have few frames.
      for (const zoom = [10, 8]; frames.size <= 5; zoom.reverse()) {
        viewer.map.easeTo({center: [-21.9, 64.12], zoom: zoom[0], duration: 2500});
        await new Promise(resolve => viewer.map.once('moveend', resolve));
      }
      globalThis.fetch = real;
      return [...frames.values()];
    }""")
    assert set(counts) == {1}


@contextlib.contextmanager
def unanswered(page, requests):
    """Lets requests fail until the map says that the server does not answer."""
    page.route(requests, lambda route: route.abort())
    yield
    page.get_by_text("The server does not answer. Trying again…").wait_for()
    page.unroute(requests)


def test_a_server_that_fails_is_tried_again(open_map):
    page = open_map("#index=iceland&view=tree", tolerates=["ERR_FAILED"])
    with unanswered(page, "**/transition?*"):
        page.evaluate("viewer.map.jumpTo({zoom: 8})")
    page.locator("#notice").wait_for(state="hidden")
    rest(page)
    assert shown(page)


def test_an_index_that_could_not_be_loaded_is_loaded_again(open_map):
    page = open_map("#index=iceland&view=tree", tolerates=["ERR_FAILED"])
    with unanswered(page, "**/v1/airports/clusters?*"):
        page.evaluate("viewer.settings.set({ index: 'airports' })")
    page.locator("#notice").wait_for(state="hidden")
    rest(page)
    assert shown(page)
    # The categories of a column are loaded again, too.
    with unanswered(page, "**/v1/airports/clusters?*"):
        page.evaluate("viewer.settings.set({ donuts: 'country' })")
    page.wait_for_function("() => viewer.values.categories.length > 1")
    page.locator("#notice").wait_for(state="hidden")


def test_an_index_keeps_its_own_scale_if_another_answers_late(open_map):
    page = open_map("#index=iceland&view=tree")
    held = []
    page.route("**/v1/airports/clusters?*", lambda route: held.append(route))
    with page.expect_request("**/v1/airports/clusters?*"):
        page.evaluate("viewer.settings.set({ index: 'airports' })")
    page.evaluate("viewer.settings.set({ index: 'iceland' })")
    page.wait_for_function("() => viewer.tones !== null")
    rest(page)
    page.evaluate("globalThis.tones = viewer.tones")
    for route in held:
        route.continue_()
    page.wait_for_timeout(500)
    assert page.evaluate("viewer.tones === tones && viewer.index.name === 'iceland'")


def test_ids_of_an_index_that_was_replaced_are_forgotten(open_map):
    page = open_map("#index=iceland&view=tree", tolerates=["409"])
    versions = []

    def conflict_once(route):
        versions.append(json.loads(route.request.post_data).get("version"))
        if len(versions) > 1:
            return route.continue_()
        route.fulfill(status=409, content_type="application/problem+json",
                      body=json.dumps({"type": "about:blank", "title": "Conflict", "status": 409, "detail": "Replaced"}))

    page.route("**/transition?*", conflict_once)
    page.evaluate("viewer.index = {...viewer.index, version: '0000000000000000'}; viewer.map.jumpTo({zoom: 8})")
    page.wait_for_function("() => viewer.index.version !== '0000000000000000'")
    rest(page)
    assert versions[0] == "0000000000000000" and versions[-1] != versions[0]
    assert shown(page)


@pytest.mark.parametrize("view", ["grid", "tiles"])
def test_that_an_index_was_replaced_is_seen_without_ids_too(open_map, view):
    page = open_map(f"#index=iceland&view={view}")
    page.evaluate("viewer.index = {...viewer.index, version: '0000000000000000', point_count: 1}; viewer.map.jumpTo({zoom: 8})")
    page.wait_for_function("() => viewer.index.version !== '0000000000000000'")
    page.get_by_text("139,409 points").first.wait_for()
    rest(page)


def test_badges_that_did_not_change_stay_when_an_index_is_replaced(open_map, indexes, tmp_path):
    """The new version lacks a stack of five points. It has one more point in the stack of forty points."""
    with gzip.open(indexes["stacks"].parent / "stacks.csv.gz", "rt", newline="") as file:
        head, *rows = csv.reader(file)
    changed = [row for row in rows if not row[2].startswith("Few")] + [["12.601", "55.75", "Many 40"]]
    with open(tmp_path / "changed.csv", "w", newline="") as file:
        csv.writer(file).writerows([head, *changed])
    served = shutil.copy(indexes["stacks"], tmp_path / "live.treeline")
    new = build(tmp_path / "changed.csv", tmp_path / "new.treeline", "--attributes", "name", "--for", "spacing")
    server = Server(served, "--viewer", VIEWER)
    try:
        page = open_map("#index=live&view=tree&map=10.2/55.68/12.5", server=server.url)
        page.evaluate("""() => {
          globalThis.first = {version: viewer.index.version, sprites: new Map(viewer.tree.scene.clusters.map(c => [c.longitude, viewer.tree.scene.sprite(c.id)]))};
          globalThis.touched = new Set();
          const {scene} = viewer.tree, replace = scene.replace;
          scene.replace = function (...call) {
            replace.apply(scene, call);
            for (const [longitude, sprite] of first.sprites) if (!sprite.hasArrived || sprite.alpha < 1) touched.add(longitude);
          };
        }""")
        before = shown(page)
        os.replace(new, served)
        page.wait_for_function("() => viewer.index.version !== first.version && !viewer.tree.isOutdated")
        touched = page.evaluate("[...touched]")
        after = shown(page)
        rest(page)
        assert page.evaluate("viewer.map.getZoom()") == pytest.approx(10.2)
        stayed = {c["longitude"] for c in before if c["count"] == 1} & {c["longitude"] for c in after}
        assert len(stayed) >= 5 and not stayed & set(touched)
        assert sorted(c["count"] for c in after)[-1] == 41
        # The badge of 41 points is the badge that had 40 points.
        assert page.evaluate("""() => viewer.tree.scene.sprite(viewer.tree.scene.clusters.find(c => c.count === 41).id)
          === [...first.sprites.values()].find(s => s.cluster.count === 41)""")
    finally:
        server.stop()


@pytest.fixture
def fleet(tmp_path):
    """Returns a function that starts a server with a live index of 200 vehicles in ten towns, and with further options,
    and a function that sends changes."""
    def row(n):
        town, radius, angle = n // 20, 1.5 * math.sqrt((n % 20 + 1) / 20), 2.4 * n
        return f"{n},Bus {n},{12 * (town % 5) + radius * math.cos(angle):.5f},{35 + 12 * (town // 5) + radius * math.sin(angle):.5f}\n"

    rows = "".join(map(row, range(200)))
    (tmp_path / "fleet.csv").write_text("id,name,longitude,latitude\n" + rows)
    index = build(tmp_path / "fleet.csv", tmp_path / "fleet.treeline", "--columns", "id:number,name:text", "--grow", "badges")
    servers, names = [], (f"batch-{n}" for n in itertools.count())

    def start(*options):
        token = tmp_path / "write-token"
        token.write_text("a-token-of-this-test")
        token.chmod(0o600)
        servers.append(Server("--live", index, "--key", "id", "--write-token-file", token, "--viewer", VIEWER, *options))
        return servers[-1]

    def change(*changes):
        headers = {"Authorization": "Bearer a-token-of-this-test", "Content-Type": "application/x-ndjson", "Idempotency-Key": next(names)}
        status, _, body = servers[-1].ask("/v1/fleet/points", "PATCH", headers, "\n".join(json.dumps(each) for each in changes).encode())
        assert status == 200, body

    yield start, change
    for server in servers:
        server.stop()


def vehicle(key, name, longitude, latitude):
    return {"type": "Feature", "geometry": {"type": "Point", "coordinates": [longitude, latitude]}, "properties": {"id": key, "name": name}}


def hide(page):
    """Makes the page look hidden without telling it, so that it does not ask for versions at intervals."""
    page.evaluate("Object.defineProperty(document, 'visibilityState', {value: 'hidden'})")


@pytest.mark.parametrize("is_guarded", [False, True])
def test_a_new_version_of_a_live_index_is_announced(open_map, fleet, tmp_path, is_guarded):
    (tmp_path / "token").write_text("secret")
    start, change = fleet
    server = start(*(["--token-file", tmp_path / "token"] if is_guarded else []))
    page = open_map("#index=fleet&view=tree", server=server.url, settle=not is_guarded, tolerates=["401"] if is_guarded else [])
    if is_guarded:
        page.get_by_label("This server needs a token.").fill("secret")
        page.get_by_role("button", name="Sign in").click()
        rest(page)
    hide(page)
    change({"remove": 0}, {"remove": 7})
    page.wait_for_function("() => viewer.index.point_count === 198 && !viewer.tree.isOutdated")
    rest(page)
    assert sum(c["count"] for c in shown(page)) == 198


def test_a_replaced_index_is_announced(open_map, indexes, tmp_path):
    served = shutil.copy(indexes["one"], tmp_path / "served.treeline")
    server = Server(served, "--viewer", VIEWER)
    try:
        page = open_map("#index=served&view=tree", server=server.url)
        hide(page)
        shutil.copy(indexes["stacks"], tmp_path / "new.treeline")
        os.replace(tmp_path / "new.treeline", served)
        page.wait_for_function("() => viewer.index.point_count === 53 && !viewer.tree.isOutdated")
    finally:
        server.stop()


def test_what_is_open_stays_open_in_a_new_version_of_a_live_index(open_map, fleet):
    start, change = fleet
    # A request may be under way when its version is replaced; its cluster may not exist in the new version.
    page = open_map("#index=fleet&view=tree&hit=17&map=7.5/35/0", server=start().url, tolerates=["409", "404"])

    def wait(sequence):
        page.wait_for_function("sequence => viewer.index.sequence === sequence && !viewer.tree.isOutdated", arg=sequence)
        rest(page)

    page.wait_for_function("() => viewer.hit?.text === 'Bus 17'")
    # The card of a vehicle. Its vehicle moves, has another name, and is in another row.
    keys = page.evaluate("viewer.tree.scene.clusters.map(({id, properties}) => [id, properties.id])")
    one, key = next((c, key) for c in shown(page) for id, key in keys if c["count"] == 1 and c["id"] == id and key != 17)
    page.evaluate("id => viewer.choice.choose(viewer.tree.scene.sprite(id).cluster, viewer.tree)", one["id"])
    page.get_by_role("heading", name=f"Bus {key}", exact=True).wait_for()
    page.locator("#card .close").focus()
    change(vehicle(-1, "First", 0, 40), vehicle(key, "Express", one["longitude"] + 0.3, one["latitude"] + 0.2), vehicle(17, "Bus 17", 17.5, 40.5))
    page.get_by_role("heading", name="Express", exact=True).wait_for()
    wait(1)
    assert page.evaluate("document.activeElement.matches('#card .close')")
    assert page.evaluate("viewer.settings.open === String(viewer.card.cluster.id) && viewer.card.index === viewer.index")
    assert page.evaluate("viewer.card.cluster.longitude") == pytest.approx(one["longitude"] + 0.3)
    page.wait_for_function("() => viewer.settings.hit === '18' && viewer.hit?.text === 'Bus 17' && viewer.hit.path.size > 0")
    assert page.evaluate("viewer.hit.x") == pytest.approx(17.5 / 360 + 0.5)
    # The vehicle leaves the map, and so does the found vehicle.
    change({"remove": key}, {"remove": 17})
    page.wait_for_function("() => !viewer.card.isOpen && viewer.hit === null && viewer.settings.hit === '' && viewer.settings.open === ''")
    wait(2)

    # The list of a cluster, and a cluster under the pointer, after edits of some of their members.
    page.evaluate("viewer.map.jumpTo({zoom: 2})")
    rest(page)
    listed, pointed = sorted((c for c in shown(page) if c["count"] > 4), key=lambda c: c["count"])[-2:]
    page.evaluate("async id => { await viewer.card.list(viewer.tree.scene.sprite(id).cluster, viewer.index, viewer.tree); }", listed["id"])
    page.wait_for_function("() => viewer.card.members.length > 0")
    keys = page.evaluate("viewer.card.members.map(({properties}) => properties.id)")
    page.evaluate("""id => {
      const {cluster} = viewer.tree.scene.sprite(id);
      viewer.pointing.point(cluster, viewer.tree);
      viewer.hint.show(cluster, "tree", viewer.index, 300, 300);
    }""", pointed["id"])
    inside = page.evaluate("""async id => (await viewer.source.members('fleet', id, {limit: 1})).features.map(
      ({properties, geometry: {coordinates}}) => [properties.id, ...coordinates])[0]""", pointed["id"])
    change({"remove": keys[1]}, vehicle(inside[0], "Renamed", *inside[1:]), vehicle(500, "New", inside[1], inside[2]))
    wait(3)
    page.wait_for_function("count => viewer.card.cluster?.count === count", arg=listed["count"] - 1)
    page.wait_for_function("count => document.querySelectorAll('#card li').length === count", arg=listed["count"] - 1)
    assert page.locator("#card h2").inner_text() == f"{listed['count'] - 1} points"
    assert page.evaluate("viewer.pointing.pointed.cluster.count") == pointed["count"] + 1
    assert page.evaluate("viewer.tree.scene.clusters.includes(viewer.pointing.pointed.cluster)")
    assert page.locator("#hint").is_visible() and f"{pointed['count'] + 1} points" in page.locator("#hint").inner_text()


def test_an_open_card_keeps_its_filter_in_a_new_version_of_a_live_index(open_map, fleet):
    start, change = fleet
    # A tenth of the vehicles pass, so the filtered cluster is much smaller than the whole cluster.
    keys = range(3, 200, 10)
    where = urllib.parse.quote(f"id IN ({', '.join(map(str, keys))}, 500)")
    page = open_map(f"#index=fleet&view=tree&by=limit&limit=1&where={where}", server=start().url, tolerates=["409", "404"])
    page.evaluate("void viewer.card.list(viewer.tree.scene.clusters[0], viewer.index, viewer.tree)")
    page.wait_for_function("count => document.querySelectorAll('#card li').length === count", arg=len(keys))
    change(vehicle(500, "New", 12, 35), vehicle(501, "Other", 12, 36), {"remove": 4})
    page.locator("#card h2").get_by_text(f"{len(keys) + 1} points", exact=True).wait_for()
    page.wait_for_function("count => document.querySelectorAll('#card li').length === count", arg=len(keys) + 1)
    # The card of a point closes if the point no longer passes the filter.
    page.evaluate("viewer.settings.set({ where: `name = 'New'` })")
    page.locator("#card h2").get_by_text("New", exact=True).wait_for()
    change(vehicle(500, "Newer", 12, 35))
    page.locator("#card").wait_for(state="hidden")


def open_card(page, count):
    """Opens the card of the cluster with `count` points, once the map shows this cluster."""
    page.wait_for_function("count => viewer.tree.scene.clusters.some(c => c.count === count)", arg=count)
    page.evaluate("count => viewer.choice.choose(viewer.tree.scene.clusters.find(c => c.count === count), viewer.tree)", count)
    page.get_by_role("heading", name=f"{count} points").wait_for()


def test_what_is_open_stays_open_when_an_index_is_replaced(open_map, indexes, tmp_path):
    """The new version has one more point in the stack of forty points, and lacks the stack of five."""
    with gzip.open(indexes["stacks"].parent / "stacks.csv.gz", "rt", newline="") as file:
        head, *rows = csv.reader(file)
    changed = [row for row in rows if not row[2].startswith("Few")] + [["12.6", "55.75", "Many 40"]]
    with open(tmp_path / "changed.csv", "w", newline="") as file:
        csv.writer(file).writerows([head, *changed])
    served = shutil.copy(indexes["stacks"], tmp_path / "live.treeline")
    new = build(tmp_path / "changed.csv", tmp_path / "new.treeline", "--attributes", "name")
    shutil.copy(served, tmp_path / "again.treeline")
    server = Server(served, "--viewer", VIEWER)
    try:
        # The new versions have no separations, so a request with a spacing may be refused before the page knows them.
        page = open_map("#index=live&view=tree&map=10.2/55.68/12.5", server=server.url, tolerates=["409", "400"])
        open_card(page, 40)
        os.replace(new, served)
        page.get_by_role("heading", name="41 points").wait_for()
        page.wait_for_function("() => document.querySelectorAll('#card li').length === 41")
        assert page.evaluate("viewer.card.spread.cluster === viewer.card.cluster && viewer.card.cluster.count === 41")
        os.replace(tmp_path / "again.treeline", served)
        page.get_by_role("heading", name="40 points").wait_for()
        open_card(page, 5)
        new = build(tmp_path / "changed.csv", tmp_path / "new.treeline", "--attributes", "name")
        os.replace(new, served)
        page.wait_for_function("() => !viewer.card.isOpen")
    finally:
        server.stop()
