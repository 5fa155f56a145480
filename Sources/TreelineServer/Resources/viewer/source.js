// Sources of answers. The map, its panel and its cards get all answers from a source. It is a server, the kernel of a
// notebook, or the page itself.

/** A problem with a request, like the problems of the server (RFC 9457). Its `status` is 0 if there was no answer. */
export class Problem extends Error {
  constructor(status, message) {
    super(message);
    this.status = status;
  }
}

/**
 * All sources have these methods:
 *
 * - `indexes()`: the indexes, in the form of the server's `v1/indexes`;
 * - `clusters(index, query, signal)`: GeoJSON of the clusters of a query;
 * - `transition(index, version, ids, query, signal)`: the clusters of a query, and the changes from the clusters with
 *   given ids to these clusters;
 * - `cluster(index, id, signal, query)`, `members(index, id, query, signal)`, `expansionZoom(index, id, query)`:
 *   answers about one cluster;
 * - `request(url)`: the request that the map library sends for an address, if it needs more than the address.
 *
 * Some sources also have `measures(index, query, signal)`, `histogram(index, query, signal)`,
 * `whereIs(index, row, query, signal)`, `search(index, query, signal)`, for indexes with `search_columns`,
 * `children(index, id, query)` and `url(path, query)`.
 *
 * A query is an object. Its keys are the names of the server's parameters. A signal aborts the request.
 */
export class Source {
  /** Views for which the source has answers. */
  views = ["tree"];
  /** Names of the cuts that the source supports; null if it supports all cuts of an index. */
  cuts = null;
  /** Whether the source has vector tiles, from which the points themselves are drawn. */
  hasTiles = false;
  /** Address of the map style below the clusters, or of an archive of tiles; empty for the built-in map. */
  style = "";
  basemap = "";
  /** Whether the source measures answers. */
  hasMeasures = false;
  /** Whether the source supports filters. */
  hasFilters = false;
  /** Whether the source sorts the members of a cluster. */
  sortsMembers = false;
  /** Whether the source has the aggregate `first`, from which clusters get titles and pictures. */
  namesClusters = false;
  /** Whether histograms may have bins of a logarithmic scale. */
  hasLogarithmicHistograms = false;
  /** Milliseconds between two looks at whether an index was replaced; 0 if indexes are never replaced. */
  pause = 0;

  /**
   * Calls a function whenever a live index has a new version. Returns a function that ends this; null if the source does
   * not announce versions of the index.
   */
  follow(index, renew) {
    return null;
  }
}
