// Drawings of the viewer that the web package does not have: boxes around cells of the grid, and boxes around clusters
// of few points. The viewer's map is never turned.

import { Camera, difference, eastward, worldX, worldY } from "./vendor/treeline/map/mercator.js";
import { Overlay } from "./vendor/treeline/map/overlay.js";

/** The part of the world that is on the screen. */
export class StageCamera extends Camera {
  /** Returns an x on the screen. It is on the copy of the world nearest to the middle. */
  screenX(x) {
    return this.width / 2 + difference(this.centerX, x) * this.scale;
  }

  screenY(y) {
    return this.height / 2 + (y - this.centerY) * this.scale;
  }

  /**
   * Returns a box of longitudes and latitudes on the screen. It is on the copy of the world that shows `x`, in the box.
   */
  box([west, south, east, north], x) {
    const left = this.screenX(x) - eastward(worldX(west), x) * this.scale;
    const top = this.screenY(worldY(north));
    const width = eastward(worldX(west), worldX(east)) * this.scale;
    return { left, top, width, height: this.screenY(worldY(south)) - top };
  }
}

export class StageOverlay extends Overlay {
  /**
   * Draws the extent of a cluster: the ellipse that follows its points. For a cell of the grid and for a few points,
   * draws a box instead.
   */
  drawExtent(cluster, camera) {
    if (cluster.count < 2 || cluster.stack) return;
    if (cluster.ellipse) super.drawExtent(cluster, camera);
    else if (cluster.bbox) this.#box(cluster, camera);
  }

  #box({ bbox, x }, camera) {
    const { context } = this;
    const box = camera.box(bbox, x);
    context.globalAlpha = 1;
    context.setLineDash([5, 4]);
    context.lineWidth = 1.5;
    context.strokeStyle = this.pictures.palette.accent;
    context.beginPath();
    context.roundRect(box.left - 4, box.top - 4, box.width + 8, box.height + 8, 6);
    context.stroke();
    context.setLineDash([]);
  }
}
