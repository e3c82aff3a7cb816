// @ts-check
import assert from 'node:assert/strict';
import { test } from 'node:test';

import { diff } from '../diff.js';

/** @param {string | null} before @param {string} after */
const rows = (before, after) => diff(before, after).rows.map(({ sign, number, text }) => `${sign}${number ?? ''} ${text}`);

test('given a changed line then it is shown with its number and three lines around it', () => {
  const old = ['1', '2', '3', '4', '5', '6', '7', '8', '9'].join('\n');
  assert.deepEqual(rows(old, old.replace('5', 'five')), [' 2 2', ' 3 3', ' 4 4', '-5 5', '+5 five', ' 6 6', ' 7 7', ' 8 8']);
});

test('given changes far apart then the gap is one row', () => {
  const old = Array.from({ length: 30 }, (_, at) => `line ${at}\n`).join('');
  const now = old.replace('line 2\n', '').replace('line 27\n', 'x\n');
  assert.equal(rows(old, now).filter((row) => row.startsWith('⋮')).length, 1);
});

test('given a new file then every line is added', () => {
  assert.deepEqual(rows(null, 'a\nb\n'), ['+1 a', '+2 b']);
  assert.deepEqual(diff(null, '').rows, []);
});

test('given a last line without an end then that is a change, and is said', () => {
  const { rows: out } = diff('a\n', 'a');
  assert.deepEqual(out.map(({ sign, unended }) => [sign, unended]), [['-', false], ['+', true]]);
});

test('given lines that differ in blanks only then they have to be shown exactly', () => {
  assert.equal(diff('\ta\n', '    a\n').exact, true);
  assert.equal(diff('a\n', 'a \n').exact, true);
  assert.equal(diff('a\n', 'b\n').exact, false);
});

test('given line ends that change then the returns are kept to be shown', () => {
  assert.deepEqual(rows('a\r\n', 'a\n'), ['-1 a\r', '+1 a']);
  assert.deepEqual(rows('a\r\nb\r\n', 'a\r\nc\r\n'), [' 1 a', '-2 b', '+2 c']);
});

test('given random texts then the rows make the new one out of the old one', () => {
  let seed = 7;
  const random = (/** @type {number} */ below) => (seed = (seed * 48271) % 2147483647) % below;
  for (let round = 0; round < 300; round += 1) {
    const text = () => Array.from({ length: random(12) }, () => 'abc'[random(3)]).join('\n');
    const [old, now] = [text(), text()];
    // With every line near a change, nothing is left out.
    const all = diff(old, now).rows.filter(({ sign }) => sign !== '⋮');
    const lines = (/** @type {string} */ of) => of.match(/[^\n]*\n|[^\n]+$/g) ?? [];
    const gone = diff(old, now).removed - diff(old, now).added;
    assert.equal(lines(old).length - lines(now).length, gone);
    for (const { sign, number, text: line } of all) {
      const from = sign === '-' ? lines(old) : lines(now);
      assert.equal(from[(number ?? 0) - 1]?.replace(/\n$/, ''), line);
    }
  }
});

test('given huge texts that have nothing in common then it is finished soon', () => {
  const text = (/** @type {string} */ of) => Array.from({ length: 50_000 }, (_, at) => `${of}${at}\n`).join('');
  const begin = performance.now();
  assert.equal(diff(text('a'), text('b')).added, 50_000);
  assert.ok(performance.now() - begin < 5_000);
});
