// @ts-check
// A call of an app's Responses API: the same card as any other, in the editor's Approvals and on the page, and the app's answer
// goes on where it stopped.

import assert from 'node:assert/strict';
import { after, afterEach, before } from 'node:test';

import { cardOf, inState, pairedPhone, picture, press } from '../lib/phone.mjs';
import { startResponses } from '../lib/responses.mjs';
import { givenIn, setScene } from '../lib/scene.mjs';
import { until } from '../lib/until.mjs';
import { click, command, picture as ofEditor, webview } from '../lib/workbench.mjs';

/** @type {import('../lib/scene.mjs').Scene} */
let scene;
/** @type {Awaited<ReturnType<typeof startResponses>>} */
let api;
/** @type {Awaited<ReturnType<typeof pairedPhone>>} */
let phone;
/** @type {any} */
let page;

before(async () => {
  scene = await setScene({ machine: { 'mayi.page': true } });
  await scene.chat.open();
  phone = await pairedPhone(scene);
  page = phone.page;
  api = await startResponses(scene.stage);
});
after(async () => {
  await api?.stop();
  await scene?.strike();
});
afterEach(() => {
  assert.deepEqual(phone?.wrong, [], 'nothing is refused by the policy, nothing throws, and nobody else is asked');
});

const given = givenIn(() => scene);

/** The id of the one card that waits on the page. @returns {Promise<string>} */
const waiting = () => until('one card waits', async () => {
  const ids = await page.locator('[data-approval-id][data-state="pending"]').evaluateAll(
    (/** @type {Element[]} */ all) => all.map((one) => one.getAttribute('data-approval-id')));
  return ids.length === 1 ? ids[0] : null;
});

/** The list of what waits in all processes. @param {string} id */
async function approvals(id) {
  await command(scene.page, 'mayi: Show Approvals');
  return webview(scene.page, `body:not(:has(.mynah-chat-wrapper)) [data-approval-id="${id}"]`);
}

given('given a call of an app when it is approved on the page then the card is as any other, and the app’s answer goes on', async () => {
  const answer = api.ask([['search']]);
  const id = await waiting();
  await cardOf(page, id).locator('[action-id="more"]').tap();
  await cardOf(page, id).getByText('"query"').waitFor();
  const text = await cardOf(page, id).innerText();
  // Server, tool, and the arguments as people read JSON.
  for (const part of ['Allow tool call from docs?', 'search', '"query": "what search is about"', 'searchs documents',
    'server_url: https://docs.example/mcp', 'Review each action carefully before approving']) assert.ok(text.includes(part), `${part}: ${text}`);
  assert.ok(!text.includes('session'), 'the protocol has none');
  await picture(page, 'responses-page-pending');
  const frame = await approvals(id);
  const card = frame.locator(`[data-approval-id="${id}"][data-state]`).first();
  assert.equal(await card.getAttribute('data-state'), 'pending');
  assert.match(await card.innerText(), /docs[^]*Approval required[^]*search/);
  await ofEditor(scene.page, 'responses-editor-pending');
  await press(page, id, 'allow_once');
  await inState(page, id, 'approved');
  await frame.locator(`[data-approval-id="${id}"][data-state="approved"]`).first().waitFor();
  assert.match(await card.innerText(), /✓ Tool call approved/);
  assert.match(await cardOf(page, id).innerText(), /Tool call approved by page/);
  assert.equal(await cardOf(page, id).locator('[action-id]').count(), 0);
  const stream = await answer;
  assert.equal(stream.match(/"type":"response\.created"/g)?.length, 1, 'one message');
  assert.match(stream, /search ran/);
  assert.ok(!stream.includes('mcp_approval_request'));
  assert.deepEqual(await api.ran(), ['search']);
  await picture(page, 'responses-page-approved');
  await ofEditor(scene.page, 'responses-editor-approved');
});

given('given a call of an app when it is denied in the editor then both say so, and the model goes on without it', async () => {
  const answer = api.ask([['write']]);
  const id = await waiting();
  const frame = await approvals(id);
  const card = frame.locator(`[data-approval-id="${id}"][data-state]`).first();
  await click(scene.page, card.locator('[action-id="deny"]:not([aria-disabled="true"])'));
  await inState(page, id, 'denied');
  await frame.locator(`[data-approval-id="${id}"][data-state="denied"]`).first().waitFor();
  assert.match(await card.innerText(), /✕ Tool call denied by user/);
  assert.match(await cardOf(page, id).innerText(), /Tool call denied by vscode/);
  assert.match(await answer, /write was not approved/);
  assert.deepEqual(await api.ran(), ['search']);
  await picture(page, 'responses-page-denied');
  await ofEditor(scene.page, 'responses-editor-denied');
});

given('given a card that waits then it pulses once in two seconds, and not for whoever wants no motion', async () => {
  const answer = api.ask([['read']]);
  const id = await waiting();
  const frame = await approvals(id);
  const pulse = (/** @type {any} */ one) => one.evaluate((/** @type {Element} */ element) => {
    const all = [element, ...element.querySelectorAll('*')].map((part) => getComputedStyle(part));
    return all.filter((style) => style.animationName === 'pulse-approval').map((style) => [style.animationDuration, style.animationIterationCount]);
  });
  const views = [[phone.page, cardOf(page, id)], [scene.page, frame.locator(`[data-approval-id="${id}"][data-state]`).first()]];
  for (const [of, card] of views) {
    assert.deepEqual(await pulse(card), []);
    await of.emulateMedia({ reducedMotion: 'no-preference' });
    assert.deepEqual(await pulse(card), [['2s', 'infinite']]);
    await of.emulateMedia({ reducedMotion: 'reduce' });
  }
  await press(page, id, 'deny');
  await answer;
});
