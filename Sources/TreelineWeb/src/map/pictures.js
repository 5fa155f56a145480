// Discs and glyphs on one canvas, called the sheet. The sheet is drawn before a disc or a glyph is needed. Copying a
// part of the sheet takes much less time than drawing a disc or a glyph. Making the sheet takes as long as a hundred
// copies.

import { DOT_RADIUS, MEMBER_RADIUS } from "./badge.js";
import { COUNT_SUFFIXES, LARGEST_BADGE } from "./constants.js";

const MARGIN = 5;
const MOST_LABELS = 2000;

/** Radii of the discs on the sheet, in pixels: dots, members of stacks, and badges. Other radii are scaled. */
const RADII = [DOT_RADIUS, MEMBER_RADIUS, 13.5, 16.5, 19.5, LARGEST_BADGE / 2];

/** Width of a donut's ring as a share of the donut's radius, and the least width of the ring in pixels. */
const RING = 0.23;
const LEAST_RING = 3.25;

/** The characters of labels. */
const CHARACTERS = `0123456789.-${COUNT_SUFFIXES}`;

/**
 * `SHORT_LABEL` is the greatest number of characters of a short label. `SIZES` has the font sizes in pixels of short
 * labels and of longer labels.
 */
const SHORT_LABEL = 3;
const SIZES = [13, 12];

/**
 * `LABEL_MARGIN` is the least distance in pixels between a label and the edge of its badge. `LEAST_LABEL` is the share
 * of its full size to which a long label may shrink.
 */
const LABEL_MARGIN = 3;
const LEAST_LABEL = 0.66;

/** @typedef {import("./palette.js").Palette} Palette */
/**
 * @typedef {object} Pictured
 * @property {number[] | null} parts
 * @property {(string | null)[]} [categories] The categories of `parts`.
 * @property {number} tone
 * @property {number} radius
 * @property {number} count
 * @property {string} label
 */
/**
 * @typedef {{radius: number, side: number, pixels: number, top: number}} Row A row of the sheet, with the discs of one
 *   radius.
 */
/** @typedef {{size: number, ink: string, width: number, height: number, top: number, advances: number[]}} GlyphRow */
/** @typedef {CanvasRenderingContext2D} Context */

export class BadgePictures {
  /** @type {Row[]} */
  #discs = [];
  /** @type {GlyphRow[][]} */
  #glyphs = [];
  /** @type {Map<string, {at: number, left: number}[]>} */
  #labels = new Map();

  /**
   * @param {Palette} palette
   * @param {number} ratio Number of device pixels per pixel.
   */
  constructor(palette, ratio) {
    this.palette = palette;
    this.ratio = ratio;
    this.tones = [...palette.tones, palette.hole, palette.single];
    this.inks = [...new Set(this.tones.map(({ ink }) => ink))];
    this.sheet = this.#drawn();
  }

  /**
   * Draws a disc with its ring and shadow.
   *
   * @param {Context} context
   * @param {{tone: number, radius: number}} badge
   * @param {number} x
   * @param {number} y
   * @param {number} scale Factor by which the disc is enlarged.
   */
  drawDisc(context, { tone, radius }, x, y, scale = 1) {
    let step = 0;
    while (step < RADII.length - 1 && RADII[step] < radius) step++;
    const row = this.#discs[step];
    const side = (row.side * radius * scale) / RADII[step];
    const column = tone < 0 ? this.tones.length - 1 : tone;
    context.drawImage(
      this.sheet, column * row.pixels, row.top, row.pixels, row.pixels, x - side / 2, y - side / 2, side, side);
  }

  /**
   * Draws a badge whose ring shows its parts, or a dot in the colour of its only part.
   *
   * @param {Context} context
   * @param {Pictured} badge
   * @param {number} x
   * @param {number} y
   */
  drawDonut(context, badge, x, y, scale = 1) {
    const { radius, count } = badge;
    const parts = badge.parts ?? [];
    const tones = this.palette.tonesOf(badge);
    this.drawDisc(context, { tone: this.palette.tones.length, radius }, x, y, scale);
    const edge = (radius - (count > 1 ? 1.75 : 1.5)) * scale;
    if (count === 1) {
      context.beginPath();
      context.arc(x, y, edge, 0, 2 * Math.PI);
      context.fillStyle = tones[parts.indexOf(1)]?.fill ?? this.palette.single.fill;
      context.fill();
      return;
    }
    const width = Math.max(radius * RING, LEAST_RING) * scale;
    const total = parts.reduce((sum, part) => sum + part, 0);
    context.lineWidth = width;
    let angle = -Math.PI / 2;
    parts.forEach((part, at) => {
      if (part === 0) return;
      const end = angle + (2 * Math.PI * part) / total;
      context.beginPath();
      context.arc(x, y, edge - width / 2, angle, end);
      context.strokeStyle = tones[at].fill;
      context.stroke();
      angle = end;
    });
  }

  /**
   * Returns the side of the picture of a disc with its shadow, in pixels.
   *
   * @param {{radius: number}} badge
   */
  discSide({ radius }) {
    return 2 * (radius + MARGIN);
  }

  /**
   * Draws the label of a cluster, centred on a position.
   *
   * @param {Context} context
   * @param {Pictured} cluster
   * @param {number} x
   * @param {number} y
   */
  drawLabel(context, cluster, x, y, scale = 1) {
    const { label } = cluster;
    const size = label.length > SHORT_LABEL ? 1 : 0;
    const row = this.#glyphs[size][this.inks.indexOf((cluster.parts ? this.palette.hole : this.palette.toneOf(cluster)).ink)];
    const glyphs = this.#glyphsOf(label, row);
    // A long label, such as a sum on a small badge, is drawn smaller.
    const half = -(glyphs[0]?.left ?? 0) - row.width / this.ratio / 2 + row.advances[glyphs[0]?.at ?? 0] / 2;
    scale *= Math.min(Math.max((cluster.radius - LABEL_MARGIN) / half, LEAST_LABEL), 1);
    for (const { at, left } of glyphs) {
      context.drawImage(
        this.sheet, at * row.width, row.top, row.width, row.height,
        x + left * scale, y - (row.height * scale) / (2 * this.ratio),
        (row.width * scale) / this.ratio, (row.height * scale) / this.ratio);
    }
  }

  /**
   * Returns the glyphs of a label. `left` is the left edge of a glyph, in pixels from the middle of the label.
   *
   * @param {string} label
   * @param {GlyphRow} row
   */
  #glyphsOf(label, { advances, width }) {
    const known = this.#labels.get(label);
    if (known) return known;
    if (this.#labels.size > MOST_LABELS) this.#labels.clear();
    const glyphs = Array.from(label, (character) => CHARACTERS.indexOf(character));
    let left = -glyphs.reduce((sum, at) => sum + advances[at], 0) / 2;
    const placements = glyphs.map((at) => {
      const middle = left + advances[at] / 2;
      left += advances[at];
      return { at, left: middle - width / this.ratio / 2 };
    });
    this.#labels.set(label, placements);
    return placements;
  }

  /** @returns {ImageBitmap} */
  #drawn() {
    const { ratio } = this;
    let top = 0;
    this.#discs = RADII.map((radius) => {
      const side = 2 * (radius + MARGIN);
      const row = { radius, side, pixels: Math.ceil(side * ratio), top };
      row.side = row.pixels / ratio;
      top += row.pixels;
      return row;
    });
    this.#glyphs = SIZES.map((size) =>
      this.inks.map((ink) => {
        /** @type {GlyphRow} */
        const row = { size, ink, advances: [], width: Math.ceil(size * 1.25 * ratio), height: Math.ceil(size * 1.5 * ratio), top };
        top += row.height;
        return row;
      }));
    const widest = Math.max(this.tones.length * this.#discs[RADII.length - 1].pixels, CHARACTERS.length * this.#glyphs[0][0].width);
    const sheet = new (/** @type {any} */ (globalThis).OffscreenCanvas)(widest, top);
    /** @type {Context} */
    const context = sheet.getContext("2d");
    for (const row of this.#discs) this.#drawDiscs(context, row);
    const family = this.palette.fontFamily;
    for (const row of this.#glyphs.flat()) this.#drawGlyphs(context, row, family);
    return sheet.transferToImageBitmap();
  }

  /**
   * Draws the discs of one radius in all tones.
   *
   * @param {Context} context
   * @param {Row} row
   */
  #drawDiscs(context, { radius, pixels, top }) {
    const { ratio } = this;
    const middle = pixels / 2;
    // Draws each disc with its own shadow. Copying a picture of one disc with its shadow would take ten times as long.
    this.tones.forEach((tone, i) => {
      /** @param {number} ring @param {string} fill */
      const disc = (ring, fill) => {
        context.beginPath();
        context.arc(i * pixels + middle, top + middle, (radius - ring) * ratio, 0, 2 * Math.PI);
        context.fillStyle = fill;
        context.fill();
      };
      context.save();
      context.shadowColor = this.palette.shadow;
      context.shadowBlur = 5 * ratio;
      context.shadowOffsetY = ratio;
      disc(0, this.palette.ring);
      context.restore();
      disc(tone === this.palette.single ? 1.5 : 1.75, tone.fill);
    });
  }

  /**
   * @param {Context} context
   * @param {GlyphRow} row
   * @param {string} family
   */
  #drawGlyphs(context, row, family) {
    const { ratio } = this;
    context.font = `600 ${row.size * ratio}px ${family}`;
    context.fillStyle = row.ink;
    context.textAlign = "center";
    context.textBaseline = "alphabetic";
    row.advances = Array.from(CHARACTERS, (character, at) => {
      // Digits have no descenders, so the baseline lies below the middle by half the height of a digit.
      context.fillText(character, (at + 0.5) * row.width, row.top + row.height / 2 + row.size * 0.355 * ratio);
      return context.measureText(character).width / ratio;
    });
  }
}
