"""Values that Python sends to maps and pages, checked before any browser gets them."""

import numpy as np
import pytest
import traitlets


@pytest.mark.parametrize(
    ("trait", "value"),
    [
        ("view", {"zoom": float("nan")}),
        ("view", {"center": (2, float("inf"))}),
        ("view", {"center": (0, 200), "zoom": 3}),
        ("view", {"bbox": (1, 52, -1, 51)}),
        ("view", {"bbox": (1, -91, 2, 51)}),
        ("selected", [10**12]),
        ("selected", [-1]),
        ("selected", ["x"]),
        ("selected_rows", [10**9]),
        ("selected_rows", [-1]),
        ("cut", {"spacing": None}),
        ("cut", {"spacing": 44, "min_points": 3}),
        ("cut", {"spacing": 44, "bbox": (1, 2, 3, 4)}),
    ],
)
def test_what_cannot_be_is_refused_and_changes_nothing(tree, trait, value):
    map = tree.map()
    before = getattr(map, trait)
    with pytest.raises((traitlets.TraitError, ValueError)):
        setattr(map, trait, value)
    assert getattr(map, trait) == before and map._selected_ranges == []
    with pytest.raises((traitlets.TraitError, ValueError)):
        tree.map(**{trait: value})


def test_views_across_the_antimeridian_are_taken(tree):
    map = tree.map(view={"bbox": (170, -20, -170, 20)})
    assert map.view == {"bbox": [170, -20, -170, 20]}


def test_answers_and_arrays_select(tree):
    map, shown = tree.map(), tree.clusters(limit=3)
    for selected in (shown, shown.id, list(shown), shown.id.tolist()):
        map.selected = []
        map.selected = selected
        assert map.selected == shown.id.tolist() and {type(id) for id in map.selected} == {int}
        assert map._selected_ranges == np.column_stack([shown.first, shown.end]).tolist()
    map.selected, map.selected_rows = [], np.array([17, 4711])
    assert map.selected_rows == [17, 4711] and len(map._selected_ranges) == 2


def test_cuts_of_numpy_s_numbers_can_be_sent(tree):
    assert type(tree.map(cut={"spacing": np.int64(60)}).cut["spacing"]) is int


def test_a_trait_that_is_not_there_is_told(tree):
    with pytest.raises(TypeError, match="'zoom'"):
        tree.map(zoom=3)


def test_a_page_is_of_all_points(tree, tmp_path):
    with pytest.raises(ValueError, match="filter"):
        tree.select("kind = 'hotel'").to_html(tmp_path / "map.html")
    assert not list(tmp_path.iterdir())
