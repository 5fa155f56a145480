"""Checks that Python gives the same answers as the tool, by the expected output of the tool's commands."""

import collections
import csv
import json
import re
import shlex

import numpy as np
import pytest
import treelinemap
from conftest import FIXTURES, ROOT, read_points
from treelinemap import _library as c

GOLDEN = FIXTURES / "golden" / "tool"

#: Commands that are skipped here. They test other formats, headers and faults. The tool's own tests check them.
FOREIGN = re.compile(r"geojson|broken/|decimal_comma|semicolon|wk[bt]|no_header|units|--method grid|--continuing")

#: Properties that are compared with those that the tool writes.
PROPERTIES = (
    "cluster", "cluster_id", "point_count", "point_count_abbreviated", "stack", "badge_px", "cluster_group", "ellipse",
    "ellipse_meters", "ellipse_units", "shown_index", "index", "members", "tree_range",
)

#: Options of `query` that only change what is printed.
FLAGS = {
    "ellipses", "members", "hulls", "tree-ranges", "rows", "count-in-view", "keep-visible", "no-keep-visible", "json",
    "quiet",
}

BUILDING = ("split", "grow", "anchor", "badge-gap")


def commands():
    for path in sorted(GOLDEN.glob("*.txt")):
        command, *output = path.read_text().split("\n")
        if not re.match(r"\$ treelinemap (query|transition|cluster) (?!--help)", command) or FOREIGN.search(command):
            continue
        if "--- exit code 0" in output:
            yield pytest.param(command, output, id=path.stem)


CASES = list(commands())


def test_there_are_cases():
    assert len(CASES) >= 55


def parsed(command):
    """Returns the arguments without an option name, and the options."""
    words = shlex.split(command)[3:]
    free, options = [], {}
    while words:
        word = words.pop(0)
        if not word.startswith("--"):
            free.append(word)
        elif "=" in word:
            name, options[name[2:]] = word.split("=", 1)[0], word.split("=", 1)[1]
        elif word[2:] in FLAGS:
            options[word[2:]] = True
        else:
            options[word[2:]] = words.pop(0)
    return free, options


TREES = {}


def tree_of(path, options):
    build = {name.replace("-", "_"): options[name] for name in BUILDING if name in options}
    if "badge_gap" in build:
        build["badge_gap"] = float(build["badge_gap"])
    if any("badges" in name for name in options):
        build.setdefault("grow", "badges")
    if any("spacing" in name for name in options):
        build.setdefault("grow", "merge")
    key = path, tuple(sorted(build.items()))
    if key not in TREES:
        if path.endswith(".treeline"):
            TREES[key] = treelinemap.open(ROOT / path)
        else:
            x, y, columns = read_points(ROOT / path)
            planar = "planar" in path
            TREES[key] = treelinemap.build(x, y, columns=columns, planar=planar, **build)
    return TREES[key]


def query(options):
    """Returns the options of a query in the form of Python arguments."""
    numbers = {"zoom", "spacing", "detail", "badges", "width", "height", "alone-from-zoom", "margin"}
    arguments = {}
    for name, value in options.items():
        key = name.replace("-", "_")
        if name in ("bbox", "center"):
            arguments[key] = [float(part) for part in value.split(",")]
        elif name in numbers:
            arguments[key] = float(value)
        elif name in ("limit", "min-points"):
            arguments[key] = int(value)
        elif name in ("order", "position"):
            arguments[key] = value
        elif name == "keep-visible":
            arguments["keep_visible"] = True
        elif name == "filter":
            arguments["where"] = value
        elif name == "aggregate":
            arguments["aggregate"] = value
    return arguments


def near(found, expected, decimals):
    """Returns whether a number, rounded to some decimals, equals the printed number."""
    return abs(found - expected) <= 0.51 * 10**-decimals + 1e-9 * abs(expected)


def decimals(tree):
    west, south, east, north = tree.bounds
    return 9 if tree.is_planar and max(abs(east - west), abs(north - south)) < 10 else 3 if tree.is_planar else 7


def check_feature(answer, place, feature, options):
    tree, properties = answer.tree, feature["properties"]
    assert answer.id[place] == properties["cluster_id"]
    assert answer.count[place] == properties["point_count"]
    for found, expected in zip((answer.x[place], answer.y[place]), feature["geometry"]["coordinates"]):
        assert near(found, expected, decimals(tree))
    for found, expected in zip(answer.bounds[place], feature["bbox"]):
        assert near(found, expected, decimals(tree))
    assert answer.row[place] == properties.get("index", -1)
    if "shown_index" in properties:
        index = answer.tree_index[place]
        assert tree.members(int(answer.id[place]))["row"][index - answer.first[place]] == properties["shown_index"]
    if "badge_px" in properties:
        assert answer.badge_diameter[place] == properties["badge_px"]
    if "ellipse" in properties:
        major, minor, angle = properties["ellipse"]
        assert near(answer._extent("semi_major")[place], major, 0)
        assert near(answer._extent("semi_minor")[place], minor, 0)
        assert near(np.degrees(np.arctan2(answer.axis_y[place], answer.axis_x[place])), angle, 1)
    if "ellipse_meters" in properties:
        major, minor = properties["ellipse_meters"]
        assert near(answer.semi_major[place], major, 0) and near(answer.semi_minor[place], minor, 0)
    if "members" in properties:
        assert sorted(tree.members(int(answer.id[place]))["row"].tolist()) == properties["members"]
    if "hull" in properties:
        assert np.allclose(tree.hull(int(answer.id[place])), properties["hull"], atol=1e-7)
    for name, values in answer.values.items():
        value, expected = values[place], properties[name]
        assert value == expected or expected is not None and float(value) == float(expected)


def check_rows(answer, lines):
    """Checks an answer against the lines of a printed table: its first eight columns, and the row numbers that
    follow."""
    names, *rows = [line.split() for line in lines]
    assert len(answer) == len(rows)
    found = np.column_stack([answer.x, answer.y, answer.bounds])
    for place, cells in enumerate(rows):
        assert [str(answer.id[place]), str(answer.count[place])] == cells[:2]
        for column, text in enumerate(cells[2:8]):
            # All numbers of a column are printed with the same number of decimals: as many as the longest of them
            # needs.
            digits = max(len(row[2 + column].partition(".")[2]) for row in rows)
            assert near(found[place, column], float(text), digits)
        if names[8:] == ["index"]:
            assert cells[8:] == ([str(answer.row[place])] if answer.row[place] >= 0 else [])
        if names[8:] == ["index", "members"]:
            # If a cluster is a single point, both columns of row numbers contain its row.
            members = sorted(answer.tree.members(int(answer.id[place]))["row"].tolist())
            assert [int(cell) for cell in cells[8:]][-len(members) :] == members


def check_query(tree, options, output):
    answer = tree.clusters(**query(options))
    if options.get("format") == "table":
        lines = [line for line in output[: output.index("--- exit code 0")] if line]
        check_rows(answer, lines[: lines.index("--- standard error")] if "--- standard error" in lines else lines)
        return
    if options.get("format") == "csv":
        rows = list(csv.DictReader(printed(output).splitlines()))
        counts = collections.Counter(int(row["cluster_id"]) for row in rows)
        if "point_count" in rows[0]:
            counts = {int(row["cluster_id"]): int(row["point_count"]) for row in rows}
        assert counts == dict(zip(answer.id.tolist(), answer.count.tolist()))
        return
    features = json.loads(printed(output))["features"]
    assert len(answer) == len(features)
    asked = {name.replace("-", "_"): True for name in ("ellipses", "members", "tree-ranges") if name in options}
    geojson = json.loads(answer._geojson(**asked))["features"]
    for place, feature in enumerate(features):
        check_feature(answer, place, feature, options)
        own = geojson[place]
        assert (own["id"], own["bbox"]) == (feature["id"], feature["bbox"])
        assert own["geometry"] == feature["geometry"] or "geometry" in options
        # The tool writes columns as they are spelled in its input.
        for name in PROPERTIES:
            assert own["properties"].get(name) == feature["properties"].get(name), name


def printed(output):
    """Returns the output of the tool without its messages on standard error."""
    end = next(number for number, line in enumerate(output) if line.startswith("---"))
    return "\n".join(output[:end])


#: Groups of options. Both sides of a transition share the options of a group, unless one side has its own option of
#: this group.
SHARED = (
    {"limit"},
    {"order", "detail", "spacing", "badges"},
    {"min-points"},
    {"alone-from-zoom"},
    {"filter"},
    {"position"},
    {"keep-visible"},
)


def side(prefix, options):
    own = {name[len(prefix) :]: value for name, value in options.items() if name.startswith(prefix)}
    given = set(own)
    for group in SHARED:
        if not group & given:
            own |= {name: options[name] for name in group if name in options}
    return query(own)


def check_transition(tree, options, output):
    first, second = side("from-", options), side("to-", options)
    for one, other in ((first, second), (second, first)):
        if "zoom" in one:
            other.setdefault("zoom", one["zoom"])
    a, b = tree.clusters(**first), tree.clusters(**second)
    change, expected = a.transition_to(b), json.loads(printed(output))

    def rows(kind):
        return [row for row in range(len(change)) if change.change[row] == kind]

    def shown(answer, place):
        return int(answer.id[place]), int(answer.count[place])

    def told(cluster):
        return cluster["cluster_id"], cluster["point_count"]

    assert [shown(b, change.to_place[row]) for row in rows(0)] == [told(c) for c in expected["kept"]]
    assert [shown(b, change.to_place[row]) for row in rows(3)] == [told(c) for c in expected["entered"]]
    assert [shown(a, change.from_place[row]) for row in rows(4)] == [told(c) for c in expected["left"]]
    splits = [(shown(a, change.from_place[row]), shown(b, change.to_place[row])) for row in rows(1)]
    assert splits == [(told(s["whole"]), told(part)) for s in expected["splits"] for part in s["parts"]]
    merges = [(shown(b, change.to_place[row]), shown(a, change.from_place[row])) for row in rows(2)]
    assert merges == [(told(m["whole"]), told(part)) for m in expected["merges"] for part in m["parts"]]
    for name, found in (
        ("hidden_point_count", change.hidden),
        ("filtered_out_point_count", change.filtered_out),
        ("filtered_in_point_count", change.filtered_in),
    ):
        every = expected["kept"] + expected["splits"] + expected["merges"]
        assert found.sum() == sum(entry.get(name, 0) for entry in every)
    geojson = json.loads(c.bytes_of(c.call(c.transition_geojson, a._pointer, b._pointer, None)))
    assert geojson.pop("clusters") == json.loads(b._geojson())
    assert geojson == expected


def check_cluster(tree, id, options, output):
    shown = options.get("show")
    tree = tree.select(options["filter"]) if "filter" in options else tree
    if shown == "expansion-zoom":
        # If the zoom is less than 0, the tool prints 0.
        assert max(tree.expansion_zoom(id, spacing=float(options["spacing"])), 0) == json.loads(printed(output))["zoom"]
        return
    expected = json.loads(printed(output))
    if shown == "members":
        offset, limit = int(options.get("offset", 0)), int(options["limit"])
        page = tree.members(id, offset=offset, limit=limit)
        assert page["row"].tolist() == [feature["properties"]["index"] for feature in expected["features"]]
        positions = [feature["geometry"]["coordinates"] for feature in expected["features"]]
        assert np.allclose(np.column_stack([page["x"], page["y"]]), positions, atol=1e-7)
        assert tree.clusters_with_ids([id]).count[0] == expected["total"]
        return
    answer = {"children": tree.children, "parent": tree.parent}.get(shown, lambda id: tree.clusters_with_ids([id]))(id)
    features = expected.get("features", [expected])
    assert len(answer) == len(features)
    for place, feature in enumerate(features):
        check_feature(answer, place, feature, options)


@pytest.mark.parametrize(("command", "output"), CASES)
def test_answers_are_those_of_the_tool(command, output):
    free, options = parsed(command)
    tree = tree_of(free[0], options)
    kind = command.split()[2]
    if kind == "query":
        check_query(tree, options, output)
    elif kind == "transition":
        check_transition(tree, options, output)
    else:
        check_cluster(tree, int(free[1]), options, output)


def test_trees_are_those_of_the_library():
    """Checks the hashes in `trees.txt`. They are from builds with LAPACK."""
    checked = 0
    for line in (FIXTURES / "golden" / "trees.txt").read_text().splitlines():
        expected, rule, name = line.split()
        x, y, _ = read_points(FIXTURES / name)
        tree = treelinemap.build(x, y, split=rule, planar="planar" in name)
        assert tree.content_hash == int(expected, 16), line
        checked += 1
    assert checked > 20
