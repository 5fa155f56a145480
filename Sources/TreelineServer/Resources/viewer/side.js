// One side of the map: how it clusters, what it shows and what it requests of the server.

import { clusterOf, firstPoint } from "./cluster.js";
import { cutParameters } from "./cut.js";
import { Feed } from "./feed.js";
import { serverZoom } from "./mercator.js";
import { changeWithoutHierarchy, Scene } from "./scene.js";

class Side {
  scene = new Scene();
  /** Of what is shown. */
  filter = "";

  /**
   * @param source Where answers come from.
   * @param viewer Has `index`, `tones` and `prefersReducedMotion`; is called by `wake`, `failed` and `answered`.
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

  /** The request for a view of the map under the settings. */
  request(camera, settings) {
    const query = { ...viewQuery(camera), ...this.asked(settings) };
    return { query, key: `${this.viewer.index.name} ${JSON.stringify(query)}` };
  }

  reset() {
    this.feed.reset();
    this.scene.clear();
  }

  #receive({ change, features }, { query }) {
    this.filter = query.filter ?? "";
    const clusters = features.map((feature) => clusterOf(feature, this.viewer, this.knowsValues));
    // Those of a tree are ranges of points.
    if (change) for (const cluster of clusters) cluster.first = firstPoint(cluster.id);
    this.scene.apply(change ?? changeWithoutHierarchy(this.scene.clusters, clusters), clusters, performance.now(), this.viewer.prefersReducedMotion);
    this.viewer.answered(this);
  }
}

/** Cuts the tree; the server says what becomes of each cluster that is shown. */
export class TreeSide extends Side {
  name = "tree";
  title = "Treeline";
  knowsValues = true;

  asked(settings) {
    return { ...cutParameters(settings), ...this.viewer.values.query(settings) };
  }

  async fetch({ query }, signal) {
    const { name, version } = this.viewer.index;
    const parameters = { ...query, "from-filter": this.filter, ellipses: true };
    const answer = await this.source.transition(name, version, this.scene.ids, parameters, signal);
    return { change: answer, features: answer.clusters.features };
  }
}

/** Makes a cluster of each cell of a grid. */
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

/** Rounded to what is finer than a pixel, so that a map at rest asks the same again and again. */
function viewQuery({ longitude, latitude, zoom, width, height }) {
  const decimals = Math.ceil(Math.max(zoom, 0) / 3.3) + 3;
  return {
    center: `${+longitude.toFixed(decimals)},${+latitude.toFixed(decimals)}`,
    // No finer than what is seen, where badges that are drawn must not touch.
    zoom: Math.floor(serverZoom(zoom) * 1000) / 1000,
    width,
    height,
  };
}
