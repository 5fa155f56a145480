// The files beside the modules that the map library is given: here their addresses. Where modules are bundled into one,
// a module of the same name has what is in them.

export const resource = (name) => new URL(name, import.meta.url).href;
