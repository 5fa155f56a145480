// The ramp of colours from sparse to dense.

/** Returns `count` colours in equal steps along the given colours. All colours are written as `#rrggbb`. */
export function rampOf(stops, count) {
  const labs = stops.map((hex) => oklab([1, 3, 5].map((at) => parseInt(hex.slice(at, at + 2), 16))));
  return Array.from({ length: count }, (_, at) => {
    const position = (at / (count - 1)) * (labs.length - 1);
    const step = Math.min(Math.floor(position), labs.length - 2);
    return hexOf(labs[step].map((value, i) => value + (labs[step + 1][i] - value) * (position - step)));
  });
}

/** Returns a colour of Oklab as `#rrggbb`. */
export const hexOf = (lab) => `#${fromOklab(lab).map((value) => value.toString(16).padStart(2, "0")).join("")}`;

const toLinear = (value) => (value <= 10.31475 ? value / 255 / 12.92 : ((value / 255 + 0.055) / 1.055) ** 2.4);
const fromLinear = (value) =>
  Math.round(255 * Math.min(Math.max(value <= 0.0031308 ? 12.92 * value : 1.055 * value ** (1 / 2.4) - 0.055, 0), 1));

/**
 * Returns a colour in Oklab, in which equal steps look equal (B. Ottosson, A perceptual color space for image
 * processing, 2020).
 */
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
