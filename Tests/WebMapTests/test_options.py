"""Changes of a layer's options: what changes, and what is refused."""

import pytest

from conftest import LEAFLET_MAP, MAPLIBRE, rest

#: Points of eleven kinds, and of two halves.
KINDS = """
const kinds = Array.from({ length: 600 }, (_, i) => ({ type: "Feature",
  geometry: { type: "Point", coordinates: [i %% 30, 35 + i %% 19] }, properties: { kind: `kind ${i %% 11}`, half: `half ${i %% 2}` } }));
globalThis.errors = [];
globalThis.layer = addTreeline(map, Treeline.build(kinds), { onError: (error) => errors.push(error.message), %s });
await layer.ready;
"""
KITS = {"maplibre-gl": ("maplibre", MAPLIBRE), "leaflet": ("leaflet", LEAFLET_MAP)}


@pytest.fixture(params=KITS)
def kit(request):
    return request.param


@pytest.fixture
def open_kinds(open_page, kit):
    """Opens a map of the points on MapLibre and on Leaflet: `open_kinds("colorBy: 'kind'")`."""

    def open_kinds(options=""):
        module, setup = KITS[kit]
        page = open_page(setup + KINDS % options, kit=kit, module=module)
        rest(page)
        return page

    return open_kinds


@pytest.mark.parametrize("column", ["half", None])
def test_colors_can_change_to_a_column_with_fewer_values(open_kinds, column):
    page = open_kinds("colorBy: 'kind', ellipses: true")
    assert len(page.evaluate("layer.legend")) == 7
    # Badges of the first column are on the map until the answer for the second column arrives.
    page.evaluate("""async (column) => {
      const set = layer.set({ colorBy: column ?? undefined, filter: "kind <> 'kind 1'" });
      for (let frame = 0; frame < 30; frame++) await new Promise(requestAnimationFrame);
      await set;
    }""", column)
    rest(page)
    assert [entry["name"] for entry in page.evaluate("layer.legend")] == (["half 0", "half 1"] if column else [])
    assert page.evaluate("errors") == []
    parts = page.evaluate("layer.scene.clusters.map(({ parts }) => parts?.length ?? null)")
    assert set(parts) == ({2} if column else {None})


WRONG = {
    "{ foo: 1 }": "The options of addTreeline are cut, colorBy, order, filter, ellipses, theme, onPoint, onCluster, onError, not 'foo'",
    "{ ellipses: 'yes' }": "Expected true or false as the option 'ellipses', found 'yes'",
    "{ onPoint: 5, ellipses: true }": "Expected a function as the option 'onPoint', found 5",
    "{ order: 5 }": "Expected an array of texts as the option 'order', found 5",
    "{ order: [1] }": "Expected an array of texts as the option 'order', found 1",
    "{ colorBy: 7 }": "Expected the name of a column as the option 'colorBy', found 7",
    "{ filter: 7 }": "Expected a text or a function as the option 'filter', found 7",
    "{ theme: 'drak' }": "Expected auto, light, dark or an object of colors as the option 'theme', found 'drak'",
    "{ cut: { badge: 1 } }": "The options of a cut are spacing, badges, detail, limit, order, continuing, minPoints, aloneFromZoom, not 'badge'",
    "5": "Expected an object as the options of addTreeline, found 5",
}


def test_wrong_options_are_errors_and_change_nothing(open_kinds):
    page = open_kinds("colorBy: 'half'")
    page.evaluate("globalThis.before = layer.options")
    for options, message in WRONG.items():
        page.evaluate(f"layer.set({options})")
        assert page.evaluate("errors.splice(0)") == [message], options
        assert page.evaluate("layer.options === before")
    # Null and undefined stand for the default.
    page.evaluate("layer.set({ colorBy: null, order: null, filter: null, ellipses: undefined, theme: null, cut: null })")
    rest(page)
    assert page.evaluate("[errors, layer.legend]") == [[], []]


def test_a_map_leaves_out_wrong_options_and_reports_them(open_kinds):
    page = open_kinds("colorBy: 'half', foo: 1, ellipses: 'yes', theme: 'drak'")
    assert page.evaluate("errors.map((text) => text.split(' ').at(-1))") == ["'foo'", "'yes'", "'drak'"]
    assert [entry["name"] for entry in page.evaluate("layer.legend")] == ["half 0", "half 1"]


@pytest.mark.parametrize("filter", ["population >", "nothing = 1"])
def test_a_map_leaves_out_a_column_and_a_filter_that_do_not_suit_its_tree(open_kinds, filter):
    page = open_kinds(f"colorBy: 'nix', filter: '{filter}', ellipses: true")
    assert len(page.evaluate("errors")) == 2
    assert page.evaluate("[layer.legend, layer.options.colorBy ?? null, layer.options.filter ?? null, layer.options.ellipses]") == [[], None, None, True]
    assert page.evaluate("layer.scene.clusters.reduce((sum, { count }) => sum + count, 0)") == 600
    # A wrong column leaves the filter as it is.
    page = open_kinds("colorBy: 'nix', filter: \"half = 'half 1'\"")
    assert page.evaluate("layer.scene.clusters.reduce((sum, { count }) => sum + count, 0)") == 300


def test_a_cut_that_does_not_suit_the_tree_is_refused(open_page, kit):
    module, setup = KITS[kit]
    page = open_page(setup + KINDS.replace("await layer.ready;", """
      globalThis.outcome = await layer.ready.then(() => "shown", (error) => error.message);""") % "cut: { spacing: 44 }", kit=kit, module=module)
    rest(page)
    message = "A spacing needs a tree that was built for 'spacing'"
    assert page.evaluate("[outcome, errors, layer.scene.size]") == [message, [message], 0]
    # Another cut shows the tree.
    page.evaluate("layer.set({ cut: { badges: 1.5 } })")
    rest(page)
    before = page.evaluate("layer.scene.size")
    assert before > 0
    # A tree that cannot be shown changes nothing.
    assert page.evaluate("layer.setSource(Treeline.build([[10, 47]], { for: 'spacing' })).then(() => null, (error) => error.name)") == "QueryError"
    rest(page)
    assert page.evaluate("[errors.length, layer.scene.size]") == [2, before]
