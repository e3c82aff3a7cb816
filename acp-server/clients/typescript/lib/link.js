// @ts-check
// The way to the backend. Where it is lost, a new one is found: one search at a time, which all callers share.

import { Lost, MayiError } from "./errors.js";

/** @typedef {import("./post.js").End} End */

/** So often in a row a caller loses the backend, or a search fails, before that is an error. */
const MOST_LOSSES = 5;
const FIRST_PAUSE_MS = 250;
const LONGEST_PAUSE_MS = 4_000;

/**
 * `null`: what is lost stays lost.
 * @typedef {(() => Promise<End>) | null} Dial
 */

export class Link {
  /** @type {End | null} */
  #end;
  /** @type {Dial} */
  #dial;
  /** @type {Promise<End> | null} */
  #dialing = null;
  #failures = 0;
  /** Ends the pauses between two tries. */
  #closing = new AbortController();
  /** A new backend is there: called before anybody uses it. */
  onNew = (/** @type {End} */ _end) => {};

  /**
   * @param {End} end
   * @param {Dial} dial
   */
  constructor(end, dial) {
    this.#end = end;
    this.#dial = dial;
  }

  get closed() {
    return this.#closing.signal.aborted;
  }

  /** The backend as it is now, without a search for another one. */
  get current() {
    return this.#end !== null && isAlive(this.#end) ? this.#end : null;
  }

  /**
   * Does `work` with the backend: once more, from its beginning, with each new backend that takes the place of a lost one.
   * @template T
   * @param {(end: End) => Promise<T>} work
   * @param {() => boolean} [wanted] whether anybody still wants to know
   * @returns {Promise<T>}
   */
  async run(work, wanted = () => true) {
    /** @type {End | null} */
    let doubted = null;
    for (let losses = 0; ; ) {
      const end = await this.#obtain();
      if (!wanted()) throw new MayiError("closed", "nobody wants to know any more");
      try {
        const result = await work(end);
        this.#failures = 0;
        return result;
      } catch (error) {
        if (!(error instanceof Lost)) throw error;
        if (this.closed) throw closedError();
        // One connection that broke proves nothing. A second one does.
        if (!error.stale && doubted !== end && isAlive(end)) {
          doubted = end;
          continue;
        }
        losses += 1;
        this.#drop(end);
        if (this.#dial === null || losses >= MOST_LOSSES) throw lostError(error);
      }
    }
  }

  /** Ends the backend if it is ours, and lets go of it otherwise. */
  async close() {
    this.#closing.abort();
    const end = this.#end ?? (await this.#dialing?.catch(() => null)) ?? null;
    this.#end = null;
    await end?.child?.end();
    end?.flights.forEach((flight) => flight.abort(new Error("closed")));
  }

  /** @returns {Promise<End>} */
  async #obtain() {
    if (this.closed) throw closedError();
    if (this.#end !== null && !isAlive(this.#end)) this.#drop(this.#end);
    if (this.#end !== null) return this.#end;
    const dial = /** @type {NonNullable<Dial>} */ (this.#dial);
    this.#dialing ??= this.#search(dial).finally(() => (this.#dialing = null));
    return this.#dialing;
  }

  /**
   * @param {NonNullable<Dial>} dial
   * @returns {Promise<End>}
   */
  async #search(dial) {
    for (let tries = 1; ; tries++) {
      await this.#pause();
      if (this.closed) throw closedError();
      try {
        const end = await dial();
        if (this.closed) {
          await end.child?.end();
          throw closedError();
        }
        this.#end = end;
        this.onNew(end);
        return end;
      } catch (error) {
        this.#failures += 1;
        if (this.closed || tries >= MOST_LOSSES) throw error;
      }
    }
  }

  /** The first loss is made good at once; a backend that keeps dying is not started in a busy loop. */
  #pause() {
    if (this.#failures < 2) return Promise.resolve();
    const pause = Math.min(FIRST_PAUSE_MS * 2 ** (this.#failures - 2), LONGEST_PAUSE_MS);
    const { signal } = this.#closing;
    return /** @type {Promise<void>} */ (
      new Promise((resolve) => {
        const done = () => {
          clearTimeout(timer);
          signal.removeEventListener("abort", done);
          resolve();
        };
        const timer = setTimeout(done, pause);
        signal.addEventListener("abort", done);
      })
    );
  }

  /**
   * Several callers may have lost the same one: the first of them counts.
   * @param {End} end
   */
  #drop(end) {
    // With nothing to take its place, it may at least be there again later.
    if (this.#end !== end || this.#dial === null) return;
    this.#end = null;
    this.#failures += 1;
    // If it runs still, it answers nobody. Whoever waits there is sent to the new one.
    end.child?.end("SIGKILL").catch(() => {});
    end.flights.forEach((flight) => flight.abort(new Error("the backend is gone")));
  }
}

/** @param {End} end */
function isAlive(end) {
  return end.child === null || !end.child.exited;
}

function closedError() {
  return new MayiError("closed", "this Mayi was closed");
}

/** @param {Lost} error */
function lostError(error) {
  if (error.stale && error.cause instanceof MayiError) return error.cause;
  return new MayiError("unreachable", `mayi's backend can't be reached (${error.message}): nothing was allowed`, { cause: error });
}
