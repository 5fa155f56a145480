// The cuts that the viewer offers, and all that it knows of each. To add one, add it to CUTS. ViewerConstantsTests
// holds their names and defaults, and those of the orders, to the library's.

import { number } from "./text.js";

/**
 * By the name of the setting that holds the cut's amount, in the order in which they are offered.
 *
 * - `range`, `unit`: of the amount; `standard`: its default; `step`: between two amounts, 1 unless given.
 * - `isByPixels`: whether what is shown depends on the zoom alone, so that tiles agree with each other.
 * - `hasOrder`: whether the order of splits is a choice.
 * - `isOf(index)`: whether an index can be cut so.
 * - `describe(amount)`: what it promises, in a sentence.
 * - `parameters(settings)`: what the server is asked for.
 */
export const CUTS = {
  spacing: {
    label: "Spacing", standard: 44, range: [24, 120], unit: " px", isByPixels: true, hasOrder: false,
    isOf: (index) => index.has_separations,
    describe: (amount) => `No two badges are closer than ${amount} px, and a pan changes nothing.`,
    parameters: ({ spacing }) => ({ spacing }),
  },
  badges: {
    label: "Badges", standard: 1, range: [0.5, 2], unit: "x", step: 0.25, isByPixels: true, hasOrder: false,
    isOf: (index) => index.has_badges,
    describe: (amount) => `As many badges and dots as have room, drawn ${amount === 1 ? "in full" : `at ${amount}x`}; none touch.`,
    parameters: ({ badges }) => ({ badges }),
  },
  limit: {
    label: "Limit", standard: 100, range: [1, 500], unit: "", isByPixels: false, hasOrder: true,
    isOf: () => true,
    describe: (amount) => `${number(amount)} badges at most, as fine as that allows.`,
    parameters: ({ limit, order }) => ({ limit, order }),
  },
  detail: {
    label: "Detail", standard: 20, range: [4, 80], unit: " px", isByPixels: true, hasOrder: false,
    isOf: () => true,
    describe: (amount) => `The points of a badge lie within about ${amount} px of it.`,
    parameters: ({ detail }) => ({ detail }),
  },
};

/** The orders of splits with their labels. */
export const LABELED_ORDERS = [
  ["breadth-first", "level by level"], ["widest-first", "the widest"], ["steepest-first", "the steepest"],
];

/** The default amount of each cut. */
export const CUT_DEFAULTS = ofEach(({ standard }) => standard);

/** The range of the amount of each cut. */
export const CUT_RANGES = ofEach(({ range }) => range);

function ofEach(value) {
  return Object.fromEntries(Object.entries(CUTS).map(([name, cut]) => [name, value(cut)]));
}

/** The cut that is chosen, with its name and amount. */
export function chosenCut(settings) {
  const name = settings.by;
  return { ...CUTS[name], name, amount: settings[name] };
}

/**
 * The lowest limit that all of an index can be asked by: there is a cluster of each group, and of each point that is in
 * none.
 */
export const leastLimit = ({ groups = [], never_clustered_point_count: lone = 0 }) => Math.max(1, groups.length + lone);

/** The parameters by which the server cuts the tree as chosen. */
export const cutParameters = (settings) => CUTS[settings.by].parameters(settings);

/** The names of the cuts that an index can have and a source makes, on tiles or on the map. */
export const availableCuts = (index, { cuts }, isOnTiles) =>
  Object.keys(CUTS).filter((name) =>
    CUTS[name].isOf(index) && (cuts?.includes(name) ?? true) && (CUTS[name].isByPixels || !isOnTiles));
