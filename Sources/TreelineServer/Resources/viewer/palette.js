// Reads the colours of the map from the stylesheet, which has light and dark colours.

import { rampOf } from "./ramp.js";
import { Palette, TONES } from "./vendor/treeline/map/palette.js";

/** The colours of the map. In an index with groups, each group has a tone. */
class MapPalette extends Palette {
  /** @param groups Has the tones of groups. */
  constructor(colours, groups) {
    super(colours);
    this.groups = groups;
  }

  tonesOf({ group, ...cluster }) {
    return group === undefined ? super.tonesOf(cluster) : [this.groups.toneOf(group, this)];
  }
}

/**
 * Reads the colours that the stylesheet currently gives an element.
 *
 * @param groups Has the tones of groups.
 */
export function readPalette(node, groups) {
  const style = getComputedStyle(node);
  const token = (name) => style.getPropertyValue(`--${name}`).trim();
  const list = (name) => token(name).split(/\s+/);
  const palette = new MapPalette({
    ramp: rampOf(list("ramp"), TONES), single: token("single"), categories: list("categories"), other: token("other"), card: token("card"),
    ink: token("ink"), ring: token("ring"), shadow: token("badge-shadow"), accent: token("accent"), fontFamily: style.fontFamily,
  }, groups);
  const names = ["sea", "land", "coast", "border", "graticule", "dust", "place", "halo"];
  palette.pointName = token("soft");
  return Object.assign(palette, Object.fromEntries(names.map((name) => [name, token(name)])), {
    gradient: `linear-gradient(90deg, ${palette.tones.map((tone) => tone.fill).join(", ")})`,
  });
}
