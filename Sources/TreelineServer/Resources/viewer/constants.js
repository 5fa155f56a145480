// Numbers and words that the viewer shares with the library and the server, which ViewerConstantsTests holds to them:
// one a line, as JSON has it.

/** The curve of badges, `BadgeSize` in Swift: the diameter that they rise towards, in pixels, and how fast. */
export const LARGEST_BADGE = 44;
export const BADGE_RATE = 0.3;
export const BADGE_POWER = 0.4;

/** The area of a cluster, `Plane.coveredArea` in Swift: how many standard deviations its ellipse reaches along each
 * axis, and the least share of its length that it is wide. */
export const AREA_DEVIATIONS = 2;
export const LEAST_WIDTH = 0.25;

/** The letters of abbreviated counts, `BadgeText` in Swift. */
export const COUNT_SUFFIXES = "kMBT";

/** An opened stack, `StackSpread` in Swift: lengths in pixels, where the spiral starts in turns. */
export const SPREAD_SPACING = 26;
export const MOST_ON_CIRCLE = 9;
export const SPIRAL_START = 1.1;
export const SPIRAL_STRETCH = 1.06;

/**
 * The widths of grid cells that are offered, in pixels: those of the server by zoom but the narrowest, and a wide one.
 */
export const GRID_CELLS = [32, 64, 88, 128];

/** How many pixels the world is wide at zoom 0 of the server, and of the map library. */
export const SERVER_WORLD_SIZE = 256;
export const WORLD_SIZE = 512;

/** The server's ellipses are in pixels at this zoom of its own. */
export const ELLIPSE_ZOOM = 24;

/** How many bits of a cluster's id tell its level, `ClusterID` in Swift; those above tell its first point. */
export const LEVEL_BITS = 10;
