// When the choices of a card count. None does in the first half second after they appear or change, so that a click or a key
// press that was meant for something else is no answer; and none that allows does before all that is asked was in sight.

import { Seen } from "../shared/seen";

/** So long, in milliseconds. */
export const INERT = 500;

/** Watches the choices of one card. */
export class Arm {
  private since = 0;
  private timer: number | null = null;
  private inView = false;
  private readonly seen: Seen;
  private readonly observer: IntersectionObserver | null;

  constructor(
    private readonly choices: HTMLElement,
    /** What has to be seen. */
    private readonly body: HTMLElement,
  ) {
    // What comes into sight last rests like what appears: from the moment when it did.
    this.seen = new Seen(body, (since) => this.rest(since));
    this.observer =
      typeof IntersectionObserver === "undefined"
        ? null
        : new IntersectionObserver((entries) => {
            const now = entries.at(-1)?.isIntersecting ?? false;
            // It appears: a tab was chosen, or it was scrolled to.
            if (now && !this.inView) this.again();
            this.inView = now;
          });
    this.observer?.observe(choices);
    document.addEventListener("visibilitychange", this.again);
    this.again();
  }

  /** Whether choices count, those that allow or the others. */
  counts(allows: boolean): boolean {
    this.seen.look();
    return this.rested && (!allows || this.seen.all);
  }

  /** Whether they have been there for long enough. */
  get rested(): boolean {
    return performance.now() - this.since >= INERT;
  }

  /** Whether all of it has been in sight for long enough that a key may answer it; of what has no room, its end, after all of it was. */
  get inSight(): boolean {
    this.seen.look();
    const { since } = this.seen;
    return this.rested && since !== null && performance.now() - since >= INERT;
  }

  /** Shows what was not seen yet, or the end of what was; whether there is something. */
  further(): boolean {
    if (!this.seen.all) this.seen.further();
    else if (this.seen.since === null) this.body.scrollIntoView({ block: "end", behavior: "instant" });
    else return false;
    return true;
  }

  /** They appear or change now. */
  readonly again = (): void => this.rest(performance.now());

  /** They rest from that moment on, or from a later one that was told before. */
  rest(since: number): void {
    this.since = Math.max(this.since, since);
    this.wait();
  }

  /** Marks them, and again when they rest no more: a timer may be early by a part of a millisecond, and then it is another one. */
  private wait(): void {
    if (this.timer !== null) window.clearTimeout(this.timer);
    this.timer = null;
    this.mark(!this.rested);
    if (!this.rested) this.timer = window.setTimeout(() => this.wait(), Math.max(1, Math.ceil(this.since + INERT - performance.now())));
  }

  /** Others were drawn in their place. */
  redrawn(): void {
    this.mark(!this.rested);
  }

  dispose(): void {
    this.seen.dispose();
    this.observer?.disconnect();
    document.removeEventListener("visibilitychange", this.again);
    if (this.timer !== null) window.clearTimeout(this.timer);
  }

  /** Marks them for people, assistive technology and tests. Focus stays where it is. */
  private mark(inert: boolean): void {
    const unseen = !this.seen.all;
    this.choices.classList.toggle("inert", inert);
    this.choices.classList.toggle("unseen", unseen);
    for (const choice of this.choices.querySelectorAll("button[action-id]")) {
      if (inert || (unseen && choice.hasAttribute("data-allows")) || choice.hasAttribute("data-unseen")) choice.setAttribute("aria-disabled", "true");
      else choice.removeAttribute("aria-disabled");
    }
    const hint = this.choices.querySelector<HTMLElement>(".mayi-unseen");
    if (hint !== null) hint.hidden = !unseen;
  }
}
