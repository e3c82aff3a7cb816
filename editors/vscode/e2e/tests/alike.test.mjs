// @ts-check
// Several cards that are alike, from an agent that asks for all of them at once.

import assert from 'node:assert/strict';
import { dirname, join } from 'node:path';
import { after, before } from 'node:test';

import { mayi } from '../lib/places.mjs';
import { givenIn, setScene } from '../lib/scene.mjs';
import { until } from '../lib/until.mjs';

/** @type {import('../lib/scene.mjs').Scene} */
let scene;

before(async () => {
  const rogue = { command: join(dirname(mayi()), 'rogue_agent'), args: ['many-asks', '3'] };
  scene = await setScene({ settings: { 'mayi.defaultAgent': 'rogue', 'mayi.agents': { rogue } } });
  await scene.chat.open();
});
after(() => scene?.strike());

const given = givenIn(() => scene, () => scene.chat.newTab());

/** What is pressed, what the cards become, and the option that the agent hears of. @type {[string, string, string][]} */
const ANSWERS = [['alike_allow', 'approved', 'allow'], ['alike_deny', 'denied', 'reject']];

for (const [choice, state, answer] of ANSWERS) {
  given(`given cards that are alike when one says ${choice} then all are ${state}, and the agent is told so of each`, async () => {
    const { chat } = scene;
    await chat.prompt('Ask.');
    const ids = await chat.waiting(3);
    if (choice === 'alike_allow') await chat.picture('cards-alike');
    await chat.press(ids[1] ?? '', choice);
    for (const id of ids) assert.match(await chat.inState(id, state), /vscode/);
    await chat.idle();
    await until('each answer has arrived', async () => (await chat.text()).split(`"outcome":"selected","optionId":"${answer}"`).length === 4);
  });
}
