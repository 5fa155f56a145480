// The records of nodes: the box around the points of a node, and the sums and the covariance of these points.

import { boxAround, EDGES, join } from "./box.js";
import { addMoved, addPoint, MOMENTS, writeSpread } from "./moments.js";

const HALF_WORLD = 2 ** 31;

/** Computes the boxes, sums and covariances of records from the points. */
export class StoredRecords {
  /**
   * @param {number} points Number of points.
   * @param {number} records
   * @param {boolean} crossesSeam Whether a box may lie across the seam.
   */
  constructor(points, records, crossesSeam) {
    this.crossesSeam = crossesSeam;
    this.points = new Uint32Array(points * 2);
    this.gaps = new Uint8Array((points + 1) >> 1);
    this.nodes = new Uint32Array(records * 6);
    this.sums = new Uint32Array((records >> 1) * 4);
    this.spreads = new Float32Array((records >> 1) * 3);
    this.isAcrossSeam = false;
    /** First point of each record. */
    this.firsts = new Uint32Array(records);
    /** Moments of each record's points, measured from the corner of its box. */
    this.moments = new Float64Array(records * MOMENTS);
  }

  /**
   * Writes the box, the sums and the covariance of a record. The records of the children must have been written before.
   *
   * @param {number} record
   */
  describe(record) {
    const { nodes, sums, spreads, moments } = this;
    const at = record * 6;
    const count = nodes[at + 4];
    if (!nodes[at + 5]) {
      if (count > 16) nodes.set(this.#box(this.firsts[record], 1), at);
      else this.#describeBucket(record);
      if (nodes[at] > nodes[at + 2] || (count <= 16 && this.#isPartAcross(record))) this.isAcrossSeam = true;
      return;
    }
    const left = record + nodes[at + 5];
    const own = record * MOMENTS;
    if (this.#unite(at, left * 6)) {
      this.#addMoved(record, left);
      this.#addMoved(record, left + 1);
    } else {
      // A child lies across the seam (the meridian at which the plane is cut open), but the node is too wide for a box
      // across the seam.
      nodes.set(this.#box(this.firsts[record], count), at);
      this.#addPoints(record);
    }
    const [x, y] = [moments[own], moments[own + 1]];
    const pair = (left - 1) >> 1;
    sums[pair * 4] = x % 2 ** 32;
    sums[pair * 4 + 1] = x / 2 ** 32;
    sums[pair * 4 + 2] = y % 2 ** 32;
    sums[pair * 4 + 3] = y / 2 ** 32;
    writeSpread(moments, own, count, spreads, pair * 3);
    if (nodes[at] > nodes[at + 2]) this.isAcrossSeam = true;
  }

  /** @param {number} record */
  #describeBucket(record) {
    this.nodes.set(this.#box(this.firsts[record], this.nodes[record * 6 + 4]), record * 6);
    this.#addPoints(record);
  }

  /** @param {number} record */
  #addPoints(record) {
    const { nodes, points, moments } = this;
    const own = record * MOMENTS;
    const [minX, minY] = [nodes[record * 6], nodes[record * 6 + 1]];
    const first = this.firsts[record];
    for (let i = first; i < first + nodes[record * 6 + 4]; i++) {
      addPoint(moments, own, (points[i * 2] - minX) >>> 0, points[i * 2 + 1] - minY);
    }
  }

  /**
   * Adds the moments of a child, measured from the corner of the record's box. The corner of the record's box is
   * northwest of the corner of the child's box. The seam may lie between the two corners.
   *
   * @param {number} record
   * @param {number} child
   */
  #addMoved(record, child) {
    const { nodes } = this;
    const dx = (nodes[child * 6] - nodes[record * 6]) >>> 0;
    const dy = nodes[child * 6 + 1] - nodes[record * 6 + 1];
    addMoved(this.moments, record * MOMENTS, child * MOMENTS, nodes[child * 6 + 4], dx, dy);
  }

  /**
   * Writes the box around two neighbouring records. Returns false if the box must be computed from the points instead.
   *
   * @param {number} at
   * @param {number} left
   */
  #unite(at, left) {
    const { nodes } = this;
    const right = left + 6;
    let west = Math.min(nodes[left], nodes[right]);
    let east = Math.max(nodes[left + 2], nodes[right + 2]);
    if (this.crossesSeam) {
      join(nodes[left], nodes[left + 2], nodes[right], nodes[right + 2]);
      [west, east] = EDGES;
      if (west <= east && (nodes[left] > nodes[left + 2] || nodes[right] > nodes[right + 2])) return false;
    }
    nodes[at] = west;
    nodes[at + 1] = Math.min(nodes[left + 1], nodes[right + 1]);
    nodes[at + 2] = east;
    nodes[at + 3] = Math.max(nodes[left + 3], nodes[right + 3]);
    return true;
  }

  /**
   * Returns the smallest box around some points. The box may cross the seam if clusters may cross the seam.
   *
   * @param {number} first
   * @param {number} count
   */
  #box(first, count) {
    return boxAround(this.points, first, count, this.crossesSeam);
  }

  /**
   * Whether a part of a bucket (a node without stored children) lies across the seam, although the bucket itself is too
   * wide to lie across the seam.
   *
   * @param {number} record
   */
  #isPartAcross(record) {
    const { nodes } = this;
    if (!this.crossesSeam || nodes[record * 6 + 2] - nodes[record * 6] < HALF_WORLD) return false;
    const first = this.firsts[record];
    const count = nodes[record * 6 + 4];
    /** @param {number} place */
    const gap = (place) => (this.gaps[(first + place) >> 1] >> (((first + place) & 1) * 4)) & 15;
    for (let split = 1; split < count; split++) {
      // A part ends at the next split that is closer to the root.
      const level = gap(split - 1);
      let [start, end] = [split - 1, split + 1];
      while (start > 0 && gap(start - 1) >= level) start--;
      while (end < count && gap(end - 1) >= level) end++;
      const box = this.#box(first + start, end - start);
      if (box[0] > box[2]) return true;
    }
    return false;
  }
}
