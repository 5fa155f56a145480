// The layers that the map library draws from the server's vector tiles. One layer shows the points themselves as dust
// below the badges. In the view `tiles`, other layers show the clusters.

import { cutParameters } from "./cut.js";
import { diameterExpression, DOT_RADIUS } from "./vendor/treeline/map/badge.js";
import { toneExpression } from "./vendor/treeline/map/density.js";
import { BadgePictures } from "./vendor/treeline/map/pictures.js";

/**
 * Sizes of a grain of dust, in pixels. Points nearer to each other than this size are drawn as one grain. The larger
 * sizes are for tiles with too many points.
 */
const GRAINS = [1, 2, 4, 8];

/**
 * Resolution of pictures relative to the screen. The map library does not smooth a picture of the same resolution, so
 * an offset of half a pixel would be visible. Finer pictures make the offset invisible.
 */
const FINENESS = 2;

/** Number of parts into which a donut of a tile is divided. */
const SHARES = 48;

/** Returns an expression of the map library whose value is `short` of a number, with about two digits. */
function shortExpression(value) {
  const steps = [[1e12, "T"], [1e9, "B"], [1e6, "M"], [1e3, "k"]];
  const trimmed = (of) => ["to-string", ["case", [">=", ["abs", of], 10], ["round", of], ["/", ["round", ["*", of, 10]], 10]]];
  const cases = steps.flatMap(([unit, suffix]) => [[">=", ["abs", value], unit], ["concat", trimmed(["/", value, unit]), suffix]]);
  return ["case", ...cases, trimmed(value)];
}

/** Names of the pictures that this module draws. */
const PICTURED = /^(badge|donut|group)\//;

export class TileLayers {
  #grain = 0;

  /** @param source Returns the addresses of the tiles. */
  constructor(map, source) {
    this.map = map;
    this.source = source;
    map.on("styleimagemissing", ({ id }) => this.#addBadge(id));
  }

  /**
   * Shows the layers that the settings need. Unchanged layers stay on the map.
   *
   * @param palette The colours. When they change, pictures are made again.
   * @param tones Has the tones of clusters.
   * @param values Has the filter and the aggregates.
   */
  update(index, settings, palette, tones, values) {
    const { dust, view } = settings;
    Object.assign(this, { tones, values, settings });
    if (this.palette !== palette || this.version !== index.version) {
      this.#remove("dust");
      this.#remove("clusters");
      this.version = index.version;
      this.#grain = 0;
    }
    const categories = JSON.stringify(values.categories);
    if (this.palette !== palette || this.categories !== categories) {
      this.categories = categories;
      this.#remove("clusters");
      for (const id of this.map.listImages()) if (PICTURED.test(id)) this.map.removeImage(id);
      this.palette = palette;
      this.pictures = new BadgePictures(palette, FINENESS * Math.min(devicePixelRatio || 1, 2));
    }
    this.#set("dust", dust && this.#grain < GRAINS.length && this.#dustURL(index, values.filter(settings)), (source) => this.#dust(source));
    this.#set(
      "clusters", view === "tiles" && this.source.url(`v1/${index.name}/tiles.json`, { ...cutParameters(settings), ...values.query(settings), buffer: 0 }),
      (source) => this.#clusters(source, tones));
  }

  /** Draws the badges of groups again, after groups got other colors. */
  recolor() {
    for (const id of this.map.listImages()) if (id.startsWith("group/")) this.map.updateImage(id, this.#picture(id));
  }

  /**
   * Shows the points as fewer and coarser grains.
   *
   * @param refused Address of a tile with too many points. If several tiles are refused at the same grain, grains
   *   become coarser only once.
   */
  coarsenDust(refused, index, settings, palette) {
    if (+new URL(refused).searchParams.get("detail") !== GRAINS[this.#grain]) return;
    this.#grain++;
    this.update(index, settings, palette, this.tones, this.values);
  }

  #dustURL(index, filter) {
    const query = { detail: GRAINS[this.#grain], buffer: 1, ...(filter && { filter }) };
    // `url` would encode the braces, so they are inserted afterwards.
    return this.source.url(`v1/${index.name}/tiles/ZXY.mvt`, query).replace("ZXY", "{z}/{x}/{y}");
  }

  /**
   * Returns the parts of a donut from the name of its picture. The name leaves out the part of all other categories.
   */
  #parts(shares, count) {
    const own = shares.split(",").slice(0, -1).map((share) => (count === 1 ? Math.min(+share, 1) : +share));
    const rest = Math.max((count === 1 ? 1 : SHARES) - own.reduce((sum, share) => sum + share, 0), 0);
    return this.values.categories.at(-1) === null ? [...own, rest] : own;
  }

  /** Adds or removes a layer and its source, which have the same name. */
  #set(name, url, layer) {
    const isShown = this.map.getLayer(name);
    if (isShown && this[name] === url) return;
    this.#remove(name);
    this[name] = url;
    if (!url) return;
    this.map.addSource(name, url.includes("{z}") ? { type: "vector", tiles: [url], maxzoom: 15 } : { type: "vector", url, attribution: "" });
    this.map.addLayer(layer(name), name === "dust" && this.map.getLayer("clusters") ? "clusters" : undefined);
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
    const tone = toneExpression(tones, count, ["coalesce", ["get", "area_px"], 0]);
    return {
      id: "clusters", type: "symbol", source, "source-layer": "clusters",
      layout: {
        "icon-image": this.#icon(count, diameter, tone),
        "icon-allow-overlap": true,
        "icon-ignore-placement": true,
        "symbol-sort-key": count,
      },
    };
  }

  /** Returns the name of the picture of a cluster. The name contains everything that is needed to draw the picture. */
  #icon(count, diameter, tone) {
    const { sum, donuts } = this.settings;
    const abbreviated = ["get", "point_count_abbreviated"];
    const total = ["get", `sum_${sum}`];
    const label = sum ? ["case", ["has", `sum_${sum}`], shortExpression(total), abbreviated] : abbreviated;
    const { categories } = this.values;
    const kind = ["case", ["==", count, 1], "1", "2"];
    const own = ["case", ["==", count, 1], "", label];
    if (this.values.isByGroup) {
      const group = ["case", ["has", "cluster_group"], ["concat", "=", ["get", "cluster_group"]], ""];
      return ["concat", "group/", kind, "/", diameter, "/", own, "/", group];
    }
    if (categories.length === 0) {
      return [
        "case", ["==", count, 1], ["concat", "badge/single/", diameter], ["concat", "badge/", tone, "/", diameter, "/", label],
      ];
    }
    // Shares are rounded to multiples of 1 / `SHARES`, so that few pictures are made. The rounding errors are
    // invisible.
    const parts = categories.filter((category) => category !== null).map((category) => ["coalesce", ["get", `counts_${donuts}.${category}`], 0]);
    const share = (part) => ["to-string", ["round", ["/", ["*", SHARES, part], count]]];
    const shares = parts.flatMap((part) => [share(part), ","]);
    return ["concat", "donut/", kind, "/", diameter, "/", own, "/", ...shares];
  }

  /** Adds a picture that a tile needs, given by its name. */
  #addBadge(id) {
    if (PICTURED.test(id)) this.map.addImage(id, this.#picture(id), { pixelRatio: this.pictures.ratio });
  }

  /** Draws the picture with a name. */
  #picture(id) {
    const [kind, tone, diameter, label, ...rest] = id.split("/");
    const radius = +diameter / 2;
    const donut = { count: +tone, radius, label: label || undefined };
    const named = rest.join("/");
    const cluster = kind === "donut" ? { ...donut, parts: this.#parts(named, +tone), categories: this.values.categories }
      : kind === "group" ? { ...donut, parts: [+tone], group: named === "" ? null : named.slice(1) }
      : label === undefined ? { tone: -1, radius } : { tone: +tone, radius, label };
    const { ratio } = this.pictures;
    const side = Math.ceil(this.pictures.discSide(cluster) * ratio);
    const context = new OffscreenCanvas(side, side).getContext("2d");
    context.scale(ratio, ratio);
    const middle = side / ratio / 2;
    if (cluster.parts) this.pictures.drawDonut(context, cluster, middle, middle);
    else this.pictures.drawDisc(context, cluster, middle, middle);
    if (cluster.label !== undefined) this.pictures.drawLabel(context, cluster, middle, middle);
    return context.getImageData(0, 0, side, side);
  }
}
