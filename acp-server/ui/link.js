// @ts-check
// The link to the backend: it is made again when it breaks, and goes on where it was.

import { Connection } from './rpc.js';

/** @import { Batch, Cursor } from './types.d.ts' */
/** @typedef {'connecting' | 'connected' | 'lost' | 'unpaired'} LinkState */

const [SHORTEST, LONGEST] = [500, 15_000];
/** So often a quiet connection is tried. */
const BEAT = 30_000;

export class Link {
  /** @type {Connection | null} */
  #connection = null;
  /** @type {Cursor | null} */
  #cursor = null;
  #failures = 0;
  /** @type {number | undefined} */
  #timer;
  #busy = false;

  /** @param {{ batch: (batch: Batch) => void, state: (state: LinkState) => void }} tell */
  constructor(tell) {
    this.tell = tell;
    setInterval(() => this.#beat(), BEAT);
    // A phone that wakes up, or is on the net again, does not wait.
    window.addEventListener('online', () => this.start());
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
    this.tell.state(this.#failures ? 'lost' : 'connecting');
    const paired = await isPaired();
    if (paired === false) {
      this.tell.state('unpaired');
      return;
    }
    if (paired === null) {
      this.#later();
      return;
    }
    const url = `${location.protocol === 'https:' ? 'wss:' : 'ws:'}//${location.host}/`;
    const connection = new Connection(url, (batch) => this.#heard(batch), () => this.#closed(connection));
    this.#connection = connection;
    try {
      await connection.opened;
      await connection.call('mayi/initialize', { protocolVersion: 1, client: { name: 'page', version: '1' } });
      await connection.call('events/subscribe', { cursor: this.#cursor });
      this.#failures = 0;
      this.tell.state('connected');
    } catch {
      connection.close();
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

  #beat() {
    this.#connection?.call('approval/list', { pending: true, limit: 1 }).catch(() => {});
  }
}

/** Whether this browser is let in; null: the backend can't be reached. */
async function isPaired() {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'approval/list', params: { pending: true, limit: 1 } });
  try {
    const response = await fetch('/', {
      method: 'POST', body, headers: { 'Content-Type': 'application/json' }, credentials: 'same-origin', cache: 'no-store',
    });
    if (response.status === 401) return false;
    return response.ok ? true : null;
  } catch {
    return null;
  }
}
