// Discs and glyphs as pictures, each drawn once: to copy a picture costs a fraction of what it costs to draw text.

const MARGIN = 5;
const MOST_LABELS = 2000;

export class BadgePictures {
  #discs = new Map();
  #labels = new Map();
  #glyphs = new Map();

  /** @param ratio Device pixels in a pixel. */
  constructor(palette, ratio) {
    this.palette = palette;
    this.ratio = ratio;
    const family = getComputedStyle(document.body).fontFamily;
    this.font = (size) => `600 ${size}px ${family}`;
  }

  /** A disc with its ring and shadow; `side` is that of the picture in pixels, whose middle is the disc's. */
  disc(cluster) {
    const radius = Math.round(cluster.radius * 2) / 2;
    const key = cluster.tone * 256 + radius * 2;
    return this.#discs.get(key) ?? keep(this.#discs, key, this.#drawDisc(radius, this.palette.toneOf(cluster)));
  }

  #drawDisc(radius, tone) {
    const isSingle = tone === this.palette.single;
    const { picture, context, side } = this.#canvas(2 * (radius + MARGIN), 2 * (radius + MARGIN));
    context.translate(side / 2, side / 2);
    context.beginPath();
    context.arc(0, 0, radius, 0, 2 * Math.PI);
    context.save();
    context.shadowColor = this.palette.shadow;
    context.shadowBlur = 5 * this.ratio;
    context.shadowOffsetY = 1 * this.ratio;
    context.fillStyle = this.palette.ring;
    context.fill();
    context.restore();
    context.beginPath();
    context.arc(0, 0, radius - (isSingle ? 1.5 : 1.75), 0, 2 * Math.PI);
    context.fillStyle = tone.fill;
    context.fill();
    return { picture, side };
  }

  /**
   * What is written on it, glyph by glyph from its middle: of glyphs there are a few, of labels there would be thousands, and
   * making a picture takes as long as drawing fifty.
   */
  label(cluster) {
    const { ink } = this.palette.toneOf(cluster);
    const size = cluster.label.length > 3 ? 12 : 13;
    const key = `${cluster.label} ${ink} ${size}`;
    if (this.#labels.size > MOST_LABELS) this.#labels.clear();
    return this.#labels.get(key) ?? keep(this.#labels, key, this.#setLabel(cluster.label, ink, size));
  }

  #setLabel(text, ink, size) {
    const glyphs = Array.from(text, (character) => this.#glyph(character, ink, size));
    let left = -glyphs.reduce((sum, { advance }) => sum + advance, 0) / 2;
    return glyphs.map((glyph) => {
      const placed = { ...glyph, left: left + glyph.advance / 2 - glyph.middle };
      left += glyph.advance;
      return placed;
    });
  }

  #glyph(character, ink, size) {
    const key = `${character} ${ink} ${size}`;
    return this.#glyphs.get(key) ?? keep(this.#glyphs, key, this.#drawGlyph(character, ink, size));
  }

  #drawGlyph(character, ink, size) {
    const [width, height] = [size * 1.25, size * 1.5];
    const { picture, context } = this.#canvas(width, height);
    context.font = this.font(size);
    context.fillStyle = ink;
    context.textAlign = "center";
    context.textBaseline = "alphabetic";
    // Digits have no descenders: half their height below the middle.
    context.fillText(character, width / 2, height / 2 + size * 0.355);
    // A picture is a whole number of pixels, so a little larger than asked for.
    return {
      picture, width: picture.width / this.ratio, height: picture.height / this.ratio,
      middle: width / 2, top: -height / 2, advance: context.measureText(character).width,
    };
  }

  #canvas(width, height) {
    const picture = document.createElement("canvas");
    picture.width = Math.ceil(width * this.ratio);
    picture.height = Math.ceil(height * this.ratio);
    const context = picture.getContext("2d");
    context.scale(this.ratio, this.ratio);
    return { picture, context, side: width };
  }
}

function keep(map, key, value) {
  map.set(key, value);
  return value;
}
