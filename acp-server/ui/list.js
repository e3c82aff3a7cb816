// @ts-check
// The cards in their order: new ones go to the end, and none changes its place.

import { CardView } from './card.js';
import { foreign } from './dom.js';
import { stillAll } from './guard.js';
import * as notify from './notify.js';
import { plan } from './seen.js';
import { alike, settled, waiting } from './state.js';
import { Together } from './together.js';
import { headlineText } from './asked.js';
import { ending, summary } from './wording.js';

/** @import { Entry, Inbox } from './types.d.ts' */

/** So long may drawing new cards take in one frame, in milliseconds: then they are painted, and the rest comes after it. */
const BUDGET = 8;

/** @param {string} id */
const place = (id) => /** @type {HTMLElement} */ (document.getElementById(id));

export class List {
  /** @type {Map<string, CardView>} */
  #views = new Map();
  /** @type {Inbox['entries']} */
  #shown = {};
  /** What is to be shown, where some of it is not drawn yet. @type {Inbox | null} */
  #rest = null;

  /** @param {ConstructorParameters<typeof CardView>[1]} tell */
  constructor(tell) {
    this.together = new Together(place('together'), tell.answerAlike);
    this.tell = { ...tell, ticked: () => this.together.show(this.#views.values()) };
  }

  /** @param {Inbox} inbox */
  show(inbox) {
    let moved = false;
    for (const [id, view] of this.#views) {
      if (inbox.entries[id]) continue;
      view.dispose();
      view.element.remove();
      this.#views.delete(id);
      moved = true;
    }
    const end = performance.now() + BUDGET;
    let [drawn, left] = [0, 0];
    /** @type {Record<string, Entry>} */
    const shown = {};
    for (const id of inbox.order) {
      const entry = inbox.entries[id];
      if (!entry) continue;
      let view = this.#views.get(id);
      if (!view) {
        // Where nobody looks nothing has to be painted first.
        if (left > 0 || (drawn > 0 && document.visibilityState === 'visible' && performance.now() > end)) {
          left += 1;
          continue;
        }
        drawn += 1;
        view = new CardView(entry, this.tell);
        this.#views.set(id, view);
        place('cards').append(view.element);
      }
      const group = alike(inbox, id).flatMap((one) => inbox.entries[one]?.card ?? []);
      moved = view.update(entry, group) || moved;
      this.#announce(this.#shown[id], entry);
      shown[id] = entry;
    }
    if (moved) {
      stillAll();
      plan();
    }
    this.#shown = shown;
    this.together.show(this.#views.values());
    this.#counts(inbox);
    this.#later(left > 0 ? inbox : null);
  }

  /** Draws the rest once what was drawn is painted. @param {Inbox | null} inbox */
  #later(inbox) {
    const planned = this.#rest !== null;
    this.#rest = inbox;
    if (planned || inbox === null) return;
    const go = () => {
      const rest = this.#rest;
      this.#rest = null;
      if (rest) this.show(rest);
    };
    // There are no frames while nobody looks.
    const timer = setTimeout(go, 500);
    requestAnimationFrame(() => setTimeout(() => {
      clearTimeout(timer);
      go();
    }));
  }

  /** Tells a screen reader what is new. @param {Entry | undefined} old @param {Entry} entry */
  #announce(old, entry) {
    if (old?.state === entry.state) return;
    if (entry.state === 'pending') notify.waits(entry.card);
    else notify.settled(entry.card.approvalId);
    const text = entry.state === 'pending' ? `${headlineText(entry.card)}: ${summary(entry.card)}` : `${ending(entry)}: ${summary(entry.card)}`;
    const log = place('news');
    log.append(foreign(text, 'p'));
    while (log.childElementCount > 5) log.firstElementChild?.remove();
  }

  /** @param {Inbox} inbox */
  #counts(inbox) {
    const [pending, done] = [waiting(inbox).length, settled(inbox).length];
    document.title = pending ? `(${pending}) mayi` : 'mayi';
    const next = place('next');
    const { line } = inbox;
    next.textContent = (pending === 1 ? '1 waits' : `${pending} wait`) + (line > 0 ? `, ${line} more in line` : '');
    next.hidden = pending === 0;
    place('nothing').hidden = inbox.order.length > 0;
    place('clear').hidden = done === 0;
    place('clear').textContent = `Clear ${done} answered`;
    place('lost').hidden = !inbox.lost;
  }

  /** Goes to the first card that waits. @param {Inbox} inbox */
  goTo(inbox) {
    const view = this.#views.get(waiting(inbox)[0] ?? '');
    view?.element.scrollIntoView({ block: 'start' });
    view?.element.focus({ preventScroll: true });
  }
}
