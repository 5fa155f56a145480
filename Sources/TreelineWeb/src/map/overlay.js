// Draws sprites on a canvas above the map.

import { MEMBER_RADIUS, spreadOffset } from "./badge.js";
import { BadgePictures } from "./pictures.js";

/** Least half axis of a drawn ellipse, in pixels. A badge would hide a smaller ellipse. */
const LEAST_ELLIPSE = 9;

/** Least share of its full size at which a badge shows its number. */
const LEAST_LABELED = 0.5;

/**
 * Sizes of rings in pixels. One ring is around the pointed-at or chosen cluster, and one ring is around each selected
 * cluster.
 */
const MARKED = { width: 2.5, distance: 3.5 };
const SELECTED = { width: 4, distance: 1 };

/** A member of an opened stack. */
const MEMBER = { tone: -1, radius: MEMBER_RADIUS };

/** @typedef {import("./scene.js").Drawn} Drawn */
/** @typedef {import("./mercator.js").Camera} Camera */
/** @typedef {import("./palette.js").Palette} Palette */

/**
 * @typedef {object} Drawing
 * @property {number} left Left edge of the part of the screen to draw. `right` is the right edge.
 * @property {number} right
 * @property {boolean} ellipses Whether the ellipses of all clusters are drawn.
 * @property {Drawn | null | false} [marked] The pointed-at or chosen cluster. Its ellipse is always drawn.
 * @property {{ranges: unknown[], has: (cluster: any) => boolean} | null} [selection] The selected clusters; null if
 *   clusters cannot be selected.
 * @property {{x: number, y: number}} origin Upper left corner of the map.
 */

export class Overlay {
  /**
   * Tone of the ellipse that was drawn last. The next ellipse sets a colour only if its tone is different, because
   * setting a colour takes as long as drawing an ellipse.
   *
   * @type {import("./palette.js").Tone | null}
   */
  #tone = null;

  /** @param {HTMLCanvasElement} canvas Covers the map. */
  constructor(canvas) {
    this.canvas = canvas;
    this.context = /** @type {CanvasRenderingContext2D} */ (canvas.getContext("2d"));
    this.width = 0;
    this.height = 0;
    this.ratio = 0;
    /** `prepare` sets these values, so it must be called before the first drawing. */
    this.pictures = /** @type {BadgePictures} */ (/** @type {unknown} */ (null));
  }

  /**
   * Fits the canvas to the size of the map, and sets the colours.
   *
   * @param {Palette} palette
   * @param {{width: number, height: number}} size
   */
  prepare(palette, { width, height }) {
    const ratio = Math.min(devicePixelRatio, 2);
    if (this.width !== width || this.height !== height || this.ratio !== ratio) {
      this.canvas.width = Math.round(width * ratio);
      this.canvas.height = Math.round(height * ratio);
      Object.assign(this, { width, height, ratio });
    }
    if (this.pictures?.palette !== palette || this.pictures.ratio !== ratio) this.pictures = new BadgePictures(palette, ratio);
  }

  clear() {
    this.context.setTransform(this.ratio, 0, 0, this.ratio, 0, 0);
    this.context.clearRect(0, 0, this.width, this.height);
  }

  /**
   * Draws a scene on the part of the screen between two vertical edges.
   *
   * @param {import("./scene.js").Scene} scene
   * @param {Camera} camera
   * @param {number} now
   * @param {Drawing} drawing
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
    for (const cluster of selection && selection.ranges.length > 0 ? scene.clusters : []) {
      if (selection?.has(cluster)) this.#mark(scene.sprite(cluster.id), camera, SELECTED);
    }
    if (marked) this.#mark(scene.sprite(marked.id), camera, MARKED);
    context.restore();
    context.globalAlpha = 1;
  }

  /**
   * @param {{cluster: Drawn, x: number, y: number, size: number, alpha: number}} sprite
   * @param {Camera} camera
   * @param {boolean} isMarked
   */
  #ellipse({ cluster, x, y, size, alpha }, camera, isMarked) {
    const { ellipse } = cluster;
    if (!ellipse) return;
    const major = ellipse.major * camera.scale;
    if (!isMarked && major < LEAST_ELLIPSE) return;
    const { x: left, y: top } = camera.point(x, y);
    if (left < -major || left > camera.width + major || top < -major || top > camera.height + major) return;
    const { context } = this;
    const tone = this.pictures.palette.toneOf(cluster);
    context.globalAlpha = Math.min(alpha, 1);
    context.beginPath();
    context.ellipse(
      left, top, major * size, Math.max(ellipse.minor * camera.scale, 1.5) * size, ellipse.angle + camera.turn, 0, 2 * Math.PI);
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
   * Draws the ellipse that follows the points of a cluster, if the cluster has enough points for an ellipse.
   *
   * @param {Drawn} cluster
   * @param {Camera} camera
   */
  drawExtent(cluster, camera) {
    if (!cluster.ellipse || cluster.stack) return;
    this.#tone = null;
    this.#ellipse({ cluster, x: cluster.x, y: cluster.y, size: 1, alpha: 1 }, camera, true);
    this.context.globalAlpha = 1;
  }

  /**
   * @param {import("./scene.js").Sprite} sprite
   * @param {Camera} camera
   * @param {number} now
   * @param {number} left
   * @param {number} right
   */
  #badge(sprite, camera, now, left, right) {
    const { cluster, alpha } = sprite;
    // While the map zooms out, badges shrink with the map until the answer for the new view is shown. Badges that merge
    // stay small. Otherwise badges would cover each other.
    const size = sprite.size * (cluster.scale ? Math.min(camera.scale / cluster.scale, 1) : 1);
    const { x, y } = camera.point(sprite.x, sprite.y);
    const reach = cluster.radius + 6;
    if (alpha <= 0.01 || size <= 0.01 || sprite.isForming(now)) return;
    if (x < left - reach || x > right + reach || y < -reach || y > camera.height + reach) return;
    const { context } = this;
    context.globalAlpha = Math.min(alpha, 1);
    const { pictures } = this;
    if (cluster.parts) pictures.drawDonut(context, cluster, x, y, size);
    else pictures.drawDisc(context, cluster, x, y, size);
    if (cluster.count < 2 || size < LEAST_LABELED || !sprite.showsLabel(now)) return;
    pictures.drawLabel(context, cluster, x, y, Math.min(size, 1.1));
  }

  /**
   * @param {import("./scene.js").Sprite | undefined} sprite
   * @param {Camera} camera
   * @param {{width: number, distance: number}} ring
   */
  #mark(sprite, camera, { width, distance }) {
    if (!sprite) return;
    const { context } = this;
    context.globalAlpha = 1;
    context.lineWidth = width;
    context.strokeStyle = this.pictures.palette.accent;
    context.beginPath();
    const { x, y } = camera.point(sprite.x, sprite.y);
    context.arc(x, y, sprite.cluster.radius + distance, 0, 2 * Math.PI);
    context.stroke();
  }

  /**
   * Draws the members of an opened stack around the stack. While the stack opens, the members move outward.
   *
   * @param {import("./spread.js").Spread} spread
   * @param {Camera} camera
   * @param {number} now
   * @param {{x: number, y: number}} origin
   */
  drawSpread(spread, camera, now, origin) {
    const { context } = this;
    context.save();
    context.translate(origin.x, origin.y);
    const { x, y } = camera.point(spread.cluster.x, spread.cluster.y);
    const openness = spread.openness(now);
    context.globalAlpha = 0.6 * openness;
    context.strokeStyle = this.pictures.palette.accent;
    context.lineWidth = 1.25;
    context.beginPath();
    for (let i = 0; i < spread.count; i++) {
      const offset = spreadOffset(i, spread.count);
      // The line starts at the edge of the badge, so that the label stays readable.
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
