// The parts of a cluster's id other than its first point.

import { LEVEL_BITS } from "./constants.js";

const LEVELS = 2 ** LEVEL_BITS;

export const idOf = (first, level) => first * LEVELS + level;
export const levelOf = (id) => id % LEVELS;
