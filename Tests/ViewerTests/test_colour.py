"""Tests the colors of clusters: their meaning, their legibility, and where they are used."""

import json

import pytest

from conftest import idle
from darkness import darkness

# Script that returns the point count, the tone and the area of each cluster on a side.
TONED = """async name => {
  const {coveredArea} = await import('/viewer/vendor/treeline/map/density.js');
  return viewer[name].scene.clusters.map(c => ({count: c.count, tone: c.tone, area: c.area, stack: c.stack}));
}"""

# Matrices for severity 1 from G. M. Machado and others, A Physiologically-based Model for Simulation of Color Vision
# Deficiency (2009).
DEFICIENCIES = {
    "protanopia": [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]],
    "deuteranopia": [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.011820, 0.042940, 0.968881]],
    "tritanopia": [[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602], [0.004733, 0.691367, 0.303900]],
}


def tones(page):
    return page.evaluate("viewer.palette.tones.map(({fill, ink}) => [fill, ink].map(colour => "
                         "colour.startsWith('#') ? [1, 3, 5].map(i => parseInt(colour.slice(i, i + 2), 16)) : colour.match(/\\d+/g).map(Number)))")


def linear(rgb):
    return [value / 255 / 12.92 if value <= 10.3 else ((value / 255 + 0.055) / 1.055) ** 2.4 for value in rgb]


def luminance(rgb):
    return sum(weight * value for weight, value in zip((0.2126, 0.7152, 0.0722), linear(rgb)))


def contrast(one, other):
    a, b = sorted((luminance(one), luminance(other)))
    return (b + 0.05) / (a + 0.05)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_numbers_are_legible_on_every_tone(open_map, scheme):
    page = open_map("#index=iceland&view=tree", color_scheme=scheme)
    assert min(contrast(fill, ink) for fill, ink in tones(page)) >= 4.5


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_tones_are_in_order_for_whoever_sees_fewer_colours(open_map, scheme):
    """Checks the lightness of the tones, which everyone can see. It must rise or fall from tone to tone, and the
    contrast between the first and the last tone must be large enough."""
    page = open_map("#index=iceland&view=tree", color_scheme=scheme)
    fills = [linear(fill) for fill, _ in tones(page)]
    for name, matrix in DEFICIENCIES.items():
        seen = [[sum(weight * value for weight, value in zip(row, fill)) for row in matrix] for fill in fills]
        steps = [0.2126 * r + 0.7152 * g + 0.0722 * b for r, g, b in seen]
        assert steps in (sorted(steps), sorted(steps, reverse=True)), name
        assert (max(steps) + 0.05) / (min(steps) + 0.05) > 5, name


def test_few_points_at_one_position_are_not_the_densest_place(open_map):
    """Checks that a stack of a few points is paler than many points in a town, in the same index and at any zoom."""
    page = open_map("#index=iceland&view=tree")
    of = "([count, area]) => viewer.tones.of(count, area)"
    assert page.evaluate(of, [58, 0]) < page.evaluate(of, [29_000, 20_000]) - 4
    assert page.evaluate(of, [100_000, 0]) == page.evaluate("viewer.tones.count - 1")
    # More points at the same position are denser. If the same number of points covers more ground, the points are less
    # dense.
    assert page.evaluate(of, [3, 0]) < page.evaluate(of, [300, 0])
    assert page.evaluate(of, [300, 20_000]) < page.evaluate(of, [300, 1])


def test_an_outlier_hardly_changes_the_colour(open_map):
    """Tests a thousand points within a square kilometer, and one point far away. The area of a cluster comes from its
    ellipse, and the area of a cell of the grid comes from its mean."""
    page = open_map("#index=iceland&view=tree")
    areas = page.evaluate("""async () => {
      const {coveredArea} = await import('/viewer/vendor/treeline/map/density.js');
      const n = 1000, [near, far] = [0.01, 3];
      // All points but one are even in a square of `near` degrees; the last is `far` degrees to the east and north.
      const mean = (near / 2 * n + far) / (n + 1), even = near / Math.sqrt(12);
      const deviation = Math.sqrt(even ** 2 + far ** 2 / n) / 360 * 2 ** 32;
      const cell = (side, mean) => ({properties: {point_count: n}, bbox: [0, 0, side, side], geometry: {coordinates: [mean, mean]}});
      return {
        grid: coveredArea(cell(far, mean)), box: 4 * Math.PI / 12 * (far * 111) ** 2, square: (near * 111) ** 2,
        even: coveredArea(cell(near, near / 2)),
        tree: coveredArea({properties: {ellipse: [deviation, deviation, 0]}, geometry: {coordinates: [0, 0]}}),
      };
    }""")
    # If points are spread evenly over a square, the area is the area of the square. With an outlier, the area is much
    # smaller than the box around the points.
    assert areas["even"] == pytest.approx(areas["square"], rel=0.1)
    assert areas["grid"] < areas["box"] / 50
    assert areas["box"] / 5000 < areas["tree"] < areas["box"] / 50


def test_one_scale_holds_for_the_index_at_every_zoom(open_map):
    page = open_map("#index=iceland&view=tree")
    key, scale = page.locator("#key .ends").inner_text(), page.evaluate("[viewer.tones.low, viewer.tones.high]")
    for view in ("9/64.13/-21.9", "14/64.14/-21.92"):
        page.evaluate(f"location.hash = '#index=iceland&view=tree&dust=false&map={view}'")
        page.wait_for_function("zoom => Math.abs(viewer.map.getZoom() - zoom) < 0.1 && viewer.isAtRest", arg=int(view.split("/")[0]))
        found = {cluster["tone"] for cluster in page.evaluate(TONED, "tree") if cluster["count"] > 1}
        # In the middle of a town, too, badges have different tones.
        assert len(found) >= 4
    assert page.locator("#key .ends").inner_text() == key
    assert page.evaluate("[viewer.tones.low, viewer.tones.high]") == scale


@pytest.mark.parametrize("index, view", [("iceland", ""), ("iceland", "10/64.13/-21.9"), ("airports", ""), ("airports", "5/40/-90")])
def test_darkness_follows_density(open_map, index, view):
    """Compares the tones of badges with the numbers of points around them, within a circle of a square centimeter."""
    page = open_map(f"#index={index}&map={view}")
    value, count = darkness(page)
    assert count > 20 and value >= 0.8


def test_tiles_have_the_colours_of_the_map(open_map):
    """Checks that the map library's expression computes the same tone from a count and an area as the viewer does."""
    page = open_map("#index=iceland&view=tiles")
    page.wait_for_function("() => viewer.map.getLayer('clusters')")
    idle(page)
    cases = [[2, 0], [3, 0.001], [40, 3000], [5000, 2], [74_000, 90_000], [20, 4000], [900_000, 0]]
    expression = page.evaluate("""async () => {
      const {toneExpression} = await import('/viewer/vendor/treeline/map/density.js');
      return toneExpression(viewer.tones, ['get', 'point_count'], ['coalesce', ['get', 'area_px'], 0]) }""")
    for count, area in cases:
        assert evaluated(expression, {"point_count": count, "area_px": area}) == \
            page.evaluate("([count, area]) => viewer.tones.of(count, area)", [count, area])
    assert json.dumps(expression) in json.dumps(page.evaluate("viewer.map.getLayoutProperty('clusters', 'icon-image')"))


def evaluated(expression, properties):
    """Evaluates an expression of the map library: https://maplibre.org/maplibre-style-spec/expressions."""
    import math
    if not isinstance(expression, list):
        return expression
    name, *rest = expression
    if name == "get":
        return properties.get(rest[0])
    values = [evaluated(each, properties) for each in rest]
    return {
        "+": lambda a, b: a + b, "-": lambda a, b: a - b, "*": lambda a, b: a * b, "/": lambda a, b: a / b,
        "log10": math.log10, "max": max, "min": min, "round": lambda a: math.floor(a + 0.5),
        "coalesce": lambda *each: next(value for value in each if value is not None),
    }[name](*values)
