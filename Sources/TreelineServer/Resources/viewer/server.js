// The routes of the server that the map uses, as `openapi.json` describes them.

import { Problem, Source } from "./source.js";
import { Token } from "./token.js";

export class Server extends Source {
  views = ["grid", "compare", "tree", "tiles"];
  hasTiles = true;
  hasMeasures = true;
  hasFilters = true;
  #token = new Token();

  /** @param base The address that the routes are below. */
  constructor(base) {
    super();
    this.base = base;
  }

  async indexes() {
    return (await this.#get("v1/indexes", "indexes")).indexes;
  }

  /** @param signal Aborts the request, here and below. */
  clusters(index, query, signal) {
    return this.#get(`v1/${index}/clusters`, "features", query, signal);
  }

  /** What changes from the clusters of some ids to a view, and the new answer. */
  transition(index, version, ids, query, signal) {
    const body = JSON.stringify({ ...(version && { version }), cluster_ids: ids });
    const headers = { "Content-Type": "application/json" };
    return this.#fetch(this.url(`v1/${index}/transition`, query), "clusters", { method: "POST", headers, body, signal });
  }

  measures(index, query, signal) {
    return this.#get(`v1/${index}/measures`, "cluster_count", query, signal);
  }

  members(index, id, query, signal) {
    return this.#get(`v1/${index}/clusters/${id}/members`, "features", query, signal);
  }

  /** The least zoom at which a cluster splits, null if it never does. */
  async expansionZoom(index, id, query) {
    return (await this.#get(`v1/${index}/clusters/${id}/expansion-zoom`, "zoom", query)).zoom;
  }

  cluster(index, id, signal, query = {}) {
    return this.#get(`v1/${index}/clusters/${id}`, "properties", { ellipses: true, ...query }, signal);
  }

  histogram(index, query, signal) {
    return this.#get(`v1/${index}/histogram`, "edges", query, signal);
  }

  url(path, query = {}) {
    const url = new URL(path, this.base);
    url.search = new URLSearchParams(query);
    return url.href;
  }

  /** What the map library sends for an address: the token goes to this server's answers and to no other. */
  request(url) {
    return { url, headers: url.startsWith(new URL("v1/", this.base).href) ? this.#token.headers : {} };
  }

  #get(path, member, query, signal) {
    return this.#fetch(this.url(path, query), member, { signal });
  }

  /** @param member What every answer has that is one: something else may answer in place of the server. */
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
    throw new Problem(0, "What the server answers cannot be read.");
  }
}
