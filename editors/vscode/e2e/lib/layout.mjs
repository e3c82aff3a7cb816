// @ts-check
// What a layout must not have, as the browser lays it out: texts that overlap, that are cut off, that leave their card, and
// choices that something covers. It runs in the page.

/**
 * What is wrong in an element, as texts; none: nothing.
 * @param {Element} root
 * @returns {string[]}
 */
export function faults(root) {
  /** @type {string[]} */
  const found = [];
  const name = (/** @type {Element} */ one) => `${one.tagName.toLowerCase()}.${one.className} "${(one.textContent ?? '').slice(0, 40)}"`;
  const shown = (/** @type {Element} */ one) => one.getClientRects().length > 0 && getComputedStyle(one).visibility !== 'hidden' && one.closest('.mayi-live, .unseen-text') === null;
  const outer = root.getBoundingClientRect();
  /** Elements that hold text themselves, or are pressed. */
  const leaves = [...root.querySelectorAll('*')].filter((one) => shown(one) && (one.matches('button, input, select, textarea, summary') || [...one.childNodes].some((node) => node.nodeType === 3 && (node.textContent ?? '').trim() !== '')));
  for (const one of root.querySelectorAll('*')) {
    if (!shown(one) || one.closest('.mayi-settled > summary, .settled > summary')) continue;
    const style = getComputedStyle(one);
    if (one instanceof HTMLElement && style.overflowX !== 'visible' && style.display !== 'inline' && one.scrollWidth > one.clientWidth + 1) found.push(`cut off at the side: ${name(one)}`);
    if (one instanceof HTMLElement && style.overflowY === 'hidden' && one.scrollHeight > one.clientHeight + 1) found.push(`cut off below: ${name(one)}`);
    const box = one.getBoundingClientRect();
    if (box.width > 0 && (box.right > outer.right + 1 || box.left < outer.left - 1)) found.push(`leaves its card: ${name(one)}`);
  }
  const apart = (/** @type {DOMRect} */ a, /** @type {DOMRect} */ b) => a.right <= b.left + 1 || b.right <= a.left + 1 || a.bottom <= b.top + 1.5 || b.bottom <= a.top + 1.5;
  for (const [at, one] of leaves.entries()) {
    for (const other of leaves.slice(at + 1, at + 40)) {
      if (one.contains(other) || other.contains(one)) continue;
      // Parts of one line of text stand in one line box.
      const rects = [...one.getClientRects()];
      const others = [...other.getClientRects()];
      if (rects.some((a) => others.some((b) => !apart(a, b)))) found.push(`overlap: ${name(one)} and ${name(other)}`);
    }
  }
  return found;
}

/**
 * Which choices of a card something covers where they are pressed, as texts; none: none.
 * @param {Element} root
 * @returns {string[]}
 */
export function covered(root) {
  const wrong = [];
  for (const button of root.querySelectorAll('button[action-id]')) {
    if (button.getClientRects().length === 0) continue;
    button.scrollIntoView({ block: 'center', behavior: 'instant' });
    const box = button.getBoundingClientRect();
    const top = document.elementFromPoint(box.left + box.width / 2, box.top + box.height / 2);
    if (top === null || (top !== button && !button.contains(top))) wrong.push(`${button.textContent} is covered by ${top?.tagName}.${top?.className}`);
  }
  return wrong;
}
