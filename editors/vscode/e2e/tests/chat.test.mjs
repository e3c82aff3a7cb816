// @ts-check
// The extension with the demo agent: a person installs it, picks an agent, chats, and answers cards in the chat.

import assert from 'node:assert/strict';
import { after, afterEach, before } from 'node:test';

import { dialog } from '../lib/chat.mjs';
import { givenIn, setScene } from '../lib/scene.mjs';
import { until } from '../lib/until.mjs';

/** @type {import('../lib/scene.mjs').Scene} */
let scene;
/** @type {import('../lib/scene.mjs').Scene['chat']} */
let chat;

before(async () => {
  scene = await setScene();
  chat = scene.chat;
  await chat.open();
});
after(() => scene?.strike());
afterEach(() => {
  assert.deepEqual(scene?.refused, [], 'nothing is refused by a content security policy');
});

/** Each in a tab of its own. */
const given = givenIn(() => scene, () => chat.newTab());

given('given a prompt then the answer is in the chat', async () => {
  await chat.prompt('demo: say Hello from the other side');
  await chat.says('Hello from the other side');
  await chat.idle();
  await chat.picture('chat-answer');
});

given('given a card when it is approved then the call is made, and the card settles in its place', async () => {
  await chat.prompt('demo: write a.txt some words');
  const [id = ''] = await chat.waiting();
  await chat.picture('card-pending');
  assert.equal(scene.file('a.txt'), null);
  assert.match(await chat.answer(id, 'allow_once'), /approved.*vscode/is);
  await chat.says('a.txt is written.');
  assert.equal(scene.file('a.txt'), 'some words\n');
  await chat.idle();
  await chat.picture('card-approved');
});

given('given a card when it is denied with a reason then the call is not made, and the reason is told', async () => {
  await chat.prompt('demo: write b.txt some words');
  const [id = ''] = await chat.waiting();
  await chat.press(id, 'deny_reason');
  await (await chat.frame()).locator(`[data-approval-id="${id}"] textarea`).fill('Not in this folder. ;; demo: say I was told why');
  await chat.press(id, 'deny_reason_confirm');
  assert.match(await chat.inState(id, 'denied'), /Not in this folder/);
  // When the turn is over, the reason is the agent's next prompt.
  await until('the agent is told', async () => (await chat.text()).split('I was told why').length > 2);
  await chat.idle();
  assert.equal(scene.file('b.txt'), null);
  await chat.picture('card-denied');
});

given('given two cards at once then each has an answer of its own', async () => {
  await chat.prompt('demo: two');
  const ids = await chat.waiting(2);
  await chat.picture('cards-two');
  const inside = await chat.frame();
  const titles = await Promise.all(ids.map((id) => inside.locator(`[data-approval-id="${id}"]`).innerText()));
  const write = ids[titles.findIndex((title) => title.includes('two.txt'))] ?? '';
  const run = ids.find((id) => id !== write) ?? '';
  await chat.answer(write, 'deny');
  await chat.answer(run, 'allow_once');
  await chat.idle();
  assert.equal(scene.file('two.txt'), null);
  assert.equal(scene.file('ran.txt'), '');
});

given('given a card when the turn is stopped then it is withdrawn and can not be answered any more', async () => {
  await chat.prompt('demo: write c.txt some words');
  const [id = ''] = await chat.waiting();
  const inside = await chat.frame();
  await inside.locator('.mynah-chat-wrapper:visible').getByText('Stop', { exact: true }).click();
  await chat.inState(id, 'cancelled');
  await chat.idle();
  assert.equal(await inside.locator(`[data-approval-id="${id}"] [action-id]`).count(), 0);
  assert.equal(scene.file('c.txt'), null);
  await chat.picture('card-cancelled');
});

given('given plan mode then what would act is blocked without a question, and a new tab is at Default', async () => {
  await chat.setMode('plan');
  await chat.prompt('demo: write d.txt some words');
  await chat.idle();
  await chat.says('denied');
  assert.equal((await (await chat.frame()).locator('.mynah-chat-wrapper:visible [data-approval-id]').count()), 0);
  assert.equal(scene.file('d.txt'), null);
  await chat.picture('plan-mode');
  await chat.newTab();
  const mode = (await chat.frame()).locator('.mynah-chat-wrapper:visible [data-testid="mode"]');
  assert.equal(await mode.getAttribute('data-mode'), 'default');
});

given('given a window that is reloaded then the card still waits in its tab, and its answer counts', async () => {
  await chat.prompt('demo: write e.txt some words');
  const [id = ''] = await chat.waiting();
  const tabs = await chat.tabs();
  await scene.page.reload();
  await chat.waiting();
  assert.deepEqual(await chat.tabs(), tabs);
  await chat.picture('card-after-reload');
  await chat.answer(id, 'allow_once');
  await until('the file is written', () => scene.file('e.txt') === 'some words\n');
  await chat.idle();
});

given('given a webview that is reloaded then the card still waits in it, and its answer counts', async () => {
  await chat.prompt('demo: write f.txt some words');
  const [id = ''] = await chat.waiting();
  await chat.reloadWebview();
  assert.deepEqual(await chat.waiting(), [id]);
  await chat.answer(id, 'deny');
  await chat.idle();
  assert.equal(scene.file('f.txt'), null);
});

given('given a backend that is killed while a card waits then the card is withdrawn, and the chat goes on', async () => {
  await chat.prompt('demo: write g.txt some words');
  const [id = ''] = await chat.waiting();
  const [old] = scene.backends();
  scene.killBackends();
  await chat.inState(id, 'cancelled');
  await until('there is another backend', () => scene.backends().some(({ pid }) => pid !== old?.pid));
  await chat.connected();
  await chat.picture('backend-restarted');
  await chat.prompt('demo: write h.txt some words');
  const [next = ''] = await chat.waiting();
  await chat.answer(next, 'allow_once');
  await until('the file is written', () => scene.file('h.txt') === 'some words\n');
  assert.equal(scene.file('g.txt'), null);
  await chat.idle();
});

given('given Bypass for the session then the next call does not ask, no setting is written, and it can be ended', async () => {
  await chat.prompt('demo: write k.txt some words');
  const [id = ''] = await chat.waiting();
  await chat.press(id, 'bypass');
  await dialog(scene.page, 'For This Session');
  await chat.inState(id, 'approved');
  await chat.idle();
  await chat.prompt('demo: write l.txt some words');
  await until('the file is written', () => scene.file('l.txt') === 'some words\n');
  await chat.idle();
  assert.equal(scene.editor.settings()['mayi.agents'], undefined);
  await chat.picture('bypassed-session');
  await (await chat.frame()).locator('button[action-id=bypass_off]:visible').click();
  await (await chat.frame()).locator('button[action-id=bypass_off]:visible').waitFor({ state: 'detached' });
  await chat.prompt('demo: write m.txt some words');
  const [again = ''] = await chat.waiting();
  await chat.answer(again, 'deny');
  await chat.idle();
});

given('given Bypass then it is asked once more, the setting is written, and the next call does not ask', async () => {
  await chat.prompt('demo: write i.txt some words');
  const [id = ''] = await chat.waiting();
  await chat.press(id, 'bypass');
  await scene.page.locator('.monaco-dialog-box').waitFor();
  await chat.picture('bypass-asked');
  assert.equal(scene.editor.settings()['mayi.agents'], undefined);
  await dialog(scene.page, 'For Good');
  await chat.inState(id, 'approved');
  await until('the setting is written', () => scene.editor.settings()['mayi.agents']?.demo?.bypassPermissions === true);
  await chat.idle();
  await chat.prompt('demo: write j.txt some words');
  await until('the file is written', () => scene.file('j.txt') === 'some words\n');
  await chat.idle();
  await chat.picture('bypassed');
});
