// Unpacks what a bundle needs besides its modules, and runs them.

/** @param bytes JSON, compressed: the map library, its stylesheet, and the land with its places. */
async function unpacked(bytes) {
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

/** Runs the map library, which leaves itself among the globals, where another of its name may be. */
async function libraryOf(text) {
  // It drops what its workers say unless their origin is that of the page's location, which in a frame of `srcdoc` is
  // not that of the page.
  const own = "const [define, exports, module] = [], before = globalThis.maplibregl, "
    + "location = globalThis.location.protocol === 'about:' ? { origin: globalThis.origin } : globalThis.location;";
  const taken = "export default globalThis.maplibregl; globalThis.maplibregl = before;";
  const url = URL.createObjectURL(new Blob([own, "\n", text, "\n", taken], { type: "text/javascript" }));
  try {
    return (await import(url)).default;
  } finally {
    URL.revokeObjectURL(url);
  }
}

async function held(bytes) {
  const { library, ...rest } = JSON.parse(new TextDecoder().decode(await unpacked(bytes)));
  return { library: await libraryOf(library), ...rest };
}
