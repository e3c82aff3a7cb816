// @ts-check
// Which marks of a text a person could have seen, told by the browser itself and not by what the card believes: where the mark is
// painted, in the window, and with nothing else on top of it.

/** A text of so many lines, each with a mark of its own. @param {number} count @param {string} [of] */
export const marked = (count, of = 'm') => Array.from({ length: count }, (_, at) => `${of}${String(at).padStart(4, '0')}x = ${at};\n`).join('');

/** The marks of such a text. @param {string} text @returns {string[]} */
export const marksIn = (text) => text.match(/[a-z]\d{4}x/g) ?? [];

/** Watches an element from now on, at each frame: `sightOf` says what was in sight. @param {any} card */
export async function watch(card) {
  await card.evaluate((/** @type {HTMLElement} */ root) => {
    const seen = new Set();
    Object.assign(window, { seenMarks: seen });
    const shown = (/** @type {Range} */ range, /** @type {Element | null} */ of) => {
      const box = range.getBoundingClientRect();
      const [x, y] = [box.left + box.width / 2, box.top + box.height / 2];
      if (box.width === 0 || x < 0 || y < 0 || x >= innerWidth || y >= innerHeight) return false;
      const top = document.elementFromPoint(x, y);
      return top !== null && of !== null && (of === top || of.contains(top) || top.contains(of));
    };
    const look = () => {
      const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
      for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) {
        for (const found of (node.textContent ?? '').matchAll(/[a-z]\d{4}x/g)) {
          if (seen.has(found[0])) continue;
          const range = document.createRange();
          range.setStart(node, found.index);
          range.setEnd(node, found.index + found[0].length);
          if (shown(range, node.parentElement)) seen.add(found[0]);
        }
      }
      requestAnimationFrame(look);
    };
    look();
  });
}

/** The marks that were in sight by now. @param {any} page @returns {Promise<Set<string>>} */
export async function sightOf(page) {
  return new Set(await page.evaluate(() => [.../** @type {any} */ (window).seenMarks]));
}

/**
 * Waits until what was pressed is shown, and was looked at: one frame draws it, the next one comes when that is on the screen.
 * @param {any} page
 */
export const painted = (page) => page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(() => resolve(null)))));
