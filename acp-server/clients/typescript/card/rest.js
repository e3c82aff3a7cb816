// @ts-check
// Whether an element stays where it is: a chat grows above and below a card, and what was not there a moment ago under a finger
// is not what was meant.

/** A look so often, in milliseconds; and at each press. */
const OFTEN = 100;
/** A rounding of the browser's, in pixels. */
const ROUNDING = 1;

export class Rest {
  /** @type {ReturnType<typeof setInterval> | undefined} */
  #timer;
  #top = 0;
  #left = 0;

  /**
   * @param {HTMLElement} element
   * @param {() => void} moved
   */
  constructor(element, moved) {
    this.element = element;
    this.moved = moved;
  }

  start() {
    this.stop();
    this.#look();
    this.#timer = setInterval(this.#look, OFTEN);
    window.addEventListener("pointerdown", this.#look, { capture: true });
  }

  stop() {
    clearInterval(this.#timer);
    window.removeEventListener("pointerdown", this.#look, { capture: true });
  }

  #look = () => {
    const { top, left } = this.element.getBoundingClientRect();
    const stays = Math.abs(top - this.#top) <= ROUNDING && Math.abs(left - this.#left) <= ROUNDING;
    [this.#top, this.#left] = [top, left];
    if (!stays) this.moved();
  };
}
