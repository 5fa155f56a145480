// The members of a stack, spread around the stack. A stack consists of points at the same position. No zoom separates
// these points.

import { MEMBER_RADIUS, spreadOffset } from "./badge.js";
import { SPREAD_SPACING } from "./constants.js";
import { settle } from "./easing.js";

/** @typedef {import("./mercator.js").Camera} Camera */

/** Milliseconds until a spread is open. */
const OPENING = 320;

export class Spread {
  /** Index of the member under the pointer; -1 if no member is there. */
  marked = -1;

  /**
   * @param {import("./scene.js").Drawn} cluster The stack.
   * @param {number} count Number of members that are spread.
   * @param {number} start Time at which the stack begins to open, in milliseconds; -Infinity opens the stack at once.
   */
  constructor(cluster, count, start) {
    this.cluster = cluster;
    this.count = count;
    this.start = start;
  }

  /** Distance in pixels from the stack to the outer edge of the members. */
  get radius() {
    const { x, y } = spreadOffset(this.count - 1, this.count);
    return Math.hypot(x, y) + MEMBER_RADIUS;
  }

  /** @param {number} now */
  openness(now) {
    return settle(Math.min(Math.max((now - this.start) / OPENING, 0), 1));
  }

  /** @param {number} now */
  isMoving(now) {
    return now < this.start + OPENING;
  }
}

/**
 * Returns the index of the member at a position; -1 if no member is there.
 *
 * @param {Spread | null} spread
 * @param {Camera} camera
 * @param {number} x
 * @param {number} y
 */
export function memberAt(spread, camera, x, y) {
  if (!spread) return -1;
  const stack = camera.point(spread.cluster.x, spread.cluster.y);
  for (let i = 0; i < spread.count; i++) {
    const offset = spreadOffset(i, spread.count);
    if (Math.hypot(stack.x + offset.x - x, stack.y + offset.y - y) < SPREAD_SPACING / 2) return i;
  }
  return -1;
}
