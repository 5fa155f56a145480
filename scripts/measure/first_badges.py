"""Measures how long a published site takes to show its first badges on a slow line.

    first_badges.py SITE [--runs 5] [--delay 50] [--rate 20] [--view ZOOM/LATITUDE/LONGITUDE]

Opens the folder of a published index in headless Chromium with an empty cache, with a delay in milliseconds for each
request and a rate in megabits per second. The host compresses JavaScript, HTML, CSS and JSON, like most hosts of static
files. A time begins with the navigation and ends with the first frame that has badges. Prints the median of the runs.
"""

import argparse
import functools
import gzip
import http.server
import os
import pathlib
import statistics
import sys
import threading

from playwright.sync_api import sync_playwright

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "Tests/Browser"))

from browser import CHROMIUM

WATCH = """
globalThis.firstBadges = new Promise((done) => {
  // A message of a frame arrives once the frame is drawn.
  const {port1, port2} = new MessageChannel();
  port1.onmessage = () => done(performance.now());
  const look = () => {
    if (globalThis.viewer?.tree.scene.sprites.length) port2.postMessage(null);
    else requestAnimationFrame(look);
  };
  requestAnimationFrame(look);
});"""


class Host(http.server.SimpleHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    packed = {}

    def log_message(self, *arguments):
        pass

    def do_GET(self):
        path = pathlib.Path(self.translate_path(self.path))
        path = path / "index.html" if path.is_dir() else path
        if not path.is_file():
            return self.send_error(404)
        if path.suffix in (".js", ".html", ".css", ".json"):
            if path not in self.packed:
                self.packed[path] = gzip.compress(path.read_bytes(), 6)
            content = self.packed[path]
        else:
            content = path.read_bytes()
        self.send_response(200)
        self.send_header("Content-Type", self.guess_type(path))
        self.send_header("Content-Length", len(content))
        if path in self.packed:
            self.send_header("Content-Encoding", "gzip")
        self.end_headers()
        self.wfile.write(content)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("site")
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--delay", type=float, default=50)
    parser.add_argument("--rate", type=float, default=20)
    parser.add_argument("--view", default="")
    parser.add_argument("--files", action="store_true", help="also print when each file had arrived")
    given = parser.parse_args()
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Host, directory=given.site))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    address = f"http://127.0.0.1:{server.server_port}/" + (f"#map={given.view}&view=tree" if given.view else "")
    times = []
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path="/usr/bin/chromium", args=CHROMIUM)
        # The first run starts processes that later runs share, so it does not count.
        for run in range(given.runs + 1):
            context = browser.new_context(viewport={"width": 1440, "height": 900})
            page = context.new_page()
            page.add_init_script(WATCH)
            session = context.new_cdp_session(page)
            session.send("Network.enable")
            rate = given.rate * 1e6 / 8
            session.send("Network.emulateNetworkConditions", {
                "offline": False, "latency": given.delay, "downloadThroughput": rate, "uploadThroughput": rate})
            page.goto(address, wait_until="commit")
            time = page.evaluate("() => firstBadges")
            if run > 0:
                times.append(time)
            if given.files and run == given.runs:
                entries = page.evaluate("() => performance.getEntriesByType('resource').map(e => [e.name, e.startTime, e.responseEnd, e.transferSize])")
                for name, start, end, size in entries:
                    print(f"{start:7.0f} {end:7.0f} ms {size:8} bytes  {name.rsplit('/', 1)[-1][:40]}")
            context.close()
        browser.close()
    print(f"first badges: median {statistics.median(times):.0f} ms, from {min(times):.0f} to {max(times):.0f} ms in {given.runs} runs; "
          f"load {os.getloadavg()[0]:.1f}")


main()
