// The values of points that the map uses. The map uses values in the filter that selects the points, and in the numbers
// and texts of badges. This module writes the filter and the aggregates as parameters for the server.

import { leastLimit } from "./cut.js";
import { Problem } from "./source.js";
import { amountColumn, brief, own, shareOf } from "./text.js";

/** Number of categories with their own colours. All other categories share one colour. */
export const CATEGORIES = 6;

/** Number of categories from which a user can choose. */
const MOST_CHOICES = 50;

/** Name in settings for all categories without their own colour. */
const OTHER = "*";

/** Returns the name of a column in the notation of filters (CQL2). */
export const named = (column) => `"${column.replaceAll('"', '""')}"`;

const text = (value) => `'${value.replaceAll("'", "''")}'`;

/** Returns an edge of a histogram in the notation of filters: as a number, a date or a time. */
function edge(value) {
  if (!Number.isNaN(Number(value))) return value;
  return /^-?\d+-\d\d-\d\d$/.test(value) ? `DATE(${text(value)})` : `TIMESTAMP(${text(value)})`;
}

/** Returns the values that a setting lists, such as `hotel,inn`. */
export const listed = (setting) => (setting === "" ? [] : setting.split(",").map(decodeURIComponent));

/** Returns the text of a setting that lists some values. */
export const listing = (values) => values.map((value) => encodeURIComponent(value).replaceAll("*", value === OTHER ? "*" : "%2A")).join();

/** Returns both ends of the range in a setting such as `2001-01-01..2004-01-01`; null if there is no range. */
export function rangeOf(setting) {
  const ends = setting.split("..");
  return ends.length === 2 && ends.every((end) => end !== "") ? ends : null;
}

export class Values {
  /** The categories with their own colors, the most frequent first. `null` follows for all other categories. */
  categories = [];
  /** The most frequent categories of the column, with their counts. A user can choose from these categories. */
  all = [];
  /**
   * Whether badges have the colors of their groups. There are no categories then. Always false if the index has no
   * groups that never mix.
   */
  isByGroup = false;
  #loaded = "";
  /** The index and the column of `all`. */
  #column = "";

  constructor(source) {
    this.source = source;
  }

  /** Returns the columns of an index whose kind is one of `kinds`. */
  static columns(index, ...kinds) {
    return index.columns.filter((column) => kinds.includes(index.column_kinds[column]));
  }

  /**
   * Loads the categories of the chosen column.
   *
   * @returns Whether the categories have changed.
   */
  async load(index, { donuts, picks }) {
    const key = `${index.name} ${index.version} ${donuts} ${picks}`;
    if (key === this.#loaded) return false;
    this.#loaded = key;
    this.categories = [];
    // The choice of categories stays on the page, and keeps the keyboard focus, until other categories are known.
    if (this.#column !== `${index.name} ${donuts}`) this.all = [];
    this.#column = `${index.name} ${donuts}`;
    this.kind = index.column_kinds[donuts];
    this.isByGroup = !this.kind && index.groups?.length > 0;
    if (!this.kind) return true;
    const limit = leastLimit(index);
    // With several groups, the most frequent values of the groups may not be the most frequent values of all points.
    const counts = limit > 1 ? `counts(${named(donuts)})` : `top(${named(donuts)}, ${MOST_CHOICES})`;
    const { features } = await this.source.clusters(index.name, { limit, aggregate: `${counts}, count` }).catch((error) => {
      // The next call tries again.
      if (key === this.#loaded) this.#loaded = "";
      throw error;
    });
    if (key !== this.#loaded || features.length === 0) return false;
    const frequencies = new Map();
    let rest = 0;
    for (const { properties } of features) {
      rest += properties.count;
      for (const [value, count] of Object.entries(properties[`counts_${donuts}`] ?? properties[`top_${donuts}`] ?? {})) {
        frequencies.set(value, (frequencies.get(value) ?? 0) + count);
      }
    }
    this.all = [...frequencies].sort(([a, m], [b, n]) => n - m || (a < b ? -1 : 1)).slice(0, MOST_CHOICES);
    const chosen = listed(picks);
    const picked = this.all.filter(([value]) => chosen.includes(value));
    const sorted = (picked.length > 0 ? picked : this.all).slice(0, CATEGORIES);
    this.categories = sorted.map(([value]) => value);
    for (const [, count] of sorted) rest -= count;
    if (rest > 0) this.categories.push(null);
    return true;
  }

  /** Whether the colors of badges show parts or groups, not the density. */
  get hasParts() {
    return this.isByGroup || this.categories.length > 0;
  }

  /** Returns the request parameters for filter and aggregates. The view and the cut are not among these parameters. */
  query(settings) {
    const { donuts, sum } = settings;
    const aggregates = [donuts && `counts(${named(donuts)})`, sum && `sum(${named(sum)})`].filter(Boolean);
    const filter = this.filter(settings);
    return { ...(filter && { filter }), ...(aggregates.length > 0 && { aggregate: aggregates.join(", ") }) };
  }

  /**
   * Returns the filter of the points that are counted; empty if all points are counted.
   *
   * @param isWholeRange Whether points outside the range of the histogram pass the filter, too.
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
    // A point with a missing value belongs to the other categories. The other categories are not hidden, so this point
    // is still counted.
    return away.length > 0 ? `(NOT (${isAny(away)}) OR ${column} IS NULL)` : "";
  }

  /** Returns the name of a category in the notation of settings. */
  static settingOf(category) {
    return category ?? OTHER;
  }

  /**
   * Returns the number of a cluster's points in each category; null if badges are not donuts. `properties` are the
   * properties of a GeoJSON feature or of a feature in a tile.
   */
  parts(properties, { donuts }) {
    if (this.isByGroup) return [properties.point_count];
    if (this.categories.length === 0 || !donuts) return null;
    const name = `counts_${donuts}`;
    const counts = properties[name];
    let rest = properties.point_count;
    const parts = this.categories.map((category) => {
      if (category === null) return 0;
      const count = (counts ? own(counts, category) : properties[`${name}.${category}`]) ?? 0;
      rest -= count;
      return count;
    });
    if (this.categories.at(-1) === null) parts[parts.length - 1] = rest;
    return parts;
  }

  /**
   * Returns the columns of titles and pictures, and a column of numbers. The title and the picture of a cluster come
   * from its point with the greatest number in this column.
   */
  #first(index) {
    const by = amountColumn(index);
    if (!this.source.namesClusters || !by) return {};
    const [title, picture] = [TITLE, PICTURE].map((like) => index.columns.find((name) => like.test(name)));
    return { by, title, picture };
  }

  /**
   * Adds the title of each cluster of a query to `titles`, by the id of the cluster.
   *
   * @returns Whether there are new titles.
   */
  async loadTitles(index, query, titles) {
    const { by, title } = this.#first(index);
    if (!title || index.point_count > MOST_TITLED) return false;
    const { features } = await this.source.clusters(index.name, { ...query, aggregate: `first(${named(title)}, by: ${named(by)})` });
    const before = titles.size;
    for (const { properties } of features) {
      const text = properties[`first_${title}_by_${by}`];
      // An empty text stands for a missing title, so that the title is not requested again.
      if (properties.point_count > 1) titles.set(properties.cluster_id, typeof text === "string" ? text : "");
    }
    return titles.size > before;
  }

  /**
   * Returns facts about the values of a cluster, as pairs of a column and a text. Also returns the title and the
   * picture of the cluster, or null. The title and the picture come from the point with the greatest value in the first
   * column of numbers.
   */
  async facts(index, id, query) {
    const columns = Values.columns(index, "number", "time", "category", "boolean").slice(0, 6);
    const { by, title, picture } = this.#first(index);
    const aggregates = columns.flatMap((column) => ABOUT[index.column_kinds[column]].map((ask) => ask(named(column))));
    aggregates.push(...[title, picture].filter(Boolean).map((column) => `first(${named(column)}, by: ${named(by)})`));
    if (aggregates.length === 0) return { facts: [], title: null, picture: null };
    const { properties } = await this.source.cluster(index.name, id, undefined, { aggregate: aggregates.join(", "), ...query });
    const facts = columns.map((column) => [column, SAY[index.column_kinds[column]](properties, column, properties.point_count)]).filter(([, said]) => said);
    const first = (column) => (column ? (properties[`first_${column}_by_${by}`] ?? null) : null);
    return { facts, title: first(title), picture: first(picture) };
  }
}

/** Greatest number of points of an index whose clusters have titles on the map. */
const MOST_TITLED = 500_000;

/** Names of the columns that give a cluster its title and its picture. A picture is the address of an image. */
const TITLE = /^(name|title|label)$/i;
const PICTURE = /^(picture|image|photo)$/i;

const FEW = [(column) => `top(${column}, 3)`];
/**
 * The aggregates of each kind of column. A request for six columns, a title and a picture has at most 16 aggregates.
 */
const ABOUT = {
  number: [(column) => `sum(${column})`, (column) => `mean(${column})`],
  time: [(column) => `min(${column})`, (column) => `max(${column})`],
  category: FEW,
  boolean: FEW,
};

/** For each kind of column, a function that writes the aggregates as text. */
const few = (properties, column, total) =>
  Object.entries(properties[`top_${column}`] ?? {}).map(([value, count]) => `${brief(value)} ${rounded(count)} (${shareOf(count, total)})`).join(", ");
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

/** Returns a number as text. Whole numbers are not rounded. */
const rounded = (value) => new Intl.NumberFormat("en", Number.isSafeInteger(value) ? {} : { maximumSignificantDigits: 6 }).format(value);

/** Whether the same request may succeed later, because only the server or the network failed. */
export const isPassing = (error) => error instanceof Problem && (error.status === 0 || error.status === 429 || error.status >= 500);

/** Returns whether an answer about a cluster failed because none of the cluster's points passes the filter. */
export const isNotPassing = (error) =>
  error instanceof Problem && /^no point of cluster \d+ passes the filter/i.test(error.message);

/** Returns whether the server refused a filter or an aggregate. */
export const isRefused = (error) => error instanceof Problem && error.status === 400;
