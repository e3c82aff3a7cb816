// @ts-check
// Cards for everybody: axe-core finds nothing in them, in each kind of theme, while they wait, with everything open, and settled;
// a hundred of them are there at once.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { after, before, test } from 'node:test';

import { startBrowser } from '../lib/browser.mjs';
import { card, startFake } from '../lib/fake_backend.mjs';
import { askAll } from '../lib/kinds.mjs';
import { cardOf, openPhone, pair } from '../lib/phone.mjs';
import { extension } from '../lib/places.mjs';
import { setStage } from '../lib/stage.mjs';
import { openAlone } from '../lib/webview_alone.mjs';

const axe = readFileSync(createRequire(join(extension, 'package.json')).resolve('axe-core/axe.min.js'), 'utf8');
/** @type {any} */
let browser;
/** @type {ReturnType<typeof setStage>} */
let stage;
/** @type {Awaited<ReturnType<typeof askAll>>} */
let asked;

before(async () => {
  stage = setStage();
  [browser, asked] = await Promise.all([startBrowser(), askAll(stage)]);
});
after(async () => {
  await browser?.close();
  await asked?.stop();
  await stage?.strike();
});

/** What axe-core finds in the part of a page, as texts. @param {any} page @param {string} part @returns {Promise<string[]>} */
async function violations(page, part) {
  await page.evaluate(axe);
  return page.evaluate(async (/** @type {string} */ selector) => {
    const { violations: found } = await (/** @type {any} */ (window)).axe.run(selector, { resultTypes: ['violations'] });
    return found.flatMap((/** @type {any} */ one) => one.nodes.map((/** @type {any} */ node) => `${one.id}: ${node.html.slice(0, 140)} ${node.any.map((/** @type {any} */ any) => any.message).join(' ').slice(0, 200)}`));
  }, part);
}

for (const theme of ['light', 'dark', 'hc-light', 'hc-dark']) {
  test(`given ${theme} then axe finds nothing in what waits, in what is opened, and in what is settled`, async () => {
    const kinds = ['loop', 'write', 'edit', 'arguments', 'flagged'];
    const cards = kinds.map((kind) => asked.cards[kind]);
    const view = await openAlone(browser, { view: 'approvals', width: 420, height: 4_000, theme, cards });
    await view.page.waitForTimeout(900);
    assert.deepEqual(await violations(view.page, 'main'), [], 'waiting');
    for (const panel of ['more', 'allow_for', 'deny_reason']) {
      for (const one of cards) await view.card(one).locator(`[action-id="${panel}"]`).first().click();
      await view.page.waitForTimeout(700);
      assert.deepEqual(await violations(view.page, 'main'), [], panel);
    }
    for (const one of cards) await view.post({ type: 'approval-resolved', approvalId: one.approvalId, tabId: 't0', state: 'denied', by: 'page', at: new Date().toISOString(), reason: 'no', grantedPermissions: [] });
    await view.page.locator('[data-state="denied"]').nth(cards.length - 1).waitFor();
    assert.deepEqual(await violations(view.page, 'main'), [], 'settled');
    await view.context.close();
  });
}

for (const dark of [false, true]) {
  test(`given the page${dark ? ' in the dark' : ''} then axe finds nothing`, async () => {
    const fake = await startFake();
    const phone = await openPhone(browser, fake.url, { dark });
    await pair(phone.page, fake.code);
    const cards = ['loop', 'edit', 'arguments', 'flagged'].map((kind) => asked.cards[kind]);
    fake.ask(...cards);
    await cardOf(phone.page, cards.at(-1).approvalId).waitFor();
    await phone.page.waitForTimeout(900);
    await cardOf(phone.page, cards[0].approvalId).locator('[action-id="more"]').tap();
    await phone.page.waitForTimeout(700);
    assert.deepEqual(await violations(phone.page, 'body'), []);
    fake.elsewhere(cards[0], 'deny', 'vscode');
    await phone.page.locator('[data-state="denied"]').waitFor();
    assert.deepEqual(await violations(phone.page, 'body'), []);
    await phone.context.close();
    await fake.stop();
  });
}

test('given a hundred cards then the first is in sight soon, and the list of those alike too', async () => {
  const cards = Array.from({ length: 100 }, (_, at) => card({ alike: at < 60 ? 'k' : null, toolCall: { toolCallId: `c${at}`, title: 'Run it', name: null, kind: 'execute', rawInput: { command: `cargo test -p part-${at}` }, locations: [], content: [] }, accesses: [{ access: 'shell', display: `cargo test -p part-${at}`, category: 'execute' }] }));
  const view = await openAlone(browser, { view: 'approvals', width: 400, cards: [] });
  const first = await view.page.evaluate((/** @type {any[]} */ all) => new Promise((resolve) => {
    const begin = performance.now();
    const look = () => (document.querySelector('[data-approval-id]')?.getClientRects().length ? resolve(performance.now() - begin) : requestAnimationFrame(look));
    for (const one of all) window.postMessage(one, '*');
    requestAnimationFrame(look);
  }), cards);
  await view.page.waitForFunction(() => document.querySelectorAll('[data-approval-id][data-state="pending"]').length === 100);
  await view.page.waitForTimeout(700);
  const alike = await view.page.evaluate(() => new Promise((resolve) => {
    const begin = performance.now();
    /** @type {HTMLElement} */ (document.querySelector('[action-id="alike"]')).click();
    requestAnimationFrame(() => requestAnimationFrame(() => resolve(performance.now() - begin)));
  }));
  console.log(`# 100 cards: the first after ${Math.round(first)} ms; 60 alike listed after ${Math.round(alike)} ms`);
  assert.equal(await view.page.locator('.mayi-alike li').count(), 60);
  // Generous: the machine may be busy. What it is on a quiet one is printed.
  assert.ok(first < 2_000 && alike < 2_000, `${first} ${alike}`);
  await view.context.close();
});
