// Messages over the map: that there is nothing here, or that something went wrong.

export class Notice {
  /** What is shown now, by the word it was shown with. */
  kind = null;

  constructor(node) {
    this.node = node;
    [this.text, this.button] = node.children;
  }

  /**
   * @param kind A word by which to take it back.
   * @param action What the button says and does, if there is one.
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
