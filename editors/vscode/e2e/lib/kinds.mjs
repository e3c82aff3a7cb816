// @ts-check
// Real cards of each kind: the backend with an agent that asks for everything.

import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

import { fromEditor, mayi } from './places.mjs';

const here = (/** @type {string} */ name) => fileURLToPath(new URL(name, import.meta.url));

/** Settings of the editor with this agent, and the server whose tool is flagged. */
export const kindsSettings = {
  'mayi.defaultAgent': 'kinds',
  'mayi.agents': { kinds: { command: process.execPath, args: [here('kinds_agent.mjs')] } },
  'mayi.servers': { weather: { command: process.execPath, args: [here('flagged_server.mjs')] } },
};

/**
 * What the backend tells of one turn in which everything is asked: cards by their kind, and the tool calls.
 * @param {import('./stage.mjs').Stage} stage
 * @param {string} [prompt]
 * @returns {Promise<{ cards: Record<string, any>, tools: Record<string, any>, stop: () => Promise<unknown> }>}
 */
export async function askAll(stage, prompt = 'ask all') {
  const child = spawn(mayi(), ['serve'], { env: stage.env, cwd: stage.project, stdio: ['ignore', 'pipe', 'inherit'] });
  const ended = new Promise((resolve) => { child.once('exit', resolve); });
  const [line] = await Promise.race([
    (async () => { for await (const one of createInterface({ input: child.stdout })) return [one]; return ['']; })(),
    ended.then(() => { throw new Error('mayi serve ended'); }),
  ]);
  const ready = JSON.parse(line ?? '');
  const { WebSocket } = fromEditor('ws');
  const socket = new WebSocket(ready.ws, { headers: { Authorization: `Bearer ${readFileSync(ready.answerTokenFile, 'utf8').trim()}` } });
  await new Promise((resolve, reject) => { socket.once('open', resolve); socket.once('error', reject); });
  /** @type {Map<number, { resolve: (value: any) => void, reject: (error: Error) => void }>} */
  const calls = new Map();
  /** @type {Record<string, any>} */
  const cards = {};
  /** @type {Record<string, any>} */
  const tools = {};
  let told = () => {};
  socket.on('message', (/** @type {any} */ data) => {
    const message = JSON.parse(String(data));
    const call = calls.get(message.id);
    if (call) message.error ? call.reject(new Error(JSON.stringify(message.error))) : call.resolve(message.result);
    for (const event of message.params?.result?.events ?? []) {
      if (event.type === 'approval-request') cards[event.toolCall.toolCallId.replace(/^t\d+-/, '')] = event;
      if (event.type === 'approval-updated') cards[event.toolCall.toolCallId.replace(/^t\d+-/, '')] = { ...event, type: 'approval-request' };
      if (event.type === 'session-update' && event.update.sessionUpdate === 'tool_call') tools[event.update.toolCallId.replace(/^t\d+-/, '')] = event.update;
    }
    told();
  });
  let id = 0;
  const call = (/** @type {string} */ method, /** @type {any} */ params) => new Promise((resolve, reject) => {
    id += 1;
    calls.set(id, { resolve, reject });
    socket.send(JSON.stringify({ jsonrpc: '2.0', id, method, params }));
  });
  const agents = { kinds: { command: process.execPath, args: kindsSettings['mayi.agents'].kinds.args } };
  const servers = { weather: kindsSettings['mayi.servers'].weather };
  await call('mayi/initialize', { protocolVersion: 1, client: { name: 'test', version: '1' }, settings: { agents, servers } });
  await call('events/subscribe', { cursor: null });
  const { tabId } = /** @type {any} */ (await call('session/new', { agent: 'kinds', cwd: stage.project }));
  await call('session/prompt', { tabId, text: prompt });
  const wanted = prompt === 'ask all' ? 13 : prompt.startsWith('ask many ') ? Number(prompt.split(' ')[2]) : prompt.split(' ').length - 1;
  await new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error(`only ${Object.keys(cards).join(', ')} of ${wanted}`)), 60_000);
    told = () => {
      if (Object.keys(cards).length < wanted) return;
      clearTimeout(timer);
      resolve(undefined);
    };
    told();
  });
  return { cards, tools, stop: () => { socket.terminate(); child.kill(); return ended; } };
}
