// Discs and labels as pictures, each drawn once: to copy a picture costs a fraction of what it costs to draw text.

const MARGIN = 5;
const MOST_LABELS = 2000;

export class BadgePictures {
  #discs = new Map();
  #labels = new Map();

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

  /** What is written on it. */
  label(cluster) {
    const { ink } = this.palette.toneOf(cluster);
    const size = cluster.label.length > 3 ? 12 : 13;
    const key = `${cluster.label} ${ink} ${size}`;
    if (this.#labels.size > MOST_LABELS) this.#labels.clear();
    return this.#labels.get(key) ?? keep(this.#labels, key, this.#drawLabel(cluster.label, ink, size));
  }

  #drawLabel(text, ink, size) {
    const width = Math.ceil(text.length * size * 0.75) + 4;
    const { picture, context } = this.#canvas(width, size * 1.5);
    context.font = this.font(size);
    context.fillStyle = ink;
    context.textAlign = "center";
    context.textBaseline = "alphabetic";
    // Digits have no descenders: half their height below the middle.
    context.fillText(text, width / 2, (size * 1.5) / 2 + size * 0.355);
    return { picture, width, height: size * 1.5 };
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
