// Keeps the view and the settings of the map in the fragment of the page's address. Makes the history entries to which
// the Back button returns.

/** Milliseconds without a change after which the address is written. */
const REST = 120;

export class Address {
  #timer = 0;
  #isStep = false;
  /** The fragment that the page has read or written last. */
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

  /** @param listener Called after settings were read from a new address. */
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
    // If the user has entered another address, the page must read this address first. The browser's event for the new
    // address follows.
    if (location.hash !== this.#known) return;
    const { fragment } = this.settings;
    if (location.hash.slice(1) === fragment) return;
    // A fragment alone would be relative to the base URL of the page. In a frame with `srcdoc`, the base URL is another
    // page.
    const address = `${location.href.replace(/#.*/s, "")}#${fragment}`;
    try {
      history[this.#isStep ? "pushState" : "replaceState"](null, "", address);
    } catch (error) {
      // A browser may refuse to write the address in a frame, or after too many writes. After the next change, the page
      // tries again.
      if (error.name !== "SecurityError") throw error;
    }
    this.#known = location.hash;
    this.#isStep = false;
  }
}
