// @ts-check
// What is on the page, and how it changes: a pure function of what was there and what happened.

/** @import { Answer, Card, Change, Entry, Event, Inbox, Resolved, State } from './types.d.ts' */

/** @type {Inbox} */
export const EMPTY = Object.freeze({ entries: {}, order: [], lost: false, line: 0 });

/** How long a settled card stays on the page. */
export const KEPT = 10 * 60_000;

/**
 * The inbox after a batch of events.
 * @param {Inbox} inbox
 * @param {Event[]} events
 * @param {number} now milliseconds
 * @returns {Inbox}
 */
export function heard(inbox, events, now) {
  let next = inbox;
  for (const event of events) next = one(next, event);
  // What was settled long ago comes by when everything is told anew; it never was on this page.
  const old = next.order.filter((id) => !inbox.entries[id] && isOld(next.entries[id], now));
  return without(next, old);
}

/** @param {unknown} value */
const count = (value) => (typeof value === 'number' ? value : 0);

/** @param {Inbox} inbox @param {Event} event @returns {Inbox} */
function one(inbox, event) {
  switch (event.type) {
    case 'snapshot':
      return { ...snapshot(inbox, /** @type {Card[]} */ (event.waiting ?? []), event.lost === true), line: count(event.inLine) };
    case 'approval-request':
    case 'approval-updated':
      return shown(inbox, /** @type {Card} */ (/** @type {unknown} */ (event)));
    case 'approval-resolved':
      return resolved(inbox, /** @type {Resolved} */ (/** @type {unknown} */ (event)));
    case 'in-line':
      return { ...inbox, line: count(event.count) };
    default:
      return inbox;
  }
}

/**
 * Everything that waits. What waited and is not in it has ended somehow: `missing` names it.
 * @param {Inbox} inbox
 * @param {Card[]} waiting
 * @param {boolean} lost
 */
function snapshot(inbox, waiting, lost) {
  let next = { ...inbox, lost: inbox.lost || lost };
  const here = new Set(waiting.map((card) => card.approvalId));
  for (const id of next.order) {
    const entry = next.entries[id];
    if (entry && entry.state === 'pending' && !here.has(id)) next = put(next, id, { ...entry, state: 'cancelled' });
  }
  for (const card of waiting) next = shown(next, card);
  return next;
}

/** Settled cards of which nobody has said how they ended. @param {Inbox} inbox */
export function missing(inbox) {
  return inbox.order.filter((id) => {
    const entry = inbox.entries[id];
    return entry !== undefined && entry.state !== 'pending' && entry.at === null;
  });
}

/** A card is new, or has changed. A new one goes to the end. @param {Inbox} inbox @param {Card} card */
function shown(inbox, card) {
  const id = card.approvalId;
  const old = inbox.entries[id];
  if (!old) return { ...put(inbox, id, fresh(card)), order: [...inbox.order, id] };
  // It was settled before this was said: events are told again after a reconnect.
  if (old.at !== null) return inbox;
  if (old.state === 'pending' && same(old.card, card)) return inbox;
  const change = old.state === 'pending' ? (between(old.card, card) ?? old.change) : old.change;
  return put(inbox, id, { ...fresh(card), change, version: old.version + 1 });
}

/** @param {Card} card @returns {Entry} */
function fresh(card) {
  return { card, state: 'pending', by: null, at: null, reason: null, change: null, sending: false, refused: null, version: 0 };
}

/** First answer wins: the first end that is told of stays. @param {Inbox} inbox @param {Resolved} end */
function resolved(inbox, end) {
  const entry = inbox.entries[end.approvalId];
  if (!entry || entry.at !== null) return inbox;
  const { state, by, at, reason } = end;
  return put(inbox, end.approvalId, { ...entry, state, by, at, reason: reason ?? null, sending: false, refused: null });
}

/**
 * An answer was sent.
 * @param {Inbox} inbox
 * @param {string} id
 */
export function sending(inbox, id) {
  const entry = inbox.entries[id];
  return entry?.state === 'pending' ? put(inbox, id, { ...entry, sending: true, refused: null }) : inbox;
}

/**
 * An answer was refused, for a reason that leaves the card waiting.
 * @param {Inbox} inbox
 * @param {string} id
 * @param {string} why
 */
export function refused(inbox, id, why) {
  const entry = inbox.entries[id];
  return entry?.state === 'pending'
    ? put(inbox, id, { ...entry, sending: false, refused: why, version: entry.version + 1 })
    : inbox;
}

/** The connection is gone: what was sent may have come or not; the events will tell. @param {Inbox} inbox */
export function disconnected(inbox) {
  let next = inbox;
  for (const id of inbox.order) {
    const entry = next.entries[id];
    if (entry?.sending) next = put(next, id, { ...entry, sending: false });
  }
  return next;
}

/** How many wait. @param {Inbox} inbox */
export function waiting(inbox) {
  return inbox.order.filter((id) => inbox.entries[id]?.state === 'pending');
}

/** Settled ones, which can go. @param {Inbox} inbox */
export function settled(inbox) {
  return inbox.order.filter((id) => inbox.entries[id]?.state !== 'pending');
}

/** Settled ones that have been there for long. @param {Inbox} inbox @param {number} now */
export function stale(inbox, now) {
  return settled(inbox).filter((id) => isOld(inbox.entries[id], now));
}

/** @param {Entry | undefined} entry @param {number} now */
function isOld(entry, now) {
  if (!entry || entry.state === 'pending' || entry.at === null) return false;
  return now - Date.parse(entry.at) > KEPT;
}

/** @param {Inbox} inbox @param {readonly string[]} ids @returns {Inbox} */
export function without(inbox, ids) {
  if (ids.length === 0) return inbox;
  const gone = new Set(ids);
  const entries = Object.fromEntries(Object.entries(inbox.entries).filter(([id]) => !gone.has(id)));
  return { ...inbox, entries, order: inbox.order.filter((id) => !gone.has(id)) };
}

/** @param {Inbox} inbox @param {string} id @param {Entry} entry @returns {Inbox} */
function put(inbox, id, entry) {
  return { ...inbox, entries: { ...inbox.entries, [id]: entry } };
}

/** Pending ones that can be answered together with this one, itself among them. @param {Inbox} inbox @param {string} id */
export function alike(inbox, id) {
  const key = inbox.entries[id]?.card.alike;
  return key ? waiting(inbox).filter((other) => inbox.entries[other]?.card.alike === key) : [id];
}

/** @param {Card} one @param {Card} other */
function same(one, other) {
  return text({ ...one, type: '' }) === text({ ...other, type: '' });
}

/** What has changed from `old` to `card`. @param {Card} old @param {Card} card @returns {Change} */
export function between(old, card) {
  if (same(old, card)) return null;
  const call = (/** @type {Card} */ of) => text([of.toolCall, of.accesses, of.cwd, of.env, of.server, of.tool]);
  return call(old) === call(card) ? 'rules' : 'call';
}

/** @param {unknown} value */
function text(value) {
  return JSON.stringify(value);
}
