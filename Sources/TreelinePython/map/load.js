// Unpacks and runs the files of a bundle that are not modules of the bundle.

/** Decompresses bytes, and returns them as text. */
async function unpacked(bytes, format = "gzip") {
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream(format));
  return new Response(stream).text();
}

/** Runs the map library. The library sets a global variable, which may already hold another version of the library. */
async function libraryOf(text) {
  // The library ignores messages of its workers if the origin of a message differs from the origin of the page's
  // location. In a frame with `srcdoc` the two origins differ.
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
