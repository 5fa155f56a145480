// The hierarchy of a tree with only some of its pages in memory.
//
// Loaded pages are in arrays like the arrays of a whole tree. Records are numbered in the order of loading. If a query
// needs a page that is not in memory, the page is added to `missing`, and the query continues as if the node had no
// children. At the end of such a query, its result is discarded, the missing pages are loaded together, and the query
// begins again.
//
// A query that splits all nodes of an upper page does not need this page: it continues at the roots of the child pages,
// because each page has the records of its own roots. If the upper page is loaded later, it has further records for
// these roots. Both records of a root then lead to the same children.

import { BadgeCurve } from "../badges.js";
import { attributeColumn, typedColumn } from "../columns.js";
import { Hierarchy } from "../hierarchy.js";
import { Bytes } from "../index-file.js";
import { Plane } from "../plane.js";
import { StoredRecords } from "../records.js";
import { boxVisibility, INSIDE, OUTSIDE } from "../view.js";
import { bytesOfBase64, keyOf, PageReader } from "./page.js";

/** @typedef {import("./page.js").Reference} Reference */

const [UPPER, LEAF, VALUES, DIRECTORY, SPREADS] = [1, 2, 3, 4, 5];
/**
 * Where the children of a record of an upper page are: in the same page, in the child page that the previous record
 * uses, or in the next child page.
 */
const [HERE, SAME, NEXT] = [0, 1, 2];

/** The place of the first page, which is in the manifest. */
const NOWHERE = { file: null, offset: 0, length: 0, fileLength: 0 };

/**
 * @typedef {object} Page
 * @property {"tree" | "values" | "directory" | "spreads"} kind
 * @property {Reference} reference
 * @property {number[]} roots Records whose children are in the page, as far as they are known. For a page of spreads
 *   (covariances), the records with these spreads.
 * @property {boolean} isLoaded
 * @property {number[]} entries The roots as a list of nodes, if the page was loaded before its parent page.
 * @property {Page | null} parent
 * @property {Page[]} children Child pages, as far as they are listed.
 * @property {Page | null} spreads The page with the exact covariances of this page's records.
 * @property {Uint32Array} box A box around the roots.
 * @property {number} code The greatest code of a root.
 * @property {number} parentCode The least code of a parent of a root.
 * @property {number} number Number of a page of values.
 *
 * @typedef {object} UpperRecord The fields of a record of an upper page that are not in arrays.
 * @property {number} first Tree index of the first point.
 * @property {number[]} sums Σ(x - min x) and Σ(y - min y), in halves of 32 bits.
 * @property {ArrayLike<number>} spread The rounded covariance of the points; the exact covariance after `spreads` is
 *   loaded.
 * @property {Page | null} spreads The page with the exact covariance; null after the page is loaded.
 * @property {number} code
 * @property {number} anchor Index of the point at which the node is shown, counted from the node's first point; -1 if
 *   the node is shown at its mean.
 * @property {Page | null} below The page with everything below the node; null after the page is loaded.
 * @property {number[]} cells The box of the node is divided into 8 x 8 cells. The bit of a cell is 1 if a point is in
 *   the cell. The four northern rows are in the first number. Empty if the children of the node are in the same page.
 *
 * @typedef {object} Values Rows and columns of some neighboring points.
 * @property {Uint32Array | Float64Array} rows
 * @property {import("../columns.js").Column[]} columns
 */

export class PagedHierarchy extends Hierarchy {
  /** @type {Map<number, UpperRecord>} */
  #upper = new Map();
  /**
   * The loaded leaf pages, ordered by their first points. Each leaf page has a place in `points`, and a number of
   * points.
   */
  /** @type {{first: number, at: number, count: number}[]} */
  #leaves = [];
  /** @type {{first: number, at: number, count: number}} */
  #last = { first: 0, at: 0, count: 0 };
  /**
   * Nodes of upper pages may be shown at points of leaf pages that are not loaded. This map has the place of each of
   * these points in `points`, by tree index.
   */
  #anchor = new Map();
  /**
   * A page that was loaded before its parent page has records of its roots. This map has, for each of these records,
   * the record of the same node in the parent page.
   *
   * @type {Map<number, number>}
   */
  #twins = new Map();
  #pointsEnd = 0;
  /** @type {Page[]} */
  #valuePages = [];
  /** @type {(Values | undefined)[]} */
  #values = [];

  /**
   * @param {any} manifest
   * @param {string} name Name of the tree in errors.
   */
  constructor(manifest, name) {
    const { projection, seam, left, top, side, growth, traits, has_codes: hasCodes, curve } = manifest;
    const stored = {
      points: new Uint32Array(0), rows: new Uint32Array(0), gaps: new Uint8Array(0), nodes: new Uint32Array(6),
      sums: new Uint32Array(0), spreads: new Float32Array(0), codes: hasCodes ? new Uint16Array(0) : null,
      anchors: traits & 4 ? new Uint8Array(0) : null, isAcrossSeam: (traits & 1) === 1,
    };
    super(stored, {
      plane: projection === 1 ? new Plane(true, seam) : new Plane(false, 0, left, top, side), growth,
      curve: curve ? curveOf(bytesOfBase64(curve)) : null, clippedPointCount: manifest.clipped_point_count, file: name,
    });
    this.manifest = manifest;
    this.pages = this;
    /**
     * Rows by index in tree order. Reading a row that is not in memory gives undefined, and adds the page of the row to
     * `missing`.
     */
    this.rows = new Proxy(this.rows, { get: (_, index) => this.#row(Number(index)) });
    this.pointCount = manifest.point_count;
    this.nodeCount = 1;
    /** Pages that a query needed and that are not in memory. @type {Set<Page>} */
    this.missing = new Set();
    /**
     * The view of the latest query.
     *
     * @type {import("../view.js").InView | null}
     */
    this.view = null;
    /**
     * The current query splits nodes with greater codes than this code. Infinity if codes do not decide splits.
     */
    this.greatest = Infinity;
    /**
     * The error of a damaged page, which may have been added in part.
     *
     * @type {unknown}
     */
    this.failure = null;
    /** Whether a query is running. During a query, covariances must be exact. */
    this.isAsking = false;
    /** @type {Page} */
    this.directory = pageAt("directory", this.#reference(manifest.values));
    this.hasDirectory = false;
  }

  /** Approximate number of bytes that the loaded pages take in memory. */
  get byteCount() {
    return this.nodes.byteLength * 2 + this.points.byteLength * 1.5 + this.#upper.size * 200
      + this.#values.reduce((sum, values) => sum + (values ? this.manifest.sizes.values * 16 : 0), 0);
  }

  // Queries

  /** @param {number} index */
  place(index) {
    let leaf = this.#last;
    if (index >= leaf.first && index < leaf.first + leaf.count) return index - leaf.first + leaf.at;
    let [low, high] = [0, this.#leaves.length];
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      if (this.#leaves[middle].first <= index) low = middle;
      else high = middle;
    }
    leaf = this.#leaves[low];
    if (leaf && index >= leaf.first && index < leaf.first + leaf.count) {
      this.#last = leaf;
      return index - leaf.first + leaf.at;
    }
    return this.#anchor.get(index) ?? this.#miss(index);
  }

  /**
   * Adds the page of a point that is not in memory to `missing`. Returns an arbitrary place.
   *
   * @param {number} index
   */
  #miss(index) {
    const { nodes } = this;
    let [record, first] = [0, 0];
    while (nodes[record * 6 + 5]) {
      record = this.leftRecord(record);
      const left = nodes[record * 6 + 4];
      if (index < first + left) continue;
      [record, first] = [record + 1, first + left];
    }
    this.isMissing(record);
    return 0;
  }

  /**
   * Returns the upper record of a node if the children of the node are not in memory; otherwise undefined.
   *
   * @param {number} count
   * @param {number} record
   */
  #alone(count, record) {
    return this.nodes[record * 6 + 5] || count !== this.nodes[record * 6 + 4] ? undefined : this.#upper.get(record);
  }

  /**
   * Returns pages below some missing pages that the current query probably needs, too. A page comes after its parent
   * page. At most `bytes` bytes are returned.
   *
   * @param {Iterable<Page>} missing
   * @param {number} bytes
   */
  ahead(missing, bytes) {
    /** @type {Page[]} */
    const found = [];
    if (this.greatest === Infinity) return found;
    for (let level = [...missing]; level.length; ) {
      level = level.flatMap((page) => this.#childrenInView(page)).filter(({ code }) => code > this.greatest)
        .flatMap((page) => this.#entered(page));
      for (const page of level.filter(({ isLoaded }) => !isLoaded)) {
        bytes -= page.reference.length;
        if (bytes < 0) return found;
        found.push(page);
      }
    }
    return found;
  }

  /**
   * Returns the child pages whose roots may be in view.
   *
   * @param {Page} page
   */
  #childrenInView({ children }) {
    if (!this.view) return children;
    const { x, width, minY, maxY } = this.view;
    return children.filter(({ box }) => boxVisibility(box, 0, x, width, minY, maxY) !== OUTSIDE);
  }

  /**
   * Returns the pages at which the current query enters a part of the tree. This is the page that holds the part or, if
   * the query does not need this page, pages below it.
   *
   * If the query splits the parents of all roots of the child pages in view, these child pages have all clusters. But
   * the query may not split the roots of all these child pages. If the child pages whose roots it does not split are
   * larger than the page, the page is loaded instead.
   *
   * @param {Page} page
   * @returns {Page[]}
   */
  #entered(page) {
    if (page.isLoaded || page.children.length === 0) return [page];
    const inView = this.#childrenInView(page);
    if (inView.some(({ parentCode }) => parentCode <= this.greatest)) return [page];
    const further = inView.filter(({ code, isLoaded }) => code <= this.greatest && !isLoaded);
    if (further.reduce((bytes, { reference }) => bytes + reference.length, 0) > page.reference.length) return [page];
    return inView.flatMap((child) => this.#entered(child));
  }

  /**
   * Returns the nodes at which the current query continues below a node, if the page with the children of the node is
   * not in memory and the query does not need this page; otherwise null. If further pages are missing, adds these pages
   * to `missing`, and returns the other nodes.
   *
   * @param {number} first
   * @param {number} count
   * @param {number} record
   * @returns {number[] | null}
   */
  nodesBelow(first, count, record) {
    const page = this.codes && this.#upper.get(record)?.below;
    if (!page || count !== this.nodes[record * 6 + 4]) return null;
    const pages = this.#entered(page);
    if (pages[0] === page) return null;
    const found = [];
    for (const entered of pages) {
      if (!entered.isLoaded) this.missing.add(entered);
      for (let i = 0; i < entered.entries.length; i += 4) {
        const root = entered.entries.slice(i, i + 4);
        if (root[0] >= first && root[0] < first + count) found.push(...root);
      }
    }
    return found;
  }

  /**
   * Returns the pages with the same parents as some missing pages, if they are not in memory either.
   *
   * @param {Page[]} missing
   */
  beside(missing) {
    const parents = new Set(missing.map(({ parent }) => parent));
    const others = [...parents].flatMap((parent) => parent?.children ?? []);
    return others.filter((page) => !page.isLoaded && !missing.includes(page));
  }

  /** @param {number} record */
  leftRecord(record) {
    return (record + this.nodes[record * 6 + 5]) >>> 0;
  }

  /** @param {number} record */
  isMissing(record) {
    const below = this.#upper.get(record)?.below;
    if (!below) return false;
    this.missing.add(below);
    return true;
  }

  /**
   * Whether a node has a point in a view. Returns null if only the page below the node shows this, or if this page is
   * in memory.
   *
   * @param {number} record
   * @param {import("../view.js").InView} view
   */
  isInView(record, { x, width, minY, maxY }) {
    const own = this.#upper.get(record);
    if (!own?.below) return null;
    const box = this.nodes.subarray(record * 6, record * 6 + 4);
    const sizes = sizesOf(box, 0);
    const steps = sizes.map((size) => Math.floor(size / 8) + 1);
    let isPartial = false;
    for (let cell = 0; cell < 64; cell++) {
      if (!((own.cells[cell >> 5] >> (cell & 31)) & 1)) continue;
      const starts = [(cell & 7) * steps[0], (cell >> 3) * steps[1]];
      const ends = starts.map((start, axis) => Math.min(start + steps[axis] - 1, sizes[axis]));
      const edges = [...starts, ...ends].map((distance, edge) => box[edge & 1] + distance);
      const visibility = boxVisibility(Uint32Array.from(edges), 0, x, width, minY, maxY);
      if (visibility === INSIDE) return true;
      isPartial ||= visibility !== OUTSIDE;
    }
    return isPartial ? null : false;
  }

  /**
   * @param {number} count
   * @param {number} record
   * @param {number} greatest
   */
  isFine(count, record, greatest) {
    this.greatest = greatest;
    const own = this.#upper.get(record);
    return own !== undefined && count === this.nodes[record * 6 + 4] && own.code <= greatest;
  }

  /**
   * @param {number} first
   * @param {number} left
   * @param {number} record
   */
  code(first, left, record) {
    return (this.nodes[record * 6 + 5] ? this.#upper.get(record)?.code : undefined) ?? super.code(first, left, record);
  }

  /**
   * @param {number} first
   * @param {number} count
   * @param {number} record
   * @param {number} levels
   */
  leftCount(first, count, record, levels) {
    if (this.isPoint(record) || (count > 1 && this.isMissing(record))) return 0;
    return super.leftCount(first, count, record, levels);
  }

  /**
   * @param {number} first
   * @param {number} count
   * @param {number} record
   * @param {ArrayLike<number>} box
   * @param {Float64Array} result
   */
  sumsOf(first, count, record, box, result) {
    const own = this.#alone(count, record);
    if (!own) return super.sumsOf(first, count, record, box, result);
    result[0] = own.sums[1] * 2 ** 32 + own.sums[0];
    result[1] = own.sums[3] * 2 ** 32 + own.sums[2];
  }

  /**
   * @param {number} first
   * @param {number} count
   * @param {number} record
   * @param {Float64Array} result
   * @param {number} [to]
   */
  mean(first, count, record, result, to = 0) {
    const own = this.#alone(count, record);
    if (!own) return super.mean(first, count, record, result, to);
    const [minX, minY, maxX, maxY] = this.nodes.subarray(record * 6);
    this.writeMean(
      minX, minY, maxX, maxY, own.sums[1] * 2 ** 32 + own.sums[0], own.sums[3] * 2 ** 32 + own.sums[2], count, result, to);
  }

  /**
   * @param {number} first
   * @param {number} count
   * @param {number} record
   * @param {Float64Array} result
   */
  spread(first, count, record, result) {
    const own = count === this.nodes[record * 6 + 4] ? this.#upper.get(record) : undefined;
    if (!own) return super.spread(first, count, record, result);
    if (own.spreads && this.isAsking) this.missing.add(own.spreads);
    result.set(own.spread);
  }

  /**
   * @param {number} first
   * @param {number} count
   * @param {number} record
   * @param {number} levels
   */
  anchorIndex(first, count, record, levels) {
    const own = count === this.nodes[record * 6 + 4] ? this.#upper.get(record) : undefined;
    return own ? (own.anchor < 0 ? -1 : first + own.anchor) : super.anchorIndex(first, count, record, levels);
  }

  /** @param {number} index */
  #row(index) {
    return this.#valuesOf(index)?.rows[index % this.manifest.sizes.values];
  }

  /**
   * Returns the page of values that contains a point; undefined if this page is not in memory.
   *
   * @param {number} index
   */
  #valuesOf(index) {
    const number = Math.floor(index / this.manifest.sizes.values);
    const values = this.#values[number];
    if (values) return values;
    const page = this.hasDirectory ? this.#valuePages[number] : this.directory;
    if (page) this.missing.add(page);
    return undefined;
  }

  /**
   * Returns the columns. Reading a value that is not in memory gives undefined, and adds the page of the value to
   * `missing`.
   *
   * @returns {import("../columns.js").Column[]}
   */
  columns() {
    const size = this.manifest.sizes.values;
    /** @param {number} i */
    const first = (i) => this.#valuesOf(0)?.columns[i];
    return this.manifest.columns.map((/** @type {any} */ { name, kind }, /** @type {number} */ i) => ({
      name, kind,
      get digits() { return first(i)?.digits; },
      get isDates() { return first(i)?.isDates; },
      value: (/** @type {number} */ index) => this.#valuesOf(index)?.columns[i].value(index % size) ?? null,
      instant: (/** @type {number} */ index) => this.#valuesOf(index)?.columns[i].instant?.(index % size),
      output: (/** @type {number} */ index) => this.#valuesOf(index)?.columns[i].output(index % size),
    }));
  }

  /**
   * Returns the pages of values that are not loaded. If the directory of these pages is not loaded, returns the
   * directory.
   *
   * @returns {Page[]}
   */
  get valuePages() {
    return this.hasDirectory ? this.#valuePages.filter((_, number) => !this.#values[number]) : [this.directory];
  }

  /**
   * Whether a page has not been added yet.
   *
   * @param {Page} page
   */
  needs(page) {
    const { kind, roots, number } = page;
    if (kind === "directory") return !this.hasDirectory;
    if (kind === "values") return !this.#values[number];
    if (kind === "tree") return !page.isLoaded;
    return roots.some((record) => this.#upper.get(record)?.spreads === page);
  }

  // Loading

  /**
   * Adds the content of a page.
   *
   * @param {Page} page
   * @param {Uint8Array} bytes
   */
  add(page, bytes) {
    const reader = new PageReader(bytes, `${this.file}, page ${keyOf(page.reference)}`);
    try {
      if (page.kind === "tree" && bytes[0] !== LEAF) this.#addUpper(page, reader);
      else if (page.kind === "directory") this.#addDirectory(reader);
      else if (page.kind === "values") this.#addValues(page, reader);
      else if (page.kind === "spreads") this.#addSpreads(page, reader);
      else this.#addLeaf(page, reader);
    } catch (error) {
      this.failure = error;
      throw error;
    }
  }

  /** @param {Uint8Array} bytes */
  addFirst(bytes) {
    const first = pageAt("tree", NOWHERE);
    if (this.pointCount) first.roots.push(0);
    this.nodes[4] = this.pointCount;
    if (this.manifest.spreads) first.spreads = pageAt("spreads", this.#reference(this.manifest.spreads));
    this.#addUpper(first, new PageReader(bytes, `${this.file}, first page`));
  }

  /**
   * Returns the place of a page that is alone in its file, or in the single file of all pages.
   *
   * @param {any} member A member of the manifest.
   * @returns {Reference}
   */
  #reference({ file = null, offset, length }) {
    return { file, offset, length, fileLength: file ? length : Infinity };
  }

  /**
   * @param {Page} page
   * @param {PageReader} reader
   */
  #addUpper(page, reader) {
    reader.kind(UPPER);
    const [rootCount, count, childCount, listed, firstPoint] = Array.from({ length: 5 }, () => reader.u32());
    const around = Uint32Array.from({ length: 4 }, () => reader.u32());
    if (listed) readListing(reader, page, listed, this.codes !== null);
    const { children } = page;
    reader.require(children.length === childCount, `${childCount} child pages`, children.length);
    const spreadPage = page.spreads;
    reader.require(Boolean(spreadPage) === Boolean(this.codes), "a page of spreads if, and only if, the tree has codes", spreadPage ? "one" : "none");
    const counts = reader.words(rootCount);
    const levels = reader.halfWords(rootCount);
    const states = reader.plain(count);
    const edges = reader.plain(count);
    const spreads = this.codes ? null : spreadColumns(reader, count);
    const [sizes, shapes] = [0, 1].map(() => reader.plain(this.codes ? count : 0));
    const codes = this.codes ? reader.halfWords(count) : null;
    const anchors = this.anchors ? [0, 1, 2].map(() => reader.words(count)) : null;
    const ends = states.filter((state) => state !== HERE).length;
    const cells = [reader.words(ends), reader.words(ends)];
    const bits = reader.bits();
    const roots = this.#rootsOf(page, reader, firstPoint, counts, levels);
    const anchorsAt = anchors ? this.#reservePoints(count) : 0;
    let [at, child, used, end] = [0, -1, 0, 0];
    /**
     * Reads the next record of the page.
     *
     * @param {number} record
     * @param {ArrayLike<number>} parent Box of the record's parent. For a root, the box around all roots.
     * @param {number} first
     * @param {{own: UpperRecord, left: number, box: ArrayLike<number>} | null} whole The parent if the record is a
     *   right child, otherwise null.
     */
    const readRecord = (record, parent, first, whole) => {
      reader.require(at < count, `at most ${count} records`, "more");
      const i = at++;
      const { nodes } = this;
      const parentSizes = sizesOf(parent, 0).map(bitLength);
      for (let edge = 0; edge < 4; edge++) {
        const difference = edges[i] & (1 << edge) ? bits(parentSizes[edge & 1]) : 0;
        nodes[record * 6 + edge] = parent[edge] + (edge < 2 ? difference : -difference);
      }
      const anchor = anchors ? anchors[0][i] : -1;
      if (anchors) {
        this.points[2 * (anchorsAt + i)] = nodes[record * 6] + anchors[1][i];
        this.points[2 * (anchorsAt + i) + 1] = nodes[record * 6 + 1] + anchors[2][i];
        this.#anchor.set(first + anchor, anchorsAt + i);
      }
      /** @type {number[]} */
      let sums;
      if (whole && !isAcross(nodes, record) && !isAcross(nodes, whole.left)) {
        sums = this.#rest(whole.own.sums, whole.left, record, whole.box);
      } else {
        sums = sizesOf(nodes, record * 6).flatMap((size) => {
          const length = productLength(nodes[record * 6 + 4], size);
          return [bits(Math.min(length, 32)), bits(Math.max(length - 32, 0))];
        });
      }
      // The record of a root may also be in the parent page.
      let own = this.#upper.get(record);
      if (!own) {
        own = {
          first, sums, spread: spreads ? spreads.map((column) => column[i]) : roundedSpread(sizes[i], shapes[i]), spreads: spreadPage,
          code: codes ? codes[i] : 0, anchor, below: null, cells: [],
        };
        this.#upper.set(record, own);
      }
      spreadPage?.roots.push(record);
      const state = states[i];
      if (state === HERE) {
        const left = this.#reserveRecords(2);
        const all = this.nodes[record * 6 + 4];
        const ofLeft = bits(bitLength(all));
        reader.require(ofLeft > 0 && ofLeft < all, `1 to ${all - 1} points in a left child`, ofLeft);
        this.nodes[left * 6 + 4] = ofLeft;
        this.nodes[left * 6 + 10] = all - ofLeft;
        this.#setChildren(record, left);
        const box = this.nodes.slice(record * 6, record * 6 + 4);
        waiting.push([left + 1, box, first + ofLeft, { own, left, box }], [left, box, first, null]);
        return;
      }
      reader.require(state === SAME || state === NEXT, "a state from 0 to 2", state);
      own.cells = cells.map((column) => column[end]);
      end++;
      if (state === NEXT) {
        checkRoots();
        [child, used] = [child + 1, 0];
      }
      reader.require(child >= 0 && child < childCount, `a child page below ${childCount}`, child);
      this.#setPage(record, children[child], used++, reader);
    };
    /** Checks that the current child page, if it was loaded before, has no further roots. */
    const checkRoots = () => {
      if (child >= 0) reader.require(used === children[child].roots.length, `a child page of ${used} roots`, children[child].roots.length);
    };
    // Records to read, with the box of the parent, the first point, and the parent. The last record of this list is
    // read next.
    /** @type {Parameters<typeof readRecord>[]} */
    const waiting = [];
    let first = firstPoint;
    roots.forEach((root, i) => {
      waiting.push([root, around, first, null]);
      for (let next; (next = waiting.pop()); ) readRecord(...next);
      first += counts[i];
    });
    checkRoots();
    reader.require(child === childCount - 1, `roots of ${childCount} child pages`, child + 1);
    reader.require(at === count, `${count} records`, at);
    reader.end();
  }

  /**
   * Returns the records of the roots of a page that is being added. If the parent page is not in memory, makes these
   * records.
   *
   * @param {Page} page
   * @param {PageReader} reader
   * @param {number} first Tree index of the first point of the first root.
   * @param {ArrayLike<number>} counts Number of points of each root.
   * @param {ArrayLike<number>} levels Level of each root below the tree's root.
   */
  #rootsOf(page, reader, first, counts, levels) {
    page.isLoaded = true;
    if (page.roots.length) {
      reader.require(counts.length === page.roots.length, `${page.roots.length} roots`, counts.length);
      page.roots.forEach((root, i) => {
        const expected = this.nodes[root * 6 + 4];
        reader.require(counts[i] === expected, `a root of ${expected} points`, counts[i]);
      });
      return page.roots;
    }
    const base = this.#reserveRecords(counts.length);
    for (let i = 0; i < counts.length; i++) {
      this.nodes[(base + i) * 6 + 4] = counts[i];
      page.roots.push(base + i);
      page.entries.push(first, counts[i], base + i, levels[i]);
      first += counts[i];
    }
    return page.roots;
  }

  /**
   * Makes a page the page with everything below a record, which is a record of the parent page.
   *
   * @param {number} record
   * @param {Page} page
   * @param {number} number Number of the record among the roots of the page.
   * @param {PageReader} reader
   */
  #setPage(record, page, number, reader) {
    if (!page.isLoaded) {
      page.roots.push(record);
      this.#setBelow(record, page);
      return;
    }
    const root = page.roots[number];
    const expected = this.nodes[record * 6 + 4];
    reader.require(this.nodes[root * 6 + 4] === expected, `a root of ${expected} points in a child page`, this.nodes[root * 6 + 4]);
    this.#twins.set(root, record);
    const below = this.#upper.get(root)?.below;
    if (below) this.#setBelow(record, below);
    else this.#setChildren(record, this.nodes[root * 6 + 5] ? this.leftRecord(root) : 0, false);
  }

  /**
   * @param {number} record
   * @param {Page | null} page The page with everything below the record; null if this page is in memory.
   */
  #setBelow(record, page) {
    const own = this.#upper.get(record);
    if (own) own.below = page;
    const twin = this.#twins.get(record);
    if (twin !== undefined) this.#setBelow(twin, page);
  }

  /**
   * Returns the sums of a right child: the sums of the parent minus the sums of the left child. The sums of a node are
   * measured from the edges of the node's box.
   *
   * @param {number[]} whole
   * @param {number} left
   * @param {number} right
   * @param {ArrayLike<number>} box The parent's box.
   */
  #rest(whole, left, right, box) {
    const { nodes } = this;
    const ofLeft = /** @type {UpperRecord} */ (this.#upper.get(left)).sums;
    return [0, 1].flatMap((axis) => {
      const number = (/** @type {number[]} */ sums) => (BigInt(sums[2 * axis + 1]) << 32n) + BigInt(sums[2 * axis]);
      const moved = (/** @type {number} */ record) =>
        BigInt(nodes[record * 6 + 4]) * BigInt((nodes[record * 6 + axis] - box[axis]) >>> 0);
      const rest = BigInt.asUintN(64, number(whole) - number(ofLeft) - moved(left) - moved(right));
      return [Number(rest & 0xffffffffn), Number(rest >> 32n)];
    });
  }

  /**
   * @param {Page} page
   * @param {PageReader} reader
   */
  #addSpreads({ roots }, reader) {
    reader.kind(SPREADS);
    const count = reader.u32();
    reader.require(count === roots.length, `${roots.length} spreads`, count);
    const columns = spreadColumns(reader, count);
    reader.end();
    roots.forEach((record, i) => {
      const own = /** @type {UpperRecord} */ (this.#upper.get(record));
      own.spread = columns.map((column) => column[i]);
      own.spreads = null;
      if (this.nodes[record * 6 + 5]) this.spreads.set(own.spread, ((this.leftRecord(record) - 1) >> 1) * 3);
    });
  }

  /**
   * Makes a pair of records the children of a record. Everything below the record is in memory then.
   *
   * @param {number} record
   * @param {number} left The record of the left child; 0 if the record has no children in the index.
   * @param {boolean} isNew Whether no other record of the same node leads to these children.
   */
  #setChildren(record, left, isNew = true) {
    const own = this.#upper.get(record);
    if (own) own.below = null;
    if (left) {
      // The children may have a lower number than their parent. So the offset is modulo 2^32.
      this.nodes[record * 6 + 5] = left - record;
      const pair = (left - 1) >> 1;
      // Another record of the node may have exact spreads.
      if (own && isNew) {
        this.sums.set(own.sums, pair * 4);
        this.spreads.set(own.spread, pair * 3);
      }
    }
    const twin = this.#twins.get(record);
    if (twin !== undefined) this.#setChildren(twin, left, false);
  }

  /**
   * @param {Page} page
   * @param {PageReader} reader
   */
  #addLeaf(page, reader) {
    reader.kind(LEAF);
    const [rootCount, count, pairs, first] = [reader.u32(), reader.u32(), reader.u32(), reader.u32()];
    const rootCounts = reader.words(rootCount);
    const levels = reader.halfWords(rootCount);
    const lefts = reader.words(pairs);
    const [xs, ys] = [reader.sums(count), reader.sums(count)];
    const gaps = reader.plain((count + 1) >> 1);
    const codes = this.codes ? reader.halfWords(count) : null;
    const anchors = this.anchors ? reader.plain((count + 7) >> 3) : null;
    reader.end();
    const records = new StoredRecords(count, 2 * rootCount + 2 * pairs + 1, this.isAcrossSeam);
    for (let i = 0; i < count; i++) [records.points[2 * i], records.points[2 * i + 1]] = [xs[i], ys[i]];
    records.gaps.set(gaps);
    const places = this.#shape(reader, records, rootCounts, lefts, count);
    for (let record = records.firsts.length - 1; record >= 0; record--) if (records.nodes[record * 6 + 4]) records.describe(record);

    const at = this.#reservePoints(count);
    this.points.set(records.points, 2 * at);
    this.gaps.set(gaps, at >> 1);
    if (codes) /** @type {Uint16Array} */ (this.codes).set(codes, at);
    if (anchors) /** @type {Uint8Array} */ (this.anchors).set(anchors, at >> 3);
    const roots = this.#rootsOf(page, reader, first, rootCounts, levels);
    // The reserved block begins at an even record, like the page. So pairs of children begin at odd records.
    const base = this.#reserveRecords(records.firsts.length + 1) + 1;
    this.nodes.set(records.nodes, base * 6);
    this.sums.set(records.sums, base * 2);
    this.spreads.set(records.spreads, (base >> 1) * 3);
    roots.forEach((record, i) => {
      const own = places[i];
      const left = records.nodes[own * 6 + 5] && base + own + records.nodes[own * 6 + 5];
      if (page.entries.length) this.nodes.set(records.nodes.subarray(own * 6, own * 6 + 4), record * 6);
      this.#setChildren(record, left);
    });
    const leaf = { first, at, count };
    let place = this.#leaves.length;
    while (place > 0 && this.#leaves[place - 1].first > first) place--;
    this.#leaves.splice(place, 0, leaf);
  }

  /**
   * Writes the counts and the child offsets of the records of a leaf page. Returns the record of each root.
   *
   * @param {PageReader} reader
   * @param {StoredRecords} records
   * @param {Uint32Array} rootCounts
   * @param {Uint32Array} lefts
   * @param {number} count
   */
  #shape(reader, { nodes, points, firsts }, rootCounts, lefts, count) {
    let [next, start, pair] = [0, 0, 0];
    const places = Array.from(rootCounts, (expected) => {
      reader.require(start + expected <= count, `roots of at most ${count} points`, start + expected);
      const place = next++;
      const waiting = [place, start, expected];
      while (waiting.length) {
        const all = /** @type {number} */ (waiting.pop());
        const first = /** @type {number} */ (waiting.pop());
        const record = /** @type {number} */ (waiting.pop());
        firsts[record] = first;
        nodes[record * 6 + 4] = all;
        if (all <= 16 || isOnePosition(points, first, all)) continue;
        const left = lefts[pair++];
        reader.require(left > 0 && left < all, `1 to ${all - 1} points in a left child`, left);
        nodes[record * 6 + 5] = next - record;
        waiting.push(next + 1, first + left, all - left, next, first, left);
        next += 2;
      }
      start += expected;
      // Roots are at even records.
      next++;
      return place;
    });
    reader.require(pair === lefts.length && start === count, `${count} points and ${lefts.length} pairs`, `${start} and ${pair}`);
    return places;
  }

  /** @param {PageReader} reader */
  #addDirectory(reader) {
    reader.kind(DIRECTORY);
    const [count, size] = [reader.u32(), reader.u32()];
    reader.require(size === this.manifest.sizes.values && count === Math.ceil(this.pointCount / size), "pages of values that together have all points", `${count} pages of ${size} points`);
    this.#valuePages = reader.places(count).map((reference, number) => ({ ...pageAt("values", reference), number }));
    reader.end();
    this.hasDirectory = true;
  }

  /**
   * @param {Page} page
   * @param {PageReader} reader
   */
  #addValues({ number }, reader) {
    reader.kind(VALUES);
    const [count, width, columnCount] = [reader.u32(), reader.u32(), reader.u32()];
    const size = this.manifest.sizes.values;
    reader.require(count === Math.min(size, this.pointCount - number * size), "as many points as the directory says", count);
    reader.require(width === 4 || width === 8, "row numbers of 4 or 8 bytes", width);
    reader.require(columnCount === this.manifest.columns.length, `${this.manifest.columns.length} columns`, columnCount);
    /** @type {Uint32Array | Float64Array} */
    let rows = reader.words(count);
    if (width === 8) {
      const upper = reader.words(count);
      rows = Float64Array.from(rows, (lower, i) => Math.min(upper[i] * 2 ** 32 + lower, 2 ** 53));
    }
    reader.align();
    /** @type {import("../columns.js").Column[]} */
    const columns = [];
    while (columns.length < columnCount) {
      const [kind, length] = [reader.u32(), reader.u32()];
      const section = reader.plain(length);
      reader.align();
      // A section is read in place, so it must begin at a multiple of 8.
      const bytes = new Bytes(section.slice().buffer, reader.name);
      columns.push((kind === 16 ? attributeColumn : typedColumn)(bytes, 0, length, count));
    }
    reader.end();
    this.#values[number] = { rows, columns };
  }

  // Memory

  /**
   * Reserves consecutive records. Returns the number of the first record, which is always odd.
   *
   * @param {number} count
   */
  #reserveRecords(count) {
    const first = this.nodeCount;
    this.nodeCount += count + (count & 1);
    this.nodes = grown(this.nodes, this.nodeCount * 6);
    this.sums = grown(this.sums, this.nodeCount * 2);
    this.spreads = grown(this.spreads, ((this.nodeCount + 1) >> 1) * 3);
    return first;
  }

  /**
   * Reserves consecutive places for points. Returns the first place, a multiple of 8.
   *
   * @param {number} count
   */
  #reservePoints(count) {
    const first = this.#pointsEnd;
    this.#pointsEnd += Math.ceil(count / 8) * 8;
    this.points = grown(this.points, this.#pointsEnd * 2);
    this.gaps = grown(this.gaps, this.#pointsEnd >> 1);
    if (this.codes) this.codes = grown(this.codes, this.#pointsEnd);
    if (this.anchors) this.anchors = grown(this.anchors, this.#pointsEnd >> 3);
    return first;
  }

  /**
   * Returns the arrays of the whole tree, as in an index. All pages must have been loaded.
   *
   * @returns {import("../layout.js").StoredTree}
   */
  stored() {
    const { pointCount } = this;
    const points = new Uint32Array(2 * pointCount);
    const gaps = new Uint8Array((pointCount + 1) >> 1);
    const codes = this.codes && new Uint16Array(pointCount);
    const anchors = this.anchors && new Uint8Array((pointCount + 7) >> 3);
    for (const { first, at, count } of this.#leaves) {
      points.set(this.points.subarray(2 * at, 2 * (at + count)), 2 * first);
      codes?.set(/** @type {Uint16Array} */ (this.codes).subarray(at, at + count), first);
      for (let i = 0; i < count; i++) {
        const [to, from] = [first + i, at + i];
        if (anchors && (/** @type {Uint8Array} */ (this.anchors)[from >> 3] >> (from & 7)) & 1) anchors[to >> 3] |= 1 << (to & 7);
      }
    }
    const rows = new (this.#values.some((values) => values?.rows instanceof Float64Array) ? Float64Array : Uint32Array)(pointCount);
    this.#values.forEach((values, number) => values && rows.set(values.rows, number * this.manifest.sizes.values));
    const nodes = new Uint32Array(6 * Math.min(this.nodeCount, 2 * pointCount));
    const sums = new Uint32Array(nodes.length / 3);
    const spreads = new Float32Array(nodes.length / 4);
    let next = pointCount ? 1 : 0;
    for (let waiting = pointCount ? [0, 0, 0] : []; waiting.length; ) {
      const first = /** @type {number} */ (waiting.pop());
      const to = /** @type {number} */ (waiting.pop());
      const from = /** @type {number} */ (waiting.pop());
      nodes.set(this.nodes.subarray(from * 6, from * 6 + 6), to * 6);
      if (nodes[to * 6 + 4] <= 16) nodes[to * 6 + 5] = 0;
      if (!nodes[to * 6 + 5]) {
        this.#writeGaps(gaps, from, first, 0);
        continue;
      }
      const [left, pair] = [this.leftRecord(from), (next - 1) >> 1];
      nodes[to * 6 + 5] = next - to;
      const fromPair = (left - 1) >> 1;
      sums.set(this.sums.subarray(fromPair * 4, fromPair * 4 + 4), pair * 4);
      spreads.set(this.spreads.subarray(fromPair * 3, fromPair * 3 + 3), pair * 3);
      waiting.push(left + 1, next + 1, first + this.nodes[left * 6 + 4], left, next, first);
      next += 2;
    }
    const pairs = Math.max(next - 1, 0) >> 1;
    return {
      points, rows, gaps, nodes: nodes.slice(0, next * 6), sums: sums.slice(0, pairs * 4), spreads: spreads.slice(0, pairs * 3), codes, anchors,
      isAcrossSeam: this.isAcrossSeam,
    };
  }

  /**
   * Writes the gaps of a bucket, a node whose children have no records in an index. Gaps are the depths of the splits
   * between the points of the bucket. An upper page may have records of parts of the bucket. Below the last of these
   * records, stored depths are counted from the part of this record.
   *
   * @param {Uint8Array} gaps
   * @param {number} record
   * @param {number} first
   * @param {number} depth
   */
  #writeGaps(gaps, record, first, depth) {
    const write = (/** @type {number} */ index, /** @type {number} */ gap) => void (gaps[index >> 1] |= gap << ((index & 1) * 4));
    if (this.nodes[record * 6 + 5]) {
      const left = this.leftRecord(record);
      const second = first + this.nodes[left * 6 + 4];
      write(second - 1, depth);
      this.#writeGaps(gaps, left, first, depth + 1);
      this.#writeGaps(gaps, left + 1, second, depth + 1);
      return;
    }
    const start = this.place(first);
    for (let i = 0; i < this.nodes[record * 6 + 4] - 1; i++) {
      const gap = (this.gaps[(start + i) >> 1] >> (((start + i) & 1) * 4)) & 15;
      write(first + i, gap === 15 ? 15 : gap + depth);
    }
  }

  /** Pages below the loaded pages. These pages are known, but not loaded. */
  get pagesBelow() {
    return new Set([...this.#upper.values()].flatMap(({ below, spreads }) => [below ?? [], spreads ?? []].flat()));
  }
}

/**
 * @template {Uint8Array | Uint16Array | Uint32Array | Float32Array} Numbers
 * @param {Numbers} array
 * @param {number} length
 * @returns {Numbers} The array, or a longer copy.
 */
function grown(array, length) {
  if (array.length >= length) return array;
  const longer = new (/** @type {any} */ (array.constructor))(Math.max(length, 2 * array.length));
  longer.set(array);
  return longer;
}

/** @param {number} greatest */
const bitLength = (greatest) => 32 - Math.clz32(greatest);

/**
 * Returns the number of bits of a product.
 *
 * @param {number} one
 * @param {number} other
 */
function productLength(one, other) {
  const product = one * other;
  if (product < 2 ** 32) return bitLength(product);
  // From here on, a double may be the next power of 2.
  if (product >= 2 ** 53) return (BigInt(one) * BigInt(other)).toString(2).length;
  return 32 + bitLength(Math.floor(product / 2 ** 32));
}

/**
 * Returns the width and the height of a box in an array.
 *
 * @param {ArrayLike<number>} boxes
 * @param {number} at
 */
const sizesOf = (boxes, at) => [0, 1].map((axis) => (boxes[at + axis + 2] - boxes[at + axis]) >>> 0);

/**
 * @param {PageReader} reader
 * @param {number} count
 */
const spreadColumns = (reader, count) => [0, 1, 2].map(() => new Float32Array(reader.words(count).buffer));

/**
 * Returns the covariance for the two bytes of a rounded ellipse.
 *
 * @param {number} size
 * @param {number} shape
 */
function roundedSpread(size, shape) {
  if (size === 0) return [0, 0, 0];
  const bits = size + 253;
  const square = 2 ** ((bits >> 1) - 127) * (1.25 + (bits & 1) / 2);
  let [along, across] = [(shape & 15) / 7.5 - 1, (shape >> 4) / 7.5 - 1];
  const length = Math.max(Math.hypot(along, across), 1);
  [along, across] = [along / length, across / length];
  // The squares of the two half axes are (1 + elongation) and (1 - elongation) times the mean of the two squares.
  const elongation = Math.hypot(along, across);
  const mean = Math.sqrt(square / ((1 + elongation) * Math.max(1 - elongation, (1 + elongation) / 16)));
  return [mean * (1 + along), mean * across, mean * (1 - along)];
}

/**
 * @param {Uint32Array} points
 * @param {number} first
 * @param {number} count
 */
function isOnePosition(points, first, count) {
  for (let i = first + 1; i < first + count; i++) {
    if (points[2 * i] !== points[2 * first] || points[2 * i + 1] !== points[2 * first + 1]) return false;
  }
  return true;
}

/** @param {Uint8Array} bytes The section of a curve. */
function curveOf(bytes) {
  const view = new DataView(bytes.buffer);
  const steps = Array.from({ length: (bytes.length - 8) >> 3 }, (_, i) => [view.getUint32(8 + 8 * i, true), view.getUint16(12 + 8 * i, true)]);
  return new BadgeCurve(steps.map(([count]) => count), steps.map(([, diameter]) => diameter), view.getUint16(0, true));
}

/**
 * @param {Page["kind"]} kind
 * @param {Reference} reference
 * @returns {Page}
 */
const pageAt = (kind, reference) => ({ kind, reference, roots: [], isLoaded: false, entries: [], parent: null, children: [], spreads: null, box: new Uint32Array(4), code: 0, parentCode: 0, number: 0 });

/**
 * Reads the listing of an upper page.
 *
 * @param {PageReader} reader
 * @param {Page} owner
 * @param {number} count
 * @param {boolean} hasSpreads
 */
function readListing(reader, owner, count, hasSpreads) {
  const box = Uint32Array.from([0, 1, 2, 3], () => reader.u32());
  const places = reader.places(hasSpreads ? 2 * count : count);
  const childCounts = reader.words(count);
  const edges = [0, 1, 2, 3].map(() => reader.plain(count));
  const [codes, parentCodes] = [reader.halfWords(count), reader.halfWords(count)];
  // The pages whose children come next. Each has the number of children that have not been read yet.
  const parents = [{ page: owner, box, left: Infinity }];
  for (let i = 0; i < count; i++) {
    while (parents[parents.length - 1].left === 0) parents.pop();
    const parent = parents[parents.length - 1];
    parent.left--;
    const page = pageAt("tree", places[i]);
    const spreads = places[count + i];
    if (spreads?.length) page.spreads = pageAt("spreads", spreads);
    page.code = codes[i];
    page.parentCode = parentCodes[i];
    page.box = insideBox(parent.box, edges.map((column) => column[i]));
    page.parent = parent.page;
    parent.page.children.push(page);
    if (childCounts[i]) parents.push({ page, box: page.box, left: childCounts[i] });
  }
  reader.require(parents.slice(1).every(({ left }) => left === 0), "all child pages of each page", "fewer");
}

/**
 * Returns a box from its edges, which are steps of about 1/256 of the box around it. Edges are modulo 2^32, because a
 * box may lie across the seam.
 *
 * @param {Uint32Array} outer
 * @param {number[]} edges
 */
function insideBox(outer, edges) {
  const sizes = sizesOf(outer, 0);
  return Uint32Array.from(edges, (edge, side) => {
    const step = Math.floor(sizes[side & 1] / 256) + 1;
    return outer[side & 1] + (side < 2 ? edge * step : Math.min(edge * step + step - 1, sizes[side & 1]));
  });
}

/**
 * Whether the box of a record lies across the seam.
 *
 * @param {Uint32Array} nodes
 * @param {number} record
 */
const isAcross = (nodes, record) => nodes[record * 6] > nodes[record * 6 + 2];
