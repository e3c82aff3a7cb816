// @ts-check
// The page at the size of a phone, and what a person finds on it.

import { join } from 'node:path';

import { screenshotFolder } from './places.mjs';
import { until } from './until.mjs';
import { command } from './workbench.mjs';

/**
 * Opens the page, and notes what goes wrong on it.
 * @param {any} browser
 * @param {string} url
 * @param {{ dark?: boolean }} [options]
 */
export async function openPhone(browser, url, { dark = false } = {}) {
  const context = await browser.newContext({
    viewport: { width: 390, height: 844 }, deviceScaleFactor: 2, hasTouch: true, isMobile: true,
    colorScheme: dark ? 'dark' : 'light', reducedMotion: 'reduce',
  });
  context.setDefaultTimeout(60_000);
  const page = await context.newPage();
  /** @type {string[]} */
  const wrong = [];
  page.on('pageerror', (/** @type {Error} */ error) => wrong.push(String(error)));
  page.on('console', (/** @type {any} */ message) => {
    if (/content security policy/i.test(message.text())) wrong.push(message.text());
  });
  page.on('request', (/** @type {any} */ request) => {
    const to = new URL(request.url());
    if (to.protocol !== 'data:' && to.host !== new URL(url).host) wrong.push(`asked ${request.url()}`);
  });
  await page.goto(url);
  return { page, context, wrong };
}

/**
 * The page of the editor's backend, paired with it: what a person does who opens it on a second screen.
 * @param {import('./scene.mjs').Scene} scene
 */
export async function pairedPhone(scene) {
  await command(scene.page, 'mayi: Pair a Second Screen');
  const box = scene.page.locator('.monaco-dialog-box');
  await box.waitFor();
  const text = await box.innerText();
  await box.getByRole('button', { name: 'Cancel', exact: true }).click();
  const phone = await openPhone(scene.browser, /Open (http:\S+)/.exec(text)?.[1] ?? '');
  await pair(phone.page, /on the page: (\S+)/.exec(text)?.[1] ?? '');
  return phone;
}

/** Types the code. @param {any} page @param {string} code */
export async function pair(page, code) {
  await page.getByLabel('Code').fill(code);
  await page.getByRole('button', { name: 'Pair' }).click();
  await connected(page);
}

/** Waits until the page is connected. @param {any} page */
export async function connected(page) {
  await page.locator('#connection[data-state=connected]').waitFor();
}

/** A card on the page. @param {any} page @param {string} id */
export function cardOf(page, id) {
  return page.locator(`[data-approval-id="${id}"]`);
}

/** Waits until a card is in this state. @param {any} page @param {string} id @param {string} state @param {number} [timeout] */
export async function inState(page, id, state, timeout) {
  await page.locator(`[data-approval-id="${id}"][data-state="${state}"]`).waitFor({ timeout });
}

/** Answers a card: it is tapped until it is settled, since a tap on what has just moved is none. @param {any} page @param {string} id @param {string} action */
export async function answer(page, id, action) {
  const state = action.startsWith('deny') ? 'denied' : 'approved';
  await until(`${action} answers it`, async () => {
    if ((await cardOf(page, id).getAttribute('data-state', { timeout: 5_000 })) !== 'pending') return true;
    await Promise.race([press(page, id, action), inState(page, id, state)]);
    await inState(page, id, state, 10_000);
    return true;
  }, 180_000);
}

/** Presses a choice of a card, as soon as it is live. @param {any} page @param {string} id @param {string} action */
export async function press(page, id, action) {
  const card = cardOf(page, id);
  await page.locator(`[data-approval-id="${id}"][data-live="true"]`).waitFor();
  const button = card.locator(`[action-id="${action}"]:visible`);
  const within = action.startsWith('alike_') ? 'alike' : action.startsWith('agent:') ? 'more' : null;
  if (within !== null && !(await button.count())) {
    await card.locator(`[action-id="${within}"]`).tap();
    await page.locator(`[data-approval-id="${id}"][data-live="true"]`).waitFor();
  }
  if (!/deny|back|^agent:no/.test(action)) await seeAll(page, id);
  await card.locator(`[action-id="${action}"]:not([aria-disabled="true"])`).first().waitFor();
  await button.first().tap();
}

/** Reads a card to its end, as a person does. @param {any} page @param {string} id */
export async function seeAll(page, id) {
  const card = cardOf(page, id);
  await until('all was in sight', async () => {
    if ((await card.getAttribute('data-seen')) !== 'false') return true;
    const fold = card.locator('.body [data-folded]:visible').first();
    if (await fold.count()) await fold.tap({ timeout: 3_000 });
    const further = card.locator('[action-id="further"]:visible').first();
    // It may be gone by now: then it is looked for again, and not waited for.
    if (await further.count()) await further.evaluate((/** @type {HTMLElement} */ one) => one.click(), undefined, { timeout: 3_000 });
    return false;
  });
}

/** Keeps a picture. @param {any} page @param {string} name */
export async function picture(page, name) {
  await page.screenshot({ path: join(screenshotFolder(), `${name}.png`), fullPage: true, animations: 'disabled' });
}
