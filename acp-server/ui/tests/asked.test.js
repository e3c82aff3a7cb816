// @ts-check
import assert from 'node:assert/strict';
import { test } from 'node:test';

import { atAGlance, headlineText, marked, relative, writtenLine } from '../asked.js';

/** @param {Record<string, any>} more @returns {any} */
const card = (more) => ({
  agentName: 'claude', cwd: '/p', accesses: [{ access: 'shell', display: 'ls', category: 'execute' }], server: null, env: {}, notShown: [],
  toolCall: { title: 't', kind: 'execute', rawInput: { command: 'ls' }, content: [] }, options: [{ optionId: 'allow_once' }],
  why: [{ effect: 'ask', access: 'shell(ls)', reason: 'execute in default mode', always: false }], ...more,
});
const access = (/** @type {string} */ kind, /** @type {string} */ display) => ({ access: kind, display, category: null });

test('given a call then one line says who wants what, and names are from the folder', () => {
  assert.equal(headlineText(card({ accesses: [access('create', '/p/src/a.rs')] })), 'claude wants to create src/a.rs');
  assert.equal(headlineText(card({ accesses: [access('read', '/etc/hosts')] })), 'claude wants to read /etc/hosts');
  assert.equal(headlineText(card({})), 'claude wants to run a command');
  assert.equal(headlineText(card({ accesses: [access('fetch', 'https://e/')] })), 'claude wants to fetch https://e/');
  assert.equal(headlineText(card({ accesses: [access('edit', '/p/a'), access('edit', '/p/b')] })), 'claude wants to change 2 files');
  assert.equal(headlineText(card({ accesses: [access('mcp', 'g/t')], server: { name: 'g', tool: 't' } })), 'claude wants to call t of g');
});

test('given a path that only looks as if it were in the folder then it is said in full', () => {
  assert.equal(relative('/p/../etc/passwd', '/p'), '/p/../etc/passwd');
  assert.equal(relative('/project/a', '/p'), '/project/a');
  assert.equal(relative('/p/a', '/'), '/p/a');
});

test('given a command then its line is as it was written, and what is asked about is marked in it', () => {
  const line = 'echo "rm -rf x" | sort && rm -rf x > log';
  const asks = card({
    toolCall: { title: 't', kind: 'execute', rawInput: { command: line } },
    accesses: [access('shell', 'echo rm -rf x'), access('shell', 'sort'), access('shell', 'rm -rf x'), access('write', '/p/log')],
    why: [{ effect: 'ask', access: 'shell(rm -rf x)', reason: 'r', always: false }],
  });
  assert.equal(writtenLine(asks), line);
  const { pieces, apart } = marked(line, asks);
  assert.equal(pieces.map(({ text }) => text).join(''), line);
  assert.deepEqual(pieces.filter(({ reasons }) => reasons.length).map(({ text }) => text), ['rm -rf x']);
  assert.equal(pieces.findIndex(({ reasons }) => reasons.length), pieces.findLastIndex(({ text }) => text.includes('rm -rf x')), 'that which runs, and not that which is only said');
  assert.deepEqual(apart, []);
});

test('given words that stand only within other words then nothing is marked there, and they are said apart', () => {
  const asks = card({ toolCall: { title: 't', kind: 'execute', rawInput: { command: 'xls-tool' } } });
  const { pieces, apart } = marked('xls-tool', asks);
  assert.equal(pieces.every(({ reasons }) => reasons.length === 0), true);
  assert.deepEqual(apart.map((one) => one.display), ['ls']);
});

test('given a call that one look does not show whole then it is not answered by one press', () => {
  assert.equal(atAGlance(card({})), 'ls');
  const line = (/** @type {string} */ command) => ({ toolCall: { title: 't', kind: 'execute', rawInput: { command } } });
  for (const more of [line('ls\nrm x'), line('ls  x'), line('ls \u202e'), line('x'.repeat(161)), { env: { A: 'b' } }, { notShown: ['x'] }, { options: [] },
    { why: [{ effect: 'ask', access: '', reason: '', always: true }] }, { server: { name: 's', tool: 't' } }, { cwd: '/a\tb' },
    { toolCall: { title: 't', kind: 'execute', rawInput: { command: 'ls', stdin: 'x' } } }]) {
    assert.equal(atAGlance(card(more)), null, JSON.stringify(more));
  }
});
