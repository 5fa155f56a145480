// Requests to the routes of the server that the map uses. `openapi.json` describes the routes.

import { Problem, Source } from "./source.js";
import { Token } from "./token.js";

/**
 * Milliseconds until events are requested again. `PAUSE` is for a stream of events that has ended, and `LONGEST_PAUSE`
 * for several failures.
 */
const PAUSE = 500;
const LONGEST_PAUSE = 30_000;

/** Yields the data of server-sent events. Each event has one line of data. */
async function* eventsIn(body) {
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  for (let text = ""; ;) {
    const { value, done } = await reader.read();
    if (done) return;
    const lines = (text + value).split("\n");
    text = lines.pop();
    for (const line of lines) if (line.startsWith("data: ")) yield line.slice(6);
  }
}

export class Server extends Source {
  views = ["grid", "compare", "tree", "tiles"];
  hasTiles = true;
  isServer = true;
  hasMeasures = true;
  hasFilters = true;
  sortsMembers = true;
  namesClusters = true;
  hasLogarithmicHistograms = true;
  pause = 5000;
  #token = new Token();

  /** @param base Address to which the routes are relative. */
  constructor(base) {
    super();
    this.base = base;
  }

  async indexes() {
    const { indexes, style, basemap } = await this.#get("v1/indexes", "indexes");
    this.style = style ?? "";
    this.basemap = basemap ? this.url(basemap) : "";
    return indexes;
  }

  /** @param signal Aborts the request, here and in the methods below. */
  clusters(index, query, signal) {
    return this.#ask(index, "clusters", "features", query, signal);
  }

  /** Returns the clusters of a view, and the changes from the clusters with given ids to these clusters. */
  transition(index, version, ids, query, signal) {
    const body = JSON.stringify({ ...(version && { version }), cluster_ids: ids });
    const headers = { "Content-Type": "application/json" };
    return this.#fetch(this.url(`v1/${index}/transition`, query), "clusters", { method: "POST", headers, body, signal });
  }

  measures(index, query, signal) {
    return this.#ask(index, "measures", "cluster_count", query, signal);
  }

  members(index, id, query, signal) {
    return this.#ask(index, `clusters/${id}/members`, "features", query, signal);
  }

  /** Returns the lowest zoom at which a cluster splits; null if the cluster never splits. */
  async expansionZoom(index, id, query) {
    return (await this.#ask(index, `clusters/${id}/expansion-zoom`, "zoom", query)).zoom;
  }

  /** Returns the ids of the two parts of a cluster. A point or a stack has no parts. */
  async children(index, id, query) {
    const { features } = await this.#ask(index, `clusters/${id}/children`, "features", query);
    return features.map(({ properties }) => properties.cluster_id);
  }

  cluster(index, id, signal, query = {}) {
    return this.#ask(index, `clusters/${id}`, "properties", { ellipses: true, ...query }, signal);
  }

  /**
   * Returns the point of a row, the clusters that contain the point, and the zoom from which the point is shown alone.
   */
  whereIs(index, row, query, signal) {
    return this.#ask(index, "where-is", "path", { row, ...query }, signal);
  }

  /**
   * Returns the points whose text in a column begins with the given text, or has a word that begins with the given
   * text.
   */
  search(index, query, signal) {
    return this.#ask(index, "search", "features", query, signal);
  }

  histogram(index, query, signal) {
    return this.#ask(index, "histogram", "edges", query, signal);
  }

  follow(index, renew) {
    const ending = new AbortController();
    this.#listen(`v1/${index.name}/events`, renew, ending.signal);
    return () => ending.abort();
  }

  /** Reads server-sent events. An `EventSource` could not send a token. */
  async #listen(path, renew, signal) {
    let pause = PAUSE;
    while (!signal.aborted) {
      const token = this.#token.headers;
      try {
        const response = await fetch(this.url(path), { headers: token, signal });
        if (response.status === 401 && !(await this.#token.ask(token))) return;
        // Earlier versions of the server have no events for indexes that are not live.
        if (response.status === 404) return;
        if (response.ok) {
          pause = PAUSE;
          for await (const data of eventsIn(response.body)) renew(JSON.parse(data).version);
        }
      } catch {
        // Here the server does not answer, or the connection has ended, or the page follows another index.
      }
      await new Promise((done) => setTimeout(done, pause));
      pause = Math.min(2 * pause, LONGEST_PAUSE);
    }
  }

  url(path, query = {}) {
    const url = new URL(path, this.base);
    url.search = new URLSearchParams(query);
    return url.href;
  }

  /** Returns the request that the map library sends for an address. The token is sent only to this server. */
  request(url) {
    return { url, headers: url.startsWith(new URL("v1/", this.base).href) ? this.#token.headers : {} };
  }

  #ask(index, route, member, query, signal) {
    return this.#get(`v1/${index}/${route}`, member, query, signal);
  }

  #get(path, member, query, signal) {
    return this.#fetch(this.url(path, query), member, { signal });
  }

  /** @param member Name of a member that every valid answer has. An answer without this member is not from Treeline. */
  async #fetch(url, member, options) {
    let response;
    const token = this.#token.headers;
    try {
      response = await fetch(url, { ...options, headers: { ...options.headers, ...token } });
    } catch (error) {
      if (error.name === "AbortError") throw error;
      throw new Problem(0, "The server does not answer.");
    }
    if (response.status === 401 && (await this.#token.ask(token))) return this.#fetch(url, member, options);
    const answer = await response.json().catch((error) => {
      if (error.name === "AbortError") throw error;
    });
    if (!response.ok) throw new Problem(response.status, answer?.detail ?? `The server answered ${response.status}.`);
    if (answer?.[member] !== undefined) return answer;
    throw new Problem(0, "The server's answer cannot be read.");
  }
}
