// @ts-check
// The backend as an app sees it: where chats are opened, and cards answered.

import { Chat } from "./chat.js";
import { startChild } from "./child.js";
import { CODES, isCode, isUnknownSession, reasonOf } from "./errors.js";
import { Link } from "./link.js";
import { post } from "./post.js";

/** @typedef {import("./post.js").End} End */

export class Mayi {
  #link;
  /** @type {Set<Chat>} */
  #chats = new Set();

  /** @param {Link} link */
  constructor(link) {
    this.#link = link;
    link.onNew = (end) => {
      // In the background: each chat makes sure of it by itself too, before it asks anything.
      for (const chat of this.#chats) chat.reopenAt(end).catch(() => {});
    };
  }

  /**
   * Starts a backend, and another one whenever that dies.
   * @param {import("../index.d.ts").StartOptions} [options]
   */
  static async start(options = {}) {
    const dial = () => startChild(options);
    return new Mayi(new Link(await dial(), dial));
  }

  /**
   * Uses a backend that runs already.
   * @param {import("../index.d.ts").ConnectOptions} options
   */
  static async connect({ url, token, reconnect }) {
    /** @param {{ url: string, token: string }} found @returns {End} */
    const endAt = (found) => ({ url: found.url, token: found.token, child: null, flights: new Set() });
    const dial = reconnect === undefined ? null : async () => endAt(await reconnect());
    const mayi = new Mayi(new Link(endAt({ url, token }), dial));
    // A wrong address or token is said here, and not at the first tool call. A key that nobody has is refused to everybody
    // who may come in.
    await mayi.#link.run((end) => post(end, "host/get", { key: "" })).catch((error) => {
      if (!isUnknownSession(error)) throw error;
    });
    return mayi;
  }

  /** The process id of the backend, if it was started here and runs. */
  get pid() {
    return this.#link.current?.child?.process.pid ?? null;
  }

  /**
   * Opens a chat, or brings one back by its key.
   * @param {import("../index.d.ts").OpenOptions} options
   */
  async open(options) {
    const chat = await Chat.open(this.#link, options, (closed) => this.#chats.delete(closed));
    this.#chats.add(chat);
    return chat;
  }

  /**
   * Answers a card as it was shown.
   * @param {{ approvalId: string, digest: string }} card
   * @param {import("../index.d.ts").Choice} choice
   * @param {import("../index.d.ts").AnswerOptions} [more]
   */
  async answer(card, choice, more = {}) {
    const outcome = typeof choice === "string" ? { outcome: "selected", optionId: choice } : choice;
    const { approvalId, digest } = card;
    const { remember = null, reason = null, bypassAll = false, bypassSession = false } = more;
    const params = { approvalId, digest, response: { outcome }, remember, reason, bypassAll, bypassSession };
    try {
      return await this.#link.run((end) => post(end, "approval/respond", params));
    } catch (error) {
      const changed = isCode(error, CODES.notTaken) && reasonOf(error) === "changed";
      // Whoever asks gets to see the card as it is now, instead of when its poll ends.
      if (changed) await Promise.allSettled([...this.#chats].map((chat) => chat.refresh(approvalId)));
      throw error;
    }
  }

  /** Cards that wait for an answer, oldest first: also those of the user's other programs. */
  async pending() {
    const entries = await this.#link.run((end) => post(end, "approval/list", { pending: true }));
    return entries.map((/** @type {any} */ entry) => entry.card);
  }

  /** Withdraws what waits, and ends the backend if it was started here. */
  async close() {
    if (this.#link.closed) return;
    await Promise.allSettled([...this.#chats].map((chat) => chat.abandon()));
    this.#chats.clear();
    await this.#link.close();
  }
}
