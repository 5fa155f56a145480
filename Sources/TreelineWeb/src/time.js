// Times in ISO 8601, in the form of the index and its filters.

const TIME = /^([+-]\d{6,12}|\d{4})([-/])(\d\d)\2(\d\d)(?:[Tt ](\d\d):(\d\d)(?::(\d\d)(?:[.,](\d+))?)?(?:[Zz]|([+-])(\d\d)(?::?(\d\d)(?::(\d\d))?)?)?)?$/;

/**
 * Returns the seconds from the beginning of 1970 to a time; null if the text is no time in ISO 8601. A date alone
 * stands for its first moment. A time without an offset is in UTC. Decimals after the ninth are ignored.
 *
 * @param {string} text
 */
export function secondsOf(text) {
  const found = TIME.exec(text);
  if (!found) return null;
  const [year, month, day, hour, minute, second, east, south, offsetSecond] = [1, 3, 4, 5, 6, 7, 10, 11, 12].map((at) => Number(found[at] ?? 0));
  const date = new Date(0);
  date.setUTCFullYear(year, month - 1, day);
  // A day that the month does not have becomes a day of the next month.
  if (date.getUTCMonth() !== month - 1 || date.getUTCDate() !== day) return null;
  if (hour > 23 || minute > 59 || second > 60 || east > 23 || south > 59 || offsetSecond > 59) return null;
  const offset = (east * 3600 + south * 60 + offsetSecond) * (found[9] === "-" ? -1 : 1);
  const seconds = date.getTime() / 1000 + hour * 3600 + minute * 60 + second - offset;
  const decimals = (found[8] ?? "").slice(0, 9).padEnd(9, "0");
  // The nearest double, also for times before 1970.
  return Number(`${BigInt(seconds) * 1_000_000_000n + BigInt(decimals)}e-9`);
}

/**
 * Returns a time in ISO 8601, without zeros at the end of the decimals; null if the time is missing or too far away.
 *
 * @param {bigint | null} ticks Seconds since 1970, times 10 to the power of `digits`.
 * @param {number} digits
 * @param {boolean} isDate
 */
export function isoTime(ticks, digits, isDate) {
  if (ticks === null) return null;
  const unit = 10n ** BigInt(digits);
  const fraction = ((ticks % unit) + unit) % unit;
  const moment = new Date(Number((ticks - fraction) / unit) * 1000);
  if (Number.isNaN(moment.getTime())) return null;
  const [date, time] = moment.toISOString().split("T");
  if (isDate) return date;
  const decimals = fraction === 0n ? "" : `.${String(fraction).padStart(digits, "0").replace(/0+$/, "")}`;
  return `${date}T${time.slice(0, 8)}${decimals}Z`;
}
