// @ts-check
// The choices of a card, and what some of them ask for before they are an answer.

import { foreign, h } from './dom.js';
import { canRemember, denying, remembering } from './forms.js';
import { bypassMeans, optionKind, sessionCovers } from './wording.js';

/** @import { Card, Remember } from './types.d.ts' */
/**
 * What is chosen: one of the card's options, and what goes with it.
 * @typedef {{ optionId: string, reason?: string, bypassAll?: boolean, bypassSession?: boolean, remember?: Remember }} Choice
 */
/**
 * @typedef {object} Desk
 * @property {(event: MouseEvent | SubmitEvent) => boolean} lets whether the press counts
 * @property {(choice: Choice) => void} answer
 * @property {(optionId: string) => void} answerAlike the same for all alike
 * @property {() => void} still something else is under the finger now
 */

/**
 * @param {Card} card
 * @param {Desk} desk
 */
export function answers(card, desk) {
  const place = h('div', { class: 'answers' });
  const offers = (/** @type {string} */ id) => card.options.some((option) => option.optionId === id);
  // Agents given by a command share nothing with named ones, and have no settings: they are bypassed for a session.
  const named = !card.agentName.includes(':');
  /** @param {string} id @param {string | Node} label @param {string} tone @param {() => void} press */
  const button = (id, label, tone, press) => {
    const element = h('button', { type: 'button', 'action-id': id, class: tone }, label);
    element.addEventListener('click', (event) => {
      if (desk.lets(event)) press();
    });
    return element;
  };
  /** @param {HTMLElement} form @param {HTMLElement} focus where the focus begins: never on what allows */
  const open = (form, focus) => {
    place.replaceChildren(form);
    desk.still();
    focus.focus();
  };
  /** @param {string} from the choice that opened what is left */
  const back = (from) => {
    const element = button('back', 'Back', 'plain', () => {
      place.replaceChildren(...choices());
      desk.still();
      /** @type {HTMLElement | null} */ (place.querySelector(`[action-id="${from}"]`))?.focus();
    });
    return element;
  };

  const denyBecause = () => {
    const words = /** @type {HTMLTextAreaElement} */ (h('textarea', { rows: '3', id: `why-${card.approvalId}` }));
    const keep = denying(card);
    const send = button('deny_reason_send', 'Deny and tell the agent', 'deny', () => {
      const reason = words.value.trim();
      const remember = keep.value();
      desk.answer({ optionId: 'deny', ...(reason ? { reason } : {}), ...(remember ? { remember } : {}) });
    });
    const label = h('label', { for: words.id }, 'Why not? The agent is told.');
    open(h('div', { class: 'form', role: 'group', 'aria-label': 'Deny with a reason' }, label, words, keep.form, send, back('deny_reason')), words);
  };

  const bypass = () => {
    const cancel = back('bypass');
    const sure = [];
    if (offers('allow_session')) {
      sure.push(button('bypass_session', 'Bypass for this session', 'danger', () => desk.answer({ optionId: 'allow_once', bypassSession: true })));
    }
    if (named) sure.push(button('bypass_confirm', 'Bypass for good', 'danger', () => desk.answer({ optionId: 'allow_once', bypassAll: true })));
    const text = h('p', { class: 'warn' }, foreign(bypassMeans(card.agentName, named)));
    const question = h('h3', {}, 'Bypass permissions for ', foreign(card.agentName), '?');
    open(h('div', { class: 'form', role: 'group', 'aria-label': 'Bypass permissions' }, question, text, cancel, ...sure), cancel);
  };

  const allowAlways = () => {
    const choice = remembering(card);
    const cancel = back('always');
    const save = button('always_allow', 'Always allow this', 'allow', () => {
      const remember = choice.value();
      if (remember) desk.answer({ optionId: 'allow_always', remember });
    });
    open(h('div', { class: 'form', role: 'group', 'aria-label': 'Always allow' }, choice.form, save, cancel), cancel);
  };

  const choices = () => {
    const out = [];
    if (offers('allow_once')) out.push(button('allow_once', 'Allow once', 'allow', () => desk.answer({ optionId: 'allow_once' })));
    if (offers('allow_session')) {
      const label = h('span', {}, 'Allow for this session', h('small', {}, foreign(sessionCovers(card))));
      out.push(button('allow_session', label, 'allow', () => desk.answer({ optionId: 'allow_session' })));
    }
    if (offers('allow_always') && canRemember(card)) out.push(button('always', 'Always allow…', 'allow', allowAlways));
    if (offers('deny')) {
      out.push(button('deny', 'Deny', 'deny', () => desk.answer({ optionId: 'deny' })));
      out.push(button('deny_reason', 'Deny with a reason, or for longer…', 'deny', denyBecause));
    }
    const own = card.options.filter((option) => option.optionId.startsWith('agent:'));
    if (own.length) out.push(h('details', { class: 'own' }, h('summary', {}, 'The agent’s own options'), ...own.map(ofAgent)));
    if (offers('allow_once') && (named || offers('allow_session'))) {
      const label = h('span', {}, 'Bypass permissions for ', foreign(card.agentName), '…');
      out.push(button('bypass', label, 'plain', bypass));
    }
    return out;
  };

  /** @param {import('./types.d.ts').CardOption} option */
  const ofAgent = (option) => {
    const tone = option.kind.startsWith('reject') ? 'deny' : option.danger ? 'danger' : 'allow';
    const about = h('small', {}, foreign(optionKind(option)));
    const label = h('span', {}, foreign(option.name, 'strong'), about);
    if (option.danger) label.append(h('small', { class: 'warn' }, '⚠ ', foreign(option.danger)));
    return button(option.optionId, label, tone, () => desk.answer({ optionId: option.optionId }));
  };

  place.append(...choices());
  place.setAttribute('role', 'group');
  place.setAttribute('aria-label', 'Answers');
  return place;
}

/**
 * The choices that settle several cards at once.
 * @param {number} count
 * @param {Desk} desk
 */
export function alikeAnswers(count, desk) {
  const one = (/** @type {string} */ id, /** @type {string} */ label, /** @type {string} */ optionId, /** @type {string} */ tone) => {
    const button = h('button', { type: 'button', 'action-id': id, class: tone }, label);
    button.addEventListener('click', (event) => {
      if (desk.lets(event)) desk.answerAlike(optionId);
    });
    return button;
  };
  return h('div', { class: 'answers alike', role: 'group', 'aria-label': `All ${count} that are alike` },
    one('alike_allow', `Allow all ${count} alike`, 'allow_once', 'allow'), one('alike_deny', `Deny all ${count} alike`, 'deny', 'deny'));
}
