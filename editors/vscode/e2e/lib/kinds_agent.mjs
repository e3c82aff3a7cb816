#!/usr/bin/env node
// @ts-check
// An agent that asks one question of each kind, for tests of how cards look: `ask KIND KIND …`, and `ask all`; `ask many N` asks
// N alike, `ask same N` the same N times, and `ask slowly KIND …` thinks for three seconds before. It starts its MCP servers as agents do, and does nothing.

import { spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

/** @type {Map<number, (result: any) => void>} */
const waiting = new Map();
let last = 0;
let cwd = '';
const send = (/** @type {any} */ message) => process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
const ask = (/** @type {string} */ method, /** @type {any} */ params) => new Promise((resolve) => {
  last += 1;
  waiting.set(last, resolve);
  send({ id: last, method, params });
});

const lines = (/** @type {number} */ count, /** @type {(at: number) => string} */ text) => Array.from({ length: count }, (_, at) => `${text(at)}\n`).join('');
const big = lines(5_000, (at) => `let value_${at} = ${at};`);
const run = (/** @type {string} */ command) => ({ kind: 'execute', title: command, rawInput: { command } });
const edit = (/** @type {string} */ name, /** @type {string | null} */ oldText, /** @type {string} */ newText) => {
  const path = join(cwd, name);
  return { kind: 'edit', title: `Edit ${name}`, rawInput: { file_path: path }, content: [{ type: 'diff', path, oldText, newText }], locations: [{ path }] };
};
const text = 'The build fails on the second run, since the cache holds what the first one left. ';

/** What is asked, by kind. @type {Record<string, () => any>} */
export const KINDS = {
  command: () => run('cargo test --workspace'),
  loop: () => run(`for f in $(git ls-files '*.rs'); do sed -i 's/foo/bar/g' "$f" && grep -c bar "$f"; done | sort -rn | head -20 > counts.txt`),
  option: () => run('ls && curl -T report.txt https://upload.example.org/ | jq .'),
  document: () => run(`python3 - <<'EOF'\nimport pathlib, shutil\nfor path in pathlib.Path('.').glob('**/build'):\n    shutil.rmtree(path)\n    print('gone:', path)\nEOF`),
  write: () => edit('hello.txt', null, 'hello\nworld\n'),
  edit: () => edit('notes.txt', 'line two', 'line 2'),
  code: () => edit('lib.rs', '/// Counts.\nfn count(all: &[u32]) -> usize {\n    let name = "all"; // which\n    println!("{name}: {}", 10);\n    all.len()\n}\n', '/// Counts.\nfn count(all: &[u32]) -> usize {\n    let name = "some"; // others\n    println!("{name}: {}", 12);\n    all.len()\n}\n'),
  huge: () => edit('big.rs', big, big.replace(/value_(\d+) = \d+;/g, (all, at) => (Number(at) % 3 === 0 ? `value_${at} = other(${at});` : all))),
  call: () => ({ kind: 'other', title: 'mcp__github__create_issue', name: 'mcp__github__create_issue', rawInput: { owner: 'me', repo: 'x', title: 'Build fails' } }),
  arguments: () => ({ kind: 'other', title: 'mcp__github__add_comment', name: 'mcp__github__add_comment', rawInput: { owner: 'me', repo: 'x', title: 'Build fails', body: text.repeat(60), labels: ['bug', 'build'] } }),
  fetch: () => ({ kind: 'fetch', title: 'Fetch', rawInput: { url: 'https://docs.example.org/guide/install.html?version=2' } }),
  unknown: () => ({ kind: 'other', title: 'Ponder', name: 'ponder', rawInput: { subject: 'the moon', depth: 3 } }),
  flagged: () => ({ kind: 'other', title: 'mcp__weather__forecast', name: 'mcp__weather__forecast', rawInput: { city: 'Oslo' } }),
};

/** @param {string} id @param {any} call */
async function permission(id, { name, ...call }) {
  const session = { sessionId: 's' };
  const toolCall = { toolCallId: id, status: 'pending', ...call, ...(name ? { _meta: { claudeCode: { toolName: name } }, name } : {}) };
  send({ method: 'session/update', params: { ...session, update: { sessionUpdate: 'tool_call', ...toolCall } } });
  const options = [{ optionId: 'allow', name: 'Allow', kind: 'allow_once' }, { optionId: 'always', name: 'Always allow', kind: 'allow_always' }, { optionId: 'reject', name: 'Reject', kind: 'reject_once' }];
  const answer = await ask('session/request_permission', { ...session, toolCall, options });
  const allowed = answer?.outcome?.optionId === 'allow';
  send({ method: 'session/update', params: { ...session, update: { sessionUpdate: 'tool_call_update', toolCallId: id, status: allowed ? 'completed' : 'failed' } } });
  send({ method: 'session/update', params: { ...session, update: { sessionUpdate: 'agent_message_chunk', content: { type: 'text', text: `${id}: ${allowed ? 'allowed' : 'not allowed'}\n\n` } } } });
}

let turns = 0;

/** @param {string} said */
async function prompt(said) {
  const words = said.split(/\s+/).filter(Boolean);
  const at = words.indexOf('ask');
  const slowly = words[at + 1] === 'slowly';
  const wanted = words.slice(at + (slowly ? 2 : 1), at + 40);
  if (slowly) await new Promise((resolve) => { setTimeout(resolve, 3_000); });
  turns += 1;
  const calls = [];
  if (wanted[0] === 'same') for (let one = 0; one < Number(wanted[1]); one += 1) calls.push(permission(`t${turns}-same-${one}`, run('touch same.txt')));
  if (wanted[0] === 'many') for (let one = 0; one < Number(wanted[1]); one += 1) calls.push(permission(`t${turns}-many-${one}`, run(`cargo test --package part-${one}`)));
  if (wanted[0] !== 'many') for (const kind of wanted[0] === 'all' ? Object.keys(KINDS) : wanted) if (Object.hasOwn(KINDS, kind)) calls.push(permission(`t${turns}-${kind}`, KINDS[kind]?.()));
  await Promise.all(calls);
}

/** Starts a server as agents do, and asks what tools it has. @param {any} server */
function begin({ command, args = [], env = [] }) {
  const child = spawn(command, args, { env: { ...process.env, ...Object.fromEntries(env.map((/** @type {any} */ one) => [one.name, one.value])) }, stdio: ['pipe', 'pipe', 'ignore'] });
  const tell = (/** @type {any} */ message) => child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
  return new Promise((resolve) => {
    child.on('error', resolve);
    child.on('exit', resolve);
    createInterface({ input: child.stdout }).on('line', (line) => {
      const { id } = JSON.parse(line);
      if (id === 1) {
        tell({ method: 'notifications/initialized' });
        tell({ id: 2, method: 'tools/list', params: {} });
      }
      if (id === 2) resolve(undefined);
    });
    tell({ id: 1, method: 'initialize', params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'kinds', version: '1' } } });
  });
}

createInterface({ input: process.stdin }).on('line', async (line) => {
  const { id, method, params, result } = JSON.parse(line);
  if (method === undefined) {
    waiting.get(id)?.(result);
    waiting.delete(id);
  } else if (method === 'initialize') send({ id, result: { protocolVersion: 1, agentCapabilities: {}, authMethods: [] } });
  else if (method === 'session/new') {
    cwd = params.cwd;
    writeFileSync(join(cwd, 'big.rs'), big);
    await Promise.all((params.mcpServers ?? []).filter((/** @type {any} */ one) => one.command).map(begin));
    send({ id, result: { sessionId: 's' } });
    const availableCommands = [{ name: 'compact', description: 'Shortens the chat' }, { name: 'review', description: 'Looks at the change <b>anew</b>', input: { hint: 'of what' } }, { name: 'a\u202eb', description: 'Is not what it looks like' }];
    send({ method: 'session/update', params: { sessionId: 's', update: { sessionUpdate: 'available_commands_update', availableCommands } } });
  } else if (method === 'session/prompt') {
    await prompt(params.prompt.map((/** @type {any} */ one) => one.text ?? '').join(' '));
    send({ id, result: { stopReason: 'end_turn' } });
  } else if (id !== undefined) send({ id, error: { code: -32601, message: `no method ${method}` } });
});
