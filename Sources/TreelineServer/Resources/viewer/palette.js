// Reads the colours of the map from the stylesheet, which has light and dark colours.

import { rampOf } from "./ramp.js";
import { Palette, TONES } from "./vendor/treeline/map/palette.js";

/** Reads the colours that the stylesheet currently gives an element. */
export function readPalette(node) {
  const style = getComputedStyle(node);
  const token = (name) => style.getPropertyValue(`--${name}`).trim();
  const list = (name) => token(name).split(/\s+/);
  const palette = new Palette({
    ramp: rampOf(list("ramp"), TONES), single: token("single"), categories: list("categories"), other: token("other"), card: token("card"),
    ink: token("ink"), ring: token("ring"), shadow: token("badge-shadow"), accent: token("accent"), fontFamily: style.fontFamily,
  });
  const names = ["sea", "land", "coast", "border", "graticule", "dust", "place", "halo"];
  palette.pointName = token("soft");
  return Object.assign(palette, Object.fromEntries(names.map((name) => [name, token(name)])), {
    gradient: `linear-gradient(90deg, ${palette.tones.map((tone) => tone.fill).join(", ")})`,
  });
}
