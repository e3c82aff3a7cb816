// @ts-check
// A change to a file, line by line, with line numbers and some lines around each change.

/** @typedef {{ sign: '+' | '-' | ' ' | '⋮', number: number | null, text: string, unended: boolean }} Row */

/** Lines around a change that are shown with it. */
const CONTEXT = 3;
/** A comparison of more steps than this shows what is left as replaced: a second, about. */
const PATIENCE = 200_000_000;

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
  /** @type {Row[]} */
  const rows = [];
  let [i, j] = [0, 0];
  for (const [a = 0, b = 0] of [...kept(old, now), [old.length, now.length]]) {
    for (; i < a; i += 1) rows.push(row('-', i, old[i] ?? ''));
    for (; j < b; j += 1) rows.push(row('+', j, now[j] ?? ''));
    if (a < old.length) rows.push(row(' ', b, now[b] ?? ''));
    [i, j] = [a + 1, b + 1];
  }
  return rows;
}

/**
 * Places of the lines that stay, in order. A line that the other side does not have at all can't stay, so it is left out before
 * the rest is compared: what is common is as long as without that, and large files with many changes take no time.
 * @param {string[]} old @param {string[]} now @returns {number[][]}
 */
function kept(old, now) {
  /** @type {Map<string, number>} */
  const names = new Map();
  const named = (/** @type {string} */ line) => names.get(line) ?? (names.set(line, names.size), names.size - 1);
  const [left, right] = [old.map(named), now.map(named)];
  const [inLeft, inRight] = [new Set(left), new Set(right)];
  const some = (/** @type {number[]} */ all, /** @type {Set<number>} */ other) => [...all.keys()].filter((at) => other.has(all[at] ?? -1));
  const [a, b] = [some(left, inRight), some(right, inLeft)];
  const x = Int32Array.from(a, (at) => left[at] ?? -1);
  const y = Int32Array.from(b, (at) => right[at] ?? -1);
  /** @type {number[][]} */
  const pairs = [];
  walk(x, y, (i, j) => pairs.push([a[i] ?? 0, b[j] ?? 0]));
  return pairs;
}

/**
 * Says which places of `x` and `y` stay: of the longest that is common, by Myers' search from both ends in linear space. Parts
 * are taken from a list and not by calls, so that no depth is too much.
 * @param {Int32Array} x @param {Int32Array} y @param {(i: number, j: number) => void} stays
 */
function walk(x, y, stays) {
  let budget = PATIENCE;
  /** What is to be compared still, the first part last: `[from, to]` of both. A part of one number is a pair that stays. @type {number[][]} */
  const parts = [[0, x.length, 0, y.length]];
  for (let part = parts.pop(); part; part = parts.pop()) {
    let [from = 0, to = 0, start = 0, end = 0] = part;
    while (from < to && start < end && x[from] === y[start]) stays(from++, start++);
    let tail = 0;
    while (from < to - tail && start < end - tail && x[to - 1 - tail] === y[end - 1 - tail]) tail += 1;
    [to, end] = [to - tail, end - tail];
    if (tail > 0) parts.push([to, to + tail, end, end + tail]);
    if (from >= to || start >= end) continue;
    const found = middle(x, y, from, to, start, end, budget);
    budget -= found.steps;
    if (found.snake === null) continue;
    const [i, j] = found.snake;
    // A part that is no smaller would come again.
    if ((i === from && j === start) || (i === to && j === end)) continue;
    parts.push([i, to, j, end], [from, i, start, j]);
  }
}

/**
 * A place on a shortest way from one end to the other, where the searches from both ends meet; none if that takes too long.
 * @param {Int32Array} x @param {Int32Array} y @param {number} from @param {number} to @param {number} start @param {number} end
 * @param {number} budget steps at most
 * @returns {{ snake: [number, number] | null, steps: number }}
 */
function middle(x, y, from, to, start, end, budget) {
  const [n, m] = [to - from, end - start];
  const most = Math.ceil((n + m) / 2);
  const odd = (n - m) % 2 !== 0;
  const zero = most + 1;
  const forth = new Int32Array(2 * most + 3);
  const back = new Int32Array(2 * most + 3);
  let steps = 0;
  for (let d = 0; d <= most; d += 1) {
    for (let k = -d; k <= d; k += 2) {
      let i = k === -d || (k !== d && at(forth, zero + k - 1) < at(forth, zero + k + 1)) ? at(forth, zero + k + 1) : at(forth, zero + k - 1) + 1;
      let j = i - k;
      while (i < n && j < m && x[from + i] === y[start + j]) {
        i += 1;
        j += 1;
        steps += 1;
      }
      forth[zero + k] = i;
      const other = n - m - k;
      if (odd && Math.abs(other) < d && i <= n && j <= m && i + at(back, zero + other) >= n) return { snake: [from + i, start + j], steps };
    }
    for (let k = -d; k <= d; k += 2) {
      let i = k === -d || (k !== d && at(back, zero + k - 1) < at(back, zero + k + 1)) ? at(back, zero + k + 1) : at(back, zero + k - 1) + 1;
      let j = i - k;
      while (i < n && j < m && x[to - 1 - i] === y[end - 1 - j]) {
        i += 1;
        j += 1;
        steps += 1;
      }
      back[zero + k] = i;
      const other = n - m - k;
      if (!odd && Math.abs(other) <= d && i <= n && j <= m && i + at(forth, zero + other) >= n) return { snake: [to - i, end - j], steps };
    }
    steps += 2 * d + 2;
    if (steps > budget) return { snake: null, steps };
  }
  return { snake: null, steps };
}

/** @param {Int32Array} all @param {number} place */
function at(all, place) {
  return all[place] ?? 0;
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
    if (out.length > 0 && at > last + 1) out.push({ sign: '⋮', number: null, text: `${at - last - 1} lines are the same`, unended: false });
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
