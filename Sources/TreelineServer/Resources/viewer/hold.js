// Reports a hold: a finger that rests on the map, or a press of the secondary mouse button.

/**
 * A finger that rests for `HOLD` milliseconds is a hold. Meanwhile the finger may move by `STRAY` pixels.
 */
const HOLD = 450;
const STRAY = 10;

/** Calls `held` with the position on a map where one finger rests or where the secondary mouse button is pressed. */
export function onHold(map, held) {
  let timer = 0;
  let start = null;
  let last = -Infinity;
  const end = () => clearTimeout(timer);
  const hold = (point) => {
    // Some browsers also report a hold as a `contextmenu` event. This event must not count as a second hold.
    if (performance.now() < last + 2 * HOLD) return;
    last = performance.now();
    held(point);
  };
  map.on("touchstart", ({ point, points }) => {
    end();
    if (points.length !== 1) return;
    start = point;
    timer = setTimeout(() => hold(point), HOLD);
  });
  map.on("touchmove", ({ point }) => {
    if (start && point.dist(start) > STRAY) end();
  });
  map.on("touchend", end);
  map.on("touchcancel", end);
  map.on("contextmenu", ({ point, originalEvent }) => {
    end();
    originalEvent.preventDefault();
    hold(point);
  });
}
