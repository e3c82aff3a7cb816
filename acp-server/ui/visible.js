// @ts-check
// Text of others made visible, as core/kept/src/approval/escape.rs does it: control characters, escape sequences,
// bidirectional overrides and invisible characters are shown as escapes, so that what is read is what is there.

/** Characters that show nothing, look like a blank, or change how others are shown: ranges of code points, both ends included. @type {[number, number][]} */
const HIDING = [
  [0x0000, 0x001f], [0x007f, 0x009f], [0x00ad, 0x00ad], [0x034f, 0x034f], [0x061c, 0x061c], [0x115f, 0x1160],
  [0x17b4, 0x17b5], [0x180b, 0x180f], [0x200b, 0x200f], [0x2028, 0x202e], [0x2060, 0x206f], [0x3164, 0x3164],
  // Blanks that are none to a shell or a compiler.
  [0x00a0, 0x00a0], [0x1680, 0x1680], [0x2000, 0x200a], [0x202f, 0x202f], [0x205f, 0x205f], [0x2800, 0x2800], [0x3000, 0x3000],
  // Halves of pairs, which only JavaScript has: alone they are no character.
  [0xd800, 0xdfff],
  // Private use: a font decides what it looks like.
  [0xe000, 0xf8ff],
  [0xfe00, 0xfe0f], [0xfeff, 0xfeff], [0xffa0, 0xffa0], [0xfff0, 0xfffb], [0x1bca0, 0x1bca3], [0x1d173, 0x1d17a],
  [0xe0000, 0xe0fff], [0xf0000, 0x10ffff],
];

/** @param {number} code */
function hides(code) {
  return HIDING.some(([first, last]) => first <= code && code <= last);
}

/** @param {number} code */
function escape(code) {
  const hex = code.toString(16);
  return code < 0x100 ? `\\x${hex.padStart(2, '0')}` : `\\u{${hex}}`;
}

/** @param {string} character */
function shown(character) {
  const code = character.codePointAt(0) ?? 0;
  return hides(code) ? escape(code) : character;
}

/**
 * One line: everything that could move, hide or reorder text is escaped, line ends too.
 * @param {unknown} text
 */
export function visible(text) {
  let out = '';
  for (const character of String(text)) {
    if (character === '\n') out += '\\n';
    else if (character === '\r') out += '\\r';
    else if (character === '\t') out += '\\t';
    else out += shown(character);
  }
  return out;
}

/**
 * Several lines: line ends stay, tabs become blanks, the rest is escaped as in `visible`.
 * @param {unknown} text
 */
export function visibleBlock(text) {
  let out = '';
  // A carriage return is shown unless it belongs to a line end.
  for (const character of String(text).replaceAll('\r\n', '\n')) {
    if (character === '\n') out += '\n';
    else if (character === '\r') out += '\\r';
    else if (character === '\t') out += '    ';
    else out += shown(character);
  }
  return out;
}
