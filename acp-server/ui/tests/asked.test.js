// @ts-check
import assert from 'node:assert/strict';
import { test } from 'node:test';

import { atAGlance, headlineText, relative } from '../asked.js';

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

test('given a call that one look does not show whole then it is not answered by one press', () => {
  assert.equal(atAGlance(card({})), 'ls');
  const line = (/** @type {string} */ command) => ({ toolCall: { title: 't', kind: 'execute', rawInput: { command } } });
  for (const more of [line('ls\nrm x'), line('ls  x'), line('ls \u202e'), line('x'.repeat(161)), { env: { A: 'b' } }, { notShown: ['x'] }, { options: [] },
    { why: [{ effect: 'ask', access: '', reason: '', always: true }] }, { server: { name: 's', tool: 't' } }, { cwd: '/a\tb' },
    { toolCall: { title: 't', kind: 'execute', rawInput: { command: 'ls', stdin: 'x' } } }]) {
    assert.equal(atAGlance(card(more)), null, JSON.stringify(more));
  }
});
