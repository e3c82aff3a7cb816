// @ts-check
// The choices of a card, and what some of them ask for before they are an answer.

import { headlineText, writtenLine } from './asked.js';
import { foreign, h } from './dom.js';
import { canRemember, denying, remembering } from './forms.js';
import { Seen } from './seen.js';
import { about } from './what.js';
import { bypassMeans, optionKind, sessionCovers } from './wording.js';

/** @import { Card, Remember } from './types.d.ts' */
/**
 * What is chosen: one of the card's options, and what goes with it.
 * @typedef {{ optionId: string, reason?: string, bypassAll?: boolean, bypassSession?: boolean, remember?: Remember }} Choice
 */
/**
 * @typedef {object} Desk
 * @property {(event: MouseEvent | SubmitEvent, allows: boolean) => boolean} lets whether the press counts
 * @property {(choice: Choice) => void} answer
 * @property {() => void} still something else is under the finger now
 * @property {(part: HTMLElement) => Seen} watch whether a part of the choices was in sight
 */

/**
 * @param {Card} card
 * @param {Desk} desk
 */
export function answers(card, desk) {
  const place = h('div', { class: 'answers' });
  const below = h('div', { class: 'panel', hidden: true });
  /** Which choice has opened what is below. */
  let opened = '';
  const offers = (/** @type {string} */ id) => card.options.some((option) => option.optionId === id);
  // Agents given by a command share nothing with named ones, and have no settings: they are bypassed for a session.
  const named = !card.agentName.includes(':');
  /** @param {string} id @param {string | Node} label @param {string} tone @param {() => void} press @param {boolean} [allows] */
  const button = (id, label, tone, press, allows = false) => {
    const element = h('button', { type: 'button', 'action-id': id, class: tone, 'data-allows': allows }, label);
    element.addEventListener('click', (event) => {
      if (desk.lets(event, allows)) press();
    });
    return element;
  };
  /** A choice that opens something below: the others keep their places. @param {string} id @param {string} label @param {() => HTMLElement[]} make */
  const opens = (id, label, make) => {
    const element = h('button', { type: 'button', 'action-id': id, class: 'plain', 'aria-expanded': 'false' }, label);
    element.addEventListener('click', () => show(opened === id ? '' : id, make));
    return element;
  };
  /** @param {string} id @param {() => HTMLElement[]} [make] */
  const show = (id, make) => {
    opened = id;
    below.hidden = id === '';
    below.replaceChildren(...(make && id ? make() : []));
    for (const one of place.querySelectorAll('[aria-expanded]')) one.setAttribute('aria-expanded', String(one.getAttribute('action-id') === id));
    desk.still();
  };
  /** @param {string} from the choice that opened it */
  const back = (from) => button('back', 'Back', 'plain', () => {
    show('');
    /** @type {HTMLElement | null} */ (place.querySelector(`[action-id="${from}"]`))?.focus();
  });

  const denyBecause = () => {
    const words = /** @type {HTMLTextAreaElement} */ (h('textarea', { rows: '3', id: `why-${card.approvalId}` }));
    const keep = denying(card);
    const send = button('deny_reason_send', 'Deny and tell the agent', 'deny', () => {
      const reason = words.value.trim();
      const remember = keep.value();
      desk.answer({ optionId: 'deny', ...(reason ? { reason } : {}), ...(remember ? { remember } : {}) });
    });
    const label = h('label', { for: words.id }, 'Why not? The agent is told.');
    queueMicrotask(() => words.focus());
    return [h('div', { class: 'form', role: 'group', 'aria-label': 'Deny with a reason' }, label, words, keep.form, send, back('deny_reason'))];
  };

  /** Both are asked for on the card, and confirmed below it: the focus begins on what allows nothing. @param {string} from */
  const backFirst = (from) => {
    const cancel = back(from);
    queueMicrotask(() => cancel.focus());
    return cancel;
  };

  const bypass = () => {
    const cancel = backFirst('bypass');
    const sure = [];
    if (offers('allow_session')) {
      sure.push(button('bypass_session', 'Bypass for this session', 'danger', () => desk.answer({ optionId: 'allow_once', bypassSession: true }), true));
    }
    if (named) sure.push(button('bypass_confirm', 'Bypass for good', 'danger', () => desk.answer({ optionId: 'allow_once', bypassAll: true }), true));
    const text = h('p', { class: 'warn' }, foreign(bypassMeans(card.agentName, named)));
    const question = h('h3', {}, 'Bypass permissions for ', foreign(card.agentName), '?');
    return [h('div', { class: 'form', role: 'group', 'aria-label': 'Bypass permissions' }, question, text, cancel, ...sure)];
  };

  const always = () => {
    const choice = remembering(card);
    const cancel = backFirst('always');
    const save = button('always_allow', 'Always allow this', 'allow', () => {
      const remember = choice.value();
      if (remember) desk.answer({ optionId: 'allow_always', remember });
    }, true);
    return [h('div', { class: 'form', role: 'group', 'aria-label': 'Always allow' }, choice.form, save, cancel)];
  };

  /** Allows the like in this session. What that is stands on it, and has to be in sight. @param {string} covers */
  const session = (covers) => {
    const label = h('span', {}, 'Allow for this session', h('small', {}, foreign(covers)));
    const element = button('allow_session', label, 'allow', () => {
      seen.look();
      if (seen.all) desk.answer({ optionId: 'allow_session' });
      else element.scrollIntoView({ block: 'nearest', behavior: 'instant' });
    }, true);
    const seen = desk.watch(element);
    return element;
  };

  const more = () => {
    const own = card.options.filter((option) => option.optionId.startsWith('agent:'));
    const list = own.length ? [h('div', { class: 'own', role: 'group', 'aria-label': 'The agent’s own options' }, h('p', { class: 'note' }, 'The agent’s own options'), ...own.map(ofAgent))] : [];
    return [...list, about(card)];
  };

  /** @param {import('./types.d.ts').CardOption} option */
  const ofAgent = (option) => {
    const tone = option.kind.startsWith('reject') ? 'deny' : option.danger ? 'danger' : 'allow';
    const about = h('small', {}, foreign(optionKind(option)));
    const label = h('span', {}, foreign(option.name, 'strong'), about);
    if (option.danger) label.append(h('small', { class: 'warn' }, '⚠ ', foreign(option.danger)));
    return button(option.optionId, label, tone, () => desk.answer({ optionId: option.optionId }), !option.kind.startsWith('reject'));
  };

  if (offers('allow_once')) place.append(button('allow_once', 'Allow once', 'allow', () => desk.answer({ optionId: 'allow_once' }), true));
  const covers = sessionCovers(card);
  if (covers !== '') place.append(session(covers));
  if (offers('allow_always') && canRemember(card)) place.append(opens('always', 'Always…', always));
  if (offers('deny')) place.append(button('deny', 'Deny', 'deny', () => desk.answer({ optionId: 'deny' })), opens('deny_reason', 'Deny…', denyBecause));
  if (offers('allow_once') && (named || offers('allow_session'))) place.append(opens('bypass', 'Bypass…', bypass));
  place.append(opens('more', 'More', more), below);
  // Where nothing of mayi's allows, the agent's own options are what there is.
  if (!offers('allow_once') && card.options.some((option) => option.optionId.startsWith('agent:'))) show('more', more);
  place.setAttribute('role', 'group');
  place.setAttribute('aria-label', 'Answers');
  return place;
}

/**
 * The choices that settle several cards at once: they are all named before it can be done.
 * @param {Card[]} cards
 * @param {{ lets: (event: MouseEvent, allows: boolean) => boolean, still: () => void }} desk
 * @param {(ids: string[], optionId: string) => void} answer
 */
export function alikeAnswers(cards, desk, answer) {
  const place = h('div', { class: 'answers alike', role: 'group', 'aria-label': `All ${cards.length} that are alike` });
  const offer = h('button', { type: 'button', 'action-id': 'alike', class: 'plain' }, `Answer all ${cards.length} that are alike…`);
  const ids = cards.map((card) => card.approvalId);
  offer.addEventListener('click', () => {
    const list = h('ol', {}, ...cards.map((card) => h('li', {}, foreign(writtenLine(card) ?? headlineText(card), 'code'))));
    const seen = new Seen(list, () => {
      allow.classList.toggle('unread', !seen.all);
      desk.still();
    });
    const one = (/** @type {string} */ id, /** @type {string} */ label, /** @type {string} */ optionId, /** @type {boolean} */ allows) => {
      const button = h('button', { type: 'button', 'action-id': id, class: optionId === 'deny' ? 'deny' : 'allow', 'data-allows': allows }, label);
      button.addEventListener('click', (event) => {
        if (!desk.lets(event, allows)) return;
        if (allows && !seen.all) seen.further();
        else answer(ids, optionId);
      });
      return button;
    };
    const allow = one('alike_allow', `Allow all ${cards.length} alike`, 'allow_once', true);
    place.replaceChildren(list, allow, one('alike_deny', `Deny all ${cards.length} alike`, 'deny', false));
    desk.still();
  });
  place.append(offer);
  return place;
}
