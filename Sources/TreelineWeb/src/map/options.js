// Checks the options of a layer.

import { criterionOf } from "../criterion.js";
import { asText, QueryError } from "../errors.js";
import { refuseUnknown } from "../options.js";

/** @param {unknown} value */
const isText = (value) => typeof value === "string";
/** @param {unknown} value */
const isFunction = (value) => typeof value === "function";

const THEMES = ["auto", "light", "dark"];

/**
 * What the options must be, with tests. The test of a cut throws an error that says more.
 *
 * @type {Record<string, [string, (value: any) => boolean]>}
 */
const OPTIONS = {
  cut: ["a cut", (value) => criterionOf(value) !== null],
  colorBy: ["the name of a column", isText],
  order: ["an array of texts", (value) => Array.isArray(value) && value.every(isText)],
  filter: ["a text or a function", (value) => isText(value) || isFunction(value)],
  ellipses: ["true or false", (value) => typeof value === "boolean"],
  theme: ["auto, light, dark or an object of colors", (value) => (typeof value === "object" && !Array.isArray(value)) || THEMES.includes(value)],
  onPoint: ["a function", isFunction], onCluster: ["a function", isFunction], onError: ["a function", isFunction],
};

/**
 * Returns an error for each wrong option, by the name of the option. An option may also be undefined or null.
 *
 * @param {any} options
 * @returns {Map<string, any>}
 */
export function problemsOf(options) {
  const problems = new Map();
  for (const name of options && typeof options === "object" && !Array.isArray(options) ? Object.keys(options) : [""]) {
    try {
      refuseUnknown(name ? { [name]: 0 } : options, Object.keys(OPTIONS), "addTreeline");
      const value = options[name] ?? undefined;
      const [expected, suits] = OPTIONS[name];
      if (value === undefined || suits(value)) continue;
      throw new QueryError(`Expected ${expected} as the option '${name}', found ${asText(value)}`);
    } catch (error) {
      problems.set(name, error);
    }
  }
  return problems;
}
