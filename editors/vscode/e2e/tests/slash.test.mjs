// @ts-check
// The commands that an agent offers are completed in the message field, by keys alone, in the real editor; and a screen reader
// finds nothing wrong with the list.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { after, before } from 'node:test';

import { kindsSettings } from '../lib/kinds.mjs';
import { extension } from '../lib/places.mjs';
import { givenIn, setScene } from '../lib/scene.mjs';
import { until } from '../lib/until.mjs';
import { click } from '../lib/workbench.mjs';

const axe = readFileSync(createRequire(join(extension, 'package.json')).resolve('axe-core/axe.min.js'), 'utf8');
/** @type {import('../lib/scene.mjs').Scene} */
let scene;

before(async () => {
  scene = await setScene({ settings: kindsSettings });
  await scene.chat.open();
});
after(() => scene?.strike());

const given = givenIn(() => scene);

given('given an agent with commands when a slash is typed then they are listed, chosen by keys, and sent as they stand there', async () => {
  const { chat, page } = scene;
  await chat.prompt('hello');
  await chat.idle();
  const frame = await chat.frame();
  const field = frame.locator('.mynah-chat-wrapper:visible .mynah-chat-prompt-input');
  const list = frame.getByRole('listbox', { name: 'Commands of the agent' });
  const text = () => field.evaluate((/** @type {HTMLElement} */ one) => one.innerText.replace(/\n$/, ''));
  await click(page, field);
  await page.keyboard.type('/');
  await list.waitFor();
  // A name that is not what it looks like is none of them, and the agent's words are text.
  assert.deepEqual(await list.getByRole('option').allInnerTexts(), ['/compact\nShortens the chat', '/review\nLooks at the change <b>anew</b>']);
  await chat.picture('slash');
  const chosen = async () => frame.locator(`[id="${await field.getAttribute('aria-activedescendant')}"] .name`).innerText();
  assert.equal(await chosen(), '/compact');
  await page.keyboard.press('ArrowDown');
  assert.equal(await chosen(), '/review');
  await frame.evaluate(axe);
  const wrong = await frame.evaluate(async () => {
    const { violations } = await (/** @type {any} */ (window)).axe.run({ include: ['.mayi-slash', '.mynah-chat-prompt-input'] }, { resultTypes: ['violations'] });
    return violations.map((/** @type {any} */ one) => `${one.id}: ${one.nodes.map((/** @type {any} */ node) => node.html.slice(0, 160)).join(' ')}`);
  });
  assert.deepEqual(wrong, []);
  await page.keyboard.press('Enter');
  await list.waitFor({ state: 'hidden' });
  assert.equal(await text(), '/review ');
  await page.keyboard.type('lib.rs');
  await page.keyboard.press('Enter');
  await chat.says('/review lib.rs');
  await chat.idle();

  await page.keyboard.type('/com');
  await list.waitFor();
  await page.keyboard.press('Tab');
  await until('it is completed', async () => (await text()) === '/compact ');
  // Not by Control+A: the workbench selects all in its own time, and what is typed next would be selected too.
  for (const _ of '/compact ') await page.keyboard.press('Backspace');
  await until('the field is empty', async () => (await text()) === '');
  await page.keyboard.type('/');
  await list.waitFor();
  await page.keyboard.press('Escape');
  await list.waitFor({ state: 'hidden' });
  await page.keyboard.type('r');
  await until('what was typed stands there', async () => (await text()) === '/r');
  assert.equal(await list.count(), 0, 'it stays closed');
});
