// @ts-check
// What a card asks, in one line and as it was written: who wants what, the line of a command, and what in it is asked about.
// This file is also a part of the extension for VS Code. Nothing here is escaped: whoever shows it does that.

/**
 * What is needed of a card.
 * @typedef {{ effect: string, access?: string, reason: string, always: boolean }} Reason
 * @typedef {{
 *   agentName: string, cwd: string, accesses: { access: string, display: string }[],
 *   server: { name: string, tool: string } | null, toolCall: { title: string, name?: string | null, kind: string, rawInput: unknown, content?: unknown },
 *   why: Reason[],
 * }} Asked
 */

const CHANGES = ['write', 'create', 'edit', 'delete', 'move'];
/** What a line for a shell comes to. */
const RUNNING = ['shell', 'read', ...CHANGES];

/** @param {Asked} card @param {string[]} words */
function only(card, words) {
  return card.accesses.length > 0 && card.accesses.every((access) => words.includes(access.access));
}

/** Whether it is a call to a tool of a server, and nothing besides. @param {Asked} card */
export function isServerCall(card) {
  return card.server !== null && only(card, ['mcp']);
}

/** A path as people name it: from the folder where there is one. @param {string} path @param {string} folder */
export function relative(path, folder) {
  if (folder === '' || folder === '/') return path;
  const base = folder.endsWith('/') ? folder : `${folder}/`;
  // A name that goes up or begins anew is no name from the folder.
  return path.startsWith(base) && path.length > base.length && !path.slice(base.length).split('/').includes('..') ? path.slice(base.length) : path;
}

/**
 * Who wants what: `object` is the thing, in somebody else's words; null where it stands below as it was written.
 * @param {Asked} card
 * @returns {{ who: string, verb: string, object: string | null, rest: string }}
 */
export function headline(card) {
  const who = card.agentName;
  const first = card.accesses[0];
  const commands = card.accesses.filter((access) => access.access === 'shell').length;
  const say = (/** @type {string} */ verb, /** @type {string | null} */ object = null, rest = '') => ({ who, verb, object, rest });
  if (card.server !== null && isServerCall(card)) return say('wants to call', card.server.tool, ` of ${card.server.name}`);
  if (card.accesses.some((access) => access.access === 'mode')) return say('wants to switch its own mode to', first?.display ?? '');
  if (commands > 0 && only(card, RUNNING)) return say(commands > 1 ? `wants to run ${commands} commands` : 'wants to run a command');
  if (card.accesses.length > 1 && only(card, CHANGES)) return say(`wants to change ${card.accesses.length} files`);
  if (card.accesses.length > 1 && only(card, ['read'])) return say(`wants to read ${card.accesses.length} files`);
  if (card.accesses.length > 1) return say(`wants to do ${card.accesses.length} things at once`);
  if (first === undefined) return say('wants to use a tool');
  const { access, display } = first;
  if (CHANGES.includes(access) || access === 'read') return say(`wants to ${access}`, relative(display, card.cwd));
  if (access === 'fetch') return say('wants to fetch', display);
  if (access === 'tool') return titled(card) ? say('wants to use a tool that it calls', card.toolCall.title) : say('wants to use its tool', display);
  return say('wants to use', display);
}

/** Whether only the agent's title names its tool: then the access has the word for its kind. @param {Asked} card */
export function titled({ accesses, toolCall: { title, name, kind } }) {
  return !name && title.trim() !== '' && accesses.length === 1 && accesses[0]?.display === kind;
}

/** The same as one text. @param {Asked} card */
export function headlineText(card) {
  const { who, verb, object, rest } = headline(card);
  return `${who} ${verb}${object === null ? '' : ` ${object}`}${rest}`;
}

/** The line as it was sent, where the input has one; else the words of the one command. @param {Asked} card @returns {string | null} */
export function writtenLine(card) {
  const commands = card.accesses.filter((access) => access.access === 'shell');
  if (commands.length === 0) return null;
  const input = card.toolCall.rawInput;
  if (typeof input === 'object' && input !== null && 'command' in input && typeof input.command === 'string' && input.command.trim() !== '') return input.command;
  return commands.length === 1 ? (commands[0]?.display ?? null) : null;
}

/** The reasons for asking, each once, the strictest first. @param {Asked} card @returns {Reason[]} */
export function reasons(card) {
  const rank = (/** @type {Reason} */ one) => (one.effect === 'deny' ? 0 : one.always ? 1 : one.effect === 'ask' ? 2 : 3);
  const all = card.why.filter((finding) => finding.effect !== 'allow').sort((a, b) => rank(a) - rank(b));
  return all.filter((one, at) => all.findIndex((other) => other.reason === one.reason && other.always === one.always) === at);
}

/** Whether what comes from outside is read, or a server is called: then the card warns (S2.5). @param {Asked} card */
export function isFromOutside(card) {
  return card.server !== null || card.accesses.some((access) => access.access === 'mcp' || access.access === 'fetch');
}

/** So long may a call be that is answered by one press. */
const GLANCE = 160;

/**
 * A call that can be taken in at one glance, as one row without an escape; null: not this one (D6.33, as core/kept/src/approval/glance.rs).
 * @param {Asked & { env: Record<string, string>, notShown: string[], options: { optionId: string }[] }} card
 * @returns {string | null}
 */
export function atAGlance(card) {
  const always = card.why.some((finding) => finding.effect === 'ask' && finding.always);
  const offered = card.options.some((option) => option.optionId === 'allow_once');
  const content = Array.isArray(card.toolCall.content) && card.toolCall.content.length > 0;
  if (always || !offered || content || card.server !== null || Object.keys(card.env).length > 0 || card.notShown.length > 0 || !plain(card.cwd)) return null;
  const line = lineAlone(card);
  const [first] = card.accesses;
  const text = line ?? (card.accesses.length === 1 && first?.access === 'read' && !hasLine(card) ? `read ${first.display}` : null);
  return text !== null && text.length <= GLANCE && plain(text) ? text : null;
}

/** @param {Asked} card */
function hasLine({ toolCall: { rawInput } }) {
  return typeof rawInput === 'object' && rawInput !== null && 'command' in rawInput;
}

/** What may stand beside a line in the input. */
const BESIDE = ['command', 'description', 'timeout'];

/** @param {Asked} card */
function lineAlone(card) {
  if (!hasLine(card) || !card.accesses.some((access) => access.access === 'shell')) return null;
  if (card.accesses.some((access) => access.access === 'mcp' || access.access === 'mode')) return null;
  const input = /** @type {Record<string, unknown>} */ (card.toolCall.rawInput);
  const { command } = input;
  return typeof command === 'string' && Object.keys(input).every((key) => BESIDE.includes(key)) ? command : null;
}

/** Whether every character looks like what it is. @param {string} text */
function plain(text) {
  return /^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/.test(text) && !text.includes('  ');
}
