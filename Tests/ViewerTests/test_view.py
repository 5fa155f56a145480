"""What a view has room for: badges at the edges of the world, texts of the graticule, and messages."""

import pytest

from conftest import PHONE, ROOT, VIEWER, rest
from programs import Server, build

DESKTOP = {"width": 1280, "height": 800}


@pytest.fixture(scope="module")
def world(tmp_path_factory):
    """Starts a server of points all over the world, some of them near the antimeridian."""
    server = Server(build(ROOT / "Fixtures/cities.csv.gz", tmp_path_factory.mktemp("world") / "cities.treeline", "--grow", "badges"), "--viewer", VIEWER)
    yield server.url
    server.stop()


@pytest.mark.parametrize("viewport", [DESKTOP, PHONE])
def test_the_first_view_of_the_world_cuts_no_badge(open_map, world, viewport):
    page = open_map("#view=tree", viewport, server=world)
    cut = page.evaluate("""() => viewer.tree.scene.clusters.filter(({ x, y, radius }) => {
      const [left, top, { width, height }] = [viewer.camera.screenX(x), viewer.camera.screenY(y), viewer.stage.size];
      return left < radius || left > width - radius || top < radius || top > height - radius;
    }).length""")
    assert cut == 0


VIEW = "() => [viewer.map.getZoom(), ...viewer.map.getCenter().toArray()]"


def test_a_resized_map_keeps_its_view(open_map, world):
    page = open_map("#view=tree", PHONE, server=world)
    first = page.evaluate(VIEW)

    def resize(width, height):
        page.set_viewport_size({"width": width, "height": height})
        page.wait_for_function("() => viewer.map.getCanvas().clientHeight === viewer.find('#map').clientHeight && viewer.find('#viewer').clientWidth === innerWidth")
        rest(page)

    for is_open in ("true", "false"):
        page.click("#fold")
        page.locator(f"#fold[aria-expanded={is_open}]").wait_for()
        page.wait_for_function("() => viewer.map.getCanvas().clientHeight === viewer.find('#map').clientHeight")
        rest(page)
        assert page.evaluate(VIEW) == pytest.approx(first, abs=1e-6)
    # A phone on its side is too wide for the view, so the map zooms in.
    resize(PHONE["height"], PHONE["width"])
    assert page.evaluate(VIEW)[0] > first[0] + 0.3
    resize(PHONE["width"], PHONE["height"])
    assert page.evaluate(VIEW) == pytest.approx(first, abs=1e-6)
    # A view that was chosen on the phone on its side stays.
    resize(PHONE["height"], PHONE["width"])
    page.evaluate("viewer.map.jumpTo({ zoom: 2 })")
    resize(PHONE["width"], PHONE["height"])
    assert page.evaluate(VIEW)[0] == pytest.approx(2)


# Returns boxes of the texts that the graticule draws, and boxes of what lies over the map, in pixels of the stage.
TEXTS = """async () => {
  const { overlay, stage } = viewer;
  const [draw, texts] = [overlay.drawGraticule, []];
  overlay.drawGraticule = function (drawing) {
    const { context } = this;
    texts.length = 0;
    context.fillText = (text, x, y) => texts.push({ text, left: x + drawing.origin.x, top: y - 5, right: x + drawing.origin.x + context.measureText(text).width, bottom: y + 5 });
    draw.call(this, drawing);
    delete context.fillText;
  };
  viewer.wake();
  await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
  const from = stage.node.getBoundingClientRect();
  const over = [...document.querySelectorAll("#stage .maplibregl-ctrl, #buttons, #keys")].map((node) => {
    const { left, top, right, bottom } = node.getBoundingClientRect();
    return { left: left - from.left, top: top - from.top, right: right - from.left, bottom: bottom - from.top };
  });
  return [texts, over];
}"""


@pytest.mark.parametrize("viewport", [DESKTOP, PHONE])
@pytest.mark.parametrize("zoom", [13, 14.3, 16.5])
def test_texts_of_the_graticule_are_not_covered(open_map, viewport, zoom):
    page = open_map(f"#index=iceland&view=tree&map={zoom}/64.14/-21.9", viewport)
    texts, over = page.evaluate(TEXTS)
    assert any("W" in text["text"] for text in texts)
    for at, text in enumerate(texts):
        for box in over + texts[:at]:
            is_apart = text["right"] <= box["left"] or box["right"] <= text["left"] or text["bottom"] <= box["top"] or box["bottom"] <= text["top"]
            assert is_apart, (text, box)


def test_a_refused_filter_of_a_link_is_told_once(open_map):
    link = "#index=events&view=tree&where=nosuch%3D1"
    page = open_map(link, DESKTOP, tolerates=["400"])
    page.locator("#where-problem").get_by_text("nosuch").wait_for()
    assert not page.locator("#where-problem").inner_text().startswith("filter:")
    assert page.locator("#notice p").inner_text() == "The filter of the link is not valid for this index; all points are shown."
    # On a phone the settings are folded, so the message over the map has the reason.
    page = open_map(link, PHONE, tolerates=["400"])
    page.locator("#notice").get_by_text("nosuch").wait_for()
    assert not page.locator("#notice p").inner_text().startswith("filter:")
    assert page.locator("#where-problem").is_hidden()


def test_a_search_says_why_coordinates_are_nowhere(open_map):
    page = open_map("#index=airports")
    field = page.get_by_role("combobox", name="Search")
    for text, said in {"95, 400": "Nothing found: a latitude must be from −90 to 90.", "qqqqq": "Nothing found"}.items():
        field.fill(text)
        page.locator("#found li.none").get_by_text(said, exact=True).wait_for()


@pytest.fixture(scope="module")
def long_names(tmp_path_factory):
    """Starts a server of points whose columns have long names."""
    folder = tmp_path_factory.mktemp("names")
    rows = ["longitude,latitude,Number_of_passengers_per_year_2019,Average_household_income_before_taxes"]
    rows += [f"{i * 137 % 340 - 170},{i * 71 % 140 - 70},{i * 7919 % 9000000},{i * 37 % 60000}" for i in range(2000)]
    (folder / "names.csv").write_text("\n".join(rows))
    server = Server(build(folder / "names.csv", folder / "names.treeline", "--columns", "all", "--for", "badges"), "--viewer", VIEWER)
    yield server.url
    server.stop()


# Returns the width of each found element, and whether its right edge is inside the box around it.
WIDTHS = """([names, around]) => [...document.querySelectorAll(names)].filter((node) => node.checkVisibility()).map((node) => {
  const { width, right } = node.getBoundingClientRect();
  return [width, right <= node.closest(around).getBoundingClientRect().right];
})"""


@pytest.mark.parametrize("viewport", [DESKTOP, PHONE])
def test_long_names_of_columns_leave_room(open_map, long_names, viewport):
    page = open_map("#view=tree&sum=Number_of_passengers_per_year_2019&brush=Average_household_income_before_taxes", viewport, server=long_names)
    if viewport == PHONE:
        page.click("#fold")
    page.locator("#timeline h2").wait_for()
    assert page.evaluate(WIDTHS, ["#timeline h2", "#timeline header div"])[0][1]
    page.evaluate("document.querySelector('#listing').open = true")
    page.locator("#listing li small").get_by_text("passengers").first.wait_for()
    # The place of a cluster is one line, and the button for its points is in the panel.
    heights = page.evaluate("[...document.querySelectorAll('#listing button > small')].map((node) => node.getClientRects().length === 1 && node.clientHeight)")
    assert heights and max(heights) < 25
    assert all(is_inside for _, is_inside in page.evaluate(WIDTHS, ["#listing li *", "#listing ol"]))
    labels = page.evaluate("['sum', 'brush'].map((name) => document.querySelector(`label[for=${name}]`).clientHeight)")
    assert max(labels) < 25
    page.locator("#listing li .more").first.click()
    page.locator("#card .tools select").wait_for()
    values = page.evaluate(WIDTHS, ["#card dd", "#card .body"])
    assert len(values) == 2 and all(width > 90 and is_inside for width, is_inside in values)
    assert all(is_inside for _, is_inside in page.evaluate(WIDTHS, ["#card .body *", "#card"]))
