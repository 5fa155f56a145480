// Reacts to a pointer, a finger or the keyboard focus: marks, names, lists or chooses the cluster there.

import { clusterOf } from "./cluster.js";
import { onHold } from "./hold.js";
import { clusterAt } from "./vendor/treeline/map/pointer.js";
import { memberAt } from "./vendor/treeline/map/spread.js";

export class Pointing {
  /** The pointed-at cluster with its side; null if no cluster is pointed at. */
  pointed = null;
  #isHeld = false;

  /** @param viewer Has the map, the stage, both sides, the card, the hint and the choice. */
  constructor(viewer) {
    this.viewer = viewer;
  }

  /** @param side Side that the map shows; undefined if the map shows both sides. */
  listenTo(map, side) {
    map.on("mousemove", ({ point }) => this.#hover(point, map, side));
    map.on("mouseout", () => this.point(null));
    map.on("click", ({ point, originalEvent }) => this.#click(point, originalEvent, side));
    onHold(map, (point) => this.#list(point, side));
    // The click at the end of a hold is ignored. A click after the next press counts again.
    map.getCanvasContainer().addEventListener("pointerdown", () => (this.#isHeld = false), { capture: true });
  }

  /** Marks a cluster, or removes the mark if `cluster` is null. */
  point(cluster, side) {
    if (this.pointed?.cluster === cluster || (!cluster && !this.pointed)) return;
    this.pointed = cluster && { cluster, side };
    if (!cluster) this.viewer.hint.hide();
    this.viewer.wake();
  }

  /** Marks the cluster of a new version that continues the marked cluster. If `cluster` is null, removes the mark. */
  renew(cluster) {
    if (!cluster) return this.point(null);
    this.pointed = { cluster, side: this.pointed.side };
    this.viewer.hint.renew(cluster, this.pointed.side.name, this.viewer.index);
  }

  #hover({ x, y }, map, ofMap) {
    const { camera, card, hint, index, stage } = this.viewer;
    if (!camera) return;
    const member = this.#memberAt(x, y, ofMap);
    card.mark(member);
    const { cluster, side } = member >= 0 ? {} : this.#at(x, y, "mouse", ofMap);
    map.getCanvas().style.cursor = cluster || member >= 0 ? "pointer" : "";
    this.point(cluster ?? null, side);
    if (!cluster) return hint.hide();
    const origin = stage.originOf(side);
    hint.show(cluster, side.name, index, origin.x + x, origin.y + y);
  }

  #click({ x, y }, event, ofMap) {
    const { card, hint } = this.viewer;
    // After a hold, the members of the cluster are already listed.
    if (this.#isHeld || this.#memberAt(x, y, ofMap) >= 0) return;
    const { cluster, side } = this.#at(x, y, event.pointerType === "touch" ? "touch" : "mouse", ofMap);
    hint.hide();
    if (cluster) this.choose(cluster, side, event);
    else card.close();
  }

  /** Chooses a cluster. If a modifier key is pressed, selects the cluster instead. */
  choose(cluster, side, { shiftKey, ctrlKey, metaKey }) {
    const { choice, selection } = this.viewer;
    if (selection && (shiftKey || ctrlKey || metaKey)) selection.toggle(cluster);
    else choice.choose(cluster, side);
  }

  /** Lists the members of the cluster under a resting finger. A finger cannot point at a cluster to see the hint. */
  #list({ x, y }, ofMap) {
    const { card, hint, index } = this.viewer;
    const { cluster, side } = this.#at(x, y, "touch", ofMap);
    if (!cluster) return;
    this.#isHeld = true;
    hint.hide();
    card.list(cluster, index, side);
  }

  /**
   * Returns the cluster at a position on a map, and the side of the cluster. `ofMap` is the side that the map shows;
   * undefined if the map shows both sides.
   */
  #at(x, y, kind, ofMap) {
    const { camera, grid, mainSide, settings, stage } = this.viewer;
    if (settings.view === "tiles") return this.#inTiles(x, y);
    const side = ofMap ?? (stage.hasDivider && x < settings.divider * camera.width ? grid : mainSide);
    return { side, cluster: clusterAt(side.scene, camera, x, y, kind) };
  }

  #inTiles(x, y) {
    const { map, tree } = this.viewer;
    if (!map.getLayer("clusters")) return {};
    const [feature] = map.queryRenderedFeatures([x, y], { layers: ["clusters"] });
    return feature ? { side: tree, cluster: clusterOf(feature, this.viewer, this.viewer.currentCamera.scale) } : {};
  }

  /** Returns the index of the member of an opened stack at a position; -1 if no member is there. */
  #memberAt(x, y, ofMap) {
    const { camera, card, grid, stage } = this.viewer;
    const isOther = stage.hasHalves && (card.side === grid) !== (ofMap === grid);
    return isOther ? -1 : memberAt(card.spread, camera, x, y);
  }
}
