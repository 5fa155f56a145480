// One side of the map. A side has its own clusters, and requests them from the server.

import { clusterOf, firstPoint, sizeAmong } from "./cluster.js";
import { continuedClusters, successorsOf } from "./continued.js";
import { chosenCut, cutParameters } from "./cut.js";
import { dodge } from "./dodge.js";
import { Labels } from "./labels.js";
import { SERVER_WORLD_SIZE } from "./vendor/treeline/map/constants.js";
import { Feed } from "./vendor/treeline/map/feed.js";
import { serverZoom } from "./vendor/treeline/map/mercator.js";
import { changeWithoutHierarchy, Scene } from "./vendor/treeline/map/scene.js";

/** If more titles than this are kept, all titles are dropped, and the titles in view are loaded again. */
const MOST_TITLES = 5000;

class Side {
  scene = new Scene();
  labels = new Labels();
  /** The titles of clusters, by the ids of the clusters. A title is the name of the most important point. */
  titles = new Map();
  #titled = "";
  /** Number of answers so far. */
  answer = 0;
  /** Filter of the shown answer. */
  filter = "";
  /** Whether the shown clusters are from a previous version of the index. */
  isOutdated = false;

  /**
   * @param source Source of the answers.
   * @param viewer Has `index`, `tones` and `prefersReducedMotion`. The side calls its `wake`, `failed` and `answered`.
   */
  constructor(source, viewer) {
    this.source = source;
    this.viewer = viewer;
    this.feed = new Feed({
      fetch: (request, signal) => this.fetch(request, signal),
      receive: (answer, request) => this.#receive(answer, request),
      fail: (error) => viewer.failed(error, this),
      wake: viewer.wake,
    });
  }

  /** Returns the request for a view of the map under the settings. */
  request(camera, settings) {
    const query = { ...viewQuery(camera), ...this.asked(settings) };
    return { query, key: `${this.viewer.index.name} ${JSON.stringify(query)}` };
  }

  /**
   * Loads the titles of the shown clusters.
   *
   * @returns Whether there are new titles.
   */
  async loadTitles({ query }) {
    const { index, values } = this.viewer;
    const titled = `${index.name} ${index.version} ${query.filter}`;
    if (titled !== this.#titled || this.titles.size > MOST_TITLES) this.titles.clear();
    this.#titled = titled;
    const { titles } = this;
    return this.scene.clusters.some(({ id, count }) => count > 1 && !titles.has(id)) && values.loadTitles(index, query, titles);
  }

  reset() {
    this.titles.clear();
    this.feed.reset();
    this.scene.clear();
    this.isOutdated = false;
  }

  /**
   * Makes the clusters of the next answer replace the shown clusters. The next answer is from a new version of the
   * index.
   */
  renew() {
    this.feed.reset();
    this.filter = "";
    this.isOutdated = this.scene.size > 0;
  }

  #receive({ change, features }, { query }) {
    this.filter = query.filter ?? "";
    const scale = SERVER_WORLD_SIZE * 2 ** query.zoom;
    const look = { version: change?.version, knowsValues: this.knowsValues, size: sizeAmong(features.length) };
    const clusters = features.map((feature) => clusterOf(feature, this.viewer, scale, look));
    if (query.position) dodge(clusters, scale);
    // Clusters of a tree are ranges of points, so they have a first point.
    if (change) for (const cluster of clusters) cluster.first = firstPoint(cluster.id);
    // Before there is a map, no badge moves.
    const [now, isInstant] = [performance.now(), this.viewer.prefersReducedMotion || !this.viewer.map];
    const [before, wasOutdated] = [this.scene.clusters, this.isOutdated];
    this.isOutdated = false;
    // Cells of a grid have the same ids in all versions.
    const continued = change ? wasOutdated && continuedClusters(before, clusters, this.viewer.index, scale) : new Map(clusters.map(({ id }) => [id, id]));
    if (change && wasOutdated) this.scene.replace(clusters, now, isInstant, continued);
    else this.scene.apply(change ?? changeWithoutHierarchy(before, clusters), clusters, now, isInstant);
    if (wasOutdated) this.viewer.renewed(this, successorsOf(before, clusters, continued));
    this.viewer.answered(this);
  }
}

/** The side with the clusters of the tree. The server also reports how each shown cluster changes. */
export class TreeSide extends Side {
  name = "tree";
  title = "Treeline";
  knowsValues = true;

  asked(settings) {
    const { index, values } = this.viewer;
    const query = values.query(settings);
    // Without `position`, clusters of a cut that keeps badges apart would be shown at the means of all points, and
    // badges of few points far from these points. An index whose clusters are shown at members has no other positions
    // of badges.
    const isMoved = query.filter && chosenCut(settings).keepsApart && !(index.anchor && settings.by === "badges");
    return { ...cutParameters(settings), ...query, ...(isMoved && { position: index.anchor ?? "mean" }) };
  }

  async fetch({ query }, signal) {
    const { name, version } = this.viewer.index;
    const parameters = { ...query, "from-filter": this.filter, ellipses: true };
    const answer = await this.source.transition(name, version, this.isOutdated ? [] : this.scene.ids, parameters, signal);
    return { change: answer, features: answer.clusters.features };
  }
}

/** The side with the clusters of a grid. Each cell that has points is a cluster. */
export class GridSide extends Side {
  name = "grid";
  title = "Grid";
  knowsValues = false;

  asked({ cell }) {
    return { method: "grid", ...(cell !== "auto" && { cell }) };
  }

  async fetch({ query }, signal) {
    const { features } = await this.source.clusters(this.viewer.index.name, query, signal);
    return { features };
  }
}

/**
 * Returns the query for a view. The query is rounded by less than a pixel, so that a map at rest always makes the same
 * request.
 */
function viewQuery({ longitude, latitude, zoom, width, height }) {
  const decimals = Math.ceil(Math.max(zoom, 0) / 3.3) + 3;
  return {
    center: `${+longitude.toFixed(decimals)},${+latitude.toFixed(decimals)}`,
    // The zoom is rounded down, because badges that do not touch at a higher zoom might touch at the shown zoom.
    zoom: Math.floor(serverZoom(zoom) * 1000) / 1000,
    width,
    height,
  };
}
