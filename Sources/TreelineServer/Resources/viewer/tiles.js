// What the map library draws from the vector tiles of the server: the points as dust below the badges, and, as a view of
// its own, the clusters.

import { diameterExpression, DOT_RADIUS } from "./badge.js";
import { BadgePictures } from "./badge-pictures.js";
import { cutParameters } from "./cut.js";
import { PLACES } from "./places.js";

/** Points closer than about so many pixels are one grain; coarser ones are for where a tile has no room for them. */
const GRAINS = [1, 2, 4, 8];

/** Pictures as fine as the screen are not smoothed by the map library, and where they lie half a pixel off it shows. */
const FINENESS = 2;

export class TileLayers {
  #grain = 0;

  /** @param server Tells where the tiles are. */
  constructor(map, server) {
    this.map = map;
    this.server = server;
    map.on("styleimagemissing", ({ id }) => this.#addBadge(id));
  }

  /**
   * Shows what the settings say; what has not changed is left as it is.
   *
   * @param palette The colours; others make pictures anew.
   * @param tones Gives the tones of clusters.
   */
  update(index, settings, palette, tones) {
    const { dust, view } = settings;
    this.tones = tones;
    if (this.palette !== palette || this.version !== index.version) {
      this.#remove("dust");
      this.#remove("clusters");
      this.version = index.version;
      this.#grain = 0;
    }
    if (this.palette !== palette) {
      for (const id of this.map.listImages()) if (id.startsWith("badge/")) this.map.removeImage(id);
      this.palette = palette;
      this.pictures = new BadgePictures(palette, FINENESS * Math.min(devicePixelRatio || 1, 2));
    }
    this.#set("dust", dust && this.#grain < GRAINS.length && this.#dustURL(index), (source) => this.#dust(source));
    this.#set(
      "clusters", view === "tiles" && this.server.url(`v1/${index.name}/tiles.json`, { ...cutParameters(settings), buffer: 0 }),
      (source) => this.#clusters(source, tones));
  }

  /**
   * Shows the points as fewer grains.
   *
   * @param refused The address of a tile that has no room for them. Several may come, and one step answers them all.
   */
  coarsenDust(refused, index, settings, palette) {
    if (+new URL(refused).searchParams.get("detail") !== GRAINS[this.#grain]) return;
    this.#grain++;
    this.update(index, settings, palette, this.tones);
  }

  #dustURL(index) {
    // Braces would be encoded as a part of the address.
    return this.server.url(`v1/${index.name}/tiles/ZXY.mvt`, { detail: GRAINS[this.#grain], buffer: 1 }).replace("ZXY", "{z}/{x}/{y}");
  }

  /** Adds or removes a layer and its source, which have one name. */
  #set(name, url, layer) {
    const isShown = this.map.getLayer(name);
    if (isShown && this[name] === url) return;
    this.#remove(name);
    this[name] = url;
    if (!url) return;
    this.map.addSource(name, url.includes("{z}") ? { type: "vector", tiles: [url], maxzoom: 15 } : { type: "vector", url, attribution: "" });
    const above = name === "dust" && [PLACES, "clusters"].find((id) => this.map.getLayer(id));
    this.map.addLayer(layer(name), above || undefined);
  }

  #remove(name) {
    if (this.map.getLayer(name)) this.map.removeLayer(name);
    if (this.map.getSource(name)) this.map.removeSource(name);
    this[name] = undefined;
  }

  #dust(source) {
    return {
      id: "dust", type: "circle", source, "source-layer": "clusters",
      paint: {
        "circle-color": this.palette.dust,
        "circle-radius": ["interpolate", ["linear"], ["zoom"], 2, 0.8, 8, 1.1, 14, 2.4, 18, 4],
        "circle-opacity": ["interpolate", ["linear"], ["zoom"], 2, 0.4, 12, 0.5, 18, 0.7],
      },
    };
  }

  #clusters(source, tones) {
    const count = ["get", "point_count"];
    const single = 2 * DOT_RADIUS;
    const diameter = ["coalesce", ["get", "badge_px"], ["case", ["==", count, 1], single, ["round", diameterExpression(count)]]];
    const tone = tones.expression(count, ["coalesce", ["get", "area_km2"], 0]);
    return {
      id: "clusters", type: "symbol", source, "source-layer": "clusters",
      layout: {
        "icon-image": [
          "case", ["==", count, 1], ["concat", "badge/single/", diameter],
          ["concat", "badge/", tone, "/", diameter, "/", ["get", "point_count_abbreviated"]],
        ],
        "icon-allow-overlap": true,
        "icon-ignore-placement": true,
        "symbol-sort-key": count,
      },
    };
  }

  /** Draws the picture that a tile asks for, whose name says what is on it. */
  #addBadge(id) {
    const [kind, tone, diameter, label] = id.split("/");
    if (kind !== "badge") return;
    const cluster = label === undefined
      ? { tone: -1, radius: +diameter / 2 }
      : { tone: +tone, radius: +diameter / 2, label };
    const { ratio } = this.pictures;
    const side = Math.ceil(this.pictures.discSide(cluster) * ratio);
    const context = new OffscreenCanvas(side, side).getContext("2d");
    context.scale(ratio, ratio);
    const middle = side / ratio / 2;
    this.pictures.drawDisc(context, cluster, middle, middle);
    if (label !== undefined) this.pictures.drawLabel(context, cluster, middle, middle);
    this.map.addImage(id, context.getImageData(0, 0, side, side), { pixelRatio: ratio });
  }
}
