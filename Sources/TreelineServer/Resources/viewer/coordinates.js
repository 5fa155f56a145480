// Coordinates in the text of a search.

import { coordinate } from "./text.js";

const NUMBER = String.raw`(\d+(?:[.,]\d+)?)`;

/** A number, or an angle in degrees, minutes and seconds. */
const ANGLE = String.raw`([-+\u2212]?)${NUMBER}\s*°?(?:\s*${NUMBER}\s*['′’])?(?:\s*${NUMBER}\s*["″”])?`;

/** Two angles, each with an optional letter for its direction. The letters stand after the angles, or before them. */
const LETTERS_AFTER = new RegExp(String.raw`^${ANGLE}\s*([NSEW])?(?:\s*[,;]\s*|\s+|(?<=[NSEW]))${ANGLE}\s*([NSEW])?$`, "i");
const LETTERS_BEFORE = new RegExp(String.raw`^([NSEW])\s*${ANGLE}[\s,;]*([NSEW])\s*${ANGLE}$`, "i");

/** Start of a geo URI (RFC 5870). */
const GEO = /^\s*geo:/i;

/** Number of parts of an angle in a match: the sign, the degrees, the minutes, the seconds and the letter. */
const PARTS = 5;

/** Greatest latitude and longitude that are found, in degrees. */
const MOST_LATITUDE = 85;
const MOST_LONGITUDE = 360;

/**
 * Returns the position in a text such as `48.85, 2.35`, `48,85; 2,35`, `48°51′24″N 2°21′3″E` or `geo:48.85,2.35` (RFC
 * 5870). The latitude comes first, unless the letters or the range of latitudes show that the longitude comes first.
 *
 * @returns An array with one position, or an empty array if the text is not a position.
 */
export function coordinatesIn(text) {
  const { latitude, longitude } = placeIn(text);
  if (!(Math.abs(latitude) <= MOST_LATITUDE && Math.abs(longitude) <= MOST_LONGITUDE)) return [];
  return [{ title: coordinate(latitude, longitude, 4), latitude, longitude }];
}

/** Returns why a text with a latitude and a longitude is no place on the map; empty for all other texts. */
export function coordinateProblem(text) {
  const { latitude, longitude } = placeIn(text);
  if (Math.abs(latitude) > 90) return "a latitude must be from −90 to 90";
  if (Math.abs(longitude) > MOST_LONGITUDE) return "a longitude must be from −180 to 180";
  return Math.abs(latitude) > MOST_LATITUDE ? `the map ends at the latitudes −${MOST_LATITUDE} and ${MOST_LATITUDE}` : "";
}

/** Returns the latitude and the longitude in a text, without a check of their ranges. */
function placeIn(text) {
  const [first, second] = anglesIn(text);
  if (second === undefined) return {};
  const hasLetter = first.isLatitude !== undefined || second.isLatitude !== undefined;
  if (hasLetter && first.isLatitude === second.isLatitude) return {};
  // People write both orders, but a geo URI always has the latitude first.
  const isSwapped = hasLetter
    ? first.isLatitude === false || second.isLatitude === true
    : !GEO.test(text) && Math.abs(first.value) > 90 && Math.abs(second.value) <= 90;
  const [{ value: latitude }, { value: longitude }] = isSwapped ? [second, first] : [first, second];
  return { latitude, longitude };
}

/**
 * Returns the position in a text with the coordinates x and y of a plane, such as `448000, 5411000`.
 *
 * @returns An array with one position, or an empty array if the text has no position in the square of the plane.
 */
export function planeCoordinatesIn(text, plane) {
  const values = anglesIn(text).map(({ value, isLatitude }) => (isLatitude === undefined ? value : NaN));
  if (values.length === 0 || !plane.contains(values)) return [];
  const [longitude, latitude] = plane.placed(values);
  return [{ title: plane.position(latitude, longitude), latitude, longitude }];
}

/**
 * Returns both angles in a text, in degrees, or an empty array. `isLatitude` is undefined if an angle has no letter.
 */
function anglesIn(text) {
  // The altitude and the parameters of a geo URI do not change the position.
  const plain = text.replace(/^\s*geo:\s*([^,;?]*,[^,;?]*).*$/i, "$1").trim();
  const before = plain.match(LETTERS_BEFORE)?.slice(1);
  const parts = before ? [...before.slice(1, PARTS), before[0], ...before.slice(PARTS + 1), before[PARTS]] : plain.match(LETTERS_AFTER)?.slice(1);
  if (parts === undefined) return [];
  return [parts.slice(0, PARTS), parts.slice(PARTS)].map(([sign, ...rest]) => {
    const letter = rest.pop()?.toUpperCase();
    const [degrees, minutes, seconds] = rest.map((digits) => +(digits ?? "0").replace(",", "."));
    const size = minutes < 60 && seconds < 60 ? degrees + minutes / 60 + seconds / 3600 : NaN;
    const isNegative = (sign !== "" && sign !== "+") !== "SW".includes(letter ?? "none");
    return { value: isNegative ? -size : size, isLatitude: letter && "NS".includes(letter) };
  });
}
