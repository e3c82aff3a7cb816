// @ts-check
import assert from 'node:assert/strict';
import { test } from 'node:test';

import { headline, headlineText, isFromOutside, reasons } from '../asked.js';
import { before, bypassMeans, ending, ofLevel, optionKind, patternCovers, reason, sessionCovers, summary } from '../wording.js';

const access = (/** @type {string} */ kind, /** @type {string} */ display) => ({ access: kind, display, category: null });

/** @param {any[]} accesses @param {Record<string, any>} [more] @returns {any} */
const card = (accesses, more = {}) => ({
  agentName: 'claude', cwd: '/p', accesses, server: null, env: {}, notShown: [], why: [], options: [],
  toolCall: { title: 'the title', kind: 'other', rawInput: null, content: [] }, ...more,
});
const tool = { server: { name: 'github', tool: 'create_issue' } };
/** Each kind of card, its first line, and the call in a few words. @type {[string, any, string, string][]} */
const KINDS = [
  ['a command', card([access('shell', 'ls')]), 'claude wants to run a command', 'shell(ls)'],
  ['a command that fills a file', card([access('shell', 'ls'), access('write', '/p/log')]), 'claude wants to run a command', 'shell(ls) and 1 more'],
  ['several commands', card([access('shell', 'ls'), access('shell', 'wc'), access('read', '/p/a')]), 'claude wants to run 2 commands', 'shell(ls) and 2 more'],
  ['a new file', card([access('create', '/p/src/a.rs')]), 'claude wants to create src/a.rs', 'create(/p/src/a.rs)'],
  ['a change', card([access('edit', '/p/a')]), 'claude wants to edit a', 'edit(/p/a)'],
  ['a file written anew', card([access('write', '/q/a')]), 'claude wants to write /q/a', 'write(/q/a)'],
  ['a file deleted', card([access('delete', '/p/a')]), 'claude wants to delete a', 'delete(/p/a)'],
  ['a file moved', card([access('move', '/p/a'), access('create', '/p/b')]), 'claude wants to change 2 files', 'move(/p/a) and 1 more'],
  ['a file read', card([access('read', '/etc/hosts')]), 'claude wants to read /etc/hosts', 'read(/etc/hosts)'],
  ['several files read', card([access('read', '/p/a'), access('read', '/p/b')]), 'claude wants to read 2 files', 'read(/p/a) and 1 more'],
  ['an address', card([access('fetch', 'https://e.org/a?b')]), 'claude wants to fetch https://e.org/a?b', 'fetch(https://e.org/a?b)'],
  ['a tool of a server', card([access('mcp', 'github/create_issue')], tool), 'claude wants to call create_issue of github', 'mcp(github/create_issue)'],
  ['a tool of the agent', card([access('tool', 'ponder')]), 'claude wants to use its tool ponder', 'tool(ponder)'],
  ['its mode', card([access('mode', 'auto')]), 'claude wants to switch its own mode to auto', 'mode(auto)'],
  ['things that do not go together', card([access('fetch', 'https://e/'), access('write', '/p/a')]), 'claude wants to do 2 things at once', 'fetch(https://e/) and 1 more'],
  ['a server and a file', card([access('mcp', 'github/create_issue'), access('read', '/p/a')], tool), 'claude wants to do 2 things at once', 'mcp(github/create_issue) and 1 more'],
  ['nothing that is known', card([]), 'claude wants to use a tool', 'the title'],
  ['a kind of a later version', card([access('dance', 'tango')]), 'claude wants to use tango', 'dance(tango)'],
];

for (const [kind, of, line, short] of KINDS) {
  test(`given ${kind} then its first line says who wants what, and a few words are enough elsewhere`, () => {
    assert.equal(headlineText(of), line);
    assert.equal(summary(of), short);
  });
}

test('given hostile words then they are the object or the name, and never a part of what mayi says', () => {
  for (const odd of ['\u202egnp.exe', 'a\u200bb', '<b>x</b>', ' wants to read a file', 'x'.repeat(100_000), Array.from({ length: 10_000 }, () => 'a').join(' ')]) {
    const { who, verb, object, rest } = headline(card([access('edit', `/p/${odd}`)], { agentName: odd }));
    assert.deepEqual([who, verb, object, rest], [odd, 'wants to edit', odd, '']);
    const call = headline(card([access('mcp', odd)], { server: { name: odd, tool: odd } }));
    assert.deepEqual([call.verb, call.object, call.rest], ['wants to call', odd, ` of ${odd}`]);
    // Whoever shows them escapes them; nothing is cut here without a word.
    for (const text of [summary(card([access('edit', odd)])), patternCovers(`shell(${odd})`) + odd, reason({ effect: 'ask', reason: odd, source: 'rule', always: false }, false), ending({ state: 'denied', by: 'vscode', reason: odd })]) assert.ok(text.includes(odd));
  }
});

test('given ten thousand accesses then they are counted and not listed', () => {
  const many = Array.from({ length: 10_000 }, (_, at) => access('edit', `/p/${at}`));
  assert.equal(headlineText(card(many)), 'claude wants to change 10000 files');
  assert.equal(summary(card(many)), 'edit(/p/0) and 9999 more');
});

test('given an answer for the session then it says what mayi will remember, and makes nothing up', () => {
  const options = [{ optionId: 'allow_session', covers: 'exactly these words; changes to this file' }];
  assert.equal(sessionCovers(card([access('tool', 'other')], { options })), 'exactly these words; changes to this file');
  assert.equal(sessionCovers(card([access('tool', 'other')])), '');
});

test('given a tool that only the title of the agent names then it is called by that', () => {
  const toolCall = { title: 'mcp__crm__bulk_update', name: null, kind: 'other', rawInput: null, content: [] };
  assert.equal(headlineText(card([access('tool', 'other')], { toolCall })), 'claude wants to use a tool that it calls mcp__crm__bulk_update');
  assert.equal(headlineText(card([access('tool', 'other')], { toolCall: { ...toolCall, title: ' ' } })), 'claude wants to use its tool other');
});

test('given a pattern then it says what it would allow, and a strange one promises nothing', () => {
  assert.equal(patternCovers('shell(cargo test *)'), 'cargo test with any further words');
  assert.equal(patternCovers('edit(src/**)'), 'editing anything below src');
  assert.equal(patternCovers('read(/a/b)'), 'reading this file');
  assert.equal(patternCovers('fetch(https://e/x)'), 'anything from e');
  assert.equal(patternCovers('mcp(g/*)'), 'tools like g/*, with any arguments');
  assert.equal(patternCovers('*'), 'everything');
  assert.equal(ofLevel('g', 'none'), 'no tool of g');
});

test('given what stands on a card besides then each has its words', () => {
  assert.equal(before({ allowed: 1, denied: 2, firstSeen: '2026-01-02T00:00:00Z' }), 'allowed once, denied 2 times, first asked about on 2026-01-02');
  assert.equal(before({ allowed: 0, denied: 0, firstSeen: null }), 'never answered');
  assert.equal(ending({ state: 'denied', by: 'policy', reason: 'a rule' }), 'Tool call denied (a rule)');
  assert.equal(ending({ state: 'approved', by: 'page', reason: null }), 'Tool call approved by page');
  assert.match(optionKind({ optionId: 'agent:x', name: 'x', kind: 'strange', scope: 'agent' }), /of a kind mayi does not know \(strange\)/);
  assert.match(bypassMeans('claude', true), /mayi bypass claude off/);
});

test('given several reasons then the strictest is first, and each is said once; and what comes from outside is warned of', () => {
  const why = [['ask', 'a', false], ['allow', 'b', false], ['ask', 'a', false], ['ask', 'c', true], ['deny', 'd', false]].map(([effect, text, always]) => ({ effect, reason: text, always }));
  assert.deepEqual(reasons(card([], { why })).map((one) => one.reason), ['d', 'c', 'a']);
  assert.deepEqual(KINDS.filter(([, of]) => isFromOutside(of)).map(([kind]) => kind), ['an address', 'a tool of a server', 'things that do not go together', 'a server and a file']);
});
