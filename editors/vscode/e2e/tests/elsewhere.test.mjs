// @ts-check
// A card of another mayi process, `mayi run` in a terminal: in the editor's Approvals and on the page it is the same card as one of
// this window's own, it is answered there, and settles as one line that says by whom.

import assert from 'node:assert/strict';
import { after, afterEach, before } from 'node:test';

import { kindsSettings } from '../lib/kinds.mjs';
import { cardOf, inState, pairedPhone, picture, press } from '../lib/phone.mjs';
import { mayi } from '../lib/places.mjs';
import { rested, settle } from '../lib/rests.mjs';
import { givenIn, setScene } from '../lib/scene.mjs';
import { inTerminal } from '../lib/terminal.mjs';
import { until } from '../lib/until.mjs';
import { click, command, picture as ofEditor, webview } from '../lib/workbench.mjs';

const { command: program, args } = kindsSettings['mayi.agents'].kinds;
/** What is asked, so that each part of a card is there: marks, a change, arguments, the warning. */
const KINDS = ['loop', 'edit', 'code', 'call', 'fetch', 'document'];

/** @type {import('../lib/scene.mjs').Scene} */
let scene;
/** @type {Awaited<ReturnType<typeof pairedPhone>>} */
let phone;
/** @type {{ stop: () => Promise<void> }[]} */
const running = [];

before(async () => {
  const config = `[agents.kinds]\ncommand = ${JSON.stringify([program, ...args])}\n`;
  scene = await setScene({ settings: kindsSettings, machine: { 'mayi.page': true }, config });
  await scene.chat.open();
  phone = await pairedPhone(scene);
});
after(async () => {
  for (const one of running) await one.stop();
  await scene?.strike();
});
afterEach(() => {
  assert.deepEqual([scene?.refused, phone?.wrong], [[], []]);
});

const given = givenIn(() => scene);

/** @param {string[]} kinds */
function run(...kinds) {
  const started = inTerminal(scene.stage, mayi(), ['run', 'kinds', `ask ${kinds.join(' ')}`], `terminal-${running.length}.log`);
  running.push(started);
  return started;
}

/** Those that wait on the page, which are there in their order. @param {number} count @returns {Promise<string[]>} */
const onPage = (count) => until(`${count} wait on the page`, async () => {
  const ids = await phone.page.locator('[data-approval-id][data-state="pending"]').evaluateAll((/** @type {Element[]} */ all) => all.map((one) => one.getAttribute('data-approval-id') ?? ''));
  return ids.length === count ? ids : null;
});

/** The Approvals view, where this card is. @param {string} id */
async function approvals(id) {
  await command(scene.page, 'mayi: Show Approvals');
  return webview(scene.page, `body[data-view=approvals] [data-approval-id="${id}"]`);
}

/** Denies a card of the Approvals view. @param {any} frame @param {string} id */
const deny = (frame, id) => settle(frame.locator(`[data-approval-id="${id}"]`).first(), 'deny');

/** What a card shows, part by part. @param {any} card the locator @returns {Promise<Record<string, unknown>>} */
const partsOf = (card) => card.evaluate((/** @type {Element} */ one) => {
  const texts = (/** @type {string} */ selector) => [...one.querySelectorAll(selector)].map((part) => part.textContent);
  const body = '.mayi-body, .body';
  return {
    head: texts('h3, h2'), line: texts(`:is(${body}) :is(.mayi-command, .command)`), marks: texts('mark'), arguments: texts(':is(.mayi-arguments, .arguments pre)'),
    diff: texts(':is(.mayi-diff .line, .diff tr)'), apart: texts(':is(.mayi-apart li, .accesses .row)'), warning: texts(':is(.mayi-warning, .warning)'),
    answers: [...one.querySelectorAll('button[action-id]')].map((part) => part.getAttribute('action-id')).filter((id) => id !== 'alike'),
  };
});

given('given cards of a terminal then in Approvals and on the page they have the same parts as those of this window', async () => {
  const other = run(...KINDS);
  const theirs = await onPage(KINDS.length).catch((error) => { throw new Error(`${error.message}\n${other.shown()}`); });
  await scene.chat.prompt(`ask ${KINDS.join(' ')}`);
  const all = await onPage(2 * KINDS.length);
  const own = all.filter((id) => !theirs.includes(id));
  const frame = await approvals(theirs[0] ?? '');
  for (const id of all) await frame.locator(`[data-approval-id="${id}"]`).first().waitFor({ state: 'attached' });
  const inEditor = (/** @type {string} */ id) => frame.locator(`[data-approval-id="${id}"]`).first();
  for (const [surface, of] of /** @type {const} */ ([['Approvals', inEditor], ['the page', (/** @type {string} */ id) => cardOf(phone.page, id)]])) {
    /** By their first line and their thing: a terminal may ask in another order. @param {string[]} ids */
    const sorted = async (ids) => (await Promise.all(ids.map((id) => partsOf(of(id))))).map((one) => JSON.stringify(one)).sort();
    assert.deepEqual((await sorted(theirs)).map((one) => JSON.parse(one)), (await sorted(own)).map((one) => JSON.parse(one)), surface);
  }
  const whole = await Promise.all(theirs.map((id) => partsOf(inEditor(id))));
  const count = (/** @type {string} */ part) => whole.filter((one) => /** @type {string[]} */ (one[part]).length > 0).length;
  assert.deepEqual(['line', 'marks', 'diff', 'arguments', 'warning'].map(count), [2, 2, 2, 1, 2], JSON.stringify(whole, null, 1));
  assert.match(await inEditor(theirs[0] ?? '').innerText(), /another process/);
  await ofEditor(scene.page, 'elsewhere-approvals');
  await picture(phone.page, 'elsewhere-page');
  // Its change is seen in the editor's own view, as of any card.
  const changed = theirs.find((_, at) => /** @type {string[]} */ (whole[at]?.['diff']).length > 0) ?? '';
  await click(scene.page, inEditor(changed).getByRole('button', { name: 'Open in the editor' }).first());
  await scene.page.locator('.monaco-diff-editor').waitFor();
  for (const id of own) {
    await deny(frame, id);
    await frame.locator(`[data-approval-id="${id}"][data-state="denied"]`).first().waitFor();
  }
  await scene.chat.open();
  // And those of the terminal: one here, one there, one by the key, the rest on the page.
  const back = await approvals(theirs[0] ?? '');
  const [first = '', second = '', ...rest] = theirs;
  await deny(back, first);
  await back.locator(`[data-approval-id="${first}"][data-state="denied"]`).first().waitFor();
  assert.match(await back.locator(`[data-approval-id="${first}"]`).first().innerText(), /denied by user, answered by vscode/);
  await inState(phone.page, first, 'denied');
  assert.match(await cardOf(phone.page, first).innerText(), /Tool call denied by vscode/);
  await press(phone.page, second, 'allow_once');
  await inState(phone.page, second, 'approved');
  await back.locator(`[data-approval-id="${second}"][data-state="approved"]`).first().waitFor();
  assert.match(await back.locator(`[data-approval-id="${second}"]`).first().innerText(), /✓ Tool call approved, answered by page/);
  assert.ok((await back.locator(`[data-approval-id="${second}"]`).first().boundingBox()).height < 40, 'it is one line');
  for (const id of rest) {
    await press(phone.page, id, 'deny');
    await inState(phone.page, id, 'denied');
  }
  assert.equal(await other.ended, 5, 'something was denied');
  assert.match(other.shown(), /denied[^]*vscode|vscode[^]*denied/i);
});

given('given a card of a terminal that nobody looks at then a notification names it, and its Show leads to it', async () => {
  await command(scene.page, 'View: Show Explorer');
  const other = run('command');
  const [id = ''] = await onPage(1);
  const toast = scene.page.locator('.notifications-toasts .notification-list-item').filter({ hasText: 'kinds wants to run: cargo test --workspace' });
  await toast.getByRole('button', { name: 'Show' }).click();
  const frame = await webview(scene.page, `body[data-view=approvals] [data-approval-id="${id}"]`);
  const card = frame.locator(`[data-approval-id="${id}"]`).first();
  await rested(card);
  await until('the key answers it', async () => {
    await card.locator('h3').focus().catch(() => {});
    await scene.page.keyboard.press('Control+Enter');
    return (await card.getAttribute('data-state')) === 'approved';
  });
  assert.equal(await other.ended, 0, other.shown());
});

given('given a card of a terminal whose process is killed then it no longer waits anywhere', async () => {
  const other = run('command');
  const [id = ''] = await onPage(1);
  const frame = await approvals(id);
  process.kill(-other.pid, 'SIGKILL');
  await frame.locator(`[data-approval-id="${id}"]:not([data-state="pending"])`).first().waitFor({ timeout: 60_000 });
  await phone.page.locator(`[data-approval-id="${id}"]:not([data-state="pending"])`).first().waitFor({ timeout: 60_000 });
});
