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
  const begin = process.cpuUsage();
  assert.equal(diff(text('a'), text('b')).added, 50_000);
  const { user } = process.cpuUsage(begin);
  assert.ok(user < 5_000_000, `${user} µs of a processor`);
});

test('given 5,000 lines of which every third changed then just these are said', () => {
  const old = Array.from({ length: 5_000 }, (_, at) => `let value_${at} = ${at};\n`);
  const now = old.map((line, at) => (at % 3 === 0 ? `let value_${at} = other(${at});\n` : line));
  const { added, removed } = diff(old.join(''), now.join(''));
  assert.deepEqual([added, removed], [1_667, 1_667]);
});

test('given lines that come again and again then a change among them is small all the same', () => {
  const old = Array.from({ length: 3_000 }, (_, at) => (at % 2 ? '}\n' : `  call(${at % 7});\n`));
  const now = old.toSpliced(1_500, 1).toSpliced(700, 0, '  call(3);\n', '}\n');
  const { added, removed } = diff(old.join(''), now.join(''));
  assert.equal(added - removed, 1);
  assert.ok(added + removed <= 5, `${added} and ${removed}`);
});

test('given random texts then no fewer lines could be changed', () => {
  let seed = 11;
  const random = (/** @type {number} */ below) => (seed = (seed * 48271) % 2147483647) % below;
  for (let round = 0; round < 400; round += 1) {
    const text = () => Array.from({ length: random(14) }, () => 'abcde'[random(2 + (round % 4))]);
    const [old, now] = [text(), text()];
    const best = Array.from({ length: old.length + 1 }, () => new Array(now.length + 1).fill(0));
    for (let i = old.length - 1; i >= 0; i -= 1) for (let j = now.length - 1; j >= 0; j -= 1) {
      best[i][j] = old[i] === now[j] ? best[i + 1][j + 1] + 1 : Math.max(best[i + 1][j], best[i][j + 1]);
    }
    const { added, removed } = diff(old.map((line) => `${line}\n`).join(''), now.map((line) => `${line}\n`).join(''));
    assert.deepEqual([removed, added], [old.length - best[0][0], now.length - best[0][0]], `${old} and ${now}`);
  }
});
