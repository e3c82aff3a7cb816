// @ts-check
// Every kind of card in every width and theme: nothing overlaps or is cut off, and what is short is small. `just cards` sets
// MAYI_PICTURES: then a picture of each goes to target/screenshots/cards, once its choices rest no more.

import assert from 'node:assert/strict';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';

import { startFake } from '../lib/fake_backend.mjs';
import { covered, faults } from '../lib/layout.mjs';
import { cardOf, openPhone, pair } from '../lib/phone.mjs';
import { screenshotFolder } from '../lib/places.mjs';
import { rested } from '../lib/rests.mjs';
import { until } from '../lib/until.mjs';
import { openAlone } from '../lib/webview_alone.mjs';
import { withKinds } from '../lib/with_kinds.mjs';

const THEMES = ['light', 'dark'];
const WIDTHS = [240, 400, 700];
/** The most that a card may be high, by its kind: in narrow views, and from 400 pixels on. @type {Record<string, [number, number]>} */
const HIGH = { command: [230, 140], write: [300, 200], call: [360, 260] };

const given = withKinds();
const folder = process.env.MAYI_PICTURES ? join(screenshotFolder(), 'cards') : undefined;
if (folder) mkdirSync(folder, { recursive: true });

/**
 * Takes the picture of a card, if pictures are wanted: all of it in sight, as it is once somebody looks, so that nothing rests or
 * stands in front. For most of the time this waits.
 * @param {any} page @param {number} width @param {any} card @param {string} name
 */
async function takePicture(page, width, card, name) {
  if (!folder) return;
  await page.setViewportSize({ width, height: 1_800 });
  await card.evaluate((/** @type {Element} */ one) => one.scrollIntoView({ block: 'center', behavior: 'instant' }));
  if (!(await card.locator('[data-folded]').count())) {
    await until('it was in sight', async () => (await card.locator('.unseen, .unread:visible').count()) === 0 && (await card.getAttribute('data-seen')) !== 'false');
  }
  await rested(card);
  await card.screenshot({ path: join(folder, `${name}.png`), animations: 'disabled' });
}

for (const theme of THEMES) {
  for (const width of WIDTHS) {
    test(`given a chat of ${width} pixels in ${theme} then no card overlaps or is cut off, and small ones are small`, async () => {
      const kinds = Object.keys(given.asked.cards);
      const cards = kinds.map((kind) => given.asked.cards[kind]);
      const view = await openAlone(given.browser, { width, theme, cards, tools: kinds.map((kind) => given.asked.tools[kind]) });
      /** @type {string[]} */
      const wrong = [];
      for (const [at, kind] of kinds.entries()) {
        await view.page.setViewportSize({ width, height: 900 });
        await view.select(at);
        const card = view.card(cards[at]);
        wrong.push(...(await card.evaluate(faults)).map((/** @type {string} */ one) => `${kind}: ${one}`));
        wrong.push(...(await card.evaluate(covered)).map((/** @type {string} */ one) => `${kind}: ${one}`));
        const most = HIGH[kind]?.[width < 400 ? 0 : 1];
        const high = async () => (await card.boundingBox()).height;
        // What is said of a card until it was in sight, and of choices that rest, goes again.
        if (most !== undefined) await until('it is as high as it stays', async () => (await high()) <= most, 5_000).catch(() => undefined);
        const height = await high();
        console.log(`# ${theme} ${width}: ${kind} is ${Math.round(height)} high${most === undefined ? '' : ` of ${most}`}`);
        if (most !== undefined && height > most) wrong.push(`${kind}: ${height} pixels high, more than ${most}`);
        await takePicture(view.page, width, card, `${kind}-${width}-${theme}`);
      }
      assert.deepEqual(view.wrong, []);
      await view.context.close();
      assert.deepEqual(wrong, []);
    });
  }

  test(`given a phone in ${theme} then no card overlaps or is cut off`, async (t) => {
    const fake = await startFake();
    t.after(() => fake.stop());
    const phone = await openPhone(given.browser, fake.url, { dark: theme === 'dark' });
    await pair(phone.page, fake.code);
    const kinds = Object.keys(given.asked.cards);
    fake.ask(...kinds.map((kind) => given.asked.cards[kind]));
    /** @type {string[]} */
    const wrong = [];
    for (const kind of kinds) {
      const card = cardOf(phone.page, given.asked.cards[kind].approvalId);
      await card.waitFor();
      await phone.page.setViewportSize({ width: 390, height: 844 });
      wrong.push(...(await card.evaluate(faults)).map((/** @type {string} */ one) => `${kind}: ${one}`));
      wrong.push(...(await card.evaluate(covered)).map((/** @type {string} */ one) => `${kind}: ${one}`));
      console.log(`# ${theme} phone: ${kind} is ${Math.round((await card.boundingBox()).height)} high`);
      await takePicture(phone.page, 390, card, `${kind}-phone-${theme}`);
    }
    assert.deepEqual(phone.wrong, []);
    await phone.context.close();
    assert.deepEqual(wrong, []);
  });
}
