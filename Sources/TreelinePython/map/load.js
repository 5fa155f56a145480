// Unpacks what a bundle needs besides its modules, and runs them.

/** @param bytes JSON, compressed: the map library, its stylesheet, and the land with its places. */
async function unpacked(bytes) {
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

/** Runs the map library, which leaves itself among the globals, where another of its name may be. */
async function libraryOf(text) {
  const own = "const [define, exports, module] = [], before = globalThis.maplibregl;";
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
