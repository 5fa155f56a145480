// One side of the map: a way to cluster, what it shows and what it asks the server.

import { clusterOf } from "./cluster.js";
import { cutOf } from "./cut.js";
import { Feed } from "./feed.js";
import { serverZoom } from "./mercator.js";
import { replacement, Scene } from "./scene.js";

class Side {
  scene = new Scene();

  /**
   * @param server The routes.
   * @param viewer Tells `index`, `tones` and `isStill`, and is told by `wake`, `failed` and `answered`.
   */
  constructor(server, viewer) {
    this.server = server;
    this.viewer = viewer;
    this.feed = new Feed({
      ask: (question, signal) => this.ask(question, signal),
      take: (answer) => this.#take(answer),
      fail: (error) => viewer.failed(error, this),
      wake: viewer.wake,
    });
  }

  /** The question that a view of the map and the settings make. */
  question(camera, settings) {
    const query = { ...viewQuery(camera), ...this.cut(settings) };
    return { query, key: `${this.viewer.index.name} ${JSON.stringify(query)}` };
  }

  reset() {
    this.feed.reset();
    this.scene.clear();
  }

  #take({ change, features }) {
    const clusters = features.map((feature) => clusterOf(feature, this.viewer.tones));
    this.scene.apply(change ?? replacement(this.scene.clusters, clusters), clusters, performance.now(), this.viewer.isStill);
    this.viewer.answered(this);
  }
}

/** Cuts the tree, and is told by the server what becomes of each cluster that is shown. */
export class TreeSide extends Side {
  name = "tree";
  title = "Treeline";

  cut = cutOf;

  async ask({ query }, signal) {
    const { name, version } = this.viewer.index;
    const answer = await this.server.transition(name, version, this.scene.ids, { ...query, ellipses: true }, signal);
    return { change: answer, features: answer.clusters.features };
  }
}

/** Makes a cluster of each cell of a grid. */
export class GridSide extends Side {
  name = "grid";
  title = "Grid";

  cut({ cell }) {
    return { method: "grid", ...(cell !== "auto" && { cell }) };
  }

  async ask({ query }, signal) {
    const { features } = await this.server.clusters(this.viewer.index.name, query, signal);
    return { features };
  }
}

/** Rounded to what is finer than a pixel, so that a map at rest asks the same again and again. */
function viewQuery({ longitude, latitude, zoom, width, height }) {
  const decimals = Math.ceil(Math.max(zoom, 0) / 3.3) + 3;
  return {
    center: `${+longitude.toFixed(decimals)},${+latitude.toFixed(decimals)}`,
    zoom: +serverZoom(zoom).toFixed(3),
    width,
    height,
  };
}
