// What happens to a cluster that is chosen: the map zooms to where it splits, or it is opened if it never does.

import { clusterOf } from "./cluster.js";
import { mapZoom } from "./mercator.js";
import { chosenCut, cutParameters } from "./cut.js";

/** Zooms beyond the one from which it splits, as zooms of requests are rounded. */
const BEYOND = 0.02;

/** Pixels around the points of a cluster that fill the map. */
const PADDING = 60;

export class Choice {
  /** @param viewer Has the map, the server, the index, the settings, the tones and the card. */
  constructor(viewer) {
    this.viewer = viewer;
  }

  async choose(cluster, side) {
    const { settings, grid, failed } = this.viewer;
    try {
      if (cluster.count === 1) return await this.#open(cluster, side);
      // The grid has no hierarchy to ask.
      if (side === grid) return this.#goToBox(cluster);
      if (cluster.stack) return await this.#open(cluster, side);
      if (settings.view === "tiles") return await this.#goToTileSplit(cluster, side);
      // Where it splits depends on what else is in view.
      if (!chosenCut(settings).isByPixels) return this.#goToBox(cluster);
      await this.#goToSplit(cluster, side);
    } catch (error) {
      failed.call(this.viewer, error);
    }
  }

  /** Opens what a link names, if it is a point or a stack of this index. */
  async openFromLink() {
    const { settings, card, server, index, tones, tree } = this.viewer;
    if (!/^\d+$/.test(settings.open) || card.isOpen) return;
    try {
      const cluster = clusterOf(await server.cluster(index.name, settings.open), tones);
      if (cluster.stack || cluster.count === 1) await card.open(cluster, index, tree);
    } catch {
      // A link to what is no more shows the rest of it.
      settings.set({ open: "" });
    }
  }

  async #goToSplit(cluster, side) {
    const { server, index, settings, map } = this.viewer;
    const zoom = await server.expansionZoom(index.name, cluster.id, cutParameters(settings));
    const least = zoom === null ? Infinity : mapZoom(zoom) + BEYOND;
    if (least > map.getMaxZoom()) return this.#open(cluster, side);
    // A whole zoom is what a click is expected to do, unless the points would not all be on the map.
    this.#go(cluster, Math.max(least, Math.min(map.getZoom() + 1, this.#fittingZoom(cluster))));
  }

  /** Tiles are cut at whole zooms of the map. */
  async #goToTileSplit(cluster, side) {
    const { server, index, settings, map } = this.viewer;
    const zoom = await server.expansionZoom(index.name, cluster.id, cutParameters(settings));
    const least = zoom === null ? Infinity : Math.ceil(mapZoom(zoom));
    if (least > map.getMaxZoom()) return this.#open(cluster, side);
    this.#go(cluster, Math.max(least, map.getZoom() + 0.5));
  }

  #goToBox(cluster) {
    const { map } = this.viewer;
    this.#go(cluster, Math.min(Math.max(this.#fittingZoom(cluster), map.getZoom() + 0.5), map.getMaxZoom()));
  }

  #fittingZoom({ bbox }) {
    return this.viewer.map.cameraForBounds(corners(bbox), { padding: PADDING })?.zoom ?? Infinity;
  }

  #go({ longitude, latitude }, zoom) {
    this.viewer.map.easeTo({ center: [longitude, latitude], zoom, ...this.viewer.motion });
  }

  #open(cluster, side) {
    const { settings, card, index, tree } = this.viewer;
    // An id of the grid names nothing that a link could open.
    settings.set({ open: side === tree ? String(cluster.id) : "" });
    return card.open(cluster, index, side);
  }
}

/** A box as the map library takes it; one that crosses the antimeridian goes on beyond 180 degrees. */
export function corners(bounds) {
  const [west, south, east, north] = bounds ?? WORLD;
  const end = east < west ? east + 360 : east;
  // What goes nearly all the way round is shown as maps of the world are.
  return end - west > 320 ? [[WORLD[0], south], [WORLD[2], north]] : [[west, south], [end, north]];
}

const WORLD = [-180, -60, 180, 75];
