// A static k-d tree of positions (J. L. Bentley, 1975, doi:10.1145/361002.361007), like the k-d tree in supercluster.
//
// Positions are in single precision. Results must have the same order as in supercluster, because supercluster's
// clusters, leaves and tiles depend on this order. So positions are partitioned and visited as in supercluster.

/** Results of the last search, and the ranges that a search must still visit. */
let found = new Uint32Array(1 << 10);
const ranges = new Int32Array(3 * 64);

/** For a longer range than this, the median of a sample is selected first. */
const SAMPLED = 600;

export class PositionTree {
  /**
   * @param {ArrayLike<number>} xs
   * @param {ArrayLike<number>} ys
   * @param {number} nodeSize Ranges of at most `nodeSize` + 1 positions are not divided.
   */
  constructor(xs, ys, nodeSize) {
    const count = xs.length;
    this.nodeSize = nodeSize;
    /** Numbers of the positions in tree order, and the two coordinates of each position. */
    this.ids = new Uint32Array(count);
    this.places = new Float32Array(2 * count);
    for (let i = 0; i < count; i++) {
      this.ids[i] = i;
      this.places[2 * i] = xs[i];
      this.places[2 * i + 1] = ys[i];
    }
    if (count > found.length) found = new Uint32Array(count);
    this.#divide(0, count - 1, 0);
  }

  /**
   * Partitions a range by its median along an axis. Then partitions both halves along the other axis, and so on.
   *
   * @param {number} start
   * @param {number} end Index of the last position of the range.
   * @param {number} axis
   */
  #divide(start, end, axis) {
    if (end - start <= this.nodeSize) return;
    const middle = (start + end) >> 1;
    this.#select(middle, start, end, axis);
    this.#divide(start, middle - 1, 1 - axis);
    this.#divide(middle + 1, end, 1 - axis);
  }

  /**
   * Moves the position with a given rank to the place that it would have if the range were sorted (R. W. Floyd and R.
   * L. Rivest, 1975, Algorithm 489, doi:10.1145/360680.360694).
   *
   * @param {number} rank
   * @param {number} start
   * @param {number} end Index of the last position of the range.
   * @param {number} axis
   */
  #select(rank, start, end, axis) {
    const { places } = this;
    while (end > start) {
      if (end - start > SAMPLED) {
        const size = end - start + 1;
        const before = rank - start + 1;
        const log = Math.log(size);
        const sample = 0.5 * Math.exp((2 * log) / 3);
        const deviation = 0.5 * Math.sqrt((log * sample * (size - sample)) / size) * (before - size / 2 < 0 ? -1 : 1);
        this.#select(
          rank, Math.max(start, Math.floor(rank - (before * sample) / size + deviation)),
          Math.min(end, Math.floor(rank + ((size - before) * sample) / size + deviation)), axis);
      }
      const pivot = places[2 * rank + axis];
      let low = start;
      let high = end;
      this.#swap(start, rank);
      if (places[2 * end + axis] > pivot) this.#swap(start, end);
      while (low < high) {
        this.#swap(low++, high--);
        while (places[2 * low + axis] < pivot) low++;
        while (places[2 * high + axis] > pivot) high--;
      }
      if (places[2 * start + axis] === pivot) this.#swap(start, high);
      else this.#swap(++high, end);
      if (high <= rank) start = high + 1;
      if (rank <= high) end = high - 1;
    }
  }

  /**
   * @param {number} i
   * @param {number} j
   */
  #swap(i, j) {
    const { ids, places } = this;
    const id = ids[i];
    const x = places[2 * i];
    const y = places[2 * i + 1];
    ids[i] = ids[j];
    places[2 * i] = places[2 * j];
    places[2 * i + 1] = places[2 * j + 1];
    ids[j] = id;
    places[2 * j] = x;
    places[2 * j + 1] = y;
  }

  /**
   * Returns the numbers of the positions in a box, edges included. The next search overwrites this array.
   *
   * @param {number} minX
   * @param {number} minY
   * @param {number} maxX
   * @param {number} maxY
   */
  inBox(minX, minY, maxX, maxY) {
    return found.subarray(0, this.#search(minX, minY, maxX, maxY, 0, 0, Infinity));
  }

  /**
   * Writes the numbers of the positions within a distance to `found`. Returns how many numbers were written.
   *
   * @param {number} x
   * @param {number} y
   * @param {number} distance
   */
  near(x, y, distance) {
    return this.#search(x - distance, y - distance, x + distance, y + distance, x, y, distance * distance);
  }

  /**
   * @param {number} minX
   * @param {number} minY
   * @param {number} maxX
   * @param {number} maxY
   * @param {number} x
   * @param {number} y
   * @param {number} square Square of the greatest distance from x and y. With Infinity, searches the whole box.
   */
  #search(minX, minY, maxX, maxY, x, y, square) {
    const { ids, places, nodeSize } = this;
    let count = 0;
    let waiting = 3;
    ranges[0] = ranges[2] = 0;
    ranges[1] = ids.length - 1;
    while (waiting > 0) {
      waiting -= 3;
      let start = ranges[waiting];
      let end = ranges[waiting + 1];
      const axis = ranges[waiting + 2];
      if (end - start > nodeSize) {
        const middle = (start + end) >> 1;
        const place = places[2 * middle + axis];
        if ((axis ? minY : minX) <= place) {
          ranges[waiting++] = start;
          ranges[waiting++] = middle - 1;
          ranges[waiting++] = 1 - axis;
        }
        if ((axis ? maxY : maxX) >= place) {
          ranges[waiting++] = middle + 1;
          ranges[waiting++] = end;
          ranges[waiting++] = 1 - axis;
        }
        start = end = middle;
      }
      for (let i = start; i <= end; i++) {
        const px = places[2 * i];
        const py = places[2 * i + 1];
        if (square === Infinity) {
          if (px < minX || px > maxX || py < minY || py > maxY) continue;
        } else {
          const dx = px - x;
          const dy = py - y;
          if (!(dx * dx + dy * dy <= square)) continue;
        }
        found[count++] = ids[i];
      }
    }
    return count;
  }
}

export { found };
