// @ts-check
// The link to the backend: it is made again when it breaks, and goes on where it was. What it says of itself is taken back as
// soon as an answer shows that it is otherwise.

import { Connection, Refusal } from './rpc.js';
import { keep, protocols, token } from './token.js';

/** @import { Batch, Cursor } from './types.d.ts' */
/** @typedef {'connecting' | 'connected' | 'lost' | 'unpaired'} LinkState */

const [SHORTEST, LONGEST] = [500, 15_000];
/** So often a connection is tried while somebody looks at the page, and so long it may take: two seconds together. */
const BEAT = 750;
/** The same while nobody does: a phone has to rest. */
const SELDOM = 30_000;
/** So long a connection from before may take once the network is back or a phone wakes up; then there is a new one. */
const RETURN = 5_000;
/** So many refusals one after the other mean that the token counts no more. */
const REFUSALS = 2;

export class Link {
  /** The only one there is, from its beginning to its end. @type {Connection | null} */
  #connection = null;
  /** Whether it is open and tells what happens. */
  #ready = false;
  /** @type {Cursor | null} */
  #cursor = null;
  #failures = 0;
  #refusals = 0;
  /** @type {number | undefined} */
  #timer;
  #busy = false;
  /** When it was tried last, and how many answers to that are awaited. */
  #tried = 0;
  #asked = 0;
  /** What was said last. @type {LinkState | null} */
  #said = null;
  /** Whether the browser has said that it is offline, and not that it is online again. */
  #offline = false;

  /** @param {{ batch: (batch: Batch) => void, state: (state: LinkState) => void }} tell */
  constructor(tell) {
    this.tell = tell;
    setInterval(() => this.#beat(), BEAT);
    // A phone that wakes up, or is on the net again, does not wait.
    window.addEventListener('online', () => {
      this.#offline = false;
      // One that began without a network could take long: another one is made.
      if (this.#connection && !this.#ready) this.#connection.close();
      this.#again();
    });
    window.addEventListener('offline', () => {
      this.#offline = true;
      if (!this.#connection) return;
      this.#say('lost');
      if (this.#ready && !this.#isAway()) this.#try();
    });
    document.addEventListener('visibilitychange', () => {
      if (document.visibilityState === 'visible') this.#again();
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

  /** @param {LinkState} state */
  #say(state) {
    this.#said = state;
    this.tell.state(state);
  }

  /** Whether nothing can be heard of the backend: on this machine it is there without a network. */
  #isAway() {
    return this.#offline && navigator.onLine === false && !/^(localhost|127\.[0-9.]+|\[::1\])$/.test(location.hostname);
  }

  /** Looks at once whether what was there is still there, and does not wait for long. */
  #again() {
    this.#failures = 0;
    if (this.#ready) this.#try(RETURN);
    else this.start();
  }

  async #connect() {
    const shown = token();
    if (shown === null) {
      this.#say('unpaired');
      return;
    }
    this.#say(this.#said === 'lost' ? 'lost' : 'connecting');
    const url = `${location.protocol === 'https:' ? 'wss:' : 'ws:'}//${location.host}/`;
    const connection = new Connection(url, protocols(shown), (batch) => this.#heard(batch), () => this.#closed());
    this.#connection = connection;
    try {
      await connection.opened;
      await connection.call('mayi/initialize', { protocolVersion: 1, client: { name: 'page', version: '1' } });
      await connection.call('events/subscribe', { cursor: this.#cursor });
    } catch {
      connection.close();
      this.#connection = null;
      // A browser does not say why there is no connection. Where pages are served and this is not, it was refused.
      if (connection.refused && (await isThere())) this.#refusals += 1;
      if (this.#refusals >= REFUSALS) {
        this.#refusals = 0;
        this.#failures = 0;
        keep(null);
        this.#say('unpaired');
        return;
      }
      this.#later();
      return;
    }
    this.#failures = 0;
    this.#refusals = 0;
    this.#ready = true;
    this.#alive();
  }

  /** @param {Batch | undefined} batch */
  #heard(batch) {
    if (!batch || !Array.isArray(batch.events)) return;
    this.tell.batch(batch);
    // After it was taken in: what was not is told again.
    this.#cursor = batch.cursor;
  }

  /** It was there and is over; what ends before that is heard where it is made. */
  #closed() {
    if (!this.#ready) return;
    this.#ready = false;
    this.#connection = null;
    this.#later();
  }

  #later() {
    this.#say('lost');
    const longest = Math.min(LONGEST, SHORTEST * 2 ** this.#failures);
    this.#failures += 1;
    clearTimeout(this.#timer);
    // Not all pages at once.
    this.#timer = setTimeout(() => this.start(), longest * (0.5 + Math.random() / 2));
  }

  /** Something was heard of the backend. */
  #alive() {
    if (this.#said !== 'connected' && !this.#isAway()) this.#say('connected');
  }

  #beat() {
    const often = document.visibilityState === 'visible' ? 0 : SELDOM;
    if (this.#ready && this.#asked === 0 && Date.now() - this.#tried >= often) this.#try();
  }

  /**
   * Tries it. Where no answer comes in time, that is said, and the choices rest; it may come later all the same.
   * @param {number} [patience] so long it may take before there is a new connection
   */
  #try(patience) {
    const connection = this.#connection;
    if (connection === null) return;
    this.#asked += 1;
    this.#tried = Date.now();
    const isCurrent = () => this.#connection === connection;
    const late = setTimeout(() => isCurrent() && this.#say('lost'), BEAT);
    const heard = (/** @type {boolean} */ alive) => {
      clearTimeout(late);
      this.#asked -= 1;
      if (alive && isCurrent()) this.#alive();
    };
    // A refusal is an answer too.
    connection.call('approval/list', { pending: true, limit: 1 }, patience)
      .then(() => heard(true), (error) => heard(error instanceof Refusal));
  }
}

/** Whether the backend is there at all. */
async function isThere() {
  try {
    return (await fetch('style.css', { cache: 'no-store', credentials: 'omit', signal: AbortSignal.timeout(RETURN) })).ok;
  } catch {
    return false;
  }
}
