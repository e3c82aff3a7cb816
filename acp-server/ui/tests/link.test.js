// @ts-check
// What the page says of its connection, and whether that is taken back. The browser here is no more than what the link asks
// of it, with a clock that the test moves; the same in a real browser: editors/vscode/e2e/tests/page_offline.test.mjs.
import assert from 'node:assert/strict';
import { afterEach, beforeEach, mock, test } from 'node:test';

import { Link } from '../link.js';

/** So often the link tries its connection, and so long an answer may take (`BEAT` in link.js). */
const BEAT = 750;
/** @type {any} */
const world = globalThis;

/** A socket whose other end is the test. */
class Socket extends EventTarget {
  static OPEN = 1;
  /** @type {Socket[]} */
  static all = [];
  readyState = 0;
  /** @type {{ id: number, method: string }[]} */
  asked = [];

  constructor() {
    super();
    Socket.all.push(this);
  }

  open() {
    this.readyState = 1;
    this.dispatchEvent(new Event('open'));
  }

  /** @param {string} text */
  send(text) {
    this.asked.push(JSON.parse(text));
  }

  /** Ends as a browser's does: later than it is asked to. */
  close() {
    this.readyState = 2;
  }

  /** The other end is gone. */
  end() {
    this.readyState = 3;
    this.dispatchEvent(new Event('close'));
  }

  /** Answers all that was asked. @param {object} [answer] */
  async answer(answer = { result: [] }) {
    for (const { id } of this.asked.splice(0)) {
      this.dispatchEvent(new MessageEvent('message', { data: JSON.stringify({ jsonrpc: '2.0', id, ...answer }) }));
    }
    await settled();
  }
}

/** What is promised by now has come. */
const settled = () => new Promise((resolve) => setImmediate(resolve));
const socket = () => /** @type {Socket} */ (Socket.all.at(-1));
/** Those that are neither closed nor told to close. */
const living = () => Socket.all.filter(({ readyState }) => readyState < 2).length;

/** @type {string[]} */
let said = [];
/** @type {Link} */
let link;

beforeEach(() => {
  mock.timers.enable({ apis: ['setTimeout', 'setInterval', 'Date'] });
  Socket.all = [];
  said = [];
  world.window = new EventTarget();
  world.document = Object.assign(new EventTarget(), { visibilityState: 'visible' });
  world.location = { protocol: 'http:', host: 'desk.example:1234', hostname: 'desk.example' };
  Object.defineProperty(world, 'navigator', { value: { onLine: true }, configurable: true, writable: true });
  world.sessionStorage = { getItem: () => 'token', removeItem: () => (world.sessionStorage.getItem = () => null) };
  world.WebSocket = Socket;
  // Nothing is there, until a test says otherwise.
  world.fetch = () => Promise.reject(new Error('no network'));
  link = new Link({ batch: () => {}, state: (state) => said.push(state) });
});
afterEach(() => mock.timers.reset());

/** Lets time go by, and what it brings about. @param {number} milliseconds */
async function pass(milliseconds) {
  mock.timers.tick(milliseconds);
  await settled();
}

/** Opens the last socket, and answers what is asked at the beginning. */
async function open() {
  socket().open();
  await settled();
  await socket().answer();
  await socket().answer();
}

async function connect() {
  link.start();
  await open();
  assert.equal(said.at(-1), 'connected');
}

/** @param {boolean} online */
function network(online) {
  world.navigator.onLine = online;
  world.window.dispatchEvent(new Event(online ? 'online' : 'offline'));
}

for (const seen of ['visible', 'hidden']) {
  test(`given a page (${seen}) that is offline for less than a beat then it is connected again once an answer has come`, async () => {
    await connect();
    world.document.visibilityState = seen;
    network(false);
    assert.equal(said.at(-1), 'lost');
    await pass(100);
    network(true);
    assert.equal(said.at(-1), 'lost', 'nothing has been heard yet');
    assert.equal(socket().asked.length, 1, 'it is tried at once');
    await socket().answer();
    assert.equal(said.at(-1), 'connected');
    assert.equal(Socket.all.length, 1);
  });
}

test('given a browser that is offline then an answer that comes all the same is not enough', async () => {
  await connect();
  network(false);
  for (let at = 0; at < 4; at += 1) {
    await pass(BEAT);
    await socket().answer();
  }
  assert.equal(said.at(-1), 'lost');
  network(true);
  await socket().answer();
  assert.equal(said.at(-1), 'connected');
});

test('given a backend on the same machine then it is there without a network', async () => {
  for (const hostname of ['127.0.0.1', 'localhost', '[::1]']) {
    world.location = { protocol: 'http:', host: `${hostname}:1234`, hostname };
    await (socket() ? open() : connect());
    network(false);
    assert.equal(said.at(-1), 'lost');
    await socket().answer();
    assert.equal(said.at(-1), 'connected');
    network(true);
    await socket().answer();
  }
});

test('given a browser that takes itself for offline from the beginning then an answer counts', async () => {
  world.navigator.onLine = false;
  await connect();
  await pass(BEAT);
  await pass(BEAT);
  assert.equal(said.at(-1), 'lost', 'an answer is late');
  await socket().answer();
  assert.equal(said.at(-1), 'connected');
});

test('given no answer then within two seconds it is said that the connection is gone, and a late answer takes it back', async () => {
  await connect();
  await pass(BEAT);
  await pass(BEAT);
  assert.equal(said.at(-1), 'lost');
  await socket().answer({ error: { code: 1, message: 'a refusal is an answer' } });
  assert.equal(said.at(-1), 'connected');
});

test('given a connection that died while the network was away then there is another one soon after, and only one', async () => {
  await connect();
  network(false);
  await pass(60);
  network(true);
  await pass(5_000);
  assert.equal(living(), 0, 'the dead one is given up');
  await pass(500);
  assert.equal(living(), 1);
  await open();
  assert.equal(said.at(-1), 'connected');
  Socket.all[0]?.end();
  assert.equal(said.at(-1), 'connected', 'the end of the old one says nothing of the new one');
  await pass(60_000 - 1);
  assert.equal(Socket.all.length, 2);
});

test('given a network that swallows everything then an attempt ends, and the next begins once the browser is online', async () => {
  link.start();
  await pass(15_000);
  assert.deepEqual([said.at(-1), living()], ['lost', 0]);
  await pass(500);
  assert.equal(living(), 1);
  network(false);
  network(true);
  await settled();
  assert.equal(living(), 0, 'it began without a network');
  await pass(500);
  assert.equal(living(), 1);
  await open();
  assert.equal(said.at(-1), 'connected');
});

test('given attempts that the page itself gave up then the token still counts', async () => {
  world.fetch = () => Promise.resolve({ ok: true });
  link.start();
  for (let at = 0; at < 4; at += 1) {
    await pass(15_000);
    socket().end();
    await pass(15_000);
  }
  assert.ok(!said.includes('unpaired'), said.join());
});

test('given a backend that refuses the token twice then a code is asked for, and after that nothing is lost', async () => {
  world.fetch = () => Promise.resolve({ ok: true });
  link.start();
  for (let at = 0; at < 2; at += 1) {
    socket().end();
    await settled();
    await pass(500);
  }
  assert.equal(said.at(-1), 'unpaired');
  world.sessionStorage.getItem = () => 'another';
  link.start();
  assert.equal(said.at(-1), 'connecting');
  await open();
  assert.equal(said.at(-1), 'connected');
});

test('given a connection that breaks before it tells anything then the next attempt is not put off twice', async () => {
  link.start();
  socket().open();
  await settled();
  socket().end();
  await settled();
  assert.equal(said.filter((state) => state === 'lost').length, 1);
  await pass(500);
  assert.equal(Socket.all.length, 2);
});
