// @ts-check
// The half second in which choices rest: waiting until it is over, and waiting it out where nothing may happen.

import { until } from './until.mjs';

/** Longer than choices rest after they appear or move (`INERT` in src/webview/card/arm.ts, `STILL` in acp-server/ui/guard.js). */
const RULE = 700;

/** Waits until the choices of a card rest no more, or there are none any more. @param {any} card */
export async function rested(card) {
  await until('its choices rest no more', () => card.evaluate((/** @type {Element} */ one) => {
    if (one.getAttribute('data-state') !== 'pending') return true;
    const choices = one.querySelector('.mayi-choose');
    return choices === null ? one.getAttribute('data-live') === 'true' : !choices.classList.contains('inert');
  }));
}

/** Reads a card to its end, as a person does: what is folded is opened. @param {any} card */
export async function seeAll(card) {
  await card.locator('.mayi-choose').waitFor();
  await until('all of the card was in sight', async () => {
    const unseen = card.locator('.mayi-choose.unseen');
    if (!(await unseen.count())) return true;
    const fold = card.locator('.mayi-body [data-folded]:visible').first();
    if (await fold.count()) await fold.click({ timeout: 3_000 });
    const further = card.locator('[action-id="further"]:visible').first();
    // It may be gone by now: then it is looked for again, and not waited for.
    if (await further.count()) await further.evaluate((/** @type {HTMLElement} */ one) => one.click(), undefined, { timeout: 3_000 });
    return false;
  });
}

/**
 * Presses a choice until the card is settled: where it had to be scrolled to, it rests at first, and a press is none.
 * @param {any} card @param {string} action
 */
export async function settle(card, action) {
  const choice = card.locator(`[action-id="${action}"]`).first();
  await until(`${action} is an answer`, async () => {
    if ((await card.getAttribute('data-state')) !== 'pending') return true;
    // What scrolls by was not in sight: it is read before the choice is scrolled to. It may be settled by somebody else meanwhile.
    if (action.startsWith('allow')) await seeAll(card).catch(() => {});
    // It may be gone by now.
    await choice.scrollIntoViewIfNeeded({ timeout: 2_000 }).catch(() => {});
    await rested(card);
    await choice.click({ timeout: 2_000 }).catch(() => {});
    return false;
  }, 120_000);
}

/** Waits until no choices rest, of so many cards that wait. @param {any} page @param {number} count */
export async function allRested(page, count) {
  const cards = page.locator('[data-approval-id][data-state="pending"]');
  await cards.nth(count - 1).waitFor({ state: 'attached' });
  for (let at = 0; at < count; at += 1) await rested(cards.nth(at));
}

/**
 * Waits for longer than any rule of the cards takes. Only for what must NOT happen: nothing tells that it did not, and what
 * did would have by then.
 * @param {any} page
 */
export const nothingHappens = (page) => page.waitForTimeout(RULE);
