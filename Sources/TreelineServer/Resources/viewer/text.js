// Writes numbers and coordinates as text, in the language of the page.

/** The number format, which is made when it is first needed, because making it takes long. */
let whole;

/** Number of characters beyond which a text from the data is long. */
const LONG = 100;

/** Returns a number as text. A number that rounds to 0 has no sign. */
export const number = (value) => (whole ??= new Intl.NumberFormat("en", { signDisplay: "negative" })).format(value);

export const points = (count) => `${number(count)} ${count === 1 ? "point" : "points"}`;

/** Returns a share as a percentage. */
export function shareOf(part, whole) {
  const percent = Math.round((100 * part) / whole);
  return `${percent === 0 && part > 0 ? "<1" : percent}\u00a0%`;
}

export const clusters = (count) => `${number(count)} ${count === 1 ? "cluster" : "clusters"}`;

/**
 * Returns a number as a short text of two or three digits. In numbers from a thousand on, a letter such as k follows
 * the digits.
 */
export function short(value) {
  if (value < 0) return `-${short(-value)}`;
  if (value >= 1e12) return `${trim(value / 1e12)}T`;
  if (value >= 1e9) return `${trim(value / 1e9)}B`;
  if (value >= 1e6) return `${trim(value / 1e6)}M`;
  if (value >= 1e3) return `${trim(value / 1e3)}k`;
  return trim(value);
}

const trim = (value) => String(+value.toPrecision(value >= 100 ? 3 : 2));

export function kilometres(value) {
  return value < 1 ? `${Math.round(value * 1000)} m` : `${value < 10 ? value.toFixed(1) : number(Math.round(value))} km`;
}

export function coordinate(latitude, longitude, decimals = 2) {
  const part = (value, positive, negative) => `${Math.abs(value).toFixed(decimals)}° ${value < 0 ? negative : positive}`;
  return `${part(latitude, "N", "S")}, ${part(longitude, "E", "W")}`;
}

/** Returns the title of an index, or the name under which it is served. */
export const titleOf = ({ title, name }) => title ?? name;

/** Names of columns with names of points, such as `name` and `station_name`. The first pattern is tried first. */
const NAMES = [/^(name|title|label)$/i, /[_ -](name|title|label)$/i];

/**
 * Least share of different values in a column of names, least share of points with a value, and least share of values
 * with a letter.
 */
const DIFFERENT = 0.8;
const MANY = 0.5;

const columnLike = ({ columns }) => NAMES.map((like) => columns.find((column) => like.test(column))).find((column) => column);

/** Returns the column with the names of points; null if there is none. */
export const nameColumn = (index) => columnLike(index) ?? index.guessed_name ?? null;

/**
 * Names of columns whose numbers are not amounts. A point with a greater number in such a column is not more important.
 */
const NO_AMOUNT = /(^|[_ -])(id|no|nr|number|code|zip|year|row|elevation|altitude|depth|lat|latitude|lon|longitude)$|code$/i;

/** Returns the first column of amounts, such as a population; undefined if there is none. */
export const amountColumn = ({ columns, column_kinds: kinds }) => columns.find((column) => kinds[column] === "number" && !NO_AMOUNT.test(column));

/** Whether no column has the title of a column of names, so that the column of names must be guessed. */
export const needsGuess = (index) => !columnLike(index) && index.columns.some((column) => canName(index, column));

const canName = ({ column_kinds: kinds }, column) => ["text", "category", undefined].includes(own(kinds, column));

/**
 * Returns the first column of texts that mostly differ; null if there is none.
 *
 * @param sample Properties of some points. Neighbors are a good sample, because they often share a place or a postcode.
 */
export function guessedName(index, sample) {
  return index.columns.find((column) => {
    const values = sample.map((properties) => own(properties, column)).filter((value) => typeof value === "string" && value !== "");
    return canName(index, column) && values.length > 0 && values.length >= MANY * sample.length && new Set(values).size >= DIFFERENT * values.length
      && values.filter((value) => /\p{L}/u.test(value)).length >= MANY * values.length;
  }) ?? null;
}

/** Returns the value of a point in the column of names; null if the point has no name. */
export function ownNameOf(properties, index) {
  const column = nameColumn(index);
  const value = column && own(properties, column);
  return value !== undefined && value !== null && value !== "" ? String(value) : null;
}

/**
 * Returns the name of a point. If the point has no name, returns its row, or "1 point" if the row is not loaded.
 */
export function nameOf(properties, index) {
  return ownNameOf(properties, index) ?? (properties.index >= 0 ? `Row ${number(properties.index)}` : points(1));
}

/** Returns the columns in which a point has a value, each with the value as text. */
export function valuesOf(properties, columns) {
  return columns
    .map((column) => [column, own(properties, column)])
    .filter(([, value]) => value !== undefined && value !== null && value !== "")
    .map(([column, value]) => [column, typeof value === "object" ? JSON.stringify(value) : String(value)]);
}

/** Returns the columns in which a point has a value, each with the value as text. Leaves out the name of the point. */
export function factsOf(properties, index) {
  const name = nameOf(properties, index);
  return valuesOf(properties, index.columns).filter(([, value]) => value !== name);
}

/**
 * Returns a text about a cluster. If the index has groups that never mix, the name of the group comes first.
 */
export function withGroup({ cluster_group: group }, said) {
  return [group === "" ? "without a group" : group, said].filter(Boolean).join(" · ");
}

/**
 * Returns the value of an object under a name; undefined if there is none. Columns and categories may have names such
 * as `constructor`, which every object inherits.
 */
export const own = (object, name) => (Object.hasOwn(object, name) ? object[name] : undefined);

/** Returns a text from the data for a sentence. A text from right to left does not change the order around it. */
export const isolated = (text) => (/[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]/.test(text) ? `\u2068${text}\u2069` : text);

/** Returns a text from the data for a sentence about several texts. Leaves out the end of a long text. */
export const brief = (text) => isolated(text.length > LONG ? `${[...text].slice(0, LONG - 1).join("")}…` : text);

/** Returns an element with a text from the data. The stylesheet limits its lines, and a long text is its title, too. */
export const valueElement = (tag, text, attributes = {}) =>
  element(tag, { dir: "auto", className: "value", title: text.length > LONG ? text : "", ...attributes }, text);

/** Returns HTML that displays a text exactly as it is. */
export const escaped = (text) => element("p", {}, text).innerHTML;

/** Returns an element with attributes and children. Texts among the children are never read as markup. */
export function element(tag, attributes = {}, ...children) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name in node) node[name] = value;
    else node.setAttribute(name, value);
  }
  node.append(...children.filter((child) => child !== null && child !== undefined));
  return node;
}
