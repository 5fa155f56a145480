"""Compares answers of the server with the output of the tool for the same query."""

import json
import random
import subprocess

import pytest

from conftest import ROOT, program
from trials import trials

TOOL = program("TREELINE_TOOL")
SEED = 5
CUTS = ["--limit 40", "--limit 40 --order widest-first", "--limit 300 --order steepest-first", "--detail 25",
        "--spacing 44", "--spacing 30 --min-points 4", "--detail 25 --alone-from-zoom 10", "--method grid",
        "--method grid --cell 70",
        "--limit 40 --filter postcode<300 --aggregate sum(postcode),top(place,2),median(postcode)",
        "--spacing 44 --filter postcode>600 --ellipses", "--limit 30 --position member", "--limit 30 --keep-visible",
        "--limit 60 --ellipses"]
BOXES = {"iceland": (-24.5, 63.3, -13.5, 66.6), "columns": (12, 40, 30, 70), "planar": (-8, -264, 1024, 768)}


@pytest.mark.parametrize("index", BOXES)
def test_geojson_is_byte_for_byte_what_the_tool_prints(server, indexes, index, note):
    rng, box, count = random.Random(f"{SEED} {index}"), BOXES[index], 0
    for cut in CUTS:
        if ("--spacing" in cut or "--filter" in cut) and index != "iceland":
            continue
        for _ in range(trials(3)):
            west, east = sorted(rng.uniform(box[0], box[2]) for _ in range(2))
            south, north = sorted(rng.uniform(box[1], box[3]) for _ in range(2))
            bounds = f"{west:.4f},{south:.4f},{east:.4f},{north:.4f}"
            zoom = f"{rng.uniform(3, 9):.2f}"
            words = ["--bbox", bounds, "--zoom", zoom, *cut.split()]
            printed = subprocess.run(
                [TOOL, "query", indexes / f"{index}.treeline", *words], capture_output=True, check=True)
            query = "&".join(
                f"{word[2:]}={'true' if value.startswith('--') else value}"
                for word, value in zip(words, [*words[1:], "--"]) if word.startswith("--"))
            status, _, found = server.ask(f"/v1/{index}/clusters?{query.replace('<', '%3C').replace('>', '%3E')}")
            assert status == 200 and found == printed.stdout, \
                f"{index} {query}: {status} {found[:200]} for {printed.stdout[:200]}"
            count += 1
    note(f"{count} cuts, seed '{SEED} {index}'")


def test_only_trees_for_spacings_and_old_split_trees_answer_a_spacing(server, own):
    ask = "clusters?bbox=-180,-85,180,85&zoom=3&spacing=44"
    for index in ("live", "columns"):
        status, _, body = server.ask(f"/v1/{index}/{ask}")
        assert status == 400 and b"--for spacing" in body, body
    old = own(f"old={ROOT}/Fixtures/index/v1/release-0.2.treeline")
    assert len(old.json(f"/v1/old/{ask}")["features"]) > 1
    assert old.json("/v1/old/transition?from-zoom=3&zoom=5&spacing=44")["splits"]


@pytest.mark.parametrize("words", [
    "--from-bbox -23,64,-20,65 --to-bbox -22,64,-19,65 --from-limit 30",
    "--from-bbox -23,64,-20,65 --to-bbox -22,64,-21,65 --from-limit 30 --continuing",
    "--from-zoom 6 --to-zoom 7 --spacing 44",
])
def test_a_transition_is_what_the_tool_prints_and_the_answer_besides(server, indexes, words):
    printed = subprocess.run(
        [TOOL, "transition", indexes / "iceland.treeline", *words.split()], capture_output=True, check=True)
    pairs = iter(words.replace("--to-", "").replace("--continuing", "continuing=true").replace("--", "").split())
    query = "&".join(word if "=" in word else f"{word}={next(pairs)}" for word in pairs)
    if "from-limit=30" in query:
        query += "&limit=30"
    found = server.json(f"/v1/iceland/transition?{query}")
    for extra in ["version", "clusters"]:
        found.pop(extra)
    assert found == json.loads(printed.stdout)
