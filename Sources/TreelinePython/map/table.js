// A table in a page. It is a line of JSON that names its arrays, followed by the bytes of the arrays. An array has the
// first bytes of all its numbers, then the second bytes of all numbers, and so on. In this order it compresses best.

const KINDS = { u8: Uint8Array, u16: Uint16Array, u32: Uint32Array, f32: Float32Array, f64: Float64Array };

/** @returns The object that the line of JSON holds, and the arrays by name. */
export function readTable(bytes) {
  const end = bytes.indexOf(10);
  const { arrays, ...facts } = JSON.parse(new TextDecoder().decode(bytes.subarray(0, end)));
  let at = end + 1;
  const table = {};
  for (const { name, kind, count, differences } of arrays) {
    const numbers = new KINDS[kind](count);
    const width = numbers.BYTES_PER_ELEMENT;
    const target = new Uint8Array(numbers.buffer);
    for (let plane = 0; plane < width; plane++, at += count) {
      for (let i = 0; i < count; i++) target[i * width + plane] = bytes[at + i];
    }
    if (differences) addUp(numbers);
    table[name] = numbers;
  }
  return { facts, table };
}

/**
 * Replaces differences of neighboring numbers by the numbers themselves. The lowest bit of a difference is its sign. So
 * a difference of small magnitude is stored as a small number.
 */
function addUp(numbers) {
  let sum = 0;
  for (let i = 0; i < numbers.length; i++) {
    sum = (sum + ((numbers[i] >>> 1) ^ -(numbers[i] & 1))) >>> 0;
    numbers[i] = sum;
  }
}
