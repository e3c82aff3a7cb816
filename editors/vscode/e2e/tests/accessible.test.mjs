// @ts-check
// Cards for everybody: axe-core finds nothing in them, in each kind of theme, while they wait, with everything open, and settled.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { test } from 'node:test';

import { startFake } from '../lib/fake_backend.mjs';
import { withKinds } from '../lib/with_kinds.mjs';
import { cardOf, openPhone, pair } from '../lib/phone.mjs';
import { extension } from '../lib/places.mjs';
import { allRested } from '../lib/rests.mjs';
import { openAlone } from '../lib/webview_alone.mjs';

const axe = readFileSync(createRequire(join(extension, 'package.json')).resolve('axe-core/axe.min.js'), 'utf8');
const given = withKinds();

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
    const kinds = ['loop', 'write', 'edit', 'code', 'arguments', 'flagged'];
    const cards = kinds.map((kind) => given.asked.cards[kind]);
    const view = await openAlone(given.browser, { view: 'approvals', width: 420, height: 4_000, theme, cards });
    await allRested(view.page, cards.length);
    // Colours of code are text too, on the grounds of lines that come and go.
    for (const part of ['.mayi-command .tok-string', '.added .tok-number', '.removed .tok-string', '.added .tok-comment']) assert.ok(await view.page.locator(part).count(), part);
    assert.deepEqual(await violations(view.page, 'main'), [], 'waiting');
    for (const panel of ['more', 'always', 'deny_reason']) {
      // Not every card offers to remember something.
      const openers = await view.page.locator(`[action-id="${panel}"]`).all();
      assert.ok(openers.length > 1, panel);
      for (const one of openers) await one.click();
      await view.page.locator(`[action-id="${panel}"][aria-expanded="true"]`).nth(openers.length - 1).waitFor();
      await allRested(view.page, cards.length);
      assert.deepEqual(await violations(view.page, 'main'), [], panel);
    }
    for (const one of cards) await view.post({ type: 'approval-resolved', approvalId: one.approvalId, tabId: 't0', state: 'denied', by: 'page', at: new Date().toISOString(), reason: 'no', grantedPermissions: [] });
    await view.page.locator('[data-state="denied"]').nth(cards.length - 1).waitFor();
    assert.deepEqual(await violations(view.page, 'main'), [], 'settled');
    await view.context.close();
  });
}

for (const dark of [false, true]) {
  test(`given the page${dark ? ' in the dark' : ''} then axe finds nothing`, async (t) => {
    const fake = await startFake();
    t.after(() => fake.stop());
    const phone = await openPhone(given.browser, fake.url, { dark });
    await pair(phone.page, fake.code);
    const cards = ['loop', 'edit', 'arguments', 'flagged'].map((kind) => given.asked.cards[kind]);
    fake.ask(...cards);
    await cardOf(phone.page, cards.at(-1).approvalId).waitFor();
    await allRested(phone.page, cards.length);
    await cardOf(phone.page, cards[0].approvalId).locator('[action-id="more"]').tap();
    await cardOf(phone.page, cards[0].approvalId).locator('.about').first().waitFor();
    await allRested(phone.page, cards.length);
    assert.deepEqual(await violations(phone.page, 'body'), []);
    fake.elsewhere(cards[0], 'deny', 'vscode');
    await phone.page.locator('[data-state="denied"]').waitFor();
    assert.deepEqual(await violations(phone.page, 'body'), []);
    await phone.context.close();
  });
}
