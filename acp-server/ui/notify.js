// @ts-check
// Notifications of the browser's while the page is open and not looked at: what waits is named, and a press shows the page. It
// is answered there, where all of it can be seen.

import { headlineText, writtenLine } from './asked.js';
import { visible } from './visible.js';

/** @import { Card } from './types.d.ts' */

/** So much of a long call is named. */
const NAMED = 160;
/** @type {ServiceWorkerRegistration | null} */
let worker = null;
/** Those that are shown, where there is no worker to show them. @type {Map<string, Notification>} */
const shown = new Map();

/** Offers notifications, and takes in the answer. @param {HTMLElement} button */
export function offerNotifications(button) {
  if (!('Notification' in window)) return;
  const show = () => (button.hidden = Notification.permission !== 'default');
  button.addEventListener('click', () => void Notification.requestPermission().then(show));
  show();
  // A phone shows notifications by a worker only. It keeps nothing, and answers for no address.
  if ('serviceWorker' in navigator) {
    navigator.serviceWorker.register('worker.js', { scope: './' }).then((registration) => (worker = registration), () => {});
  }
}

/** A card waits. @param {Card} card */
export function waits(card) {
  if (!('Notification' in window) || Notification.permission !== 'granted' || document.visibilityState === 'visible') return;
  const line = writtenLine(card);
  const said = visible(line === null ? headlineText(card) : `${card.agentName}: ${line}`);
  const options = { body: said.length > NAMED ? `${said.slice(0, NAMED)} …` : said, tag: card.approvalId, icon: 'icon.svg' };
  if (worker?.active) void worker.showNotification('mayi', options);
  else {
    try {
      const note = new Notification('mayi', options);
      note.addEventListener('click', () => window.focus());
      shown.set(card.approvalId, note);
    } catch {
      // This browser shows them by a worker only, and there is none.
    }
  }
}

/** It waits no more. @param {string} id */
export function settled(id) {
  shown.get(id)?.close();
  shown.delete(id);
  void worker?.getNotifications({ tag: id }).then((all) => all.forEach((note) => note.close()));
}
