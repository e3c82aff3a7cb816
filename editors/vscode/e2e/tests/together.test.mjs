// @ts-check
// One answer for cards that differ: each is shown whole and ticked, in the Approvals view and on the page (S2.12, D6.18).

import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';

import { startBrowser } from '../lib/browser.mjs';
import { card, startFake } from '../lib/fake_backend.mjs';
import { covered, faults } from '../lib/layout.mjs';
import { cardOf, inState, openPhone, pair, picture, seeAll as readOnPage } from '../lib/phone.mjs';
import { allRested, rested, seeAll } from '../lib/rests.mjs';
import { until } from '../lib/until.mjs';
import { openAlone } from '../lib/webview_alone.mjs';

/** @type {any} */
let browser;
before(async () => {
  browser = await startBrowser();
});
after(() => browser?.close());

/** A card about this line. @param {string} line @param {Record<string, any>} [more] */
const asked = (line, more = {}) => card({
  alike: line, toolCall: { toolCallId: line.slice(0, 20), title: 'Run it', name: null, kind: 'execute', rawInput: { command: line }, locations: [], content: [] },
  accesses: [{ access: 'shell', display: line, category: 'execute' }], ...more,
});
/** So long that it is folded. */
const LONG = Array.from({ length: 60 }, (_, at) => `echo ${at}`).join('\n');

/** Two that differ, one that is folded, and one that is answered by itself. */
const four = () => [asked('cargo test'), asked('git push'), asked(LONG), asked('sudo reboot', { alike: null })];

/** Ticks a card, as soon as a press counts: where it had to be scrolled to, it rests at first. @param {any} shown */
async function tick(shown) {
  const box = shown.locator('[action-id="tick"]');
  await until('it is ticked', async () => {
    await box.scrollIntoViewIfNeeded();
    await rested(shown);
    if (!(await box.isChecked())) await box.click();
    return box.isChecked();
  });
}

/** @param {any} page @param {string} action */
const bar = (page, action) => page.locator(`[action-id="together_${action}"]:not([aria-disabled="true"])`);

describe('the Approvals view', () => {
  for (const width of [240, 400]) {
    test(`given cards that differ in a view of ${width} pixels then those that are ticked are allowed, each by its own digest`, async () => {
      const cards = four();
      const [one, two, long, alone] = cards;
      const view = await openAlone(browser, { view: 'approvals', width, height: 700, cards });
      await allRested(view.page, cards.length);
      assert.equal(await view.card(alone).locator('[action-id="tick"]').count(), 0);
      for (const of of [one, long]) await tick(view.card(of));
      await bar(view.page, 'allow').waitFor();
      assert.deepEqual(await view.page.locator('.mayi-together').evaluate(faults), []);
      assert.deepEqual(await view.page.locator('.mayi-together').evaluate(covered), []);
      // What is folded was not in sight: the press shows it, and is no answer.
      await bar(view.page, 'allow').click();
      assert.deepEqual(await view.answers(), []);
      for (const of of [one, long]) await seeAll(view.card(of));
      await until('it is an answer', async () => {
        await bar(view.page, 'allow').click({ timeout: 2_000 }).catch(() => {});
        return (await view.answers()).length > 0;
      });
      const [{ responses }] = await view.answers();
      assert.deepEqual(responses.map((/** @type {any} */ of) => [of.digest, of.response.outcome.optionId]), [[one.digest, 'allow_once'], [long.digest, 'allow_once']]);
      assert.equal(await view.card(two).getAttribute('data-state'), 'pending');
      assert.deepEqual(view.wrong, []);
      await view.context.close();
    });
  }
});

/** The page with these cards, all of them ticked. @param {import('node:test').TestContext} t @param {any[]} cards */
async function openTicked(t, cards) {
  const fake = await startFake();
  t.after(() => fake.stop());
  const phone = await openPhone(browser, fake.url);
  t.after(() => phone.context.close());
  await pair(phone.page, fake.code);
  fake.ask(...cards);
  for (const { approvalId } of cards) await tick(cardOf(phone.page, approvalId));
  await bar(phone.page, 'allow').waitFor();
  return { fake, ...phone };
}

/** Presses the bar until it is an answer. @param {any} page @param {any} fake */
const allowAll = (page, fake) => until('it is an answer', async () => {
  await bar(page, 'allow').tap({ timeout: 2_000 }).catch(() => {});
  return fake.state.answers.length > 0;
});

describe('the page', () => {
  test('given cards that differ then those that are ticked get one answer, each by its own digest', async (t) => {
    const fake = await startFake();
    t.after(() => fake.stop());
    const phone = await openPhone(browser, fake.url);
    const { page } = phone;
    await pair(page, fake.code);
    const cards = four();
    const [one, two, long, alone] = cards;
    fake.ask(...cards);
    for (const { approvalId } of cards) await cardOf(page, approvalId).waitFor();
    assert.equal(await cardOf(page, alone.approvalId).locator('[action-id="tick"]').count(), 0);
    for (const of of [one, long]) await tick(cardOf(page, of.approvalId));
    await bar(page, 'allow').waitFor();
    assert.deepEqual(await page.locator('#together').evaluate(faults), []);
    await picture(page, 'page-together');
    await bar(page, 'allow').tap();
    assert.deepEqual(fake.state.answers, []);
    for (const of of [one, long]) await readOnPage(page, of.approvalId);
    await allowAll(page, fake);
    for (const of of [one, long]) await inState(page, of.approvalId, 'approved');
    assert.deepEqual(/** @type {any[]} */ (fake.state.answers).map(({ digest, response }) => [digest, response.outcome.optionId]), [[one.digest, 'allow_once'], [long.digest, 'allow_once']]);
    assert.equal(await page.locator('#together').isVisible(), false);
    // Of one that is left there is nothing to answer it with.
    assert.equal(await cardOf(page, two.approvalId).locator('[action-id="tick"]').isVisible(), false);
    assert.deepEqual(phone.wrong, []);
    await phone.context.close();
  });

  test('given one whose choices rest then nothing is allowed', async (t) => {
    const cards = four().slice(0, 2);
    const { fake, page } = await openTicked(t, cards);
    for (const { approvalId } of cards) await readOnPage(page, approvalId);
    await allRested(page, cards.length);
    await bar(page, 'allow').waitFor();
    // The card's own choices move: they rest, and the bar does not.
    const after = await page.evaluate((/** @type {string} */ id) => {
      const card = /** @type {HTMLElement} */ (document.querySelector(`[data-approval-id="${id}"]`));
      const bar = /** @type {HTMLElement} */ (document.querySelector('#together'));
      /** @type {HTMLElement} */ (card.querySelector('[action-id="more"]')).click();
      const live = [card.dataset.live, bar.dataset.live];
      /** @type {HTMLElement} */ (bar.querySelector('[action-id="together_allow"]')).click();
      return { live, answered: bar.hidden };
    }, cards[1].approvalId);
    assert.deepEqual(after, { live: ['false', 'true'], answered: false });
    await allowAll(page, fake);
    assert.deepEqual(fake.state.answers.map(({ digest }) => digest), cards.map(({ digest }) => digest));
  });

  test('given one that comes into sight when the bar is pressed then nothing is allowed before it has rested', async (t) => {
    const [one, , long] = four();
    const { fake, page } = await openTicked(t, [one, long]);
    await readOnPage(page, one.approvalId);
    // The bar is pressed in the moment in which all of the last one was in sight.
    await page.evaluate((/** @type {string} */ id) => {
      const card = /** @type {HTMLElement} */ (document.querySelector(`[data-approval-id="${id}"]`));
      const bar = /** @type {HTMLElement} */ (document.querySelector('#together'));
      new MutationObserver((_, observer) => {
        if (card.dataset.seen !== 'true') return;
        observer.disconnect();
        /** @type {HTMLElement} */ (bar.querySelector('[action-id="together_allow"]')).click();
        Object.assign(window, { pressed: { live: card.dataset.live === 'true', answered: bar.hidden } });
      }).observe(card, { attributeFilter: ['data-seen'] });
    }, long.approvalId);
    await readOnPage(page, long.approvalId);
    const { live, answered } = await page.evaluate(() => /** @type {any} */ (window).pressed);
    // A machine that paints seldom may see that it is in sight only after it has rested.
    assert.equal(answered, live);
    if (!answered) await allowAll(page, fake);
    for (const { approvalId } of [one, long]) await inState(page, approvalId, 'approved');
    assert.equal(fake.state.answers.length, 2);
  });

  test('given a connection that is lost and comes back then the bar rests like the cards', async (t) => {
    const cards = four().slice(0, 2);
    const { fake, page } = await openTicked(t, cards);
    // In the moment in which the page says that it is connected again, or is not.
    await page.evaluate(() => {
      const place = (/** @type {string} */ id) => /** @type {HTMLElement} */ (document.getElementById(id));
      const connection = place('connection');
      /** @type {Record<string, [string | undefined, string | null | undefined]>} */
      const bars = {};
      Object.assign(window, { bars });
      new MutationObserver(() => {
        const allow = place('together').querySelector('[action-id="together_allow"]');
        bars[connection.dataset.state ?? ''] = [place('together').dataset.live, allow?.getAttribute('aria-disabled')];
      }).observe(connection, { attributeFilter: ['data-state'] });
    });
    fake.cut();
    await page.waitForFunction(() => 'connected' in /** @type {any} */ (window).bars);
    const bars = await page.evaluate(() => /** @type {any} */ (window).bars);
    assert.deepEqual([bars.lost, bars.connected], [['false', 'true'], ['false', 'true']]);
    await bar(page, 'allow').waitFor();
  });

  test('given one that changes after it was ticked then it is ticked no more, and a denial of the others needs no look', async (t) => {
    const fake = await startFake();
    t.after(() => fake.stop());
    const phone = await openPhone(browser, fake.url);
    const { page } = phone;
    await pair(page, fake.code);
    const [one, two, long] = four();
    fake.ask(one, two, long);
    for (const of of [one, two, long]) await tick(cardOf(page, of.approvalId));
    fake.say({ ...one, type: 'approval-updated', digest: 'another', cwd: '/elsewhere' });
    await page.getByText('Deny these 2').waitFor();
    assert.equal(await cardOf(page, one.approvalId).locator('[action-id="tick"]').isChecked(), false);
    await bar(page, 'deny').tap();
    for (const of of [two, long]) await inState(page, of.approvalId, 'denied');
    assert.deepEqual(fake.state.answers.map(({ digest }) => digest), [two.digest, long.digest]);
    assert.equal(await cardOf(page, one.approvalId).getAttribute('data-state'), 'pending');
    await phone.context.close();
  });
});
