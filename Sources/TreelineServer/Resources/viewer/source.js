// Sources of answers. The map, its panel and its cards get all answers from one source: a server, the kernel of a
// notebook, or the page itself.

/**
 * A problem with a request, in the form of the server's problems (RFC 9457). Its `status` is 0 if the source did not
 * answer.
 */
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
 * - `transition(index, version, ids, query, signal)`: the clusters of a query, and how the clusters with the given ids
 *   change into them;
 * - `cluster(index, id, signal, query)`, `members(index, id, query, signal)`, `expansionZoom(index, id, query)`:
 *   answers about one cluster;
 * - `request(url)`: for the address of a file, the request that the map library sends, for example with additional
 *   headers.
 *
 * Some sources also have `measures(index, query, signal)`, `histogram(index, query, signal)`,
 * `whereIs(index, row, query, signal)`, `children(index, id, query)`, `url(path, query)` and, for an index with
 * `search_columns`, `search(index, query, signal)`.
 *
 * A query is an object. Its keys are the names of the server's parameters. A signal aborts the request.
 */
export class Source {
  /** Names of the views for which the source has answers. */
  views = ["tree"];
  /** Names of the cuts that the source supports; null if the source supports all cuts of an index. */
  cuts = null;
  /** Whether the source has vector tiles. The viewer draws the points themselves from the tiles. */
  hasTiles = false;
  /** Address of the map style below the clusters, or of an archive of tiles; empty for the built-in map. */
  style = "";
  basemap = "";
  /** Whether the answers come from a server, so that texts may name options of the server. */
  isServer = false;
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
  /** Milliseconds between two checks whether an index was replaced; 0 if indexes are never replaced. */
  pause = 0;

  /**
   * Calls a function with the name of each new version of an index. Returns a function that ends the calls; null if the
   * source does not announce versions.
   */
  follow(index, renew) {
    return null;
  }
}
