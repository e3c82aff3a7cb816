// @ts-check
// A change to a file, line by line, with line numbers and some lines around each change.

/** @typedef {{ sign: '+' | '-' | ' ' | '⋮', number: number | null, text: string, unended: boolean }} Row */

/** Lines around a change that are shown with it. */
const CONTEXT = 3;
/** A comparison that would need more steps than this shows the middle as replaced. */
const PATIENCE = 4_000_000;

/**
 * Compares the two texts of a file; `before` is null for a new one.
 * @param {string | null | undefined} before
 * @param {string} after
 * @returns {{ added: number, removed: number, rows: Row[], exact: boolean }} `exact`: blanks and tabs have to be seen
 */
export function diff(before, after) {
  const [old, now] = [lines(before ?? ''), lines(after)];
  // Line ends are shown where they are not the same everywhere.
  const crlf = [...old, ...now].every((line) => line.endsWith('\r\n'));
  const all = compare(old, now).map((row) => (crlf ? { ...row, text: row.text.slice(0, -1) } : row));
  const added = all.filter((row) => row.sign === '+').length;
  const removed = all.filter((row) => row.sign === '-').length;
  return { added, removed, rows: grouped(all), exact: looksAlike(all) };
}

/** Lines with their ends: a last line without one is another line than the same with one. @param {string} text */
function lines(text) {
  return text.match(/[^\n]*\n|[^\n]+$/g) ?? [];
}

/** @param {string[]} old @param {string[]} now @returns {Row[]} */
function compare(old, now) {
  let start = 0;
  while (start < old.length && start < now.length && old[start] === now[start]) start += 1;
  let end = 0;
  while (end < old.length - start && end < now.length - start && old.at(-1 - end) === now.at(-1 - end)) end += 1;
  /** @type {Row[]} */
  const rows = now.slice(0, start).map((text, at) => row(' ', at, text));
  const [left, right] = [old.slice(start, old.length - end), now.slice(start, now.length - end)];
  const kept = left.length * right.length > PATIENCE ? [] : longestCommon(left, right);
  kept.push([left.length, right.length]);
  let [i, j] = [0, 0];
  for (const [a, b] of kept) {
    for (; i < a; i += 1) rows.push(row('-', start + i, left[i] ?? ''));
    for (; j < b; j += 1) rows.push(row('+', start + j, right[j] ?? ''));
    if (a < left.length) rows.push(row(' ', start + b, right[b] ?? ''));
    [i, j] = [a + 1, b + 1];
  }
  const rest = now.length - end;
  return rows.concat(now.slice(rest).map((text, at) => row(' ', rest + at, text)));
}

/** Pairs of places of the longest common subsequence. @param {string[]} left @param {string[]} right */
function longestCommon(left, right) {
  const width = right.length + 1;
  const best = new Uint32Array((left.length + 1) * width);
  const at = (/** @type {number} */ i, /** @type {number} */ j) => best[i * width + j] ?? 0;
  for (let i = left.length - 1; i >= 0; i -= 1) {
    for (let j = right.length - 1; j >= 0; j -= 1) {
      best[i * width + j] = left[i] === right[j] ? at(i + 1, j + 1) + 1 : Math.max(at(i + 1, j), at(i, j + 1));
    }
  }
  /** @type {[number, number][]} */
  const pairs = [];
  let [i, j] = [0, 0];
  while (i < left.length && j < right.length) {
    if (left[i] === right[j]) pairs.push([i++, j++]);
    else if (at(i + 1, j) >= at(i, j + 1)) i += 1;
    else j += 1;
  }
  return pairs;
}

/** @param {Row['sign']} sign @param {number} at @param {string} line @returns {Row} */
function row(sign, at, line) {
  const ended = line.endsWith('\n');
  // A carriage return stays, so that a change of line ends is seen.
  return { sign, number: at + 1, text: ended ? line.slice(0, -1) : line, unended: !ended };
}

/** Only what is near a change; a gap is one row. @param {Row[]} all @returns {Row[]} */
function grouped(all) {
  const near = new Set();
  all.forEach((row, at) => {
    if (row.sign === ' ') return;
    for (let of = at - CONTEXT; of <= at + CONTEXT; of += 1) near.add(of);
  });
  /** @type {Row[]} */
  const out = [];
  let last = -1;
  all.forEach((row, at) => {
    if (!near.has(at)) return;
    if (out.length > 0 && at > last + 1) out.push({ sign: '⋮', number: null, text: '', unended: false });
    out.push(row);
    last = at;
  });
  return out;
}

/** Whether a removed and an added line would look the same, as with tabs for blanks. @param {Row[]} rows */
function looksAlike(rows) {
  const look = (/** @type {Row} */ row) => row.text.replaceAll('\t', '    ').trimEnd();
  const removed = new Set(rows.filter((row) => row.sign === '-').map(look));
  return rows.some((row) => row.sign === '+' && removed.has(look(row)));
}
