"""Flies a map through an index in headless Chromium and tells how long scripts ran in each frame, from the trace of the browser.

Prints one line a journey, then its figures: frames, and the median, 95th percentile and maximum of milliseconds of script on
the page's main thread a frame, as processor time of that thread, which other processes on the machine do not stretch. Painting
and the drawing of WebGL in software happen elsewhere and are not in it.
"""

import argparse
import os
import pathlib
import re
import statistics
import subprocess
import tempfile

from playwright.sync_api import sync_playwright

ROOT = pathlib.Path(__file__).resolve().parents[2]
CHROMIUM = ["--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--ignore-gpu-blocklist", "--no-sandbox"]

# What runs scripts. One within another counts once.
SCRIPTS = {"FunctionCall", "EvaluateScript", "RunMicrotasks", "FireAnimationFrame", "TimerFire", "EventDispatch", "v8.run",
           "V8.GC_SCAVENGER", "MinorGC", "MajorGC", "XHRReadyStateChange", "v8.callFunction", "ResourceReceiveResponse"}

# In to the densest place, along it, and out again.
JOURNEY = """async ({center, start, depth}) => {
  const map = viewer.map;
  const fly = options => new Promise(done => { map.once('moveend', done); map.easeTo({easing: t => t, ...options}) });
  await fly({center, zoom: start + depth, duration: 6000});
  const [x, y] = center, step = 360 / 2 ** (start + depth);
  await fly({center: [x + step, y], duration: 2000});
  await fly({center: [x + step, y + step / 3], duration: 2000});
  await fly({center, zoom: start, duration: 5000});
}"""


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("index", nargs="?", help="made by 'treeline build'; the addresses in Fixtures unless told")
    parser.add_argument("--views", default="tree,compare", help="tree, grid, compare, tiles; several with commas")
    parser.add_argument("--depth", type=float, default=6, help="how many zooms the journey goes in")
    parser.add_argument("--settings", default="", help="more of the fragment, such as 'by=limit&limit=200'")
    parser.add_argument("--size", default="1440x900")
    parser.add_argument("--most", type=float, help="fail where the 95th percentile is above so many milliseconds")
    options = parser.parse_args()
    width, height = map(int, options.size.split("x"))
    with tempfile.TemporaryDirectory() as folder:
        server = serving(options.index or addresses(folder))
        try:
            # It says its address once it listens.
            address = re.search(r"http://\S+", server.stdout.readline())[0]
            views = options.views.split(",")
            figures = [flown(f"{address}#view={view}&{options.settings}", width, height, options.depth) for view in views]
        finally:
            server.terminate()
    for view, figure in zip(views, figures):
        print(f"{view}: " + ", ".join(f"{name} {value}" for name, value in figure.items()))
    raise SystemExit(options.most is not None and max(figure["p95 ms"] for figure in figures) > options.most)


def flown(address, width, height, depth):
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path="/usr/bin/chromium", args=CHROMIUM)
        page = browser.new_page(viewport={"width": width, "height": height})
        page.goto(address)
        page.wait_for_function("() => globalThis.viewer?.map?.loaded() && viewer.isAtRest", timeout=60_000)
        page.wait_for_timeout(1500)
        figures = measured(page, depth)
        browser.close()
        return figures


def addresses(folder):
    index = f"{folder}/iceland.treeline"
    subprocess.run([os.environ["TREELINE_TOOL"], "build", ROOT / "Fixtures/iceland_addresses.csv.gz", "-o", index],
                   check=True, capture_output=True)
    return index


def serving(index):
    viewer = ROOT / "Sources/TreelineServer/Resources/viewer"
    return subprocess.Popen([os.environ["TREELINE_SERVER"], index, "--port", "0", "--viewer", viewer],
                            stdout=subprocess.PIPE, text=True)


def measured(page, depth):
    densest = page.evaluate("""viewer.tree.scene.size || viewer.grid.scene.size
      ? viewer[viewer.tree.scene.size ? 'tree' : 'grid'].scene.clusters.reduce((a, b) => a.count > b.count ? a : b)
      : {longitude: viewer.map.getCenter().lng, latitude: viewer.map.getCenter().lat}""")
    start = page.evaluate("viewer.map.getZoom()")
    events = []
    session = page.context.new_cdp_session(page)
    session.on("Tracing.dataCollected", lambda data: events.extend(data["value"]))
    finished = []
    session.on("Tracing.tracingComplete", lambda _: finished.append(True))
    session.send("Tracing.start", {"transferMode": "ReportEvents", "traceConfig": {
        "includedCategories": ["devtools.timeline", "v8", "blink.user_timing"]}})
    page.evaluate("""() => { globalThis.badges = 0; const draw = viewer.overlay.draw;
      viewer.overlay.draw = function (scene, ...rest) { badges = Math.max(badges, scene.size); return draw.call(this, scene, ...rest) } }""")
    page.evaluate(JOURNEY, {"center": [densest["longitude"], densest["latitude"]], "start": start, "depth": depth})
    session.send("Tracing.end")
    while not finished:
        page.wait_for_timeout(50)
    frames = script_times(events)
    frames.sort()
    at = lambda share: round(frames[min(int(share * len(frames)), len(frames) - 1)], 2)
    return {"frames": len(frames), "median ms": round(statistics.median(frames), 2), "p95 ms": at(0.95), "p99 ms": at(0.99),
            "most ms": at(1), "badges of a side at most": page.evaluate("badges")}


def script_times(events):
    """Milliseconds of script in each frame: from one animation frame of the main thread to the next."""
    drawn = [e for e in events if e.get("name") == "FireAnimationFrame" and e.get("ph") == "X"]
    threads = {}
    for event in drawn:
        threads[event["pid"], event["tid"]] = threads.get((event["pid"], event["tid"]), 0) + 1
    main = max(threads, key=threads.get)
    spans = sorted((e["ts"], e["ts"] + e.get("dur", 0), e.get("tdur", e.get("dur", 0))) for e in events
                   if e.get("ph") == "X" and (e["pid"], e["tid"]) == main and e["name"] in SCRIPTS)
    outer, end = [], -1
    for span in spans:
        if span[0] >= end:
            outer.append(span)
            end = span[1]
    # Several callbacks may run in one frame, within a moment of each other.
    starts = []
    for ts in sorted(e["ts"] for e in drawn if (e["pid"], e["tid"]) == main):
        if not starts or ts - starts[-1] > 4000:
            starts.append(ts)
    frames, at = [0.0] * len(starts), -1
    for start, _, duration in outer:
        while at + 1 < len(starts) and starts[at + 1] <= start:
            at += 1
        if at >= 0:
            frames[at] += duration / 1000
    return frames


if __name__ == "__main__":
    main()
