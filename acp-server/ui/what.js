// @ts-check
// Exactly what a call would do, and why it is asked: the parts of a card that are no choices.

import { diff } from './diff.js';
import { foreign, foreignBlock, h, long, onDemand, row } from './dom.js';
import { visible, visibleBlock } from './visible.js';
import { before, reason, summary } from './wording.js';

/** @import { Card, Content } from './types.d.ts' */

/** Texts longer than this are compared when somebody wants to see it. */
const SHORT = 100_000;

/** What is touched, in full. @param {Card} card */
export function what(card) {
  const box = h('div', { class: 'what' });
  if (card.server) {
    const { server } = card;
    const line = h('p', { class: 'run' }, 'Run ', foreign(server.tool, 'strong'), ' from ', foreign(server.name, 'strong'));
    const picture = server.icons?.find((icon) => /^data:image\//.test(icon?.src ?? ''));
    if (picture) line.prepend(h('img', { src: picture.src, alt: '', width: '20', height: '20' }));
    box.append(line);
  }
  const whole = wholeLine(card);
  const commands = card.accesses.filter((access) => access.access === 'shell').map((access) => access.display);
  const together = whole !== null && commands.length > 0 && !(commands.length === 1 && commands[0] === whole);
  if (together) box.append(long(whole, 'command'));
  const rows = h('dl', { class: 'accesses' });
  for (const { access, display } of card.accesses) {
    if (access === 'mcp' && card.server && card.accesses.length === 1) continue;
    if (access === 'shell' && !together) box.append(long(display, 'command'));
    else rows.append(row(access === 'shell' ? 'runs' : visible(access), long(display)));
  }
  for (const [name, value] of Object.entries(card.env ?? {})) rows.append(row('with', long(`${name}=${value}`)));
  if (rows.childElementCount) box.append(rows);
  box.append(...contents(card));
  if (card.toolCall.rawInput !== null && card.toolCall.rawInput !== undefined) {
    box.append(onDemand('Arguments', () => long(pretty(card.toolCall.rawInput)), 'arguments'));
  }
  return box;
}

/** The line as it was sent, where the input has one. @param {Card} card */
function wholeLine(card) {
  const input = /** @type {any} */ (card.toolCall.rawInput);
  return typeof input?.command === 'string' ? input.command : null;
}

/** @param {unknown} value */
function pretty(value) {
  return typeof value === 'string' ? value : JSON.stringify(value, null, 2);
}

/** Diffs and texts that came with the call. @param {Card} card */
function contents(card) {
  const out = [];
  for (const content of Array.isArray(card.toolCall.content) ? card.toolCall.content : []) {
    const text = content?.content?.text;
    if (content?.type === 'diff') out.push(change(content));
    else if (typeof text === 'string') out.push(long(text, 'says'));
  }
  return out;
}

/** @param {Content} content */
function change({ path = '', oldText = null, newText = '' }) {
  const isNew = oldText === null;
  const isShort = (oldText?.length ?? 0) + newText.length < SHORT;
  const done = isShort ? diff(oldText, newText) : null;
  const counts = done ? ` (${isNew ? 'new file, ' : ''}+${done.added} −${done.removed})` : isNew ? ' (new file)' : '';
  const details = onDemand('', () => table(done ?? diff(oldText, newText)), 'diff');
  details.firstElementChild?.append('Changes to ', foreign(path), counts);
  return details;
}

/** @param {ReturnType<typeof diff>} done */
function table({ rows, exact }) {
  const names = { '+': 'added', '-': 'removed', ' ': 'same', '⋮': 'gap' };
  const body = h('tbody', {});
  for (const { sign, number, text, unended } of rows) {
    const isChange = sign === '+' || sign === '-';
    const shown = exact && isChange ? visible(text).replace(/ +$/, (blanks) => '·'.repeat(blanks.length)) : visibleBlock(text);
    const code = h('td', { class: 'foreign', dir: 'ltr' });
    code.textContent = shown;
    if (unended && isChange) code.append(h('span', { class: 'note' }, ' (no line end)'));
    const mark = h('td', { class: 'sign' }, sign);
    if (isChange) mark.setAttribute('aria-label', names[sign]);
    body.append(h('tr', { class: names[sign] }, h('td', { class: 'number' }, number === null ? '' : String(number)), mark, code));
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
  for (const text of card.notShown) rows.append(row('!', h('span', {}, 'not shown: ', foreign(text)), 'warn'));
  if (card.expiresAt) rows.append(row('until', `${new Date(card.expiresAt).toLocaleTimeString()}, then it is denied`));
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
  return bare === '' || card.accesses.some((access) => access.display === bare) || wholeLine(card) === bare
    || (server !== null && (server.tool === bare || `mcp__${server.name}__${server.tool}` === bare));
}

/** @param {Card} card */
function findings(card) {
  const lines = card.why.map((finding) => `${finding.effect}: ${finding.access ?? summary(card)}: ${reason(finding, false)}`);
  return foreignBlock(lines.join('\n'));
}
