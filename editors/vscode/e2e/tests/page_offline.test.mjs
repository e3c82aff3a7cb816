// @ts-check
// The page in a real browser whose network goes and comes back, as a phone's does.

import assert from 'node:assert/strict';
import { after, afterEach, before, beforeEach, test } from 'node:test';

import { startBrowser } from '../lib/browser.mjs';
import { card, startFake } from '../lib/fake_backend.mjs';
import { cardOf, connected, inState, openPhone, pair, press } from '../lib/phone.mjs';
import { nothingHappens } from '../lib/rests.mjs';
import { until } from '../lib/until.mjs';

/** @type {any} */
let browser;
/** @type {Awaited<ReturnType<typeof startFake>>} */
let fake;
/** @type {Awaited<ReturnType<typeof openPhone>>} */
let phone;

before(async () => {
  browser = await startBrowser();
});
after(() => browser?.close());
beforeEach(async () => {
  fake = await startFake();
});
afterEach(async () => {
  await phone?.context.close();
  await fake?.stop();
  assert.deepEqual(phone?.wrong, [], 'nothing is refused by the policy, nothing throws, and nobody else is asked');
});

/** A paired page with one card. @param {string} url */
async function open(url) {
  phone = await openPhone(browser, url);
  await pair(phone.page, fake.code);
  const one = card();
  fake.ask(one);
  await cardOf(phone.page, one.approvalId).waitFor();
  await phone.page.locator('[data-live="true"]').waitFor();
  return one.approvalId;
}

/** @param {string} state */
const says = (state) => phone.page.locator(`#connection[data-state=${state}]`).waitFor();

/** A name of this machine that the page does not take for this machine: as it is on a phone. */
const elsewhere = () => fake.url.replace('127.0.0.1', 'desk.localhost');

test('given a network that is away for less than a beat then it is said, the choices rest, and the card is answered after it', async () => {
  const id = await open(elsewhere());
  for (let round = 0; round < 5; round += 1) {
    await phone.context.setOffline(true);
    await says('lost');
    assert.equal(await cardOf(phone.page, id).getAttribute('data-live'), 'false');
    await phone.context.setOffline(false);
    await connected(phone.page);
  }
  await press(phone.page, id, 'allow_once');
  await inState(phone.page, id, 'approved');
  assert.equal(fake.state.answers.length, 1);
});

test('given a network that stays away then no answer takes that back, and what was asked meanwhile is there after it', async () => {
  const id = await open(elsewhere());
  await phone.context.setOffline(true);
  await says('lost');
  const two = card();
  fake.ask(two);
  const heard = fake.state.calls;
  // Some beats, if they come through at all: a browser may let go on what is open, or hold it.
  for (let beat = 0; beat < 3; beat += 1) await nothingHappens(phone.page);
  console.log(`# ${fake.state.calls - heard} calls came while the browser said that it is offline`);
  assert.equal(await phone.page.locator('#connection').getAttribute('data-state'), 'lost');
  await phone.context.setOffline(false);
  await connected(phone.page);
  await cardOf(phone.page, two.approvalId).waitFor();
  await press(phone.page, id, 'deny');
  await inState(phone.page, id, 'denied');
});

test('given a connection that dies while the network is away then another one is made soon', async () => {
  const id = await open(elsewhere());
  await phone.context.setOffline(true);
  await says('lost');
  fake.state.frozen = true;
  await phone.context.setOffline(false);
  await until('the dead one is given up', () => fake.connected() === 0);
  fake.state.frozen = false;
  await connected(phone.page);
  await until('there is just one', () => fake.connected() === 1);
  await press(phone.page, id, 'deny');
  await inState(phone.page, id, 'denied');
});
