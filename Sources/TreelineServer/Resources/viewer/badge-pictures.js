// Discs and glyphs on one sheet, drawn before they are needed: to copy a part of a picture costs a fraction of what it
// costs to draw, and to make a picture as much as a hundred copies.

import { DOT_RADIUS, MEMBER_RADIUS } from "./badge.js";
import { COUNT_SUFFIXES, LARGEST_BADGE } from "./constants.js";

const MARGIN = 5;
const MOST_LABELS = 2000;

/** Radii of discs in pixels, between which they are scaled: dots, the members of stacks, and badges. */
const RADII = [DOT_RADIUS, MEMBER_RADIUS, 13.5, 16.5, 19.5, LARGEST_BADGE / 2];

/** How wide the ring of a donut is, as a share of its radius and at least in pixels. */
const RING = 0.23;
const LEAST_RING = 3.25;

/** What labels are made of. */
const CHARACTERS = `0123456789.-${COUNT_SUFFIXES}`;

/** Sizes of type in pixels: of labels of up to so many characters, and of longer ones. */
const SHORT_LABEL = 3;
const SIZES = [13, 12];

export class BadgePictures {
  #discs = [];
  #glyphs = [];
  #labels = new Map();

  /** @param ratio Device pixels in a pixel. */
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
   * @param scale How large it is, its own radius being 1.
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

  /** Draws a badge whose ring shows its parts, or a dot in the colour of its one part. */
  drawDonut(context, { parts, radius, count }, x, y, scale = 1) {
    const tones = this.palette.partTones;
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

  /** The side of the picture of a disc with its shadow, in pixels. */
  discSide({ radius }) {
    return 2 * (radius + MARGIN);
  }

  /** Writes the label of a cluster with its middle at a position. */
  drawLabel(context, cluster, x, y, scale = 1) {
    const { label } = cluster;
    const size = label.length > SHORT_LABEL ? 1 : 0;
    const row = this.#glyphs[size][this.inks.indexOf((cluster.parts ? this.palette.hole : this.palette.toneOf(cluster)).ink)];
    for (const { at, left } of this.#glyphsOf(label, row)) {
      context.drawImage(
        this.sheet, at * row.width, row.top, row.width, row.height,
        x + left * scale, y - (row.height * scale) / (2 * this.ratio),
        (row.width * scale) / this.ratio, (row.height * scale) / this.ratio);
    }
  }

  /** Which glyphs a label has and where they begin, in pixels from its middle. */
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
        const row = { size, ink, width: Math.ceil(size * 1.25 * ratio), height: Math.ceil(size * 1.5 * ratio), top };
        top += row.height;
        return row;
      }));
    const widest = Math.max(this.tones.length * this.#discs.at(-1).pixels, CHARACTERS.length * this.#glyphs[0][0].width);
    const sheet = new OffscreenCanvas(widest, top);
    const context = sheet.getContext("2d");
    for (const row of this.#discs) this.#drawDiscs(context, row);
    const family = this.palette.fontFamily;
    for (const row of this.#glyphs.flat()) this.#drawGlyphs(context, row, family);
    return sheet.transferToImageBitmap();
  }

  /** One radius in all tones. Shadows are slow, so the first one is copied. */
  #drawDiscs(context, { radius, pixels, top }) {
    const { ratio } = this;
    const middle = pixels / 2;
    context.save();
    context.beginPath();
    context.arc(middle, top + middle, radius * ratio, 0, 2 * Math.PI);
    context.shadowColor = this.palette.shadow;
    context.shadowBlur = 5 * ratio;
    context.shadowOffsetY = ratio;
    context.fillStyle = this.palette.ring;
    context.fill();
    context.restore();
    for (let i = 1; i < this.tones.length; i++) {
      context.drawImage(context.canvas, 0, top, pixels, pixels, i * pixels, top, pixels, pixels);
    }
    this.tones.forEach((tone, i) => {
      const ring = tone === this.palette.single ? 1.5 : 1.75;
      context.beginPath();
      context.arc(i * pixels + middle, top + middle, (radius - ring) * ratio, 0, 2 * Math.PI);
      context.fillStyle = tone.fill;
      context.fill();
    });
  }

  #drawGlyphs(context, row, family) {
    const { ratio } = this;
    context.font = `600 ${row.size * ratio}px ${family}`;
    context.fillStyle = row.ink;
    context.textAlign = "center";
    context.textBaseline = "alphabetic";
    row.advances = Array.from(CHARACTERS, (character, at) => {
      // Digits have no descenders: half their height below the middle.
      context.fillText(character, (at + 0.5) * row.width, row.top + row.height / 2 + row.size * 0.355 * ratio);
      return context.measureText(character).width / ratio;
    });
  }
}
