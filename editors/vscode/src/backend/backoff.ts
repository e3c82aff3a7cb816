// How long to wait before the next start: 250 ms, doubled each time up to 30 s; anew after 60 s of being up.

const FIRST = 250;
const MOST = 30_000;
const STEADY = 60_000;

/** The wait before each further try. Times in milliseconds. */
export class BackOff {
  private next = FIRST;
  private upSince: number | null = null;

  constructor(private readonly now: () => number = Date.now) {}

  /** It is up. */
  up(): void {
    this.upSince = this.now();
  }

  /** It is down: how long to wait now. */
  down(): number {
    if (this.upSince !== null && this.now() - this.upSince >= STEADY) this.next = FIRST;
    this.upSince = null;
    const wait = this.next;
    this.next = Math.min(MOST, wait * 2);
    return wait;
  }

  /** A person asked for it: begin again. */
  reset(): void {
    this.next = FIRST;
    this.upSince = null;
  }
}
