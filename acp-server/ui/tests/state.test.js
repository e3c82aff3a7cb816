// @ts-check
import assert from 'node:assert/strict';
import { test } from 'node:test';

import * as inboxOf from '../state.js';

const NOW = Date.parse('2026-01-01T12:00:00Z');
/** @param {string} id @param {object} [more] @returns {any} */
const card = (id, more = {}) => ({
  type: 'approval-request', approvalId: id, digest: `digest of ${id}`, toolCall: { title: id, rawInput: null }, accesses: [],
  cwd: '/p', env: {}, server: null, why: [], alike: null, ...more,
});
/** @param {string} id @param {object} [more] @returns {any} */
const end = (id, more = {}) => ({
  type: 'approval-resolved', approvalId: id, state: 'approved', by: 'vscode', at: '2026-01-01T11:59:59Z', reason: null, ...more,
});
/** @param {any[]} waiting @returns {any} */
const snapshot = (...waiting) => ({ type: 'snapshot', sessions: [], waiting, lost: false });
/** @param {any[]} events */
const after = (...events) => inboxOf.heard(inboxOf.EMPTY, events, NOW);

test('given new cards then they go to the end and none changes its place', () => {
  let inbox = after(card('a'), card('b'));
  inbox = inboxOf.heard(inbox, [end('a'), card('c'), card('b', { cwd: '/q', type: 'approval-updated' })], NOW);
  assert.deepEqual(inbox.order, ['a', 'b', 'c']);
  assert.deepEqual(inboxOf.waiting(inbox), ['b', 'c']);
});

test('given questions in line then they are counted', () => {
  const inbox = after({ ...snapshot(card('a')), inLine: 12 });
  assert.deepEqual([inboxOf.waiting(inbox), inbox.line], [['a'], 12]);
  assert.equal(inboxOf.heard(inbox, [{ type: 'in-line', count: 0 }], NOW).line, 0);
});

test('given two ends of one card then the first one stays', () => {
  const inbox = after(card('a'), end('a'), end('a', { state: 'denied', by: 'terminal' }));
  assert.equal(inbox.entries.a?.state, 'approved');
  assert.equal(inbox.entries.a?.by, 'vscode');
});

test('given a settled card that is told again then it does not wait again', () => {
  const inbox = after(card('a'), end('a'), card('a'));
  assert.deepEqual(inboxOf.waiting(inbox), []);
});

test('given a card that changes then it says how, and has to be looked at anew', () => {
  const first = after(card('a'));
  const rules = inboxOf.heard(first, [card('a', { why: [{ reason: 'x' }], digest: 'other' })], NOW);
  assert.equal(rules.entries.a?.change, 'rules');
  const call = inboxOf.heard(rules, [card('a', { toolCall: { title: 'a', rawInput: { x: 1 } } })], NOW);
  assert.equal(call.entries.a?.change, 'call');
  assert.equal(call.entries.a?.version, 2);
});

test('given the same card again then nothing has changed', () => {
  const inbox = after(card('a'));
  assert.equal(inboxOf.heard(inbox, [card('a')], NOW), inbox);
});

test('given everything anew without a card that waited then it no longer waits and is looked up', () => {
  const inbox = inboxOf.heard(after(card('a'), card('b')), [snapshot(card('b'), card('c'))], NOW);
  assert.deepEqual(inbox.order, ['a', 'b', 'c']);
  assert.deepEqual(inboxOf.waiting(inbox), ['b', 'c']);
  assert.deepEqual(inboxOf.missing(inbox), ['a']);
  const known = inboxOf.heard(inbox, [end('a', { state: 'denied' })], NOW);
  assert.equal(known.entries.a?.state, 'denied');
  assert.deepEqual(inboxOf.missing(known), []);
});

test('given the past told anew then what was settled long ago is not shown, and what was just settled is', () => {
  const old = end('a', { at: '2026-01-01T10:00:00Z' });
  const inbox = after(snapshot(card('c')), card('a'), old, card('b'), end('b'), card('c'));
  assert.deepEqual(inbox.order, ['c', 'b']);
  assert.equal(inbox.entries.b?.by, 'vscode');
});

test('given settled cards then they stay until they are old', () => {
  const inbox = after(card('a'), end('a'), card('b'));
  assert.deepEqual(inboxOf.stale(inbox, NOW), []);
  assert.deepEqual(inboxOf.stale(inbox, NOW + inboxOf.KEPT), ['a']);
  assert.deepEqual(inboxOf.without(inbox, ['a']).order, ['b']);
});

test('given an answer on its way when the connection breaks then the card can be answered again', () => {
  const inbox = inboxOf.sending(after(card('a')), 'a');
  assert.equal(inbox.entries.a?.sending, true);
  assert.equal(inboxOf.disconnected(inbox).entries.a?.sending, false);
});

test('given a refused answer then the card still waits and says why', () => {
  const inbox = inboxOf.refused(inboxOf.sending(after(card('a')), 'a'), 'a', 'no such pattern');
  assert.equal(inbox.entries.a?.state, 'pending');
  assert.equal(inbox.entries.a?.refused, 'no such pattern');
});

test('given cards with one key then they can be answered together, and no others', () => {
  const inbox = after(card('a', { alike: 'k' }), card('b'), card('c', { alike: 'k' }), card('d', { alike: 'x' }));
  assert.deepEqual(inboxOf.alike(inbox, 'a'), ['a', 'c']);
  assert.deepEqual(inboxOf.alike(inbox, 'b'), ['b']);
});

test('given events that the page does not know then they pass by', () => {
  assert.equal(after({ type: 'grants-changed' }, { type: 'of-a-later-version' }), inboxOf.EMPTY);
});
