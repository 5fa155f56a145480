// What the id of a cluster says: the tree index of its first point, above ten bits of its level.

const LEVELS = 1024;

export const idOf = (first, level) => first * LEVELS + level;
export const firstOf = (id) => Math.floor(id / LEVELS);
export const levelOf = (id) => id % LEVELS;
