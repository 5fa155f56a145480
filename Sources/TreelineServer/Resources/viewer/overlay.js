// Draws the sprites of both sides on one canvas above the map.

import { MEMBER_RADIUS, spreadOffset } from "./badge.js";
import { BadgePictures } from "./badge-pictures.js";

/** Ellipses with smaller half axes, in pixels, are not drawn: a badge would hide them. */
const LEAST_ELLIPSE = 9;

/** Rings around the pointed-at or chosen cluster, and around selected clusters, in pixels. */
const MARKED = { width: 2.5, distance: 3.5 };
const SELECTED = { width: 4, distance: 1 };

/** A member of an opened stack. */
const MEMBER = { tone: -1, radius: MEMBER_RADIUS };

export class Overlay {
  /** Tone of the ellipse that was drawn last: setting a colour takes as long as drawing with it. */
  #tone = null;

  /** @param canvas Covers the map. */
  constructor(canvas) {
    this.canvas = canvas;
    this.context = canvas.getContext("2d");
  }

  /** Fits the canvas to the size of the stage, and sets the colours to draw in. */
  prepare(palette, { width, height }) {
    const ratio = Math.min(devicePixelRatio || 1, 2);
    if (this.width !== width || this.height !== height || this.ratio !== ratio) {
      this.canvas.width = Math.round(width * ratio);
      this.canvas.height = Math.round(height * ratio);
      Object.assign(this, { width, height, ratio });
    }
    if (this.palette !== palette || this.pictures.ratio !== ratio) this.pictures = new BadgePictures(palette, ratio);
    this.palette = palette;
  }

  clear() {
    this.context.setTransform(this.ratio, 0, 0, this.ratio, 0, 0);
    this.context.clearRect(0, 0, this.width, this.height);
  }

  /**
   * Draws one side between two edges of the screen.
   *
   * @param ellipses Whether the ellipses of all clusters are drawn. @param marked The pointed-at or chosen cluster, if
   * it is on this side; its ellipse is always drawn. @param selection The selected clusters; null on a page on which
   * clusters cannot be selected. @param origin Upper left corner of the side's map.
   */
  draw(scene, camera, now, { left, right, ellipses, marked, selection, origin }) {
    if (right <= left) return;
    const { context } = this;
    context.save();
    context.beginPath();
    context.translate(origin.x, origin.y);
    context.rect(left, 0, right - left, camera.height);
    context.clip();
    if (ellipses) {
      this.#tone = null;
      for (const sprite of scene.spritesByTone) this.#ellipse(sprite, camera, false);
    }
    if (marked) this.drawExtent(marked, camera);
    for (const sprite of scene.sprites) this.#badge(sprite, camera, now, left, right);
    for (const cluster of selection?.ranges.length ? scene.clusters : []) {
      if (selection.has(cluster)) this.#mark(scene.sprite(cluster.id), camera, SELECTED);
    }
    if (marked) this.#mark(scene.sprite(marked.id), camera, MARKED);
    context.restore();
    context.globalAlpha = 1;
  }

  #ellipse({ cluster, x, y, size, alpha }, camera, isMarked) {
    const { ellipse } = cluster;
    if (!ellipse) return;
    const major = ellipse.major * camera.scale;
    if (!isMarked && major < LEAST_ELLIPSE) return;
    const [left, top] = [camera.screenX(x), camera.screenY(y)];
    if (left < -major || left > camera.width + major || top < -major || top > camera.height + major) return;
    const { context } = this;
    const tone = this.palette.toneOf(cluster);
    context.globalAlpha = Math.min(alpha, 1);
    context.beginPath();
    context.ellipse(
      left, top, major * size, Math.max(ellipse.minor * camera.scale, 1.5) * size, ellipse.angle, 0, 2 * Math.PI);
    if (isMarked || tone !== this.#tone) {
      context.fillStyle = isMarked ? tone.line : tone.haze;
      context.strokeStyle = tone.line;
      context.lineWidth = isMarked ? 1.75 : 1;
      this.#tone = isMarked ? null : tone;
    }
    if (isMarked) context.globalAlpha = 0.45;
    context.fill();
    context.globalAlpha = Math.min(alpha, 1);
    context.stroke();
  }

  /**
   * Draws the extent of a cluster: the ellipse that follows its points, or the box around a cell of the grid or around
   * a few points.
   */
  drawExtent(cluster, camera) {
    if (cluster.count < 2 || cluster.stack) return;
    if (!cluster.ellipse) return cluster.bbox && this.#box(cluster, camera);
    this.#tone = null;
    this.#ellipse({ cluster, x: cluster.x, y: cluster.y, size: 1, alpha: 1 }, camera, true);
    this.context.globalAlpha = 1;
  }

  #box({ bbox, x }, camera) {
    const { context } = this;
    const box = camera.box(bbox, x);
    context.globalAlpha = 1;
    context.setLineDash([5, 4]);
    context.lineWidth = 1.5;
    context.strokeStyle = this.palette.accent;
    context.beginPath();
    context.roundRect(box.left - 4, box.top - 4, box.width + 8, box.height + 8, 6);
    context.stroke();
    context.setLineDash([]);
  }

  #badge(sprite, camera, now, left, right) {
    const { cluster, size, alpha } = sprite;
    const x = camera.screenX(sprite.x);
    const y = camera.screenY(sprite.y);
    const reach = cluster.radius + 6;
    if (alpha <= 0.01 || size <= 0.01 || sprite.isForming(now)) return;
    if (x < left - reach || x > right + reach || y < -reach || y > camera.height + reach) return;
    const { context } = this;
    context.globalAlpha = Math.min(alpha, 1);
    if (cluster.parts) this.pictures.drawDonut(context, cluster, x, y, size);
    else this.pictures.drawDisc(context, cluster, x, y, size);
    if (cluster.count < 2 || !sprite.showsLabel(now)) return;
    this.pictures.drawLabel(context, cluster, x, y, Math.min(size, 1.1));
  }

  #mark(sprite, camera, { width, distance }) {
    if (!sprite) return;
    const { context } = this;
    context.globalAlpha = 1;
    context.lineWidth = width;
    context.strokeStyle = this.palette.accent;
    context.beginPath();
    context.arc(camera.screenX(sprite.x), camera.screenY(sprite.y), sprite.cluster.radius + distance, 0, 2 * Math.PI);
    context.stroke();
  }

  /** Draws the members of an opened stack around it, as far as it is open. */
  drawSpread(spread, camera, now, origin) {
    const { context } = this;
    context.save();
    context.translate(origin.x, origin.y);
    const [x, y] = [camera.screenX(spread.cluster.x), camera.screenY(spread.cluster.y)];
    const openness = spread.openness(now);
    context.globalAlpha = 0.6 * openness;
    context.strokeStyle = this.palette.accent;
    context.lineWidth = 1.25;
    context.beginPath();
    for (let i = 0; i < spread.count; i++) {
      const offset = spreadOffset(i, spread.count);
      // Starts at the edge of the badge, to leave its label readable.
      const start = Math.min(spread.cluster.radius / Math.hypot(offset.x, offset.y), openness);
      context.moveTo(x + offset.x * start, y + offset.y * start);
      context.lineTo(x + offset.x * openness, y + offset.y * openness);
    }
    context.stroke();
    context.globalAlpha = Math.min(openness * 2, 1);
    for (let i = 0; i < spread.count; i++) {
      const offset = spreadOffset(i, spread.count);
      const scale = i === spread.marked ? 1.35 : 1;
      this.pictures.drawDisc(context, MEMBER, x + offset.x * openness, y + offset.y * openness, scale);
    }
    context.restore();
  }
}
