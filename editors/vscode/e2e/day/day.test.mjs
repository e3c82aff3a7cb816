// @ts-check
// A day with the real Claude Code, whose model is a script: thirty prompts in one editor, with edits, commands, servers, answers on
// a phone, a window that is loaded anew, a backend and an agent that are killed, and a second window. After each of them the chat
// goes on: there is no dead end.

import assert from 'node:assert/strict';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { loadavg } from 'node:os';
import { join } from 'node:path';
import { after, afterEach, before, test } from 'node:test';

import { chatOf } from '../lib/chat.mjs';
import { realAgent, withoutAgents } from '../lib/model.mjs';
import { answer, cardOf, inState, pairedPhone, picture as ofPhone, press } from '../lib/phone.mjs';
import { end, those } from '../lib/processes.mjs';
import { settle } from '../lib/rests.mjs';
import { givenIn, setScene } from '../lib/scene.mjs';
import { turns } from '../lib/turns.mjs';
import { until } from '../lib/until.mjs';
import { click, command, openWindow, reload, webview } from '../lib/workbench.mjs';

const missing = withoutAgents();
if (missing) test('given a day', { skip: missing }, () => {});

/** @type {import('../lib/scene.mjs').Scene} */
let scene;
/** @type {Awaited<ReturnType<typeof realAgent>>} */
let real;
/** @type {Awaited<ReturnType<typeof pairedPhone>>} */
let phone;
/** @type {import('../lib/turns.mjs').Desk} */
let desk;
const { ask, asked, turn, answered, goesOn, seconds, given: prompts } = turns();
const begun = Date.now();

if (!missing) {
  before(async () => {
    scene = await setScene({
      machine: { 'mayi.page': true },
      settings: async (stage) => {
        real = await realAgent(stage, 'claude');
        return real.settings;
      },
    });
    await scene.chat.open();
    phone = await pairedPhone(scene);
    desk = { chat: scene.chat, folder: scene.stage.project };
  });
  after(async () => {
    await scene?.strike();
    await real?.stop();
  });
  let last = begun;
  // What takes long is seen in its output.
  afterEach((part) => {
    const now = Date.now();
    console.log(`${Math.round((now - last) / 1000)} s at a load of ${loadavg()[0]?.toFixed(1)}, ${prompts()} prompts so far: ${part.name}: ${seconds()}`);
    last = now;
    assert.deepEqual([scene?.refused, phone?.wrong], [[], []], 'nothing is refused by a policy, and nothing throws');
  });
}

const given = (/** @type {string} */ name, /** @type {() => Promise<void>} */ body) => missing ? undefined : givenIn(() => scene)(name, body);
const file = (/** @type {string} */ name) => scene.file(name);
const remove = (/** @type {string} */ name) => rmSync(join(scene.stage.project, name), { force: true });

given('given the morning then files are read and changed, and each change is asked about with its lines', async () => {
  assert.deepEqual(await turn(desk, 'read file', () => 'deny'), [], 'reading is not asked about');
  assert.match((await turn(desk, 'edit file', (text) => (text.includes('line TWO') ? 'allow_once' : 'deny'))).join(), /claude wants to edit notes\.txt/);
  assert.equal(file('notes.txt'), 'line one\nline TWO\n');
  // The key, as after any prompt: the message field has the focus.
  await ask(desk, 'write file');
  const { id } = await asked(desk);
  await until('the key counts', async () => {
    await scene.page.keyboard.press('Control+Enter');
    return (await (await desk.chat.frame()).locator(`[data-approval-id="${id}"]`).first().getAttribute('data-state')) === 'approved';
  });
  await until('the file is there', () => file('hello.txt') === 'hello from the script\n');
  await goesOn(desk);
  assert.equal((await turn(desk, 'three writes', () => 'allow_once')).length, 3);
  assert.match((await turn(desk, 'write outside', () => 'deny', false)).join(), /outside\.txt/);
  assert.deepEqual(['a.txt', 'b.txt', 'c.txt', '../outside.txt'].map(file), ['x\n', 'x\n', 'x\n', null]);
});

given('given commands then one that is allowed for the session is not asked about again, and a denial with words goes on', async () => {
  assert.equal((await turn(desk, 'run command', () => 'allow_session')).length, 1);
  assert.equal(file('ran.txt'), '');
  remove('ran.txt');
  assert.deepEqual(await turn(desk, 'run command', () => 'deny'), []);
  assert.equal(file('ran.txt'), '');
  await turn(desk, 'run two commands', (text) => (text.includes('first.txt') ? 'allow_once' : 'deny'), false);
  assert.deepEqual([file('first.txt'), file('second.txt')], ['', null]);
  await turn(desk, 'run network', () => 'allow_once');
  await ask(desk, 'delete file');
  const { id, text } = await asked(desk);
  assert.match(text, /rm -f notes\.txt/);
  await desk.chat.press(id, 'deny_reason');
  await (await desk.chat.frame()).locator(`[data-approval-id="${id}"] textarea`).fill('Keep the notes, please.');
  assert.match(await desk.chat.answer(id, 'deny_reason_confirm'), /Keep the notes/);
  await goesOn(desk);
  assert.notEqual(file('notes.txt'), null);
});

given('given servers, a sub-agent, several calls at once and a stop then each goes on', async () => {
  assert.match((await turn(desk, 'mcp plain', () => 'allow_once')).join(), /Allow tool call from mini/);
  assert.equal(file('plain.txt'), 'plain');
  await turn(desk, 'mcp peek', () => 'allow_once');
  await turn(desk, 'mcp echo', () => 'allow_session');
  await turn(desk, 'mcp wipe', () => 'deny', false);
  assert.equal(file('wipe.txt'), null);
  remove('b.txt');
  await turn(desk, 'two tools', () => 'allow_once');
  assert.equal(file('b.txt'), '');
  await turn(desk, 'subagent', () => 'allow_once');
  assert.equal(file('sub.txt'), 'from the sub-agent\n');
  await ask(desk, 'slow text');
  await desk.chat.says('word 2');
  await (await desk.chat.frame()).locator('.mynah-chat-wrapper:visible').getByText('Stop', { exact: true }).click();
  await goesOn(desk);
});

given('given plan mode and a bypass then neither asks, and both can be ended', async () => {
  await desk.chat.setMode('plan');
  assert.deepEqual(await turn(desk, 'write then run', () => 'allow_once', false), []);
  assert.equal(file('d.txt'), null);
  await desk.chat.setMode('default');
  await ask(desk, 'write then run');
  const { id } = await asked(desk);
  const dialog = scene.page.locator('.monaco-dialog-box');
  await until('the editor asks what a bypass is to cover', async () => {
    if (!(await dialog.count())) await desk.chat.press(id, 'bypass');
    return dialog.waitFor({ timeout: 10_000 }).then(() => true);
  }, 180_000);
  await dialog.getByRole('button', { name: 'For This Session', exact: true }).click();
  await desk.chat.inState(id, 'approved');
  await until('the command ran unasked', () => file('d.txt') === '');
  await goesOn(desk);
  await click(scene.page, (await desk.chat.frame()).locator('button[action-id=bypass_off]:visible'));
  await (await desk.chat.frame()).locator('button[action-id=bypass_off]:visible').waitFor({ state: 'detached' });
  remove('c.txt');
  remove('d.txt');
  assert.equal((await turn(desk, 'write then run', () => 'allow_once')).length, 2);
  assert.equal(file('d.txt'), '');
});

given('given a phone then it answers what the editor asks, also after it was away', async () => {
  const { page, context } = phone;
  remove('hello.txt');
  await ask(desk, 'write file');
  const first = await asked(desk);
  await answer(page, first.id, 'allow_once');
  assert.match(await desk.chat.inState(first.id, 'approved'), /answered by page/);
  await until('the file is there', () => file('hello.txt') !== null);
  await goesOn(desk);
  await context.setOffline(true);
  await ask(desk, 'delete file');
  const second = await asked(desk);
  await context.setOffline(false);
  await cardOf(page, second.id).waitFor();
  await press(page, second.id, 'deny_reason');
  await cardOf(page, second.id).getByLabel('Why not?').fill('Not from here.');
  await ofPhone(page, 'day-phone');
  await answer(page, second.id, 'deny_reason_send');
  await inState(page, second.id, 'denied');
  assert.match(await desk.chat.inState(second.id, 'denied'), /Not from here/);
  await goesOn(desk);
  assert.notEqual(file('notes.txt'), null);
});

given('given a window and a webview that are loaded anew then what waits is answered there', async () => {
  for (const name of ['a.txt', 'b.txt']) remove(name);
  await ask(desk, 'two tools');
  // One, or both at once.
  const pending = (await desk.chat.frame()).locator('.mynah-chat-wrapper:visible [data-approval-id][data-state="pending"]');
  await pending.first().waitFor();
  await reload(scene.page);
  await answered(desk, () => 'allow_once', async () => file('a.txt') !== null && file('b.txt') !== null);
  await goesOn(desk);
  await ask(desk, 'mcp plain');
  const { id } = await asked(desk);
  await desk.chat.reloadWebview();
  await desk.chat.answer(id, 'deny');
  await goesOn(desk);
});

given('given a backend and an agent that are killed then the same chat goes on', async () => {
  await ask(desk, 'three writes');
  const { id } = await asked(desk);
  const [old] = scene.backends();
  scene.killBackends();
  await desk.chat.inState(id, 'cancelled');
  await until('there is another backend', () => scene.backends().some(({ pid }) => pid !== old?.pid));
  // The phone says so; with the next backend it is paired anew.
  await phone.page.locator('#connection[data-state=lost]').waitFor();
  await phone.context.close();
  await desk.chat.connected();
  phone = await pairedPhone(scene);
  remove('a.txt');
  await turn(desk, 'two writes', () => 'allow_once');
  assert.equal(file('a.txt'), 'a\n');
  await ask(desk, 'delete file');
  const second = await asked(desk);
  // What was said meanwhile waits for the end of the turn, and is there again when the agent is gone.
  remove('hello.txt');
  await ask(desk, 'write file');
  const shown = (await desk.chat.frame()).locator('.mynah-chat-wrapper:visible');
  await shown.locator('.mayi-queue li').waitFor();
  for (const { pid, command: of } of those(scene.stage.folder)) if (of.some((word) => word.includes('claude-agent-acp'))) end(pid, 'SIGKILL');
  await desk.chat.inState(second.id, 'cancelled');
  const field = shown.locator('.mynah-chat-prompt-input');
  await until('the words are in the message field', async () => (await field.innerText()).includes('case: write file in'));
  await field.press('Enter');
  await answered(desk, () => 'allow_once', async () => file('hello.txt') !== null);
  await goesOn(desk);
});

given('given a second window in another folder then each goes on, and the first one answers for both', async () => {
  const folder = scene.stage.at('other');
  mkdirSync(folder);
  writeFileSync(join(folder, 'notes.txt'), 'line one\nline two\n');
  const second = await openWindow(scene.browser, { url: `${scene.editor.url}?folder=${encodeURIComponent(folder)}` });
  const other = { chat: chatOf(second.page), folder };
  await other.chat.open();
  assert.match((await turn(other, 'edit file', () => 'allow_once')).join(), /claude wants to edit notes\.txt/);
  // The first window shows it among its approvals, and answers.
  await ask(other, 'run once');
  const { id } = await asked(other);
  await command(scene.page, 'mayi: Show Approvals');
  const approvals = await webview(scene.page, `body[data-view=approvals] [data-approval-id="${id}"]`);
  const card = approvals.locator(`[data-approval-id="${id}"]`).first();
  await settle(card, 'allow_once');
  await other.chat.inState(id, 'approved');
  await until('the command ran', () => scene.file('../other/ran.txt') === '');
  await goesOn(other);
  await desk.chat.open();
  // And so does the phone.
  await ask(other, 'mcp plain');
  const third = await asked(other);
  await answer(phone.page, third.id, 'allow_once');
  assert.match(await other.chat.inState(third.id, 'approved'), /answered by page/);
  await goesOn(other);
  await turn(desk, 'read outside', () => 'allow_once');
  assert.deepEqual(second.refused, []);
  await second.context.close();
  await turn(desk, 'run once', () => 'allow_once');
});

given('given the end of the day then thirty prompts were given, and nothing waits anywhere', async () => {
  assert.ok(prompts() >= 30, `${prompts()} prompts`);
  const waits = scene.page.locator('.statusbar-item [aria-label^="mayi, "]').first();
  await until('nothing waits', async () => (await waits.getAttribute('aria-label'))?.startsWith('mayi, 0 waiting'));
  assert.equal(await phone.page.locator('[data-approval-id][data-state="pending"]').count(), 0);
  await desk.chat.picture('day-end');
  console.log(`# ${prompts()} prompts in ${Math.round((Date.now() - begun) / 1000)} s`);
});
