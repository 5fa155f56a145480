"""Films a zoom out of an index frame by frame, on a simulated clock. So a slow machine and a fast machine give equal
films."""

import pathlib

# Replaces the clock of the page with a clock that advances only when `passTime` is called.
CLOCK = "{ let now = 1000; performance.now = () => now; globalThis.passTime = by => now += by }"

# Milliseconds from one frame to the next.
FRAME = 40

# Zooms out at a constant rate, as a mouse wheel does.
OUT = """({center, zoom, duration}) =>
  viewer.map.easeTo({center, zoom, duration, easing: t => t})"""


def filmed(page, folder, start, center, depth):
    """Writes a PNG for each frame of a zoom out from the densest place. Returns the number of frames."""
    folder = pathlib.Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    page.evaluate("camera => viewer.map.jumpTo(camera)", {"center": center, "zoom": start + depth})
    settle(page)
    duration = 1000 * depth
    page.evaluate(OUT, {"center": center, "zoom": start, "duration": duration})
    frames = duration // FRAME + 1000 // FRAME
    for frame in range(int(frames)):
        page.evaluate("by => passTime(by)", FRAME)
        # Waits for all answers within the same frame, as if the server were nearby and answered at once.
        page.evaluate("() => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))")
        page.wait_for_function("() => viewer.sides.every(({feed}) => feed.waitingSince === Infinity)")
        page.evaluate("() => viewer.wake()")
        page.evaluate("() => new Promise(done => requestAnimationFrame(done))")
        page.screenshot(path=folder / f"{frame:04}.png")
    return int(frames)


def settle(page):
    """Advances the clock until all data is loaded and nothing moves."""
    for _ in range(60):
        page.evaluate("() => passTime(100)")
        page.wait_for_timeout(40)
        if page.evaluate("viewer.map.loaded() && viewer.isAtRest && viewer.sides.every(side => !side.scene.isMoving)"):
            return
    raise SystemExit("viewer-frames: the map did not come to rest")
