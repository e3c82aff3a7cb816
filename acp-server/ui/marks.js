// @ts-check
// What is asked about, marked in the line as it was written (docs/cards.md, "What is marked"). Nothing here decides anything: where
// it is not certain what stands for what, it is said apart. This file is also a part of the extension for VS Code.

import { relative } from './asked.js';
import { Words } from './words.js';

/** @import { Asked, Reason } from './asked.js' */
/** @typedef {{ access: string, display: string, reasons: Reason[] }} Said */
/** `deep`: how many things that are asked about, one within the other, it belongs to. @typedef {{ text: string, reasons: Reason[], deep: number }} Piece */
/** @typedef {{ from: number, to: number, reasons: Reason[] }} Mark */

/** Commands that run the words which stand within their own. */
const RUNS_WORDS = ['sudo', 'doas', 'env', 'bash', 'sh', 'dash', 'zsh', 'ksh', 'xargs', 'find', 'nice', 'ionice', 'nohup', 'time', 'timeout', 'stdbuf', 'setsid',
  'ssh', 'watch', 'eval', 'exec', 'command', 'builtin', 'flock', 'strace', 'parallel', 'chroot', 'unshare', 'npx', 'docker', 'podman'];
/** What makes or fills a file: where a line has its name twice, that of a redirection is meant, which stands in no command. */
const FILLS = ['write', 'create'];
/** Reasons in mayi's own words about an option that has a value. */
const VALUED = /^the option (-\S+) .*(?:a file|another place|configuration or code|from a path|another machine|its value|on its input)(?: that is not known)?$/;
const OPTION = /^the option (-\S+) /;

/**
 * The line in pieces: those that are asked about or denied have the reasons. What is asked about and does not stand in the line
 * word by word is given apart.
 * @param {string} line
 * @param {Asked} card
 * @returns {{ pieces: Piece[], apart: Said[] }}
 */
export function marked(line, card) {
  const words = new Words(line, homes(line, card));
  /** @type {Mark[]} */
  const marks = [];
  /** @type {Said[]} */
  const apart = [];
  const why = findings(card);
  const options = new Set(card.why.map((finding) => (finding.effect === 'allow' ? null : valueOf(finding.reason))));
  // The commands first, since files stand within their words; and the longer ones first, since shorter ones do too.
  const rank = (/** @type {{ access: string, display: string }} */ one) => (one.access === 'shell' ? one.display.length : -1);
  const inOrder = [...card.accesses].sort((a, b) => rank(b) - rank(a));
  /** @type {Map<string, Mark>} */
  const commands = new Map();
  for (const { access, display } of inOrder) {
    const text = `${access}(${display})`;
    const reasons = why.get(text) ?? [];
    const isCommand = access === 'shell';
    // What is not asked about has its place too, so that nothing else is marked there.
    const place = isCommand ? words.command(display, RUNS_WORDS) : words.name(spellings(display, card.cwd), { outside: FILLS.includes(access), again: true });
    if (place === null) {
      apart.push({ access, display, reasons });
      continue;
    }
    const mark = { ...place, reasons };
    marks.push(isCommand ? mark : withOption(mark, words, options));
    if (isCommand) commands.set(text, mark);
  }
  const order = new Map(card.accesses.map(({ access, display }, at) => [`${access}(${display})`, at]));
  const rankOf = (/** @type {Said} */ one) => order.get(`${one.access}(${one.display})`) ?? 0;
  apart.sort((a, b) => rankOf(a) - rankOf(b));
  // Findings on a part of a command: a file that it would read, the value of an option.
  for (const [text, reasons] of why) {
    if (order.has(text)) continue;
    const [, access = '', display = ''] = /^([a-z]+)\((.*)\)$/s.exec(text) ?? [];
    if (access === '') continue;
    const place = access === 'shell' ? null : words.name(spellings(display, card.cwd), { again: true });
    const [only, ...others] = commands.values();
    if (place !== null) marks.push(withOption({ ...place, reasons }, words, options));
    else if (only !== undefined && others.length === 0) only.reasons = [...only.reasons, ...reasons];
    else apart.push({ access, display, reasons });
  }
  // And what a reason itself names of its command.
  for (const mark of commands.values()) for (const one of mark.reasons) marks.push(...namedBy(one, mark, words));
  return { pieces: pieces(line, marks), apart };
}

/** The reasons for asking and denying, by what they are about. @param {Asked} card */
function findings(card) {
  /** @type {Map<string, Reason[]>} */
  const found = new Map();
  for (const finding of card.why) {
    if (finding.effect === 'allow' || !finding.access) continue;
    const known = found.get(finding.access);
    if (known === undefined) found.set(finding.access, [finding]);
    else known.push(finding);
  }
  return found;
}

/** How people write a path: in full, and from the folder. @param {string} path @param {string} folder @returns {string[]} */
function spellings(path, folder) {
  const own = relative(path, folder);
  if (path !== '' && path === folder) return [path, './', '.'];
  if (own !== path) return [path, `./${own}`, own];
  const up = folder.split('/').slice(0, -1);
  for (let steps = 1; up.length > 1; steps += 1, up.pop()) {
    const base = `${up.join('/')}/`;
    if (path.startsWith(base)) return [path, `${'../'.repeat(steps)}${path.slice(base.length)}`];
  }
  return [path];
}

/** The mark, with the option whose value it is, where a reason names that option. @param {Mark} mark @param {Words} words @param {Set<string | null>} options @returns {Mark} */
function withOption(mark, words, options) {
  const token = words.around(mark);
  if (token === null) return mark;
  // `--upload-file=f`, `-Tf`: the word is the option.
  if (/^-/.test(token.text)) return { ...mark, from: token.from, to: Math.max(mark.to, token.to) };
  const before = words.before(token.from);
  return before !== null && options.has(before.text) ? { ...mark, from: before.from, to: Math.max(mark.to, token.to) } : mark;
}

/** The option that a reason is about, if it has a value. @param {string} reason */
function valueOf(reason) {
  return VALUED.exec(unquoted(reason))?.[1] ?? null;
}

/** Without the word that it begins with. @param {string} reason */
function unquoted(reason) {
  return reason.replace(/^`[^`]*`: /, '');
}

/** What a reason names of the command: a word between backticks, or an option with its value. @param {Reason} reason @param {Mark} mark @param {Words} words @returns {Mark[]} */
function namedBy(reason, mark, words) {
  const quoted = /^`([^`]+)`/.exec(reason.reason)?.[1];
  const option = OPTION.exec(unquoted(reason.reason))?.[1];
  const place = (quoted === undefined ? null : words.within(mark, quoted)) ?? (option === undefined ? null : words.within(mark, option));
  if (place === null) return [];
  const value = option !== undefined && valueOf(reason.reason) === words.text(place) ? words.after(place.to, mark.to) : null;
  const to = value !== null && !/^(?:-.|[|&;<>])/.test(value.text) ? value.to : place.to;
  // All of it says nothing more.
  return place.from === mark.from && to === mark.to ? [] : [{ from: place.from, to, reasons: [reason] }];
}

/** The folders that `~` stands for: where a path that is asked about ends as a word of the line goes on after it. @param {string} line @param {Asked} card @returns {string[]} */
function homes(line, card) {
  const tails = [...new Set([...line.slice(0, 10_000).matchAll(/~(\/[^\s'"`;|&()<>]+)/g)].map((one) => one[1] ?? ''))].slice(0, 20);
  /** @type {Set<string>} */
  const found = new Set();
  const texts = [...card.accesses.map(({ display }) => display), ...card.why.map(({ access }) => access ?? '')];
  for (const tail of tails) {
    for (const text of texts) {
      const to = text.indexOf(tail);
      const home = to < 0 ? '' : (/(\/[^\s'"=@:,()]+)$/.exec(text.slice(0, to))?.[1] ?? '');
      if (home !== '' && found.size < 3) found.add(home);
    }
  }
  return [...found];
}

/** @param {string} line @param {Mark[]} marks @returns {Piece[]} */
function pieces(line, marks) {
  const asked = marks.filter(({ reasons }) => reasons.length > 0);
  const cuts = [...new Set([0, line.length, ...asked.flatMap(({ from, to }) => [from, to])])].sort((a, b) => a - b);
  /** @type {Piece[]} */
  const out = [];
  /** @type {Set<Mark>} */
  const open = new Set();
  const starts = byPlace(asked, 'from');
  const ends = byPlace(asked, 'to');
  for (const [index, from] of cuts.entries()) {
    for (const mark of ends.get(from) ?? []) open.delete(mark);
    for (const mark of starts.get(from) ?? []) open.add(mark);
    const to = cuts[index + 1];
    if (to === undefined || to === from) continue;
    const distinct = new Set([...open].map((mark) => `${mark.from} ${mark.to}`));
    out.push({ text: line.slice(from, to), reasons: [...new Set([...open].flatMap(({ reasons }) => reasons))], deep: distinct.size });
  }
  return out;
}

/** @param {Mark[]} marks @param {'from' | 'to'} side */
function byPlace(marks, side) {
  /** @type {Map<number, Mark[]>} */
  const found = new Map();
  for (const mark of marks) {
    const known = found.get(mark[side]);
    if (known === undefined) found.set(mark[side], [mark]);
    else known.push(mark);
  }
  return found;
}
