"""Runs the examples of the guide, in their order, as a single program."""

import pathlib
import re

import pytest
from conftest import ROOT

PAGE = ROOT / "Sources/Treeline/Treeline.docc/FromPython.md"
BLOCK = re.compile(r"^(?:<!-- peer: (\w+) -->\n)?```python\n(.*?)^```$", re.DOTALL | re.MULTILINE)


def has(module):
    try:
        __import__(module)
    except ImportError:
        return False
    return True


def test_examples_run(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    names, run = {}, 0
    for match in BLOCK.finditer(PAGE.read_text()):
        peer, code = match.groups()
        # Some examples need other libraries. They are skipped unless these libraries are installed, as by
        # scripts/measure/bench-python.
        if peer is not None and not has(peer):
            continue
        exec(compile(code, f"{PAGE.name}, {code.splitlines()[0]}", "exec"), names)
        run += 1
    assert run >= 7
    printed = capsys.readouterr().out
    assert 'there is no column "prize"; the columns are "price", "kind"' in printed
    (table,) = re.findall(r"^```\n(\d+ clusters of .*?)^```$", PAGE.read_text(), re.DOTALL | re.MULTILINE)
    assert table in printed
    assert pathlib.Path("hotels.treeline").exists() and pathlib.Path("treeline.html").stat().st_size < 3_000_000


@pytest.mark.parametrize("peer", ["folium", "ipyleaflet", "pysupercluster", "datashader"])
def test_the_guide_tells_of(peer):
    assert f"### From {peer}" in PAGE.read_text()
