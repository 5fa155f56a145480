"""Tests the movement between two answers, and the order in which answers are accepted."""

import json

import pytest

from conftest import ROOT, frames, rest, shown
from trials import trials


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


RANDOM_CHANGES = """async (steps) => {
  const {Scene} = await import('/viewer/scene.js');
  let seed = 7;
  const random = () => (seed = (seed * 1103515245 + 12345) % 2147483648) / 2147483648;
  // A tree over 64 points. A node is a range, and its parts are the two halves.
  const node = (first, count) => ({id: first * 1024 + count, first, count, x: (first + count / 2) / 64, y: 0.5, radius: 20});
  const cut = (n, p, [from, to]) => n.first >= to || n.first + n.count <= from ? [] : n.count > 1 && random() < p
    ? [...cut(node(n.first, n.count / 2), p, [from, to]), ...cut(node(n.first + n.count / 2, n.count / 2), p, [from, to])] : [n];
  const holds = (a, b) => a.first <= b.first && b.first + b.count <= a.first + a.count;
  const idOf = n => ({cluster_id: n.id});
  const changeOf = (old, fresh) => ({
    kept: fresh.filter(n => old.some(o => o.id === n.id)).map(idOf),
    splits: old.filter(o => fresh.some(n => n.id !== o.id && holds(o, n)))
      .map(o => ({whole: idOf(o), parts: fresh.filter(n => holds(o, n)).map(idOf)})),
    merges: fresh.filter(n => old.some(o => n.id !== o.id && holds(n, o)))
      .map(n => ({whole: idOf(n), parts: old.filter(o => holds(n, o)).map(idOf)})),
    entered: fresh.filter(n => !old.some(o => holds(n, o) || holds(o, n))).map(idOf),
    left: old.filter(o => !fresh.some(n => holds(n, o) || holds(o, n))).map(idOf)});
  const scene = new Scene(), wrong = [];
  let old = [], now = 1000, wasTold = new Array(64).fill(false);
  for (let step = 0; step < steps; step++) {
    // The window pans, and sometimes shows all points.
    const from = random() < 0.3 ? 0 : Math.floor(random() * 60), to = random() < 0.3 ? 64 : from + 4 + Math.floor(random() * 60);
    const fresh = cut(node(0, 64), 0.2 + 0.7 * random(), [from, to]);
    const isShown = Array.from({length: 64}, (_, i) => fresh.some(n => n.first <= i && i < n.first + n.count));
    wasTold = wasTold.map((told, i) => told && isShown[i]);
    scene.advance(now);
    const drawn = new Map([...scene.sprites].map(s => [s, s.x]));
    const isInstant = random() < 0.05;
    scene.apply(changeOf(old, fresh), fresh, now, isInstant);
    for (const s of isInstant ? [] : scene.sprites) {
      if (Math.abs((drawn.get(s) ?? s.x) - s.x) > 1e-9) wrong.push(`step ${step}: ${s.cluster.id} jumps to ${s.x}`);
    }
    if (String(scene.ids) !== String(fresh.map(n => n.id))) wrong.push(`step ${step}: shows other clusters`);
    old = fresh;
    // The next change interrupts this one sooner or later, or not at all.
    const pause = random() < 0.2 ? 1500 : random() * 400;
    for (let t = now; t < now + pause; t += 16) {
      scene.advance(t);
      const told = new Array(64).fill(0);
      for (const s of scene.sprites) if (s.showsLabel(t)) for (let i = 0; i < s.cluster.count; i++) told[s.cluster.first + i]++;
      if (told.some((times, i) => times > 1 || wasTold[i] && times === 0)) { wrong.push(`step ${step}: told ${told}`); break }
      wasTold = wasTold.map((was, i) => was || isShown[i] && told[i] === 1);
    }
    if (pause === 1500 && isShown.some((shown, i) => shown !== wasTold[i])) wrong.push(`step ${step}: at rest, told ${wasTold}`);
    now += pause;
  }
  return wrong;
}"""


def test_every_point_is_told_by_one_label_at_any_moment(open_map, note):
    """Checks that each point is counted by one label at any time. For example, if a badge of 5 splits into 2 and 3, the
    labels never add up to 10. Changes interrupt each other at random, and the view moves."""
    page = open_map("#index=iceland&view=tree")
    steps = trials(3000)
    note(f"{steps} changes, seed 7")
    wrong = page.evaluate(RANDOM_CHANGES, steps)
    assert wrong[:3] == []


FILM = """async (steps) => {
  const {Scene} = await import('/viewer/scene.js');
  const WORLD = 2 ** 32, scene = new Scene(), wrong = [];
  const idOf = id => ({cluster_id: id}), replaced = ({whole, parts}) => ({whole: idOf(whole), parts: parts.map(idOf)});
  const compare = (a, b) => { for (const i of a.keys()) if (a[i] !== b[i]) return a[i] - b[i]; return 0 };
  steps.forEach(({at, isInstant, clusters, kept, splits, merges, entered, left, frames}, step) => {
    const change = {kept: kept.map(idOf), splits: splits.map(replaced), merges: merges.map(replaced),
      entered: entered.map(idOf), left: left.map(idOf)};
    const fresh = clusters.map(([id, first, count, x, y, radius]) => ({id, first, count, x: x / WORLD, y: y / WORLD, radius}));
    scene.apply(change, fresh, at, isInstant);
    for (const {at, badges} of frames) {
      scene.advance(at);
      const found = scene.sprites.filter(s => !s.isForming(at)).map(s => [s.cluster.id,
        ...[s.x * WORLD, s.y * WORLD, s.size, s.alpha].map(number => Math.round(number * 1000)), Number(s.showsLabel(at))]);
      found.sort(compare);
      const isSame = found.length === badges.length && found.every((badge, i) => badge.every((number, j) =>
        Math.abs(number - badges[i][j]) <= (j === 0 || j === 5 ? 0 : 1)));
      if (!isSame) wrong.push(`step ${step} at ${at}: ${JSON.stringify(found)} and not ${JSON.stringify(badges)}`);
    }
  });
  return wrong;
}"""


def test_the_scene_moves_as_the_one_of_apps_does(open_map):
    """Checks that the scene draws interrupted changes exactly like the module TreelineMap, badge by badge."""
    page = open_map("#index=iceland&view=tree")
    film = json.loads((ROOT / "Fixtures/golden/map/frames.json").read_text())
    assert len(film["steps"]) > 50
    assert page.evaluate(FILM, film["steps"])[:3] == []


MERGES = """async () => {
  const {Scene} = await import('/viewer/scene.js');
  const node = (id, count, x) => ({id, count, x, y: 0.5, radius: 20});
  const none = {kept: [], splits: [], merges: [], entered: [], left: []};
  const idOf = n => ({cluster_id: n.id});
  const leaves = Array.from({length: 8}, (_, i) => node(i, 2, i / 8));
  const pairs = [0, 1, 2, 3].map(i => node(10 + i, 4, (4 * i + 1) / 16));
  const halves = [0, 1].map(i => node(20 + i, 8, (8 * i + 3) / 16));
  const merge = (wholes, parts) => ({...none, merges: wholes.map((whole, i) =>
    ({whole: idOf(whole), parts: parts.slice(2 * i, 2 * i + 2).map(idOf)}))});
  const scene = new Scene(), unlabelled = [], away = [];
  scene.apply({...none, entered: leaves.map(idOf)}, leaves, 0);
  scene.advance(5000);
  // The second merge begins in the middle of the first.
  const steps = [[5000, merge(pairs, leaves), pairs], [5150, merge(halves, pairs), halves]];
  for (let now = 5000; now < 6500; now += 10) {
    if (steps[0]?.[0] === now) scene.apply(steps[0][1], steps.shift()[2], now);
    scene.advance(now);
    for (const s of scene.sprites) {
      if (s.alpha > 0.01 && s.size > 0.01 && !s.isForming(now) && !s.showsLabel(now)) unlabelled.push([now, s.cluster.id]);
      // A badge must have arrived when its label ends.
      if (s.labelUntil - now <= 10 && Math.abs(s.x - s.toX) > 1e-3) away.push([now, s.cluster.id]);
    }
  }
  return {unlabelled, away, shown: scene.clusters.map(c => c.count)};
}"""


def test_what_merges_keeps_its_label_until_it_arrives(open_map):
    """Checks that zooming out is as readable as zooming in. Every dot moves with its number, even if one merge
    interrupts another merge."""
    page = open_map("#index=iceland&view=tree")
    found = page.evaluate(MERGES)
    assert found["unlabelled"][:3] == [] and found["away"][:3] == []
    assert found["shown"] == [8, 8]


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


def test_one_request_a_frame_at_most(open_map):
    page = open_map("#index=iceland")
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


def test_a_server_that_fails_is_tried_again(open_map):
    page = open_map("#index=iceland&view=tree", tolerates=["ERR_FAILED"])
    page.route("**/transition?*", lambda route: route.abort())
    page.evaluate("viewer.map.jumpTo({zoom: 8})")
    page.get_by_text("The server does not answer. Trying again…").wait_for()
    page.unroute("**/transition?*")
    page.locator("#notice").wait_for(state="hidden")
    rest(page)
    assert shown(page)


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
