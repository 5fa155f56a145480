// The parts of a link that the map cannot show.

import { CUTS } from "./cut.js";
import { titleOf } from "./text.js";

const quoted = (names) => [...new Set(names)].map((name) => `“${name}”`).join(", ");

/**
 * Returns a text about the parts of a link that the map cannot show; empty if the map shows everything.
 *
 * @param viewer Has the settings of the link, the shown index and the source.
 * @param isMissing Whether the source does not have the index.
 * @param forgotten Columns that the index does not have, or that are of the wrong kind.
 */
export function linkProblems({ index, plain, settings, source }, isMissing, forgotten) {
  const { unreadable, unsuited } = settings;
  const said = [];
  if (isMissing) {
    const name = quoted([settings.index]);
    const isPlain = plain.includes(settings.index);
    const why = isPlain ? `The points of ${name} have plain x and y coordinates, but this map shows the Earth` : `There is no index ${name} here`;
    said.push(`${why}; the map shows ${titleOf(index)}.`);
  }
  if (unreadable.length > 0) said.push(`The link has unknown or invalid parts: ${[...new Set(unreadable)].join(", ")}.`);
  if (unsuited) {
    const [asked, used] = [unsuited, settings.by].map((name) => quoted([CUTS[name].label]));
    said.push(`The link asks for the cut ${asked}, which is not available here; the map uses ${used}.`);
  }
  if (forgotten.length > 0) said.push(`The link uses columns that are missing or of the wrong kind: ${quoted(forgotten)}.`);
  if (settings.where && !source.hasFilters) said.push("This map ignores filters and shows all points.");
  return said.join(" ");
}
