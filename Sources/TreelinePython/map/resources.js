// What the map library is given besides the modules: what is in the files, which came with the bundle.

export const resource = (name) => held[name];
