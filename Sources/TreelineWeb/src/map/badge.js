// Sizes of badges, and positions of the members of an opened stack. In Swift, `BadgeSize` and `StackSpread` compute
// them.

import {
  BADGE_POWER, BADGE_RATE, LARGEST_BADGE, MOST_ON_CIRCLE, SPIRAL_START, SPIRAL_STRETCH, SPREAD_SPACING,
} from "./constants.js";

/** Radius of the dot for a single point, which shows no number. */
export const DOT_RADIUS = 5.5;

/** Radius of a member of an opened stack. */
export const MEMBER_RADIUS = 8;

/**
 * Returns the radius in pixels of a badge for a number of points. Radii rise from 57 % towards 100 % of the largest
 * radius.
 *
 * Source: thoughtbot, How To Efficiently Display Large Amounts of Data on iOS Maps (2014).
 *
 * @param {number} pointCount
 */
export function badgeRadius(pointCount) {
  return LARGEST_BADGE / (1 + Math.exp(-BADGE_RATE * pointCount ** BADGE_POWER)) / 2;
}

/**
 * Returns the diameter of a badge as an expression of the map library.
 *
 * @param {any} pointCount An expression whose value is the number of points.
 * @returns {any[]}
 */
export function diameterExpression(pointCount) {
  return ["/", LARGEST_BADGE, ["+", 1, ["^", ["e"], ["*", -BADGE_RATE, ["^", pointCount, BADGE_POWER]]]]];
}

/**
 * Returns the offset of a member from its stack, in pixels. A few members lie on a circle. Many members lie on a
 * spiral, whose outermost member is the last one.
 *
 * @param {number} member
 * @param {number} count
 */
export function spreadOffset(member, count, spacing = SPREAD_SPACING) {
  if (count <= MOST_ON_CIRCLE) {
    const radius = Math.max(spacing, count < 2 ? 0 : spacing / (2 * Math.sin(Math.PI / count)));
    return polar(radius, (2 * Math.PI * member) / count);
  }
  // The arc length of Archimedes' spiral is half the square of its angle. An arc is a little longer than its chord.
  const pitch = (SPIRAL_STRETCH * spacing) / (2 * Math.PI);
  const start = 2 * Math.PI * SPIRAL_START;
  const angle = Math.sqrt(start * start + (2 * member * SPIRAL_STRETCH * spacing) / pitch);
  return polar(pitch * angle, angle);
}

/**
 * @param {number} radius
 * @param {number} angle
 */
function polar(radius, angle) {
  return { x: radius * Math.sin(angle), y: -radius * Math.cos(angle) };
}
