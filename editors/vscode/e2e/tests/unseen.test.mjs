// @ts-check
// Somebody, or something, presses Allow before all that is asked was in sight: in the real editor's views, in a narrow one, and on
// a phone. It is no answer.

import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';

import { card as fakeCard, startFake } from '../lib/fake_backend.mjs';
import { kindsSettings } from '../lib/kinds.mjs';
import { cardOf, openPhone, pair } from '../lib/phone.mjs';
import { nothingHappens, rested } from '../lib/rests.mjs';
import { givenIn, setScene } from '../lib/scene.mjs';
import { until } from '../lib/until.mjs';
import { openAlone } from '../lib/webview_alone.mjs';
import { withKinds } from '../lib/with_kinds.mjs';
import { command, picture, webview } from '../lib/workbench.mjs';

/** It has hundreds of screens: to its end it is read in no test. */
const VERY_LONG = 'huge';

/**
 * Presses Allow in every way that there is, where it stands: by script, by the pointer if it is in sight, by the keyboard.
 * @param {any} page @param {any} frame @param {any} card
 */
async function tryToAllow(page, frame, card) {
  const allow = card.locator('[action-id="allow_once"]');
  await rested(card);
  assert.equal(await allow.getAttribute('aria-disabled'), 'true', 'it says that it does not count');
  // A script moves nothing before it presses, and what the press itself shows is taken back.
  await allow.evaluate((/** @type {HTMLElement} */ button) => {
    const show = Element.prototype.scrollIntoView;
    Element.prototype.scrollIntoView = () => {};
    button.click();
    Element.prototype.scrollIntoView = show;
    button.focus({ preventScroll: true });
  });
  await page.keyboard.press('Enter');
  await nothingHappens(page);
}

/** Scrolls through a card as a person does, to its end. @param {any} page @param {any} frame @param {any} card */
async function readThrough(page, frame, card) {
  await card.evaluate((/** @type {HTMLElement} */ one) => one.scrollIntoView({ block: 'start' }));
  await until('Allow counts', async () => {
    if ((await card.locator('[action-id="allow_once"]').getAttribute('aria-disabled')) === null || (await card.locator('[action-id="allow_once"]').getAttribute('aria-disabled')) === 'false') return true;
    const fold = card.locator('[data-folded]:visible').first();
    if (await fold.count()) await fold.click({ timeout: 3_000 });
    const further = card.locator('[action-id="further"]:visible');
    // It may be gone by now: then it is looked for again, and not waited for.
    if (await further.count()) await further.first().evaluate((/** @type {HTMLElement} */ one) => one.click(), undefined, { timeout: 3_000 });
    return false;
  });
}

/** Presses Allow as often as it takes: where it had to be scrolled to, it rests at first. @param {any} card @param {() => boolean | Promise<boolean>} answered */
async function allowNow(card, answered) {
  const allow = card.locator('[action-id="allow_once"]:not([aria-disabled="true"])');
  await until('it is an answer', async () => {
    if (await answered()) return true;
    await allow.click({ timeout: 2_000 }).catch(() => {});
    return answered();
  });
}

describe('the views by themselves', () => {
  const views = withKinds();

  /** @type {[string, 'chat' | 'approvals', number, number, string[]][]} */
  const PLACES = [
    ['the Approvals view at its default size', 'approvals', 300, 120, ['loop', 'document', 'huge', 'arguments']],
    ['a chat of 240 pixels', 'chat', 240, 330, ['document', 'huge', 'arguments']],
    ['a low chat', 'chat', 400, 300, ['document', 'huge', 'arguments']],
    ['a wide chat', 'chat', 700, 800, ['huge']],
  ];
  for (const [name, view, width, height, kinds] of PLACES) {
    test(`given ${name} when Allow is pressed before all was in sight then it is no answer, and afterwards it is`, async () => {
      for (const kind of kinds) {
        const card = views.asked.cards[kind];
        const alone = await openAlone(views.browser, { view, width, height, cards: [card], tools: [views.asked.tools[kind]] });
        await tryToAllow(alone.page, alone.page, alone.card(card));
        assert.deepEqual(await alone.answers(), [], kind);
        // What one press more has shown all of is answered by the next.
        if (await alone.card(card).locator('.mayi-choose.unseen').count()) {
          await alone.post({ type: 'key', act: 'approve' });
          await nothingHappens(alone.page);
          assert.deepEqual(await alone.answers(), [], `${kind}, by a key`);
        }
        if (kind === VERY_LONG) {
          await alone.context.close();
          continue;
        }
        await readThrough(alone.page, alone.page, alone.card(card));
        await allowNow(alone.card(card), async () => (await alone.answers()).length === 1);
        assert.deepEqual(alone.wrong, []);
        await alone.context.close();
      }
    });
  }

  test('given a card that changes after it was read then it has to be read again', async () => {
    const card = views.asked.cards['command'];
    const alone = await openAlone(views.browser, { width: 400, height: 300, cards: [card] });
    await alone.page.locator('[action-id="allow_once"]:not([aria-disabled="true"])').waitFor();
    const long = Array.from({ length: 20 }, (_, at) => `echo ${at}`).join('\n');
    await alone.post({ ...card, tabId: 't0', type: 'approval-updated', digest: 'another', toolCall: { ...card.toolCall, rawInput: { command: long } } });
    await alone.page.getByText('This call has changed').waitFor({ state: 'attached' });
    await tryToAllow(alone.page, alone.page, alone.card(card));
    assert.deepEqual(await alone.answers(), []);
    await alone.context.close();
  });

  test('given a view that scrolls through a card by itself then what passes by was not in sight', async () => {
    const card = views.asked.cards['document'];
    // Where a machine is so busy that it paints seldom, a place does stand there: it is tried anew.
    const alone = await until('a view scrolls through it and stands nowhere', async () => {
      const one = await openAlone(views.browser, { width: 400, height: 300, cards: [card], tools: [views.asked.tools['document']] });
      await rested(one.card(card));
      const { passes, longest } = await one.card(card).evaluate(async (/** @type {HTMLElement} */ element) => {
        const view = /** @type {HTMLElement} */ (element.closest('.mynah-chat-items-container'));
        const end = view.scrollHeight - view.clientHeight;
        const places = [...Array.from({ length: Math.ceil(end / view.clientHeight) }, (_, at) => at * view.clientHeight), end, 0];
        let longest = 0;
        let last = performance.now();
        for (const top of places) {
          view.scrollTo({ top, behavior: 'instant' });
          await new Promise((resolve) => requestAnimationFrame(resolve));
          longest = Math.max(longest, performance.now() - last);
          last = performance.now();
        }
        return { passes: places.length - 1, longest };
      });
      assert.ok(passes > 2, 'it is longer than the view');
      // The last two places overlap: together less than the 300 milliseconds of `DWELL`.
      if (longest < 140) return one;
      await one.context.close();
      return null;
    }, 180_000);
    await tryToAllow(alone.page, alone.page, alone.card(card));
    assert.deepEqual(await alone.answers(), []);
    await readThrough(alone.page, alone.page, alone.card(card));
    await allowNow(alone.card(card), async () => (await alone.answers()).length === 1);
    await alone.context.close();
  });

  test('given a chat that is chosen by its tab then its card is in sight without a scroll or a press, and one of another chat is not', async () => {
    const cards = [fakeCard(), fakeCard(), fakeCard()];
    const alone = await openAlone(views.browser, { width: 400, cards });
    const unseen = (/** @type {any} */ of) => alone.card(of).locator('.mayi-choose.unseen').count();
    assert.deepEqual(await Promise.all(cards.slice(1).map(unseen)), [1, 1]);
    await alone.select(1);
    await until('all of it was in sight', async () => (await unseen(cards[1])) === 0);
    assert.equal(await unseen(cards[2]), 1);
    await rested(alone.card(cards[1]));
    await alone.card(cards[1]).locator('[action-id="allow_once"]').click();
    await until('one press is enough', async () => (await alone.answers()).length > 0);
    assert.deepEqual((await alone.answers()).map((one) => one.approvalId), [cards[1].approvalId]);
    await alone.context.close();
  });

  test('given words in the message field then a key is no answer', async () => {
    const card = views.asked.cards['command'];
    const alone = await openAlone(views.browser, { width: 400, height: 700, cards: [card] });
    // By now a key would allow it.
    await alone.page.locator('[action-id="allow_once"]:not([aria-disabled="true"])').waitFor();
    const field = alone.page.locator('.mynah-chat-prompt-input:visible');
    await field.fill('and then');
    await alone.post({ type: 'key', act: 'approve' });
    await nothingHappens(alone.page);
    assert.deepEqual(await alone.answers(), []);
    await field.fill('');
    await alone.post({ type: 'key', act: 'approve' });
    await until('it is an answer', async () => (await alone.answers()).length === 1);
    assert.equal((await alone.answers())[0].response.outcome.optionId, 'allow_once');
    await alone.context.close();
  });

  test('given a phone when Allow is tapped before all was in sight then it is no answer, and afterwards it is', async (t) => {
    const fake = await startFake();
    // Also where something fails: a server that listens would keep the tests from ending.
    t.after(() => fake.stop());
    const phone = await openPhone(views.browser, fake.url);
    await pair(phone.page, fake.code);
    for (const kind of ['huge', 'arguments']) {
      const card = views.asked.cards[kind];
      fake.ask(card);
      const shown = cardOf(phone.page, card.approvalId);
      await shown.waitFor();
      await tryToAllow(phone.page, phone.page, shown);
      assert.deepEqual(fake.state.answers, [], kind);
      if (kind === VERY_LONG) continue;
      await readThrough(phone.page, phone.page, shown);
      await allowNow(shown, () => fake.state.answers.length === 1);
      fake.state.answers.length = 0;
    }
    await phone.context.close();
  });
});

describe('the real editor', () => {
  /** @type {import('../lib/scene.mjs').Scene} */
  let scene;

  before(async () => {
    scene = await setScene({ settings: kindsSettings });
    await scene.chat.open();
  });
  after(() => scene?.strike());

  const given = givenIn(() => scene, () => scene.chat.newTab());

  given('given the Approvals view at its default size when Allow is pressed with nothing of the call in sight then it does not run', async () => {
    const { chat, page } = scene;
    await chat.prompt('ask document');
    const [id = ''] = await chat.waiting();
    await command(page, 'mayi: Show Approvals');
    const frame = await webview(page, 'body[data-view="approvals"] [data-approval-id]');
    const card = frame.locator(`[data-approval-id="${id}"]`);
    await card.waitFor({ state: 'attached' });
    await picture(page, 'unseen-approvals');
    await tryToAllow(page, frame, card);
    await page.keyboard.press('Control+Enter');
    await nothingHappens(page);
    assert.equal(await card.getAttribute('data-state'), 'pending');
    await readThrough(page, frame, card);
    await allowNow(card, async () => (await card.getAttribute('data-state')) === 'approved');
    await chat.says('document: allowed');
    await chat.idle();
  });

  given('given a chat when a long change was not opened then no key and no press allows it', async () => {
    const { chat, page } = scene;
    await chat.prompt('ask huge');
    const [id = ''] = await chat.waiting();
    const frame = await chat.frame();
    const card = frame.locator(`[data-approval-id="${id}"]`);
    await tryToAllow(page, frame, card);
    await page.keyboard.press('Control+Enter');
    await nothingHappens(page);
    assert.equal(await card.getAttribute('data-state'), 'pending');
    await picture(page, 'unseen-chat');
    await chat.answer(id, 'deny');
    await chat.idle();
  });

  given('given a small card in sight then one key from the message field allows it, and nothing that repeats', async () => {
    const { chat, page } = scene;
    await chat.prompt('ask command');
    const [id = ''] = await chat.waiting();
    const frame = await chat.frame();
    await frame.locator(`[data-approval-id="${id}"] [action-id="allow_once"]:not([aria-disabled="true"])`).waitFor();
    await frame.locator('.mynah-chat-prompt-input:visible').focus();
    await page.keyboard.press('Control+Enter');
    await chat.inState(id, 'approved');
    await chat.idle();
  });
});
