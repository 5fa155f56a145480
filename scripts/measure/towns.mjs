// Points that measurements of the web package share.

/** Returns a generator of random numbers for a seed (SplitMix32). */
export function randomNumbers(seed) {
  let state = seed;
  return () => {
    state = (state + 0x9e3779b9) | 0;
    let bits = state ^ (state >>> 16);
    bits = Math.imul(bits, 0x21f0aaad);
    bits ^= bits >>> 15;
    bits = Math.imul(bits, 0x735a2d97);
    return ((bits ^ (bits >>> 15)) >>> 0) / 2 ** 32;
  };
}

/** Returns the longitudes and latitudes of 100,000 points in towns of all sizes, in turns. */
export function towns(seed) {
  const random = randomNumbers(seed);
  const points = new Float64Array(200000);
  let [x, y, size, left] = [0, 0, 0, 0];
  for (let i = 0; i < points.length; i += 2) {
    if (left-- <= 0) [x, y, size, left] = [random() * 340 - 170, random() * 120 - 55, 0.02 + random() ** 4, 2000 * random() ** 6];
    const [distance, angle] = [size * random() ** 2, 2 * Math.PI * random()];
    points[i] = x + distance * Math.cos(angle);
    points[i + 1] = y + distance * Math.sin(angle);
  }
  return points;
}
