"""Tests badges of an index that was grown for badges. The dots and badges of an answer must never touch."""

from conftest import PHONE, idle, rest, shown
from trials import trials

# Script that visits `count` views. For each view it returns the distance, in pixels, between the two closest circles
# once they are at rest.
JOURNEY = """async (count) => {
  const {map} = viewer;
  const scene = viewer.tree.scene;
  const frame = () => new Promise(requestAnimationFrame);
  const still = () => viewer.isAtRest && viewer.sides.every(side => !side.scene.isMoving);
  const views = [];
  let random = 7;
  const next = () => (random = random * 48271 % 2147483647) / 2147483647;
  for (let number = 0; number < count; number++) {
    map.jumpTo({center: [next() * 300 - 150, next() * 120 - 50], zoom: next() * 9});
    await frame();
    while (!still()) await frame();
    const circles = scene.clusters.map(({x, y, radius, count}) =>
      ({left: viewer.camera.screenX(x), top: viewer.camera.screenY(y), radius, count}));
    let least = Infinity;
    circles.forEach((a, i) => circles.slice(0, i).forEach(b => {
      least = Math.min(least, Math.hypot(a.left - b.left, a.top - b.top) - a.radius - b.radius);
    }));
    views.push({least, dots: circles.filter(({count}) => count === 1).length, badges: circles.length});
  }
  return views;
}"""


def test_no_two_circles_touch_in_five_hundred_views(open_map, note):
    # Without animations, each view appears at once.
    page = open_map("#index=badges&view=tree", viewport=PHONE, reduced_motion="reduce")
    assert page.evaluate("viewer.settings.by") == "badges"
    count = trials(500)
    note(f"{count} views, seed 7")
    views = page.evaluate(JOURNEY, count)
    assert len(views) == count
    assert min(view["least"] for view in views if view["least"] is not None) >= 0
    assert sum(view["dots"] for view in views) > 4 * count
    assert sum(view["badges"] - view["dots"] for view in views) > 2 * count


def test_a_scale_draws_smaller_badges_and_more(open_map):
    page = open_map("#index=badges&view=tree&map=3/48/10", viewport=PHONE)
    usual = shown(page)
    page.evaluate("viewer.settings.set({badges: 0.5})")
    rest(page)
    small = shown(page)
    assert len(small) > len(usual)
    # A dot of half the usual size has a radius of 2.5 px. So many badges are drawn at 65 % of this size.
    assert {c["radius"] for c in small if c["count"] == 1} == {2.5 * 0.65}
    assert max(c["radius"] for c in small) <= 11


def test_tiles_draw_badges_as_large_as_the_server_says(open_map):
    page = open_map("#index=badges&view=tiles&map=3.4/48/10")
    page.wait_for_function("() => viewer.map.getLayer('clusters')")
    idle(page)
    badges = page.evaluate("""viewer.map.queryRenderedFeatures({layers: ['clusters']}).map(feature => ({
      ...viewer.map.project(feature.geometry.coordinates), radius: feature.properties.badge_px / 2}))""")
    # If a badge is in the buffers of several tiles, each of these tiles draws it.
    badges = list({(round(b["x"]), round(b["y"])): b for b in badges}.values())
    assert len(badges) > 50
    # Tiles store positions to an eighth of a pixel.
    assert all(((a["x"] - b["x"]) ** 2 + (a["y"] - b["y"]) ** 2) ** 0.5 >= a["radius"] + b["radius"] - 0.3
               for i, a in enumerate(badges) for b in badges[:i])


def test_the_default_cut_is_one_that_the_index_supports(open_map):
    for index, cut in [("limited", "limit"), ("grouped", "detail"), ("airports", "spacing"), ("badges", "badges")]:
        page = open_map(f"#index={index}&view=tree")
        assert page.evaluate("viewer.settings.by") == cut
        assert page.locator('input[name="by"][value="spacing"]').is_disabled() == (index != "airports")
        page.close()


def test_an_index_that_was_split_offers_no_badges(open_map):
    page = open_map("#index=airports&view=tree&by=badges")
    assert page.evaluate("viewer.settings.by") == "spacing"
    assert page.locator('input[name="by"][value="badges"]').is_disabled()
