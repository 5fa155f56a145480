// The memory layout of live clusters, which are not merged yet. merging.js and tiles.js share it.
//
// A live cluster takes 16 words, one cache line. Its first four words are two doubles: the sums of x - 2^31 and of
// y - 2^31 over its points. Because 2^31 is subtracted, the sums of 2^21 points are exact.

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
