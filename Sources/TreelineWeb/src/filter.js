// Conditions on columns, in the part of CQL2 text that the page Filters describes: comparisons, BETWEEN, IN, LIKE, IS
// NULL, DATE and TIMESTAMP, S_INTERSECTS with a BBOX, AND, OR, NOT and parentheses.
//
// A condition is true or false, or null if the value is missing. As in SQL, a missing value meets neither a condition
// nor the negation of the condition.

import { columnNamed, kindOf } from "./column-named.js";
import { asText, QueryError } from "./errors.js";
import { secondsOf } from "./time.js";
import { InView } from "./view.js";

/** @typedef {import("./columns.js").Column} Column */
/** @typedef {import("./tree.js").Tree} Tree */
/** @typedef {(index: number) => boolean | null} Condition */
/** @typedef {string | number | boolean | Moments} Literal A day, a time, or a plain value. */

const DEEPEST = 64;
const TOKENS = /\s*(?:('(?:[^']|'')*')|("(?:[^"]|"")*")|([-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?)|([\p{L}_][\p{L}\p{N}_.:]*)|(<>|<=|>=|[=<>(),]))/uy;

/**
 * A time or a day, in seconds since 1970. The start of a day belongs to the day. The end of a day does not belong to
 * the day.
 */
class Moments {
  /**
   * @param {number} start
   * @param {number} end The end of a day. For a time, equal to the start.
   */
  constructor(start, end) {
    this.start = start;
    this.end = end;
  }
}

/**
 * Returns a function that tests the point at an index in tree order.
 *
 * @param {string} text
 * @param {Tree} tree
 * @returns {(index: number) => boolean}
 */
export function predicateOf(text, tree) {
  const condition = new Parser(text, tree).parse();
  return (index) => condition(index) === true;
}

class Parser {
  /**
   * @param {string} text
   * @param {Tree} tree
   */
  constructor(text, tree) {
    if (typeof text !== "string") throw new QueryError(`Expected a text or a function as the filter, found ${asText(text)}`);
    this.text = text;
    this.tree = tree;
    this.depth = 0;
    /**
     * Kinds of the columns that were compared so far.
     *
     * @type {Map<Column, Column["kind"]>}
     */
    this.kinds = new Map();
    /** @type {{text: string, kind: "text" | "name" | "number" | "word" | "sign", start: number}[]} */
    this.tokens = [];
    this.place = 0;
    const kinds = /** @type {const} */ (["text", "name", "number", "word", "sign"]);
    for (TOKENS.lastIndex = 0; TOKENS.lastIndex < text.trimEnd().length; ) {
      const start = TOKENS.lastIndex;
      const match = TOKENS.exec(text);
      if (!match) throw this.malformed("a name, a value or a sign", start);
      const kind = kinds.findIndex((_, i) => match[i + 1] !== undefined);
      this.tokens.push({ text: match[kind + 1], kind: kinds[kind], start: TOKENS.lastIndex - match[kind + 1].length });
    }
  }

  /** @returns {Condition} */
  parse() {
    const condition = this.any();
    if (this.place < this.tokens.length) throw this.malformed("AND, OR or the end");
    return condition;
  }

  /** @returns {Condition} */
  any() {
    const parts = [this.all()];
    while (this.takes("OR")) parts.push(this.all());
    return parts.length === 1 ? parts[0] : (index) => {
      let isUnknown = false;
      for (const part of parts) {
        const result = part(index);
        if (result) return true;
        if (result === null) isUnknown = true;
      }
      return isUnknown ? null : false;
    };
  }

  /** @returns {Condition} */
  all() {
    const parts = [this.negated()];
    while (this.takes("AND")) parts.push(this.negated());
    return parts.length === 1 ? parts[0] : (index) => {
      let isUnknown = false;
      for (const part of parts) {
        const result = part(index);
        if (result === false) return false;
        if (result === null) isUnknown = true;
      }
      return isUnknown ? null : true;
    };
  }

  /** @returns {Condition} */
  negated() {
    // The condition inside all parentheses is not a level.
    if (this.depth++ > DEEPEST) throw new QueryError(`Expected at most ${DEEPEST} levels of parentheses and NOT in the filter, found more`);
    try {
      if (this.takes("NOT")) return not(this.negated());
      if (this.takes("(")) {
        const condition = this.any();
        this.require(")");
        return condition;
      }
      return this.predicate();
    } finally {
      this.depth--;
    }
  }

  /** @returns {Condition} */
  predicate() {
    if (this.takes("S_INTERSECTS")) return this.intersects();
    const column = this.column();
    if (this.takes("IS")) {
      const isNegated = this.takes("NOT");
      this.require("NULL");
      return (index) => (column.value(index) === null) !== isNegated;
    }
    const isNegated = this.takes("NOT");
    const condition = this.comparison(column, isNegated);
    return isNegated ? not(condition) : condition;
  }

  /**
   * @param {Column} column
   * @param {boolean} isNegated Whether NOT comes before the comparison.
   * @returns {Condition}
   */
  comparison(column, isNegated) {
    if (this.takes("BETWEEN")) {
      const least = this.literal(column);
      this.require("AND");
      const greatest = this.literal(column);
      return compared(column, (value) => order(value, least) >= 0 && order(value, greatest) <= 0, [least, greatest]);
    }
    if (this.takes("IN")) {
      this.require("(");
      // A list without values is an extension of CQL2. No value is in such a list.
      /** @type {Literal[]} */
      const values = [];
      if (!this.takes(")")) {
        do values.push(this.literal(column)); while (this.takes(","));
        this.require(")");
      }
      return compared(column, (value) => values.some((other) => order(value, other) === 0), []);
    }
    if (this.takes("LIKE")) {
      const pattern = this.literal(column);
      if (typeof pattern !== "string") throw this.malformed("a pattern in single quotes after LIKE", -1);
      const expression = likeExpression(pattern);
      return compared(column, (value) => typeof value === "string" && expression.test(value), [pattern]);
    }
    const sign = isNegated ? undefined : ["=", "<>", "<=", ">=", "<", ">"].find((sign) => this.takes(sign));
    if (!sign) throw this.malformed(isNegated ? "BETWEEN, IN or LIKE" : "a comparison, such as =, <, IN or IS NULL");
    const literal = this.literal(column);
    /** @type {Record<string, (order: number) => boolean>} */
    const tests = { "=": (o) => o === 0, "<>": (o) => o !== 0, "<=": (o) => o <= 0, ">=": (o) => o >= 0, "<": (o) => o < 0, ">": (o) => o > 0 };
    return compared(column, (value) => tests[sign](order(value, literal)), [literal]);
  }

  /** @returns {Condition} */
  intersects() {
    this.require("(");
    this.require("GEOMETRY");
    this.require(",");
    this.require("BBOX");
    this.require("(");
    const edges = [];
    for (let i = 0; i < 4; i++) {
      if (i) this.require(",");
      const token = this.tokens[this.place++];
      if (token?.kind !== "number") throw this.malformed("four numbers in BBOX", -1);
      edges.push(Number(token.text));
    }
    this.require(")");
    this.require(")");
    const { hierarchy } = this.tree;
    const window = hierarchy.plane.window(edges);
    const view = window && new InView(hierarchy, window, null);
    return (index) => view !== null && view.contains(index);
  }

  column() {
    const token = this.tokens[this.place];
    if (token?.kind !== "word" && token?.kind !== "name") throw this.malformed("a name of a column");
    this.place++;
    if (token.kind === "word" && this.tokens[this.place]?.text === "(") {
      throw new QueryError(`The function '${token.text}' in the filter at character ${token.start + 1} is not supported in the web module; use comparisons, such as opened > DATE('2024-05-01')`);
    }
    const name = token.kind === "name" ? token.text.slice(1, -1).replaceAll('""', '"') : token.text;
    return columnNamed(this.tree, name, "for the filter");
  }

  /**
   * @param {Column} column Column with which the literal is compared.
   * @returns {Literal}
   */
  literal(column) {
    const token = this.tokens[this.place++];
    const value = token && this.value(token);
    if (value === undefined) throw this.malformed("a number, a text in single quotes, TRUE, FALSE, DATE or TIMESTAMP", -1);
    /** @type {Record<string, (value: Literal) => boolean>} */
    const suits = {
      number: (value) => typeof value === "number", category: (value) => typeof value === "string",
      text: (value) => typeof value === "string", boolean: (value) => typeof value === "boolean",
      time: (value) => value instanceof Moments, any: () => true,
    };
    const kind = this.kinds.get(column) ?? kindOf(column, this.tree.hierarchy.pointCount);
    this.kinds.set(column, kind);
    if (suits[kind](value)) return value;
    throw new QueryError(`The column '${column.name}' of kind ${kind} cannot be compared with ${token.text}`);
  }

  /**
   * @param {{text: string, kind: string}} token
   * @returns {Literal | undefined}
   */
  value({ text, kind }) {
    if (kind === "text") return text.slice(1, -1).replaceAll("''", "'");
    if (kind === "number") return Number(text);
    const word = kind === "word" ? text.toUpperCase() : "";
    if (word === "TRUE" || word === "FALSE") return word === "TRUE";
    if (word !== "DATE" && word !== "TIMESTAMP") return undefined;
    this.require("(");
    const quoted = this.tokens[this.place++];
    const time = quoted?.kind === "text" ? quoted.text.slice(1, -1) : "";
    const moment = secondsOf(time);
    if (moment === null || (word === "DATE") !== (time.length === 10)) {
      throw this.malformed(`${word === "DATE" ? "a date such as '2024-05-01'" : "a time such as '2024-05-01T12:00:00Z'"} in single quotes`, -1);
    }
    this.require(")");
    return new Moments(moment, word === "DATE" ? moment + 86400 : moment);
  }

  /**
   * Consumes a word or a sign if it is the next token. Returns whether it was the next token. Ignores the case of
   * words.
   *
   * @param {string} text
   */
  takes(text) {
    const token = this.tokens[this.place];
    const isIt = token && (token.kind === "sign" || token.kind === "word") && token.text.toUpperCase() === text;
    if (isIt) this.place++;
    return Boolean(isIt);
  }

  /** @param {string} text */
  require(text) {
    if (!this.takes(text)) throw this.malformed(text);
  }

  /**
   * @param {string} expected
   * @param {number} [at] Offset in the text; -1 for the last token that was read. By default, the next token.
   */
  malformed(expected, at) {
    const token = this.tokens[at === -1 ? this.place - 1 : this.place];
    const start = at === undefined || at === -1 ? (token?.start ?? this.text.length) : at;
    const found = this.text.slice(start, start + 20) || "the end";
    return new QueryError(`Expected ${expected} in the filter at character ${start + 1}, found ${found}`);
  }
}

/**
 * @param {Condition} condition
 * @returns {Condition}
 */
function not(condition) {
  return (index) => {
    const result = condition(index);
    return result === null ? null : !result;
  };
}

/**
 * Returns a condition that tests the values of a column. A value that cannot be compared with the literals counts as
 * missing. For example, a text cannot be compared with a number.
 *
 * @param {Column} column
 * @param {(value: string | number | boolean) => boolean} test
 * @param {Literal[]} literals
 * @returns {Condition}
 */
function compared(column, test, literals) {
  const types = literals.map((literal) => (literal instanceof Moments ? "number" : typeof literal));
  return (index) => {
    const value = column.value(index);
    return value === null || types.some((type) => type !== typeof value) ? null : test(value);
  };
}

/**
 * Returns a number below 0 if a value comes before a literal, and above 0 if the value comes after the literal. Returns
 * 0 if both are equal, or if the literal is a day that contains the value. Returns NaN if the two cannot be compared.
 *
 * @param {string | number | boolean} value
 * @param {Literal} literal
 */
function order(value, literal) {
  if (literal instanceof Moments) {
    if (typeof value !== "number") return NaN;
    return value < literal.start ? -1 : value < literal.end || value === literal.start ? 0 : 1;
  }
  if (typeof value !== typeof literal) return NaN;
  return typeof value === "string" ? textOrder(value, /** @type {string} */ (literal)) : Number(value) - Number(literal);
}

/**
 * Compares two texts by their code points. JavaScript stores each code point from 65,536 on as two units. So the order
 * of units differs from the order of code points.
 *
 * @param {string} a
 * @param {string} b
 */
export function textOrder(a, b) {
  let at = 0;
  while (at < a.length && a[at] === b[at]) at++;
  if (at === a.length || at === b.length) return a.length - b.length;
  const [x, y] = [a.charCodeAt(at), b.charCodeAt(at)];
  const areBothHigh = x >= 0xd800 && y >= 0xd800;
  // Surrogates are halves of code points from 65,536 on. These code points come after all other code points.
  const rank = (/** @type {number} */ unit) => (areBothHigh && unit < 0xe000 ? unit + 0x10000 : unit);
  return rank(x) - rank(y);
}

/**
 * Returns the regular expression of a LIKE pattern. `%` matches any text and `_` any character. A character after a
 * backslash matches only itself.
 *
 * @param {string} pattern
 */
function likeExpression(pattern) {
  let source = "";
  for (const part of pattern.matchAll(/\\([^])|([^])/gu)) {
    source += part[2] === "%" ? "[^]*" : part[2] === "_" ? "[^]" : (part[1] ?? part[2]).replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&");
  }
  return new RegExp(`^(?:${source.replace(/(?:\[\^\]\*)+/g, "[^]*?")})$`, "u");
}
