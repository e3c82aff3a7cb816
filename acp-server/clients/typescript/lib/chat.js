// @ts-check
// One chat of the app.

import { Asking } from "./asking.js";
import { CODES, isCode, MayiError, reasonOf } from "./errors.js";
import { Session } from "./session.js";

/** @typedef {import("./link.js").Link} Link */
/** @typedef {import("./post.js").End} End */
/** @typedef {import("../index.d.ts").AskOptions} AskOptions */

/** Of so many calls it is known which backend allowed them, as long as their end was not reported. */
const MOST_ALLOWED = 1000;

export class Chat {
  #link;
  #session;
  #onClose;
  /** @type {Set<Asking>} */
  #asking = new Set();
  /** The backends that allowed calls. @type {Map<string, End | null>} */
  #allowed = new Map();

  /**
   * @param {Link} link
   * @param {Session} session
   * @param {(chat: Chat) => void} onClose
   */
  constructor(link, session, onClose) {
    this.#link = link;
    this.#session = session;
    this.#onClose = onClose;
  }

  /**
   * @param {Link} link
   * @param {import("../index.d.ts").OpenOptions} options
   * @param {(chat: Chat) => void} onClose
   */
  static async open(link, { parent, ...wanted }, onClose) {
    const above = parent === undefined ? null : /** @type {Chat} */ (/** @type {unknown} */ (parent)).#session;
    if (above?.closed) throw new MayiError("closed", "the parent of this chat is closed");
    const session = new Session(link, above, wanted);
    await link.run((end) => session.reopenAt(end));
    return new Chat(link, session, onClose);
  }

  get closed() {
    return this.#session.closed;
  }

  get session() {
    return this.#session.known;
  }

  get key() {
    return this.session.key;
  }

  get mode() {
    return this.session.mode;
  }

  get briefing() {
    return this.session.briefing;
  }

  /**
   * Asks whether a call may run. Resolves once that is decided.
   * @param {string} callId
   * @param {unknown} call
   * @param {AskOptions} [options]
   */
  async ask(callId, call, options = {}) {
    this.#session.requireOpen();
    const asking = new Asking(this.#link, this.#session, callId, call, options);
    this.#asking.add(asking);
    try {
      const verdict = await asking.decide();
      if (verdict.allowed) this.#noteAllowed(callId, asking.knownTo);
      return verdict;
    } finally {
      this.#asking.delete(asking);
    }
  }

  /**
   * Asks, and if it may, runs `work` and reports what became of it.
   * @template T
   * @param {string} callId
   * @param {unknown} call
   * @param {() => T | Promise<T>} work
   * @param {AskOptions} [options]
   * @returns {Promise<{ verdict: import("../index.d.ts").Verdict, result?: T, unreported?: unknown }>}
   */
  async run(callId, call, work, options) {
    const verdict = await this.ask(callId, call, options);
    if (!verdict.allowed) return { verdict };
    /** @type {unknown} */
    let unreported;
    const tell = async (/** @type {"started" | "completed" | "failed"} */ status) => {
      // What was done is done: a report that fails takes nothing of it away.
      await this.report(callId, status).catch((error) => (unreported ??= error));
    };
    await tell("started");
    /** @type {T} */
    let result;
    try {
      result = await work();
    } catch (error) {
      await tell("failed");
      throw error;
    }
    await tell("completed");
    return unreported === undefined ? { verdict, result } : { verdict, result, unreported };
  }

  /**
   * @param {string} callId
   * @param {"started" | "completed" | "failed"} status
   */
  async report(callId, status) {
    try {
      await this.#session.call("host/report", { callId, status });
    } catch (error) {
      const by = this.#allowed.get(callId);
      const forgotten = isCode(error, CODES.params) && reasonOf(error) === "unknown_call";
      if (!forgotten || by === undefined || by === this.#link.current) throw error;
      const text = "the backend was restarted after it allowed this call, and the new one does not know of it";
      throw new MayiError(error.code, text, { data: error.data, cause: error });
    } finally {
      if (status !== "started") this.#allowed.delete(callId);
    }
  }

  /**
   * @param {string} callId
   * @param {End | null} by
   */
  #noteAllowed(callId, by) {
    this.#allowed.set(callId, by);
    const [oldest] = this.#allowed.keys();
    if (this.#allowed.size > MOST_ALLOWED && oldest !== undefined) this.#allowed.delete(oldest);
  }

  /** @param {import("../index.d.ts").Mode} mode */
  async setMode(mode) {
    return this.#session.update("host/setMode", { mode });
  }

  /** @param {import("../index.d.ts").HostTool[]} tools */
  async tools(tools) {
    return this.#session.offer(tools);
  }

  async waiting() {
    return (await this.#session.update("host/get", {})).waiting;
  }

  async grants() {
    return this.#session.call("host/grants", {});
  }

  /** @param {string[]} [ids] */
  async revoke(ids) {
    return this.#session.call("host/revoke", ids === undefined ? {} : { ids });
  }

  /** @param {string} [callId] */
  async withdraw(callId) {
    const meant = [...this.#asking].filter((asking) => callId === undefined || asking.callId === callId);
    await Promise.all(meant.map((asking) => asking.abandon()));
    // Calls that nobody here waits for may wait all the same: those of an app that has crashed and come back.
    if (callId === undefined || meant.length === 0) await this.#session.withdraw(callId === undefined ? {} : { callId });
  }

  /** @param {{ forget?: boolean }} [options] */
  async close({ forget = false } = {}) {
    if (this.closed) return;
    this.#onClose(this);
    try {
      await this.#session.close(forget);
    } finally {
      await this.abandon();
    }
  }

  /** Nobody wants to know any more what waits here. */
  async abandon() {
    await Promise.all([...this.#asking].map((asking) => asking.abandon()));
  }

  /** @param {string} approvalId */
  async refresh(approvalId) {
    await Promise.all([...this.#asking].map((asking) => asking.refresh(approvalId)));
  }

  /** @param {End} end */
  async reopenAt(end) {
    if (!this.closed) await this.#session.reopenAt(end);
  }
}
