// Starts the bundle in a page of a published index. The page contains the data, or they are files beside it.

/** Returns the bytes of an element of the page; null if the page has no such element. */
function bytesOf(id) {
  const node = document.getElementById(id);
  if (!node) return null;
  const bytes = Uint8Array.from(atob(node.textContent), (character) => character.charCodeAt(0));
  node.remove();
  return bytes;
}

/** Returns a function that answers like `fetch` from data in the page; undefined if the page has none. */
function contained() {
  const [manifest, pages] = [bytesOf("manifest"), bytesOf("pages")];
  if (!manifest) return undefined;
  return async (url, { headers = {} } = {}) => {
    const [, start, end] = /bytes=(\d+)-(\d+)/.exec(headers.Range ?? "") ?? [];
    return start === undefined ? new Response(manifest) : new Response(pages.slice(+start, +end + 1), { status: 206 });
  };
}

async function assets() {
  const own = bytesOf("assets");
  const bytes = own ?? new Uint8Array(await (await fetch(new URL("assets.json.gz", document.baseURI))).arrayBuffer());
  // A host may have decompressed the file already.
  return JSON.parse(bytes[0] === 0x1f ? await unpacked(bytes) : new TextDecoder().decode(bytes));
}

const host = document.getElementById("host");
try {
  const fetch = contained();
  const [library, basemap] = [bytesOf("library"), bytesOf("basemap") ?? []];
  const maplibregl = library ? await libraryOf(await unpacked(library, "deflate")) : globalThis.maplibregl;
  const modules = bundle(maplibregl, await assets());
  const manifest = fetch ? "https://page.invalid/manifest.json" : new URL("manifest.json", document.baseURI).href;
  await modules["site.js"].open(host, manifest, fetch, basemap.length ? JSON.parse(new TextDecoder().decode(basemap)) : null);
} catch (error) {
  if (!host.shadowRoot) host.textContent = `This page cannot be shown here: ${error.message}`;
  throw error;
}
