// A map of tiles from an archive in the format PMTiles 3
// (https://github.com/protomaps/PMTiles/blob/main/spec/v3/spec.md). The server delivers ranges of bytes of the archive.

import { worldX, worldY } from "./vendor/treeline/map/mercator.js";

/** `HEADER` is the length of the header. The first request is longer, so that it includes the root directory. */
const HEADER = 127;
const FIRST = 16_384;

/** Number of leaf directories that are kept. */
const MOST_LEAVES = 64;

const VECTOR = 1;
const GZIP = 2;
const COMPRESSIONS = [undefined, "none", "gzip"];

/** A transparent pixel, for raster tiles that the archive lacks. */
const PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==";

export class TileArchive {
  #leaves = new Map();

  /** @param request Returns the options of a request, such as its headers. */
  constructor(url, request = () => ({})) {
    this.url = url;
    this.request = request;
  }

  /** Reads the header, the root directory and the metadata. Throws an error if the archive cannot be read. */
  async open() {
    const bytes = await this.#read(0, FIRST);
    const view = new DataView(bytes.buffer, bytes.byteOffset);
    if (bytes.length < HEADER || new TextDecoder().decode(bytes.subarray(0, 7)) !== "PMTiles" || bytes[7] !== 3) {
      throw new Error("the file is not a PMTiles 3 archive");
    }
    const number = (at) => Number(view.getBigUint64(at, true));
    const [rootStart, rootLength, metadataStart, metadataLength] = [8, 16, 24, 32].map(number);
    this.leavesStart = number(40);
    this.dataStart = number(56);
    [this.directoryCompression, this.tileCompression, this.kind, this.minZoom, this.maxZoom] = bytes.subarray(97, 102);
    /** West, south, east and north, in degrees. */
    this.bounds = [102, 106, 110, 114].map((at) => view.getInt32(at, true) / 1e7);
    for (const code of [this.directoryCompression, this.tileCompression]) {
      if (!COMPRESSIONS[code]) throw new Error(`the archive has the compression code ${code}, but this map reads only the codes 1 (none) and 2 (gzip)`);
    }
    const within = rootStart + rootLength <= bytes.length;
    const root = within ? bytes.slice(rootStart, rootStart + rootLength) : await this.#read(rootStart, rootLength);
    this.root = entriesOf(await inflated(root, this.directoryCompression));
    const metadata = await inflated(await this.#read(metadataStart, metadataLength), this.directoryCompression);
    this.metadata = JSON.parse(new TextDecoder().decode(metadata) || "{}");
  }

  /** Whether the center of a view is within the bounds of the archive. */
  covers({ centerX, centerY }) {
    const [west, south, east, north] = this.bounds;
    // Some writers leave the bounds out.
    if (west === east || south === north) return true;
    const x = centerX - Math.floor(centerX);
    return x >= worldX(west) && x <= worldX(east) && centerY >= worldY(north) && centerY <= worldY(south);
  }

  /** Returns a tile; null if the archive does not contain the tile. */
  async tile(z, x, y) {
    const id = tileID(z, x, y);
    let entries = this.root;
    // The format allows at most three levels of leaf directories below the root.
    for (let depth = 0; depth < 4; depth++) {
      const entry = entryOf(entries, id);
      if (!entry) return null;
      if (entry.run > 0) {
        if (id >= entry.id + entry.run) return null;
        return inflated(await this.#read(this.dataStart + entry.offset, entry.length), this.tileCompression);
      }
      entries = await this.#leaf(entry);
    }
    return null;
  }

  #leaf({ offset, length }) {
    const known = this.#leaves.get(offset);
    if (known) return known;
    if (this.#leaves.size >= MOST_LEAVES) this.#leaves.clear();
    const leaf = this.#read(this.leavesStart + offset, length).then(async (bytes) => entriesOf(await inflated(bytes, this.directoryCompression)));
    leaf.catch(() => this.#leaves.delete(offset));
    this.#leaves.set(offset, leaf);
    return leaf;
  }

  async #read(start, length) {
    if (length === 0) return new Uint8Array();
    const { headers } = this.request(this.url);
    const response = await fetch(this.url, { headers: { ...headers, Range: `bytes=${start}-${start + length - 1}` } });
    if (!response.ok) throw new Error(`the server answered ${response.status}`);
    const bytes = new Uint8Array(await response.arrayBuffer());
    // A server that does not support ranges sends the whole file.
    return response.status === 206 ? bytes : bytes.slice(start, start + length);
  }

  /** Makes the map library read the tiles of this archive through this object. */
  serve() {
    const isVector = this.kind === VECTOR;
    maplibregl.addProtocol("archive", async ({ url }) => {
      const [z, x, y] = url.replace("archive://", "").split("/").map(Number);
      const bytes = await this.tile(z, x, y);
      if (bytes) return { data: bytes.slice().buffer };
      return { data: isVector ? new ArrayBuffer(0) : Uint8Array.from(atob(PIXEL), (each) => each.charCodeAt(0)).buffer };
    });
  }

  /** Returns a map style of the archive's layers, in the colors of the page. */
  style(palette) {
    const { kind, maxZoom, metadata, minZoom } = this;
    const isVector = kind === VECTOR;
    const source = {
      type: isVector ? "vector" : "raster", tiles: ["archive://{z}/{x}/{y}"], minzoom: minZoom, maxzoom: maxZoom,
      ...(!isVector && { tileSize: 256 }), attribution: textOf(metadata.attribution),
    };
    const names = (metadata.vector_layers ?? []).map(({ id }) => id);
    const hasLand = names.some((name) => LAND.test(name));
    const background = { id: "sea", type: "background", paint: { "background-color": hasLand || !isVector ? palette.sea : palette.land } };
    const layers = isVector ? names.flatMap((name) => layersOf(name, palette)).sort((a, b) => a.order - b.order).map(({ order, ...layer }) => layer)
      : [{ id: "basemap", type: "raster", source: "basemap" }];
    return { version: 8, sources: { basemap: source }, layers: [background, ...layers] };
  }
}

const LAND = /^(earth|land)$/i;

/**
 * Styles of the layers, from the bottom up. Each style has the names of its layers, their colors and their widths. The
 * names are from OpenMapTiles, Protomaps and Natural Earth.
 */
const LOOKS = [
  { name: LAND, fill: "land", line: "coast", width: 0.8 },
  { name: /landcover|landuse|park|green|natural/i, fill: "border", opacity: 0.25 },
  { name: /water|ocean|sea|lake|river/i, fill: "sea", line: "coast", width: 1 },
  { name: /building/i, fill: "border", opacity: 0.6 },
  { name: /road|transport|street|rail|path/i, line: "border", width: 1.5 },
  { name: /bound|border|admin|countr|state/i, line: "border", width: 1, dash: [3, 2] },
];

function layersOf(name, palette) {
  const at = LOOKS.findIndex((look) => look.name.test(name));
  const { fill, line, opacity = 1, width = 0.8, dash } = LOOKS[at] ?? { line: "border" };
  const order = at < 0 ? LOOKS.length : at;
  const shared = { source: "basemap", "source-layer": name, order };
  return [
    ...(fill ? [{ ...shared, id: `${name} areas`, type: "fill", filter: ["==", ["geometry-type"], "Polygon"], paint: { "fill-color": palette[fill], "fill-opacity": opacity } }] : []),
    ...(line ? [{ ...shared, id: `${name} lines`, type: "line", layout: { "line-join": "round" },
      paint: { "line-color": palette[line], "line-width": width, ...(dash && { "line-dasharray": dash }) } }] : []),
  ];
}

/** Returns the text of an attribution without markup. */
const textOf = (attribution) => String(attribution ?? "").replace(/<[^>]*>/g, "").replace(/[<>&]/g, "");

/** Returns the number of a tile. Tiles are numbered zoom by zoom, and within a zoom along Hilbert's curve. */
export function tileID(z, x, y) {
  let id = (4 ** z - 1) / 3;
  for (let side = 2 ** z / 2; side >= 1; side /= 2) {
    const [right, down] = [x >= side ? 1 : 0, y >= side ? 1 : 0];
    id += side * side * ((3 * right) ^ down);
    [x, y] = [x - right * side, y - down * side];
    if (down === 1) continue;
    if (right === 1) [x, y] = [side - 1 - x, side - 1 - y];
    [x, y] = [y, x];
  }
  return id;
}

/** Returns the last entry of a directory that begins at a tile or before the tile. */
function entryOf(entries, id) {
  let [low, high] = [0, entries.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (entries[middle].id <= id) low = middle + 1;
    else high = middle;
  }
  return entries[low - 1];
}

/** Reads a directory. */
function entriesOf(bytes) {
  let at = 0;
  const varint = () => {
    let [value, factor] = [0, 1];
    for (;;) {
      if (at >= bytes.length) throw new Error("a directory of the archive ends early");
      const byte = bytes[at++];
      value += (byte & 127) * factor;
      if (byte < 128) return value;
      factor *= 128;
    }
  };
  const count = varint();
  if (count > bytes.length) throw new Error("a directory of the archive is damaged");
  const entries = Array.from({ length: count }, () => ({ id: varint() }));
  for (let i = 1; i < count; i++) entries[i].id += entries[i - 1].id;
  for (const entry of entries) entry.run = varint();
  for (const entry of entries) entry.length = varint();
  entries.forEach((entry, i) => {
    const offset = varint();
    entry.offset = offset === 0 && i > 0 ? entries[i - 1].offset + entries[i - 1].length : offset - 1;
  });
  return entries;
}

async function inflated(bytes, compression) {
  if (compression !== GZIP) return bytes;
  return new Uint8Array(await new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"))).arrayBuffer());
}
