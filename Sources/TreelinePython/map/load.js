// Unpacks the files of a bundle that are not its own modules, and runs them.

/** Returns the text in compressed bytes. */
async function unpacked(bytes, format = "gzip") {
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream(format));
  return new Response(stream).text();
}

/** Runs the map library. It stores itself in a global variable, in which the page may already have another version. */
async function libraryOf(text) {
  // The library ignores messages of its workers if their origin differs from the origin of the page's location. In a
  // frame of `srcdoc` these origins differ.
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
