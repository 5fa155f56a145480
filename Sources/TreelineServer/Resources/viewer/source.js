// Sources of answers. The map, its panel and its cards ask a source and nothing else: a server, the kernel of a
// notebook, or the page itself.

/** A problem with a request, as in the server's problems (RFC 9457); `status` is 0 if no answer came. */
export class Problem extends Error {
  constructor(status, message) {
    super(message);
    this.status = status;
  }
}

/**
 * The methods of a source. All sources have them, the last ones only if they support them:
 *
 * - `indexes()`: the indexes, as in `v1/indexes` of the server;
 * - `clusters(index, query, signal)`: GeoJSON of the clusters of a query;
 * - `transition(index, version, ids, query, signal)`: the changes from the clusters with some ids to a query, and the
 *   clusters of the query;
 * - `cluster(index, id, signal, query)`, `members(index, id, query, signal)`, `expansionZoom(index, id, query)`: of one
 *   cluster;
 * - `request(url)`: what the map library sends for an address, if more than the address;
 * - `measures(index, query, signal)`, `histogram(index, query, signal)`, `url(path, query)`: if the source has them.
 *
 * Queries are values with the names of the server's parameters. A signal aborts the request.
 */
export class Source {
  /** Views that the source has answers for. */
  views = ["tree"];
  /** Names of the cuts that the source makes; null for all that an index can have. */
  cuts = null;
  /** Whether the source has vector tiles, from which the points themselves are drawn. */
  hasTiles = false;
  /** Whether the source measures answers. */
  hasMeasures = false;
  /** Whether the source supports filters. */
  hasFilters = false;
}
