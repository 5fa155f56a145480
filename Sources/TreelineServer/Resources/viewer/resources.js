// Addresses of the files that lie beside the modules and that the map library loads. Where modules are bundled into
// one, a module of the same name contains the files themselves.

export const resource = (name) => new URL(name, import.meta.url).href;
