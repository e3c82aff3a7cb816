// @ts-check
// What the page says in mayi's own words: the same as the terminal does (cli/src/surface/wording.rs). Nothing here is
// escaped: whoever shows it does that.

/** @import { Card, CardOption, Entry, Finding, Level } from './types.d.ts' */

const CHANGING = ['write', 'create', 'edit', 'delete', 'move'];
/** What "Allow for this session" covers: as mayi will remember it. @param {Card} card */
export function sessionCovers(card) {
  return card.options.find((option) => option.optionId === 'allow_session')?.covers ?? '';
}

/** @param {string} url */
function host(url) {
  const rest = url.split('://', 2)[1] ?? url;
  return rest.split(/[/?#]/, 1)[0] ?? rest;
}

/** What a pattern would allow, in words. @param {string} pattern */
export function patternCovers(pattern) {
  const parts = /^([^(]*)\((.*)\)$/s.exec(pattern);
  if (!parts) return 'everything';
  const [selector = '', argument = ''] = parts.slice(1);
  if (selector === 'shell') {
    if (argument.endsWith(' *')) return `${argument.slice(0, -2)} with any further words`;
    return argument.includes('*') ? `commands like ${argument}` : 'exactly this command';
  }
  if (selector === 'read' || CHANGING.includes(selector)) {
    const names = { read: 'reading', create: 'creating', edit: 'editing', delete: 'deleting', move: 'moving' };
    const verb = /** @type {Record<string, string>} */ (names)[selector] ?? 'changing';
    if (argument.endsWith('/**')) return `${verb} anything below ${argument.slice(0, -3)}`;
    return /[*?[{]/.test(argument) ? `${verb} files like ${argument}` : `${verb} this file`;
  }
  if (selector === 'fetch') return `anything from ${host(argument)}`;
  if (selector === 'mcp') return argument.includes('*') ? `tools like ${argument}, with any arguments` : 'this tool, with any arguments';
  return selector === 'tool' ? 'this tool, with any input' : argument;
}

/** What a level of a server lets through. @param {string} server @param {Level} level */
export function ofLevel(server, level) {
  if (level === 'read') return `every tool of ${server} that reads (level read)`;
  if (level === 'write') return `every tool of ${server} that reads or writes (level write)`;
  return level === 'all' ? `every tool of ${server} (level all)` : `no tool of ${server}`;
}

/** What a call asks for, in a word, and what that means. @param {string} type */
export function permission(type) {
  if (type === 'read') return { word: 'Read', means: 'it only reads' };
  return type === 'write' ? { word: 'Write', means: 'it changes files' } : { word: 'All', means: 'it runs something or reaches out' };
}

/** The call in a few words. @param {Card} card */
export function summary(card) {
  const first = card.accesses[0];
  if (!first) return card.toolCall.title;
  const more = card.accesses.length - 1;
  return `${first.access}(${first.display})${more > 0 ? ` and ${more} more` : ''}`;
}

/** What to know about one of the agent's own options. @param {CardOption} option */
export function optionKind({ kind }) {
  if (kind === 'allow_once') return 'allows this call';
  if (kind === 'allow_always') return 'allows, and the agent asks less from then on';
  if (kind === 'reject_once') return 'refuses this call';
  return kind === 'reject_always' ? 'refuses, and the agent remembers it' : `of a kind mayi does not know (${kind})`;
}

/** How the like was answered before. @param {NonNullable<Card['history']>} history */
export function before({ allowed, denied, firstSeen }) {
  const times = (/** @type {number} */ count) => (count === 1 ? 'once' : `${count} times`);
  const said = [allowed ? `allowed ${times(allowed)}` : '', denied ? `denied ${times(denied)}` : ''].filter(Boolean);
  if (said.length === 0) return 'never answered';
  const day = firstSeen ? `, first asked about on ${firstSeen.slice(0, 10)}` : '';
  return said.join(', ') + day;
}

/** One reason for asking. @param {Finding} finding @param {boolean} many whether it has to say about what */
export function reason(finding, many) {
  const about = many && finding.access ? `${finding.access}: ` : '';
  const pattern = finding.pattern ? `, ${finding.pattern}` : '';
  const place = finding.file ? ` at ${finding.file}${finding.line ? `:${finding.line}` : ''}` : '';
  return `${about}${finding.reason}${pattern}${place}${finding.always && finding.effect === 'ask' ? ' (always asked)' : ''}`;
}

/** How a card ended, and by whom. @param {Pick<Entry, 'state' | 'by' | 'reason'>} entry */
export function ending({ state, by, reason: why }) {
  // A reason of the policy's says by itself who spoke.
  const who = by && by !== 'policy' ? ` by ${by}` : '';
  const what = {
    pending: 'Waiting', approved: `Tool call approved${who}`, denied: `Tool call denied${who}`, expired: 'Denied: nobody answered in time',
    cancelled: 'Withdrawn: it no longer waits for an answer',
  }[state];
  return why ? `${what} (${why})` : what;
}

/** What a bypass means, and what it does not cover. @param {string} agent @param {boolean} good whether it may outlive the session */
export function bypassMeans(agent, good) {
  const until = good ? `; for good, until you take it back in the settings or with “mayi bypass ${agent} off”` : '';
  return `This call runs, and ${agent} is not asked about any more: for this session, until it ends${until}. Still asked: what `
    + 'your rules ask about, what is protected (start-up files, hooks, keys, mayi’s own files, what lies outside of its '
    + 'folders), and lines that can’t be understood. What is denied stays denied.';
}

/** Before answering a call to a server's tool; S2.5. */
export const WARNING = 'Malicious MCP servers or conversation content could try to trick the agent into harmful actions '
  + 'through your tools.';
export const REVIEW = 'Review each action carefully before approving.';
