// Keeps the shown map in the fragment of the page's address, and makes the history entries to which Back returns.

/** Milliseconds without a change after which the address is written. */
const REST = 120;

export class Address {
  #timer = 0;
  #isStep = false;
  /** The fragment that was read or written last. */
  #known = location.hash;
  #listener = () => {};

  constructor(settings) {
    this.settings = settings;
    settings.beforeStep = () => {
      this.write();
      this.#isStep = true;
    };
    addEventListener("hashchange", () => {
      clearTimeout(this.#timer);
      this.#isStep = false;
      this.#known = location.hash;
      settings.read(location.hash);
      this.#listener();
    });
  }

  /** @param listener Called after settings were read from another address. */
  onRead(listener) {
    this.#listener = listener;
  }

  /** Writes the settings to the address after a short pause. */
  update() {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.write(), REST);
  }

  /** Writes the settings to the address now. */
  write() {
    clearTimeout(this.#timer);
    // If someone has entered another address, it must be read first. Its event follows.
    if (location.hash !== this.#known) return;
    const { fragment } = this.settings;
    if (location.hash.slice(1) === fragment) return;
    // A fragment alone is relative to the base of the page. In a frame of `srcdoc`, the base is another page.
    const address = `${location.href.replace(/#.*/s, "")}#${fragment}`;
    try {
      history[this.#isStep ? "pushState" : "replaceState"](null, "", address);
    } catch (error) {
      // A browser may refuse to write the address in a frame, or after too many writes. The next change tries again.
      if (error.name !== "SecurityError") throw error;
    }
    this.#known = location.hash;
    this.#isStep = false;
  }
}
