// @ts-check
// Elements. Text becomes text nodes, and never HTML; text of others goes through `foreign`, and through nothing else.

import { foldOf } from './seen.js';
import { visible, visibleBlock } from './visible.js';

/** @typedef {Node | string | null | false | undefined} Child */

/**
 * An element with attributes and children. An attribute that is null or false is left out.
 * @param {string} tag
 * @param {Record<string, string | boolean | null | undefined>} [attributes]
 * @param {...Child} children
 * @returns {HTMLElement}
 */
export function h(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value !== null && value !== undefined && value !== false) element.setAttribute(name, value === true ? '' : value);
  }
  for (const child of children) if (child) element.append(child);
  return element;
}

/**
 * Text of others on one line.
 * @param {unknown} text
 * @param {string} [tag]
 */
export function foreign(text, tag = 'span') {
  const element = h(tag, { class: 'foreign', dir: 'ltr' });
  element.textContent = visible(text);
  return element;
}

/**
 * Text of others with its lines.
 * @param {unknown} text
 * @param {string} [name] of a class
 */
export function foreignBlock(text, name = '') {
  const element = h('pre', { class: `foreign block ${name}`.trim(), dir: 'ltr' });
  element.textContent = visibleBlock(text);
  return element;
}

/** A longer text folds, in characters and in lines: its beginning and its end stay in sight. */
const MOST = 1_200;
const MOST_LINES = 24;

/**
 * Text of others that may be long: the rest of it opens with a button that says how much there is.
 * @param {string} text
 * @param {string} [name] of a class
 * @param {() => HTMLElement} [whole] makes the element with all of it, where it is more than its text
 */
export function long(text, name = '', whole = () => foreignBlock(text, name)) {
  const lines = text.split('\n');
  if (text.length <= MOST && lines.length <= MOST_LINES) return whole();
  const fold = foldOf(lines, MOST_LINES);
  // Whole characters, so that no half of a pair is left.
  const some = (/** @type {string} */ of, /** @type {number} */ from, /** @type {number} */ to) => [...of].slice(from, to).join('');
  const start = some(fold ? fold.head.join('\n') : text, 0, MOST / 2);
  const end = some(fold ? fold.tail.join('\n') : text, -MOST / 4, Infinity);
  const first = foreignBlock(start, name);
  const last = foreignBlock(end, name);
  const button = h('button', { type: 'button', class: 'more', 'data-folded': true }, `Show all: ${fold ? `${lines.length.toLocaleString('en')} lines` : `${[...text].length.toLocaleString('en')} characters`}`);
  const box = h('div', { class: 'long' }, first, button, last);
  button.addEventListener('click', () => {
    const all = whole();
    all.tabIndex = -1;
    box.replaceChildren(all);
    all.focus({ preventScroll: true });
    box.dispatchEvent(new Event('toggle'));
  });
  return box;
}

/**
 * What opens on demand, and is made when it does.
 * @param {string} label
 * @param {() => Node} make
 * @param {string} [name] of a class
 */
export function onDemand(label, make, name = '') {
  const details = h('details', { class: name }, h('summary', {}, label));
  details.addEventListener('toggle', () => {
    if (/** @type {HTMLDetailsElement} */ (details).open && details.childElementCount === 1) details.append(make());
  });
  return details;
}

/** A row with a label. @param {string} label @param {Child} value @param {string} [name] of a class */
export function row(label, value, name = '') {
  return h('div', { class: `row ${name}`.trim() }, h('dt', {}, label), h('dd', {}, value));
}
