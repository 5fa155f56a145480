"""Flies a map through an index in headless Chromium and prints how long scripts ran in each frame, from the trace of
the browser.

For each view it prints the number of frames, and two processor times on the page's main thread, in milliseconds. `own`
is the time in functions of the viewer and in functions that they call, sampled four times a millisecond. `scripts` is
the time of all scripts, including the map library. Of each time it prints the median, the 95th and 99th percentiles and
the maximum over all frames.

A machine without a graphics card would spend nearly all its time on drawing, at two frames a second. So the draw calls
of WebGL are replaced by functions that do nothing, and the page is composited without WebGL.

With --film it zooms out instead, and writes a picture of each frame.
"""

import argparse
import bisect
import os
import pathlib
import re
import statistics
import subprocess
import sys
import tempfile

from playwright.sync_api import sync_playwright

import film

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "Tests/Browser"))

from browser import CHROMIUM

DRAW_NOTHING = """for (const name of ['drawArrays', 'drawElements', 'drawArraysInstanced', 'drawElementsInstanced'])
  WebGL2RenderingContext.prototype[name] = () => {}"""

# Trace events during which scripts run. An event within another event is not counted again.
SCRIPTS = {"FunctionCall", "EvaluateScript", "RunMicrotasks", "FireAnimationFrame", "TimerFire", "EventDispatch", "v8.run",
           "V8.GC_SCAVENGER", "MinorGC", "MajorGC", "XHRReadyStateChange", "v8.callFunction", "ResourceReceiveResponse"}

# Microseconds between two samples of the main thread's stack.
SAMPLED = 250

# Zooms in to the densest place, pans near this place, and zooms out again.
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
    parser.add_argument("index", nargs="?", help="an index from 'treelinemap build' (default: an index of the addresses in Fixtures)")
    parser.add_argument("--views", default="tree,compare", help="views to measure, separated by commas: tree, grid, compare, tiles")
    parser.add_argument("--depth", type=float, default=6, help="by how many zooms the journey zooms in")
    parser.add_argument("--settings", default="", help="more parameters of the link's fragment, such as 'by=limit&limit=200'")
    parser.add_argument("--size", default="1440x900")
    parser.add_argument("--most", type=float, help="fail if the 95th percentile of `own` is above this, in milliseconds")
    parser.add_argument("--film", metavar="FOLDER", help="write a picture of each frame of a zoom out, on a simulated clock")
    options = parser.parse_args()
    width, height = map(int, options.size.split("x"))
    with tempfile.TemporaryDirectory() as folder:
        server = serving(options.index or addresses(folder))
        try:
            # The server prints its address once it listens.
            address = re.search(r"http://\S+", server.stdout.readline())[0]
            views = options.views.split(",")
            if options.film:
                for view in views:
                    count = film_of(f"{address}#view={view}&{options.settings}", width, height, options, f"{options.film}/{view}")
                    print(f"{view}: {count} frames in {options.film}/{view}")
                return
            figures = [flown(f"{address}#view={view}&{options.settings}", width, height, options.depth) for view in views]
        finally:
            server.terminate()
    for view, figure in zip(views, figures):
        print(f"{view}: " + ", ".join(f"{name} {value}" for name, value in figure.items()))
    raise SystemExit(options.most is not None and max(figure["own p95 ms"] for figure in figures) > options.most)


def flown(address, width, height, depth):
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path="/usr/bin/chromium", args=CHROMIUM)
        page = browser.new_page(viewport={"width": width, "height": height})
        page.add_init_script(DRAW_NOTHING)
        page.goto(address)
        page.wait_for_function("() => globalThis.viewer?.map?.loaded() && viewer.isAtRest", timeout=60_000)
        page.wait_for_timeout(1500)
        figures = measured(page, depth)
        browser.close()
        return figures


def film_of(address, width, height, options, folder):
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path="/usr/bin/chromium", args=CHROMIUM)
        page = browser.new_page(viewport={"width": width, "height": height})
        page.add_init_script(film.CLOCK)
        page.goto(address)
        page.wait_for_function("() => globalThis.viewer?.tones", timeout=60_000)
        film.settle(page)
        center, start = densest(page)
        count = film.filmed(page, folder, start, center, options.depth)
        browser.close()
        return count


def addresses(folder):
    index = f"{folder}/iceland.treeline"
    subprocess.run([os.environ["TREELINE_TOOL"], "build", ROOT / "Fixtures/iceland_addresses.csv.gz", "--for", "spacing", "-o", index],
                   check=True, capture_output=True)
    return index


def serving(index):
    viewer = ROOT / "Sources/TreelineServer/Resources/viewer"
    return subprocess.Popen([os.environ["TREELINE_SERVER"], index, "--port", "0", "--viewer", viewer],
                            stdout=subprocess.PIPE, text=True)


def measured(page, depth):
    center, start = densest(page)
    events = []
    session = page.context.new_cdp_session(page)
    session.on("Tracing.dataCollected", lambda data: events.extend(data["value"]))
    finished = []
    session.on("Tracing.tracingComplete", lambda _: finished.append(True))
    session.send("Tracing.start", {"transferMode": "ReportEvents", "traceConfig": {
        "includedCategories": ["devtools.timeline", "v8", "blink.user_timing"]}})
    page.evaluate("""() => { globalThis.badges = 0; const draw = viewer.overlay.draw;
      viewer.overlay.draw = function (scene, ...rest) { badges = Math.max(badges, scene.size); return draw.call(this, scene, ...rest) } }""")
    session.send("Profiler.enable")
    session.send("Profiler.setSamplingInterval", {"interval": SAMPLED})
    session.send("Profiler.start")
    page.evaluate(JOURNEY, {"center": center, "start": start, "depth": depth})
    profile = session.send("Profiler.stop")["profile"]
    session.send("Tracing.end")
    while not finished:
        page.wait_for_timeout(50)
    starts, scripts = main_thread(events)
    figure = {"frames": len(starts), "badges of a side at most": page.evaluate("badges")}
    own = [(at, duration * share_at(scripts, at)) for at, duration in own_spans(profile)]
    for name, spans in ("own", own), ("scripts", [(start, processor) for start, _, processor in scripts]):
        times = sorted(by_frame(starts, spans))
        figure[f"{name} median ms"] = round(statistics.median(times), 2)
        for title, share in ("p95", 0.95), ("p99", 0.99), ("most", 1):
            figure[f"{name} {title} ms"] = round(times[min(int(share * len(times)), len(times) - 1)], 2)
    return figure


def densest(page):
    """Returns the position of the largest cluster, and the current zoom, at which all points are in view."""
    found = page.evaluate("""viewer.tree.scene.size || viewer.grid.scene.size
      ? viewer[viewer.tree.scene.size ? 'tree' : 'grid'].scene.clusters.reduce((a, b) => a.count > b.count ? a : b)
      : {longitude: viewer.map.getCenter().lng, latitude: viewer.map.getCenter().lat}""")
    return [found["longitude"], found["latitude"]], page.evaluate("viewer.map.getZoom()")


def is_of_viewer(url):
    return "/viewer/" in url and "/vendor/maplibre" not in url


def own_spans(profile, is_own_url=is_of_viewer):
    """Returns the times at which a function of the viewer, or of the addresses that `is_own_url` accepts, was on the
    stack. Each time has a duration. Times and durations are in microseconds."""
    nodes = {node["id"]: node for node in profile["nodes"]}
    parents = {child: node["id"] for node in profile["nodes"] for child in node.get("children", [])}

    def is_own(id):
        while id is not None:
            if is_own_url(nodes[id]["callFrame"]["url"]):
                return True
            id = parents.get(id)
        return False

    own = {id for id in nodes if is_own(id)}
    spans, now = [], profile["startTime"]
    for sample, passed in zip(profile["samples"], profile["timeDeltas"]):
        now += passed
        # Bounds the duration. In most of a longer interval, other processes had the processor.
        if sample in own:
            spans.append((now, min(passed, 4 * SAMPLED)))
    return spans


def share_at(scripts, at):
    """Returns the processor time of the script that ran at a moment, as a share of the script's duration."""
    script = bisect.bisect_right(scripts, (at, float("inf"))) - 1
    if script < 0 or at > scripts[script][1]:
        return 1
    start, end, processor = scripts[script]
    return min(processor / max(end - start, 1), 1)


def by_frame(starts, spans):
    """Returns the total milliseconds of the spans in each frame. A frame lasts until the next frame starts."""
    frames, at = [0.0] * len(starts), -1
    for start, duration in sorted(spans):
        while at + 1 < len(starts) and starts[at + 1] <= start:
            at += 1
        if at >= 0:
            frames[at] += duration / 1000
    return frames


def main_thread(events):
    """Returns the start of each frame on the page's main thread, and the start, end and processor time of each script.
    All times are in microseconds."""
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
    # Several callbacks within 4 ms belong to one frame.
    starts = []
    for ts in sorted(e["ts"] for e in drawn if (e["pid"], e["tid"]) == main):
        if not starts or ts - starts[-1] > 4000:
            starts.append(ts)
    return starts, outer


if __name__ == "__main__":
    main()
