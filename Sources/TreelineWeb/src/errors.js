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
 * Returns a value in the form in which error messages show it. Texts are in quotes, so that '3' differs from 3.
 *
 * @param {unknown} value
 */
export const asText = (value) => (typeof value === "string" ? `'${value.slice(0, 40)}'` : String(value));

/** Returns an error for an edit of a tree that was not built in this page. */
export const notEditable = () => new BuildError("This tree cannot be updated; build it in this page from features or pairs, with the option 'key' but not the option 'columns'");

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
