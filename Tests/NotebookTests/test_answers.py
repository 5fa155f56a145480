"""Tests answers of the kernel, without a notebook."""

import json
import math
import threading

import numpy as np
import pytest
import treelinemap
from traitlets import TraitError
from treelinemap._answers import Answers, Problem
from treelinemap.widget import Map
from waiting import LIMIT


@pytest.fixture(scope="module")
def tree():
    random = np.random.default_rng(1)
    return treelinemap.build(
        random.normal(10, 3, 3000), random.normal(48, 2, 3000), columns={"size": random.integers(0, 9, 3000)},
        supporting="spacing",
    )


def test_transitions_account_for_every_cluster_of_both_answers(tree):
    told = lambda verb, **arguments: json.loads(Answers(tree).answer(verb, **arguments))
    view = {"center": "10,48", "width": 800, "height": 600, "spacing": 44}
    before = [each["properties"]["cluster_id"] for each in told("clusters", query={**view, "zoom": 5})["features"]]
    for zoom in (4, 5, 6.5):
        found = told("transition", ids=before, query={**view, "zoom": zoom})
        after = [each["properties"]["cluster_id"] for each in found["clusters"]["features"]]
        named = lambda kind: [each["cluster_id"] for each in found[kind]]
        parts = lambda kind: [part["cluster_id"] for each in found[kind] for part in each["parts"]]
        wholes = lambda kind: [each["whole"]["cluster_id"] for each in found[kind]]
        assert sorted(named("kept") + wholes("splits") + parts("merges") + named("left")) == sorted(before)
        assert sorted(named("kept") + parts("splits") + wholes("merges") + named("entered")) == sorted(after)


def test_what_is_no_filter_is_a_problem_that_names_the_filter(tree):
    with pytest.raises(Problem, match="^filter: ") as problem:
        Answers(tree).answer("clusters", query={"limit": 10, "filter": "colour = 'red'"})
    assert problem.value.status == 400


def test_whole_numbers_of_points_reach_a_page_with_all_digits():
    ids = [2**63 - 1, -(2**53) - 1, 2**53, 7]
    tree = treelinemap.build([1, 2, 3, 4], [1, 2, 3, 4], columns={"id": ids, "gap": [None, *ids[1:]]})
    answer = json.loads(Answers(tree).answer("clusters", query={"limit": 9, "aggregate": "max(id)"}))
    found = {each["properties"]["index"]: each["properties"] for each in answer["features"]}
    read = json.loads(json.dumps(found), parse_int=float)
    told = ["9223372036854775807", "-9007199254740993", 2.0**53, 7.0]
    assert [read[str(row)]["id"] for row in range(4)] == told
    assert [read[str(row)]["gap"] for row in range(4)] == [None, *told[1:]]
    assert found[0]["max_id"] == 2**63 - 1


def test_pages_of_members_and_single_clusters_have_the_values_of_points(tree):
    told = lambda verb, **arguments: json.loads(Answers(tree).answer(verb, **arguments))
    root = int(tree.root().id[0])
    filtered = {"filter": "size < 3", "offset": 2, "limit": 5}
    page = told("members", cluster=root, query=filtered)
    rows = tree.select("size < 3").members(root, offset=2, limit=5).row.tolist()
    assert [each["properties"]["index"] for each in page["features"]] == rows
    assert all(each["properties"]["size"] < 3 for each in page["features"])
    assert (page["total"], page["offset"]) == (len(tree.select("size < 3")), 2)
    cluster = told("cluster", cluster=root, query={"aggregate": "max(size)", "ellipses": True})
    assert cluster["properties"]["max_size"] == 8 and cluster["properties"]["point_count"] == 3000
    assert cluster["properties"]["tree_range"] == [0, 3000] and len(cluster["properties"]["ellipse"]) == 3
    with pytest.raises(Problem, match="'limit'") as problem:
        told("members", cluster=root, query={"limit": -1})
    assert problem.value.status == 400


def test_requests_that_are_no_longer_wanted_are_not_answered(tree):
    map = Map(tree)
    asked, may, sent = [], threading.Event(), []
    map._answers.answer = lambda verb, **arguments: (asked.append(arguments["at"]), may.wait(LIMIT), {})[-1]
    map.send = lambda content, buffers=None: sent.append(content["id"])
    for at in range(4):
        map._receive(map, {"id": str(at), "verb": "clusters", "at": at}, [])
    for at in (1, 2):
        map._receive(map, {"cancel": str(at)}, [])
    may.set()
    map._worker.shutdown(wait=True)
    assert asked in ([0, 3], [3]) and sent[-1] == "3" and "1" not in sent and "2" not in sent


def test_the_view_of_a_plane_is_in_its_own_units():
    map = treelinemap.build([0, 1000, 2000], [0, 1000, 5000], planar=True).map()
    map.view = {"bbox": (0, 0, 2000, 5000)}
    assert map._facts["projection"] == "plane"
    with pytest.raises(ValueError, match="expected plain x and y, as in the previous tree, found longitudes"):
        map.show(treelinemap.build([0, 1, 2], [0, 1, 5]))


@pytest.mark.parametrize(
    "view",
    [
        {"center": 5},
        {"center": None},
        {"center": "ab"},
        {"zoom": "far"},
        {"zoom": [1, 2]},
        {"bbox": (1, 2, 3)},
        {"x": 1},
    ],
)
def test_a_view_of_something_else_is_refused(tree, view):
    with pytest.raises(TraitError, match="expected a center of two numbers, a zoom or a bbox of four numbers, found"):
        Map(tree, view=view)


@pytest.mark.parametrize("view", [{"zoom": float("nan")}, {"center": (float("inf"), 0)}])
def test_a_view_is_finite(tree, view):
    with pytest.raises(TraitError, match="expected finite numbers"):
        Map(tree, view=view)


def test_a_map_is_not_higher_than_a_tree_can_be_asked_for(tree):
    Map(tree, height=16_384)
    with pytest.raises(TraitError, match="16384"):
        Map(tree, height=16_385)


def replies(map, **message):
    """Returns the messages that a map sends as a reply to a message."""
    sent = []
    map.send = lambda content, buffers=(): sent.append((content, [*buffers]))
    map._receive(map, {"id": "1", **message}, [])
    map._worker.shutdown(wait=True)
    return sent


@pytest.mark.parametrize("answer", [{"sum": math.inf}, {"sum": object()}])
def test_what_is_not_json_is_a_problem_and_no_silence(tree, answer):
    map = Map(tree)
    map._answers._verbs["clusters"] = lambda **arguments: answer
    ((content, _),) = replies(map, verb="clusters")
    assert content["problem"]["status"] == 500 and content["problem"]["message"]
