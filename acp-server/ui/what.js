// @ts-check
// Exactly what a call would do, and why it is asked: the parts of a card that are no choices.

import { headline, isServerCall, reasons, relative, writtenLine } from './asked.js';
import { diff } from './diff.js';
import { foreign, foreignBlock, h, long, onDemand, row } from './dom.js';
import { marked } from './marks.js';
import { visible, visibleBlock } from './visible.js';
import { FOLD } from './seen.js';
import { before, permission, reason, summary } from './wording.js';

/** @import { Card, Content } from './types.d.ts' */

/** What a call asks for, in a word: to read, to write, or all. @param {Card} card */
export function permissionOf(card) {
  const { means, word } = permission(card.permissionType);
  return h('span', { class: 'permission', title: means }, word);
}

/** What is asked for, and who wants what, in one line. @param {Card} card @returns {(string | Node)[]} */
export function headingOf(card) {
  return [permissionOf(card), ' ', ...wanted(card)];
}

/** Who wants what. @param {Card} card @returns {(string | Node)[]} */
function wanted(card) {
  if (card.server !== null && isServerCall(card)) {
    const { server } = card;
    const picture = server.icons?.find((icon) => /^data:image\//.test(icon?.src ?? ''));
    const image = picture ? [h('img', { src: picture.src, alt: '', width: '20', height: '20' })] : [];
    return [...image, 'Allow tool call from ', foreign(server.name, 'strong'), '? ', h('span', { class: 'run' }, 'Run ', foreign(server.tool, 'strong'), ' from ', foreign(server.name), ', for ', foreign(card.agentName))];
  }
  const { who, verb, object, rest } = headline(card);
  const of = card.parent ? [h('span', { class: 'run' }, ', for a sub-agent')] : [];
  return [foreign(who, 'strong'), ` ${verb}`, ...(object === null ? [] : [' ', foreign(object, 'code')]), foreign(rest), ...of];
}

/** The thing itself, as it was written. @param {Card} card */
export function what(card) {
  const box = h('div', { class: 'what' });
  const rows = h('dl', { class: 'accesses' });
  for (const [name, value] of Object.entries(card.env ?? {})) rows.append(row('with', long(`${name}=${value}`)));
  const line = writtenLine(card);
  const changes = contents(card);
  if (line !== null) box.append(...command(line, card, rows));
  // What the first line names is not said again.
  else if (!isServerCall(card) && (card.accesses.length > 1 || headline(card).object === null)) for (const { access, display } of card.accesses) rows.append(row(visible(access), long(display)));
  if (rows.childElementCount) box.append(rows);
  box.append(...changes);
  // What a door of mayi's says of a call belongs to it; an agent's own words do not.
  if (card.agentName.startsWith('api:')) for (const text of texts(card)) box.append(long(text, 'says'));
  const { rawInput, openInput } = card.toolCall;
  // The arguments of a tool are the call; of a change, what neither the first line nor the lines that change say.
  const open = openInput ?? (card.server !== null || (changes.length === 0 && !isNamed(card)) ? rawInput : null);
  if (open !== null && open !== undefined && line === null) box.append(h('div', { class: 'arguments' }, long(pretty(open))));
  return box;
}

/** Whether the first line names all that is touched. @param {Card} card */
function isNamed(card) {
  const [first] = card.accesses;
  return card.accesses.length === 1 && first !== undefined && ['read', 'write', 'create', 'edit', 'delete', 'move', 'fetch'].includes(first.access);
}

/** So many accesses stand one below the other; more of them fold. */
const ROWS = 12;

/** The line, with what is asked about marked in it. @param {string} line @param {Card} card @param {HTMLElement} rows for what does not stand in it */
function command(line, card, rows) {
  const { pieces, apart } = marked(line, card);
  const others = apart.filter(({ access, reasons: why }) => why.length > 0 || access !== 'shell')
    .map(({ access, display }) => [access === 'shell' ? 'runs' : visible(access), display]);
  if (others.length > ROWS) rows.append(row('besides', long(others.map((one) => one.join(' ')).join('\n'))));
  else for (const [access = '', display = ''] of others) rows.append(row(access, long(display)));
  const whole = () => {
    const shown = foreignBlock('', 'command');
    shown.append(...pieces.map(({ text, reasons: why, deep }) => {
      const piece = document.createTextNode(visibleBlock(text));
      return why.length === 0 ? piece : h('mark', { class: deep > 1 && 'deep', title: unique(why.map((one) => one.reason)).join('; ') }, piece);
    }));
    return shown;
  };
  return [long(line, 'command', whole)];
}

/** @param {string[]} texts */
const unique = (texts) => [...new Set(texts)];

/** Why it is asked, in one line, and what is missing. @param {Card} card @returns {HTMLElement[]} */
export function because(card) {
  const line = h('p', { class: 'because' });
  const [first, ...others] = /** @type {import('./types.d.ts').Finding[]} */ (reasons(card));
  if (first) line.append(foreign(reason(first, false)));
  if (others.length > 0) line.append(h('span', { class: 'note' }, ` and ${others.length} more`));
  const add = (/** @type {(string | Node)[]} */ ...more) => line.append(h('span', { class: 'note' }, line.childNodes.length > 0 ? ' · ' : '', ...more));
  if (card.cwd) add('in ', foreign(card.cwd));
  if (card.history) add(before({ ...card.history, firstSeen: null }));
  const out = [line, ...card.notShown.map((text) => h('p', { class: 'warn' }, 'not shown: ', foreign(text)))];
  if (card.expiresAt) out.push(h('p', { class: 'note' }, `until ${new Date(card.expiresAt).toLocaleTimeString()}, then it is denied`));
  return out;
}

/** @param {unknown} value */
function pretty(value) {
  return typeof value === 'string' ? value : JSON.stringify(value, null, 2);
}

/** Texts that came with the call. @param {Card} card @returns {string[]} */
function texts(card) {
  const all = Array.isArray(card.toolCall.content) ? card.toolCall.content : [];
  return all.map((content) => content?.content?.text).filter((text) => typeof text === 'string');
}

/** Changes that came with the call. @param {Card} card */
function contents(card) {
  const all = (Array.isArray(card.toolCall.content) ? card.toolCall.content : []).filter((content) => content?.type === 'diff');
  // Where there is one, and it is all that is asked, the first line has its name.
  const [first] = card.accesses;
  const named = all.length === 1 && card.accesses.length === 1 && first?.display === all[0].path;
  return all.map((content, at) => change(content, card.lines?.[at] ?? null, card.cwd, !named));
}

/** @param {Content} content @param {number | null} from the line at which it begins in the file @param {string} folder @param {boolean} names whether it says whose change it is */
function change({ path = '', oldText = null, newText = '' }, from, folder, names) {
  const done = diff(oldText, newText);
  const first = oldText === null ? 1 : from;
  const ends = oldText !== null && oldText.endsWith('\n') !== newText.endsWith('\n');
  const counts = oldText === null ? `new, ${done.added} ${done.added === 1 ? 'line' : 'lines'}` : `+${done.added} −${done.removed}`;
  const head = h('p', { class: 'change-head' }, names && foreign(relative(path, folder), 'code'), names && ' ', h('span', { class: 'note' }, counts));
  const show = (/** @type {typeof done.rows} */ rows) => table({ ...done, rows }, first === null ? null : first - 1, ends);
  const box = h('div', { class: 'diff' }, head);
  if (done.rows.length <= FOLD.lines) {
    box.append(show(done.rows));
    return box;
  }
  const all = h('button', { type: 'button', class: 'more', 'data-folded': true }, `Show all: ${(done.added + done.removed).toLocaleString('en')} changed lines`);
  const part = show(done.rows.slice(0, FOLD.head + FOLD.tail));
  all.addEventListener('click', () => {
    const whole = show(done.rows);
    box.replaceChildren(head, whole);
    whole.focus({ preventScroll: true });
    box.dispatchEvent(new Event('toggle'));
  });
  box.append(part, all);
  return box;
}

/** @param {ReturnType<typeof diff>} done @param {number | null} shift what is added to the numbers; null: they would mislead @param {boolean} ends whether one side ends with a line and the other does not */
function table({ rows, exact }, shift, ends) {
  const names = { '+': 'added', '-': 'removed', ' ': 'same', '⋮': 'gap' };
  const body = h('tbody', {});
  for (const { sign, number, text, unended } of rows) {
    const isChange = sign === '+' || sign === '-';
    const shown = exact && isChange ? visible(text).replace(/ +$/, (blanks) => '·'.repeat(blanks.length)) : visibleBlock(text);
    const code = h('td', { class: 'foreign', dir: 'ltr' });
    code.textContent = shown;
    if (unended && isChange && ends) code.append(h('span', { class: 'note' }, ' (no line end)'));
    const mark = h('td', { class: 'sign' }, sign);
    if (isChange) mark.setAttribute('aria-label', names[sign]);
    body.append(h('tr', { class: names[sign] }, h('td', { class: 'number' }, number === null || shift === null ? '' : String(number + shift)), mark, code));
  }
  if (rows.length === 0) body.append(h('tr', {}, h('td', {}, 'No line changes.')));
  return h('div', { class: 'scroll', tabindex: '0', role: 'region', 'aria-label': 'Changed lines' }, h('table', {}, body));
}

/** Where, who, why, and how it was answered before. @param {Card} card */
export function about(card) {
  const rows = h('dl', { class: 'about' });
  if (card.server) rows.append(row('agent', foreign(card.agentName)));
  if (card.parent) rows.append(row('for', h('span', {}, 'a sub-agent, started by ', foreign(card.parentTitle ?? card.parent), ' (the agent’s words)')));
  if (card.cwd) rows.append(row('in', foreign(card.cwd)));
  const { name, title } = card.toolCall;
  if (name && !isShown(card, name)) rows.append(row('tool', foreign(name)));
  if (!isShown(card, title)) rows.append(row('title', h('span', {}, foreign(title), ' (the agent’s words)')));
  rows.append(...serverSays(card));
  const asking = [...new Set(card.why.filter((finding) => finding.effect !== 'allow')
    .map((finding) => reason(finding, card.accesses.length > 1)))];
  asking.forEach((text, at) => rows.append(row(at ? '' : 'why', foreign(text))));
  if (card.why.length > asking.length) rows.append(row('', onDemand('Every finding', () => findings(card))));
  if (card.history) rows.append(row('before', before(card.history)));
  for (const text of texts(card)) rows.append(row('says', h('span', {}, long(text, 'says'), '(the agent’s words)')));
  if (card.toolCall.rawInput !== null && card.toolCall.rawInput !== undefined) {
    rows.append(row('', onDemand('Arguments as they came', () => long(pretty(card.toolCall.rawInput)), 'raw')));
  }
  rows.append(row('digest', foreign(card.digest)));
  return rows;
}

/** What the server says of itself and of the tool: its words, and not to be relied on. @param {Card} card */
function serverSays({ server, tool }) {
  const hints = tool?.annotations;
  const said = [
    ['tool', tool?.description ?? tool?.title], ['hint', hints ? JSON.stringify(hints) : null], ['name', server?.title],
    ['self', server?.description],
  ];
  const rows = said.filter(([, text]) => text?.trim()).map(([label, text]) => row(String(label), long(String(text))));
  return rows.length ? [row('the server says', h('dl', {}, ...rows))] : [];
}

/** Whether `text` says nothing that the card does not show anyway. @param {Card} card @param {string} text */
function isShown(card, text) {
  const bare = text.trim().replace(/^`+|`+$/g, '');
  const { server } = card;
  return bare === '' || card.accesses.some((access) => access.display === bare) || writtenLine(card) === bare
    || (server !== null && (server.tool === bare || `mcp__${server.name}__${server.tool}` === bare));
}

/** @param {Card} card */
function findings(card) {
  const lines = card.why.map((finding) => `${finding.effect}: ${finding.access ?? summary(card)}: ${reason(finding, false)}`);
  return foreignBlock(lines.join('\n'));
}
