// @ts-check
// S2.12, S2.14: whoever presses as early and as often as can be, by the mouse, a finger or a key, has had all that is asked in
// sight by the time it is an answer. What was in sight is told by the browser, not by the card. Attack 753.

import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';

import { startBrowser } from '../lib/browser.mjs';
import { card as fakeCard, startFake } from '../lib/fake_backend.mjs';
import { cardOf, pair } from '../lib/phone.mjs';
import { marked, marksIn, painted, sightOf, watch } from '../lib/sight.mjs';
import { openAlone } from '../lib/webview_alone.mjs';

const write = (/** @type {string} */ path) => ({ access: 'create', display: path, category: 'write' });
const base = { suggestions: [], history: undefined, why: [{ effect: 'ask', access: '', source: 'matrix', reason: 'write in default mode', always: false }] };
const call = (/** @type {Record<string, any>} */ more) => ({ toolCallId: 'c', title: 'Write it', name: 'write', kind: 'edit', rawInput: null, locations: [], content: [], ...more });
const diff = (/** @type {string} */ path, /** @type {string | null} */ oldText, /** @type {string} */ newText) => ({ type: 'diff', path, oldText, newText });

/** What is long, by what it is, and the text that has to be seen. @type {Record<string, () => [any, string]>} */
const LONG = {
  'a new file': () => {
    const text = marked(200);
    return [fakeCard({ ...base, accesses: [write('/tmp/project/a.js')], toolCall: call({ content: [diff('/tmp/project/a.js', null, text)] }) }), text];
  },
  'a change in many places': () => {
    const text = marked(80);
    return [fakeCard({ ...base, accesses: [{ ...write('/tmp/project/a.js'), access: 'edit' }], toolCall: call({ content: [diff('/tmp/project/a.js', text.replaceAll(' = ', ' : '), text)] }) }), text];
  },
  'several files': () => {
    const texts = ['a', 'b', 'c'].map((of) => marked(40, of));
    const paths = texts.map((_, at) => `/tmp/project/${at}.js`);
    return [fakeCard({ ...base, accesses: paths.map(write), toolCall: call({ content: texts.map((text, at) => diff(paths[at] ?? '', null, text)) }) }), texts.join('')];
  },
  'a command': () => {
    const text = marked(120);
    return [fakeCard({ toolCall: call({ kind: 'execute', rawInput: { command: text } }), accesses: [{ access: 'shell', display: 'm', category: 'execute' }] }), text];
  },
  'one long line': () => {
    const text = marked(300).replaceAll('\n', ' ');
    return [fakeCard({ toolCall: call({ kind: 'execute', rawInput: { command: text } }), accesses: [{ access: 'shell', display: 'm', category: 'execute' }] }), text];
  },
  'arguments of a server': () => {
    const text = marked(120);
    const rawInput = { lines: text.split('\n') };
    return [fakeCard({ ...base, server: { name: 'crm', tool: 'update', icons: [] }, accesses: [{ access: 'mcp', display: 'crm/update', category: 'external' }], toolCall: call({ kind: 'other', rawInput }) }), text];
  },
  'an input beside the change': () => {
    const text = marked(100);
    return [fakeCard({ ...base, accesses: [write('/tmp/project/a.js')], toolCall: call({ rawInput: {}, openInput: { lines: text.split('\n') }, content: [diff('/tmp/project/a.js', null, 'x\n')] }) }), text];
  },
  'many things that are touched': () => {
    const text = marked(100);
    const names = text.split('\n').filter(Boolean);
    return [fakeCard({ ...base, accesses: names.map((name) => write(`/tmp/project/${name}`)), toolCall: call({}) }), text];
  },
};

/** So long somebody looks at what a press has brought into sight: longer than it takes to count as seen (S2.14). */
const READ = 350;
/** So long pressing may lead nowhere. */
const STUCK = 60_000;
/** And to so many places at most, twice to each. */
const MOST_LEADS = 1_000;

/**
 * Presses until it is an answer; then all of the text has been in sight. Of what a press brings into sight, every second time
 * nothing is looked at: whoever presses on, sees no more by that.
 * @param {any} page @param {any} card @param {string} text
 * @param {() => Promise<(() => Promise<unknown>) | null>} aim brings the choice into sight, and gives what presses it
 * @param {() => Promise<number> | number} answers
 */
async function pressUntilAnswered(page, card, text, aim, answers) {
  await watch(card);
  const wanted = marksIn(text);
  assert.ok(wanted.length >= 80);
  const place = () => card.evaluate((/** @type {HTMLElement} */ root) => root.getBoundingClientRect().top).catch(() => 0);
  let [presses, leads, most, since] = [0, 0, 0, Date.now()];
  while (!(await answers())) {
    const press = await aim();
    const before = await place();
    await press?.();
    await painted(page);
    presses += 1;
    // It has led to what was not seen yet.
    const led = (await place()) !== before;
    if (led && ++leads % 2 === 0) await page.evaluate((/** @type {number} */ time) => new Promise((resolve) => setTimeout(resolve, time)), READ);
    const { size } = await sightOf(page);
    if (led || size > most) [most, since] = [size, Date.now()];
    assert.ok(Date.now() - since < STUCK && leads < MOST_LEADS, `${presses} presses have led to ${leads} places: ${most} of ${wanted.length} marks`);
  }
  const seen = await sightOf(page);
  assert.deepEqual(wanted.filter((mark) => !seen.has(mark)), [], `allowed unseen, after ${presses} presses`);
}

/** @type {any} */
let browser;
before(async () => {
  browser = await startBrowser();
});
after(() => browser?.close());

/** Kinds enough for places that differ in nothing but their size. */
const SOME = ['a new file', 'several files', 'one long line', 'arguments of a server'];

describe('the views of the extension', () => {
  for (const [view, width, height, kinds] of /** @type {['chat' | 'approvals', number, number, string[]][]} */ ([['chat', 240, 600, SOME], ['chat', 400, 700, Object.keys(LONG)], ['chat', 1000, 800, SOME], ['approvals', 300, 120, ['a new file', 'a command']]])) {
    for (const [name, make] of Object.entries(LONG).filter(([one]) => kinds.includes(one))) {
      for (const how of ['the mouse', 'keys']) {
        test(`given ${name} in a view of ${width} pixels (${view}) when it is allowed by ${how} then all of it was in sight`, async () => {
          const [one, text] = make();
          const alone = await openAlone(browser, { view, width, height, cards: [one] });
          const shown = alone.card(one);
          const allow = shown.locator('[action-id="allow_once"]');
          const click = async () => {
            await allow.scrollIntoViewIfNeeded();
            const box = await allow.boundingBox();
            return box && (() => alone.page.mouse.click(box.x + box.width / 2, box.y + box.height / 2));
          };
          const key = async () => () => alone.post({ type: 'key', act: 'approve' });
          await pressUntilAnswered(alone.page, shown, text, how === 'keys' ? key : click, async () => (await alone.answers()).length);
          assert.deepEqual((await alone.answers()).map((answer) => answer.response.outcome.optionId), ['allow_once']);
          assert.deepEqual(alone.wrong, []);
          await alone.context.close();
        });
      }
    }
  }
});

describe('the page', () => {
  for (const [width, height, finger] of /** @type {[number, number, boolean][]} */ ([[240, 600, false], [400, 700, false], [1000, 800, false], [390, 844, true]])) {
    for (const [name, make] of Object.entries(LONG).filter(([one]) => finger || SOME.includes(one))) {
      test(`given ${name} on a screen of ${width}×${height} when it is allowed by ${finger ? 'a finger' : 'the mouse, or Tab and Enter'} then all of it was in sight`, async (t) => {
        for (const how of finger ? ['tap'] : ['mouse', 'keys']) {
          const fake = await startFake();
          t.after(() => fake.stop());
          const context = await browser.newContext({ viewport: { width, height }, hasTouch: finger, isMobile: finger, reducedMotion: 'reduce' });
          context.setDefaultTimeout(15_000);
          const page = await context.newPage();
          await page.goto(fake.url);
          await pair(page, fake.code);
          const [one, text] = make();
          fake.ask(one);
          const shown = cardOf(page, one.approvalId);
          await shown.waitFor();
          const allow = shown.locator('[action-id="allow_once"]');
          const press = async () => {
            if (how === 'keys') {
              await allow.focus({ timeout: 1_000 }).catch(() => {});
              return () => page.keyboard.press('Enter');
            }
            await allow.scrollIntoViewIfNeeded({ timeout: 1_000 }).catch(() => {});
            const box = await allow.boundingBox({ timeout: 1_000 }).catch(() => null);
            const pointer = how === 'tap' ? () => page.touchscreen.tap(box.x + box.width / 2, box.y + box.height / 2) : () => page.mouse.click(box.x + box.width / 2, box.y + box.height / 2);
            return box && pointer;
          };
          await pressUntilAnswered(page, shown, text, press, () => fake.state.answers.length);
          assert.equal(fake.state.answers.length, 1);
          await context.close();
        }
      });
    }
  }
});
