// @ts-check
// A card that no view shows: a notification names its command and answers it, for each card anew.

import assert from 'node:assert/strict';
import { after, before } from 'node:test';

import { kindsSettings } from '../lib/kinds.mjs';
import { givenIn, setScene } from '../lib/scene.mjs';
import { until } from '../lib/until.mjs';
import { command, picture } from '../lib/workbench.mjs';

/** @type {import('../lib/scene.mjs').Scene} */
let scene;

before(async () => {
  scene = await setScene({ settings: kindsSettings });
});
after(() => scene?.strike());

const given = givenIn(() => scene, () => scene.chat.open());

/** A press that comes sooner after a notification appeared is no answer, and has it appear anew; in milliseconds (`TOO_SOON`, and some room). */
const TOO_SOON = 700;

/**
 * Presses a button of a notification, once a press counts, until so many wait.
 * @param {any} of @param {string} name @param {number} left
 */
async function press(of, name, left) {
  const waits = scene.page.locator('.statusbar-item [aria-label^="mayi, "]').first();
  await until(`${left} wait`, async () => {
    // Not to be waited for otherwise: nothing shows that the time has passed. Whoever presses again at once presses too soon each time.
    await scene.page.waitForTimeout(TOO_SOON);
    const text = (await waits.getAttribute('aria-label')) ?? '';
    if (text.startsWith(`mayi, ${left} waiting`)) return true;
    if (await of.count()) await of.first().getByRole('button', { name }).click({ timeout: 2_000 }).catch(() => {});
    return false;
  });
}

/** The notification that says this. @param {string} text */
const toast = (text) => scene.page.locator('.notifications-toasts .notification-list-item').filter({ hasText: text });

given('given cards that no view shows then each has a notification with its command, and only what it shows whole is allowed there', async () => {
  const { chat, page } = scene;
  await chat.prompt('ask slowly command document');
  await command(page, 'View: Show Explorer');
  const [whole, long] = [toast('kinds wants to run: cargo test --workspace (in '), toast('kinds wants to run: python3 - <<')];
  await whole.waitFor();
  await long.waitFor();
  await picture(page, 'notification');
  assert.equal(await long.getByRole('button', { name: 'Allow once' }).count(), 0, 'what has lines is answered where all of it is seen');
  await press(whole, 'Allow once', 1);
  await press(long, 'Deny', 0);
  await command(page, 'mayi: Show Approvals');
  await command(page, 'mayi: Go to What Waits');
  await chat.says('command: allowed');
  await chat.says('document: not allowed');
  await chat.idle();
});
