// @ts-check
// "For this session" answers what else waits and is covered by it, in the editor and on the page; what it does not cover waits on
// (D6.18).

import assert from 'node:assert/strict';
import { after, afterEach, before } from 'node:test';

import { kindsSettings } from '../lib/kinds.mjs';
import { cardOf, inState, pairedPhone, press } from '../lib/phone.mjs';
import { givenIn, setScene } from '../lib/scene.mjs';

/** @type {import('../lib/scene.mjs').Scene} */
let scene;
/** @type {Awaited<ReturnType<typeof pairedPhone>>} */
let phone;

before(async () => {
  scene = await setScene({ settings: kindsSettings, machine: { 'mayi.page': true } });
  await scene.chat.open();
  phone = await pairedPhone(scene);
});
after(() => scene?.strike());
afterEach(() => {
  assert.deepEqual(phone?.wrong, []);
});

const given = givenIn(() => scene, () => scene.chat.newTab());

/** Five cards: three of one command, and two that an answer to one of these does not cover. */
async function five() {
  const { chat } = scene;
  await chat.prompt('ask same 3 command document');
  const ids = await chat.waiting(5);
  const frame = await chat.frame();
  const texts = await Promise.all(ids.map((id) => frame.locator(`[data-approval-id="${id}"]`).innerText()));
  const those = (/** @type {string} */ part) => ids.filter((_, at) => texts[at]?.includes(part));
  const [same, others] = [those('touch same.txt'), [...those('cargo test'), ...those('python3')]];
  assert.deepEqual([same.length, others.length], [3, 2], texts.join('\n'));
  for (const id of ids) await cardOf(phone.page, id).waitFor();
  return { same, others };
}

/** @param {{ same: string[], others: string[] }} cards @param {string} by */
async function holds({ same, others }, by) {
  const { chat } = scene;
  const texts = await Promise.all(same.map((id) => chat.inState(id, 'approved')));
  if (by === 'vscode') await chat.picture('covered');
  assert.ok(texts.some((text) => text.includes(`answered by ${by}`)), texts.join('\n'));
  for (const id of same) await inState(phone.page, id, 'approved');
  // The agent goes on with all three; what is not covered waits in both places.
  for (const at of [0, 1, 2]) await chat.says(`same-${at}: allowed`);
  for (const id of others) {
    await inState(phone.page, id, 'pending');
    await chat.inState(id, 'pending');
    await chat.answer(id, 'deny');
  }
  await chat.idle();
}

given('given cards that wait when one is allowed for the session in the editor then those it covers are answered in both places', async () => {
  const cards = await five();
  await scene.chat.press(cards.same[1] ?? '', 'allow_session');
  await holds(cards, 'vscode');
});

given('given cards that wait when one is allowed for the session on the page then those it covers are answered in both places', async () => {
  const cards = await five();
  await press(phone.page, cards.same[1] ?? '', 'allow_session');
  await holds(cards, 'page');
});
