// The clusters in view as an invisible list, for keyboards and screen readers.

/** Maximum number of listed clusters. To list all clusters in view, zoom in or choose a coarser cut. */
const MOST = 100;

const HIDDEN = "position:absolute;width:1px;height:1px;margin:0;padding:0;overflow:hidden;clip-path:inset(50%);white-space:nowrap";

/**
 * @typedef {object} Entry
 * @property {string} key Identifies an entry when the list is updated.
 * @property {string} text
 * @property {() => void} point Called when the entry gets the focus.
 * @property {() => void} choose
 */

export class ClusterList {
  #shown = "";
  /** @type {Entry[]} */
  #entries = [];

  /**
   * @param {HTMLElement} parent Contains the map.
   * @param {object} calls
   * @param {() => void} calls.leave Called when the list loses the focus.
   * @param {() => void} calls.close Called when Escape is pressed.
   */
  constructor(parent, { leave, close }) {
    this.node = document.createElement("div");
    this.node.style.cssText = HIDDEN;
    this.list = document.createElement("ul");
    this.status = document.createElement("p");
    this.status.setAttribute("role", "status");
    this.node.append(this.list, this.status);
    parent.append(this.node);
    this.list.addEventListener("keydown", (event) => {
      if (event.key === "Escape") close();
      this.#step(event);
    });
    this.list.addEventListener("focusout", leave);
    // Leaflet treats a click or a key press anywhere in its container as a click on the map.
    this.node.onclick = this.node.onkeypress = (/** @type {Event} */ event) => event.stopPropagation();
  }

  get hasFocus() {
    return this.list.contains(/** @type {Document | ShadowRoot} */ (this.node.getRootNode()).activeElement);
  }

  /**
   * @param {string} label Label of the list.
   * @param {Entry[]} entries
   */
  update(label, entries) {
    this.list.setAttribute("aria-label", label);
    this.#entries = entries.slice(0, MOST);
    const key = `${label} ${this.#entries.map(({ key, text }) => `${key} ${text}`).join()}`;
    if (key === this.#shown) return;
    this.#shown = key;
    const { hasFocus } = this;
    this.list.replaceChildren(...this.#entries.map(({ text }, at) => {
      const [item, button] = [document.createElement("li"), document.createElement("button")];
      button.type = "button";
      button.textContent = text;
      button.tabIndex = at === 0 ? 0 : -1;
      button.addEventListener("click", () => this.#entries[at].choose());
      button.addEventListener("focus", () => this.#entries[at].point());
      item.append(button);
      return item;
    }));
    if (hasFocus) this.focus();
  }

  /** Moves the focus to the first entry. */
  focus() {
    this.list.querySelector("button")?.focus({ preventScroll: true });
  }

  /** @param {string} text Text for a screen reader to read aloud. */
  announce(text) {
    if (this.status.textContent !== text) this.status.textContent = text;
  }

  remove() {
    this.node.remove();
  }

  /** @param {KeyboardEvent} event */
  #step(event) {
    const buttons = [...this.list.querySelectorAll("button")];
    const at = buttons.findIndex((button) => button === event.target);
    const next = { ArrowDown: at + 1, ArrowRight: at + 1, ArrowUp: at - 1, ArrowLeft: at - 1, Home: 0, End: buttons.length - 1 }[event.key];
    if (next === undefined || !buttons[next]) return;
    event.preventDefault();
    buttons[at].tabIndex = -1;
    buttons[next].tabIndex = 0;
    buttons[next].focus({ preventScroll: true });
  }
}
