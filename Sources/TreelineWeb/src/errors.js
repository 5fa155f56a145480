/**
 * An error for a query that cannot be answered, because an argument is invalid or the tree lacks data that the query
 * needs.
 */
export class QueryError extends Error {
  name = "QueryError";
}

/** An error for points from which no tree can be built. */
export class BuildError extends Error {
  name = "BuildError";
}

/**
 * Throws an error if an object has an unknown property, such as a misspelt option.
 *
 * @param {any} object
 * @param {string[]} known
 * @param {string} what
 */
export function refuseUnknown(object, known, what, Failure = QueryError) {
  if (typeof object !== "object" || !object || Array.isArray(object)) throw new Failure(`The ${what} must be an object, found ${object}`);
  for (const name in object) if (!known.includes(name)) throw new Failure(`The ${what} takes ${known.join(", ")}, not '${name}'`);
}

/** An error for a file that is not an index, or for a damaged index. */
export class IndexError extends Error {
  name = "IndexError";

  /**
   * @param {string} file
   * @param {number} offset Offset of the byte that contradicts the format.
   * @param {string} expected
   * @param {unknown} found
   */
  static damaged(file, offset, expected, found) {
    return new IndexError(
      `${file}: the index is damaged at byte ${offset}: expected ${expected}, found ${found}; build it again`);
  }
}

/** An error for a request that a server refused or did not answer. The status is 0 if there was no answer. */
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
