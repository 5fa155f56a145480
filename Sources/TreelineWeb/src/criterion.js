// The criteria of cuts, and checks of cuts. A page that queries a server needs only this module, not the code that cuts
// a tree.

import { asText, QueryError } from "./errors.js";
import { refuseUnknown } from "./options.js";

/**
 * @typedef {"breadth-first" | "widest-first" | "steepest-first"} Order Says which cluster is split next while the limit
 *   allows a split. `breadth-first` splits level by level. `widest-first` splits the cluster with the most scatter,
 *   which is the sum of the squared distances of the cluster's points to their mean. `steepest-first` splits the
 *   cluster whose split reduces the scatter most.
 *
 * @typedef {object} Cut How finely points are split into clusters. Give one of `badges`, `spacing` and `detail`, with
 *   or without a `limit`, or give the `limit` alone.
 * @property {number} [badges] Splits clusters as long as no two badges touch. The number is the scale of badges: 1 is
 *   full size.
 * @property {number} [spacing] Splits clusters as long as all clusters stay at least this many pixels apart.
 * @property {number} [detail] Splits clusters until points lie within this many pixels of their cluster's mean, on
 *   average.
 * @property {number} [limit] Greatest number of clusters. Without `badges`, `spacing` and `detail`, the default is 100.
 * @property {Order} [order] Order of splits. Allowed only if the limit is the only criterion.
 * @property {{readonly nodes: Uint32Array} | import("./server.js").RemoteClusters} [continuing] An earlier answer of
 *   this tree. The cut keeps as many clusters of this answer as the limit allows. Allowed only if the limit is the only
 *   criterion.
 * @property {number} [minPoints] Clusters with fewer points than this are shown as single points. Allowed only with a
 *   spacing or a detail.
 * @property {number} [aloneFromZoom] From this zoom on, only points at one position share a cluster. Allowed only with
 *   a spacing or a detail.
 */

/**
 * @typedef {"spacing" | "badges" | "detail"} PixelCriterion
 *
 * @typedef {object} Criterion A criterion in pixels.
 * @property {"spacing" | "badges" | null} purpose What a tree must be built for. Null if every tree has what the
 *   criterion needs.
 * @property {(index: any) => boolean} isOf Whether an index supports the criterion, by what a server says of the index.
 * @property {boolean} keepsApart Whether no two badges touch if each cluster is at its own position.
 * @property {boolean} hasUnclustered Whether `minPoints` and `aloneFromZoom` are allowed.
 * @property {string} noun The cut in messages.
 * @property {number} standard The default amount.
 * @property {[number, number]} range The amounts that a control offers.
 * @property {number} [step] Step between two amounts of a control. The default is 1.
 * @property {string} unit
 * @property {(amount: number) => string} describe Returns a sentence that says what the cut guarantees.
 */

/**
 * The criteria in pixels. A control offers them in this order.
 *
 * @type {Record<PixelCriterion, Criterion>}
 */
export const PIXEL_CRITERIA = {
  spacing: {
    purpose: "spacing", isOf: ({ has_separations }) => has_separations, keepsApart: true, hasUnclustered: true,
    noun: "A spacing", standard: 44, range: [24, 120], unit: " px",
    describe: (amount) => `Badges are at least ${amount} px apart, and stay the same when the map is panned.`,
  },
  badges: {
    purpose: "badges", isOf: ({ has_badges }) => has_badges, keepsApart: true, hasUnclustered: false,
    noun: "A cut by badges", standard: 1, range: [0.5, 2], step: 0.25, unit: "x",
    describe: (amount) => `Shows as many badges and dots as fit without touching each other. Badges and dots are drawn at ${amount === 1 ? "full size" : `${amount} times their full size`}.`,
  },
  detail: {
    purpose: null, isOf: () => true, keepsApart: false, hasUnclustered: true,
    noun: "A detail", standard: 20, range: [4, 80], unit: " px",
    describe: (amount) => `The points of a badge lie within about ${amount} px of the badge.`,
  },
};

/**
 * Throws an error if a tree does not have the data that a criterion needs.
 *
 * @param {Criterion} criterion
 * @param {Criterion["purpose"]} purpose What the tree was built for.
 */
export function checkPurpose({ purpose: needed, noun }, purpose) {
  if (needed && needed !== purpose) throw new QueryError(`${noun} needs a tree that was built for '${needed}'`);
}

/** Names of the criteria in pixels. */
export const PIXEL_NAMES = /** @type {PixelCriterion[]} */ (Object.keys(PIXEL_CRITERIA));

/** Names of the options of a cut that may decide how finely points are split. */
export const CRITERIA = [...PIXEL_NAMES, "limit"];

const CUT = [...CRITERIA, "order", "continuing", "minPoints", "aloneFromZoom"];

/** Orders of splits. */
export const ORDERS = ["breadth-first", "widest-first", "steepest-first"];

/**
 * Checks a cut and returns the name of its criterion: the option that decides how finely points are split.
 *
 * @param {Cut} cut
 * @returns {PixelCriterion | "limit"}
 */
export function criterionOf(cut) {
  refuseUnknown(cut, CUT, "a cut");
  const { limit, order, minPoints = 2, aloneFromZoom = Infinity } = cut;
  /** @type {PixelCriterion | null} */
  let name = null;
  for (const each of PIXEL_NAMES) {
    if (cut[each] === undefined) continue;
    if (name) throw new QueryError(`A cut takes only one of ${PIXEL_NAMES.join(", ")}; found ${name} and ${each}`);
    name = each;
  }
  if (limit !== undefined && limit !== Infinity && !(Number.isInteger(limit) && limit >= 1)) {
    throw new QueryError(`Expected a limit of 1 or more clusters, found ${asText(limit)}`);
  }
  if ((cut.minPoints !== undefined || cut.aloneFromZoom !== undefined) && !(name && PIXEL_CRITERIA[name].hasUnclustered)) {
    throw new QueryError(`A cut by ${name ?? "a limit"} cannot have the options 'minPoints' and 'aloneFromZoom'; give a spacing or a detail`);
  }
  if (!name) {
    if (limit === undefined && order === undefined && !cut.continuing) throw new QueryError(`A cut needs ${PIXEL_NAMES.join(", ")} or a limit`);
    if (order === undefined || ORDERS.includes(order)) return "limit";
    throw new QueryError(`Expected one of ${ORDERS.join(", ")} as the order, found ${asText(order)}`);
  }
  const pixels = cut[name];
  if (typeof pixels !== "number" || !(pixels >= 0) || pixels === Infinity) {
    throw new QueryError(`Expected a finite number of 0 or more for ${name}, found ${asText(pixels)}`);
  }
  if (order !== undefined || cut.continuing) throw new QueryError(`A cut by ${name} cannot have the options 'order' and 'continuing'; give a limit instead of ${name}`);
  if (!(Number.isInteger(minPoints) && minPoints >= 1)) throw new QueryError(`Expected minPoints of 1 or more, found ${asText(minPoints)}`);
  if (typeof aloneFromZoom !== "number" || Number.isNaN(aloneFromZoom)) {
    throw new QueryError(`Expected a number as aloneFromZoom, found ${asText(aloneFromZoom)}`);
  }
  return name;
}

/**
 * Checks the cut of a question about zooms. Such a cut is in pixels.
 *
 * @param {Cut} cut
 * @returns {PixelCriterion}
 */
export function pixelCriterionOf(cut) {
  const name = criterionOf(cut);
  if (name !== "limit") return name;
  throw new QueryError(`Expected a cut by ${PIXEL_NAMES.join(", ")}, found a limit; with a limit, the clusters depend on the view`);
}
