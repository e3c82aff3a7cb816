// @ts-check
// A card on the page. It settles where it stands: its choices go, its state stays.

import { alikeAnswers, answers } from './answers.js';
import { foreign, h } from './dom.js';
import { lets, refresh, still } from './guard.js';
import { headlineText, isFromOutside, writtenLine } from './asked.js';
import { Seen } from './seen.js';
import { isTickable } from './ticks.js';
import { tick } from './together.js';
import { about, because, headingOf, what } from './what.js';
import { REVIEW, WARNING, ending } from './wording.js';

/** @import { Entry } from './types.d.ts' */
/** @import { Choice } from './answers.js' */

const MARKS = { pending: '●', approved: '✓', denied: '✗', expired: '✗', cancelled: '–' };
const CHANGES = {
  call: 'This call has changed since it was shown. Look at it again.',
  rules: 'The rules have changed since this was shown; the call is the same.',
};

export class CardView {
  /** @type {Entry} */
  #entry;
  /** The digests of those that are offered to be answered together. */
  #alike = '';
  /** @type {Seen | null} */
  #seen = null;
  /** What has to be in sight besides, before one of the choices counts. @type {Seen[]} */
  #parts = [];
  /** What ticks it, where it may be answered along with others. @type {ReturnType<typeof tick> | null} */
  #tick = null;

  /**
   * @param {Entry} entry
   * @param {{ answer: (id: string, choice: Choice) => void, answerAlike: (ids: string[], optionId: string) => void, ticked?: () => void }} tell
   *   `ticked`: it was ticked, or is no more, where cards have ticks
   */
  constructor(entry, tell) {
    this.tell = tell;
    this.#entry = entry;
    this.element = h('article', {
      class: 'card', tabindex: '-1', 'data-approval-id': entry.card.approvalId, 'aria-labelledby': this.#id('heading'),
    });
    this.#draw();
  }

  /**
   * Shows what has become of it.
   * @param {Entry} entry
   * @param {import('./types.d.ts').Card[]} alike those that can be answered together with it, itself among them
   * @returns {boolean} whether what stands below it may have moved
   */
  update(entry, alike) {
    const old = this.#entry;
    this.#entry = entry;
    if (entry.card !== old.card) {
      this.#draw();
      this.#setAlike(alike);
      return true;
    }
    if (entry.state !== old.state) {
      this.#draw();
      return true;
    }
    if (entry.state !== 'pending') {
      this.#ending();
      return false;
    }
    let moved = false;
    if (entry.refused !== old.refused || entry.version !== old.version) {
      this.#message(entry.refused);
      still(this.element);
      moved = true;
    }
    this.element.dataset.busy = String(entry.sending);
    refresh(this.element);
    return this.#setAlike(alike) || moved;
  }

  dispose() {
    for (const seen of [this.#seen, ...this.#parts]) seen?.dispose();
    [this.#seen, this.#parts, this.#tick] = [null, [], null];
  }

  get id() {
    return this.#entry.card.approvalId;
  }

  get digest() {
    return this.#entry.card.digest;
  }

  /** Whether a press that allows counts: it rests no more, and all of it was in sight. @param {MouseEvent | SubmitEvent} event */
  allows(event) {
    return lets(event, this.element) && this.#seen?.all === true;
  }

  /** Shows what was not seen of it, if there is something. */
  further() {
    if (this.#seen?.all === false) this.#seen.further();
  }

  /** Whether it may be answered along with others. */
  get tickable() {
    return this.#tick !== null && !this.#entry.sending;
  }

  get ticked() {
    return this.tickable && this.#tick?.box.checked === true;
  }

  untick() {
    if (this.#tick) this.#tick.box.checked = false;
  }

  /** @param {boolean} on whether there is another one to answer it with */
  offerTick(on) {
    if (this.#tick) this.#tick.row.hidden = !on;
  }

  /** @param {string} part */
  #id(part) {
    return `${part}-${this.#entry.card.approvalId}`;
  }

  #draw() {
    const { card, change, state } = this.#entry;
    const focused = this.element.contains(document.activeElement);
    this.dispose();
    this.element.dataset.state = state;
    this.element.dataset.busy = 'false';
    this.#alike = '';
    if (state !== 'pending') {
      this.#settle();
      return;
    }
    const body = h('div', { class: 'body' },
      h('h2', { id: this.#id('heading') }, ...headingOf(card)),
      h('p', { class: 'message', role: 'alert' }, change && CHANGES[change]),
      what(card),
      ...because(card),
      isFromOutside(card) && h('p', { class: 'warning' }, `${WARNING} `, h('strong', {}, REVIEW)));
    const rest = h('p', { class: 'unread' }, 'Allow counts once all of this was in sight. ');
    const further = h('button', { type: 'button', class: 'link', 'action-id': 'further' }, 'Show the rest');
    further.addEventListener('click', () => this.#seen?.further());
    rest.append(further);
    const { ticked } = this.tell;
    if (ticked && isTickable(card)) this.#tick = tick((event) => lets(event, this.element), ticked);
    const places = [rest, h('div', { class: 'alike-place' }), ...(this.#tick ? [this.#tick.row] : [])];
    this.element.replaceChildren(body, answers(card, this.#desk()), ...places);
    this.element.dataset.seen = 'false';
    this.#seen = new Seen(body, (since) => this.#inSight(since));
    still(this.element);
    if (focused) this.element.focus();
  }

  /** All of it was in sight, the last of it since that moment; or no more. @param {number} since */
  #inSight(since) {
    this.element.dataset.seen = String(this.#seen?.all === true);
    // What comes into sight last rests like what appears.
    still(this.element, since);
  }

  /** @returns {import('./answers.js').Desk} */
  #desk() {
    const id = this.#entry.card.approvalId;
    return {
      lets: (event, allows) => {
        if (!lets(event, this.element)) return false;
        if (!allows || this.allows(event)) return true;
        this.further();
        return false;
      },
      answer: (choice) => this.tell.answer(id, choice),
      watch: (part) => {
        part.toggleAttribute('data-unseen', true);
        const seen = new Seen(part, (since) => {
          part.toggleAttribute('data-unseen', !seen.all);
          still(this.element, since);
        });
        this.#parts.push(seen);
        return seen;
      },
      still: () => still(this.element),
    };
  }

  /** Offers to answer all alike. @param {import('./types.d.ts').Card[]} cards @returns {boolean} whether that has changed */
  #setAlike(cards) {
    const wanted = cards.length > 1 ? cards.map((card) => card.digest).join(' ') : '';
    const place = this.element.querySelector('.alike-place');
    if (wanted === this.#alike || !place) return false;
    this.#alike = wanted;
    place.replaceChildren(...(wanted ? [alikeAnswers(cards, this.#desk(), this.tell.answerAlike)] : []));
    still(this.element);
    return true;
  }

  /** One line is left; what was asked is on demand. */
  #settle() {
    const { card, state } = this.#entry;
    const focused = this.element.contains(document.activeElement);
    const own = this.element.dataset.busy === 'true' || focused;
    this.element.dataset.state = state;
    this.element.dataset.busy = 'false';
    const asked = writtenLine(card);
    const line = h('summary', { id: this.#id('heading') }, h('span', { class: 'mark', 'aria-hidden': 'true' }, MARKS[state]),
      h('span', { class: 'about-what' }, asked === null ? foreign(headlineText(card)) : foreign(asked.slice(0, 200), 'code')), ' ', h('span', { class: 'ending' }));
    const details = h('details', { class: 'settled' }, line);
    details.addEventListener('toggle', () => {
      if (details.childElementCount === 1) details.append(h('h2', {}, ...headingOf(card)), what(card), about(card));
    });
    this.element.replaceChildren(details);
    this.#ending();
    if (focused) this.element.focus({ preventScroll: true });
    // Whoever answered a long card sees what became of it.
    if (own) this.element.scrollIntoView({ block: 'nearest' });
  }

  #ending() {
    this.element.querySelector('.ending')?.replaceChildren(foreign(ending(this.#entry)));
  }

  /** @param {string | null} text */
  #message(text) {
    this.element.querySelector('.body > .message')?.replaceChildren(...(text ? [foreign(text)] : []));
  }
}
