// What is asked of the points' values: which of them count, what badges tell of them, and how both are written for the
// server.

import { leastLimit } from "./cut.js";
import { Problem } from "./source.js";

/** How many categories have colours of their own; all others share one. */
export const CATEGORIES = 6;

/** The category of all that has no colour of its own, as settings have it. */
const OTHER = "*";

/** A name of a column in a filter (CQL2). */
const named = (column) => `"${column.replaceAll('"', '""')}"`;

const text = (value) => `'${value.replaceAll("'", "''")}'`;

/** An edge of a histogram in a filter: a number, a date or a moment. */
function edge(value) {
  if (!Number.isNaN(Number(value))) return value;
  return /^-?\d+-\d\d-\d\d$/.test(value) ? `DATE(${text(value)})` : `TIMESTAMP(${text(value)})`;
}

/** The values that settings list, such as `hotel,inn`. */
export const listed = (setting) => (setting === "" ? [] : setting.split(",").map(decodeURIComponent));

/** The same the other way. */
export const listing = (values) => values.map((value) => encodeURIComponent(value).replaceAll("*", value === OTHER ? "*" : "%2A")).join();

/** The two ends of a range of settings, such as `2001-01-01..2004-01-01`; null where there is none. */
export function rangeOf(setting) {
  const ends = setting.split("..");
  return ends.length === 2 && ends.every((end) => end !== "") ? ends : null;
}

export class Values {
  /** The categories with colours of their own, and `null` for all others, in the order of their counts. */
  categories = [];
  #loaded = "";

  constructor(source) {
    this.source = source;
  }

  /** The columns of an index of some kinds. */
  static columns(index, ...kinds) {
    return index.columns.filter((column) => kinds.includes(index.column_kinds[column]));
  }

  /**
   * Finds the categories of the column that is chosen.
   *
   * @returns Whether they are others than before.
   */
  async load(index, { donuts }) {
    const key = `${index.name} ${index.version} ${donuts}`;
    if (key === this.#loaded) return false;
    this.#loaded = key;
    this.categories = [];
    this.kind = index.column_kinds[donuts];
    if (!this.kind) return true;
    const limit = leastLimit(index);
    // What is most frequent in each of several groups does not tell what is in all of them.
    const counts = limit > 1 ? `counts(${named(donuts)})` : `top(${named(donuts)}, ${CATEGORIES})`;
    const { features } = await this.source.clusters(index.name, { limit, aggregate: `${counts}, count` });
    if (key !== this.#loaded || features.length === 0) return false;
    const frequencies = new Map();
    let rest = 0;
    for (const { properties } of features) {
      rest += properties.count;
      for (const [value, count] of Object.entries(properties[`counts_${donuts}`] ?? properties[`top_${donuts}`] ?? {})) {
        frequencies.set(value, (frequencies.get(value) ?? 0) + count);
      }
    }
    const sorted = [...frequencies].sort(([a, m], [b, n]) => n - m || (a < b ? -1 : 1)).slice(0, CATEGORIES);
    this.categories = sorted.map(([value]) => value);
    for (const [, count] of sorted) rest -= count;
    if (rest > 0) this.categories.push(null);
    return true;
  }

  /** What the server is asked for besides a view and a cut. */
  query(settings) {
    const { donuts, sum } = settings;
    const aggregates = [donuts && `counts(${named(donuts)})`, sum && `sum(${named(sum)})`].filter(Boolean);
    const filter = this.filter(settings);
    return { ...(filter && { filter }), ...(aggregates.length > 0 && { aggregate: aggregates.join(", ") }) };
  }

  /**
   * Which points count, as a filter; empty for all.
   *
   * @param isWholeRange Whether those beyond the range count, too.
   */
  filter(settings, isWholeRange = false) {
    const { brush, range } = settings;
    const conditions = [this.#categoryFilter(settings)];
    if (settings.where) conditions.unshift(`(${settings.where})`);
    const ends = brush && !isWholeRange && rangeOf(range);
    if (ends) conditions.push(`${named(brush)} >= ${edge(ends[0])} AND ${named(brush)} < ${edge(ends[1])}`);
    return conditions.filter(Boolean).join(" AND ");
  }

  #categoryFilter({ donuts, off }) {
    const hidden = new Set(listed(off));
    if (!donuts || hidden.size === 0 || this.categories.length === 0) return "";
    const column = named(donuts);
    const own = this.categories.filter((category) => category !== null);
    const isAny = (values) =>
      this.kind === "boolean" ? values.map((value) => `${column} = ${value.toUpperCase()}`).join(" OR ")
        : `${column} IN (${values.map(text).join(", ")})`;
    const shown = own.filter((category) => !hidden.has(category));
    if (hidden.has(OTHER)) return shown.length > 0 ? `(${isAny(shown)})` : `(${column} IS NULL AND NOT ${column} IS NULL)`;
    const away = own.filter((category) => hidden.has(category));
    // What is missing is none of those that are hidden, and belongs to the others.
    return away.length > 0 ? `(NOT (${isAny(away)}) OR ${column} IS NULL)` : "";
  }

  /** A category as settings have it. */
  static settingOf(category) {
    return category ?? OTHER;
  }

  /** How many points of a cluster each category has, as GeoJSON or a tile tells; null where badges are no donuts. */
  parts(properties, { donuts }) {
    if (!donuts || this.categories.length === 0) return null;
    const name = `counts_${donuts}`;
    const counts = properties[name];
    let rest = properties.point_count;
    const parts = this.categories.map((category) => {
      if (category === null) return 0;
      const count = (counts ? counts[category] : properties[`${name}.${category}`]) ?? 0;
      rest -= count;
      return count;
    });
    if (this.categories.at(-1) === null) parts[parts.length - 1] = rest;
    return parts;
  }

  /** What the server tells of a cluster for a list, and how it is said there. */
  async facts(index, id, filter) {
    const columns = Values.columns(index, "number", "time", "category", "boolean").slice(0, 6);
    if (columns.length === 0) return [];
    const aggregates = columns.flatMap((column) => ABOUT[index.column_kinds[column]].map((ask) => ask(named(column))));
    const query = { aggregate: aggregates.join(", "), ...(filter && { filter }) };
    const { properties } = await this.source.cluster(index.name, id, undefined, query);
    return columns.map((column) => [column, SAY[index.column_kinds[column]](properties, column)]).filter(([, said]) => said);
  }
}

/** What is asked of a column of each kind, 16 in all at most. */
const FEW = [(column) => `top(${column}, 3)`];
const ABOUT = {
  number: [(column) => `sum(${column})`, (column) => `mean(${column})`],
  time: [(column) => `min(${column})`, (column) => `max(${column})`],
  category: FEW,
  boolean: FEW,
};

/** The same said. */
const few = (properties, column) =>
  Object.entries(properties[`top_${column}`] ?? {}).map(([value, count]) => `${value} ${rounded(count)}`).join(", ");
const SAY = {
  number: (properties, column) =>
    typeof properties[`mean_${column}`] !== "number" ? "" : `${rounded(properties[`sum_${column}`])}, on average ${rounded(properties[`mean_${column}`])}`,
  time: (properties, column) => {
    const [first, last] = ["min", "max"].map((name) => properties[`${name}_${column}`]);
    return (first ?? null) === null ? "" : first === last ? first : `${first} to ${last}`;
  },
  category: few,
  boolean: few,
};

const rounded = (value) => new Intl.NumberFormat("en", { maximumSignificantDigits: 6 }).format(value);

/** Whether the server refuses a filter or what is asked of values. */
export const isRefused = (error) => error instanceof Problem && error.status === 400;
