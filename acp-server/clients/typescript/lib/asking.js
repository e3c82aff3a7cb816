// @ts-check
// One question, from the first time that it is asked until it is decided, whatever happens to the backend meanwhile.

import { CODES, isCode, wasOvertaken } from "./errors.js";
import { POLL_SECONDS } from "./post.js";

/** @typedef {import("./link.js").Link} Link */
/** @typedef {import("./post.js").End} End */
/** @typedef {import("./session.js").Session} Session */
/** @typedef {import("../index.d.ts").Card} Card */
/** @typedef {import("../index.d.ts").HostOutcome} HostOutcome */
/** @typedef {import("../index.d.ts").Verdict} Verdict */

export class Asking {
  #link;
  #session;
  #asked;
  #onCard;
  #signal;
  /** When it is too late for an answer, also one at the next backend. */
  #until;
  /** The backend that knows of it. @type {End | null} */
  #knownTo = null;
  /** The card that was told last, and what ends when it is void. @type {{ card: Card, void: AbortController } | null} */
  #shown = null;
  #abandoned = false;
  /** What `onCard` threw. @type {{ error: unknown } | null} */
  #failure = null;
  /** @type {(verdict: Verdict) => void} */
  #stop = () => {};

  /**
   * @param {Link} link
   * @param {Session} session
   * @param {string} callId
   * @param {unknown} call
   * @param {import("../index.d.ts").AskOptions} options
   */
  constructor(link, session, callId, call, { onCard, signal, timeoutSeconds, ...asked }) {
    this.#link = link;
    this.#session = session;
    this.callId = callId;
    this.#asked = { ...asked, callId, call, wait: false };
    this.#onCard = onCard;
    this.#signal = signal;
    this.#until = timeoutSeconds === undefined ? null : Date.now() + timeoutSeconds * 1000;
  }

  /** The backend that has decided it. */
  get knownTo() {
    return this.#knownTo;
  }

  get #isWanted() {
    return !this.#abandoned && !this.#session.closed;
  }

  /** @returns {Promise<Verdict>} */
  async decide() {
    if (this.#signal?.aborted) return cancelled(this.callId);
    const abort = () => void this.abandon();
    this.#signal?.addEventListener("abort", abort);
    try {
      const stopped = /** @type {Promise<Verdict>} */ (new Promise((resolve) => (this.#stop = resolve)));
      const verdict = await Promise.race([this.#loop(), stopped]);
      if (this.#failure !== null) throw this.#failure.error;
      // Also where the answer came just before: whoever gave up does not run it.
      const told = this.#abandoned && verdict.allowed ? cancelled(this.callId) : verdict;
      this.#shown?.void.abort(told);
      return told;
    } catch (error) {
      if (this.#failure !== null) throw this.#failure.error;
      if (!this.#isWanted) return cancelled(this.callId);
      throw error;
    } finally {
      this.#signal?.removeEventListener("abort", abort);
      this.#shown?.void.abort(cancelled(this.callId));
    }
  }

  /** Nobody wants to know any more. */
  async abandon() {
    this.#abandoned = true;
    const nothingWaits = await this.#session.withdraw({ callId: this.callId });
    // Where something waits still, the loop withdraws it as soon as it hears of it.
    if (nothingWaits) this.#stop(cancelled(this.callId));
  }

  /**
   * Its card may have changed.
   * @param {string} approvalId
   */
  async refresh(approvalId) {
    if (this.#shown?.card.approvalId !== approvalId) return;
    const poll = (/** @type {End} */ end) => this.#session.on(end, "host/outcome", { callId: this.callId, waitSeconds: 0 });
    const outcome = await this.#link.run(poll, () => this.#isWanted);
    if (outcome.outcome === "asked") this.#show(outcome.card);
  }

  /** @returns {Promise<Verdict>} */
  async #loop() {
    for (let unknown = 0, doubted = false; ; ) {
      /** @type {HostOutcome} */
      let outcome;
      try {
        outcome = await this.#link.run((end) => this.#step(end), () => this.#isWanted);
        unknown = 0;
      } catch (error) {
        // A backend to which the chat was brought back does not know what was asked at the one before.
        if (!isCode(error, CODES.params) || this.#knownTo === null || unknown++ > 0) throw error;
        this.#knownTo = null;
        continue;
      }
      if (outcome.outcome === "asked") {
        if (this.#abandoned) return this.#session.withdraw({ callId: this.callId }).then(() => cancelled(this.callId));
        doubted = false;
        this.#show(outcome.card);
      } else if (outcome.outcome === "cancelled" && !doubted && this.#isWanted) {
        // Nobody here has withdrawn it: the backend may be ending. If it was a person, the same question has the same
        // answer; if not, it is asked anew.
        doubted = true;
        this.#knownTo = null;
      } else {
        return { ...outcome, allowed: outcome.outcome === "allowed" };
      }
    }
  }

  /** @param {End} end */
  async #step(end) {
    if (this.#knownTo === end) return this.#session.on(end, "host/outcome", { callId: this.callId, waitSeconds: POLL_SECONDS, seen: this.#shown?.card.digest ?? "" });
    const left = this.#until === null ? {} : { timeoutSeconds: Math.max(1, Math.ceil((this.#until - Date.now()) / 1000)) };
    const outcome = await this.#session.on(end, "host/ask", { ...this.#asked, ...left });
    this.#knownTo = end;
    return outcome;
  }

  /** @param {Card | undefined} card */
  #show(card) {
    if (card === undefined) return;
    const before = this.#shown;
    if (before?.card.approvalId === card.approvalId && before.card.digest === card.digest) return;
    before?.void.abort(card);
    const shown = { card, void: new AbortController() };
    this.#shown = shown;
    const fail = (/** @type {unknown} */ error) => {
      if (wasOvertaken(error) || isCode(error, "closed") || shown.void.signal.aborted) return;
      // An app that can't show a card, or answers it wrongly, must hear of it, instead of waiting for ever.
      this.#failure ??= { error };
      void this.abandon();
    };
    const { signal } = shown.void;
    Promise.resolve().then(() => this.#onCard?.(card, signal)).catch(fail);
  }
}

/**
 * @param {string} callId
 * @returns {Verdict}
 */
function cancelled(callId) {
  const reason = "the question was withdrawn";
  return { callId, outcome: "cancelled", allowed: false, approvalId: null, by: null, reason, granted: [], why: [] };
}
