// The divider between both sides of the map. The user drags the divider with a pointer, or moves it with arrow keys.

const STEP = 0.02;

export class Divider {
  /** @param moved Called with the new position as a share of the width, from 0.02 to 0.98. */
  constructor(node, moved) {
    this.node = node;
    this.moved = moved;
    node.addEventListener("pointerdown", (event) => {
      event.preventDefault();
      node.focus({ preventScroll: true });
      node.setPointerCapture(event.pointerId);
    });
    node.addEventListener("pointermove", (event) => {
      if (!node.hasPointerCapture(event.pointerId)) return;
      const { left, width } = node.parentElement.getBoundingClientRect();
      this.#move((event.clientX - left) / width);
    });
    node.addEventListener("dblclick", () => this.#move(0.5));
    node.addEventListener("keydown", (event) => {
      const positions = {
        ArrowLeft: this.at - STEP, ArrowRight: this.at + STEP, Home: 0, End: 1,
      };
      if (!(event.key in positions)) return;
      event.preventDefault();
      this.#move(positions[event.key]);
    });
  }

  #move(at) {
    this.moved(Math.round(Math.min(Math.max(at, 0.02), 0.98) * 1000) / 1000);
  }

  show(at) {
    this.at = at;
    this.node.style.setProperty("--at", at);
    this.node.setAttribute("aria-valuenow", Math.round(at * 100));
    this.node.setAttribute("aria-valuetext", `Grid ${Math.round(at * 100)} %, Treeline ${100 - Math.round(at * 100)} %`);
  }
}
