// @ts-check
// The chat as a person uses it: tabs, prompts, cards.

import { seeAll } from './rests.mjs';
import { until } from './until.mjs';
import { click, command, picture, webview } from './workbench.mjs';

/** Whose tab is shown. */
const SHOWN = '.mynah-chat-wrapper:visible';

/**
 * The chat of a window. Its frame is looked up each time, since it is another one after a reload.
 * @param {any} page
 */
export function chatOf(page) {
  const frame = () => webview(page, '.mynah-chat-wrapper');
  const byId = (/** @type {any} */ inside, /** @type {string} */ id) => inside.locator(`[data-approval-id="${id}"]`);

  /** Opens the view, with a new tab. */
  async function open() {
    await command(page, 'mayi: New Chat');
    const inside = await frame();
    await inside.locator(`${SHOWN} [data-testid="mode"]`).waitFor();
    await connected();
  }

  /** Waits until the extension is connected to its backend. */
  async function connected() {
    const inside = await frame();
    const banner = inside.locator('.mayi-banner');
    await banner.waitFor({ state: 'hidden' }).catch(async (/** @type {Error} */ error) => {
      throw new Error(`${await banner.textContent()}\n${error.message}`);
    });
  }

  /** One more tab. */
  async function newTab() {
    const before = (await tabs()).length;
    await command(page, 'mayi: New Chat');
    await until('there is one more tab', async () => (await tabs()).length > before);
  }

  /** The ids of the tabs. @returns {Promise<string[]>} */
  async function tabs() {
    const inside = await frame();
    return inside.locator('.mynah-chat-wrapper[data-tab-id]').evaluateAll(
      (/** @type {Element[]} */ all) => all.map((one) => one.getAttribute('data-tab-id')),
    );
  }

  /** The id of the tab that is shown. @returns {Promise<string>} */
  async function tab() {
    const inside = await frame();
    return inside.locator(SHOWN).first().getAttribute('data-tab-id');
  }

  /** Shows a tab. @param {string} id */
  async function select(id) {
    const inside = await frame();
    await click(page, inside.locator(`span[data-tab-id="${id}"]`).first());
    await inside.locator(`.mynah-chat-wrapper[data-tab-id="${id}"]:visible`).waitFor();
  }

  /** Says something in the tab that is shown. @param {string} text */
  async function prompt(text) {
    const inside = await frame();
    const input = inside.locator(`${SHOWN} .mynah-chat-prompt-input`);
    await click(page, input);
    await input.fill(text);
    await input.press('Enter');
  }

  /** Waits for `count` cards that wait in the tab that is shown, and gives their ids. @param {number} [count] @returns {Promise<string[]>} */
  async function waiting(count = 1) {
    return until(`${count} wait`, async () => {
      const ids = await (await frame()).locator(`${SHOWN} [data-approval-id][data-state="pending"]`).evaluateAll(
        (/** @type {Element[]} */ all) => all.map((one) => one.getAttribute('data-approval-id')),
      );
      return ids.length === count ? ids : null;
    });
  }

  /** Presses a choice of a card, as soon as it is live, and opens before it what it is in. @param {string} id @param {string} action */
  async function press(id, action) {
    const inside = await frame();
    const card = byId(inside, id);
    const live = (/** @type {string} */ of) => card.locator(`[action-id="${of}"]:not([aria-disabled="true"])`);
    if (!/deny|cancel/.test(action)) await seeAll(card);
    const within = action.startsWith('alike_') ? 'alike' : action.startsWith('agent:') ? 'more' : null;
    if (within !== null && !(await card.locator(`[action-id="${action}"]:visible`).count())) await click(page, live(within));
    await click(page, live(action));
  }

  /**
   * Answers a card: it is pressed until it is settled. A press on what has just moved is none, and a person presses again.
   * @param {string} id @param {string} action
   * @returns {Promise<string>} its text
   */
  async function answer(id, action) {
    const state = action.startsWith('deny') ? 'denied' : 'approved';
    await until(`${action} answers it`, async () => {
      const card = byId(await frame(), id).first();
      if ((await card.getAttribute('data-state', { timeout: 5_000 })) !== 'pending') return true;
      await Promise.race([press(id, action), inState(id, state)]);
      // The answer takes its way.
      return inState(id, state, 10_000);
    }, 180_000);
    return inState(id, state);
  }

  /** Waits until a card is in this state, and gives its text. @param {string} id @param {string} state @param {number} [timeout] @returns {Promise<string>} */
  async function inState(id, state, timeout) {
    const inside = await frame();
    await inside.locator(`[data-approval-id="${id}"][data-state="${state}"]`).first().waitFor({ timeout });
    return byId(inside, id).first().innerText();
  }

  /** Waits until the tab that is shown says this. @param {string} text */
  async function says(text) {
    const inside = await frame();
    await inside.locator(SHOWN).getByText(text).first().waitFor();
  }

  /** Waits until no turn runs in the tab that is shown. */
  async function idle() {
    await until('the turn is over', async () => (await (await frame()).locator(SHOWN).first().getAttribute('data-state')) === 'idle');
  }

  /** All that the tab says. @returns {Promise<string>} */
  async function text() {
    return (await frame()).locator(SHOWN).first().innerText();
  }

  /** Chooses a mode for the tab that is shown. @param {'plan' | 'default' | 'auto'} mode */
  async function setMode(mode) {
    const inside = await frame();
    await click(page, inside.locator(`${SHOWN} [data-testid="mode"]`));
    await click(page, inside.locator(`${SHOWN} [role="menuitemradio"][data-mode="${mode}"]`));
    // Whoever chooses Auto is warned, once.
    if (mode === 'auto') await dialog(page, 'Use Auto');
    await inside.locator(`${SHOWN} [data-testid="mode"][data-mode="${mode}"]`).waitFor();
  }

  /** Loads the webviews anew, as when the view was moved. */
  async function reloadWebview() {
    const old = await frame();
    await old.evaluate(() => document.documentElement.setAttribute('data-old', ''));
    await command(page, 'Developer: Reload Webviews');
    await until('the old page is gone', async () => (await (await frame()).locator('html[data-old]').count()) === 0);
  }

  return { page, frame, reloadWebview, open, connected, newTab, tabs, tab, select, prompt, waiting, press, answer, inState, says, idle, text, setMode,
    picture: (/** @type {string} */ name) => picture(page, name) };
}

/** Presses a button of the editor's own dialog. @param {any} page @param {string} name */
export async function dialog(page, name) {
  await page.locator('.monaco-dialog-box').getByRole('button', { name, exact: true }).click();
}
