// What comes in is taken in so that what is drawn is seen: a hundred questions at once must not keep the first one from the
// screen until the last one is drawn.

/** So long may work take in one frame, in milliseconds: then what was drawn is painted, and the rest comes after it. */
export const BUDGET = 8;

/** And so long at most, where it goes on for frames: the first thing is seen by then, and the rest is wanted too. */
const MOST = 48;

/** Calls `act` once the next frame was painted; soon, where nobody looks and there are no frames. */
export function afterPaint(act: () => void): void {
  if (document.visibilityState === "hidden") setTimeout(act, 0);
  else requestAnimationFrame(() => setTimeout(act, 0));
}

/** Does what it is given one after the other: at once as long as the frame has time for it, else after the next one. */
export class Pace {
  private readonly work: (() => void)[] = [];
  private spent = 0;
  private budget = BUDGET;
  /** Which of the plans to go on holds; 0: none does. */
  private planned = 0;
  private plans = 0;
  private running = false;

  /** After all that waits. */
  add(act: () => void): void {
    this.work.push(act);
    this.run();
  }

  /** Before all that waits: parts of what is done now. */
  first(acts: (() => void)[]): void {
    this.work.unshift(...acts);
    this.run();
  }

  private run(): void {
    if (this.running || this.spent >= this.budget) return;
    this.running = true;
    try {
      while (this.spent < this.budget) {
        const act = this.work.shift();
        if (act === undefined) break;
        const begin = performance.now();
        try {
          act();
        } finally {
          this.spent += performance.now() - begin;
        }
      }
    } finally {
      this.running = false;
      // Where nothing waits and nothing was done, nothing has to go on: else a page would draw a frame for the next one, for good.
      if (this.work.length > 0 || this.spent > 0) this.plan();
    }
  }

  private plan(): void {
    // A frame that was on its way already has not all of it: the next one has.
    const full = this.spent >= this.budget;
    if (this.planned !== 0 && !full) return;
    const plan = ++this.plans;
    this.planned = plan;
    afterPaint(() => {
      if (this.planned !== plan) return;
      this.planned = 0;
      this.budget = this.work.length > 0 ? Math.min(this.budget * 2, MOST) : BUDGET;
      this.spent = 0;
      this.run();
    });
  }
}
