// Gives the map library the contents of the files that the bundle contains.

export const resource = (name) => held[name];
