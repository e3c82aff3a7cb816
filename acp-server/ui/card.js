// @ts-check
// A card on the page. It settles where it stands: its choices go, its state stays.

import { alikeAnswers, answers } from './answers.js';
import { foreign, h } from './dom.js';
import { lets, refresh, still } from './guard.js';
import { about, what } from './what.js';
import { REVIEW, WARNING, ending, heading } from './wording.js';

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
  #alike = 0;

  /**
   * @param {Entry} entry
   * @param {{ answer: (id: string, choice: Choice) => void, answerAlike: (id: string, optionId: string) => void }} tell
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
   * @param {number} alike how many can be answered together with it, itself among them
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
      if (entry.state === 'pending') this.#draw();
      else this.#settle();
      return entry.state === 'pending';
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

  /** @param {string} part */
  #id(part) {
    return `${part}-${this.#entry.card.approvalId}`;
  }

  #draw() {
    const { card, change, state } = this.#entry;
    const { before, name, after } = heading(card);
    const focused = this.element.contains(document.activeElement);
    this.element.style.minHeight = '';
    this.element.replaceChildren(
      h('h2', { id: this.#id('heading') }, h('span', { class: 'mark', 'aria-hidden': 'true' }, MARKS[state]), before, foreign(name), after),
      h('p', { class: 'message', role: 'alert' }, change && CHANGES[change]),
      what(card),
      about(card),
      h('p', { class: 'warning' }, card.server && WARNING, card.server ? h('strong', {}, REVIEW) : 'Review it before you allow it.'),
    );
    this.element.dataset.state = state;
    this.element.dataset.busy = 'false';
    this.#alike = 0;
    if (state === 'pending') {
      const desk = this.#desk();
      this.element.append(h('div', { class: 'alike-place' }), answers(card, desk));
      still(this.element);
    } else {
      this.#ending();
    }
    if (focused) this.element.focus();
  }

  /** @returns {import('./answers.js').Desk} */
  #desk() {
    const id = this.#entry.card.approvalId;
    return {
      lets: (event) => lets(/** @type {MouseEvent} */ (event), this.element),
      answer: (choice) => this.tell.answer(id, choice),
      answerAlike: (optionId) => this.tell.answerAlike(id, optionId),
      still: () => still(this.element),
    };
  }

  /** Offers to answer all alike. @param {number} count @returns {boolean} whether that has changed */
  #setAlike(count) {
    const wanted = count > 1 ? count : 0;
    const place = this.element.querySelector('.alike-place');
    if (wanted === this.#alike || !place) return false;
    this.#alike = wanted;
    place.replaceChildren(...(wanted ? [alikeAnswers(wanted, this.#desk())] : []));
    still(this.element);
    return true;
  }

  #settle() {
    const focused = this.element.contains(document.activeElement);
    // What stands below stays where it is.
    this.element.style.minHeight = `${this.element.getBoundingClientRect().height}px`;
    for (const part of this.element.querySelectorAll('.answers, .alike-place, .warning')) part.remove();
    this.#message(null);
    this.element.dataset.state = this.#entry.state;
    this.element.dataset.busy = 'false';
    const mark = this.element.querySelector('.mark');
    if (mark) mark.textContent = MARKS[this.#entry.state];
    this.#ending();
    if (focused) this.element.focus({ preventScroll: true });
  }

  #ending() {
    const line = h('p', { class: 'ending' }, foreign(ending(this.#entry)));
    const old = this.element.querySelector('.ending');
    if (old) old.replaceWith(line);
    else this.element.querySelector('h2')?.after(line);
  }

  /** @param {string | null} text */
  #message(text) {
    this.element.querySelector('.message')?.replaceChildren(...(text ? [foreign(text)] : []));
  }
}
