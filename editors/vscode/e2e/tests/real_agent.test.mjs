// @ts-check
// The extension with a real agent: Claude Code's ACP adapter and Codex, each with a scripted model.

import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';

import { dialog } from '../lib/chat.mjs';
import { realAgent, withoutAgents } from '../lib/model.mjs';
import { givenIn, setScene } from '../lib/scene.mjs';
import { until } from '../lib/until.mjs';

const missing = withoutAgents();
if (missing) test('given a real agent', { skip: missing }, () => {});

for (const agent of missing ? [] : /** @type {const} */ (['claude', 'codex'])) {
  describe(agent, () => {
    /** @type {import('../lib/scene.mjs').Scene} */
    let scene;
    /** @type {import('../lib/scene.mjs').Scene['chat']} */
    let chat;
    /** @type {Awaited<ReturnType<typeof realAgent>>} */
    let real;

    before(async () => {
      scene = await setScene({
        settings: async (stage) => {
          real = await realAgent(stage, agent);
          return real.settings;
        },
      });
      chat = scene.chat;
      await chat.open();
    });
    after(async () => {
      await scene?.strike();
      await real?.stop();
    });

    const given = givenIn(() => scene, () => chat.newTab());
    const ask = (/** @type {string} */ name) => chat.prompt(`case: ${name} in ${scene.stage.project}`);

    given('given a write when it is approved then the file is there', async () => {
      await ask('write file');
      const [id = ''] = await chat.waiting();
      await chat.picture(`${agent}-pending`);
      assert.equal(scene.file('hello.txt'), null);
      await chat.answer(id, 'allow_once');
      await until('the file is written', () => scene.file('hello.txt') === 'hello from the script\n');
      await chat.idle();
      await chat.picture(`${agent}-approved`);
    });

    given('given a command when it is denied with a reason then it does not run', async () => {
      await ask('run command');
      const [id = ''] = await chat.waiting();
      await chat.press(id, 'deny_reason');
      await (await chat.frame()).locator(`[data-approval-id="${id}"] textarea`).fill('not now, please');
      await chat.press(id, 'deny_reason_confirm');
      assert.match(await chat.inState(id, 'denied'), /not now, please/);
      await chat.idle();
      assert.equal(scene.file('ran.txt'), null);
    });

    given('given plan mode then a write is blocked without a question', async () => {
      await chat.setMode('plan');
      await ask('two writes');
      await chat.says('case:');
      await until('the turn has begun and is over', async () => /denied|cancelled|done/i.test(await chat.text()));
      await chat.idle();
      assert.equal(await (await chat.frame()).locator('.mynah-chat-wrapper:visible [data-approval-id]').count(), 0);
      assert.deepEqual([scene.file('a.txt'), scene.file('b.txt')], [null, null]);
    });

    given('given a server that needs approval then a card decides, and plan mode blocks what waits', async () => {
      await ask('mcp plain');
      const [first = ''] = await chat.waiting();
      await chat.picture(`${agent}-server`);
      assert.equal(scene.file('plain.txt'), null);
      await chat.answer(first, 'allow_once');
      await until('it has run', () => scene.file('plain.txt') === 'plain');
      await chat.idle();
      assert.equal(await (await chat.frame()).locator('.mynah-chat-wrapper:visible [data-approval-id]').count(), 1);
      await ask('mcp wipe');
      const [second = ''] = await chat.waiting();
      await chat.setMode('plan');
      await chat.inState(second, 'denied');
      await chat.idle();
      assert.equal(scene.file('wipe.txt'), null);
    });

    given('given a card when the turn is stopped then it is withdrawn', async () => {
      await ask('delete file');
      const [id = ''] = await chat.waiting();
      await (await chat.frame()).locator('.mynah-chat-wrapper:visible').getByText('Stop', { exact: true }).click();
      await chat.inState(id, 'cancelled');
      await chat.idle();
      assert.notEqual(scene.file('notes.txt'), null);
    });

    given('given Bypass then the setting is written, and the next call does not ask', async () => {
      await ask('write then run');
      const [id = ''] = await chat.waiting();
      await chat.press(id, 'bypass');
      await dialog(scene.page, 'For Good');
      await chat.inState(id, 'approved');
      await until('the setting is written', () => scene.editor.settings()['mayi.agents'][real.name].bypassPermissions === true);
      await until('the second call was made', () => scene.file('d.txt') === '');
      await chat.idle();
      assert.equal(await (await chat.frame()).locator('.mynah-chat-wrapper:visible [data-approval-id]').count(), 1);
    });
  });
}
