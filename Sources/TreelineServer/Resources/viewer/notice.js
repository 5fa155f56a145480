// Messages over the map, for example that no points are in view or that an error has occurred. A message stays until
// its cause is gone or the user closes it. If there are several messages, only the most urgent message is shown.

/** The kinds of messages, the most urgent first. Other kinds are the least urgent. */
const URGENCY = ["start", "kernel", "failure", "filter", "link", "style", "place", "mark", "empty"];
const urgencyOf = (kind) => (URGENCY.includes(kind) ? URGENCY.indexOf(kind) : URGENCY.length);

export class Notice {
  #messages = new Map();

  /**
   * @param node Has a text and a button.
   * @param leave Called when the keyboard focus was on the button and the button disappears.
   */
  constructor(node, leave = () => {}) {
    Object.assign(this, { node, leave });
    [this.text, this.button] = node.children;
  }

  /** Kind of the shown message; null if no message is shown. */
  get kind() {
    return [...this.#messages.keys()].sort((a, b) => urgencyOf(a) - urgencyOf(b))[0] ?? null;
  }

  /**
   * @param kind Kind of the message. `hide` with this kind hides the message.
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
    const hadFocus = this.node.contains(this.node.getRootNode().activeElement);
    this.node.hidden = !message;
    if (hadFocus && !message?.action) this.leave();
    if (!message) return;
    const { text, action, isWide } = message;
    // Screen readers do not announce a text again if the text has not changed.
    if (this.text.textContent !== text) this.text.textContent = text;
    this.button.hidden = !action;
    this.button.textContent = action?.title ?? "";
    this.button.onclick = action?.run ?? null;
    this.node.classList.toggle("wide", isWide);
  }
}
