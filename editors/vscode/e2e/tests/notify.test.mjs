// @ts-check
// A card that no view shows: a notification names its command and answers it, for each card anew.

import assert from 'node:assert/strict';
import { after, before } from 'node:test';

import { kindsSettings } from '../lib/kinds.mjs';
import { givenIn, setScene } from '../lib/scene.mjs';
import { command, picture } from '../lib/workbench.mjs';

/** @type {import('../lib/scene.mjs').Scene} */
let scene;

before(async () => {
  scene = await setScene({ settings: kindsSettings });
});
after(() => scene?.strike());

const given = givenIn(() => scene, () => scene.chat.open());

/** The notification that says this. @param {string} text */
const toast = (text) => scene.page.locator('.notifications-toasts .notification-list-item').filter({ hasText: text });

given('given cards that no view shows then each has a notification with its command, and only what it shows whole is allowed there', async () => {
  const { chat, page } = scene;
  await chat.prompt('ask slowly command document');
  await command(page, 'View: Show Explorer');
  const [whole, long] = [toast('kinds wants to run: cargo test --workspace (in '), toast('kinds wants to run: python3 - <<')];
  await whole.waitFor();
  await long.waitFor();
  // A press right after they appeared is none.
  await page.waitForTimeout(700);
  await picture(page, 'notification');
  assert.equal(await long.getByRole('button', { name: 'Allow once' }).count(), 0, 'what has lines is answered where all of it is seen');
  await whole.getByRole('button', { name: 'Allow once' }).click();
  await long.getByRole('button', { name: 'Deny' }).click();
  await command(page, 'mayi: Show Approvals');
  await command(page, 'mayi: Go to What Waits');
  await chat.says('command: allowed');
  await chat.says('document: not allowed');
  await chat.idle();
});
