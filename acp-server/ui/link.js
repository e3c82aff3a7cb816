// @ts-check
// The link to the backend: it is made again when it breaks, and goes on where it was.

import { Connection } from './rpc.js';
import { keep, protocols, token } from './token.js';

/** @import { Batch, Cursor } from './types.d.ts' */
/** @typedef {'connecting' | 'connected' | 'lost' | 'unpaired'} LinkState */

const [SHORTEST, LONGEST] = [500, 15_000];
/** So often a connection is tried while somebody looks at the page, and so long it may take: two seconds together. */
const BEAT = 750;
/** The same while nobody does: a phone has to rest. */
const SELDOM = 30_000;
/** So many refusals one after the other mean that the token counts no more. */
const REFUSALS = 2;

export class Link {
  /** @type {Connection | null} */
  #connection = null;
  /** @type {Cursor | null} */
  #cursor = null;
  #failures = 0;
  #refusals = 0;
  /** @type {number | undefined} */
  #timer;
  #busy = false;
  /** When it was tried last, and whether an answer is late. */
  #tried = 0;
  #asked = false;

  /** @param {{ batch: (batch: Batch) => void, state: (state: LinkState) => void }} tell */
  constructor(tell) {
    this.tell = tell;
    setInterval(() => this.#beat(), BEAT);
    // A phone that wakes up, or is on the net again, does not wait.
    window.addEventListener('online', () => this.start());
    window.addEventListener('offline', () => this.#connection && this.tell.state('lost'));
    document.addEventListener('visibilitychange', () => {
      if (document.visibilityState === 'visible') this.#connection ? this.#beat() : this.start();
    });
  }

  /** Connects now, if it is not connected. */
  start() {
    clearTimeout(this.#timer);
    if (this.#connection || this.#busy) return;
    this.#busy = true;
    void this.#connect().finally(() => {
      this.#busy = false;
    });
  }

  /**
   * @param {string} method
   * @param {unknown} params
   * @returns {Promise<any>}
   */
  call(method, params) {
    return this.#connection ? this.#connection.call(method, params) : Promise.reject(new Error('not connected'));
  }

  async #connect() {
    const shown = token();
    if (shown === null) {
      this.tell.state('unpaired');
      return;
    }
    this.tell.state(this.#failures ? 'lost' : 'connecting');
    const url = `${location.protocol === 'https:' ? 'wss:' : 'ws:'}//${location.host}/`;
    const connection = new Connection(url, protocols(shown), (batch) => this.#heard(batch), () => this.#closed(connection));
    let isOpen = false;
    try {
      await connection.opened;
      isOpen = true;
      this.#connection = connection;
      await connection.call('mayi/initialize', { protocolVersion: 1, client: { name: 'page', version: '1' } });
      await connection.call('events/subscribe', { cursor: this.#cursor });
      this.#failures = 0;
      this.#refusals = 0;
      this.tell.state('connected');
    } catch {
      this.#connection = null;
      connection.close();
      // A browser does not say why there is no connection. Where pages are served and this is not, it was refused.
      if (!isOpen && (await isThere())) this.#refusals += 1;
      if (this.#refusals >= REFUSALS) {
        this.#refusals = 0;
        keep(null);
        this.tell.state('unpaired');
        return;
      }
      this.#later();
    }
  }

  /** @param {Batch | undefined} batch */
  #heard(batch) {
    if (!batch || !Array.isArray(batch.events)) return;
    this.tell.batch(batch);
    // After it was taken in: what was not is told again.
    this.#cursor = batch.cursor;
  }

  /** @param {Connection} connection */
  #closed(connection) {
    if (this.#connection !== connection) return;
    this.#connection = null;
    this.#later();
  }

  #later() {
    this.tell.state('lost');
    const longest = Math.min(LONGEST, SHORTEST * 2 ** this.#failures);
    this.#failures += 1;
    clearTimeout(this.#timer);
    // Not all pages at once.
    this.#timer = setTimeout(() => this.start(), longest * (0.5 + Math.random() / 2));
  }

  /** Tries it. Where no answer comes in time, that is said, and the choices rest; it may come later all the same. */
  #beat() {
    const connection = this.#connection;
    const often = document.visibilityState === 'visible' ? 0 : SELDOM;
    if (connection === null || this.#asked || Date.now() - this.#tried < often) return;
    this.#asked = true;
    this.#tried = Date.now();
    let isLate = false;
    const late = setTimeout(() => {
      isLate = this.#connection === connection;
      if (isLate) this.tell.state('lost');
    }, BEAT);
    const heard = (/** @type {boolean} */ alive) => {
      clearTimeout(late);
      this.#asked = false;
      if (alive && isLate && this.#connection === connection) this.tell.state('connected');
    };
    connection.call('approval/list', { pending: true, limit: 1 }).then(() => heard(true), () => heard(false));
  }
}

/** Whether the backend is there at all. */
async function isThere() {
  try {
    return (await fetch('style.css', { cache: 'no-store', credentials: 'omit' })).ok;
  } catch {
    return false;
  }
}
