// @ts-check
import assert from 'node:assert/strict';
import { test } from 'node:test';

import { answersAll, isTickable } from '../ticks.js';

/** Cards by whether their own Allow would count, and which of them were shown further. @param {...(boolean | undefined)} counting */
function ticked(...counting) {
  /** @type {number[]} */
  const shown = [];
  const cards = counting.map((counts, at) => (counts === undefined ? undefined : { counts, further: () => shown.push(at) }));
  return { shown, answers: (/** @type {string} */ optionId) => answersAll(cards, optionId, ({ counts }) => counts) };
}

test('given cards whose own Allow would count then one answer allows them', () => {
  const { shown, answers } = ticked(true, true);
  assert.equal(answers('allow_once'), true);
  assert.deepEqual(shown, []);
});

test('given one whose own Allow would not count then nothing is allowed, and the first such one is shown', () => {
  const { shown, answers } = ticked(true, false, false);
  assert.equal(answers('allow_once'), false);
  assert.deepEqual(shown, [1]);
});

test('given one that is not shown then nothing is allowed', () => {
  const { shown, answers } = ticked(true, undefined, true);
  assert.equal(answers('allow_once'), false);
  assert.deepEqual(shown, []);
});

test('a denial needs no look', () => {
  const { shown, answers } = ticked(false, undefined);
  assert.equal(answers('deny'), true);
  assert.deepEqual(shown, []);
});

test('what is answered by itself, or not shown whole, can not be ticked', () => {
  assert.equal(isTickable({ alike: 'k', notShown: [] }), true);
  for (const card of [{ alike: null, notShown: [] }, { notShown: [] }, { alike: 'k', notShown: ['the rest'] }]) assert.equal(isTickable(card), false);
});
