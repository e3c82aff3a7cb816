// @ts-check
// The clicks and keys that docs/cards.md says of mayi are counted: each answer is given as the table says, by a hand that counts,
// in the real editor and on the page beside it.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before } from 'node:test';

import { kindsSettings } from '../lib/kinds.mjs';
import { cardOf, inState, pairedPhone } from '../lib/phone.mjs';
import { repository } from '../lib/places.mjs';
import { rested } from '../lib/rests.mjs';
import { givenIn, setScene } from '../lib/scene.mjs';
import { click } from '../lib/workbench.mjs';

/** The ways that the table has for each answer, of one row: `1 click`, `1 click, words, 1 key`. @param {string} row @returns {Record<string, string[]>} */
function table(row) {
  const lines = readFileSync(join(repository, 'docs/cards.md'), 'utf8').split('\n').filter((line) => line.startsWith('|'));
  const cells = (/** @type {string} */ line) => line.split('|').slice(1, -1).map((cell) => cell.trim().replace(/ \(.*\)$/, ''));
  const head = cells(lines.find((line) => line.includes('allow once')) ?? '');
  const own = cells(lines.find((line) => cells(line)[0] === row) ?? '');
  assert.equal(own.length, head.length, `the table has a row ${row}`);
  // Words are between what is pressed before and after them; without words each part is a way of its own.
  return Object.fromEntries(own.slice(1).map((cell, at) => [head[at + 1], cell.includes('words') ? [cell] : cell.split(', ')]));
}

/** @type {import('../lib/scene.mjs').Scene} */
let scene;
/** @type {any} */
let phone;

before(async () => {
  scene = await setScene({ settings: kindsSettings, machine: { 'mayi.page': true } });
  await scene.chat.open();
  ({ page: phone } = await pairedPhone(scene));
});
after(() => scene?.strike());

const given = givenIn(() => scene, () => scene.chat.newTab());

/** Presses and types, and says what that was. */
function hand() {
  /** @type {[string, number][]} */
  const done = [];
  const count = (/** @type {string} */ what) => {
    const last = done.at(-1);
    if (last?.[0] === what) last[1] += 1;
    else done.push([what, 1]);
  };
  return {
    async click(/** @type {any} */ place) {
      await click(scene.page, place);
      count('click');
    },
    async tap(/** @type {any} */ place) {
      await place.tap();
      count('tap');
    },
    async key(/** @type {string} */ name) {
      await scene.page.keyboard.press(name);
      count('key');
    },
    /** Into what has the focus: nothing else is pressed for it. @param {any} page */
    async words(page) {
      await page.keyboard.type('Not now.');
      count('words');
    },
    did: () => done.map(([what, times]) => (what === 'words' ? what : `${times} ${what}${times === 1 ? '' : 's'}`)).join(', '),
  };
}

/** A new card, whose choices count. */
async function asked() {
  const { chat } = scene;
  await chat.prompt('ask command');
  const [id = ''] = await chat.waiting();
  const card = (await chat.frame()).locator(`[data-approval-id="${id}"]`);
  const live = (/** @type {any} */ of, /** @type {string} */ action) => of.locator(`[action-id="${action}"]:not([aria-disabled="true"])`);
  await live(card, 'allow_once').waitFor();
  return { id, card, live };
}

/** @typedef {(of: { card: any, live: (of: any, action: string) => any, hand: ReturnType<typeof hand> }) => Promise<void>} Way */

/** What is done in the editor, answer by answer and way by way. @type {Record<string, Way[]>} */
const EDITOR = {
  'allow once': [
    ({ card, live, hand: by }) => by.click(live(card, 'allow_once')),
    // The message field has the focus, as it has after a prompt.
    ({ hand: by }) => by.key('Control+Enter'),
  ],
  'allow alike': [({ card, live, hand: by }) => by.click(live(card, 'allow_session'))],
  deny: [
    ({ card, live, hand: by }) => by.click(live(card, 'deny')),
    ({ hand: by }) => by.key('Control+Shift+Backspace'),
  ],
  'deny with words': [async ({ card, live, hand: by }) => {
    await by.click(live(card, 'deny_reason'));
    await card.locator('textarea:focus').waitFor();
    await by.words(scene.page);
    await by.key('Control+Enter');
  }],
};

/** And on the page. @type {Record<string, Way[]>} */
const PAGE = {
  'allow once': [({ card, live, hand: by }) => by.tap(live(card, 'allow_once'))],
  'allow alike': [({ card, live, hand: by }) => by.tap(live(card, 'allow_session'))],
  deny: [({ card, live, hand: by }) => by.tap(live(card, 'deny'))],
  'deny with words': [async ({ card, live, hand: by }) => {
    await by.tap(live(card, 'deny_reason'));
    await card.locator('textarea:focus, input:focus').waitFor();
    await by.words(phone);
    await rested(card);
    await by.tap(live(card, 'deny_reason_send'));
  }],
};

for (const [row, ways] of /** @type {const} */ ([['mayi in VS Code', EDITOR], ['mayi on the page', PAGE]])) {
  for (const [answer, all] of Object.entries(ways)) {
    given(`given ${row} when one says ${answer} then it takes what docs/cards.md says`, async () => {
      /** @type {string[]} */
      const did = [];
      for (const way of all) {
        const { id, card, live } = await asked();
        const by = hand();
        const onPage = ways === PAGE;
        if (onPage) await live(cardOf(phone, id), 'allow_once').waitFor();
        await way({ card: onPage ? cardOf(phone, id) : card, live, hand: by });
        const state = answer.startsWith('allow') ? 'approved' : 'denied';
        const text = await scene.chat.inState(id, state);
        if (onPage) await inState(phone, id, state);
        if (answer === 'deny with words') assert.match(text, /Not now\./);
        await scene.chat.idle();
        did.push(by.did());
        // What was allowed for the session is not asked about again in it.
        await scene.chat.newTab();
      }
      assert.deepEqual(did.sort(), [...(table(row)[answer] ?? [])].sort());
    });
  }
}
