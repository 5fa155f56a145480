// The layout of live clusters, which merging and its tiles share.
//
// A live cluster takes 16 words, one cache line. Its first four words are two doubles: the sums of x - 2^31 and of
// y - 2^31 over its points. Because 2^31 is subtracted, the sums of 2^21 points are exact.

export const STRIDE_BITS = 4;
export const STRIDE = 1 << STRIDE_BITS;
export const [X, Y, COUNT, NODE, MEMBER, AGE, RADIUS, SCALE, SLOT, NEAREST, WEST, EAST] = [4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15];
