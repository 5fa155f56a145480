// Numbers and coordinates in words, in the language of the page.

const whole = new Intl.NumberFormat("en");

export const number = (value) => whole.format(value);

export const points = (count) => `${number(count)} ${count === 1 ? "point" : "points"}`;

export const clusters = (count) => `${number(count)} ${count === 1 ? "cluster" : "clusters"}`;

/** A number in three digits or so. */
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

/** What an index is called: its title, or the name that it is served under. */
export const titleOf = ({ title, name }) => title ?? name;

/** What a point is called: its column of that name, or the first column with a text. */
export function nameOf(properties, columns) {
  const column = columns.find((name) => /^(name|title|label)$/i.test(name)) ?? columns[0];
  const value = column && properties[column];
  return value !== undefined && value !== null && value !== "" ? String(value) : `Row ${number(properties.index)}`;
}

/** The other columns of a point that say something. */
export function factsOf(properties, columns) {
  const name = nameOf(properties, columns);
  return columns
    .map((column) => [column, properties[column]])
    .filter(([, value]) => value !== undefined && value !== null && value !== "" && String(value) !== name)
    .map(([column, value]) => [column, typeof value === "object" ? JSON.stringify(value) : String(value)]);
}

/** What is said of a cluster, behind the group that it is of in an index of groups that never mix. */
export function withGroup({ cluster_group: group }, said) {
  return [group === "" ? "without a group" : group, said].filter(Boolean).join(" · ");
}

/** Text as HTML that shows it. */
export const escaped = (text) => element("p", {}, text).innerHTML;

/** An element with attributes and children; text is text, never markup. */
export function element(tag, attributes = {}, ...children) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name in node) node[name] = value;
    else node.setAttribute(name, value);
  }
  node.append(...children.filter((child) => child !== null && child !== undefined));
  return node;
}
