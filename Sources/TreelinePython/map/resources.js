// Returns the contents of the files that come with the bundle, for the map library.

export const resource = (name) => held[name];
