// @ts-check
// The page: what waits, and the answers. What is decided is decided in the backend; here it is shown and passed on.

import { visible } from './visible.js';
import { setOnline } from './guard.js';
import { Link } from './link.js';
import { offerNotifications } from './notify.js';
import { List } from './list.js';
import { pairing, showPairing } from './pair.js';
import { Refusal } from './rpc.js';
import * as inboxOf from './state.js';

/** @import { Answer, Event, Inbox } from './types.d.ts' */
/** @import { Choice } from './answers.js' */
/** @import { LinkState } from './link.js' */

/** @param {string} id */
const place = (id) => /** @type {HTMLElement} */ (document.getElementById(id));
const STATES = {
  connecting: 'Connecting…', connected: 'Connected', lost: 'Not connected. Trying again…', unpaired: 'Not paired',
};

/** @type {Inbox} */
let inbox = inboxOf.EMPTY;
const list = new List({ answer, answerAlike });
const link = new Link({
  batch: ({ events }) => {
    show(inboxOf.heard(inbox, events, Date.now()));
    if (events.some((event) => event.type === 'snapshot')) void lookUp();
  },
  state: linked,
});
pairing(() => link.start());
offerNotifications(place('notify'));

/** @param {Inbox} next */
function show(next) {
  if (next === inbox) return;
  inbox = next;
  list.show(inbox);
}

/** @param {LinkState} state */
function linked(state) {
  const connection = place('connection');
  connection.textContent = STATES[state];
  connection.dataset.state = state;
  setOnline(state === 'connected');
  showPairing(state === 'unpaired');
  place('inbox').hidden = state === 'unpaired';
  if (state !== 'connected') show(inboxOf.disconnected(inbox));
  // What was asked when the connection broke had no answer.
  else void lookUp();
}

/** Asks how those ended of which nothing was heard. */
async function lookUp() {
  const ids = inboxOf.missing(inbox);
  if (ids.length === 0) return;
  /** @type {{ card: { approvalId: string }, state: string, by: string | null, at: string | null, reason: string | null }[]} */
  const entries = await link.call('approval/list', { ids }).catch(() => []);
  const ends = entries.filter(({ state, at }) => state !== 'pending' && at !== null).map(({ card, ...end }) =>
    /** @type {Event} */ ({ type: 'approval-resolved', approvalId: card.approvalId, ...end }));
  show(inboxOf.heard(inbox, ends, Date.now()));
}

/** @param {string} id @param {Choice} choice @returns {Answer | null} */
function answerTo(id, { optionId, ...more }) {
  const entry = inbox.entries[id];
  if (entry?.state !== 'pending' || entry.sending) return null;
  return { approvalId: id, digest: entry.card.digest, response: { outcome: { outcome: 'selected', optionId } }, ...more };
}

/** @param {string} id @param {Choice} choice */
function answer(id, choice) {
  const response = answerTo(id, choice);
  if (!response) return;
  show(inboxOf.sending(inbox, id));
  link.call('approval/respond', response).then(
    (resolved) => show(inboxOf.heard(inbox, [{ ...resolved, type: 'approval-resolved' }], Date.now())),
    (error) => notTaken(id, error),
  );
}

/** The same for those that were named. @param {string[]} ids @param {string} optionId */
function answerAlike(ids, optionId) {
  const responses = ids.map((other) => answerTo(other, { optionId })).filter((one) => one !== null);
  for (const { approvalId } of responses) show(inboxOf.sending(inbox, approvalId));
  link.call('approval/respondMany', { responses }).then(
    ({ results }) => {
      for (const { approvalId, resolved, error } of results) {
        if (resolved) show(inboxOf.heard(inbox, [{ ...resolved, type: 'approval-resolved' }], Date.now()));
        else show(inboxOf.refused(inbox, approvalId, String(error ?? 'This answer was not taken.')));
      }
    },
    (error) => responses.forEach(({ approvalId }) => notTaken(approvalId, error)),
  );
}

/** An answer that did not count. @param {string} id @param {Error} error */
function notTaken(id, error) {
  // Without a connection nobody knows: the events will tell.
  if (!(error instanceof Refusal)) return;
  show(inboxOf.refused(inbox, id, error.message));
  // It was settled or has changed: news of it is on its way, unless it was missed.
  if (['settled', 'unknown', 'changed'].includes(error.data?.reason)) void again(id, error);
}

/** Looks up a card whose answer was refused. @param {string} id @param {Refusal} error */
async function again(id, error) {
  const [entry] = await link.call('approval/list', { ids: [id] }).catch(() => []);
  const now = new Date().toISOString();
  if (entry?.state === 'pending') {
    show(inboxOf.heard(inbox, [{ ...entry.card, type: 'approval-updated' }], Date.now()));
  } else if (entry || error.data.reason !== 'changed') {
    const { state = error.data.state ?? 'cancelled', by = error.data.by ?? null, at = now, reason = null } = entry ?? {};
    show(inboxOf.heard(inbox, [{ type: 'approval-resolved', approvalId: id, state, by, at: at ?? now, reason }], Date.now()));
  }
}

place('clear').addEventListener('click', () => {
  show(inboxOf.without(inbox, inboxOf.settled(inbox)));
  place('inbox').focus({ preventScroll: true });
});
place('next').addEventListener('click', () => list.goTo(inbox));
// Whoever looks away has moved on: what was settled long ago is gone when they are back.
document.addEventListener('visibilitychange', () => {
  if (document.visibilityState === 'hidden') show(inboxOf.without(inbox, inboxOf.stale(inbox, Date.now())));
});
place('host').textContent = visible(location.host);
link.start();
