// @ts-check
import assert from 'node:assert/strict';
import { test } from 'node:test';

import { visible, visibleBlock } from '../visible.js';

// The cases of core/kept/src/approval/escape.rs: the page shows what every other surface shows.
test('given text that hides something then it is shown as escapes', () => {
  assert.equal(visible('a\u{1b}[2Kb'), 'a\\x1b[2Kb');
  assert.equal(visible('rm \u{202e}fdp.x'), 'rm \\u{202e}fdp.x');
  assert.equal(visible('a\nb\rc\u{200d}\u{9b}'), 'a\\nb\\rc\\u{200d}\\x9b');
  assert.equal(visible('a\u{a0}b\u{2003}c\u{3000}d'), 'a\\xa0b\\u{2003}c\\u{3000}d');
  assert.equal(visible('tag\u{e0041}'), 'tag\\u{e0041}');
  assert.equal(visible('grüße, 世界 🎉'), 'grüße, 世界 🎉');
});

test('given a block then its lines stay and a lone return is shown', () => {
  assert.equal(visibleBlock('a\r\nb\n\u{7}c\rd'), 'a\nb\n\\x07c\\rd');
});

test('given half of a surrogate pair then it is shown', () => {
  assert.equal(visible('a\ud83d!'), 'a\\u{d83d}!');
});

test('given every code point of every plane then exactly the hiding ones change', () => {
  let escaped = 0;
  for (let code = 0; code <= 0x10ffff; code += 1) {
    const character = String.fromCodePoint(code);
    const shown = visible(character);
    if (shown === character) continue;
    escaped += 1;
    assert.match(shown, /^\\(?:[nrt]|x[0-9a-f]{2}|u\{[0-9a-f]+\})$/);
  }
  // Counted from the ranges in visible.rs, and the surrogates, which Rust does not have.
  const private_use = 0x1900 + (0x10ffff - 0xf0000 + 1);
  const listed = 32 + 33 + 1 + 1 + 1 + 2 + 2 + 5 + 5 + 7 + 16 + 1 + 16 + 1 + 1 + 12 + 4 + 8 + 0x1000 + 17;
  assert.equal(escaped, private_use + listed + 0x800);
});
