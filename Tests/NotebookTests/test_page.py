"""Tests pages that open from disk. Their answers must equal the tree's answers, and they must load nothing."""

import html
import math
import random

import numpy as np
import pytest
import treelinemap

from conftest import LISTEN, NARROW, STATE, WIDE, listen, picture, rest
from trials import trials

SEED = 22


def clouds(count, seed=SEED, longitude=10.0):
    """Returns points in clouds of different densities, with stacks and single points."""
    generator = np.random.default_rng(seed)
    centers = generator.uniform(-20, 20, (40, 2))
    spread = 10 ** generator.uniform(-3, 0.5, 40)
    cloud = generator.integers(0, 40, count)
    points = centers[cloud] + generator.normal(size=(count, 2)) * spread[cloud, None]
    points[: count // 50] = points[0]
    return (points[:, 0] + longitude + 180) % 360 - 180, np.clip(points[:, 1] + 40, -85, 85)


def grown(kind):
    x, y = clouds(6000, longitude=178.0 if "antimeridian" in kind else 10.0)
    return {
        "split": lambda: treelinemap.build(x, y),
        "merged": lambda: treelinemap.build(x, y, supporting="spacing"),
        "merged, antimeridian": lambda: treelinemap.build(x, y, supporting="spacing"),
        "merged at members": lambda: treelinemap.build(x, y, grow="merge", anchor="member"),
        "badges": lambda: treelinemap.build(x, y, grow="badges"),
    }[kind]()


KINDS = ["split", "merged", "merged, antimeridian", "merged at members", "badges"]

ANSWERS = """async queries => {
  const answers = [];
  for (const query of queries) {
    const { features } = await viewer.source.clusters("tree", query);
    answers.push(features.map(({ geometry, bbox, properties: { cluster_id, point_count, badge_px } }) =>
      [cluster_id, point_count, ...geometry.coordinates, ...bbox, badge_px ?? null]));
  }
  return answers;
}"""


def views(tree, x, y, count, seed, zooms=(0, 19)):
    """Returns random views in the form of the map's requests. Most of the views are around points."""
    generator = random.Random(seed)
    cut = {"detail": (8, 14, 25.5)}
    if tree.has_badges:
        cut = {"badges": (0.5, 1, 1.75)}
    elif tree.has_separations:
        cut = {"spacing": (24, 44, 81.5)}
    for _ in range(count):
        zoom = generator.uniform(*zooms)
        width, height = generator.choice([(1024, 768), (390, 700), (160, 120)])
        at = generator.randrange(len(x))
        longitude = x[at] + generator.uniform(-0.6, 0.6) * width * 360 / 256 / 2**zoom
        ((name, amounts),) = cut.items()
        yield {
            "center": f"{(longitude + 180) % 360 - 180},{y[at]}",
            "zoom": zoom,
            "width": width,
            "height": height,
            name: generator.choice(amounts),
        }


def asked(tree, query):
    center = tuple(float(part) for part in query["center"].split(","))
    answer = tree.clusters(**{**query, "center": center})
    return [
        [cluster.id, cluster.count, cluster.x, cluster.y, *box, None if math.isnan(badge) else badge]
        for cluster, box, badge in zip(answer, answer.bounds.tolist(), answer.badge_diameter.tolist())
    ]


def same(one, other):
    return len(one) == len(other) and all(
        a[:2] == b[:2] and all((p is None and q is None) or abs(p - q) < 1e-9 for p, q in zip(a[2:], b[2:]))
        for a, b in zip(one, other)
    )


@pytest.mark.parametrize("kind", KINDS)
def test_answers_of_a_page_are_those_of_the_tree(kind, open_page, tmp_path, note):
    tree = grown(kind)
    tree.to_html(tmp_path / "map.html", title=kind)
    page = open_page(tmp_path / "map.html", settle=False)
    page.wait_for_function("() => globalThis.viewer?.source")
    x, y = clouds(6000, longitude=178.0 if "antimeridian" in kind else 10.0)
    queries = list(views(tree, x, y, trials(150), SEED))
    note(f"{len(queries)} views, seed {SEED}")
    found = page.evaluate(ANSWERS, queries)
    expected = [asked(tree, query) for query in queries]
    assert sum(map(len, expected)) > 7 * len(queries)
    wrong = [(query, a, b) for query, a, b in zip(queries, found, expected) if not same(a, b)]
    assert not wrong, f"seed {SEED}, {len(wrong)} views, the first of them: {wrong[0]}"


def test_a_page_filters_colors_and_sums(open_page, tmp_path):
    x, y = clouds(600)
    kinds = np.array(["inn", "bar", "camp"])[np.arange(600) % 3]
    tree = treelinemap.build(x, y, columns={"kind": kinds, "beds": np.arange(600)}, supporting="spacing")
    tree.to_html(tmp_path / "map.html")
    page = open_page(tmp_path / "map.html", "#view=tree&where=kind%20%3D%20'inn'&donuts=kind&sum=beds")
    properties = page.evaluate("viewer.tree.scene.clusters.map(({ properties }) => properties)")
    assert sum(each.get("point_count", 1) for each in properties) == 200
    sums = page.evaluate(
        """async () => (await viewer.source.clusters("", { limit: 1, filter: "kind = 'inn'", aggregate: "sum(beds)" }))
        .features[0].properties.sum_beds"""
    )
    assert sums == np.arange(0, 600, 3).sum()
    # Badges are at the means of the points that pass.
    query = {"center": "10,48", "zoom": 4, "width": 800, "height": 600, "spacing": 44}
    asked = {**query, "filter": "kind = 'inn'", "position": "mean"}
    found = page.evaluate(
        "async query => (await viewer.source.clusters('', query)).features.map(({ geometry }) => geometry.coordinates)", asked
    )
    inns = tree.select("kind = 'inn'").clusters(**{**query, "center": (10.0, 48.0)}, position="mean")
    assert np.allclose(found, np.column_stack([inns.x, inns.y]), atol=1e-6) and len(found) > 3


def test_a_tree_with_groups_is_refused(tmp_path):
    tree = treelinemap.build([1, 2], [1, 2], columns={"kind": ["a", "b"]}, group_by="kind")
    with pytest.raises(treelinemap.PageError, match="without groups"):
        tree.to_html(tmp_path / "map.html")
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("count", [0, 1, 5])
def test_no_point_one_or_a_stack_make_pages_too(count, open_page, tmp_path):
    treelinemap.build([5.0] * count, [50.0] * count).to_html(tmp_path / "map.html")
    page = open_page(tmp_path / "map.html")
    assert page.evaluate("viewer.tree.scene.clusters.map(({ count }) => count)") == ([count] if count else [])
    assert page.get_by_text("This map has no points.").is_visible() == (count == 0)


def test_a_hundred_thousand_points_fit_four_megabytes(tmp_path):
    x, y = clouds(100_000)
    tree = treelinemap.build(x, y)
    tree.to_html(tmp_path / "map.html")
    assert (tmp_path / "map.html").stat().st_size < 4_000_000
    tree.to_html(tmp_path / "other.html")
    assert (tmp_path / "map.html").read_bytes() == (tmp_path / "other.html").read_bytes()


def test_a_click_zooms_to_where_a_cluster_splits_and_back_returns(open_page, tmp_path):
    x, y = clouds(6000)
    treelinemap.build(x, y).to_html(tmp_path / "map.html")
    page = open_page(tmp_path / "map.html")
    shown = """viewer.tree.scene.clusters.map(({id, count, x, y}) => ({
      id, count, left: viewer.camera.screenX(x), top: viewer.camera.screenY(y)}))"""
    before = page.evaluate(shown)
    assert sum(cluster["count"] for cluster in before) == 6000
    box = page.locator("#map").bounding_box()
    cluster = max(
        (c for c in before if 50 < c["left"] < box["width"] - 50 and 50 < c["top"] < box["height"] - 50),
        key=lambda c: c["count"],
    )
    zoom = page.evaluate("viewer.map.getZoom()")
    page.mouse.click(box["x"] + cluster["left"], box["y"] + cluster["top"])
    page.wait_for_function(f"() => viewer.map.getZoom() > {zoom} && !viewer.map.isMoving()")
    rest(page)
    assert cluster["id"] not in [c["id"] for c in page.evaluate(shown)]
    page.wait_for_function("() => location.hash.includes('map=')")
    page.go_back()
    page.wait_for_function(f"() => Math.abs(viewer.map.getZoom() - {zoom}) < 0.02")


def test_a_page_is_light_or_dark_wide_or_narrow(open_page, tmp_path):
    x, y = clouds(6000)
    treelinemap.build(x, y).to_html(tmp_path / "map.html", title="Clouds <b>& more</b>")
    page = open_page(tmp_path / "map.html")
    assert page.title() == "Clouds <b>& more</b>"
    assert page.locator("h1").inner_text() == "Clouds <b>& more</b>"
    picture(page, "page-wide")
    page = open_page(tmp_path / "map.html", viewport=NARROW, color_scheme="dark")
    assert page.locator("#panel").bounding_box()["y"] > 500
    picture(page, "page-narrow-dark")


def test_points_have_their_names(open_page, tmp_path):
    tree = treelinemap.build([1, 2, 2, 8], [50, 51, 51, 55], columns={"name": ["A", "B", "C", "D </script>"]})
    tree.to_html(tmp_path / "map.html")
    page = open_page(tmp_path / "map.html", "#view=tree&map=12/51/2")
    box = page.locator("#map").bounding_box()
    page.mouse.click(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    page.locator("#card li").nth(1).wait_for()
    assert page.locator("#card li").all_inner_texts() == ["B", "C"]


def test_a_found_point_removes_the_mark_of_a_found_place(open_page, tmp_path):
    treelinemap.build([1, 2, 8], [50, 51, 55], columns={"name": ["Alpha", "Beta", "Gamma"]}).to_html(tmp_path / "map.html")
    page = open_page(tmp_path / "map.html")
    page.locator("#find").fill("48.85, 2.35")
    page.get_by_role("option", name="48.8500° N, 2.3500° E").click()
    page.wait_for_function("() => viewer.hit !== null")
    page.locator("#find").fill("gam")
    page.get_by_role("option", name="Gamma").click()
    page.locator("#card").wait_for()
    assert page.evaluate("viewer.hit") is None


def test_a_page_without_a_map_says_what_to_do(new_context, tmp_path):
    tree = treelinemap.build([1, 2, 8], [50, 51, 55])
    tree.to_html(tmp_path / "map.html")
    tree.publish(tmp_path / "site")
    page = new_context(viewport=WIDE).new_page()
    page.goto((tmp_path / "site/index.html").as_uri())
    page.locator("#loading").wait_for()
    assert "python3 -m http.server" in page.locator("#loading").inner_text()
    for path in ("map.html", "site/index.html"):
        page = new_context(viewport=WIDE, java_script_enabled=False).new_page()
        page.goto((tmp_path / path).as_uri())
        note = page.locator("noscript")
        assert note.bounding_box()["height"] > 0 and "This map needs JavaScript." in note.inner_text()


def test_a_page_is_used_by_the_keyboard_and_has_no_barriers(open_page, tmp_path):
    from axe_playwright_python.sync_playwright import Axe

    x, y = clouds(2000)
    treelinemap.build(x, y).to_html(tmp_path / "map.html")
    page = open_page(tmp_path / "map.html")
    page.locator("#listing summary").focus()
    page.locator("#listing button").first.wait_for()
    page.keyboard.press("Tab")
    zoom = page.evaluate("viewer.map.getZoom()")
    page.keyboard.press("Enter")
    page.wait_for_function(f"() => viewer.map.getZoom() > {zoom}")
    rest(page)
    found = Axe().run(page)
    assert found.violations_count == 0, found.generate_report()


#: A small window makes tests faster, because it is drawn in software.
SMALL = {"width": 640, "height": 420}

FRAMES = """() => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))"""


def test_a_page_without_a_size_keeps_the_one_before(open_page, tmp_path):
    x, y = clouds(2000)
    treelinemap.build(x, y).to_html(tmp_path / "map.html")
    page = open_page(tmp_path / "map.html", viewport=SMALL)
    viewer = page.evaluate_handle("viewer")
    viewer.evaluate(LISTEN)
    before = viewer.evaluate(STATE)
    # Hides the map: first only for a moment, during which no size is reported, and then for longer.
    page.evaluate("() => { host.hidden = true; viewer.fit(); viewer.repaint(); viewer.show(); host.hidden = false }")
    rest(page)
    assert viewer.evaluate(STATE) == before
    page.evaluate("() => host.hidden = true")
    page.evaluate(FRAMES)
    page.evaluate("() => { viewer.repaint(); viewer.wake() }")
    page.evaluate(FRAMES)
    page.evaluate("() => host.hidden = false")
    page.evaluate(FRAMES)
    rest(page)
    assert viewer.evaluate(STATE) == before
    # While the map is not in the page, the colors of the page are not known.
    page.emulate_media(color_scheme="dark")
    page.wait_for_function("viewer.palette.sea === '#0e1720'")
    page.evaluate("() => { const node = host; node.remove(); viewer.repaint(); document.body.prepend(node) }")
    page.emulate_media(color_scheme="light")
    page.wait_for_function("viewer.palette.sea === '#d2e3ea'")
    rest(page)
    assert viewer.evaluate(STATE) == before


def test_a_page_that_starts_without_a_size_waits_for_one(open_page, tmp_path):
    x, y = clouds(2000)
    treelinemap.build(x, y).to_html(tmp_path / "map.html")
    style = "#host { height: 100dvh }"
    text = (tmp_path / "map.html").read_text()
    assert text.count(style) == 1
    (tmp_path / "hidden.html").write_text(text.replace(style, "#host { height: 100dvh; display: none }"))
    page = open_page(tmp_path / "hidden.html", viewport=SMALL, settle=False)
    page.wait_for_function("() => globalThis.viewer")
    page.evaluate(FRAMES)
    assert page.evaluate("viewer.map") is None
    page.evaluate("() => host.style.display = 'block'")
    rest(page)
    assert page.evaluate("viewer.stage.size.width > 300 && viewer.tree.scene.size > 0 && viewer.notice.kind === null")


@pytest.mark.parametrize(
    "name, viewport, sandbox", [("wide", WIDE, ""), ("narrow", {"width": 390, "height": 844}, 'sandbox="allow-scripts"')]
)
def test_a_page_in_a_frame_of_another_has_land(name, viewport, sandbox, complaints, new_context, tmp_path):
    x, y = clouds(2000)
    treelinemap.build(x, y).to_html(tmp_path / "map.html")
    inner = html.escape((tmp_path / "map.html").read_text())
    outer = f"""<!doctype html><meta charset="utf-8"><link rel="icon" href="data:,"><body style="margin: 0">
      <iframe {sandbox} style="border: 0; width: 100vw; height: 100vh" srcdoc="{inner}"></iframe>"""
    page = new_context(viewport=viewport).new_page()
    page.route("http://frames.test/", lambda route: route.fulfill(body=outer, content_type="text/html"))
    listen(page, complaints)
    page.goto("http://frames.test/")
    frame = page.frames[1]
    rest(frame)
    assert frame.evaluate("viewer.map.queryRenderedFeatures({ layers: ['land'] }).length") > 0
    frame.evaluate("() => viewer.map.jumpTo({ zoom: viewer.map.getZoom() + 1 })")
    rest(frame)
    frame.wait_for_function("() => location.hash === '#' + viewer.settings.fragment")
    picture(page, f"page-framed-{name}")


def test_a_page_has_the_basemap_that_it_is_told(open_page, tmp_path):
    style = {
        "version": 8,
        "sources": {},
        "layers": [{"id": "sand", "type": "background", "paint": {"background-color": "#e8d9b5"}}],
    }
    x, y = clouds(300)
    (tmp_path / "map.html").write_text(treelinemap.build(x, y).to_html(basemap=style, title="Clouds"))
    page = open_page(tmp_path / "map.html", viewport=SMALL)
    assert page.evaluate("viewer.map.getStyle().layers.map(({ id }) => id)") == ["sand"]
    # The given basemap has only one set of colors, so it does not change with the color scheme.
    page.emulate_media(color_scheme="dark")
    page.wait_for_function("viewer.palette.sea === '#0e1720'")
    rest(page)
    assert page.evaluate("viewer.map.getPaintProperty('sand', 'background-color')") == "#e8d9b5"
    picture(page, "page-basemap")


LINKS = {
    "constructor=1&toString=2": "The link has unknown or invalid parts: constructor, toString.",
    "off=%25": "The link has unknown or invalid parts: off.",
    "map=//": "The link has unknown or invalid parts: map.",
    "map=5/50": "The link has unknown or invalid parts: map.",
    "dust=toString": "The link has unknown or invalid parts: dust.",
    "donuts=kind": "The link uses columns that are missing or of the wrong kind: “kind”.",
    "where=size+%3C+1": "This map ignores filters and shows all points.",
    "open=99999999999999999999999": "The link opens a point or a stack of points that is not in this index.",
}


@pytest.mark.parametrize("link", LINKS)
def test_a_link_says_what_it_does_not_show(link, open_page, tmp_path):
    x, y = clouds(300)
    treelinemap.build(x, y).to_html(tmp_path / "map.html")
    page = open_page(tmp_path / "map.html", f"#view=tree&{link}", viewport=SMALL)
    page.get_by_text(LINKS[link]).wait_for()
    assert page.evaluate("viewer.tree.scene.clusters.reduce((sum, { count }) => sum + count, 0)") > 0
