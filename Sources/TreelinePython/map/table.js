// A table in a page: a line of JSON that names its arrays, then their bytes. The first bytes of all numbers of an array
// come before the second bytes, and so on, because they compress best in this order.

const KINDS = { u8: Uint8Array, u16: Uint16Array, u32: Uint32Array, f32: Float32Array, f64: Float64Array };

/** @returns The facts of the line, and the arrays by name. */
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
 * Replaces the differences of neighbors by the numbers. The lowest bit of a difference is its sign, so that small
 * differences become small numbers, whatever their sign.
 */
function addUp(numbers) {
  let sum = 0;
  for (let i = 0; i < numbers.length; i++) {
    sum = (sum + ((numbers[i] >>> 1) ^ -(numbers[i] & 1))) >>> 0;
    numbers[i] = sum;
  }
}
