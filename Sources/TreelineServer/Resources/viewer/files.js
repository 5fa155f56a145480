// Files that the map saves on the computer of the user.

import { element, own } from "./text.js";

/** Greatest number of characters of a file name that is made from a title. */
const LONGEST = 60;

/** Saves a file on the computer of the user. */
export function download(blob, name) {
  const link = element("a", { href: URL.createObjectURL(blob), download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}

/** Returns a name for files of an index. The index of a published page has no name, but may have a title. */
export function fileName({ name, title }) {
  const words = (title ?? "").toLowerCase().match(/[\p{L}\p{M}\p{N}]+/gu) ?? [];
  return name || [...words.join("-")].slice(0, LONGEST).join("") || "map";
}

/** Returns features as CSV (RFC 4180), with the columns of the index. */
export function csvOf(features, axes, columns) {
  const cell = (value) => {
    const text = value === undefined || value === null ? "" : typeof value === "object" ? JSON.stringify(value) : String(value);
    return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
  };
  const rows = features.map(({ geometry: { coordinates }, properties }) => [...coordinates, ...columns.map((column) => own(properties, column))]);
  return [[...axes, ...columns], ...rows].map((row) => `${row.map(cell).join(",")}\r\n`).join("");
}
