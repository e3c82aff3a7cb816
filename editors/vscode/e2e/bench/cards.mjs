// @ts-check
// A hundred questions at once: how long until the first is in sight, until all are drawn, and until sixty that are alike are
// listed. In Approvals, in a chat, and on the page; each by itself in a real browser, with medians of some rounds.
//
// usage: node bench/cards.mjs [ROUNDS]
//
// MAYI_EDITOR is the folder that tests/editor/install prints. The extension has to be built.

import { startBrowser } from '../lib/browser.mjs';
import { card, startFake } from '../lib/fake_backend.mjs';
import { openPhone, pair } from '../lib/phone.mjs';
import { openAlone } from '../lib/webview_alone.mjs';

const ROUNDS = Number(process.argv[2] ?? 9);
const COUNT = 100;
const AIM = { first: 100, alike: 500 };

/** @param {string | null} tabId */
const questions = (tabId) => Array.from({ length: COUNT }, (_, at) => card({
  tabId, alike: at < 60 ? 'k' : null,
  toolCall: { toolCallId: `c${at}`, title: 'Run it', name: null, kind: 'execute', rawInput: { command: `cargo test -p part-${at}` }, locations: [], content: [] },
  accesses: [{ access: 'shell', display: `cargo test -p part-${at}`, category: 'execute' }],
}));

/** Runs in the page: when the first card was drawn in a frame, and when all were; milliseconds from `begin`. */
function watch() {
  /** @type {{ begin: number, first: number, all: number, longest: number }} */
  const seen = { begin: 0, first: 0, all: 0, longest: 0 };
  Object.assign(globalThis, { seen });
  new PerformanceObserver((list) => {
    for (const { duration } of list.getEntries()) seen.longest = Math.max(seen.longest, duration);
  }).observe({ type: 'longtask' });
  const look = () => {
    const cards = document.querySelectorAll('[data-approval-id][data-state="pending"]');
    const now = performance.now();
    // What stands there in a frame is painted with it: the message port is served right after.
    const { port1, port2 } = new MessageChannel();
    const shown = cards[0] !== undefined && cards[0].getClientRects().length > 0;
    port1.onmessage = () => {
      if (seen.begin === 0) return;
      if (seen.first === 0 && shown) seen.first = performance.now() - seen.begin;
      if (seen.all === 0 && cards.length >= 100) seen.all = now - seen.begin;
    };
    port2.postMessage(0);
    requestAnimationFrame(look);
  };
  requestAnimationFrame(look);
}

/** @param {any} page */
async function told(page) {
  await page.waitForFunction(() => (/** @type {any} */ (globalThis)).seen.all > 0);
  return page.evaluate(() => (/** @type {any} */ (globalThis)).seen);
}

/** @param {any} page */
const listAlike = (page) => page.evaluate(() => new Promise((resolve) => {
  const begin = performance.now();
  /** @type {HTMLElement} */ (document.querySelector('[action-id="alike"]')).click();
  requestAnimationFrame(() => requestAnimationFrame(() => resolve(performance.now() - begin)));
}));

/** @param {any} browser @param {'chat' | 'approvals'} name */
async function view(browser, name) {
  const one = card();
  const alone = await openAlone(browser, { view: name, width: 400, cards: [], ...(name === 'chat' ? { cards: [one], oneTab: true } : {}) });
  // The chat is there, with what was asked before in it and answered.
  if (name === 'chat') await alone.post({ type: 'approval-resolved', approvalId: one.approvalId, tabId: 't0', state: 'denied', by: 'page', at: new Date().toISOString(), reason: null, grantedPermissions: [] });
  await alone.page.evaluate(watch);
  const cards = questions(name === 'chat' ? 't0' : null);
  await alone.page.evaluate((/** @type {{ cards: any[], chat: boolean }} */ { cards: all, chat }) => {
    (/** @type {any} */ (globalThis)).seen.begin = performance.now();
    for (const each of all) {
      const { toolCallId, title, kind, rawInput } = each.toolCall;
      const item = { kind: 'tool', id: `tool-${toolCallId}`, toolCallId, title, toolKind: kind, status: 'pending', rawInput, rawOutput: null, content: [], locations: [], decided: null, unasked: null };
      if (chat) window.postMessage({ type: 'item', tabId: 't0', item, after: null }, '*');
      window.postMessage(each, '*');
      if (chat) window.postMessage({ type: 'item', tabId: 't0', item: { kind: 'approval', id: each.approvalId, toolCallId }, after: null }, '*');
    }
  }, { cards, chat: name === 'chat' });
  const { first, all, longest } = await told(alone.page);
  await alone.page.locator('[action-id="alike"]:visible').first().waitFor();
  const alike = await listAlike(alone.page);
  await alone.context.close();
  return { first, all, alike, longest };
}

/** @param {any} browser */
async function page(browser) {
  const fake = await startFake();
  const phone = await openPhone(browser, fake.url);
  await pair(phone.page, fake.code);
  await phone.page.evaluate(watch);
  await phone.page.evaluate(() => {
    // From the first message of the connection on: what the test's own program takes is no part of it.
    const parse = JSON.parse;
    JSON.parse = (...all) => {
      const { seen } = /** @type {any} */ (globalThis);
      if (seen.begin === 0) seen.begin = performance.now();
      return parse(...all);
    };
  });
  fake.ask(...questions(null));
  const { first, all, longest } = await told(phone.page);
  await phone.page.locator('[action-id="alike"]:visible').first().waitFor();
  const alike = await listAlike(phone.page);
  await phone.context.close();
  await fake.stop();
  return { first, all, alike, longest };
}

/** @param {number[]} values */
const figures = (values) => {
  const sorted = [...values].sort((a, b) => a - b).map(Math.round);
  return { median: sorted[sorted.length >> 1] ?? 0, most: sorted.at(-1) ?? 0 };
};

const browser = await startBrowser();
const PLACES = { Approvals: () => view(browser, 'approvals'), chat: () => view(browser, 'chat'), page: () => page(browser) };
for (const [name, measure] of Object.entries(PLACES)) {
  await measure();
  const rounds = [];
  for (let at = 0; at < ROUNDS; at += 1) rounds.push(await measure());
  const of = (/** @type {'first' | 'all' | 'alike' | 'longest'} */ what) => figures(rounds.map((one) => one[what]));
  const [first, all, alike, longest] = [of('first'), of('all'), of('alike'), of('longest')];
  console.log(`${name}: of ${COUNT} cards the first in sight after ${first.median} ms (at most ${first.most}; aim ${AIM.first}), all drawn after ${all.median} ms (${all.most}), the longest task ${longest.median} ms (${longest.most}); 60 alike listed after ${alike.median} ms (${alike.most}; aim ${AIM.alike})`);
}
await browser.close();
