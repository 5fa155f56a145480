"""Prints the time from points to a picture in a notebook and in a page, and the size of pages, compared with folium."""

import argparse
import pathlib
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path += [str(ROOT / "Tests" / folder) for folder in ("Browser", "NotebookTests")]

import folium
import folium.plugins
import numpy as np
import treelinemap
from playwright.sync_api import sync_playwright

import browser as browsers
import conftest

BUILD = """
import numpy as np, treelinemap
random = np.random.default_rng(1)
x, y = random.normal(10, 4, {count}), random.normal(48, 2, {count})
"""
SHOWN = """() => { const viewer = document.querySelector("[data-lm-suppress-shortcuts]")?.viewer;
  return viewer?.overlay?.width > 0 && viewer.tree.scene.size > 0 }"""


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repeat", type=int, default=3, help="how often the notebook is opened; the shortest time counts")
    options = parser.parse_args()
    with sync_playwright() as playwright, tempfile.TemporaryDirectory() as folder:
        browser = playwright.chromium.launch(executable_path="/usr/bin/chromium", args=browsers.CHROMIUM)
        for count in (10_000, 100_000):
            points = points_of(count)
            page = pathlib.Path(folder) / "map.html"
            start = time.perf_counter()
            tree = treelinemap.build(*points)
            built = time.perf_counter() - start
            tree.to_html(page)
            written = time.perf_counter() - start
            shown = shown_in(browser, page, "() => globalThis.viewer?.tree?.scene.size > 0")
            print(
                f"treeline, {count:,} points: built in {built:.2f} s, page of {size(page)} written in {written:.2f} s, "
                f"shows clusters after {shown:.2f} s",
                flush=True,
            )
            start = time.perf_counter()
            map = folium.Map(location=(48, 10), zoom_start=6)
            folium.plugins.MarkerCluster(zip(points[1].tolist(), points[0].tolist())).add_to(map)
            map.save(page)
            print(
                f"folium, {count:,} points: page of {size(page)} written in {time.perf_counter() - start:.2f} s",
                flush=True,
            )
            start = time.perf_counter()
            map = folium.Map(location=(48, 10), zoom_start=6)
            folium.plugins.FastMarkerCluster(list(zip(points[1].tolist(), points[0].tolist()))).add_to(map)
            map.save(page)
            print(
                f"folium's FastMarkerCluster: page of {size(page)} written in {time.perf_counter() - start:.2f} s",
                flush=True,
            )
        times = sorted(in_notebook(browser, 100_000) for _ in range(options.repeat))
        print(
            f"treeline, 100,000 points: a picture in the notebook after {times[0]:.2f} s, "
            f"of {', '.join(f'{t:.2f}' for t in times)}"
        )


def points_of(count):
    names = {}
    exec(BUILD.format(count=count), names)
    return names["x"], names["y"]


def size(path):
    return f"{path.stat().st_size / 1e6:.2f} MB"


def shown_in(browser, path, condition):
    page = browser.new_context().new_page()
    start = time.perf_counter()
    page.goto(path.resolve().as_uri())
    page.wait_for_function(condition, timeout=120_000)
    elapsed = time.perf_counter() - start
    page.context.close()
    return elapsed


def in_notebook(browser, count):
    """Returns the seconds from the call that builds a tree from arrays to the first clusters on its map, in a kernel
    that has already imported the package."""

    # Calls the fixtures of the tests as plain functions.
    class Folders:
        def mktemp(self, name):
            return pathlib.Path(tempfile.mkdtemp(prefix=name))

    lab = conftest.lab.__wrapped__(Folders())
    context = browser.new_context(viewport=conftest.WIDE)
    opening = conftest.open_notebook.__wrapped__([], lambda **_: context, next(lab))
    notebook = opening(BUILD.format(count=count))
    page = notebook.page
    # Waits until the kernel runs and has imported numpy and the package.
    while not notebook.run("print(len(x))"):
        page.wait_for_timeout(100)
    page.evaluate(
        """async code => {
      const { commands, shell } = jupyterapp;
      await commands.execute("notebook:insert-cell-below");
      shell.currentWidget.content.activeCell.model.sharedModel.setSource(code);
    }""",
        "treelinemap.build(x, y)",
    )
    start = time.perf_counter()
    page.evaluate("() => { jupyterapp.commands.execute('notebook:run-cell') }")
    page.wait_for_function(SHOWN, timeout=60_000)
    elapsed = time.perf_counter() - start
    context.close()
    next(lab, None)
    return elapsed


if __name__ == "__main__":
    main()
