// @ts-check
// One answer for several cards that differ. Each is shown where it stands, and ticked there; what is answered by itself has no
// tick (D6.18).

import { h } from './dom.js';
import { lets, still } from './guard.js';
import { answersAll } from './ticks.js';

/** @import { CardView } from './card.js' */

/** The tick of a card: a press counts as one on a choice does. @param {(event: MouseEvent) => boolean} rested @param {() => void} changed */
export function tick(rested, changed) {
  const box = /** @type {HTMLInputElement} */ (h('input', { type: 'checkbox', 'action-id': 'tick' }));
  box.addEventListener('click', (event) => {
    if (!rested(event)) event.preventDefault();
  });
  box.addEventListener('change', changed);
  return { box, row: h('label', { class: 'tick', hidden: true }, box, ' Answer together with others') };
}

/** The bar that answers what is ticked. */
export class Together {
  /** @type {readonly CardView[]} */
  #ticked = [];
  #digests = '';

  /** @param {HTMLElement} bar @param {(ids: string[], optionId: string) => void} answer */
  constructor(bar, answer) {
    this.bar = bar;
    this.answer = answer;
  }

  /** Shows what is ticked of the cards that are there. @param {Iterable<CardView>} views */
  show(views) {
    const all = [...views];
    const tickable = all.filter((view) => view.tickable);
    for (const view of tickable) view.offerTick(tickable.length > 1);
    this.#ticked = tickable.filter((view) => view.ticked);
    const digests = this.#ticked.map((view) => view.digest).join(' ');
    if (digests === this.#digests) return;
    this.#digests = digests;
    this.#draw();
  }

  #draw() {
    const count = this.#ticked.length;
    this.bar.hidden = count === 0;
    const answers = h('div', { class: 'answers' });
    const button = (/** @type {string} */ id, /** @type {string} */ label, /** @type {string} */ tone, /** @type {(event: MouseEvent) => void} */ press) => {
      const element = h('button', { type: 'button', 'action-id': id, class: tone }, label);
      element.addEventListener('click', press);
      answers.append(element);
    };
    if (count > 1) {
      button('together_allow', `Allow these ${count} once`, 'allow', (event) => this.#act(event, 'allow_once'));
      button('together_deny', `Deny these ${count}`, 'deny', (event) => this.#act(event, 'deny'));
    }
    button('together_cancel', 'Untick', 'plain', () => this.#untick());
    this.bar.replaceChildren(...(count === 1 ? [h('p', {}, '1 is ticked; tick others to answer them together.')] : []), answers);
    // Another number is another question.
    still(this.bar);
  }

  #untick() {
    const ticked = this.#ticked;
    for (const view of ticked) view.untick();
    this.show(ticked);
  }

  /** One answer to each, bound to what was shown of it. What was not seen of them is shown first, card by card. @param {MouseEvent} event @param {string} optionId */
  #act(event, optionId) {
    if (!lets(event, this.bar) || !answersAll(this.#ticked, optionId, (view) => view.allows(event))) return;
    const ids = this.#ticked.map((view) => view.id);
    this.#untick();
    this.answer(ids, optionId);
  }
}
