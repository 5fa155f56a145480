// Addresses of files that the map library loads. The files are in the folder of the modules. A bundle has another
// module of this name, which contains the files themselves.

export const resource = (name) => new URL(name, import.meta.url).href;
