// @ts-check
// JSON-RPC over one WebSocket to the host that served the page.

/** @typedef {(result: any) => void} Told */

/** A call without an answer for so long means that the connection is dead: a phone that slept may not notice. */
const PATIENCE = 15_000;

/** The backend's refusal of one call. */
export class Refusal extends Error {
  /** @param {{ code: number, message: string, data?: any }} error */
  constructor({ code, message, data }) {
    super(message);
    this.code = code;
    this.data = data;
  }
}

export class Connection {
  /** Whether it ended before it was open, and nothing here had ended it. */
  refused = false;
  /** @type {Map<number, { resolve: Told, reject: (error: Error) => void, timer: number }>} */
  #calls = new Map();
  #next = 1;
  #isOpen = false;
  #over = false;
  #socket;
  #closed;
  #opening;
  /** @type {(error: Error) => void} */
  #unopened = () => {};

  /**
   * @param {string} url
   * @param {string[]} protocols
   * @param {(batch: any) => void} heard each batch of events
   * @param {() => void} closed once, when it is over
   */
  constructor(url, protocols, heard, closed) {
    this.#socket = new WebSocket(url, protocols);
    this.#closed = closed;
    // A network that swallows everything opens nothing and refuses nothing, and a browser waits for minutes.
    this.#opening = setTimeout(() => this.close(), PATIENCE);
    this.opened = new Promise((resolve, reject) => {
      this.#unopened = reject;
      this.#socket.addEventListener('open', () => {
        clearTimeout(this.#opening);
        this.#isOpen = true;
        resolve(undefined);
      }, { once: true });
    });
    // Whoever waits for it hears of the end; nobody has to.
    this.opened.catch(() => {});
    this.#socket.addEventListener('message', (event) => this.#message(String(event.data), heard));
    this.#socket.addEventListener('close', () => {
      this.refused = !this.#over && !this.#isOpen;
      this.#end();
    }, { once: true });
  }

  /**
   * @param {string} method
   * @param {unknown} params
   * @param {number} [patience] so long an answer may take before the connection counts as dead
   * @returns {Promise<any>}
   */
  call(method, params, patience = PATIENCE) {
    const id = this.#next;
    this.#next += 1;
    return new Promise((resolve, reject) => {
      if (this.#socket.readyState !== WebSocket.OPEN) {
        reject(new Error('not connected'));
        return;
      }
      const timer = setTimeout(() => this.close(), patience);
      this.#calls.set(id, { resolve, reject, timer });
      this.#socket.send(JSON.stringify({ jsonrpc: '2.0', id, method, params }));
    });
  }

  /** Ends it, and does not wait until a socket that hears nothing any more has noticed. */
  close() {
    this.#socket.close();
    this.#end();
  }

  #end() {
    if (this.#over) return;
    this.#over = true;
    clearTimeout(this.#opening);
    this.#unopened(new Error('not connected'));
    for (const { reject, timer } of this.#calls.values()) {
      clearTimeout(timer);
      reject(new Error('the connection was lost'));
    }
    this.#calls.clear();
    this.#closed();
  }

  /** @param {string} text @param {(batch: any) => void} heard */
  #message(text, heard) {
    /** @type {any} */
    let message;
    try {
      message = JSON.parse(text);
    } catch {
      this.close();
      return;
    }
    if (this.#over) return;
    if (message?.method === 'events/event') {
      heard(message.params?.result);
      return;
    }
    const call = this.#calls.get(message?.id);
    if (!call) return;
    this.#calls.delete(message.id);
    clearTimeout(call.timer);
    if (message.error) call.reject(new Refusal(message.error));
    else call.resolve(message.result);
  }
}
