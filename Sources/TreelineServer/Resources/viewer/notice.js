// Messages over the map: that nothing is in view, or that something went wrong.

export class Notice {
  /** Kind of the shown message; null if no message is shown. */
  kind = null;

  constructor(node) {
    this.node = node;
    [this.text, this.button] = node.children;
  }

  /**
   * @param kind Name by which the message can be hidden.
   * @param action Title and action of the button, if there is one.
   */
  show(kind, text, action, isWide = false) {
    if (this.kind === kind && this.text.textContent === text) return;
    this.kind = kind;
    this.text.textContent = text;
    this.button.hidden = !action;
    this.button.textContent = action?.title ?? "";
    this.button.onclick = action?.run ?? null;
    this.node.classList.toggle("wide", isWide);
    this.node.hidden = false;
  }

  hide(kind) {
    if (this.kind !== kind) return;
    this.kind = null;
    this.node.hidden = true;
  }
}
