// The colours of the map, from the stylesheet: light and dark, and the ramp from sparse to dense.

/** Number of tones in the ramp: few enough to keep a picture of each badge, too many to distinguish two neighbours. */
export const TONES = 24;

/** Reads the colours that the stylesheet currently gives an element. */
export function readPalette(node) {
  const style = getComputedStyle(node);
  const token = (name) => style.getPropertyValue(`--${name}`).trim();
  const stops = token("ramp").split(/\s+/).map(rgbOf);
  const tones = Array.from({ length: TONES }, (_, tone) => toneOf(along(stops, tone / (TONES - 1))));
  return {
    sea: token("sea"),
    land: token("land"),
    coast: token("coast"),
    border: token("border"),
    graticule: token("graticule"),
    dust: token("dust"),
    place: token("place"),
    halo: token("halo"),
    ring: token("ring"),
    shadow: token("badge-shadow"),
    accent: token("accent"),
    fontFamily: style.fontFamily,
    single: { ...toneOf(rgbOf(token("single"))) },
    /** Tones of the categories; `other` is the tone of all others. */
    categories: token("categories").split(/\s+/).map((hex) => toneOf(rgbOf(hex))),
    other: toneOf(rgbOf(token("other"))),
    /** The middle of a donut. */
    hole: { fill: token("card"), ink: token("ink") },
    tones,
    gradient: `linear-gradient(90deg, ${tones.map((tone) => tone.fill).join(", ")})`,
    /** Tones of the parts of donuts, in their order. */
    partTones: [],
    /** Sets the categories of donuts; `null` stands for all others. */
    useCategories(categories) {
      this.partTones = categories.map((category, at) => (category === null ? this.other : this.categories[at]));
    },
    /** Returns the tone of a cluster: for a donut, the tone of its largest part; single points share one tone. */
    toneOf(cluster) {
      const { parts } = cluster;
      if (parts) return this.partTones[parts.indexOf(Math.max(...parts))] ?? this.other;
      return cluster.tone < 0 ? this.single : tones[cluster.tone];
    },
  };
}

function toneOf(rgb) {
  const fill = `rgb(${rgb.join(" ")})`;
  return {
    fill,
    haze: `rgb(${rgb.join(" ")} / 0.16)`,
    line: `rgb(${rgb.join(" ")} / 0.6)`,
    // The ink that is easier to read on the tone (WCAG 2.2, contrast ratio).
    ink: contrast(rgb, WHITE) >= contrast(rgb, NIGHT) ? "#ffffff" : "#080410",
  };
}

const WHITE = [255, 255, 255];
const NIGHT = [8, 4, 16];

function along(stops, share) {
  const position = share * (stops.length - 1);
  const step = Math.min(Math.floor(position), stops.length - 2);
  const [a, b] = [oklab(stops[step]), oklab(stops[step + 1])];
  return fromOklab(a.map((value, i) => value + (b[i] - value) * (position - step)));
}

const rgbOf = (hex) => [1, 3, 5].map((at) => parseInt(hex.slice(at, at + 2), 16));

const toLinear = (value) => (value <= 10.31475 ? value / 255 / 12.92 : ((value / 255 + 0.055) / 1.055) ** 2.4);
const fromLinear = (value) =>
  Math.round(255 * Math.min(Math.max(value <= 0.0031308 ? 12.92 * value : 1.055 * value ** (1 / 2.4) - 0.055, 0), 1));

function luminance(rgb) {
  const [r, g, b] = rgb.map(toLinear);
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}

export function contrast(one, other) {
  const [a, b] = [luminance(one), luminance(other)];
  return (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
}

/** B. Ottosson, A perceptual color space for image processing (2020): equal steps look equal. */
function oklab(rgb) {
  const [r, g, b] = rgb.map(toLinear);
  const l = Math.cbrt(0.4122214708 * r + 0.5363325363 * g + 0.0514459929 * b);
  const m = Math.cbrt(0.2119034982 * r + 0.6806995451 * g + 0.1073969566 * b);
  const s = Math.cbrt(0.0883024619 * r + 0.2817188376 * g + 0.6299787005 * b);
  return [
    0.2104542553 * l + 0.793617785 * m - 0.0040720468 * s,
    1.9779984951 * l - 2.428592205 * m + 0.4505937099 * s,
    0.0259040371 * l + 0.7827717662 * m - 0.808675766 * s,
  ];
}

function fromOklab([lightness, a, b]) {
  const l = (lightness + 0.3963377774 * a + 0.2158037573 * b) ** 3;
  const m = (lightness - 0.1055613458 * a - 0.0638541728 * b) ** 3;
  const s = (lightness - 0.0894841775 * a - 1.291485548 * b) ** 3;
  return [
    4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s,
    -1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s,
    -0.0041960863 * l - 0.7034186147 * m + 1.707614701 * s,
  ].map(fromLinear);
}
