// The memory layout of live clusters: clusters that are not merged yet. merging.js and tiles.js use this layout.
//
// A live cluster takes 16 words, one cache line. The first four words are two doubles: the sums of x - 2^31 and of y -
// 2^31 over the points of the cluster. Because 2^31 is subtracted, the sums are exact for up to 2^21 points.

export const STRIDE_BITS = 4;
export const STRIDE = 1 << STRIDE_BITS;
export const X = 4;
export const Y = 5;
export const COUNT = 6;
export const NODE = 7;
export const MEMBER = 8;
export const AGE = 9;
export const RADIUS = 10;
export const SCALE = 11;
export const SLOT = 12;
export const NEAREST = 13;
export const WEST = 14;
export const EAST = 15;
