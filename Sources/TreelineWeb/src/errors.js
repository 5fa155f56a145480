/** A question that has no answer: an argument is out of range, or the tree lacks what it needs. */
export class QueryError extends Error {
  name = "QueryError";
}

/** Points that cannot be built into a tree. */
export class BuildError extends Error {
  name = "BuildError";
}

/** A file that is not an index, or is damaged. */
export class IndexError extends Error {
  name = "IndexError";

  /**
   * @param {string} file
   * @param {number} offset Of the byte that contradicts the format.
   * @param {string} expected
   * @param {unknown} found
   */
  static damaged(file, offset, expected, found) {
    return new IndexError(
      `${file}: the index is damaged at byte ${offset}: expected ${expected}, found ${found}; build it again`);
  }
}

/** A request that a server refused, or that nobody answered: then its status is 0. */
export class ServerError extends Error {
  name = "ServerError";

  /**
   * @param {number} status
   * @param {string} message
   */
  constructor(status, message) {
    super(message);
    this.status = status;
  }
}
