// @ts-check
// A session at the backend that is there now. It is opened again, by its key, wherever it is not open.

import { CODES, isCode, isUnknownSession, Lost, MayiError } from "./errors.js";
import { post } from "./post.js";

/** @typedef {import("./post.js").End} End */
/** @typedef {import("./link.js").Link} Link */
/** @typedef {import("../index.d.ts").HostSession} HostSession */

export class Session {
  #link;
  #parent;
  /** What it is opened with. @type {any} */
  #wanted;
  /** @type {unknown[] | null} */
  #tools = null;
  /** Where it is open, or being opened. @type {{ end: End, done: Promise<void> } | null} */
  #opened = null;
  #closed = false;
  /** As it was told last. @type {HostSession | null} */
  #known = null;

  /**
   * @param {Link} link
   * @param {Session | null} parent
   * @param {object} wanted
   */
  constructor(link, parent, wanted) {
    this.#link = link;
    this.#parent = parent;
    this.#wanted = wanted;
  }

  /** @returns {HostSession} */
  get known() {
    return /** @type {HostSession} */ (this.#known);
  }

  /** A sub-task ends with its parent. @returns {boolean} */
  get closed() {
    return this.#closed || this.#link.closed || (this.#parent?.closed ?? false);
  }

  requireOpen() {
    if (this.closed) throw new MayiError("closed", "this chat is closed");
  }

  /**
   * @param {string} method
   * @param {object} params
   */
  async call(method, params) {
    this.requireOpen();
    return this.#link.run((end) => this.on(end, method, params));
  }

  /**
   * Calls a method that gives the session as it is then.
   * @param {string} method
   * @param {object} params
   */
  async update(method, params) {
    this.#known = await this.call(method, params);
    Object.assign(this.#wanted, params);
    return this.known;
  }

  /** @param {unknown[]} tools */
  async offer(tools) {
    const told = await this.call("host/tools", { tools });
    this.#tools = tools;
    return told.tools;
  }

  /** @param {boolean} forget */
  async close(forget) {
    this.#closed = true;
    // What it remembers is in a file: to have that forgotten, it is opened again if need be.
    if (forget) return this.#link.run((end) => this.on(end, "host/close", { forget }));
    const end = this.#link.current;
    if (end === null || this.#opened?.end !== end) return;
    await post(end, "host/close", { key: this.known.key }).catch((error) => {
      // It is closed there already, or the backend is gone.
      if (!(error instanceof Lost) && !isUnknownSession(error)) throw error;
    });
  }

  /**
   * Withdraws at the backend that is there. Whether nothing waits there then.
   * @param {object} params
   */
  async withdraw(params) {
    const end = this.#link.current;
    if (end === null || this.#opened?.end !== end) return true;
    return post(end, "host/withdraw", { key: this.known.key, ...params }).then(
      () => true,
      // A call that it does not know may be on its way to it.
      (error) => !isCode(error, CODES.params),
    );
  }

  /**
   * Makes sure that it is open at this backend.
   * @param {End} end
   * @returns {Promise<void>}
   */
  reopenAt(end) {
    if (this.#opened?.end === end) return this.#opened.done;
    const opened = { end, done: this.#openAt(end) };
    this.#opened = opened;
    opened.done.catch(() => {
      // The next caller tries again.
      if (this.#opened === opened) this.#opened = null;
    });
    return opened.done;
  }

  /** @param {End} end */
  async #openAt(end) {
    const wanted = { ...this.#wanted };
    if (this.#known !== null) wanted.key = this.#known.key;
    if (this.#parent !== null) {
      await this.#parent.reopenAt(end);
      wanted.parent = this.#parent.known.key;
    }
    try {
      this.#known = await post(end, "host/open", wanted);
    } catch (error) {
      // A file may lock the mode by now. What is configured is then as strict as it says.
      if (this.#known === null || wanted.mode === undefined || !isCode(error, CODES.params)) throw error;
      this.#known = await post(end, "host/open", { ...wanted, mode: undefined });
    }
    if (this.#tools !== null) await post(end, "host/tools", { key: this.known.key, tools: this.#tools });
  }

  /**
   * Calls a method at this backend.
   * @param {End} end
   * @param {string} method
   * @param {object} params
   */
  async on(end, method, params) {
    await this.reopenAt(end);
    try {
      return await post(end, method, { key: this.known.key, ...params });
    } catch (error) {
      if (!isUnknownSession(error) || (this.closed && method !== "host/close")) throw error;
      // It was put away there, or its parent was, and it with that.
      for (let session = /** @type {Session | null} */ (this); session !== null; session = session.#parent) session.#opened = null;
      await this.reopenAt(end);
      return post(end, method, { key: this.known.key, ...params });
    }
  }
}
