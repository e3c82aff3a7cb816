// @ts-check
// The page at a phone's size beside the editor: two front ends on one approval.

import assert from 'node:assert/strict';
import { after, afterEach, before } from 'node:test';

import { cardOf, inState, openPhone, pair, picture, press } from '../lib/phone.mjs';
import { givenIn, setScene } from '../lib/scene.mjs';
import { until } from '../lib/until.mjs';
import { command } from '../lib/workbench.mjs';

/** @type {import('../lib/scene.mjs').Scene} */
let scene;
/** @type {import('../lib/scene.mjs').Scene['chat']} */
let chat;
/** @type {Awaited<ReturnType<typeof openPhone>>} */
let phone;
/** @type {any} */
let page;
/** What the editor says for pairing. @type {{ code: string, url: string }} */
let invitation;

/** Has the editor say a code. */
async function invite() {
  await command(scene.page, 'mayi: Pair a Second Screen');
  const box = scene.page.locator('.monaco-dialog-box');
  await box.waitFor();
  const text = await box.innerText();
  const [code, url] = [/on the page: (\S+)/.exec(text)?.[1], /Open (http:\S+)/.exec(text)?.[1]];
  await box.getByRole('button', { name: 'Cancel', exact: true }).click();
  if (!code || !url) throw new Error(`there is no code in ${text}`);
  return { code, url };
}

before(async () => {
  scene = await setScene({ machine: { 'mayi.page': true } });
  chat = scene.chat;
  await chat.open();
  invitation = await invite();
  phone = await openPhone(scene.browser, invitation.url);
  page = phone.page;
  await picture(page, 'page-pairing');
  await pair(page, invitation.code);
});
after(() => scene?.strike());
afterEach(() => {
  assert.deepEqual(phone?.wrong, [], 'nothing is refused by the policy, nothing throws, and nobody else is asked');
});

const given = givenIn(() => scene, () => chat.newTab());

given('given a code that was used then it pairs no second page, and it is in no address', async () => {
  const other = await openPhone(scene.browser, invitation.url);
  await other.page.getByLabel('Code').fill(invitation.code);
  await other.page.getByRole('button', { name: 'Pair' }).click();
  await other.page.getByText('This code is wrong').waitFor();
  assert.equal(await other.page.locator('#connection').getAttribute('data-state'), 'unpaired');
  assert.equal(await other.page.locator('[data-approval-id]').count(), 0);
  await other.context.close();
  assert.equal(page.url(), invitation.url);
});

given('given a card when it is approved on the page then the call is made, and the chat says who answered', async () => {
  await chat.prompt('demo: write a.txt some words');
  const [id = ''] = await chat.waiting();
  await cardOf(page, id).waitFor();
  assert.match(await cardOf(page, id).innerText(), /demo wants to create a\.txt[^]*write in default mode/);
  await picture(page, 'page-pending');
  await press(page, id, 'allow_once');
  await inState(page, id, 'approved');
  assert.match(await chat.inState(id, 'approved'), /answered by page/);
  await until('the file is written', () => scene.file('a.txt') === 'some words\n');
  await chat.idle();
  await chat.picture('answered-by-page');
});

given('given a card when it is answered in the chat then the one on the page settles and says who answered', async () => {
  await chat.prompt('demo: write b.txt some words');
  const [id = ''] = await chat.waiting();
  await cardOf(page, id).waitFor();
  await chat.answer(id, 'deny');
  await inState(page, id, 'denied');
  assert.match(await cardOf(page, id).innerText(), /Tool call denied by vscode/);
  assert.equal(await cardOf(page, id).locator('[action-id]').count(), 0);
  await chat.idle();
  assert.equal(scene.file('b.txt'), null);
  await picture(page, 'page-answered-by-vscode');
});

given('given two answers at once then the first one wins, and both cards say the same', async () => {
  for (let round = 0; round < 5; round += 1) {
    const name = `race-${round}.txt`;
    await chat.prompt(`demo: write ${name} some words`);
    const [id = ''] = await chat.waiting();
    const [allow, deny] = [page, await chat.frame()].map((one, at) =>
      one.locator(`[data-approval-id="${id}"] [action-id="${at ? 'deny' : 'allow_once'}"]:not([aria-disabled="true"])`));
    await Promise.all([allow.waitFor(), deny.waitFor()]);
    // Whoever is too late finds no button any more.
    await Promise.all([allow, deny].map((button) => button.click({ timeout: 2_000 }).catch(() => {})));
    const state = await until('both cards have settled', async () => {
      const states = await Promise.all([page, await chat.frame()].map((one) => one.locator(`[data-approval-id="${id}"]`).first().getAttribute('data-state')));
      return states[0] !== 'pending' && states[0] === states[1] ? states[0] : null;
    });
    const by = state === 'approved' ? 'page' : 'vscode';
    await until('both say who answered', async () =>
      (await cardOf(page, id).innerText()).includes(`by ${by}`) && (await chat.inState(id, state)).includes(`answered by ${by}`));
    await chat.idle();
    assert.equal(scene.file(name) !== null, state === 'approved');
  }
});

given('given two cards at once then both are on the page, each with an answer of its own', async () => {
  await chat.prompt('demo: two');
  const ids = await chat.waiting(2);
  for (const id of ids) await cardOf(page, id).waitFor();
  const texts = await Promise.all(ids.map((id) => cardOf(page, id).innerText()));
  const write = ids[texts.findIndex((text) => text.includes('two.txt'))] ?? '';
  const run = ids.find((id) => id !== write) ?? '';
  await picture(page, 'page-two');
  await press(page, run, 'deny_reason');
  await cardOf(page, run).getByLabel('Why not?').fill('Not now. ;; demo: say I was told why');
  await press(page, run, 'deny_reason_send');
  await inState(page, run, 'denied');
  await press(page, write, 'allow_session');
  await inState(page, write, 'approved');
  await until('the agent is told', async () => (await chat.text()).split('I was told why').length > 2);
  await chat.idle();
  assert.deepEqual([scene.file('two.txt'), scene.file('ran.txt')], ['One of two.\n', null]);
});

given('given Always on the page then the like is not asked about again', async () => {
  await chat.prompt('demo: run touch always.txt');
  const [id = ''] = await chat.waiting();
  await press(page, id, 'always');
  await cardOf(page, id).getByLabel('In this folder').check();
  await press(page, id, 'always_allow');
  await inState(page, id, 'approved');
  await chat.idle();
  await chat.prompt('demo: run touch always.txt');
  await chat.says('It ran, and printed nothing.');
  await until('it has run twice', async () => (await chat.text()).split('It ran, and printed nothing.').length === 3);
  await chat.idle();
});

given('given a card when the turn is stopped then the one on the page settles too', async () => {
  await chat.prompt('demo: write c.txt some words');
  const [id = ''] = await chat.waiting();
  await cardOf(page, id).waitFor();
  await (await chat.frame()).locator('.mynah-chat-wrapper:visible').getByText('Stop', { exact: true }).click();
  await inState(page, id, 'cancelled');
  await chat.idle();
});

given('given a page that is reloaded then what waits is there, and its answer counts', async () => {
  await chat.prompt('demo: write d.txt some words');
  const [id = ''] = await chat.waiting();
  await page.reload();
  await press(page, id, 'allow_once');
  await inState(page, id, 'approved');
  await until('the file is written', () => scene.file('d.txt') === 'some words\n');
  await chat.idle();
});

given('given hostile text then the page shows it as text', async () => {
  await chat.prompt("demo: run echo '<img/src=x/onerror=alert(1)>[click](http://evil.example)\u202egnp.exe'");
  const [id = ''] = await chat.waiting();
  const card = cardOf(page, id);
  await card.waitFor();
  for (const summary of await card.locator('summary').all()) await summary.tap();
  assert.ok((await card.innerText()).includes('<img/src=x/onerror=alert(1)>[click](http://evil.example)\\u{202e}gnp.exe'));
  assert.equal(await card.locator('img, a, script').count(), 0);
  await press(page, id, 'deny');
  await inState(page, id, 'denied');
  await chat.idle();
});

given('given Bypass on the page then the editor writes the setting, and the next call does not ask', async () => {
  await chat.prompt('demo: write e.txt some words');
  const [id = ''] = await chat.waiting();
  await press(page, id, 'bypass');
  await press(page, id, 'bypass_confirm');
  await inState(page, id, 'approved');
  await until('the setting is written', () => scene.editor.settings()['mayi.agents']?.demo?.bypassPermissions === true);
  await chat.idle();
  await chat.prompt('demo: write f.txt some words');
  await until('the file is written', () => scene.file('f.txt') === 'some words\n');
});

given('given a backend that is killed then the page says so, and its choices rest', async () => {
  scene.killBackends();
  await page.locator('#connection[data-state=lost]').waitFor();
  await picture(page, 'page-lost');
});
