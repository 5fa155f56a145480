// Compares exact arithmetic on pairs of doubles with integers of any length.

import assert from "node:assert/strict";
import { test } from "node:test";

import { addProduct, codeOf, endOfRound, leastCode, roundOf, scaled, scatterOf, squareOf } from "../../Sources/TreelineWeb/src/exact.js";
import { seeded, trials } from "./support.js";

const MOST = 2n ** 64n - 1n;
const bitLength = (number) => (number ? number.toString(2).length : 0);

test("scaled distances, their codes and their rounds equal results of integer arithmetic", () => {
  const { random, below } = seeded("scaled");
  const length = () => Math.floor(random() * 2 ** (random() * 32));
  // In these cases the rest lies exactly halfway between two values of the rounded part.
  const cases = [[3711304033, 15101541, 885], [4, 776471541, 222], [1101844258, 127, 305]];
  for (let i = 0; i < trials(200000); i++) {
    const [dx, dy, width] = cases[i] ?? [length(), length(), 128 + below(81000)];
    let square = BigInt(dx) ** 2n + BigInt(dy) ** 2n;
    if (square > MOST) square = MOST;
    let expected = square * 2n ** 20n / BigInt(width) ** 2n;
    if (expected > MOST) expected = MOST;
    const found = scaled(dx, dy, width);
    assert.equal(BigInt(found) + BigInt(scaled.rest), expected, `${dx}, ${dy}, ${width}`);
    const exponent = Math.max(bitLength(expected) - 11, 0);
    assert.equal(codeOf(found), exponent * 1024 + Number(expected >> BigInt(exponent)));
    const round = roundOf(found);
    assert.ok(found < endOfRound(round) && (round < 4 || found >= endOfRound(round - 1)), `round of ${expected}`);
  }
});

test("the code of a distance is the least code whose distance is not shorter", () => {
  const { random, below } = seeded("codes");
  for (let i = 0; i < trials(100000); i++) {
    const kind = below(3);
    const distance = kind === 0 ? Math.ceil(random() * 2 ** (random() * 32)) : kind === 1 ? Math.sqrt(squareOf(1 + below(56000))) : random() * 2 ** (random() * 33);
    if (!(distance > 0 && distance < 2 ** 32)) continue;
    // The distance as a fraction: an integer and a power of two.
    const view = new DataView(new ArrayBuffer(8));
    view.setFloat64(0, distance);
    const bits = view.getBigUint64(0);
    const power = Number((bits >> 52n) & 2047n) - 1075;
    const square = ((bits & (2n ** 52n - 1n)) | 2n ** 52n) ** 2n;
    const isEnough = (code) => (power >= 0 ? BigInt(squareOf(code)) >= square << BigInt(2 * power) : BigInt(squareOf(code)) << BigInt(-2 * power) >= square);
    const code = leastCode(distance);
    assert.ok(isEnough(code) && (code === 0 || !isEnough(code - 1)), `${distance}: ${code}`);
  }
});

test("covariances are rounded from exact sums", () => {
  const { random, below } = seeded("covariances");
  const rounded = (number) => {
    const magnitude = number < 0n ? -number : number;
    const value = Number(magnitude >> 64n) * 2 ** 64 + Number(magnitude & MOST);
    return number < 0n ? -value : value;
  };
  for (let i = 0; i < trials(100000); i++) {
    const extent = 2 ** (random() * 32);
    // Each position has equally many points.
    const [count, repeated] = [1 + below(20), 1 + below(100000)];
    const sums = new Float64Array(4);
    let [n, x, y, xx, xy, ax, ay] = [0, 0n, 0n, 0n, 0n, 0, 0];
    for (let k = 0; k < count; k++) {
      const [dx, dy] = [Math.floor(random() * extent), Math.floor(random() * extent)];
      addProduct(sums, 0, dx * repeated, dx);
      addProduct(sums, 2, dx * repeated, dy);
      [ax, ay, n] = [ax + dx * repeated, ay + dy * repeated, n + repeated];
      x += BigInt(dx) * BigInt(repeated);
      y += BigInt(dy) * BigInt(repeated);
      xx += BigInt(dx) * BigInt(dx) * BigInt(repeated);
      xy += BigInt(dx) * BigInt(dy) * BigInt(repeated);
    }
    assert.equal(scatterOf(n, sums[0], sums[1], ax, ax), rounded(BigInt(n) * xx - x * x));
    assert.equal(scatterOf(n, sums[2], sums[3], ax, ay), rounded(BigInt(n) * xy - x * y));
  }
});
