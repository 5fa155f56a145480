// The names of options, and errors for other names. A misspelt option must not be ignored.

import { asText, QueryError } from "./errors.js";

/**
 * Throws an error if an object has an unknown property, such as a misspelt option.
 *
 * @param {any} object
 * @param {string[]} known
 * @param {string} what What the options belong to.
 */
export function refuseUnknown(object, known, what, Failure = QueryError) {
  if (typeof object !== "object" || !object || Array.isArray(object)) throw new Failure(`Expected an object as the options of ${what}, found ${asText(object)}`);
  for (const name in object) if (!known.includes(name)) throw new Failure(`The options of ${what} are ${known.join(", ")}, not '${name}'`);
}

/** Names of the options that a query may have. */
const QUERY = [
  "bbox", "center", "tile", "zoom", "width", "height", "tileSize", "margin", "cut", "position", "keepVisible", "aggregate", "ellipses",
];

/** @param {object} query */
export const checkQuery = (query) => refuseUnknown(query, QUERY, "a query");

/** @param {object} options */
export const checkPage = (options) => refuseUnknown(options, ["limit", "offset", "signal"], "members");

/**
 * @param {object} options
 * @param {string} method
 */
export const checkScale = (options, method) => refuseUnknown(options, ["cut", "tileSize", "signal"], method);

/**
 * Checks the options of a method whose only option is a signal.
 *
 * @param {object} options
 * @param {string} method
 */
export const checkSignal = (options, method) => refuseUnknown(options, ["signal"], method);
