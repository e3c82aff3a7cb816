// @ts-check
// "Always…": which pattern or level, where, and for how long.

import { foreign, h } from './dom.js';
import { visible } from './visible.js';
import { ofLevel, patternCovers } from './wording.js';

/** @import { Card, Level, Remember, Scope, Suggestion } from './types.d.ts' */

/** @param {Suggestion} suggestion @returns {string[]} */
function patternsOf(suggestion) {
  return suggestion.patterns ?? (suggestion.pattern === undefined ? [] : [suggestion.pattern]);
}

/** Whether there is anything to remember. @param {Card} card */
export function canRemember(card) {
  return card.suggestions.length > 0 || (card.levels ?? []).length > 0;
}

const SCOPES = /** @type {Record<Scope, string>} */ ({
  session: 'Until the session ends', workspace: 'In this folder', user: 'Everywhere: a rule in your configuration',
});
const TIMES = [['', 'For good'], ['1h', 'For an hour'], ['1d', 'For a day'], ['7d', 'For a week']];

/**
 * The fields, and what they say: null while a pattern is empty.
 * @param {Card} card
 * @returns {{ form: HTMLElement, value: () => Remember | null }}
 */
export function remembering(card) {
  const id = card.approvalId;
  const what = h('fieldset', {}, h('legend', {}, 'Always allow what matches'));
  card.suggestions.forEach((suggestion, at) => {
    const label = h('span', {});
    for (const pattern of patternsOf(suggestion)) {
      label.append(foreign(pattern, 'code'), h('small', {}, foreign(patternCovers(pattern))));
    }
    what.append(radio(`what-${id}`, `pattern:${at}`, label, at === 0));
  });
  const levels = card.levels ?? [];
  levels.forEach((level, at) => {
    const label = foreign(ofLevel(card.server?.name ?? '', level));
    what.append(radio(`what-${id}`, `level:${level}`, label, at === 0 && card.suggestions.length === 0));
  });
  const fields = h('div', { class: 'fields' });
  const scopes = h('fieldset', {}, h('legend', {}, 'Where'));
  const time = /** @type {HTMLSelectElement} */ (h('select', { id: `time-${id}` }, ...TIMES.map(([value, name]) =>
    h('option', { value: String(value) }, name))));
  const form = h('div', {}, what, fields, scopes, h('label', { for: time.id }, 'For how long'), time);

  const chosen = () => checked(form, `what-${id}`);
  const suggestion = () => card.suggestions[Number(chosen().replace('pattern:', ''))];
  const show = () => {
    const of = chosen().startsWith('pattern:') ? suggestion() : undefined;
    fields.replaceChildren(...(of ? patternsOf(of).map((pattern, at, all) => field(`${id}-${at}`, pattern, all.length, at)) : []));
    const offered = of?.scopes ?? /** @type {Scope[]} */ (['workspace', 'user']);
    const before = checked(form, `scope-${id}`);
    const selected = offered.includes(/** @type {Scope} */ (before)) ? before : offered[0];
    scopes.replaceChildren(/** @type {Node} */ (scopes.firstChild),
      ...offered.map((scope) => radio(`scope-${id}`, scope, SCOPES[/** @type {Scope} */ (scope)] ?? visible(scope), scope === selected)));
  };
  what.addEventListener('change', show);
  show();

  const value = () => {
    const scope = /** @type {Scope} */ (checked(form, `scope-${id}`));
    const expiresIn = time.value || null;
    if (chosen().startsWith('level:')) {
      return { scope, patterns: [], level: /** @type {Level} */ (chosen().replace('level:', '')), expiresIn };
    }
    const inputs = [.../** @type {NodeListOf<HTMLInputElement>} */ (fields.querySelectorAll('input'))];
    const empty = inputs.find((input) => input.value.trim() === '');
    empty?.focus();
    // What was not edited is sent as it came: a field shows escapes.
    const patterns = inputs.map((input) => (input.value === input.defaultValue ? input.dataset.pattern ?? '' : input.value.trim()));
    return empty ? null : { scope, patterns, expiresIn };
  };
  return { form, value };
}

/**
 * Whether a denial counts for the same from now on, and where.
 * @param {Card} card
 * @returns {{ form: HTMLElement, value: () => Remember | null }}
 */
export function denying(card) {
  const id = `deny-${card.approvalId}`;
  // Agents given by a command have no name that it could be remembered for.
  const scopes = card.agentName.includes(':') ? ['session'] : ['session', 'workspace', 'user'];
  const names = /** @type {Record<string, string>} */ ({ session: 'Also the same, until the session ends', workspace: 'Also the same, in this folder', user: 'Also the same, everywhere' });
  const where = /** @type {HTMLSelectElement} */ (h('select', { id }, h('option', { value: '' }, 'Only this call'),
    ...scopes.map((scope) => h('option', { value: scope }, names[scope] ?? ''))));
  const form = h('div', {}, h('label', { for: id }, 'What is denied'), where);
  const value = () => (where.value === '' ? null : { scope: /** @type {Scope} */ (where.value), patterns: [], expiresIn: null });
  return { form, value };
}

/** @param {string} name @param {string} value @param {string | Node} label @param {boolean} isChosen */
function radio(name, value, label, isChosen) {
  const input = h('input', { type: 'radio', name, value, checked: isChosen });
  return h('label', { class: 'radio' }, input, label);
}

/** @param {HTMLElement} form @param {string} name */
function checked(form, name) {
  const all = /** @type {NodeListOf<HTMLInputElement>} */ (form.querySelectorAll('input[type="radio"]'));
  return [...all].find((input) => input.name === name && input.checked)?.value ?? '';
}

/** @param {string} id @param {string} pattern @param {number} all @param {number} at */
function field(id, pattern, all, at) {
  const name = all > 1 ? `Pattern ${at + 1} of ${all}` : 'Pattern';
  const attributes = { id: `pattern-${id}`, value: visible(pattern), autocomplete: 'off', autocapitalize: 'off', spellcheck: 'false' };
  const input = h('input', { type: 'text', ...attributes, 'data-pattern': pattern });
  return h('div', {}, h('label', { for: `pattern-${id}` }, name), input);
}
