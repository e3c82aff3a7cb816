// Text of others made visible, as the core does it (core/kept/src/approval/escape.rs): control characters, escape
// sequences, bidirectional overrides and invisible characters are shown as escapes, so that what is read is what is there.

/** Characters that show nothing, look like a blank, or change how others are shown. */
function hides(code: number): boolean {
  return (
    code < 0x20 ||
    (code >= 0x7f && code <= 0x9f) ||
    [0xad, 0x34f, 0x61c, 0x115f, 0x1160, 0x17b4, 0x17b5, 0x3164, 0xfeff, 0xffa0].includes(code) ||
    BLANKS.has(code) ||
    RANGES.some(([from, to]) => code >= from && code <= to)
  );
}

/** Blanks that are none to a shell or a compiler. */
const BLANKS = new Set([0xa0, 0x1680, 0x2000, 0x2001, 0x2002, 0x2003, 0x2004, 0x2005, 0x2006, 0x2007, 0x2008, 0x2009, 0x200a, 0x202f, 0x205f, 0x2800, 0x3000]);

const RANGES: readonly (readonly [number, number])[] = [
  [0x180b, 0x180f],
  [0x200b, 0x200f],
  [0x2028, 0x202e],
  [0x2060, 0x206f],
  [0xd800, 0xdfff], // half of a pair
  [0xe000, 0xf8ff], // private use: a font decides what it looks like
  [0xfe00, 0xfe0f],
  [0xfff0, 0xfffb],
  [0x1bca0, 0x1bca3],
  [0x1d173, 0x1d17a],
  [0xe0000, 0xe0fff],
  [0xf0000, 0x10ffff],
];

function escaped(code: number): string {
  return code < 0x100 ? `\\x${code.toString(16).padStart(2, "0")}` : `\\u{${code.toString(16)}}`;
}

/** One line: everything that could move the cursor, hide or reorder text is escaped, line ends too. */
export function visible(text: string): string {
  let out = "";
  for (const c of text) {
    const code = c.codePointAt(0) ?? 0;
    if (c === "\n") out += "\\n";
    else if (c === "\r") out += "\\r";
    else if (c === "\t") out += "\\t";
    else out += hides(code) ? escaped(code) : c;
  }
  return out;
}

/** Several lines: line ends and tabs stay, the rest is escaped as in {@link visible}. */
export function visibleBlock(text: string): string {
  return block(text, false);
}

/** Prose: as {@link visibleBlock}, but the selectors and joiners inside an emoji stay, so that it looks like one, and so do blanks. */
export function visibleProse(text: string): string {
  return block(text, true);
}

const PICTURE = /\p{Extended_Pictographic}/u;
const JOINS = new Set([0xfe0f, 0x200d]);

function block(text: string, prose: boolean): string {
  let out = "";
  let before = "";
  const chars = [...text];
  for (const [at, c] of chars.entries()) {
    const code = c.codePointAt(0) ?? 0;
    if (c === "\n") out += c;
    else if (c === "\r") out += chars[at + 1] === "\n" ? "" : "\\r";
    else if (c === "\t") out += "    ";
    else if (prose && JOINS.has(code) && PICTURE.test(before)) {
      out += c;
      continue; // what comes after belongs to the same picture
    } else if (prose && BLANKS.has(code)) out += c;
    else out += hides(code) ? escaped(code) : c;
    before = c;
  }
  return out;
}
