// Checks cuts. A page that queries a server needs only these checks, not the code that cuts a tree.

import { QueryError, refuseUnknown } from "./errors.js";

const CUT = ["badges", "spacing", "detail", "limit", "order", "continuing", "minPoints", "aloneFromZoom"];
const ORDERS = ["breadth-first", "widest-first", "steepest-first"];

/**
 * Checks a cut and returns the name of its criterion: the option that decides how finely points are split.
 *
 * @param {import("./cuts.js").Cut} cut
 * @returns {"badges" | "spacing" | "detail" | "limit"}
 */
export function criterionOf(cut) {
  refuseUnknown(cut, CUT, "cut");
  const { badges, spacing, detail, limit, order, minPoints = 2, aloneFromZoom = Infinity } = cut;
  const given = (badges === undefined ? 0 : 1) + (spacing === undefined ? 0 : 1) + (detail === undefined ? 0 : 1);
  if (given > 1) throw new QueryError("A cut takes only one of badges, spacing and detail, found several");
  if (limit !== undefined && limit !== Infinity && !(Number.isInteger(limit) && limit >= 1)) {
    throw new QueryError(`Expected a limit of 1 or more clusters, found ${limit}`);
  }
  if (!given) {
    if (limit === undefined && order === undefined && !cut.continuing) throw new QueryError("A cut needs badges, spacing, detail or a limit");
    if (order === undefined || ORDERS.includes(order)) return "limit";
    throw new QueryError(`Expected one of ${ORDERS.join(", ")} as the order, found ${order}`);
  }
  const name = badges !== undefined ? "badges" : spacing !== undefined ? "spacing" : "detail";
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
