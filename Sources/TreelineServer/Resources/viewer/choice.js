// Shows a chosen cluster: zooms in until the cluster splits. Opens a cluster that never splits.

import { clusterOf } from "./cluster.js";
import { chosenCut, cutParameters } from "./cut.js";
import { fittingZoom, mapZoom } from "./vendor/treeline/map/mercator.js";
import { stepZoom } from "./vendor/treeline/map/step.js";

/** Amount that is added to the zoom at which a cluster splits, because zooms of requests are rounded. */
const BEYOND = 0.02;

export class Choice {
  /** Number of the latest choice. The answers for earlier choices do not move the map. */
  #latest = 0;

  /** @param viewer Has the map, the server, the index, the settings, the tones and the card. */
  constructor(viewer) {
    this.viewer = viewer;
  }

  async choose(cluster, side) {
    const { settings, grid } = this.viewer;
    this.#latest++;
    settings.step();
    try {
      if (cluster.count === 1) return await this.#open(cluster, side);
      // The grid has no hierarchy, so no zoom is known at which a cell splits.
      if (side === grid) return this.#goToBox(cluster);
      if (cluster.stack) return await this.#open(cluster, side);
      // If the cut is not by pixels, the zoom at which the cluster splits depends on the other clusters in view.
      if (!chosenCut(settings).isByPixels) return this.#goToBox(cluster);
      await this.#goToSplit(cluster, side);
    } catch (error) {
      this.viewer.failed(error);
    }
  }

  /** Opens the cluster that a link names, if the cluster is a point or a stack of this index. */
  async openFromLink() {
    const { settings, card, source, index, tree } = this.viewer;
    if (settings.open === "" || card.isOpen) return;
    try {
      const { open } = settings;
      const found = await source.cluster(index.name, open, undefined, this.viewer.filterQuery);
      if (settings.open !== open || card.isOpen || index !== this.viewer.index) return;
      const cluster = clusterOf(found, this.viewer, this.viewer.currentCamera.scale);
      if (cluster.stack || cluster.count === 1) await card.open(cluster, index, tree);
    } catch (error) {
      // After an error of another kind, the cluster is requested again when the map has moved.
      if (error.status !== 404 && error.status !== 400) return this.viewer.failed(error);
      // The link names a cluster that no longer exists. Everything else in the link is still shown.
      this.viewer.tell("link", "The link opens a point or a stack of points that is not in this index.");
      settings.set({ open: "" });
    }
  }

  async #goToSplit(cluster, side) {
    const { source, index, settings, map } = this.viewer;
    const query = this.viewer.clusterQuery(cluster);
    const own = this.#latest;
    const isOver = () => own !== this.#latest || index !== this.viewer.index;
    const zoomOf = async (id) => {
      const zoom = await source.expansionZoom(index.name, id, { ...cutParameters(settings), ...query });
      // Tiles are cut at whole zooms of the map.
      return zoom === null ? Infinity : settings.view === "tiles" ? Math.ceil(mapZoom(zoom)) : mapZoom(zoom) + BEYOND;
    };
    const [two, parts] = await Promise.all([zoomOf(cluster.id), source.children?.(index.name, cluster.id, query) ?? []]);
    if (isOver()) return;
    if (two > map.getMaxZoom()) return this.#open(cluster, side);
    const three = Math.min(...await Promise.all(parts.map(zoomOf)));
    if (isOver()) return;
    this.#go(cluster, stepZoom({ now: map.getZoom(), two, three, filling: this.#fittingZoom(cluster) }));
  }

  #goToBox(cluster) {
    const { map } = this.viewer;
    this.#go(cluster, Math.min(Math.max(this.#fittingZoom(cluster), map.getZoom() + 0.5), map.getMaxZoom()));
  }

  #fittingZoom(cluster) {
    return Math.min(fittingZoom(cluster, this.viewer.stage.size), this.viewer.map.getMaxZoom());
  }

  #go({ longitude, latitude }, zoom) {
    this.viewer.map.easeTo({ center: [longitude, latitude], zoom, ...this.viewer.motion });
  }

  #open(cluster, side) {
    const { settings, card, index } = this.viewer;
    const opened = card.open(cluster, index, side);
    settings.set({ open: card.linkID });
    return opened;
  }
}

/**
 * Returns a box in the form of the map library. If the box crosses the antimeridian, its east is greater than 180
 * degrees.
 */
export function corners(bounds) {
  const [west, south, east, north] = bounds ?? WORLD;
  const end = east < west ? east + 360 : east;
  // Half of the gap without points.
  const gap = Math.max(360 - (end - west), 0) / 2;
  // If the points reach around the world, the edges of the map lie at the antimeridian, as on most maps of the world.
  if (gap < 10) return [[WORLD[0], south], [WORLD[2], north]];
  // In a wide gap the edges of the map divide no country with points.
  return gap < 20 ? [[west - gap, south], [end + gap, north]] : [[west, south], [end, north]];
}

/**
 * Whether a box has a given center. If it has, the view belongs to a map of another size that shows the same widget.
 * Two maps that fit each other's boxes would go on without end.
 */
export function isAround([x, y], [west, south, east, north], plane) {
  const width = plane ? east - west : (((east - west) % 360) + 360) % 360 || 360;
  if (!plane && width === 360) return true;
  const off = west + width / 2 - x;
  const height = (latitude) => (plane ? latitude : (Math.asinh(Math.tan((latitude * Math.PI) / 180)) * 180) / Math.PI);
  return Math.abs(plane ? off : off - 360 * Math.round(off / 360)) <= width / 1000
    && Math.abs((height(south) + height(north)) / 2 - height(y)) <= (height(north) - height(south)) / 1000;
}

const WORLD = [-180, -60, 180, 75];
