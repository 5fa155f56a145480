// Exact arithmetic on integers beyond 2^53, which are kept in pairs of doubles. Squares of distances and covariances
// need these integers.

const WORD = 2 ** 32;

/**
 * Returns the upper 32 bits of the product of two unsigned integers of 32 bits. The expression
 * `Math.imul(a, b) >>> 0` has the lower 32 bits.
 *
 * @param {number} a
 * @param {number} b
 */
function high(a, b) {
  // The rounding error of the product is less than 2^11, so the quotient is close to a whole number.
  return Math.round((a * b - (Math.imul(a, b) >>> 0)) / WORD);
}

// Sums of squares

/**
 * Adds a product to a sum. Two neighbouring numbers of an array hold the sum. The sum is the first number times 2^32
 * plus the second number.
 *
 * @param {Float64Array} sums
 * @param {number} at
 * @param {number} a Below 2^53.
 * @param {number} b Below 2^32.
 */
export function addProduct(sums, at, a, b) {
  if (a * b < 2 ** 52) {
    sums[at + 1] += a * b;
  } else {
    const upper = Math.floor(a / WORD);
    const lower = a - upper * WORD;
    sums[at] += upper * b + high(lower, b);
    sums[at + 1] += Math.imul(lower, b) >>> 0;
  }
  if (sums[at + 1] >= WORD) {
    const carry = Math.floor(sums[at + 1] / WORD);
    sums[at] += carry;
    sums[at + 1] -= carry * WORD;
  }
}

/**
 * Returns n Σab - Σa Σb. Computes the value exactly in 128 bits, and then rounds the upper half, the lower half and
 * their sum.
 *
 * @param {number} n At most 2^21.
 * @param {number} upper Upper part of Σab. Σab is `upper` times 2^32 plus `lower`.
 * @param {number} lower
 * @param {number} a Σa, up to 2^53.
 * @param {number} b Σb, up to 2^53.
 */
export function scatterOf(n, upper, lower, a, b) {
  if (upper === 0) {
    // Products below 2^53 are exact.
    const [product, square] = [n * lower, a * b];
    if (product < 2 ** 53 && square < 2 ** 53) return product - square;
  }
  // The words of n Σab minus the words of Σa Σb. w0 is the lowest word.
  const [u1, u0] = [Math.floor(upper / WORD), upper % WORD];
  const [a1, a0] = [Math.floor(a / WORD), a % WORD];
  const [b1, b0] = [Math.floor(b / WORD), b % WORD];
  let product = n * lower;
  let w0 = product % WORD;
  product = n * u0 + Math.floor(product / WORD);
  let w1 = product % WORD;
  let w2 = n * u1 + Math.floor(product / WORD);
  let w3 = 0;
  const [crossed, other] = [a1 * b0, a0 * b1];
  w0 -= Math.imul(a0, b0) >>> 0;
  w1 -= high(a0, b0) + (crossed % WORD) + (other % WORD);
  w2 -= Math.floor(crossed / WORD) + Math.floor(other / WORD) + a1 * b1;
  // Each word borrows from the next higher word. Then all words except the highest word are from 0 to 2^32 - 1.
  let carry = Math.floor(w0 / WORD);
  w0 -= carry * WORD;
  w1 += carry;
  carry = Math.floor(w1 / WORD);
  w1 -= carry * WORD;
  w2 += carry;
  carry = Math.floor(w2 / WORD);
  w2 -= carry * WORD;
  w3 += carry;
  if (w3 >= 0) return (w3 * WORD + w2) * 2 ** 64 + (w1 * WORD + w0);
  // Computes the magnitude of a negative number: flips all bits and adds 1.
  [w0, w1, w2, w3] = [WORD - w0, WORD - 1 - w1, WORD - 1 - w2, -1 - w3];
  for (; w0 === WORD; w0 = 0) w1++;
  if (w1 === WORD) [w1, w2] = [0, w2 + 1];
  if (w2 === WORD) [w2, w3] = [0, w3 + 1];
  return -((w3 * WORD + w2) * 2 ** 64 + (w1 * WORD + w0));
}

// Scaled distances

/**
 * Returns the scaled distance ⌊d² × 2^20 / w²⌋, where d² = dx² + dy². d² and the result are limited to 2^64 - 1. The
 * result is a double. If the double is 2^53 or more, the exact result is greater than the double by `scaled.rest`,
 * which is below 2^11. Scaled distances are ordered by the double, then by the rest.
 *
 * @param {number} dx Below 2^32.
 * @param {number} dy
 * @param {number} w From 128 to 2^17.
 */
export function scaled(dx, dy, w) {
  const square = dx * dx + dy * dy;
  const divisor = w * w;
  const quotient = (square * 2 ** 20) / divisor;
  if (square >= 2 ** 53 || quotient >= 2 ** 53) return scaledFar(dx, dy, divisor);
  scaled.rest = 0;
  const whole = Math.floor(quotient);
  // The quotient may have been rounded up to the next whole number.
  return whole === quotient && isAbove(whole, divisor, square * 2 ** 20) ? whole - 1 : whole;
}
scaled.rest = 0;

/**
 * Whether a product is greater than a number, even if the product and the number are almost equal (T. J. Dekker, 1971,
 * doi:10.1007/BF01397083).
 *
 * @param {number} a
 * @param {number} b
 * @param {number} number
 */
function isAbove(a, b, number) {
  const product = a * b;
  const c = a * 134217729;
  const d = b * 134217729;
  const aHigh = c - (c - a);
  const bHigh = d - (d - b);
  const aLow = a - aHigh;
  const bLow = b - bHigh;
  const error = aLow * bLow - (product - aHigh * bHigh - aLow * bHigh - aHigh * bLow);
  return number - product - error < 0;
}

/**
 * Returns the result of `scaled` for distances of a hundredth of the world or more. Each step divides 18 bits.
 *
 * @param {number} dx
 * @param {number} dy
 * @param {number} divisor Below 2^35.
 */
function scaledFar(dx, dy, divisor) {
  let lower = (Math.imul(dx, dx) >>> 0) + (Math.imul(dy, dy) >>> 0);
  let upper = high(dx, dx) + high(dy, dy);
  if (lower >= WORD) [upper, lower] = [upper + 1, lower - WORD];
  if (upper >= WORD) [upper, lower] = [WORD - 1, WORD - 1];
  // The square times 2^20 has five digits of 18 bits. The division starts with the highest digit. This digit is below
  // 2^12, and so less than any divisor.
  let part = Math.floor(upper / 2 ** 20) * 2 ** 18 + (Math.floor(upper / 4) % 2 ** 18);
  let top = Math.floor(part / divisor);
  part = (part - top * divisor) * 2 ** 18 + (upper % 4) * 2 ** 16 + Math.floor(lower / 2 ** 16);
  let digit = Math.floor(part / divisor);
  top = top * 2 ** 18 + digit;
  part = (part - digit * divisor) * 2 ** 18 + (lower % 2 ** 16) * 4;
  let bottom = Math.floor(part / divisor);
  part = (part - bottom * divisor) * 2 ** 18;
  bottom = bottom * 2 ** 18 + Math.floor(part / divisor);
  if (top >= 2 ** 28) [top, bottom] = [2 ** 28 - 1, 2 ** 36 - 1];
  scaled.rest = top < 2 ** 17 ? 0 : bottom % 2 ** 11;
  return top * 2 ** 36 + (bottom - scaled.rest);
}

// Codes of distances, and rounds of merging

/** A code that is greater than the code of any distance on the plane. */
export const BEYOND_ALL = 56320;

const number = new Float64Array(1);
const words = new Uint32Array(number.buffer);

/**
 * Returns the upper 32 bits of a double.
 *
 * @param {number} value
 */
function highWord(value) {
  number[0] = value;
  return words[1];
}

/**
 * Returns the code of a distance from the square of the distance. The result is the greatest code whose square is not
 * greater than the given square. The 53 highest bits of the square are enough.
 *
 * @param {number} square
 */
export function codeOf(square) {
  // For a square of 2^11 or more, the code consists of the exponent and ten bits of the significand.
  return square < 2048 ? square : (highWord(square) >>> 10) - (1023 + 9) * 1024;
}

/**
 * Returns the square of the distance that a code represents.
 *
 * @param {number} code
 */
export function squareOf(code) {
  const exponent = Math.max(code >>> 10, 1) - 1;
  return (code - exponent * 1024) * 2 ** exponent;
}

/**
 * Returns the least code whose distance is at least a given distance. The given distance is above 0, in units of the
 * plane.
 *
 * @param {number} distance
 */
export function leastCode(distance) {
  if (distance >= WORD) return BEYOND_ALL;
  const square = distance * distance;
  const whole = Math.max(Math.ceil(square), 1);
  const code = codeOf(whole);
  const isLong = squareOf(code) === whole && !(whole === square && isAbove(distance, distance, square));
  return isLong ? code : code + 1;
}

/** The last round of merging. */
export const LAST_ROUND = 254;

/**
 * Returns the round of merging for a scaled distance. There are four rounds for each doubling of the squared distance.
 *
 * @param {number} scaled
 */
export function roundOf(scaled) {
  return scaled < 1 ? 0 : Math.min((highWord(scaled) >>> 18) - 1023 * 4, LAST_ROUND);
}

/**
 * Returns the end of a round. Scaled distances of the round are below this number.
 *
 * @param {number} round
 */
export function endOfRound(round) {
  return round >= LAST_ROUND ? Infinity : 2 ** ((round + 1) >> 2) * (1 + ((round + 1) & 3) / 4);
}
