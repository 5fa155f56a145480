// The colors of groups. An index may have hundreds of groups, more than a viewer can distinguish by color. So the
// groups with the most points in view have distinct colors, and every other group has a pale color that depends only
// on its name.

import { hexOf } from "./ramp.js";
import { CATEGORIES } from "./values.js";
import { toneFrom } from "./vendor/treeline/map/palette.js";

/** Pale colors in OKLCH: number of hues, the lightnesses, and the chroma. */
const HUES = 18;
const LIGHTNESSES = [0.56, 0.64, 0.72];
const CHROMA = 0.055;

/** Returns the number of points in each group, the largest group first. The group of points in no group is null. */
export function countsByGroup(clusters) {
  const counts = new Map();
  for (const { group, count } of clusters) counts.set(group, (counts.get(group) ?? 0) + count);
  return [...counts].sort(([a, m], [b, n]) => n - m || (a < b ? -1 : 1));
}

export class Groups {
  /** Numbers of the distinct colors, by the names of the groups. */
  #colors = new Map();
  #pale = new Map();

  /**
   * Gives the distinct colors to the largest groups in view. A group that has a color keeps it. Another group gets a
   * free color, or the color of a group that is no longer among the largest groups.
   *
   * @param counts Result of `countsByGroup`.
   * @returns Whether a group has another color now.
   */
  assign(counts) {
    const largest = counts.map(([name]) => name).filter((name) => name !== null).slice(0, CATEGORIES);
    const inView = new Set(largest);
    let hasChanged = false;
    for (const name of largest) {
      if (this.#colors.has(name)) continue;
      const taken = new Set(this.#colors.values());
      let color = 0;
      while (taken.has(color)) color++;
      if (color >= CATEGORIES) {
        const [replaced, other] = [...this.#colors].find(([each]) => !inView.has(each));
        this.#colors.delete(replaced);
        color = other;
      }
      this.#colors.set(name, color);
      hasChanged = true;
    }
    return hasChanged;
  }

  /** Returns the tone of a group. */
  toneOf(group, palette) {
    if (group === null) return palette.other;
    const color = this.#colors.get(group);
    if (color !== undefined) return palette.categories[color];
    if (!this.#pale.has(group)) this.#pale.set(group, paleTone(group));
    return this.#pale.get(group);
  }
}

function paleTone(name) {
  // The hash FNV-1a, so that similar names get different colors.
  let hash = 0x811c9dc5;
  for (const byte of new TextEncoder().encode(name)) hash = Math.imul(hash ^ byte, 0x01000193) >>> 0;
  const angle = (2 * Math.PI * (hash % HUES)) / HUES;
  const lightness = LIGHTNESSES[Math.floor(hash / HUES) % LIGHTNESSES.length];
  return toneFrom(hexOf([lightness, CHROMA * Math.cos(angle), CHROMA * Math.sin(angle)]));
}
