// Where answers come from. The map, its panel and its cards ask a source and nothing else: a server, the kernel of a
// notebook, or the page itself.

/** What was wrong with a request, as the server's problems say it (RFC 9457); `status` is 0 where nobody answered. */
export class Problem extends Error {
  constructor(status, message) {
    super(message);
    this.status = status;
  }
}

/**
 * What a source can do, and what each source answers:
 *
 * - `indexes()`: what there is, as `v1/indexes` of the server tells it;
 * - `clusters(index, query, signal)`: GeoJSON of the clusters of a query;
 * - `transition(index, version, ids, query, signal)`: what changes from the clusters with some ids to a query, and its
 *   clusters;
 * - `cluster(index, id, signal, query)`, `members(index, id, query, signal)`, `expansionZoom(index, id, query)`: of one
 *   cluster;
 * - `request(url)`: what the map library sends for an address, if more than the address;
 * - `measures(index, query, signal)`, `histogram(index, query, signal)`, `url(path, query)`: where it has them.
 *
 * Queries are values by the names that the server's addresses have. A signal aborts the request.
 */
export class Source {
  /** The views that it has answers for. */
  views = ["tree"];
  /** The names of the cuts that it makes; null for all that an index can have. */
  cuts = null;
  /** Whether it has vector tiles, of which the points themselves are drawn. */
  hasTiles = false;
  /** Whether it measures answers. */
  hasMeasures = false;
  /** Whether it knows filters. */
  hasFilters = false;
}
