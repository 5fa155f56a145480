// Starts the bundle in a page of a published index. The page contains the data, or the data are in files beside the
// page.

/** Returns the bytes of an element of the page; null if the page has no such element. */
function bytesOf(id) {
  const node = document.getElementById(id);
  if (!node) return null;
  const bytes = Uint8Array.from(atob(node.textContent), (character) => character.charCodeAt(0));
  node.remove();
  return bytes;
}

/** Returns a function like `fetch` that answers from data in the page; undefined if the page has no data. */
function contained() {
  const [manifest, pages] = [bytesOf("manifest"), bytesOf("pages")];
  if (!manifest) return undefined;
  return async (url, { headers = {} } = {}) => {
    const [, start, end] = /bytes=(\d+)-(\d+)/.exec(headers.Range ?? "") ?? [];
    return start === undefined ? new Response(manifest) : new Response(pages.slice(+start, +end + 1), { status: 206 });
  };
}

/**
 * Waits for the map library of a site. The script of the library is beside the page. The first badges do not wait for
 * the library.
 */
async function libraryBeside() {
  if (globalThis.maplibregl) return;
  const script = document.querySelector("script[src='library.js']");
  await new Promise((done, fail) => {
    script.addEventListener("load", done);
    script.addEventListener("error", () => fail(new Error("the file library.js cannot be loaded")));
  });
}

/**
 * Returns the land and its places.
 *
 * @param bytes Compressed file of the land and its places; null if the file is beside the page.
 */
async function assets(bytes) {
  bytes ??= new Uint8Array(await (await fetch(new URL("assets.json.gz", document.baseURI))).arrayBuffer());
  // A host may have decompressed the file already.
  return JSON.parse(bytes[0] === 0x1f ? await unpacked(bytes) : new TextDecoder().decode(bytes));
}

/**
 * Shows the land of a site. The land is loaded after the first badges, because the land is larger than the data of the
 * badges.
 */
async function showLand({ map }, held, keepPlaces) {
  const { "world.geojson": world, "places.geojson": places } = await assets(null);
  held["world.geojson"] = world;
  keepPlaces(places);
  const show = () => map.getSource("world")?.setData(world);
  if (map.getSource("world")) show();
  else map.once("load", show);
}

const host = document.getElementById("host");
try {
  const fetch = contained();
  const [library, basemap, own] = [bytesOf("library"), bytesOf("basemap") ?? [], bytesOf("assets")];
  const maplibregl = library
    ? await libraryOf(await unpacked(library, "deflate"))
    : new Proxy({}, { get: (_, name) => globalThis.maplibregl[name] });
  let keepPlaces;
  const later = { "world.geojson": { type: "FeatureCollection", features: [] }, "places.geojson": new Promise((keep) => (keepPlaces = keep)) };
  const held = own ? await assets(own) : later;
  const modules = bundle(maplibregl, held);
  const manifest = fetch ? "https://page.invalid/manifest.json" : new URL("manifest.json", document.baseURI).href;
  const style = basemap.length ? JSON.parse(new TextDecoder().decode(basemap)) : null;
  const viewer = await modules["site.js"].open(host, manifest, fetch, style, library ? undefined : libraryBeside());
  if (viewer && !own) await showLand(viewer, held, keepPlaces);
} catch (error) {
  if (!host.shadowRoot) host.textContent = `This page cannot be shown here: ${error.message}`;
  throw error;
}
