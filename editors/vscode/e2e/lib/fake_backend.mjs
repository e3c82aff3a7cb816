// @ts-check
// A backend that says what a test tells it to, for the page: cards that no real agent would make, and a connection
// that breaks when it is wanted. It serves the page under the same policy as the real one.

import { createServer } from 'node:http';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { fromEditor, repository } from './places.mjs';

/** @type {Record<string, string>} */
const TYPES = { html: 'text/html; charset=utf-8', css: 'text/css; charset=utf-8', js: 'text/javascript; charset=utf-8', svg: 'image/svg+xml', webmanifest: 'application/manifest+json' };
const POLICY = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
  + "manifest-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";
const CODE = 'ABCD-1234';

let made = 0;

/**
 * A card as the backend tells it.
 * @param {Record<string, any>} [more]
 * @returns {any}
 */
export function card(more = {}) {
  made += 1;
  const own = (/** @type {string} */ optionId, /** @type {string} */ name, /** @type {string} */ kind, /** @type {string} */ scope) =>
    ({ optionId, name, kind, scope, danger: null });
  return {
    type: 'approval-request', approvalId: `card-${made}`, tabId: null, sessionId: 's', agentName: 'claude', parent: null,
    toolCall: { toolCallId: `call-${made}`, title: 'Run it', name: 'run_command', kind: 'execute', rawInput: { command: 'cargo test' }, locations: [], content: [] },
    cwd: '/tmp/project', env: {}, server: null, digest: `digest-${made}`, agentOptions: [],
    accesses: [{ access: 'shell', display: 'cargo test', category: 'execute' }], permissionType: 'all',
    options: [own('allow_once', 'Allow once', 'allow_once', 'once'), { ...own('allow_session', 'Allow for this session', 'allow_always', 'session'), grants: ['shell(cargo test)'], covers: 'exactly these words' },
      own('allow_always', 'Always allow …', 'allow_always', 'user'), own('deny', 'Deny', 'reject_once', 'once')],
    suggestions: [{ patterns: ['shell(cargo test)'], scopes: ['session', 'workspace', 'user'] }, { patterns: ['shell(cargo test *)'], scopes: ['session', 'workspace', 'user'] }],
    why: [{ effect: 'ask', access: 'shell(cargo test)', source: 'matrix', reason: 'execute in default mode', always: false }],
    history: { allowed: 12, denied: 1, firstSeen: '2026-01-01T00:00:00Z' }, notShown: [],
    createdAt: new Date().toISOString(), expiresAt: null, state: 'pending', alike: null, ...more,
  };
}

export async function startFake() {
  const { WebSocketServer } = fromEditor('ws');
  /** @type {{ waiting: any[], log: any[], answers: any[], refusals: any[], instance: string, tries: number, token: string | null, frozen: boolean, calls: number }} */
  const state = { waiting: [], log: [], answers: [], refusals: [], instance: 'one', tries: 0, token: null, frozen: false, calls: 0 };
  /** @type {Set<any>} */
  const sockets = new Set();
  const paired = (/** @type {any} */ request) => state.token !== null && (request.headers['sec-websocket-protocol'] ?? '').split(/, */).includes(`mayi.token.${state.token}`);

  const server = createServer((request, response) => {
    let body = '';
    request.on('data', (part) => (body += part));
    request.on('end', () => {
      const path = (request.url ?? '').split('?')[0] ?? '';
      const file = /^\/ui\/([a-z_]*(?:\.(html|css|js|svg|webmanifest))?)$/.exec(path);
      if (request.method === 'POST' && path === '/ui/pair') {
        state.tries += 1;
        const { code } = JSON.parse(body);
        if (state.tries > 3) response.writeHead(429).end();
        else if (code !== CODE) response.writeHead(403).end('{"error":"wrong code"}');
        else {
          state.token = 'secret';
          response.writeHead(200, { 'Content-Type': 'application/json' }).end('{"token":"secret"}');
        }
      } else if (request.method === 'GET' && file) {
        const name = file[1] || 'index.html';
        const type = TYPES[file[2] ?? 'html'] ?? 'text/plain';
        response.writeHead(200, { 'Content-Type': type, 'Content-Security-Policy': POLICY, 'X-Content-Type-Options': 'nosniff' });
        response.end(readFileSync(join(repository, 'acp-server/ui', name)));
      } else {
        response.writeHead(404).end();
      }
    });
  });
  const upgrades = new WebSocketServer({ noServer: true, handleProtocols: () => 'mayi' });
  server.on('upgrade', (request, socket, head) => {
    if (!paired(request)) {
      socket.end('HTTP/1.1 401 Unauthorized\r\n\r\n');
      return;
    }
    upgrades.handleUpgrade(request, socket, head, (/** @type {any} */ client) => serve(client));
  });

  /** @param {any} client */
  function serve(client) {
    sockets.add(client);
    client.on('close', () => sockets.delete(client));
    client.on('message', (/** @type {any} */ data) => {
      state.calls += 1;
      if (state.frozen) return;
      const { id, method, params } = JSON.parse(String(data));
      const reply = (/** @type {any} */ result) => client.send(JSON.stringify({ jsonrpc: '2.0', id, result }));
      const refuse = (/** @type {any} */ error) => client.send(JSON.stringify({ jsonrpc: '2.0', id, error }));
      if (method === 'mayi/initialize') reply({ protocolVersion: 1, instance: state.instance });
      else if (method === 'events/subscribe') {
        reply(7);
        const from = params.cursor?.instance === state.instance ? params.cursor.seq : null;
        if (from === null) tell(client, [{ type: 'snapshot', sessions: [], waiting: state.waiting, lost: false }]);
        else tell(client, state.log.slice(from));
      } else if (method === 'approval/respond') {
        const refusal = state.refusals.shift();
        if (refusal) refuse(refusal);
        else reply(settle(params, 'page'));
      } else if (method === 'approval/respondMany') {
        reply({ results: params.responses.map((/** @type {any} */ one) => ({ approvalId: one.approvalId, resolved: settle(one, 'page') })) });
      } else if (method === 'approval/list') {
        reply(params.ids ? state.log.filter(({ type, approvalId }) => type === 'approval-resolved' && params.ids.includes(approvalId))
          .map((end) => ({ card: { approvalId: end.approvalId }, ...end })) : []);
      } else refuse({ code: -32601, message: `no method ${method}` });
    });
  }

  /** @param {any} client @param {any[]} events */
  function tell(client, events) {
    const result = { cursor: { instance: state.instance, seq: state.log.length }, events };
    client.send(JSON.stringify({ jsonrpc: '2.0', method: 'events/event', params: { subscription: 7, result } }));
  }

  /** @param {any[]} events */
  function say(...events) {
    state.log.push(...events);
    for (const client of sockets) tell(client, events);
  }

  /** @param {any} response @param {string} by */
  function settle(response, by) {
    if (by === 'page') state.answers.push(response);
    const id = response.approvalId;
    state.waiting = state.waiting.filter(({ approvalId }) => approvalId !== id);
    const option = response.response.outcome.optionId;
    const end = {
      type: 'approval-resolved', approvalId: id, tabId: null, state: /deny|reject/.test(option) ? 'denied' : 'approved', by,
      at: new Date().toISOString(), reason: response.reason ?? null, grantedPermissions: [],
    };
    say(end);
    return end;
  }

  await new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve(undefined)));
  const { port } = /** @type {import('node:net').AddressInfo} */ (server.address());
  return {
    url: `http://127.0.0.1:${port}/ui/`,
    code: CODE,
    state,
    say,
    /** New cards. @param {any[]} cards */
    ask(...cards) {
      state.waiting.push(...cards);
      say(...cards);
    },
    /** Somebody else answers. @param {any} of @param {string} optionId @param {string} by */
    elsewhere: (of, optionId, by) => settle({ approvalId: of.approvalId, response: { outcome: { optionId } } }, by),
    /** Ends every connection. */
    cut() {
      for (const client of sockets) client.terminate();
    },
    connected: () => sockets.size,
    async stop() {
      for (const client of sockets) client.terminate();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(() => resolve(undefined)));
    },
  };
}
