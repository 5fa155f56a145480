// Constants that the map layer shares with the library and the server. ViewerConstantsTests reads them, so the value of
// each constant is JSON on one line.

/**
 * The diameters of badges, `BadgeSize` in Swift. `LARGEST_BADGE` is the limit in pixels that the diameters approach.
 * The other constants are two parameters of the curve.
 */
export const LARGEST_BADGE = 44;
export const BADGE_RATE = 0.3;
export const BADGE_POWER = 0.4;

/**
 * Area of a cluster, `Plane.coveredArea` in Swift. `AREA_DEVIATIONS` is the length of the ellipse's half axes in
 * standard deviations. `LEAST_WIDTH` is the minimum width of the ellipse as a share of its length.
 */
export const AREA_DEVIATIONS = 2;
export const LEAST_WIDTH = 0.25;

/** Letters of abbreviated counts, `BadgeText` in Swift. */
export const COUNT_SUFFIXES = "kMBT";

/** Layout of an opened stack, `StackSpread` in Swift: lengths in pixels, start of the spiral in turns. */
export const SPREAD_SPACING = 26;
export const MOST_ON_CIRCLE = 9;
export const SPIRAL_START = 1.1;
export const SPIRAL_STRETCH = 1.06;

/** Width of the world in pixels at zoom 0: for the server, and for the map library. */
export const SERVER_WORLD_SIZE = 256;
export const WORLD_SIZE = 512;

/** The server gives ellipses in pixels at this zoom of 256 px tiles. */
export const ELLIPSE_ZOOM = 24;

/**
 * Number of bits of a cluster's id that hold its level; `ClusterID` in Swift. The bits above hold the first point of
 * the cluster.
 */
export const LEVEL_BITS = 10;
