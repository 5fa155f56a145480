// The criteria of cuts, and checks of cuts. A page that queries a server needs only this module, not the code that cuts
// a tree.

import { QueryError, refuseUnknown } from "./errors.js";

/** @typedef {"badges" | "spacing" | "detail"} PixelCriterion */

/**
 * The criteria in pixels. `keepsApart` says whether no two badges touch if each cluster is at its own position.
 *
 * @type {Record<PixelCriterion, {keepsApart: boolean}>}
 */
export const PIXEL_CRITERIA = { badges: { keepsApart: true }, spacing: { keepsApart: true }, detail: { keepsApart: false } };

const PIXEL_NAMES = /** @type {PixelCriterion[]} */ (Object.keys(PIXEL_CRITERIA));

/** Names of the options of a cut that may decide how finely points are split. */
export const CRITERIA = [...PIXEL_NAMES, "limit"];

const CUT = [...CRITERIA, "order", "continuing", "minPoints", "aloneFromZoom"];

/** Orders of splits. */
export const ORDERS = ["breadth-first", "widest-first", "steepest-first"];

/**
 * Checks a cut and returns the name of its criterion: the option that decides how finely points are split.
 *
 * @param {import("./cuts.js").Cut} cut
 * @returns {PixelCriterion | "limit"}
 */
export function criterionOf(cut) {
  refuseUnknown(cut, CUT, "cut");
  const { limit, order, minPoints = 2, aloneFromZoom = Infinity } = cut;
  /** @type {PixelCriterion | null} */
  let name = null;
  for (const each of PIXEL_NAMES) {
    if (cut[each] === undefined) continue;
    if (name) throw new QueryError(`A cut takes only one of ${PIXEL_NAMES.join(", ")}; found ${name} and ${each}`);
    name = each;
  }
  if (limit !== undefined && limit !== Infinity && !(Number.isInteger(limit) && limit >= 1)) {
    throw new QueryError(`Expected a limit of 1 or more clusters, found ${limit}`);
  }
  if (!name) {
    if (limit === undefined && order === undefined && !cut.continuing) throw new QueryError(`A cut needs ${PIXEL_NAMES.join(", ")} or a limit`);
    if (order === undefined || ORDERS.includes(order)) return "limit";
    throw new QueryError(`Expected one of ${ORDERS.join(", ")} as the order, found ${order}`);
  }
  const pixels = cut[name];
  if (typeof pixels !== "number" || !(pixels >= 0) || pixels === Infinity) {
    throw new QueryError(`Expected a finite number of 0 or more for ${name}, found ${pixels}`);
  }
  if (order !== undefined || cut.continuing) throw new QueryError(`A cut by ${name} cannot have the options 'order' and 'continuing'; give a limit instead of ${name}`);
  if (!(Number.isInteger(minPoints) && minPoints >= 1)) throw new QueryError(`Expected minPoints of 1 or more, found ${minPoints}`);
  if (typeof aloneFromZoom !== "number" || Number.isNaN(aloneFromZoom)) {
    throw new QueryError(`Expected a number as aloneFromZoom, found ${aloneFromZoom}`);
  }
  return name;
}
