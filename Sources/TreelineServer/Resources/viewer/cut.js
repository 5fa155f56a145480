// The cuts that the viewer offers. To add a cut, add it to CUTS, which contains everything that the viewer needs to
// know about a cut. ViewerConstantsTests compares the names and defaults of cuts and orders with the library.

import { number } from "./text.js";

/**
 * The cuts in the order in which they are offered. The name of a cut is also the name of the setting with the amount of
 * the cut.
 *
 * - `range`, `unit`: range and unit of the amount. `standard`: default amount. `step`: step between two amounts, by
 *   default 1.
 * - `isByPixels`: whether the clusters depend only on the zoom, not on the view. Only clusters of such cuts fit
 *   together in neighboring tiles.
 * - `keepsApart`: whether no two badges of an answer touch.
 * - `hasOrder`: whether the order of splits can be chosen.
 * - `isOf(index)`: whether an index supports the cut. `needs`: what an index needs for the cut.
 * - `describe(amount)`: a sentence that says what the cut guarantees.
 * - `parameters(settings)`: the parameters for the server.
 */
export const CUTS = {
  spacing: {
    label: "Spacing", standard: 44, range: [24, 120], unit: " px", isByPixels: true, keepsApart: true, hasOrder: false,
    isOf: (index) => index.has_separations, needs: "an index built with “--for spacing”",
    describe: (amount) => `Badges are at least ${amount} px apart, and stay the same when the map is panned.`,
    parameters: ({ spacing }) => ({ spacing }),
  },
  badges: {
    label: "Badges", standard: 1, range: [0.5, 2], unit: "x", step: 0.25, isByPixels: true, keepsApart: true, hasOrder: false,
    isOf: (index) => index.has_badges, needs: "an index built with “--for badges”",
    describe: (amount) => `Shows as many badges and dots as fit without touching each other. Badges and dots are drawn at ${amount === 1 ? "full size" : `${amount} times their full size`}.`,
    parameters: ({ badges }) => ({ badges }),
  },
  limit: {
    label: "Limit", standard: 100, range: [1, 500], unit: "", isByPixels: false, hasOrder: true,
    isOf: () => true,
    describe: (amount) => `At most ${number(amount)} badges, with as much detail as possible.`,
    parameters: ({ limit, order }) => ({ limit, order }),
  },
  detail: {
    label: "Detail", standard: 20, range: [4, 80], unit: " px", isByPixels: true, hasOrder: false,
    isOf: () => true,
    describe: (amount) => `The points of a badge lie within about ${amount} px of the badge.`,
    parameters: ({ detail }) => ({ detail }),
  },
};

/**
 * Widths of grid cells that a user can choose, in pixels. By default the server uses 32, 64 or 88 pixels at most zooms.
 */
export const GRID_CELLS = [32, 64, 88, 128];

/** The default amount of each cut. */
export const CUT_DEFAULTS = ofEach(({ standard }) => standard);

/** The range of the amount of each cut. */
export const CUT_RANGES = ofEach(({ range }) => range);

function ofEach(value) {
  return Object.fromEntries(Object.entries(CUTS).map(([name, cut]) => [name, value(cut)]));
}

/** Returns the chosen cut together with its name and amount. */
export function chosenCut(settings) {
  const name = settings.by;
  return { ...CUTS[name], name, amount: settings[name] };
}

/**
 * Returns the least limit with which the clusters of a whole index can be requested. A request needs one cluster for
 * each group, and one for each point that is in no group.
 */
export const leastLimit = ({ groups = [], never_clustered_point_count: lone = 0 }) => Math.max(1, groups.length + lone);

/** Returns the parameters of the chosen cut for the server. */
export const cutParameters = (settings) => CUTS[settings.by].parameters(settings);

/**
 * Returns the names of the cuts that both an index and a source support. Fewer cuts are available on tiles than in
 * other views.
 */
export const availableCuts = (index, { cuts }, isOnTiles) =>
  Object.keys(CUTS).filter((name) =>
    CUTS[name].isOf(index) && (cuts?.includes(name) ?? true) && (CUTS[name].isByPixels || !isOnTiles));

/** Returns the name of the cut that suits an index best among the available cuts. */
export const suitableCut = ({ default_cut }, cuts) => cuts.find((name) => name in default_cut) ?? cuts[0];
