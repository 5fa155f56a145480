// How the tree can be cut: all that the viewer knows of each way, and the parameters by which the server knows it.

import { DEFAULT_DETAIL, DEFAULT_LIMIT, DEFAULT_SPACING } from "./constants.js";
import { number } from "./text.js";

/** In the order in which they are offered. Those by pixels show the same on every tile. */
export const CUTS = {
  spacing: {
    standard: DEFAULT_SPACING, range: [24, 120], unit: " px", isByPixels: true,
    says: (value) => `No two badges are closer than ${value} px, and a pan changes nothing.`,
    parameters: ({ spacing }) => ({ spacing }),
    isOf: (index) => index.has_separations,
  },
  limit: {
    standard: DEFAULT_LIMIT, range: [1, 500], unit: "", isByPixels: false,
    says: (value) => `${number(value)} badges at most, as fine as that allows.`,
    parameters: ({ limit, order }) => ({ limit, order }),
    isOf: () => true,
  },
  detail: {
    standard: DEFAULT_DETAIL, range: [4, 80], unit: " px", isByPixels: true,
    says: (value) => `The points of a badge lie within about ${value} px of it.`,
    parameters: ({ detail }) => ({ detail }),
    isOf: () => true,
  },
};

/** What the server is asked for. */
export const cutOf = (settings) => CUTS[settings.by].parameters(settings);

/** The same where a cut must show the same whatever is in view: for tiles, and for where clusters fall apart. */
export const pixelCutOf = (settings) => (CUTS[settings.by].isByPixels ? cutOf(settings) : CUTS.spacing.parameters(settings));

/** What an index can be cut by, on tiles or on the map. */
export const cutsOf = (index, isOnTiles) =>
  Object.keys(CUTS).filter((name) => CUTS[name].isOf(index) && (CUTS[name].isByPixels || !isOnTiles));
