// A source whose answers come from a notebook's kernel. Requests and answers are messages of the widget.

import { Problem, Source } from "./source.js";

/** Message about a kernel that no longer answers. */
export const GONE = "The notebook's kernel has ended: run this map's cell again.";

export class Kernel extends Source {
  hasFilters = true;
  /** Called once when the kernel no longer answers. */
  onEnd = () => {};
  /** Called when the kernel shows another tree. */
  onReplace = () => {};
  #waiting = new Map();
  #count = 0;
  #isGone = false;
  /** Name of this view. Every view of the widget receives all answers, and uses only the answers with its own name. */
  #name = Math.random().toString(36).slice(2);

  /** @param model The widget's model, with `facts` of the tree. */
  constructor(model) {
    super();
    this.model = model;
    this.receive = (message, buffers) => this.#receive(message, buffers);
    model.on("msg:custom", this.receive);
    // After a restart, the kernel no longer knows the widgets that were shown before.
    this.ended = () => {
      this.#isGone = true;
      this.onEnd();
    };
    model.on("comm_live_update", this.ended);
    this.replaced = () => this.onReplace();
    model.on("change:_facts", this.replaced);
  }

  async indexes() {
    return [{ ...this.model.get("_facts"), title: this.model.get("title") || null }];
  }

  clusters(index, query, signal) {
    return this.#ask("clusters", { query }, signal);
  }

  transition(index, version, ids, query, signal) {
    return this.#ask("transition", { ids, query, version }, signal);
  }

  members(index, id, query, signal) {
    return this.#ask("members", { cluster: +id, query }, signal);
  }

  async expansionZoom(index, id, query) {
    return (await this.#ask("expansion_zoom", { cluster: +id, query })).zoom;
  }

  cluster(index, id, signal, query = {}) {
    return this.#ask("cluster", { cluster: +id, query: { ellipses: true, ...query } }, signal);
  }

  histogram(index, query, signal) {
    return this.#ask("histogram", { query }, signal);
  }

  end() {
    this.model.off("msg:custom", this.receive);
    this.model.off("comm_live_update", this.ended);
    this.model.off("change:_facts", this.replaced);
  }

  /** Requests an answer. The kernel skips an aborted request, unless the kernel has already begun to answer. */
  #ask(verb, options, signal) {
    if (this.#isGone) return Promise.reject(new Problem(503, GONE));
    const id = `${this.#name} ${this.#count++}`;
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject });
      signal?.addEventListener("abort", () => {
        if (!this.#waiting.delete(id)) return;
        this.model.send({ cancel: id });
        reject(new DOMException("No longer wanted", "AbortError"));
      });
      this.model.send({ id, verb, ...options });
    });
  }

  #receive({ id, problem }, buffers) {
    const waiting = this.#waiting.get(id);
    if (!this.#waiting.delete(id)) return;
    if (problem) return waiting.reject(new Problem(problem.status, problem.message));
    try {
      waiting.resolve(JSON.parse(new TextDecoder().decode(buffers[0])));
    } catch {
      waiting.reject(new Problem(500, "The kernel's answer cannot be read."));
    }
  }
}
