// @ts-check
// MCP servers of a chat are behind mayi, whatever its agent asks about: an agent that never does, and a server whose tools
// need approval.

import assert from 'node:assert/strict';
import { dirname, join } from 'node:path';
import { after, before } from 'node:test';

import { mayi } from '../lib/places.mjs';
import { givenIn, setScene } from '../lib/scene.mjs';
import { until } from '../lib/until.mjs';

const program = (/** @type {string} */ name) => join(dirname(mayi()), name);

/** @type {import('../lib/scene.mjs').Scene} */
let scene;

before(async () => {
  const settings = {
    'mayi.defaultAgent': 'bold',
    'mayi.agents': { bold: { command: program('server_agent') } },
    'mayi.servers': { mini: { command: program('mini_mcp'), approval: 'required' } },
  };
  scene = await setScene({ settings });
  await scene.chat.open();
});
after(() => scene?.strike());

const given = givenIn(() => scene, () => scene.chat.newTab());

/** A prompt that has the agent call a tool which leaves a file. @param {string} name */
const call = (name) => `do: call mini plain ${JSON.stringify({ path: join(scene.stage.project, name) })}`;

given('given a server that needs approval when its tool is called unasked then a card of the chat decides', async () => {
  const { chat } = scene;
  await chat.prompt(call('a.txt'));
  const [first = ''] = await chat.waiting();
  await chat.picture('card-server');
  assert.equal(scene.file('a.txt'), null);
  assert.match(await chat.answer(first, 'allow_once'), /vscode/);
  await until('it has run', async () => scene.file('a.txt') === 'plain');
  await chat.idle();
  await chat.prompt(call('b.txt'));
  const [second = ''] = await chat.waiting();
  await chat.answer(second, 'deny');
  await chat.idle();
  assert.equal(scene.file('b.txt'), null);
});

given('given plan mode then a server\'s tool is blocked without a question', async () => {
  const { chat } = scene;
  await chat.setMode('plan');
  await chat.prompt(call('c.txt'));
  await chat.idle();
  assert.equal((await (await chat.frame()).locator('.mynah-chat-wrapper:visible [data-approval-id]').count()), 0);
  assert.equal(scene.file('c.txt'), null);
});

given('given a card of a server when the mode changes then it is decided by the new one', async () => {
  const { chat } = scene;
  await chat.prompt(call('d.txt'));
  const [first = ''] = await chat.waiting();
  await chat.setMode('plan');
  await chat.inState(first, 'denied');
  await chat.idle();
  assert.equal(scene.file('d.txt'), null);
  await chat.setMode('default');
  await chat.prompt(call('e.txt'));
  await chat.waiting();
  await chat.setMode('auto');
  await until('it has run', async () => scene.file('e.txt') === 'plain');
  await chat.idle();
});
