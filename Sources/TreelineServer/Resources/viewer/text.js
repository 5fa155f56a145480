// Writes numbers and coordinates as text, in the language of the page.

/** The number format, which is made when it is first needed, because making it takes long. */
let whole;

/** Returns a number as text. A number that rounds to 0 has no sign. */
export const number = (value) => (whole ??= new Intl.NumberFormat("en", { signDisplay: "negative" })).format(value);

export const points = (count) => `${number(count)} ${count === 1 ? "point" : "points"}`;

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

/** Returns the column with the names of points. */
export const nameColumn = (columns) => columns.find((name) => /^(name|title|label)$/i.test(name)) ?? columns[0];

/**
 * Returns the value of a point's column `name`, `title` or `label`, or otherwise of the first column; null if the point
 * has no value there.
 */
export function ownNameOf(properties, columns) {
  const column = nameColumn(columns);
  const value = column && properties[column];
  return value !== undefined && value !== null && value !== "" ? String(value) : null;
}

/**
 * Returns the name of a point. If the point has no name, returns its row, or "1 point" if the row is not loaded.
 */
export function nameOf(properties, columns) {
  return ownNameOf(properties, columns) ?? (properties.index >= 0 ? `Row ${number(properties.index)}` : points(1));
}

/** Returns the columns in which a point has a value, each with the value as text. */
export function valuesOf(properties, columns) {
  return columns
    .map((column) => [column, properties[column]])
    .filter(([, value]) => value !== undefined && value !== null && value !== "")
    .map(([column, value]) => [column, typeof value === "object" ? JSON.stringify(value) : String(value)]);
}

/** Returns the columns in which a point has a value, each with the value as text. Leaves out the name of the point. */
export function factsOf(properties, columns) {
  const name = nameOf(properties, columns);
  return valuesOf(properties, columns).filter(([, value]) => value !== name);
}

/**
 * Returns a text about a cluster. If the index has groups that never mix, the name of the group comes first.
 */
export function withGroup({ cluster_group: group }, said) {
  return [group === "" ? "without a group" : group, said].filter(Boolean).join(" · ");
}

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
