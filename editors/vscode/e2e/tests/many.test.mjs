// @ts-check
// A hundred questions at once: the first is in sight before the last is drawn, all are there in their order, and those alike are
// listed. How long it takes is measured by `just bench-cards`.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';

import { startBrowser } from '../lib/browser.mjs';
import { card, startFake } from '../lib/fake_backend.mjs';
import { openPhone, pair } from '../lib/phone.mjs';
import { openAlone } from '../lib/webview_alone.mjs';

/** @type {any} */
let browser;
before(async () => {
  browser = await startBrowser();
});
after(() => browser?.close());

const questions = (/** @type {string | null} */ tabId) => Array.from({ length: 100 }, (_, at) => card({
  tabId, alike: at < 60 ? 'k' : null, createdAt: new Date(Date.UTC(2026, 0, 1) + at).toISOString(),
  toolCall: { toolCallId: `c${at}`, title: 'Run it', name: null, kind: 'execute', rawInput: { command: `cargo test -p part-${at}` }, locations: [], content: [] },
  accesses: [{ access: 'shell', display: `cargo test -p part-${at}`, category: 'execute' }],
}));

/** Runs in the page: notes how many cards stood there in each frame. */
function count() {
  /** @type {number[]} */
  const frames = [];
  Object.assign(globalThis, { frames });
  const look = () => {
    frames.push(document.querySelectorAll('[data-approval-id][data-state="pending"]').length);
    requestAnimationFrame(look);
  };
  requestAnimationFrame(look);
}

/** @param {any} page @param {any[]} cards @param {string} list */
async function holds(page, cards, list) {
  await page.waitForFunction(() => document.querySelectorAll('[data-approval-id][data-state="pending"]').length === 100);
  const frames = await page.evaluate(() => (/** @type {any} */ (globalThis)).frames);
  assert.ok(frames.some((/** @type {number} */ many) => many > 0 && many < 100), 'some are seen before all are drawn');
  const ids = await page.locator('[data-approval-id][data-state="pending"]').evaluateAll((/** @type {Element[]} */ all) => all.map((one) => one.getAttribute('data-approval-id')));
  assert.deepEqual(ids, cards.map(({ approvalId }) => approvalId));
  await page.locator('[action-id="alike"]:visible').first().evaluate((/** @type {HTMLElement} */ one) => one.click());
  assert.equal(await page.locator(`${list} li`).count(), 60);
}

for (const view of /** @type {const} */ (['approvals', 'chat'])) {
  test(`given a hundred cards in ${view} then the first is seen before the last is drawn, and all are there in their order`, async () => {
    const one = card();
    const alone = await openAlone(browser, { view, width: 400, cards: view === 'chat' ? [one] : [], oneTab: true });
    if (view === 'chat') await alone.post({ type: 'approval-resolved', approvalId: one.approvalId, tabId: 't0', state: 'denied', by: 'page', at: new Date().toISOString(), reason: null, grantedPermissions: [] });
    await alone.page.evaluate(count);
    const cards = questions(view === 'chat' ? 't0' : null);
    await alone.page.evaluate((/** @type {{ cards: any[], chat: boolean }} */ { cards: all, chat }) => {
      for (const each of all) {
        window.postMessage(each, '*');
        if (chat) window.postMessage({ type: 'item', tabId: 't0', item: { kind: 'approval', id: each.approvalId, toolCallId: null }, after: null }, '*');
      }
    }, { cards, chat: view === 'chat' });
    await holds(alone.page, cards, '.mayi-alike');
    assert.deepEqual(alone.wrong, []);
    await alone.context.close();
  });
}

test('given a hundred cards on the page then the first is seen before the last is drawn, and all are there in their order', async (t) => {
  const fake = await startFake();
  t.after(() => fake.stop());
  const phone = await openPhone(browser, fake.url);
  await pair(phone.page, fake.code);
  await phone.page.evaluate(count);
  const cards = questions(null);
  fake.ask(...cards);
  await holds(phone.page, cards, '.alike');
  assert.deepEqual(phone.wrong, []);
  await phone.context.close();
});
