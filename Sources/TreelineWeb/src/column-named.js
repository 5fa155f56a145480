// Makes columns from values by row, and finds columns by name. A property of GeoJSON features is also treated as a
// column.

import { QueryError } from "./errors.js";

/** @typedef {import("./columns.js").Column} Column */

/**
 * Returns a column whose values are given by row.
 *
 * @param {string} name
 * @param {(row: number) => any} at
 * @param {ArrayLike<number>} rows In tree order.
 * @returns {Column}
 */
export function rowColumn(name, at, rows) {
  return {
    name, kind: "any",
    output: (index) => at(rows[index]),
    instant: (index) => {
      const value = at(rows[index]);
      return value instanceof Date && !Number.isNaN(value.getTime()) ? BigInt(value.getTime()) * 1_000_000n : null;
    },
    value: (index) => {
      let value = at(rows[index]);
      if (value instanceof Date) value = value.getTime() / 1000;
      if (value === undefined || value === null || (typeof value === "number" && !Number.isFinite(value))) return null;
      return typeof value === "object" ? JSON.stringify(value) : value;
    },
  };
}

/**
 * Returns the kind of a column. If only the values of the column are known, reads all values. If the values have
 * several types, returns `any`.
 *
 * @param {Column} column
 * @param {number} count Number of values.
 * @returns {Column["kind"]}
 */
export function kindOf(column, count) {
  if (column.kind !== "any") return column.kind;
  /** @type {Column["kind"] | undefined} */
  let found;
  for (let index = 0; index < count; index++) {
    const value = column.value(index);
    if (value === null) continue;
    const kind = column.instant?.(index) != null ? "time" : TYPES[typeof value] ?? "any";
    if (found !== undefined && found !== kind) return "any";
    found = kind;
  }
  return found ?? "any";
}

/**
 * Kinds of columns, by the types of their values.
 *
 * @type {Record<string, Column["kind"]>}
 */
const TYPES = { string: "text", number: "number", boolean: "boolean" };

/**
 * Returns a column of a tree. The column may also be a property that at least one of the tree's features has.
 *
 * @param {import("./tree.js").Tree} tree
 * @param {string} name
 * @param {string} use Purpose of the column, for the error if there is no such column.
 * @returns {Column}
 */
export function columnNamed({ columns, features, hierarchy: { rows } }, name, use) {
  const found = columns.find((column) => column.name === name);
  if (found) return found;
  const list = Array.from(features ?? [], (feature) => feature?.properties ?? {});
  if (list.some((own) => Object.hasOwn(own, name))) return rowColumn(name, (row) => (Object.hasOwn(list[row], name) ? list[row][name] : undefined), rows);
  const names = [...new Set([...columns.map(({ name }) => name), ...list.slice(0, 1000).flatMap(Object.keys)])].slice(0, 20).join(", ");
  throw new QueryError(`There is no column '${name}' ${use}; columns: ${names || "none"}`);
}
