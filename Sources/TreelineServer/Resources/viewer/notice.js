// Messages over the map, for example that nothing is in view or that something went wrong. A message stays until its
// cause is gone or the user closes it. Of several messages, the most urgent one is shown.

/** The kinds of messages, the most urgent first. Other kinds are the least urgent. */
const URGENCY = ["start", "kernel", "failure", "filter", "link", "style", "place", "empty"];
const urgencyOf = (kind) => (URGENCY.includes(kind) ? URGENCY.indexOf(kind) : URGENCY.length);

export class Notice {
  #messages = new Map();

  constructor(node) {
    this.node = node;
    [this.text, this.button] = node.children;
  }

  /** Kind of the shown message; null if no message is shown. */
  get kind() {
    return [...this.#messages.keys()].sort((a, b) => urgencyOf(a) - urgencyOf(b))[0] ?? null;
  }

  /**
   * @param kind Kind of the message, with which it can be hidden.
   * @param action Title and action of the button, if there is one.
   */
  show(kind, text, action, isWide = false) {
    this.#messages.set(kind, { text, action, isWide });
    this.#update();
  }

  hide(kind) {
    if (this.#messages.delete(kind)) this.#update();
  }

  #update() {
    const message = this.#messages.get(this.kind);
    this.node.hidden = !message;
    if (!message) return;
    const { text, action, isWide } = message;
    // A text that is shown already is not announced again.
    if (this.text.textContent !== text) this.text.textContent = text;
    this.button.hidden = !action;
    this.button.textContent = action?.title ?? "";
    this.button.onclick = action?.run ?? null;
    this.node.classList.toggle("wide", isWide);
  }
}
