// @ts-check
// The editor's window, as a person uses it: commands, webviews, pictures.

import { join } from 'node:path';

import { screenshotFolder } from './places.mjs';
import { until } from './until.mjs';

/** A page or a frame of Playwright's, which has no types here. @typedef {any} Page @typedef {any} Frame */

/**
 * A window of the editor in this browser.
 * @param {any} browser
 * @param {{ url: string }} editor
 */
export async function openWindow(browser, editor) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, reducedMotion: 'reduce' });
  context.setDefaultTimeout(60_000);
  context.setDefaultNavigationTimeout(120_000);
  const page = await context.newPage();
  /** @type {string[]} */
  const refused = [];
  // What a content security policy kept from running is said on the console.
  page.on('console', (/** @type {any} */ message) => {
    if (/content security policy/i.test(message.text())) refused.push(message.text());
  });
  page.on('dialog', (/** @type {any} */ dialog) => dialog.accept());
  await page.goto(editor.url);
  await ready(page);
  return { page, context, refused };
}

/** Waits until the workbench is there. @param {Page} page */
export async function ready(page) {
  await page.locator('.monaco-workbench .part.statusbar').waitFor();
  await page.locator('.monaco-workbench .activitybar .action-item').first().waitFor();
}

/** Reloads the window. @param {Page} page */
export async function reload(page) {
  await page.reload();
  await ready(page);
}

/**
 * Runs a command by the name that the palette shows.
 * @param {Page} page
 * @param {string} name
 */
export async function command(page, name) {
  const input = page.locator('.quick-input-widget input.input');
  const row = page.locator('.quick-input-widget .monaco-list-row').filter({ hasText: name }).first();
  // Right after the start, a command of an extension is not in the list yet: so it is opened again.
  await until(`there is a command ${name}`, async () => {
    if (!(await input.isVisible())) await page.keyboard.press('F1');
    await input.waitFor({ timeout: 15_000 });
    await input.fill('');
    await input.fill(`>${name}`);
    const found = await row.waitFor({ timeout: 10_000 }).then(() => true, () => false);
    if (!found) await page.keyboard.press('Escape');
    return found;
  }, 240_000);
  await row.click();
}

/**
 * Chooses in an open list of the palette.
 * @param {Page} page
 * @param {string | RegExp} text
 */
export async function pick(page, text) {
  await page.locator('.quick-input-widget .monaco-list-row').filter({ hasText: text }).first().click();
}

/**
 * The frame of the webview that shows `selector`. A webview is a frame in a frame, and after it was hidden or
 * reloaded it is another one: ask again each time.
 * @param {Page} page
 * @param {string} selector
 * @param {number} [milliseconds]
 * @returns {Promise<Frame>}
 */
export async function webview(page, selector, milliseconds = 120_000) {
  return until(`a webview shows ${selector}`, async () => {
    for (const frame of page.frames()) {
      if (!frame.url().includes('/pre/fake.html') || frame.isDetached()) continue;
      if (await frame.locator(`${selector}:visible`).count().catch(() => 0)) return frame;
    }
    return null;
  }, milliseconds);
}

/**
 * Clicks as a person does, whose pointer moves there first: a webview is deaf to pointers from the beginning of a drag until
 * the pointer moves without a button, and a click that waits for it to hear again would never move. What covers the place
 * is said where it can't be clicked.
 * @param {Page} page
 * @param {any} locator
 */
export async function click(page, locator) {
  await locator.waitFor();
  const box = await locator.boundingBox();
  const at = box === null ? null : { x: box.x + box.width / 2, y: box.y + box.height / 2 };
  if (at !== null) await page.mouse.move(at.x, at.y);
  await locator.click().catch(async (/** @type {Error} */ error) => {
    if (at === null) throw error;
    const above = await page.evaluate((/** @type {{ x: number, y: number }} */ { x, y }) =>
      document.elementsFromPoint(x, y).slice(0, 8).map((one) => `${one.tagName} ${one.className} ${getComputedStyle(one).pointerEvents}`), at);
    const frames = await page.evaluate(() => [...document.querySelectorAll('iframe')].map((one) =>
      `${one.className} ${one.parentElement?.getAttribute('style')} ${getComputedStyle(one).pointerEvents} ${JSON.stringify(one.getBoundingClientRect())}`));
    throw new Error(`${error.message}\nat ${JSON.stringify(at)}: ${above.join('; ')}\nframes: ${frames.join('; ')}`);
  });
}

/**
 * Keeps a picture.
 * @param {Page} page
 * @param {string} name
 */
export async function picture(page, name) {
  await page.screenshot({ path: join(screenshotFolder(), `${name}.png`), animations: 'disabled' });
}

/** The texts of the notifications that are shown. @param {Page} page @returns {Promise<string[]>} */
export async function notifications(page) {
  return page.locator('.notifications-toasts .notification-list-item-message').allInnerTexts();
}
