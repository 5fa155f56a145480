"""Measures whether darker badges of the viewer stand for denser points, in four views of each index: all points, and
closer and closer views of the densest place.

For each view it prints the rank correlation (Spearman) of two values of each cluster: its tone, and the number of
points in a circle of a square centimeter around it. Clusters that are single points have no tone.
"""

import argparse
import pathlib
import re
import sys

from playwright.sync_api import sync_playwright

import frames

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "Tests/Browser"))

from browser import CHROMIUM
from darkness import darkness

# Zoom levels from the view of all points to each view.
CLOSER = [0, 1.5, 3, 4.5]

REST = "() => globalThis.viewer?.map?.loaded() && viewer.isAtRest && viewer.sides.every(side => !side.scene.isMoving)"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("indexes", nargs="+", help="indexes from 'treelinemap build'")
    parser.add_argument("--least", type=float, default=0.8, help="fail if a view has a lower correlation (default: 0.8)")
    options = parser.parse_args()
    found = []
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path="/usr/bin/chromium", args=CHROMIUM)
        for index in options.indexes:
            server = frames.serving(index)
            try:
                address = re.search(r"http://\S+", server.stdout.readline())[0]
                page = browser.new_page(viewport={"width": 1440, "height": 900})
                page.add_init_script(frames.DRAW_NOTHING)
                page.goto(f"{address}#view=tree&dust=false")
                page.wait_for_function(REST, timeout=60_000)
                center, start = frames.densest(page)
                for closer in CLOSER:
                    if closer > 0:
                        page.evaluate("camera => viewer.map.jumpTo(camera)", {"center": center, "zoom": start + closer})
                        page.wait_for_function("() => viewer.map.loaded() && viewer.isAtRest")
                        page.wait_for_function(REST)
                    value, count = darkness(page)
                    print(f"{pathlib.Path(index).stem}, zoom {start + closer:.1f}: {count} clusters, "
                          + ("too few tones to compare" if value is None else f"{value:.2f}"), flush=True)
                    if value is not None:
                        found.append(value)
                page.close()
            finally:
                server.terminate()
    print(f"{len(found)} views: least {min(found):.2f}, median {sorted(found)[len(found) // 2]:.2f}")
    raise SystemExit(min(found) < options.least)


main()
