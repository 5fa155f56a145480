// Draws what the web package does not draw: boxes around cells of the grid and around clusters of few points, and other
// marks of the viewer. The viewer's map is never turned.

import { apart, isZoomedOut } from "./apart.js";
import { groundOf } from "./ground.js";
import { Camera, difference, eastward, worldX, worldY } from "./vendor/treeline/map/mercator.js";
import { Overlay } from "./vendor/treeline/map/overlay.js";

/** The part of the world that is on the screen. */
export class StageCamera extends Camera {
  /** Converts an x of the world to an x on the screen, on the copy of the world nearest to the middle. */
  screenX(x) {
    return this.width / 2 + difference(this.centerX, x) * this.scale;
  }

  screenY(y) {
    return this.height / 2 + (y - this.centerY) * this.scale;
  }

  /**
   * Converts a box of longitudes and latitudes to a box on the screen. The world repeats on the screen. The box is put
   * on the copy of the world on which `screenX` shows `x`. The box must contain `x`.
   */
  box([west, south, east, north], x) {
    const left = this.screenX(x) - eastward(worldX(west), x) * this.scale;
    const top = this.screenY(worldY(north));
    const width = eastward(worldX(west), worldX(east)) * this.scale;
    return { left, top, width, height: this.screenY(worldY(south)) - top };
  }
}

/** Least distance between lines of the graticule in pixels. */
const LEAST_CELL = 140;

/** Greatest distance in pixels between the texts of the columns and the lower edge of the map. */
const HIGHEST_BASE = 130;

export class StageOverlay extends Overlay {
  draw(scene, camera, now, drawing) {
    super.draw(scene.isMoving || isZoomedOut(scene, camera) ? apart(scene, camera, now) : scene, camera, now, drawing);
  }

  /**
   * Draws the extent of a cluster: an ellipse around its points. A cell of the grid, or a cluster of few points, has a
   * box instead.
   */
  drawExtent(cluster, camera) {
    if (cluster.count < 2 || cluster.stack) return;
    if (cluster.ellipse) super.drawExtent(cluster, camera);
    else if (cluster.bbox) this.#box(cluster, camera);
  }

  /**
   * Draws lines of longitude and latitude with their degrees, or lines of x and y on a plane. The lines are drawn in
   * views where the built-in map has nothing to show. A text without room is left out.
   *
   * @param covered Boxes of what lies over the map. The texts of columns are above the boxes near the lower edge.
   */
  drawGraticule({ camera, origin, palette, index, covered }) {
    const { context } = this;
    const { columns, rows } = groundOf(index).graticule(camera, LEAST_CELL);
    context.save();
    context.translate(origin.x, origin.y);
    Object.assign(context, { globalAlpha: 1, lineWidth: 1, strokeStyle: palette.coast, fillStyle: palette.place, font: `10.5px ${palette.fontFamily}`, textAlign: "left", textBaseline: "middle" });
    context.setLineDash([1, 5]);
    context.beginPath();
    const texts = [];
    const taken = covered.map(({ left, top, right, bottom }) => (
      { left: left - origin.x, top: top - origin.y, right: right - origin.x, bottom: bottom - origin.y }));
    const low = taken.filter(({ top }) => top > camera.height - HIGHEST_BASE && top < camera.height);
    const base = Math.min(camera.height, ...low.map(({ top }) => top)) - 8;
    for (const { at, text } of columns) {
      const x = camera.width / 2 + (at - camera.centerX) * camera.scale;
      context.moveTo(x, 0);
      context.lineTo(x, camera.height);
      texts.push([x, base, text, 0.5]);
    }
    for (const { at, text } of rows) {
      const y = camera.screenY(at);
      context.moveTo(0, y);
      context.lineTo(camera.width, y);
      texts.push([6, y, text, 0]);
    }
    context.stroke();
    context.globalAlpha = 0.75;
    for (const [x, y, text, share] of texts) {
      const { width } = context.measureText(text);
      const box = { left: x - share * width, top: y - 6, right: x + (1 - share) * width, bottom: y + 6 };
      const isCut = box.left < 0 || box.top < 0 || box.right > camera.width || box.bottom > camera.height;
      if (isCut || taken.some((other) => box.left < other.right && other.left < box.right && box.top < other.bottom && other.top < box.bottom)) continue;
      taken.push(box);
      context.fillText(text, box.left, y);
    }
    context.restore();
  }

  /** Marks a found point, or the badge that contains it. Writes the name of the point above the mark. */
  drawPin(x, y, radius, text) {
    const { context, pictures: { palette } } = this;
    context.globalAlpha = 1;
    context.lineWidth = 3;
    context.strokeStyle = palette.accent;
    context.beginPath();
    context.arc(x, y, radius + 4, 0, 2 * Math.PI);
    context.stroke();
    context.font = `650 13px ${palette.fontFamily}`;
    context.textAlign = "center";
    context.textBaseline = "middle";
    const width = context.measureText(text).width + 16;
    const top = y - radius - 34;
    context.fillStyle = palette.accent;
    context.beginPath();
    context.roundRect(x - width / 2, top, width, 22, 11);
    context.moveTo(x - 5, top + 21);
    context.lineTo(x + 5, top + 21);
    context.lineTo(x, top + 28);
    context.fill();
    context.fillStyle = palette.hole.fill;
    context.fillText(text, x, top + 11.5);
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
