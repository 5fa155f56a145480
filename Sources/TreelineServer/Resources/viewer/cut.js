// The cuts that the viewer offers. The module `criterion.js` of the web package describes the cuts by pixels.
// ViewerConstantsTests compares the names and defaults of cuts and orders with the library.

import { number } from "./text.js";
import { PIXEL_CRITERIA } from "./vendor/treeline/criterion.js";

/**
 * The cuts in the order in which they are offered. The name of a cut is also the name of the setting with the amount of
 * the cut. In addition to the properties of a criterion:
 *
 * - `isByPixels`: whether the clusters depend only on the zoom, not on the view. Only clusters of such cuts fit
 *   together in neighboring tiles.
 * - `hasOrder`: whether the order of splits can be chosen.
 * - `needs`: what an index needs for the cut.
 */
export const CUTS = {
  ...Object.fromEntries(Object.entries(PIXEL_CRITERIA).map(([name, criterion]) => [name, {
    ...criterion, label: name[0].toUpperCase() + name.slice(1), isByPixels: true, hasOrder: false,
    needs: `an index built with “--for ${criterion.purpose}”`,
  }])),
  limit: {
    label: "Limit", standard: 100, range: [1, 500], unit: "", isByPixels: false, hasOrder: true, isOf: () => true,
    describe: (amount) => `At most ${number(amount)} badges, with as much detail as possible.`,
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
export const cutParameters = ({ by, order, ...amounts }) =>
  ({ [by]: amounts[by], ...(CUTS[by].hasOrder && { order }) });

/**
 * Returns the names of the cuts that both an index and a source support. Fewer cuts are available on tiles than in
 * other views.
 */
export const availableCuts = (index, { cuts }, isOnTiles) =>
  Object.keys(CUTS).filter((name) =>
    CUTS[name].isOf(index) && (cuts?.includes(name) ?? true) && (CUTS[name].isByPixels || !isOnTiles));

/**
 * If the chosen cut is not among the available cuts, chooses the available cut that suits an index best. Returns
 * whether another cut was chosen.
 */
export function suitCut(settings, { default_cut }, cuts) {
  if (cuts.includes(settings.by)) return false;
  settings.leaveCut();
  settings.set({ by: cuts.find((name) => name in default_cut) ?? cuts[0] });
  return true;
}
