"""Measures maps of the web package in headless Chromium, beside supercluster and Leaflet.markercluster.

`frames` is processor time of the package's functions, and of functions that they call, in frames in which at least 200
badges move. The table has median times of the programs on the pages FromSupercluster and FromMarkercluster. "First
clusters" is the time from points in memory to the first frame with clusters. "Another view" is the time from a change of
the view to the first frame with its clusters. "At rest" is the time, from the same start, until the map draws nothing
more. For Treeline, this is the end of the animation. WebGL draws nothing, because a machine without a graphics card would
spend nearly all its time on drawing.
"""

import argparse
import functools
import http.server
import pathlib
import statistics
import subprocess
import sys
import tempfile
import threading

from playwright.sync_api import sync_playwright

import frames

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "Tests/Browser"), str(ROOT / "scripts/build")]

from browser import CHROMIUM

#: Minimum number of moving badges in a frame that is counted.
MOVING = 200

PAGE = """<!doctype html><meta charset="utf-8"><link rel="icon" href="data:,">
<link rel="stylesheet" href="/lib/{kit}.css"><style>html, body, #map {{ margin: 0; height: 100% }}</style><main id="map"></main>
<script src="/lib/{kit}.js"></script><script src="/lib/land.js"></script><script src="/lib/airports.js"></script>
{scripts}
<script type="module">
{imports}
import {{ towns }} from "/lib/towns.js";
const flat = towns(20260101);
const features = Array.from({{ length: flat.length / 2 }}, (_, i) => (
  {{ type: "Feature", properties: {{}}, geometry: {{ type: "Point", coordinates: [flat[2 * i], flat[2 * i + 1]] }} }}));
globalThis.points = {{ airports, towns: features }};
globalThis.isReady = true;
</script>"""

MAPLIBRE = """const map = globalThis.map = new maplibregl.Map({ container: "map", style: landStyle(), center: [10, 40], zoom: 3, fadeDuration: 0 });
  await new Promise((done) => map.once("idle", done));"""
LEAFLET = """const map = globalThis.map = L.map("map", { zoomAnimation: false, maxZoom: 18 }).setView([40, 10], 4);"""

#: Other views: a step in, steps aside, and out again.
VIEWS = [(10, 40, 4), (2, 48, 5), (-80, 40, 4), (-100, 40, 5), (-75, 41, 3), (10, 50, 3.5), (110, 30, 4), (0, 20, 2)]

#: Each program sets `show` and `rest`. `show` shows the clusters of the current view and returns once the map has
#: drawn them. `rest` returns once the map draws nothing more.
PROGRAMS = {
    "Treeline on MapLibre": ("maplibre-gl", "maplibre", """
      globalThis.layer = addTreeline(map, Treeline.build(points[name]));
      globalThis.show = shown;
    """),
    "supercluster on MapLibre": ("maplibre-gl", "maplibre", """
      map.addSource("clusters", { type: "geojson", data: { type: "FeatureCollection", features: [] } });
      map.addLayer({ id: "clusters", type: "circle", source: "clusters", paint: { "circle-radius": 16 } });
      const index = new Supercluster({ radius: 60, maxZoom: 16 });
      index.load(points[name]);
      globalThis.show = async () => {
        const features = index.getClusters(map.getBounds().toArray().flat(), Math.floor(map.getZoom()));
        const drawn = new Promise((done) => {
          const look = ({ sourceId }) => {
            if (sourceId !== "clusters" || !map.isSourceLoaded("clusters")) return;
            map.off("sourcedata", look);
            map.once("render", done);
          };
          map.on("sourcedata", look);
        });
        globalThis.idle = new Promise((done) => map.once("idle", done));
        map.getSource("clusters").setData({ type: "FeatureCollection", features });
        await drawn;
      };
      globalThis.rest = () => idle;
    """),
    "Treeline on Leaflet": ("leaflet", "leaflet", """
      globalThis.layer = addTreeline(map, Treeline.build(points[name]));
      globalThis.show = shown;
    """),
    "markercluster": ("leaflet", "leaflet", """
      const markers = L.markerClusterGroup({ animate: false });
      markers.addLayers(points[name].map(({ geometry: { coordinates: [x, y] } }) => L.marker([y, x])));
      map.addLayer(markers);
      globalThis.show = globalThis.rest = async () => {};
    """),
}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--supercluster", type=pathlib.Path)
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--most", type=float, help="fail if the 95th percentile of `frames` is above this, in milliseconds")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        site = served(pathlib.Path(folder), options.supercluster)
        browser = playwright.chromium.launch(executable_path="/usr/bin/chromium", args=CHROMIUM)
        figures = moving(browser, site)
        print("frames: " + ", ".join(f"{name} {value}" for name, value in figures.items()), flush=True)
        print("\n| program | points | first clusters | at rest | another view | at rest |\n|---|---|---|---|---|---|")
        for program in PROGRAMS:
            if program.startswith("supercluster") and not options.supercluster:
                continue
            for points in ("airports", "towns"):
                runs = [timed(browser, site, program, points) for _ in range(options.runs)]
                first, rest = (statistics.median(times) for times in zip(*(first for first, _ in runs)))
                other, settled = (statistics.median(times) for times in zip(*(times for _, others in runs for times in others)))
                print(f"| {program} | {points} | {first:.0f} ms | {rest:.0f} ms | {other:.1f} ms | {settled:.0f} ms |", flush=True)
        browser.close()
    raise SystemExit(options.most is not None and figures["p95 ms"] > options.most)


def served(folder, supercluster):
    """Serves the package, map kits and points from a folder, at an address of this machine."""
    lib = folder / "lib"
    lib.mkdir()
    subprocess.run([sys.executable, "-B", ROOT / "scripts/build/example_data.py", lib], check=True)
    (lib / "towns.js").symlink_to(ROOT / "scripts/measure/towns.mjs")
    vendor, system = ROOT / "Sources/TreelineServer/Resources/viewer/vendor", pathlib.Path("/usr/share/javascript/leaflet")
    for name in ("maplibre-gl.js", "maplibre-gl.css"):
        (lib / name).symlink_to(vendor / name)
    for name in ("leaflet.js", "leaflet.css", "leaflet.markercluster.js"):
        (lib / name).symlink_to((system / name).resolve())
    (folder / "package").symlink_to(ROOT / "Sources/TreelineWeb/src")
    if supercluster:
        subprocess.run(["esbuild", supercluster / "index.js", "--bundle", "--format=iife", "--global-name=supercluster",
                        f"--outfile={lib / 'supercluster.js'}", "--log-level=error"], check=True)
    subprocess.run([ROOT / "scripts/build/web-scripts", lib], check=True, capture_output=True)
    for kit, module in (("maplibre-gl", "maplibre"), ("leaflet", "leaflet")):
        modules = ('import { Treeline } from "/package/index.js"; import { addTreeline } from "/package/map/%s.js";'
                   " Object.assign(globalThis, { Treeline, addTreeline });" % module)
        bundle = f'<script src="/lib/treelinemap-{module}.js"></script>'
        (folder / f"{module}-modules.html").write_text(PAGE.format(kit=kit, scripts="", imports=modules))
        (folder / f"{module}.html").write_text(
            PAGE.format(kit=kit, scripts=bundle, imports="Object.assign(globalThis, treelinemap);"))

    class Handler(http.server.SimpleHTTPRequestHandler):
        extensions_map = {**http.server.SimpleHTTPRequestHandler.extensions_map, ".js": "text/javascript"}

        def log_message(self, *_):
            pass

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Handler, directory=folder))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return f"http://127.0.0.1:{server.server_port}"


def opened(browser, site, module):
    page = browser.new_page(viewport={"width": 1440, "height": 900})
    page.add_init_script(frames.DRAW_NOTHING)
    page.goto(f"{site}/{module}.html")
    page.wait_for_function("() => globalThis.isReady")
    return page


def moving(browser, site):
    """Returns percentiles of the package's time in frames while at least 200 badges move."""
    page = opened(browser, site, "maplibre-modules")
    page.evaluate(f"""async () => {{ {MAPLIBRE}
      globalThis.layer = addTreeline(map, Treeline.build(points.airports), {{ colorBy: "country" }});
      await layer.ready;
      await new Promise((done) => setTimeout(done, 2500));
      const mark = () => {{
        performance.mark(`moving ${{layer.scene.sprites.filter((sprite) => !sprite.hasArrived).length}}`);
        requestAnimationFrame(mark);
      }};
      mark();
    }}""")
    events, finished = [], []
    session = page.context.new_cdp_session(page)
    session.on("Tracing.dataCollected", lambda data: events.extend(data["value"]))
    session.on("Tracing.tracingComplete", lambda _: finished.append(True))
    session.send("Tracing.start", {"transferMode": "ReportEvents", "traceConfig": {
        "includedCategories": ["devtools.timeline", "v8", "blink.user_timing"]}})
    session.send("Profiler.enable")
    session.send("Profiler.setSamplingInterval", {"interval": frames.SAMPLED})
    session.send("Profiler.start")
    page.evaluate("""async () => {
      const fly = (options) => new Promise((done) => { map.once("moveend", done); map.easeTo({ easing: (t) => t, ...options }) });
      for (let round = 0; round < 3; round++) {
        await fly({ center: [10, 48], zoom: 4.5, duration: 4000 });
        await fly({ center: [10, 40], zoom: 2, duration: 4000 });
      }
    }""")
    profile = session.send("Profiler.stop")["profile"]
    session.send("Tracing.end")
    while not finished:
        page.wait_for_timeout(50)
    page.close()
    starts, scripts = frames.main_thread(events)
    spans = [(at, duration * frames.share_at(scripts, at))
             for at, duration in frames.own_spans(profile, lambda url: "/package/" in url)]
    times = frames.by_frame(starts, spans)
    marks = sorted((event["ts"], int(event["name"].split()[1])) for event in events
                   if str(event.get("name", "")).startswith("moving "))
    most = [0] * len(starts)
    at = -1
    for ts, count in marks:
        while at + 1 < len(starts) and starts[at + 1] <= ts:
            at += 1
        if at >= 0:
            most[at] = max(most[at], count)
    busy = sorted(time for time, count in zip(times, most) if count >= MOVING)
    share = lambda of: round(busy[min(int(of * len(busy)), len(busy) - 1)], 2)
    return {"frames": len(busy), "badges at most": max(most), "median ms": share(0.5), "p95 ms": share(0.95), "p99 ms": share(0.99)}


def timed(browser, site, program, name):
    """Returns milliseconds until clusters are drawn and until nothing moves, of the first view and of other views."""
    kit, module, script = PROGRAMS[program]
    page = opened(browser, site, module)
    if program == "markercluster":
        page.add_script_tag(url=f"{site}/lib/leaflet.markercluster.js")
    if program.startswith("supercluster"):
        page.add_script_tag(url=f"{site}/lib/supercluster.js")
        page.evaluate("() => { globalThis.Supercluster = supercluster.default ?? supercluster }")
    first = page.evaluate(f"""async (name) => {{
      {MAPLIBRE if kit == "maplibre-gl" else LEAFLET}
      const shown = async () => {{
        await layer.ready;
        layer.frame();
        while (layer.scene.size === 0) await null;
        layer.frame();
      }};
      globalThis.rest = async () => {{
        while (layer.isMoving) await new Promise(requestAnimationFrame);
      }};
      const start = performance.now();
      {script}
      await show();
      const first = performance.now() - start;
      await rest();
      return [first, performance.now() - start];
    }}""", name)
    others = []
    for x, y, zoom in VIEWS:
        jump = (f"map.jumpTo({{ center: [{x}, {y}], zoom: {zoom} }})" if kit == "maplibre-gl"
                else f"map.setView([{y}, {x}], {zoom + 1}, {{ animate: false }})")
        page.wait_for_timeout(100)
        others.append(page.evaluate(OTHER % jump))
    page.close()
    return first, others


#: Times the scripts of a change of the view, including the map's own scripts. For Treeline, the first frame of its
#: animation is included.
OTHER = """async () => {
  const start = performance.now();
  const applied = globalThis.layer && new Promise((done) => {
    const { apply } = layer.scene;
    layer.scene.apply = function (...all) {
      apply.apply(this, all);
      layer.scene.apply = apply;
      done();
    };
  });
  %s;
  if (!globalThis.layer) await show();
  else {
    layer.frame();
    await applied;
    layer.frame();
  }
  const first = performance.now() - start;
  await rest();
  return [first, performance.now() - start];
}"""


if __name__ == "__main__":
    main()
