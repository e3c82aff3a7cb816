// @ts-check
// Prompts of a day, each seen through to its end: what is asked is answered, and afterwards the chat takes the next words.

import assert from 'node:assert/strict';

import { until } from './until.mjs';

/** What is pressed on a card, by its text; null: nothing yet. @typedef {(text: string, id: string) => string | null} Answer */

/** A chat and the folder it works in. @typedef {{ chat: import('./scene.mjs').Scene['chat'], folder: string }} Desk */

/** So long may a turn take with its answers, in milliseconds: a real agent on a busy machine. */
const TURN = 300_000;

/** Counts the prompts of a day, and gives them. */
export function turns() {
  let given = 0;
  /** The prompts so far, and when each was given and its chat took words again, in milliseconds. @type {{ name: string, from: number, to: number }[]} */
  const times = [];

  /** How often the model said this. @param {Desk} desk @param {string} words @returns {Promise<number>} */
  const said = async ({ chat }, words) => (await chat.frame()).locator('.mynah-chat-wrapper:visible').first().evaluate(
    // Not `innerText`, which would lay out the whole chat each time.
    (/** @type {Element} */ one, /** @type {string} */ of) => one.textContent?.split(of).length ?? 0, words);

  /** One prompt. @param {Desk} desk @param {string} name of a case of the scripted model */
  async function ask(desk, name) {
    given += 1;
    times.push({ name, from: Date.now(), to: 0 });
    await desk.chat.prompt(`case: ${name} in ${desk.folder}`);
  }

  /** The card that waits in the chat, and nothing besides: its id and its text. @param {Desk} desk @returns {Promise<{ id: string, text: string }>} */
  async function asked({ chat }) {
    const [id = ''] = await chat.waiting();
    const text = await (await chat.frame()).locator(`[data-approval-id="${id}"]`).first().innerText();
    return { id, text };
  }

  /**
   * One prompt to its end: each card gets its answer, in the order in which they come.
   * @param {Desk} desk
   * @param {string} name
   * @param {Answer} answer
   * @param {boolean} [ends] whether the model says that it is done: not where the agent stops at a denial
   * @returns {Promise<string[]>} the first lines of what was asked
   */
  async function turn(desk, name, answer, ends = true) {
    // Where it does not end so, it has begun at least.
    const words = ends ? `Done: ${name}.` : `Step 1 of ${name}.`;
    const before = await said(desk, words);
    await ask(desk, name);
    const heads = await answered(desk, answer, async () => (await said(desk, words)) > before);
    await goesOn(desk);
    return heads;
  }

  /** Answers what waits in the chat until its turn is over. @param {Desk} desk @param {Answer} answer @param {() => Promise<boolean>} over @returns {Promise<string[]>} */
  async function answered({ chat }, answer, over) {
    /** @type {Map<string, string>} */
    const seen = new Map();
    await until('what is asked is answered, and the turn is over', async () => {
      const frame = await chat.frame();
      const pending = frame.locator('.mynah-chat-wrapper:visible [data-approval-id][data-state="pending"]');
      if ((await pending.count()) === 0) return (await over()) && (await frame.locator('.mynah-chat-wrapper:visible').first().getAttribute('data-state')) === 'idle';
      const id = (await pending.first().getAttribute('data-approval-id')) ?? '';
      const text = await pending.first().innerText();
      const press = answer(text, id);
      if (press === null) return false;
      seen.set(id, text.split('\n')[0] ?? '');
      await chat.answer(id, press);
      return false;
    }, TURN);
    return [...seen.values()];
  }

  /** No dead end: nothing waits or runs in the chat, nothing is wrong, and its message field takes words. @param {Desk} desk */
  async function goesOn({ chat }) {
    await chat.idle();
    await chat.connected();
    const frame = await chat.frame();
    const shown = frame.locator('.mynah-chat-wrapper:visible');
    assert.equal(await shown.locator('[data-approval-id][data-state="pending"]').count(), 0, 'nothing waits');
    assert.equal(await shown.locator('.mayi-item[data-status="pending"], .mayi-item[data-status="in_progress"]').count(), 0, 'no tool is under way');
    await shown.getByText('Stop', { exact: true }).first().waitFor({ state: 'hidden' });
    const field = shown.locator('.mynah-chat-prompt-input');
    await field.fill('and then');
    assert.equal((await field.innerText()).trim(), 'and then', 'words can be written');
    await field.fill('');
    for (const one of times) one.to ||= Date.now();
  }

  /** What took how long since this was asked last, the slowest first. */
  const seconds = () => times.splice(0).sort((a, b) => b.to - b.from - a.to + a.from).map(({ name, from, to }) => `${name} ${((to - from) / 1000).toFixed(1)} s`).join(', ');

  return { ask, asked, turn, answered, goesOn, seconds, given: () => given };
}
