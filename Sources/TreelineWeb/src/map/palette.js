// The colours of badges, for light and dark maps. Both sets have a ramp from sparse to dense, and colours of
// categories.

/** Number of tones in the ramp. Neighbouring tones look alike, and a picture of each tone can be kept. */
export const TONES = 24;

/**
 * @typedef {object} Colours Colours are written `#rrggbb`. Where noted, any CSS colour is allowed.
 * @property {string[]} ramp Two or more colours from sparse to dense. The tones of badges are mixed from these colours.
 * @property {string} single Colour of single points.
 * @property {string[]} categories
 * @property {string} other Colour of all categories without their own colour.
 * @property {string} card Middle of a donut; any CSS colour.
 * @property {string} ink Number in a donut; any CSS colour.
 * @property {string} ring Ring around badges; any CSS colour.
 * @property {string} shadow Shadow below badges; any CSS colour.
 * @property {string} accent Marks; any CSS colour.
 * @property {string} fontFamily
 *
 * @typedef {{fill: string, haze: string, line: string, ink: string}} Tone
 */

const FONT = 'system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif';
/** M. Okabe and K. Ito, Color Universal Design (2008). Almost everybody can distinguish these colours. */
const CATEGORIES = ["#0072b2", "#e69f00", "#009e73", "#cc79a7", "#56b4e9", "#d55e00"];

/** @type {Colours} */
export const LIGHT = {
  // The lightness (OKLCH) falls in equal steps from 0.84 to 0.27.
  ramp: ["#f2bf74", "#f0904a", "#df563f", "#a72752", "#67195b", "#341646"],
  single: "#4a545e", categories: CATEGORIES, other: "#9aa0a6", card: "#ffffff", ink: "#1a222b", ring: "#ffffff",
  shadow: "rgb(26 34 43 / 0.34)", accent: "#116243", fontFamily: FONT,
};

/** @type {Colours} */
export const DARK = {
  // In dark mode dense clusters are bright.
  ramp: ["#6a478a", "#963f80", "#cb4866", "#ee7149", "#f8ab4f", "#fbe48d"],
  single: "#b9c2c9", categories: CATEGORIES, other: "#9aa0a6", card: "#151a20", ink: "#edebe5", ring: "#10161c",
  shadow: "rgb(0 0 0 / 0.6)", accent: "#6ed6a6", fontFamily: FONT,
};

export class Palette {
  /** @param {Colours} colours */
  constructor(colours) {
    const stops = colours.ramp.map(rgbOf);
    this.ring = colours.ring;
    this.shadow = colours.shadow;
    this.accent = colours.accent;
    this.fontFamily = colours.fontFamily;
    this.single = toneFrom(colours.single);
    this.tones = Array.from({ length: TONES }, (_, tone) => toneOf(along(stops, tone / (TONES - 1))));
    /** Tones of the categories. `other` is the tone of all other categories. */
    this.categories = colours.categories.map(toneFrom);
    this.other = toneFrom(colours.other);
    /** The middle of a donut. */
    this.hole = { fill: colours.card, ink: colours.ink };
  }

  /**
   * Returns the tones of the categories of donuts, in the order of the categories.
   *
   * @param {(string | null)[]} categories `null` is the category of all other values.
   * @returns {Tone[]}
   */
  tonesFor(categories) {
    return categories.map((category, at) => (category === null ? this.other : (this.categories[at] ?? this.other)));
  }

  /**
   * Returns the tones of a cluster's parts. The tones depend only on the cluster, because a map may still show clusters
   * of a previous column. A subclass may give a cluster tones of its own.
   *
   * @param {{categories?: (string | null)[]}} cluster
   */
  tonesOf({ categories = [] }) {
    return this.tonesFor(categories);
  }

  /**
   * Returns the tone of a cluster. A donut has the tone of its largest part. All single points share one tone.
   *
   * @param {{parts: number[] | null, categories?: (string | null)[], tone: number}} cluster
   */
  toneOf(cluster) {
    const { parts, tone } = cluster;
    if (parts) return this.tonesOf(cluster)[parts.indexOf(Math.max(...parts))] ?? this.other;
    return tone < 0 ? this.single : this.tones[tone];
  }
}

/** @typedef {number[]} RGB Three numbers from 0 to 255. */

/**
 * Returns the tone of a colour that is written `#rrggbb`.
 *
 * @param {string} hex
 */
export const toneFrom = (hex) => toneOf(rgbOf(hex));

/**
 * @param {RGB} rgb
 * @returns {Tone}
 */
function toneOf(rgb) {
  return {
    fill: `rgb(${rgb.join(" ")})`,
    haze: `rgb(${rgb.join(" ")} / 0.16)`,
    line: `rgb(${rgb.join(" ")} / 0.6)`,
    // Black or white, whichever is easier to read on the tone (WCAG 2.2, contrast ratio).
    ink: contrast(rgb, WHITE) >= contrast(rgb, NIGHT) ? "#ffffff" : "#080410",
  };
}

const WHITE = [255, 255, 255];
const NIGHT = [8, 4, 16];

/**
 * @param {RGB[]} stops
 * @param {number} share
 */
function along(stops, share) {
  const position = share * (stops.length - 1);
  const step = Math.min(Math.floor(position), stops.length - 2);
  return stops[step].map((value, i) => Math.round(value + (stops[step + 1][i] - value) * (position - step)));
}

/** @param {string} hex */
const rgbOf = (hex) => [1, 3, 5].map((at) => parseInt(hex.slice(at, at + 2), 16));

/** @param {number} value */
const toLinear = (value) => (value <= 10.31475 ? value / 255 / 12.92 : ((value / 255 + 0.055) / 1.055) ** 2.4);
/** @param {RGB} rgb */
function luminance(rgb) {
  const [r, g, b] = rgb.map(toLinear);
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}

/**
 * @param {RGB} one
 * @param {RGB} other
 */
function contrast(one, other) {
  const [a, b] = [luminance(one), luminance(other)];
  return (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
}
