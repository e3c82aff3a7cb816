// @ts-check
// The page in a real browser, before a backend that does what the test wants.

import assert from 'node:assert/strict';
import { after, afterEach, before, beforeEach, test } from 'node:test';

import { startBrowser } from '../lib/browser.mjs';
import { card, startFake } from '../lib/fake_backend.mjs';
import { cardOf, connected, inState, openPhone, pair, picture, press } from '../lib/phone.mjs';
import { until } from '../lib/until.mjs';

/** @type {any} */
let browser;
/** @type {Awaited<ReturnType<typeof startFake>>} */
let fake;
/** @type {any} */
let page;
/** @type {Awaited<ReturnType<typeof openPhone>>} */
let phone;

before(async () => {
  browser = await startBrowser();
});
after(() => browser?.close());
beforeEach(async () => {
  fake = await startFake();
  phone = await openPhone(browser, fake.url);
  page = phone.page;
});
afterEach(async () => {
  await phone?.context.close();
  await fake?.stop();
  assert.deepEqual(phone?.wrong, [], 'nothing is refused by the policy, nothing throws, and nobody else is asked');
});

const ask = async (/** @type {any[]} */ ...cards) => {
  if (!fake.connected()) await pair(page, fake.code);
  fake.ask(...cards);
  for (const { approvalId } of cards) await cardOf(page, approvalId).waitFor();
};
/** The answer that the backend got. */
const answer = () => until('an answer comes', () => fake.state.answers.at(-1));

test('given a wrong code then it is refused and said, and after some tries none counts', async () => {
  for (let at = 0; at < 3; at += 1) {
    await page.getByLabel('Code').fill('WRONG');
    await page.getByRole('button', { name: 'Pair' }).click();
    await page.getByText('This code is wrong').waitFor();
  }
  await page.getByLabel('Code').fill(fake.code);
  await page.getByRole('button', { name: 'Pair' }).click();
  await page.getByText('Too many codes were wrong').waitFor();
  assert.equal(fake.connected(), 0);
  assert.ok(!page.url().includes(fake.code));
});

test('given a card then all of it is there, and each plain choice is sent with the digest that was shown', async () => {
  for (const [action, optionId] of [['allow_once', 'allow_once'], ['allow_session', 'allow_session'], ['deny', 'deny']]) {
    const one = card();
    await ask(one);
    const text = await cardOf(page, one.approvalId).innerText();
    for (const part of ['claude wants to run a command', 'cargo test', 'execute in default mode', 'allowed 12 times, denied once',
      '/tmp/project']) assert.ok(text.includes(part), part);
    await press(page, one.approvalId, String(action));
    await inState(page, one.approvalId, action === 'deny' ? 'denied' : 'approved');
    const { digest, response, approvalId } = await answer();
    assert.deepEqual({ digest, approvalId }, { digest: one.digest, approvalId: one.approvalId });
    assert.equal(response.outcome.optionId, optionId);
  }
  await picture(page, 'page-answered');
});

test('given a denial with a reason then the reason goes along', async () => {
  const one = card();
  await ask(one);
  await press(page, one.approvalId, 'deny_reason');
  await cardOf(page, one.approvalId).getByLabel('Why not?').fill('use the staging folder');
  await press(page, one.approvalId, 'deny_reason_send');
  await inState(page, one.approvalId, 'denied');
  assert.equal((await answer()).reason, 'use the staging folder');
  assert.ok((await cardOf(page, one.approvalId).innerText()).includes('Tool call denied by page (use the staging folder)'));
});

test('given Always then the pattern and where it holds are chosen, and can be edited', async () => {
  const one = card();
  await ask(one);
  await press(page, one.approvalId, 'always');
  const view = cardOf(page, one.approvalId);
  await view.getByText('shell(cargo test *)').tap();
  await view.getByLabel('Pattern', { exact: true }).fill('shell(cargo test --workspace *)');
  await view.getByLabel('In this folder').check();
  await view.getByLabel('For how long').selectOption('1h');
  await picture(page, 'page-always');
  await press(page, one.approvalId, 'always_allow');
  await inState(page, one.approvalId, 'approved');
  const { remember, response } = await answer();
  assert.equal(response.outcome.optionId, 'allow_always');
  assert.deepEqual(remember, { scope: 'workspace', patterns: ['shell(cargo test --workspace *)'], expiresIn: '1h' });
});

test('given a pattern that is refused then what was typed stays, and it is said why', async () => {
  const one = card();
  await ask(one);
  fake.state.refusals.push({ code: -32020, message: 'not a pattern: shell(', data: { reason: 'remember' } });
  await press(page, one.approvalId, 'always');
  const view = cardOf(page, one.approvalId);
  await view.getByLabel('Pattern', { exact: true }).fill('shell(');
  await press(page, one.approvalId, 'always_allow');
  await view.getByText('not a pattern: shell(').waitFor();
  assert.equal(await view.getByLabel('Pattern', { exact: true }).inputValue(), 'shell(');
  assert.equal(await view.getAttribute('data-state'), 'pending');
});

test('given Bypass then it is asked once more, with the focus on Back', async () => {
  const one = card();
  await ask(one);
  await press(page, one.approvalId, 'bypass');
  assert.equal(await page.evaluate(() => document.activeElement?.getAttribute('action-id')), 'back');
  assert.equal(fake.state.answers.length, 0);
  await picture(page, 'page-bypass');
  await press(page, one.approvalId, 'bypass_confirm');
  await inState(page, one.approvalId, 'approved');
  const { bypassAll, response } = await answer();
  assert.deepEqual([bypassAll, response.outcome.optionId], [true, 'allow_once']);
});

test('given options of the agent then each is there in its own words, with its danger', async () => {
  const base = card();
  const own = { optionId: 'agent:yolo', name: 'Yes, and stop asking', kind: 'allow_always', scope: 'agent', danger: 'the agent asks no more' };
  const one = { ...base, options: [...base.options, own] };
  await ask(one);
  await cardOf(page, one.approvalId).locator('[action-id="more"]').tap();
  assert.ok((await cardOf(page, one.approvalId).innerText()).includes('the agent asks no more'));
  await press(page, one.approvalId, 'agent:yolo');
  await inState(page, one.approvalId, 'approved');
  assert.equal((await answer()).response.outcome.optionId, 'agent:yolo');
});

test('given a card that just appeared or changed then a tap is no answer for half a second', async () => {
  await pair(page, fake.code);
  // Clicks as fast as they come, for 400 ms from the moment on that the choice is there, and again when it has changed.
  const hammer = (/** @type {string} */ sign) => page.evaluate((/** @type {string} */ text) => new Promise((resolve) => {
    let begin = 0;
    const again = () => {
      const button = document.querySelector('[action-id="allow_once"]');
      if (button instanceof HTMLElement && document.body.textContent?.includes(text)) {
        begin ||= performance.now();
        button.click();
      }
      if (begin && performance.now() - begin > 400) resolve(undefined);
      else requestAnimationFrame(again);
    };
    again();
  }), sign);
  const one = card();
  await Promise.all([hammer('cargo test'), ask(one)]);
  await page.locator('[data-live="true"]').waitFor();
  const changed = { ...one, type: 'approval-updated', digest: 'another', cwd: '/elsewhere' };
  await Promise.all([hammer('This call has changed since it was shown'), fake.say(changed)]);
  assert.deepEqual(fake.state.answers, []);
  await press(page, one.approvalId, 'allow_once');
  assert.equal((await answer()).digest, 'another');
});

test('given a press that began before the choices were live then it is no answer when it ends', async () => {
  await ask(card());
  const one = card();
  await page.locator('[data-live="true"]').waitFor();
  fake.ask(one);
  const button = cardOf(page, one.approvalId).locator('[action-id="allow_once"]');
  await button.scrollIntoViewIfNeeded();
  const box = await button.boundingBox();
  await page.mouse.move(box.x + 20, box.y + 20);
  // The press begins while they rest: the card has just changed.
  fake.say({ ...one, type: 'approval-updated', digest: 'another' });
  await page.locator(`[data-approval-id="${one.approvalId}"][data-live="false"]`).waitFor();
  await page.mouse.down();
  await page.locator(`[data-approval-id="${one.approvalId}"][data-live="true"]`).waitFor();
  await page.mouse.up();
  await press(page, one.approvalId, 'deny');
  assert.equal((await answer()).response.outcome.optionId, 'deny');
  assert.equal(fake.state.answers.length, 1);
});

test('given a new page then nothing that allows has the focus', async () => {
  const one = card();
  await ask(one);
  await page.locator('[data-live="true"]').waitFor();
  const focused = await page.evaluate(() => document.activeElement?.getAttribute('action-id') ?? null);
  assert.equal(focused, null);
});

test('given an answer elsewhere then the card settles in its place and says whose it was', async () => {
  const [one, two] = [card(), card()];
  await ask(one, two);
  fake.elsewhere(one, 'allow_once', 'vscode');
  await inState(page, one.approvalId, 'approved');
  assert.ok((await cardOf(page, one.approvalId).innerText()).includes('Tool call approved by vscode'));
  assert.equal(await cardOf(page, one.approvalId).locator('[action-id]').count(), 0);
  assert.ok((await cardOf(page, one.approvalId).boundingBox()).height < 60, 'it is one line');
  assert.equal(await cardOf(page, two.approvalId).getAttribute('data-live'), 'false', 'what has moved rests');
  const three = card();
  await ask(three);
  const order = await page.locator('[data-approval-id]').evaluateAll((/** @type {Element[]} */ all) => all.map((of) => of.getAttribute('data-approval-id')));
  assert.deepEqual(order, [one, two, three].map(({ approvalId }) => approvalId));
  await picture(page, 'page-settled-elsewhere');
  await page.locator('[action-id=clear]').tap();
  await cardOf(page, one.approvalId).waitFor({ state: 'detached' });
});

test('given a card that comes into sight since those above it are settled then it was seen, without a scroll', async () => {
  const cards = Array.from({ length: 6 }, () => card());
  await ask(...cards);
  const last = cardOf(page, cards[5].approvalId);
  await page.locator('[data-seen="true"]').first().waitFor();
  assert.equal(await last.getAttribute('data-seen'), 'false');
  for (const one of cards.slice(0, 5)) fake.elsewhere(one, 'deny', 'vscode');
  await page.locator(`[data-approval-id="${cards[5].approvalId}"][data-seen="true"][data-live="true"]`).waitFor();
  await last.locator('[action-id="allow_once"]').tap();
  await inState(page, cards[5].approvalId, 'approved');
  assert.equal(await page.evaluate(() => window.scrollY), 0);
});

test('given an answer that came too late then the card says who was first', async () => {
  const one = card();
  await ask(one);
  fake.state.refusals.push({ code: -32020, message: 'already answered by terminal', data: { reason: 'settled', state: 'denied', by: 'terminal' } });
  await press(page, one.approvalId, 'allow_once');
  await inState(page, one.approvalId, 'denied');
  assert.ok((await cardOf(page, one.approvalId).innerText()).includes('Tool call denied by terminal'));
});

test('given a connection that breaks then the choices rest, it is said, and nothing is missed', async () => {
  const [one, two] = [card(), card()];
  await ask(one);
  const stopped = fake.state;
  fake.cut();
  // Said while nobody is there to hear it.
  stopped.waiting.push(two);
  stopped.log.push(two);
  await cardOf(page, two.approvalId).waitFor();
  await connected(page);
  await press(page, two.approvalId, 'deny');
  await inState(page, two.approvalId, 'denied');
  assert.equal(await cardOf(page, one.approvalId).getAttribute('data-state'), 'pending');
});

test('given a backend that hangs then the page says within two seconds that it is gone, the choices rest, and it comes back', async () => {
  const one = card();
  await ask(one);
  await page.locator('[data-live="true"]').waitFor();
  fake.state.frozen = true;
  const begin = Date.now();
  await page.locator('#connection[data-state=lost]').waitFor();
  const took = Date.now() - begin;
  console.log(`# a backend that hangs is said after ${took} ms`);
  assert.equal(await cardOf(page, one.approvalId).getAttribute('data-live'), 'false');
  assert.ok(took < 4_000, `${took} ms, on a machine that may be busy`);
  fake.state.frozen = false;
  await connected(page);
  await press(page, one.approvalId, 'deny');
  await inState(page, one.approvalId, 'denied');
});

test('given the page then it can be installed: a manifest, icons, and a worker that no request goes through', async () => {
  const manifest = await page.evaluate(async () => (await fetch(/** @type {HTMLLinkElement} */ (document.querySelector('link[rel=manifest]')).href)).json());
  assert.equal(manifest.display, 'standalone');
  assert.ok(await page.evaluate(async (/** @type {string} */ src) => (await fetch(src)).ok, manifest.icons[0].src));
  await page.evaluate(async () => { await navigator.serviceWorker.ready; });
});

test('given a token that counts no more then the page asks for a code, and goes on with a new one', async () => {
  const one = card();
  await ask(one);
  fake.state.token = null;
  fake.cut();
  await page.getByRole('heading', { name: 'Pair this browser' }).waitFor();
  assert.equal(await cardOf(page, one.approvalId).isVisible(), false, 'nothing is shown to whoever is not paired');
  await pair(page, fake.code);
  await press(page, one.approvalId, 'deny');
  await inState(page, one.approvalId, 'denied');
});

test('given a reload then the page is still paired, and shows what waits', async () => {
  const one = card();
  await ask(one);
  await page.reload();
  await connected(page);
  await press(page, one.approvalId, 'allow_once');
  await inState(page, one.approvalId, 'approved');
});

test('given another backend then what waited at the old one no longer waits', async () => {
  const one = card();
  await ask(one);
  Object.assign(fake.state, { instance: 'two', waiting: [], log: [] });
  fake.cut();
  await inState(page, one.approvalId, 'cancelled');
});

test('given several alike then they are answered together, each with its own digest', async () => {
  const [one, two, three] = [card({ alike: 'k' }), card({ alike: 'k' }), card()];
  await ask(one, two, three);
  await press(page, one.approvalId, 'alike_allow');
  await inState(page, one.approvalId, 'approved');
  await inState(page, two.approvalId, 'approved');
  assert.equal(await cardOf(page, three.approvalId).getAttribute('data-state'), 'pending');
  assert.deepEqual(fake.state.answers.map(({ digest }) => digest), [one.digest, two.digest]);
});

test('given a call to a server then the heading, the warning, the arguments and the diff are there', async () => {
  const one = card({
    server: { name: 'github', tool: 'create_issue', title: 'GitHub', description: 'The best server', icons: [{ src: 'https://example.org/x.png' }] },
    tool: { description: 'Makes an issue', annotations: { destructiveHint: true } },
    accesses: [{ access: 'mcp', display: 'github/create_issue', category: 'external' }], levels: ['read', 'all'],
    toolCall: {
      title: 'create_issue', name: null, kind: 'other', rawInput: { title: 'x'.repeat(5_000) }, locations: [],
      content: [{ type: 'diff', path: '/p/a.txt', oldText: 'one\ntwo\n', newText: 'one\n2\n' }],
    },
  });
  await ask(one);
  const view = cardOf(page, one.approvalId);
  const text = await view.innerText();
  for (const part of ['Allow tool call from github?', 'Run create_issue from github', 'Malicious MCP servers or conversation content',
    'Review each action carefully before approving.', 'claude']) assert.ok(text.includes(part), part);
  assert.deepEqual(await view.locator('tr.added td.foreign, tr.removed td.foreign').allInnerTexts(), ['two', '2']);
  await view.locator('.arguments').getByRole('button', { name: 'show all' }).tap();
  assert.ok((await view.locator('.arguments pre').innerText()).includes('x'.repeat(5_000)));
  assert.equal(await view.locator('img').count(), 0, 'no picture is fetched');
});

test('given hostile text in every place then it is text, in full, with what hides made visible', async () => {
  const evil = '<img src=x onerror=alert(1)>[click](http://evil.example)<script>alert(2)</script>\u001b[2K\u202egnp.exe\u200b **bold**';
  const seen = '<img src=x onerror=alert(1)>[click](http://evil.example)<script>alert(2)</script>\\x1b[2K\\u{202e}gnp.exe\\u{200b} **bold**';
  const base = card();
  const one = card({
    agentName: evil, cwd: evil, env: { [evil]: evil }, notShown: [evil], parent: evil,
    server: { name: evil, tool: evil, title: evil, description: evil, icons: [{ src: 'javascript:alert(1)' }] },
    tool: { description: evil, annotations: { [evil]: evil } },
    toolCall: { title: evil, name: evil, kind: evil, rawInput: { [evil]: evil }, locations: [],
      content: [{ type: 'diff', path: evil, oldText: evil, newText: `${evil}!` }, { type: 'content', content: { type: 'text', text: evil } }] },
    accesses: [{ access: evil, display: evil, category: null }],
    options: [...base.options, { optionId: 'agent:x', name: evil, kind: evil, scope: evil, danger: evil }],
    suggestions: [{ patterns: [evil], scopes: ['user'] }],
    why: [{ effect: 'ask', access: evil, source: evil, pattern: evil, file: evil, line: 3, reason: evil, always: true }],
  });
  await ask(one);
  const view = cardOf(page, one.approvalId);
  await view.locator('[action-id="more"]').tap();
  for (const summary of await view.locator('summary').all()) await summary.tap();
  // The diff is the only part whose text may hold a line end of its own.
  const { text, tags, values } = await view.evaluate((/** @type {HTMLElement} */ element) => ({
    text: element.textContent ?? '',
    tags: [...element.querySelectorAll('*')].map((of) => of.localName).filter((name) => /script|img|a$|iframe|b$|svg|object/.test(name)),
    values: [...element.querySelectorAll('[src], [href], [onerror], [style*=url]')].length,
  }));
  assert.deepEqual([tags, values], [[], 0]);
  assert.ok(text.split(seen).length > 15, 'it is shown in every place');
  assert.doesNotMatch(text, /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200b-\u200f\u202a-\u202e\u2066-\u2069]/);
  await picture(page, 'page-hostile');
  await press(page, one.approvalId, 'always');
  assert.equal(await view.getByLabel('Pattern', { exact: true }).inputValue(), seen);
  await press(page, one.approvalId, 'always_allow');
  await inState(page, one.approvalId, 'approved');
  assert.deepEqual((await answer()).remember.patterns, [evil], 'what was not edited is sent as it came');
});

test('given only a keyboard then a card can be read and answered', async () => {
  const one = card();
  await ask(one);
  await page.locator('[data-live="true"]').waitFor();
  /** @type {string[]} */
  const names = [];
  for (let at = 0; at < 20 && names.at(-1) !== 'deny'; at += 1) {
    await page.keyboard.press('Tab');
    names.push(await page.evaluate(() => document.activeElement?.getAttribute('action-id') ?? document.activeElement?.localName ?? ''));
  }
  assert.ok(names.includes('allow_once') && names.includes('allow_session'), names.join(' '));
  await page.keyboard.press('Enter');
  await inState(page, one.approvalId, 'denied');
  assert.equal(await page.evaluate(() => document.activeElement?.getAttribute('data-state')), 'denied', 'the focus is not lost');
});

test('given a screen reader then cards and choices have names, and news is told', async () => {
  const one = card();
  await ask(one);
  await page.getByRole('article', { name: 'claude wants to run a command' }).waitFor();
  await page.getByRole('group', { name: 'Answers' }).waitFor();
  assert.ok((await page.getByRole('log').innerText()).includes('claude wants to run a command: shell(cargo test)'));
  fake.elsewhere(one, 'deny', 'vscode');
  await until('the end is told', async () => (await page.getByRole('log').innerText()).includes('Tool call denied by vscode'));
});

test('given a phone then targets are big, nothing is wider than the screen, and dark is dark', async () => {
  const base = card({ cwd: `/very/${'long'.repeat(60)}`, accesses: [{ access: 'shell', display: 'x'.repeat(300), category: 'execute' }] });
  await ask(base);
  const small = await page.locator('button:visible, summary:visible').evaluateAll((/** @type {Element[]} */ all) =>
    all.filter((of) => of.getBoundingClientRect().height < 44).map((of) => of.outerHTML));
  assert.deepEqual(small, []);
  assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= window.innerWidth));
  await picture(page, 'page-light');
  const dark = await openPhone(browser, fake.url, { dark: true });
  await pair(dark.page, fake.code);
  await cardOf(dark.page, base.approvalId).waitFor();
  const back = await dark.page.evaluate(() => getComputedStyle(document.body).backgroundColor);
  assert.equal(back, 'rgb(22, 22, 21)');
  await picture(dark.page, 'page-dark');
  await dark.context.close();
});
