// Choices do nothing for the first half second after they appear or change, so that a click or a key press that was
// meant for something else is no answer.

/** So long, in milliseconds. */
export const INERT = 500;

/** Watches one element's choices. */
export class Arm {
  private since = 0;
  private timer: number | null = null;
  private seen = false;
  private readonly observer: IntersectionObserver | null;

  constructor(private readonly element: HTMLElement) {
    this.observer =
      typeof IntersectionObserver === "undefined"
        ? null
        : new IntersectionObserver((entries) => {
            const now = entries.at(-1)?.isIntersecting ?? false;
            // It appears: a tab was chosen, or it was scrolled to.
            if (now && !this.seen) this.again();
            this.seen = now;
          });
    this.observer?.observe(element);
    document.addEventListener("visibilitychange", this.again);
    this.again();
  }

  /** Whether the choices count. */
  get armed(): boolean {
    return performance.now() - this.since >= INERT;
  }

  /** They appear or change now. */
  readonly again = (): void => {
    this.since = performance.now();
    if (this.timer !== null) window.clearTimeout(this.timer);
    this.mark(true);
    this.timer = window.setTimeout(() => this.mark(false), INERT);
  };

  dispose(): void {
    this.observer?.disconnect();
    document.removeEventListener("visibilitychange", this.again);
    if (this.timer !== null) window.clearTimeout(this.timer);
  }

  /** Marks them for people, assistive technology and tests. Focus stays where it is. */
  private mark(inert: boolean): void {
    this.element.classList.toggle("inert", inert);
    for (const choice of this.element.querySelectorAll("button[action-id]")) {
      if (inert) choice.setAttribute("aria-disabled", "true");
      else choice.removeAttribute("aria-disabled");
    }
  }
}
